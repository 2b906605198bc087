"""Record the steps of a search in flat arrays, within a byte budget.

A step expands one frontier. Per step the recorder keeps that frontier and what expanding it did. Frontiers are the
only part that grows with the search, so the budget thins them: every second node recorded so far is dropped, and from
then on only every ``stride``-th is kept. The figures per step and per node stay whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.trace.schema import STEP_FIELDS, TRACE_FIELDS, StepNote, Trace, noted_figures

DEFAULT_BUDGET_BYTES = 1 << 30

_COLUMNS = sum(max(f.columns, 1) for f in STEP_FIELDS)
_TIME_COLUMN = [f.name for f in STEP_FIELDS].index("time_ns")
"""Numbers kept of each step."""


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
        self._rows = np.empty((256, _COLUMNS), np.int64)
        self._row_count = 0
        self._label_names: dict[str, int] = {}

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return self._row_count

    def add(self, frontier: NDArray[np.int32], improved: int, time_ns: int, note: StepNote) -> None:
        """Record one step with its whole frontier (it is copied, and thinned if the budget requires it)."""
        relaxations = note.relaxations
        if relaxations is None:
            relaxations = note.passes * int(self._degrees[frontier].sum(dtype=np.int64))
        self._add_frontier(frontier)
        if self._row_count == len(self._rows):
            self._rows = np.concatenate((self._rows, np.empty_like(self._rows)))
        # In the order of STEP_FIELDS: the recorder's own figures, those of the note, the labels.
        labels = (self._label(note.mode), self._label(note.reason), self._label(note.phase))
        self._rows[self._row_count] = (len(frontier), relaxations, improved, time_ns, *noted_figures(note), *labels)
        self._row_count += 1

    def add_time(self, time_ns: int) -> None:
        """Add to the time of the last step."""
        self._rows[self._row_count - 1, _TIME_COLUMN] += time_ns

    def _add_frontier(self, frontier: NDArray[np.int32]) -> None:
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

    def _label(self, name: str) -> int:
        """Return the index of a label, a new one for a new name."""
        return self._label_names.setdefault(name, len(self._label_names))

    def _double_stride(self) -> None:
        nodes, kept = self._nodes, [0]
        for begin, end in zip(self._kept[:-1], self._kept[1:], strict=True):
            thinned = nodes[begin:end:2].copy()
            nodes[kept[-1] : kept[-1] + len(thinned)] = thinned
            kept.append(kept[-1] + len(thinned))
        self._kept = kept
        self._stride *= 2

    def finish(self, first_reached: NDArray[np.int32], last_improved: NDArray[np.int32]) -> Trace:
        """Return the trace recorded so far; the recorder can go on."""
        arrays: dict[str, Any] = {
            "frontier_nodes": self._nodes[: self._kept[-1]].copy(),
            "frontier_offsets": np.array(self._kept, np.int64),
            "first_reached": first_reached,
            "last_improved": last_improved,
        }
        begin = 0
        for field in STEP_FIELDS:
            columns = self._rows[: self._row_count, begin : begin + max(field.columns, 1)]
            arrays[field.name] = (columns if field.columns else columns[:, 0]).astype(field.dtypes[0])
            begin += columns.shape[1]
        for field in TRACE_FIELDS:
            arrays[field.name].flags.writeable = False
        return Trace(**arrays, stride=self._stride, label_names=tuple(self._label_names))
