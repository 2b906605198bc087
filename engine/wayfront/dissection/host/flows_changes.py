"""The walk of ``flows_closing`` through regions: anew above closed roads, and below them with what changes alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop, loop_without_allocation, part_without_allocation
from wayfront.dissection.host.flows_ascents import Ascents, sum_of
from wayfront.dissection.host.flows_classes import (
    ALIKE,
    OF_MEMBERS,
    come_down,
    from_ascent,
    give_back,
    give_entries,
    lanes_within,
    members_that_reach,
    nearest,
    pass_leaf,
)
from wayfront.dissection.host.flows_columns import (
    LINE,
    SIDE,
    Columns,
    all_within,
    class_of,
    enter,
    hash_block,
    leave,
    lines_of,
    mask_of,
    note_blocks,
)
from wayfront.dissection.host.flows_lanes import NO_LANES, WIDTH
from wayfront.dissection.host.flows_regions import Regions
from wayfront.dissection.host.vectors import (
    FOLDED,
    LANES_16,
    LANES_64,
    Vector,
    get,
    keep_lanes,
    lanes_below,
    lanes_equal,
    load,
    put,
    splat,
    store,
    store_transposed,
)
from wayfront.dissection.passing import Uses
from wayfront.dissection.shape import Int32Array, Int64Array

WHOLE, ABOVE, CHANGED = range(3)
"""Kinds of regions: walked as if nothing were known; above a closed road; and walked with what changes alone."""

NOW, BEFORE, PART, MEMORY = range(4)
"""What may be too small: pools of the columns as they are, as they were, and of what changes, or the memory."""


class Memory(NamedTuple):
    """What columns of regions gave back to borders, for one member each: [border node][column] of each region.

    at     int64 [c]: where a region begins in ``flows``; −1 for one that is not remembered
    used   int64 [c]: its columns
    filled int64 [1]
    flows  uint16 where that holds all demand below a region, else int32
    """

    at: Int64Array
    used: Int64Array
    filled: Int64Array
    flows: NDArray[Any]


class Changes(NamedTuple):
    """What is known of columns that change: of a region its own sources, as they were, then as they are, then classes.

    kind       uint8 [c]: of a region's root
    own_at     int64 [c]: where the positions of a region's own sources begin in ``positions`` int32; ``own_count``
    weights    int64: of the classes of one region while they are found; ``asked`` uint8: whether they must be kept
    place      int32: the column of each class, −1 for none; ``kept`` int64: the class of each column
    new        int64: the classes, and ``new_at`` the columns, of the first region below the roads that are new
    asks       uint8, as in ``Columns.members``: whether what a column gives back is asked for
    counts     int64 [2]: classes of the first region from before, and new ones
    mine, amounts  [64]: what ascents bring to own sources, and flow that is given to these
    short      int64 [1]: what is too small
    """

    kind: NDArray[np.uint8]
    own_at: Int64Array
    own_count: Int64Array
    positions: Int32Array
    weights: Int64Array
    asked: NDArray[np.uint8]
    place: Int32Array
    kept: Int64Array
    new: Int64Array
    new_at: Int64Array
    asks: NDArray[np.uint8]
    counts: Int64Array
    mine: NDArray[Any]
    amounts: NDArray[Any]
    short: Int64Array


class Network(NamedTuple):
    """Where the walk finds distances by one set of weights."""

    regions: Regions
    ascents: Ascents


@loop_without_allocation
def walk_again(
    infinity: int,
    unit: bool,
    remembers: bool,
    step: int,
    end: int,
    given: Int32Array,
    was: Network,
    has: Network,
    now: Columns,
    before: Columns,
    part: Columns,
    changes: Changes,
    memory: Memory,
    uses: Uses,
) -> int:
    """Walk on from a step until another one, or until something is too small; return the next step.

    ``was`` and ``has`` are the network before and now, ``before`` and ``now`` the columns of all sources, ``part``
    those that change; with ``remembers`` what columns give back is remembered.
    """
    while step < end:
        entered = np.int64(get(has.regions.steps, step))
        cell = entered if entered >= 0 else ~entered
        if changes.kind[get(has.regions.region, cell)] == CHANGED:
            if not _step_with_changes(
                infinity, cell, entered >= 0, given, has, before, now, part, changes, memory, uses
            ):
                return step
        elif not _step(
            infinity, unit, remembers, cell, entered >= 0, given, was, has, now, before, changes, memory, uses
        ):
            return step
        step += 1
    return step


@inlined
def _step_with_changes(
    infinity: int,
    cell: int,
    enters: bool,
    given: Int32Array,
    has: Network,
    before: Columns,
    now: Columns,
    part: Columns,
    changes: Changes,
    memory: Memory,
    uses: Uses,
) -> bool:
    """Enter or leave a cell with what changes alone; False, and nothing is done, where something is too small."""
    regions, ascents = has.regions, has.ascents
    root, leaf = get(regions.region, cell), regions.is_leaf[cell]
    first = changes.kind[get(regions.region, get(regions.parent, root))] == ABOVE
    if enters and root == cell:
        if first:
            if not _meet(infinity, cell, given, regions, before, now, part, changes):
                return False
        elif not _enter_part(infinity, cell, regions, part, changes):
            return False
    if get(part.used, root) > 0:
        if leaf:
            _pass_part_leaf(infinity, cell, regions, ascents, part, changes, uses)
        elif enters:
            _come_down_in_part(infinity, cell, regions, ascents, part, changes, uses)
        else:
            _give_back_in_part(infinity, cell, regions, ascents, part, changes, uses)
    if root == cell and (leaf or not enters):
        if first:
            _remember_flows(cell, regions, now, part, changes, memory)
            leave(cell, regions, now)
        elif get(part.used, cell) > 0:
            _leave_part(cell, regions, part)
    return True


@inlined
def _step(
    infinity: int,
    unit: bool,
    remembers: bool,
    cell: int,
    enters: bool,
    given: Int32Array,
    was: Network,
    has: Network,
    now: Columns,
    before: Columns,
    changes: Changes,
    memory: Memory,
    uses: Uses,
) -> bool:
    """Enter or leave a cell with all sources; False, and nothing is done, where something is too small."""
    regions, ascents = has.regions, has.ascents
    root, leaf = get(regions.region, cell), regions.is_leaf[cell]
    left = root == cell and (leaf or not enters)
    if enters and root == cell and not _enter_both(infinity, cell, given, was, has, now, before, changes):
        return False
    noted = remembers and left and get(memory.at, cell) >= 0
    if noted and memory.filled[0] + _border_of(cell, regions) * get(now.used, cell) > len(memory.flows):
        changes.short[0] = MEMORY
        return False
    if leaf:
        pass_leaf(infinity, cell, regions, ascents, now, uses)
    elif enters:
        come_down(infinity, cell, regions, ascents, now, uses)
        if changes.kind[root] == ABOVE:
            _come_down_before(infinity, cell, was.regions, was.ascents, before)
    else:
        give_back(infinity, cell, unit, regions, ascents, now, uses)
    if noted:
        _remember(cell, regions, now, memory)
    if left:
        leave(cell, regions, now)
    return True


@inlined
def _enter_both(
    infinity: int,
    cell: int,
    given: Int32Array,
    was: Network,
    has: Network,
    now: Columns,
    before: Columns,
    changes: Changes,
) -> bool:
    """Make a region's columns, above closed roads those that there were as well; False where a pool is too small."""
    changes.short[0] = BEFORE
    if changes.kind[cell] == ABOVE and not _enter(infinity, cell, given, was.regions, before):
        return False
    changes.short[0] = NOW
    return _enter(infinity, cell, given, has.regions, now)


