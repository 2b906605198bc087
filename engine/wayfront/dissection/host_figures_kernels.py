"""Compiled loops that reduce many trees to their figures while they are made; lanes run over the sources.

No distance of a leaf's node is kept. What is noted is the largest distance of some cells that follow one another: those
that hold the largest of all are made once more, to find the farthest node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import inlined, loop_without_allocation
from wayfront.dissection.host_batch_kernels import (
    COLUMNS,
    NODES,
    POSITION,
    TEAM,
    Cells,
    Folded,
    Work,
    climb,
    forget_climb,
    make_cell,
)
from wayfront.dissection.host_climb_kernels import Path
from wayfront.dissection.vector_memory import add_wide
from wayfront.dissection.vectors import (
    Lanes,
    Vector,
    add,
    choose_below,
    count_of,
    get,
    keep_below,
    lanes_below,
    load,
    maximum,
    put,
    splat,
    splat_like,
    store,
)
from wayfront.kernels.bits import ones

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]

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
    sources: Int32Array,
    path: Path,
    cells: Cells,
    folded: Folded,
    packed: NDArray[Any],
    work: Work,
    noted: Noted,
    figures: LaneFigures,
) -> None:
    """Fill the figures of sources, a whole number of teams. Distances up to ``most`` can be added up over any cell."""
    width, count = TEAM * count_of(lanes), len(cells.records) // COLUMNS
    teams, records = len(sources) // width, -(-count // PEAKS)
    for i in range(len(sources)):
        put(figures.total, i, 0)
        put(figures.reached, i, len(cells.node_at))
    for team in range(teams):
        climb(lanes, infinity, team, sources[team * width : (team + 1) * width], path, cells, folded, work)
    for cell in range(count):
        nodes = np.int64(get(cells.records, cell * COLUMNS + NODES))
        for team in range(teams):
            made = make_cell(lanes, team, cell, cells, packed, work)
            peaks = (team * records + cell // PEAKS) * width
            fresh = cell % PEAKS == 0
            for j in range(0, width, 2 * count_of(lanes)):
                _note(lanes, infinity, most, nodes, made + j, team * width + j, peaks + j, fresh, work, noted, figures)
    for team in range(teams):
        _find_farthest(lanes, team, records, path, cells, packed, work, noted, figures)
        forget_climb(team, work)


@inlined
def _note(
    lanes: Lanes,
    infinity: int,
    most: int,
    nodes: int,
    made: int,
    lane: int,
    record: int,
    fresh: bool,
    work: Work,
    noted: Noted,
    figures: LaneFigures,
) -> None:
    """Add two vectors of distances of each of a cell's nodes to the figures."""
    n, width = count_of(lanes), TEAM * count_of(lanes)
    limit = splat(lanes, most)
    zero = splat_like(limit, 0)
    total0, total1, peak0, peak1 = zero, zero, zero, zero
    for at in range(made, made + nodes * width, width):
        x0, x1 = load(lanes, work.path, at), load(lanes, work.path, at + n)
        total0, total1 = add(total0, x0), add(total1, x1)
        peak0, peak1 = maximum(peak0, x0), maximum(peak1, x1)
    if lanes_below(limit, maximum(peak0, peak1)) == np.uint64(0):
        add_wide(figures.total, lane, total0)
        add_wide(figures.total, lane + n, total1)
    else:
        peak0 = _note_one_by_one(lanes, infinity, nodes, made, lane, work.path, figures)
        peak1 = _note_one_by_one(lanes, infinity, nodes, made + n, lane + n, work.path, figures)
    if not fresh:
        peak0 = maximum(peak0, load(lanes, noted.peaks, record))
        peak1 = maximum(peak1, load(lanes, noted.peaks, record + n))
    store(noted.peaks, record, peak0)
    store(noted.peaks, record + n, peak1)


@inlined
def _note_one_by_one(
    lanes: Lanes, infinity: int, nodes: int, made: int, lane: int, rows: NDArray[Any], figures: LaneFigures
) -> Vector:
    """Add distances of which some are infinite, or too large to be added up in lanes; return the largest, or −1."""
    infinite = splat(lanes, infinity)
    zero, less = splat_like(infinite, 0), splat_like(infinite, -1)
    peak = less
    for i in range(nodes):
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
    path: Path,
    cells: Cells,
    packed: NDArray[Any],
    work: Work,
    noted: Noted,
    figures: LaneFigures,
) -> None:
    """Find the largest distances of all, and of the nodes there the smallest rank."""
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
            _make_above(lanes, team, record * PEAKS, path, cells, packed, work, noted)
            for cell in range(record * PEAKS, min((record + 1) * PEAKS, len(cells.records) // COLUMNS)):
                made = make_cell(lanes, team, cell, cells, packed, work)
                _offer_ranks(lanes, cell, made, lane, cells, work.path, noted.most, figures)


@inlined
def _holds_farthest(lanes: Lanes, rows: NDArray[Any], at: int, most: NDArray[Any]) -> bool:
    """Return whether an element of a row may be the largest of its lane."""
    n, below = count_of(lanes), np.uint64(0)
    for j in range(0, TEAM * n, n):
        below += ones(lanes_below(load(lanes, rows, at + j), load(lanes, most, j)))
    return below != np.uint64(TEAM * n)


@inlined
def _make_above(
    lanes: Lanes, team: int, cell: int, path: Path, cells: Cells, packed: NDArray[Any], work: Work, noted: Noted
) -> None:
    """Make the distances of all cells above one."""
    count, above = 0, get(path.parent, cell)
    while above >= 0:
        put(noted.above, count, above)
        count, above = count + 1, get(path.parent, above)
    for i in range(count - 1, -1, -1):
        make_cell(lanes, team, np.int64(get(noted.above, i)), cells, packed, work)


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
    width, first = TEAM * count_of(lanes), np.int64(get(cells.records, cell * COLUMNS + POSITION))
    for i in range(get(cells.records, cell * COLUMNS + NODES)):
        at = made + i * width
        if _holds_farthest(lanes, rows, at, most):
            rank = np.int64(get(cells.rank_at, first + i))
            for j in range(width):
                if get(rows, at + j) == get(most, j):
                    put(figures.farthest, lane + j, min(get(figures.farthest, lane + j), rank))
