"""Many trees at once on a card: sources along the lanes, so that an entry of a matrix is read once for 128 of them.

A warp has 128 sources, each lane every 32nd, and a tile of a cell's nodes: their distances stay in registers while it
goes through the cell's border. Only nodes of inner cells keep their distances in the card's memory, those of one node
side by side; those of leaves are written where they are wanted, or reduced to a few figures as they are made::

                            sources of a warp:  lane 0, 1, …, 31 | lane 0, 1, …, 31 | …     q = 0, 1, 2, 3
      n-th node of a tile   best[n, q]                           |                  |

A cell's distances begin with what the ascent brought to it, if the cell lies on the source's path, that is if the
source's cell lies in its subtree: a range of cell numbers.

Names in kernels: s and a are the nodes of a cell's separator and border, f = s + a, i and j one of them; n is a node of
a tile and q one of a lane's sources; b a source, z runs over a list, a thread an element; d are distances in shared
memory, l and r the matrices of all cells.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from numba import boolean, types

from wayfront.devices.atomics import atomic_add, atomic_max
from wayfront.devices.blocks import WARP, WARP_BITS, sync_warp
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.dissection.card.layout import CELL, CELL_SIZE, TreeTables
from wayfront.kernels.arithmetic import Index, lesser_sum

EACH = 4
"""Sources of a lane."""

GROUP_BITS = 2 + WARP_BITS
GROUP = EACH * WARP
"""Sources of a warp."""

FEW, MANY = 4, 8
"""Nodes of a tile: separators are small, leaves large."""

RANKS = (1 << 31) - 1
"""Ranks are below it, so that a distance and a rank fit 62 bits."""

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

    sources int32 [2 · in_all], the position of each source, and behind them all the cell of each
    up      [path_slots · size], the distances on each source's path after its ascent, slot after slot
    inner   [rows · size], the distances of the nodes in inner cells
    """

    state: DeviceArray
    sources: DeviceArray
    in_all: int
    size: int
    path_slots: int
    up: DeviceArray
    inner: DeviceArray


class Descent(NamedTuple):
    """What every launch that descends takes: what stands for no path, the tables, the batch, and the matrices L."""

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


class TreeFigures(NamedTuple):
    """What is known of each source's tree, int64 [in_all] each.

    farthest  the largest distance above the complement of the smallest rank that has it, 31 bits each, at first −1
    total     the sum of all distances
    reached   the number of nodes reached
    """

    farthest: DeviceArray
    total: DeviceArray
    reached: DeviceArray


def _ascend_all(
    height: int, infinity: int, tables: TreeTables, batch: Batch, r: DeviceArray, keep: int, before: DeviceArray
) -> None:
    d = cuda.shared.array(0, r.dtype)
    lane, warp = cuda.threadIdx.x & (WARP - 1), cuda.threadIdx.x >> WARP_BITS
    b = cuda.blockIdx.x * (cuda.blockDim.x >> WARP_BITS) + warp
    number = batch.state[0] + b
    if b >= batch.size or number >= batch.in_all:
        return
    at, cell, size = warp * batch.path_slots, batch.sources[Index(batch.in_all + number)], types.int64(batch.size)
    records = tables.cells
    record = cell * CELL_SIZE
    depth = records[Index(record + CELL.depth)]
    slots = records[Index(record + CELL.slot)] + records[Index(record + CELL.nodes)]
    z = lane
    while z < slots:
        d[Index(at + z)] = infinity
        z += WARP
    sync_warp()
    if lane == 0:
        slot = (
            records[Index(record + CELL.slot)] + batch.sources[Index(number)] - records[Index(record + CELL.position)]
        )
        d[Index(at + slot)] = 0
    sync_warp()
    for turn in range(depth + 1):
        record = tables.paths[Index(cell * height + depth - turn)] * CELL_SIZE
        s = records[Index(record + CELL.nodes)]
        f = s + records[Index(record + CELL.border)]
        slot, borders, r_at = (
            records[Index(record + CELL.slot)],
            records[Index(record + CELL.border_at)],
            records[Index(record + CELL.r_at)],
        )
        j = lane
        while j < f:
            to = slot + j if j < s else tables.slots[Index(borders + j - s)]
            best = d[Index(at + to)]
            for i in range(s):
                best = lesser_sum(best, d[Index(at + slot + i)], r[Index(r_at + i * f + j)])
            if j < s:  # R is closed: what lies above need not know
                batch.up[Index(to * size + b)] = best
            else:
                d[Index(at + to)] = best
            j += WARP
        sync_warp()
    z = lane
    while z < slots and keep > 0:
        before[Index(z * size + b)] = d[Index(at + z)]
        z += WARP


ascend_all: Final = CardKernel(_ascend_all)
"""Ascend from every source of a batch, a warp each; shared memory has room for a path a warp.

``keep`` says that ``before`` receives the distances on each source's path before each cell's own R, laid out like
``Batch.up``.
"""


