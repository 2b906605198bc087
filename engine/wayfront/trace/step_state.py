"""Say what a search holds between two steps: its queue, heap, buckets, piles or flags, as rows of a table.

A search on a small graph reports the rows after every step, as its own arrays have them; a trace keeps them in flat
arrays (``HeldRows``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_NUMBER = -1
NO_KEY = -1


class StateRow(NamedTuple):
    """One part of what a search holds, such as a bucket.

    title   its name; ``{number}`` in it stands for ``number``
    nodes   internal numbers, in the order of the structure
    keys    the distances that they are kept with, in raw weights, one for each node; empty where there are none
    number  which bucket it is, ``NO_NUMBER`` where there is but one
    """

    title: str
    nodes: Sequence[int]
    keys: Sequence[int] = ()
    number: int = NO_NUMBER

    @property
    def name(self) -> str:
        """The title with its number."""
        return self.title.replace("{number}", f"{self.number:,}")


class StepState(NamedTuple):
    """What a search holds after a step, as a table: its name, the titles of its columns, and the rows."""

    title: str
    columns: tuple[str, str, str]
    rows: tuple[StateRow, ...]


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


def _offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
