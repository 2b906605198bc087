"""One shortest-path tree at a time on the host, on one core or several; or the trees of several sources as a forest.

The source's distances ascend from its cell to the root, d[S ∪ A] = min(d, d[S] ⊗ R) over the few cells above it. Of
several sources each begins in its own cell with a distance of its own, and a cell above some of them is passed through
once, after all below. Then every cell takes its own from its border's, parents first, d[S] = min(d[S], d[A] ⊗ L).

Lanes run over the nodes of a cell and the border's distances are spread over them: Delling, Goldberg, Nowatzyk and
Werneck, "PHAST", JPDC 73(7), 2013, do the same with arcs in index of matrices. What a vector writes behind a cell, the
next cell overwrites; where the ascent reached a cell, its offers are brought in as soon as its level is made. The cells
of the ascent lie far apart in memory, so what belongs to one is kept together. Where a source lies in a leaf, a search
within its front comes first.

Rows of leaves, more than half of all that is read, are kept in 16 bits; the few leaves with a distance that does not
fit are swept again in full width. One vector is 16 entries: LLVM makes it as many registers as the processor needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation, part_without_allocation
from wayfront.devices.device import Divide
from wayfront.dissection.host.elimination import HostFronts
from wayfront.dissection.host.order import FIRST, FIRST_SIZE
from wayfront.dissection.host.vectors import (
    LANES_1,
    LANES_4,
    LANES_8,
    LANES_16,
    Lanes,
    add,
    count_of,
    get,
    lanes_of_processor,
    load,
    load_short,
    minimum,
    prefetch,
    put,
    splat,
    store,
    store_first,
)
from wayfront.dissection.shape import Int32Array, Int64Array, numbered
from wayfront.kernels.arithmetic import choose

MOST_WIDE = 8
"""If more than a leaf in so many does not fit 16 bits, all are swept in full width."""


class HostTree:
    """Makes trees from fronts that are customised; ``take`` reads what elimination has made.

    ``ascent`` and ``matrices`` are what every tree reads.
    """

    def __init__(self, fronts: HostFronts, *, lanes: Lanes | None = None, threads: int = 1, divide: Divide) -> None:
        """Make tables and work arrays. ``lanes`` 1 does without vectors, as where a processor has none."""
        layout, order, cut = fronts.layout, fronts.order, fronts.order.dissection
        self.fronts = fronts
        self._order, self._threads, self._divide = order, threads, divide
        plain = (lanes or lanes_of_processor(fronts.dtype)) == LANES_1
        self.lanes: tuple[Lanes, Lanes, Lanes] = (LANES_1,) * 3 if plain else (LANES_4, LANES_8, LANES_16)
        self._unreached = fronts.dtype.type(np.iinfo(fronts.dtype).max)
        cell_of_node = cut.cell_of[cut.position]
        self.ascent: Ascent = Ascent(
            self._records(), cell_of_node, cut.position, cut.border, layout.arc_row, layout.arc_column
        )
        self._sweep = Sweep(
            *(order.parts, order.levels, order.inner_shapes, order.leaf_runs),
            *(order.copied, order.borders, order.slot_of, order.ranges),
        )
        self.matrices: Matrices = self._read(np.empty(0, np.int32), fronts.made.leaf_rows)
        front = int(cut.front_sizes.max(initial=0)) + LANES_16.count
        self.scratch: Scratch = Scratch(
            np.empty(order.top_slots + threads * order.part_slots, fronts.dtype),
            np.empty(cut.node_count, fronts.dtype),
            np.empty(cut.node_count, fronts.dtype),
            np.empty(front, fronts.dtype),
            np.empty(2 * front, fronts.dtype),
            np.empty(front, np.int64),
            np.zeros(cut.cell_count, np.int8),
            np.empty(cut.cell_count, np.int64),
            np.empty(cut.cell_count, np.int64),
            np.zeros(order.depths + 1, np.int64),
            np.zeros(len(order.leaf_cells) + 1, np.int64),
        )
        self._one = np.empty(1, np.int32), np.zeros(1, fronts.dtype)

    @property
    def wide_leaves(self) -> int:
        """How many leaves have a distance that does not fit 16 bits."""
        return int(np.count_nonzero(self.fronts.is_wide))

    def take(self) -> None:
        """Read what elimination has made."""
        wide = np.flatnonzero(self.fronts.is_wide).astype(np.int32)
        if len(wide) * MOST_WIDE > len(self._order.leaf_cells):
            self.matrices = self._read(wide[:0], self.fronts.made.leaf_l)
        else:
            self.matrices = self._read(wide, self.fronts.made.leaf_rows)

    def make(self, source: int, distances: NDArray[Any]) -> None:
        """Write the distances from a node (internal number) to the nodes in their order, [n]."""
        self._one[0][0] = source
        self.make_forest(*self._one, distances)

    def make_forest(self, seeds: NDArray[np.int32], costs: NDArray[Any], distances: NDArray[Any]) -> None:
        """Write the distances to all nodes from where they are least: seed i (internal number) begins at ``costs[i]``.

        Costs are in the dtype of distances; with none of them may a distance reach infinity.
        """
        order = self._order
        tables = Tables(self.fronts.infinity, self._unreached, self.ascent, self._sweep, self.matrices, self.scratch)
        if self._threads == 1:
            make_tree = make_tree_plainly if self.lanes[0] == LANES_1 else make_tree_by_vectors
            make_tree(seeds, costs, order.top_slots, tables, distances)
            return

        def deliver_part(part: int, core: int) -> None:
            home = order.top_slots + core * order.part_slots if part else 0
            make_part(*self.lanes, part, home, tables, distances)

        ascend(self.lanes[2], tables.infinity, seeds, costs, self.ascent, self.matrices, self.scratch)
        deliver_part(0, 0)
        self._divide(deliver_part, range(1, order.part_count))

    def _records(self) -> NDArray[np.int64]:
        """Return ``Ascent.cells``."""
        order, cut = self._order, self._order.dissection
        records = np.zeros((cut.cell_count + 1, ASCENT_SIZE), np.int64)
        records[:-1, ASCENT.parent] = cut.parent
        records[:, ASCENT.position] = cut.offsets
        records[:, ASCENT.border] = cut.border_offsets
        records[:-1, ASCENT.r] = order.r_offset
        records[:, ASCENT.arc] = self.fronts.layout.arc_offsets
        records[:-1, ASCENT.part] = order.part
        records[:-1, ASCENT.slot] = order.slot
        records[:-1, ASCENT.depth] = cut.depth
        return records.ravel()

    def _read(self, wide: NDArray[np.int32], rows: NDArray[Any]) -> Matrices:
        fronts, order, cut = self.fronts, self._order, self._order.dissection
        records = np.empty((len(wide), WIDE_SIZE), np.int64)
        records[:, WIDE.nodes] = cut.offsets[wide + 1] - cut.offsets[wide]
        records[:, WIDE.border] = cut.border_offsets[wide + 1] - cut.border_offsets[wide]
        records[:, WIDE.border_at] = order.border_at[wide]
        records[:, WIDE.entry] = order.l_offset[wide]
        records[:, WIDE.slot] = order.slot[wide]
        first = np.searchsorted(order.part[wide], np.arange(order.part_count + 1))
        made = fronts.made
        return Matrices(made.inner_l, made.leaf_l, made.inner_r, made.weights, rows, records.ravel(), first)


class _Ascent(NamedTuple):
    parent: int
    position: int
    border: int
    r: int
    arc: int
    part: int
    slot: int
    depth: int


ASCENT = numbered(_Ascent)
ASCENT_SIZE = 8
"""Where in a cell's record of ``Ascent.cells`` the fields lie, and its entries: one cache line."""