def _make_tile(nodes: int, together: int) -> tuple[Any, Any, Any]:  # noqa: PLR0915 - functions of one form
    """Return the functions that make, write and reduce the distances of a tile of so many nodes.

    It reads so many border nodes ``together``: their distances come from far, and a warp that waited for those of each
    one would do nothing else. Behind the last one it takes that again, which changes no minimum. Behind the last node
    of a row it takes the next row's entries, or what lies behind the matrix.
    """

    @cuda_function
    def begin(best: Any, cell: int, j: int, group: int, down: Descent) -> None:
        """Begin with what the ascent brought to the cell's nodes from number j on, where sources lie below the cell."""
        tables, more, batch = down.tables, down.more, down.batch
        below = cuda.local.array(EACH, boolean)
        end, first = more.end[Index(cell)], group * GROUP + (cuda.threadIdx.x & (WARP - 1))
        number, any_below = batch.state[0] + first, False
        for q in range(EACH):
            below[q] = False
            if number + q * WARP < batch.in_all:
                its = batch.sources[Index(batch.in_all + number + q * WARP)]
                below[q] = cell <= its < end
                any_below = any_below or below[q]
            for n in range(nodes):
                best[n, q] = down.infinity
        if not any_below:  # so it is for most warps
            return
        record = cell * CELL_SIZE
        slot, here = tables.cells[Index(record + CELL.slot)] + j, tables.cells[Index(record + CELL.nodes)] - j
        for q in range(EACH):
            if below[q]:
                for n in range(nodes):
                    if n < here:
                        best[n, q] = batch.up[Index(types.int64(slot + n) * batch.size + first + q * WARP)]

    @cuda_function
    def make(best: Any, cell: int, j: int, group: int, down: Descent) -> None:
        """Make the distances of the cell's nodes from number j on; those behind its last one mean nothing."""
        more, batch = down.more, down.batch
        here = cuda.local.array((together, EACH), down.l.dtype)
        records, record = down.tables.cells, cell * CELL_SIZE
        s, a = records[Index(record + CELL.nodes)], records[Index(record + CELL.border)]
        l_at, borders = records[Index(record + CELL.l_at)] + j, records[Index(record + CELL.border_at)]
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

    @cuda_function
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

    @cuda_function
    def clear(best: Any, count: int) -> None:
        """Set distances behind the first ``count`` nodes to 0, which changes no figure."""
        for n in range(nodes):
            if n >= count:
                for q in range(EACH):
                    best[n, q] = 0

    @cuda_function
    def reduce(best: Any, position: int, count: int, down: Descent, found: Any, sums: Any) -> None:
        """Add the distances of a tile's first ``count`` nodes to a lane's figures: a comparison a node in most cases.

        ``found`` has largest distance, complement of its node's rank and number reached of each of the lane's sources.
        """
        infinity, rank, node_at = down.infinity, down.more.rank, down.tables.node_at
        clear(best, count)
        for q in range(EACH):
            largest = best[0, q]
            for n in range(1, nodes):
                largest = max(largest, best[n, q])
            if largest < infinity:
                for n in range(nodes):
                    sums[q] += best[n, q]
                found[2, q] += count
            if largest >= found[0, q]:
                for n in range(nodes):
                    distance = best[n, q]
                    if n < count and distance < infinity:
                        if largest >= infinity:
                            sums[q] += distance
                            found[2, q] += 1
                        if distance >= found[0, q]:
                            behind = RANKS - rank[Index(node_at[Index(position + n)])]
                            if distance > found[0, q] or behind > found[1, q]:
                                found[0, q], found[1, q] = distance, behind

    return make, put, reduce


_make_few, _put_few, _reduce_few = _make_tile(FEW, 8)
make_many: Any
make_many, _put_many, _reduce_many = _make_tile(MANY, 3)


@cuda_function
def this_warp() -> int:
    """Return the number of this thread's warp among those of the launch."""
    return cuda.blockIdx.x * (cuda.blockDim.x >> WARP_BITS) + (cuda.threadIdx.x >> WARP_BITS)


@cuda_function
def by_task(groups: int) -> tuple[int, int]:
    """Return the task of this thread's warp and its group of sources: warps of one task are neighbours."""
    warp = this_warp()
    task = warp // groups
    return task, warp - task * groups


@cuda_function
def _by_group(tasks: int) -> tuple[int, int]:
    """Return the same where warps of one group are neighbours, whose distances then stay in the second cache."""
    warp = this_warp()
    group = warp // tasks
    return warp - group * tasks, group


@cuda_function
def _find_leaf(leaf: int, down: Descent) -> tuple[int, int, int]:
    """Return the cell of a leaf, its number of nodes and their first position."""
    cell, records = down.more.leaves[Index(leaf)], down.tables.cells
    return cell, records[Index(cell * CELL_SIZE + CELL.nodes)], records[Index(cell * CELL_SIZE + CELL.position)]


