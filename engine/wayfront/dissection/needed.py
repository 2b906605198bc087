"""Which cells and nodes a descent to some targets needs: the targets, and what those needed lower down border on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, loop_without_allocation
from wayfront.dissection.shape import Dissection, Int32Array, Int64Array

NEEDED, TARGET = 1, 2
"""Marks of positions: one that a cell below needs, and one that is a target."""


def needed_for(cut: Dissection, targets: Int32Array) -> tuple[Int64Array, Int64Array, NDArray[np.uint8]]:
    """Return (cells, counts, marks): the cells with needed nodes, ascending, how many each has, and marks uint8 [n].

    ``targets`` are positions.
    """
    above = np.zeros(cut.cell_count, np.bool_)
    _mark_above(cut.cell_of[targets], cut.parent, above)
    listed = np.flatnonzero(above)
    marks = np.zeros(cut.node_count, np.uint8)
    marks[targets] = TARGET
    counts = _mark_needed(listed, cut.offsets, cut.border_offsets, cut.border, marks)
    return listed[counts > 0], counts[counts > 0], marks


@loop_without_allocation
def _mark_above(cells: Int32Array, parent: Int32Array, above: NDArray[np.bool_]) -> None:
    """Mark cells and all above them."""
    for i in range(len(cells)):
        cell = cells[i]
        while cell >= 0 and not above[cell]:
            above[cell] = True
            cell = parent[cell]


@loop
def _mark_needed(
    listed: Int64Array, offsets: Int32Array, border_offsets: Int64Array, border: Int32Array, marks: NDArray[np.uint8]
) -> Int64Array:
    """Mark the nodes that targets need; return how many each of the listed cells, which are ascending, has."""
    counts = np.zeros(len(listed), np.int64)
    for i in range(len(listed) - 1, -1, -1):
        cell = listed[i]
        for position in range(offsets[cell], offsets[cell + 1]):
            if marks[position]:
                counts[i] += 1
        if counts[i]:
            for k in range(border_offsets[cell], border_offsets[cell + 1]):
                marks[border[k]] |= NEEDED
    return counts