class Ascent(NamedTuple):
    """What the ascent of one tree reads: little of each array, so all about a cell lies in one cache line.

    cells     int64 [(c + 1) · ASCENT_SIZE]: of each cell its parent, first position, first entry of ``border``, first
              entry of R (−1 for a leaf), first arc, part, slot and depth; the last row ends the one before
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


class Matrices(NamedTuple):
    """Results of customising, in the dtype of distances.

    inner_l, leaf_l, inner_r, weights   as in ``HostFronts``
    rows         L of leaves as it is swept: uint16, or ``leaf_l`` itself
    wide         int64 [w · WIDE_SIZE], the leaves with a distance that ``rows`` cannot hold
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
    ascended   [n]: by position, distances that the ascent found in the cells that it came through
    arrived    [n]: of inner ones, the distances with which it came to each
    near       [front]: distances in the front of a leaf from the sources there
    front      [2, front]: a front's reached distances, and what they offer; ``rows`` int64 [front]: their rows of R
    is_passed  int8 [c]: 0 but while cells are listed
    listed     int64 [c], while inner cells are listed
    passed     int64 [c]: the inner cells that the ascent came through, the deepest first
    at_depth   int64 [depths + 1]: where in ``passed`` those of each depth end, and those of the depth above it begin
    leaves     int64: how many leaves sources lie in, then these
    """

    distances: NDArray[Any]
    ascended: NDArray[Any]
    arrived: NDArray[Any]
    near: NDArray[Any]
    front: NDArray[Any]
    rows: Int64Array
    is_passed: NDArray[np.int8]
    listed: Int64Array
    passed: Int64Array
    at_depth: Int64Array
    leaves: Int64Array


@loop_without_allocation
def ascend(
    lanes: Lanes,
    infinity: int,
    seeds: Int32Array,
    costs: NDArray[Any],
    ascent: Ascent,
    matrices: Matrices,
    scratch: Scratch,
) -> None:
    """Bring the distances of sources up to the root's, and list the cells that they pass through."""
    ascended = scratch.ascended
    _list_cells(infinity, seeds, ascent, scratch)
    for i in range(len(seeds)):
        position = get(ascent.position, get(seeds, i))
        put(ascended, position, min(get(ascended, position), get(costs, i)))
    for i in range(get(scratch.leaves, 0)):
        _ascend_from_leaf(infinity, get(scratch.leaves, i + 1), ascent, matrices.weights, scratch)
    for i in range(get(scratch.at_depth, 0)):
        _ascend_from(lanes, infinity, get(scratch.passed, i), ascent, matrices.inner_r, scratch)


