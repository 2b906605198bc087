"""Distances from many points to some nodes alone, on the host: a batch that descends only to where these nodes are.

Delling, Goldberg and Werneck, "Faster batched shortest paths in road networks", ATMOS 2011, choose beforehand what a
downward sweep to given targets needs (RPHAST). Here these are the cells that hold targets and those above them, and of
a cell only some nodes: targets, and those on the border of a cell below that is needed itself. Their entries of L are
copied side by side in preorder, and each team of sources reads them from first to last, as in
``wayfront.dissection.host.batch``, whose ascent comes first.

A team's distances lie in rows of lanes: those of the cells from the root to the present one, and behind them a row for
each target, where leaves write at once. When a team has descended, destinations gather their rows in any order, and
squares of as many destinations as a vector has lanes are transposed into rows of the matrix.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop, loop_without_allocation
from wayfront.devices.cpu import aligned_empty
from wayfront.devices.device import Check
from wayfront.dissection.host.batch import (
    TEAM,
    TEAMS,
    HostBatch,
    Tables,
    Work,
    ascend,
    forget_ascend,
    lowered,
)
from wayfront.dissection.host.tree import HostTree
from wayfront.dissection.host.vectors import (
    Lanes,
    Vector,
    add,
    choose_below,
    count_of,
    get,
    load,
    minimum,
    put,
    splat,
    splat_like,
    store,
    store_transposed,
)
from wayfront.dissection.needed import TARGET, needed_for
from wayfront.dissection.points import Seeds, Targets, by_cell, reordered
from wayfront.dissection.shape import Int32Array, Int64Array, numbered
from wayfront.network.schema import NO_PATH

ROWS_BYTES = 1 << 24
"""Memory that the targets' rows of all teams may fill: fewer teams go through the cells together where it does not hold
four. More would push L out of the nearest caches, which then comes from farther away than for each team alone."""


class _Part(NamedTuple):
    cell: int
    nodes: int
    border: int
    row: int
    border_at: int
    entry_at: int
    rank_at: int
    targets: int
    target_at: int
    target_row: int


PART = numbered(_Part)
"""Where in a cell's record of ``Restricted.records`` the fields lie."""
PART_SIZE = 16


class Restricted(NamedTuple):
    """The cells that targets need, in preorder, with the needed nodes of each and their rows of L.

    records      int64 [p · PART_SIZE]: of each cell its number in the dissection, how many needed nodes and border
                 nodes it has, the row of its first needed node, where its ``border_rows``, ``packed`` and ``ranks``
                 begin; of an inner cell how many targets it has, where their ``target_nodes`` begin, and their first
                 row
    border_rows  int32: the row of each node on its border
    ranks        int32: the index of each needed node among all of its cell
    target_nodes int32: the index among its needed nodes of each target of an inner cell
    packed       L of needed nodes: two nodes' entries for each node of the border, an odd last node's alone
    path_rows    rows of the longest way down without its leaf; the targets' follow, and one without any path
    """

    records: Int64Array
    border_rows: Int32Array
    ranks: Int32Array
    target_nodes: Int32Array
    packed: NDArray[Any]
    path_rows: int


class Destinations(NamedTuple):
    """Where the rows of ``number`` destinations are, and how far each is from its node.

    rows   int64 [number], or [2 · number] with those of second ends behind all others; ``costs`` of each
    """

    rows: Int64Array
    costs: NDArray[Any]
    number: int


class Block(NamedTuple):
    """Where distances go: those of search i to ``matrix`` [… · l] from ``begins[i]`` on, as −1 without a path."""

    matrix: NDArray[Any]
    begins: Int64Array


