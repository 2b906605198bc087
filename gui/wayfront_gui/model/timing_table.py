"""Timed rows as a table: the same cells on the terminal, in Markdown and in a drawing. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wayfront_gui.model.timings import Bar, Row, bars, three_digits, timed

NAMES = ("algorithm", "on")
FIGURES = ("median ms", "min", "max", "× fastest")
BEFORE = ("before ms", "ratio", "between")
"""What a baseline adds: its median, ours as a multiple of that, and the least and the most that runs can make of it."""


@dataclass(frozen=True, slots=True)
class TimingTable:
    """Names of columns, of which those after the first two are figures, and the cells of every row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def figures(self) -> tuple[str, ...]:
        """The columns of figures, aligned to the right."""
        return self.columns[len(NAMES) :]


def timing_table(rows: Sequence[Row]) -> TimingTable:
    """Return the table of the rows that have a time, with a baseline's columns where any of them has one."""
    rows = timed(rows)
    shown = bars(rows)
    fastest = min((bar.median for bar in shown), default=0.0)
    compared = any("before" in row for row in rows)
    cells = [
        (bar.label, bar.detail, *_figures(bar, fastest), *(_before(row) if compared else ()))
        for row, bar in zip(rows, shown, strict=True)
    ]
    return TimingTable((*NAMES, *FIGURES, *(BEFORE if compared else ())), tuple(cells))


def _figures(bar: Bar, fastest: float) -> tuple[str, ...]:
    times = (three_digits(ms) for ms in (bar.median, bar.low, bar.high))
    return *times, f"{bar.median / fastest:.1f}" if fastest else ""


def _before(row: Row) -> tuple[str, ...]:
    if "before" not in row:
        return ("", "", "")
    low, high = row["ratio_between"]
    return three_digits(row["before"]["median"]), f"{row['ratio']:.2f}", f"{low:.2f} – {high:.2f}"
