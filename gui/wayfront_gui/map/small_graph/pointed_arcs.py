"""Painting bands over the arcs that a lesson points out."""

from __future__ import annotations

from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from wayfront_gui.map.small_graph.shape_of_arcs import ArcShapes
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.small_graph.sizes import disc_radius

BAND = 9.0
"""Width of a band, in logical pixels."""


def paint_pointed_arcs(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint the bands over the arcs that a lesson points out; on a small graph their weights stand on them."""
    pointed = QColor(scene.style.colours.target)
    pointed.setAlpha(90)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(pointed, BAND, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    for tail, head in scene.marks.arcs:
        course = -1 if scene.graph is None else scene.graph.course_between(tail, head)
        if scene.graph is None or course < 0:
            ends = [camera.to_pixels(*scene.place(node)) for node in (tail, head)]
            painter.drawLine(QLineF(*ends[0], *ends[1]))
        else:
            disc = disc_radius(scene.graph, camera)
            painter.drawPath(ArcShapes.of(scene.graph, camera, disc).line(course, head=False))
