"""Many trees at once on a card: sources along the lanes, so that an entry of a matrix is read once for 128 of them.

A warp has 128 sources, each lane every 32nd, and a tile of a cell's nodes: their distances stay in registers while it
goes through the cell's border. Only nodes of inner cells keep their distances in the card's memory, those of one node
side by side; those of leaves are written where they are wanted, or reduced to a few figures as they are made.

A cell's distances begin with what the climb brought to it, if the cell lies on the source's path, that is if the
source's cell lies in its subtree: a range of cell numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.devices.warps import WARP, WARP_BITS, sync_warp
from wayfront.dissection.card_records import (
    BORDER,
    BORDER_AT,
    DEPTH,
    L_AT,
    NODES,
    PATH_RECORD,
    POSITION,
    R_AT,
    SLOT,
    TreeTables,
)
from wayfront.kernels.min_plus import Index, lesser_sum

EACH = 4
"""Sources of a lane."""

GROUP_BITS = 2 + WARP_BITS
GROUP = EACH * WARP
"""Sources of a warp."""

FEW, MANY = 4, 8
"""Nodes of a tile: separators are small, leaves large."""

ROW = GROUP + 1
"""Numbers from one node to the next where a tile is turned round in shared memory."""


class BatchTables(NamedTuple):
    """Where the distances of inner cells lie, and what a launch works on.

    inner_border  int32, like ``TreeTables.slots``: the row of each border node
    inner_first   int32 [c], the row of each inner cell's first node, −1 for leaves
    end           int32 [c], one past the subtree of each cell
    tiles         int32 [2 · tiles], cell and first node of each tile of the inner cells, level after level
    leaves        int32, the leaves
    rank          int32 [n], the rank of each node's id in the file
    """

    inner_border: DeviceArray
    inner_first: DeviceArray
    end: DeviceArray
    tiles: DeviceArray
    leaves: DeviceArray
    rank: DeviceArray


class Batch(NamedTuple):
    """The sources of a launch: ``size`` of them from number ``state[0]`` on, of ``in_all``.

    positions, cells  int32 [in_all]
    up                [size · path_slots], the distances on each source's path after its climb
    inner             [rows · size], the distances of the nodes in inner cells
    """

    state: DeviceArray
    positions: DeviceArray
    cells: DeviceArray
    in_all: int
    size: int
    path_slots: int
    up: DeviceArray
    inner: DeviceArray


class Rows(NamedTuple):
    """Where rows go: source b's distance to node v to ``b * source_stride + v * node_stride``."""

    distances: DeviceArray
    source_stride: int
    node_stride: int
    unreached: int


def _climb_all(height: int, infinity: int, tables: TreeTables, batch: Batch, r: DeviceArray) -> None:
    d = cuda.shared.array(0, r.dtype)
    lane, warp = cuda.threadIdx.x & (WARP - 1), cuda.threadIdx.x >> WARP_BITS
    b = cuda.blockIdx.x * (cuda.blockDim.x >> WARP_BITS) + warp
    number = batch.state[0] + b
    if b >= batch.size or number >= batch.in_all:
        return
    at, cell = warp * batch.path_slots, batch.cells[Index(number)]
    records = tables.path_records
    record = cell * PATH_RECORD
    depth = records[Index(record + DEPTH)]
    slots = records[Index(record + SLOT)] + records[Index(record + NODES)]
    z = lane
    while z < slots:
        d[Index(at + z)] = infinity
        z += WARP
    sync_warp()
    if lane == 0:
        slot = records[Index(record + SLOT)] + batch.positions[Index(number)] - records[Index(record + POSITION)]
        d[Index(at + slot)] = 0
    sync_warp()
    for turn in range(depth + 1):
        record = tables.paths[Index(cell * height + depth - turn)] * PATH_RECORD
        s = records[Index(record + NODES)]
        f = s + records[Index(record + BORDER)]
        slot, borders, r_at = (
            records[Index(record + SLOT)],
            records[Index(record + BORDER_AT)],
            records[Index(record + R_AT)],
        )
        # R is closed, so that a later turn of the lanes may go by distances that an earlier one has lowered.
        begin = 0
        while begin < f:
            j = begin + lane
            to, best = at, d[Index(at)]
            if j < f:
                to = at + (slot + j if j < s else tables.slots[Index(borders + j - s)])
                best = d[Index(to)]
                for i in range(s):
                    best = lesser_sum(best, d[Index(at + slot + i)], r[Index(r_at + i * f + j)])
            sync_warp()
            if j < f:
                d[Index(to)] = best
            sync_warp()
            begin += WARP
    z = lane
    while z < slots:
        batch.up[Index(b * batch.path_slots + z)] = d[Index(at + z)]
        z += WARP


