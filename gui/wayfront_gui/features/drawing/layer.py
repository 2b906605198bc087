"""What is marked on a graph that is being drawn: what is picked, and the arc or the move that the pointer draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from wayfront_gui.features.small_graphs.arcs import ArcShapes
from wayfront_gui.features.small_graphs.graph import SmallGraph, disc_radius
from wayfront_gui.features.small_graphs.layer import shown_graph
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.scene import Layer, Scene


@dataclass(frozen=True, slots=True)
class GraphMarks(Layer):
    """Node and arc that are picked (−1 for none), and a line from ``tail`` to a place of the plane while it is drawn.

    ``moves`` says that the node itself goes there, instead of a new arc.
    """

    node: int = -1
    arc: int = -1
    tail: int = -1
    end: tuple[float, float] | None = None
    moves: bool = False

    NAME: ClassVar[str] = "drawing"
    ORDER: ClassVar[int] = 20

    @property
    def of_search(self) -> bool:
        """A picture of a graph that is drawn shows what is picked."""
        return True

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the marks on a small graph."""
        shown = shown_graph(scene)
        if shown is not None:
            _paint(painter, self, shown.graph, scene, camera)


_RING = 5.0
"""Pixels from the rim of a disc to the ring of the one that is picked."""
_DASHES = [3.0, 2.0]


def _paint(painter: QPainter, marks: GraphMarks, graph: SmallGraph, scene: Scene, camera: Camera) -> None:
    radius = disc_radius(graph, camera)
    ink = QColor(scene.style.colours.ink)
    painter.save()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if 0 <= marks.node < graph.network.node_count:
        _set_dashes(painter, ink, 2.0 * camera.thickness)
        painter.drawEllipse(QPointF(*camera.to_pixels(*scene.place(marks.node))), radius + _RING, radius + _RING)
    course = int(graph.courses.of_arc[marks.arc]) if 0 <= marks.arc < graph.network.arc_count else -1
    if course >= 0:
        ink.setAlpha(90)
        painter.setPen(QPen(ink, 9.0 * camera.thickness, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPath(ArcShapes.of(graph, camera, radius).line(course, head=True))
        ink.setAlpha(255)
    if marks.end is not None and 0 <= marks.tail < graph.network.node_count:
        begin = QPointF(*camera.to_pixels(*scene.place(marks.tail)))
        _paint_drawn(painter, begin, QPointF(*camera.to_pixels(*marks.end)), radius, ink, marks.moves)
    painter.restore()


def _paint_drawn(painter: QPainter, begin: QPointF, end: QPointF, radius: float, ink: QColor, moves: bool) -> None:
    """Paint a line from a node to the pointer: an arc with its head, or the disc that is moved."""
    line = QLineF(begin, end)
    if line.length() <= radius:
        return
    _set_dashes(painter, ink, 2.0)
    if moves:
        painter.drawEllipse(end, radius, radius)
        return
    begin = line.pointAt(radius / line.length())
    painter.setPen(QPen(ink, 2.0))
    painter.drawLine(begin, end)
    for side in (150, -150):
        barb = QLineF(end, begin)
        barb.setLength(11.0)
        barb.setAngle(line.angle() + side)
        painter.drawLine(barb)


def _set_dashes(painter: QPainter, ink: QColor, width: float) -> None:
    pen = QPen(ink, width)
    pen.setDashPattern(_DASHES)
    painter.setPen(pen)
