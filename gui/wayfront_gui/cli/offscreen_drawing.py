"""Drawing without a window, for ``render``, ``compare``, ``first-light`` and ``benchmark``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from wayfront.errors import NetworkError, OptionError
from wayfront.memory import require_memory
from wayfront_gui.cli.qt import require_qt

LONGEST_SIDE = 32767
"""Pixels in a row or column of the largest picture that Qt paints on."""
BYTES_A_PIXEL = 16
"""Memory that a pixel takes while it is drawn: its owner, its colour, the image and its copy."""

BAND_PIXELS = 1 << 23
"""Pixels that are drawn at once of a picture that is drawn in bands."""

if TYPE_CHECKING:
    from PySide6.QtGui import QGuiApplication

    from wayfront.network.road_network import RoadNetwork
    from wayfront_gui.scene.geometry import Extent
    from wayfront_gui.scene.scene import Scene


def start_qt(*, widgets: bool = False) -> QGuiApplication:
    """Return the Qt application, started if need be without a display; ``widgets`` for more than painting.

    Keep it while pictures are made. Raises ``OptionError`` where Qt is not installed.
    """
    require_qt()
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


def check_colours(name: str) -> None:
    """Raise ``OptionError`` where there are no colours of distance of that name, neither ours nor a plug-in's."""
    from wayfront_gui.look.colour_maps import COLOUR_MAPS, added_colours

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
    from wayfront_gui.engine_thread.jobs import needs_layout

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
    last = (0 if scene.trace is None else len(scene.trace)) - 1
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
    """Return west, south, east, north in degrees as an extent of the network's plane.

    Raises ``NetworkError`` for a network without a map.
    """
    from wayfront_gui.scene.geometry import Plane

    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates")
    return Plane.of(network).extent_of_degrees(bounds)
