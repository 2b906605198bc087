"""The last hop before every node of a front: shortest paths unpacked from a dissection, without any distance.

A *root* is a node of a cell's front. From it a shortest path through the cell's subtree reaches another node of the
front from a third one, the last front node before, or from the root itself, by a *hop*: an arc, or a path through the
subtree of a child. That path is noted as where it is unpacked next, in the first cell downwards of which it uses a
node. All this depends on weights alone, so it is found once for all pairs; where two ways are equally short, ``TIED``
is noted, and whoever unpacks finds the path otherwise.

So a path is unpacked from above (Dibbelt, Strasser and Wagner, Customizable contraction hierarchies, JEA 2016, do so by
shortcuts). What is read lies far apart, and memory answers late: hops are unpacked level by level, and those of a level
are all asked for before the first of them is looked at. New York's paths, of 346 nodes on average, are unpacked from 12
hops to 70, of which 64 lie in leaves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation
from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.elimination import HostFronts
from wayfront.dissection.host.vectors import get, prefetch, put
from wayfront.dissection.shape import Dissection, Int32Array, Int64Array, numbered
from wayfront.kernels.arithmetic import choose

TIED = -1
"""In place of a hop: there are several, none, or one of length 0."""

LAST_BITS = 13
"""A hop is a number of 63 bits: its cell, the indices of its root and its node there, the last front node before."""

NODE_BIT, ROOT_BIT, CELL_BIT = LAST_BITS, 2 * LAST_BITS, 3 * LAST_BITS
LARGEST = (1 << LAST_BITS) - 1

ARC = (1 << 24) - 1
"""In place of a hop's cell: it is an arc."""

TIED_IN_LEAF = 0xFFFF
"""``TIED`` in rows of leaves, of whose hops the last node before is noted alone, in 16 bits."""


class _Record(NamedTuple):
    row: int
    own: int
    size: int
    first: int


RECORD = numbered(_Record)
RECORD_SIZE = len(RECORD)
"""Where in a cell's record of ``Hops.records`` the fields lie, and its entries."""


class _Item(NamedTuple):
    cell: int
    root: int
    node: int
    begin: int
    end: int
    before: int
    kind: int


ITEM = numbered(_Item)
ITEM_SIZE = 8
"""Where in an item of ``Hops.items`` the fields lie, and its entries."""

OF_FRONT, ALONG_ARC, IN_LEAF, WALKED = range(4)
"""Kinds of items: hops that are yet to be unpacked, and those that are unpacked no further."""


class Hops(NamedTuple):
    """What unpacking reads and writes.

    records    int64 [c · RECORD_SIZE]: where each cell's rows begin, how many nodes it and its front have, the latter
               negative for a leaf, and its first position
    rows       int64: of each inner cell a row of hops for each node of its front as root, to all of the front
    leaf_rows  uint16: of each leaf a row for each node of its border as root, to all of the front
    items      int32 [n · ITEM_SIZE]: hops of the path at hand: their cell, the indices of root and node, the positions
               of both, the item before
    level      int32 [2 · n]: the items that are unpacked together, and those after them
    """

    records: Int64Array
    rows: Int64Array
    leaf_rows: NDArray[np.uint16]
    items: Int32Array
    level: Int32Array


class Layout(NamedTuple):
    """What finding hops reads of a cut: arrays of ``Dissection``, ``FrontLayout`` and ``HostOrder``.

    square_at  int64 [c]: where among the squares what is between the nodes of each border begins
    """

    children_offsets: Int32Array
    children: Int32Array
    border_offsets: Int64Array
    arc_offsets: Int64Array
    arc_row: NDArray[np.int16]
    arc_column: NDArray[np.int16]
    parent_index: NDArray[np.int16]
    l_offset: Int64Array
    r_offset: Int64Array
    square_at: Int64Array