climb_all = CardKernel(_climb_all)
"""Climb from every source of a batch, a warp each; shared memory has room for a path a warp."""


def _make_tile(nodes: int) -> Any:
    """Return the function that makes the distances of a tile of so many nodes."""

    def make(
        best: Any,
        cell: int,
        j: int,
        group: int,
        infinity: int,
        tables: TreeTables,
        more: BatchTables,
        batch: Batch,
        l: DeviceArray,  # noqa: E741
    ) -> None:
        """Make the distances of the cell's nodes from number j on; those behind its last one are 0."""
        here = cuda.local.array(EACH, l.dtype)
        lane = cuda.threadIdx.x & (WARP - 1)
        records, record = tables.path_records, cell * PATH_RECORD
        s, a = records[Index(record + NODES)], records[Index(record + BORDER)]
        l_at, borders = records[Index(record + L_AT)] + j, records[Index(record + BORDER_AT)]
        slot = records[Index(record + SLOT)] + j
        end = more.end[Index(cell)]
        first = group * GROUP + lane
        for q in range(EACH):
            number = batch.state[0] + first + q * WARP
            inside = False
            if number < batch.in_all:
                its = batch.cells[Index(number)]
                inside = cell <= its < end
            for n in range(nodes):
                best[n, q] = infinity
                if inside and j + n < s:
                    best[n, q] = batch.up[Index((first + q * WARP) * batch.path_slots + slot + n)]
        i = 0
        while i < a:
            row = more.inner_border[Index(borders + i)] * batch.size + first
            for q in range(EACH):
                here[q] = batch.inner[Index(row + q * WARP)]
            for n in range(nodes):
                entry = l[Index(l_at + i * s + min(n, s - 1 - j))]
                for q in range(EACH):
                    best[n, q] = lesser_sum(best[n, q], here[q], entry)
            i += 1
        for n in range(nodes):
            if j + n >= s:
                for q in range(EACH):
                    best[n, q] = 0

    return cuda_function(make)


make_few, make_many = _make_tile(FEW), _make_tile(MANY)


def _turn_of_warp() -> int:
    """Return the number of this thread's warp among those of the launch."""
    return cuda.blockIdx.x * (cuda.blockDim.x >> WARP_BITS) + (cuda.threadIdx.x >> WARP_BITS)


this_warp = cuda_function(_turn_of_warp)


def _descend_inner(
    first: int,
    count: int,
    infinity: int,
    tables: TreeTables,
    more: BatchTables,
    batch: Batch,
    l: DeviceArray,  # noqa: E741
) -> None:
    best = cuda.local.array((FEW, EACH), l.dtype)
    groups = batch.size >> GROUP_BITS
    turn = this_warp()
    tile = turn // groups
    group = turn - tile * groups
    if tile >= count:
        return
    cell, j = more.tiles[Index(2 * (first + tile))], more.tiles[Index(2 * (first + tile) + 1)]
    make_few(best, cell, j, group, infinity, tables, more, batch, l)
    s = tables.path_records[Index(cell * PATH_RECORD + NODES)]
    row = more.inner_first[Index(cell)] + j
    for n in range(FEW):
        if j + n < s:
            for q in range(EACH):
                to = (row + n) * batch.size + group * GROUP + q * WARP + (cuda.threadIdx.x & (WARP - 1))
                batch.inner[Index(to)] = best[n, q]


