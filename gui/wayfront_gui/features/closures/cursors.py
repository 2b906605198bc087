"""The pointers of the tool for roads, drawn as paths with a rim that shows on dark and on light maps."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QCursor, QPainter, QPen, QPixmap

from wayfront_gui.session.closures import RoadAction

SIZE = 32


MIDDLE = 11
"""Where the pointer's hot spot is, from left and top."""


_HAIR = 9


_BADGE = QPointF(23.0, 23.0)


_BADGE_RADIUS = 7.0


_COLOURS = {RoadAction.CLOSE: "#d4100b", RoadAction.REOPEN: "#1c7d3f"}


@lru_cache(maxsize=8)
def road_cursor(action: RoadAction, pixel_ratio: float) -> QCursor:
    """Return cross hairs with a badge: a cross for closing roads, a plus for reopening them."""
    pixmap = QPixmap(round(SIZE * pixel_ratio), round(SIZE * pixel_ratio))
    pixmap.setDevicePixelRatio(pixel_ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    hairs = [
        QLineF(MIDDLE - _HAIR, MIDDLE, MIDDLE + _HAIR, MIDDLE),
        QLineF(MIDDLE, MIDDLE - _HAIR, MIDDLE, MIDDLE + _HAIR),
    ]
    for colour, width in (("#ffffff", 3.0), ("#000000", 1.0)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawLines(hairs)
    painter.setPen(QPen(QColor("#ffffff"), 1.5))
    painter.setBrush(QColor(_COLOURS[action]))
    painter.drawEllipse(_BADGE, _BADGE_RADIUS, _BADGE_RADIUS)
    arms = {
        RoadAction.CLOSE: [QLineF(-2.6, -2.6, 2.6, 2.6), QLineF(-2.6, 2.6, 2.6, -2.6)],
        RoadAction.REOPEN: [QLineF(-3.4, 0, 3.4, 0), QLineF(0, -3.4, 0, 3.4)],
    }[action]
    painter.setPen(QPen(QColor("#ffffff"), 2.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLines([arm.translated(_BADGE) for arm in arms])
    painter.end()
    return QCursor(pixmap, MIDDLE, MIDDLE)
