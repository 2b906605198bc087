"""Draw the pictures that ``plot()`` of networks and results returns, without a window."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wayfront.errors import OptionError
from wayfront_gui.cli.offscreen_drawing import check_picture_size, network_with_map, show_step, start_qt
from wayfront_gui.look.theme import THEMES

if TYPE_CHECKING:
    from PySide6.QtGui import QGuiApplication

    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.result import Result
    from wayfront_gui.scene.scene import Scene

_application: QGuiApplication | None = None
"""The application of a process without one: Qt ends it with its last reference."""


def draw(
    subject: RoadNetwork | Result, *, step: int | None, theme: str, width: int, height: int, scale: float
) -> bytes:
    """Return a PNG of a network, of a finished tree, or of a search after ``step``.

    Raises ``OptionError`` for a theme or step that does not exist or a size that cannot be drawn, and
    ``MemoryShortError``.
    """
    global _application  # noqa: PLW0603 - a process has one
    if theme not in THEMES:
        raise OptionError(f"there is no theme {theme!r}; there are: {', '.join(THEMES)}")
    if min(width, height) < 1 or not scale > 0:
        raise OptionError(f"a picture of {width} × {height} points at scale {scale:g} has no pixels")
    check_picture_size(width, height, scale)
    _application = start_qt()
    from wayfront_gui.charts.export import picture_bytes
    from wayfront_gui.map.offscreen import render

    return picture_bytes(render(_scene(subject, step, theme), width, height, scale), "png")


def _scene(subject: RoadNetwork | Result, step: int | None, theme: str) -> Scene:
    from wayfront.network.road_network import RoadNetwork
    from wayfront_gui.scene.scene import Scene
    from wayfront_gui.scene.style import Style

    if isinstance(subject, RoadNetwork):
        return Scene.of(network_with_map(subject, layout=True), Style(theme))
    scene = Scene.of_result(replace(subject, network=network_with_map(subject.network, layout=True)), Style(theme))
    scene.mode = "tree"
    if step is not None:
        show_step(scene, step, None)
    return scene