@part_without_allocation
def _enter(infinity: int, cell: int, given: Int32Array, regions: Regions, columns: Columns) -> bool:
    """Make a region's columns; False where a pool is too small."""
    return enter(infinity, cell, given, regions, columns)


@inlined
def _border_of(cell: int, regions: Regions) -> int:
    """Return how many nodes a cell's border has."""
    return get(regions.border_offsets, cell + 1) - get(regions.border_offsets, cell)


@part_without_allocation
def _remember(cell: int, regions: Regions, now: Columns, memory: Memory) -> None:
    """Remember what a region's columns give back to its border."""
    used, stride, place = get(now.used, cell), get(now.stride, cell), memory.filled[0]
    put(memory.at, cell, place)
    put(memory.used, cell, used)
    for k in range(_border_of(cell, regions)):
        row = now.flows[get(now.at, cell) + k * stride : get(now.at, cell) + k * stride + used]
        noted = memory.flows[place : place + used]
        for j in range(used):
            noted[j] = row[j]
        place += used
    memory.filled[0] = place


@part_without_allocation
def _come_down_before(infinity: int, cell: int, regions: Regions, ascents: Ascents, before: Columns) -> None:
    """Make the distances of an inner cell's nodes as they were."""
    infinite = splat(LANES_64, infinity)
    root, first = get(regions.region, cell), np.int64(get(regions.offsets, cell))
    stride, own = get(before.stride, root), get(regions.own_row, cell)
    shift, row = first - get(regions.offsets, root), get(regions.ascent_row, cell)
    for block in range(0, stride - LINE, WIDTH):
        at = get(before.at, root) + block
        mine = lanes_within(block, shift, get(regions.below, cell))
        for i in range(np.int64(get(regions.offsets, cell + 1)) - first):
            best = from_ascent(infinite, mine, get(regions.ascent_at, cell) + i * row + block - shift, ascents)
            store(before.distances, at + (own + i) * stride, nearest(best, first + i, at, stride, regions, before))


