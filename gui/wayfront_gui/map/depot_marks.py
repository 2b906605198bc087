"""Painting candidates for depots over the map, and the depots among them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.scene import Scene

CANDIDATE, DEPOT = 4.5, 9.0
"""Half the side of a candidate's square, and of a depot's house, in logical pixels."""


def paint_depots(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint a square for every candidate and a house for every depot; ``camera`` is in logical pixels."""
    colours = scene.style.colours
    if scene.geometry is None:
        return
    casing, ink, chosen = QColor(colours.casing), QColor(colours.ink), QColor(colours.target)
    casing.setAlpha(215)
    for node in sorted(scene.candidates, key=lambda node: node in scene.depots):
        x, y = camera.to_pixels(*scene.place(node))
        if node not in scene.depots:
            square = QRectF(x - CANDIDATE, y - CANDIDATE, 2 * CANDIDATE, 2 * CANDIDATE)
            painter.setPen(QPen(ink, 1.5))
            painter.setBrush(casing)
            painter.drawRect(square)
            continue
        outline = ((-1.0, 0.9), (-1.0, -0.15), (0.0, -1.1), (1.0, -0.15), (1.0, 0.9))
        house = QPolygonF([QPointF(x + DEPOT * across, y + DEPOT * down) for across, down in outline])
        painter.setPen(QPen(casing, 2.5))
        painter.setBrush(chosen)
        painter.drawPolygon(house)
        painter.fillRect(QRectF(x - 2.2, y + 1.0, 4.4, DEPOT * 0.9 - 1.0), casing)
