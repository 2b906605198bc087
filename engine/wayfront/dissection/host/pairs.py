"""The distance between two points on the host, and the shortest path, without the tree that it belongs to.

The source's distances ascend to the root as for a tree. Then only the cells above the target are made, from the root
down, and the target's distance is there. The path is walked backwards, from a node to its parent in the tree: of the
arcs that enter it with a positive weight, by rising file id of their tails, the first tight one (``d[u] + w = d[v]``).
Cells that hold such tails are made when they are first asked for, with those above them; a path of New York has 400
nodes and comes to 340 cells of 29,000. So it is the path of the tree, whatever else is as short.

Where a node is entered by tight arcs of weight 0 alone, its parent depends on more than its neighbours
(``wayfront.kernels.parents``), and the path is left to whoever makes a tree.

What is read lies far apart, and waiting for it would take most of the time. So all about a cell lies in one *block*,
asked for before the cells above it are made, and nodes are positions, of which those of a cell lie side by side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop, loop_without_allocation
from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.order import SPARE
from wayfront.dissection.host.tree import Ascent, HostTree, Matrices, Scratch, ascend
from wayfront.dissection.host.vectors import (
    LANES_1,
    LANES_4,
    LANES_16,
    Lanes,
    add,
    count_of,
    get,
    load,
    minimum,
    prefetch,
    put,
    splat,
    store_first,
)
from wayfront.dissection.points import LEFT_OPEN, Paths, Seeds
from wayfront.dissection.shape import Int32Array, Int64Array, numbered
from wayfront.kernels.arithmetic import choose
from wayfront.kernels.parents import order_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import NO_PATH, offsets_of
from wayfront.safe.memory import require_memory

NODES_OF_A_PATH = 1024
"""Nodes for which there is room at first for each path."""


class _Cell(NamedTuple):
    parent: int
    block: int
    made: int
    passed: int


CELL = numbered(_Cell)
CELL_SIZE = len(CELL)
"""Where in a cell's record of ``PairTables.cells`` the fields lie, and its entries."""


class _Head(NamedTuple):
    position: int
    nodes: int
    border: int
    is_leaf: int


HEAD = numbered(_Head)
HEAD_SIZE = len(HEAD)
"""Where in a block the fields before its border lie, and their entries."""


SIDE_BY_SIDE = 4
"""Arcs that enter a node of which no branch of the processor's depends; few nodes of a road network have more."""


class PairTables(NamedTuple):
    """What finding pairs reads, and work arrays.

    never    a weight with which no arc is tight
    cells    int32 or int64 [(c + 1) · CELL_SIZE]: of each cell its parent, where its block begins, and the last pair
             for which it was made and for which an ascent came through
    blocks   in the dtype of distances: of each cell its first position, how many nodes it and its border have, whether
             it is a leaf, the border's positions, L, row-major [border][nodes], and of each node the first of ``arcs``,
             ``SIDE_BY_SIDE`` tails and then so many weights, ``never`` where there is no such arc
    cell_of, node_at  int32 [n], by position
    begins   int32 or int64 [n + 1]: where the arcs that enter each position begin
    arcs     [2 · m] in the dtype of distances: the position of each one's tail, and its weight, −1 instead of 0 and of
             a closed one's; those of a node by rising file id of the tails
    pair     int64 [1]: how many pairs there have been
    waiting  int64 [depths]: cells to be made, the lowest first
    path     int32 [n]: the positions of a path backwards
    """

    infinity: int
    never: int
    ascent: Ascent
    matrices: Matrices
    cells: NDArray[Any]
    blocks: NDArray[Any]
    cell_of: Int32Array
    node_at: Int32Array
    begins: NDArray[Any]
    arcs: NDArray[Any]
    scratch: Scratch
    pair: Int64Array
    waiting: Int64Array
    path: Int32Array


