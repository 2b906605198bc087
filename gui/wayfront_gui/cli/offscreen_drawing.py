"""Pictures made without a window: what ``render``, ``compare`` and ``first-light`` share."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from wayfront.errors import NetworkError, OptionError

if TYPE_CHECKING:
    from PySide6.QtGui import QGuiApplication

    from wayfront.network.road_network import RoadNetwork
    from wayfront_gui.scene.geometry import Extent
    from wayfront_gui.scene.scene import Scene


def start_qt(*, widgets: bool = False) -> QGuiApplication:
    """Start the part of Qt that paints, or all of it, and keep it while pictures are made; it needs no display."""
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    running = QGuiApplication.instance()
    if isinstance(running, QGuiApplication):
        return running
    if widgets:
        from PySide6.QtWidgets import QApplication

        return QApplication(["wayfront"])
    return QGuiApplication(["wayfront"])


def network_with_map(network: RoadNetwork, layout: bool) -> RoadNetwork:
    """Return the network itself, or with computed coordinates if it has none and ``layout`` asks for them.

    A made network without a map always gets a computed one: there is no file that could hold another. Raises
    ``NetworkError`` for any other network without coordinates.
    """
    if network.coordinates is not None:
        return network
    from wayfront_gui.engine_thread.jobs import needs_layout

    if not layout and not needs_layout(network):
        raise NetworkError(
            f"{network.name} has no coordinates, so it cannot be drawn as a map; "
            "name its .co file with --coordinates, or ask for a computed map with --layout"
        )
    from wayfront.network.layout import pivot_layout

    return network.with_coordinates(pivot_layout(network))


def show_step(scene: Scene, step: int | None, fraction: float | None) -> None:
    """Show the scene's search at a step, or at a fraction of its steps. Raises ``OptionError`` outside them."""
    last = (0 if scene.trace is None else len(scene.trace)) - 1
    if step is not None:
        if not 0 <= step <= last:
            raise OptionError(f"this search has the steps 0 to {last}, not {step}")
        scene.step = float(step)
    elif fraction is not None:
        scene.step = fraction * last
    scene.mode = "search"


def extent_of(network: RoadNetwork, bounds: tuple[float, float, float, float]) -> Extent:
    """Return west, south, east, north in degrees as an extent of the network's plane.

    Raises ``NetworkError`` for a network without a map.
    """
    from wayfront_gui.scene.geometry import Plane

    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no map of which a part could be shown")
    west, south, east, north = (1e6 * degrees for degrees in bounds)
    return Plane.of(network).extent(west, south, east, north)
