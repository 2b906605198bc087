"""The recorded steps of a search, in flat arrays: never a Python object per node.

A step expands one frontier. Per step the trace keeps that frontier and what expanding it did; per node it keeps
when the search first reached it and when it last improved it. Frontiers are the only part that grows with the
search, so a byte budget thins them: every second node recorded so far goes, and from then on only every
``stride``-th is kept. The figures per step and per node stay whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

DEFAULT_BUDGET_BYTES = 1 << 30
NO_BUCKET = -1
NO_QUEUE = -1
NOT_SETTLED = -1


@dataclass(frozen=True, slots=True)
class StepNote:
    """What an algorithm tells of one step beyond its frontier.

    ``bucket`` is an index with its distance bounds ``low`` ≤ d < ``high`` (raw weights), or ``NO_BUCKET``.
    ``mode`` is the thread mapping, ``reason`` why it was chosen, ``phase`` the algorithm's own name for what
    this step did. ``relaxations`` overrides the count of arcs leaving the frontier. ``queue`` counts the nodes that
    wait after the step, or is ``NO_QUEUE``; ``settled`` is the one node (internal number) the step settled, or
    ``NOT_SETTLED`` where a step does not settle exactly one.
    """

    mode: str = "all nodes"
    reason: str = ""
    phase: str = ""
    bucket: int = NO_BUCKET
    low: int = 0
    high: int = 0
    relaxations: int | None = None
    queue: int = NO_QUEUE
    settled: int = NOT_SETTLED


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of a trace, as a view: ``frontier`` is int32 internal node numbers, thinned by the stride."""

    index: int
    frontier: NDArray[np.int32]
    frontier_size: int
    relaxations: int
    improved: int
    time_ns: int
    note: StepNote


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The steps of one search.

    frontier_nodes    int32 [k]: every ``stride``-th node of each step's frontier, internal numbers
    frontier_offsets  int64 [steps+1]: where each step's nodes stand in ``frontier_nodes``
    frontier_size     int32 [steps]: true sizes
    relaxations       int64 [steps]: arcs tried
    improved          int64 [steps]: nodes whose distance fell
    time_ns           int64 [steps]: device time of the step, in this traced run
    bucket            int64 [steps], -1 where there is none; bucket_low and bucket_high int64 [steps], raw weights
    queue             int64 [steps]: nodes waiting after the step, -1 where the search has no queue
    settled           int32 [steps]: the node the step settled, internal number, -1 where it is not exactly one
    labels            int32 [steps, 3]: mode, reason, phase as indices into ``words``
    first_reached     int32 [n]: step that first gave the node a distance, -1 if none; 0 for the source
    last_improved     int32 [n]: step that last lowered it, likewise
    """

    frontier_nodes: NDArray[np.int32]
    frontier_offsets: NDArray[np.int64]
    stride: int
    frontier_size: NDArray[np.int32]
    relaxations: NDArray[np.int64]
    improved: NDArray[np.int64]
    time_ns: NDArray[np.int64]
    bucket: NDArray[np.int64]
    bucket_low: NDArray[np.int64]
    bucket_high: NDArray[np.int64]
    queue: NDArray[np.int64]
    settled: NDArray[np.int32]
    labels: NDArray[np.int32]
    words: tuple[str, ...]
    first_reached: NDArray[np.int32]
    last_improved: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.frontier_size)

    def frontier(self, step: int) -> NDArray[np.int32]:
        """Return the recorded nodes of one step's frontier (a view)."""
        return self.frontier_nodes[self.frontier_offsets[step] : self.frontier_offsets[step + 1]]

    def step(self, index: int) -> Step:
        """Return everything about one step."""
        mode, reason, phase = (self.words[i] for i in self.labels[index])
        return Step(
            index=index,
            frontier=self.frontier(index),
            frontier_size=int(self.frontier_size[index]),
            relaxations=int(self.relaxations[index]),
            improved=int(self.improved[index]),
            time_ns=int(self.time_ns[index]),
            note=StepNote(
                mode=mode,
                reason=reason,
                phase=phase,
                bucket=int(self.bucket[index]),
                low=int(self.bucket_low[index]),
                high=int(self.bucket_high[index]),
                queue=int(self.queue[index]),
                settled=int(self.settled[index]),
            ),
        )

    def __iter__(self) -> Iterator[Step]:
        return (self.step(i) for i in range(len(self)))

    def settled_distance(self, distances: NDArray[Any]) -> NDArray[np.int64]:
        """Return int64 [steps]: the largest final distance among nodes last improved up to each step.

        It never falls, so a player can walk the search by distance instead of by step.
        """
        reached = self.last_improved >= 0
        largest = np.zeros(max(len(self), 1), np.int64)
        np.maximum.at(largest, self.last_improved[reached], distances[reached].astype(np.int64))
        return np.maximum.accumulate(largest)[: len(self)]

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(getattr(self, f).nbytes for f in ARRAY_FIELDS)