@part_without_allocation
def _list_cells(infinity: int, seeds: Int32Array, ascent: Ascent, scratch: Scratch) -> None:
    """List the cells of sources and all above, with no distance yet in any of them."""
    cells, at_depth, count, leaves = ascent.cells, scratch.at_depth, 0, 0
    for depth in range(len(at_depth)):
        put(at_depth, depth, 0)
    for i in range(len(seeds)):
        cell = np.int64(get(ascent.cell_of_node, get(seeds, i)))
        while cell >= 0 and get(scratch.is_passed, cell) == 0:
            row = cell * ASCENT_SIZE
            put(scratch.is_passed, cell, 1)
            for position in range(get(cells, row + ASCENT.position), get(cells, row + ASCENT_SIZE + ASCENT.position)):
                put(scratch.ascended, position, infinity)
            if get(cells, row + ASCENT.r) < 0:
                leaves += 1
                put(scratch.leaves, leaves, cell)
            else:
                depth = get(cells, row + ASCENT.depth)
                put(at_depth, depth, get(at_depth, depth) + 1)
                put(scratch.listed, count, cell)
                count += 1
            cell = get(cells, row + ASCENT.parent)
    put(scratch.leaves, 0, leaves)
    for i in range(leaves):
        put(scratch.is_passed, get(scratch.leaves, i + 1), 0)
    begin = 0
    for depth in range(len(at_depth) - 1, -1, -1):
        there = get(at_depth, depth)
        put(at_depth, depth, begin)
        begin += there
    for i in range(count):
        cell = get(scratch.listed, i)
        depth = get(cells, cell * ASCENT_SIZE + ASCENT.depth)
        put(scratch.passed, get(at_depth, depth), cell)
        put(at_depth, depth, get(at_depth, depth) + 1)
        put(scratch.is_passed, cell, 0)


