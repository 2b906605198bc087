"""The distance between two points on the host, and the shortest path, without the tree that it belongs to.

The source's distances ascend to the root as for a tree. Then only the cells above the target are made, from the root
down, and the target's distance is there.

The path is found backwards. A node that is not passed by the ascent is entered by the one node of its cell's border
whose distance and way to it come to its own distance; the ascent itself is followed down likewise. Where there is just
one such node, all shortest paths go through it, and what lies between is unpacked (``hops``). Where there are several,
the path is *walked* from a node to its parent in the tree: of the arcs that enter it with a positive weight, by rising
file id of their tails, the first tight one (``d[u] + w = d[v]``). Cells that hold such tails are made when they are
first asked for, with those above them. So it is the path of the tree, whatever else is as short.

Where a node is entered by tight arcs of weight 0 alone, its parent depends on more than its neighbours
(``wayfront.kernels.parents``), and the path is left to whoever makes a tree.

What is read lies far apart, and waiting for it would take most of the time. So all about a cell lies in one *block*,
asked for before the cells above it are made, and nodes are positions, of which those of a cell lie side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop, loop_without_allocation
from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.hops import (
    ALONG_ARC,
    IN_LEAF,
    ITEM,
    ITEM_SIZE,
    OF_FRONT,
    RECORD,
    RECORD_SIZE,
    TIED_IN_LEAF,
    WALKED,
    HostHops,
    bytes_of_hops,
    put_item,
    unpack,
)
from wayfront.dissection.host.order import SPARE
from wayfront.dissection.host.pair_tables import (
    CELL,
    CELL_SIZE,
    HEAD,
    HEAD_SIZE,
    SIDE_BY_SIDE,
    PairTables,
    given_at,
    places_of,
    tables_at,
)
from wayfront.dissection.host.tree import ASCENT, ASCENT_SIZE, HostTree, ascend
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
from wayfront.dissection.points import LEFT_OPEN, Paths, Seeds, seed_at
from wayfront.dissection.shape import Int32Array, Int64Array
from wayfront.kernels.arithmetic import choose
from wayfront.kernels.parents import order_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import NO_PATH, offsets_of
from wayfront.safe.memory import require_memory

NODES_OF_A_PATH = 1024
"""Nodes for which there is room at first for each path."""


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
            entries * fronts.dtype.itemsize + 8 * network.arc_count + bytes_of_hops(fronts),
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
        self._hops = HostHops(fronts)
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
            hops=self._hops.tables,
        )
        self._compiled = find_pairs_plainly if tree.lanes[0] == LANES_1 else find_pairs_by_vectors
        ends, found = seed_at(0, fronts.dtype), np.empty(1, fronts.dtype)
        one, none = np.empty(1, np.int64), np.empty(0, np.int64)
        self._one = seed_at(0, fronts.dtype), ends, Paths(found, np.empty(n, np.int32), one, one.copy())
        self._places = (
            places_of(self._tables, *self._one[:2], Paths(found, np.empty(0, np.int32), none, none)),
            places_of(self._tables, *self._one),
        )
        self.change(np.arange(cut.cell_count, dtype=np.int32), np.arange(network.arc_count))

    def change(self, cells: Int32Array, arcs: NDArray[np.integer]) -> None:
        """Copy the matrices of cells anew, and the weights of arcs."""
        fronts, tables = self._tree.fronts, self._tables
        made, order = fronts.made, fronts.order
        cut = order.dissection
        weights = fronts.weights_of(arcs)
        self._hops.change(cells)
        tables.arcs[2 * self._place[arcs].astype(np.int64) + 1] = np.where(weights > 0, weights, -1)
        pack(
            *(cells, cut.offsets, cut.border_offsets, cut.border, cut.is_leaf, order.l_offset),
            *(made.inner_l, made.leaf_l, tables.cells, tables.begins, tables.arcs, tables.never, tables.blocks),
        )

    def distance(self, start: int, end: int) -> int:
        """Return the distance from node to node, −1 without a path."""
        return self._find_one(start, end, self._places[0])

    def path(self, start: int, end: int) -> tuple[int, Int32Array | None]:
        """Return distance and nodes of the path from node to node, None for these where arcs of weight 0 decide it."""
        self._hops.find()
        distance, found = self._find_one(start, end, self._places[1]), self._one[2]
        length = int(found.lengths[0])
        return distance, None if length == LEFT_OPEN else found.nodes[:length].copy()

    def _find_one(self, start: int, end: int, places: Int64Array) -> int:
        """Find a pair by arrays that are kept for that."""
        starts, ends, found = self._one
        starts.nodes[0], ends.nodes[0] = start, end
        self._number(1)
        self._compiled(0, places, self._tables.cells, self._tables.blocks)
        return int(found.distances[0])

    def distances(self, starts: Seeds, ends: Seeds) -> NDArray[Any]:
        """Return the distance of each of k pairs, [k], −1 without a path: from any of its starts to any of its ends."""
        count, none = len(starts.first) - 1, np.empty(0, np.int64)
        found = Paths(np.empty(count, self._tree.fronts.dtype), np.empty(0, np.int32), none, none)
        self._find(starts, ends, found, 0)
        return found.distances

    def paths(self, starts: Seeds, ends: Seeds) -> Paths:
        """Return distance and path of each pair."""
        self._hops.find()
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

    def _number(self, count: int) -> None:
        """Begin to count pairs anew where there are no numbers for so many more."""
        tables = self._tables
        if tables.pair[0] + count > self._most_pairs:
            tables.pair[0] = 0
            tables.cells.reshape(-1, CELL_SIZE)[:, [CELL.made, CELL.passed]] = 0

    def _find(self, starts: Seeds, ends: Seeds, found: Paths, begin: int) -> int:
        """Find the pairs from ``begin`` on; return how many are found, fewer than all where there was no more room."""
        self._number(len(starts.first))
        places = places_of(self._tables, starts, ends, found)
        return int(self._compiled(begin, places, self._tables.cells, self._tables.blocks))


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
def find_pairs_by_vectors(begin: int, places: Int64Array, cells: NDArray[Any], blocks: NDArray[Any]) -> int:
    """Find the pairs from number ``begin`` on, until there is no more room; return the number of the next one.

    All arrays are found at their places; two of them are arguments for their types' sake. Lanes are no arguments, for a
    reason that ``make_tree_by_vectors`` gives.
    """
    return _find_pairs(LANES_4, LANES_16, begin, places, cells, blocks)


@loop_without_allocation
def find_pairs_plainly(begin: int, places: Int64Array, cells: NDArray[Any], blocks: NDArray[Any]) -> int:
    """``find_pairs_by_vectors`` without vectors."""
    return _find_pairs(LANES_1, LANES_1, begin, places, cells, blocks)


@inlined
def _find_pairs(
    four: Lanes, lanes: Lanes, begin: int, places: Int64Array, cells: NDArray[Any], blocks: NDArray[Any]
) -> int:
    tables = tables_at(places, cells, blocks)
    starts, ends, found = given_at(places, blocks)
    used, position = np.int64(0), tables.ascent.position
    if begin > 0:
        used = get(found.ends, begin - 1)
    for i in range(begin, len(starts.first) - 1):
        first, last = get(starts.first, i), get(starts.first, i + 1)
        seeds, costs = starts.nodes[first:last], starts.costs[first:last]
        _begin_pair(lanes, seeds, costs, tables)
        best, end, length = np.int64(tables.infinity), np.int64(-1), np.int64(0)
        for j in range(get(ends.first, i), get(ends.first, i + 1)):
            at = np.int64(get(position, get(ends.nodes, j)))
            distance = np.int64(_distance_at(four, lanes, at, tables)) + get(ends.costs, j)
            if distance < best:
                best, end = distance, at
        put(found.distances, i, best if best < tables.infinity else NO_PATH)
        if len(found.ends) > 0:
            if end >= 0:
                length = _path_to(four, lanes, end, seeds, costs, tables)
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
def _begin_pair(lanes: Lanes, seeds: Int32Array, costs: NDArray[Any], tables: PairTables) -> None:
    """Ascend from the source, and note which cells the ascent came through."""
    ascend(lanes, tables.infinity, seeds, costs, tables.ascent, tables.matrices, tables.scratch)
    pair, cells, scratch = get(tables.pair, 0) + 1, tables.cells, tables.scratch
    put(tables.pair, 0, pair)
    for i in range(get(scratch.at_depth, 0)):
        put(cells, get(scratch.passed, i) * CELL_SIZE + CELL.passed, pair)
    for i in range(get(scratch.leaves, 0)):
        put(cells, get(scratch.leaves, i + 1) * CELL_SIZE + CELL.passed, pair)


AT_SEEDS = -2
"""The begin of a path that is walked to any of several seeds."""

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
def _path_to(four: Lanes, lanes: Lanes, end: int, seeds: Int32Array, costs: NDArray[Any], tables: PairTables) -> Any:
    """List the positions of the path to a node backwards; return how many there are, or ``LEFT_OPEN``."""
    length, count, start = np.int64(0), np.int64(1), np.int64(get(tables.ascent.position, get(seeds, 0)))
    if len(seeds) > 1:
        put_item(tables.hops, 0, 0, 0, 0, AT_SEEDS, end, AT_SEEDS, WALKED)
    else:
        count = _list_hops(four, lanes, start, end, tables)
        if count < 0:
            return np.int64(LEFT_OPEN)
        unpack(count, tables.hops)
    item = np.int64(0) if count > 0 else np.int64(-1)
    while item >= 0:
        length = _list_item(four, lanes, item * ITEM_SIZE, length, seeds, costs, tables)
        if length < 0:
            return np.int64(LEFT_OPEN)
        item = np.int64(get(tables.hops.items, item * ITEM_SIZE + ITEM.before))
    if len(seeds) == 1:
        put(tables.path, length, start)
        length += 1
    return length


@inlined
def _list_hops(four: Lanes, lanes: Lanes, start: int, end: int, tables: PairTables) -> Any:
    """List the hops of the path as far as distances show them, last to first; return their number, or ``LEFT_OPEN``."""
    cells, hops, scratch = tables.cells, tables.hops, tables.scratch
    at, count, pair = np.int64(end), np.int64(0), get(tables.pair, 0)
    ascending, tied_in = False, np.int64(-1)
    while at != start:
        cell, found, root, node, here = np.int64(get(tables.cell_of, at)), 0, np.int64(-1), np.int64(0), np.int64(0)
        begin = np.int64(-1)
        if cell != tied_in:
            tied_in = np.int64(-1)
            distance = np.int64(get(scratch.arrived if ascending else scratch.ascended, at))
            if not ascending:
                here, node = cell, at - get(hops.records, cell * RECORD_SIZE + RECORD.first)
                found, root, begin = _entries_above(cell, at, distance, tables)
            if get(cells, cell * CELL_SIZE + CELL.passed) == pair:
                below, its_cell, its_root, its_node = _entries_below(cell, at, distance, ascending, tables)
                found += below
                if its_root >= 0:
                    here, root, node = its_cell, its_root, its_node
                    begin = get(hops.records, here * RECORD_SIZE + RECORD.first) + root
                    ascending = found == 1
        if found == 1 and root >= 0:
            put_item(hops, count, here, root, node, begin, at, count + 1, OF_FRONT)
        else:
            ascending, tied_in = False, cell
            _distance_at(four, lanes, at, tables)
            begin = _parent_of(four, lanes, at, tables)
            if begin < 0:
                return np.int64(LEFT_OPEN)
            put_item(hops, count, cell, 0, 0, begin, at, count + 1, ALONG_ARC)
        count += 1
        at = begin
    if count > 0:
        put(hops.items, (count - 1) * ITEM_SIZE + ITEM.before, -1)
    return count


@inlined
def _entries_above(cell: int, at: int, distance: int, tables: PairTables) -> tuple[Any, Any, Any]:
    """Return by how many nodes of a cell's border paths come to one of its own, the index of one, and its position."""
    blocks, d = tables.blocks, tables.scratch.ascended
    block = np.int64(get(tables.cells, cell * CELL_SIZE + CELL.block))
    nodes, count = np.int64(get(blocks, block + HEAD.nodes)), np.int64(get(blocks, block + HEAD.border))
    border = block + HEAD_SIZE
    entry = border + count + at - np.int64(get(blocks, block + HEAD.position))
    found, root, begin = 0, np.int64(-1), np.int64(-1)
    for j in range(count):
        position = np.int64(get(blocks, border + j))
        if np.int64(get(d, position)) + np.int64(get(blocks, entry + j * nodes)) == distance:
            found, root, begin = found + 1, nodes + j, position
    return found, root, begin


