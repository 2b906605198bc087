"""Count what customising and a tree have to do by a dissection's shape: additions with a minimum, and bytes.

A cell with s nodes in its separator and a on its border closes a front of s + a nodes over s of them, hands a × a
entries up, and keeps s × (s + a) to climb by and a × s to descend by. A tree climbs from the source's cell to the root
and descends through all cells. Bytes are those of entries of so many bytes each, every one read or written once:
an engine that keeps small numbers in fewer, or reads matrices once for many sources, needs less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.shape import Dissection


@dataclass(frozen=True, slots=True)
class Work:
    """Additions with a minimum, and bytes moved at least."""

    additions: float
    bytes_moved: float


def customising(cells: Dissection, entry_bytes: int) -> Work:
    """Return the work of customising: fronts closed, their results written, and what goes up read again."""
    separator, border = _sizes(cells)
    front = separator + border
    entries = int((front * front + border * border).sum())
    return Work(float((separator * front * front).sum()), float(entry_bytes * entries))


def tree(cells: Dissection, sources: NDArray[np.int32], entry_bytes: int) -> Work:
    """Return the work of a tree, the mean over these sources."""
    separator, border = _sizes(cells)
    climbed = separator * (separator + border)
    cell, climb = cells.cell_of[cells.position[sources]], 0.0
    while len(cell):
        climb += float(climbed[cell].sum()) / len(sources)
        cell = cells.parent[cell]
        cell = cell[cell >= 0]
    descend = float((separator * border).sum())
    return Work(climb + descend, entry_bytes * (climb + descend + cells.node_count))


def _sizes(cells: Dissection) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of nodes in separator and border of each cell, int64 [c]."""
    return np.diff(cells.offsets).astype(np.int64), np.diff(cells.border_offsets)