class HostHops:
    """The hops of a dissection that is customised on the host, found again above arcs whose weights change."""

    def __init__(self, fronts: HostFronts) -> None:
        """Allocate ``bytes_of_hops``."""
        layout, order = fronts.layout, fronts.order
        cut = layout.dissection
        border, size = np.diff(cut.border_offsets), cut.front_sizes.astype(np.int64)
        own, leaves = size - border, cut.is_leaf
        sizes, rows, most = _entries_of(cut), np.zeros(cut.cell_count, np.int64), int(size.max(initial=0))
        squares = _starts(border * border)
        for kind in (leaves, ~leaves):
            rows[kind] = _starts(sizes[kind])[:-1]
        entries, leaf_entries = int(sizes[~leaves].sum()), int(sizes[leaves].sum())
        records = np.empty((cut.cell_count, RECORD_SIZE), np.int64)
        records[:, RECORD.row], records[:, RECORD.own], records[:, RECORD.first] = rows, own, cut.offsets[:-1]
        records[:, RECORD.size] = np.where(leaves, -size, size)
        self._fronts = fronts
        self._layout = Layout(
            *(cut.children_offsets, cut.children, cut.border_offsets),
            layout.arc_offsets,
            *(layout.arc_row, layout.arc_column, layout.parent_index),
            *(order.l_offset, order.r_offset, squares[:-1]),
        )
        self._squares = np.empty(int(squares[-1]), fronts.dtype), np.empty(int(squares[-1]), np.int64)
        self._scratch = np.empty(most * most, fronts.dtype), np.empty(most * most, np.int64)
        self._row = np.empty(3 * most, fronts.dtype)
        self._stale, self._any_stale = np.ones(cut.cell_count, np.bool_), True
        self.tables: Hops = Hops(
            records.ravel(),
            aligned_empty(entries, np.int64),
            aligned_empty(leaf_entries, np.uint16),
            np.empty(cut.node_count * ITEM_SIZE, np.int32),
            np.empty(2 * cut.node_count, np.int32),
        )

    def change(self, cells: Int32Array) -> None:
        """Note which cells are eliminated anew; their hops are found when they are next asked for."""
        self._stale[cells], self._any_stale = True, True

    def find(self) -> None:
        """Find the hops of cells that are new."""
        if self._any_stale:
            cells = np.flatnonzero(self._stale)[::-1].astype(np.int32)
            made = self._fronts.made
            find_hops(
                *(cells, self._fronts.infinity, self._layout, self.tables, made.weights, made.inner_l, made.leaf_l),
                *(made.inner_r, Found(*self._squares, *self._scratch, self._row)),
            )
            self._stale[:] = self._any_stale = False


def bytes_of_hops(fronts: HostFronts) -> int:
    """Return how much memory ``HostHops`` takes."""
    cut = fronts.layout.dissection
    sizes, squares = _entries_of(cut), int((np.diff(cut.border_offsets) ** 2).sum())
    rows = 8 * int(sizes[~cut.is_leaf].sum()) + 2 * int(sizes[cut.is_leaf].sum())
    return rows + squares * (8 + fronts.dtype.itemsize) + 40 * cut.node_count


def _entries_of(cut: Dissection) -> Int64Array:
    """Return how many hops are noted of each cell."""
    border, size = np.diff(cut.border_offsets), cut.front_sizes.astype(np.int64)
    return np.where(cut.is_leaf, border * size, size * size)


def _starts(sizes: Int64Array) -> Int64Array:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


# ---------------------------------------------------------------------------------------------- finding hops


class Found(NamedTuple):
    """What is found between the nodes of borders, and work arrays for one front.

    lengths, hops  of each cell [border, border]: how far its nodes are from one another through its subtree, and hops
    front, leads   [size, size]: the lengths of hops between the nodes of the front at hand, and where they are unpacked
    row            [3, size]: distances from a root, the last nodes before, and whether there are several
    """

    lengths: NDArray[Any]
    hops: Int64Array
    front: NDArray[Any]
    leads: Int64Array
    row: NDArray[Any]


@loop_without_allocation
def find_hops(
    cells: Int32Array,
    infinity: int,
    layout: Layout,
    hops: Hops,
    weights: NDArray[Any],
    inner_l: NDArray[Any],
    leaf_l: NDArray[Any],
    inner_r: NDArray[Any],
    found: Found,
) -> None:
    """Find the hops of some cells, children first."""
    for i in range(len(cells)):
        cell = np.int64(get(cells, i))
        if get(hops.records, cell * RECORD_SIZE + RECORD.size) < 0:
            _find_in_leaf(cell, infinity, layout, hops, weights, leaf_l, found)
        else:
            _begin_front(cell, infinity, layout, hops, weights, found)
            _find_in_front(cell, infinity, layout, hops, inner_l, inner_r, found)


