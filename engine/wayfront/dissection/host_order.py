"""The order in which a core keeps distances and matrices, so that a tree reads all of them from first to last.

The cells at the top come first, and then part by part, each of which is some whole subtrees: parts do not depend on one
another, so cores can take them. A part has *slots* of its own, one for each distance that it reads or makes: those of
nodes at the top that its cells border on, which are copied there, then its inner cells', then its leaves'. They fit a
core's second cache, where they stay until they are delivered in the order of the nodes, and their numbers fit 16 bits.

In a part, inner cells lie level by level, inside a level by shape. Leaves lie in runs of one shape (nodes, border)
inside chunks of 2,048, so that those of a run need no record each and their borders are still in the cache. What a
vector writes beyond a cell is overwritten by the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.shape import Dissection

CHUNK = 2048
"""Leaves that are sorted by shape together. A quarter of it takes 7 % longer: a run's end is mispredicted."""

PART = 1 << 15
"""Nodes that a part has about. Smaller parts have shorter runs of one shape, which processors predict worse."""

SHORT_SLOTS = 1 << 16
"""Slots that have numbers of 16 bits."""

SPARE = 64
"""Entries behind the last one of an array, so that a vector may read or write beyond it."""

PART_COLUMNS = 8
FIRST_COPY, FIRST_BORDER, FIRST_LEAF_BORDER, FIRST_INNER_ENTRY, FIRST_LEAF_ENTRY, FIRST_RUN, FIRST_RANGE, FIRST_NODE = (
    range(PART_COLUMNS)
)
"""Columns of ``HostOrder.parts``: where in another array what belongs to a part begins."""

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class HostOrder:
    """Where a core keeps what belongs to the c cells of a dissection of n nodes: shape only, any metric.

    inner_cells    int32, inner cells that own nodes, by part, depth, lanes, border, nodes, cell
    leaf_cells     int32, leaves, by part, chunk, vectors of 16, border, nodes, cell
    l_offset       int64 [c]: a cell's first entry of L, row-major [border][nodes], rows unpadded, in an array of
                   ``inner_l_size`` entries for inner cells and another of ``leaf_l_size`` for leaves
    r_offset       int64 [c]: an inner cell's first entry of R, row-major [nodes][nodes + border], in an array of
                   ``inner_r_size`` entries; −1 for leaves
    part           int32 [c]: 0 for the top, else 1, 2, … in preorder
    slot           int32 [c]: a cell's first slot among those of its part
    border_at      int64 [c]: where the slots of a cell's border begin in ``borders``
    copied         slots of the top, part by part, whose distances are copied to a part's first slots
    borders        slots of the nodes on cells' borders, in each part those of its inner cells, then of its leaves
    slot_of        slots of each part's nodes, part by part, nodes ascending
    ranges         int32 [2 · r]: those nodes, as the first of some that follow one another, and how many they are
    inner_shapes   nodes and border of each inner cell
    levels         int32 [parts · depths + 1]: the first of ``inner_cells`` in each part and depth
    leaf_runs      int32 [3 · runs]: nodes, border, and how many leaves of that shape follow one another
    parts          int64 [(parts + 1) · PART_COLUMNS]: where each part begins in the arrays above and in L
    depths         number of depths of cells
    top_slots      number of slots of the top; ``part_slots`` the largest of a part

    Slots and ``inner_shapes`` are uint16, or int32 in a network with such large separators that they do not fit. Sizes
    and numbers of slots contain ``SPARE`` entries at the end.
    """

    dissection: Dissection
    inner_cells: Int32Array
    leaf_cells: Int32Array
    l_offset: Int64Array
    r_offset: Int64Array
    part: Int32Array
    slot: Int32Array
    border_at: Int64Array
    copied: NDArray[Any]
    borders: NDArray[Any]
    slot_of: NDArray[Any]
    ranges: Int32Array
    inner_shapes: NDArray[Any]
    levels: Int32Array
    leaf_runs: Int32Array
    parts: Int64Array
    depths: int
    top_slots: int
    part_slots: int
    inner_l_size: int
    leaf_l_size: int
    inner_r_size: int

    @property
    def part_count(self) -> int:
        """Number of parts, the top counted."""
        return len(self.parts) // PART_COLUMNS - 1

    @classmethod
    def of(cls, dissection: Dissection) -> HostOrder:
        """Return the order for a dissection."""
        nodes, borders = np.diff(dissection.offsets).astype(np.int64), np.diff(dissection.border_offsets)
        part = _parts_of(dissection)
        count = int(part.max(initial=0)) + 1
        inner = np.flatnonzero(~dissection.is_leaf & (nodes > 0))
        by_level = lanes_for(nodes[inner]), dissection.depth[inner], part[inner]
        inner = inner[np.lexsort((inner, nodes[inner], borders[inner], *by_level))]
        leaves = np.flatnonzero(dissection.is_leaf & (nodes > 0))
        chunk = np.arange(len(leaves)) // CHUNK
        by_chunk = -(-nodes[leaves] // 16), chunk, part[leaves]
        leaves = leaves[np.lexsort((leaves, nodes[leaves], borders[leaves], *by_chunk))]
        cells = np.concatenate([inner, leaves])
        cells = cells[np.argsort(part[cells], kind="stable")]

        l_offset, inner_l_size = _places(nodes * borders, inner)
        leaf_offset, leaf_l_size = _places(nodes * borders, leaves)
        l_offset[leaves] = leaf_offset[leaves]
        r_offset, inner_r_size = _places(nodes * (nodes + borders), inner)
        r_offset[dissection.is_leaf] = -1

        slots = _Slots.of(dissection, part, count, cells)
        border_at, _ = _places(borders, cells)
        parts = np.zeros((count + 1, PART_COLUMNS), np.int64)
        begin, inner_begin, leaf_begin = (
            np.searchsorted(part[listed], np.arange(count + 1)) for listed in (cells, inner, leaves)
        )
        runs, parts[:, FIRST_RUN] = _runs(nodes, borders, part, leaves, count)
        parts[:, FIRST_COPY] = slots.first_copy
        parts[:, FIRST_BORDER] = _before(borders[cells])[begin]
        parts[:, FIRST_LEAF_BORDER] = parts[:, FIRST_BORDER]
        parts[:-1, FIRST_LEAF_BORDER] += np.diff(_before(borders[inner])[inner_begin])
        parts[:, FIRST_INNER_ENTRY] = _before((nodes * borders)[inner])[inner_begin]
        parts[:, FIRST_LEAF_ENTRY] = _before((nodes * borders)[leaves])[leaf_begin]
        parts[:, FIRST_NODE] = _before(nodes[cells])[begin]
        part_of_node = part[dissection.cell_of[dissection.position]]
        by_part = np.argsort(part_of_node, kind="stable")
        ranges, parts[:, FIRST_RANGE] = _ranges(by_part, part_of_node[by_part], count)

        depths = int(dissection.depth.max(initial=0)) + 1
        levels = np.searchsorted(part[inner] * depths + dissection.depth[inner], np.arange(count * depths + 1))
        index = np.uint16 if slots.most <= SHORT_SLOTS else np.int32
        arrays = (
            inner.astype(np.int32),
            leaves.astype(np.int32),
            l_offset,
            r_offset,
            part.astype(np.int32),
            slots.of_cell.astype(np.int32),
            border_at,
            slots.copied.astype(index),
            slots.of_border[_concatenated(dissection.border_offsets, cells)].astype(index),
            slots.of_position[dissection.position[by_part]].astype(index),
            ranges,
            np.stack([nodes[inner], borders[inner]], 1).ravel().astype(index),
            levels.astype(np.int32),
            runs,
            parts.ravel(),
        )
        for array in arrays:
            array.flags.writeable = False
        sizes = (inner_l_size + SPARE, leaf_l_size + SPARE, inner_r_size + SPARE)
        return cls(dissection, *arrays, depths, slots.top + SPARE, slots.most + SPARE, *sizes)


class _Slots(NamedTuple):
    """Slots within parts.

    of_cell      int64 [c], the first slot of each cell
    of_position  int64 [n]; ``of_border`` int64: of each entry of ``dissection.border``, in the part of its cell
    copied       int64, slots of the top that are copied, by part; ``first_copy`` int64 [parts + 1] where a part's begin
    top          number of slots of the top; ``most`` of the largest part
    """

    of_cell: Int64Array
    of_position: Int64Array
    of_border: Int64Array
    copied: Int64Array
    first_copy: Int64Array
    top: int
    most: int

    @classmethod
    def of(cls, cut: Dissection, part: Int64Array, count: int, cells: NDArray[np.integer]) -> _Slots:
        """Number the slots of ``count`` parts, whose ``cells`` lie in this order."""
        n, nodes = cut.node_count, np.diff(cut.offsets).astype(np.int64)
        part_at = part[cut.cell_of]
        cell_of_border = np.repeat(np.arange(cut.cell_count), np.diff(cut.border_offsets))
        wanted = part[cell_of_border] * n + cut.border  # a part and a position as one number
        foreign = part[cell_of_border] != part_at[cut.border]
        copies = np.unique(wanted[foreign])
        first_copy = np.searchsorted(copies, np.arange(count + 1) * n)
        in_part = np.bincount(part_at, minlength=count)

        of_cell, _ = _places(nodes, cells)
        of_cell += (np.diff(first_copy) - _before(in_part)[:-1])[part]
        of_position = np.arange(n) + (of_cell - cut.offsets[:-1])[cut.cell_of]
        of_border = of_position[cut.border]
        of_border[foreign] = np.searchsorted(copies, wanted[foreign]) - first_copy[part[cell_of_border[foreign]]]
        most = int((in_part + np.diff(first_copy)).max(initial=0))
        copied = of_position[copies % max(n, 1)]
        return cls(of_cell, of_position, of_border, copied, first_copy, int(in_part[0]), most)


def lanes_for(nodes: Int64Array) -> Int64Array:
    """Return how many lanes the vectors have that serve an inner cell of so many nodes: 4, 8 or 16."""
    return np.where(nodes <= 4, 4, np.where(nodes <= 8, 8, 16))


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
    ends = _before(sizes[cells])
    first[cells] = ends[:-1]
    return first, int(ends[-1])


def _before(sizes: NDArray[np.integer]) -> Int64Array:
    """Return the sum of all sizes before each one, and that of all behind the last."""
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _runs(
    nodes: Int64Array, borders: Int64Array, part: Int64Array, leaves: NDArray[np.integer], count: int
) -> tuple[Int32Array, Int64Array]:
    """Return (runs int32 [3 · r], where each part's begin)."""
    key = np.stack([nodes[leaves], borders[leaves], part[leaves]], 1)
    first, length = _stretches(np.any(key[1:] != key[:-1], axis=1), len(leaves))
    runs = np.stack([key[first, 0], key[first, 1], length], 1).astype(np.int32)
    return runs.ravel(), np.searchsorted(key[first, 2], np.arange(count + 1))


def _ranges(nodes: Int64Array, part: Int64Array, count: int) -> tuple[Int32Array, Int64Array]:
    """Return (int32 [2 · r], where each part's begin): the nodes, listed part by part, as ranges."""
    first, length = _stretches((np.diff(nodes) != 1) | (np.diff(part) != 0), len(nodes))
    ranges = np.stack([nodes[first], length], 1).astype(np.int32)
    return ranges.ravel(), np.searchsorted(part[first], np.arange(count + 1))


def _stretches(changes: NDArray[np.bool_], count: int) -> tuple[Int64Array, Int64Array]:
    """Return (first, length) of what ``count`` things fall into, if one begins behind each of the changes."""
    first = np.flatnonzero(np.concatenate(([True], changes))[:count])
    return first, np.diff(np.concatenate((first, [count])))


def _concatenated(offsets: Int64Array, cells: NDArray[np.integer]) -> Int64Array:
    """Return the indices offsets[t] … offsets[t + 1] − 1 of all cells, one cell after the other."""
    lengths = np.diff(offsets)[cells]
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(offsets[cells] - (ends - lengths), lengths)
