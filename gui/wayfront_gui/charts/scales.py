"""What charts of lines share: a plot with its axes, and numbers as papers write them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from wayfront_gui.model.timings import Axis


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


def short_number(value: float) -> str:
    """Write a number as papers do: powers of two from 1,024 on in K and M, others with separators."""
    for size, unit in ((1 << 20, "M"), (1 << 10, "K")):
        if value >= size and value % size == 0:
            return f"{value / size:,.0f}{unit}"
    return f"{value:,.0f}"
