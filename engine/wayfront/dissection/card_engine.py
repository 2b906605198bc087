"""A dissection customised on a card, and the trees found there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.dissection import card_fold as fold
from wayfront.dissection import card_tree as tree
from wayfront.dissection.card_fold import Chosen, Fronts, Matrices
from wayfront.dissection.card_layout import ALIGNED, CardLayout, Level, by_height
from wayfront.dissection.card_many import Figures, ManyTrees
from wayfront.dissection.card_regions import Regions
from wayfront.dissection.card_tables import Tables
from wayfront.dissection.layout import FrontLayout
from wayfront.dissection.shape import Dissection
from wayfront.kernels.observing import fill
from wayfront.network.road_network import RoadNetwork

FEW_TREES = 16
"""Trees up to which each is found by blocks of its own, as one is."""

BLOCKS_OF_ONE = 8
"""How many blocks of the device's own size keep one of its processors busy."""


def infinity_of(dtype: DTypeLike) -> int:
    """Return what stands for no path inside an engine: the sum of two of them fits the type."""
    return int(np.iinfo(dtype).max // 2)


def take_weights(i: int, given: DeviceArray, infinity: int, weights: DeviceArray) -> None:
    """Set the weight of an arc: infinity where it is closed, and so much that it is noticed where it does not fit."""
    weights[i] = infinity if given[i] < 0 else min(given[i], infinity - 1)


def change_weights(i: int, arcs: DeviceArray, given: DeviceArray, infinity: int, weights: DeviceArray) -> None:
    """Set the weight of one of some arcs."""
    weights[arcs[i]] = infinity if given[i] < 0 else min(given[i], infinity - 1)


class CardEngine:
    """Folds fronts and finds trees on a device with blocks. Its arrays stay there."""

    def __init__(
        self,
        device: Device,
        dissection: Dissection,
        network: RoadNetwork,
        dtype: DTypeLike,
        *,
        tree_threads: int = 1024,
        regions: int | None = None,
    ) -> None:
        self._device, self._shape, self._dtype = device, dissection, np.dtype(dtype)
        self._infinity = infinity_of(dtype)
        self._kernels = fold.KERNELS if device.most_block >= 256 else fold.FEW_THREADS
        bits = self._kernels.bits
        self._fronts = FrontLayout.of(dissection, network)
        count = regions or max(2, device.busy_blocks // BLOCKS_OF_ONE)
        self._regions = Regions.of_shape(dissection, count, device.shared_bytes // 40)
        layout = self._layout = CardLayout.of(self._fronts, self._regions.order, 8 << bits)
        self._put_fronts(layout)
        self._sizes = dissection.front_sizes
        self._threads = min(4**bits, device.most_block)
        self._prepare_folding()
        self._prepare_trees(min(tree_threads, device.most_block))
        self._recorded: Any = None
        self._batches: ManyTrees | None = None
        self._rank = network.id_order()[1]

    def _put_fronts(self, layout: CardLayout) -> None:
        device, dtype = self._device, self._dtype
        put = device.put
        self._on_card = Fronts(put(layout.records), put(layout.arc_slots), put(layout.arcs), put(layout.from_child))
        depths = int(self._shape.depth.max()) + 1
        weights = max(1, len(self._fronts.cell_of_arc))
        self._matrices = Matrices(
            device.empty(weights, dtype),
            device.empty(layout.l_size + ALIGNED, dtype),
            device.empty(layout.r_size + ALIGNED, dtype),
            device.empty(max(1, layout.u_size), dtype),
            device.empty(1 + 2 * depths, dtype),
        )
        self._cells = put(layout.cells)

    def _prepare_folding(self) -> None:
        device, bits = self._device, self._kernels.bits
        item = self._dtype.itemsize
        by_block = item * max(fold._entries(8 << bits), (4**bits // 32) * fold.SMALL_ENTRIES)
        self._fold_blocks = device.prepare_card(self._kernels.by_blocks, 4**bits, by_block)
        warps = max(1, 4**bits // 32)
        self._warps = warps
        self._fold_warps = device.prepare_card(self._kernels.by_warps, 32 * warps, warps * item * fold.SMALL_ENTRIES)
        large = self._sizes[self._sizes > (8 << bits)]
        self._room = int(large.max(initial=1)) ** 2
        most = max((level.large for level in self._layout.levels), default=0)
        self._at_once = max(1, min(most, (1 << 26) // self._room))
        self._scratch = device.empty(self._at_once * self._room if most else 1, self._dtype)
        self._fold_in_memory = device.prepare_card(fold.fold_in_memory, device.most_block if bits == 2 else 1024, 0)
        self._fill = device.prepare(fill)
        self._take_weights = device.prepare(take_weights)
        self._change_weights = device.prepare(change_weights)

    def _prepare_trees(self, threads: int) -> None:
        tables = Tables.of(self._shape, self._layout, self._regions)
        device, put, item = self._device, self._device.put, self._dtype.itemsize
        self._tables = tree.TreeTables(
            put(tables.paths),
            put(tables.path_records),
            put(tables.slots),
            put(tables.tops),
            put(tables.regions),
            put(tables.tables),
            put(self._shape.node_at),
        )
        per = ALIGNED * item // 4  # int32 in as many bytes as entries are aligned to
        tops_at = tables.height * tree.PATH_RECORD
        borders_at = 2 * tops_at
        table_at = borders_at + tables.borders
        path_at = -(-(table_at + tables.table) // per) * ALIGNED
        distances_at = path_at + -(-tables.path_slots // ALIGNED) * ALIGNED
        top_l_at = distances_at + -(-tables.distances // ALIGNED) * ALIGNED
        l_at = top_l_at + tables.top_l
        self.room = tree.Room(
            tables.height, tops_at, borders_at, table_at, path_at, distances_at, top_l_at, l_at, 0, tables.r
        )
        free = (device.shared_bytes // item - l_at) // ALIGNED * ALIGNED
        longest = max(0, int(self._region_l(tables).max()))
        self.room = self.room._replace(size=max(0, min(free, longest + tables.r)), r_size=min(tables.r, max(0, free)))
        self.tables = tables
        self._find_tree = device.prepare_card(tree.find_tree, threads, item * (l_at + self.room.size))
        self._none = put(np.zeros(1, np.int32))

    def _region_l(self, tables: Tables) -> NDArray[np.int32]:
        return tables.regions.reshape(-1, tree.REGION_RECORD)[:, tree.REGION_L_SIZE]

    def customise(self, weights: NDArray[Any] | DeviceArray) -> bool:
        """Fold all fronts for weights int32 [m], −1 for closed arcs; return whether the dtype is wide enough.

        The weights may lie on the device already.
        """
        here = self._device.put(weights) if isinstance(weights, np.ndarray) else weights
        self._take_weights(here.size, here, self._infinity, self._matrices.weights)
        self.fold_all()
        return self._is_wide_enough()

    def fold_all(self) -> None:
        """Fold all fronts for the weights that are there. The first time compiles, later ones repeat its launches."""
        if self._recorded is None:
            self._launch_all()
            self._recorded = self._device.record(self._launch_all)
        else:
            self._recorded()

    def _launch_all(self) -> None:
        self._fill(self._matrices.largest.size, self._matrices.largest, 0)
        self._fold(self._cells, self._layout.levels)

    def _fold(self, cells: DeviceArray, levels: Sequence[Level]) -> None:
        for level in levels:
            self.fold_level(cells, level)

    def fold_level(self, cells: DeviceArray, level: Level) -> None:
        """Fold cells of one height."""
        warp_blocks = -(-level.warps // self._warps)
        rest = self._infinity, self._on_card, self._matrices
        if level.tiles and self._kernels.bits == 4:
            chosen = Chosen(cells, level.first, level.tiles, level.warps)
            self._fold_blocks(level.tiles + warp_blocks, chosen, *rest)
        else:
            if level.tiles:
                self._fold_blocks(level.tiles, Chosen(cells, level.first, level.tiles, 0), *rest)
            if level.warps:
                self._fold_warps(warp_blocks, Chosen(cells, level.first + level.tiles, 0, level.warps), *rest)
        first = level.first + level.tiles + level.warps
        for begin in range(0, level.large, self._at_once):
            count = min(self._at_once, level.large - begin)
            chosen = Chosen(cells, first + begin, count, 0)
            self._fold_in_memory(count, chosen, self._room, *rest, self._scratch)

    def _is_wide_enough(self) -> bool:
        """Return whether all sums that the trees make stay below infinity.

        What overflowed infinity within a front comes from two entries below it, one of them at least half as large.
        Entries that have become smaller since the last customising still count.
        """
        overall, *sides = self._device.get(self._matrices.largest).tolist()
        return 2 * overall < self._infinity and sum(sides) < self._infinity

    def change(self, arcs: NDArray[np.int64], weights: NDArray[Any]) -> bool:
        """Give arcs other weights, −1 for closed ones, and fold the fronts of their cells and of those above."""
        if len(arcs) == 0:
            return True
        device = self._device
        self._change_weights(len(arcs), device.put(arcs), device.put(weights), self._infinity, self._matrices.weights)
        chosen = np.unique(self._fronts.cell_of_arc[arcs])
        chosen = cells = chosen[chosen >= 0]
        while len(cells):
            cells = np.unique(self._shape.parent[cells])
            cells = cells[cells >= 0]
            chosen = np.union1d(chosen, cells)
        ordered, levels = by_height(chosen, self._layout.height, self._sizes, 8 << self._kernels.bits)
        self._fold(device.put(ordered), levels)
        return self._is_wide_enough()

    def tree(self, source: int, distances: DeviceArray) -> None:
        """Find the distances from a source to every node, in node order; the largest number where there is no path."""
        position = int(self._shape.position[source])
        sources = tree.Sources(self._none, self._none, position, int(self._shape.cell_of[position]))
        self._search(1, sources, distances, 0, 1)

    def trees(self, sources: NDArray[np.int32], rows: DeviceArray, source_stride: int, node_stride: int) -> None:
        """Find the distances from several sources at once."""
        if len(sources) <= FEW_TREES:
            self.trees_by_blocks(sources, rows, source_stride, node_stride)
        else:
            self._many().rows(sources, self._matrices, rows, source_stride, node_stride)

    def figures(self, sources: NDArray[np.int32]) -> Figures:
        """Return what is known of the trees of sources: see ``card_many.Figures``."""
        return self._many().figures(sources, self._matrices)

    def _many(self) -> ManyTrees:
        if self._batches is None:
            self._batches = ManyTrees(self._device, self._shape, self._tables, self.tables, self._rank, self._dtype)
        return self._batches

    def trees_by_blocks(
        self, sources: NDArray[np.int32], rows: DeviceArray, source_stride: int, node_stride: int
    ) -> None:
        """Find a few trees at once, each as ``tree`` does."""
        positions = self._shape.position[sources]
        cells = self._shape.cell_of[positions]
        chosen = tree.Sources(self._device.put(positions), self._device.put(cells), -1, -1)
        self._search(len(sources), chosen, rows, source_stride, node_stride)

    def _search(self, count: int, sources: tree.Sources, distances: DeviceArray, by_source: int, by_node: int) -> None:
        unreached = int(np.iinfo(self._dtype).max)
        output = tree.Output(distances, by_source, by_node, unreached)
        regions = len(self._regions.roots)
        matrices = self._matrices
        self._find_tree(
            count * regions, regions, self._infinity, sources, self._tables, self.room, matrices.l, matrices.r, output
        )
