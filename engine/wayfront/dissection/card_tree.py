"""One tree on a card, in one launch without a grid-wide barrier: each block searches a region by itself.

A block climbs from the source's cell to the root, as all other blocks do too, goes down through the cells above its
region, and then through those of its region, level by level. What it needs does not depend on distances, so all of it
is on its way to shared memory before the climb begins; the climb's matrices make room for the last part of the
region's. After that a level costs little more than a barrier, and the instructions by which each thread finds its
share: so where nodes are few, only the first threads work.

A lowered distance may be read in the same step by another thread that expects the old one. It is the length of a path
too, so nothing wrong can come of it. Regions of lower tiers, which only large networks have, are ``card_below``'s."""

from __future__ import annotations

from typing import Final

from wayfront.devices.copies import close_copies, wait_for_copies
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.dissection.card_climb import climb_path, copy_path
from wayfront.dissection.card_descent import copy_tops, descend_region, descend_tops, table_of, write_region
from wayfront.dissection.card_records import (
    ABOVE_AT,
    DEPTH,
    IN_REGION,
    LEVELS,
    NODES,
    OWN_FROM,
    PATH_RECORD,
    PATH_RECORD_BITS,
    POSITION,
    REGION,
    REGION_L,
    REGION_L_SIZE,
    REGION_NODES,
    REGION_RECORD,
    SLOT,
    TABLE_AT,
    TABLE_SIZE,
    Block,
    Output,
    Path,
    Room,
    Sources,
    Table,
    TreeTables,
    Up,
)
from wayfront.dissection.card_steps import TEAM, At, Int, copy_part, fill_up
from wayfront.kernels.min_plus import Index


def _load_records(cell: int, region: int, tables: TreeTables, block: Block) -> None:
    """Read the records of the cells on the source's path and above the region."""
    room, ints = block.room, block.ints
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


def _take_over(region: int, path: Path, table: Table, block: Block) -> None:
    """Begin the descent with what the climb found for those cells above the region and in it that are on the path."""
    room, ints, d = block.room, block.ints, block.d
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
    q = table.tops
    while q <= path.deepest and ints[At(q * PATH_RECORD + REGION)] == region:
        on_path = q * PATH_RECORD
        to = room.distances_at + table.above + ints[At(on_path + IN_REGION)]
        z = cuda.threadIdx.x
        while z < ints[At(on_path + NODES)]:
            d[At(to + z)] = d[At(room.path_at + ints[At(on_path + SLOT)] + z)]
            z += cuda.blockDim.x
        q += 1


def _leave_path(number: int, slots: int, block: Block, up: Up) -> None:
    """Write the distances on the source's path for the tiers below."""
    room, d = block.room, block.d
    z = cuda.threadIdx.x
    while z < min(slots, up.path_slots):
        up.distances[Index(number * up.path_slots + z)] = d[At(room.path_at + z)]
        z += cuda.blockDim.x


def _write_out(
    number: int,
    record: int,
    infinity: int,
    table: Table,
    tables: TreeTables,
    block: Block,
    output: Output,
) -> None:
    """Write the distances of the region, and of those top cells of which it is the first region."""
    room, ints, d = block.room, block.ints, block.d
    write_region(number, record, infinity, table.above, tables.regions, block, output)
    begin = number * output.source_stride
    for q in range(tables.regions[Index(record + OWN_FROM)], table.tops):
        top = room.tops_at + q * PATH_RECORD
        z = cuda.threadIdx.x
        while z < ints[At(top + NODES)]:
            distance = d[At(room.distances_at + ints[At(top + SLOT)] + z)]
            to = begin + tables.node_at[Index(ints[At(top + POSITION)] + z)] * output.node_stride
            output.distances[Index(to)] = distance if distance < infinity else output.unreached
            z += cuda.blockDim.x


_load_records_on_card, _take_over_on_card = cuda_function(_load_records), cuda_function(_take_over)
_leave_path_on_card, _write_out_on_card = cuda_function(_leave_path), cuda_function(_write_out)


def _find_tree(
    region_count: int,
    infinity: int,
    sources: Sources,
    tables: TreeTables,
    room: Room,
    l: DeviceArray,  # noqa: E741
    r: DeviceArray,
    up: Up,
    output: Output,
) -> None:
    ints, d = cuda.shared.array(0, tables.paths.dtype), cuda.shared.array(0, l.dtype)
    block = Block(room, ints, d)
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
    table = table_of(regions, record, room.table_at)
    nodes, levels = regions[Index(record + REGION_NODES)], regions[Index(record + LEVELS)]
    _load_records_on_card(cell, region, tables, block)
    cuda.syncthreads()
    copy_path(path, tables.slots, block, r)
    close_copies()
    copy_tops(table, block, l)
    table_at, table_size = regions[Index(record + TABLE_AT)], regions[Index(record + TABLE_SIZE)]
    copy_part(me, cuda.blockDim.x, ints, room.table_at, tables.tables, table_at, table_size)
    copy_part(me, cuda.blockDim.x, d, room.l_at, l, l_begin, early)
    close_copies()
    leaf = path.deepest * PATH_RECORD
    slots = ints[At(leaf + SLOT)] + ints[At(leaf + NODES)]
    fill_up(d, room.path_at, slots, infinity)
    fill_up(d, room.distances_at, table.above + nodes, infinity)
    wait_for_copies(1)
    cuda.syncthreads()
    if me < team:
        climb_path(me, team, position, path, block, r)
    cuda.syncthreads()
    copy_part(me, cuda.blockDim.x, d, path.r_at, l, Int(l_begin + early), Int(kept - early))
    close_copies()
    _take_over_on_card(region, path, table, block)
    if region == 0:
        _leave_path_on_card(number, slots, block, up)
    wait_for_copies(1)
    cuda.syncthreads()
    if me < team:
        top_borders = Int(room.table_at + regions[Index(record + ABOVE_AT)])
        descend_tops(me, team, top_borders, table, block, l)
    descend_region(me, team, early, kept, l_begin, levels, table, block, l)
    _write_out_on_card(number, record, infinity, table, tables, block, output)


find_tree: Final = CardKernel(_find_tree, registers=64)
"""Find the distances from sources in the highest tier of regions and above, a block for each region and source."""
