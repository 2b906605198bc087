"""One tree on a card, in one launch without a grid-wide barrier: each block searches a region by itself.

A block climbs from the source's cell to the root, d[S ∪ A] = min(d, d[S] ⊗ R), as all other blocks do too, goes down
through the cells above its region, d[S] = min(d[S], d[A] ⊗ L), and then through those of its region, level by level.
What it needs does not depend on distances, so all of it is on its way to shared memory before the climb begins; the
climb's matrices make room for the last part of the region's. After that a level costs little more than a barrier.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.atomics import atomic_min
from wayfront.devices.copies import close_copies, copy_ahead, wait_for_copies
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.kernels.min_plus import Index, lesser_sum

PATH_RECORD_BITS = 4
PATH_RECORD = 1 << PATH_RECORD_BITS
"""Numbers in a cell's record for the climb."""

NODES, BORDER, SLOT, BORDER_AT, R_AT, L_AT, R_BEFORE, BORDER_BEFORE, L_BEFORE, IN_REGION, REGION, POSITION, DEPTH = range(13)
"""Nodes of separator and border; the path slot of the first; where border slots, R and L begin; the entries and slots of
the cells above, rounded up as they are copied; the first node's number in the cell's region, and that; its position."""

REGION_RECORD = 16

TABLE_AT, TABLE_SIZE, REGION_L, REGION_L_SIZE, ABOVE, REGION_NODES, LEVELS, CELLS_AT, CELL_AT, BORDERS_AT, NODES_AT, TOP_BORDERS_AT, TOP_CELLS, ROOT, OWN_FROM = range(15)

CELL_FIELDS = 5
CELL_L, CELL_NODES, CELL_BORDER, CELL_BORDER_AT, CELL_FIRST = range(5)

LEVEL_FIELDS = 3
LEVEL_FIRST, LEVEL_END, LEVEL_L_END = range(3)

COPY_STEP = 4
"""Numbers of int32 that are copied at once; twice as many copies serve int64."""


class TreeTables(NamedTuple):
    """Where the cells of paths and regions lie.

    paths           int32 [c · height], the cells from the root to each cell
    path_records    int32 [c · PATH_RECORD]
    slots           int32, for each cell's border where its nodes lie on the path
    regions         int32 [k · REGION_RECORD]
    tables          int32, for each region levels, cells, the cell of each node, borders, node numbers
    node_at         int32 [n]
    """

    paths: DeviceArray
    path_records: DeviceArray
    slots: DeviceArray
    regions: DeviceArray
    tables: DeviceArray
    node_at: DeviceArray


class Room(NamedTuple):
    """How a block's shared memory is divided.

    height        the longest path, in cells
    tops_at, borders_at, table_at   where records of the top cells, the path's borders and the region's table begin, int32
    path_at       where the distances on the path begin, in entries from here on
    distances_at  where those of the region begin
    top_l_at      L of the top cells
    l_at, size    L of the region, of which so many entries can be kept
    r_size        R of the path, behind what is copied of L at once
    """

    height: int
    tops_at: int
    borders_at: int
    table_at: int
    path_at: int
    distances_at: int
    top_l_at: int
    l_at: int
    size: int
    r_size: int


class Sources(NamedTuple):
    """The positions of the sources and their cells; where there is one only, it is ``position`` in ``cell``."""

    positions: DeviceArray
    cells: DeviceArray
    position: int
    cell: int


class Output(NamedTuple):
    """Where distances go: that from source b to node v to ``b * source_stride + v * node_stride``."""

    distances: DeviceArray
    source_stride: int
    node_stride: int
    unreached: int


def _copy(target: DeviceArray, at: int, source: DeviceArray, begin: int, size: int) -> None:
    """Start to copy entries to shared memory, by all threads of the block; both places are aligned."""
    step = 16 // target.itemsize
    z = cuda.threadIdx.x * step
    while z < size:
        copy_ahead(target, at + z, source, begin + z)
        z += cuda.blockDim.x * step


_copy_on_card = cuda_function(_copy)


def _bits_of(count: int) -> int:
    """Return how many bits number so many things, at least 5."""
    bits = 5
    while (1 << bits) < count:
        bits += 1
    return bits


_bits = cuda_function(_bits_of)


def _climb_cell(
    s: int, f: int, slot: int, borders: int, ints: DeviceArray, d: DeviceArray, path_at: int, r: DeviceArray, r_at: int
) -> None:
    """Lower the distances of a cell's separator and border by paths that leave the separator."""
    bits = _bits(f)
    j, part, parts = cuda.threadIdx.x & ((1 << bits) - 1), cuda.threadIdx.x >> bits, cuda.blockDim.x >> bits
    if parts == 0:
        j, part, parts = cuda.threadIdx.x, 0, 1
    while j < f:
        to = path_at + (slot + j if j < s else ints[Index(borders + j - s)])
        known = d[Index(to)]
        best = known
        i = part
        while i < s:
            best = lesser_sum(best, d[Index(path_at + slot + i)], r[Index(r_at + i * f + j)])
            i += parts
        if best < known:
            atomic_min(d, to, best)
        j += max(1 << bits, cuda.blockDim.x)


