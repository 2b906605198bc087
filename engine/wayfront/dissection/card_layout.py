"""Where fronts and their matrices lie on a card, and which cells are folded together: shape only, for every metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront.dissection.card_fold import (
    BORDER,
    CHILD_BORDER,
    CHILD_U,
    CHILDREN,
    DEPTH,
    END_ARC,
    FIRST_ARC,
    L_AT,
    MAP_AT,
    NEXT_CHILD,
    NODES,
    R_AT,
    RECORD,
    U_AT,
)
from wayfront.dissection.layout import FrontLayout

ALIGNED = 4
"""Matrices and lists begin at multiples of so many entries, where copies of 16 bytes can begin."""


@dataclass(frozen=True, slots=True)
class Level:
    """Cells of one height in ``cells``, from ``first`` on: for blocks, for warps, and those larger than both take.

    ``widest`` is the number of nodes of the largest front for warps.
    """

    first: int
    tiles: int
    warps: int
    large: int
    widest: int


@dataclass(frozen=True, slots=True, eq=False)
class CardLayout:
    """The fronts of a dissection as a card has them.

    records, arc_slots, arcs, from_child   as in ``card_fold.Fronts``
    cells                                  int32 [c], by height, children before parents
    levels                                 the parts of ``cells`` that one launch each folds
    l_size, r_size, u_size                 entries of these matrices
    """

    records: NDArray[np.int32]
    arc_slots: NDArray[np.int32]
    arcs: NDArray[np.int32]
    from_child: NDArray[np.int16]
    height: NDArray[np.int32]
    cells: NDArray[np.int32]
    levels: tuple[Level, ...]
    l_size: int
    r_size: int
    u_size: int

    @classmethod
    def of(cls, fronts: FrontLayout, order: NDArray[np.int32], small: int, tile: int) -> CardLayout:
        """Return the layout. ``order`` int32 [c]: the cells in the order of L; for others see ``by_height``."""
        shape = fronts.dissection
        nodes = np.diff(shape.offsets).astype(np.int64)
        border = np.diff(shape.border_offsets)
        size = nodes + border
        records = np.zeros((shape.cell_count, RECORD), np.int32)
        records[:, NODES], records[:, BORDER], records[:, DEPTH] = nodes, border, shape.depth
        records[:, FIRST_ARC], records[:, END_ARC] = fronts.arc_offsets[:-1], fronts.arc_offsets[1:]
        l_at, l_size = places((nodes * border)[order])
        records[order, L_AT] = l_at
        records[:, R_AT], r_size = places(nodes * size)
        records[:, U_AT], u_size = places(border * border)
        records[:, MAP_AT], map_size = places(CHILDREN * size)
        from_child = np.full(map_size, -1, np.int16)
        height = np.zeros(shape.cell_count, np.int32)
        _link(shape.parent, shape.border_offsets, fronts.parent_index, records, from_child, height)
        cell_of_slot = np.repeat(np.arange(shape.cell_count), np.diff(fronts.arc_offsets))
        slots = (fronts.arc_row * size[cell_of_slot] + fronts.arc_column).astype(np.int32)
        cells, levels = by_height(np.arange(shape.cell_count), height, size, small, tile)
        return cls(records.ravel(), slots, fronts.arcs, from_child, height, cells, levels, l_size, r_size, u_size)


def places(sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return where arrays of such sizes begin, one after the other at aligned places, and the size of all."""
    ends = np.cumsum(-(-sizes // ALIGNED) * ALIGNED)
    begins = np.concatenate(([0], ends[:-1]))
    return begins, int(ends[-1])


def by_height(
    cells: NDArray[Any], height: NDArray[np.int32], size: NDArray[np.int64], small: int, tile: int
) -> tuple[NDArray[np.int32], tuple[Level, ...]]:
    """Return cells in the order in which they can be folded, and which of them are folded at once.

    Warps fold fronts of up to ``small`` nodes, blocks those of up to ``tile``. Of each height the blocks' come first,
    large ones before small ones, so that all end at the same time.
    """
    kind = np.where(size[cells] > tile, 2, np.where(size[cells] > small, 0, 1))
    ordered = cells[np.lexsort((-size[cells], kind, height[cells]))].astype(np.int32)
    depth = int(height[cells].max(initial=-1)) + 1
    counts = np.bincount(3 * height[cells] + kind, minlength=3 * depth).reshape(-1, 3)
    widest = np.zeros(depth, np.int64)
    np.maximum.at(widest, height[cells], np.where(kind == 1, size[cells], 0))
    levels, first = [], 0
    for (tiles, warps, large), width in zip(counts.tolist(), widest.tolist(), strict=True):
        if tiles + warps + large:
            levels.append(Level(first, tiles, warps, large, width))
        first += tiles + warps + large
    return ordered, tuple(levels)


@loop
def _link(parent: Any, border_offsets: Any, parent_index: Any, records: Any, from_child: Any, height: Any) -> None:
    """Tell every cell its children, where its nodes are in their borders, and its height above the lowest leaf."""
    count = np.zeros(len(parent), np.int32)
    for cell in range(len(parent) - 1, 0, -1):
        above = parent[cell]
        height[above] = max(height[above], height[cell] + 1)
        child = count[above]
        count[above] += 1
        first, last = border_offsets[cell], border_offsets[cell + 1]
        records[above, CHILD_BORDER + NEXT_CHILD * child] = last - first
        records[above, CHILD_U + NEXT_CHILD * child] = records[cell, U_AT]
        at = records[above, MAP_AT] + child * (records[above, NODES] + records[above, BORDER])
        for place in range(first, last):
            from_child[at + parent_index[place]] = place - first
