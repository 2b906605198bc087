"""Draw the timing chart: horizontal bars of medians with whiskers, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPen

from wayfront.devices import describe_device
from wayfront_gui.features.timing.tables import Axis, Bar, ChartTexts, Row, axis_for, bars, chart_texts, three_digits
from wayfront_gui.ui.theme import THEMES, ChartColours, Theme
from wayfront_gui.ui.translation import translated

MARGIN = 40.0
ROW_HEIGHT = 46.0
BAR_HEIGHT = 18.0
HEADER_HEIGHT = 118.0
AXIS_HEIGHT = 52.0
CAPTION_HEIGHT = 52.0
GAP = 18.0


@dataclass(frozen=True, slots=True)
class _Columns:
    """Rectangles of the chart's columns in device-independent pixels."""

    label: QRectF
    plot: QRectF
    median: QRectF
    span: QRectF


def chart_height(rows: Sequence[Row]) -> float:
    """Return how high the chart of rows is in device-independent pixels."""
    return HEADER_HEIGHT + max(len(bars(rows)), 1) * ROW_HEIGHT + AXIS_HEIGHT + CAPTION_HEIGHT


def paint_timing_chart(painter: QPainter, rows: Sequence[Row], theme: str, width: float) -> None:
    """Paint the chart of rows, or a line of text if no row has a time."""
    shown, look = bars(rows), THEMES[theme]
    page = begin_page(painter, width, chart_height(rows), look.chart)
    if shown:
        _draw_chart(painter, page, shown, rows, look)
    else:
        draw_text(painter, page, translated("No timed searches yet"), look.chart.dim, 16, Qt.AlignmentFlag.AlignCenter)


def begin_page(painter: QPainter, width: float, height: float, colours: ChartColours, margin: float = MARGIN) -> QRectF:
    """Paint a page's background, ask for smooth lines and texts, and return what lies between its margins."""
    whole = QRectF(0, 0, width, height)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.fillRect(whole, QColor(colours.background))
    return whole.adjusted(margin, 0, -margin, 0)


def _draw_chart(painter: QPainter, page: QRectF, shown: list[Bar], rows: Sequence[Row], theme: Theme) -> None:
    axis, colours = axis_for(shown), theme.chart
    texts = chart_texts(rows)
    columns = _columns(page, shown)
    draw_header(painter, page, texts, colours)
    _draw_legend(painter, page, shown, theme)
    _draw_axis(painter, columns.plot, axis, colours)
    for index, bar in enumerate(shown):
        middle = HEADER_HEIGHT + (index + 0.5) * ROW_HEIGHT
        _draw_label(painter, columns.label, middle, bar, colours)
        _draw_bar(painter, columns.plot, middle, bar, axis, theme)
        _draw_figures(painter, columns, middle, bar, colours)
    draw_caption(painter, page, texts.caption, colours)


def _columns(page: QRectF, shown: Sequence[Bar]) -> _Columns:
    top, height = HEADER_HEIGHT, len(shown) * ROW_HEIGHT

    def widest(texts: list[str], size: int, bold: bool = False) -> float:
        metrics = QFontMetricsF(make_font(size, bold))
        return max(metrics.horizontalAdvance(text) for text in texts)

    label = max(widest([bar.label for bar in shown], 15, bold=True), widest([bar.below for bar in shown], 12))
    label = min(label + 2, page.width() * 0.36)
    median = widest([_median_text(bar) for bar in shown], 15, bold=True) + 2
    span = widest([_span_text(bar) for bar in shown], 12) + 2
    plot_left, span_left = page.left() + label + GAP, page.right() - span
    median_left = span_left - GAP - median
    return _Columns(
        label=QRectF(page.left(), top, label, height),
        plot=QRectF(plot_left, top, max(median_left - GAP - plot_left, 40.0), height),
        median=QRectF(median_left, top, median, height),
        span=QRectF(span_left, top, span, height),
    )


def draw_header(painter: QPainter, page: QRectF, texts: ChartTexts, colours: ChartColours) -> None:
    """Draw title and subtitle at the top of a page."""
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    size = fitting_size(texts.title, page.width(), 23, 14)
    draw_text(painter, QRectF(page.left(), 26, page.width(), 32), texts.title, colours.text, size, left, bold=True)
    draw_text(painter, QRectF(page.left(), 60, page.width(), 20), texts.subtitle, colours.dim, 13, left)


def _draw_legend(painter: QPainter, page: QRectF, shown: Sequence[Bar], theme: Theme) -> None:
    devices = list(dict.fromkeys(bar.device for bar in shown))
    if len(devices) < 2:
        return
    metrics = QFontMetricsF(make_font(13))
    x, y = page.left(), 99.0
    for device in devices:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.device(describe_device(device).colour)))
        painter.drawRoundedRect(QRectF(x, y - 5.5, 11, 11), 2.5, 2.5)
        label = describe_device(device).label
        advance = metrics.horizontalAdvance(label)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        draw_text(painter, QRectF(x + 18, y - 10, advance + 4, 20), label, theme.chart.text, 13, left)
        x += advance + 44