@part_without_allocation
def _meet(
    infinity: int,
    cell: int,
    given: Int32Array,
    regions: Regions,
    before: Columns,
    now: Columns,
    part: Columns,
    changes: Changes,
) -> bool:
    """Find what changes in the first region below closed roads; False where a pool is too small.

    Its columns now are the sources below, the classes that there were, and new ones.
    """
    parent, border = np.int64(get(regions.region, get(regions.parent, cell))), _border_of(cell, regions)
    put(part.used, cell, 0)
    put(changes.own_count, cell, 0)
    put(now.used, cell, get(regions.below, cell))
    put(now.stride, cell, LINE)
    if border == 0:
        return True
    changes.short[0] = NOW
    own = _list_own(cell, parent, border, regions, before, now, changes)
    count = _find_both(infinity, cell, parent, regions, before, now, changes)
    if count < 0:
        return False
    kept = _keep_classes(2 * own, count, changes)
    if 2 * own + kept == 0:
        return True
    changes.short[0] = PART
    if not _place_part(infinity, cell, border, 0, 0, own, kept, regions, part, changes):
        return False
    put(changes.own_at, cell, 0)
    put(changes.own_count, cell, own)
    _fill_own(cell, parent, border, own, given, regions, before, now, part, changes)
    new = np.int64(0)
    for j in range(kept):
        if changes.kept[j] >= changes.counts[0]:
            changes.new[new], changes.new_at[new], changes.asks[2 * own + j] = changes.kept[j], 2 * own + j, 1
            new += 1
    changes.counts[1] = new
    note_blocks(0, get(part.used, cell), get(part.stride, cell) - LINE, part)
    return True


