"""Compiled loops that make one shortest-path tree from customised fronts.

The source's distances climb from its cell to the root, d[S ∪ A] = min(d, d[S] ⊗ R) over the few cells above it; then
every cell takes its own from its border's, parents first, d[S] = min(d[S], d[A] ⊗ L). Lanes run over the nodes of a
cell and the border's distances are spread over them: Delling, Goldberg, Nowatzyk and Werneck, "PHAST", JPDC 73(7),
2013, do the same with arcs in place of matrices. What a vector writes behind a cell, the next cell overwrites; where
the climb reached a cell, its offers are brought in as soon as its level is made.

Rows of leaves, more than half of all that is read, are kept in 16 bits; the few leaves with a distance that does not
fit are swept again in full width. One vector is 16 entries: LLVM makes it as many registers as the processor needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from wayfront.compiling import inlined, loop_without_allocation, part_without_allocation
from wayfront.dissection.host_climb_kernels import (
    CELL_COLUMNS,
    PART,
    POSITION,
    SLOT,
    R,
    climb,
)
from wayfront.dissection.host_order import (
    FIRST_BORDER,
    FIRST_COPY,
    FIRST_INNER_ENTRY,
    FIRST_LEAF_BORDER,
    FIRST_LEAF_ENTRY,
    FIRST_NODE,
    FIRST_RANGE,
    FIRST_RUN,
    PART_COLUMNS,
)
from wayfront.dissection.vectors import (
    LANES_1,
    LANES_4,
    LANES_8,
    LANES_16,
    add,
    count_of,
    get,
    load,
    load_short,
    minimum,
    prefetch,
    put,
    splat,
    store,
    store_first,
)
from wayfront.kernels.branchless import choose

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]

LINE = 32
"""Entries of 16 bits in a cache line."""

AHEAD = 3072
"""How many entries beyond the rows of a leaf those are that are asked for while it is swept: memory answers late."""


WIDE_COLUMNS = 5
NODES, COUNT, PLACE, ENTRY, WIDE_SLOT = range(WIDE_COLUMNS)
"""Columns of ``Matrices.wide``: a leaf's nodes, border, place in ``borders``, first entry of L and first slot."""


class Path(NamedTuple):
    """What a climb from any of many sources reads; c cells, n nodes, m arcs.

    parent, offsets, border_offsets, is_leaf   as in ``Dissection``
    cell_of_node  int32 [n]; ``index_in_cell`` int32 [n]: a node's index among those of its cell
    r_offset                                   as in ``HostOrder``
    arc_offsets, arc_row, arc_column           as in ``FrontLayout``
    """

    parent: Int32Array
    offsets: Int32Array
    border_offsets: Int64Array
    is_leaf: NDArray[np.bool_]
    cell_of_node: Int32Array
    index_in_cell: Int32Array
    r_offset: Int64Array
    arc_offsets: Int64Array
    arc_row: NDArray[np.int16]
    arc_column: NDArray[np.int16]


class Climb(NamedTuple):
    """What the climb of one tree reads: little of each array, so all about a cell lies in one cache line.

    cells     int64 [(c + 1) · CELL_COLUMNS]: of each cell its parent, first position, first entry of ``border``, first
              entry of R (−1 for a leaf), first arc, part and slot; the last row ends the one before
    cell_of_node, position  int32 [n]
    border    as in ``Dissection``
    arc_row, arc_column     as in ``FrontLayout``
    """

    cells: Int64Array
    cell_of_node: Int32Array
    position: Int32Array
    border: Int32Array
    arc_row: NDArray[np.int16]
    arc_column: NDArray[np.int16]


class Sweep(NamedTuple):
    """What the descent reads: arrays of ``HostOrder``."""

    parts: Int64Array
    levels: Int32Array
    inner_shapes: NDArray[Any]
    leaf_runs: Int32Array
    copied: NDArray[Any]
    borders: NDArray[Any]
    slot_of: NDArray[Any]
    ranges: Int32Array


