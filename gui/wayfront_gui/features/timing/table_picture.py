"""Draw timings as a table: for slides and papers, where a chart of bars says less than its figures."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from wayfront_gui.features.timing.tables import NAMES, Row, TimingTable, chart_texts, timing_table
from wayfront_gui.features.timing.timing_chart import (
    CAPTION_HEIGHT,
    GAP,
    begin_page,
    draw_caption,
    draw_header,
    draw_text,
    make_font,
)
from wayfront_gui.ui.theme import THEMES, ChartColours

HEADER_HEIGHT = 98.0
ROW_HEIGHT = 30.0
_SIZE = 14
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def table_height(rows: Sequence[Row]) -> float:
    """Return how high the table of rows is in device-independent pixels."""
    return HEADER_HEIGHT + (len(timing_table(rows).rows) + 1) * ROW_HEIGHT + GAP + CAPTION_HEIGHT


def paint_timing_table(painter: QPainter, rows: Sequence[Row], theme: str, width: float) -> None:
    """Paint the table of rows that have a time; there is at least one."""
    look, table = THEMES[theme].chart, timing_table(rows)
    page = begin_page(painter, width, table_height(rows), look)
    texts = chart_texts(rows, whiskers=False)
    draw_header(painter, page, texts, look)
    columns = _columns(table, page)
    _draw_row(painter, columns, HEADER_HEIGHT, table.columns, look, heading=True)
    for index, cells in enumerate(table.rows, 1):
        top = HEADER_HEIGHT + index * ROW_HEIGHT
        painter.setPen(QPen(QColor(look.grid), 1))
        painter.drawLine(QLineF(page.left(), top, page.right(), top))
        _draw_row(painter, columns, top, cells, look)
    draw_caption(painter, page, texts.caption, look)


def _columns(table: TimingTable, page: QRectF) -> list[tuple[float, float]]:
    """Return left end and width of each column, as wide as its texts; what is left is for what they ran on."""
    bold = QFontMetricsF(make_font(_SIZE, bold=True))
    widths = [
        max(bold.horizontalAdvance(text) for text in (name, *(cells[column] for cells in table.rows))) + 2
        for column, name in enumerate(table.columns)
    ]
    named = widths[0]
    rest = page.width() - named - sum(widths[len(NAMES) :]) - GAP * (len(widths) - 1)
    widths[1] = max(rest, 60.0)
    ends = [page.left()]
    for width in widths:
        ends.append(ends[-1] + width + GAP)
    return list(zip(ends, widths, strict=False))


def _draw_row(
    painter: QPainter,
    columns: Sequence[tuple[float, float]],
    top: float,
    cells: Sequence[str],
    colours: ChartColours,
    *,
    heading: bool = False,
) -> None:
    for index, ((left, width), text) in enumerate(zip(columns, cells, strict=True)):
        align = _LEFT if index < len(NAMES) else _RIGHT
        strong = not heading and index in (0, len(NAMES))
        colour = colours.dim if heading or index == 1 else colours.text
        box = QRectF(left, top, width, ROW_HEIGHT)
        draw_text(painter, box, text, colour, 12 if heading or index == 1 else _SIZE, align, bold=strong)
