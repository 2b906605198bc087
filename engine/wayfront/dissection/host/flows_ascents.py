"""The ascents of all sources at once, to every cell above them, and flows given back along them.

A cell has a row for each of its nodes, with a place for each node below it: the distance by which that one reaches the
node first of its separator (*before*), and the least (*after* the cell's own R). Blocks of 64 places are taken at once;
the places of a leaf's nodes, few, one by one. Cells come after those below them on the way up, before them on the way
back. A target takes the first of the origins by which it is as near as it is, and all lanes are done when none is left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation
from wayfront.dissection.host.flows_lanes import NO_LANES, WIDTH
from wayfront.dissection.host.flows_regions import Regions
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
    minimum,
    put,
    splat,
    store,
    subtract,
)
from wayfront.dissection.passing import Uses


class Ascents(NamedTuple):
    """Of every cell and each source below it: distances before and after its R, and what was given back to them."""

    before: NDArray[Any]
    after: NDArray[Any]
    to_before: NDArray[Any]
    to_after: NDArray[Any]


def ascents_of(regions: Regions, dtype: np.dtype[Any], infinity: Any, *, flows: bool = True) -> Ascents:
    """Return rows without distances, and without flows or, without ``flows``, any room for them.

    Blocks reach a little beyond the last row.
    """
    size = int(regions.ascent_at[-1]) + 2 * WIDTH
    before, after = (np.full(size, infinity, dtype) for _ in range(2))
    # Not np.zeros: its pages are read before they are written, and then come one by one, 0.4 s for New York.
    to_before, to_after = (np.full(size if flows else 0, 0, regions.demand.dtype) for _ in range(2))
    return Ascents(before, after, to_before, to_after)


@loop_without_allocation
def ascend_all(infinity: int, begin: int, end: int, regions: Regions, ascents: Ascents) -> None:
    """Bring every node's distances up from cells ``end`` − 1 … ``begin``, which come after those below them."""
    infinite = splat(LANES_64, infinity)
    before, after = ascents.before, ascents.after
    for cell in range(end - 1, begin - 1, -1):
        first, own_at = np.int64(get(regions.offsets, cell)), get(regions.ascent_at, cell)
        own, row = np.int64(get(regions.offsets, cell + 1)) - first, get(regions.ascent_row, cell)
        if regions.is_leaf[cell]:
            _ascend_leaf(cell, regions, ascents)
            continue
        for i in range(own):
            put(before, own_at + i * row + i, 0)
        begin_targets, size = get(regions.front_first, cell), get(regions.front_first, cell + 1)
        size -= begin_targets
        for block in range(0, row, WIDTH):
            for j in range(size):
                at = get(regions.target_at, begin_targets + j) + block
                best = load(LANES_64, before, at)
                entry = get(regions.target_first, begin_targets + j)
                end_entry = get(regions.target_first, begin_targets + j + 1)
                if entry < end_entry:
                    for place in range(entry, end_entry):
                        near = load(LANES_64, before, own_at + np.int64(get(regions.from_row, place)) * row + block)
                        best = minimum(best, add(near, splat(LANES_64, get(regions.from_length, place))))
                    best = minimum(best, infinite)
                if j < own:
                    store(after, at, best)
                elif entry < end_entry:
                    store(before, at, best)


@inlined
def _ascend_leaf(cell: int, regions: Regions, ascents: Ascents) -> None:
    """Bring the distances of a leaf's nodes up: each is a source of its own, whose distances are its row of R."""
    entries, first, at = regions.entries, np.int64(get(regions.offsets, cell)), get(regions.ascent_at, cell)
    row = get(regions.ascent_row, cell)
    for i in range(np.int64(get(regions.offsets, cell + 1)) - first):
        put(ascents.before, at + i * row + i, 0)
        put(ascents.after, at + i * row + i, 0)
        for entry in range(get(entries.r_first, first + i), get(entries.r_first, first + i + 1)):
            place, length = ascent_entry(first, i, get(entries.r_to, entry), regions), get(entries.r_length, entry)
            if get(entries.r_to, entry) >= first:
                put(ascents.after, place, length)
            else:
                put(ascents.before, place, min(get(ascents.before, place), length))


@inlined
def ascent_entry(first: int, node: int, position: int, regions: Regions) -> Any:
    """Return where a cell's node, whose first one is at ``first``, has its place in the row of a position above."""
    owner = np.int64(get(regions.cell_of, position))
    begin = np.int64(get(regions.offsets, owner))
    return get(regions.ascent_at, owner) + (position - begin) * get(regions.ascent_row, owner) + first + node - begin