@part_without_allocation
def _ascend_from_leaf(infinity: int, cell: int, ascent: Ascent, weights: NDArray[Any], scratch: Scratch) -> None:
    """Bring the distances of a leaf's sources to all nodes of its front."""
    cells, ascended, near, row = ascent.cells, scratch.ascended, scratch.near, cell * ASCENT_SIZE
    first, begin = get(cells, row + ASCENT.position), get(cells, row + ASCENT.border)
    nodes = get(cells, row + ASCENT_SIZE + ASCENT.position) - first
    border = get(cells, row + ASCENT_SIZE + ASCENT.border) - begin
    for i in range(nodes):
        put(near, i, get(ascended, first + i))
    for i in range(border):
        put(near, nodes + i, infinity)
    relax_leaf(cell, ascent, weights, near)
    for i in range(nodes):
        put(ascended, first + i, get(near, i))
    for i in range(border):
        position = get(ascent.border, begin + i)
        put(ascended, position, min(get(ascended, position), get(near, nodes + i)))


@part_without_allocation
def search_leaf(
    infinity: int, source: int, cost: int, ascent: Ascent, weights: NDArray[Any], near: NDArray[Any]
) -> None:
    """Fill ``near`` with distances in the front of a node's leaf, ``cost`` at the node."""
    cells, cell = ascent.cells, np.int64(get(ascent.cell_of_node, source))
    row = cell * ASCENT_SIZE
    first, end = get(cells, row + ASCENT.position), get(cells, row + ASCENT_SIZE + ASCENT.position)
    front = end - first + get(cells, row + ASCENT_SIZE + ASCENT.border) - get(cells, row + ASCENT.border)
    for i in range(front):
        put(near, i, infinity)
    put(near, get(ascent.position, source) - first, cost)
    relax_leaf(cell, ascent, weights, near)


@part_without_allocation
def relax_leaf(cell: int, ascent: Ascent, weights: NDArray[Any], near: NDArray[Any]) -> None:
    """Lower the distances in a leaf's front, its nodes' and then its border's, until no arc lowers any.

    Bellman and Ford's search is quick here: a leaf has a hundred arcs, and no R is kept of leaves.
    """
    cells, row = ascent.cells, cell * ASCENT_SIZE
    arcs, arc_end = get(cells, row + ASCENT.arc), get(cells, row + ASCENT_SIZE + ASCENT.arc)
    changed = True
    while changed:
        changed = False
        for index in range(arcs, arc_end):
            offer = get(near, get(ascent.arc_row, index)) + get(weights, index)
            if offer < get(near, get(ascent.arc_column, index)):
                put(near, get(ascent.arc_column, index), offer)
                changed = True


@part_without_allocation
def _ascend_from(
    lanes: Lanes, infinity: int, cell: int, ascent: Ascent, inner_r: NDArray[Any], scratch: Scratch
) -> None:
    """Bring a cell's distances to the nodes of its front, those that are reached at once."""
    cells, d, row = ascent.cells, scratch.ascended, cell * ASCENT_SIZE
    first, begin = get(cells, row + ASCENT.position), get(cells, row + ASCENT.border)
    nodes = get(cells, row + ASCENT_SIZE + ASCENT.position) - first
    front = nodes + get(cells, row + ASCENT_SIZE + ASCENT.border) - begin
    reached, entry = 0, get(cells, row + ASCENT.r)
    for i in range(nodes):
        distance = get(d, first + i)
        put(scratch.arrived, first + i, distance)
        if distance < infinity:
            put(scratch.front, reached, distance)
            put(scratch.rows, reached, entry + i * front)
            reached += 1
    offers = len(scratch.front) // 2
    for j in range(0, front, count_of(lanes)):
        best = splat(lanes, infinity)
        for i in range(reached):
            offered = load(lanes, inner_r, get(scratch.rows, i) + j)
            best = minimum(best, add(splat(lanes, get(scratch.front, i)), offered))
        store(scratch.front, offers + j, best)
    for i in range(nodes):
        put(d, first + i, min(get(d, first + i), get(scratch.front, offers + i)))
    for i in range(front - nodes):
        position = get(ascent.border, begin + i)
        put(d, position, min(get(d, position), get(scratch.front, offers + nodes + i)))


LINE = 32
"""Entries of 16 bits in a cache line."""

AHEAD = 3072
"""How many entries beyond the rows of a leaf those are that are asked for while it is swept: memory answers late."""


class _Wide(NamedTuple):
    nodes: int
    border: int
    border_at: int
    entry: int
    slot: int


