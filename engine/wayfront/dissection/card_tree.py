"""One tree on a card, in one launch without a grid-wide barrier: each block searches a region by itself.

A block climbs from the source's cell to the root, d[S ∪ A] = min(d, d[S] ⊗ R), as all other blocks do too, goes down
through the cells above its region, d[S] = min(d[S], d[A] ⊗ L), and then through those of its region, level by level.
What it needs does not depend on distances, so all of it is on its way to shared memory before the climb begins; the
climb's matrices make room for the last part of the region's. After that a level costs little more than a barrier, and
the instructions by which each thread finds its share: so where nodes are few, only the first threads work.

A lowered distance may be read in the same step by another thread that expects the old one. It is the length of a path
too, so nothing wrong can come of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from wayfront.devices.atomics import atomic_min
from wayfront.devices.copies import close_copies, copy_ahead, wait_for_copies
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.devices.warps import WARP, WARP_BITS, sync_first
from wayfront.dissection.card_records import (
    ABOVE,
    BORDER,
    BORDER_AT,
    BORDER_BEFORE,
    BORDERS_AT,
    CELL_AT,
    CELL_BORDER,
    CELL_BORDER_AT,
    CELL_FIELDS,
    CELL_FIRST,
    CELL_L,
    CELL_NODES,
    CELLS_AT,
    DEPTH,
    FRONT_BITS,
    IN_REGION,
    L_AT,
    L_BEFORE,
    LEVEL_BITS,
    LEVEL_COUNT,
    LEVEL_FIELDS,
    LEVEL_FIRST,
    LEVEL_L_END,
    LEVELS,
    NODE_BITS,
    NODES,
    NODES_AT,
    OWN_FROM,
    PATH_RECORD,
    PATH_RECORD_BITS,
    POSITION,
    R_AT,
    R_BEFORE,
    REGION,
    REGION_L,
    REGION_L_SIZE,
    REGION_NODES,
    REGION_RECORD,
    SLOT,
    TABLE_AT,
    TABLE_SIZE,
    TOP_BORDERS_AT,
    TOP_CELLS,
    Output,
    Path,
    Room,
    Sources,
    Table,
    TreeTables,
)
from wayfront.kernels.min_plus import Index, lesser_sum

TEAM_BITS = 8
TEAM = 1 << TEAM_BITS
"""Threads that work on cells with few nodes, while the others wait."""

MOST_PARTS = 8
"""Threads that share a node of a level at most."""

At = np.uint32
"""The type of an index into shared memory: what leads to it is computed in 32 bits."""

Int = types.int32


def _copy(me: int, width: int, target: DeviceArray, at: int, source: DeviceArray, begin: int, size: int) -> None:
    """Start to copy entries to shared memory, as one of ``width`` threads; both places are aligned."""
    step = 16 // target.itemsize
    z = Int(me * step)
    while z < size:
        copy_ahead(target, Int(at + z), source, Int(begin + z))
        z = Int(z + width * step)


_copy_on_card = cuda_function(_copy)


def _least_by_rows(
    known: Any, i: int, parts: int, s: int, d: DeviceArray, from_at: int, entries: DeviceArray, at: int, pitch: int
) -> Any:
    """Return the least of what is known and d[from_at + i] + entries[at + i · pitch] for every ``parts``-th i below s.

    Four at a time, so that four entries are on their way at once; behind the last i it is taken again.
    """
    best, last = known, s - 1
    while i < s:
        i1, i2, i3 = Int(min(i + parts, last)), Int(min(i + 2 * parts, last)), Int(min(i + 3 * parts, last))
        d0, d1, d2, d3 = d[At(from_at + i)], d[At(from_at + i1)], d[At(from_at + i2)], d[At(from_at + i3)]
        e0, e1 = entries[At(at + i * pitch)], entries[At(at + i1 * pitch)]
        e2, e3 = entries[At(at + i2 * pitch)], entries[At(at + i3 * pitch)]
        best = lesser_sum(lesser_sum(lesser_sum(lesser_sum(best, d0, e0), d1, e1), d2, e2), d3, e3)
        i = Int(i + 4 * parts)
    return best


def _least_over_border(
    known: Any,
    i: int,
    parts: int,
    a: int,
    ints: DeviceArray,
    border: int,
    d: DeviceArray,
    d_at: int,
    entries: DeviceArray,
    at: int,
    pitch: int,
) -> Any:
    """Return the same for d[d_at + border[i]], where the border's numbers are in ``ints``."""
    best, last = known, a - 1
    while i < a:
        i1, i2, i3 = Int(min(i + parts, last)), Int(min(i + 2 * parts, last)), Int(min(i + 3 * parts, last))
        b0, b1, b2, b3 = ints[At(border + i)], ints[At(border + i1)], ints[At(border + i2)], ints[At(border + i3)]
        e0, e1 = entries[At(at + i * pitch)], entries[At(at + i1 * pitch)]
        e2, e3 = entries[At(at + i2 * pitch)], entries[At(at + i3 * pitch)]
        d0, d1, d2, d3 = d[At(d_at + b0)], d[At(d_at + b1)], d[At(d_at + b2)], d[At(d_at + b3)]
        best = lesser_sum(lesser_sum(lesser_sum(lesser_sum(best, d0, e0), d1, e1), d2, e2), d3, e3)
        i = Int(i + 4 * parts)
    return best


