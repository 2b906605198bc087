"""Compiled loops that make many shortest-path trees at once: lanes run over the sources.

A *team* of sources fills four vectors. An entry of L or R is read once for all of them and spread over the lanes, and
several teams go through the cells together, so that a matrix comes from memory once for all. Cells are taken in
preorder: what one needs of those above lies on the path to the root, and only the path's distances are kept,
[row][lane], small enough for the nearest caches. A cell's own rows come behind those of the cells above, a leaf's
behind those of all.

The registers hold two nodes of a team at a time. L is kept as these read it: two nodes' entries for each node of the
border, cell after cell, so that the descent reads one array from its beginning to its end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import inlined, loop_without_allocation
from wayfront.dissection.host_climb_kernels import Path, search_leaf
from wayfront.dissection.vectors import Lanes, Vector, add, count_of, get, load, minimum, put, splat, store

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]

TEAM = 4
"""Vectors of a team of sources: with two nodes of each, their distances and offers fill the registers."""

# Columns of ``Cells.records``
NODES, BORDER, PLACE, BORDER_AT, ENTRY_AT, POSITION = range(6)
COLUMNS = 8
"""Entries of a cell in ``Cells.records``: a power of two, half a cache line."""


class Cells(NamedTuple):
    """The cells of a dissection in preorder: shape only.

    records      int32 or int64 [c · COLUMNS]: of each cell how many nodes and border nodes it has, the row of its
                 first node on the path, where its border begins and where its packed L, and its first position
    border_rows  int32: the row on the path of each node in ``Dissection.border``
    border_cell  int32: the cell of each of them; ``border_rank`` int32: its index there
    node_at      int32 [n]: the node at each position; ``rank_at`` its rank by file id
    """

    records: NDArray[Any]
    border_rows: Int32Array
    border_rank: Int32Array
    border_cell: Int32Array
    node_at: Int32Array
    rank_at: Int32Array


class Folded(NamedTuple):
    """What a climb reads of ``HostFronts``; rows of leaves, of two types, would compile its loops twice."""

    inner_r: NDArray[Any]
    weights: NDArray[Any]


class Work(NamedTuple):
    """Work arrays of one core; ``teams`` sources' teams go through the cells together, each with ``lanes`` lanes.

    path      [teams][rows][lanes]: distances of the cells from the root to the present one
    climbed   [teams][rows][lanes]: distances that a climb brought to the cells above its sources; row 0 is infinite
    start     int32 [c][teams]: the row of a cell's first node in ``climbed``, or 0 where no climb came through
    touched   int32 [teams][cells]: the cells that a climb comes through, the deepest first; ``counts`` of them
    near      [front]: distances from a source within its leaf
    """

    path: NDArray[Any]
    climbed: NDArray[Any]
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
        base, first = cell * COLUMNS, get(l_offset, cell)
        nodes, border = np.int64(get(records, base + NODES)), np.int64(get(records, base + BORDER))
        at = np.int64(get(records, base + ENTRY_AT))
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
def climb(
    lanes: Lanes, infinity: int, team: int, sources: Int32Array, path: Path, cells: Cells, folded: Folded, work: Work
) -> None:
    """Bring the distances of a team's sources, one for each lane, up to the root's."""
    width, levels = TEAM * count_of(lanes), len(work.touched) // len(work.counts)
    teams, rows = len(work.counts), len(work.climbed) // (len(work.counts) * width)
    begin, listed, infinite = team * rows * width, team * levels, splat(lanes, infinity)
    count, following = 0, np.int64(1)
    _fill(lanes, infinite, work.climbed, begin, 1)
    for lane in range(width):
        cell = np.int64(get(path.cell_of_node, get(sources, lane)))
        while cell >= 0 and get(work.start, cell * teams + team) == 0:
            nodes = np.int64(get(path.offsets, cell + 1) - get(path.offsets, cell))
            put(work.start, cell * teams + team, following)
            _fill(lanes, infinite, work.climbed, begin + following * width, nodes)
            following += nodes
            at = count  # sorted, deepest first: children have larger numbers than those above
            while at > 0 and get(work.touched, listed + at - 1) < cell:
                put(work.touched, listed + at, get(work.touched, listed + at - 1))
                at -= 1
            put(work.touched, listed + at, cell)
            count += 1
            cell = np.int64(get(path.parent, cell))
    put(work.counts, team, count)
    for lane in range(width):
        _set_out(infinity, width, begin + lane, team, get(sources, lane), path, cells, folded, work)
    for i in range(count):
        cell = get(work.touched, listed + i)
        if not path.is_leaf[cell]:
            _climb_from(lanes, begin, team, cell, path, cells, folded.inner_r, work)


@inlined
def _fill(lanes: Lanes, vector: Vector, rows: NDArray[Any], begin: int, count: int) -> None:
    for i in range(begin, begin + count * TEAM * count_of(lanes), count_of(lanes)):
        store(rows, i, vector)


@inlined
def _climbed_border(width: int, begin: int, team: int, k: int, cells: Cells, work: Work) -> np.int64:
    """Return where the distances of a node in ``Dissection.border`` lie in ``Work.climbed``."""
    start = get(work.start, np.int64(get(cells.border_cell, k)) * len(work.counts) + team)
    return begin + (np.int64(start) + get(cells.border_rank, k)) * width


@loop_without_allocation
def _set_out(
    infinity: int, width: int, begin: int, team: int, source: int, path: Path, cells: Cells, folded: Folded, work: Work
) -> None:
    """Write the distances from a source within its cell; ``begin`` is where its lane begins."""
    cell, climbed = get(path.cell_of_node, source), work.climbed
    at = begin + np.int64(get(work.start, np.int64(cell) * len(work.counts) + team)) * width
    if not path.is_leaf[cell]:
        put(climbed, at + get(path.index_in_cell, source) * width, 0)
        return
    search_leaf(infinity, source, path, folded.weights, work.near)
    nodes = np.int64(get(path.offsets, cell + 1) - get(path.offsets, cell))
    for i in range(nodes):
        put(climbed, at + i * width, get(work.near, i))
    first = get(path.border_offsets, cell)
    for k in range(get(path.border_offsets, cell + 1) - first):
        at = _climbed_border(width, begin, team, first + k, cells, work)
        put(climbed, at, min(get(climbed, at), get(work.near, nodes + k)))


@loop_without_allocation
def _climb_from(
    lanes: Lanes, begin: int, team: int, cell: int, path: Path, cells: Cells, inner_r: NDArray[Any], work: Work
) -> None:
    """Bring a cell's distances to the nodes of its front; R is closed, so they may be written while they are read."""
    width, climbed = TEAM * count_of(lanes), work.climbed
    nodes = np.int64(get(path.offsets, cell + 1) - get(path.offsets, cell))
    own = begin + np.int64(get(work.start, np.int64(cell) * len(work.counts) + team)) * width
    entry = get(path.r_offset, cell)
    for i in range(nodes):
        for j in range(nodes):
            _offer(lanes, climbed, own + i * width, own + j * width, get(inner_r, entry + j))
        entry += nodes
        for k in range(get(path.border_offsets, cell), get(path.border_offsets, cell + 1)):
            to = _climbed_border(width, begin, team, k, cells, work)
            _offer(lanes, climbed, own + i * width, to, get(inner_r, entry))
            entry += 1