class HostSweep:
    """Sweeps from any origins to targets that were chosen when it was made, with the matrices of that time."""

    def __init__(self, tree: HostTree, batch: HostBatch, targets: Targets) -> None:
        """Choose and copy what the targets need of the matrices."""
        self._tree, self._batch = tree, batch
        fronts = tree.fronts
        self._part = restrict(tree, fronts.order.dissection.position[targets.nodes])
        rows, costs = targets.by_end()
        self._destinations = Destinations(rows.astype(np.int64) + self._part.path_rows, costs, len(targets.ends))
        self._rows = self._part.path_rows + len(targets.nodes) + 1
        self._teams = max(1, min(TEAMS, ROWS_BYTES // (self._rows * batch.width * fronts.dtype.itemsize)))
        self._work: dict[int, tuple[Work, NDArray[Any]]] = {}
        self._most_seeds = 0

    def rows(self, seeds: Seeds, matrix: NDArray[Any], check: Check) -> None:
        """Write the distances [k, l] of k searches to all destinations, −1 without a path, row after row.

        ``check`` is called now and then.
        """
        fronts, batch, count = self._tree.fronts, self._batch, len(seeds.first) - 1
        size = self._teams * batch.width
        order = by_cell(seeds, self._tree.ascent.cell_of_node)
        sorted_seeds = reordered(seeds, order)
        self._require_room(int(np.diff(seeds.first).max(initial=0)) * batch.width)
        tables = Tables(self._tree.ascent, batch.cells, fronts.made.inner_r, fronts.made.weights, fronts.made.weights)
        begins = order * self._destinations.number
        flat = matrix.reshape(-1)

        def write(group: int, core: int) -> None:
            check()
            chosen = slice(group * size, min((group + 1) * size, count))
            filled = _filled(sorted_seeds, chosen, batch.width)
            to = Block(flat, begins[chosen])
            write_block(
                *(batch.lanes, fronts.infinity, filled, to, self._destinations, self._part, tables),
                *self._work_of(core),
            )

        batch.share(write, count if self._destinations.number else 0, size)

    def _require_room(self, seeds: int) -> None:
        """Make work arrays anew where a team may have more seeds than ever before."""
        if seeds > self._most_seeds:
            self._most_seeds = seeds
            self._work.clear()

    def _work_of(self, core: int) -> tuple[Work, NDArray[Any]]:
        """Return the work arrays of one core, and its square of distances to be transposed."""
        if core not in self._work:
            batch, fronts = self._batch, self._tree.fronts
            work = batch.make_work(self._most_seeds, self._teams, self._rows)
            work.path.reshape(self._teams, self._rows, batch.width)[:, -1] = fronts.infinity
            self._work[core] = work, aligned_empty(batch.lanes.count**2, fronts.dtype)
        return self._work[core]


def _filled(seeds: Seeds, chosen: slice, width: int) -> Seeds:
    """Return the seeds of some searches, filled up to whole teams by searches that begin nowhere."""
    first = seeds.first[chosen.start : chosen.stop + 1]
    of = slice(first[0], first[-1])
    missing = -(chosen.stop - chosen.start) % width
    return Seeds(
        np.concatenate((first, np.full(missing, first[-1]))) - first[0], seeds.nodes[of].copy(), seeds.costs[of].copy()
    )


def restrict(tree: HostTree, targets: Int32Array) -> Restricted:
    """Return what a descent to targets, ascending positions, needs."""
    fronts = tree.fronts
    order, cut = fronts.order, fronts.order.dissection
    listed, counts, needed = needed_for(cut, targets)
    borders = np.diff(cut.border_offsets)[listed]
    inner = ~cut.is_leaf[listed]
    records = np.zeros((len(listed), PART_SIZE), np.int64)
    records[:, PART.cell], records[:, PART.nodes], records[:, PART.border] = listed, counts, borders
    for field, sizes in ((PART.border_at, borders), (PART.entry_at, counts * borders), (PART.rank_at, counts)):
        records[:, field] = np.cumsum(sizes) - sizes
    border_rows, ranks = np.empty(int(borders.sum()), np.int32), np.empty(int(counts.sum()), np.int32)
    target_nodes = np.empty(len(targets), np.int32)
    row_of, end_of = np.empty(cut.node_count, np.int32), np.zeros(cut.cell_count, np.int32)
    path_rows = lay_out(
        *(records.reshape(-1), inner, cut.parent, cut.offsets, cut.border_offsets, cut.border, needed),
        *(row_of, end_of, border_rows, ranks, target_nodes),
    )
    packed = aligned_empty(int((counts * borders).sum()), fronts.dtype)
    made = fronts.made
    pack(records.reshape(-1), inner, ranks, order.l_offset, cut.offsets, made.inner_l, made.leaf_l, packed)
    return Restricted(records.reshape(-1), border_rows, ranks, target_nodes, packed, path_rows)


@loop
def lay_out(
    records: Int64Array,
    inner: NDArray[np.bool_],
    parent: Int32Array,
    offsets: Int32Array,
    border_offsets: Int64Array,
    border: Int32Array,
    needed: NDArray[np.uint8],
    row_of: Int32Array,
    end_of: Int32Array,
    border_rows: Int32Array,
    ranks: Int32Array,
    target_nodes: Int32Array,
) -> int:
    """Number the rows of all needed nodes, and list them; return how many the longest way down has without its leaf.

    ``row_of`` is filled by position and ``end_of``, which begins with 0, by cell: one past the last row down to there.
    A cell that needs no node of its own is not among the records, and none below it borders on it.
    """
    path_rows, target = 0, 0
    for i in range(len(inner)):
        base = i * PART_SIZE
        cell, rank_at = records[base + PART.cell], records[base + PART.rank_at]
        above = parent[cell]
        while above >= 0 and end_of[above] == 0:
            above = parent[above]
        row = end_of[above] if above >= 0 else 0
        records[base + PART.row] = row
        records[base + PART.target_at] = target
        count = 0
        for position in range(offsets[cell], offsets[cell + 1]):
            if needed[position]:
                row_of[position] = row + count
                ranks[rank_at + count] = position - offsets[cell]
                if needed[position] & TARGET:
                    target_nodes[target] = count
                    target += 1
                count += 1
        at = records[base + PART.border_at]
        for k in range(border_offsets[cell], border_offsets[cell + 1]):
            border_rows[at] = row_of[border[k]]
            at += 1
        if inner[i]:
            records[base + PART.targets] = target - records[base + PART.target_at]
            end_of[cell] = row + count
            path_rows = max(path_rows, row + count)
    for i in range(len(inner)):
        base = i * PART_SIZE
        records[base + PART.target_row] = path_rows + records[base + PART.target_at]
        if not inner[i]:
            records[base + PART.row] = records[base + PART.target_row]
    return path_rows


@loop
def pack(
    records: Int64Array,
    inner: NDArray[np.bool_],
    ranks: Int32Array,
    l_offset: Int64Array,
    offsets: Int32Array,
    inner_l: NDArray[Any],
    leaf_l: NDArray[Any],
    packed: NDArray[Any],
) -> None:
    """Copy the rows of L of needed nodes to where the descent reads them."""
    for i in range(len(inner)):
        base = i * PART_SIZE
        cell, nodes, border = records[base + PART.cell], records[base + PART.nodes], records[base + PART.border]
        all_nodes, first = offsets[cell + 1] - offsets[cell], l_offset[cell]
        rows_of_l = inner_l if inner[i] else leaf_l
        rank_at, at = records[base + PART.rank_at], records[base + PART.entry_at]
        for j in range(0, nodes - 1, 2):
            one, other = first + ranks[rank_at + j], first + ranks[rank_at + j + 1]
            for k in range(border):
                packed[at] = rows_of_l[one + k * all_nodes]
                packed[at + 1] = rows_of_l[other + k * all_nodes]
                at += 2
        if nodes % 2:
            one = first + ranks[rank_at + nodes - 1]
            for k in range(border):
                packed[at] = rows_of_l[one + k * all_nodes]
                at += 1


@loop_without_allocation
def write_block(
    lanes: Lanes,
    infinity: int,
    seeds: Seeds,
    to: Block,
    destinations: Destinations,
    part: Restricted,
    tables: Tables,
    work: Work,
    square: NDArray[Any],
) -> None:
    """Write the distances of searches, filled up to whole teams."""
    width = TEAM * count_of(lanes)
    teams, count = (len(seeds.first) - 1) // width, len(to.begins)
    for team in range(teams):
        ascend(lanes, infinity, team, team * width, seeds, tables, work)
    for index in range(len(part.records) // PART_SIZE):
        for team in range(teams):
            _make_cell(lanes, team, index, part, work)
    for team in range(teams):
        begin = team * (len(work.path) // len(work.counts))
        for j in range(0, width, count_of(lanes)):
            search = team * width + j
            wanted = min(count - search, count_of(lanes))
            if wanted > 0:
                _deliver(lanes, infinity, begin + j, wanted, search, to, destinations, work.path, square)
        forget_ascend(team, work)


@inlined
def _make_cell(lanes: Lanes, team: int, index: int, part: Restricted, work: Work) -> None:
    """Make the distances of a cell's needed nodes, those of the cells above being there."""
    n, base, rows = count_of(lanes), index * PART_SIZE, work.path
    width, teams = TEAM * n, len(work.counts)
    above = team * (len(rows) // teams)
    border = get(part.records, base + PART.border_at)
    end, entry = border + get(part.records, base + PART.border), get(part.records, base + PART.entry_at)
    made = to = above + get(part.records, base + PART.row) * width
    start, step = np.int64(get(work.start, get(part.records, base + PART.cell) * teams + team)), np.int64(0)
    if start > 0:
        step = np.int64(width)
    begin = team * (len(work.ascended) // teams) + start * width
    rank, nodes = get(part.records, base + PART.rank_at), get(part.records, base + PART.nodes)
    for i in range(0, nodes - 1, 2):
        at = begin + np.int64(get(part.ranks, rank + i)) * step
        a0, a1 = load(lanes, work.ascended, at), load(lanes, work.ascended, at + n)
        a2, a3 = load(lanes, work.ascended, at + 2 * n), load(lanes, work.ascended, at + 3 * n)
        at = begin + np.int64(get(part.ranks, rank + i + 1)) * step
        b0, b1 = load(lanes, work.ascended, at), load(lanes, work.ascended, at + n)
        b2, b3 = load(lanes, work.ascended, at + 2 * n), load(lanes, work.ascended, at + 3 * n)
        for k in range(border, end):
            at = above + np.int64(get(part.border_rows, k)) * width
            x0, x1 = load(lanes, rows, at), load(lanes, rows, at + n)
            x2, x3 = load(lanes, rows, at + 2 * n), load(lanes, rows, at + 3 * n)
            a, b = splat(lanes, get(part.packed, entry)), splat(lanes, get(part.packed, entry + 1))
            a0, a1, a2, a3 = lowered(a0, x0, a), lowered(a1, x1, a), lowered(a2, x2, a), lowered(a3, x3, a)
            b0, b1, b2, b3 = lowered(b0, x0, b), lowered(b1, x1, b), lowered(b2, x2, b), lowered(b3, x3, b)
            entry += 2
        store(rows, to, a0)
        store(rows, to + n, a1)
        store(rows, to + 2 * n, a2)
        store(rows, to + 3 * n, a3)
        store(rows, to + 4 * n, b0)
        store(rows, to + 5 * n, b1)
        store(rows, to + 6 * n, b2)
        store(rows, to + 7 * n, b3)
        to += 2 * width
    if nodes % 2 == 1:
        at = begin + np.int64(get(part.ranks, rank + nodes - 1)) * step
        a0, a1 = load(lanes, work.ascended, at), load(lanes, work.ascended, at + n)
        a2, a3 = load(lanes, work.ascended, at + 2 * n), load(lanes, work.ascended, at + 3 * n)
        for k in range(border, end):
            at = above + np.int64(get(part.border_rows, k)) * width
            a = splat(lanes, get(part.packed, entry))
            a0, a1 = lowered(a0, load(lanes, rows, at), a), lowered(a1, load(lanes, rows, at + n), a)
            a2, a3 = lowered(a2, load(lanes, rows, at + 2 * n), a), lowered(a3, load(lanes, rows, at + 3 * n), a)
            entry += 1
        store(rows, to, a0)
        store(rows, to + n, a1)
        store(rows, to + 2 * n, a2)
        store(rows, to + 3 * n, a3)
    _keep_targets(lanes, base, above, made, part, rows)


@inlined
def _keep_targets(lanes: Lanes, base: int, above: int, made: int, part: Restricted, rows: NDArray[Any]) -> None:
    """Copy the distances of an inner cell's targets, before the next cell's come in their place."""
    n = count_of(lanes)
    to, first = above + get(part.records, base + PART.target_row) * TEAM * n, get(part.records, base + PART.target_at)
    for i in range(first, first + get(part.records, base + PART.targets)):
        node = made + np.int64(get(part.target_nodes, i)) * TEAM * n
        for j in range(0, TEAM * n, n):
            store(rows, to + j, load(lanes, rows, node + j))
        to += TEAM * n


@inlined
def _deliver(
    lanes: Lanes,
    infinity: int,
    begin: int,
    wanted: int,
    search: int,
    to: Block,
    destinations: Destinations,
    path: NDArray[Any],
    square: NDArray[Any],
) -> None:
    """Write the distances of a vector of searches, which begins at ``begin`` in every row of lanes.

    The first of them is ``search``, and ``wanted`` of them are real.
    """
    n, count, both = count_of(lanes), destinations.number, len(destinations.rows) > destinations.number
    width, infinite = TEAM * n, splat(lanes, infinity)
    none = splat_like(infinite, NO_PATH)
    for first in range(0, count, n):
        filled = min(n, count - first)
        for i in range(filled):
            best = _from_end(lanes, begin, width, first + i, destinations, path)
            if both:
                best = minimum(best, _from_end(lanes, begin, width, count + first + i, destinations, path))
            store(square, i * n, choose_below(best, infinite, best, none))
        if filled == n and wanted == n:
            store_transposed(lanes, square, to.matrix, to.begins, search, first)
        else:
            for j in range(wanted):
                at = get(to.begins, search + j) + first
                for i in range(filled):
                    put(to.matrix, at + i, get(square, i * n + j))


@inlined
def _from_end(lanes: Lanes, begin: int, width: int, end: int, destinations: Destinations, path: NDArray[Any]) -> Vector:
    """Return the distances to a destination by one of its ends."""
    there = load(lanes, path, begin + get(destinations.rows, end) * width)
    return add(there, splat(lanes, get(destinations.costs, end)))