WIDE = numbered(_Wide)
WIDE_SIZE = len(WIDE)
"""Where in a leaf's record of ``Matrices.wide`` the fields lie; ``border_at`` counts in ``borders``, ``entry`` in L."""


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


class Tables(NamedTuple):
    """What a tree is made of; no path is ``infinity`` within, and ``unreached`` in what is delivered."""

    infinity: int
    unreached: int
    ascent: Ascent
    sweep: Sweep
    matrices: Matrices
    scratch: Scratch


@loop_without_allocation
def make_tree_by_vectors(seeds: Int32Array, costs: NDArray[Any], home: int, tables: Tables, out: NDArray[Any]) -> None:
    """Write the distances from sources to the nodes in their order, all on one core.

    Lanes are no arguments here: Numba finds out the type of each one anew at every call, which takes 10 µs.
    """
    _make_tree(LANES_4, LANES_8, LANES_16, seeds, costs, home, tables, out)


@loop_without_allocation
def make_tree_plainly(seeds: Int32Array, costs: NDArray[Any], home: int, tables: Tables, out: NDArray[Any]) -> None:
    """``make_tree_by_vectors`` without vectors."""
    _make_tree(LANES_1, LANES_1, LANES_1, seeds, costs, home, tables, out)


@part_without_allocation
def _make_tree(
    four: Lanes,
    eight: Lanes,
    lanes: Lanes,
    seeds: Int32Array,
    costs: NDArray[Any],
    home: int,
    tables: Tables,
    out: NDArray[Any],
) -> None:
    ascend(lanes, tables.infinity, seeds, costs, tables.ascent, tables.matrices, tables.scratch)
    for part in range(len(tables.matrices.first_wide) - 1):
        make_part(four, eight, lanes, part, home if part > 0 else 0, tables, out)


@loop_without_allocation
def make_part(four: Lanes, eight: Lanes, lanes: Lanes, part: int, home: int, tables: Tables, out: NDArray[Any]) -> None:
    """Make and deliver the distances of one part, whose slots begin at ``home``; part 0 is the top, and comes first."""
    row, sweep, d = part * FIRST_SIZE, tables.sweep, tables.scratch.distances
    copies = get(sweep.parts, row + FIRST.copy)
    count = get(sweep.parts, row + FIRST_SIZE + FIRST.copy) - copies
    for i in range(count):
        put(d, home + i, get(d, get(sweep.copied, copies + i)))
    leaves = _descend_inner(four, eight, lanes, part, home, home + count, tables)
    _descend_leaves(lanes, part, home, leaves, tables.infinity, sweep, tables.matrices.rows, d)
    _finish_leaves(lanes, part, home, tables)
    _deliver(part, home, tables, out)


@inlined
def _take_from_border(
    lanes: Lanes, nodes: int, count: int, border: int, entry: int, home: int, slot: int, tables: Tables
) -> None:
    """Make the distances of an inner cell's nodes from those of its border."""
    borders, rows_of_l, d = tables.sweep.borders, tables.matrices.inner_l, tables.scratch.distances
    for j in range(0, nodes, count_of(lanes)):
        best = splat(lanes, tables.infinity)
        for i in range(count):
            spread = splat(lanes, get(d, home + np.int64(get(borders, border + i))))
            best = minimum(best, add(spread, load(lanes, rows_of_l, entry + i * nodes + j)))
        store(d, slot + j, best)


@part_without_allocation
def _descend_inner(
    four: Lanes, eight: Lanes, lanes: Lanes, part: int, home: int, slot: np.int64, tables: Tables
) -> np.int64:
    """Make a part's inner cells from ``slot`` on, level by level; return the slot behind them."""
    row, sweep, scratch = part * FIRST_SIZE, tables.sweep, tables.scratch
    border, entry = get(sweep.parts, row + FIRST.border), get(sweep.parts, row + FIRST.inner_entry)
    depths = len(sweep.levels) // (len(sweep.parts) // FIRST_SIZE - 1)
    for depth in range(depths):
        level = part * depths + depth
        for cell in range(get(sweep.levels, level), get(sweep.levels, level + 1)):
            nodes = np.int64(get(sweep.inner_shapes, 2 * cell))
            count = np.int64(get(sweep.inner_shapes, 2 * cell + 1))
            if nodes <= 4:
                _take_from_border(four, nodes, count, border, entry, home, slot, tables)
            elif nodes <= 8:
                _take_from_border(eight, nodes, count, border, entry, home, slot, tables)
            else:
                _take_from_border(lanes, nodes, count, border, entry, home, slot, tables)
            slot += nodes
            entry += nodes * count
            border += count
        for i in range(get(scratch.at_depth, depth + 1), get(scratch.at_depth, depth)):
            passed = get(scratch.passed, i)
            _bring_in(passed, part, home, tables.ascent.cells, scratch.distances, scratch.ascended)
    return slot