@inlined
def _find_in_leaf(
    cell: int,
    infinity: int,
    layout: Layout,
    hops: Hops,
    weights: NDArray[Any],
    leaf_l: NDArray[Any],
    found: Found,
) -> None:
    """Find the last arcs of the paths from a leaf's border, and how far its nodes are from one another."""
    record, rows = cell * RECORD_SIZE, found.row
    at, own = get(hops.records, record + RECORD.row), get(hops.records, record + RECORD.own)
    size = -get(hops.records, record + RECORD.size)
    arcs, arc_end = get(layout.arc_offsets, cell), get(layout.arc_offsets, cell + 1)
    for root in range(own, size):
        for j in range(own):
            put(rows, j, get(leaf_l, get(layout.l_offset, cell) + (root - own) * own + j))
        for j in range(own, size):
            put(rows, j, infinity)
        for arc in range(arcs, arc_end):
            tail, head = np.int64(get(layout.arc_row, arc)), np.int64(get(layout.arc_column, arc))
            if tail < own and head >= own and head != root:
                put(rows, head, min(get(rows, head), get(rows, tail) + get(weights, arc)))
        put(rows, root, 0)
        for j in range(size):
            put(rows, size + j, -1)
        for arc in range(arcs, arc_end):
            tail, head = np.int64(get(layout.arc_row, arc)), np.int64(get(layout.arc_column, arc))
            weight = get(weights, arc)
            if (tail < own or tail == root) and get(rows, tail) + weight == get(rows, head) and head != root:
                before = np.int64(get(rows, size + head))
                put(rows, size + head, tail if weight > 0 and before in (-1, tail) else -2)
        square = get(layout.square_at, cell) + (root - own) * (size - own) - own
        for j in range(size):
            tail = np.int64(get(rows, size + j))
            tied = tail < 0 or get(rows, j) >= infinity
            put(hops.leaf_rows, at + (root - own) * size + j, TIED_IN_LEAF if tied else tail)
            if j >= own:
                put(found.lengths, square + j, get(rows, j))
                put(found.hops, square + j, TIED if tied else _lead(cell, root, j))


@inlined
def _lead(cell: int, root: int, node: int) -> Any:
    """Return a hop that is unpacked in a cell, ``TIED`` where it cannot be noted."""
    if cell >= ARC or root > LARGEST or node > LARGEST:
        return np.int64(TIED)
    return np.int64(cell) << CELL_BIT | np.int64(root) << ROOT_BIT | np.int64(node) << NODE_BIT


@inlined
def _begin_front(cell: int, infinity: int, layout: Layout, hops: Hops, weights: NDArray[Any], found: Found) -> None:
    """Fill a front with the lengths of hops, and where they are unpacked."""
    size, front, leads = get(hops.records, cell * RECORD_SIZE + RECORD.size), found.front, found.leads
    for entry in range(size * size):
        put(front, entry, infinity)
        put(leads, entry, ARC << CELL_BIT)
    for arc in range(get(layout.arc_offsets, cell), get(layout.arc_offsets, cell + 1)):
        entry = np.int64(get(layout.arc_row, arc)) * size + get(layout.arc_column, arc)
        put(front, entry, min(get(front, entry), get(weights, arc)))
    for number in range(get(layout.children_offsets, cell), get(layout.children_offsets, cell + 1)):
        child = np.int64(get(layout.children, number))
        first, square = get(layout.border_offsets, child), get(layout.square_at, child)
        count = get(layout.border_offsets, child + 1) - first
        for i in range(count):
            row = np.int64(get(layout.parent_index, first + i)) * size
            for j in range(count):
                entry, length = row + get(layout.parent_index, first + j), get(found.lengths, square + i * count + j)
                if i != j and length < infinity and length <= get(front, entry):
                    tied = length == get(front, entry)
                    put(leads, entry, TIED if tied else get(found.hops, square + i * count + j))
                    put(front, entry, length)


@inlined
def _find_in_front(
    cell: int,
    infinity: int,
    layout: Layout,
    hops: Hops,
    inner_l: NDArray[Any],
    inner_r: NDArray[Any],
    found: Found,
) -> None:
    """Find the last hops of the paths from all nodes of a front, and how far its border's are from one another."""
    record, rows, front, leads = cell * RECORD_SIZE, found.row, found.front, found.leads
    own, size = get(hops.records, record + RECORD.own), get(hops.records, record + RECORD.size)
    before, tied = size, 2 * size
    for root in range(size):
        for j in range(size):
            put(rows, j, get(front, root * size + j))
            put(rows, before + j, root)
            put(rows, tied + j, 0)
        for z in range(own):
            if root < own:
                length = get(inner_r, get(layout.r_offset, cell) + root * size + z)
            else:
                length = get(inner_l, get(layout.l_offset, cell) + (root - own) * own + z)
            if z != root and length < infinity:
                for j in range(size):
                    offer, best = length + get(front, z * size + j), get(rows, j)
                    less = offer < best
                    put(rows, before + j, choose(less, np.int64(z), np.int64(get(rows, before + j))))
                    both = choose(offer == best, np.int64(1), np.int64(get(rows, tied + j)))
                    put(rows, tied + j, choose(less, np.int64(0), both))
                    put(rows, j, min(offer, best))
        row = get(hops.records, record + RECORD.row) + root * size
        square = get(layout.square_at, cell) + (root - own) * (size - own) - own
        for j in range(size):
            last = np.int64(get(rows, before + j))
            lead = get(leads, last * size + j)
            sure = get(rows, tied + j) == 0 and get(front, last * size + j) > 0 and j != root
            if not sure or get(rows, j) >= infinity or last > LARGEST:
                lead = np.int64(TIED)
            put(hops.rows, row + j, lead if lead == TIED else lead | last)
            if root >= own and j >= own:
                put(found.lengths, square + j, min(get(rows, j), infinity))
                put(found.hops, square + j, lead if lead == TIED or last == root else _lead(cell, root, j))