ARRAY_FIELDS = (
    "frontier_nodes",
    "frontier_offsets",
    "frontier_size",
    "relaxations",
    "improved",
    "time_ns",
    "bucket",
    "bucket_low",
    "bucket_high",
    "queue",
    "settled",
    "labels",
    "first_reached",
    "last_improved",
)


_FIGURES, _LABELS = 9, 3
"""Numbers that a recorder keeps of each step, and labels after them."""


class Recorder:
    """Collects the steps of one search under a byte budget.

    ``out_degrees`` int32 [n] gives the relaxations a frontier tries. ``first_reached`` and ``last_improved``
    come from the device at the end (or, for a live picture, so far).
    """

    def __init__(self, out_degrees: NDArray[np.int32], budget_bytes: int = DEFAULT_BUDGET_BYTES) -> None:
        self._degrees = out_degrees
        self._capacity = max(budget_bytes // 4, 1024)
        self._nodes = np.empty(min(self._capacity, 4096), np.int32)
        self._kept = [0]
        self._stride = 1
        self._rows = np.empty((256, _FIGURES + _LABELS), np.int64)
        self._row_count = 0
        self._words: dict[str, int] = {}

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return self._row_count

    def add(self, frontier: NDArray[np.int32], improved: int, time_ns: int, note: StepNote) -> None:
        """Record one step with its whole frontier (it is copied, and thinned if the budget asks for it)."""
        relaxations = note.relaxations
        if relaxations is None:
            relaxations = int(self._degrees[frontier].sum(dtype=np.int64))
        kept = frontier[:: self._stride]
        while self._kept[-1] + len(kept) > self._capacity:
            self._double_stride()
            kept = kept[::2]
        end = self._kept[-1] + len(kept)
        if end > len(self._nodes):
            grown = np.empty(min(max(2 * len(self._nodes), end), self._capacity), np.int32)
            grown[: self._kept[-1]] = self._nodes[: self._kept[-1]]
            self._nodes = grown
        self._nodes[self._kept[-1] : end] = kept
        self._kept.append(end)
        if self._row_count == len(self._rows):
            self._rows = np.concatenate((self._rows, np.empty_like(self._rows)))
        bounds = (note.bucket, note.low, note.high)
        labels = (self._word(note.mode), self._word(note.reason), self._word(note.phase))
        self._rows[self._row_count] = (
            *(len(frontier), relaxations, improved, time_ns),
            *bounds,
            *(note.queue, note.settled),
            *labels,
        )
        self._row_count += 1

    def _word(self, word: str) -> int:
        """Return the number of a label, a new one for a new label."""
        return self._words.setdefault(word, len(self._words))

    def _double_stride(self) -> None:
        nodes, kept = self._nodes, [0]
        for begin, end in zip(self._kept[:-1], self._kept[1:], strict=True):
            part = nodes[begin:end:2].copy()
            nodes[kept[-1] : kept[-1] + len(part)] = part
            kept.append(kept[-1] + len(part))
        self._kept = kept
        self._stride *= 2

    def finish(self, first_reached: NDArray[np.int32], last_improved: NDArray[np.int32]) -> Trace:
        """Return the trace recorded so far; the recorder can go on."""
        rows = self._rows[: self._row_count]
        figures = rows[:, :_FIGURES]
        arrays: dict[str, Any] = {
            "frontier_nodes": self._nodes[: self._kept[-1]].copy(),
            "frontier_offsets": np.array(self._kept, np.int64),
            "frontier_size": figures[:, 0].astype(np.int32),
            "relaxations": figures[:, 1].copy(),
            "improved": figures[:, 2].copy(),
            "time_ns": figures[:, 3].copy(),
            "bucket": figures[:, 4].copy(),
            "bucket_low": figures[:, 5].copy(),
            "bucket_high": figures[:, 6].copy(),
            "queue": figures[:, 7].copy(),
            "settled": figures[:, 8].astype(np.int32),
            "labels": rows[:, _FIGURES:].astype(np.int32),
            "first_reached": first_reached,
            "last_improved": last_improved,
        }
        for array in arrays.values():
            array.flags.writeable = False
        return Trace(**arrays, stride=self._stride, words=tuple(self._words))
