"""The order in which a core keeps distances and matrices, and the plan by which it eliminates: shape only, any metric.

*Order.* A tree reads all matrices from first to last. The cells at the top come first, and then part by part, each of
which is some whole subtrees: parts do not depend on one another, so cores can take them. A part has *slots* of its own,
one for each distance that it reads or makes: those of nodes at the top that its cells border on, which are copied
there, then its inner cells', then its leaves'. They fit a core's second cache, where they stay until they are delivered
in the order of the nodes, and their numbers fit 16 bits.

In a part, inner cells lie level by level, inside a level by shape. Leaves lie in runs of one shape (nodes, border)
inside chunks of 2,048, so that those of a run need no record each and their borders are still in the cache. What a
vector writes beyond a cell is overwritten by the next one.

*Plan.* A host's front lists the border before the separator, both in ascending position: then what a child leaves over
goes into its parent's front in the same order, with gaps, and a row of it can be spread by one instruction. Rows are
padded to whole vectors. Eliminating a leaf's nodes pivot by pivot would visit mostly entries without a path. Which rows
each pivot can change follows from the shape, as in sparse Gaussian elimination: those row operations are listed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop_without_allocation
from wayfront.dissection.host.vectors import Lanes
from wayfront.dissection.shape import LEAF_NODES, Dissection, FrontLayout, Int32Array, Int64Array, numbered
from wayfront.network.road_network import RoadNetwork

CHUNK = 2048
"""Leaves that are sorted by shape together. A quarter of it takes 7 % longer: a run's end is mispredicted."""

PART = 1 << 15
"""Nodes that a part has about. Smaller parts have shorter runs of one shape, which processors predict worse."""

SHORT_SLOTS = 1 << 16
"""Slots that have numbers of 16 bits."""

SPARE = 64
"""Entries behind the last one of an array, so that a vector may read or write beyond it."""


class _First(NamedTuple):
    copy: int
    border: int
    leaf_border: int
    inner_entry: int
    leaf_entry: int
    run: int
    range: int
    node: int


FIRST = numbered(_First)
FIRST_SIZE = len(FIRST)
"""Where in a part's record of ``HostOrder.parts`` the fields lie; each says where in another array its own begin."""


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
    parts          int64 [(parts + 1) · FIRST_SIZE]: where each part begins in the arrays above and in L
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
        return len(self.parts) // FIRST_SIZE - 1

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

        l_offset, inner_l_size = _begins(nodes * borders, inner)
        leaf_offset, leaf_l_size = _begins(nodes * borders, leaves)
        l_offset[leaves] = leaf_offset[leaves]
        r_offset, inner_r_size = _begins(nodes * (nodes + borders), inner)
        r_offset[dissection.is_leaf] = -1

        slots = _Slots.of(dissection, part, count, cells)
        border_at, _ = _begins(borders, cells)
        parts = np.zeros((count + 1, FIRST_SIZE), np.int64)
        begin, inner_begin, leaf_begin = (
            np.searchsorted(part[listed], np.arange(count + 1)) for listed in (cells, inner, leaves)
        )
        runs, parts[:, FIRST.run] = _runs(nodes, borders, part, leaves, count)
        parts[:, FIRST.copy] = slots.first_copy
        parts[:, FIRST.border] = _before(borders[cells])[begin]
        parts[:, FIRST.leaf_border] = parts[:, FIRST.border]
        parts[:-1, FIRST.leaf_border] += np.diff(_before(borders[inner])[inner_begin])
        parts[:, FIRST.inner_entry] = _before((nodes * borders)[inner])[inner_begin]
        parts[:, FIRST.leaf_entry] = _before((nodes * borders)[leaves])[leaf_begin]
        parts[:, FIRST.node] = _before(nodes[cells])[begin]
        part_of_node = part[dissection.cell_of[dissection.position]]
        by_part = np.argsort(part_of_node, kind="stable")
        ranges, parts[:, FIRST.range] = _ranges(by_part, part_of_node[by_part], count)

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

        of_cell, _ = _begins(nodes, cells)
        of_cell += (np.diff(first_copy) - _before(in_part)[:-1])[part]
        of_position = np.arange(n) + (of_cell - cut.offsets[:-1])[cut.cell_of]
        of_border = of_position[cut.border]
        of_border[foreign] = np.searchsorted(copies, wanted[foreign]) - first_copy[part[cell_of_border[foreign]]]
        most = int((in_part + np.diff(first_copy)).max(initial=0))
        copied = of_position[copies % max(n, 1)]
        return cls(of_cell, of_position, of_border, copied, first_copy, int(in_part[0]), most)