@inlined
def _entries_below(cell: int, at: int, distance: int, ascending: bool, tables: PairTables) -> tuple[Any, Any, Any, Any]:
    """Return by how many nodes of cells below, or of its own, the ascent came to a node; one's cell, index and its own.

    One within a leaf counts too, without an index. ``ascending`` is what came to it from below its own cell alone.
    """
    records, scratch, r = tables.ascent.cells, tables.scratch, tables.matrices.inner_r
    found, here, root, node = 0, np.int64(-1), np.int64(-1), np.int64(-1)
    if get(scratch.leaves, 0) > 0:
        leaf = np.int64(get(scratch.leaves, 1))
        if leaf == cell:
            return 2, here, root, node
        row = leaf * ASCENT_SIZE
        first, own = get(records, row + ASCENT.border), get(records, row + ASCENT_SIZE + ASCENT.position)
        own -= get(records, row + ASCENT.position)
        for j in range(get(records, row + ASCENT_SIZE + ASCENT.border) - first):
            if get(tables.ascent.border, first + j) == at and np.int64(get(scratch.near, own + j)) == distance:
                found += 1
    for i in range(get(scratch.at_depth, 0)):
        passed = np.int64(get(scratch.passed, i))
        if passed == cell and ascending:
            break
        row = passed * ASCENT_SIZE
        first, border = get(records, row + ASCENT.position), get(records, row + ASCENT.border)
        own = get(records, row + ASCENT_SIZE + ASCENT.position) - first
        size = own + get(records, row + ASCENT_SIZE + ASCENT.border) - border
        index = at - first if passed == cell else np.int64(-1)
        for j in range(own, size):
            index = choose(get(tables.ascent.border, border + j - own) == at, np.int64(j), index)
        if index >= 0:
            entry = get(records, row + ASCENT.r) + index
            for j in range(own):
                offer = np.int64(get(scratch.arrived, first + j)) + np.int64(get(r, entry + j * size))
                if j != index and offer == distance:
                    found, here, root, node = found + 1, passed, np.int64(j), index
        if passed == cell:
            break
    return found, here, root, node