@loop_without_allocation
def bring_all_back(
    infinity: int,
    unit: bool,
    members: NDArray[Any],
    begin: int,
    end: int,
    regions: Regions,
    ascents: Ascents,
    sums: NDArray[Any],
    uses: Uses,
) -> None:
    """Give what came to the ascents back along them, from the cells ``begin`` … ``end`` − 1, parents first.

    ``members`` [n] are those of each position, with 64 to spare.
    """
    for cell in range(begin, end):
        if regions.is_leaf[cell]:
            _bring_leaf_back(cell, members, regions, ascents, uses)
            continue
        first, row = np.int64(get(regions.offsets, cell)), get(regions.ascent_row, cell)
        targets, end_target = get(regions.front_first, cell), get(regions.front_first, cell + 1)
        first_place, end_place = get(regions.target_first, targets), get(regions.target_first, end_target)
        for i in range(FOLDED * (end_place - first_place)):
            sums[i] = 0
        for block in range(0, row, WIDTH):
            many = load(LANES_64, members, first + block)
            for target in range(targets, end_target):
                _bring_target_back(infinity, unit, many, cell, target, block, regions, ascents, sums)
        for place in range(first_place, end_place):
            uses.r_use[get(regions.from_entry, place)] += sum_of(sums, FOLDED * (place - first_place))


@inlined
def _bring_target_back(
    infinity: int,
    unit: bool,
    many: Vector,
    cell: int,
    target: int,
    block: int,
    regions: Regions,
    ascents: Ascents,
    sums: NDArray[Any],
) -> None:
    """Give what came to a node of a cell's front back to the cell's own nodes, for a block of the sources below."""
    before, to_before = ascents.before, ascents.to_before
    first_target, own = get(regions.front_first, cell), get(regions.offsets, cell + 1) - get(regions.offsets, cell)
    origins, row = get(regions.ascent_at, cell) + block, get(regions.ascent_row, cell)
    at = get(regions.target_at, target) + block
    above = target - first_target >= own
    flow, goal = load(LANES_64, to_before, at), load(LANES_64, before, at)
    if not above:
        nearest, least = goal, load(LANES_64, ascents.after, at)
        kept, flow, goal = flow, load(LANES_64, ascents.to_after, at), least
        stay = lanes_equal(nearest, least)
        store(to_before, at, add(kept, keep_lanes(stay, flow)))
        flow = keep_lanes(~stay, flow)
    none, infinite = splat(LANES_64, to_before.dtype.type(0)), splat(LANES_64, infinity)
    left, all_taken = lanes_below(none, flow) & lanes_below(goal, infinite), NO_LANES
    first_place = get(regions.target_first, first_target)
    place, end = get(regions.target_first, target), get(regions.target_first, target + 1)
    while place < end and left != NO_LANES:
        origin = origins + np.int64(get(regions.from_row, place)) * row
        offer = add(load(LANES_64, before, origin), splat(LANES_64, get(regions.from_length, place)))
        bits = lanes_equal(offer, goal) & left
        if bits != NO_LANES:
            left ^= bits
            all_taken |= bits
            taken = keep_lanes(bits, flow)
            store(to_before, origin, add(load(LANES_64, to_before, origin), taken))
            if unit:
                add_folded(sums, FOLDED * (place - first_place), taken)
            else:
                add_products_folded(sums, FOLDED * (place - first_place), taken, many)
        place += 1
    if above and all_taken != NO_LANES:
        # Read anew: its last lanes may be the first ones of a row that has just received something.
        store(to_before, at, subtract(load(LANES_64, to_before, at), keep_lanes(all_taken, flow)))


@inlined
def _bring_leaf_back(cell: int, members: NDArray[Any], regions: Regions, ascents: Ascents, uses: Uses) -> None:
    """Give what came to the ascents of a leaf's nodes back to these, whose rows of R they are."""
    entries, first = regions.entries, np.int64(get(regions.offsets, cell))
    for i in range(np.int64(get(regions.offsets, cell + 1)) - first):
        for entry in range(get(entries.r_first, first + i), get(entries.r_first, first + i + 1)):
            at, length = ascent_entry(first, i, get(entries.r_to, entry), regions), get(entries.r_length, entry)
            if get(entries.r_to, entry) >= first:
                if length == get(ascents.after, at):
                    uses.r_use[entry] += get(ascents.to_after, at) * members[first + i]
            elif length == get(ascents.before, at):
                uses.r_use[entry] += get(ascents.to_before, at) * members[first + i]
                put(ascents.to_before, at, 0)


@inlined
def sum_of(sums: NDArray[Any], at: int) -> Any:
    """Return what ``add_folded`` has added up."""
    total = sums[at]
    for i in range(1, FOLDED):
        total += sums[at + i]
    return total
