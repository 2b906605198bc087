"""Paint a film's texts: title, subtitle and figures at the top, and how far it is at the bottom."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QRadialGradient

from wayfront_gui.export.words import Caption, Figure
from wayfront_gui.look.drawing import figures_font, qt_colour
from wayfront_gui.look.plain import one_line
from wayfront_gui.look.theme import MapColours

MARGIN = 20.0
TITLE_PIXELS, SUBTITLE_PIXELS, FIGURE_PIXELS, SMALL_PIXELS = 24, 13, 17, 11
_GAP = 26.0
"""Between two figures."""
_STRIP = 3.0
"""Height of the line that says how far the film is."""


def paint_caption(painter: QPainter, area: QRectF, caption: Caption, colours: MapColours) -> None:
    """Paint texts into the upper left corner of an area, on a veil of the background."""
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    height = MARGIN + TITLE_PIXELS + 6
    height += SUBTITLE_PIXELS + 8 if caption.subtitle else 0
    height += SMALL_PIXELS + FIGURE_PIXELS + 16 if caption.figures else 0
    _paint_veil(
        painter, QRectF(area.left(), area.top(), min(1.5 * _width(caption), area.width()), 1.9 * height), colours
    )
    left, room = area.left() + MARGIN, area.width() - 2 * MARGIN
    base = area.top() + MARGIN + TITLE_PIXELS * 0.8
    _paint_line(painter, QPointF(left, base), room, caption.title, title_font(TITLE_PIXELS), qt_colour(colours.ink))
    if caption.subtitle:
        base += SUBTITLE_PIXELS + 9
        _paint_line(
            painter, QPointF(left, base), room, caption.subtitle, font(SUBTITLE_PIXELS), qt_colour(colours.ink, 0.72)
        )
    if caption.figures:
        _paint_figures(painter, QPointF(left, base + 16), room, caption.figures, colours)


def paint_strip(painter: QPainter, area: QRectF, share: float, colours: MapColours) -> None:
    """Paint a line along the lower edge of an area, as long as the share 0 … 1 of it that is over."""
    line = QRectF(area.left(), area.bottom() - _STRIP, area.width() * min(max(share, 0.0), 1.0), _STRIP)
    painter.fillRect(line, qt_colour(colours.bloom))


def font(pixels: int) -> QFont:
    """Return the font of exported texts, with digits of one width."""
    result = QFont()
    result.setPixelSize(pixels)
    return figures_font(result)


def title_font(pixels: int) -> QFont:
    """Return the font of titles."""
    result = font(pixels)
    result.setWeight(QFont.Weight.DemiBold)
    return result


def _width(caption: Caption) -> float:
    """Return about how wide a caption is, margins included."""
    lines = ((caption.title, title_font(TITLE_PIXELS)), (caption.subtitle, font(SUBTITLE_PIXELS)))
    figures = sum(
        QFontMetricsF(font(FIGURE_PIXELS)).horizontalAdvance(each.widest or each.text) + _GAP
        for each in caption.figures
    )
    return 2 * MARGIN + max(figures, *(QFontMetricsF(face).horizontalAdvance(one_line(text)) for text, face in lines))


def _paint_veil(painter: QPainter, area: QRectF, colours: MapColours) -> None:
    """Paint the background over the upper left corner, less and less to the right and downward."""
    veil = QRadialGradient(QPointF(0, 0), 1.0)
    for at, alpha in ((0.0, 0.92), (0.5, 0.84), (1.0, 0.0)):
        veil.setColorAt(at, qt_colour(colours.background, alpha))
    painter.save()
    painter.translate(area.topLeft())
    painter.scale(area.width(), area.height())
    painter.fillRect(QRectF(0, 0, 1, 1), veil)
    painter.restore()


def _paint_line(painter: QPainter, at: QPointF, room: float, text: str, face: QFont, colour: QColor) -> None:
    painter.setFont(face)
    painter.setPen(colour)
    painter.drawText(at, QFontMetricsF(face).elidedText(one_line(text), Qt.TextElideMode.ElideRight, room))


def _paint_figures(
    painter: QPainter, at: QPointF, room: float, figures: tuple[Figure, ...], colours: MapColours
) -> None:
    """Paint figures side by side, each with room for its widest text: nothing moves while digits change."""
    x, small, large = at.x(), font(SMALL_PIXELS), font(FIGURE_PIXELS)
    for caption, text, widest in figures:
        left = room - (x - at.x())
        if left < 40:
            return
        _paint_line(painter, QPointF(x, at.y() + SMALL_PIXELS), left, caption, small, qt_colour(colours.ink, 0.6))
        base = QPointF(x, at.y() + SMALL_PIXELS + FIGURE_PIXELS + 4)
        _paint_line(painter, base, left, text, large, qt_colour(colours.ink))
        wide = QFontMetricsF(large).horizontalAdvance
        x += max(wide(text), wide(widest), QFontMetricsF(small).horizontalAdvance(caption)) + _GAP
