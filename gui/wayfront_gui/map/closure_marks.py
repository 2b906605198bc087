"""Painting closed roads over the map: crossed out, the one under a tool, and the most critical one."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.closed_roads import ClosedRoads, Float64Array
from wayfront_gui.scene.road_marks import Marks, marks
from wayfront_gui.scene.scene import Scene

ARM = 3.8
"""Half the side of a cross, in logical pixels."""
SHORTEST = 1.5
"""Shorter pieces of a road are under their cross."""
ARROW_AT, ARROW_LONG, ARROW_WIDE = 15.0, 6.5, 4.5
"""How far from a cross the arrow of its direction ends, and its size."""


def paint_closures(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint what ``scene`` has of closed roads; ``camera`` is in logical pixels."""
    colours = scene.style.colours
    if scene.critical is not None:
        seen = _marks(scene.critical, camera)
        _paint_lines(painter, seen.lines, ((_with_alpha(colours.casing, 215), 11.0), (QColor(colours.target), 7.0)))
    if scene.closed is not None:
        _paint_closed(painter, _marks(scene.closed, camera), colours.closed, colours.casing)
    if scene.pointed is not None:
        seen = _marks(scene.pointed, camera)
        _paint_lines(painter, seen.lines, ((_with_alpha(colours.casing, 215), 6.5), (QColor(colours.ink), 3.0)))
        _paint_arrows(painter, seen.arrows, colours.ink, colours.casing)


@lru_cache(maxsize=4)
def _marks(roads: ClosedRoads, camera: Camera) -> Marks:
    """Return the marks of roads, which frames of one camera share."""
    return marks(roads, camera)


def _paint_closed(painter: QPainter, seen: Marks, colour: str, casing: str) -> None:
    _paint_lines(painter, seen.lines, ((_with_alpha(casing, 190), 4.5), (QColor(colour), 1.8)))
    _paint_arrows(painter, seen.arrows, colour, casing)
    arms = [QLineF(x - dx, y - ARM, x + dx, y + ARM) for x, y in seen.crosses.tolist() for dx in (ARM, -ARM)]
    for pen in (_pen(_with_alpha(casing, 235), 5.2), _pen(QColor(colour), 2.4)):
        painter.setPen(pen)
        painter.drawLines(arms)


def _paint_lines(painter: QPainter, lines: Float64Array, strokes: tuple[tuple[QColor, float], ...]) -> None:
    long = abs(lines[:, 2] - lines[:, 0]) + abs(lines[:, 3] - lines[:, 1]) >= SHORTEST
    pieces = [QLineF(*ends) for ends in lines[long].tolist()]
    for colour, width in strokes:
        painter.setPen(_pen(colour, width))
        painter.drawLines(pieces)


def _paint_arrows(painter: QPainter, arrows: Float64Array, colour: str, casing: str) -> None:
    painter.setPen(QPen(_with_alpha(casing, 215), 1.5))
    painter.setBrush(QColor(colour))
    for x, y, along, down in arrows.tolist():
        tip = QPointF(x + ARROW_AT * along, y + ARROW_AT * down)
        back = tip - QPointF(ARROW_LONG * along, ARROW_LONG * down)
        side = QPointF(-ARROW_WIDE * down, ARROW_WIDE * along)
        painter.drawPolygon(QPolygonF([tip, back + side, back - side]))


def _pen(colour: QColor, width: float) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def _with_alpha(colour: str, alpha: int) -> QColor:
    result = QColor(colour)
    result.setAlpha(alpha)
    return result
