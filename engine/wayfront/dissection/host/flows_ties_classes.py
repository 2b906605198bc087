"""Flows that all shortest paths share, from all sources together: ``flows_classes`` with numbers of paths.

Cells are walked through as there, with a column for each node below and one for each class of sources elsewhere
(``flows_ties_columns``). Beside distances a column has the numbers of paths to each node, from one path to the first
node of its region's border on, and going back the mass of each path instead of flows (``flows_ties``): what passes an
entry is the same for every member of a class, since its mass of a path falls as its number of paths grows.

Sources ascend as there (``flows_ascents``). The number of paths by which a node is reached at last is read once, on the
way down; the mass that comes back to the ascent there takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation, part_without_allocation
from wayfront.dissection.host.flows_ascents import ascent_entry, sum_of
from wayfront.dissection.host.flows_classes import (
    CELLS_AT_ONCE,
    LEAST_BELOW,
    POOL_SHARE,
    POOL_START,
    WORK_AT_ONCE,
    lanes_within,
    nearest,
)
from wayfront.dissection.host.flows_columns import LINE
from wayfront.dissection.host.flows_fronts import Fronts
from wayfront.dissection.host.flows_lanes import NO_LANES, WIDTH, uses_of
from wayfront.dissection.host.flows_regions import Regions, regions_of
from wayfront.dissection.host.flows_ties import Reals
from wayfront.dissection.host.flows_ties_columns import TiedColumns, enlarged, enter, leave, tied_columns_of
from wayfront.dissection.host.vectors import (
    FOLDED,
    LANES_64,
    Vector,
    add,
    add_folded,
    add_reals,
    divide_reals,
    get,
    keep_lanes,
    lanes_below,
    lanes_equal,
    load,
    minimum,
    multiply_reals,
    put,
    splat,
    splat_real,
    store,
    total_of_reals,
)
from wayfront.dissection.passing import Entries, Uses
from wayfront.safe.memory import require_memory


class TiedAscents(NamedTuple):
    """Of every cell and each source below it, as ``Ascents``: distances, numbers of paths, and masses given back.

    ``at_last`` are the numbers of paths to nodes that were reached *after* the cell's own R, then masses to them.
    """

    before: NDArray[Any]
    after: NDArray[Any]
    paths: Reals
    at_last: Reals
    to_before: Reals


class Counts(NamedTuple):
    """How many paths each entry of L stands for, and of R, by number and as ``Regions`` has them by target."""

    l_count: Reals
    r_count: Reals
    from_count: Reals


# ----------------------------------------------------------------------------------------------------- the ascents


@loop_without_allocation
def ascend_all(infinity: int, begin: int, end: int, regions: Regions, counts: Counts, ascents: TiedAscents) -> None:
    """Bring every node's distances up from cells ``end`` − 1 … ``begin``, which come after those below them."""
    for cell in range(end - 1, begin - 1, -1):
        if regions.is_leaf[cell]:
            _ascend_leaf(cell, regions, counts, ascents)
            continue
        own_at, row = get(regions.ascent_at, cell), get(regions.ascent_row, cell)
        own = np.int64(get(regions.offsets, cell + 1)) - get(regions.offsets, cell)
        for i in range(own):
            put(ascents.before, own_at + i * row + i, 0)
            ascents.paths[own_at + i * row + i] = 1.0
        targets, end_target = get(regions.front_first, cell), get(regions.front_first, cell + 1)
        for block in range(0, row, WIDTH):
            for target in range(targets, end_target):
                _ascend_to(
                    infinity, target, own_at + block, block, target - targets < own, row, regions, counts, ascents
                )