@inlined
def _list_item(
    four: Lanes, lanes: Lanes, at: int, length: int, seeds: Int32Array, costs: NDArray[Any], tables: PairTables
) -> Any:
    """List the positions of an item backwards, but for its begin; return how many there are now, or ``LEFT_OPEN``."""
    items, hops = tables.hops.items, tables.hops
    kind, position = get(items, at + ITEM.kind), np.int64(get(items, at + ITEM.end))
    begin, put_at = np.int64(get(items, at + ITEM.begin)), np.int64(length)
    if kind == IN_LEAF:
        record = np.int64(get(items, at + ITEM.cell)) * RECORD_SIZE
        root, node = np.int64(get(items, at + ITEM.root)), np.int64(get(items, at + ITEM.node))
        own, first = get(hops.records, record + RECORD.own), get(hops.records, record + RECORD.first)
        row = get(hops.records, record + RECORD.row) - (root - own) * get(hops.records, record + RECORD.size)
        while node != root and node >= 0:
            node = np.int64(get(hops.leaf_rows, row + node))
            if node == TIED_IN_LEAF:
                node = np.int64(-1)
            else:
                put(tables.path, put_at, position)
                put_at += 1
                position = first + node
        if node == root:
            position = begin
    elif kind == ALONG_ARC:
        put(tables.path, put_at, position)
        put_at += 1
        position = begin
    while position != begin:
        put(tables.path, put_at, position)
        put_at += 1
        distance, ahead = np.int64(_distance_at(four, lanes, position, tables)), np.int64(-1)
        if begin == AT_SEEDS:
            for i in range(len(seeds)):
                if get(tables.ascent.position, get(seeds, i)) == position and get(costs, i) == distance:
                    ahead = np.int64(AT_SEEDS)
        if ahead != AT_SEEDS:
            ahead = _parent_of(four, lanes, position, tables)
            if ahead < 0:
                return np.int64(LEFT_OPEN)
        position = ahead
    return put_at


