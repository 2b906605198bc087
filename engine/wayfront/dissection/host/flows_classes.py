"""Flows of one path a pair from all sources together: those that see a cell in the same way share all below it.

What a tree looks like below a cell depends only on the *differences* of its distances to the cell's border. Sources far
away come over the same few nodes, so that these differences repeat: in regions of New York of some 300 nodes 264,346
sources show 8,000 *classes*. Cells are walked through depth first, with a column for each node below, which is a source
of its own, and one for each class of the sources elsewhere. A child's classes are its parent's columns that have the
same differences on the child's border; they are found in a table by a hash, and compared by value. What arrives in a
class, for one of its members, goes back along the same map; what passes an entry is multiplied by the members.

Making classes pays with many nodes below (``LEAST_BELOW``, ``SMALLER``). Other cells use the columns of the *region*
they lie in, whose rows are its root's border and then the separators down to the present cell. Rows are a cache line
longer than whole blocks of 64: rows of the same place in a cache's sets would drive one another out.

Every node's own ascent is kept for all cells above it, [cell][own node][node below]. Demand is members(s) · demand(t):
pairs of their own do not fit in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation, part_without_allocation
from wayfront.dissection.host.flows_ascents import Ascents, ascend_all, ascents_of, bring_all_back, sum_of
from wayfront.dissection.host.flows_columns import LINE, Columns, columns_of, enlarged, enter, leave
from wayfront.dissection.host.flows_fronts import Fronts
from wayfront.dissection.host.flows_lanes import ALL_LANES, NO_LANES, WIDTH, members_in, uses_of
from wayfront.dissection.host.flows_regions import Regions, regions_of
from wayfront.dissection.host.vectors import (
    FOLDED,
    LANES_64,
    Vector,
    add,
    add_folded,
    add_products_folded,
    get,
    keep_lanes,
    lanes_below,
    lanes_equal,
    load,
    load_short,
    maximum,
    minimum,
    multiply,
    narrowed,
    put,
    splat,
    splat_like,
    store,
    subtract,
)
from wayfront.dissection.passing import Entries, Uses
from wayfront.safe.memory import require_memory

LEAST_BELOW = 96
"""Nodes below a cell from which on it may have classes of its own; a third more or less takes equally long."""


@loop_without_allocation
def walk_classes(
    infinity: int,
    unit: bool,
    step: int,
    work: int,
    given: NDArray[Any],
    regions: Regions,
    ascents: Ascents,
    columns: Columns,
    uses: Uses,
) -> int:
    """Walk on from a step until some work is done, or a pool is too small; return the next step.

    ``work`` is in columns times nodes; ``given`` [n] are the members of each position.
    """
    while step < len(regions.steps) and work > 0:
        entered = np.int64(get(regions.steps, step))
        cell = entered if entered >= 0 else ~entered
        root, leaf = get(regions.region, cell), regions.is_leaf[cell]
        if entered >= 0 and root == cell and not enter(infinity, cell, given, regions, columns):
            return step
        if leaf:
            pass_leaf(infinity, cell, regions, ascents, columns, uses)
        elif entered >= 0:
            come_down(infinity, cell, regions, ascents, columns, uses)
        else:
            give_back(infinity, cell, unit, regions, ascents, columns, uses)
        if root == cell and (leaf or entered < 0):
            leave(cell, regions, columns)
        work -= get(columns.stride, root) * (get(regions.offsets, cell + 1) - get(regions.offsets, cell))
        step += 1
    return step


@inlined
def lanes_within(block: int, first: int, count: int) -> Any:
    """Return the lanes of a block that are one of some columns, from the ``first`` on."""
    bits = NO_LANES
    if block < first + count and block + WIDTH > first:
        bits = ALL_LANES
        if block < first:
            bits <<= np.uint64(first - block)
        if first + count < block + WIDTH:
            bits &= ALL_LANES >> np.uint64(block + WIDTH - first - count)
    return bits


@inlined
def nearest(best: Vector, position: int, at: int, stride: int, regions: Regions, columns: Columns) -> Vector:
    """Return the distances to a node by its border, or those that are better."""
    entries = regions.entries
    for entry in range(get(entries.l_first, position), get(entries.l_first, position + 1)):
        above = load(LANES_64, columns.distances, at + np.int64(get(regions.l_row, entry)) * stride)
        best = minimum(best, add(above, splat(LANES_64, get(entries.l_length, entry))))
    return best


@inlined
def from_ascent(best: Vector, mine: np.uint64, ascent: int, ascents: Ascents) -> Vector:
    """Return what the ascent brought in the lanes of a mask, and what is given in the others."""
    if mine == NO_LANES:
        return best
    return add(keep_lanes(mine, load(LANES_64, ascents.after, ascent)), keep_lanes(~mine, best))


@inlined
def _count_members(cell: int, whole: bool, regions: Regions, columns: Columns, uses: Uses) -> None:
    """Note that every member reaches a cell's nodes, where that is so."""
    if whole:
        root, total = get(regions.region, cell), uses.arrived.dtype.type(0)
        first = get(columns.members_at, root) // WIDTH
        for block in range(first, first + (get(columns.stride, root) - LINE) // WIDTH):
            total += columns.block_members[block]
        for position in range(get(regions.offsets, cell), get(regions.offsets, cell + 1)):
            uses.arrived[position] += total


@inlined
def members_that_reach(reached: np.uint64, block: int, many: Vector, columns: Columns) -> Any:
    """Return how many members the lanes of a mask have, which mostly are all of a block."""
    if reached == get(columns.block_lanes, block // WIDTH):
        return columns.block_members[block // WIDTH]
    return members_in(False, reached, many)


@part_without_allocation
def come_down(infinity: int, cell: int, regions: Regions, ascents: Ascents, columns: Columns, uses: Uses) -> None:
    """Make the distances of an inner cell's nodes; their flow is their demand to begin with."""
    infinite = splat(LANES_64, infinity)
    root, first = get(regions.region, cell), np.int64(get(regions.offsets, cell))
    stride, own = get(columns.stride, root), get(regions.own_row, cell)
    shift, row, whole = first - get(regions.offsets, root), get(regions.ascent_row, cell), columns.whole[root]
    _count_members(cell, whole, regions, columns, uses)
    for block in range(0, stride - LINE, WIDTH):
        at, number = get(columns.at, root) + block, get(columns.members_at, root) + block
        lanes = get(columns.block_lanes, number // WIDTH)
        mine = lanes_within(block, shift, get(regions.below, cell))
        for i in range(np.int64(get(regions.offsets, cell + 1)) - first):
            best = from_ascent(infinite, mine, get(regions.ascent_at, cell) + i * row + block - shift, ascents)
            best = nearest(best, first + i, at, stride, regions, columns)
            reached = lanes
            if not whole:
                reached = lanes_below(best, infinite)
                many = load(LANES_64, columns.members, number)
                uses.arrived[first + i] += members_that_reach(reached, number, many, columns)
            store(columns.distances, at + (own + i) * stride, best)
            amount = splat(LANES_64, get(regions.demand, first + i))
            store(columns.flows, at + (own + i) * stride, keep_lanes(reached, amount))


@part_without_allocation
def give_back(
    infinity: int, cell: int, unit: bool, regions: Regions, ascents: Ascents, columns: Columns, uses: Uses
) -> None:
    """Give what arrived at an inner cell's nodes back to its border, or to the ascent."""
    infinite = splat(LANES_64, infinity)
    root, first, entries = get(regions.region, cell), np.int64(get(regions.offsets, cell)), regions.entries
    stride, own, whole = get(columns.stride, root), get(regions.own_row, cell), columns.whole[root]
    shift, row = first - get(regions.offsets, root), get(regions.ascent_row, cell)
    last = np.int64(get(regions.offsets, cell + 1))
    first_entry, end_entry = get(entries.l_first, first), get(entries.l_first, last)
    for i in range(FOLDED * (end_entry - first_entry)):
        columns.sums[i] = 0
    for block in range(0, stride - LINE, WIDTH):
        at, number = get(columns.at, root) + block, get(columns.members_at, root) + block
        many, lanes = load(LANES_64, columns.members, number), get(columns.block_lanes, number // WIDTH)
        mine = lanes_within(block, shift, get(regions.below, cell))
        alone = unit and block + WIDTH <= get(regions.below, root)
        for i in range(last - first):
            best = load(LANES_64, columns.distances, at + (own + i) * stride)
            flow = load(LANES_64, columns.flows, at + (own + i) * stride)
            left = lanes
            if not whole:
                left = lanes_below(best, infinite)
            if mine != NO_LANES:
                left ^= _give_ascent(
                    best, flow, left & mine, mine, get(regions.ascent_at, cell) + i * row + block - shift, ascents
                )
            kind = ALONE if alone else OF_MEMBERS
            give_entries(best, flow, left, first + i, first_entry, at, stride, kind, many, regions, columns)
    for entry in range(first_entry, end_entry):
        uses.l_use[entry] += sum_of(columns.sums, FOLDED * (entry - first_entry))


@inlined
def _give_ascent(
    best: Vector, flow: Vector, left: np.uint64, mine: np.uint64, ascent: int, ascents: Ascents
) -> np.uint64:
    """Give flow to the ascent in those lanes in which it is as short as any way; return them."""
    bits = lanes_equal(best, load(LANES_64, ascents.after, ascent)) & left
    kept = keep_lanes(~mine, load(LANES_64, ascents.to_after, ascent))
    store(ascents.to_after, ascent, add(kept, keep_lanes(bits, flow)))
    return bits


ALONE, OF_MEMBERS, ALIKE = range(3)
"""What is added up of an entry: flows of columns with one member each, or times their members, or members alone."""


@inlined
def give_entries(
    best: Vector,
    flow: Vector,
    left: np.uint64,
    position: int,
    first_entry: int,
    at: int,
    stride: int,
    kind: int,
    many: Vector,
    regions: Regions,
    columns: Columns,
) -> None:
    """Give flow in the lanes that are left to the first entry by which a node is as near, until none is left.

    The last one takes what is left unasked: a lane's distance is that by some entry.
    """
    entries = regions.entries
    entry, end = get(entries.l_first, position), get(entries.l_first, position + 1)
    while entry < end and left != NO_LANES:
        above = at + np.int64(get(regions.l_row, entry)) * stride
        bits = left
        if entry + 1 < end:
            offer = add(load(LANES_64, columns.distances, above), splat(LANES_64, get(entries.l_length, entry)))
            bits &= lanes_equal(offer, best)
        if bits != NO_LANES:
            left ^= bits
            taken = keep_lanes(bits, flow)
            store(columns.flows, above, add(load(LANES_64, columns.flows, above), taken))
            if kind == ALIKE:
                add_folded(columns.sums, FOLDED * (entry - first_entry), keep_lanes(bits, many))
            elif kind == ALONE:
                add_folded(columns.sums, FOLDED * (entry - first_entry), taken)
            else:
                add_products_folded(columns.sums, FOLDED * (entry - first_entry), taken, many)
        entry += 1


@part_without_allocation
def pass_leaf(infinity: int, cell: int, regions: Regions, ascents: Ascents, columns: Columns, uses: Uses) -> None:
    """Make the distances of a leaf's nodes, and give their demand back at once."""
    infinite = splat(LANES_64, infinity)
    root, first, entries = get(regions.region, cell), np.int64(get(regions.offsets, cell)), regions.entries
    stride, row, whole = get(columns.stride, root), get(regions.ascent_row, cell), columns.whole[root]
    shift, last = first - get(regions.offsets, root), np.int64(get(regions.offsets, cell + 1))
    first_entry, end_entry = get(entries.l_first, first), get(entries.l_first, last)
    for i in range(FOLDED * (end_entry - first_entry)):
        columns.sums[i] = 0
    _count_members(cell, whole, regions, columns, uses)
    room = np.int64(-1)
    if whole:
        room = _shorten_entries(cell, regions, columns)
    for block in range(0, stride - LINE, WIDTH):
        at, number = get(columns.at, root) + block, get(columns.members_at, root) + block
        many, lanes = load(LANES_64, columns.members, number), get(columns.block_lanes, number // WIDTH)
        mine = lanes_within(block, shift, get(regions.below, cell))
        if room >= 0 and mine == NO_LANES and _pass_shortly(cell, room, lanes, at, many, regions, columns):
            continue
        for i in range(last - first):
            ascent = get(regions.ascent_at, cell) + i * row + block - shift
            best = from_ascent(infinite, mine, ascent, ascents)
            best = nearest(best, first + i, at, stride, regions, columns)
            left = lanes
            if not whole:
                left = lanes_below(best, infinite)
                uses.arrived[first + i] += members_that_reach(left, number, many, columns)
            flow = splat(LANES_64, get(regions.demand, first + i))
            if mine != NO_LANES:
                left ^= _give_ascent(best, flow, left & mine, mine, ascent, ascents)
            give_entries(best, flow, left, first + i, first_entry, at, stride, ALIKE, many, regions, columns)
    for i in range(last - first):
        for entry in range(get(entries.l_first, first + i), get(entries.l_first, first + i + 1)):
            total = sum_of(columns.sums, FOLDED * (entry - first_entry))
            uses.l_use[entry] += total * get(regions.demand, first + i)


@inlined
def _shorten_entries(cell: int, regions: Regions, columns: Columns) -> Any:
    """Note a leaf's rows and entries in 16 bits.

    Return by how much distances to its border may differ then, −1 where 16 bits are not enough, or demands differ.
    """
    entries, root = regions.entries, get(regions.region, cell)
    first, last = np.int64(get(regions.offsets, cell)), np.int64(get(regions.offsets, cell + 1))
    first_entry, end_entry = get(entries.l_first, first), get(entries.l_first, last)
    longest = np.int64(0)
    for entry in range(first_entry, end_entry):
        longest = max(longest, np.int64(get(entries.l_length, entry)))
    for position in range(first, last):
        if get(regions.demand, position) != get(regions.demand, first):
            return np.int64(-1)
    if longest > MOST_SHORT or last - first > MOST_SHORT or first == last:
        return np.int64(-1)
    border = get(regions.border_offsets, cell)
    for k in range(get(regions.border_offsets, cell + 1) - border):
        row = np.int64(k)
        if root != cell:
            row = get(regions.border_row, border + k)
        put(columns.row_at, k, row * get(columns.stride, root))
        put(columns.near_at, row, k * WIDTH)
    for entry in range(first_entry, end_entry):
        put(columns.short_length, entry - first_entry, get(entries.l_length, entry))
        put(columns.short_from, entry - first_entry, get(columns.near_at, get(regions.l_row, entry)))
    return MOST_SHORT - longest


@inlined
def _pass_shortly(
    cell: int, room: int, lanes: np.uint64, at: int, many: Vector, regions: Regions, columns: Columns
) -> bool:
    """Pass a leaf with a block of columns that all reach it and are of others; False where distances differ too much.

    Distances are those beyond the nearest of the border, in 16 bits, and what goes over each node of the border is
    counted in 16 bits: half as much is read, and a quarter as much written, which is what takes time here.
    """
    entries, first = regions.entries, np.int64(get(regions.offsets, cell))
    border = get(regions.border_offsets, cell + 1) - get(regions.border_offsets, cell)
    low = high = load(LANES_64, columns.distances, at + get(columns.row_at, 0))
    for k in range(1, border):
        row = load(LANES_64, columns.distances, at + get(columns.row_at, k))
        low, high = minimum(low, row), maximum(high, row)
    if lanes_below(add(low, splat_like(low, room)), high) != NO_LANES:
        return False
    nothing, one = splat(LANES_64, np.uint16(0)), splat(LANES_64, np.uint16(1))
    for k in range(border):
        row = load(LANES_64, columns.distances, at + get(columns.row_at, k))
        store(columns.near, k * WIDTH, narrowed(subtract(row, low)))
        store(columns.taken, k * WIDTH, nothing)
    first_entry = get(entries.l_first, first)
    for position in range(first, get(regions.offsets, cell + 1)):
        begin, end = get(entries.l_first, position) - first_entry, get(entries.l_first, position + 1) - first_entry
        best, left, entry = splat(LANES_64, np.uint16(MOST_SHORT)), lanes, begin
        for each in range(begin, end):
            near = load(LANES_64, columns.near, get(columns.short_from, each))
            best = minimum(best, add(near, splat(LANES_64, get(columns.short_length, each))))
        while left != NO_LANES:
            origin, bits = get(columns.short_from, entry), left
            if entry + 1 < end:
                length = splat(LANES_64, get(columns.short_length, entry))
                bits &= lanes_equal(add(load(LANES_64, columns.near, origin), length), best)
            if bits != NO_LANES:
                left ^= bits
                store(columns.taken, origin, add(load(LANES_64, columns.taken, origin), keep_lanes(bits, one)))
                add_folded(columns.sums, FOLDED * entry, keep_lanes(bits, many))
            entry += 1
    amount = splat(LANES_64, get(regions.demand, first))
    for k in range(border):
        above = at + get(columns.row_at, k)
        taken = multiply(load_short(amount, columns.taken, k * WIDTH), amount)
        store(columns.flows, above, add(load(LANES_64, columns.flows, above), taken))
    return True


MOST_SHORT = 32767
"""The longest distance within a leaf in 16 bits, compared with a sign."""

CELLS_AT_ONCE = 1 << 12
"""Cells whose ascents are found in one go."""

WORK_AT_ONCE = 1 << 28
"""Columns times nodes that are walked over in one go, a tenth of a second: between two of them work is cancelled."""


def flow_by_classes(
    fronts: Fronts,
    entries: Entries,
    demand: NDArray[Any],
    given: NDArray[Any],
    *,
    network_name: str,
    report: Callable[[float], None],
    least: int | None = None,
    spread: bool = True,
) -> Uses:
    """Return what passes each entry, for a demand [n] and members ``given`` [n] by position.

    ``given`` is int32 where ``demand`` and the fronts are, else float64. ``report`` receives the fraction done
    and may raise. Cells with ``least`` nodes below have classes of their own (by default ``LEAST_BELOW``); without
    ``spread`` all hashes are equal. Raises ``MemoryShortError``.
    """
    cut, infinity = fronts.cut, fronts.infinity
    regions = regions_of(cut, entries, fronts.strides, demand, LEAST_BELOW if least is None else least)
    n, count, itemsize = cut.node_count, cut.cell_count, fronts.dtype.itemsize
    size = POOL_START + POOL_SHARE * n
    require_memory(
        (4 * int(regions.ascent_at[-1]) + 3 * size) * itemsize + 100 * n + 16 * len(entries.r_at),
        f"the flows of {network_name}",
    )
    members = np.concatenate((given, np.zeros(WIDTH, given.dtype)))
    unit = bool((given == 1).all())
    columns = columns_of(regions, fronts.dtype, given, size, spread=spread)
    ascents = ascents_of(regions, fronts.dtype, infinity)
    uses = uses_of(entries, n, np.dtype(np.float64 if given.dtype == np.float64 else np.int64))
    for end in range(count, 0, -CELLS_AT_ONCE):
        ascend_all(infinity, max(end - CELLS_AT_ONCE, 0), end, regions, ascents)
        report(0.0)
    step = 0
    while step < len(regions.steps):
        reached = walk_classes(infinity, unit, step, WORK_AT_ONCE, members, regions, ascents, columns, uses)
        if reached == step:
            columns = enlarged(columns, network_name)
        step = reached
        report(0.9 * step / len(regions.steps))
    for begin in range(0, count, CELLS_AT_ONCE):
        end = min(begin + CELLS_AT_ONCE, count)
        bring_all_back(infinity, unit, members, begin, end, regions, ascents, columns.sums, uses)
        report(0.9 + 0.1 * end / count)
    return uses


POOL_START, POOL_SHARE = 1 << 16, 200
"""Distances of columns that there is room for to begin with, and for each node. New York takes 160 for each."""