@inlined
def _ascend_to(
    infinity: int,
    target: int,
    origins: int,
    block: int,
    own: bool,
    row: int,
    regions: Regions,
    counts: Counts,
    ascents: TiedAscents,
) -> None:
    """Bring distances to a node of a cell's front, its own or above it, for a block of the sources below."""
    infinite, at = splat(LANES_64, infinity), get(regions.target_at, target) + block
    place, end = get(regions.target_first, target), get(regions.target_first, target + 1)
    known = best = load(LANES_64, ascents.before, at)
    led = load(LANES_64, ascents.paths, at)
    if place < end:
        for each in range(place, end):
            near = load(LANES_64, ascents.before, origins + np.int64(get(regions.from_row, each)) * row)
            best = minimum(best, add(near, splat(LANES_64, get(regions.from_length, each))))
        reached = lanes_below(best, infinite)
        best = minimum(best, infinite)
        led = keep_lanes(lanes_equal(best, known) & reached, led)
        for each in range(place, end):
            origin = origins + np.int64(get(regions.from_row, each)) * row
            offer = add(load(LANES_64, ascents.before, origin), splat(LANES_64, get(regions.from_length, each)))
            bits = lanes_equal(offer, best) & reached
            if bits != NO_LANES:
                more = multiply_reals(
                    load(LANES_64, ascents.paths, origin), splat_real(LANES_64, counts.from_count[each])
                )
                led = add_reals(led, keep_lanes(bits, more))
    if own:
        store(ascents.after, at, best)
        store(ascents.at_last, at, led)
    elif place < end:
        store(ascents.before, at, best)
        store(ascents.paths, at, led)


@inlined
def _ascend_leaf(cell: int, regions: Regions, counts: Counts, ascents: TiedAscents) -> None:
    """Bring the distances of a leaf's nodes up: each is a source of its own, whose distances are its row of R."""
    entries, first, at = regions.entries, np.int64(get(regions.offsets, cell)), get(regions.ascent_at, cell)
    row = get(regions.ascent_row, cell)
    for i in range(np.int64(get(regions.offsets, cell + 1)) - first):
        put(ascents.before, at + i * row + i, 0)
        put(ascents.after, at + i * row + i, 0)
        ascents.paths[at + i * row + i] = 1.0
        ascents.at_last[at + i * row + i] = 1.0
        for entry in range(get(entries.r_first, first + i), get(entries.r_first, first + i + 1)):
            place, length = ascent_entry(first, i, get(entries.r_to, entry), regions), get(entries.r_length, entry)
            if get(entries.r_to, entry) >= first:
                put(ascents.after, place, length)
                ascents.at_last[place] = counts.r_count[entry]
            else:
                put(ascents.before, place, length)
                ascents.paths[place] = counts.r_count[entry]


@loop_without_allocation
def bring_all_back(
    infinity: int,
    members: Reals,
    begin: int,
    end: int,
    regions: Regions,
    counts: Counts,
    ascents: TiedAscents,
    sums: Reals,
    uses: Uses,
) -> None:
    """Give the mass of each path that came to the ascents back along them, from the cells ``begin`` … ``end`` − 1.

    ``members`` [n] are those of each position, with 64 to spare.
    """
    for cell in range(begin, end):
        if regions.is_leaf[cell]:
            _bring_leaf_back(cell, members, regions, counts, ascents, uses)
            continue
        first, row = np.int64(get(regions.offsets, cell)), get(regions.ascent_row, cell)
        targets, end_target = get(regions.front_first, cell), get(regions.front_first, cell + 1)
        first_place, end_place = get(regions.target_first, targets), get(regions.target_first, end_target)
        for i in range(FOLDED * (end_place - first_place)):
            sums[i] = 0.0
        for block in range(0, row, WIDTH):
            many = load(LANES_64, members, first + block)
            for target in range(targets, end_target):
                _bring_target_back(infinity, many, cell, target, block, regions, counts, ascents, sums)
        for place in range(first_place, end_place):
            uses.r_use[get(regions.from_entry, place)] += sum_of(sums, FOLDED * (place - first_place))


@inlined
def _bring_target_back(
    infinity: int,
    many: Vector,
    cell: int,
    target: int,
    block: int,
    regions: Regions,
    counts: Counts,
    ascents: TiedAscents,
    sums: Reals,
) -> None:
    """Give what came to a node of a cell's front back to the cell's own nodes, for a block of the sources below."""
    first_target, own = get(regions.front_first, cell), get(regions.offsets, cell + 1) - get(regions.offsets, cell)
    origins, row = get(regions.ascent_at, cell) + block, get(regions.ascent_row, cell)
    at = get(regions.target_at, target) + block
    mass, goal = load(LANES_64, ascents.to_before, at), load(LANES_64, ascents.before, at)
    if target - first_target < own:
        kept, first_reached = mass, goal
        mass, goal = load(LANES_64, ascents.at_last, at), load(LANES_64, ascents.after, at)
        store(ascents.to_before, at, add_reals(kept, keep_lanes(lanes_equal(first_reached, goal), mass)))
    live = lanes_below(goal, splat(LANES_64, infinity))
    first_place = get(regions.target_first, first_target)
    for place in range(get(regions.target_first, target), get(regions.target_first, target + 1)):
        origin = origins + np.int64(get(regions.from_row, place)) * row
        offer = add(load(LANES_64, ascents.before, origin), splat(LANES_64, get(regions.from_length, place)))
        bits = lanes_equal(offer, goal) & live
        if bits != NO_LANES:
            taken = keep_lanes(bits, mass)
            passed = multiply_reals(multiply_reals(taken, load(LANES_64, ascents.paths, origin)), many)
            add_folded(sums, FOLDED * (place - first_place), passed)
            taken = multiply_reals(taken, splat_real(LANES_64, counts.from_count[place]))
            store(ascents.to_before, origin, add_reals(load(LANES_64, ascents.to_before, origin), taken))