class HostPairs:
    """Finds distances and paths between pairs of points, with copies of a tree's matrices that ``change`` renews."""

    def __init__(self, tree: HostTree, network: RoadNetwork) -> None:
        """Copy what pairs need. Raises ``MemoryShortError`` beforehand where that is not free."""
        fronts = tree.fronts
        order, cut = fronts.order, fronts.order.dissection
        self._tree, n = tree, cut.node_count
        nodes, borders = np.diff(cut.offsets).astype(np.int64), np.diff(cut.border_offsets)
        sizes = HEAD_SIZE + borders + nodes * borders + nodes * 2 * SIDE_BY_SIDE
        entries = int(sizes.sum()) + 2 * network.arc_count
        require_memory(
            entries * fronts.dtype.itemsize + 8 * network.arc_count,
            network.name,
            instead="close other programs, or find trees, which need no more",
        )
        cells = np.zeros((cut.cell_count + 1, CELL_SIZE), np.int64)
        cells[:-1, CELL.parent], cells[1:, CELL.block] = cut.parent, np.cumsum(sizes)
        heads = np.bincount(cut.position[network.targets], minlength=n)
        begins = offsets_of(heads)
        tails, self._place = np.empty(network.arc_count, np.int32), np.empty(network.arc_count, np.int32)
        free = begins[cut.position]
        order_arcs(network.offsets, network.targets, network.id_order()[0], free, tails, self._place)
        arcs = np.empty((network.arc_count, 2), fronts.dtype)
        arcs[:, 0] = cut.position[tails]
        index = np.int32 if max(cells.max(), begins[-1]) <= np.iinfo(np.int32).max else np.int64
        self._most_pairs = int(np.iinfo(index).max)
        self._tables = PairTables(
            infinity=fronts.infinity,
            never=int(np.iinfo(fronts.dtype).min),
            ascent=tree.ascent,
            matrices=tree.matrices._replace(rows=fronts.made.leaf_rows),  # of one type; they are not read
            cells=cells.ravel().astype(index),
            blocks=aligned_empty(int(cells[-1, CELL.block]) + SPARE, fronts.dtype),
            cell_of=cut.cell_of,
            node_at=cut.node_at,
            begins=begins.astype(index),
            arcs=arcs.ravel(),
            scratch=tree.scratch,
            pair=np.zeros(1, np.int64),
            waiting=np.empty(order.depths, np.int64),
            path=np.empty(n, np.int32),
        )
        self.change(np.arange(cut.cell_count, dtype=np.int32), np.arange(network.arc_count))

    def change(self, cells: Int32Array, arcs: NDArray[np.integer]) -> None:
        """Copy the matrices of cells anew, and the weights of arcs."""
        fronts, tables = self._tree.fronts, self._tables
        made, order = fronts.made, fronts.order
        cut = order.dissection
        weights = fronts.weights_of(arcs)
        tables.arcs[2 * self._place[arcs].astype(np.int64) + 1] = np.where(weights > 0, weights, -1)
        pack(
            *(cells, cut.offsets, cut.border_offsets, cut.border, cut.is_leaf, order.l_offset),
            *(made.inner_l, made.leaf_l, tables.cells, tables.begins, tables.arcs, tables.never, tables.blocks),
        )

    def distances(self, starts: Seeds, ends: Seeds) -> NDArray[Any]:
        """Return the distance of each of k pairs, [k], −1 without a path: from any of its starts to any of its ends."""
        count, none = len(starts.first) - 1, np.empty(0, np.int64)
        found = Paths(np.empty(count, self._tree.fronts.dtype), np.empty(0, np.int32), none, none)
        self._find(starts, ends, found, 0)
        return found.distances

    def paths(self, starts: Seeds, ends: Seeds) -> Paths:
        """Return distance and path of each pair."""
        count = len(starts.first) - 1
        found = Paths(
            np.empty(count, self._tree.fronts.dtype),
            np.empty(count * NODES_OF_A_PATH, np.int32),
            np.empty(count, np.int64),
            np.empty(count, np.int64),
        )
        done = self._find(starts, ends, found, 0)
        while done < count:
            found = found._replace(nodes=np.concatenate((found.nodes, np.empty_like(found.nodes))))
            done = self._find(starts, ends, found, done)
        return found

    def _find(self, starts: Seeds, ends: Seeds, found: Paths, begin: int) -> int:
        """Find the pairs from ``begin`` on; return how many are found, fewer than all where there was no more room."""
        tables = self._tables
        if tables.pair[0] + len(starts.first) > self._most_pairs:
            tables.pair[0] = 0
            tables.cells.reshape(-1, CELL_SIZE)[:, [CELL.made, CELL.passed]] = 0
        find = find_pairs_plainly if self._tree.lanes[0] == LANES_1 else find_pairs_by_vectors
        return int(find(begin, starts, ends, tables, found))


