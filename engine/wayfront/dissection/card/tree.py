"""One tree on a card, in one launch without a grid-wide barrier: each block searches a region by itself.

A block ascends from the source's cell to the root, as all other blocks do too, d[S ∪ A] = min(d, d[S] ⊗ R); descends
through the cells above its region, d[S] = min(d[S], d[A] ⊗ L), and then through those of its region, level by level
(``layout`` draws the walk). What it needs does not depend on distances, so all of it is on its way to shared memory
before the ascent begins; the ascent's matrices make room for the last part of the region's. After that a level costs
little more than a barrier, and the instructions by which each thread finds its share: so where nodes are few, only the
first threads work. A lowered distance may be read in the same step by another thread that expects the old one. It is
the length of a path too, so nothing wrong can come of it.

A large network has many times as many regions as a card has processors. Were each of their blocks to ascend and to
descend through the large cells above by itself, it would spend most of its time there. So only the highest tier's
blocks do this (``find_tree``); those below (``find_below``) begin at their border, where these have written its
distances. Each tier is a launch.

A block's shared memory, numbered in int32 up to the end of the table and in entries, of the dtype of distances, behind
it; lower tiers have none of what is marked *::

    0          tops_at      borders_at  table_at     | path_at    distances_at   top_l_at    l_at
    | records* | records*   | borders*  | table of   | d on the* | d above the  | L of the* | L of the region,     |
    | of the   | of the top | on the    | the region | path      | region, then | top cells | behind what comes at |
    | path     | cells      | path      |            |           | in it        |           | once R of the path*  |

Names in kernels: d are distances in shared memory, ``ints`` the same bytes as int32; l and r the matrices of all cells,
in the card's memory; s and a the nodes of a cell's separator and border, f = s + a; me is a thread among those that
work, j the node that it begins with; q runs over the cells of a path, z over a list, a thread an element.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import types

from wayfront.devices.atomics import atomic_min
from wayfront.devices.blocks import COPIED_BYTES, WARP, WARP_BITS, close_copies, copy_ahead, sync_first, wait_for_copies
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.dissection.card.layout import (
    CELL,
    CELL_BITS,
    CELL_SIZE,
    INSIDE,
    INSIDE_SIZE,
    LEVEL,
    LEVEL_SIZE,
    REGION,
    REGION_SIZE,
    TreeTables,
)
from wayfront.kernels.arithmetic import Index, lesser_sum

TEAM_BITS = 8
TEAM = 1 << TEAM_BITS
"""Threads that work on cells with few nodes, while the others wait."""

MOST_PARTS = 8
"""Threads that share a node of a level at most."""

At = np.uint32
"""The type of an index into shared memory: what leads to it is computed in 32 bits."""

Int: Final = types.int32


class Room(NamedTuple):
    """How a block's shared memory is divided, as drawn above.

    Below the highest tier nothing comes before the table, and neither path nor L of the cells above has any room.

    height      the longest path, in cells
    top_l_size  entries of L of the top cells that are kept
    size        entries of L of the region that can be kept
    r_size      entries of R of the path, behind what is copied of L at once
    """

    height: int
    tops_at: int
    borders_at: int
    table_at: int
    path_at: int
    distances_at: int
    top_l_at: int
    top_l_size: int
    l_at: int
    size: int
    r_size: int


class Block(NamedTuple):
    """A block's shared memory: how it is divided, and the same bytes as int32 and as entries."""

    room: Room
    ints: DeviceArray
    d: DeviceArray


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


class Up(NamedTuple):
    """Where the highest tier leaves the distances on each source's path for those below, ``path_slots`` for each.

    It is 0 where there is no tier below.
    """

    distances: DeviceArray
    path_slots: int


class Path(NamedTuple):
    """The source's path, and what of its matrices R is kept: ``r_size`` entries at ``r_at``."""

    deepest: int
    r_at: int
    r_size: int


class Table(NamedTuple):
    """Where in shared memory the parts of a region's table begin, and the numbers of nodes and cells above it."""

    cells: int
    cell_of: int
    borders: int
    above: int
    tops: int


class Share(NamedTuple):
    """What one of some threads does: nodes from ``node`` on, of each every ``parts``-th term from ``part`` on."""

    node: int
    part: int
    parts: int