@inlined
def _offer(lanes: Lanes, rows: NDArray[Any], from_row: int, to_row: int, step: int) -> None:
    """Lower a row of distances to those of another row and a step."""
    steps = splat(lanes, step)
    for j in range(0, TEAM * count_of(lanes), count_of(lanes)):
        best = load(lanes, rows, to_row + j)
        store(rows, to_row + j, minimum(best, add(load(lanes, rows, from_row + j), steps)))


@loop_without_allocation
def forget_climb(team: int, work: Work) -> None:
    """Make ready for the climb of other sources."""
    listed, teams = team * (len(work.touched) // len(work.counts)), len(work.counts)
    for i in range(listed, listed + get(work.counts, team)):
        put(work.start, get(work.touched, i) * teams + team, 0)


@inlined
def make_cell(lanes: Lanes, team: int, cell: int, cells: Cells, packed: NDArray[Any], work: Work) -> int:
    """Make the distances of a cell's nodes, those of the cells above being there; return where they begin."""
    n = count_of(lanes)
    width, teams, base = TEAM * n, len(work.counts), cell * COLUMNS
    above = team * (len(work.path) // teams)
    border = np.int64(get(cells.records, base + BORDER_AT))
    end, entry = border + get(cells.records, base + BORDER), np.int64(get(cells.records, base + ENTRY_AT))
    made = to = above + np.int64(get(cells.records, base + PLACE)) * width
    start, step = np.int64(get(work.start, cell * teams + team)), np.int64(0)
    if start > 0:
        step = np.int64(width)
    begin = team * (len(work.climbed) // teams) + start * width
    for _ in range(0, get(cells.records, base + NODES), 2):
        a0, a1 = load(lanes, work.climbed, begin), load(lanes, work.climbed, begin + n)
        a2, a3 = load(lanes, work.climbed, begin + 2 * n), load(lanes, work.climbed, begin + 3 * n)
        begin += step
        b0, b1 = load(lanes, work.climbed, begin), load(lanes, work.climbed, begin + n)
        b2, b3 = load(lanes, work.climbed, begin + 2 * n), load(lanes, work.climbed, begin + 3 * n)
        begin += step
        for k in range(border, end):
            at = above + np.int64(get(cells.border_rows, k)) * width
            x0, x1 = load(lanes, work.path, at), load(lanes, work.path, at + n)
            x2, x3 = load(lanes, work.path, at + 2 * n), load(lanes, work.path, at + 3 * n)
            a, b = splat(lanes, get(packed, entry)), splat(lanes, get(packed, entry + 1))
            a0, a1, a2, a3 = _lower(a0, x0, a), _lower(a1, x1, a), _lower(a2, x2, a), _lower(a3, x3, a)
            b0, b1, b2, b3 = _lower(b0, x0, b), _lower(b1, x1, b), _lower(b2, x2, b), _lower(b3, x3, b)
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
def _lower(best: Vector, distances: Vector, step: Vector) -> Vector:
    return minimum(best, add(distances, step))
