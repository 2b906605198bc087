"""Measure how long the map takes to draw, in the real view of the window."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from wayfront_gui.map.view import MapView
from wayfront_gui.scene.frame import Painter
from wayfront_gui.scene.kernel_warmup import warm_up

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.result import Result

_ROUNDS = 40
_PAN_PIXELS = (7.0, 3.0)


def measure(
    network: RoadNetwork, width: int = 1600, height: int = 1000, result: Result | None = None
) -> dict[str, float]:
    """Return figures in milliseconds of one network on a map of ``width`` × ``height`` logical pixels.

    first_picture  from a network in memory to its first finished picture, lines and grid included
    pan_median     a pan by some pixels until the finished picture is there
    frame_median   another step of the replay: shading, glow, overlay and the way through Qt
    raster_median, shade_median, glow_median   the stages of these; processor time for the raster

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
    view = MapView()
    view.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    view.resize(width, height)
    try:
        first = _elapsed(lambda: _first_picture(view, fresh))
        view.set_source(result.source)
        view.set_result(result)
        return {"first_picture": first} | _measure_replay(view, result) | _measure_parts(view)
    finally:
        view.close()
        view.deleteLater()


def _search_from_middle(network: RoadNetwork) -> Result:
    import wayfront
    from wayfront_gui.scene.geometry import MapGeometry

    return wayfront.search(network, MapGeometry.of(network).nearest_node(0.0, 0.0), device="cpu", runs=0)


def _first_picture(view: MapView, network: RoadNetwork) -> None:
    view.set_network(network)
    view.show()
    # Until the window system has shown it, a repaint does nothing.
    while view.map_item.frame is None:
        QApplication.processEvents()
    _finish(view)


def _measure_replay(view: MapView, result: Result) -> dict[str, float]:
    last = 0 if result.trace is None else len(result.trace) - 1

    def show(step: float) -> None:
        view.show_step(step)
        view.viewport().repaint()

    def pan(dx: float, dy: float) -> None:
        view.pan(dx, dy)
        _finish(view)

    frames = [_elapsed(partial(show, last * (turn + 1) / _ROUNDS)) for turn in range(_ROUNDS)]
    view.show_step(last / 2)
    pans, rasters = [], []
    for turn in range(_ROUNDS):
        way = 1 if turn % 2 else -1
        pans.append(_elapsed(partial(pan, way * _PAN_PIXELS[0], way * _PAN_PIXELS[1])))
        assert view.map_item.frame is not None
        rasters.append(view.map_item.frame.raster_ms)
    return {
        "pan_median": statistics.median(pans),
        "frame_median": statistics.median(frames),
        "raster_median": statistics.median(rasters),
    }


def _measure_parts(view: MapView) -> dict[str, float]:
    frame, scene = view.map_item.frame, view.map_scene
    assert frame is not None
    pixels = np.empty(frame.gbuffer.shape, np.uint32)
    shades = [_elapsed(lambda: Painter().shade(frame, scene, pixels)) for _ in range(_ROUNDS)]
    painter = Painter()
    painter.shade(frame, scene, pixels)
    glows = [_elapsed(lambda: painter.glow(frame, scene, pixels)) for _ in range(_ROUNDS)]
    return {"shade_median": statistics.median(shades), "glow_median": statistics.median(glows)}


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
