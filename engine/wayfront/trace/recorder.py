"""Record the steps of a search in flat arrays, within a byte budget.

A step expands one frontier. Per step the recorder keeps that frontier and what expanding it did. Frontiers are the
only part that grows with the search, so the budget thins them: every second node recorded so far is dropped, and from
then on only every ``stride``-th is kept. The figures per step and per node stay whole.

Steps come many at a time, as arrays: a Python object for each would cost more than many a step takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.trace.schema import NO_KEY, NO_PATH, NOTED_FIELDS, STEP_FIELDS, StateRow, StepNote, Trace, noted_figures

DEFAULT_BUDGET_BYTES = 1 << 30

LEAST_NODES = 1024
"""Frontier nodes that any budget keeps room for."""

THINNED_AT_ONCE = 1 << 20
"""Frontier nodes that are thinned in one go."""

_BEGINS = np.cumsum([0, *(max(f.columns, 1) for f in STEP_FIELDS)]).tolist()

_COLUMN = {f.name: begin for f, begin in zip(STEP_FIELDS, _BEGINS, strict=False)}

_COLUMNS = _BEGINS[-1]
"""Where the numbers of each field lie in a step's row, and how long that is."""

_NOTED = _COLUMN[NOTED_FIELDS[0].name]

_LABELS = _COLUMN["labels"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTable:
    """Steps of one search, one element of each array a step.

    sizes      how many nodes each step's frontier has
    improved   how many nodes it improved
    time_ns    how long it took
    note       what the steps have in common
    figures    figures of the note that differ between them, by their names in a trace, such as ``bucket_low``
    modes      their modes, where these differ
    tentative  of a small graph, int64 [steps, n]: the distances after each, as a trace keeps them
    """

    sizes: NDArray[np.int64]
    improved: NDArray[np.int64]
    time_ns: NDArray[np.int64]
    note: StepNote
    figures: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    modes: Sequence[str] = ()
    tentative: NDArray[np.int64] | None = None


class Recorder:
    """Collects the steps of one search under a byte budget.

    ``out_degrees`` int32 [n] gives the relaxations that a step by itself tries. ``first_reached`` and ``last_improved``
    come from the device at the end (or, for a live picture, so far).
    """

    def __init__(self, out_degrees: NDArray[np.int32], budget_bytes: int = DEFAULT_BUDGET_BYTES) -> None:
        self._degrees = out_degrees
        self._capacity = max(budget_bytes // 4, LEAST_NODES)
        self._nodes = np.empty(min(self._capacity, 4096), np.int32)
        self._ends = np.zeros(257, np.int64)
        self._stride = 1
        self._rows = np.empty((256, _COLUMNS), np.int64)
        self._row_count = 0
        self._label_names: dict[str, int] = {}

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return self._row_count

    def add(self, frontier: NDArray[np.int32], improved: int, time_ns: int, note: StepNote) -> None:
        """Record one step with its whole frontier, in node order."""
        relaxations = note.relaxations
        if relaxations is None:
            relaxations = note.passes * int(self._degrees[frontier].sum(dtype=np.int64))
        size, tried, count, time = np.array([[len(frontier)], [relaxations], [improved], [time_ns]], np.int64)
        self.add_steps(frontier, size, tried, count, time, [note])

    def add_steps(
        self,
        nodes: NDArray[np.int32],
        sizes: NDArray[np.int64],
        relaxations: NDArray[np.int64],
        improved: NDArray[np.int64],
        time_ns: NDArray[np.int64],
        notes: Sequence[StepNote],
    ) -> None:
        """Record steps that differ in all they note.

        ``nodes`` are their whole frontiers, each in node order, one after the other; they are copied, and thinned if
        the budget requires it.
        """
        rows = self._room_for(len(sizes))
        rows[:, _NOTED:_LABELS] = [noted_figures(note) for note in notes]
        rows[:, _LABELS:] = [self._labels(note) for note in notes]
        self._finish(nodes, sizes, relaxations, improved, time_ns)

    def add_table(self, nodes: NDArray[np.int32], relaxations: NDArray[np.int64], table: StepTable) -> None:
        """Record the steps of a table, with frontiers as above."""
        rows = self._room_for(len(table.sizes))
        rows[:, _NOTED:_LABELS] = noted_figures(table.note)
        rows[:, _LABELS:] = self._labels(table.note)
        for name, values in table.figures.items():
            rows[:, _COLUMN[name]] = values
        if table.modes:
            rows[:, _LABELS] = [self._label(mode) for mode in table.modes]
        self._finish(nodes, table.sizes, relaxations, table.improved, table.time_ns)

    def add_time(self, time_ns: int) -> None:
        """Add to the time of the last step."""
        self._rows[self._row_count - 1, _COLUMN["time_ns"]] += time_ns

    def _room_for(self, count: int) -> NDArray[np.int64]:
        """Return the rows of the next ``count`` steps, to be filled."""
        end = self._row_count + count
        if end > len(self._rows):
            grown = max(2 * len(self._rows), end)
            self._rows = np.resize(self._rows, (grown, _COLUMNS))
            self._ends = np.resize(self._ends, grown + 1)
        return self._rows[self._row_count : end]

    def _finish(
        self,
        nodes: NDArray[np.int32],
        sizes: NDArray[np.int64],
        relaxations: NDArray[np.int64],
        improved: NDArray[np.int64],
        time_ns: NDArray[np.int64],
    ) -> None:
        """Fill in the recorder's own figures of the rows just filled, and keep their frontiers."""
        begin, end = self._row_count, self._row_count + len(sizes)
        for column, values in enumerate((sizes, relaxations, improved, time_ns)):  # in the order of STEP_FIELDS
            self._rows[begin:end, column] = values
        self._row_count = end
        kept = _thin(nodes, sizes, self._stride)
        while self._used(begin) + len(kept) > self._capacity and self._stride < nodes.size + self._nodes.size:
            self._double_stride(begin)
            kept = _thin(nodes, sizes, self._stride)
        used = self._used(begin)
        self._reserve(used, used + len(kept))
        self._nodes[used : used + len(kept)] = kept
        self._ends[begin + 1 : end + 1] = used + np.cumsum(-(-sizes // self._stride))

    def _used(self, steps: int) -> int:
        return int(self._ends[steps])

    def _reserve(self, used: int, wanted: int) -> None:
        if wanted > len(self._nodes):
            grown = np.empty(max(min(2 * len(self._nodes), self._capacity), wanted), np.int32)
            grown[:used] = self._nodes[:used]
            self._nodes = grown

    def _double_stride(self, steps: int) -> None:
        """Drop every second node of the first ``steps`` steps, some steps at a time to save memory."""
        ends, kept, begin = self._ends[: steps + 1].copy(), 0, 0
        while begin < steps:
            end = max(begin + 1, int(np.searchsorted(ends, ends[begin] + THINNED_AT_ONCE, "right")) - 1)
            thinned = _thin(self._nodes[ends[begin] : ends[end]], np.diff(ends[begin : end + 1]), 2)
            self._nodes[kept : kept + len(thinned)] = thinned
            kept, begin = kept + len(thinned), end
        self._ends[1 : steps + 1] = np.cumsum((np.diff(ends) + 1) // 2)
        self._stride *= 2

    def _labels(self, note: StepNote) -> tuple[int, int, int]:
        return self._label(note.mode), self._label(note.reason), self._label(note.phase)

    def _label(self, name: str) -> int:
        """Return the index of a label, a new one for a new name."""
        return self._label_names.setdefault(name, len(self._label_names))

    def finish(
        self,
        first_reached: NDArray[np.int32],
        last_improved: NDArray[np.int32],
        small: SmallSteps | None = None,
    ) -> Trace:
        """Return the trace recorded so far; the recorder can go on."""
        arrays: dict[str, Any] = {
            "frontier_nodes": self._nodes[: self._used(self._row_count)].copy(),
            "frontier_offsets": self._ends[: self._row_count + 1].copy(),
            "first_reached": first_reached,
            "last_improved": last_improved,
        }
        further = {} if small is None else small.finish(self._row_count)
        for step_field in STEP_FIELDS:
            begin = _COLUMN[step_field.name]
            columns = self._rows[: self._row_count, begin : begin + max(step_field.columns, 1)]
            arrays[step_field.name] = (columns if step_field.columns else columns[:, 0]).astype(step_field.dtypes[0])
        for array in arrays.values():
            array.flags.writeable = False
        return Trace(
            figures={field.name: arrays.pop(field.name) for field in NOTED_FIELDS},
            **arrays,
            **further,
            stride=self._stride,
            label_names=tuple(self._label_names),
        )


def _thin(nodes: NDArray[np.int32], sizes: NDArray[np.int64], stride: int) -> NDArray[np.int32]:
    """Return every ``stride``-th node of each step, the first always."""
    if stride == 1:
        return nodes
    begins = np.cumsum(sizes) - sizes
    return nodes[(np.arange(len(nodes)) - np.repeat(begins, sizes)) % stride == 0]


class SmallSteps:
    """What a trace of a small graph keeps beside its steps, within a byte budget for each part."""

    def __init__(self, budget_bytes: int) -> None:
        self.tentative: Snapshots = Snapshots(budget_bytes)
        self.matrices: Snapshots = Snapshots(budget_bytes)
        self.held: HeldRows = HeldRows(budget_bytes)

    def finish(self, steps: int) -> dict[str, Any]:
        """Return the further attributes of a trace with so many steps."""
        held, titles = self.held.finish(steps)
        rows = {"tentative": self.tentative.finish(steps), "matrices": self.matrices.finish(steps), **held}
        arrays = {name: array for name, array in rows.items() if array is not None}
        for array in arrays.values():
            array.flags.writeable = False
        return {**arrays, "held_names": titles}


class Snapshots:
    """Rows of distances, the first before the first step and one after every step, within a byte budget.

    Rows that are missing, or beyond the budget, leave nothing: half of a search's distances would mislead.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._budget = budget_bytes
        self._rows: list[NDArray[Any]] = []
        self._bytes = 0

    def add(self, rows: NDArray[Any]) -> None:
        """Take further rows [k, columns], which are kept as they are."""
        self._rows.append(rows)
        self._bytes += rows.nbytes
        if self._bytes > self._budget:
            self._rows.clear()

    def finish(self, steps: int) -> NDArray[Any] | None:
        """Return the rows, [steps + 1, columns]; None where they are not as many as that."""
        return np.concatenate(self._rows) if sum(map(len, self._rows)) == steps + 1 else None


class HeldRows:
    """Collects rows, those before the first step and those after every step, within a byte budget.

    Where a step lacks them or they outgrow the budget, none are kept.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._room = budget_bytes // 12
        self._steps: list[Sequence[StateRow]] = []

    def add(self, rows: Sequence[StateRow]) -> None:
        """Take the rows of the next step."""
        self._room -= sum(1 + len(row.nodes) for row in rows)
        self._steps.append(rows)
        if self._room < 0:
            self._steps.clear()

    def finish(self, steps: int) -> tuple[dict[str, NDArray[Any]], tuple[str, ...]]:
        """Return the arrays of a trace with so many steps, by name, and the titles; nothing where steps are missing."""
        if len(self._steps) != steps + 1:
            return {}, ()
        rows = [row for held in self._steps for row in held]
        keys = [key for row in rows for key in (row.keys or [NO_KEY] * len(row.nodes))]
        titles = {title: index for index, title in enumerate(dict.fromkeys(row.title for row in rows))}
        arrays: dict[str, NDArray[Any]] = {
            "held_nodes": np.array([node for row in rows for node in row.nodes], np.int32),
            "held_keys": np.array(keys, np.int64),
            "held_ends": _offsets([len(row.nodes) for row in rows]),
            "held_titles": np.array([titles[row.title] for row in rows], np.int32),
            "held_numbers": np.array([row.number for row in rows], np.int64),
            "held_begins": _offsets([len(held) for held in self._steps]),
        }
        return arrays, tuple(titles)


def without_infinity(distances: NDArray[Any], infinity: int) -> NDArray[Any]:
    """Return distances with ``NO_PATH`` where they are the value that means "not reached"."""
    return np.where(distances == infinity, np.array(NO_PATH, distances.dtype), distances)


def _offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
