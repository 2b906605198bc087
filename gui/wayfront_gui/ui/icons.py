"""The program's icons, drawn as paths: sharp at any scale and in the theme's own colours."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from wayfront_gui.resources import asset
from wayfront_gui.ui.theme import Theme

GRID = 24.0
"""Side of the square on which paths are drawn."""


def _polygon(*points: tuple[float, float]) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
    path.closeSubpath()
    return path


def _bar(x: float, y: float, width: float, height: float) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(QRectF(x, y, width, height), 0.8, 0.8)
    return path


def _play() -> QPainterPath:
    return _polygon((8, 5), (19, 12), (8, 19))


def _pause() -> QPainterPath:
    return _bar(7, 5, 3.6, 14).united(_bar(13.4, 5, 3.6, 14))


def _back() -> QPainterPath:
    return _polygon((18, 6), (9, 12), (18, 18)).united(_bar(6, 6, 2.2, 12))


def _forward() -> QPainterPath:
    return _polygon((6, 6), (15, 12), (6, 18)).united(_bar(15.8, 6, 2.2, 12))


def _reverse() -> QPainterPath:
    return _polygon((16, 5), (5, 12), (16, 19))


def _next() -> QPainterPath:
    return (
        _polygon((5, 6), (11.5, 12), (5, 18))
        .united(_polygon((11.5, 6), (17.5, 12), (11.5, 18)))
        .united(_bar(17.6, 6, 2.2, 12))
    )


def _previous() -> QPainterPath:
    return (
        _polygon((19, 6), (12.5, 12), (19, 18))
        .united(_polygon((12.5, 6), (6.5, 12), (12.5, 18)))
        .united(_bar(4.2, 6, 2.2, 12))
    )


def _loop() -> QPainterPath:
    path = QPainterPath()
    path.arcMoveTo(QRectF(6, 6, 12, 12), 60)
    path.arcTo(QRectF(6, 6, 12, 12), 60, -300)
    end = path.currentPosition()
    path.moveTo(end.x() - 4.2, end.y() + 0.6)
    path.lineTo(end)
    path.lineTo(end.x() + 0.2, end.y() - 4.2)
    return path


def _start() -> QPainterPath:
    return _polygon((19, 6), (12.5, 12), (19, 18)).united(_polygon((12.5, 6), (6, 12), (12.5, 18)))


def _cross() -> QPainterPath:
    path = QPainterPath()
    for x0, x1 in ((7.0, 17.0), (17.0, 7.0)):
        path.moveTo(x0, 7)
        path.lineTo(x1, 17)
    return path


def _plus() -> QPainterPath:
    path = QPainterPath()
    path.moveTo(12, 6)
    path.lineTo(12, 18)
    path.moveTo(6, 12)
    path.lineTo(18, 12)
    return path


def _minus() -> QPainterPath:
    path = QPainterPath()
    path.moveTo(6, 12)
    path.lineTo(18, 12)
    return path


def _fit() -> QPainterPath:
    path = QPainterPath()
    for x, y, dx, dy in ((5, 5, 4, 4), (19, 5, -4, 4), (5, 19, 4, -4), (19, 19, -4, -4)):
        path.moveTo(x + dx, y)
        path.lineTo(x, y)
        path.lineTo(x, y + dy)
    return path


def _magnifier() -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(10.5, 10.5), 5.5, 5.5)
    path.moveTo(14.7, 14.7)
    path.lineTo(19, 19)
    return path


def _clock() -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(12, 12), 7.5, 7.5)
    path.moveTo(12, 7.5)
    path.lineTo(12, 12)
    path.lineTo(15, 14)
    return path


def _timeline() -> QPainterPath:
    """Return a plot over a line with a handle."""
    path = QPainterPath()
    for points in (((4, 14), (8, 8), (12, 11), (16, 5), (20, 9)), ((4, 18.5), (20, 18.5)), ((10, 16.5), (10, 20.5))):
        path.moveTo(*points[0])
        for point in points[1:]:
            path.lineTo(*point)
    return path


def _barred() -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(12, 12), 7.5, 7.5)
    path.moveTo(7.5, 12)
    path.lineTo(16.5, 12)
    return path


def _house() -> QPainterPath:
    path = QPainterPath(QPointF(4, 12))
    path.lineTo(12, 5)
    path.lineTo(20, 12)
    path.moveTo(6.5, 10.5)
    path.lineTo(6.5, 19)
    path.lineTo(17.5, 19)
    path.lineTo(17.5, 10.5)
    return path


def _book() -> QPainterPath:
    path = QPainterPath(QPointF(12, 7))
    for points in (((9, 5), (4, 5)), ((4, 17.5), (4, 17.5)), ((9, 17.5), (12, 19.5)), ((12, 19.5), (12, 7))):
        path.quadTo(*points[0], *points[1])
    path.quadTo(15, 5, 20, 5)
    path.lineTo(20, 17.5)
    path.quadTo(15, 17.5, 12, 19.5)
    return path


def _blackboard() -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(QRectF(3.5, 5, 17, 11), 1.5, 1.5)
    for begin, *ends in (((7, 9), (13, 9)), ((7, 12), (11, 12)), ((12, 16), (8.5, 20)), ((12, 16), (15.5, 20))):
        path.moveTo(*begin)
        for end in ends:
            path.lineTo(*end)
    return path


def _panel() -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(QRectF(4.5, 5.5, 15, 13), 2, 2)
    path.moveTo(10, 5.5)
    path.lineTo(10, 18.5)
    return path


def _isochrones() -> QPainterPath:
    path = QPainterPath()
    for radius in (3.0, 6.2, 9.0):
        path.addEllipse(QPointF(12, 12), radius, radius * 0.88)
    return path


def _race() -> QPainterPath:
    path = QPainterPath()
    for y, end in ((6, 18.5), (12, 11.0), (18, 15.0)):
        path.moveTo(5, y)
        path.lineTo(end, y)
    return path


def _prompt() -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(QRectF(4, 5.5, 16, 13), 2, 2)
    path.moveTo(7.5, 9.2)
    path.lineTo(10.3, 12)
    path.lineTo(7.5, 14.8)
    path.moveTo(12.2, 15)
    path.lineTo(16, 15)
    return path


def _rows_of_nodes() -> QPainterPath:
    """Return a queue: three fields side by side, and a row below."""
    path = QPainterPath()
    for x in (4.0, 10.0, 16.0):
        path.addRoundedRect(QRectF(x, 6, 4, 5), 1, 1)
    for x in (4.0, 10.0):
        path.addRoundedRect(QRectF(x, 14, 4, 5), 1, 1)
    return path


def _threads() -> QPainterPath:
    """Return strands side by side, one of which ends early."""
    path = QPainterPath()
    for x, end in ((6.0, 19.0), (10.0, 19.0), (14.0, 12.0), (18.0, 19.0)):
        path.moveTo(x, 5)
        path.lineTo(x, end)
    return path


_SCALES = (1, 2, 4)
"""Pixels of the grid's unit in the pictures of an icon: Qt makes icons smaller, but never larger.

