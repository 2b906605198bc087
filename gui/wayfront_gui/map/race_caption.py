"""Painting what is said of a search over its map in a race: place, name, how far it is."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from wayfront_gui.look.plain import one_line
from wayfront_gui.model.race import Caption
from wayfront_gui.scene.style import Style

MARGIN = 12.0
TITLE, DETAIL = 15, 12
"""Sizes of the two lines of text, in logical pixels."""
_PADDING = 9.0
_MEDAL = 13.0
"""Radius of the disc with the place."""
_BAR = 3.0
"""Height of the bar that shows how far a search is."""


def paint_caption(painter: QPainter, style: Style, caption: Caption, width: float) -> None:
    """Paint the caption into the upper left corner of a map ``width`` logical pixels wide."""
    colours, lane = style.colours, caption.lane
    widest = width - 2 * MARGIN - 2 * _PADDING
    title, detail = fitting_title(lane.title, widest - 2 * _MEDAL - 9), _font(DETAIL)  # as large before the finish
    second = " · ".join(filter(None, (lane.detail, lane.figure)))
    medal = 2 * _MEDAL + 9 if lane.place is not None else 0.0
    room = max(widest - medal, 20.0)
    wide = max(_wide(title, lane.title), _wide(detail, second))
    text = min(wide, room)
    high = QFontMetricsF(title).height() + QFontMetricsF(detail).height() + 2
    box = QRectF(MARGIN, MARGIN, text + medal + 2 * _PADDING, high + 2 * _PADDING - 2)
    ground = QColor(colours.background)
    ground.setAlpha(205)
    painter.setPen(QPen(QColor(colours.bloom), 1.5) if caption.chosen else Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(box, 6, 6)
    left = box.left() + _PADDING
    if lane.place is not None:
        _paint_medal(painter, style, QPointF(left + _MEDAL, box.center().y()), lane.place)
        left += medal
    top = box.top() + _PADDING - 1
    _line(painter, title, QRectF(left, top, text, QFontMetricsF(title).height()), lane.title, colours.ink, 240)
    top += QFontMetricsF(title).height() + 2
    _line(painter, detail, QRectF(left, top, text, QFontMetricsF(detail).height()), second, colours.ink, 185)
    if lane.place is None and lane.progress > 0:
        bar = QRectF(box.left() + 6, box.bottom() - _BAR, (box.width() - 12) * lane.progress, _BAR)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.bloom))
        painter.drawRoundedRect(bar, _BAR / 2, _BAR / 2)


def fitting_title(text: str, room: float) -> QFont:
    """Return the largest font of titles in which a text has room, or the smallest."""
    fonts = [_font(pixels, bold=True) for pixels in range(TITLE, DETAIL - 2, -1)]
    return next((font for font in fonts if _wide(font, text) <= room), fonts[-1])


def _paint_medal(painter: QPainter, style: Style, at: QPointF, place: int) -> None:
    """Paint the place on a disc; the winner's is full of light."""
    colours = style.colours
    light, ground = QColor(colours.bloom), QColor(colours.background)
    painter.setPen(QPen(light if place == 1 else QColor(colours.unreached), 2.0))
    painter.setBrush(light if place == 1 else ground)
    painter.drawEllipse(at, _MEDAL, _MEDAL)
    painter.setFont(_font(TITLE, bold=True))
    painter.setPen(ground if place == 1 else QColor(colours.ink))
    disc = QRectF(at.x() - _MEDAL, at.y() - _MEDAL, 2 * _MEDAL, 2 * _MEDAL)
    painter.drawText(disc, int(Qt.AlignmentFlag.AlignCenter), str(place))


def _font(pixels: int, bold: bool = False) -> QFont:
    font = QFont()
    font.setPixelSize(pixels)
    font.setFeature(QFont.Tag("tnum"), 1)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


def _wide(font: QFont, text: str) -> float:
    """Return the width of a text, in steps of some pixels: figures that run must not make the box tremble."""
    return -(-QFontMetricsF(font).horizontalAdvance(one_line(text)) // 16) * 16


def _line(painter: QPainter, font: QFont, box: QRectF, text: str, colour: str, strength: int) -> None:
    ink = QColor(colour)
    ink.setAlpha(strength)
    painter.setFont(font)
    painter.setPen(ink)
    shown = QFontMetricsF(font).elidedText(one_line(text), Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)
