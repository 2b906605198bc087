"""The trees of many sources on a card, by the launches of ``wayfront.dissection.card.batch``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.blocks import WARP
from wayfront.devices.device import BLOCKS_OF_ONE, Device, DeviceArray, Reader
from wayfront.dissection.card.batch import (
    FEW,
    GROUP,
    RANKS,
    ROW,
    Batch,
    BatchTables,
    Descent,
    Rows,
    TreeFigures,
    advance,
    ascend_all,
    descend_inner,
    reduce_inner,
    reduce_leaves,
    turn_leaves,
    write_leaves,
)
from wayfront.dissection.card.elimination import Matrices
from wayfront.dissection.card.layout import CELL, CELL_SIZE, Tables, TreeTables
from wayfront.dissection.shape import Dissection, Figures
from wayfront.kernels.observing import fill

SIDE_BY_SIDE = 1024
"""Sources of a batch at most."""

INNER_BYTES = 1 << 31
"""Bytes that the distances of inner nodes may take for all sources of a batch."""

INNER_WARPS = 4
"""Warps of a block for inner cells at most: the fewer, the sooner the next block of a group begins."""

WARPS_EACH = 16
"""Warps that one of the card's processors gets where each goes on to further leaves."""


def infinity_of(dtype: DTypeLike) -> int:
    """Return what stands for no path inside an engine: the sum of two of them fits the type."""
    return int(np.iinfo(dtype).max // 2)


class ManyTrees:
    """Finds the trees of many sources of one customised network.

    ``tables`` and ``more`` are on the device, and ``height`` and ``path_slots`` those of ``Tables``. ``inner_rows``
    nodes are in inner cells, those of cell t from row ``inner_first[t]`` on, int64 [c], −1 for leaves. ``border_at``
    int64 [c] is where each cell's border begins in tables like ``TreeTables.slots``. ``warps`` is how many a block for
    leaves has. ``fill`` and ``advance`` launch the bodies of that name, and ``nothing`` stands for an array.
    """

    def __init__(
        self,
        device: Device,
        shape: Dissection,
        tables: Tables,
        on_card: TreeTables,
        rank: NDArray[np.int32],
        dtype: np.dtype[Any],
    ) -> None:
        self.device: Device = device
        self.shape: Dissection = shape
        self.tables: TreeTables = on_card
        self.dtype: np.dtype[Any] = dtype
        self.height: int = tables.height
        self.path_slots: int = tables.path_slots
        self.infinity: int = infinity_of(dtype)
        inner = ~shape.is_leaf
        nodes = np.diff(shape.offsets).astype(np.int64)
        ends = np.cumsum(np.where(inner, nodes, 0))
        self.inner_rows: int = max(1, int(ends[-1]))
        first = np.where(inner, ends - nodes, -1)
        self.inner_first: NDArray[np.int64] = first
        row_of = (first[shape.cell_of] + np.arange(shape.node_count) - shape.offsets[shape.cell_of])[shape.border]
        records = tables.arrays.cells.reshape(-1, CELL_SIZE)
        border = np.zeros(len(tables.arrays.slots), np.int32)
        widths = np.diff(shape.border_offsets)
        at = records[:, CELL.border_at].astype(np.int64)
        self.border_at: NDArray[np.int64] = at
        border[np.repeat(at - shape.border_offsets[:-1], widths) + np.arange(len(shape.border))] = row_of
        tiles, self._levels = _tiles(shape, nodes, inner)
        self._tile_count, self._leaf_count = len(tiles), int(np.count_nonzero(~inner))
        put = device.put
        self.nothing: DeviceArray = put(np.zeros(1, np.int32))
        self.more: BatchTables = BatchTables(
            *(put(border), put(first.astype(np.int32)), put(shape.end), put(tiles.ravel())),
            *(put(np.flatnonzero(~inner).astype(np.int32)), put(rank.astype(np.int32))),
        )
        self.warps: int = max(1, min(8, device.most_block // WARP))
        self._spread = max(1, device.busy_blocks // BLOCKS_OF_ONE) * WARPS_EACH
        self._arrays: tuple[int, tuple[DeviceArray, DeviceArray, DeviceArray]] | None = None
        self._outs: list[DeviceArray] = []
        self.part_readers: list[Reader] = []
        self._launchers(tables.path_slots * dtype.itemsize)

    def _launchers(self, path_bytes: int) -> None:
        device, warps = self.device, self.warps
        self._ascend_warps = max(1, min(4, warps, device.shared_bytes // path_bytes))
        self._ascend = device.prepare_card(ascend_all, WARP * self._ascend_warps, self._ascend_warps * path_bytes)
        block = WARP * warps
        self._inner_warps = min(INNER_WARPS, warps)
        self._descend = device.prepare_card(descend_inner, WARP * self._inner_warps, 0)
        self._reduce_leaves = device.prepare_card(reduce_leaves, block, 0)
        self._reduce_inner = device.prepare_card(reduce_inner, block, 0)
        leaf_bytes = WARP * ROW * self.dtype.itemsize
        self._turn_warps = max(1, min(warps, device.shared_bytes // leaf_bytes))
        self._turn_leaves = device.prepare_card(turn_leaves, WARP * self._turn_warps, self._turn_warps * leaf_bytes)
        self._write_leaves = device.prepare_card(write_leaves, block, 0)
        self.advance: Callable[..., None] = device.prepare(advance)
        self.fill: Callable[..., None] = device.prepare(fill)

    def _batch(self, sources: NDArray[np.int32]) -> Batch:
        """Return a batch of so many of the sources as go side by side, in the last one's arrays where they fit."""
        size = self.side_by_side(len(sources), self.inner_rows)
        batch = self.batch_of(sources, size, self.room(size, self.inner_rows))
        self.begin(batch, 0)
        return batch

    def side_by_side(self, count: int, rows: int) -> int:
        """Return how many of so many sources go side by side, whole groups, where each has so many rows."""
        most = max(1, INNER_BYTES // (self.dtype.itemsize * rows * GROUP)) * GROUP
        return min(SIDE_BY_SIDE, most, -(-count // GROUP) * GROUP)

    def room(self, size: int, rows: int) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
        """Return state, paths and rows for a batch of so many sources and rows: the last ones where they fit."""
        device, entries = self.device, rows * size
        if self._arrays is None or self._arrays[0] != size or self._arrays[1][2].size < entries:
            self._arrays = None
            up = device.empty(size * self.path_slots, self.dtype)
            self._arrays = size, (device.empty(1, np.int64), up, device.empty(entries, self.dtype))
        return self._arrays[1]

    def parts(self, size: int) -> tuple[list[DeviceArray], list[Reader]]:
        """Return two arrays for so much of a matrix at a time, and what reads each: the last ones where they fit."""
        if not self._outs or self._outs[0].size < size:
            self._outs, self.part_readers = [], []
            self._outs = [self.device.empty(size, self.dtype) for _ in range(2)]
            self.part_readers = [self.device.reader(size, self.dtype) for _ in range(2)]
        return self._outs, self.part_readers

    def batch_of(
        self, sources: NDArray[np.int32], size: int, arrays: tuple[DeviceArray, DeviceArray, DeviceArray]
    ) -> Batch:
        """Return a batch of the sources, ``size`` of them side by side, in such arrays."""
        state, up, inner = arrays
        positions = self.shape.position[sources]
        both = self.device.put(np.concatenate((positions, self.shape.cell_of[positions])))
        return Batch(state, both, len(sources), size, self.path_slots, up, inner)

    def begin(self, batch: Batch, source: int) -> None:
        """Let a batch begin with the source of that number."""
        self.fill(1, batch.state, source)

    def fill_row(self, rows: DeviceArray, row: int, size: int) -> None:
        """Fill a row of a batch with distances where there is no path."""
        self.fill(size, rows[row * size :], self.infinity)

    def ascend(self, batch: Batch, r: DeviceArray, before: DeviceArray) -> None:
        """Ascend from the sources of a batch, and write the distances before each cell's own R as well."""
        blocks = -(-min(batch.size, batch.in_all) // self._ascend_warps)
        self._ascend(blocks, self.height, self.infinity, self.tables, batch, r, 1, before)

    def launch_inner(
        self, down: Descent, matrices: Matrices, rows: Rows, levels: Sequence[tuple[int, int]] | None = None
    ) -> None:
        """Ascend from the sources of a batch, and make the distances of inner nodes; write them to rows, if any.

        ``levels`` are the first and number of the tiles of each depth: of those of all inner cells by default.
        """
        chosen = down.batch
        blocks = -(-chosen.size // self._ascend_warps)
        self._ascend(blocks, self.height, self.infinity, self.tables, chosen, matrices.r, 0, chosen.up)
        groups = chosen.size // GROUP
        for first, count in self._levels if levels is None else levels:
            self._descend(-(-count * groups // self._inner_warps), first, count, down, rows)

    def rows(
        self,
        sources: NDArray[np.int32],
        matrices: Matrices,
        distances: DeviceArray,
        source_stride: int,
        node_stride: int,
    ) -> None:
        """Write the distances from sources."""
        chosen = self._batch(sources)
        groups = chosen.size // GROUP
        unreached = int(np.iinfo(self.dtype).max)
        down = Descent(self.infinity, self.tables, self.more, chosen, matrices.l)
        warps, write = (self._turn_warps, self._turn_leaves) if node_stride == 1 else (self.warps, self._write_leaves)
        for begin in range(0, len(sources), chosen.size):
            some = distances[begin * source_stride :] if begin else distances
            rows = Rows(some, source_stride, node_stride, unreached)
            self.launch_inner(down, matrices, rows)
            write(-(-self._leaf_count * groups // warps), self._leaf_count, down, rows)
            self.advance(1, chosen.state, chosen.size)

    def figures(self, sources: NDArray[np.int32], matrices: Matrices) -> Figures:
        """Return the figures of the trees of sources; none of their distances stays."""
        device, count = self.device, len(sources)
        order = np.argsort(self.shape.position[sources], kind="stable")
        chosen = self._batch(sources[order])
        found = TreeFigures(*(device.empty(count, np.int64) for _ in range(3)))
        for array, value in zip(found, (-1, 0, 0), strict=True):
            self.fill(count, array, value)
        groups = chosen.size // GROUP
        down = Descent(self.infinity, self.tables, self.more, chosen, matrices.l)
        no_rows = Rows(chosen.inner, 0, 0, 0)

        def launch() -> None:
            self.launch_inner(down, matrices, no_rows)
            most = -(-self._spread // (groups * self.warps)) * groups
            if self._tile_count:
                self._reduce_inner(most, self._tile_count, down, found)
            self._reduce_leaves(most, self._leaf_count, down, found)
            self.advance(1, chosen.state, chosen.size)

        launch()
        if count > chosen.size:
            recorded = device.record(launch)
            for _ in range(chosen.size, count, chosen.size):
                recorded()
        farthest, total, reached = (device.get(array) for array in found)
        result = np.empty((4, count), np.int64)
        result[:, order] = farthest >> 31, RANKS - (farthest & RANKS), total, reached
        return Figures(*result)


def _tiles(
    shape: Dissection, nodes: NDArray[np.int64], inner: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], list[tuple[int, int]]]:
    """Return (cell, first node) of the tiles of inner cells by depth, and each depth's first and number."""
    cells = np.flatnonzero(inner & (nodes > 0))
    cells = cells[np.argsort(shape.depth[cells], kind="stable")]
    tiles = pieces_of(cells, nodes[cells], FEW)
    return tiles, levels_of(shape.depth[tiles[:, 0]])


def pieces_of(things: NDArray[np.integer], lengths: NDArray[np.integer], most: int) -> NDArray[np.int32]:
    """Return thing and first element of each piece of at most so many, int32 [pieces, 2], for things so long."""
    each = -(-lengths // most)
    first = (np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)) * most
    return np.stack((np.repeat(things, each), first), 1).astype(np.int32)


def levels_of(depths: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Return the first and the number of the tiles of each depth, which are ordered by it."""
    counts = np.bincount(depths)
    begins = np.cumsum(counts) - counts
    return [(int(begin), int(count)) for begin, count in zip(begins, counts, strict=True) if count]
