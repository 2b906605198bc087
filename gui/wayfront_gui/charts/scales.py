"""What charts of lines share: a plot with its axes and their grid, numbers as papers write them, and marks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from wayfront_gui.charts.timing_chart import draw_text
from wayfront_gui.look.theme import ChartColours
from wayfront_gui.model.timings import Axis

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
