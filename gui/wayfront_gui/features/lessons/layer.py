"""What a lesson points out on the map, and what was answered there: rings round nodes, bands over arcs, cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from wayfront.network.finding import node_called
from wayfront_gui.features.small_graphs.arcs import ArcShapes
from wayfront_gui.features.small_graphs.graph import disc_radius
from wayfront_gui.features.small_graphs.layer import graph_of
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import read_only
from wayfront_gui.map.legend import NodeColours
from wayfront_gui.map.painting import round_pen, translucent
from wayfront_gui.map.raster import NEVER
from wayfront_gui.map.scene import Layer, Scene

if TYPE_CHECKING:
    from wayfront.dissection.shape import Dissection
    from wayfront.network.road_network import RoadNetwork
    from wayfront_gui.features.lessons.file import Marks


@dataclass(frozen=True, slots=True)
class LessonMarks(Layer):
    """Nodes by what they mean, as internal numbers, and arcs as (tail, head).

    nodes    what a moment points out
    cells    colours of the cells of a dissection, None where they are not shown; rows of ``Style.zone_table``
    cells_at the step (index) that they stand for: another one shows what the search did
    picked   chosen as nodes that come next; then ``right``, ``wrong`` or ``missed``
    """

    nodes: tuple[int, ...] = ()
    arcs: tuple[tuple[int, int], ...] = ()
    picked: tuple[int, ...] = ()
    right: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()
    missed: tuple[int, ...] = ()
    cells: NodeColours | None = None
    cells_at: int = 0

    NAME: ClassVar[str] = "lesson"
    ORDER: ClassVar[int] = 50
    PRECEDENCE: ClassVar[int] = 30

    @classmethod
    def of(cls, marks: Marks, network: RoadNetwork, step: int = 0) -> LessonMarks:
        """Return what a moment points out on its network at its step (index).

        Raises ``NetworkError`` for a node that is not there.
        """
        arcs = ((node_called(network, tail), node_called(network, head)) for tail, head in marks.arcs)
        nodes = tuple(node_called(network, node) for node in marks.nodes)
        return cls(nodes=nodes, arcs=tuple(arcs), cells=cells_after(network, marks.cells), cells_at=step)

    @property
    def of_search(self) -> bool:
        """Films of a lesson show what it points out."""
        return True

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return the colours of the cells of a dissection, in place of the step that they stand for."""
        here = abs(scene.step - self.cells_at) < 0.5
        return self.cells if here and scene.diagram is None and scene.mode == "search" else None

    def paint_on_arcs(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint bands over the arcs that are pointed out."""
        graph = graph_of(scene)
        pointed = translucent(scene.style.colours.target, 90)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(pointed, BAND, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        for tail, head in self.arcs:
            course = -1 if graph is None else graph.course_between(tail, head)
            if graph is None or course < 0:
                ends = [camera.to_pixels(*scene.place(node)) for node in (tail, head)]
                painter.drawLine(QLineF(*ends[0], *ends[1]))
            else:
                disc = disc_radius(graph, camera)
                painter.drawPath(ArcShapes.of(graph, camera, disc).line(course, head=False))

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint rings round nodes, whose forms differ without colour; on a diagram arcs have their bands already."""
        colours, graph = scene.style.colours, graph_of(scene)
        if scene.diagram is None:
            self.paint_on_arcs(painter, scene, camera)
        disc = 0.0 if graph is None else disc_radius(graph, camera)
        # On the edge of a small graph's disc, where it covers neither name nor label.
        radius = disc or RADIUS
        small = min(max(disc / _ROOM, _LEAST), 1.0) if disc else 1.0
        casing, solid = QColor(colours.casing), Qt.PenStyle.SolidLine
        beside = QPointF(0.85 * radius, -0.85 * radius)
        for nodes, colour, style, mark in (
            (self.nodes, colours.target, solid, None),
            (self.picked, colours.ink, solid, None),
            (self.missed, colours.bloom, Qt.PenStyle.DotLine, _DASH),
            (self.right, colours.ink, solid, _TICK),
            (self.wrong, colours.closed, Qt.PenStyle.DashLine, _CROSS),
        ):
            for node in nodes:
                at = _at(scene, camera, node)
                _paint_ring(painter, at, radius, small, QColor(colour), casing, style)
                if mark is not None:
                    _paint_badge(painter, at + beside, BADGE * small, QColor(colour), casing, mark)


BAND = 9.0
"""Width of a band, in logical pixels."""
COLOURS = 8
"""Colours of ``Style.zones`` that cells take in turns."""


def cells_after(network: RoadNetwork, cuts: int) -> NodeColours | None:
    """Return the colours of a network's cells after so many cuts; None for 0, and where it has not been cut yet.

    Nodes of the separators above have no colour.
    """
    from wayfront.dissection.store import dissection_of

    dissection = dissection_of(network, only_kept=True) if cuts else None
    if dissection is None:
        return None
    return network.derive(f"cells after {cuts} cuts", lambda: _colours_of(dissection, cuts))


def _colours_of(dissection: Dissection, cuts: int) -> NodeColours:
    begins = np.flatnonzero(dissection.depth == cuts)  # in preorder: the subtree of each cell follows it
    of_cell = np.full(dissection.cell_count, -1, np.int64)
    for number, cell in enumerate(begins.tolist()):
        of_cell[cell : int(dissection.end[cell])] = number
    of_node = np.empty(dissection.node_count, np.int64)
    of_node[dissection.node_at] = of_cell[dissection.cell_of]
    shown = np.where(of_node >= 0, 0, NEVER).astype(np.uint32)
    colour = np.where(of_node >= 0, of_node % COLOURS, 0).astype(np.uint8)
    return NodeColours(read_only(shown), read_only(colour), np.zeros(0, np.int32), None, "zone_table")


RADIUS = 10.0
"""Of a ring on a map, in logical pixels."""
RING, CASING = 3.2, 6.0
BADGE = 7.5
"""Radius of the badge that says whether a node was right."""
_ROOM, _LEAST = 22.0, 0.55
"""Radius of a disc below which rings and badges are smaller than usual, so that its name is seen; at least so large."""
_TICK = (((-0.45, 0.0), (-0.1, 0.4), (0.5, -0.4)),)
_CROSS = (((-0.4, -0.4), (0.4, 0.4)), ((-0.4, 0.4), (0.4, -0.4)))
_DASH = (((-0.4, 0.0), (0.4, 0.0)),)
"""What badges have on them: lines through points, in radii."""


def _at(scene: Scene, camera: Camera, node: int) -> QPointF:
    return QPointF(*camera.to_pixels(*scene.place(node)))


def _paint_ring(
    painter: QPainter, at: QPointF, radius: float, small: float, colour: QColor, casing: QColor, style: Qt.PenStyle
) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(translucent(casing, 200), CASING * small))
    painter.drawEllipse(at, radius, radius)
    painter.setPen(QPen(colour, RING * small, style))
    painter.drawEllipse(at, radius, radius)


def _paint_badge(
    painter: QPainter,
    at: QPointF,
    size: float,
    colour: QColor,
    casing: QColor,
    lines: tuple[tuple[tuple[float, float], ...], ...],
) -> None:
    """Paint a tick, a cross or a dash on a disc beside a node."""
    painter.setPen(QPen(casing, 1.5))
    painter.setBrush(colour)
    painter.drawEllipse(at, size, size)
    painter.setPen(round_pen(casing, 0.3 * size))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for line in lines:
        painter.drawPolyline(QPolygonF([at + QPointF(size * x, size * y) for x, y in line]))