def _descend_inner(first: int, count: int, down: Descent, rows: Rows) -> None:
    best = cuda.local.array((FEW, EACH), down.l.dtype)
    tile, group = _by_group(count)
    size = down.batch.size
    if group >= size >> GROUP_BITS:
        return
    cell, j = down.more.tiles[Index(2 * (first + tile))], down.more.tiles[Index(2 * (first + tile) + 1)]
    _make_few(best, cell, j, group, down)
    here = down.tables.cells[Index(cell * CELL_SIZE + CELL.nodes)] - j
    to = (down.more.inner_first[Index(cell)] + j) * size + group * GROUP + (cuda.threadIdx.x & (WARP - 1))
    for n in range(FEW):
        if n < here:
            for q in range(EACH):
                down.batch.inner[Index(to + n * size + q * WARP)] = best[n, q]
    if rows.node_stride > 0:
        position = down.tables.cells[Index(cell * CELL_SIZE + CELL.position)] + j
        _put_few(best, position, here, group, down, rows)


descend_inner: Final = CardKernel(_descend_inner, registers=128)
"""Make the distances of ``count`` tiles of inner cells, a warp for each and each group of sources. They go to rows too,
unless the stride of nodes is 0."""


def _write_leaves(count: int, down: Descent, rows: Rows) -> None:
    best = cuda.local.array((MANY, EACH), down.l.dtype)
    leaf, group = by_task(down.batch.size >> GROUP_BITS)
    if leaf >= count:
        return
    cell, s, position = _find_leaf(leaf, down)
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
    cell, s, position = _find_leaf(leaf, down)
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


@cuda_function
def _reset(found: Any, sums: Any) -> None:
    """Begin a lane's figures."""
    for q in range(EACH):
        sums[q] = 0
        found[0, q], found[1, q], found[2, q] = 0, -1, 0


@cuda_function
def _deliver(group: int, found: Any, sums: Any, batch: Batch, figures: TreeFigures) -> None:
    """Add a lane's figures to those of its sources."""
    for q in range(EACH):
        number = batch.state[0] + group * GROUP + q * WARP + (cuda.threadIdx.x & (WARP - 1))
        if number < batch.in_all and found[2, q] > 0:
            atomic_max(figures.farthest, number, (types.int64(found[0, q]) << 31) | types.int64(found[1, q]))
            atomic_add(figures.total, number, sums[q])
            atomic_add(figures.reached, number, types.int64(found[2, q]))


def _reduce_leaves(count: int, down: Descent, figures: TreeFigures) -> None:
    best = cuda.local.array((MANY, EACH), down.l.dtype)
    found = cuda.local.array((3, EACH), types.int32)
    sums = cuda.local.array(EACH, types.int64)
    groups = down.batch.size >> GROUP_BITS
    step = cuda.gridDim.x * (cuda.blockDim.x >> WARP_BITS) // groups
    leaf, group = _by_group(step)
    _reset(found, sums)
    while leaf < count:
        cell, s, position = _find_leaf(leaf, down)
        j = 0
        while j < s:
            make_many(best, cell, j, group, down)
            _reduce_many(best, position + j, min(MANY, s - j), down, found, sums)
            j += MANY
        leaf += step
    _deliver(group, found, sums, down.batch, figures)


reduce_leaves: Final = CardKernel(_reduce_leaves, registers=128)
"""Make the distances of the leaves and add them to the figures; warps a multiple of the groups of sources."""


def _reduce_inner(count: int, down: Descent, figures: TreeFigures) -> None:
    best = cuda.local.array((FEW, EACH), down.l.dtype)
    found = cuda.local.array((3, EACH), types.int32)
    sums = cuda.local.array(EACH, types.int64)
    more, batch = down.more, down.batch
    groups = batch.size >> GROUP_BITS
    tile, group = by_task(groups)
    step = cuda.gridDim.x * (cuda.blockDim.x >> WARP_BITS) // groups
    _reset(found, sums)
    while tile < count:
        cell, j = more.tiles[Index(2 * tile)], more.tiles[Index(2 * tile + 1)]
        s = down.tables.cells[Index(cell * CELL_SIZE + CELL.nodes)]
        row = (more.inner_first[Index(cell)] + j) * batch.size + group * GROUP + (cuda.threadIdx.x & (WARP - 1))
        for n in range(FEW):
            if j + n < s:
                for q in range(EACH):
                    best[n, q] = batch.inner[Index(row + n * batch.size + q * WARP)]
        position = down.tables.cells[Index(cell * CELL_SIZE + CELL.position)] + j
        _reduce_few(best, position, min(FEW, s - j), down, found, sums)
        tile += step
    _deliver(group, found, sums, batch, figures)


reduce_inner: Final = CardKernel(_reduce_inner, registers=96)
"""Add the distances of the nodes in inner cells to the figures."""


def advance(_i: int, state: DeviceArray, size: int) -> None:
    """Go on to the next batch."""
    state[0] += size
