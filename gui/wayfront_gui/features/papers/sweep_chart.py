"""Draw a paper's figure as lines: the time of each search over what grows from graph to graph, both axes logarithmic.

Times measured here are solid lines with a mark at each graph; the authors' own are dashed, in the same colour. A time
that was scaled from a part of the work has a hollow mark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from wayfront.papers.comparison import Comparison
from wayfront.papers.description import Table, hardware_of
from wayfront_gui.features.papers import tables as words
from wayfront_gui.features.timing.plots import Scales, draw_levels, short_number
from wayfront_gui.features.timing.tables import Axis
from wayfront_gui.features.timing.timing_chart import draw_text
from wayfront_gui.ui.theme import ChartColours, Theme

PLOT_HEIGHT = 300.0
SWEEP_HEIGHT = PLOT_HEIGHT + 56.0
LEGEND_WIDTH = 300.0
LABEL_WIDTH = 76.0
LEGEND_ROW = 38.0

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class _Series:
    """One line: its points (value, milliseconds) and which of them are scaled."""

    points: tuple[tuple[float, float], ...]
    scaled: frozenset[float] = frozenset()


@dataclass(frozen=True, slots=True)
class _Line:
    """One search: our line and the authors', its colour, and where ours was measured."""

    label: str
    ours: _Series
    theirs: _Series
    colour: str
    on: str


def draw_sweep(painter: QPainter, page: QRectF, top: float, shown: Sequence[Comparison], theme: Theme) -> None:
    """Draw the lines of one table, whose graphs are ``shown``, from ``top`` on over the width of the page."""
    lines = _lines(shown, theme)
    left, width = page.left() + LABEL_WIDTH, page.width() - LABEL_WIDTH - LEGEND_WIDTH
    plot = QRectF(left, top + 8, width, PLOT_HEIGHT - 8)
    scales = Scales(plot, *_axes(lines))
    _draw_axes(painter, scales, shown[0].table, theme.chart)
    for line in lines:
        _draw_line(painter, scales, line.theirs, line.colour, dashed=True)
        _draw_line(painter, scales, line.ours, line.colour, dashed=False)
    legend = QRectF(plot.right() + 22, plot.top(), LEGEND_WIDTH - 22, plot.height())
    for index, line in enumerate(lines):
        _draw_legend(painter, legend, legend.top() + index * LEGEND_ROW, line, theme.chart)


def can_be_drawn(shown: Sequence[Comparison]) -> bool:
    """Return whether there are at least two graphs with times: fewer make no line."""
    return bool(shown[0].table.sweep) and sum(bool(one.cells) for one in shown) > 1


def _lines(shown: Sequence[Comparison], theme: Theme) -> list[_Line]:
    """Return the lines of the searches that have any time, here or in the paper."""
    palette = list(theme.modes.values())
    lines = []
    for index, contender in enumerate(shown[0].table.contenders):
        cells = [(one.graph.value, cell) for one in shown if (cell := one.best(contender.label)) is not None]
        ours = _Series(
            tuple((value, cell.median_ms) for value, cell in cells if cell.median_ms > 0),
            frozenset(value for value, cell in cells if cell.scale != 1),
        )
        published = ((one.graph.value, one.table.published.get((one.graph.name, contender.label))) for one in shown)
        theirs = _Series(tuple((value, ms) for value, ms in published if ms))
        on = ", ".join(dict.fromkeys(f"this {hardware_of(cell.device)}" for _, cell in cells))
        theirs_on = f"dashed: {words.theirs_on(contender.on)}" if theirs.points else ""
        if ours.points or theirs.points:
            named = " · ".join(filter(None, (on, theirs_on)))
            lines.append(_Line(contender.label, ours, theirs, palette[index % len(palette)], named))
    return lines


def _axes(lines: Sequence[_Line]) -> tuple[Axis, Axis]:
    points = [point for line in lines for series in (line.ours, line.theirs) for point in series.points]
    values, times = [value for value, _ in points], [ms for _, ms in points]
    lowest, highest = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times) * 1.01))
    across = Axis(min(values), max(*values, min(values) * 2), logarithmic=True)
    return across, Axis(10.0**lowest, 10.0**highest, logarithmic=True)


def _draw_axes(painter: QPainter, scales: Scales, table: Table, colours: ChartColours) -> None:
    plot = scales.plot
    decades = [tick for tick in scales.times.ticks() if abs(math.log10(tick) - round(math.log10(tick))) < 1e-9]
    draw_levels(painter, scales, decades, _round_time, colours, room=LABEL_WIDTH, gap=10)
    values = dict.fromkeys(graph.value for graph in table.graphs)
    free_from = -math.inf
    for value in values:
        x = scales.at(value, scales.times.low).x()
        if plot.left() - 1 <= x <= plot.right() + 1 and x > free_from:
            painter.setPen(QPen(QColor(colours.grid), 1))
            painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
            draw_text(painter, QRectF(x - 45, plot.bottom() + 4, 90, 18), short_number(value), colours.dim, 12, _CENTRE)
            free_from = x + 44
    name = f"{table.sweep}, logarithmic; time upwards, logarithmic"
    draw_text(painter, QRectF(plot.left(), plot.bottom() + 22, plot.width(), 18), name, colours.dim, 12, _CENTRE)


def _round_time(ms: float) -> str:
    """Write a power of ten: its unit, or seconds however many, since 1,000 s is no round number of minutes."""
    return words.duration(ms) if ms < 100_000 else f"{ms / 1000:,.0f} s"


def _draw_line(painter: QPainter, scales: Scales, series: _Series, colour: str, *, dashed: bool) -> None:
    pen = QPen(QColor(colour), 1.4 if dashed else 2.2)
    pen.setStyle(Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF([scales.at(value, ms) for value, ms in series.points]))
    if dashed:
        return
    painter.setPen(QPen(QColor(colour), 1.6))
    for value, ms in series.points:
        hollow = value in series.scaled
        painter.setBrush(Qt.BrushStyle.NoBrush if hollow else QColor(colour))
        painter.drawEllipse(scales.at(value, ms), 3.6, 3.6)


def _draw_legend(painter: QPainter, legend: QRectF, top: float, line: _Line, colours: ChartColours) -> None:
    painter.setPen(QPen(QColor(line.colour), 2.2))
    painter.drawLine(QLineF(legend.left(), top + 10, legend.left() + 22, top + 10))
    box = QRectF(legend.left() + 32, top, legend.width() - 32, 20)
    draw_text(painter, box, line.label, colours.text, 13, _LEFT, bold=True)
    draw_text(painter, box.translated(0, 17), line.on, colours.dim, 11, _LEFT)