class Column(NamedTuple):
    """A column of a matrix: ``entries[at]``, ``entries[at + pitch]``, …."""

    entries: DeviceArray
    at: int
    pitch: int


@cuda_function
def _copy_part(me: int, width: int, target: DeviceArray, at: int, source: DeviceArray, begin: int, size: int) -> None:
    """Start to copy entries to shared memory, as one of ``width`` threads; both begin aligned."""
    step = COPIED_BYTES // target.itemsize
    z = Int(me * step)
    while z < size:
        copy_ahead(target, Int(at + z), source, Int(begin + z))
        z = Int(z + width * step)


@cuda_function
def _fill_up(d: DeviceArray, at: int, size: int, infinity: int) -> None:
    """Set entries to infinity."""
    z = cuda.threadIdx.x
    while z < size:
        d[At(at + z)] = infinity
        z += cuda.blockDim.x


@cuda_function
def _find_share(me: int, bits: int, width: int) -> Share:
    """Return what one of ``width`` threads does of 2^bits nodes at most."""
    if width >> bits == 0:
        return Share(Int(me), Int(0), Int(1))
    return Share(Int(me & ((1 << bits) - 1)), Int(me >> bits), Int(width >> bits))


@cuda_function
def _least_from_rows(known: Any, i: int, parts: int, s: int, d: DeviceArray, first: int, to: Column) -> Any:
    """Return the least of what is known and d[first + i] + entry i of a column, for every ``parts``-th i below s.

    Four at a time, so that four entries are on their way at once; behind the last i it is taken again.
    """
    best, last, entries, at, pitch = known, s - 1, to.entries, to.at, to.pitch
    while i < s:
        i1, i2, i3 = Int(min(i + parts, last)), Int(min(i + 2 * parts, last)), Int(min(i + 3 * parts, last))
        d0, d1, d2, d3 = d[At(first + i)], d[At(first + i1)], d[At(first + i2)], d[At(first + i3)]
        e0, e1 = entries[At(at + i * pitch)], entries[At(at + i1 * pitch)]
        e2, e3 = entries[At(at + i2 * pitch)], entries[At(at + i3 * pitch)]
        best = lesser_sum(lesser_sum(lesser_sum(lesser_sum(best, d0, e0), d1, e1), d2, e2), d3, e3)
        i = Int(i + 4 * parts)
    return best


@cuda_function
def _least_over_border(known: Any, i: int, parts: int, a: int, border: int, block: Block, to: Column) -> Any:
    """Return the same for the distances of a border, whose numbers are at ``border`` in shared memory."""
    ints, d, d_at = block.ints, block.d, Int(block.room.distances_at)
    best, last, entries, at, pitch = known, a - 1, to.entries, to.at, to.pitch
    while i < a:
        i1, i2, i3 = Int(min(i + parts, last)), Int(min(i + 2 * parts, last)), Int(min(i + 3 * parts, last))
        b0, b1, b2, b3 = ints[At(border + i)], ints[At(border + i1)], ints[At(border + i2)], ints[At(border + i3)]
        e0, e1 = entries[At(at + i * pitch)], entries[At(at + i1 * pitch)]
        e2, e3 = entries[At(at + i2 * pitch)], entries[At(at + i3 * pitch)]
        d0, d1, d2, d3 = d[At(d_at + b0)], d[At(d_at + b1)], d[At(d_at + b2)], d[At(d_at + b3)]
        best = lesser_sum(lesser_sum(lesser_sum(lesser_sum(best, d0, e0), d1, e1), d2, e2), d3, e3)
        i = Int(i + 4 * parts)
    return best


@cuda_function
def _ascend_cell(me: int, width: int, on_path: int, block: Block, r: DeviceArray, r_at: int) -> None:
    """Lower the distances of a cell's separator and border by paths that leave the separator."""
    room, ints, d = block.room, block.ints, block.d
    s, bits = ints[At(on_path + CELL.nodes)], ints[At(on_path + CELL.front_bits)]
    f = Int(s + ints[At(on_path + CELL.border)])
    first = Int(room.path_at + ints[At(on_path + CELL.slot)])
    borders = Int(room.borders_at + ints[At(on_path + CELL.border_before)])
    j, part, parts = _find_share(me, bits, width)
    while j < f:
        to = Int(first + j)
        if j >= s:
            to = Int(room.path_at + ints[At(borders + j - s)])
        known = d[At(to)]
        best = _least_from_rows(known, part, parts, s, d, first, Column(r, Int(r_at + j), f))
        if best < known:
            atomic_min(d, to, best)
        j = Int(j + min(1 << bits, width))


