"""Times over the values of an option that a comparison tried: lines for a chart. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wayfront_gui.model.timings import Axis, Bar, Row, axis_for, bars, timed

_WIDE = 10.0
"""How far values reach, the last over the first, from which their axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class SweepLine:
    """One algorithm on a device: its bars by the value of the option, or one without a value where it has none."""

    label: str
    device_name: str
    points: tuple[tuple[float, Bar], ...]
    level: Bar | None = None


def sweep_lines(rows: Sequence[Row], option: str) -> list[SweepLine]:
    """Return a line for each algorithm and device, in the rows' order; values go up along each."""
    lines: dict[tuple[str, str], list[tuple[Row, Bar]]] = {}
    rows = timed(rows)
    for row, bar in zip(rows, bars(rows), strict=True):
        lines.setdefault((row["algorithm"], row["device_name"]), []).append((row, bar))
    return [_line(label, device, of_it, option) for (label, device), of_it in lines.items()]


def _line(label: str, device: str, rows: Sequence[tuple[Row, Bar]], option: str) -> SweepLine:
    values = [(row["options"].get(option), bar) for row, bar in rows]
    points = sorted(
        ((float(value), bar) for value, bar in values if isinstance(value, int | float)), key=lambda point: point[0]
    )
    return SweepLine(label, device, tuple(points)) if len(points) > 1 else SweepLine(label, device, (), rows[0][1])


def axes(lines: Sequence[SweepLine]) -> tuple[Axis, Axis]:
    """Return the axis of values and that of times."""
    values = [value for line in lines for value, _ in line.points]
    shown = [bar for line in lines for _, bar in line.points] + [line.level for line in lines if line.level is not None]
    low, high = min(values), max(values)
    wide = low > 0 and high / low >= _WIDE
    return Axis(low if wide else 0.0, high, logarithmic=wide), axis_for(shown)
