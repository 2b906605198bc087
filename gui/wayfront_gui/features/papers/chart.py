"""Draw the chart of speed ratios beside a paper's: bars from 1, to the right where the first search is faster.

The axis is logarithmic, so that twice as fast and half as fast are equally far from 1. The ratio measured here has the
colour of its device; the paper's stands below it in grey. A table that is a sweep is drawn as lines (``sweep_chart``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from wayfront.devices import describe_device
from wayfront.papers.comparison import Comparison, RatioRow
from wayfront_gui.features.papers import tables as paper_words
from wayfront_gui.features.papers.sweep_chart import SWEEP_HEIGHT, can_be_drawn, draw_sweep
from wayfront_gui.features.timing.export import Page
from wayfront_gui.features.timing.tables import Axis, machine_lines
from wayfront_gui.features.timing.timing_chart import (
    CAPTION_HEIGHT,
    GAP,
    MARGIN,
    begin_page,
    draw_caption,
    draw_text,
    make_font,
)
from wayfront_gui.ui.theme import THEMES, ChartColours, Theme

WIDTH = 1280
HEADER_HEIGHT = 104.0
SECTION_HEIGHT = 58.0
ROW_HEIGHT = 40.0
AXIS_HEIGHT = 50.0
BAR_HEIGHT = 13.0
EMPTY_HEIGHT = 80.0
FIGURE_WIDTH = 116.0

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class _Columns:
    """Rectangles of label, bars and figures in device-independent pixels; only left and width count."""

    label: QRectF
    plot: QRectF
    ours: QRectF
    paper: QRectF


def paper_page(comparisons: Sequence[Comparison]) -> Page:
    """Return what is painted of all comparisons: their ratios, or the lines of a sweep, 1280 pixels wide."""
    shown = _sections(comparisons)
    height = _height(shown)
    return Page(height, lambda painter, theme, _width: _paint(painter, shown, THEMES[theme], height))


@dataclass(frozen=True, slots=True)
class _Sections:
    """What a picture shows: a section of lines for each sweep, then one of bars for each other graph with ratios."""

    sweeps: tuple[tuple[Comparison, ...], ...]
    bars: tuple[Comparison, ...]

    @property
    def all(self) -> tuple[Comparison, ...]:
        """Every comparison that is shown."""
        return (*(one for sweep in self.sweeps for one in sweep), *self.bars)


def _sections(comparisons: Sequence[Comparison]) -> _Sections:
    tables: dict[tuple[str, str], list[Comparison]] = {}
    for one in comparisons:
        tables.setdefault((one.paper.letter, one.table.title), []).append(one)
    sweeps = [tuple(shown) for shown in tables.values() if can_be_drawn(shown)]
    lines = {id(one) for sweep in sweeps for one in sweep}
    return _Sections(tuple(sweeps), tuple(one for one in comparisons if one.ratios and id(one) not in lines))


def _height(shown: _Sections) -> float:
    sweeps = len(shown.sweeps) * (SECTION_HEIGHT + SWEEP_HEIGHT)
    rows = sum(SECTION_HEIGHT + len(comparison.ratios) * ROW_HEIGHT for comparison in shown.bars)
    bars = rows + AXIS_HEIGHT if shown.bars else 0.0
    return HEADER_HEIGHT + (sweeps + bars or EMPTY_HEIGHT) + CAPTION_HEIGHT


def _paint(painter: QPainter, shown: _Sections, theme: Theme, height: float) -> None:
    colours = theme.chart
    page = begin_page(painter, WIDTH, height, colours)
    _draw_header(painter, page, shown, theme)
    draw_caption(painter, page, machine_lines([comparison.machine for comparison in shown.all]), colours)
    if not shown.all:
        box = QRectF(page.left(), HEADER_HEIGHT, page.width(), EMPTY_HEIGHT - 20)
        draw_text(painter, box, "No two searches of a ratio could be timed", colours.dim, 16, _CENTRE)
        return
    y = HEADER_HEIGHT
    for sweep in shown.sweeps:
        _draw_title(painter, page, y, sweep[0].table.title, sweep[0], colours)
        draw_sweep(painter, page, y + SECTION_HEIGHT, sweep, theme)
        y += SECTION_HEIGHT + SWEEP_HEIGHT
    if shown.bars:
        _paint_bars(painter, page, y, shown.bars, theme)


def _paint_bars(painter: QPainter, page: QRectF, top: float, shown: Sequence[Comparison], theme: Theme) -> None:
    colours, y = theme.chart, top
    columns, axis = _columns(page, shown), axis_for([row for comparison in shown for row in comparison.ratios])
    for comparison in shown:
        _draw_section(painter, page, columns, y, comparison, colours)
        top = y + SECTION_HEIGHT
        y = top + len(comparison.ratios) * ROW_HEIGHT
        _draw_grid(painter, columns.plot, top, y, axis, colours)
        for index, row in enumerate(comparison.ratios):
            _draw_row(painter, columns, top + (index + 0.5) * ROW_HEIGHT, row, axis, theme)
    _draw_axis_labels(painter, columns.plot, y, axis, colours)


def axis_for(rows: Sequence[RatioRow]) -> Axis:
    """Return a logarithmic axis over all ratios and 1, with a margin."""
    values = [row.ours for row in rows] + [end for row in rows if row.paper for end in row.paper]
    low, high = min(*values, 1.0), max(*values, 1.0)
    return Axis(min(low / 1.25, 0.5), max(high * 1.25, 2.0), logarithmic=True)


def _columns(page: QRectF, shown: Sequence[Comparison]) -> _Columns:
    metrics = QFontMetricsF(make_font(14, bold=True))
    texts = [paper_words.versus(row) for comparison in shown for row in comparison.ratios]
    label = min(max(metrics.horizontalAdvance(text) for text in texts) + 4, page.width() * 0.36)
    paper = QRectF(page.right() - FIGURE_WIDTH - 14, 0, FIGURE_WIDTH + 14, 0)
    ours = QRectF(paper.left() - FIGURE_WIDTH, 0, FIGURE_WIDTH - 8, 0)
    left = page.left() + label + GAP
    return _Columns(QRectF(page.left(), 0, label, 0), QRectF(left, 0, ours.left() - GAP - left, 0), ours, paper)


def _draw_header(painter: QPainter, page: QRectF, shown: _Sections, theme: Theme) -> None:
    colours = theme.chart
    title = "Here and in the papers" if shown.sweeps else "How many times as fast: here and in the papers"
    draw_text(painter, QRectF(page.left(), 24, page.width(), 32), title, colours.text, 23, _LEFT, bold=True)
    runs = sorted({len(cell.runs_ms) for comparison in shown.all for cell in comparison.cells})
    counts = f"{runs[0]} to {runs[-1]}" if len(runs) > 1 else str(runs[0]) if runs else "0"
    how = "one clean run each" if runs == [1] else f"medians of {counts} clean runs"
    if shown.sweeps:
        how += " · lines: solid here, dashed the authors', hollow marks are scaled from a part of the work"
    if shown.bars:
        how += " · bars: to the right of 1 the search named first is the faster one"
    draw_text(painter, QRectF(page.left(), 57, page.width(), 20), how, colours.dim, 13, _LEFT)
    if not shown.bars:
        return
    devices = list(dict.fromkeys(row.device for comparison in shown.bars for row in comparison.ratios))
    x = page.left()
    for colour, text in (
        *((theme.device(describe_device(device).colour), f"this {paper_words.device(device)}") for device in devices),
        (colours.dim, "the paper"),
    ):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(QRectF(x, 85, 11, 11), 2.5, 2.5)
        draw_text(painter, QRectF(x + 18, 80, 120, 20), text, colours.text, 13, _LEFT)
        x += QFontMetricsF(make_font(13)).horizontalAdvance(text) + 44


def _draw_section(
    painter: QPainter, page: QRectF, columns: _Columns, top: float, comparison: Comparison, colours: ChartColours
) -> None:
    title = f"{comparison.table.title}: {paper_words.graph(comparison)}"
    left = QRectF(page.left(), 0, columns.ours.left() - page.left(), 0)
    _draw_title(painter, left, top, title, comparison, colours, paper_words.size(comparison))
    for column, word in ((columns.ours, "here"), (columns.paper, "paper")):
        draw_text(painter, QRectF(column.left(), top + 33, column.width(), 18), word, colours.dim, 12, _RIGHT)


def _draw_title(
    painter: QPainter,
    box: QRectF,
    top: float,
    title: str,
    comparison: Comparison,
    colours: ChartColours,
    size: str = "",
) -> None:
    """Draw a section's title and the paper's source below it, as wide as a box."""
    paper = comparison.paper
    under = " · ".join(part for part in (size, f"paper: {paper_words.source(paper)}") if part)
    head = QRectF(box.left(), top + 12, WIDTH - 2 * MARGIN, 22)
    draw_text(painter, head, f"{paper.letter}   {title}", colours.text, 16, _LEFT, bold=True)
    draw_text(painter, QRectF(box.left(), top + 33, box.width(), 18), under, colours.dim, 12, _LEFT)


def _draw_grid(painter: QPainter, plot: QRectF, top: float, bottom: float, axis: Axis, colours: ChartColours) -> None:
    for tick in axis.ticks():
        x = _x(plot, axis, tick)
        painter.setPen(QPen(QColor(colours.dim if tick == 1 else colours.grid), 1))
        painter.drawLine(QLineF(x, top, x, bottom))


def _draw_axis_labels(painter: QPainter, plot: QRectF, bottom: float, axis: Axis, colours: ChartColours) -> None:
    metrics, free_from = QFontMetricsF(make_font(12)), -math.inf
    for tick in axis.ticks():
        x, text = _x(plot, axis, tick), f"{tick:,.6g}"
        half = metrics.horizontalAdvance(text) / 2
        if x - half > free_from + 10:
            draw_text(painter, QRectF(x - 60, bottom + 4, 120, 18), text, colours.dim, 12, _CENTRE)
            free_from = x + half
    name = "times as fast, logarithmic scale"
    draw_text(painter, QRectF(plot.left(), bottom + 22, plot.width(), 18), name, colours.dim, 12, _CENTRE)


def _draw_row(painter: QPainter, columns: _Columns, middle: float, row: RatioRow, axis: Axis, theme: Theme) -> None:
    colours = theme.chart
    name = QRectF(columns.label.left(), middle - 19, columns.label.width(), 20)
    draw_text(painter, name, paper_words.versus(row), colours.text, 14, _LEFT, bold=True)
    on = QRectF(columns.label.left(), middle, columns.label.width(), 17)
    draw_text(painter, on, _where(row), colours.dim, 12, _LEFT)
    own = QColor(theme.device(describe_device(row.device).colour))
    above = -1.0 if row.paper is None else -BAR_HEIGHT / 2 - 1.0
    _draw_bar(painter, columns.plot, middle + above, row.ours, axis, own)
    figure = QRectF(columns.ours.left(), middle - 11, columns.ours.width(), 22)
    ours = paper_words.ratio(row.ours, scaled=row.scaled)
    draw_text(painter, figure, ours, colours.text, 14, _RIGHT, bold=True)
    if row.paper is not None:
        _draw_bar(painter, columns.plot, middle + BAR_HEIGHT / 2 + 1.0, row.paper[1], axis, QColor(colours.dim))
    figure = QRectF(columns.paper.left(), middle - 11, columns.paper.width(), 22)
    draw_text(painter, figure, paper_words.published(row.paper), colours.dim, 13, _RIGHT)


def _where(row: RatioRow) -> str:
    if row.device == row.slow_device:
        return f"both on this {paper_words.device(row.device)}"
    first, second = (paper_words.device(device) for device in (row.device, row.slow_device))
    return f"this {first} over this {second}"


def _draw_bar(painter: QPainter, plot: QRectF, middle: float, ratio: float, axis: Axis, colour: QColor) -> None:
    left, right = sorted((_x(plot, axis, 1.0), _x(plot, axis, ratio)))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    body = QRectF(left, middle - BAR_HEIGHT / 2, max(right - left, 2.0), BAR_HEIGHT)
    radius = min(2.5, body.width() / 2)
    painter.drawRoundedRect(body, radius, radius)


def _x(plot: QRectF, axis: Axis, ratio: float) -> float:
    return plot.left() + axis.fraction(ratio) * plot.width()