@cuda_function
def _ascend_path(me: int, team: int, position: int, path: Path, block: Block, r: DeviceArray) -> None:
    """Ascend from the source's cell to the root, as one of the block's first threads."""
    room, ints, d = block.room, block.ints, block.d
    if me == 0:
        leaf = path.deepest * CELL_SIZE
        slot = ints[At(leaf + CELL.slot)] + position - ints[At(leaf + CELL.position)]
        d[At(room.path_at + slot)] = 0
    sync_first(team)
    turn = Int(path.deepest)
    while turn >= 0:
        on_path = Int(turn * CELL_SIZE)
        before, s = ints[At(on_path + CELL.r_before)], ints[At(on_path + CELL.nodes)]
        if before + s * (s + ints[At(on_path + CELL.border)]) <= path.r_size:
            _ascend_cell(me, team, on_path, block, d, Int(path.r_at + before))
        else:
            _ascend_cell(me, team, on_path, block, r, ints[At(on_path + CELL.r_at)])
        sync_first(team)
        turn = Int(turn - 1)


@cuda_function
def _copy_path(path: Path, slots: DeviceArray, block: Block, r: DeviceArray) -> None:
    """Start to copy the borders and the matrices R of the cells on the path, a warp each."""
    room, ints, d = block.room, block.ints, block.d
    lane, warps = Int(cuda.threadIdx.x & (WARP - 1)), cuda.blockDim.x >> WARP_BITS
    q = cuda.threadIdx.x >> WARP_BITS
    while q <= path.deepest:
        on_path = q * CELL_SIZE
        before, s = ints[At(on_path + CELL.r_before)], ints[At(on_path + CELL.nodes)]
        border = ints[At(on_path + CELL.border)]
        to = Int(room.borders_at + ints[At(on_path + CELL.border_before)])
        _copy_part(lane, WARP, ints, to, slots, ints[At(on_path + CELL.border_at)], border)
        size = Int(s * (s + border))
        if before + size <= path.r_size:
            _copy_part(lane, WARP, d, Int(path.r_at + before), r, ints[At(on_path + CELL.r_at)], size)
        q += warps


@cuda_function
def _descend_top(
    me: int,
    team: int,
    top: int,
    borders_at: int,
    block: Block,
    l: DeviceArray,  # noqa: E741 - the literature's name
    l_at: int,
) -> None:
    """Lower the distances in a cell above the region by paths that come over its border."""
    room, ints, d = block.room, block.ints, block.d
    s, a, bits = ints[At(top + CELL.nodes)], ints[At(top + CELL.border)], ints[At(top + CELL.node_bits)]
    first = Int(Int(room.distances_at) + ints[At(top + CELL.slot)])
    borders = Int(borders_at + ints[At(top + CELL.border_before)])
    j, part, parts = _find_share(me, bits, team)
    while j < s:
        known = d[At(first + j)]
        best = _least_over_border(known, part, parts, a, borders, block, Column(l, Int(l_at + j), s))
        if best < known:
            atomic_min(d, Int(first + j), best)
        j = Int(j + min(1 << bits, team))


@cuda_function
def _descend_tops(me: int, team: int, borders_at: int, table: Table, block: Block, l: DeviceArray) -> None:  # noqa: E741
    """Lower the distances in all cells above the region, as one of the block's first threads."""
    room, ints, d = block.room, block.ints, block.d
    top = Int(room.tops_at)
    while top < room.tops_at + table.tops * CELL_SIZE:
        before, size = ints[At(top + CELL.l_before)], ints[At(top + CELL.nodes)] * ints[At(top + CELL.border)]
        if before + size <= room.top_l_size:
            _descend_top(me, team, top, borders_at, block, d, Int(room.top_l_at + before))
        else:
            _descend_top(me, team, top, borders_at, block, l, ints[At(top + CELL.l_at)])
        sync_first(team)
        top = Int(top + CELL_SIZE)