@inlined
def _bring_leaf_back(
    cell: int, members: Reals, regions: Regions, counts: Counts, ascents: TiedAscents, uses: Uses
) -> None:
    """Add what comes to the ascents of a leaf's nodes to their rows of R: they are the sources themselves."""
    entries, first = regions.entries, np.int64(get(regions.offsets, cell))
    for i in range(np.int64(get(regions.offsets, cell + 1)) - first):
        for entry in range(get(entries.r_first, first + i), get(entries.r_first, first + i + 1)):
            at, length = ascent_entry(first, i, get(entries.r_to, entry), regions), get(entries.r_length, entry)
            if get(entries.r_to, entry) >= first:
                if length == get(ascents.after, at):
                    uses.r_use[entry] += ascents.at_last[at] * members[first + i]
            elif length == get(ascents.before, at):
                uses.r_use[entry] += ascents.to_before[at] * members[first + i]


# -------------------------------------------------------------------------------------------------------- the walk


@loop_without_allocation
def walk_classes(
    infinity: int,
    step: int,
    work: int,
    given: Reals,
    regions: Regions,
    counts: Counts,
    ascents: TiedAscents,
    columns: TiedColumns,
    uses: Uses,
) -> int:
    """Walk on from a step until some work is done, or a pool is too small; return the next step.

    ``work`` is in columns times nodes; ``given`` [n] are the members of each position, with 64 to spare.
    """
    while step < len(regions.steps) and work > 0:
        entered = np.int64(get(regions.steps, step))
        cell = entered if entered >= 0 else ~entered
        root, leaf = get(regions.region, cell), regions.is_leaf[cell]
        if entered >= 0 and root == cell and not enter(infinity, cell, given, regions, columns):
            return step
        if entered >= 0:
            _come_down(infinity, cell, regions, counts, ascents, columns, uses)
        if leaf or entered < 0:
            if not leaf:
                _give_back(infinity, cell, regions, counts, ascents, columns, uses)
            if root == cell:
                leave(cell, regions, columns)
        work -= get(columns.stride, root) * (get(regions.offsets, cell + 1) - get(regions.offsets, cell))
        step += 1
    return step