@loop
def pack(
    chosen: Int32Array,
    offsets: Int32Array,
    border_offsets: Int64Array,
    border: Int32Array,
    is_leaf: NDArray[np.bool_],
    l_offset: Int64Array,
    inner_l: NDArray[Any],
    leaf_l: NDArray[Any],
    cells: NDArray[Any],
    begins: NDArray[Any],
    arcs: NDArray[Any],
    never: int,
    blocks: NDArray[Any],
) -> None:
    """Fill the blocks of the chosen cells."""
    for i in range(len(chosen)):
        cell = chosen[i]
        at, first = cells[cell * CELL_SIZE + CELL.block], border_offsets[cell]
        nodes, count = offsets[cell + 1] - offsets[cell], border_offsets[cell + 1] - first
        blocks[at + HEAD.position], blocks[at + HEAD.nodes], blocks[at + HEAD.border] = offsets[cell], nodes, count
        blocks[at + HEAD.is_leaf] = is_leaf[cell]
        at += HEAD_SIZE
        for k in range(count):
            blocks[at + k] = border[first + k]
        at += count
        rows_of_l = leaf_l if is_leaf[cell] else inner_l
        for k in range(nodes * count):
            blocks[at + k] = rows_of_l[l_offset[cell] + k]
        at += nodes * count
        for position in range(offsets[cell], offsets[cell + 1]):
            for k in range(SIDE_BY_SIDE):
                arc = begins[position] + k
                there = arc < begins[position + 1]
                blocks[at + k] = arcs[2 * arc] if there else position
                weight = arcs[2 * arc + 1] if there else -1
                blocks[at + SIDE_BY_SIDE + k] = weight if weight > 0 else never
            at += 2 * SIDE_BY_SIDE


@loop_without_allocation
def find_pairs_by_vectors(begin: int, starts: Seeds, ends: Seeds, tables: PairTables, found: Paths) -> int:
    """Find the pairs from number ``begin`` on, until there is no more room; return the number of the next one.

    Lanes are no arguments, for a reason that ``make_tree_by_vectors`` gives.
    """
    return _find_pairs(LANES_4, LANES_16, begin, starts, ends, tables, found)


@loop_without_allocation
def find_pairs_plainly(begin: int, starts: Seeds, ends: Seeds, tables: PairTables, found: Paths) -> int:
    """``find_pairs_by_vectors`` without vectors."""
    return _find_pairs(LANES_1, LANES_1, begin, starts, ends, tables, found)


@inlined
def _find_pairs(
    four: Lanes, lanes: Lanes, begin: int, starts: Seeds, ends: Seeds, tables: PairTables, found: Paths
) -> int:
    used, position = np.int64(0), tables.ascent.position
    if begin > 0:
        used = get(found.ends, begin - 1)
    for i in range(begin, len(starts.first) - 1):
        first, last = get(starts.first, i), get(starts.first, i + 1)
        seeds, costs = starts.nodes[first:last], starts.costs[first:last]
        ascend(lanes, tables.infinity, seeds, costs, tables.ascent, tables.matrices, tables.scratch)
        _note_passed(tables)
        best, end, length = np.int64(tables.infinity), np.int64(-1), np.int64(0)
        for j in range(get(ends.first, i), get(ends.first, i + 1)):
            at = np.int64(get(position, get(ends.nodes, j)))
            distance = np.int64(_distance_at(four, lanes, at, tables)) + get(ends.costs, j)
            if distance < best:
                best, end = distance, at
        put(found.distances, i, best if best < tables.infinity else NO_PATH)
        if len(found.ends) > 0:
            if end >= 0:
                length = _walk(four, lanes, end, seeds, costs, tables)
            if used + length > len(found.nodes):
                return i
            for k in range(length):
                put(found.nodes, used + k, get(tables.node_at, get(tables.path, length - 1 - k)))
            if length > 0:
                used += length
            put(found.ends, i, used)
            put(found.lengths, i, length)
    return len(starts.first) - 1


@inlined
def _note_passed(tables: PairTables) -> None:
    """Begin a pair, and note which cells its ascent came through."""
    pair, cells, scratch = get(tables.pair, 0) + 1, tables.cells, tables.scratch
    put(tables.pair, 0, pair)
    for i in range(get(scratch.at_depth, 0)):
        put(cells, get(scratch.passed, i) * CELL_SIZE + CELL.passed, pair)
    for i in range(get(scratch.leaves, 0)):
        put(cells, get(scratch.leaves, i + 1) * CELL_SIZE + CELL.passed, pair)


LINE = 64
"""Bytes of a cache line."""


