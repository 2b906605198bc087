"""A tree's lower tiers on a card: each block searches a region whose border's distances are known already.

A large network has many times as many regions as a card has processors. Were each of their blocks to climb and to go
down through the large cells above by itself, it would spend most of its time there. So the highest tier's blocks
(``card_tree``) do this, and those below begin where these have written; each tier is a launch."""

from __future__ import annotations

from typing import Final

from wayfront.devices.copies import close_copies, wait_for_copies
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.dissection.card_descent import descend_region, table_of, write_region
from wayfront.dissection.card_records import (
    ABOVE,
    ABOVE_AT,
    IN_REGION,
    LEVELS,
    NODES,
    PATH_RECORD,
    REGION,
    REGION_L,
    REGION_L_SIZE,
    REGION_NODES,
    REGION_RECORD,
    ROOT,
    SLOT,
    TABLE_AT,
    TABLE_SIZE,
    TOP_CELLS,
    Block,
    Output,
    Room,
    Sources,
    TreeTables,
    Up,
)
from wayfront.dissection.card_steps import TEAM, At, Int, copy_part, fill_up
from wayfront.kernels.min_plus import Index


def _begin_at_border(number: int, record: int, infinity: int, tables: TreeTables, block: Block, output: Output) -> None:
    """Read the distances of the border of the region's uppermost cell, which the tiers above have written."""
    room, d = block.room, block.d
    regions = tables.regions
    ids = regions[Index(record + TABLE_AT)] + regions[Index(record + ABOVE_AT)]
    begin, above = number * output.source_stride, regions[Index(record + ABOVE)]
    z = cuda.threadIdx.x
    while z < above:
        distance = output.distances[Index(begin + tables.tables[Index(ids + z)] * output.node_stride)]
        d[At(room.distances_at + z)] = min(distance, infinity)
        z += cuda.blockDim.x


def _begin_on_path(
    number: int, region: int, cell: int, above: int, height: int, tables: TreeTables, block: Block, up: Up
) -> None:
    """Take over what the climb from a cell found for those cells of the region that are on its path."""
    room, d = block.room, block.d
    record = region * REGION_RECORD
    depth = tables.regions[Index(record + TOP_CELLS)]
    if tables.paths[Index(cell * height + depth)] != tables.regions[Index(record + ROOT)]:
        return
    while depth < height:
        mine = tables.paths[Index(cell * height + depth)] * PATH_RECORD
        if mine < 0 or tables.path_records[Index(mine + REGION)] != region:
            return
        begin = number * up.path_slots + tables.path_records[Index(mine + SLOT)]
        to = room.distances_at + above + tables.path_records[Index(mine + IN_REGION)]
        z = cuda.threadIdx.x
        while z < tables.path_records[Index(mine + NODES)]:
            d[At(to + z)] = up.distances[Index(begin + z)]
            z += cuda.blockDim.x
        depth += 1


_begin_at_border_on_card, _begin_on_path_on_card = cuda_function(_begin_at_border), cuda_function(_begin_on_path)


def _find_below(
    first: int,
    count: int,
    infinity: int,
    sources: Sources,
    tables: TreeTables,
    room: Room,
    l: DeviceArray,  # noqa: E741
    up: Up,
    output: Output,
) -> None:
    ints, d = cuda.shared.array(0, tables.paths.dtype), cuda.shared.array(0, l.dtype)
    block = Block(room, ints, d)
    me, width = Int(cuda.threadIdx.x), Int(cuda.blockDim.x)
    number = cuda.blockIdx.x // count
    region = first + cuda.blockIdx.x - number * count
    cell = sources.cell
    if sources.position < 0:
        cell = sources.cells[Index(number)]
    regions, record = tables.regions, region * REGION_RECORD
    l_begin, l_size = regions[Index(record + REGION_L)], regions[Index(record + REGION_L_SIZE)]
    kept = Int(min(l_size, room.size))
    table = table_of(regions, record, room.table_at)
    table_at, table_size = regions[Index(record + TABLE_AT)], regions[Index(record + TABLE_SIZE)]
    copy_part(me, width, ints, room.table_at, tables.tables, table_at, table_size)
    copy_part(me, width, d, room.l_at, l, l_begin, kept)
    close_copies()
    _begin_at_border_on_card(number, record, infinity, tables, block, output)
    fill_up(d, room.distances_at + table.above, regions[Index(record + REGION_NODES)], infinity)
    cuda.syncthreads()
    _begin_on_path_on_card(number, region, cell, table.above, room.height, tables, block, up)
    wait_for_copies(0)
    cuda.syncthreads()
    team, levels = Int(min(TEAM, width)), regions[Index(record + LEVELS)]
    descend_region(me, team, kept, kept, l_begin, levels, table, block, l)
    write_region(number, record, infinity, table.above, regions, block, output)


find_below: Final = CardKernel(_find_below, registers=64)
"""Find the distances from sources in ``count`` regions of a lower tier from number ``first`` on, a block for each
region and source."""
