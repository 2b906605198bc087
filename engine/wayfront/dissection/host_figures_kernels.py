"""Compiled loops that reduce the trees of 16 sources to their figures while they are made; lanes run over the sources.

No distance of a leaf's node is kept. What is noted is the largest distance of some cells that follow one another: those
that hold the largest of all are made once more, to find the farthest node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wayfront.dissection.host_batch_kernels import LANES, climb, make_cell
from wayfront.dissection.vectors import add, get, keep_below, lanes_below, largest, load, maximum, splat, store

Int64Array = NDArray[np.int64]

PEAKS = 8
"""Cells that share one record of their largest distances."""


class Noted(NamedTuple):
    """Work arrays of one core: ``peaks`` [c / PEAKS][lanes] and ``sums`` [lanes], in the dtype of distances."""

    peaks: NDArray[Any]
    sums: NDArray[Any]


class LaneFigures(NamedTuple):
    """The figures of 16 trees, int64 [lanes] each; ``farthest`` are ranks by file id."""

    eccentricity: Int64Array
    farthest: Int64Array
    total: Int64Array
    reached: Int64Array


@njit(nogil=True, cache=True, _nrt=False)
def find_figures(lanes, infinity, batch, sources, path, cells, matrices, work, noted, figures):  # type: ignore[no-untyped-def]
    """Fill the figures of up to 16 sources; those of other lanes mean nothing."""
    climb(lanes, infinity, batch, sources, path, cells, matrices, work)
    infinite = splat(lanes, infinity)
    zero = keep_below(infinite, infinite)
    figures.total[:] = 0
    figures.reached[:] = 0
    store(noted.sums, 0, zero)
    bound, everywhere = 0.0, np.int64(0)
    for cell in range(len(cells.first)):
        nodes = np.int64(get(cells.offsets, cell + 1) - get(cells.offsets, cell))
        make_cell(lanes, infinity, batch, cell, sources, path, cells, matrices, work)
        block, at = work.block, np.int64(0)
        if not cells.is_leaf[cell]:
            block, at = work.distances, np.int64(get(cells.first, cell)) * LANES
        total, peak = zero, zero
        for i in range(nodes):
            distance = load(lanes, block, at + i * LANES)
            total, peak = add(total, distance), maximum(peak, distance)
        if largest(peak) < infinity:
            everywhere += nodes
        else:
            total, peak = zero, zero
            for i in range(nodes):
                _count_reached(lanes_below(load(lanes, block, at + i * LANES), infinite), figures.reached)
                distance = keep_below(load(lanes, block, at + i * LANES), infinite)
                total, peak = add(total, distance), maximum(peak, distance)
        most = np.float64(nodes) * np.float64(largest(peak))
        if bound + most > 2.0 * np.float64(infinity):  # what the lanes hold
            _add_up(noted.sums, figures.total)
            store(noted.sums, 0, zero)
            bound = 0.0
        if most > 2.0 * np.float64(infinity):
            _add_one_by_one(infinity, block, at, nodes, figures.total)
        else:
            store(noted.sums, 0, add(load(lanes, noted.sums, 0), total))
            bound += most
        record = cell // PEAKS * LANES
        store(noted.peaks, record, peak if cell % PEAKS == 0 else maximum(peak, load(lanes, noted.peaks, record)))
    _add_up(noted.sums, figures.total)
    for lane in range(LANES):
        figures.reached[lane] += everywhere
    _find_farthest(lanes, infinity, batch, sources, path, cells, matrices, work, noted, figures)


@njit(_nrt=False, forceinline=True)
def _count_reached(mask, reached):  # type: ignore[no-untyped-def]
    for lane in range(LANES):
        reached[lane] += np.int64((mask >> np.uint64(lane)) & np.uint64(1))


@njit(_nrt=False, forceinline=True)
def _add_up(sums, total):  # type: ignore[no-untyped-def]
    for lane in range(LANES):
        total[lane] += get(sums, lane)


@njit(nogil=True, cache=True, _nrt=False)
def _add_one_by_one(infinity, block, at, nodes, total):  # type: ignore[no-untyped-def]
    """Add distances so large that the sum over a cell may not fit their dtype."""
    for i in range(nodes):
        for lane in range(LANES):
            distance = get(block, at + i * LANES + lane)
            if distance < infinity:
                total[lane] += distance


@njit(nogil=True, cache=True, _nrt=False)
def _find_farthest(lanes, infinity, batch, sources, path, cells, matrices, work, noted, figures):  # type: ignore[no-untyped-def]
    """Find the largest distances of all, and of the nodes there the smallest rank."""
    records = -(-len(cells.first) // PEAKS)
    peak = load(lanes, noted.peaks, 0)
    for record in range(1, records):
        peak = maximum(peak, load(lanes, noted.peaks, record * LANES))
    store(noted.sums, 0, peak)
    for lane in range(LANES):
        figures.eccentricity[lane] = get(noted.sums, lane)
        figures.farthest[lane] = len(cells.rank_at)
    wanted = np.uint64((1 << len(sources)) - 1)
    for record in range(records):
        there = wanted & ~lanes_below(load(lanes, noted.peaks, record * LANES), peak)
        if there != np.uint64(0):
            for cell in range(record * PEAKS, min((record + 1) * PEAKS, len(cells.first))):
                make_cell(lanes, infinity, batch, cell, sources, path, cells, matrices, work)
                _offer_ranks(there, cell, cells, work, figures)


@njit(nogil=True, cache=True, _nrt=False)
def _offer_ranks(there, cell, cells, work, figures):  # type: ignore[no-untyped-def]
    """Offer the ranks of a cell's nodes that are farthest in the lanes of a mask."""
    block, at = work.block, np.int64(0)
    if not cells.is_leaf[cell]:
        block, at = work.distances, np.int64(get(cells.first, cell)) * LANES
    for position in range(get(cells.offsets, cell), get(cells.offsets, cell + 1)):
        for lane in range(LANES):
            farthest = get(block, at + lane) == figures.eccentricity[lane]
            if farthest and (there >> np.uint64(lane)) & np.uint64(1) != np.uint64(0):
                figures.farthest[lane] = min(figures.farthest[lane], np.int64(get(cells.rank_at, position)))
        at += LANES
