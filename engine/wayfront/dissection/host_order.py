"""The order in which a core keeps distances and matrices, so that a tree reads all of them from first to last.

Inner cells lie level by level, inside a level by shape; each has slots for a whole number of vectors. Leaves come
after them, in runs of one shape (nodes, border) inside chunks of 512, so that those of a run need no record each and
their borders are still in the cache. A leaf has as many slots as nodes: what a vector writes beyond is overwritten by
the next leaf.

All this is done for the cells at the top, and then part by part, each of which is some whole subtrees: parts do not
depend on one another, so cores can take them, and those of a large network fit a cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.shape import Dissection

CHUNK = 512
"""Leaves that are sorted by shape together. All at once would scatter the reads of their borders' distances."""

PART = 1 << 16
"""Nodes that a part has about. Smaller parts have shorter runs of one shape, which processors predict worse."""

SPARE = 64
"""Entries behind the last one of an array, so that a vector may read or write beyond it."""

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]


class Parts(NamedTuple):
    """Where each of the p parts begins, the top as part 0, and where the last one ends.

    cells   int64 [p + 1]: its inner cells in ``HostOrder.inner_cells``
    runs    int64 [p + 1]: its runs of leaves in ``HostOrder.leaf_runs``
    inner   int64 [p + 1, 3]: first slot, first place in ``inner_borders`` and first entry of L of its inner cells
    leaves  int64 [p + 1, 3]: the same of its leaves
    """

    cells: Int64Array
    runs: Int64Array
    inner: Int64Array
    leaves: Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class HostOrder:
    """Where a core keeps what belongs to the c cells of a dissection of n nodes: shape only, any metric.

    inner_cells    int32, inner cells that own nodes, by part, depth, slots, border, nodes, cell
    leaf_cells     int32, leaves, by part, chunk, vectors of 16, border, nodes, cell
    l_offset       int64 [c]: a cell's first entry of L, row-major [border][nodes], rows unpadded, in an array of
                   ``inner_l_size`` entries for inner cells and another of ``leaf_l_size`` for leaves
    r_offset       int64 [c]: an inner cell's first entry of R, row-major [nodes][nodes + border], in an array of
                   ``inner_r_size`` entries; −1 for leaves
    slot           int32 [c]: a cell's first slot of distances
    slot_of_node   int32 [n]
    border_slots   int32: the slot of each node in ``dissection.border``
    inner_shapes   int32 [2 · inner cells]: nodes and border of each
    inner_borders  int32: ``border_slots`` of the inner cells in their order; ``leaf_borders`` those of the leaves
    leaf_runs      int32 [3 · runs]: nodes, border, and how many leaves of that shape follow one another
    parts          see ``Parts``
    inner_slots    number of slots of inner cells, which come first; ``slots`` that of all

    Sizes contain ``SPARE`` entries at the end.
    """

    dissection: Dissection
    inner_cells: Int32Array
    leaf_cells: Int32Array
    l_offset: Int64Array
    r_offset: Int64Array
    slot: Int32Array
    slot_of_node: Int32Array
    border_slots: Int32Array
    inner_shapes: Int32Array
    inner_borders: Int32Array
    leaf_runs: Int32Array
    leaf_borders: Int32Array
    parts: Parts
    inner_slots: int
    slots: int
    inner_l_size: int
    leaf_l_size: int
    inner_r_size: int

    @classmethod
    def of(cls, dissection: Dissection) -> HostOrder:
        """Return the order for a dissection."""
        nodes, borders = np.diff(dissection.offsets).astype(np.int64), np.diff(dissection.border_offsets)
        part = _parts_of(dissection)
        count = int(part.max(initial=0)) + 1
        inner = np.flatnonzero(~dissection.is_leaf & (nodes > 0))
        by_level = slots_for(nodes[inner]), dissection.depth[inner], part[inner]
        inner = inner[np.lexsort((inner, nodes[inner], borders[inner], *by_level))]
        leaves = np.flatnonzero(dissection.is_leaf & (nodes > 0))
        chunk = np.arange(len(leaves)) // CHUNK
        by_chunk = -(-nodes[leaves] // 16), chunk, part[leaves]
        leaves = leaves[np.lexsort((leaves, nodes[leaves], borders[leaves], *by_chunk))]

        slot, inner_slots = _places(slots_for(nodes), inner)
        # A vector's end, written behind the last leaf of a part, must not meet another core's first leaf.
        leaf_slot, leaf_slots = _places(nodes, leaves)
        slot[leaves] = inner_slots + leaf_slot[leaves] + SPARE * part[leaves]
        l_offset, inner_l_size = _places(nodes * borders, inner)
        leaf_offset, leaf_l_size = _places(nodes * borders, leaves)
        l_offset[leaves] = leaf_offset[leaves]
        r_offset, inner_r_size = _places(nodes * (nodes + borders), inner)
        r_offset[dissection.is_leaf] = -1

        shift = (slot - dissection.offsets[:-1])[dissection.cell_of]
        slot_at = (np.arange(len(shift)) + shift).astype(np.int32)
        border_slots = slot_at[dissection.border]
        runs, runs_begin = _runs(nodes, borders, part, leaves, count)
        inner_part, leaf_part = np.searchsorted(part[inner], np.arange(count + 1)), part[leaves]
        leaf_begin = np.searchsorted(leaf_part, np.arange(count + 1))
        parts = Parts(
            inner_part,
            runs_begin,
            _starts(inner_part, inner, (slots_for(nodes), borders, nodes * borders), 0, 0),
            _starts(leaf_begin, leaves, (nodes, borders, nodes * borders), inner_slots, SPARE),
        )
        arrays = (
            inner.astype(np.int32),
            leaves.astype(np.int32),
            l_offset,
            r_offset,
            slot.astype(np.int32),
            slot_at[dissection.position],
            border_slots,
            np.stack([nodes[inner], borders[inner]], 1).astype(np.int32).ravel(),
            border_slots[_concatenated(dissection.border_offsets, inner)],
            runs,
            border_slots[_concatenated(dissection.border_offsets, leaves)],
        )
        for array in (*arrays, *parts):
            array.flags.writeable = False
        slots = inner_slots + leaf_slots + SPARE * (count + 1)
        sizes = (inner_l_size + SPARE, leaf_l_size + SPARE, inner_r_size + SPARE)
        return cls(dissection, *arrays, parts, inner_slots, slots, *sizes)


def slots_for(nodes: Int64Array) -> Int64Array:
    """Return how many slots an inner cell of so many nodes has: 4, 8 or a multiple of 16, what its vectors hold."""
    return np.where(nodes <= 4, 4, np.where(nodes <= 8, 8, -(-nodes // 16) * 16))


def _parts_of(dissection: Dissection) -> Int64Array:
    """Return the part of each cell: 0 for the top, else 1, 2, … in preorder."""
    offsets, cells = dissection.offsets.astype(np.int64), np.arange(dissection.cell_count)
    n = dissection.node_count
    is_top = offsets[dissection.end] - offsets[:-1] > PART // 2
    is_root = ~is_top & np.concatenate(([True], is_top[dissection.parent[1:]]))[: len(cells)]
    root = np.maximum.accumulate(np.where(is_root, cells, 0))
    part = 1 + offsets[:-1][root] * -(-n // PART) // max(n, 1)
    return np.where(is_top, 0, part)


def _places(sizes: Int64Array, cells: NDArray[np.integer]) -> tuple[Int64Array, int]:
    """Return (first, total): where each of ``cells`` begins if they lie side by side in that order, int64 [c]."""
    first = np.zeros(len(sizes), np.int64)
    ends = np.cumsum(sizes[cells])
    first[cells] = ends - sizes[cells]
    return first, int(ends[-1]) if len(ends) else 0


def _starts(
    begin: Int64Array, cells: NDArray[np.integer], sizes: tuple[Int64Array, ...], first_slot: int, gap: int
) -> Int64Array:
    """Return what each part's cells begin with: slot, place in the borders, entry of L; int64 [p + 1, 3]."""
    columns = [np.concatenate(([0], np.cumsum(size[cells])))[begin] for size in sizes]
    columns[0] += first_slot + gap * np.arange(len(begin))
    return np.stack(columns, 1)


def _runs(
    nodes: Int64Array, borders: Int64Array, part: Int64Array, leaves: NDArray[np.integer], count: int
) -> tuple[Int32Array, Int64Array]:
    """Return (runs int32 [3 · r], where each part's begin)."""
    key = np.stack([nodes[leaves], borders[leaves], part[leaves]], 1)
    changes = np.any(key[1:] != key[:-1], axis=1)
    first = np.flatnonzero(np.concatenate(([True], changes))[: len(leaves)])
    length = np.diff(np.concatenate((first, [len(leaves)])))
    runs = np.stack([key[first, 0], key[first, 1], length], 1).astype(np.int32)
    return runs.ravel(), np.searchsorted(key[first, 2], np.arange(count + 1))


def _concatenated(offsets: Int64Array, cells: NDArray[np.integer]) -> Int64Array:
    """Return the indices offsets[t] … offsets[t + 1] − 1 of all cells, one cell after the other."""
    lengths = np.diff(offsets)[cells]
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(offsets[cells] - (ends - lengths), lengths)
