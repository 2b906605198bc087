"""What was found, on the map: a pin at its place, and a road along its whole course."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from wayfront.network.details import AREAS, LINES
from wayfront.network.names import NODE_KINDS, REACHES, Named, NameIndex
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.map.camera import Camera, shares_in_view
from wayfront_gui.map.geometry import Extent, MapGeometry, Plane
from wayfront_gui.map.painting import round_pen, translucent
from wayfront_gui.map.scene import Layer, Scene

PIN, TIP = 8.0, 20.0
"""Radius of the pin's head, and how far above the place its middle is, in logical pixels."""
LEAST_M = 300.0
"""Metres round what was found that are shown with it at least."""
LEAST_LINES = 5
"""Typical lines of the map round it that are shown with it at least."""
MARGIN = 8.0
"""How far beyond the view a road is still drawn, in logical pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundMark(Layer):
    """Where something is that was found by its name.

    node    the node that stands for it, -1 for none
    x, y    its place on the map's plane
    lines   float64 [k, 4]: the straight pieces of a road, none of anything else
    extent  what to show so that it is seen with what is round it
    """

    node: int
    x: float
    y: float
    lines: NDArray[np.float64]
    extent: Extent

    NAME: ClassVar[str] = "found"
    ORDER: ClassVar[int] = 90

    @classmethod
    def of(cls, network: RoadNetwork, named: Named, node: int, names: NameIndex | None) -> FoundMark | None:
        """Return the mark of what was found in a network, None without a map or a place."""
        if network.coordinates is None or node < 0:
            return None
        geometry = MapGeometry.of(network)
        x, y = float(geometry.x[node]), float(geometry.y[node])
        lines = np.zeros((0, 4)) if names is None else _lines(network, geometry, names.arcs(named))
        if named.at is not None and named.kind not in (*NODE_KINDS, "road"):
            at = np.array([[named.at.east, named.at.north]]) * 1e6
            (x,), (y,) = (
                axis.tolist()
                for axis in Plane.of(network).project_near(np.rint(at).astype(np.int32), geometry.x[node : node + 1])
            )
        least = max(LEAST_M, LEAST_LINES * geometry.typical_line)
        if len(lines):
            corners = lines.reshape(-1, 2)
            (left, bottom), (right, top) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        else:
            left, right, bottom, top = x, x, y, y
            least = max(least, _reach(named))
        extent = Extent(left, bottom, right, top)
        return cls(node, x, y, lines, extent.grown(max(least, 0.15 * max(extent.width, extent.height))))

    def place(self, scene: Scene) -> tuple[float, float]:
        """Return its place on what is drawn of a scene: a diagram puts nodes elsewhere than a map does."""
        return (self.x, self.y) if scene.diagram is None else scene.place(self.node)

    def paint_below(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the road, below the names."""
        if scene.diagram is not None or not len(self.lines):
            return
        colours = scene.style.colours
        pieces = _seen(self.lines, camera)
        # One path, so that its pieces do not darken each other where they meet; names stay readable on it.
        path = QPainterPath()
        for piece in pieces:
            path.moveTo(piece.p1())
            path.lineTo(piece.p2())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, width in ((translucent(colours.route, 110), 13.0), (translucent(colours.route, 200), 3.0)):
            painter.setPen(round_pen(colour, width))
            painter.drawPath(path)

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the pin."""
        colours = scene.style.colours
        tip = QPointF(*camera.to_pixels(*self.place(scene)))
        if scene.diagram is not None:
            tip -= QPointF(0, scene.diagram.radius(camera))  # the disc has a name in it
        head = tip - QPointF(0, TIP)
        pin = QPainterPath(tip)
        # Two curves that meet the head's circle a little below its middle.
        for side in (-1, 1):
            pin.moveTo(tip)
            pin.quadTo(tip + QPointF(side * 1.5, -TIP / 2), head + QPointF(side * PIN * 0.87, PIN * 0.5))
            pin.lineTo(head)
        pin.closeSubpath()
        circle = QPainterPath()
        circle.addEllipse(head, PIN, PIN)
        painter.setPen(QPen(translucent(colours.casing, 230), 2.5))
        painter.setBrush(translucent(colours.ink))
        painter.drawPath(pin.united(circle))
        painter.setPen(QPen(translucent(colours.casing), 1.0))
        painter.setBrush(translucent(colours.casing))
        painter.drawEllipse(head, PIN * 0.4, PIN * 0.4)


def _reach(named: Named) -> float:
    """Return how many metres round the middle of a place or an area belong to it, about."""
    if named.kind in AREAS:
        return math.sqrt(named.size)
    return 5_000.0 if named.kind in LINES else float(REACHES.get(named.kind, 0))


def _lines(network: RoadNetwork, geometry: MapGeometry, arcs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the straight pieces of arcs on the map's plane, float64 [k, 4]."""
    if geometry.chains is None:
        a, b = network.tails()[arcs], network.targets[arcs]
    else:
        chosen = geometry.chains.of_arc[arcs]
        chosen = chosen[chosen >= 0]
        of_chain = np.zeros(len(geometry.chains.a), bool)
        of_chain[chosen] = True
        drawn = of_chain[geometry.chains.of_line]
        a, b = geometry.line_a[drawn], geometry.line_b[drawn]
    return np.stack([axis[ends] for ends in (a, b) for axis in (geometry.x, geometry.y)], axis=1).astype(np.float64)


def _seen(lines: NDArray[np.float64], camera: Camera) -> list[QLineF]:
    """Return the pieces in a camera's view in its pixels, each place once."""
    x0, y0 = camera.to_pixels(lines[:, 0], lines[:, 1])
    x1, y1 = camera.to_pixels(lines[:, 2], lines[:, 3])
    first, last = shares_in_view(x0, y0, x1, y1, camera, MARGIN)
    inside = first <= last
    ends = np.stack([x0, y0, x1, y1], axis=1)[inside]
    # A long road has thousands of pieces that are shorter than a pixel.
    ends = np.unique(np.round(ends * 2), axis=0) / 2
    long = (ends[:, 0] != ends[:, 2]) | (ends[:, 1] != ends[:, 3])
    return [QLineF(*piece) for piece in (ends[long] if long.any() else ends[:1]).tolist()]
