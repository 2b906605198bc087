"""Many trees at once on a card: sources along the lanes, so that an entry of a matrix is read once for 128 of them.

A warp has 128 sources, each lane every 32nd, and a tile of a cell's nodes: their distances stay in registers while it
goes through the cell's border. Only nodes of inner cells keep their distances in the card's memory, those of one node
side by side; those of leaves are written where they are wanted, or reduced to a few figures as they are made.

A cell's distances begin with what the climb brought to it, if the cell lies on the source's path, that is if the
source's cell lies in its subtree: a range of cell numbers.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from numba import boolean

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

    places  int32 [2 · in_all], the position of each source, and behind them all the cell of each
    up      [size · path_slots], the distances on each source's path after its climb
    inner   [rows · size], the distances of the nodes in inner cells
    """

    state: DeviceArray
    places: DeviceArray
    in_all: int
    size: int
    path_slots: int
    up: DeviceArray
    inner: DeviceArray


class Descent(NamedTuple):
    """What every launch that goes down takes: what stands for no path, the tables, the batch, and the matrices L."""

    infinity: int
    tables: TreeTables
    more: BatchTables
    batch: Batch
    l: DeviceArray  # noqa: E741 - the literature's name


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
    at, cell = warp * batch.path_slots, batch.places[Index(batch.in_all + number)]
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
        slot = records[Index(record + SLOT)] + batch.places[Index(number)] - records[Index(record + POSITION)]
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


climb_all: Final = CardKernel(_climb_all)
"""Climb from every source of a batch, a warp each; shared memory has room for a path a warp."""


def _make_begin(nodes: int) -> Any:
    """Return the function that begins a tile of so many nodes."""

    def begin(best: Any, cell: int, j: int, group: int, down: Descent) -> None:
        """Begin with what the climb brought to the cell's nodes from number j on, where sources lie below the cell."""
        tables, more, batch = down.tables, down.more, down.batch
        below = cuda.local.array(EACH, boolean)
        end, first = more.end[Index(cell)], group * GROUP + (cuda.threadIdx.x & (WARP - 1))
        number, any_below = batch.state[0] + first, False
        for q in range(EACH):
            below[q] = False
            if number + q * WARP < batch.in_all:
                its = batch.places[Index(batch.in_all + number + q * WARP)]
                below[q] = cell <= its < end
                any_below = any_below or below[q]
            for n in range(nodes):
                best[n, q] = down.infinity
        if not any_below:  # so it is for most warps
            return
        record = cell * PATH_RECORD
        slot, here = tables.path_records[Index(record + SLOT)] + j, tables.path_records[Index(record + NODES)] - j
        for q in range(EACH):
            if below[q]:
                up = (first + q * WARP) * batch.path_slots + slot
                for n in range(nodes):
                    if n < here:
                        best[n, q] = batch.up[Index(up + n)]

    return cuda_function(begin)


def _make_tile(nodes: int, together: int) -> Any:
    """Return the function that makes the distances of a tile of so many nodes.

    It reads so many border nodes ``together``: their distances come from far, and a warp that waited for those of each
    one would do nothing else. Behind the last one it takes that again, which changes no minimum. Behind the last node
    of a row it takes the next row's entries, or what lies behind the matrix.
    """
    begin = _make_begin(nodes)

    def make(best: Any, cell: int, j: int, group: int, down: Descent) -> None:
        """Make the distances of the cell's nodes from number j on; those behind its last one mean nothing."""
        more, batch = down.more, down.batch
        here = cuda.local.array((together, EACH), down.l.dtype)
        records, record = down.tables.path_records, cell * PATH_RECORD
        s, a = records[Index(record + NODES)], records[Index(record + BORDER)]
        l_at, borders = records[Index(record + L_AT)] + j, records[Index(record + BORDER_AT)]
        first = group * GROUP + (cuda.threadIdx.x & (WARP - 1))
        begin(best, cell, j, group, down)
        i = 0
        while i < a:
            for k in range(together):
                row = more.inner_border[Index(borders + min(i + k, a - 1))] * batch.size + first
                for q in range(EACH):
                    here[k, q] = batch.inner[Index(row + q * WARP)]
            for k in range(together):
                at = Index(l_at + min(i + k, a - 1) * s)
                for n in range(nodes):
                    entry = down.l[at + Index(n)]
                    for q in range(EACH):
                        best[n, q] = lesser_sum(best[n, q], here[k, q], entry)
            i += together

    return cuda_function(make)


make_few: Final = _make_tile(FEW, 8)
make_many: Final = _make_tile(MANY, 3)


def _make_put(nodes: int) -> Any:
    """Return the function that writes a tile of so many nodes where rows go."""

    def put(best: Any, position: int, count: int, group: int, down: Descent, rows: Rows) -> None:
        """Write the distances of the tile's first ``count`` nodes, whose positions begin at ``position``."""
        far = cuda.local.array(2, rows.distances.dtype)
        far[0], far[1] = down.infinity, rows.unreached
        rest = down.batch.in_all - down.batch.state[0] - group * GROUP
        lane = cuda.threadIdx.x & (WARP - 1)
        begin, step = (group * GROUP + lane) * rows.source_stride, WARP * rows.source_stride
        for n in range(nodes):
            if n < count:
                to = begin + down.tables.node_at[Index(position + n)] * rows.node_stride
                if rest >= GROUP:  # without asking for each source, a third of the instructions
                    for q in range(EACH):
                        rows.distances[Index(to)] = best[n, q] if best[n, q] < far[0] else far[1]
                        to += step
                else:
                    for q in range(EACH):
                        if q * WARP + lane < rest:
                            rows.distances[Index(to + q * step)] = best[n, q] if best[n, q] < far[0] else far[1]

    return cuda_function(put)