They are pictures of three sizes, not one for three densities of pixels: texts of 250 % need icons that are large.
"""
FILLED: dict[str, Callable[[], QPainterPath]] = {
    "play": _play,
    "pause": _pause,
    "back": _back,
    "forward": _forward,
    "start": _start,
    "reverse": _reverse,
    "next": _next,
    "previous": _previous,
}
LINED: dict[str, Callable[[], QPainterPath]] = {
    "cross": _cross,
    "plus": _plus,
    "minus": _minus,
    "fit": _fit,
    "loop": _loop,
    "search": _magnifier,
    "time": _clock,
    "replay": _timeline,
    "closures": _barred,
    "depots": _house,
    "explanation": _book,
    "lesson": _blackboard,
    "panel": _panel,
    "log": _prompt,
    "race": _race,
    "isochrones": _isochrones,
    "held": _rows_of_nodes,
    "threads": _threads,
}


def icon(name: str, theme: Theme, role: str = "text", chosen: str = "") -> QIcon:
    """Return the icon of that name in one of the theme's colours, fainter where disabled.

    That of a checked action has the colour ``chosen``, if it is given.
    """
    result = QIcon()
    if chosen:
        for scale in _SCALES:
            pixmap = _pixmap(name, QColor(getattr(theme.interface, chosen)), scale)
            result.addPixmap(pixmap, QIcon.Mode.Normal, QIcon.State.On)
    colours = {QIcon.Mode.Normal: getattr(theme.interface, role), QIcon.Mode.Disabled: theme.interface.faint}
    for mode, colour in colours.items():
        for scale in _SCALES:
            result.addPixmap(_pixmap(name, QColor(colour), scale), mode)
    return result


def program_icon() -> QIcon:
    """Return the program's own icon: a source, rings of a search round it, and the glowing front."""
    return QIcon(str(asset("icons/wayfront.svg")))


def _pixmap(name: str, colour: QColor, scale: int) -> QPixmap:
    pixmap = QPixmap(int(GRID) * scale, int(GRID) * scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.scale(scale, scale)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if name in FILLED:
        painter.fillPath(FILLED[name](), colour)
    else:
        pen = QPen(colour, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(LINED[name](), pen)
    painter.end()
    return pixmap
