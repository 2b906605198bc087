"""Drawing without a window: for commands, and the pictures and films of the library's ``plot()`` and ``animate()``.

Qt is needed only where something is drawn; everything else runs without it, as on a server.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from wayfront.safe.errors import MissingPackageError, NetworkError, OptionError
from wayfront.safe.memory import require_memory
from wayfront_gui.ui.theme import THEMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QGuiApplication

    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.result import Result
    from wayfront.widgets import Trees
    from wayfront_gui.map.geometry import Extent
    from wayfront_gui.map.scene import Scene


LONGEST_SIDE = 32767
"""Pixels in a row or column of the largest picture that Qt paints on."""
BYTES_A_PIXEL = 16
"""Memory that a pixel takes while it is drawn: its owner, its colour, the image and its copy."""
BAND_PIXELS = 1 << 23
"""Pixels that are drawn at once of a picture that is drawn in bands."""
_PACKAGES = ("PySide6", "shiboken6", "pyqtgraph")
_MISSING = "windows, pictures and films are drawn with Qt, which is not installed here: pip install wayfront"
_application: QGuiApplication | None = None
"""The application of a process without one: Qt ends it with its last reference."""


# ------------------------------------------------------------------------------------------------------------------- Qt


def require_qt() -> None:
    """Check that Qt is installed, without loading it. Raises ``MissingPackageError``."""
    if any(find_spec(name) is None for name in _PACKAGES):
        raise MissingPackageError(_MISSING)


def missing_qt(problem: Exception) -> str | None:
    """Return in a sentence why Qt cannot be imported; None for any other problem."""
    if not isinstance(problem, ImportError) or (problem.name or "").partition(".")[0] not in _PACKAGES:
        return None
    if isinstance(problem, ModuleNotFoundError):
        return _MISSING
    return f"Qt cannot be loaded: {problem}; install the system's package that holds this library"


def start_qt(*, widgets: bool = False) -> QGuiApplication:
    """Return the Qt application, started if need be without a display; ``widgets`` for more than painting.

    Keep it while pictures are made. Raises ``MissingPackageError`` where Qt is not installed.
    """
    require_qt()
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    from wayfront_gui.ui.typeface import use_typeface

    application = QGuiApplication.instance()
    if not isinstance(application, QGuiApplication):
        if widgets:
            from PySide6.QtWidgets import QApplication

            application = QApplication(["wayfront"])
        else:
            application = QGuiApplication(["wayfront"])
    use_typeface(application)
    return application


# -------------------------------------------------------------------------------------------------------- what is drawn


def check_colours(name: str) -> None:
    """Raise ``OptionError`` where there are no colours of distance of that name, neither ours nor a plug-in's."""
    from wayfront_gui.ui.colour_maps import COLOUR_MAPS, added_colours

    known = (*COLOUR_MAPS, *added_colours())
    if name not in known:
        raise OptionError(f"there are no colours {name!r}; there are: {', '.join(known)}")


def network_with_map(network: RoadNetwork, layout: bool) -> RoadNetwork:
    """Return the network itself, or with computed coordinates if it has none and ``layout`` asks for them.

    A synthetic network without coordinates always gets computed ones: no file could hold others. Raises
    ``NetworkError`` for any other network without coordinates.
    """
    if network.coordinates is not None:
        return network
    from wayfront_gui.app.jobs import needs_layout

    if not layout and not needs_layout(network):
        raise NetworkError(
            f"{network.name} has no coordinates, so it cannot be drawn as a map; "
            "name its .co file with --coordinates, or ask for a computed map with --layout"
        )
    from wayfront.network.layout import pivot_layout

    return network.with_coordinates(pivot_layout(network))


def check_picture_size(width: int, height: int, scale: float = 1.0, *, in_bands: bool = False) -> None:
    """Check that a picture of so many points can be drawn; drawn ``in_bands``, it takes little memory at any size.

    Raises ``OptionError`` for more pixels in a row or column than Qt draws, and ``MemoryShortError``.
    """
    columns, rows = round(width * scale), round(height * scale)
    what = f"a picture of {columns:,} × {rows:,} pixels"
    if max(columns, rows) > LONGEST_SIDE:
        raise OptionError(
            f"{what} is too large: no side has more than {LONGEST_SIDE:,}; choose a smaller size or scale"
        )
    require_memory(min(columns * rows, BAND_PIXELS if in_bands else columns * rows) * BYTES_A_PIXEL, what)


def show_step(scene: Scene, step: int | None, fraction: float | None) -> None:
    """Show the scene's search at a step, or at a fraction of its steps. Raises ``OptionError`` outside them."""
    last = (0 if scene.found.trace is None else len(scene.found.trace)) - 1
    if step is not None:
        if not 0 <= step <= last:
            raise OptionError(f"this search has the steps 0 to {last}, not {step}")
        scene.step = float(step)
    elif fraction is not None:
        scene.step = fraction * last
    scene.mode = "search"


def check_bounds(network: RoadNetwork, bounds: tuple[float, float, float, float]) -> None:
    """Check that the box around a network overlaps west, south, east, north in degrees. Raises ``NetworkError``."""
    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates, so there are no degrees for --bbox")
    low, high = network.coordinates.min(axis=0) / 1e6, network.coordinates.max(axis=0) / 1e6
    west, south, east, north = bounds
    if west > high[0] or east < low[0] or south > high[1] or north < low[1]:
        own = ",".join(f"{degrees:.4f}" for degrees in (*low, *high))
        raise NetworkError(f"nothing of {network.name} lies in --bbox; all of it lies in {own}")


