"""Draw the pictures and films that ``plot()`` and ``animate()`` return, without a window."""

from __future__ import annotations

import os
import sys
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
    _begin(theme, width, height, scale)
    from wayfront_gui.charts.export import picture_bytes
    from wayfront_gui.map.offscreen import render

    return picture_bytes(render(_scene(subject, step, theme), width, height, scale), "png")


def film(
    result: Result,
    *,
    seconds: float,
    walk: str,
    theme: str,
    width: int,
    height: int,
    scale: float,
    captions: bool,
    form: str,
) -> bytes:
    """Return a film of a result's trace as the bytes of a file, with the errors of ``draw``.

    Raises ``OptionError`` also for a walk that does not exist, for a film that is too long, and without PyAV.
    """
    _begin(theme, width, height, scale)
    from wayfront_gui.cli.render_output import FPS, GIF_FPS
    from wayfront_gui.export.film_file import film_bytes
    from wayfront_gui.export.replay_film import ReplayFilm, Shot
    from wayfront_gui.export.words import SearchWords
    from wayfront_gui.model.replay_clock import Walk

    if walk not in list(Walk):
        raise OptionError(f"there is no walk {walk!r}; there are: {', '.join(Walk)}")
    gif = form == "gif"
    fps = GIF_FPS if gif else FPS
    shot = Shot(width, height, scale, None, fps, seconds, Walk(walk), fades=not gif, captions=captions)
    taken = ReplayFilm(_scene(result, None, theme), shot, SearchWords.of(result), result.distances)
    return film_bytes(taken, f".{form}")


def _begin(theme: str, width: int, height: int, scale: float) -> None:
    """Check what every picture is drawn with, and start Qt."""
    global _application  # noqa: PLW0603 - a process has one
    if theme not in THEMES:
        raise OptionError(f"there is no theme {theme!r}; there are: {', '.join(THEMES)}")
    if min(width, height) < 1 or not scale > 0:
        raise OptionError(f"a picture of {width} × {height} points at scale {scale:g} has no pixels")
    check_picture_size(width, height, scale)
    _application = _qt_without_a_display()


def _qt_without_a_display() -> QGuiApplication:
    """Return the application; on Linux one that asks no display, since one that does not answer ends the process.

    The environment is as before afterwards, so that programs which a notebook starts have their windows.
    """
    name = "QT_QPA_PLATFORM"
    if sys.platform != "linux" or name in os.environ:
        return start_qt()
    os.environ[name] = "offscreen"
    try:
        return start_qt()
    finally:
        del os.environ[name]


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