# ------------------------------------------------------------------------------------------------- unpacking


@inlined
def put_item(
    hops: Hops, item: int, cell: int, root: int, node: int, begin: int, end: int, before: int, kind: int
) -> None:
    """Write an item."""
    items, at = hops.items, item * ITEM_SIZE
    put(items, at + ITEM.cell, cell)
    put(items, at + ITEM.root, root)
    put(items, at + ITEM.node, node)
    put(items, at + ITEM.begin, begin)
    put(items, at + ITEM.end, end)
    put(items, at + ITEM.before, before)
    put(items, at + ITEM.kind, kind)
    if kind == OF_FRONT:
        prefetch(hops.records, cell * RECORD_SIZE)


@inlined
def unpack(count: int, hops: Hops) -> None:
    """Unpack the first ``count`` items, each behind the one that it follows, until none is left to be unpacked."""
    level, used, waiting = hops.level, np.int64(count), np.int64(0)
    here: Any = np.int64(0)
    there: Any = np.int64(len(level) // 2)
    for item in range(count):
        if get(hops.items, item * ITEM_SIZE + ITEM.kind) == OF_FRONT:
            put(level, waiting, item)
            waiting += 1
    while waiting > 0:
        inner = np.int64(0)
        for i in range(waiting):
            asked = np.int64(get(level, here + i))
            if _ask_for_row(asked * ITEM_SIZE, hops):
                put(level, here + inner, asked)
                inner += 1
        waiting = np.int64(0)
        for i in range(inner):
            used, waiting = _unpack_item(np.int64(get(level, here + i)), used, there, waiting, hops)
        here, there = there, here


@inlined
def _ask_for_row(at: int, hops: Hops) -> Any:
    """Ask for the hop of an item; return whether it is unpacked further, which those in leaves are not."""
    items, record = hops.items, np.int64(get(hops.items, at + ITEM.cell)) * RECORD_SIZE
    root, node = np.int64(get(items, at + ITEM.root)), np.int64(get(items, at + ITEM.node))
    row, own = get(hops.records, record + RECORD.row), get(hops.records, record + RECORD.own)
    size = get(hops.records, record + RECORD.size)
    if size < 0:
        put(items, at + ITEM.kind, IN_LEAF)
        prefetch(hops.leaf_rows, row - (root - own) * size + node)
    else:
        prefetch(hops.rows, row + root * size + node)
    return size >= 0


@inlined
def _unpack_item(item: int, used: int, there: int, found: int, hops: Hops) -> tuple[Any, Any]:
    """Put the hops of a front in place of an item, last to first; return how many items and how many to come."""
    items, at = hops.items, item * ITEM_SIZE
    cell, root = np.int64(get(items, at + ITEM.cell)), np.int64(get(items, at + ITEM.root))
    begin = np.int64(get(items, at + ITEM.begin))
    end: Any = np.int64(get(items, at + ITEM.end))
    first_item: Any = np.int64(get(items, at + ITEM.before))
    record = cell * RECORD_SIZE
    row = get(hops.records, record + RECORD.row) + root * get(hops.records, record + RECORD.size)
    node: Any = np.int64(get(items, at + ITEM.node))
    while node != root:
        hop: Any = get(hops.rows, row + node)
        if hop == TIED:
            put_item(hops, item, cell, root, node, begin, end, first_item, WALKED)
            node = root
        else:
            last = hop & LARGEST
            ahead, before = begin, first_item
            if last != root:
                ahead, before = get(hops.records, record + RECORD.first) + last, used
            to = hop >> CELL_BIT
            kind = ALONG_ARC
            if to != ARC:
                kind = OF_FRONT
                put(hops.level, there + found, item)
                found += 1
            put_item(hops, item, to, hop >> ROOT_BIT & LARGEST, hop >> NODE_BIT & LARGEST, ahead, end, before, kind)
            if last != root:
                item, end = used, ahead
                used += 1
            node = last
    return used, found