def extent_of(network: RoadNetwork, bounds: tuple[float, float, float, float]) -> Extent:
    """Return west, south, east, north in degrees as an extent of the plane of a network that has a map."""
    from wayfront_gui.map.geometry import Plane

    return Plane.of(network).extent_of_degrees(bounds)


# ---------------------------------------------------------------------------------------------- pictures of the library


def draw(
    subject: RoadNetwork | Result, *, step: int | None, theme: str, width: int, height: int, scale: float
) -> bytes:
    """Return a PNG of a network, of a finished tree, or of a search after ``step``.

    Raises ``OptionError`` for a theme or step that does not exist or a size that cannot be drawn, and
    ``MemoryShortError``.
    """
    _begin(theme, width, height, scale)
    from wayfront_gui.features.timing.export import picture_bytes
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
    from wayfront_gui.features.export.captions import SearchWords
    from wayfront_gui.features.export.film_file import film_bytes
    from wayfront_gui.features.export.replay_film import ReplayFilm, Shot
    from wayfront_gui.session.state import Walk

    if walk not in list(Walk):
        raise OptionError(f"there is no walk {walk!r}; there are: {', '.join(Walk)}")
    gif = form == "gif"
    fps = frames_a_second(f".{form}")
    shot = Shot(width, height, scale, None, fps, seconds, Walk(walk), fades=not gif, captions=captions)
    taken = ReplayFilm(_scene(result, None, theme), shot, SearchWords.of(result), result.distances)
    return film_bytes(taken, f".{form}")


def page(result: Result, *, moment: str, theme: str, live: bool = False) -> str:
    """Return the HTML of a page of a result's trace, as a frame in something else shows it; it needs no Qt.

    With ``live`` the page itself makes the trees of sources that are dragged. Raises ``OptionError`` for a theme that
    does not exist, and ``MissingPackageError`` and ``MemoryShortError``.
    """
    _check_theme(theme)
    from wayfront_gui.features.page.content import Content, Opening
    from wayfront_gui.features.page.document import page_of

    shown = replace(result, network=network_with_map(result.network, layout=True))
    return page_of(Content.of(_scene(shown, None, theme), shown, Opening(moment=moment, embedded=True, live=live)))


def race(results: Sequence[Result], *, moment: str, theme: str, embedded: bool) -> str:
    """Return the HTML of a page of a race, with the errors of ``page``."""
    _check_theme(theme)
    from wayfront_gui.features.page.content import Opening
    from wayfront_gui.features.page.document import page_of
    from wayfront_gui.features.page.several import race_of

    maps: dict[int, RoadNetwork] = {}  # of one network one map
    shown = []
    for result in results:
        own = result.network
        if id(own) not in maps:
            maps[id(own)] = network_with_map(own, layout=True)
        shown.append(replace(result, network=maps[id(own)]))
    opening = Opening(moment=moment, embedded=embedded)
    return page_of(race_of([(_scene(each, None, theme), each) for each in shown], opening))


def dragged(
    network: RoadNetwork, *, source: int | None, metric: str | None, device: str, theme: str
) -> tuple[Result, str, Trees]:
    """Return a search, its page as ``page`` does, and what makes the tree of any other source, by its number."""
    import numpy as np

    import wayfront
    from wayfront.network.arguments import node_index
    from wayfront.widgets import Tree
    from wayfront_gui.cli.searching import choose_source

    _check_theme(theme)
    start = choose_source(network, None) if source is None else node_index(source, network, "source")
    prepared = wayfront.prepare(network, metric, device)
    result = wayfront.search(network, start, "dijkstra", "cpu", metric=metric, trace=True)

    def trees(node: int) -> Tree:
        distances = np.empty(network.node_count, prepared.distance_dtype)
        parents = np.empty(network.node_count, np.int32)
        prepared.tree_into(node_index(node, network, "source"), distances, parents)
        return Tree(distances, parents)

    return result, page(result, moment="tree", theme=theme), trees


def _check_theme(theme: str) -> None:
    if theme not in THEMES:
        raise OptionError(f"there is no theme {theme!r}; there are: {', '.join(THEMES)}")


def _begin(theme: str, width: int, height: int, scale: float) -> None:
    """Check what every picture is drawn with, and start Qt."""
    global _application  # noqa: PLW0603 - a process has one
    _check_theme(theme)
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
    from wayfront_gui.map.scene import Scene
    from wayfront_gui.map.style import Style

    if isinstance(subject, RoadNetwork):
        return Scene.of(network_with_map(subject, layout=True), Style(theme))
    scene = Scene.of_result(replace(subject, network=network_with_map(subject.network, layout=True)), Style(theme))
    scene.mode = "tree"
    if step is not None:
        show_step(scene, step, None)
    return scene


FPS, GIF_FPS = 30, 25
"""A GIF counts in hundredths of a second."""


def frames_a_second(output: str) -> int:
    """Return how many pictures a second a film of this name usually has."""
    return GIF_FPS if output.lower().endswith(".gif") else FPS
