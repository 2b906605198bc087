"""Many shortest-path trees on the host, several teams of them at once on each core: lanes run over the sources.

A *team* of sources fills four vectors. An entry of L or R is read once for all of them and spread over the lanes, and
several teams go through the cells together, so that a matrix comes from memory once for all. Cells are taken in
preorder: what one needs of those above lies on the path to the root, and only the path's distances are kept,
[row][lane], small enough for the nearest caches. A cell's own rows come behind those of the cells above, a leaf's
behind those of all.

The registers hold two nodes of a team at a time. L is kept as these read it: two nodes' entries for each node of the
border, cell after cell, so that the descent reads one array from its beginning to its end.

Trees are written as rows, or reduced to their figures while they are made: then no distance of a leaf's node is kept.
What is noted is the largest distance of some cells that follow one another; those that have the largest of all are
made once more, to find the farthest node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation
from wayfront.devices.cpu import CACHE_LINE, aligned_empty
from wayfront.devices.device import Divide
from wayfront.dissection.host.tree import Ascent, HostTree, search_leaf
from wayfront.dissection.host.vectors import (
    LANES_4,
    Lanes,
    Vector,
    add,
    add_wide,
    choose_below,
    count_of,
    end_of_streams,
    get,
    keep_below,
    lanes_below,
    lanes_of_processor,
    load,
    maximum,
    minimum,
    put,
    splat,
    splat_like,
    store,
    stream,
)
from wayfront.dissection.points import Seeds
from wayfront.dissection.shape import Dissection, Figures, Int32Array, Int64Array, numbered
from wayfront.kernels.arithmetic import ones
from wayfront.network.copies import counted, counted_ranks
from wayfront.network.road_network import RoadNetwork

TEAMS = 4
"""Teams of sources that go through the cells together. Their paths fill half of a core's second cache."""