_by_rows, _over_border = cuda_function(_least_by_rows), cuda_function(_least_over_border)


def _climb_cell(
    me: int,
    width: int,
    on_path: int,
    room: Room,
    ints: DeviceArray,
    d: DeviceArray,
    r: DeviceArray,
    r_at: int,
) -> None:
    """Lower the distances of a cell's separator and border by paths that leave the separator."""
    s, bits = ints[At(on_path + NODES)], ints[At(on_path + FRONT_BITS)]
    f = Int(s + ints[At(on_path + BORDER)])
    first = Int(room.path_at + ints[At(on_path + SLOT)])
    borders = Int(room.borders_at + ints[At(on_path + BORDER_BEFORE)])
    j, part, parts = Int(me & ((1 << bits) - 1)), Int(me >> bits), Int(width >> bits)
    if parts == 0:
        j, part, parts = Int(me), Int(0), Int(1)
    while j < f:
        to = Int(first + j)
        if j >= s:
            to = Int(room.path_at + ints[At(borders + j - s)])
        known = d[At(to)]
        best = _by_rows(known, part, parts, s, d, first, r, Int(r_at + j), f)
        if best < known:
            atomic_min(d, to, best)
        j = Int(j + min(1 << bits, width))


_climb = cuda_function(_climb_cell)


def _climb_path(
    me: int,
    team: int,
    position: int,
    path: Path,
    room: Room,
    ints: DeviceArray,
    d: DeviceArray,
    r: DeviceArray,
) -> None:
    """Climb from the source's cell to the root, as one of the block's first threads."""
    if me == 0:
        leaf = path.deepest * PATH_RECORD
        slot = ints[At(leaf + SLOT)] + position - ints[At(leaf + POSITION)]
        d[At(room.path_at + slot)] = 0
    sync_first(team)
    turn = Int(path.deepest)
    while turn >= 0:
        on_path = Int(turn * PATH_RECORD)
        before, s = ints[At(on_path + R_BEFORE)], ints[At(on_path + NODES)]
        if before + s * (s + ints[At(on_path + BORDER)]) <= path.r_size:
            _climb(me, team, on_path, room, ints, d, d, Int(path.r_at + before))
        else:
            _climb(me, team, on_path, room, ints, d, r, ints[At(on_path + R_AT)])
        sync_first(team)
        turn = Int(turn - 1)


def _descend_top(
    me: int,
    team: int,
    top: int,
    borders_at: int,
    at: int,
    ints: DeviceArray,
    d: DeviceArray,
    l: DeviceArray,  # noqa: E741
    l_at: int,
) -> None:
    """Lower the distances in a cell above the region by paths that come over its border."""
    s, a, bits = ints[At(top + NODES)], ints[At(top + BORDER)], ints[At(top + NODE_BITS)]
    first = Int(at + ints[At(top + SLOT)])
    borders = Int(borders_at + ints[At(top + BORDER_BEFORE)])
    j, part, parts = Int(me & ((1 << bits) - 1)), Int(me >> bits), Int(team >> bits)
    if parts == 0:
        j, part, parts = Int(me), Int(0), Int(1)
    while j < s:
        known = d[At(first + j)]
        best = _over_border(known, part, parts, a, ints, borders, d, at, l, Int(l_at + j), s)
        if best < known:
            atomic_min(d, Int(first + j), best)
        j = Int(j + min(1 << bits, team))