def _draw_axis(painter: QPainter, plot: QRectF, axis: Axis, colours: ChartColours) -> None:
    bottom, free_from = plot.bottom() + 4, plot.left() - 30
    metrics = QFontMetricsF(make_font(12))
    for tick in axis.ticks():
        x = plot.left() + axis.fraction(tick) * plot.width()
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(QLineF(x, plot.top() - 4, x, bottom))
        text = f"{tick:,.12g}"
        half = metrics.horizontalAdvance(text) / 2
        if x - half > free_from + 10:
            draw_text(painter, QRectF(x - 60, bottom + 4, 120, 18), text, colours.dim, 12, Qt.AlignmentFlag.AlignCenter)
            free_from = x + half
    name = translated("milliseconds, logarithmic scale") if axis.logarithmic else translated("milliseconds")
    centre = Qt.AlignmentFlag.AlignCenter
    draw_text(painter, QRectF(plot.left(), bottom + 23, plot.width(), 18), name, colours.dim, 12, centre)


def _draw_label(painter: QPainter, column: QRectF, middle: float, bar: Bar, colours: ChartColours) -> None:
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    name = QRectF(column.left(), middle - 19, column.width(), 20)
    detail = QRectF(column.left(), middle + 1, column.width(), 17)
    draw_text(painter, name, bar.label, colours.text, 15, left, bold=True)
    draw_text(painter, detail, bar.below, colours.dim, 12, left)


def _draw_bar(painter: QPainter, plot: QRectF, middle: float, bar: Bar, axis: Axis, theme: Theme) -> None:
    end = plot.left() + max(axis.fraction(bar.median) * plot.width(), 2.0)
    body = QRectF(plot.left(), middle - BAR_HEIGHT / 2, end - plot.left(), BAR_HEIGHT)
    colour = QColor(theme.device(describe_device(bar.device).colour))
    faded = QColor(colour)
    faded.setAlphaF(0.55)
    fill = QLinearGradient(body.topLeft(), body.topRight())
    fill.setColorAt(0, faded)
    fill.setColorAt(1, colour)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    radius = min(3.0, body.width() / 2)
    painter.drawRoundedRect(body, radius, radius)
    _draw_whisker(painter, plot, middle, bar, axis, theme.chart)


def _draw_whisker(painter: QPainter, plot: QRectF, middle: float, bar: Bar, axis: Axis, colours: ChartColours) -> None:
    low, high = (plot.left() + axis.fraction(ms) * plot.width() for ms in (bar.low, bar.high))
    lines = [QLineF(low, middle, high, middle)]
    lines += [QLineF(QPointF(x, middle - 5), QPointF(x, middle + 5)) for x in (low, high)]
    # A halo sets the whisker off from its own bar in both themes.
    for colour, thickness in ((colours.background, 4.0), (colours.text, 1.6)):
        painter.setPen(QPen(QColor(colour), thickness, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLines(lines)


def _draw_figures(painter: QPainter, columns: _Columns, middle: float, bar: Bar, colours: ChartColours) -> None:
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    median = QRectF(columns.median.left(), middle - 11, columns.median.width(), 22)
    span = QRectF(columns.span.left(), middle - 11, columns.span.width(), 22)
    draw_text(painter, median, _median_text(bar), colours.text, 15, right, bold=True)
    draw_text(painter, span, _span_text(bar), colours.dim, 12, right)


def draw_caption(painter: QPainter, page: QRectF, caption: tuple[str, str], colours: ChartColours) -> None:
    """Draw the two lines of caption at the foot of a page, under a rule."""
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    top = page.bottom() - CAPTION_HEIGHT
    painter.setPen(QPen(QColor(colours.grid), 1))
    painter.drawLine(QLineF(page.left(), top - 2, page.right(), top - 2))
    for line, text in enumerate(caption):
        draw_text(painter, QRectF(page.left(), top + 5 + 17 * line, page.width(), 17), text, colours.dim, 11, left)


def draw_text(
    painter: QPainter, box: QRectF, text: str, colour: str, size: int, align: Qt.AlignmentFlag, bold: bool = False
) -> None:
    """Draw one line of text in a box, elided where it does not fit."""
    font = make_font(size, bold)
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(box, align, QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, box.width()))


def fitting_size(text: str, width: float, largest: int, least: int) -> int:
    """Return the largest size of bold letters, in pixels, with which a text fits a width, or ``least``."""
    sizes = (size for size in range(largest, least, -1) if _advance(text, size) <= width)
    return next(sizes, least)


def _advance(text: str, size: int) -> float:
    return QFontMetricsF(make_font(size, bold=True)).horizontalAdvance(text)


def make_font(size: int, bold: bool = False) -> QFont:
    """Return the font of charts, sized in pixels."""
    font = QFont()
    font.setPixelSize(size)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


def _median_text(bar: Bar) -> str:
    return f"{bar.median_text} ms"


def _span_text(bar: Bar) -> str:
    return f"{three_digits(bar.low)} – {three_digits(bar.high)}"