class Matrices(NamedTuple):
    """Results of customising, in the dtype of distances.

    inner_l, leaf_l, inner_r, weights   as in ``HostFronts``
    rows         L of leaves as it is swept: uint16, or ``leaf_l`` itself
    wide         int64 [w · WIDE_COLUMNS], the leaves with a distance that ``rows`` cannot hold
    first_wide   int64 [parts + 1]: the first of each part
    """

    inner_l: NDArray[Any]
    leaf_l: NDArray[Any]
    inner_r: NDArray[Any]
    weights: NDArray[Any]
    rows: NDArray[Any]
    wide: Int64Array
    first_wide: Int64Array


class Scratch(NamedTuple):
    """Work arrays of one tree, with space for a vector behind the last element that is used.

    distances  the slots of the top, then those of one part for each core
    climbed    [n]: by position, distances that the climb found in inner cells above the source
    near       [front]: distances from the source in the front of its leaf
    front      [2, front]: a front's reached distances, and what they offer; ``rows`` int64 [front]: their rows of R
    path       int64: how many inner cells lie above the source or are its own, then these, the lowest first
    """

    distances: NDArray[Any]
    climbed: NDArray[Any]
    near: NDArray[Any]
    front: NDArray[Any]
    rows: Int64Array
    path: Int64Array


@loop_without_allocation
def make_tree_by_vectors(infinity, unreached, source, home, climbing, sweep, matrices, scratch, out):  # type: ignore[no-untyped-def]
    """Write the distances from a source to the nodes in their order, all on one core.

    Lanes are no arguments here: Numba finds out the type of each one anew at every call, which takes 10 µs.
    """
    lanes = LANES_4, LANES_8, LANES_16
    _make_tree(*lanes, infinity, unreached, source, home, climbing, sweep, matrices, scratch, out)


@loop_without_allocation
def make_tree_plainly(infinity, unreached, source, home, climbing, sweep, matrices, scratch, out):  # type: ignore[no-untyped-def]
    """``make_tree_by_vectors`` without vectors."""
    lanes = LANES_1, LANES_1, LANES_1
    _make_tree(*lanes, infinity, unreached, source, home, climbing, sweep, matrices, scratch, out)


@part_without_allocation
def _make_tree(  # type: ignore[no-untyped-def]
    four, eight, lanes, infinity, unreached, source, home, climbing, sweep, matrices, scratch, out
):
    climb(lanes, infinity, source, climbing, matrices, scratch)
    for part in range(len(matrices.first_wide) - 1):
        begin = home if part > 0 else 0
        make_part(four, eight, lanes, infinity, unreached, source, part, begin, climbing, sweep, matrices, scratch, out)


@loop_without_allocation
def make_part(  # type: ignore[no-untyped-def]
    four, eight, lanes, infinity, unreached, source, part, home, climbing, sweep, matrices, scratch, out
):
    """Make and deliver the distances of one part, whose slots begin at ``home``; part 0 is the top, and comes first."""
    row, d = part * PART_COLUMNS, scratch.distances
    copies = get(sweep.parts, row + FIRST_COPY)
    count = get(sweep.parts, row + PART_COLUMNS + FIRST_COPY) - copies
    for i in range(count):
        put(d, home + i, get(d, get(sweep.copied, copies + i)))
    leaves = _descend_inner(
        four, eight, lanes, infinity, part, home, home + count, climbing, sweep, matrices.inner_l, scratch
    )
    _descend_leaves(lanes, infinity, part, home, leaves, sweep, matrices.rows, d)
    _finish_leaves(lanes, infinity, source, part, home, climbing, sweep.borders, matrices, scratch)
    _deliver(infinity, unreached, part, home, sweep, d, out)