_descend_top_on_card = cuda_function(_descend_top)


def _descend_tops(
    me: int,
    team: int,
    borders_at: int,
    table: Table,
    room: Room,
    ints: DeviceArray,
    d: DeviceArray,
    l: DeviceArray,  # noqa: E741
) -> None:
    """Lower the distances in all cells above the region, as one of the block's first threads."""
    at, top = Int(room.distances_at), Int(room.tops_at)
    while top < room.tops_at + table.tops * PATH_RECORD:
        before, size = ints[At(top + L_BEFORE)], ints[At(top + NODES)] * ints[At(top + BORDER)]
        if before + size <= room.top_l_size:
            _descend_top_on_card(me, team, top, borders_at, at, ints, d, d, Int(room.top_l_at + before))
        else:
            _descend_top_on_card(me, team, top, borders_at, at, ints, d, l, ints[At(top + L_AT)])
        sync_first(team)
        top = Int(top + PATH_RECORD)


_climb_path_on_card, _descend_tops_on_card = cuda_function(_climb_path), cuda_function(_descend_tops)


def _descend_level(
    me: int,
    width: int,
    level: int,
    table: Table,
    room: Room,
    ints: DeviceArray,
    d: DeviceArray,
    l: DeviceArray,  # noqa: E741
    l_at: int,
) -> None:
    """Lower the distances of all separators of one level of a region."""
    first, count, bits = ints[At(level + LEVEL_FIRST)], ints[At(level + LEVEL_COUNT)], ints[At(level + LEVEL_BITS)]
    at = Int(room.distances_at)
    x, part, parts = Int(me & ((1 << bits) - 1)), Int(me >> bits), Int(width >> bits)
    if parts == 0:
        x, part, parts = Int(me), Int(0), Int(1)
    if parts > MOST_PARTS:
        parts = Int(MOST_PARTS)
    while x < count and part < parts:
        node = Int(first + x)
        cell = Int(table.cells + CELL_FIELDS * ints[At(table.cell_of + node)])
        s, a = ints[At(cell + CELL_NODES)], ints[At(cell + CELL_BORDER)]
        border = Int(table.borders + ints[At(cell + CELL_BORDER_AT)])
        entry = Int(l_at + ints[At(cell + CELL_L)] + node - ints[At(cell + CELL_FIRST)])
        to = Int(at + table.above + node)
        known = d[At(to)]
        best = _over_border(known, part, parts, a, ints, border, d, at, l, entry, s)
        if best < known:
            if parts == 1:
                d[At(to)] = best
            else:
                atomic_min(d, to, best)
        x = Int(x + min(1 << bits, width))


_descend = cuda_function(_descend_level)


def _descend_region(
    me: int,
    team: int,
    early: int,
    kept: int,
    l_begin: int,
    levels: int,
    table: Table,
    room: Room,
    ints: DeviceArray,
    d: DeviceArray,
    l: DeviceArray,  # noqa: E741
) -> None:
    """Lower the distances of a region: levels of few nodes by the first threads, while their matrices are there."""
    level, last = Int(room.table_at), Int(room.table_at + LEVEL_FIELDS * levels)
    while level < last and ints[At(level + LEVEL_BITS)] <= TEAM_BITS and ints[At(level + LEVEL_L_END)] <= early:
        if me < team:
            _descend(me, team, level, table, room, ints, d, d, room.l_at)
            sync_first(team)
        level = Int(level + LEVEL_FIELDS)
    wait_for_copies(0)
    cuda.syncthreads()
    while level < last:
        if ints[At(level + LEVEL_L_END)] <= kept:
            _descend(me, cuda.blockDim.x, level, table, room, ints, d, d, room.l_at)
        else:
            _descend(me, cuda.blockDim.x, level, table, room, ints, d, l, l_begin)
        cuda.syncthreads()
        level = Int(level + LEVEL_FIELDS)


_descend_region_on_card = cuda_function(_descend_region)