@inlined
def _find_both(
    infinity: int, cell: int, parent: int, regions: Regions, before: Columns, now: Columns, changes: Changes
) -> Any:
    """Put the parent's columns, as they were and as they are, into classes; return how many, −1 without room."""
    below, border = get(regions.below, cell), _border_of(cell, regions)
    wide, shift = get(now.stride, parent), np.int64(get(regions.offsets, cell) - get(regions.offsets, parent))
    at, to_at = get(now.at, parent) + wide * get(regions.rows, parent), get(now.to_at, parent)
    if parent > 0:
        to_at += get(now.stride, get(regions.region, get(regions.parent, parent)))
    if to_at + wide > len(now.to):
        return np.int64(-1)
    mask, of_before = mask_of(get(before.used, parent) + get(now.used, parent)), get(before.members_at, parent)
    now.turn[0] += 1
    known = _classify(
        infinity, cell, parent, -1, shift, shift, below, 0, of_before, 0, mask, False, regions, before, changes
    )
    if known < 0:
        return np.int64(-1)
    count = _classify(
        infinity, cell, parent, 1, shift, shift, below, known, to_at, below, mask, False, regions, now, changes
    )
    stride = (below + count + WIDTH) // WIDTH * WIDTH + LINE
    if count < 0 or at + (border + SIDE) * stride > len(now.flows):
        return np.int64(-1)
    changes.counts[0] = known
    put(now.to_at, cell, to_at)
    put(now.at, cell, at)
    put(now.stride, cell, stride)
    put(now.used, cell, below + count)
    return np.int64(count)


@inlined
def _list_own(
    cell: int, parent: int, border: int, regions: Regions, before: Columns, now: Columns, changes: Changes
) -> Any:
    """List the sources below a region whose distances to its border change; return how many there are."""
    own, first_node, below = np.int64(0), get(regions.border_offsets, cell), get(regions.below, cell)
    shift = np.int64(get(regions.offsets, cell) - get(regions.offsets, parent))
    differs = changes.asked[:below]  # no class has been found yet
    for j in range(below):
        differs[j] = 0
    for k in range(border):
        row = get(regions.border_row, first_node + k)
        was = get(before.at, parent) + row * get(before.stride, parent) + shift
        has = get(now.at, parent) + row * get(now.stride, parent) + shift
        once, again = before.distances[was : was + below], now.distances[has : has + below]
        for j in range(below):
            differs[j] |= np.uint8(once[j] != again[j])
    for j in range(below):
        if differs[j]:
            changes.positions[own] = get(regions.offsets, cell) + j
            own += 1
    return own


@inlined
def _fill_own(
    cell: int,
    parent: int,
    border: int,
    own: int,
    given: Int32Array,
    regions: Regions,
    before: Columns,
    now: Columns,
    part: Columns,
    changes: Changes,
) -> None:
    """Fill in the distances of a region's own sources, as they were and as they are, and their weights."""
    of_parent = np.int64(get(regions.offsets, parent))
    for k in range(border):
        row, to = get(regions.border_row, get(regions.border_offsets, cell) + k), k * get(part.stride, cell)
        was = get(before.at, parent) + row * get(before.stride, parent) - of_parent
        has = get(now.at, parent) + row * get(now.stride, parent) - of_parent
        for j in range(own):
            position = np.int64(changes.positions[j])
            part.distances[to + j] = before.distances[was + position]
            part.distances[to + own + j] = now.distances[has + position]
    for j in range(own):
        members = given[changes.positions[j]]
        part.members[j], part.members[own + j] = -members, members
        changes.asks[j], changes.asks[own + j] = 0, 1