@part_without_allocation
def _come_down(
    infinity: int,
    cell: int,
    regions: Regions,
    counts: Counts,
    ascents: TiedAscents,
    columns: TiedColumns,
    uses: Uses,
) -> None:
    """Make distances, numbers of paths and the mass of each; a leaf gives it back at once."""
    infinite, entries, leaf = splat(LANES_64, infinity), regions.entries, regions.is_leaf[cell]
    root, first = get(regions.region, cell), np.int64(get(regions.offsets, cell))
    stride, own = get(columns.stride, root), get(regions.own_row, cell)
    shift, row, last = first - get(regions.offsets, root), get(regions.ascent_row, cell), get(regions.offsets, cell + 1)
    first_entry = get(entries.l_first, first)
    if leaf:
        _clear_sums(cell, regions, columns)
    for block in range(0, stride - LINE, WIDTH):
        at, many = get(columns.at, root) + block, load(LANES_64, columns.members, get(columns.members_at, root) + block)
        mine = lanes_within(block, shift, get(regions.below, cell))
        for i in range(last - first):
            begin, end = get(entries.l_first, first + i), get(entries.l_first, first + i + 1)
            ascent = get(regions.ascent_at, cell) + i * row + block - shift
            best, of_ascent = infinite, infinite
            if mine != NO_LANES:
                of_ascent = load(LANES_64, ascents.after, ascent)
                best = add(keep_lanes(mine, of_ascent), keep_lanes(~mine, infinite))
            best = nearest(best, first + i, at, stride, regions, columns)
            reached = lanes_below(best, infinite)
            led, by_ascent = splat_real(LANES_64, 0.0), NO_LANES
            if mine != NO_LANES:
                by_ascent = lanes_equal(best, of_ascent) & reached & mine
                led = keep_lanes(by_ascent, load(LANES_64, ascents.at_last, ascent))
            for entry in range(begin, end):
                above = at + np.int64(get(regions.l_row, entry)) * stride
                offer = add(load(LANES_64, columns.distances, above), splat(LANES_64, get(entries.l_length, entry)))
                bits = lanes_equal(offer, best) & reached
                put(columns.tight, entry - begin, bits)
                if bits != NO_LANES:
                    more = load(LANES_64, columns.paths, above)
                    led = add_reals(
                        led, keep_lanes(bits, multiply_reals(more, splat_real(LANES_64, counts.l_count[entry])))
                    )
            uses.arrived[first + i] += total_of_reals(keep_lanes(reached, many))
            mass = keep_lanes(reached, divide_reals(splat_real(LANES_64, regions.demand[first + i]), led))
            if leaf:
                if mine != NO_LANES:
                    _give_ascent(mass, by_ascent, mine, ascent, ascents)
                _give_leaf_back(mass, many, begin, end, first_entry, at, stride, regions, counts, columns)
            else:
                place = at + (own + i) * stride
                store(columns.distances, place, best)
                store(columns.paths, place, led)
                store(columns.masses, place, mass)
    if leaf:
        _note_sums(cell, regions, columns, uses)


@part_without_allocation
def _give_back(
    infinity: int,
    cell: int,
    regions: Regions,
    counts: Counts,
    ascents: TiedAscents,
    columns: TiedColumns,
    uses: Uses,
) -> None:
    """Give the mass of each path to an inner cell's nodes back to its border, and to the ascent."""
    infinite, entries = splat(LANES_64, infinity), regions.entries
    root, first = get(regions.region, cell), np.int64(get(regions.offsets, cell))
    stride, own = get(columns.stride, root), get(regions.own_row, cell)
    shift, row, last = first - get(regions.offsets, root), get(regions.ascent_row, cell), get(regions.offsets, cell + 1)
    first_entry = get(entries.l_first, first)
    _clear_sums(cell, regions, columns)
    for block in range(0, stride - LINE, WIDTH):
        at, many = get(columns.at, root) + block, load(LANES_64, columns.members, get(columns.members_at, root) + block)
        mine = lanes_within(block, shift, get(regions.below, cell))
        for i in range(last - first):
            best = load(LANES_64, columns.distances, at + (own + i) * stride)
            mass = load(LANES_64, columns.masses, at + (own + i) * stride)
            reached = lanes_below(best, infinite)
            if mine != NO_LANES:
                ascent = get(regions.ascent_at, cell) + i * row + block - shift
                bits = lanes_equal(best, load(LANES_64, ascents.after, ascent)) & reached & mine
                _give_ascent(mass, bits, mine, ascent, ascents)
            for entry in range(get(entries.l_first, first + i), get(entries.l_first, first + i + 1)):
                above = at + np.int64(get(regions.l_row, entry)) * stride
                offer = add(load(LANES_64, columns.distances, above), splat(LANES_64, get(entries.l_length, entry)))
                bits = lanes_equal(offer, best) & reached
                if bits != NO_LANES:
                    _give_entry(mass, bits, many, entry, entry - first_entry, at, stride, regions, counts, columns)
    _note_sums(cell, regions, columns, uses)


@inlined
def _give_ascent(mass: Vector, bits: np.uint64, mine: np.uint64, ascent: int, ascents: TiedAscents) -> None:
    """Leave the mass of each path to the ascent in the lanes of a mask, and nothing in the others of a cell's own."""
    kept = keep_lanes(~mine, load(LANES_64, ascents.at_last, ascent))
    store(ascents.at_last, ascent, add_reals(kept, keep_lanes(bits, mass)))


@inlined
def _give_entry(
    mass: Vector,
    bits: np.uint64,
    many: Vector,
    entry: int,
    number: int,
    at: int,
    stride: int,
    regions: Regions,
    counts: Counts,
    columns: TiedColumns,
) -> None:
    """Give the mass of each path to the border's node of an entry, in those lanes in which it is tight."""
    above = at + np.int64(get(regions.l_row, entry)) * stride
    taken = keep_lanes(bits, mass)
    add_folded(
        columns.sums,
        FOLDED * number,
        multiply_reals(multiply_reals(taken, load(LANES_64, columns.paths, above)), many),
    )
    taken = multiply_reals(taken, splat_real(LANES_64, counts.l_count[entry]))
    store(columns.masses, above, add_reals(load(LANES_64, columns.masses, above), taken))