def lanes_for(nodes: Int64Array) -> Int64Array:
    """Return how many lanes the vectors of an inner cell of so many nodes have: 4, 8 or 16."""
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


def _begins(sizes: Int64Array, cells: NDArray[np.integer]) -> tuple[Int64Array, int]:
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


class _Plan(NamedTuple):
    separator: int
    border: int
    first_arc: int
    end_arc: int
    first_row: int
    end: int
    level: int
    l_at: int
    r_at: int
    left_at: int
    masks_at: int
    first_operation: int
    end_operation: int


PLAN = numbered(_Plan)
"""Where in a cell's record of ``Plan.cells`` the fields lie: sizes, ranges, and where in other arrays its own begin."""
PLAN_SIZE = 16
"""Entries of a record: a power of two, one cache line."""

STACKED = -1
"""In ``left_at``: what the cell leaves over goes on a stack, as only its parent, which follows soon, reads it."""

NOT_LISTED = -1
"""In ``first_operation``: all pivots are tried."""

NO_R = -1
"""In ``r_at``: the cell is a leaf, whose R is not kept."""

SMALL_SUBTREE = 48
"""Subtrees of so many cells are eliminated anew as a whole when an arc in them changes. What the cells in them leave
over need not be kept then, which saves most of that memory and its bandwidth."""

LISTED_ROWS = 256
"""Leaves' fronts of up to so many rows get a list of row operations: an index fits a byte."""


class Plan(NamedTuple):
    """What elimination reads of the shape. All arrays are contiguous.

    cells       int32 [c · PLAN_SIZE], int64 where a matrix has more entries than that counts
    arcs        int32, arc numbers in the order of ``FrontLayout.arcs``
    slots       uint16, where each of them lies in its front; int32 if fronts are larger
    rows        int16, for each border node of each cell its row in the parent's front
    masks       uint64, for each cell and each vector of a row of its parent's front: which lanes its border fills
    operations  uint16, row · 256 + pivot of the leaves' row operations, as indices in their fronts
    """

    cells: NDArray[Any]
    arcs: NDArray[np.int32]
    slots: NDArray[Any]
    rows: NDArray[np.int16]
    masks: NDArray[np.uint64]
    operations: NDArray[np.uint16]


