"""A dissection customised on a card, and the trees found there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.devices.warps import WARP
from wayfront.dissection.card_batch import MANY
from wayfront.dissection.card_fold import FEW_THREADS, KERNELS, LIGHT, Chosen, Fronts, Matrices, shared_entries
from wayfront.dissection.card_fold_memory import fold_in_memory
from wayfront.dissection.card_layout import ALIGNED, CardLayout, Level, by_height
from wayfront.dissection.card_many import ManyTrees, PairFigures
from wayfront.dissection.card_search import NODE_BYTES, Division, TreeSearch
from wayfront.dissection.layout import FrontLayout
from wayfront.dissection.shape import Dissection
from wayfront.kernels.observing import fill
from wayfront.network.road_network import RoadNetwork

FEW_TREES = 16
"""Trees up to which each is found by blocks of its own, as one is."""

SCRATCH_ENTRIES = 1 << 26
"""Entries of fronts too large for registers that are folded at once."""


def infinity_of(dtype: DTypeLike) -> int:
    """Return what stands for no path inside an engine: the sum of two of them fits the type."""
    return int(np.iinfo(dtype).max // 2)


def take_weights(i: int, given: DeviceArray, infinity: int, weights: DeviceArray) -> None:
    """Set the weight of an arc: infinity where it is closed, and so much that it is noticed where it does not fit."""
    weights[i] = infinity if given[i] < 0 else min(given[i], infinity - 1)


def change_weights(i: int, arcs: DeviceArray, given: DeviceArray, infinity: int, weights: DeviceArray) -> None:
    """Set the weight of one of some arcs in the same way."""
    weights[arcs[i]] = infinity if given[i] < 0 else min(given[i], infinity - 1)


class CardEngine:
    """Folds fronts and finds trees on a device with blocks; see ``engine.Engine``. Its arrays stay there."""

    def __init__(self, device: Device, dissection: Dissection, network: RoadNetwork, dtype: DTypeLike) -> None:
        self._device, self._shape, self._dtype = device, dissection, np.dtype(dtype)
        self._infinity = infinity_of(dtype)
        self._kernels = KERNELS if device.most_block >= KERNELS.block else FEW_THREADS
        self._fronts = FrontLayout.of(dissection, network)
        for node_bytes in NODE_BYTES:
            division = Division.of(device, dissection, node_bytes)
            order = division.regions.order
            self._layout = CardLayout.of(self._fronts, order, self._kernels.small, self._kernels.tile)
            self._search = TreeSearch(device, dissection, self._layout, division, self._dtype)
            if self._search.fits:
                break
        self._rank = network.id_order()[1]
        self._put_fronts()
        self._prepare_folding()
        self._many: ManyTrees | None = None
        self._recorded: Any = None
        self._given: tuple[Any, DeviceArray] | None = None
        if device.compiles:
            self._compile()

    def _compile(self) -> None:
        """Compile what customising and a tree launch, so that it is no part of their first time.

        A tiny network does not come to all of it. What the matrices hold by now does not matter.
        """
        self._fold_all()
        if self._search.fits:
            self._search.tree(0, self._matrices, self._device.empty(self._shape.node_count, self._dtype))
        self._device.synchronize()

    @property
    def front_sizes(self) -> NDArray[np.int64]:
        """The number of nodes of every front, int64 [c]."""
        return self._shape.front_sizes

    def _put_fronts(self) -> None:
        device, dtype, layout = self._device, self._dtype, self._layout
        put = device.put
        self._on_card = Fronts(put(layout.records), put(layout.arc_slots), put(layout.arcs), put(layout.from_child))
        self._cells = put(layout.cells)
        depths = int(self._shape.depth.max()) + 1
        sizes = (len(self._fronts.cell_of_arc), layout.l_size + MANY, layout.r_size + ALIGNED, layout.u_size)
        self._matrices = Matrices(*(device.empty(size, dtype) for size in (*sizes, 1 + 2 * depths)))

    def _prepare_folding(self) -> None:
        device, kernels, item = self._device, self._kernels, self._dtype.itemsize
        widths = kernels.block, WARP * kernels.warps, WARP * kernels.warps
        self._fold_blocks, self._fold_warps, self._fold_light = (
            device.prepare_card(kernel, width, item * entries)
            for kernel, width, entries in zip(kernels[-3:], widths, shared_entries(kernels), strict=True)
        )
        most = max(level.large for level in self._layout.levels)
        self._room = int(self._shape.front_sizes.max()) ** 2 if most else 1
        self._at_once = max(1, min(most, SCRATCH_ENTRIES // self._room))
        self._scratch = device.empty(self._at_once * self._room, self._dtype)
        self._fold_in_memory = device.prepare_card(fold_in_memory, device.most_block, 0)
        self._fill = device.prepare(fill)
        self._take_weights = device.prepare(take_weights)
        self._change_weights = device.prepare(change_weights)

    def customise(self, weights: NDArray[Any]) -> bool:
        """Fold all fronts; see ``Engine.customise``. Weights that cannot change are copied to the device once."""
        if self._given is None or self._given[0] is not weights:
            self._given = weights, self._device.put(weights)
        here = self._given[1]
        if weights.flags.writeable:
            self._given = None
        self._take_weights(len(weights), here, self._infinity, self._matrices.weights)
        self._fold_all()
        return self._is_wide_enough()

    def _fold_all(self) -> None:
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
            self._fold_level(cells, level)

    def _fold_level(self, cells: DeviceArray, level: Level) -> None:
        """Fold cells of one height."""
        kernels = self._kernels
        warp_blocks = -(-level.warps // kernels.warps)
        rest = self._infinity, self._on_card, self._matrices
        together = level.tiles > 0 and kernels.block == WARP * kernels.warps
        if level.tiles:
            chosen = Chosen(cells, level.first, level.tiles, level.warps if together else 0)
            self._fold_blocks(level.tiles + (warp_blocks if together else 0), chosen, *rest)
        if level.warps and not together:
            fold = self._fold_light if level.widest <= LIGHT else self._fold_warps
            fold(warp_blocks, Chosen(cells, level.first + level.tiles, 0, level.warps), *rest)
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
        """Give arcs other weights, and fold the fronts of their cells and of those above; see ``Engine.change``."""
        if len(arcs) == 0:
            return True
        put = self._device.put
        self._change_weights(len(arcs), put(arcs), put(weights), self._infinity, self._matrices.weights)
        chosen = cells = self._fronts.cell_of_arc[arcs]
        while len(cells):
            cells = np.unique(cells[cells >= 0])
            chosen = np.union1d(chosen, cells)
            cells = self._shape.parent[cells]
        chosen = chosen[chosen >= 0]
        limits = self._kernels.small, self._kernels.tile
        ordered, levels = by_height(chosen, self._layout.height, self._shape.front_sizes, *limits)
        if len(chosen):
            self._fold(put(ordered), levels)
        return self._is_wide_enough()

    def tree(self, source: int, distances: DeviceArray) -> None:
        """Write the distances from a node to the nodes in their order; see ``Engine.tree``."""
        if self._search.fits:
            self._search.tree(source, self._matrices, distances)
        else:
            self._batches().rows(np.array([source], np.int32), self._matrices, distances, self._shape.node_count, 1)

    def trees(self, sources: NDArray[np.int32], rows: DeviceArray, source_stride: int, node_stride: int) -> None:
        """Write the distances from several nodes; see ``Engine.trees``."""
        if len(sources) <= FEW_TREES and self._search.fits:
            self._search.trees(sources, self._matrices, rows, source_stride, node_stride)
        else:
            self._batches().rows(sources, self._matrices, rows, source_stride, node_stride)

    def _batches(self) -> ManyTrees:
        if self._many is None:
            self._many = ManyTrees(self._device, self._shape, self._search, self._rank, self._dtype)
        return self._many


class NarrowCardEngine(CardEngine):
    """One of int32, whose figures can be packed; see ``engine.FindsFigures``."""

    def figures(self, sources: NDArray[np.int32]) -> PairFigures:
        """Return the figures of the trees of sources."""
        return self._batches().figures(sources, self._matrices)
