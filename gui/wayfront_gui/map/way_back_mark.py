"""The mark in the middle of a view that shows nothing: an arrow to the map, and how far it is. A click goes there."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPolygonF

from wayfront_gui.look.theme import MapColours
from wayfront_gui.map.overlay import length_label
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.way_back import WayBack
from wayfront_gui.translation import translated

_WIDTH, _HEIGHT = 250.0, 44.0
_FONT_PIXELS = 13
_ARROW = 9.0
_DIGITS = 2


def mark_area(width: float, height: float) -> QRectF:
    """Return where the mark is in a view of this size, in logical pixels."""
    return QRectF((width - _WIDTH) / 2, (height - _HEIGHT) / 2, _WIDTH, _HEIGHT)


def paint_way_back(painter: QPainter, colours: MapColours, way: WayBack, camera: Camera) -> None:
    """Paint the mark; ``camera`` is in logical pixels."""
    area = mark_area(camera.width, camera.height)
    ink, ground = QColor(colours.ink), QColor(colours.background)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    edge = QColor(ink)
    edge.setAlpha(70)
    painter.setPen(QPen(edge, 1))
    painter.setBrush(ground)
    painter.drawRoundedRect(area, _HEIGHT / 2, _HEIGHT / 2)
    painter.save()
    painter.translate(area.left() + _HEIGHT / 2 + 4, area.center().y())
    painter.rotate(-math.degrees(math.atan2(way.north, way.east)))
    painter.setPen(QPen(ink, 2, c=Qt.PenCapStyle.RoundCap, j=Qt.PenJoinStyle.RoundJoin))
    painter.drawLine(QPointF(-_ARROW, 0), QPointF(_ARROW, 0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF([QPointF(3, -6), QPointF(_ARROW, 0), QPointF(3, 6)]))
    painter.restore()
    font = QFont()
    font.setPixelSize(_FONT_PIXELS)
    painter.setFont(font)
    painter.setPen(ink)
    room = area.adjusted(_HEIGHT + 4, 0, -12, 0)
    text = translated("The map is {distance} away", distance=length_label(_rounded(way.metres)))
    painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)


def _rounded(metres: float) -> float:
    """Return a length with two digits: nobody needs more to find back."""
    power = 10.0 ** (math.floor(math.log10(max(metres, 1.0))) - _DIGITS + 1)
    return round(metres / power) * power
