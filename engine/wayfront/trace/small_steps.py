"""Collect what a trace of a small graph keeps beside its steps: distances after each, and what the search held."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.trace.schema import NO_PATH
from wayfront.trace.step_state import HeldRows


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


def without_infinity(distances: NDArray[Any], infinity: int) -> NDArray[Any]:
    """Return distances with ``NO_PATH`` where they are the value that means "not reached"."""
    return np.where(distances == infinity, np.array(NO_PATH, distances.dtype), distances)
