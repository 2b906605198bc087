"""The replay's plot and strips, column by column of the screen. No Qt.

A trace may have 300,000 steps and a screen 1,000 columns, so a trace is gathered into columns once for each width.
Step ``i`` begins at ``marks[i]`` of the walk, 0 … 1, and lasts until the next; the last one keeps the last column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.search.registry import algorithms
from wayfront.trace.schema import NO_BUCKET, NO_QUEUE, Trace

FEWEST_COLUMNS_A_BUCKET = 4
"""Buckets that are narrower on average are not separated: the notches would hide their colours."""
LEAST_FULL = 16
"""A plot reaches its full height at its largest value, but at no smaller value than this: otherwise a search that
settles node by node would fill the whole plot."""


SMOOTHING = np.array([1.0, 2.0, 3.0, 2.0, 1.0]) / 9
"""How neighbouring columns are mixed where a column has several steps."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which steps were taken.

    ``tone`` is the phase's place among those that its search declares, so that phases of one mode can share its colour
    and have the same tones in every run. ``name`` is as short as it can be and still be different from the others.
    """

    mode: str
    phase: str
    tone: int
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class StepColumns:
    """A trace in columns. Arrays that it lacks are None.

    frontier  float64 [columns]: largest frontier of the column's steps, 0 … 1 by square root
    queue     float64 [columns]: longest queue, likewise; it has a scale of its own
    bucket    float64 [columns]: position of the bucket on the colour map, 0 … 1; NaN where a step has none
    opens     bool [columns]: a bucket opens here, and the buckets are wide enough to be separated
    kinds     the kinds of steps, where there is more than one
    shares    float64 [kinds, columns]: how much of the column each kind takes
    """

    frontier: NDArray[np.float64]
    queue: NDArray[np.float64] | None
    bucket: NDArray[np.float64] | None
    opens: NDArray[np.bool_]
    kinds: tuple[Kind, ...]
    shares: NDArray[np.float64]
    longest_frontier: int
    longest_queue: int
    buckets: tuple[int, int]

    @classmethod
    def of(cls, trace: Trace, marks: NDArray[np.float64], columns: int, farthest: float | None) -> StepColumns:
        """Gather a trace with at least one step; ``farthest`` is the distance of the map's last colour, if known."""
        seen = _column_steps(marks, columns)
        bucket, opens = _buckets(trace, marks, seen, farthest)
        kinds, of_step = kinds_of(trace)
        with_bucket = trace.bucket[trace.bucket != NO_BUCKET]
        longest_queue = int(trace.queue.max())
        return cls(
            frontier=outline(marks, trace.frontier_size, columns),
            queue=None if longest_queue == NO_QUEUE else outline(marks, np.maximum(trace.queue, 0), columns),
            bucket=bucket,
            opens=opens,
            kinds=kinds,
            shares=shares(marks, of_step, len(kinds), columns),
            longest_frontier=int(trace.frontier_size.max()),
            longest_queue=longest_queue,
            buckets=(int(with_bucket.min()), int(with_bucket.max())) if len(with_bucket) else (NO_BUCKET, NO_BUCKET),
        )


def step_at(marks: NDArray[np.float64], fraction: float) -> int:
    """Return the step that is shown at a fraction of the walk."""
    return int(np.clip(np.searchsorted(marks, fraction + 1e-12, "right") - 1, 0, len(marks) - 1))


def outline(marks: NDArray[np.float64], values: NDArray[Any], columns: int) -> NDArray[np.float64]:
    """Return the height of a plot of ``values`` >= 0 [steps] in each column, float64 0 … 1.

    A column shows the largest of its steps, so that no peak is lost; one without a step of its own has the height of
    the step before. Heights grow with the square root: a frontier is the edge of an area, and small ones stay
    visible. Values that never exceed a few nodes do not fill the plot.
    """
    heights = np.zeros(columns)
    if len(values) == 0 or columns == 0:
        return heights
    column_of = np.minimum((marks * columns).astype(np.int64), columns - 1)
    begins = np.flatnonzero(np.diff(column_of, prepend=-1))
    filled = column_of[begins]
    heights[filled] = np.sqrt(np.maximum.reduceat(values, begins).astype(np.float64))
    heights = heights[filled[np.searchsorted(filled, np.arange(columns), "right") - 1]]
    return heights / max(heights.max(), LEAST_FULL**0.5)