@part_without_allocation
def _classify(
    infinity: int,
    cell: int,
    parent: int,
    sign: int,
    first: int,
    second: int,
    own: int,
    count: int,
    to_at: int,
    to_first: int,
    mask: np.uint64,
    partly: bool,
    regions: Regions,
    columns: Columns,
    changes: Changes,
) -> int:
    """Put the parent's columns into classes by what a region sees of them; return how many classes there are now.

    ``own`` columns from ``first`` and ``second`` on are the region's own. The class of each other one is written to
    ``to`` from ``to_at`` on, where ``to_first`` is the first class. Returns −1 where there is no room.
    """
    live, stride, begin = get(columns.used, parent), get(columns.stride, parent), get(columns.members_at, parent)
    border = _border_of(cell, regions)
    line = lines_of(border) * SIDE
    for i in range(SIDE):
        columns.begins[i] = i * line
    for ahead in range(0, live + SIDE, SIDE):
        if ahead < live and not (all_within(ahead, first, own) or all_within(ahead, second, own)):
            hash_block(infinity, cell, parent, border, stride, ahead, mask, regions, columns)
        block = ahead - SIDE
        if block < 0 or all_within(block, first, own) or all_within(block, second, own):
            continue
        for j in range(block, min(block + SIDE, live)):
            if (j >= first and j < first + own) or (j >= second and j < second + own):
                continue
            if (count + SIDE) * line > len(columns.lines):
                return -1
            into = class_of((block & SIDE) + j - block, count, line, mask, columns)
            if into == count:
                changes.weights[into], changes.asked[into] = 0, 0
                count += 1
            changes.weights[into] += sign * np.int64(columns.members[begin + j])
            if partly:
                changes.asked[into] |= changes.asks[begin + j]
            columns.to[to_at + j] = to_first + into
    return count


@inlined
def _keep_classes(first_column: int, count: int, changes: Changes) -> Any:
    """Give columns to the classes that are walked on with, from the first on; return how many there are."""
    kept = np.int64(0)
    for number in range(count):
        changes.place[number] = -1
        if changes.weights[number] != 0 or changes.asked[number] != 0:
            changes.place[number] = first_column + kept
            changes.kept[kept] = number
            kept += 1
    for i in range(SIDE):
        changes.kept[kept + i] = 0
    return kept


@part_without_allocation
def _place_part(
    infinity: int,
    cell: int,
    border: int,
    at: int,
    members_at: int,
    own: int,
    kept: int,
    regions: Regions,
    part: Columns,
    changes: Changes,
) -> bool:
    """Make room for a region's columns that change, and fill in classes; False where a pool is too small."""
    used = 2 * own + kept
    stride = (used + WIDTH - 1) // WIDTH * WIDTH + LINE
    rows = max(get(regions.rows, cell), border + SIDE)
    if at + rows * stride + WIDTH > len(part.distances) or members_at + stride + WIDTH > len(part.members):
        changes.short[0] = PART
        return False
    put(part.at, cell, at)
    put(part.members_at, cell, members_at)
    put(part.stride, cell, stride)
    put(part.used, cell, used)
    line = lines_of(border) * SIDE
    for group in range(0, border, SIDE):
        for k in range(SIDE):
            part.begins[k] = at + (group + k) * stride + 2 * own
        for number in range(0, kept, SIDE):
            for i in range(SIDE):
                store(part.square, i * SIDE, load(LANES_16, part.lines, changes.kept[number + i] * line + group))
            store_transposed(LANES_16, part.square, part.distances, part.begins, 0, number)
    for k in range(border):
        for j in range(used, stride):
            part.distances[at + k * stride + j] = infinity
    flows = part.flows[at : at + border * stride]
    for j in range(border * stride):
        flows[j] = 0
    for j in range(kept):
        number = changes.kept[j]
        part.members[members_at + 2 * own + j] = np.int32(changes.weights[number])
        changes.asks[members_at + 2 * own + j] = changes.asked[number]
    return True