@cuda_function
def _copy_tops(table: Table, block: Block, l: DeviceArray) -> None:  # noqa: E741
    """Start to copy the matrices L of the cells above the region, a warp each, from the last warp on."""
    room, ints, d = block.room, block.ints, block.d
    lane, warps = Int(cuda.threadIdx.x & (WARP - 1)), cuda.blockDim.x >> WARP_BITS
    q = warps - 1 - (cuda.threadIdx.x >> WARP_BITS)
    while q < table.tops:
        top = room.tops_at + q * CELL_SIZE
        size = Int(ints[At(top + CELL.nodes)] * ints[At(top + CELL.border)])
        before = ints[At(top + CELL.l_before)]
        if before + size <= room.top_l_size:
            _copy_part(lane, WARP, d, Int(room.top_l_at + before), l, ints[At(top + CELL.l_at)], size)
        q += warps


@cuda_function
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
    first, count, bits = ints[At(level + LEVEL.first)], ints[At(level + LEVEL.nodes)], ints[At(level + LEVEL.bits)]
    at = Int(room.distances_at)
    j, part, parts = _find_share(me, bits, width)
    if parts > MOST_PARTS:
        parts = Int(MOST_PARTS)
    while j < count and part < parts:
        node = Int(first + j)
        cell = Int(table.cells + INSIDE_SIZE * ints[At(table.cell_of + node)])
        s, a = ints[At(cell + INSIDE.nodes)], ints[At(cell + INSIDE.border)]
        border = Int(table.borders + ints[At(cell + INSIDE.border_at)])
        entry = Int(l_at + ints[At(cell + INSIDE.l_at)] + node - ints[At(cell + INSIDE.first)])
        to = Int(at + table.above + node)
        known = d[At(to)]
        best = _least_over_border(known, part, parts, a, border, block, Column(l, entry, s))
        if best < known:
            if parts == 1:
                d[At(to)] = best
            else:
                atomic_min(d, to, best)
        j = Int(j + min(1 << bits, width))


@cuda_function
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
    """Lower the distances of a region: levels of few nodes by the first threads, while their matrices are there.

    Of its L the first ``early`` entries are, and ``kept`` will be, in shared memory; in the card's it has ``l_begin``.
    """
    room, ints, d = block.room, block.ints, block.d
    level, last = Int(room.table_at), Int(room.table_at + LEVEL_SIZE * levels)
    while level < last and ints[At(level + LEVEL.bits)] <= TEAM_BITS and ints[At(level + LEVEL.l_end)] <= early:
        if me < team:
            _descend_level(me, team, level, table, block, d, room.l_at)
            sync_first(team)
        level = Int(level + LEVEL_SIZE)
    wait_for_copies(0)
    cuda.syncthreads()
    while level < last:
        if ints[At(level + LEVEL.l_end)] <= kept:
            _descend_level(me, cuda.blockDim.x, level, table, block, d, room.l_at)
        else:
            _descend_level(me, cuda.blockDim.x, level, table, block, l, l_begin)
        cuda.syncthreads()
        level = Int(level + LEVEL_SIZE)


@cuda_function
def _table_of(regions: DeviceArray, record: int, table_at: int) -> Table:
    """Return where in shared memory the parts of a region's table are."""
    return Table(
        Int(table_at + regions[Index(record + REGION.cells_at)]),
        Int(table_at + regions[Index(record + REGION.cell_at)]),
        Int(table_at + regions[Index(record + REGION.borders_at)]),
        regions[Index(record + REGION.above)],
        regions[Index(record + REGION.tops)],
    )


@cuda_function
def _write_region(
    number: int, record: int, infinity: int, above: int, regions: DeviceArray, block: Block, output: Output
) -> None:
    """Write the distances of a region's nodes."""
    room, ints, d = block.room, block.ints, block.d
    begin = number * output.source_stride
    numbers = room.table_at + regions[Index(record + REGION.nodes_at)]
    nodes = regions[Index(record + REGION.nodes)]
    z = cuda.threadIdx.x
    while z < nodes:
        distance = d[At(room.distances_at + above + z)]
        to = begin + ints[At(numbers + z)] * output.node_stride
        output.distances[Index(to)] = distance if distance < infinity else output.unreached
        z += cuda.blockDim.x


