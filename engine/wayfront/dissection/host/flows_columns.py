"""Columns of regions: classes of sources found, distances of a border brought to them, and their flows given back.

Differences are turned by squares of 16, so that those of a column lie side by side: they are compared at once, and
turned back into rows. What a block of columns reads of the table is fetched while the one before is dealt with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, part_without_allocation
from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.flows_lanes import ALL_LANES, NO_LANES, WIDTH
from wayfront.dissection.host.flows_regions import Regions
from wayfront.dissection.host.vectors import (
    FOLDED,
    LANES_16,
    LANES_64,
    add,
    choose_below,
    get,
    keep_below,
    lanes_below,
    lanes_equal,
    load,
    multiply,
    prefetch,
    put,
    splat,
    splat_like,
    store,
    store_transposed,
    subtract,
)
from wayfront.dissection.shape import Int32Array, Int64Array
from wayfront.safe.memory import require_memory

SIDE = 16
"""Columns, and rows, that are transposed together."""

AHEAD = 4 * SIDE
"""How many columns before they are hashed they are fetched: a processor does not follow so many rows by itself."""

LINE = 16
"""Entries between rows: they lie in other sets of a cache."""


class Columns(NamedTuple):
    """Pools that are used along the path to the root: each region's part comes behind that of the region above.

    distances, flows  [row][column]; ``members`` [column]; ``to`` int32: of each of the parent's columns the own one
    at, members_at, to_at, stride, used  int64 [c]: where a region's part begins, how long its rows are, its columns
    whole    bool [c]: whether each of a region's columns reaches every node of it
    table    uint64 [2 · power of 2]: hashes, and beside each the turn that it is of and its class
    factors  what differences are multiplied by; ``turn`` int64 [1]
    lines    the differences of each class; ``block`` those of some columns, and ``hashes`` theirs
    square, flow_square, flow_lines, flow_block, begins  room to transpose in
    sums     of a cell's entries, ``FOLDED`` each
    row_at, near_at  int64: of a leaf's border where rows begin, and of each row where it lies in the next two
    near, taken  uint16 [border][column of a block]: distances beyond the nearest, and nodes reached over each
    short_from, short_length  int32 and uint16: of a leaf's entries where they begin in these, and their lengths
    block_members  the members of each block of columns; ``block_lanes`` uint64: the lanes that are columns
    """

    distances: NDArray[Any]
    flows: NDArray[Any]
    members: NDArray[Any]
    to: Int32Array
    at: Int64Array
    members_at: Int64Array
    to_at: Int64Array
    stride: Int64Array
    used: Int64Array
    whole: NDArray[np.bool_]
    table: NDArray[np.uint64]
    factors: NDArray[Any]
    turn: Int64Array
    lines: NDArray[Any]
    block: NDArray[Any]
    hashes: NDArray[np.uint64]
    square: NDArray[Any]
    flow_square: NDArray[Any]
    flow_lines: NDArray[Any]
    flow_block: NDArray[Any]
    begins: Int64Array
    sums: NDArray[Any]
    row_at: Int64Array
    near_at: Int64Array
    near: NDArray[np.uint16]
    taken: NDArray[np.uint16]
    short_from: Int32Array
    short_length: NDArray[np.uint16]
    block_members: NDArray[Any]
    block_lanes: NDArray[np.uint64]


def columns_of(
    regions: Regions, dtype: np.dtype[Any], members: NDArray[Any], size: int, *, spread: bool = True, flows: bool = True
) -> Columns:
    """Return pools of ``size`` distances, empty, with as many ``flows`` or none.

    Without ``spread`` all hashes are equal.
    """
    n, count = int(regions.below[0]), len(regions.parent)
    inner = ~regions.is_leaf
    l_most = int(np.diff(regions.entries.l_first[regions.offsets]).max(initial=0))
    r_most = int(np.diff(regions.target_first[regions.front_first])[inner].max(initial=0))
    most = 2 * (n + WIDTH) + LINE
    at, members_at, to_at, stride, used = np.zeros((5, count), np.int64)
    sums = np.float64 if members.dtype == np.float64 else np.int64
    border = -(-max(int(np.diff(regions.border_offsets).max()), 1) // SIDE) * SIDE
    factors = np.random.default_rng(1).integers(1, 1 << 30, 2 * border).astype(dtype) * 2 + 1

    def of_distances(length: int) -> NDArray[Any]:
        return aligned_empty(length, dtype)

    def of_flows(length: int) -> NDArray[Any]:
        return aligned_empty(length, regions.demand.dtype)

    return Columns(
        distances=of_distances(size),
        flows=of_flows(size if flows else 0),
        members=np.empty(4 * most, members.dtype),
        to=np.empty(4 * most, np.int32),
        at=at,
        members_at=members_at,
        to_at=to_at,
        stride=stride,
        used=used,
        whole=np.zeros(count, np.bool_),
        table=np.zeros(2 << int(2 * most).bit_length(), np.uint64),
        factors=factors if spread else np.zeros_like(factors),
        turn=np.zeros(1, np.int64),
        lines=of_distances(size // 2),
        block=of_distances(2 * SIDE * border),
        hashes=np.zeros(2 * SIDE, np.uint64),
        square=of_distances(SIDE * SIDE),
        flow_square=of_flows(SIDE * SIDE),
        flow_lines=of_flows((n + 4 * SIDE) * SIDE if flows else 0),
        flow_block=of_flows(SIDE * SIDE),
        begins=np.zeros(SIDE, np.int64),
        sums=np.empty(FOLDED * max(l_most, r_most), sums),
        row_at=np.zeros(border, np.int64),
        near_at=np.zeros(int(regions.rows.max()), np.int64),
        near=aligned_empty(border * WIDTH, np.dtype(np.uint16)),
        taken=aligned_empty(border * WIDTH, np.dtype(np.uint16)),
        short_from=np.empty(l_most, np.int32),
        short_length=np.empty(l_most, np.uint16),
        block_members=np.empty(4 * most // WIDTH + 1, sums),
        block_lanes=np.empty(4 * most // WIDTH + 1, np.uint64),
    )


def enlarged(columns: Columns, network_name: str) -> Columns:
    """Return pools of twice the size, with what is in them. Raises ``MemoryShortError`` beforehand."""
    names = "distances", "flows", "members", "to", "block_members", "block_lanes", "lines"
    return columns._replace(**doubled({name: getattr(columns, name) for name in names}, network_name))


def doubled(pools: dict[str, NDArray[Any]], network_name: str) -> dict[str, NDArray[Any]]:
    """Return pools of twice the size, with what is in them. Raises ``MemoryShortError`` beforehand."""
    require_memory(sum(2 * pool.nbytes for pool in pools.values()), f"the flows of {network_name}")

    def twice(pool: NDArray[Any]) -> NDArray[Any]:
        larger = aligned_empty(2 * len(pool), pool.dtype)
        larger[: len(pool)] = pool
        return larger

    return {name: twice(pool) for name, pool in pools.items()}


@inlined
def enter(infinity: int, cell: int, given: NDArray[Any], regions: Regions, columns: Columns) -> bool:
    """Make the columns of a region's root; False, and nothing is changed, where a pool is too small."""
    below, count = get(regions.below, cell), get(regions.below, cell)
    border = get(regions.border_offsets, cell + 1) - get(regions.border_offsets, cell)
    parent = np.int64(-1)
    if cell > 0:
        parent = get(regions.region, get(regions.parent, cell))
    at, members_at, to_at, wide = np.int64(0), np.int64(0), np.int64(0), below
    if parent >= 0:
        wide = get(columns.stride, parent)
        at = get(columns.at, parent) + wide * get(regions.rows, parent)
        members_at, to_at = get(columns.members_at, parent) + wide - LINE, get(columns.to_at, parent)
        if parent > 0:
            to_at += get(columns.stride, get(regions.region, get(regions.parent, parent)))
    if max(to_at + wide, members_at + wide + 2 * WIDTH) > len(columns.to):
        return False
    if parent >= 0:
        put(columns.to_at, cell, to_at)
        count = _find_classes(infinity, cell, parent, border, members_at, regions, columns)
        if count < 0:
            return False
    else:
        for j in range(below):
            columns.members[j] = given[j]
    used = (count + WIDTH) // WIDTH * WIDTH  # at least one column to spare, to which those without a path belong
    stride = used + LINE
    if at + max(get(regions.rows, cell), border + SIDE) * stride > len(columns.distances):
        return False
    put(columns.at, cell, at)
    put(columns.members_at, cell, members_at)
    put(columns.stride, cell, stride)
    put(columns.used, cell, count)
    note_blocks(members_at, count, used, columns)
    if border > 0:
        _fill_border(infinity, cell, parent, border, regions, columns)
    columns.whole[cell] = regions.filled[cell] and _reaches_border(infinity, cell, parent, border, regions, columns)
    return True