@inlined
def _bring_in(cell: int, part: int, home: int, cells: Int64Array, d: NDArray[Any], ascended: NDArray[Any]) -> None:
    """Lower the distances of a cell that the ascent came through, if it lies in this part, to what it found there."""
    row = cell * ASCENT_SIZE
    if get(cells, row + ASCENT.part) == part:
        first, slot = get(cells, row + ASCENT.position), home + get(cells, row + ASCENT.slot)
        for i in range(get(cells, row + ASCENT_SIZE + ASCENT.position) - first):
            put(d, slot + i, min(get(d, slot + i), get(ascended, first + i)))


@inlined
def _ask_for(rows: NDArray[Any], entry: int, size: int) -> None:
    """Begin to bring rows to this core; beyond the end of the array that does nothing."""
    for line in range(entry, entry + size, LINE):
        prefetch(rows, line)


@part_without_allocation
def _descend_leaves(
    lanes: Lanes, part: int, home: int, slot: np.int64, infinity: int, sweep: Sweep, rows: NDArray[Any], d: NDArray[Any]
) -> None:
    row, borders, infinite, width = part * FIRST_SIZE, sweep.borders, splat(lanes, infinity), count_of(lanes)
    border, entry = get(sweep.parts, row + FIRST.leaf_border), get(sweep.parts, row + FIRST.leaf_entry)
    for run in range(get(sweep.parts, row + FIRST.run), get(sweep.parts, row + FIRST_SIZE + FIRST.run)):
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
def _finish_leaves(lanes: Lanes, part: int, home: int, tables: Tables) -> None:
    """Sweep the leaves again whose rows do not fit 16 bits, and bring in the distances within the sources' leaves."""
    matrices, borders = tables.matrices, tables.sweep.borders
    infinite, d, wide = splat(lanes, tables.infinity), tables.scratch.distances, matrices.wide
    for k in range(get(matrices.first_wide, part), get(matrices.first_wide, part + 1)):
        nodes, count = get(wide, k * WIDE_SIZE + WIDE.nodes), get(wide, k * WIDE_SIZE + WIDE.border)
        border, slot = get(wide, k * WIDE_SIZE + WIDE.border_at), home + get(wide, k * WIDE_SIZE + WIDE.slot)
        for j in range(0, nodes, count_of(lanes)):
            best, entry = infinite, get(wide, k * WIDE_SIZE + WIDE.entry) + j
            for i in range(count):
                spread = splat(lanes, get(d, home + np.int64(get(borders, border + i))))
                best = minimum(best, add(spread, load(lanes, matrices.leaf_l, entry)))
                entry += nodes
            store_first(d, slot + j, best, nodes - j)
    for i in range(get(tables.scratch.leaves, 0)):
        _bring_in(get(tables.scratch.leaves, i + 1), part, home, tables.ascent.cells, d, tables.scratch.ascended)


@part_without_allocation
def _deliver(part: int, home: int, tables: Tables, out: NDArray[Any]) -> None:
    """Write the distances of a part's nodes in their order."""
    sweep, d, infinity = tables.sweep, tables.scratch.distances, tables.infinity
    row = part * FIRST_SIZE
    index = get(sweep.parts, row + FIRST.node)
    for k in range(get(sweep.parts, row + FIRST.range), get(sweep.parts, row + FIRST_SIZE + FIRST.range)):
        first, count = np.int64(get(sweep.ranges, 2 * k)), np.int64(get(sweep.ranges, 2 * k + 1))
        for i in range(count):
            distance = get(d, home + np.int64(get(sweep.slot_of, index + i)))
            put(out, first + i, choose(distance < infinity, distance, tables.unreached))
        index += count