@cuda_function
def _load_records(cell: int, region: int, tables: TreeTables, block: Block) -> None:
    """Read the records of the cells on the source's path and above the region."""
    room, ints = block.room, block.ints
    z = cuda.threadIdx.x
    while z < room.tops_at:
        depth, field = z >> CELL_BITS, z & (CELL_SIZE - 1)
        on_path = tables.paths[Index(cell * room.height + depth)]
        top = tables.tops[Index(region * room.height + depth)]
        if on_path >= 0:
            ints[At(z)] = tables.cells[Index(on_path * CELL_SIZE + field)]
        if top >= 0:
            ints[At(room.tops_at + z)] = tables.cells[Index(top * CELL_SIZE + field)]
        z += cuda.blockDim.x


@cuda_function
def _take_over(region: int, path: Path, table: Table, block: Block) -> None:
    """Begin the descent with what the ascent found for those cells above the region and in it that are on the path."""
    room, ints, d = block.room, block.ints, block.d
    common, most = 0, min(table.tops, path.deepest + 1)
    while common < most and (
        ints[At(common * CELL_SIZE + CELL.position)] == ints[At(room.tops_at + common * CELL_SIZE + CELL.position)]
    ):
        common += 1
    slots = table.above
    if common < table.tops:
        slots = ints[At(room.tops_at + common * CELL_SIZE + CELL.slot)]
    z = cuda.threadIdx.x
    while z < slots:
        d[At(room.distances_at + z)] = d[At(room.path_at + z)]
        z += cuda.blockDim.x
    q = table.tops
    while q <= path.deepest and ints[At(q * CELL_SIZE + CELL.region)] == region:
        on_path = q * CELL_SIZE
        to = room.distances_at + table.above + ints[At(on_path + CELL.in_region)]
        z = cuda.threadIdx.x
        while z < ints[At(on_path + CELL.nodes)]:
            d[At(to + z)] = d[At(room.path_at + ints[At(on_path + CELL.slot)] + z)]
            z += cuda.blockDim.x
        q += 1


@cuda_function
def _leave_path(number: int, slots: int, block: Block, up: Up) -> None:
    """Write the distances on the source's path for the tiers below."""
    room, d = block.room, block.d
    z = cuda.threadIdx.x
    while z < min(slots, up.path_slots):
        up.distances[Index(number * up.path_slots + z)] = d[At(room.path_at + z)]
        z += cuda.blockDim.x


@cuda_function
def _write_tops(
    number: int, record: int, infinity: int, table: Table, tables: TreeTables, block: Block, output: Output
) -> None:
    """Write the distances of those top cells of which the region is the first."""
    room, ints, d = block.room, block.ints, block.d
    begin = number * output.source_stride
    for q in range(tables.regions[Index(record + REGION.own_from)], table.tops):
        top = room.tops_at + q * CELL_SIZE
        z = cuda.threadIdx.x
        while z < ints[At(top + CELL.nodes)]:
            distance = d[At(room.distances_at + ints[At(top + CELL.slot)] + z)]
            to = begin + tables.node_at[Index(ints[At(top + CELL.position)] + z)] * output.node_stride
            output.distances[Index(to)] = distance if distance < infinity else output.unreached
            z += cuda.blockDim.x


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
    regions, record = tables.regions, region * REGION_SIZE
    l_begin, l_size = regions[Index(record + REGION.l_at)], regions[Index(record + REGION.l_size)]
    r_size = Int(min(room.r_size, room.size))
    early, kept = Int(min(l_size, room.size - r_size)), Int(min(l_size, room.size))
    path = Path(tables.cells[Index(cell * CELL_SIZE + CELL.depth)], Int(room.l_at + early), r_size)
    table = _table_of(regions, record, room.table_at)
    nodes, levels = regions[Index(record + REGION.nodes)], regions[Index(record + REGION.levels)]
    _load_records(cell, region, tables, block)
    cuda.syncthreads()
    _copy_path(path, tables.slots, block, r)
    close_copies()
    _copy_tops(table, block, l)
    table_at, table_size = regions[Index(record + REGION.table_at)], regions[Index(record + REGION.table_size)]
    _copy_part(me, cuda.blockDim.x, ints, room.table_at, tables.tables, table_at, table_size)
    _copy_part(me, cuda.blockDim.x, d, room.l_at, l, l_begin, early)
    close_copies()
    leaf = path.deepest * CELL_SIZE
    slots = ints[At(leaf + CELL.slot)] + ints[At(leaf + CELL.nodes)]
    _fill_up(d, room.path_at, slots, infinity)
    _fill_up(d, room.distances_at, table.above + nodes, infinity)
    wait_for_copies(1)
    cuda.syncthreads()
    if me < team:
        _ascend_path(me, team, position, path, block, r)
    cuda.syncthreads()
    _copy_part(me, cuda.blockDim.x, d, path.r_at, l, Int(l_begin + early), Int(kept - early))
    close_copies()
    _take_over(region, path, table, block)
    if region == 0:
        _leave_path(number, slots, block, up)
    wait_for_copies(1)
    cuda.syncthreads()
    if me < team:
        top_borders = Int(room.table_at + regions[Index(record + REGION.above_at)])
        _descend_tops(me, team, top_borders, table, block, l)
    _descend_region(me, team, early, kept, l_begin, levels, table, block, l)
    _write_region(number, record, infinity, table.above, regions, block, output)
    _write_tops(number, record, infinity, table, tables, block, output)