def kinds_of(trace: Trace) -> tuple[tuple[Kind, ...], NDArray[np.intp]]:
    """Return the kinds of a trace's steps, and each step's kind [steps]; none at all where all are of one kind."""
    (modes_of, mode), (phases_of, phase) = (_renumber(trace.labels[:, column]) for column in (0, 2))
    present = np.bincount(mode * len(phases_of) + phase, minlength=len(modes_of) * len(phases_of)) > 0
    if present.sum() < 2:
        return (), np.zeros(len(trace), np.intp)
    pairs = [
        (trace.label_names[modes_of[pair // len(phases_of)]], trace.label_names[phases_of[pair % len(phases_of)]])
        for pair in np.flatnonzero(present).tolist()
    ]
    kinds = tuple(Kind(mode, phase, _tone(pairs, mode, phase), _name(pairs, mode, phase)) for mode, phase in pairs)
    return kinds, (np.cumsum(present) - 1)[mode * len(phases_of) + phase]


def _tone(pairs: list[tuple[str, str]], mode: str, phase: str) -> int:
    """Return the phase's place among those of a search that declares all of these, or all of the mode's."""
    of_mode = {p for m, p in pairs if m == mode}
    for phases in ({p for _, p in pairs}, of_mode):
        for declared in algorithms():
            if phases <= set(declared.phases):
                return declared.phases.index(phase)
    return sorted(of_mode).index(phase)


def _renumber(labels: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the labels that occur, ascending, and each step's index among them, without sorting 300,000 of them."""
    occurs = np.bincount(labels) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[labels]


def _name(pairs: list[tuple[str, str]], mode: str, phase: str) -> str:
    """Name a kind by what distinguishes it: its mode, its phase, or both."""
    of_mode = [p for m, p in pairs if m == mode]
    if len(of_mode) == 1:
        return mode
    return phase if len(of_mode) == len(pairs) else f"{mode}: {phase}"


def shares(marks: NDArray[np.float64], of_step: NDArray[np.intp], kinds: int, columns: int) -> NDArray[np.float64]:
    """Return how much of each column every kind takes, float64 [kinds, columns]: however many steps it holds."""
    if not kinds:
        return np.zeros((0, columns))
    result = np.stack([_means(marks, of_step == kind, columns) for kind in range(kinds)])
    if columns > len(SMOOTHING) and np.count_nonzero(np.diff(of_step)) > columns:
        # Steps that alternate beat with the columns: shares that differ by a step or two become stripes of their own.
        within = np.pad(result[:, :-1], ((0, 0), (len(SMOOTHING) // 2,) * 2), mode="edge")
        result[:, :-1] = np.stack([np.convolve(row, SMOOTHING, mode="valid") for row in within])
    return result


def _knots(marks: NDArray[np.float64], columns: int) -> NDArray[np.float64]:
    """Return where steps begin, and where the last one ends."""
    return np.append(np.minimum(marks, 1.0 - 1.0 / columns), 1.0)


def _column_steps(marks: NDArray[np.float64], columns: int) -> NDArray[np.intp]:
    """Return the step in the middle of each column."""
    middles = (np.arange(columns) + 0.5) / columns
    return np.minimum(np.searchsorted(_knots(marks, columns), middles, "right") - 1, len(marks) - 1)


def _buckets(
    trace: Trace, marks: NDArray[np.float64], seen: NDArray[np.intp], farthest: float | None
) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_]]:
    """Return each column's position on the colour map, and where buckets open.

    A bucket has the colour that the map gives its nodes. While the map is coloured by steps, since the distances are
    not known yet, its position is that among the buckets so far.
    """
    opens = np.zeros(len(seen), bool)
    if trace.bucket.max() == NO_BUCKET:
        return None, opens
    index = trace.bucket[seen]
    if farthest is not None and trace.bucket_high.max() > 0:
        of_step = (trace.bucket_low / 2 + trace.bucket_high / 2) / max(farthest, 1.0)
    else:
        of_step = trace.bucket / max(int(trace.bucket.max()), 1)
    known = trace.bucket != NO_BUCKET
    position, covered = (_means(marks, values, len(seen)) for values in (np.where(known, of_step, 0.0), known))
    position = np.divide(position, covered, out=np.zeros(len(seen)), where=covered > 0)
    opens[1:] = index[1:] != index[:-1]
    if opens.sum() * FEWEST_COLUMNS_A_BUCKET > len(seen):
        opens[:] = False
    return np.where(index == NO_BUCKET, np.nan, np.clip(position, 0.0, 1.0)), opens


def _means(marks: NDArray[np.float64], values: NDArray[Any], columns: int) -> NDArray[np.float64]:
    """Return the mean of ``values`` [steps] in each column, every step counted as long as it lasts there."""
    knots = _knots(marks, columns)
    covered = np.concatenate(([0.0], np.cumsum(np.diff(knots) * values)))
    return np.asarray(np.diff(np.interp(np.linspace(0.0, 1.0, columns + 1), knots, covered)) * columns)