@inlined
def _parent_of(four: Lanes, lanes: Lanes, at: int, tables: PairTables) -> Any:
    """Return the position of a node's parent in the tree, −1 where arcs of weight 0 decide; its distance is made."""
    cells, blocks, d = tables.cells, tables.blocks, tables.scratch.ascended
    distance = np.int64(get(d, at))
    row = np.int64(get(tables.cell_of, at)) * CELL_SIZE
    block = np.int64(get(cells, row + CELL.block))
    nodes, count = np.int64(get(blocks, block + HEAD.nodes)), np.int64(get(blocks, block + HEAD.border))
    arc = block + HEAD_SIZE + count + nodes * count
    arc += (at - np.int64(get(blocks, block + HEAD.position))) * (2 * SIDE_BY_SIDE)
    parent, tried = np.int64(-1), np.int64(0)
    if get(blocks, block + HEAD.is_leaf) != 0:  # tails of a leaf's arcs lie in it or above
        tried = np.int64(SIDE_BY_SIDE)
        for k in range(SIDE_BY_SIDE - 1, -1, -1):
            tail = np.int64(get(blocks, arc + k))
            tight = np.int64(get(d, tail)) + np.int64(get(blocks, arc + SIDE_BY_SIDE + k)) == distance
            parent = choose(tight, tail, parent)
    while parent < 0 and (tried < SIDE_BY_SIDE or get(tables.begins, at) + tried < get(tables.begins, at + 1)):
        if tried < SIDE_BY_SIDE:
            tail, weight = np.int64(get(blocks, arc + tried)), np.int64(get(blocks, arc + SIDE_BY_SIDE + tried))
        else:
            entry = 2 * (np.int64(get(tables.begins, at)) + tried)
            tail, weight = np.int64(get(tables.arcs, entry)), np.int64(get(tables.arcs, entry + 1))
        tried += 1
        if weight > 0 and np.int64(_distance_at(four, lanes, tail, tables)) + weight == distance:
            parent = tail
    return parent
