"""Draw times over the values of an option: a line for each algorithm and device, whiskers from fastest to slowest run.

The lowest point of a line is named beside it, since that is what a sweep is made for. An algorithm without the option
is a dashed level to compare with.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from wayfront_gui.features.timing.plots import Scales, draw_levels, draw_mark, draw_values, power_of_ten
from wayfront_gui.features.timing.tables import Axis, Row, SweepLine, axes, chart_texts, sweep_lines, three_digits
from wayfront_gui.features.timing.timing_chart import (
    CAPTION_HEIGHT,
    GAP,
    begin_page,
    draw_caption,
    draw_header,
    draw_text,
)
from wayfront_gui.ui.theme import THEMES, ChartColours
from wayfront_gui.ui.translation import translated, translated_message

HEADER_HEIGHT = 124.0
PLOT_HEIGHT = 380.0
AXIS_HEIGHT = 62.0
LEGEND_WIDTH = 290.0
LEGEND_ROW = 54.0
TICK_WIDTH = 62.0
OPTION_HEIGHT = HEADER_HEIGHT + PLOT_HEIGHT + AXIS_HEIGHT + CAPTION_HEIGHT
"""Height of the chart in device-independent pixels."""

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


def paint_option_chart(painter: QPainter, rows: Sequence[Row], option: str, theme: str, width: float) -> None:
    """Paint the times of rows over the values of one of their options, into a page of ``OPTION_HEIGHT``."""
    look, lines = THEMES[theme], sweep_lines(rows, option)
    page = begin_page(painter, width, OPTION_HEIGHT, look.chart)
    texts = chart_texts(rows)
    draw_header(painter, page, texts, look.chart)
    plot_width = page.width() - TICK_WIDTH - LEGEND_WIDTH - GAP
    plot = QRectF(page.left() + TICK_WIDTH, HEADER_HEIGHT, plot_width, PLOT_HEIGHT)
    scales = Scales(plot, *axes(lines))
    _draw_axes(painter, page, scales, option, look.chart)
    legend = QRectF(plot.right() + 2 * GAP, plot.top(), LEGEND_WIDTH - GAP, LEGEND_ROW)
    for number, line in enumerate(lines):
        colour = look.map.zones[number % len(look.map.zones)]
        _draw_line(painter, scales, line, colour, number)
        _draw_entry(painter, legend.translated(0, number * LEGEND_ROW), line, colour, number, look.chart)
    draw_caption(painter, page, texts.caption, look.chart)


def _draw_axes(painter: QPainter, page: QRectF, scales: Scales, option: str, colours: ChartColours) -> None:
    plot = scales.plot
    draw_levels(painter, scales, scales.times.ticks(), "{:,.12g}".format, colours, room=TICK_WIDTH, gap=8)
    draw_values(painter, scales, scales.values.ticks(), power_of_ten, colours, below=5, width=80, apart=56)
    named = translated_message(option.replace("_", " "))
    below = QRectF(plot.left(), plot.bottom() + 27, plot.width(), 18)
    draw_text(painter, below, f"{named}{_scale_of(scales.values)}", colours.dim, 12, _CENTRE)
    upwards = translated("milliseconds") + _scale_of(scales.times)
    draw_text(painter, QRectF(page.left(), plot.top() - 24, 320, 18), upwards, colours.dim, 12, _LEFT)


def _scale_of(axis: Axis) -> str:
    return translated(", logarithmic scale") if axis.logarithmic else ""


def _draw_line(painter: QPainter, scales: Scales, line: SweepLine, colour: str, number: int) -> None:
    if line.level is not None:
        painter.setPen(QPen(QColor(colour), 1.6, Qt.PenStyle.DashLine))
        y = scales.at(scales.values.low, line.level.median).y()
        painter.drawLine(QLineF(scales.plot.left(), y, scales.plot.right(), y))
        return
    painter.setPen(QPen(QColor(colour), 2.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF([scales.at(value, bar.median) for value, bar in line.points]))
    for value, bar in line.points:
        painter.setPen(QPen(QColor(colour), 1.2))
        painter.drawLine(scales.at(value, bar.low), scales.at(value, bar.high))
        draw_mark(painter, scales.at(value, bar.median), colour, number)


def _draw_entry(
    painter: QPainter, box: QRectF, line: SweepLine, colour: str, number: int, colours: ChartColours
) -> None:
    """Draw a line's name, what it ran on, and where it is lowest."""
    middle = box.top() + 10
    dashed = Qt.PenStyle.SolidLine if line.level is None else Qt.PenStyle.DashLine
    painter.setPen(QPen(QColor(colour), 2.0, dashed))
    painter.drawLine(QLineF(box.left(), middle, box.left() + 22, middle))
    if line.level is None:
        draw_mark(painter, QPointF(box.left() + 11, middle), colour, number)
        value, bar = min(line.points, key=lambda point: point[1].median)
        figures = translated("fastest at {value:,.6g}: {ms} ms", value=value, ms=three_digits(bar.median))
    else:
        figures = f"{three_digits(line.level.median)} ms"
    text = QRectF(box.left() + 32, box.top(), box.width() - 32, 20)
    draw_text(painter, text, line.label, colours.text, 14, _LEFT, bold=True)
    draw_text(painter, text.translated(0, 18), figures, colours.text, 12, _LEFT)
    draw_text(painter, text.translated(0, 34), line.device_name, colours.dim, 11, _LEFT)