class HostBatch:
    """Makes trees from the matrices that a ``HostTree`` reads; ``take`` says that these have changed.

    ``lanes`` and ``cells`` are what its ascent takes, ``width`` how many sources a team has, ``rows_on_path`` how many
    rows of inner cells the longest path has.
    """

    def __init__(self, tree: HostTree, network: RoadNetwork, *, threads: int, divide: Divide) -> None:
        """Make tables; work arrays are made when a core first needs them."""
        self._tree, self._threads, self._divide = tree, threads, divide
        dtype = tree.fronts.dtype
        self.lanes: Lanes = lanes_of_processor(dtype)
        if self.lanes.count < LANES_4.count:
            self.lanes = LANES_4
        self.width: int = TEAM * self.lanes.count
        cut = tree.fronts.order.dissection
        self.cells: Cells
        self.rows_on_path: int
        self.cells, self.rows_on_path = _cells_of(cut, network, tree.fronts.order.r_offset)
        self._most_nodes = int(np.diff(cut.offsets).max(initial=1))
        self._unreached = dtype.type(np.iinfo(dtype).max)
        self._packed: NDArray[Any] | None = None
        self._is_packed = False
        self._work: list[Work | None] = [None] * threads
        self._noted: list[Noted | None] = [None] * threads

    def take(self) -> None:
        """Read the matrices anew before the next trees."""
        self._is_packed = False

    def rows(self, sources: NDArray[np.int32], rows: NDArray[Any], source_stride: int, node_stride: int) -> None:
        """Write the distances from the j-th source to node v at ``j * source_stride + v * node_stride``.

        Quickest with a source stride of 1.
        """
        nodes, tree, tables = np.array(sources, np.int32), self._tree, self.tables()
        size = TEAMS * self.width
        aligned = rows.ctypes.data % CACHE_LINE == 0 and node_stride * rows.itemsize % CACHE_LINE == 0

        def write(group: int, core: int) -> None:
            begin = group * size
            chosen = nodes[begin : begin + size]
            streams = bool(aligned and source_stride == 1)
            to = Rows(rows, begin * source_stride, source_stride, node_stride, self._unreached, streams)
            write_rows(
                self.lanes, tree.fronts.infinity, self._seeds(chosen), len(chosen), to, tables, self._work_of(core)
            )

        self.share(write, len(nodes), size)

    def figures(self, sources: NDArray[np.int32]) -> Figures:
        """Return the figures of the trees of sources, whose rows are never written."""
        order = np.argsort(self._tree.ascent.cell_of_node[sources], kind="stable")  # near ones ascend together
        nodes, tree, tables = np.array(sources, np.int32)[order], self._tree, self.tables()
        size = TEAMS * self.width
        infinity = tree.fronts.infinity
        most = infinity.dtype.type(int(np.iinfo(infinity.dtype).max) // self._most_nodes)
        most = min(most, infinity - 1)
        groups = -(-len(nodes) // size)
        found: NDArray[np.int64] = np.empty((4, groups * size), np.int64)

        def reduce(group: int, core: int) -> None:
            chosen = self._seeds(nodes[group * size : (group + 1) * size])
            noted = self._noted[core] = self._noted[core] or self._make_noted()
            into = slice(group * size, group * size + len(chosen.nodes))
            figures = LaneFigures(*found[:, into])
            find_figures(self.lanes, infinity, most, chosen, tables, self._work_of(core), noted, figures)

        self.share(reduce, len(nodes), size)
        of_sources: NDArray[np.int64] = np.empty((4, len(nodes)), np.int64)
        of_sources[:, order] = found[:, : len(nodes)]
        return Figures(*of_sources)

    def histograms(self, sources: NDArray[np.int32], limits: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return how many nodes lie in each bin of distance from each source, int32 [k, b].

        ``limits`` int64 [b + 1] rise: bin i has the distances from ``limits[i]`` up to, and without, ``limits[i + 1]``.
        """
        order = np.argsort(self._tree.ascent.cell_of_node[sources], kind="stable")
        nodes, tree, tables = np.array(sources, np.int32)[order], self._tree, self.tables()
        infinity, size = tree.fronts.infinity, TEAMS * self.width
        bins, rows = Bins.of(np.minimum(limits, infinity).astype(infinity.dtype)), len(limits) + 1
        found: NDArray[np.int32] = np.empty((len(nodes), rows - 2), np.int32)

        def count(group: int, core: int) -> None:
            chosen = self._seeds(nodes[group * size : (group + 1) * size])
            counts = np.zeros((len(chosen.nodes) // self.width, rows, self.width), np.int32)
            room = np.empty(4 * self.lanes.count, infinity.dtype)
            count_bins(self.lanes, infinity, chosen, tables, self._work_of(core), bins, room, counts.reshape(-1))
            into = found[group * size : (group + 1) * size]
            into[:] = counts[:, 1:-1].transpose(0, 2, 1).reshape(-1, rows - 2)[: len(into)]

        self.share(count, len(nodes), size)
        of_sources = np.empty_like(found)
        of_sources[order] = found
        return of_sources

    def _seeds(self, sources: NDArray[np.int32]) -> Seeds:
        """Return a seed for each lane of whole teams: those that are left over begin at the last source too."""
        count = -(-len(sources) // self.width) * self.width
        nodes = np.concatenate((sources, np.full(count - len(sources), sources[-1], np.int32)))
        return Seeds(np.arange(count + 1), nodes, np.zeros(count, self._tree.fronts.dtype))

    def share(self, work: Callable[[int, int], None], count: int, size: int) -> None:
        """Call ``work(group, core)`` for every ``size`` of ``count`` searches."""
        groups = range(-(-count // size))
        if self._threads > 1:
            self._divide(work, groups)
        else:
            for group in groups:
                work(group, 0)

    def tables(self) -> Tables:
        """Return what making trees reads, L packed anew where it has changed."""
        fronts = self._tree.fronts
        if self._packed is None:
            records = self.cells.records.reshape(-1, BATCH_SIZE)
            nodes, border = records[-1, [BATCH.nodes, BATCH.border]].astype(np.int64)
            total = int(records[-1, BATCH.entry_at]) + int((nodes + nodes % 2) * border)
            self._packed = aligned_empty(total, fronts.dtype)
        if not self._is_packed:
            order = fronts.order
            pack(
                *(self.cells.records, order.dissection.is_leaf, order.l_offset),
                *(fronts.infinity, fronts.made.inner_l, fronts.made.leaf_l, self._packed),
            )
            self._is_packed = True
        return Tables(self._tree.ascent, self.cells, fronts.made.inner_r, fronts.made.weights, self._packed)

    def _work_of(self, core: int) -> Work:
        work = self._work[core]
        if work is None:
            work = self._work[core] = self.make_work(self.width)
        return work

    def make_work(self, seeds: int, teams: int = TEAMS, path_rows: int | None = None) -> Work:
        """Return work arrays for teams of so many seeds each, with a path's rows as ``make_cell`` takes them."""
        cut, dtype = self._tree.fronts.order.dissection, self._tree.fronts.dtype
        sizes = np.diff(cut.offsets).astype(np.int64)
        leaf, inner = int(sizes[cut.is_leaf].max(initial=0)), int(sizes[~cut.is_leaf].sum())
        rows = self.rows_on_path + leaf + 2 if path_rows is None else path_rows
        ascended = 3 + min(cut.node_count, seeds * leaf + min(inner, seeds * self.rows_on_path))
        touched = min(cut.cell_count, seeds * (int(cut.depth.max(initial=0)) + 1))
        return Work(
            aligned_empty(teams * rows * self.width, dtype),
            aligned_empty(teams * ascended * self.width, dtype),
            np.zeros(cut.cell_count * teams, np.int32),
            np.empty(teams * touched, np.int32),
            np.zeros(teams, np.int64),
            np.empty(int(cut.front_sizes[cut.is_leaf].max(initial=0)), dtype),
        )

    def _make_noted(self) -> Noted:
        cut, dtype = self._tree.fronts.order.dissection, self._tree.fronts.dtype
        records = -(-cut.cell_count // PEAKS)
        return Noted(
            aligned_empty(TEAMS * records * self.width, dtype),
            aligned_empty(self.width, dtype),
            np.empty(int(cut.depth.max(initial=0)) + 1, np.int32),
        )


def _cells_of(cut: Dissection, network: RoadNetwork, r_offset: Int64Array) -> tuple[Cells, int]:
    """Return the cells as compiled loops read them, and how many rows the longest path has without its leaf."""
    nodes, border = np.diff(cut.offsets).astype(np.int64), np.diff(cut.border_offsets)
    inner = np.where(cut.is_leaf, 0, nodes)
    row_of = np.zeros(cut.cell_count, np.int64)
    for depth in range(1, int(cut.depth.max(initial=0)) + 1):
        there = np.flatnonzero(cut.depth == depth)
        row_of[there] = (row_of + inner)[cut.parent[there]]
    rows = int((row_of + inner).max(initial=0))
    row_of[cut.is_leaf] = rows
    entries = (nodes + nodes % 2) * border
    records = np.zeros((cut.cell_count, BATCH_SIZE), np.int64)
    records[:, BATCH.nodes], records[:, BATCH.border], records[:, BATCH.row] = nodes, border, row_of
    records[:, BATCH.border_at], records[:, BATCH.position] = cut.border_offsets[:-1], cut.offsets[:-1]
    records[:, BATCH.entry_at] = np.cumsum(entries) - entries
    records[:, BATCH.parent], records[:, BATCH.r_at] = cut.parent, r_offset
    narrow = records.max(initial=0) <= np.iinfo(np.int32).max
    owner = cut.cell_of[cut.border]
    rank = cut.border - cut.offsets[owner]
    cells = Cells(
        records.ravel().astype(np.int32 if narrow else np.int64),
        (row_of[owner] + rank).astype(np.int32),
        rank.astype(np.int32),
        owner,
        cut.node_at,
        counted_ranks(network)[cut.node_at],
        int(counted(network).sum()),
    )
    return cells, rows


TEAM = 4
"""Vectors of a team of sources: with two nodes of each, their distances and offers fill the registers."""


class _Batch(NamedTuple):
    nodes: int
    border: int
    row: int
    border_at: int
    entry_at: int
    position: int
    parent: int
    r_at: int


BATCH = numbered(_Batch)
"""Where in a cell's record of ``Cells.records`` the fields lie."""
BATCH_SIZE = 8
"""Entries of a record: a power of two, half a cache line."""


class Cells(NamedTuple):
    """The cells of a dissection in preorder: shape only.

    records      int32 or int64 [c · BATCH_SIZE]: of each cell how many nodes and border nodes it has, the row of its
                 first node on the path, where its border begins and where its packed L, its first position,
                 its parent, and where its R begins, −1 for a leaf
    border_rows  int32: the row on the path of each node in ``Dissection.border``
    border_cell  int32: the cell of each of them; ``border_rank`` int32: its index there
    node_at      int32 [n]: the node at each position; ``rank_at`` its rank by file id, −1 where it does not count
    counted      how many nodes count
    """

    records: NDArray[Any]
    border_rows: Int32Array
    border_rank: Int32Array
    border_cell: Int32Array
    node_at: Int32Array
    rank_at: Int32Array
    counted: int


class Tables(NamedTuple):
    """What making trees reads.

    inner_r, weights   as in ``elimination.Made``; rows of leaves, of two types, would compile loops twice
    packed             L of all cells as ``make_cell`` reads it
    """

    ascent: Ascent
    cells: Cells
    inner_r: NDArray[Any]
    weights: NDArray[Any]
    packed: NDArray[Any]


class Work(NamedTuple):
    """Work arrays of one core; ``teams`` sources' teams go through the cells together, each with ``lanes`` lanes.

    path      [teams][rows][lanes]: distances of the cells from the root to the present one
    ascended   [teams][rows][lanes]: distances that an ascent brought to the cells above its sources; row 0 is infinite
    start     int32 [c][teams]: the row of a cell's first node in ``ascended``, or 0 where no ascend came through
    touched   int32 [teams][cells]: the cells that an ascent comes through, the deepest first; ``counts`` of them
    near      [front]: distances from a source within its leaf
    """

    path: NDArray[Any]
    ascended: NDArray[Any]
    start: Int32Array
    touched: Int32Array
    counts: Int64Array
    near: NDArray[Any]


@loop_without_allocation
def pack(
    records: NDArray[Any],
    is_leaf: NDArray[np.bool_],
    l_offset: Int64Array,
    infinity: int,
    inner_l: NDArray[Any],
    leaf_l: NDArray[Any],
    packed: NDArray[Any],
) -> None:
    """Copy L of all cells to where ``make_cell`` reads it; an odd last node gets an infinite companion."""
    for cell in range(len(is_leaf)):
        base, first = cell * BATCH_SIZE, get(l_offset, cell)
        nodes, border = np.int64(get(records, base + BATCH.nodes)), np.int64(get(records, base + BATCH.border))
        at = np.int64(get(records, base + BATCH.entry_at))
        if is_leaf[cell]:
            at = _pack(nodes, border, leaf_l, first, infinity, packed, at)
        else:
            at = _pack(nodes, border, inner_l, first, infinity, packed, at)


@inlined
def _pack(
    nodes: int, border: int, rows_of_l: NDArray[Any], first: int, infinity: int, packed: NDArray[Any], at: np.int64
) -> np.int64:
    for i in range(0, nodes, 2):
        for k in range(border):
            entry = first + k * nodes + i
            put(packed, at, get(rows_of_l, entry))
            put(packed, at + 1, get(rows_of_l, entry + 1) if i + 1 < nodes else infinity)
            at += 2
    return at


@loop_without_allocation
def ascend(lanes: Lanes, infinity: int, team: int, first: int, seeds: Seeds, tables: Tables, work: Work) -> None:
    """Bring the distances of a team's searches, from the ``first`` on and one for each lane, up to the root's.

    Quickest where neighbouring searches begin in cells near each other, ascending.
    """
    ascent, records = tables.ascent, tables.cells.records
    width, levels = TEAM * count_of(lanes), len(work.touched) // len(work.counts)
    teams, rows = len(work.counts), len(work.ascended) // (len(work.counts) * width)
    begin, listed, infinite = team * rows * width, team * levels, splat(lanes, infinity)
    count, following = 0, np.int64(1)
    _fill(lanes, infinite, work.ascended, begin, 1)
    for seed in range(get(seeds.first, first + width) - 1, get(seeds.first, first) - 1, -1):
        cell = np.int64(get(ascent.cell_of_node, get(seeds.nodes, seed)))
        while cell >= 0 and get(work.start, cell * teams + team) == 0:
            nodes = np.int64(get(records, cell * BATCH_SIZE + BATCH.nodes))
            put(work.start, cell * teams + team, following)
            _fill(lanes, infinite, work.ascended, begin + following * width, nodes)
            following += nodes
            at = count  # sorted, deepest first: children have larger numbers than those above
            while at > 0 and get(work.touched, listed + at - 1) < cell:
                put(work.touched, listed + at, get(work.touched, listed + at - 1))
                at -= 1
            put(work.touched, listed + at, cell)
            count += 1
            cell = np.int64(get(records, cell * BATCH_SIZE + BATCH.parent))
    put(work.counts, team, count)
    for lane in range(width):
        for seed in range(get(seeds.first, first + lane), get(seeds.first, first + lane + 1)):
            _set_out(infinity, width, begin + lane, team, seed, seeds, tables, work)
    for i in range(count):
        cell = np.int64(get(work.touched, listed + i))
        if get(records, cell * BATCH_SIZE + BATCH.r_at) >= 0:
            _ascend_from(lanes, begin, team, cell, tables, work)


@inlined
def _fill(lanes: Lanes, vector: Vector, rows: NDArray[Any], begin: int, count: int) -> None:
    for i in range(begin, begin + count * TEAM * count_of(lanes), count_of(lanes)):
        store(rows, i, vector)


@inlined
def _ascended_border(width: int, begin: int, team: int, k: int, cells: Cells, work: Work) -> np.int64:
    """Return where the distances of a node in ``Dissection.border`` lie in ``Work.ascended``."""
    start = get(work.start, np.int64(get(cells.border_cell, k)) * len(work.counts) + team)
    return begin + (np.int64(start) + get(cells.border_rank, k)) * width


@loop_without_allocation
def _set_out(
    infinity: int, width: int, begin: int, team: int, seed: int, seeds: Seeds, tables: Tables, work: Work
) -> None:
    """Lower the distances in a seed's cell to those from there; ``begin`` is where its lane begins."""
    ascent, cells, ascended = tables.ascent, tables.cells, work.ascended
    source, cost = get(seeds.nodes, seed), get(seeds.costs, seed)
    cell = np.int64(get(ascent.cell_of_node, source))
    base = cell * BATCH_SIZE
    at = begin + np.int64(get(work.start, cell * len(work.counts) + team)) * width
    if get(cells.records, base + BATCH.r_at) >= 0:
        index = get(ascent.position, source) - get(cells.records, base + BATCH.position)
        at += np.int64(index) * width
        put(ascended, at, min(get(ascended, at), cost))
        return
    search_leaf(infinity, source, np.int64(cost), ascent, tables.weights, work.near)
    nodes = np.int64(get(cells.records, base + BATCH.nodes))
    for i in range(nodes):
        put(ascended, at + i * width, min(get(ascended, at + i * width), get(work.near, i)))
    first = np.int64(get(cells.records, base + BATCH.border_at))
    for k in range(get(cells.records, base + BATCH.border)):
        at = _ascended_border(width, begin, team, first + k, cells, work)
        put(ascended, at, min(get(ascended, at), get(work.near, nodes + k)))


@loop_without_allocation
def _ascend_from(lanes: Lanes, begin: int, team: int, cell: int, tables: Tables, work: Work) -> None:
    """Bring a cell's distances to the nodes of its front; R is closed, so they may be written while they are read."""
    cells, base, width, ascended = tables.cells, cell * BATCH_SIZE, TEAM * count_of(lanes), work.ascended
    nodes = np.int64(get(cells.records, base + BATCH.nodes))
    border = np.int64(get(cells.records, base + BATCH.border_at))
    border_end = border + get(cells.records, base + BATCH.border)
    own = begin + np.int64(get(work.start, cell * len(work.counts) + team)) * width
    entry = np.int64(get(cells.records, base + BATCH.r_at))
    for i in range(nodes):
        for j in range(nodes):
            _offer(lanes, ascended, own + i * width, own + j * width, get(tables.inner_r, entry + j))
        entry += nodes
        for k in range(border, border_end):
            to = _ascended_border(width, begin, team, k, cells, work)
            _offer(lanes, ascended, own + i * width, to, get(tables.inner_r, entry))
            entry += 1


@inlined
def _offer(lanes: Lanes, rows: NDArray[Any], from_row: int, to_row: int, step: int) -> None:
    """Lower a row of distances to those of another row and a step."""
    steps = splat(lanes, step)
    for j in range(0, TEAM * count_of(lanes), count_of(lanes)):
        best = load(lanes, rows, to_row + j)
        store(rows, to_row + j, minimum(best, add(load(lanes, rows, from_row + j), steps)))


@loop_without_allocation
def forget_ascend(team: int, work: Work) -> None:
    """Make ready for the ascent of other sources."""
    listed, teams = team * (len(work.touched) // len(work.counts)), len(work.counts)
    for i in range(listed, listed + get(work.counts, team)):
        put(work.start, get(work.touched, i) * teams + team, 0)


@inlined
def make_cell(lanes: Lanes, team: int, cell: int, tables: Tables, work: Work) -> int:
    """Make the distances of a cell's nodes, those of the cells above being there; return where they begin."""
    cells = tables.cells
    n = count_of(lanes)
    width, teams, base = TEAM * n, len(work.counts), cell * BATCH_SIZE
    above = team * (len(work.path) // teams)
    border = np.int64(get(cells.records, base + BATCH.border_at))
    end, entry = border + get(cells.records, base + BATCH.border), np.int64(get(cells.records, base + BATCH.entry_at))
    made = to = above + np.int64(get(cells.records, base + BATCH.row)) * width
    start, step = np.int64(get(work.start, cell * teams + team)), np.int64(0)
    if start > 0:
        step = np.int64(width)
    begin = team * (len(work.ascended) // teams) + start * width
    for _ in range(0, get(cells.records, base + BATCH.nodes), 2):
        a0, a1 = load(lanes, work.ascended, begin), load(lanes, work.ascended, begin + n)
        a2, a3 = load(lanes, work.ascended, begin + 2 * n), load(lanes, work.ascended, begin + 3 * n)
        begin += step
        b0, b1 = load(lanes, work.ascended, begin), load(lanes, work.ascended, begin + n)
        b2, b3 = load(lanes, work.ascended, begin + 2 * n), load(lanes, work.ascended, begin + 3 * n)
        begin += step
        for k in range(border, end):
            at = above + np.int64(get(cells.border_rows, k)) * width
            x0, x1 = load(lanes, work.path, at), load(lanes, work.path, at + n)
            x2, x3 = load(lanes, work.path, at + 2 * n), load(lanes, work.path, at + 3 * n)
            a, b = splat(lanes, get(tables.packed, entry)), splat(lanes, get(tables.packed, entry + 1))
            a0, a1, a2, a3 = lowered(a0, x0, a), lowered(a1, x1, a), lowered(a2, x2, a), lowered(a3, x3, a)
            b0, b1, b2, b3 = lowered(b0, x0, b), lowered(b1, x1, b), lowered(b2, x2, b), lowered(b3, x3, b)
            entry += 2
        store(work.path, to, a0)
        store(work.path, to + n, a1)
        store(work.path, to + 2 * n, a2)
        store(work.path, to + 3 * n, a3)
        store(work.path, to + 4 * n, b0)
        store(work.path, to + 5 * n, b1)
        store(work.path, to + 6 * n, b2)
        store(work.path, to + 7 * n, b3)
        to += 2 * width
    return made


@inlined
def lowered(best: Vector, distances: Vector, step: Vector) -> Vector:
    """Return the smaller of the best distances so far and others with a step."""
    return minimum(best, add(distances, step))


PEAKS = 64
"""Cells that share one record of their largest distances. Making some anew begins with all cells above the first."""


class Noted(NamedTuple):
    """Work arrays of one core.

    peaks  [teams][c / PEAKS][lanes]: the largest distance of each record's cells, −1 where none is reached
    most   [lanes]: the largest of all
    above  int32 [levels]: the cells above one
    """

    peaks: NDArray[Any]
    most: NDArray[Any]
    above: Int32Array


class LaneFigures(NamedTuple):
    """The figures of all teams' trees, int64 [teams · lanes] each; ``farthest`` are ranks by file id."""

    eccentricity: Int64Array
    farthest: Int64Array
    total: Int64Array
    reached: Int64Array


@loop_without_allocation
def find_figures(
    lanes: Lanes,
    infinity: int,
    most: int,
    seeds: Seeds,
    tables: Tables,
    work: Work,
    noted: Noted,
    figures: LaneFigures,
) -> None:
    """Fill the figures of searches, a whole number of teams. Distances up to ``most`` can be added up over any cell."""
    cells = tables.cells
    width, count = TEAM * count_of(lanes), len(cells.records) // BATCH_SIZE
    lane_count = len(seeds.first) - 1
    teams, records = lane_count // width, -(-count // PEAKS)
    for i in range(lane_count):
        put(figures.total, i, 0)
        put(figures.reached, i, cells.counted)
    for team in range(teams):
        ascend(lanes, infinity, team, team * width, seeds, tables, work)
    for cell in range(count):
        nodes = np.int64(get(cells.records, cell * BATCH_SIZE + BATCH.nodes))
        first = np.int64(get(cells.records, cell * BATCH_SIZE + BATCH.position))
        for team in range(teams):
            made = make_cell(lanes, team, cell, tables, work)
            peaks = (team * records + cell // PEAKS) * width
            fresh = cell % PEAKS == 0
            for j in range(0, width, 2 * count_of(lanes)):
                at, lane, peak = made + j, team * width + j, peaks + j
                _note(lanes, infinity, most, nodes, first, at, lane, peak, fresh, cells, work.path, noted, figures)
    for team in range(teams):
        _find_farthest(lanes, team, records, tables, work, noted, figures)
        forget_ascend(team, work)


@inlined
def _note(
    lanes: Lanes,
    infinity: int,
    most: int,
    nodes: int,
    first: int,
    made: int,
    lane: int,
    record: int,
    fresh: bool,
    cells: Cells,
    path: NDArray[Any],
    noted: Noted,
    figures: LaneFigures,
) -> None:
    """Add two vectors of distances of each of a cell's nodes that count to the figures; ``first`` is its position."""
    n, width = count_of(lanes), TEAM * count_of(lanes)
    limit = splat(lanes, most)
    zero = splat_like(limit, 0)
    total0, total1, peak0, peak1 = zero, zero, zero, zero
    split = cells.counted < len(cells.rank_at)
    for i in range(nodes):
        if split and get(cells.rank_at, first + i) < 0:
            continue
        at = made + i * width
        x0, x1 = load(lanes, path, at), load(lanes, path, at + n)
        total0, total1 = add(total0, x0), add(total1, x1)
        peak0, peak1 = maximum(peak0, x0), maximum(peak1, x1)
    if lanes_below(limit, maximum(peak0, peak1)) == np.uint64(0):
        add_wide(figures.total, lane, total0)
        add_wide(figures.total, lane + n, total1)
    else:
        peak0 = _note_one_by_one(lanes, infinity, nodes, first, made, lane, cells, path, figures)
        peak1 = _note_one_by_one(lanes, infinity, nodes, first, made + n, lane + n, cells, path, figures)
    if not fresh:
        peak0 = maximum(peak0, load(lanes, noted.peaks, record))
        peak1 = maximum(peak1, load(lanes, noted.peaks, record + n))
    store(noted.peaks, record, peak0)
    store(noted.peaks, record + n, peak1)


@inlined
def _note_one_by_one(
    lanes: Lanes,
    infinity: int,
    nodes: int,
    first: int,
    made: int,
    lane: int,
    cells: Cells,
    rows: NDArray[Any],
    figures: LaneFigures,
) -> Vector:
    """Add distances of which some are infinite, or too large to be added up in lanes; return the largest, or −1."""
    infinite = splat(lanes, infinity)
    zero, less = splat_like(infinite, 0), splat_like(infinite, -1)
    peak = less
    for i in range(nodes):
        if get(cells.rank_at, first + i) < 0:
            continue
        distance = load(lanes, rows, made + i * TEAM * count_of(lanes))
        add_wide(figures.reached, lane, choose_below(distance, infinite, zero, less))
        add_wide(figures.total, lane, keep_below(distance, infinite))
        peak = maximum(peak, choose_below(distance, infinite, distance, less))
    return peak


@loop_without_allocation
def _find_farthest(
    lanes: Lanes,
    team: int,
    records: int,
    tables: Tables,
    work: Work,
    noted: Noted,
    figures: LaneFigures,
) -> None:
    """Find the largest distances of all, and of the nodes there the smallest rank."""
    cells = tables.cells
    n, width = count_of(lanes), TEAM * count_of(lanes)
    first, lane = team * records * width, team * width
    for j in range(0, width, n):
        peak = load(lanes, noted.peaks, first + j)
        for record in range(1, records):
            peak = maximum(peak, load(lanes, noted.peaks, first + record * width + j))
        store(noted.most, j, peak)
    for i in range(width):
        put(figures.eccentricity, lane + i, get(noted.most, i))
        put(figures.farthest, lane + i, len(cells.rank_at))
    for record in range(records):
        if _holds_farthest(lanes, noted.peaks, first + record * width, noted.most):
            _make_above(lanes, team, record * PEAKS, tables, work, noted)
            for cell in range(record * PEAKS, min((record + 1) * PEAKS, len(cells.records) // BATCH_SIZE)):
                made = make_cell(lanes, team, cell, tables, work)
                _offer_ranks(lanes, cell, made, lane, cells, work.path, noted.most, figures)


@inlined
def _holds_farthest(lanes: Lanes, rows: NDArray[Any], at: int, most: NDArray[Any]) -> bool:
    """Return whether an element of a row may be the largest of its lane."""
    n, below = count_of(lanes), np.uint64(0)
    for j in range(0, TEAM * n, n):
        below += ones(lanes_below(load(lanes, rows, at + j), load(lanes, most, j)))
    return below != np.uint64(TEAM * n)


@inlined
def _make_above(lanes: Lanes, team: int, cell: int, tables: Tables, work: Work, noted: Noted) -> None:
    """Make the distances of all cells above one."""
    records = tables.cells.records
    count, above = 0, np.int64(get(records, cell * BATCH_SIZE + BATCH.parent))
    while above >= 0:
        put(noted.above, count, above)
        count, above = count + 1, np.int64(get(records, above * BATCH_SIZE + BATCH.parent))
    for i in range(count - 1, -1, -1):
        make_cell(lanes, team, np.int64(get(noted.above, i)), tables, work)


@inlined
def _offer_ranks(
    lanes: Lanes,
    cell: int,
    made: int,
    lane: int,
    cells: Cells,
    rows: NDArray[Any],
    most: NDArray[Any],
    figures: LaneFigures,
) -> None:
    """Offer the ranks of a cell's nodes to those lanes in which they are farthest."""
    width, first = TEAM * count_of(lanes), np.int64(get(cells.records, cell * BATCH_SIZE + BATCH.position))
    for i in range(get(cells.records, cell * BATCH_SIZE + BATCH.nodes)):
        at = made + i * width
        if _holds_farthest(lanes, rows, at, most):
            rank = np.int64(get(cells.rank_at, first + i))
            if rank < 0:
                continue
            for j in range(width):
                if get(rows, at + j) == get(most, j):
                    put(figures.farthest, lane + j, min(get(figures.farthest, lane + j), rank))


BIN_BITS = 12
"""Distances are looked up by so many leading bits."""


class Bins(NamedTuple):
    """Bins of distance.

    limits  [b + 1], rising, in the dtype of distances: where bins begin, and where the last one ends
    first   int32: by a distance's leading bits, how many limits the smallest such distance is not below
    shift   how many bits follow the leading ones
    """

    limits: NDArray[Any]
    first: Int32Array
    shift: int

    @classmethod
    def of(cls, limits: NDArray[Any]) -> Bins:
        """Return bins between limits."""
        shift = max(int(limits[-1]).bit_length() - BIN_BITS, 0)
        begins = np.arange((int(limits[-1]) >> shift) + 1, dtype=np.int64) << shift
        return cls(limits, np.searchsorted(limits, begins, side="right").astype(np.int32), shift)


@inlined
def _bin_of(distance: int, bins: Bins) -> Any:
    """Return how many limits a distance is not below: 0 before the first bin, then the bin's number and 1."""
    last = len(bins.limits) - 1
    if distance >= get(bins.limits, last):
        return last + 1
    bin_number = np.int64(get(bins.first, distance >> bins.shift))
    while distance >= get(bins.limits, bin_number):
        bin_number += 1
    return bin_number


@loop_without_allocation
def count_bins(
    lanes: Lanes,
    infinity: int,
    seeds: Seeds,
    tables: Tables,
    work: Work,
    bins: Bins,
    room: NDArray[Any],
    counts: Int32Array,
) -> None:
    """Count the nodes of each search, a whole number of teams, by distance: in ``counts`` [teams][b + 2][lanes].

    The first and the last row are of distances in no bin. ``room`` is of four numbers for each lane of a team.
    """
    cells = tables.cells
    n, width = count_of(lanes), TEAM * count_of(lanes)
    teams = (len(seeds.first) - 1) // width
    rows = len(counts) // max(teams, 1)
    for team in range(teams):
        ascend(lanes, infinity, team, team * width, seeds, tables, work)
    for cell in range(len(cells.records) // BATCH_SIZE):
        nodes = np.int64(get(cells.records, cell * BATCH_SIZE + BATCH.nodes))
        first = np.int64(get(cells.records, cell * BATCH_SIZE + BATCH.position))
        for team in range(teams):
            made = make_cell(lanes, team, cell, tables, work)
            for j in range(0, width, n):
                _count_vector(
                    *(lanes, infinity, nodes, first, made + j, team * rows + j, cells, work.path, bins, room, counts)
                )
    for team in range(teams):
        forget_ascend(team, work)


@inlined
def _count_vector(
    lanes: Lanes,
    infinity: int,
    nodes: int,
    first: int,
    made: int,
    lane: int,
    cells: Cells,
    path: NDArray[Any],
    bins: Bins,
    room: NDArray[Any],
    counts: Int32Array,
) -> None:
    """Count a cell's nodes in a vector's lanes: all at once where they lie in one bin, by its end where in two."""
    n, width, last = count_of(lanes), TEAM * count_of(lanes), len(bins.limits) - 1
    nearest = splat(lanes, infinity)
    farthest = splat_like(nearest, -1)
    here = np.int32(0)
    for i in range(nodes):
        if get(cells.rank_at, first + i) >= 0:
            distance = load(lanes, path, made + i * width)
            nearest, farthest = minimum(nearest, distance), maximum(farthest, distance)
            here += np.int32(1)
    if here == 0:
        return
    store(room, 0, nearest)
    store(room, n, farthest)
    apart = False
    for j in range(n):
        row = _bin_of(get(room, j), bins)
        if row > last or get(room, n + j) < get(bins.limits, row):
            _add_to(counts, lane + row * width + j, here)
            put(room, 2 * n + j, 0)
        else:
            put(room, 2 * n + j, get(bins.limits, row))
            apart = True
    if apart:
        _count_apart(lanes, nodes, first, here, made, lane, cells, path, bins, room, counts)


@inlined
def _count_apart(
    lanes: Lanes,
    nodes: int,
    first: int,
    here: np.int32,
    made: int,
    lane: int,
    cells: Cells,
    path: NDArray[Any],
    bins: Bins,
    room: NDArray[Any],
    counts: Int32Array,
) -> None:
    """Count the nodes of a cell that lie in several bins, in those lanes whose first bin has an end in ``room``."""
    n, width, last = count_of(lanes), TEAM * count_of(lanes), len(bins.limits) - 1
    ends = load(lanes, room, 2 * n)
    zero, one = splat_like(ends, 0), splat_like(ends, 1)
    below = zero
    for i in range(nodes):
        if get(cells.rank_at, first + i) >= 0:
            below = add(below, choose_below(load(lanes, path, made + i * width), ends, one, zero))
    store(room, 3 * n, below)
    for j in range(n):
        end, near = get(room, 2 * n + j), np.int32(get(room, 3 * n + j))
        if end == 0:
            continue
        row = _bin_of(get(room, j), bins)
        _add_to(counts, lane + row * width + j, near)
        if row == last or get(room, n + j) < get(bins.limits, row + 1):
            _add_to(counts, lane + (row + 1) * width + j, here - near)
            continue
        for i in range(nodes):
            distance = get(path, made + i * width + j)
            if get(cells.rank_at, first + i) >= 0 and distance >= end:
                _add_to(counts, lane + _bin_of(distance, bins) * width + j, np.int32(1))


@inlined
def _add_to(counts: Int32Array, at: int, number: int) -> None:
    put(counts, at, get(counts, at) + number)


class Rows(NamedTuple):
    """Where rows go: the distance from the first source to node v to ``begin + v * node_stride``.

    ``unreached`` stands for no path. ``streams``: sources lie side by side, every vector in a cache line of its own.
    """

    distances: NDArray[Any]
    begin: int
    source_stride: int
    node_stride: int
    unreached: int
    streams: bool


@loop_without_allocation
def write_rows(lanes: Lanes, infinity: int, seeds: Seeds, count: int, to: Rows, tables: Tables, work: Work) -> None:
    """Write the distances of ``count`` searches, filled up to whole teams."""
    cells = tables.cells
    width, infinite, none = TEAM * count_of(lanes), splat(lanes, infinity), splat(lanes, to.unreached)
    teams, rows = (len(seeds.first) - 1) // width, to.distances
    for team in range(teams):
        ascend(lanes, infinity, team, team * width, seeds, tables, work)
    for cell in range(len(cells.records) // BATCH_SIZE):
        nodes = np.int64(get(cells.records, cell * BATCH_SIZE + BATCH.nodes))
        first = np.int64(get(cells.records, cell * BATCH_SIZE + BATCH.position))
        for team in range(teams):
            made = make_cell(lanes, team, cell, tables, work)
            wanted = min(count - team * width, width)
            for i in range(nodes):
                at = to.begin + np.int64(get(cells.node_at, first + i)) * to.node_stride
                at += team * width * to.source_stride
                if to.streams and wanted == width:
                    for j in range(0, width, count_of(lanes)):
                        x = load(lanes, work.path, made + j)
                        stream(rows, at + j, choose_below(x, infinite, x, none))
                elif to.source_stride == 1 and wanted == width:
                    for j in range(0, width, count_of(lanes)):
                        x = load(lanes, work.path, made + j)
                        store(rows, at + j, choose_below(x, infinite, x, none))
                else:
                    for j in range(wanted):
                        x = get(work.path, made + j)
                        put(rows, at + j * to.source_stride, x if x < infinity else to.unreached)
                made += width
    for team in range(teams):
        forget_ascend(team, work)
    end_of_streams()