_climb = cuda_function(_climb_cell)


def _descend_top(
    s: int, a: int, first: int, borders: int, ints: DeviceArray, d: DeviceArray, at: int, l: DeviceArray, l_at: int  # noqa: E741
) -> None:
    """Lower the distances of a top cell's separator by paths that come over its border."""
    bits = _bits(s)
    j, part, parts = cuda.threadIdx.x & ((1 << bits) - 1), cuda.threadIdx.x >> bits, cuda.blockDim.x >> bits
    if parts == 0:
        j, part, parts = cuda.threadIdx.x, 0, 1
    while j < s:
        known = d[Index(at + first + j)]
        best = known
        i = part
        while i < a:
            best = lesser_sum(best, d[Index(at + ints[Index(borders + i)])], l[Index(l_at + i * s + j)])
            i += parts
        if best < known:
            atomic_min(d, at + first + j, best)
        j += max(1 << bits, cuda.blockDim.x)


_descend_top_on_card = cuda_function(_descend_top)


def _descend_level(
    first: int,
    count: int,
    above: int,
    table: int,
    record: int,
    regions: DeviceArray,
    ints: DeviceArray,
    d: DeviceArray,
    at: int,
    l: DeviceArray,  # noqa: E741
    l_at: int,
) -> None:
    """Lower the distances of all separators of one level of a region."""
    cells, cell_at = table + regions[Index(record + CELLS_AT)], table + regions[Index(record + CELL_AT)]
    borders = table + regions[Index(record + BORDERS_AT)]
    bits = _bits(count)
    x, part, parts = cuda.threadIdx.x & ((1 << bits) - 1), cuda.threadIdx.x >> bits, cuda.blockDim.x >> bits
    if parts == 0:
        x, part, parts = cuda.threadIdx.x, 0, 1
    while x < count:
        cell = cells + CELL_FIELDS * ints[Index(cell_at + first + x)]
        s, a = ints[Index(cell + CELL_NODES)], ints[Index(cell + CELL_BORDER)]
        border = borders + ints[Index(cell + CELL_BORDER_AT)]
        entry = l_at + ints[Index(cell + CELL_L)] + first + x - ints[Index(cell + CELL_FIRST)]
        to = at + above + first + x
        known = d[Index(to)]
        best = known
        i = part
        while i < a:
            best = lesser_sum(best, d[Index(at + ints[Index(border + i)])], l[Index(entry + i * s)])
            i += parts
        if best < known:
            if parts == 1:
                d[Index(to)] = best
            else:
                atomic_min(d, to, best)
        x += max(1 << bits, cuda.blockDim.x)


