"""Draw timings: bars of medians with whiskers, times over the values of an option, or a table of the figures."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from wayfront.devices import describe_device
from wayfront_gui.features.timing.plots import (
    AXIS_HEIGHT,
    CAPTION_HEIGHT,
    CENTRE,
    GAP,
    LEFT,
    RIGHT,
    ROW_HEIGHT,
    BarRow,
    Curve,
    DrawnBar,
    Sheet,
    Side,
    plain_number,
    power_of_ten,
)
from wayfront_gui.features.timing.tables import (
    NAMES,
    Axis,
    Row,
    SweepLine,
    TimingTable,
    axes,
    axis_for,
    bars,
    chart_texts,
    sweep_lines,
    three_digits,
    timing_table,
)
from wayfront_gui.ui.style import text_width
from wayfront_gui.ui.translation import translated, translated_message

HEADER_HEIGHT = 118.0
SWEEP_HEADER, PLOT_HEIGHT = 124.0, 380.0
OPTION_HEIGHT = SWEEP_HEADER + PLOT_HEIGHT + AXIS_HEIGHT + GAP + CAPTION_HEIGHT
"""Height of the chart over an option in device-independent pixels."""
TICK_WIDTH = 62.0
TABLE_HEADER, TABLE_ROW, TABLE_TEXT = 98.0, 30.0, 14


def chart_height(rows: Sequence[Row]) -> float:
    """Return how high the chart of rows is in device-independent pixels."""
    return HEADER_HEIGHT + max(len(bars(rows)), 1) * ROW_HEIGHT + AXIS_HEIGHT + CAPTION_HEIGHT


def paint_timing_chart(rows: Sequence[Row], painter: QPainter, theme: str, width: float) -> None:
    """Paint the chart of rows, or a line of text if no row has a time."""
    sheet, shown = Sheet(painter, theme, width, chart_height(rows)), bars(rows)
    if not shown:
        sheet.text(sheet.page, translated("No timed searches yet"), 16, CENTRE)
        return
    texts, axis = chart_texts(rows), axis_for(shown)
    sheet.header(texts.title, texts.subtitle)
    devices = [describe_device(device) for device in dict.fromkeys(bar.device for bar in shown)]
    if len(devices) > 1:
        sheet.swatches(89, ((sheet.theme.device(device.colour), device.label) for device in devices))
    lines = [
        BarRow(
            bar.label,
            bar.below,
            (DrawnBar(sheet.theme.device(describe_device(bar.device).colour), bar.median, (bar.low, bar.high)),),
            (f"{bar.median_text} ms", f"{three_digits(bar.low)} – {three_digits(bar.high)}"),
        )
        for bar in shown
    ]
    name = translated("milliseconds, logarithmic scale") if axis.logarithmic else translated("milliseconds")
    side = Side(axis, axis.ticks(), plain_number, name)
    sheet.bars(HEADER_HEIGHT, sheet.columns(lines), lines, side, axis.low)
    sheet.caption(texts.caption)


def paint_option_chart(rows: Sequence[Row], option: str, painter: QPainter, theme: str, width: float) -> None:
    """Paint the times of rows over the values of one of their options, into a page of ``OPTION_HEIGHT``.

    Each algorithm and device has a line, whose lowest point is named beside it, since that is what a sweep is made for.
    One without the option is a dashed level to compare with.
    """
    sheet, lines, texts = Sheet(painter, theme, width, OPTION_HEIGHT), sweep_lines(rows, option), chart_texts(rows)
    sheet.header(texts.title, texts.subtitle)
    values, times = axes(lines)
    named, colours = translated_message(option.replace("_", " ")), sheet.theme.map.zones
    sheet.plot_with_keys(
        QRectF(sheet.page.left() + TICK_WIDTH, SWEEP_HEADER, sheet.page.width() - TICK_WIDTH, PLOT_HEIGHT),
        Side(values, values.ticks(), power_of_ten, f"{named}{_scale_of(values)}"),
        Side(times, times.ticks(), plain_number, translated("milliseconds") + _scale_of(times)),
        [_curve(line, colours[number % len(colours)], number, values) for number, line in enumerate(lines)],
    )
    sheet.caption(texts.caption)


def _scale_of(axis: Axis) -> str:
    return translated(", logarithmic scale") if axis.logarithmic else ""


def _curve(line: SweepLine, colour: str, number: int, values: Axis) -> Curve:
    if line.level is not None:
        median = line.level.median
        ends = [(end, median) for end in (values.low, values.high)]
        return Curve(colour, ends, line.label, f"{three_digits(median)} ms", line.device_name, dashed=True)
    value, best = min(line.points, key=lambda point: point[1].median)
    fastest = translated("fastest at {value:,.6g}: {ms} ms", value=value, ms=three_digits(best.median))
    points = [(value, bar.median) for value, bar in line.points]
    whiskers = [(value, bar.low, bar.high) for value, bar in line.points]
    return Curve(colour, points, line.label, fastest, line.device_name, number, whiskers=whiskers)


def table_height(rows: Sequence[Row]) -> float:
    """Return how high the table of rows is in device-independent pixels."""
    return TABLE_HEADER + (len(timing_table(rows).rows) + 1) * TABLE_ROW + GAP + CAPTION_HEIGHT


def paint_timing_table(rows: Sequence[Row], painter: QPainter, theme: str, width: float) -> None:
    """Paint the rows that have a time, of which there is at least one, as a table: for slides and papers."""
    sheet, table = Sheet(painter, theme, width, table_height(rows)), timing_table(rows)
    texts = chart_texts(rows, whiskers=False)
    sheet.header(texts.title, texts.subtitle)
    columns = _table_columns(table, sheet.page)
    for number, cells in enumerate((table.columns, *table.rows)):
        top = TABLE_HEADER + number * TABLE_ROW
        if number:
            sheet.rule(top)
        for index, ((left, room), text) in enumerate(zip(columns, cells, strict=True)):
            dim = not number or index == 1
            sheet.text(
                QRectF(left, top, room, TABLE_ROW),
                text,
                12 if dim else TABLE_TEXT,
                LEFT if index < len(NAMES) else RIGHT,
                bold=not dim and index in (0, len(NAMES)),
                strong=not dim,
            )
    sheet.caption(texts.caption)


def _table_columns(table: TimingTable, page: QRectF) -> list[tuple[float, float]]:
    """Return left end and width of each column, as wide as its texts; what is left is for what they ran on."""
    widths = [
        max(text_width(text, TABLE_TEXT, bold=True) for text in texts) + 2
        for texts in zip(table.columns, *table.rows, strict=True)
    ]
    rest = page.width() - widths[0] - sum(widths[len(NAMES) :]) - GAP * (len(widths) - 1)
    widths[1] = max(rest, 60.0)
    ends = [page.left()]
    for width in widths:
        ends.append(ends[-1] + width + GAP)
    return list(zip(ends, widths, strict=False))
