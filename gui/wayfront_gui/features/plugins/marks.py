"""What a plug-in's panel shows on the map: dots, routes, and colours of all roads by values of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from wayfront.network.arcs import route_arcs
from wayfront.network.road_network import Metric
from wayfront_gui.features.plugins.panel import Drawn
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import MapGeometry, read_only
from wayfront_gui.map.legend import Legend, NodeColours
from wayfront_gui.map.overlay import paint_path
from wayfront_gui.map.painting import round_pen, translucent
from wayfront_gui.map.raster import NEVER
from wayfront_gui.map.scene import Layer, Scene

DOT = 4.5
"""Radius of a mark, in logical pixels."""
_MARGIN = 2 * DOT
_ROWS = 255


@dataclass(frozen=True, slots=True, eq=False)
class PanelMarks(Layer):
    """What one panel shows: ``paths`` are the points of the map along ``routes``, the bends of roads among them."""

    panel: str
    nodes: NDArray[np.int32]
    routes: tuple[NDArray[np.int32], ...]
    paths: tuple[NDArray[np.int32], ...]
    colours: NodeColours | None

    NAME: ClassVar[str] = "plug-in"
    ORDER: ClassVar[int] = 70
    PRECEDENCE: ClassVar[int] = 45

    @classmethod
    def of(cls, panel: str, drawn: Drawn, metric: Metric) -> PanelMarks:
        """Return what a panel shows. Raises ``ValueError`` where no arc joins two nodes of a route."""
        paths = tuple(_path(drawn, route, metric) for route in drawn.routes)
        colours = None if drawn.values is None else _colours(drawn.values, drawn.title)
        return cls(panel, drawn.nodes, drawn.routes, paths, colours)

    @property
    def key(self) -> str:
        """The panel's: each shows its own."""
        return f"{self.NAME} {self.panel}"

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return the colours of the values."""
        return self.colours

    def paint_below(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the routes, below names and below that of the search."""
        colours = scene.style.colours
        strokes = (translucent(colours.casing, 215), 5.5), (translucent(colours.route), 2.2)
        if scene.diagram is None:
            for path in self.paths:
                paint_path(painter, scene, camera, path, strokes)
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for route in self.routes:
            line = [QPointF(*camera.to_pixels(*scene.place(node))) for node in route.tolist()]
            for colour, width in strokes:
                painter.setPen(round_pen(colour, width))
                painter.drawPolyline(line)

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the dots, as one shape so that they do not darken each other."""
        path, colours = QPainterPath(), scene.style.colours
        path.setFillRule(Qt.FillRule.WindingFill)
        for node in self.nodes.tolist():
            x, y = camera.to_pixels(*scene.place(node))
            if -_MARGIN < x < camera.width + _MARGIN and -_MARGIN < y < camera.height + _MARGIN:
                path.addEllipse(QPointF(x, y), DOT, DOT)
        painter.setPen(round_pen(translucent(colours.casing, 215), 3.0))
        painter.setBrush(translucent(colours.target))
        painter.drawPath(path)
        painter.fillPath(path, translucent(colours.target))


def _path(drawn: Drawn, route: NDArray[np.int32], metric: Metric) -> NDArray[np.int32]:
    arcs = route_arcs(drawn.network, route, metric) if len(route) > 1 else np.empty(0, np.int64)
    if len(arcs) != max(len(route) - 1, 0):
        raise ValueError("a route leads from each node to the next over an arc, and this one does not: give all nodes")
    chains = MapGeometry.of(drawn.network).chains
    return route if chains is None else chains.path(route, arcs)


def _colours(values: NDArray[np.float64], title: str) -> NodeColours:
    """Return the colours of values from the least to the greatest."""
    finite = np.isfinite(values)
    low, high = (float(values[finite].min()), float(values[finite].max())) if finite.any() else (0.0, 0.0)
    share, span = np.zeros(len(values)), high / 2 - low / 2  # halves: the whole span may be beyond all numbers
    if span > 0:
        share[finite] = (values[finite] / 2 - low / 2) / span
    rows = np.rint(np.clip(share, 0, 1) * _ROWS).astype(np.uint8)
    first_step = np.where(finite, 0, NEVER).astype(np.uint32)
    legend = Legend(title, _figure(low), _figure(low / 2 + high / 2), _figure(high))
    return NodeColours(read_only(first_step), read_only(rows), np.zeros(0, np.int32), legend)


def _figure(value: float) -> str:
    """Return a value in four digits or, where it has more before the point, as a whole number."""
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:.4g}"