@inlined
def _reaches_border(infinity: int, cell: int, parent: int, border: int, regions: Regions, columns: Columns) -> bool:
    """Return whether each of a region's columns reaches all of its border; those of a whole one do below it, too."""
    if parent >= 0 and columns.whole[parent]:
        return True
    infinite, used = splat(LANES_64, infinity), get(columns.stride, cell) - LINE
    first = get(columns.members_at, cell) // WIDTH
    for k in range(border):
        row = get(columns.at, cell) + k * get(columns.stride, cell)
        for block in range(0, used, WIDTH):
            reached = lanes_below(load(LANES_64, columns.distances, row + block), infinite)
            if reached != get(columns.block_lanes, first + block // WIDTH):
                return False
    return True


@inlined
def note_blocks(members_at: int, count: int, used: int, columns: Columns) -> None:
    """Note of each block which lanes are columns, and how many members they have."""
    for j in range(members_at + count, members_at + used):
        columns.members[j] = 0
    for block in range(0, used, WIDTH):
        number, total = (members_at + block) // WIDTH, columns.members[members_at + block]
        for j in range(members_at + block + 1, members_at + block + WIDTH):
            total += columns.members[j]
        columns.block_members[number] = total
        lanes = min(count - block, WIDTH)
        columns.block_lanes[number] = ALL_LANES >> np.uint64(WIDTH - lanes) if lanes > 0 else NO_LANES


@inlined
def lines_of(border: int) -> int:
    """Return how many squares a border's nodes take."""
    return (border + SIDE - 1) // SIDE


@part_without_allocation
def _find_classes(
    infinity: int, cell: int, parent: int, border: int, members_at: int, regions: Regions, columns: Columns
) -> int:
    """Find out which of the parent's columns become one; return how many there are with the own ones.

    Their differences are written to ``columns.lines``, one class after the other. Returns −1 where there is no room.
    """
    below, stride, live = get(regions.below, cell), get(columns.stride, parent), get(columns.used, parent)
    shift = np.int64(get(regions.offsets, cell) - get(regions.offsets, parent))
    to, of_parent = get(columns.to_at, cell), get(columns.members_at, parent)
    count = below
    for j in range(below):
        columns.to[to + shift + j] = j
        columns.members[members_at + j] = columns.members[of_parent + shift + j]
    if border == 0:
        for j in range(stride):
            if j < shift or j >= shift + below:
                columns.to[to + j] = count
        return count
    mask = mask_of(live)
    columns.turn[0] += 1
    line = lines_of(border) * SIDE
    for i in range(SIDE):
        columns.begins[i] = i * line
    # What a block of columns reads is fetched while the one before is dealt with.
    for ahead in range(0, live + SIDE, SIDE):
        if ahead < live and not all_within(ahead, shift, below):
            hash_block(infinity, cell, parent, border, stride, ahead, mask, regions, columns)
        block = ahead - SIDE
        if block < 0 or all_within(block, shift, below):
            continue
        for j in range(block, min(block + SIDE, live)):
            if j < shift or j >= shift + below:
                if (count - below + SIDE) * line > len(columns.lines):
                    return -1
                own = class_of((block & SIDE) + j - block, count - below, line, mask, columns) + below
                if own == count:
                    columns.members[members_at + own] = 0
                    count += 1
                put(columns.to, to + j, own)
                columns.members[members_at + own] += columns.members[of_parent + j]
    return count


@inlined
def mask_of(count: int) -> np.uint64:
    """Return the largest place in a table that is at most half full with so many columns."""
    size = np.uint64(2)
    while size < np.uint64(2 * count):
        size *= np.uint64(2)
    return size - np.uint64(1)


@inlined
def all_within(block: int, first: int, count: int) -> bool:
    """Return whether a square's columns are all among some, from the ``first`` on."""
    return first <= block and block + SIDE <= first + count


@inlined
def hash_block(
    infinity: int,
    cell: int,
    parent: int,
    border: int,
    stride: int,
    block: int,
    mask: np.uint64,
    regions: Regions,
    columns: Columns,
) -> None:
    """Write the differences of some columns to half of ``columns.block``, column after column, and their hashes."""
    begin = (block & SIDE) * lines_of(border) * SIDE
    infinite, first = splat(LANES_16, infinity), get(regions.border_offsets, cell)
    at = get(columns.at, parent) + block
    nearest = load(LANES_16, columns.distances, at + get(regions.border_row, first) * stride)
    nearest = keep_below(nearest, infinite)
    low = high = splat_like(infinite, 0)
    for group in range(0, border, SIDE):
        for k in range(group, group + SIDE):
            difference = splat_like(infinite, 0)
            if k < border:
                row = at + get(regions.border_row, first + k) * stride
                prefetch(columns.distances, row + AHEAD)
                far = load(LANES_16, columns.distances, row)
                difference = choose_below(far, infinite, subtract(far, nearest), far)
                low = add(low, multiply(difference, splat(LANES_16, get(columns.factors, 2 * k))))
                high = add(high, multiply(difference, splat(LANES_16, get(columns.factors, 2 * k + 1))))
            store(columns.square, (k - group) * SIDE, difference)
        store_transposed(LANES_16, columns.square, columns.block, columns.begins, 0, begin + group)
    store(columns.square, 0, low)
    store(columns.square, SIDE, high)
    for i in range(SIDE):
        word = (np.uint64(get(columns.square, i)) << np.uint64(32)) ^ np.uint64(get(columns.square, SIDE + i))
        word *= np.uint64(0x9E3779B97F4A7C15)
        columns.hashes[(block & SIDE) + i] = word
        prefetch(columns.table, np.uint64(2) * ((word >> np.uint64(32)) & mask))


@inlined
def class_of(column: int, count: int, line: int, mask: np.uint64, columns: Columns) -> Any:
    """Return the class of a block's column: ``count``, and the class is made, where there is none like it."""
    word = columns.hashes[column]
    place, turn = (word >> np.uint64(32)) & mask, np.uint64(columns.turn[0]) << np.uint64(32)
    while True:
        held = columns.table[2 * place + 1]
        if (held ^ turn) >> np.uint64(32) != np.uint64(0):
            columns.table[2 * place], columns.table[2 * place + 1] = word, turn | np.uint64(count)
            for i in range(0, line, SIDE):
                store(columns.lines, count * line + i, load(LANES_16, columns.block, column * line + i))
            return count
        if columns.table[2 * place] == word:
            found = np.int64(held & np.uint64(0xFFFFFFFF))
            equal = True
            for i in range(0, line, SIDE):
                mine = load(LANES_16, columns.block, column * line + i)
                equal &= lanes_equal(mine, load(LANES_16, columns.lines, found * line + i)) == np.uint64(0xFFFF)
            if equal:
                return found
        place = (place + np.uint64(1)) & mask


@part_without_allocation
def _fill_border(infinity: int, cell: int, parent: int, border: int, regions: Regions, columns: Columns) -> None:
    """Fill the rows of a region's border: distances of the own sources, then the classes' differences. No flows yet."""
    below, stride, count = get(regions.below, cell), get(columns.stride, cell), get(columns.used, cell)
    shift = np.int64(get(regions.offsets, cell) - get(regions.offsets, parent))
    at, first, line = get(columns.at, cell), get(regions.border_offsets, cell), lines_of(border) * SIDE
    for group in range(0, border, SIDE):
        for k in range(SIDE):
            columns.begins[k] = at + (group + k) * stride + below
        for number in range(0, count - below, SIDE):
            for i in range(SIDE):
                store(columns.square, i * SIDE, load(LANES_16, columns.lines, (number + i) * line + group))
            store_transposed(LANES_16, columns.square, columns.distances, columns.begins, 0, number)
    for k in range(border):
        begin = get(columns.at, parent) + get(regions.border_row, first + k) * get(columns.stride, parent) + shift
        above = columns.distances[begin : begin + below]
        row = columns.distances[at + k * stride : at + (k + 1) * stride]
        for j in range(below):
            row[j] = above[j]
        for j in range(count, stride):
            row[j] = infinity
    if len(columns.flows) > 0:
        flows = columns.flows[at : at + border * stride]
        for j in range(border * stride):
            flows[j] = 0


@part_without_allocation
def leave(cell: int, regions: Regions, columns: Columns) -> None:
    """Give what arrived at a region's border back to the parent's columns."""
    if cell == 0:
        return
    parent, below = get(regions.region, get(regions.parent, cell)), get(regions.below, cell)
    stride, wide = get(columns.stride, cell), get(columns.stride, parent)
    live, count = get(columns.used, parent), get(columns.used, cell) - below
    shift = np.int64(get(regions.offsets, cell) - get(regions.offsets, parent))
    to, first = get(columns.to_at, cell), get(regions.border_offsets, cell)
    border = get(regions.border_offsets, cell + 1) - first
    for i in range(SIDE):
        columns.begins[i] = i * SIDE
    for group in range(0, border, SIDE):
        _turn_flows(cell, group, border, count, regions, columns)
        for block in range(0, live, SIDE):
            if all_within(block, shift, below):
                continue
            for i in range(SIDE):
                j, own = block + i, count
                if j < live and (j < shift or j >= shift + below):
                    own = np.int64(get(columns.to, to + j)) - below
                store(columns.flow_square, i * SIDE, load(LANES_16, columns.flow_lines, own * SIDE))
            store_transposed(LANES_16, columns.flow_square, columns.flow_block, columns.begins, 0, 0)
            for k in range(min(border - group, SIDE)):
                at = get(columns.at, parent) + get(regions.border_row, first + group + k) * wide + block
                above = load(LANES_16, columns.flows, at)
                store(columns.flows, at, add(above, load(LANES_16, columns.flow_block, k * SIDE)))
    for k in range(border):
        begin = get(columns.at, cell) + k * stride
        row_below = columns.flows[begin : begin + below]
        begin = get(columns.at, parent) + get(regions.border_row, first + k) * wide + shift
        above_own = columns.flows[begin : begin + below]
        for j in range(below):
            above_own[j] += row_below[j]


@inlined
def _turn_flows(cell: int, group: int, border: int, count: int, regions: Regions, columns: Columns) -> None:
    """Write the flows of some rows of a border to ``flow_lines``, class after class, and those of a column to spare."""
    at = get(columns.at, cell) + group * get(columns.stride, cell) + get(regions.below, cell)
    nothing = splat(LANES_16, columns.flows.dtype.type(0))
    for number in range(0, count + 1, SIDE):
        for k in range(SIDE):
            row = nothing
            if group + k < border:
                row = load(LANES_16, columns.flows, at + k * get(columns.stride, cell) + number)
            store(columns.flow_square, k * SIDE, row)
        store_transposed(LANES_16, columns.flow_square, columns.flow_lines, columns.begins, 0, number * SIDE)