@part_without_allocation
def _enter_part(infinity: int, cell: int, regions: Regions, part: Columns, changes: Changes) -> bool:
    """Make the columns that change of a region below another one; False where a pool is too small."""
    parent, border = np.int64(get(regions.region, get(regions.parent, cell))), _border_of(cell, regions)
    put(part.used, cell, 0)
    put(changes.own_count, cell, 0)
    live, begin, stride = get(part.used, parent), get(part.members_at, parent), get(part.stride, parent)
    if live == 0 or border == 0:
        return True
    half, own_at = get(changes.own_count, parent), get(changes.own_at, parent)
    offset = np.int64(get(regions.offsets, cell))
    first = _first_from(offset, own_at, half, changes)
    own = _first_from(offset + get(regions.below, cell), own_at, half, changes) - first
    mask = mask_of(live)
    part.turn[0] += 1
    count = _classify(
        infinity, cell, parent, 1, first, half + first, own, 0, begin, 0, mask, True, regions, part, changes
    )
    if count < 0:
        changes.short[0] = PART
        return False
    kept = _keep_classes(2 * own, count, changes)
    if 2 * own + kept == 0:
        return True
    at, members_at = get(part.at, parent) + stride * get(regions.rows, parent), begin + stride - LINE
    if not _place_part(infinity, cell, border, at, members_at, own, kept, regions, part, changes):
        return False
    put(changes.own_at, cell, own_at + first)
    put(changes.own_count, cell, own)
    for j in range(live):
        if j >= first and j < first + own:
            part.to[begin + j] = j - first
        elif j >= half + first and j < half + first + own:
            part.to[begin + j] = j - half - first + own
        else:
            part.to[begin + j] = changes.place[part.to[begin + j]]
    for k in range(border):
        row = get(regions.border_row, get(regions.border_offsets, cell) + k)
        above, below = get(part.at, parent) + row * stride + first, at + k * get(part.stride, cell)
        for j in range(own):
            part.distances[below + j] = part.distances[above + j]
            part.distances[below + own + j] = part.distances[above + half + j]
    for j in range(own):
        part.members[members_at + j] = part.members[begin + first + j]
        part.members[members_at + own + j] = part.members[begin + half + first + j]
        changes.asks[members_at + j], changes.asks[members_at + own + j] = 0, 1
    note_blocks(members_at, get(part.used, cell), get(part.stride, cell) - LINE, part)
    return True


@inlined
def _first_from(position: int, begin: int, count: int, changes: Changes) -> Any:
    """Return how many of a region's own sources come before a position."""
    low, high = np.int64(0), np.int64(count)
    while low < high:
        middle = (low + high) // 2
        if changes.positions[begin + middle] < position:
            low = middle + 1
        else:
            high = middle
    return low


@part_without_allocation
def _leave_part(cell: int, regions: Regions, part: Columns) -> None:
    """Give what arrived at a region's border back to the parent's columns that change."""
    parent = get(regions.region, get(regions.parent, cell))
    begin, live = get(part.members_at, parent), get(part.used, parent)
    for k in range(_border_of(cell, regions)):
        row = get(regions.border_row, get(regions.border_offsets, cell) + k)
        above = get(part.at, parent) + row * get(part.stride, parent)
        below = get(part.at, cell) + k * get(part.stride, cell)
        for j in range(live):
            into = np.int64(get(part.to, begin + j))
            if into >= 0:
                part.flows[above + j] += part.flows[below + into]


@part_without_allocation
def _remember_flows(cell: int, regions: Regions, now: Columns, part: Columns, changes: Changes, memory: Memory) -> None:
    """Fill in what the first region below closed roads gives back: what is remembered, and what is new."""
    used, stride, below = get(memory.used, cell), get(now.stride, cell), get(regions.below, cell)
    own, changing = get(changes.own_count, cell), get(part.used, cell) > 0
    for k in range(_border_of(cell, regions)):
        to, noted = get(now.at, cell) + k * stride, get(memory.at, cell) + k * used
        row, remembered = now.flows[to : to + stride], memory.flows[noted : noted + used]
        for j in range(used):
            row[j] = remembered[j]
        for j in range(used, stride):
            row[j] = 0
        if changing:
            found = get(part.at, cell) + k * get(part.stride, cell)
            for j in range(own):
                row[changes.positions[j] - get(regions.offsets, cell)] = part.flows[found + own + j]
            for j in range(changes.counts[1]):
                row[below + changes.new[j]] = part.flows[found + changes.new_at[j]]