@inlined
def _take_from_border(lanes, infinity, nodes, count, borders, border, l, entry, d, home, slot):  # type: ignore[no-untyped-def]  # noqa: E741
    """Make the distances of a cell's nodes from those of its border."""
    for j in range(0, nodes, count_of(lanes)):
        best = splat(lanes, infinity)
        for i in range(count):
            spread = splat(lanes, get(d, home + np.int64(get(borders, border + i))))
            best = minimum(best, add(spread, load(lanes, l, entry + i * nodes + j)))
        store(d, slot + j, best)


@part_without_allocation
def _descend_inner(four, eight, lanes, infinity, part, home, slot, climbing, sweep, l, scratch):  # type: ignore[no-untyped-def]  # noqa: E741
    """Make a part's inner cells from ``slot`` on, level by level; return the slot behind them."""
    row, d, borders = part * PART_COLUMNS, scratch.distances, sweep.borders
    border, entry = get(sweep.parts, row + FIRST_BORDER), get(sweep.parts, row + FIRST_INNER_ENTRY)
    depths, height = len(sweep.levels) // (len(sweep.parts) // PART_COLUMNS - 1), get(scratch.path, 0)
    for depth in range(depths):
        level = part * depths + depth
        for cell in range(get(sweep.levels, level), get(sweep.levels, level + 1)):
            nodes = np.int64(get(sweep.inner_shapes, 2 * cell))
            count = np.int64(get(sweep.inner_shapes, 2 * cell + 1))
            if nodes <= 4:
                _take_from_border(four, infinity, nodes, count, borders, border, l, entry, d, home, slot)
            elif nodes <= 8:
                _take_from_border(eight, infinity, nodes, count, borders, border, l, entry, d, home, slot)
            else:
                _take_from_border(lanes, infinity, nodes, count, borders, border, l, entry, d, home, slot)
            slot += nodes
            entry += nodes * count
            border += count
        if depth < height:
            _bring_in(get(scratch.path, height - depth), part, home, climbing.cells, d, scratch.climbed)
    return slot


@inlined
def _bring_in(cell, part, home, cells, d, climbed):  # type: ignore[no-untyped-def]
    """Lower the distances of a cell above the source, if it lies in this part, to what the climb found."""
    row = cell * CELL_COLUMNS
    if get(cells, row + PART) == part:
        first, slot = get(cells, row + POSITION), home + get(cells, row + SLOT)
        for i in range(get(cells, row + CELL_COLUMNS + POSITION) - first):
            put(d, slot + i, min(get(d, slot + i), get(climbed, first + i)))


@inlined
def _ask_for(rows, entry, size):  # type: ignore[no-untyped-def]
    """Begin to bring rows to this core; beyond the end of the array that does nothing."""
    for place in range(entry, entry + size, LINE):
        prefetch(rows, place)


@part_without_allocation
def _descend_leaves(lanes, infinity, part, home, slot, sweep, rows, d):  # type: ignore[no-untyped-def]
    row, borders, infinite, width = part * PART_COLUMNS, sweep.borders, splat(lanes, infinity), count_of(lanes)
    border, entry = get(sweep.parts, row + FIRST_LEAF_BORDER), get(sweep.parts, row + FIRST_LEAF_ENTRY)
    for run in range(get(sweep.parts, row + FIRST_RUN), get(sweep.parts, row + PART_COLUMNS + FIRST_RUN)):
        nodes = np.int64(get(sweep.leaf_runs, 3 * run))
        count = np.int64(get(sweep.leaf_runs, 3 * run + 1))
        leaves = get(sweep.leaf_runs, 3 * run + 2)
        if nodes <= width:
            for _ in range(leaves):
                _ask_for(rows, entry + AHEAD, nodes * count)
                best = infinite
                for i in range(count):
                    spread = splat(lanes, get(d, home + np.int64(get(borders, border + i))))
                    best = minimum(best, add(spread, load_row(lanes, infinite, rows, entry)))
                    entry += nodes
                store(d, slot, best)
                slot += nodes
                border += count
        elif nodes <= 2 * width:
            behind = nodes - width  # the second vector ends with the leaf, and may overlap the first
            for _ in range(leaves):
                _ask_for(rows, entry + AHEAD, nodes * count)
                best, second = infinite, infinite
                for i in range(count):
                    spread = splat(lanes, get(d, home + np.int64(get(borders, border + i))))
                    best = minimum(best, add(spread, load_row(lanes, infinite, rows, entry)))
                    second = minimum(second, add(spread, load_row(lanes, infinite, rows, entry + behind)))
                    entry += nodes
                store(d, slot, best)
                store(d, slot + behind, second)
                slot += nodes
                border += count
        else:
            for _ in range(leaves):
                for j in range(0, nodes, width):
                    best = infinite
                    for i in range(count):
                        spread = splat(lanes, get(d, home + np.int64(get(borders, border + i))))
                        best = minimum(best, add(spread, load_row(lanes, infinite, rows, entry + i * nodes + j)))
                    store(d, slot + j, best)
                entry += nodes * count
                slot += nodes
                border += count


