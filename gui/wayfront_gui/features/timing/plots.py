"""Paint pages of figures, which only say what is on them: plots of curves, rows of bars, keys, a title and a caption.

A ``Sheet`` paints in the colours of a theme, whatever it paints on: a widget, a picture, an SVG or a PDF.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QLineF, QMarginsF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QLinearGradient,
    QPageLayout,
    QPageSize,
    QPainter,
    QPainterPath,
    QPdfWriter,
    QPen,
    QPolygonF,
)

from wayfront.safe.errors import WriteError
from wayfront.safe.files import write_whole
from wayfront.version import __version__
from wayfront_gui.features.timing.tables import Axis
from wayfront_gui.ui.style import draw_line, text_font, text_width
from wayfront_gui.ui.theme import THEMES
from wayfront_gui.ui.typeface import OutlinePainter

MARGIN, GAP = 40.0, 18.0
"""Left and right of a page, and between its columns."""
ROW_HEIGHT = 46.0
"""Of a row of bars."""
AXIS_HEIGHT = 48.0
"""Of the figures and the name below a plot."""
CAPTION_HEIGHT = 52.0
KEY_WIDTH = 300.0
"""Of the names at the right of a plot."""
WIDEST_NAME = 0.36
"""The share of a page's width that the names of its bars may have."""
_THICK, _THIN = 18.0, 13.0
"""Heights of a bar that stands alone in its row, and of one that does not."""

LEFT, RIGHT, CENTRE = (
    side | Qt.AlignmentFlag.AlignVCenter
    for side in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter)
)
_WRAPPED = int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap)