find_tree: Final = CardKernel(_find_tree, registers=64)
"""Find the distances from sources in the highest tier of regions and above, a block for each region and source."""


@cuda_function
def _begin_at_border(number: int, record: int, infinity: int, tables: TreeTables, block: Block, output: Output) -> None:
    """Read the distances of the border of the region's uppermost cell, which the tiers above have written."""
    room, d = block.room, block.d
    regions = tables.regions
    ids = regions[Index(record + REGION.table_at)] + regions[Index(record + REGION.above_at)]
    begin, above = number * output.source_stride, regions[Index(record + REGION.above)]
    z = cuda.threadIdx.x
    while z < above:
        distance = output.distances[Index(begin + tables.tables[Index(ids + z)] * output.node_stride)]
        d[At(room.distances_at + z)] = min(distance, infinity)
        z += cuda.blockDim.x


@cuda_function
def _begin_on_path(
    number: int, region: int, cell: int, above: int, height: int, tables: TreeTables, block: Block, up: Up
) -> None:
    """Take over what the ascent from a cell found for those cells of the region that are on its path."""
    room, d = block.room, block.d
    record = region * REGION_SIZE
    depth = tables.regions[Index(record + REGION.tops)]
    if tables.paths[Index(cell * height + depth)] != tables.regions[Index(record + REGION.root)]:
        return
    while depth < height:
        mine = tables.paths[Index(cell * height + depth)] * CELL_SIZE
        if mine < 0 or tables.cells[Index(mine + CELL.region)] != region:
            return
        begin = number * up.path_slots + tables.cells[Index(mine + CELL.slot)]
        to = room.distances_at + above + tables.cells[Index(mine + CELL.in_region)]
        z = cuda.threadIdx.x
        while z < tables.cells[Index(mine + CELL.nodes)]:
            d[At(to + z)] = up.distances[Index(begin + z)]
            z += cuda.blockDim.x
        depth += 1


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
    regions, record = tables.regions, region * REGION_SIZE
    l_begin, l_size = regions[Index(record + REGION.l_at)], regions[Index(record + REGION.l_size)]
    kept = Int(min(l_size, room.size))
    table = _table_of(regions, record, room.table_at)
    table_at, table_size = regions[Index(record + REGION.table_at)], regions[Index(record + REGION.table_size)]
    _copy_part(me, width, ints, room.table_at, tables.tables, table_at, table_size)
    _copy_part(me, width, d, room.l_at, l, l_begin, kept)
    close_copies()
    _begin_at_border(number, record, infinity, tables, block, output)
    _fill_up(d, room.distances_at + table.above, regions[Index(record + REGION.nodes)], infinity)
    cuda.syncthreads()
    _begin_on_path(number, region, cell, table.above, room.height, tables, block, up)
    wait_for_copies(0)
    cuda.syncthreads()
    team, levels = Int(min(TEAM, width)), regions[Index(record + REGION.levels)]
    _descend_region(me, team, kept, kept, l_begin, levels, table, block, l)
    _write_region(number, record, infinity, table.above, regions, block, output)


find_below: Final = CardKernel(_find_below, registers=64)
"""Find the distances from sources in ``count`` regions of a lower tier from number ``first`` on, a block for each
region and source."""