_descend = cuda_function(_descend_level)


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
    ints = cuda.shared.array(0, tables.paths.dtype)
    d = cuda.shared.array(0, l.dtype)
    me, width = cuda.threadIdx.x, cuda.blockDim.x
    number = cuda.blockIdx.x // region_count
    region = cuda.blockIdx.x - number * region_count
    position, cell = sources.position, sources.cell
    if position < 0:
        position, cell = sources.positions[Index(number)], sources.cells[Index(number)]
    regions, record = tables.regions, region * REGION_RECORD
    deepest = tables.path_records[Index(cell * PATH_RECORD + DEPTH)]
    tops = regions[Index(record + TOP_CELLS)]
    z = me
    while z < (deepest + 1) * PATH_RECORD:
        on_path = tables.paths[Index(cell * room.height + (z >> PATH_RECORD_BITS))]
        ints[Index(z)] = tables.path_records[Index(on_path * PATH_RECORD + (z & (PATH_RECORD - 1)))]
        z += width
    root = regions[Index(record + ROOT)]
    z = me
    while z < tops * PATH_RECORD:
        top = tables.paths[Index(root * room.height + (z >> PATH_RECORD_BITS))]
        ints[Index(room.tops_at + z)] = tables.path_records[Index(top * PATH_RECORD + (z & (PATH_RECORD - 1)))]
        z += width
    l_begin, l_size = regions[Index(record + REGION_L)], regions[Index(record + REGION_L_SIZE)]
    r_size = min(room.r_size, room.size)
    early = min(l_size, room.size - r_size)
    kept = min(l_size, room.size)
    r_kept_at = room.l_at + early
    cuda.syncthreads()
    for q in range(deepest + 1):
        on_path = q * PATH_RECORD
        before, size = ints[Index(on_path + R_BEFORE)], ints[Index(on_path + NODES)]
        border = ints[Index(on_path + BORDER)]
        _copy_on_card(
            ints, room.borders_at + ints[Index(on_path + BORDER_BEFORE)], tables.slots, ints[Index(on_path + BORDER_AT)], border
        )
        if before + size * (size + border) <= r_size:
            _copy_on_card(d, r_kept_at + before, r, ints[Index(on_path + R_AT)], size * (size + border))
    close_copies()
    for q in range(tops):
        top = room.tops_at + q * PATH_RECORD
        size = ints[Index(top + NODES)] * ints[Index(top + BORDER)]
        _copy_on_card(d, room.top_l_at + ints[Index(top + L_BEFORE)], l, ints[Index(top + L_AT)], size)
    _copy_on_card(ints, room.table_at, tables.tables, regions[Index(record + TABLE_AT)], regions[Index(record + TABLE_SIZE)])
    _copy_on_card(d, room.l_at, l, l_begin, early)
    close_copies()
    above, nodes = regions[Index(record + ABOVE)], regions[Index(record + REGION_NODES)]
    path_slots = ints[Index(deepest * PATH_RECORD + SLOT)] + ints[Index(deepest * PATH_RECORD + NODES)]
    z = me
    while z < path_slots:
        d[Index(room.path_at + z)] = infinity
        z += width
    z = me
    while z < above + nodes:
        d[Index(room.distances_at + z)] = infinity
        z += width
    wait_for_copies(1)
    cuda.syncthreads()
    if me == 0:
        slot = ints[Index(deepest * PATH_RECORD + SLOT)] + position - ints[Index(deepest * PATH_RECORD + POSITION)]
        d[Index(room.path_at + slot)] = 0
    cuda.syncthreads()
    for turn in range(deepest + 1):
        on_path = (deepest - turn) * PATH_RECORD
        s, f = ints[Index(on_path + NODES)], ints[Index(on_path + NODES)] + ints[Index(on_path + BORDER)]
        slot, borders = ints[Index(on_path + SLOT)], room.borders_at + ints[Index(on_path + BORDER_BEFORE)]
        before = ints[Index(on_path + R_BEFORE)]
        if before + s * f <= r_size:
            _climb(s, f, slot, borders, ints, d, room.path_at, d, r_kept_at + before)
        else:
            _climb(s, f, slot, borders, ints, d, room.path_at, r, ints[Index(on_path + R_AT)])
        cuda.syncthreads()
    _copy_on_card(d, r_kept_at, l, l_begin + early, kept - early)
    close_copies()
    common = 0
    while common < min(tops, deepest + 1) and (
        ints[Index(common * PATH_RECORD + POSITION)] == ints[Index(room.tops_at + common * PATH_RECORD + POSITION)]
    ):
        common += 1
    shared_slots = above
    if common < tops:
        shared_slots = ints[Index(room.tops_at + common * PATH_RECORD + SLOT)]
    z = me
    while z < shared_slots:
        d[Index(room.distances_at + z)] = d[Index(room.path_at + z)]
        z += width
    if ints[Index(deepest * PATH_RECORD + REGION)] == region:
        for q in range(tops, deepest + 1):
            on_path = q * PATH_RECORD
            z = me
            while z < ints[Index(on_path + NODES)]:
                to = room.distances_at + above + ints[Index(on_path + IN_REGION)] + z
                d[Index(to)] = d[Index(room.path_at + ints[Index(on_path + SLOT)] + z)]
                z += width
    wait_for_copies(1)
    cuda.syncthreads()
    top_borders = room.table_at + regions[Index(record + TOP_BORDERS_AT)]
    for q in range(tops):
        top = room.tops_at + q * PATH_RECORD
        _descend_top_on_card(
            ints[Index(top + NODES)],
            ints[Index(top + BORDER)],
            ints[Index(top + SLOT)],
            top_borders + ints[Index(top + BORDER_BEFORE)],
            ints,
            d,
            room.distances_at,
            d,
            room.top_l_at + ints[Index(top + L_BEFORE)],
        )
        cuda.syncthreads()
    waits = 1
    for level in range(regions[Index(record + LEVELS)]):
        at = room.table_at + LEVEL_FIELDS * level
        first, end, l_end = ints[Index(at + LEVEL_FIRST)], ints[Index(at + LEVEL_END)], ints[Index(at + LEVEL_L_END)]
        if waits == 1 and l_end > early:
            wait_for_copies(0)
            cuda.syncthreads()
            waits = 0
        if l_end <= kept:
            _descend(first, end - first, above, room.table_at, record, regions, ints, d, room.distances_at, d, room.l_at)
        else:
            _descend(first, end - first, above, room.table_at, record, regions, ints, d, room.distances_at, l, l_begin)
        cuda.syncthreads()
    begin = number * output.source_stride
    numbers = room.table_at + regions[Index(record + NODES_AT)]
    z = me
    while z < nodes:
        distance = d[Index(room.distances_at + above + z)]
        to = begin + ints[Index(numbers + z)] * output.node_stride
        output.distances[Index(to)] = distance if distance < infinity else output.unreached
        z += width
    for q in range(regions[Index(record + OWN_FROM)], tops):
        top = room.tops_at + q * PATH_RECORD
        z = me
        while z < ints[Index(top + NODES)]:
            distance = d[Index(room.distances_at + ints[Index(top + SLOT)] + z)]
            to = begin + tables.node_at[Index(ints[Index(top + POSITION)] + z)] * output.node_stride
            output.distances[Index(to)] = distance if distance < infinity else output.unreached
            z += width


find_tree = CardKernel(_find_tree, registers=64)
"""Find the distances from sources, a block for each region and source."""
