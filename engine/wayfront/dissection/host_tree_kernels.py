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
    Climb,
    Matrices,
    Path,  # noqa: F401 - old caches of kernels look for it here
    R,
    Scratch,
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
    Lanes,
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


@loop_without_allocation
def make_tree_by_vectors(
    infinity: int,
    unreached: int,
    source: int,
    home: int,
    climbing: Climb,
    sweep: Sweep,
    matrices: Matrices,
    scratch: Scratch,
    out: NDArray[Any],
) -> None:
    """Write the distances from a source to the nodes in their order, all on one core.

    Lanes are no arguments here: Numba finds out the type of each one anew at every call, which takes 10 µs.
    """
    lanes = LANES_4, LANES_8, LANES_16
    _make_tree(*lanes, infinity, unreached, source, home, climbing, sweep, matrices, scratch, out)


@loop_without_allocation
def make_tree_plainly(
    infinity: int,
    unreached: int,
    source: int,
    home: int,
    climbing: Climb,
    sweep: Sweep,
    matrices: Matrices,
    scratch: Scratch,
    out: NDArray[Any],
) -> None:
    """``make_tree_by_vectors`` without vectors."""
    lanes = LANES_1, LANES_1, LANES_1
    _make_tree(*lanes, infinity, unreached, source, home, climbing, sweep, matrices, scratch, out)


@part_without_allocation
def _make_tree(
    four: Lanes,
    eight: Lanes,
    lanes: Lanes,
    infinity: int,
    unreached: int,
    source: int,
    home: int,
    climbing: Climb,
    sweep: Sweep,
    matrices: Matrices,
    scratch: Scratch,
    out: NDArray[Any],
) -> None:
    climb(lanes, infinity, source, climbing, matrices, scratch)
    for part in range(len(matrices.first_wide) - 1):
        begin = home if part > 0 else 0
        make_part(four, eight, lanes, infinity, unreached, source, part, begin, climbing, sweep, matrices, scratch, out)


@loop_without_allocation
def make_part(
    four: Lanes,
    eight: Lanes,
    lanes: Lanes,
    infinity: int,
    unreached: int,
    source: int,
    part: int,
    home: int,
    climbing: Climb,
    sweep: Sweep,
    matrices: Matrices,
    scratch: Scratch,
    out: NDArray[Any],
) -> None:
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
def _take_from_border(
    lanes: Lanes,
    infinity: int,
    nodes: int,
    count: int,
    borders: NDArray[Any],
    border: int,
    rows_of_l: NDArray[Any],
    entry: int,
    d: NDArray[Any],
    home: int,
    slot: int,
) -> None:
    """Make the distances of a cell's nodes from those of its border."""
    for j in range(0, nodes, count_of(lanes)):
        best = splat(lanes, infinity)
        for i in range(count):
            spread = splat(lanes, get(d, home + np.int64(get(borders, border + i))))
            best = minimum(best, add(spread, load(lanes, rows_of_l, entry + i * nodes + j)))
        store(d, slot + j, best)


@part_without_allocation
def _descend_inner(
    four: Lanes,
    eight: Lanes,
    lanes: Lanes,
    infinity: int,
    part: int,
    home: int,
    slot: np.int64,
    climbing: Climb,
    sweep: Sweep,
    rows_of_l: NDArray[Any],
    scratch: Scratch,
) -> np.int64:
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
                _take_from_border(four, infinity, nodes, count, borders, border, rows_of_l, entry, d, home, slot)
            elif nodes <= 8:
                _take_from_border(eight, infinity, nodes, count, borders, border, rows_of_l, entry, d, home, slot)
            else:
                _take_from_border(lanes, infinity, nodes, count, borders, border, rows_of_l, entry, d, home, slot)
            slot += nodes
            entry += nodes * count
            border += count
        if depth < height:
            _bring_in(get(scratch.path, height - depth), part, home, climbing.cells, d, scratch.climbed)
    return slot


@inlined
def _bring_in(cell: int, part: int, home: int, cells: Int64Array, d: NDArray[Any], climbed: NDArray[Any]) -> None:
    """Lower the distances of a cell above the source, if it lies in this part, to what the climb found."""
    row = cell * CELL_COLUMNS
    if get(cells, row + PART) == part:
        first, slot = get(cells, row + POSITION), home + get(cells, row + SLOT)
        for i in range(get(cells, row + CELL_COLUMNS + POSITION) - first):
            put(d, slot + i, min(get(d, slot + i), get(climbed, first + i)))


@inlined
def _ask_for(rows: NDArray[Any], entry: int, size: int) -> None:
    """Begin to bring rows to this core; beyond the end of the array that does nothing."""
    for place in range(entry, entry + size, LINE):
        prefetch(rows, place)


@part_without_allocation
def _descend_leaves(
    lanes: Lanes, infinity: int, part: int, home: int, slot: np.int64, sweep: Sweep, rows: NDArray[Any], d: NDArray[Any]
) -> None:
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


@overload(load_row, strict=False)
def _load_row(lanes: Any, infinite: Any, rows: Any, entry: Any) -> Any:
    if rows.dtype == types.uint16:
        return lambda lanes, infinite, rows, entry: load_short(infinite, rows, entry)
    return lambda lanes, infinite, rows, entry: load(lanes, rows, entry)


@part_without_allocation
def _finish_leaves(
    lanes: Lanes,
    infinity: int,
    source: int,
    part: int,
    home: int,
    climbing: Climb,
    borders: NDArray[Any],
    matrices: Matrices,
    scratch: Scratch,
) -> None:
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
def _deliver(
    infinity: int, unreached: int, part: int, home: int, sweep: Sweep, d: NDArray[Any], out: NDArray[Any]
) -> None:
    """Write the distances of a part's nodes in their order."""
    row = part * PART_COLUMNS
    place = get(sweep.parts, row + FIRST_NODE)
    for k in range(get(sweep.parts, row + FIRST_RANGE), get(sweep.parts, row + PART_COLUMNS + FIRST_RANGE)):
        first, count = np.int64(get(sweep.ranges, 2 * k)), np.int64(get(sweep.ranges, 2 * k + 1))
        for i in range(count):
            distance = get(d, home + np.int64(get(sweep.slot_of, place + i)))
            put(out, first + i, choose(distance < infinity, distance, unreached))
        place += count