def make_plan(layout: FrontLayout, l_offset: NDArray[np.int64], r_offset: NDArray[np.int64], lanes: Lanes) -> Plan:
    """Return the plan for fronts whose L and R begin at the given entries (R's is −1 for leaves)."""
    cut = layout.dissection
    separator = np.diff(cut.offsets).astype(np.int64)
    border = np.diff(cut.border_offsets)
    stride = padded(separator + border, lanes)
    cells = np.zeros((cut.cell_count, PLAN_SIZE), np.int64)
    cells[:, PLAN.separator], cells[:, PLAN.border] = separator, border
    cells[:, PLAN.first_arc], cells[:, PLAN.end_arc] = layout.arc_offsets[:-1], layout.arc_offsets[1:]
    cells[:, PLAN.first_row], cells[:, PLAN.end], cells[:, PLAN.level] = cut.border_offsets[:-1], cut.end, cut.depth
    cells[:, PLAN.l_at], cells[:, PLAN.r_at] = l_offset, np.where(cut.is_leaf, NO_R, r_offset)
    kept = kept_cells(cut.parent, cut.end)
    left_over = np.where(kept, border * padded(border, lanes), 0)
    cells[:, PLAN.left_at] = np.where(kept, np.cumsum(left_over) - left_over, STACKED)

    owner = np.repeat(np.arange(cut.cell_count), np.diff(layout.arc_offsets))
    slots = _rotated(layout.arc_row, owner, separator, border).astype(np.int64) * stride[owner]
    slots += _rotated(layout.arc_column, owner, separator, border)

    above = np.maximum(cut.parent, 0)
    rows = _rotated(layout.parent_index, np.repeat(above, border), separator, border)
    vectors = np.where(cut.parent >= 0, stride[above] // lanes.count, 0)
    cells[:, PLAN.masks_at] = np.cumsum(vectors) - vectors
    masks = np.zeros(vectors.sum(), np.uint64)
    of_row = np.repeat(cells[:, PLAN.masks_at], border) + rows // lanes.count
    np.bitwise_or.at(masks, of_row, np.uint64(1) << (rows % lanes.count).astype(np.uint64))

    room = separator * separator + np.diff(layout.arc_offsets)
    operations = np.empty(int(room[cut.is_leaf].sum()) + 1, np.uint16)
    pattern = np.empty(LEAF_NODES, np.uint64)
    count = _list_operations(cells, LISTED_ROWS, cut.is_leaf, layout.arc_row, layout.arc_column, pattern, operations)
    return Plan(
        _narrowed(cells.ravel(), np.int32),
        layout.arcs,
        _narrowed(slots, np.uint16, np.int32),
        rows,
        masks,
        operations[: count + 1].copy(),
    )


_TABLES = "tables of the dissection"
"""Where a network keeps its tables; it lets them go with its dissection, whose key the word ends with."""


@dataclass(frozen=True, slots=True, eq=False)
class HostTables:
    """What engines of one network read of its cut, whatever the metric: most of what preparing takes."""

    order: HostOrder
    layout: FrontLayout
    _plans: dict[int, Plan] = field(default_factory=dict)

    @classmethod
    def of(cls, dissection: Dissection, network: RoadNetwork) -> HostTables:
        """Return those of a cut, made at the first call; the network keeps those of one cut."""

        def make() -> HostTables:
            return cls(HostOrder.of(dissection), FrontLayout.of(dissection, network))

        found = network.derive(_TABLES, make)
        if found.order.dissection is not dissection:
            network.forget(_TABLES)
            found = make()
            network.derive(_TABLES, lambda: found)  # another thread may have kept those of its own cut meanwhile
        return found

    def plan(self, lanes: Lanes) -> Plan:
        """Return the plan for vectors of so many lanes."""
        if lanes.count not in self._plans:
            self._plans[lanes.count] = make_plan(self.layout, self.order.l_offset, self.order.r_offset, lanes)
        return self._plans[lanes.count]


def _narrowed(array: NDArray[np.int64], *dtypes: Any) -> NDArray[Any]:
    """Return an array in the first of the dtypes that holds it, else as it is: elimination reads less memory then."""
    for dtype in dtypes:
        if array.max(initial=0) <= np.iinfo(dtype).max:
            return array.astype(dtype)
    return array


def padded(size: Any, lanes: Lanes) -> Any:
    """Round sizes up to whole vectors."""
    return -(-size // lanes.count) * lanes.count


def kept_cells(parent: NDArray[np.int32], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which cells' left-overs are kept: of large subtrees, and of small ones right below them."""
    large = end - np.arange(len(end)) > SMALL_SUBTREE
    return large | large[np.maximum(parent, 0)]


def _rotated(
    index: NDArray[np.int16], owner: NDArray[np.int64], separator: NDArray[np.int64], border: NDArray[np.int64]
) -> NDArray[np.int16]:
    """Turn indices in fronts that have the separator first into those with the border first."""
    s, a = separator.astype(np.int16)[owner], border.astype(np.int16)[owner]
    return np.where(index < s, index + a, index - s)


@loop_without_allocation
def _list_operations(
    cells: NDArray[np.int64],
    listed_rows: int,
    is_leaf: NDArray[np.bool_],
    arc_row: NDArray[np.int16],
    arc_column: NDArray[np.int16],
    pattern: NDArray[np.uint64],
    operations: NDArray[np.uint16],
) -> int:
    """List the row operations that eliminate each leaf: its nodes down, pivot after pivot, then up; then its border."""
    one = np.uint64(1)
    count = 0
    for cell in range(len(cells)):
        s, a = cells[cell, PLAN.separator], cells[cell, PLAN.border]
        cells[cell, PLAN.first_operation] = NOT_LISTED
        if is_leaf[cell] and s + a <= listed_rows:
            cells[cell, PLAN.first_operation] = count
            pattern[:s] = 0
            for arc in range(cells[cell, PLAN.first_arc], cells[cell, PLAN.end_arc]):
                i, j = arc_row[arc], arc_column[arc]
                if i < s and j < s:
                    pattern[i] |= one << np.uint64(j)
                    pattern[j] |= one << np.uint64(i)
            for pivot in range(s):
                for row in range(pivot + 1, s):
                    if (pattern[pivot] >> np.uint64(row)) & one:
                        pattern[row] |= pattern[pivot] & ~(one << np.uint64(row))
                        operations[count] = (a + row) * 256 + a + pivot
                        count += 1
            for row in range(s - 1, -1, -1):
                for pivot in range(row + 1, s):
                    if (pattern[row] >> np.uint64(pivot)) & one:
                        operations[count] = (a + row) * 256 + a + pivot
                        count += 1
            for arc in range(cells[cell, PLAN.first_arc], cells[cell, PLAN.end_arc]):
                if arc_row[arc] >= s:
                    operations[count] = (arc_row[arc] - s) * 256 + a + arc_column[arc]
                    count += 1
        cells[cell, PLAN.end_operation] = count
    return count
