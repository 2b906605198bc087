"""Draw how searches grow where there is little width: the plots below each other, and every text wrapped."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from wayfront.benchmarks.growth_record import Growth, Measure
from wayfront_gui.features.growth import words
from wayfront_gui.features.growth.chart import (
    AXIS_HEIGHT,
    LEAST_PLOT,
    PLOT_TITLE,
    ROW_HEIGHT,
    draw_law,
    draw_name,
    draw_paragraph,
    draw_plot,
    series_of,
)
from wayfront_gui.features.timing.timing_chart import begin_page, make_font
from wayfront_gui.ui.theme import THEMES

MARGIN = 12.0
GAP = 10.0
_NAME_SHARE = 0.5
"""The part of a row's width that an algorithm's name has."""


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    size: int
    bold: bool = False

    def height(self, width: float) -> float:
        metrics = QFontMetricsF(make_font(self.size, self.bold))
        box = QRectF(0, 0, width, 1e5)
        return metrics.boundingRect(box, int(Qt.TextFlag.TextWordWrap), self.text).height()


def least_column_height(growth: Growth, width: float) -> float:
    """Return the least height at which the chart can be read at this width."""
    return _height_beside_plots(growth, width - 2 * MARGIN) + len(Measure) * LEAST_PLOT


def _height_beside_plots(growth: Growth, width: float) -> float:
    texts = sum(paragraph.height(width) + GAP for paragraph in (*_above(growth), *_below(growth)))
    block = PLOT_TITLE + AXIS_HEIGHT + len(growth.request.algorithms) * ROW_HEIGHT + GAP
    return 2 * MARGIN + texts + len(Measure) * block


def _above(growth: Growth) -> list[_Paragraph]:
    about = " ".join(words.about_networks(growth))
    return [
        _Paragraph(words.title(growth), 18, bold=True),
        _Paragraph(words.subtitle(growth), 13),
        _Paragraph(about, 12),
    ]


def _below(growth: Growth) -> list[_Paragraph]:
    return [_Paragraph(text, 12) for text in (*words.left_out(growth), *words.caption(growth)) if text]


def paint_growth_column(painter: QPainter, growth: Growth, theme: str, width: float, height: float) -> None:
    """Paint the chart of what was measured so far into this size."""
    look = THEMES[theme]
    page = begin_page(painter, width, height, look.chart, MARGIN).adjusted(0, MARGIN, 0, -MARGIN)
    plots = max((height - _height_beside_plots(growth, page.width())) / len(Measure), LEAST_PLOT)
    series, y = series_of(growth, look), page.top()
    for paragraph in _above(growth):
        colour = look.chart.text if paragraph.bold else look.chart.dim
        y = _draw(painter, page, y, paragraph, colour)
    for measure in Measure:
        box = QRectF(page.left(), y, page.width(), PLOT_TITLE + plots)
        draw_plot(painter, box, growth, series, measure, look.chart)
        y = box.bottom() + AXIS_HEIGHT
        for one in series:
            row = QRectF(page.left(), y, page.width(), ROW_HEIGHT)
            draw_name(painter, row.adjusted(0, 0, -row.width() * (1 - _NAME_SHARE), 0), one, look.chart)
            draw_law(painter, row.adjusted(row.width() * _NAME_SHARE, 0, 0, 0), growth, one, measure, look)
            y += ROW_HEIGHT
        y += GAP
    for paragraph in _below(growth):
        y = _draw(painter, page, y, paragraph, look.chart.dim)


def _draw(painter: QPainter, page: QRectF, top: float, paragraph: _Paragraph, colour: str) -> float:
    """Draw a paragraph and return where the next one begins."""
    height = paragraph.height(page.width())
    box = QRectF(page.left(), top, page.width(), height)
    draw_paragraph(painter, box, paragraph.text, colour, paragraph.size, paragraph.bold)
    return top + height + GAP