@inlined
def _give_leaf_back(
    mass: Vector,
    many: Vector,
    begin: int,
    end: int,
    first_entry: int,
    at: int,
    stride: int,
    regions: Regions,
    counts: Counts,
    columns: TiedColumns,
) -> None:
    """Give the mass of each path to a node to its entries, whose lanes are known."""
    for entry in range(begin, end):
        bits = get(columns.tight, entry - begin)
        if bits != NO_LANES:
            _give_entry(mass, bits, many, entry, entry - first_entry, at, stride, regions, counts, columns)


@inlined
def _clear_sums(cell: int, regions: Regions, columns: TiedColumns) -> None:
    first, end = get(regions.offsets, cell), get(regions.offsets, cell + 1)
    for i in range(FOLDED * (get(regions.entries.l_first, end) - get(regions.entries.l_first, first))):
        columns.sums[i] = 0.0


@inlined
def _note_sums(cell: int, regions: Regions, columns: TiedColumns, uses: Uses) -> None:
    """Add what passed the entries of a cell to their uses."""
    first = get(regions.entries.l_first, get(regions.offsets, cell))
    for entry in range(first, get(regions.entries.l_first, get(regions.offsets, cell + 1))):
        uses.l_use[entry] += sum_of(columns.sums, FOLDED * (entry - first))


# ------------------------------------------------------------------------------------------------------- the whole


def bytes_of_ties_by_classes(regions: Regions, itemsize: int) -> int:
    """Return what pools and ascents take to begin with."""
    n, size = int(regions.below[0]), POOL_START + POOL_SHARE * int(regions.below[0])
    return (int(regions.ascent_at[-1]) + 2 * WIDTH) * (2 * itemsize + 24) + size * (itemsize + 16) + 300 * n


def flow_ties_by_classes(
    fronts: Fronts,
    entries: Entries,
    counted: tuple[Reals, Reals],
    demand: Reals,
    given: Reals,
    *,
    network_name: str,
    report: Callable[[float], None],
    least: int | None = None,
    spread: bool = True,
) -> Uses:
    """Return what passes the paths of each entry, for a demand [n] and members ``given`` [n] by position.

    ``counted`` are the numbers of paths of the entries of L and R. The rest is as with ``flow_by_classes``.
    """
    cut, infinity, (l_count, r_count) = fronts.cut, fronts.infinity, counted
    regions = regions_of(cut, entries, fronts.strides, demand, LEAST_BELOW if least is None else least)
    n, count = cut.node_count, cut.cell_count
    require_memory(bytes_of_ties_by_classes(regions, fronts.dtype.itemsize), f"the flows of {network_name}")
    counts = Counts(l_count, r_count, r_count[regions.from_entry])
    members = np.concatenate((given, np.zeros(WIDTH)))
    columns = tied_columns_of(regions, fronts.dtype, POOL_START + POOL_SHARE * n, spread=spread)
    size = int(regions.ascent_at[-1]) + 2 * WIDTH
    before, after = (np.full(size, infinity, fronts.dtype) for _ in range(2))
    ascents = TiedAscents(before, after, *(np.full(size, 0.0) for _ in range(3)))  # as ``ascents_of``
    uses = uses_of(entries, n, np.dtype(np.float64))
    for end in range(count, 0, -CELLS_AT_ONCE):
        ascend_all(infinity, max(end - CELLS_AT_ONCE, 0), end, regions, counts, ascents)
        report(0.0)
    step = 0
    while step < len(regions.steps):
        reached = walk_classes(infinity, step, WORK_AT_ONCE // 4, members, regions, counts, ascents, columns, uses)
        if reached == step:
            columns = enlarged(columns, network_name)
        step = reached
        report(0.9 * step / len(regions.steps))
    for begin in range(0, count, CELLS_AT_ONCE):
        end = min(begin + CELLS_AT_ONCE, count)
        bring_all_back(infinity, members, begin, end, regions, counts, ascents, columns.sums, uses)
        report(0.9 + 0.1 * end / count)
    return uses
