"""Draw how searches grow: steps, relaxations and time over the size, and below each plot the laws that fit.

Both axes are logarithmic, so that a power is a straight line and its exponent the slope. Medians have marks of a shape
of their own for every algorithm, whiskers reach from the least to the largest figure, and the fitted power is dashed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from wayfront.benchmarks.growth_record import Growth, GrowthPoint, Measure
from wayfront_gui.features.growth import words
from wayfront_gui.features.timing.export import Page
from wayfront_gui.features.timing.plots import (
    Scales,
    draw_levels,
    draw_mark,
    draw_values,
    power_of_ten,
    short_number,
)
from wayfront_gui.features.timing.tables import Axis
from wayfront_gui.features.timing.timing_chart import (
    CAPTION_HEIGHT,
    GAP,
    MARGIN,
    begin_page,
    draw_caption,
    draw_text,
    fitting_size,
    make_font,
)
from wayfront_gui.ui.theme import THEMES, ChartColours, Theme
from wayfront_gui.ui.translation import translated

HEADER_HEIGHT = 92.0
PLOT_TITLE = 26.0
PLOT_HEIGHT = 320.0
LEAST_PLOT = 130.0
AXIS_HEIGHT = 48.0
ROW_HEIGHT = 42.0
NOTE_HEIGHT = 18.0
TICK_WIDTH = 42.0
PLOT_GAP = 14.0
_LEAST_RANGE = 8.0
"""How far an axis reaches at least: figures that stay the same shall look so."""

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class Series:
    """One algorithm: its points, colour and the number of its mark."""

    name: str
    points: tuple[GrowthPoint, ...]
    colour: str
    mark: int


def growth_chart_height(growth: Growth) -> float:
    """Return how high a chart is at its usual size, in device-independent pixels."""
    return PLOT_HEIGHT + _height_beside_plots(growth)


def growth_page(growth: Growth) -> Page:
    """Return the chart at its usual size."""
    height = growth_chart_height(growth)
    return Page(height, lambda painter, theme, width: paint_growth_chart(painter, growth, theme, width, height))


def least_height(growth: Growth) -> float:
    """Return the least height at which a chart can be read."""
    return LEAST_PLOT + _height_beside_plots(growth)


def _height_beside_plots(growth: Growth) -> float:
    rows = len(growth.request.algorithms) * ROW_HEIGHT
    notes = len(growth.left_out) * NOTE_HEIGHT
    return HEADER_HEIGHT + PLOT_TITLE + AXIS_HEIGHT + rows + notes + 14 + CAPTION_HEIGHT


def paint_growth_chart(painter: QPainter, growth: Growth, theme: str, width: float, height: float) -> None:
    """Paint the chart of what was measured so far into this size."""
    look = THEMES[theme]
    page = begin_page(painter, width, height, look.chart, min(MARGIN, width / 40))
    _draw_header(painter, page, growth, look.chart)
    series = series_of(growth, look)
    labels = min(page.width() * 0.22, 240.0)
    plots = max(height - _height_beside_plots(growth), LEAST_PLOT)
    column = (page.width() - labels) / len(Measure)
    about = QRectF(page.left(), HEADER_HEIGHT + PLOT_TITLE, labels - GAP, plots)
    draw_paragraph(painter, about, "\n\n".join(words.about_networks(growth)), look.chart.dim)
    rows_top = HEADER_HEIGHT + PLOT_TITLE + plots + AXIS_HEIGHT
    for index, measure in enumerate(Measure):
        box = QRectF(page.left() + labels + index * column, HEADER_HEIGHT, column, PLOT_TITLE + plots)
        draw_plot(painter, box, growth, series, measure, look.chart)
        for row, one in enumerate(series):
            draw_law(
                painter, QRectF(box.left(), rows_top + row * ROW_HEIGHT, column, ROW_HEIGHT), growth, one, measure, look
            )
    for row, one in enumerate(series):
        draw_name(painter, QRectF(page.left(), rows_top + row * ROW_HEIGHT, labels, ROW_HEIGHT), one, look.chart)
    top = rows_top + len(series) * ROW_HEIGHT + 6
    for row, note in enumerate(words.left_out(growth)):
        draw_text(
            painter,
            QRectF(page.left(), top + row * NOTE_HEIGHT, page.width(), NOTE_HEIGHT),
            note,
            look.chart.dim,
            12,
            _LEFT,
        )
    draw_caption(painter, page, words.caption(growth), look.chart)


def draw_paragraph(painter: QPainter, box: QRectF, text: str, colour: str, size: int = 12, bold: bool = False) -> None:
    """Draw a text of several lines, wrapped into a box from its top."""
    painter.setFont(make_font(size, bold))
    painter.setPen(QColor(colour))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap), text)


def series_of(growth: Growth, theme: Theme) -> list[Series]:
    """Return what is drawn of each algorithm."""
    colours = theme.map.zones
    return [
        Series(name, growth.of(name), colours[index % len(colours)], index)
        for index, name in enumerate(growth.request.algorithms)
    ]


def _draw_header(painter: QPainter, page: QRectF, growth: Growth, colours: ChartColours) -> None:
    title = words.title(growth)
    size = fitting_size(title, page.width(), 23, 14)
    draw_text(painter, QRectF(page.left(), 16, page.width(), 32), title, colours.text, size, _LEFT, bold=True)
    draw_text(painter, QRectF(page.left(), 50, page.width(), 20), words.subtitle(growth), colours.dim, 13, _LEFT)


# ------------------------------------------------------------------------------------------------------- plots


def draw_plot(
    painter: QPainter, box: QRectF, growth: Growth, series: Sequence[Series], measure: Measure, colours: ChartColours
) -> None:
    """Draw the plot of one measure into a box that has room for its title; the axis is below it."""
    plot = box.adjusted(TICK_WIDTH, PLOT_TITLE, -PLOT_GAP, 0)
    scales = Scales(plot, _sizes(growth), _range(growth, measure))
    label = translated(words.MEASURE_LABELS[measure])
    draw_text(painter, QRectF(plot.left(), box.top(), plot.width(), 20), label, colours.text, 14, _LEFT, bold=True)
    _draw_axes(painter, scales, growth, colours)
    painter.save()
    painter.setClipRect(plot.adjusted(-8, -8, 8, 8))
    for one in series:
        _draw_fit(painter, scales, growth, one, measure)
    for one in series:
        _draw_points(painter, scales, one, measure)
    painter.restore()


def _sizes(growth: Growth) -> Axis:
    sizes = growth.request.sizes
    return Axis(sizes[0] / 1.25, sizes[-1] * 1.25, logarithmic=True)


def _range(growth: Growth, measure: Measure) -> Axis:
    """Return the axis upwards: over all figures, with some room, and never over a small range alone."""
    figures = [value for point in growth.points for value in point.figures(measure) if value > 0]
    low, high = (min(figures) / 1.5, max(figures) * 1.5) if figures else (1.0, 100.0)
    short = max(_LEAST_RANGE / (high / low), 1.0)
    return Axis(low / math.sqrt(short), high * math.sqrt(short), logarithmic=True)


def _draw_axes(painter: QPainter, scales: Scales, growth: Growth, colours: ChartColours) -> None:
    plot, ticks = scales.plot, scales.times.ticks()
    decades = [tick for tick in ticks if abs(math.log10(tick) - round(math.log10(tick))) < 1e-9]
    levels = decades if len(decades) > 1 else ticks
    draw_levels(painter, scales, levels, power_of_ten, colours, room=TICK_WIDTH, gap=6)
    draw_values(painter, scales, growth.request.sizes, short_number, colours, below=3, width=48, apart=44)
    name = QRectF(plot.left(), plot.bottom() + 21, plot.width(), 18)
    draw_text(painter, name, translated("nodes, n"), colours.dim, 12, _CENTRE)


def _draw_fit(painter: QPainter, scales: Scales, growth: Growth, one: Series, measure: Measure) -> None:
    """Draw the fitted power over all sizes, unless the figures follow none."""
    fit = growth.fit(one.name, measure)
    if fit is None or fit.bend is not None:
        return
    colour = QColor(one.colour)
    colour.setAlphaF(0.75)
    painter.setPen(QPen(colour, 1.2, Qt.PenStyle.DashLine))
    ends = (growth.request.sizes[0], growth.request.sizes[-1])
    plot = scales.plot
    first, last = (
        QPointF(scales.at(n, 1.0).x(), plot.bottom() - _raw_fraction(scales.times, fit.at(n)) * plot.height())
        for n in ends
    )
    painter.drawLine(first, last)


def _raw_fraction(axis: Axis, value: float) -> float:
    """Return where a value stands on a logarithmic axis, beyond its ends too, so that a line keeps its slope."""
    return math.log(value / axis.low) / math.log(axis.high / axis.low)


def _draw_points(painter: QPainter, scales: Scales, one: Series, measure: Measure) -> None:
    shown = [point for point in one.points if point.median(measure) > 0]
    painter.setPen(QPen(QColor(one.colour), 2.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF([scales.at(point.nodes, point.median(measure)) for point in shown]))
    for point in shown:
        figures = [value for value in point.figures(measure) if value > 0]
        painter.setPen(QPen(QColor(one.colour), 1.2))
        painter.drawLine(scales.at(point.nodes, min(figures)), scales.at(point.nodes, max(figures)))
        draw_mark(painter, scales.at(point.nodes, point.median(measure)), one.colour, one.mark)


# -------------------------------------------------------------------------------------------------------- laws


def draw_name(painter: QPainter, box: QRectF, one: Series, colours: ChartColours) -> None:
    """Draw an algorithm's name beside its line and mark."""
    middle = box.top() + 12
    painter.setPen(QPen(QColor(one.colour), 2.0))
    painter.drawLine(QLineF(box.left(), middle, box.left() + 22, middle))
    draw_mark(painter, QPointF(box.left() + 11, middle), one.colour, one.mark)
    name = QRectF(box.left() + 32, box.top() + 1, box.width() - 40, 22)
    size = fitting_size(one.name, name.width(), 14, 10)
    draw_text(painter, name, one.name, colours.text, size, _LEFT, bold=True)


def draw_law(painter: QPainter, box: QRectF, growth: Growth, one: Series, measure: Measure, theme: Theme) -> None:
    """Draw how a measure grows: the law, and the exponent below it."""
    fit = growth.fit(one.name, measure)
    line = box.adjusted(TICK_WIDTH, 1, -PLOT_GAP, 0)
    first, second = QRectF(line.topLeft(), line.size()), QRectF(line.topLeft(), line.size())
    first.setHeight(22)
    second.setTop(line.top() + 20)
    second.setHeight(17)
    draw_text(painter, first, words.law(fit), theme.chart.text, 14, _LEFT, bold=True)
    draw_text(painter, second, words.exponent(fit), theme.chart.dim, 12, _LEFT)
