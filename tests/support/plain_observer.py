"""An observer that looks at everything after every step, in NumPy: what the recorder's traces are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.trace.observing import ArcCounts, Observer
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import NOTED_FIELDS, StateRow, StepNote, Trace


class PlainObserver(Observer):
    """Keeps of every step: frontier in node order, arcs tried, nodes improved, figures of the note, labels."""

    recording = True

    def __init__(self, degrees: NDArray[np.int32], source: int, infinity: int) -> None:
        self.degrees = degrees
        self.infinity = infinity
        self.seen = np.full(len(degrees), infinity, np.int64)
        self.first_reached = np.full(len(degrees), -1, np.int32)
        self.last_improved = self.first_reached.copy()
        self.seen[source] = self.first_reached[source] = self.last_improved[source] = 0
        self.frontiers: list[list[int]] = []
        self.steps: list[tuple[Any, ...]] = []
        self._arc_counts: ArcCounts | None = None
        self._marked_later: NDArray[np.int8] | None = None

    def expand_marked(self, mark: NDArray[np.int8], distances: NDArray[Any], *, later: bool = False) -> None:
        self._expand(np.flatnonzero(mark))
        self._marked_later = mark if later else None

    def expand_reached(self, distances: NDArray[Any], *, later: bool = False) -> None:
        self._expand(np.flatnonzero(distances != self.infinity))

    def expand_list(self, nodes: NDArray[np.int32], count: int, arc_counts: ArcCounts | None = None) -> None:
        self._expand(np.sort(nodes[:count]), arc_counts)

    def _expand(self, nodes: NDArray[Any], arc_counts: ArcCounts | None = None) -> None:
        self._frontier, self._arc_counts = nodes.copy(), arc_counts

    def step_done(self, distances: NDArray[Any], note: StepNote, improved: NDArray[np.int32] | None) -> None:
        if self._marked_later is not None:
            self._frontier = np.flatnonzero(self._marked_later)
        fell = np.flatnonzero(distances < self.seen)
        if improved is None:
            self.first_reached[fell[self.seen[fell] == self.infinity]] = len(self.steps)
            self.last_improved[fell] = len(self.steps)
        else:
            assert improved[0] == len(fell)
            improved[0] = 0
        self.seen[:] = distances
        arcs = note.passes * int(self.degrees[self._frontier].sum()) if note.relaxations is None else note.relaxations
        if self._arc_counts is not None:
            arcs = int(self._arc_counts()[self._frontier].sum())
        self._keep(self._frontier, arcs, len(fell), note)

    def _keep(self, frontier: NDArray[Any], arcs: int, improved: int, note: StepNote) -> None:
        figures = tuple(getattr(note, field.note) for field in NOTED_FIELDS)
        self.frontiers.append(frontier.tolist())
        self.steps.append((len(frontier), arcs, improved, figures, (note.mode, note.reason, note.phase)))

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        raise NotImplementedError("no search of one tree hands over single steps")

    def add_steps(
        self, nodes: NDArray[np.int32], table: StepTable, relaxations: NDArray[np.int64] | None = None
    ) -> None:
        raise NotImplementedError("only for searches whose steps are driven by the host")

    def keep_labels(self, distances: NDArray[Any], steps_done: NDArray[Any]) -> None:
        raise NotImplementedError("only for searches that log their own steps")

    def hold(self, read: Callable[[], Sequence[StateRow]]) -> None:
        assert all(0 <= node < len(self.degrees) for row in read() for node in row.nodes)

    def keep_matrix(self, entries: NDArray[Any], stride: int, infinity: int) -> None:
        raise NotImplementedError("no search of one tree has a matrix")


def told(trace: Trace) -> list[tuple[Any, ...]]:
    """Return what a trace says of its steps, in the form of ``PlainObserver.steps``."""
    return [
        (
            step.frontier_size,
            step.relaxations,
            step.improved,
            tuple(getattr(step.note, field.note) for field in NOTED_FIELDS),
            (step.note.mode, step.note.reason, step.note.phase),
        )
        for step in trace
    ]
