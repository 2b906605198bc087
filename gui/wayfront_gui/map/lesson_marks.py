"""Painting what a lesson points out: rings round nodes, whose forms differ without colour, and bands over arcs."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from wayfront_gui.map.small_graph.pointed_arcs import paint_pointed_arcs
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.small_graph.sizes import disc_radius

RADIUS = 10.0
"""Of a ring on a map, in logical pixels."""
RING, CASING = 3.2, 6.0
BADGE = 7.5
"""Radius of the badge that says whether a node was right."""
_ROOM, _LEAST = 22.0, 0.55
"""Radius of a disc below which rings and badges are smaller than usual, so that its name is seen; at least so large."""
_TICK = ((-0.45, 0.0), (-0.1, 0.4), (0.5, -0.4))
_CROSS = (((-0.4, -0.4), (0.4, 0.4)), ((-0.4, 0.4), (0.4, -0.4)))


def paint_lesson_marks(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint the marks of a lesson but those on a small graph's arcs; ``camera`` is in logical pixels."""
    colours, marks = scene.style.colours, scene.marks
    if scene.geometry is None:
        return
    if scene.graph is None:
        paint_pointed_arcs(painter, scene, camera)
    disc = 0.0 if scene.graph is None else disc_radius(scene.graph, camera)
    # On the edge of a small graph's disc, where it covers neither name nor label.
    radius = disc or RADIUS
    small = min(max(disc / _ROOM, _LEAST), 1.0) if disc else 1.0
    for nodes, colour, style in (
        (marks.nodes, colours.target, Qt.PenStyle.SolidLine),
        (marks.picked, colours.ink, Qt.PenStyle.SolidLine),
        (marks.missed, colours.bloom, Qt.PenStyle.DotLine),
        (marks.right, colours.ink, Qt.PenStyle.SolidLine),
        (marks.wrong, colours.closed, Qt.PenStyle.DashLine),
    ):
        for node in nodes:
            _paint_ring(painter, _at(scene, camera, node), radius, small, QColor(colour), QColor(colours.casing), style)
    for nodes, colour, mark in (
        (marks.right, colours.ink, (_TICK,)),
        (marks.wrong, colours.closed, _CROSS),
        (marks.missed, colours.bloom, ()),
    ):
        for node in nodes:
            badge = _at(scene, camera, node) + QPointF(0.85 * radius, -0.85 * radius)
            _paint_badge(painter, badge, BADGE * small, QColor(colour), QColor(colours.casing), mark)


def _at(scene: Scene, camera: Camera, node: int) -> QPointF:
    return QPointF(*camera.to_pixels(*scene.place(node)))


def _paint_ring(
    painter: QPainter, at: QPointF, radius: float, small: float, colour: QColor, casing: QColor, style: Qt.PenStyle
) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    casing.setAlpha(200)
    painter.setPen(QPen(casing, CASING * small))
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
    """Paint a tick, a cross, or where there are no lines a bar, on a disc beside a node."""
    painter.setPen(QPen(casing, 1.5))
    painter.setBrush(colour)
    painter.drawEllipse(at, size, size)
    pen = QPen(casing, 0.3 * size, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for line in lines or (((-0.4, 0.0), (0.4, 0.0)),):
        painter.drawPolyline(QPolygonF([at + QPointF(size * x, size * y) for x, y in line]))
