"""Figures of the trees of all nodes at once: sources that see a cell in the same way share what lies below it.

Classes are those of flows (``flows_classes``), and the walk is its way down. Every column keeps the sum of the
distances to the nodes below its region that have been passed so far, how many they are, the largest, and which node
that is. A class has the differences to the nearest node of the border in place of distances: when its region is left,
each of the parent's columns in it adds its own distance to that node, as often as nodes are reached.
"""

from __future__ import annotations

import functools
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation, part_without_allocation
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.host.flows_ascents import Ascents, ascend_all, ascents_of
from wayfront.dissection.host.flows_classes import (
    CELLS_AT_ONCE,
    LEAST_BELOW,
    POOL_SHARE,
    POOL_START,
    WORK_AT_ONCE,
    from_ascent,
    lanes_within,
    nearest,
)
from wayfront.dissection.host.flows_columns import LINE, Columns, columns_of, enlarged, enter
from wayfront.dissection.host.flows_fronts import Fronts
from wayfront.dissection.host.flows_lanes import ALL_LANES, WIDTH
from wayfront.dissection.host.flows_regions import Regions, regions_of
from wayfront.dissection.host.vectors import (
    LANES_64,
    add,
    add_wide,
    get,
    keep_lanes,
    lanes_below,
    lanes_equal,
    load,
    maximum,
    put,
    splat,
    splat_like,
    store,
)
from wayfront.dissection.shape import Figures, FrontLayout, Int32Array, Int64Array
from wayfront.network.small_graphs import tiny_network
from wayfront.safe.memory import require_memory


class Sums(NamedTuple):
    """What columns have found so far; they lie as in ``Columns.members``.

    totals   int64: the sum of distances
    reached  int32: how many nodes there are
    peaks    in the dtype of distances: the largest, −infinity where no node is reached
    ranks    int32: the smallest rank by file id of a node there
    """

    totals: Int64Array
    reached: Int32Array
    peaks: NDArray[Any]
    ranks: Int32Array


def figures_by_classes(
    fronts: Fronts, rank_at: NDArray[np.int32], network_name: str, *, least: int | None = None
) -> Generator[float, None, Figures]:
    """Yield the fraction done now and then; return the figures of the trees of all nodes, by node.

    ``fronts`` are closed, ``rank_at`` int32 [n] is the rank by file id of each position, −1 where a node does not count
    as reached. Cells with ``least`` nodes
    below have classes of their own (by default ``LEAST_BELOW``). Raises ``MemoryShortError``.
    """
    cut, infinity, dtype = fronts.cut, fronts.infinity, fronts.dtype
    n, size = cut.node_count, POOL_START + POOL_SHARE * cut.node_count
    regions = regions_of(
        cut, fronts.thinned(), fronts.strides, (rank_at >= 0).astype(np.int32), LEAST_BELOW if least is None else least
    )
    require_memory(
        (2 * int(regions.ascent_at[-1]) + 2 * size) * dtype.itemsize + 150 * n, f"the figures of {network_name}"
    )
    members = np.ones(n + WIDTH, np.int32)
    columns, ascents = columns_of(regions, dtype, members, size, flows=False), distances_of(regions, fronts)
    for end in range(cut.cell_count, 0, -CELLS_AT_ONCE):
        ascend_all(infinity, max(end - CELLS_AT_ONCE, 0), end, regions, ascents)
        yield 0.0
    short = int(np.diff(cut.offsets).max()) * fronts.longest < np.iinfo(dtype).max
    sums, step = sums_of(len(columns.members), dtype), 0
    while step < len(regions.steps):
        reached = walk_figures(infinity, short, step, WORK_AT_ONCE, members, rank_at, regions, ascents, columns, sums)
        if reached == step:
            columns = enlarged(columns, network_name)
            sums = longer(sums, len(columns.members))
        step = reached
        yield step / len(regions.steps)
    of_position = (sums.peaks[:n], sums.ranks[:n], sums.totals[:n], sums.reached[:n])
    return Figures(*(column[cut.position].astype(np.int64) for column in of_position))


@functools.cache
def compile_figures(dtype: np.dtype[Any]) -> None:
    """Load or compile what finds figures by classes in a dtype of distances, on a tiny network."""
    ring = tiny_network(zeros=False)
    fronts = Fronts(FrontLayout.of(dissect(ring), ring), dtype)
    fronts.close(ring.metrics[0].weights)
    for _ in figures_by_classes(fronts, np.arange(ring.node_count, dtype=np.int32), ring.name):
        pass


def distances_of(regions: Regions, fronts: Fronts) -> Ascents:
    """Return ascents without distances and without room for flows."""
    return ascents_of(regions, fronts.dtype, fronts.infinity, flows=False)


def sums_of(size: int, dtype: np.dtype[Any]) -> Sums:
    """Return room for the sums of so many columns."""
    return Sums(np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, dtype), np.empty(size, np.int32))


def longer(sums: Sums, size: int) -> Sums:
    """Return room for the sums of so many columns, with those that there are."""
    more = sums_of(size, sums.peaks.dtype)
    for name in Sums._fields:
        getattr(more, name)[: len(sums.totals)] = getattr(sums, name)
    return more


