"""What charts of lines share: a plot with its axes and their grid, numbers as papers write them, and marks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QLineF, QMarginsF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPageLayout, QPageSize, QPainter, QPainterPath, QPdfWriter, QPen, QPolygonF

from wayfront.safe.errors import WriteError
from wayfront.safe.files import write_whole
from wayfront.version import __version__
from wayfront_gui.features.timing.tables import Axis
from wayfront_gui.features.timing.timing_chart import draw_text
from wayfront_gui.ui.theme import ChartColours

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class Scales:
    """A plot and its axes: values to the right, times or other figures upwards."""

    plot: QRectF
    values: Axis
    times: Axis

    def at(self, value: float, ms: float) -> QPointF:
        """Return where a time stands."""
        x = self.plot.left() + self.values.fraction(value) * self.plot.width()
        return QPointF(x, self.plot.bottom() - self.times.fraction(ms) * self.plot.height())


def draw_levels(
    painter: QPainter,
    scales: Scales,
    levels: Iterable[float],
    write: Callable[[float], str],
    colours: ChartColours,
    *,
    room: float,
    gap: float,
) -> None:
    """Draw a line across the plot at each level, and its figure to the left: ``room`` is there, ``gap`` stays free."""
    plot = scales.plot
    for level in levels:
        y = scales.at(scales.values.low, level).y()
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        draw_text(painter, QRectF(plot.left() - room, y - 9, room - gap, 18), write(level), colours.dim, 12, _RIGHT)


def draw_values(
    painter: QPainter,
    scales: Scales,
    values: Iterable[float],
    write: Callable[[float], str],
    colours: ChartColours,
    *,
    below: float,
    width: float,
    apart: float,
) -> None:
    """Draw a line up the plot at each value, its figure so far ``below`` where it is ``apart`` from the last one."""
    plot, free_from = scales.plot, -math.inf
    for value in values:
        x = scales.at(value, scales.times.low).x()
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        if x >= free_from:
            box = QRectF(x - width / 2, plot.bottom() + below, width, 18)
            draw_text(painter, box, write(value), colours.dim, 12, _CENTRE)
            free_from = x + apart


def short_number(value: float) -> str:
    """Write a number as papers do: powers of two from 1,024 on in K and M, others with separators."""
    for size, unit in ((1 << 20, "M"), (1 << 10, "K")):
        if value >= size and value % size == 0:
            return f"{value / size:,.0f}{unit}"
    return f"{value:,.0f}"


def power_of_ten(value: float) -> str:
    """Write a tick: ``0.01``, ``500``, and from 10,000 on ``10⁴`` or ``2·10⁴``."""
    if value < 9_999.5:
        return f"{value:,.12g}"
    power = math.floor(math.log10(value) + 1e-9)
    factor = round(value / 10**power)
    raised = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if factor == 1 else f"{factor}·10{raised}"


def draw_mark(painter: QPainter, at: QPointF, colour: str, number: int) -> None:
    """Draw a mark: one of four shapes, full, and hollow where there are more lines than shapes."""
    painter.setPen(QPen(QColor(colour), 1.6))
    painter.setBrush(QColor(colour) if (number // len(_SHAPES)) % 2 == 0 else Qt.BrushStyle.NoBrush)
    painter.drawPath(_SHAPES[number % len(_SHAPES)].translated(at))


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


def write_svg(path: str | Path, width: float, height: float, title: str, paint: Paint) -> None:
    """Write an SVG of ``width`` × ``height`` pixels. Raises ``WriteError``."""
    from PySide6.QtSvg import QSvgGenerator

    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSizeF(width, height).toSize())
    generator.setViewBox(QRectF(0, 0, width, height))
    generator.setTitle(title)
    generator.setDescription(f"wayfront {__version__}")
    painter = QPainter()
    if not painter.begin(generator):
        raise WriteError(path, "the drawing could not be started")
    try:
        paint(painter)
    finally:
        painter.end()
    _write(path, buffer)


def write_pdf(path: str | Path, width: float, height: float, title: str, paint: Paint, points: float = 1.0) -> None:
    """Write a PDF of one page of ``width`` × ``height`` units, each of so many points (1/72 inch), without margins.

    Raises ``WriteError``.
    """
    write_pdf_pages(path, width, height, title, [paint], points)


def write_pdf_pages(
    path: str | Path, width: float, height: float, title: str, pages: Sequence[Paint], points: float = 1.0
) -> None:
    """Write a PDF with a page for each of ``pages``, as ``write_pdf`` does. Raises ``WriteError``."""
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