@inlined
def _own_lanes(cell: int, root: int, block: int, regions: Regions, changes: Changes) -> Any:
    """Return the lanes of a block that are sources below a cell, as they were or are."""
    own, own_at = get(changes.own_count, root), get(changes.own_at, root)
    if own == 0 or block >= 2 * own:
        return NO_LANES
    first = np.int64(get(regions.offsets, cell))
    low = _first_from(first, own_at, own, changes)
    count = _first_from(first + get(regions.below, cell), own_at, own, changes) - low
    return lanes_within(block, low, count) | lanes_within(block, own + low, count)


@inlined
def _bring_ascents(
    infinity: int, mine: np.uint64, root: int, block: int, ascent: int, ascents: Ascents, changes: Changes
) -> None:
    """Write to ``changes.mine`` how near a node is by the ascents of some lanes, and infinity for others."""
    own, own_at = get(changes.own_count, root), get(changes.own_at, root)
    for lane in range(WIDTH):
        away = infinity
        if (mine >> np.uint64(lane)) & np.uint64(1):
            j = block + lane
            if j >= own:
                j -= own
            away = ascents.after[ascent + np.int64(changes.positions[own_at + j])]
        changes.mine[lane] = away


@inlined
def _give_to_ascents(
    bits: np.uint64, flow: Vector, root: int, block: int, ascent: int, ascents: Ascents, changes: Changes
) -> None:
    """Give flow of some lanes to ascents: what is given now, less what was."""
    own, own_at = get(changes.own_count, root), get(changes.own_at, root)
    store(changes.amounts, 0, flow)
    for lane in range(WIDTH):
        if (bits >> np.uint64(lane)) & np.uint64(1):
            j = block + lane
            if j >= own:
                at = ascent + np.int64(changes.positions[own_at + j - own])
                ascents.to_after[at] += changes.amounts[lane]
            else:
                at = ascent + np.int64(changes.positions[own_at + j])
                ascents.to_after[at] -= changes.amounts[lane]


@part_without_allocation
def _come_down_in_part(
    infinity: int, cell: int, regions: Regions, ascents: Ascents, part: Columns, changes: Changes, uses: Uses
) -> None:
    """Make the distances of an inner cell's nodes; their flow is their demand to begin with."""
    infinite = splat(LANES_64, infinity)
    root, first = np.int64(get(regions.region, cell)), np.int64(get(regions.offsets, cell))
    stride, own_row, row = get(part.stride, root), get(regions.own_row, cell), get(regions.ascent_row, cell)
    for block in range(0, stride - LINE, WIDTH):
        at, number = get(part.at, root) + block, get(part.members_at, root) + block
        many, mine = load(LANES_64, part.members, number), _own_lanes(cell, root, block, regions, changes)
        for i in range(np.int64(get(regions.offsets, cell + 1)) - first):
            best = infinite
            if mine != NO_LANES:
                ascent = get(regions.ascent_at, cell) + i * row - first
                _bring_ascents(infinity, mine, root, block, ascent, ascents, changes)
                best = load(LANES_64, changes.mine, 0)
            best = nearest(best, first + i, at, stride, regions, part)
            reached = lanes_below(best, infinite)
            uses.arrived[first + i] += members_that_reach(reached, number, many, part)
            store(part.distances, at + (own_row + i) * stride, best)
            amount = splat(LANES_64, get(regions.demand, first + i))
            store(part.flows, at + (own_row + i) * stride, keep_lanes(reached, amount))


