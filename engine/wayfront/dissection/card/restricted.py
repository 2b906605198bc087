"""Distances from many points to some nodes alone, on a card: a batch that descends only to the tiles that targets need.

A tile of an inner cell is made if a target is among its nodes, or a node that a needed cell below borders on; a tile of
a leaf, if a target is. Inner nodes keep their distances as in ``wayfront.dissection.card.batch``, and behind them every
target in a leaf has a row of its own, each with the sources side by side. From these rows destinations gather theirs,
in any order: squares of 32 destinations by 32 searches are turned round in shared memory, so that the card reads and
writes whole lines. One part of the matrix is copied to the host while the next one is made.

A search from a point that has two ends is two sources, of which the better counts.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.blocks import WARP, sync_warp
from wayfront.devices.cuda_support import cuda
from wayfront.devices.device import CardKernel, Check, DeviceArray
from wayfront.dissection.card.batch import (
    EACH,
    FEW,
    GROUP,
    GROUP_BITS,
    MANY,
    Batch,
    Descent,
    Rows,
    by_task,
    make_many,
    this_warp,
)
from wayfront.dissection.card.elimination import Matrices
from wayfront.dissection.card.many import ManyTrees, levels_of
from wayfront.dissection.needed import needed_for
from wayfront.dissection.points import Seeds, Targets
from wayfront.dissection.shape import Dissection
from wayfront.kernels.arithmetic import Index
from wayfront.network.schema import NO_PATH

PART_BYTES = 1 << 27
"""Bytes of a matrix that are copied to the host at once, or one row where that is longer."""

COPYING = 4
"""Threads that copy a part from pinned memory to the matrix; a card's bus is faster than one of them."""

SHARED_BYTES = 1 << 22
"""A part that is smaller is copied by one thread."""

STRIDE = WARP + 1
"""Numbers from one destination to the next in a square that is turned round."""


class LeafTiles(NamedTuple):
    """Tiles of leaves in which targets lie: int32 [2 · t], cell and first node of each; [MANY · t] its nodes' rows.

    A node that is no target has row −1.
    """

    tiles: DeviceArray
    rows: DeviceArray


class Ways(NamedTuple):
    """Where the ways of k searches begin and those to ``number`` destinations end.

    first, costs       int64 [k + 1], and the cost of each seed, as in ``Seeds``
    rows, end_costs    int32 [each · number], the row of each destination's ends, and how far the destination is from it
    """

    first: DeviceArray
    costs: DeviceArray
    rows: DeviceArray
    end_costs: DeviceArray
    number: int
    each: int


class Part(NamedTuple):
    """The searches whose rows are written: so many from number ``search`` on, in a batch that begins at ``seed``."""

    search: int
    searches: int
    seed: int


def _keep_leaves(count: int, down: Descent, leaves: LeafTiles) -> None:
    best = cuda.local.array((MANY, EACH), down.l.dtype)
    size = down.batch.size
    tile, group = by_task(size >> GROUP_BITS)
    if tile >= count:
        return
    make_many(best, leaves.tiles[Index(2 * tile)], leaves.tiles[Index(2 * tile + 1)], group, down)
    lane = group * GROUP + (cuda.threadIdx.x & (WARP - 1))
    for n in range(MANY):
        row = leaves.rows[Index(tile * MANY + n)]
        if row >= 0:
            for q in range(EACH):
                down.batch.inner[Index(row * size + lane + q * WARP)] = best[n, q]


keep_leaves: Final = CardKernel(_keep_leaves, registers=128)
"""Make the distances of tiles of leaves and keep those of targets, a warp for each tile and group of sources."""


