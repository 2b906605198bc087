"""The descent of a search on a card, d[S] = min(d[S], d[A] ⊗ L), in shared memory: above a region, then in it."""

from __future__ import annotations

from typing import Final

from wayfront.devices.atomics import atomic_min
from wayfront.devices.copies import wait_for_copies
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import DeviceArray
from wayfront.devices.warps import WARP, WARP_BITS, sync_first
from wayfront.dissection.card_records import (
    ABOVE,
    BORDER,
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
    L_AT,
    L_BEFORE,
    LEVEL_BITS,
    LEVEL_COUNT,
    LEVEL_FIELDS,
    LEVEL_FIRST,
    LEVEL_L_END,
    NODE_BITS,
    NODES,
    NODES_AT,
    PATH_RECORD,
    REGION_NODES,
    SLOT,
    TOP_CELLS,
    Block,
    Output,
    Table,
)
from wayfront.dissection.card_steps import TEAM_BITS, At, Int, copy_part, find_share, over_border
from wayfront.kernels.min_plus import Index

MOST_PARTS = 8
"""Threads that share a node of a level at most."""


def _descend_top(
    me: int,
    team: int,
    top: int,
    borders_at: int,
    block: Block,
    l: DeviceArray,  # noqa: E741
    l_at: int,
) -> None:
    """Lower the distances in a cell above the region by paths that come over its border."""
    room, ints, d = block.room, block.ints, block.d
    s, a, bits = ints[At(top + NODES)], ints[At(top + BORDER)], ints[At(top + NODE_BITS)]
    at = Int(room.distances_at)
    first = Int(at + ints[At(top + SLOT)])
    borders = Int(borders_at + ints[At(top + BORDER_BEFORE)])
    j, part, parts = find_share(me, bits, team)
    while j < s:
        known = d[At(first + j)]
        best = over_border(known, part, parts, a, ints, borders, d, at, l, Int(l_at + j), s)
        if best < known:
            atomic_min(d, Int(first + j), best)
        j = Int(j + min(1 << bits, team))


_descend_top_on_card = cuda_function(_descend_top)


def _descend_tops(
    me: int,
    team: int,
    borders_at: int,
    table: Table,
    block: Block,
    l: DeviceArray,  # noqa: E741
) -> None:
    """Lower the distances in all cells above the region, as one of the block's first threads."""
    room, ints, d = block.room, block.ints, block.d
    top = Int(room.tops_at)
    while top < room.tops_at + table.tops * PATH_RECORD:
        before, size = ints[At(top + L_BEFORE)], ints[At(top + NODES)] * ints[At(top + BORDER)]
        if before + size <= room.top_l_size:
            _descend_top_on_card(me, team, top, borders_at, block, d, Int(room.top_l_at + before))
        else:
            _descend_top_on_card(me, team, top, borders_at, block, l, ints[At(top + L_AT)])
        sync_first(team)
        top = Int(top + PATH_RECORD)


def _copy_tops(table: Table, block: Block, l: DeviceArray) -> None:  # noqa: E741
    """Start to copy the matrices L of the cells above the region, a warp each, from the last warp on."""
    room, ints, d = block.room, block.ints, block.d
    lane, warps = Int(cuda.threadIdx.x & (WARP - 1)), cuda.blockDim.x >> WARP_BITS
    q = warps - 1 - (cuda.threadIdx.x >> WARP_BITS)
    while q < table.tops:
        top = room.tops_at + q * PATH_RECORD
        size = Int(ints[At(top + NODES)] * ints[At(top + BORDER)])
        before = ints[At(top + L_BEFORE)]
        if before + size <= room.top_l_size:
            copy_part(lane, WARP, d, Int(room.top_l_at + before), l, ints[At(top + L_AT)], size)
        q += warps


copy_tops: Final = cuda_function(_copy_tops)
descend_tops: Final = cuda_function(_descend_tops)


def _descend_level(
    me: int,
    width: int,
    level: int,
    table: Table,
    block: Block,
    l: DeviceArray,  # noqa: E741
    l_at: int,
) -> None:
    """Lower the distances of all separators of one level of a region."""
    room, ints, d = block.room, block.ints, block.d
    first, count, bits = ints[At(level + LEVEL_FIRST)], ints[At(level + LEVEL_COUNT)], ints[At(level + LEVEL_BITS)]
    at = Int(room.distances_at)
    x, part, parts = find_share(me, bits, width)
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
        best = over_border(known, part, parts, a, ints, border, d, at, l, entry, s)
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
    block: Block,
    l: DeviceArray,  # noqa: E741
) -> None:
    """Lower the distances of a region: levels of few nodes by the first threads, while their matrices are there."""
    room, ints, d = block.room, block.ints, block.d
    level, last = Int(room.table_at), Int(room.table_at + LEVEL_FIELDS * levels)
    while level < last and ints[At(level + LEVEL_BITS)] <= TEAM_BITS and ints[At(level + LEVEL_L_END)] <= early:
        if me < team:
            _descend(me, team, level, table, block, d, room.l_at)
            sync_first(team)
        level = Int(level + LEVEL_FIELDS)
    wait_for_copies(0)
    cuda.syncthreads()
    while level < last:
        if ints[At(level + LEVEL_L_END)] <= kept:
            _descend(me, cuda.blockDim.x, level, table, block, d, room.l_at)
        else:
            _descend(me, cuda.blockDim.x, level, table, block, l, l_begin)
        cuda.syncthreads()
        level = Int(level + LEVEL_FIELDS)


descend_region: Final = cuda_function(_descend_region)


def _table_of(regions: DeviceArray, record: int, table_at: int) -> Table:
    """Return where in shared memory the parts of a region's table are."""
    return Table(
        Int(table_at + regions[Index(record + CELLS_AT)]),
        Int(table_at + regions[Index(record + CELL_AT)]),
        Int(table_at + regions[Index(record + BORDERS_AT)]),
        regions[Index(record + ABOVE)],
        regions[Index(record + TOP_CELLS)],
    )


def _write_region(
    number: int,
    record: int,
    infinity: int,
    above: int,
    regions: DeviceArray,
    block: Block,
    output: Output,
) -> None:
    """Write the distances of a region's nodes."""
    room, ints, d = block.room, block.ints, block.d
    begin = number * output.source_stride
    numbers = room.table_at + regions[Index(record + NODES_AT)]
    nodes = regions[Index(record + REGION_NODES)]
    z = cuda.threadIdx.x
    while z < nodes:
        distance = d[At(room.distances_at + above + z)]
        to = begin + ints[At(numbers + z)] * output.node_stride
        output.distances[Index(to)] = distance if distance < infinity else output.unreached
        z += cuda.blockDim.x


table_of: Final = cuda_function(_table_of)
write_region: Final = cuda_function(_write_region)