def load_row(lanes: Any, infinite: Any, rows: Any, entry: Any) -> Any:
    """Return entries of a row of L, kept in 16 bits or in full; compiled code only."""
    raise NotImplementedError


@overload(load_row)
def _load_row(lanes, infinite, rows, entry):  # type: ignore[no-untyped-def]
    if rows.dtype == types.uint16:
        return lambda lanes, infinite, rows, entry: load_short(infinite, rows, entry)
    return lambda lanes, infinite, rows, entry: load(lanes, rows, entry)


@part_without_allocation
def _finish_leaves(lanes, infinity, source, part, home, climbing, borders, matrices, scratch):  # type: ignore[no-untyped-def]
    """Sweep the leaves again whose rows do not fit 16 bits, and bring in the distances within the source's leaf."""
    d, infinite, wide, cells = scratch.distances, splat(lanes, infinity), matrices.wide, climbing.cells
    for k in range(get(matrices.first_wide, part), get(matrices.first_wide, part + 1)):
        nodes, count = get(wide, k * WIDE_COLUMNS + NODES), get(wide, k * WIDE_COLUMNS + COUNT)
        border, slot = get(wide, k * WIDE_COLUMNS + PLACE), home + get(wide, k * WIDE_COLUMNS + WIDE_SLOT)
        for j in range(0, nodes, count_of(lanes)):
            best, entry = infinite, get(wide, k * WIDE_COLUMNS + ENTRY) + j
            for i in range(count):
                spread = splat(lanes, get(d, home + np.int64(get(borders, border + i))))
                best = minimum(best, add(spread, load(lanes, matrices.leaf_l, entry)))
                entry += nodes
            store_first(d, slot + j, best, nodes - j)
    row = np.int64(get(climbing.cell_of_node, source)) * CELL_COLUMNS
    if get(cells, row + R) < 0 and get(cells, row + PART) == part:
        slot = home + get(cells, row + SLOT)
        for i in range(get(cells, row + CELL_COLUMNS + POSITION) - get(cells, row + POSITION)):
            put(d, slot + i, min(get(d, slot + i), get(scratch.near, i)))


@part_without_allocation
def _deliver(infinity, unreached, part, home, sweep, d, out):  # type: ignore[no-untyped-def]
    """Write the distances of a part's nodes in their order."""
    row = part * PART_COLUMNS
    place = get(sweep.parts, row + FIRST_NODE)
    for k in range(get(sweep.parts, row + FIRST_RANGE), get(sweep.parts, row + PART_COLUMNS + FIRST_RANGE)):
        first, count = np.int64(get(sweep.ranges, 2 * k)), np.int64(get(sweep.ranges, 2 * k + 1))
        for i in range(count):
            distance = get(d, home + np.int64(get(sweep.slot_of, place + i)))
            put(out, first + i, choose(distance < infinity, distance, unreached))
        place += count