def _deliver_rows(infinity: int, batch: Batch, ways: Ways, part: Part, out: DeviceArray) -> None:
    square = cuda.shared.array(0, out.dtype)
    lane, tiles = cuda.threadIdx.x & (WARP - 1), (ways.number + WARP - 1) // WARP
    at, warp = (cuda.threadIdx.x // WARP) * WARP * STRIDE, this_warp()
    search, to = warp // tiles * WARP, warp % tiles * WARP
    if search >= part.searches:
        return
    begin, end = 0, 0
    if search + lane < part.searches:
        begin = ways.first[Index(part.search + search + lane)] - part.seed
        end = ways.first[Index(part.search + search + lane + 1)] - part.seed
    for n in range(min(WARP, ways.number - to)):
        best = infinity
        for b in range(begin, end):
            for e in range(ways.each):
                way = e * ways.number + to + n
                there = batch.inner[Index(ways.rows[Index(way)] * batch.size + b)] + ways.end_costs[Index(way)]
                best = min(best, there + ways.costs[Index(part.seed + b)])
        square[Index(at + n * STRIDE + lane)] = best
    sync_warp()
    if to + lane < ways.number:
        for b in range(min(WARP, part.searches - search)):
            best = square[Index(at + lane * STRIDE + b)]
            out[Index((search + b) * ways.number + to + lane)] = best if best < infinity else NO_PATH


deliver_rows: Final = CardKernel(_deliver_rows)
"""Write rows of a matrix from the rows of targets: a warp for each square, with ``WARP · STRIDE`` entries."""


class CardSweep:
    """Sweeps from any origins to targets that were chosen when it was made; see ``engine.Sweep``."""

    def __init__(self, many: ManyTrees, matrices: Matrices, targets: Targets) -> None:
        """Choose the tiles that the targets need, and copy to the device which they are."""
        self._many, self._matrices = many, matrices
        device, cut, dtype = many.device, many.shape, many.dtype
        positions = cut.position[targets.nodes].astype(np.int64)
        tiles, self._levels = _needed_tiles(cut, positions)
        leaf_tiles, leaf_rows, row_of = _leaf_tiles(cut, positions, many.inner_first, many.inner_rows)
        self._rows = many.inner_rows + int(cut.is_leaf[cut.cell_of[positions]].sum()) + 1
        self._leaf_count = len(leaf_tiles) // 2
        self._leaves = LeafTiles(device.put(leaf_tiles), device.put(leaf_rows))
        self._more = many.more._replace(tiles=device.put(tiles))
        row_of = np.append(row_of, self._rows - 1).astype(np.int32)  # the last row has no path
        self._count = len(targets.ends)
        ends, costs = targets.by_end()
        self._each = 2 if len(ends) > self._count else 1
        self._ends = device.put(row_of[ends]), device.put(costs.astype(dtype))
        self._warps = max(1, min(many.warps, device.shared_bytes // (WARP * STRIDE * dtype.itemsize)))
        self._keep_leaves = device.prepare_card(keep_leaves, WARP * many.warps, 0)
        square_bytes = self._warps * WARP * STRIDE * dtype.itemsize
        self._deliver = device.prepare_card(deliver_rows, WARP * self._warps, square_bytes)
        self._rows_at_once = max(1, PART_BYTES // max(1, self._count * dtype.itemsize))

    def rows(self, seeds: Seeds, matrix: NDArray[Any], check: Check) -> None:
        """Write the distances [k, l] of k searches to all destinations; see ``engine.Sweep``."""
        many, count = self._many, len(seeds.first) - 1
        if not (count and self._count and len(seeds.nodes)):
            matrix[:] = NO_PATH
            return
        put = many.device.put
        ways = Ways(put(seeds.first), put(seeds.costs.astype(many.dtype)), *self._ends, self._count, self._each)
        batch = self._batch(seeds)
        outs, readers = many.parts(min(count, self._rows_at_once) * self._count)
        waiting: tuple[int, NDArray[Any]] | None = None
        begin = parts = 0
        while begin < count:
            check()
            end = int(np.searchsorted(seeds.first, seeds.first[begin] + batch.size, "right")) - 1
            self._make(batch, int(seeds.first[begin]))
            for first in range(begin, end, self._rows_at_once):
                part = Part(first, min(self._rows_at_once, end - first), int(seeds.first[begin]))
                out, reader = outs[parts % 2], readers[parts % 2]
                squares = -(-part.searches // WARP) * -(-self._count // WARP)
                self._deliver(-(-squares // self._warps), many.infinity, batch, ways, part, out)
                reader.start(out, part.searches * self._count)
                if waiting is not None:
                    self._take(*waiting)
                waiting = parts % 2, matrix[first : first + part.searches]
                parts += 1
            begin = end
        if waiting is not None:
            self._take(*waiting)

    def _take(self, slot: int, rows: NDArray[Any]) -> None:
        """Wait for a part, and copy it to the rows where it belongs, by several threads: new memory is slow to fill."""
        found = self._many.part_readers[slot].finish().reshape(rows.shape)
        if rows.nbytes < SHARED_BYTES:
            rows[:] = found
            return
        share = -(-len(rows) // COPYING)
        shares = [slice(begin, begin + share) for begin in range(0, len(rows), share)]
        with ThreadPoolExecutor(COPYING) as pool:
            list(pool.map(lambda some: np.copyto(rows[some], found[some]), shares))

    def _make(self, batch: Batch, seed: int) -> None:
        """Make the rows of all targets, from the sources of a batch that begins at a seed."""
        many = self._many
        many.begin(batch, seed)
        down = Descent(many.infinity, many.tables, self._more, batch, self._matrices.l)
        many.launch_inner(down, self._matrices, Rows(batch.inner, 0, 0, 0), self._levels)
        if self._leaf_count:
            warps = self._leaf_count * (batch.size // GROUP)
            self._keep_leaves(-(-warps // many.warps), self._leaf_count, down, self._leaves)

    def _batch(self, seeds: Seeds) -> Batch:
        """Return a batch that has room for every search."""
        many = self._many
        least = int(np.diff(seeds.first).max())
        size = -(-max(least, many.side_by_side(len(seeds.nodes), self._rows)) // GROUP) * GROUP
        arrays = many.room(size, self._rows)
        many.fill_row(arrays[2], self._rows - 1, size)
        return many.batch_of(seeds.nodes, size, arrays)


def _needed_tiles(cut: Dissection, targets: NDArray[np.int64]) -> tuple[NDArray[np.int32], list[tuple[int, int]]]:
    """Return (cell, first node) of each tile of inner cells with a needed node, and each depth's first and number."""
    _, _, marks = needed_for(cut, targets.astype(np.int32))
    needed = np.flatnonzero(marks)
    cells = cut.cell_of[needed]
    needed, cells = needed[~cut.is_leaf[cells]], cells[~cut.is_leaf[cells]]
    tiles, _ = _tiles_of(cells, (needed - cut.offsets[cells]) // FEW * FEW)
    depth = cut.depth[tiles[:, 0]]
    return tiles[np.argsort(depth, kind="stable")].ravel(), levels_of(depth)


def _tiles_of(cells: NDArray[np.integer], first: NDArray[np.integer]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the distinct tiles of nodes in ascending order, cell and first node int32 [t, 2], and each node's tile."""
    begins = np.ones(len(cells), np.bool_)
    begins[1:] = (np.diff(cells) != 0) | (np.diff(first) != 0)
    return np.stack((cells[begins], first[begins]), 1).astype(np.int32), np.cumsum(begins) - 1


def _leaf_tiles(
    cut: Dissection, targets: NDArray[np.int64], inner_first: NDArray[np.int64], inner_rows: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Return ``LeafTiles.tiles`` and ``.rows``, and the row of each target."""
    cells = cut.cell_of[targets].astype(np.int64)
    rank, in_leaf = targets - cut.offsets[cells], cut.is_leaf[cells]
    row_of = inner_first[cells] + rank
    row_of[in_leaf] = inner_rows + np.arange(int(in_leaf.sum()))
    tiles, tile = _tiles_of(cells[in_leaf], (rank // MANY * MANY)[in_leaf])
    rows = np.full(len(tiles) * MANY, -1, np.int32)
    rows[tile * MANY + rank[in_leaf] % MANY] = row_of[in_leaf]
    return tiles.ravel(), rows, row_of
