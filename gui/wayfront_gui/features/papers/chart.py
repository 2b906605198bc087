"""Draw papers' tables that were run again: bars of speed ratios beside the papers', and a paper's figure as lines.

Bars go from 1 to the right where the first search is faster. Their axis is logarithmic, so that twice as fast and half
as fast are equally far from 1; the ratio measured here has the colour of its device, the paper's stands below in grey.
A table that is a sweep is drawn as the time of each search over what grows from graph to graph: times measured here are
solid lines with a mark at each graph, hollow where a time was scaled from a part of the work; the authors' are dashed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from wayfront.devices import describe_device
from wayfront.papers.comparison import Comparison, RatioRow
from wayfront.papers.description import hardware_of
from wayfront_gui.features.papers import tables as words
from wayfront_gui.features.timing.export import WIDTH, Page
from wayfront_gui.features.timing.plots import (
    AXIS_HEIGHT,
    CAPTION_HEIGHT,
    CENTRE,
    RIGHT,
    ROW_HEIGHT,
    BarRow,
    Columns,
    Curve,
    DrawnBar,
    Sheet,
    Side,
    decades,
    plain_number,
    short_number,
)
from wayfront_gui.features.timing.tables import Axis, machine_lines
from wayfront_gui.ui.theme import Theme

HEADER_HEIGHT = 104.0
SECTION_HEIGHT = 58.0
EMPTY_HEIGHT = 80.0
PLOT_HEIGHT = 300.0
SWEEP_HEIGHT = PLOT_HEIGHT + AXIS_HEIGHT + 8.0
TICK_WIDTH = 76.0
HEADINGS = "here", "paper"
"""Above the figures of bars."""


def paper_page(comparisons: Sequence[Comparison]) -> Page:
    """Return what is painted of all comparisons: their ratios, or the lines of a sweep, 1280 pixels wide."""
    shown = _sections(comparisons)
    height = _height(shown)
    return Page(height, partial(_paint, shown, height))


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
    sweeps = [tuple(shown) for shown in tables.values() if _makes_lines(shown)]
    lines = {id(one) for sweep in sweeps for one in sweep}
    return _Sections(tuple(sweeps), tuple(one for one in comparisons if one.ratios and id(one) not in lines))


def _makes_lines(shown: Sequence[Comparison]) -> bool:
    """Return whether there are at least two graphs with times: fewer make no line."""
    return bool(shown[0].table.sweep) and sum(bool(one.cells) for one in shown) > 1


def _height(shown: _Sections) -> float:
    sweeps = len(shown.sweeps) * (SECTION_HEIGHT + SWEEP_HEIGHT)
    bars = sum(SECTION_HEIGHT + len(one.ratios) * ROW_HEIGHT + AXIS_HEIGHT for one in shown.bars)
    return HEADER_HEIGHT + (sweeps + bars or EMPTY_HEIGHT) + CAPTION_HEIGHT


def _paint(shown: _Sections, height: float, painter: QPainter, theme: str, _width: float) -> None:
    sheet = Sheet(painter, theme, WIDTH, height)
    _draw_header(sheet, shown)
    sheet.caption(machine_lines([comparison.machine for comparison in shown.all]))
    if not shown.all:
        box = QRectF(sheet.page.left(), HEADER_HEIGHT, sheet.page.width(), EMPTY_HEIGHT - 20)
        sheet.text(box, "No two searches of a ratio could be timed", 16, CENTRE)
        return
    y = HEADER_HEIGHT
    for sweep in shown.sweeps:
        _draw_title(sheet, y, sweep[0].table.title, sweep[0])
        _draw_sweep(sheet, y + SECTION_HEIGHT, sweep)
        y += SECTION_HEIGHT + SWEEP_HEIGHT
    if shown.bars:
        _draw_bars(sheet, y, shown.bars)


def _draw_header(sheet: Sheet, shown: _Sections) -> None:
    runs = sorted({len(cell.runs_ms) for comparison in shown.all for cell in comparison.cells})
    counts = f"{runs[0]} to {runs[-1]}" if len(runs) > 1 else str(runs[0]) if runs else "0"
    how = "one clean run each" if runs == [1] else f"medians of {counts} clean runs"
    if shown.sweeps:
        how += " · lines: solid here, dashed the authors', hollow marks are scaled from a part of the work"
    if shown.bars:
        how += " · bars: to the right of 1 the search named first is the faster one"
    sheet.header("Here and in the papers" if shown.sweeps else "How many times as fast: here and in the papers", how)
    if shown.bars:
        devices = dict.fromkeys(row.device for comparison in shown.bars for row in comparison.ratios)
        here = ((_colour(device, sheet.theme), f"this {words.device(device)}") for device in devices)
        sheet.swatches(82, (*here, (sheet.colours.dim, "the paper")))


def _colour(device: str, theme: Theme) -> str:
    return theme.device(describe_device(device).colour)


def _draw_title(sheet: Sheet, top: float, title: str, comparison: Comparison, size: str = "") -> None:
    """Draw a section's title, and the size of its graph and the paper's source below it."""
    paper, page = comparison.paper, sheet.page
    under = " · ".join(part for part in (size, f"paper: {words.source(paper)}") if part)
    sheet.text(QRectF(page.left(), top + 12, page.width(), 22), f"{paper.letter}   {title}", 16, bold=True)
    sheet.text(QRectF(page.left(), top + 33, page.width() * 0.8, 18), under)


# -------------------------------------------------------------------------------------------------------- bars


def _draw_bars(sheet: Sheet, top: float, shown: Sequence[Comparison]) -> None:
    axis = axis_for([row for comparison in shown for row in comparison.ratios])
    side = Side(axis, axis.ticks(), plain_number, "times as fast, logarithmic scale")
    heading = BarRow("", "", (), HEADINGS)
    columns = sheet.columns([heading, *(_bar_row(row, sheet) for comparison in shown for row in comparison.ratios)])
    for comparison in shown:
        title = f"{comparison.table.title}: {words.graph(comparison)}"
        _draw_title(sheet, top, title, comparison, words.size(comparison))
        _draw_headings(sheet, top + 33, columns)
        rows = [_bar_row(row, sheet) for row in comparison.ratios]
        sheet.bars(top + SECTION_HEIGHT, columns, rows, side, 1.0)
        top += SECTION_HEIGHT + len(rows) * ROW_HEIGHT + AXIS_HEIGHT


def _draw_headings(sheet: Sheet, top: float, columns: Columns) -> None:
    for (left, width), word in zip(columns.figures, HEADINGS, strict=True):
        sheet.text(QRectF(left, top, width, 18), word, align=RIGHT)


def axis_for(rows: Sequence[RatioRow]) -> Axis:
    """Return a logarithmic axis over all ratios and 1, with a margin."""
    values = [row.ours for row in rows] + [end for row in rows if row.paper for end in row.paper]
    low, high = min(*values, 1.0), max(*values, 1.0)
    return Axis(min(low / 1.25, 0.5), max(high * 1.25, 2.0), logarithmic=True)


def _bar_row(row: RatioRow, sheet: Sheet) -> BarRow:
    bars = [DrawnBar(_colour(row.device, sheet.theme), row.ours)]
    if row.paper is not None:
        bars.append(DrawnBar(sheet.colours.dim, row.paper[1]))
    figures = words.ratio(row.ours, scaled=row.scaled), words.published(row.paper)
    return BarRow(words.versus(row), _where(row), bars, figures)


def _where(row: RatioRow) -> str:
    if row.device == row.slow_device:
        return f"both on this {words.device(row.device)}"
    first, second = (words.device(device) for device in (row.device, row.slow_device))
    return f"this {first} over this {second}"


# ------------------------------------------------------------------------------------------------------- sweeps


def _draw_sweep(sheet: Sheet, top: float, shown: Sequence[Comparison]) -> None:
    """Draw the lines of one table, whose graphs are ``shown``, from ``top`` on over the width of the page."""
    curves, table = _curves(shown, list(sheet.theme.modes.values())), shown[0].table
    values, times = (tuple(point[end] for curve in curves for point in curve.points) for end in (0, 1))
    least, largest = min(values), max(*values, min(values) * 2)
    lowest, highest = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times) * 1.01))
    across, upward = Axis(least, largest, logarithmic=True), Axis(10.0**lowest, 10.0**highest, logarithmic=True)
    graphs = [value for value in dict.fromkeys(graph.value for graph in table.graphs) if least <= value <= largest]
    sheet.plot_with_keys(
        QRectF(sheet.page.left() + TICK_WIDTH, top + 8, sheet.page.width() - TICK_WIDTH, PLOT_HEIGHT - 8),
        Side(across, graphs, short_number, f"{table.sweep}, logarithmic; time upwards, logarithmic"),
        Side(upward, decades(upward), _round_time),
        curves,
    )


def _curves(shown: Sequence[Comparison], palette: Sequence[str]) -> list[Curve]:
    """Return the lines of the searches that have any time, here or in the paper; the authors' has no key of its own."""
    curves = []
    for index, contender in enumerate(shown[0].table.contenders):
        cells = [(one.graph.value, cell) for one in shown if (cell := one.best(contender.label)) is not None]
        ours = [(value, cell.median_ms) for value, cell in cells if cell.median_ms > 0]
        published = ((one.graph.value, one.table.published.get((one.graph.name, contender.label))) for one in shown)
        theirs = [(value, ms) for value, ms in published if ms]
        if not ours and not theirs:
            continue
        on = ", ".join(dict.fromkeys(f"this {hardware_of(cell.device)}" for _, cell in cells))
        below = " · ".join(filter(None, (on, f"dashed: {words.theirs_on(contender.on)}" if theirs else "")))
        colour, scaled = palette[index % len(palette)], frozenset(value for value, cell in cells if cell.scale != 1)
        curves.append(Curve(colour, theirs, dashed=True))
        curves.append(Curve(colour, ours, contender.label, below=below, mark=0, hollow=scaled))
    return curves


def _round_time(ms: float) -> str:
    """Write a power of ten: its unit, or seconds however many, since 1,000 s is no round number of minutes."""
    return words.duration(ms) if ms < 100_000 else f"{ms / 1000:,.0f} s"