@inlined
def _distance_at(four: Lanes, lanes: Lanes, position: int, tables: PairTables) -> Any:
    """Return a node's distance; make its cell and those above where they are not made yet."""
    cells, blocks, d, pair = tables.cells, tables.blocks, tables.scratch.ascended, get(tables.pair, 0)
    cell, waiting = np.int64(get(tables.cell_of, position)), 0
    while cell >= 0 and get(cells, cell * CELL_SIZE + CELL.made) != pair:
        put(tables.waiting, waiting, cell)
        waiting += 1
        row = cell * CELL_SIZE
        put(cells, row + CELL.made, pair)
        block, end = get(cells, row + CELL.block), get(cells, row + CELL_SIZE + CELL.block)
        for entry in range(block, end, LINE // blocks.itemsize):
            prefetch(blocks, entry)
        cell = np.int64(get(cells, row + CELL.parent))
    while waiting > 0:
        waiting -= 1
        row = get(tables.waiting, waiting) * CELL_SIZE
        block, passed = np.int64(get(cells, row + CELL.block)), get(cells, row + CELL.passed) == pair
        if get(blocks, block + HEAD.nodes) <= 4:
            _make(four, tables.infinity, passed, block, blocks, d)
        else:
            _make(lanes, tables.infinity, passed, block, blocks, d)
    return get(d, position)


@inlined
def _make(lanes: Lanes, infinity: int, passed: bool, block: int, blocks: NDArray[Any], d: NDArray[Any]) -> None:
    """Make the distances of a cell's nodes from its border's and, if it is passed, from what the ascent brought."""
    nodes, position = np.int64(get(blocks, block + HEAD.nodes)), np.int64(get(blocks, block + HEAD.position))
    count = np.int64(get(blocks, block + HEAD.border))
    border = block + HEAD_SIZE
    for j in range(0, nodes, count_of(lanes)):
        best, entry = splat(lanes, infinity), border + count + j
        if passed:
            best = load(lanes, d, position + j)
        for i in range(border, border + count):
            spread = splat(lanes, get(d, np.int64(get(blocks, i))))
            best = minimum(best, add(spread, load(lanes, blocks, entry)))
            entry += nodes
        store_first(d, position + j, best, nodes - j)


@inlined
def _walk(four: Lanes, lanes: Lanes, end: int, seeds: Int32Array, costs: NDArray[Any], tables: PairTables) -> Any:
    """List the positions of the path to a node backwards; return how many there are, or ``LEFT_OPEN``."""
    cells, blocks, d = tables.cells, tables.blocks, tables.scratch.ascended
    at, length = np.int64(end), np.int64(0)
    while at >= 0:
        put(tables.path, length, at)
        length += 1
        distance = np.int64(get(d, at))
        for i in range(len(seeds)):
            if get(tables.ascent.position, get(seeds, i)) == at and get(costs, i) == distance:
                return length
        row = np.int64(get(tables.cell_of, at)) * CELL_SIZE
        block = np.int64(get(cells, row + CELL.block))
        nodes, count = np.int64(get(blocks, block + HEAD.nodes)), np.int64(get(blocks, block + HEAD.border))
        arc = block + HEAD_SIZE + count + nodes * count
        arc += (at - np.int64(get(blocks, block + HEAD.position))) * (2 * SIDE_BY_SIDE)
        parent = np.int64(-1)
        if get(blocks, block + HEAD.is_leaf) == 0:
            tried = np.int64(0)
            while tried < SIDE_BY_SIDE:
                tail, weight = get(blocks, arc + tried), np.int64(get(blocks, arc + SIDE_BY_SIDE + tried))
                tried += 1
                if weight > 0 and np.int64(_distance_at(four, lanes, np.int64(tail), tables)) + weight == distance:
                    parent, tried = np.int64(tail), np.int64(SIDE_BY_SIDE)
        else:  # tails of a leaf's arcs lie in it or above
            for k in range(SIDE_BY_SIDE - 1, -1, -1):
                tail = np.int64(get(blocks, arc + k))
                tight = np.int64(get(d, tail)) + np.int64(get(blocks, arc + SIDE_BY_SIDE + k)) == distance
                parent = choose(tight, tail, parent)
        if parent < 0:
            parent = _parent_among_many(four, lanes, at, tables)
        at = parent
    return np.int64(LEFT_OPEN)


@inlined
def _parent_among_many(four: Lanes, lanes: Lanes, at: int, tables: PairTables) -> Any:
    """Return the first tail of a tight arc behind those side by side, or −1."""
    distance = np.int64(get(tables.scratch.ascended, at))
    for arc in range(np.int64(get(tables.begins, at)) + SIDE_BY_SIDE, np.int64(get(tables.begins, at + 1))):
        tail, weight = np.int64(get(tables.arcs, 2 * arc)), np.int64(get(tables.arcs, 2 * arc + 1))
        if weight > 0 and np.int64(_distance_at(four, lanes, tail, tables)) + weight == distance:
            return tail
    return np.int64(-1)