_put_few, _put_many = _make_put(FEW), _make_put(MANY)


def _number_of_warp() -> int:
    """Return the number of this thread's warp among those of the launch."""
    return cuda.blockIdx.x * (cuda.blockDim.x >> WARP_BITS) + (cuda.threadIdx.x >> WARP_BITS)


_this_warp = cuda_function(_number_of_warp)


def _task_and_group(groups: int) -> tuple[int, int]:
    """Return the task of this thread's warp and its group of sources: warps of one task are neighbours."""
    warp = _this_warp()
    task = warp // groups
    return task, warp - task * groups


def _group_and_task(tasks: int) -> tuple[int, int]:
    """Return the same where warps of one group are neighbours, whose distances then stay in the second cache."""
    warp = _this_warp()
    group = warp // tasks
    return warp - group * tasks, group


by_task: Final = cuda_function(_task_and_group)
by_group: Final = cuda_function(_group_and_task)


def _find_leaf(leaf: int, down: Descent) -> tuple[int, int, int]:
    """Return the cell of a leaf, its number of nodes and their first position."""
    cell, records = down.more.leaves[Index(leaf)], down.tables.path_records
    return cell, records[Index(cell * PATH_RECORD + NODES)], records[Index(cell * PATH_RECORD + POSITION)]


find_leaf: Final = cuda_function(_find_leaf)


def _descend_inner(first: int, count: int, down: Descent, rows: Rows) -> None:
    best = cuda.local.array((FEW, EACH), down.l.dtype)
    tile, group = by_group(count)
    size = down.batch.size
    if group >= size >> GROUP_BITS:
        return
    cell, j = down.more.tiles[Index(2 * (first + tile))], down.more.tiles[Index(2 * (first + tile) + 1)]
    make_few(best, cell, j, group, down)
    here = down.tables.path_records[Index(cell * PATH_RECORD + NODES)] - j
    to = (down.more.inner_first[Index(cell)] + j) * size + group * GROUP + (cuda.threadIdx.x & (WARP - 1))
    for n in range(FEW):
        if n < here:
            for q in range(EACH):
                down.batch.inner[Index(to + n * size + q * WARP)] = best[n, q]
    if rows.node_stride > 0:
        position = down.tables.path_records[Index(cell * PATH_RECORD + POSITION)] + j
        _put_few(best, position, here, group, down, rows)


descend_inner: Final = CardKernel(_descend_inner, registers=128)
"""Make the distances of ``count`` tiles of inner cells, a warp for each and each group of sources. They go to rows too,
unless the stride of nodes is 0."""


def _write_leaves(count: int, down: Descent, rows: Rows) -> None:
    best = cuda.local.array((MANY, EACH), down.l.dtype)
    leaf, group = by_task(down.batch.size >> GROUP_BITS)
    if leaf >= count:
        return
    cell, s, position = find_leaf(leaf, down)
    j = 0
    while j < s:
        make_many(best, cell, j, group, down)
        _put_many(best, position + j, s - j, group, down, rows)
        j += MANY


write_leaves: Final = CardKernel(_write_leaves, registers=128)
"""Make the distances of the leaves and write them, a warp for each leaf and group."""


def _turn_leaves(count: int, down: Descent, rows: Rows) -> None:
    best = cuda.local.array((MANY, EACH), down.l.dtype)
    turned = cuda.shared.array(0, down.l.dtype)
    leaf, group = by_task(down.batch.size >> GROUP_BITS)
    if leaf >= count:
        return
    cell, s, position = find_leaf(leaf, down)
    lane, at = cuda.threadIdx.x & (WARP - 1), (cuda.threadIdx.x >> WARP_BITS) * WARP * ROW
    j = 0
    while j < s:
        make_many(best, cell, j, group, down)
        for n in range(MANY):
            if j + n < s:
                for q in range(EACH):
                    turned[Index(at + (j + n) * ROW + q * WARP + lane)] = best[n, q]
        j += MANY
    sync_warp()
    if lane < s:
        to = group * GROUP * rows.source_stride + down.tables.node_at[Index(position + lane)]
        for b in range(min(GROUP, down.batch.in_all - down.batch.state[0] - group * GROUP)):
            distance = turned[Index(at + lane * ROW + b)]
            rows.distances[Index(to)] = distance if distance < down.infinity else rows.unreached
            to += rows.source_stride


turn_leaves: Final = CardKernel(_turn_leaves, registers=128)
"""Do the same where the nodes of a source follow one another, so that lanes take nodes: shared memory has room for a
leaf a warp, ``WARP · ROW`` entries."""


def advance(_i: int, state: DeviceArray, size: int) -> None:
    """Go on to the next batch."""
    state[0] += size