@loop_without_allocation
def walk_figures(
    infinity: int,
    short: bool,
    step: int,
    work: int,
    members: Int32Array,
    rank_at: Int32Array,
    regions: Regions,
    ascents: Ascents,
    columns: Columns,
    sums: Sums,
) -> int:
    """Walk on from a step until some work is done, or a pool is too small; return the next step.

    ``short`` says that the distances of a cell's nodes can be added up in their own dtype.
    """
    while step < len(regions.steps) and work > 0:
        entered = np.int64(get(regions.steps, step))
        cell = entered if entered >= 0 else ~entered
        root, leaf = get(regions.region, cell), regions.is_leaf[cell]
        if entered >= 0:
            if root == cell:
                if not enter(infinity, cell, members, regions, columns):
                    return step
                forget(infinity, cell, columns, sums)
            pass_cell(infinity, short, not leaf, cell, rank_at, regions, ascents, columns, sums)
        if root == cell and (leaf or entered < 0):
            _hand_up(infinity, cell, regions, columns, sums)
        work -= get(columns.stride, root) * (get(regions.offsets, cell + 1) - get(regions.offsets, cell))
        step += 1
    return step


@inlined
def forget(infinity: int, cell: int, columns: Columns, sums: Sums) -> None:
    """Begin with nothing in a region's columns."""
    begin = get(columns.members_at, cell)
    for j in range(begin, begin + get(columns.stride, cell) - LINE):
        put(sums.totals, j, 0)
        put(sums.reached, j, 0)
        put(sums.peaks, j, -infinity)
        put(sums.ranks, j, 0)


@part_without_allocation
def pass_cell(
    infinity: int,
    short: bool,
    inner: bool,
    cell: int,
    rank_at: Int32Array,
    regions: Regions,
    ascents: Ascents,
    columns: Columns,
    sums: Sums,
) -> None:
    """Make the distances of a cell's nodes, and add those that count to what its region's columns have found."""
    infinite = splat(LANES_64, infinity)
    least = splat_like(infinite, -infinity)
    root, first = get(regions.region, cell), np.int64(get(regions.offsets, cell))
    stride, own, row = get(columns.stride, root), get(regions.own_row, cell), get(regions.ascent_row, cell)
    shift = first - get(regions.offsets, root)
    ones = splat(LANES_64, np.int32(1))
    for block in range(0, stride - LINE, WIDTH):
        at, number = get(columns.at, root) + block, get(columns.members_at, root) + block
        mine = lanes_within(block, shift, get(regions.below, cell))
        total = splat_like(infinite, 0)
        count, peak = load(LANES_64, sums.reached, number), load(LANES_64, sums.peaks, number)
        rank = load(LANES_64, sums.ranks, number)
        for i in range(np.int64(get(regions.offsets, cell + 1)) - first):
            best = from_ascent(infinite, mine, get(regions.ascent_at, cell) + i * row + block - shift, ascents)
            best = nearest(best, first + i, at, stride, regions, columns)
            if inner:
                store(columns.distances, at + (own + i) * stride, best)
            if get(regions.demand, first + i) == 0:
                continue
            there = lanes_below(best, infinite)
            kept = offered = best
            if there != ALL_LANES:
                kept = keep_lanes(there, best)
                offered = add(kept, keep_lanes(~there, least))
            count = add(count, keep_lanes(there, ones))
            if short:
                total = add(total, kept)
            else:
                add_wide(sums.totals, number, kept)
            this = splat(LANES_64, get(rank_at, first + i))
            farther = lanes_below(peak, offered) | (lanes_equal(peak, offered) & lanes_below(this, rank))
            rank = add(keep_lanes(farther, this), keep_lanes(~farther, rank))
            peak = maximum(peak, offered)
        if short:
            add_wide(sums.totals, number, total)
        store(sums.reached, number, count)
        store(sums.peaks, number, peak)
        store(sums.ranks, number, rank)


@part_without_allocation
def _hand_up(infinity: int, cell: int, regions: Regions, columns: Columns, sums: Sums) -> None:
    """Add what a region's columns found to those of the parent that belong to them."""
    if cell == 0:
        return
    parent = get(regions.region, get(regions.parent, cell))
    wide, begin, first = get(columns.stride, parent), get(columns.members_at, parent), get(columns.members_at, cell)
    to, border = get(columns.to_at, cell), get(regions.border_offsets, cell)
    shift = np.int64(get(regions.offsets, cell) - get(regions.offsets, parent))
    end = shift + get(regions.below, cell)
    row = np.int64(0)
    if get(regions.border_offsets, cell + 1) > border:
        row = get(columns.at, parent) + get(regions.border_row, border) * wide
    for j in range(get(columns.used, parent)):
        own = first + np.int64(get(columns.to, to + j))
        reached = np.int64(get(sums.reached, own))
        if reached > 0:
            away = np.int64(0)
            if j < shift or j >= end:
                away = np.int64(get(columns.distances, row + j))
                if away >= infinity:
                    away = np.int64(0)
            into = begin + j
            put(sums.totals, into, get(sums.totals, into) + get(sums.totals, own) + reached * away)
            put(sums.reached, into, get(sums.reached, into) + reached)
            offered, peak = get(sums.peaks, own) + away, np.int64(get(sums.peaks, into))
            if offered > peak or (offered == peak and get(sums.ranks, own) < get(sums.ranks, into)):
                put(sums.peaks, into, offered)
                put(sums.ranks, into, get(sums.ranks, own))