@part_without_allocation
def _give_back_in_part(
    infinity: int, cell: int, regions: Regions, ascents: Ascents, part: Columns, changes: Changes, uses: Uses
) -> None:
    """Give what arrived at an inner cell's nodes back to its border, or to ascents."""
    infinite = splat(LANES_64, infinity)
    root, first, entries = np.int64(get(regions.region, cell)), np.int64(get(regions.offsets, cell)), regions.entries
    stride, own_row, row = get(part.stride, root), get(regions.own_row, cell), get(regions.ascent_row, cell)
    last = np.int64(get(regions.offsets, cell + 1))
    first_entry, end_entry = get(entries.l_first, first), get(entries.l_first, last)
    for i in range(FOLDED * (end_entry - first_entry)):
        part.sums[i] = 0
    for block in range(0, stride - LINE, WIDTH):
        at, number = get(part.at, root) + block, get(part.members_at, root) + block
        many, mine = load(LANES_64, part.members, number), _own_lanes(cell, root, block, regions, changes)
        for i in range(last - first):
            best = load(LANES_64, part.distances, at + (own_row + i) * stride)
            flow = load(LANES_64, part.flows, at + (own_row + i) * stride)
            left = lanes_below(best, infinite)
            if mine != NO_LANES:
                ascent = get(regions.ascent_at, cell) + i * row - first
                _bring_ascents(infinity, mine, root, block, ascent, ascents, changes)
                bits = lanes_equal(best, load(LANES_64, changes.mine, 0)) & left & mine
                _give_to_ascents(bits, flow, root, block, ascent, ascents, changes)
                left ^= bits
            give_entries(best, flow, left, first + i, first_entry, at, stride, OF_MEMBERS, many, regions, part)
    for entry in range(first_entry, end_entry):
        uses.l_use[entry] += sum_of(part.sums, FOLDED * (entry - first_entry))


@part_without_allocation
def _pass_part_leaf(
    infinity: int, cell: int, regions: Regions, ascents: Ascents, part: Columns, changes: Changes, uses: Uses
) -> None:
    """Make the distances of a leaf's nodes, and give their demand back at once."""
    infinite = splat(LANES_64, infinity)
    root, first, entries = np.int64(get(regions.region, cell)), np.int64(get(regions.offsets, cell)), regions.entries
    stride, row = get(part.stride, root), get(regions.ascent_row, cell)
    last = np.int64(get(regions.offsets, cell + 1))
    first_entry, end_entry = get(entries.l_first, first), get(entries.l_first, last)
    for i in range(FOLDED * (end_entry - first_entry)):
        part.sums[i] = 0
    for block in range(0, stride - LINE, WIDTH):
        at, number = get(part.at, root) + block, get(part.members_at, root) + block
        many, mine = load(LANES_64, part.members, number), _own_lanes(cell, root, block, regions, changes)
        for i in range(last - first):
            best, ascent = infinite, get(regions.ascent_at, cell) + i * row - first
            if mine != NO_LANES:
                _bring_ascents(infinity, mine, root, block, ascent, ascents, changes)
                best = load(LANES_64, changes.mine, 0)
            best = nearest(best, first + i, at, stride, regions, part)
            left = lanes_below(best, infinite)
            uses.arrived[first + i] += members_that_reach(left, number, many, part)
            flow = splat(LANES_64, get(regions.demand, first + i))
            if mine != NO_LANES:
                bits = lanes_equal(best, load(LANES_64, changes.mine, 0)) & left & mine
                _give_to_ascents(bits, flow, root, block, ascent, ascents, changes)
                left ^= bits
            give_entries(best, flow, left, first + i, first_entry, at, stride, ALIKE, many, regions, part)
    for i in range(last - first):
        for entry in range(get(entries.l_first, first + i), get(entries.l_first, first + i + 1)):
            total = sum_of(part.sums, FOLDED * (entry - first_entry))
            uses.l_use[entry] += total * get(regions.demand, first + i)


@loop
def carry_over(
    kind: Any,
    region: Any,
    offsets: Any,
    first: Any,
    at: Any,
    use: Any,
    first_now: Any,
    at_now: Any,
    use_now: Any,
    arrived: Any,
    arrived_now: Any,
) -> None:
    """Take what passed entries of L, and what reached nodes, for regions that are walked with what changes alone."""
    for cell in range(len(kind)):
        if kind[region[cell]] != CHANGED:
            continue
        for position in range(offsets[cell], offsets[cell + 1]):
            arrived_now[position] = arrived[position]
            place = first_now[position]
            for entry in range(first[position], first[position + 1]):
                while at_now[place] != at[entry]:
                    place += 1
                use_now[place] = use[entry]
