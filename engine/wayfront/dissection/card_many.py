"""Batches of trees on a card: their arrays, and the launches of one batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.devices.warps import WARP
from wayfront.dissection import card_batch as batch
from wayfront.dissection import card_figures as figures
from wayfront.dissection import card_records as fields
from wayfront.dissection.card_fold import Matrices
from wayfront.dissection.card_search import TreeSearch
from wayfront.dissection.shape import Dissection
from wayfront.kernels.observing import fill

SIDE_BY_SIDE = 1024
"""Sources of a batch at most."""

INNER_BYTES = 1 << 31
"""Bytes that the distances of inner nodes may take for all sources of a batch."""

INNER_WARPS = 4
"""Warps of a block for inner cells at most: the fewer, the sooner the next block of a group begins."""

WARPS_EACH = 16
"""Warps that one of the card's processors gets where each goes on to further leaves."""


class PairFigures(NamedTuple):
    """What is known of each source's tree: int64 [k] each.

    eccentricity  the largest distance
    farthest      the smallest rank of a node at that distance
    total         the sum of all distances
    reached       the number of nodes reached
    """

    eccentricity: NDArray[np.int64]
    farthest: NDArray[np.int64]
    total: NDArray[np.int64]
    reached: NDArray[np.int64]


class ManyTrees:
    """Finds the trees of many sources of one customised network."""

    def __init__(
        self,
        device: Device,
        shape: Dissection,
        search: TreeSearch,
        rank: NDArray[np.int32],
        dtype: np.dtype[Any],
    ) -> None:
        self._device, self._shape, self._tables, self._dtype = device, shape, search.on_card, dtype
        tables = self._sizes = search.tables
        self._infinity = int(np.iinfo(dtype).max // 2)
        inner = ~shape.is_leaf
        nodes = np.diff(shape.offsets).astype(np.int64)
        ends = np.cumsum(np.where(inner, nodes, 0))
        self._rows = max(1, int(ends[-1]))
        first = np.where(inner, ends - nodes, -1)
        row_of = (first[shape.cell_of] + np.arange(shape.node_count) - shape.offsets[shape.cell_of])[shape.border]
        records = tables.path_records.reshape(-1, fields.PATH_RECORD)
        border = np.zeros(len(tables.slots), np.int32)
        widths = np.diff(shape.border_offsets)
        at = records[:, fields.BORDER_AT].astype(np.int64)
        border[np.repeat(at - shape.border_offsets[:-1], widths) + np.arange(len(shape.border))] = row_of
        tiles, self._levels = _tiles(shape, nodes, inner)
        self._tile_count, self._leaf_count = len(tiles), int(np.count_nonzero(~inner))
        put = device.put
        self._more = batch.BatchTables(
            *(put(border), put(first.astype(np.int32)), put(shape.end), put(tiles.ravel())),
            *(put(np.flatnonzero(~inner).astype(np.int32)), put(rank.astype(np.int32))),
        )
        self._warps = max(1, min(8, device.most_block // WARP))
        self._spread = max(1, device.busy_blocks // 8) * WARPS_EACH
        self._arrays: tuple[int, DeviceArray, DeviceArray, DeviceArray] | None = None
        self._launchers(tables.path_slots * dtype.itemsize)

    def _launchers(self, path_bytes: int) -> None:
        device, warps = self._device, self._warps
        self._climb_warps = max(1, min(4, warps, device.shared_bytes // path_bytes))
        self._climb = device.prepare_card(batch.climb_all, WARP * self._climb_warps, self._climb_warps * path_bytes)
        block = WARP * warps
        self._inner_warps = min(INNER_WARPS, warps)
        self._descend = device.prepare_card(batch.descend_inner, WARP * self._inner_warps, 0)
        self._reduce_leaves = device.prepare_card(figures.reduce_leaves, block, 0)
        self._reduce_inner = device.prepare_card(figures.reduce_inner, block, 0)
        leaf_bytes = WARP * batch.ROW * self._dtype.itemsize
        self._turn_warps = max(1, min(warps, device.shared_bytes // leaf_bytes))
        self._turn_leaves = device.prepare_card(
            batch.turn_leaves, WARP * self._turn_warps, self._turn_warps * leaf_bytes
        )
        self._write_leaves = device.prepare_card(batch.write_leaves, block, 0)
        self._advance = device.prepare(batch.advance)
        self._fill = device.prepare(fill)

    def _batch(self, sources: NDArray[np.int32]) -> batch.Batch:
        """Return a batch of so many of the sources as go side by side, in the last one's arrays where they fit."""
        device, item = self._device, self._dtype.itemsize
        most = max(1, INNER_BYTES // (item * self._rows * batch.GROUP)) * batch.GROUP
        size = min(SIDE_BY_SIDE, most, -(-len(sources) // batch.GROUP) * batch.GROUP)
        if self._arrays is None or self._arrays[0] != size:
            self._arrays = None
            up = device.empty(size * self._sizes.path_slots, self._dtype)
            self._arrays = size, device.empty(1, np.int64), up, device.empty(self._rows * size, self._dtype)
        _, state, up, inner = self._arrays
        self._fill(1, state, 0)
        positions = self._shape.position[sources]
        places = device.put(np.concatenate((positions, self._shape.cell_of[positions])))
        return batch.Batch(state, places, len(sources), size, self._sizes.path_slots, up, inner)

    def _descent(self, chosen: batch.Batch, matrices: Matrices) -> batch.Descent:
        return batch.Descent(self._infinity, self._tables, self._more, chosen, matrices.l)

    def _blocks(self, tasks: int, warps: int) -> int:
        return -(-tasks // warps)

    def _launch_inner(self, down: batch.Descent, matrices: Matrices, rows: batch.Rows) -> None:
        """Climb from the sources of a batch, and make the distances of all inner nodes; write them to rows, if any."""
        chosen = down.batch
        groups = chosen.size // batch.GROUP
        blocks = self._blocks(chosen.size, self._climb_warps)
        self._climb(blocks, self._sizes.height, self._infinity, self._tables, chosen, matrices.r)
        for first, count in self._levels:
            self._descend(self._blocks(count * groups, self._inner_warps), first, count, down, rows)

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
        groups = chosen.size // batch.GROUP
        unreached = int(np.iinfo(self._dtype).max)
        by_source = node_stride == 1
        down = self._descent(chosen, matrices)
        warps, write = (self._turn_warps, self._turn_leaves) if by_source else (self._warps, self._write_leaves)
        for begin in range(0, len(sources), chosen.size):
            some = distances[begin * source_stride :] if begin else distances
            rows = batch.Rows(some, source_stride, node_stride, unreached)
            self._launch_inner(down, matrices, rows)
            write(self._blocks(self._leaf_count * groups, warps), self._leaf_count, down, rows)
            self._advance(1, chosen.state, chosen.size)

    def figures(self, sources: NDArray[np.int32], matrices: Matrices) -> PairFigures:
        """Return the figures of the trees of sources; none of their distances stays."""
        device, count = self._device, len(sources)
        order = np.argsort(self._shape.position[sources], kind="stable")
        chosen = self._batch(sources[order])
        found = figures.Figures(*(device.empty(count, np.int64) for _ in range(3)))
        for array, value in zip(found, (-1, 0, 0), strict=True):
            self._fill(count, array, value)
        groups = chosen.size // batch.GROUP
        down = self._descent(chosen, matrices)
        no_rows = batch.Rows(chosen.inner, 0, 0, 0)

        def launch() -> None:
            self._launch_inner(down, matrices, no_rows)
            most = self._blocks(self._spread, groups * self._warps) * groups
            if self._tile_count:
                self._reduce_inner(most, self._tile_count, down, found)
            self._reduce_leaves(most, self._leaf_count, down, found)
            self._advance(1, chosen.state, chosen.size)

        self._repeat(launch, -(-count // chosen.size))
        return _unpack(found, order, device)

    def _repeat(self, launch: Callable[[], None], batches: int) -> None:
        launch()
        if batches > 1:
            recorded = self._device.record(launch)
            for _ in range(batches - 1):
                recorded()


def _unpack(found: figures.Figures, order: NDArray[np.int64], device: Device) -> PairFigures:
    farthest, total, reached = (device.get(array) for array in found)
    result = np.empty((4, len(order)), np.int64)
    result[:, order] = farthest >> 31, figures.RANKS - (farthest & figures.RANKS), total, reached
    return PairFigures(*result)


def _tiles(
    shape: Dissection, nodes: NDArray[np.int64], inner: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], list[tuple[int, int]]]:
    """Return (cell, first node) of the tiles of inner cells by depth, and each depth's first and number."""
    cells = np.flatnonzero(inner & (nodes > 0))
    cells = cells[np.argsort(shape.depth[cells], kind="stable")]
    each = -(-nodes[cells] // batch.FEW)
    owner = np.repeat(cells, each)
    before = np.cumsum(each) - each
    first = (np.arange(len(owner)) - np.repeat(before, each)) * batch.FEW
    counts = np.bincount(shape.depth[owner])
    begins = np.cumsum(counts) - counts
    levels = [(int(begin), int(count)) for begin, count in zip(begins, counts, strict=True) if count]
    return np.stack((owner, first), 1).astype(np.int32).reshape(-1, 2), levels