def _load_records(cell: int, region: int, tables: TreeTables, room: Room, ints: DeviceArray) -> None:
    """Read the records of the cells on the source's path and above the region."""
    z = cuda.threadIdx.x
    while z < room.tops_at:
        place, field = z >> PATH_RECORD_BITS, z & (PATH_RECORD - 1)
        on_path = tables.paths[Index(cell * room.height + place)]
        top = tables.tops[Index(region * room.height + place)]
        if on_path >= 0:
            ints[At(z)] = tables.path_records[Index(on_path * PATH_RECORD + field)]
        if top >= 0:
            ints[At(room.tops_at + z)] = tables.path_records[Index(top * PATH_RECORD + field)]
        z += cuda.blockDim.x


def _copy_path(path: Path, slots: DeviceArray, room: Room, ints: DeviceArray, d: DeviceArray, r: DeviceArray) -> None:
    """Start to copy the borders and the matrices R of the cells on the path, a warp each."""
    lane, warps = Int(cuda.threadIdx.x & (WARP - 1)), cuda.blockDim.x >> WARP_BITS
    q = cuda.threadIdx.x >> WARP_BITS
    while q <= path.deepest:
        on_path = q * PATH_RECORD
        before, s = ints[At(on_path + R_BEFORE)], ints[At(on_path + NODES)]
        border = ints[At(on_path + BORDER)]
        to = Int(room.borders_at + ints[At(on_path + BORDER_BEFORE)])
        _copy_on_card(lane, WARP, ints, to, slots, ints[At(on_path + BORDER_AT)], border)
        size = Int(s * (s + border))
        if before + size <= path.r_size:
            _copy_on_card(lane, WARP, d, Int(path.r_at + before), r, ints[At(on_path + R_AT)], size)
        q += warps


def _copy_tops(table: Table, room: Room, ints: DeviceArray, d: DeviceArray, l: DeviceArray) -> None:  # noqa: E741
    """Start to copy the matrices L of the cells above the region, a warp each, from the last warp on."""
    lane, warps = Int(cuda.threadIdx.x & (WARP - 1)), cuda.blockDim.x >> WARP_BITS
    q = warps - 1 - (cuda.threadIdx.x >> WARP_BITS)
    while q < table.tops:
        top = room.tops_at + q * PATH_RECORD
        size = Int(ints[At(top + NODES)] * ints[At(top + BORDER)])
        before = ints[At(top + L_BEFORE)]
        if before + size <= room.top_l_size:
            _copy_on_card(lane, WARP, d, Int(room.top_l_at + before), l, ints[At(top + L_AT)], size)
        q += warps


def _fill_up(d: DeviceArray, at: int, size: int, infinity: int) -> None:
    """Set entries to infinity."""
    z = cuda.threadIdx.x
    while z < size:
        d[At(at + z)] = infinity
        z += cuda.blockDim.x


_load_records_on_card, _copy_path_on_card = cuda_function(_load_records), cuda_function(_copy_path)
_copy_tops_on_card, _fill = cuda_function(_copy_tops), cuda_function(_fill_up)


def _take_over(region: int, path: Path, table: Table, room: Room, ints: DeviceArray, d: DeviceArray) -> None:
    """Begin the descent with what the climb found for those cells above the region and in it that are on the path."""
    common, most = 0, min(table.tops, path.deepest + 1)
    while common < most and (
        ints[At(common * PATH_RECORD + POSITION)] == ints[At(room.tops_at + common * PATH_RECORD + POSITION)]
    ):
        common += 1
    slots = table.above
    if common < table.tops:
        slots = ints[At(room.tops_at + common * PATH_RECORD + SLOT)]
    z = cuda.threadIdx.x
    while z < slots:
        d[At(room.distances_at + z)] = d[At(room.path_at + z)]
        z += cuda.blockDim.x
    if ints[At(path.deepest * PATH_RECORD + REGION)] != region:
        return
    for q in range(table.tops, path.deepest + 1):
        on_path = q * PATH_RECORD
        to = room.distances_at + table.above + ints[At(on_path + IN_REGION)]
        z = cuda.threadIdx.x
        while z < ints[At(on_path + NODES)]:
            d[At(to + z)] = d[At(room.path_at + ints[At(on_path + SLOT)] + z)]
            z += cuda.blockDim.x