@dataclass(frozen=True, slots=True)
class Side:
    """An axis as it is drawn: its ticks, what writes them, and what the axis is called, which may be empty."""

    axis: Axis
    ticks: Sequence[float]
    write: Callable[[float], str]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points, as (x, y).

    name      what its key says; one without a name has no key. ``figure`` and ``below`` follow under it
    mark      the number of the shape at its points, None for none; those at an x in ``hollow`` are not filled
    whiskers  (x, least, largest)
    """

    colour: str
    points: Sequence[tuple[float, float]]
    name: str = ""
    figure: str = ""
    below: str = ""
    mark: int | None = None
    hollow: frozenset[float] = frozenset()
    whiskers: Sequence[tuple[float, float, float]] = ()
    dashed: bool = False

    @property
    def pen(self) -> QPen:
        """What the line is drawn with."""
        style = Qt.PenStyle.DashLine if self.dashed else Qt.PenStyle.SolidLine
        return QPen(QColor(self.colour), 1.4 if self.dashed else 2.0, style)


@dataclass(frozen=True, slots=True)
class DrawnBar:
    """A bar of a row: its colour, where it ends, and from where to where its whisker reaches, if it has one."""

    colour: str
    value: float
    whisker: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class BarRow:
    """A row: its name with a line below, its bars, and figures at the right, of which the first is the largest."""

    name: str
    below: str
    bars: Sequence[DrawnBar]
    figures: Sequence[str]


@dataclass(frozen=True, slots=True)
class Columns:
    """Left end and width of the columns of bars: names, plot, and each of the figures."""

    name: tuple[float, float]
    plot: tuple[float, float]
    figures: tuple[tuple[float, float], ...]


class Sheet:
    """A page that is being painted; ``page`` is what lies between its margins."""

    def __init__(self, painter: QPainter, theme: str, width: float, height: float, margin: float = MARGIN) -> None:
        self.painter, self.theme, self.colours = painter, THEMES[theme], THEMES[theme].chart
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.fillRect(QRectF(0, 0, width, height), QColor(self.colours.background))
        self.page = QRectF(margin, 0, width - 2 * margin, height)

    # ------------------------------------------------------------------------------------------------- texts

    def text(
        self,
        box: QRectF,
        text: str,
        size: int = 12,
        align: Qt.AlignmentFlag = LEFT,
        *,
        bold: bool = False,
        strong: bool = False,
    ) -> None:
        """Draw one line in a box, elided where it does not fit; in the colour of texts if it is bold or strong."""
        self.painter.setFont(text_font(size, bold))
        self.painter.setPen(QColor(self.colours.text if bold or strong else self.colours.dim))
        draw_line(self.painter, box, text, align)

    def paragraph(self, box: QRectF, text: str, size: int = 12, *, bold: bool = False) -> None:
        """Draw a text wrapped into a box, from its top."""
        self.painter.setFont(text_font(size, bold))
        self.painter.setPen(QColor(self.colours.text if bold else self.colours.dim))
        self.painter.drawText(box, _WRAPPED, text)

    def header(self, title: str, subtitle: str) -> None:
        """Draw title and subtitle at the top of the page."""
        size = fitting_size(title, self.page.width(), 23, 14)
        self.text(QRectF(self.page.left(), 26, self.page.width(), 32), title, size, bold=True)
        self.text(QRectF(self.page.left(), 60, self.page.width(), 20), subtitle, 13)

    def caption(self, lines: Iterable[str]) -> None:
        """Draw the lines at the foot of the page, under a rule."""
        top = self.page.bottom() - CAPTION_HEIGHT
        self.rule(top - 2)
        for number, text in enumerate(lines):
            self.text(QRectF(self.page.left(), top + 5 + 17 * number, self.page.width(), 17), text, 11)

    def rule(self, y: float) -> None:
        """Draw a line across the page."""
        self._line(self.colours.grid, self.page.left(), y, self.page.right(), y)

    def swatches(self, top: float, entries: Iterable[tuple[str, str]]) -> None:
        """Draw colours with what they stand for, side by side."""
        x = self.page.left()
        for colour, text in entries:
            self._rounded(QRectF(x, top + 4.5, 11, 11), QColor(colour))
            self.text(QRectF(x + 18, top, text_width(text, 13) + 4, 20), text, 13, strong=True)
            x += text_width(text, 13) + 44

    # ------------------------------------------------------------------------------------------------- plots

    def plot(self, area: QRectF, across: Side, upward: Side, curves: Iterable[Curve]) -> None:
        """Draw curves into an area; the figures of its axes are left of it and below, the upward one's name above."""
        self.text(QRectF(area.left(), area.top() - 26, area.width(), 20), upward.name, 14, bold=True)
        for tick in upward.ticks:
            y = area.bottom() - upward.axis.fraction(tick) * area.height()
            self._line(self.colours.grid, area.left(), y, area.right(), y)
            self.text(QRectF(area.left() - 88, y - 9, 80, 18), upward.write(tick), align=RIGHT)
        self._axis_below(area, across)

        def at(x: float, y: float) -> QPointF:
            up = upward.axis.place(y) * area.height()
            return QPointF(area.left() + across.axis.place(x) * area.width(), area.bottom() - up)

        self.painter.save()
        self.painter.setClipRect(area.adjusted(-8, -8, 8, 8))
        for curve in curves:
            self.painter.setPen(curve.pen)
            self.painter.setBrush(Qt.BrushStyle.NoBrush)
            self.painter.drawPolyline(QPolygonF([at(*point) for point in curve.points]))
            self.painter.setPen(QPen(QColor(curve.colour), 1.2))
            for x, low, high in curve.whiskers:
                self.painter.drawLine(at(x, low), at(x, high))
            for x, y in curve.points if curve.mark is not None else ():
                self._mark(at(x, y), curve, hollow=x in curve.hollow)
        self.painter.restore()

    def plot_with_keys(self, area: QRectF, across: Side, upward: Side, curves: Sequence[Curve]) -> None:
        """Draw curves into the left part of an area, and the keys of those that have names into the right one."""
        plot = area.adjusted(0, 0, -KEY_WIDTH, 0)
        self.plot(plot, across, upward, curves)
        top = plot.top()
        for curve in curves:
            if curve.name:
                self.key(QRectF(plot.right() + 2 * GAP, top, KEY_WIDTH - 2 * GAP, 20), curve)
                top += 40 + 16 * bool(curve.figure)

    def key(self, box: QRectF, curve: Curve) -> None:
        """Draw a curve's line and mark, beside them its name, and below that what else is said of it."""
        middle = QPointF(box.left() + 11, box.top() + 10)
        self.painter.setPen(curve.pen)
        self.painter.drawLine(middle - QPointF(11, 0), middle + QPointF(11, 0))
        if curve.mark is not None:
            self._mark(middle, curve)
        text = box.adjusted(32, 0, 0, 0)
        self.text(text, curve.name, fitting_size(curve.name, text.width(), 14, 10), bold=True)
        for line, strong in ((curve.figure, True), (curve.below, False)):
            if line:
                text.translate(0, 17)
                self.text(text, line, strong=strong)

    def _axis_below(self, plot: QRectF, side: Side) -> None:
        """Draw a line up the plot at each tick, its figure where there is room for it, and the axis' name below."""
        free_from = plot.left() - 30
        for tick in side.ticks:
            x, text = plot.left() + side.axis.fraction(tick) * plot.width(), side.write(tick)
            self._line(self.colours.grid, x, plot.top(), x, plot.bottom() + 4)
            half = text_width(text, 12) / 2
            if x - half > free_from + 10:
                self.text(QRectF(x - 60, plot.bottom() + 4, 120, 18), text, align=CENTRE)
                free_from = x + half
        self.text(QRectF(plot.left(), plot.bottom() + 22, plot.width(), 18), side.name, align=CENTRE)

    def _mark(self, at: QPointF, curve: Curve, *, hollow: bool = False) -> None:
        """Draw a mark: one of four shapes, full, and hollow where there are more curves than shapes."""
        round_of, shape = divmod(curve.mark or 0, len(_SHAPES))
        self.painter.setPen(QPen(QColor(curve.colour), 1.6))
        self.painter.setBrush(Qt.BrushStyle.NoBrush if hollow or round_of % 2 else QColor(curve.colour))
        self.painter.drawPath(_SHAPES[shape].translated(at))

    # -------------------------------------------------------------------------------------------------- bars

    def columns(self, rows: Sequence[BarRow]) -> Columns:
        """Return columns as wide as the texts of rows, of which there is at least one, with the plot in between."""
        page = self.page
        names = max(
            *(text_width(row.name, 15, bold=True) for row in rows), *(text_width(row.below, 12) for row in rows)
        )
        name = min(names + 2, page.width() * WIDEST_NAME)
        figures, left = list[tuple[float, float]](), page.right() + GAP
        for number, texts in reversed(list(enumerate(zip(*(row.figures for row in rows), strict=True)))):
            width = max(text_width(text, 12 if number else 15, bold=not number) for text in texts) + 2
            left -= width + GAP
            figures.insert(0, (left, width))
        plot = page.left() + name + GAP
        return Columns((page.left(), name), (plot, max(left - GAP - plot, 40.0)), tuple(figures))

    def bars(self, top: float, columns: Columns, rows: Sequence[BarRow], side: Side, base: float) -> None:
        """Draw rows from ``top`` on, their bars from ``base``, with the axis below."""
        plot = QRectF(columns.plot[0], top, columns.plot[1], len(rows) * ROW_HEIGHT)
        self._axis_below(plot, side)
        start = plot.left() + side.axis.fraction(base) * plot.width()
        self._line(self.colours.dim, start, plot.top(), start, plot.bottom())
        for number, row in enumerate(rows):
            middle = top + (number + 0.5) * ROW_HEIGHT
            self.text(QRectF(columns.name[0], middle - 19, columns.name[1], 20), row.name, 15, bold=True)
            self.text(QRectF(columns.name[0], middle + 1, columns.name[1], 17), row.below)
            thick = _THICK if len(row.bars) == 1 else _THIN
            for index, bar in enumerate(row.bars):
                offset = (index - (len(row.bars) - 1) / 2) * (thick + 2)
                self._bar(plot, middle + offset, thick, bar, side.axis, base)
            for index, (text, (left, width)) in enumerate(zip(row.figures, columns.figures, strict=True)):
                box = QRectF(left, middle - 11, width, 22)
                self.text(box, text, 12 if index else 15, RIGHT, bold=not index)

    def _bar(self, plot: QRectF, middle: float, thick: float, bar: DrawnBar, axis: Axis, base: float) -> None:
        begin, end = (plot.left() + axis.fraction(value) * plot.width() for value in (base, bar.value))
        body = QRectF(min(begin, end), middle - thick / 2, max(abs(end - begin), 2.0), thick)
        colour, faded = QColor(bar.colour), QColor(bar.colour)
        faded.setAlphaF(0.55 if begin == plot.left() else 1.0)
        fill = QLinearGradient(body.topLeft(), body.topRight())
        fill.setColorAt(0, faded)
        fill.setColorAt(1, colour)
        self._rounded(body, fill)
        if bar.whisker is None:
            return
        low, high = (plot.left() + axis.fraction(value) * plot.width() for value in bar.whisker)
        lines = [QLineF(low, middle, high, middle), *(QLineF(x, middle - 5, x, middle + 5) for x in (low, high))]
        # A halo sets the whisker off from its own bar in both themes.
        for shade, width in ((self.colours.background, 4.0), (self.colours.text, 1.6)):
            self.painter.setPen(QPen(QColor(shade), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            self.painter.drawLines(lines)

    def _line(self, colour: str, left: float, top: float, right: float, bottom: float) -> None:
        self.painter.setPen(QPen(QColor(colour), 1))
        self.painter.drawLine(QLineF(left, top, right, bottom))

    def _rounded(self, box: QRectF, fill: QColor | QLinearGradient) -> None:
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(fill)
        radius = min(2.5, box.width() / 2)
        self.painter.drawRoundedRect(box, radius, radius)


def fitting_size(text: str, width: float, largest: int, least: int) -> int:
    """Return the largest size of bold letters, in pixels, with which a text fits a width, or ``least``."""
    sizes = (size for size in range(largest, least, -1) if text_width(text, size, bold=True) <= width)
    return next(sizes, least)


def paragraph_height(text: str, width: float, size: int = 12, *, bold: bool = False) -> float:
    """Return how high a text is that is wrapped into a width."""
    return QFontMetricsF(text_font(size, bold)).boundingRect(QRectF(0, 0, width, 1e5), _WRAPPED, text).height()


def decades(axis: Axis) -> list[float]:
    """Return the ticks of a logarithmic axis that are powers of ten, or all of them where these are too few."""
    ticks = axis.ticks()
    powers = [tick for tick in ticks if abs(math.log10(tick) - round(math.log10(tick))) < 1e-9]
    return powers if len(powers) > 1 else ticks


def plain_number(value: float) -> str:
    """Write a tick with all its digits."""
    return f"{value:,.12g}"


def short_number(value: float) -> str:
    """Write a number as papers do: powers of two from 1,024 on in K and M, others with separators."""
    for size, unit in ((1 << 20, "M"), (1 << 10, "K")):
        if value >= size and value % size == 0:
            return f"{value / size:,.0f}{unit}"
    return f"{value:,.0f}"


def power_of_ten(value: float) -> str:
    """Write a tick: ``0.01``, ``500``, and from 10,000 on ``10⁴`` or ``2·10⁴``."""
    if value < 9_999.5:
        return plain_number(value)
    power = math.floor(math.log10(value) + 1e-9)
    factor = round(value / 10**power)
    raised = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if factor == 1 else f"{factor}·10{raised}"


def _polygon(*corners: tuple[float, float]) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
    path.closeSubpath()
    return path


def _circle() -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(0, 0), 3.8, 3.8)
    return path


_SHAPES = (
    _circle(),
    _polygon((-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)),
    _polygon((0, -4.8), (4.4, 3.2), (-4.4, 3.2)),
    _polygon((0, -5), (4.2, 0), (0, 5), (-4.2, 0)),
)


Paint = Callable[[QPainter], None]
POINTS_PER_MM = 72 / 25.4
_DOTS_PER_INCH = 1200
"""In how many steps a PDF divides an inch."""


def write_drawing(path: str | Path, width: float, height: float, title: str, paint: Paint) -> None:
    """Write an SVG of ``width`` × ``height`` pixels, or else a PDF, by the path's suffix. Raises ``WriteError``.

    A pixel of an SVG is three quarters of a point of a PDF, as is usual between the two.
    """
    if Path(path).suffix.lower() == ".svg":
        write_svg(path, width, height, title, paint)
    else:
        write_pdf(path, width, height, title, [paint], points=0.75)


def write_svg(path: str | Path, width: float, height: float, title: str, paint: Paint) -> None:
    """Write an SVG of ``width`` × ``height`` pixels, its texts as outlines. Raises ``WriteError``."""
    from PySide6.QtSvg import QSvgGenerator

    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSizeF(width, height).toSize())
    generator.setViewBox(QRectF(0, 0, width, height))
    generator.setTitle(title)
    generator.setDescription(f"wayfront {__version__}")
    painter = OutlinePainter()
    if not painter.begin(generator):
        raise WriteError(path, "the drawing could not be started")
    try:
        paint(painter)
    finally:
        painter.end()
    _write(path, buffer)


def write_pdf(
    path: str | Path, width: float, height: float, title: str, pages: Sequence[Paint], points: float = 1.0
) -> None:
    """Write a PDF with pages of ``width`` × ``height`` units, each of so many points (1/72 inch), without margins.

    Raises ``WriteError``.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(title)
    writer.setCreator(f"wayfront {__version__}")
    writer.setResolution(_DOTS_PER_INCH)
    size = QPageSize(
        QSizeF(width * points, height * points), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch
    )
    writer.setPageLayout(QPageLayout(size, QPageLayout.Orientation.Portrait, QMarginsF(0, 0, 0, 0)))
    painter = QPainter()
    if not painter.begin(writer):
        raise WriteError(path, "the page could not be started")
    try:
        unit = points * _DOTS_PER_INCH / 72
        painter.scale(unit, unit)
        for number, paint in enumerate(pages):
            if number:
                writer.newPage()
            paint(painter)
    finally:
        painter.end()
    _write(path, buffer)


def _write(path: str | Path, buffer: QBuffer) -> None:
    with write_whole(path) as file:
        file.write(buffer.data().data())
