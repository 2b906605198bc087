"""Measures how long the map takes to draw, in the real view of the window."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from wayfront_gui.features.live_tree.picture import warm_up
from wayfront_gui.map.panes import MapPanes
from wayfront_gui.map.view import MapView

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.result import Result

_Widget = TypeVar("_Widget", bound=QWidget)
_ROUNDS = 40
_PAN_PIXELS = (7.0, 3.0)
_ZOOM = 1.3
LARGE = 1_000_000
"""Nodes from which on a network has goals of its own."""
_4K = (3840, 2160)
_RACERS = 4
_GOLDEN = 0.618034
"""A scrub jumps by this share of the replay, so that it comes everywhere."""


def goals_ms(nodes: int) -> dict[str, float]:
    """Return what figures of ``measure`` are to be at most, in milliseconds, for a network of so many nodes."""
    if nodes >= LARGE:
        return {"replay_median": 16, "sharp_median": 150}
    return {
        "replay_median": 4,
        "replay_p95": 12,
        "scrub_median": 16,
        "pan_median": 40,
        "replay_4k_median": 16,
        "race_of_four_median": 33,
    }


def measure(
    network: RoadNetwork, width: int = 1600, height: int = 1000, result: Result | None = None
) -> dict[str, float]:
    """Return figures in milliseconds of one network on a map of ``width`` × ``height`` logical pixels.

    first_picture  from a network in memory to its first finished picture, lines and grid included
    replay_median, replay_p95   the next step of the replay: shading, glow, overlay and the way through Qt
    scrub_median   a jump to a far step
    pan_median     a pan by some pixels until the finished picture is there
    sharp_median   a zoom until the finished picture is there; ``raster_median``: processor time of its raster
    replay_4k_median      the next step at 3840 × 2160
    race_of_four_median   the next step on each of four maps that share the room

    ``result`` is the search that is replayed; without one, a search from the middle of the map is made. Kernels
    are warmed up before. Needs a QApplication or makes one. Raises ``NetworkError`` for a network without
    coordinates.
    """
    application = QApplication.instance() or QApplication([])
    if not isinstance(application, QApplication):
        raise RuntimeError("the map is measured in a widget: a QGuiApplication does not do")  # noqa: TRY004
    warm_up()
    result = result or _search_from_middle(network)
    # A copy has no derived forms yet.
    fresh = replace(network, _derived={})
    figures: dict[str, float] = {}
    with _shown(MapView(), width, height) as view:
        figures["first_picture"] = _elapsed(lambda: _first_picture(view, fresh))
        _load(view, result)
        figures |= _measure_replay(view, result) | _measure_looking(view)
    with _shown(MapView(), *_4K) as view:
        _first_picture(view, network)
        _load(view, result)
        figures["replay_4k_median"] = statistics.median(_replay([view], result))
    figures["race_of_four_median"] = _measure_race(network, result, width, height)
    return figures


@contextmanager
def _shown(widget: _Widget, width: int, height: int) -> Iterator[_Widget]:
    widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    widget.resize(width, height)
    try:
        yield widget
    finally:
        widget.close()
        widget.deleteLater()


def _load(view: MapView, result: Result) -> None:
    view.set_source(result.source)
    with view.changing() as shown:
        shown.show_result(result)


def _search_from_middle(network: RoadNetwork) -> Result:
    import wayfront
    from wayfront_gui.map.geometry import MapGeometry

    source = MapGeometry.of(network).nearest_node(0.0, 0.0)
    return wayfront.search(network, source, "near-far", device="cpu", trace=True)


def _first_picture(view: MapView, network: RoadNetwork) -> None:
    view.set_network(network)
    view.show()
    # Until the window system has shown it, a repaint does nothing.
    while view.map_item.frame is None:
        QApplication.processEvents()
    _finish(view)


def _replay(views: Sequence[MapView], result: Result) -> list[float]:
    """Return how long each step took, of some that follow one another in the middle of the replay."""
    last = 0 if result.trace is None else len(result.trace) - 1
    first = last / 2

    def show(step: float) -> None:
        for view in views:
            _show_step(view, step)

    show(first)
    return [_elapsed(partial(show, min(first + turn + 1, last))) for turn in range(_ROUNDS)]


def _show_step(view: MapView, step: float) -> None:
    """Show a step and wait until it is painted, as the replay does."""
    painted = view.map_item.paintings
    view.show_step(step)
    while view.map_item.paintings == painted:
        QApplication.processEvents()


def _measure_replay(view: MapView, result: Result) -> dict[str, float]:
    last = 0 if result.trace is None else len(result.trace) - 1

    def scrub(share: float) -> None:
        _show_step(view, last * share)

    steps = _replay([view], result)
    jumps = [_elapsed(partial(scrub, turn * _GOLDEN % 1.0)) for turn in range(_ROUNDS)]
    return {
        "replay_median": statistics.median(steps),
        "replay_p95": statistics.quantiles(steps, n=20)[-1],
        "scrub_median": statistics.median(jumps),
    }


def _measure_looking(view: MapView) -> dict[str, float]:
    def pan(way: int) -> None:
        view.pan(way * _PAN_PIXELS[0], way * _PAN_PIXELS[1])
        _finish(view)

    def zoom(factor: float) -> None:
        view.zoom(factor)
        _finish(view)

    pans = [_elapsed(partial(pan, 1 if turn % 2 else -1)) for turn in range(_ROUNDS)]
    zooms, rasters = [], []
    for turn in range(_ROUNDS):
        zooms.append(_elapsed(partial(zoom, 1 / _ZOOM if turn % 2 else _ZOOM)))
        assert view.map_item.frame is not None
        rasters.append(view.map_item.frame.raster_ms)
    return {
        "pan_median": statistics.median(pans),
        "sharp_median": statistics.median(zooms),
        "raster_median": statistics.median(rasters),
    }


def _measure_race(network: RoadNetwork, result: Result, width: int, height: int) -> float:
    """Return how long a step of a race takes in which all maps show the same search."""
    main = MapView()
    with _shown(MapPanes(main), width, height) as panes:
        panes.show()
        main.set_network(network)
        panes.show_maps(range(_RACERS), 0, split_map=False)
        for view in panes.all_maps:
            if view is not main:
                view.set_network(network)
            _load(view, result)
        while any(view.map_item.frame is None for view in panes.all_maps):
            QApplication.processEvents()
        for view in panes.all_maps:
            _finish(view)
        return statistics.median(_replay(panes.all_maps, result))


def _finish(view: MapView) -> None:
    """Paint until the picture shows the present view, also where another thread rasters."""
    view.viewport().repaint()
    while not view.map_item.settled:
        QApplication.processEvents()
        time.sleep(0.0005)
    view.viewport().repaint()


def _elapsed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1e3