def _write_out(
    number: int,
    record: int,
    infinity: int,
    table: Table,
    tables: TreeTables,
    room: Room,
    ints: DeviceArray,
    d: DeviceArray,
    output: Output,
) -> None:
    """Write the distances of the region, and of those top cells of which it is the first region."""
    begin = number * output.source_stride
    numbers = room.table_at + tables.regions[Index(record + NODES_AT)]
    nodes = tables.regions[Index(record + REGION_NODES)]
    z = cuda.threadIdx.x
    while z < nodes:
        distance = d[At(room.distances_at + table.above + z)]
        to = begin + ints[At(numbers + z)] * output.node_stride
        output.distances[Index(to)] = distance if distance < infinity else output.unreached
        z += cuda.blockDim.x
    for q in range(tables.regions[Index(record + OWN_FROM)], table.tops):
        top = room.tops_at + q * PATH_RECORD
        z = cuda.threadIdx.x
        while z < ints[At(top + NODES)]:
            distance = d[At(room.distances_at + ints[At(top + SLOT)] + z)]
            to = begin + tables.node_at[Index(ints[At(top + POSITION)] + z)] * output.node_stride
            output.distances[Index(to)] = distance if distance < infinity else output.unreached
            z += cuda.blockDim.x


_take_over_on_card, _write_out_on_card = cuda_function(_take_over), cuda_function(_write_out)


def _find_tree(
    region_count: int,
    infinity: int,
    sources: Sources,
    tables: TreeTables,
    room: Room,
    l: DeviceArray,  # noqa: E741
    r: DeviceArray,
    output: Output,
) -> None:
    ints, d = cuda.shared.array(0, tables.paths.dtype), cuda.shared.array(0, l.dtype)
    me, team = Int(cuda.threadIdx.x), Int(min(TEAM, cuda.blockDim.x))
    number = cuda.blockIdx.x // region_count
    region = cuda.blockIdx.x - number * region_count
    position, cell = sources.position, sources.cell
    if position < 0:
        position, cell = sources.positions[Index(number)], sources.cells[Index(number)]
    regions, record = tables.regions, region * REGION_RECORD
    l_begin, l_size = regions[Index(record + REGION_L)], regions[Index(record + REGION_L_SIZE)]
    r_size = Int(min(room.r_size, room.size))
    early, kept = Int(min(l_size, room.size - r_size)), Int(min(l_size, room.size))
    path = Path(tables.path_records[Index(cell * PATH_RECORD + DEPTH)], Int(room.l_at + early), r_size)
    table = Table(
        Int(room.table_at + regions[Index(record + CELLS_AT)]),
        Int(room.table_at + regions[Index(record + CELL_AT)]),
        Int(room.table_at + regions[Index(record + BORDERS_AT)]),
        regions[Index(record + ABOVE)],
        regions[Index(record + TOP_CELLS)],
    )
    nodes, levels = regions[Index(record + REGION_NODES)], regions[Index(record + LEVELS)]
    _load_records_on_card(cell, region, tables, room, ints)
    cuda.syncthreads()
    _copy_path_on_card(path, tables.slots, room, ints, d, r)
    close_copies()
    _copy_tops_on_card(table, room, ints, d, l)
    table_at, table_size = regions[Index(record + TABLE_AT)], regions[Index(record + TABLE_SIZE)]
    _copy_on_card(me, cuda.blockDim.x, ints, room.table_at, tables.tables, table_at, table_size)
    _copy_on_card(me, cuda.blockDim.x, d, room.l_at, l, l_begin, early)
    close_copies()
    leaf = path.deepest * PATH_RECORD
    _fill(d, room.path_at, ints[At(leaf + SLOT)] + ints[At(leaf + NODES)], infinity)
    _fill(d, room.distances_at, table.above + nodes, infinity)
    wait_for_copies(1)
    cuda.syncthreads()
    if me < team:
        _climb_path_on_card(me, team, position, path, room, ints, d, r)
    cuda.syncthreads()
    _copy_on_card(me, cuda.blockDim.x, d, path.r_at, l, Int(l_begin + early), Int(kept - early))
    close_copies()
    _take_over_on_card(region, path, table, room, ints, d)
    wait_for_copies(1)
    cuda.syncthreads()
    if me < team:
        top_borders = Int(room.table_at + regions[Index(record + TOP_BORDERS_AT)])
        _descend_tops_on_card(me, team, top_borders, table, room, ints, d, l)
    _descend_region_on_card(me, team, early, kept, l_begin, levels, table, room, ints, d, l)
    _write_out_on_card(number, record, infinity, table, tables, room, ints, d, output)


find_tree = CardKernel(_find_tree, registers=64)
"""Find the distances from sources, a block for each region and source."""