descend_inner = CardKernel(_descend_inner, registers=96)
"""Make the distances of ``count`` tiles of inner cells, a warp for each and each group of sources."""


def _write_leaves(
    count: int,
    infinity: int,
    tables: TreeTables,
    more: BatchTables,
    batch: Batch,
    l: DeviceArray,  # noqa: E741
    rows: Rows,
) -> None:
    best = cuda.local.array((MANY, EACH), l.dtype)
    turned = cuda.shared.array(0, l.dtype)
    groups = batch.size >> GROUP_BITS
    turn = this_warp()
    leaf = turn // groups
    group = turn - leaf * groups
    lane, at = cuda.threadIdx.x & (WARP - 1), (cuda.threadIdx.x >> WARP_BITS) * WARP * ROW
    if leaf >= count:
        return
    cell = more.leaves[Index(leaf)]
    s = tables.path_records[Index(cell * PATH_RECORD + NODES)]
    position = tables.path_records[Index(cell * PATH_RECORD + POSITION)]
    here = min(GROUP, batch.in_all - batch.state[0] - group * GROUP)
    j = 0
    while j < s:
        make_many(best, cell, j, group, infinity, tables, more, batch, l)
        for n in range(MANY):
            if j + n < s:
                node = tables.node_at[Index(position + j + n)]
                for q in range(EACH):
                    b = q * WARP + lane
                    distance = best[n, q] if best[n, q] < infinity else rows.unreached
                    if rows.node_stride == 1:
                        turned[Index(at + (j + n) * ROW + b)] = distance
                    elif b < here:
                        to = (group * GROUP + b) * rows.source_stride + node * rows.node_stride
                        rows.distances[Index(to)] = distance
        j += MANY
    if rows.node_stride == 1:
        sync_warp()
        if lane < s:
            node = tables.node_at[Index(position + lane)]
            for b in range(here):
                to = (group * GROUP + b) * rows.source_stride + node
                rows.distances[Index(to)] = turned[Index(at + lane * ROW + b)]


write_leaves = CardKernel(_write_leaves, registers=128)
"""Make the distances of the leaves and write them, a warp for each leaf and group. Where the nodes of a source follow
one another, lanes take nodes: then shared memory has room for a leaf a warp, ``WARP · ROW`` entries."""


def _write_inner(count: int, infinity: int, tables: TreeTables, more: BatchTables, batch: Batch, rows: Rows) -> None:
    groups = batch.size >> GROUP_BITS
    turn = this_warp()
    tile = turn // groups
    group = turn - tile * groups
    if tile >= count:
        return
    cell, j = more.tiles[Index(2 * tile)], more.tiles[Index(2 * tile + 1)]
    s = tables.path_records[Index(cell * PATH_RECORD + NODES)]
    position = tables.path_records[Index(cell * PATH_RECORD + POSITION)]
    row = more.inner_first[Index(cell)]
    for n in range(min(FEW, s - j)):
        node = tables.node_at[Index(position + j + n)]
        for q in range(EACH):
            b = group * GROUP + q * WARP + (cuda.threadIdx.x & (WARP - 1))
            if batch.state[0] + b < batch.in_all:
                distance = batch.inner[Index((row + j + n) * batch.size + b)]
                to = b * rows.source_stride + node * rows.node_stride
                rows.distances[Index(to)] = distance if distance < infinity else rows.unreached


write_inner = CardKernel(_write_inner)
"""Write the distances of the nodes in inner cells."""


def advance(_i: int, state: DeviceArray, size: int) -> None:
    """Go on to the next batch."""
    state[0] += size
