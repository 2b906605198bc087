"""Customise and make trees in the plainest way, on every device: a thread a cell, level by level.

That is semiring Gaussian elimination in multifrontal form: Carré, An algebra for network routing problems, IMA Journal
of Applied Mathematics 7, 1971; fronts from Duff and Reid, ACM TOMS 9, 1983. Each level of the tree of cells is one
launch, deepest first when fronts are folded, and root first when a tree descends.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.dissection import plain_kernels as kernels
from wayfront.dissection.shape import Dissection
from wayfront.errors import DeviceMemoryError
from wayfront.kernels.arguments import Arcs
from wayfront.network.road_network import RoadNetwork


class PlainEngine:
    """A dissection customised on one device; every front is kept whole."""

    def __init__(self, device: Device, dissection: Dissection, network: RoadNetwork, dtype: np.dtype[Any]) -> None:
        sizes = dissection.front_sizes
        begins = np.concatenate(([0], np.cumsum(sizes * sizes)))
        needed, free = int(begins[-1]) * dtype.itemsize, device.free_bytes()
        if needed > free:
            raise DeviceMemoryError(
                f"the fronts of {network.name} take {needed / 1e9:,.1f} GB on {device.id} ({device.name}), and "
                f"{free / 1e9:,.1f} GB are free there: choose another algorithm, or a smaller network"
            )
        self._device, self._dissection, self._network = device, dissection, network
        self._infinity = int(np.iinfo(dtype).max)
        order = np.argsort(dissection.depth, kind="stable").astype(np.int32)
        self._levels = np.searchsorted(dissection.depth[order], np.arange(int(dissection.depth.max(initial=-1)) + 2))
        self._cells = kernels.Cells(
            *(
                device.put(getattr(dissection, name))
                for name in ("parent", "offsets", "border_offsets", "border", "children_offsets", "children")
            )
        )
        self._nodes = kernels.Nodes(device.put(dissection.node_at), device.put(dissection.position))
        self._order = device.put(order)
        in_offsets, in_order = network.in_arcs()
        self._in_arcs = kernels.InArcs(
            device.put(in_offsets), device.put(in_order), device.put(network.tails()[in_order])
        )
        self._offsets, self._targets = device.put(network.offsets), device.put(network.targets)
        self._weights = np.empty(0, np.int32)
        self._fronts = kernels.Fronts(device.put(begins[:-1]), device.empty(max(int(begins[-1]), 1), dtype))
        self._reached = device.empty(max(network.node_count, 1), dtype)
        self._fold, self._climb = device.prepare(kernels.fold), device.prepare(kernels.climb)
        self._descend, self._start = device.prepare(kernels.descend), device.prepare(kernels.start)
        self._deliver = device.prepare(kernels.deliver)

    def customise(self, weights: NDArray[Any]) -> bool:
        """Fold every front; the dtype is wide enough if no path of n − 1 arcs can outgrow it."""
        self._weights = weights.astype(np.int32)
        hops = max(self._dissection.node_count - 1, 0)
        heaviest = np.sort(np.maximum(self._weights, 0))[::-1][:hops]
        if int(heaviest.sum(dtype=np.int64)) >= self._infinity:
            return False
        arcs = Arcs(self._offsets, self._targets, self._device.put(self._weights))
        for level in range(len(self._levels) - 2, -1, -1):
            first = int(self._levels[level])
            count = int(self._levels[level + 1]) - first
            self._fold(
                *(count, self._order, first, self._cells, self._nodes),
                *(arcs, self._in_arcs, self._fronts, self._infinity),
            )
        self._device.synchronize()
        return True

    def change(self, arcs: NDArray[np.int64], weights: NDArray[Any]) -> bool:
        """Give arcs other weights; folds all fronts, as the plainest way does."""
        changed = self._weights.copy()
        changed[arcs] = weights
        return self.customise(changed)

    def tree(self, source: int, distances: DeviceArray) -> None:
        """Write the distances from a node to the nodes in their order, [n]."""
        self._reach(source)
        self._deliver(self._dissection.node_count, self._nodes.at, self._reached, 0, 1, distances)

    def trees(self, sources: NDArray[np.int32], rows: DeviceArray, source_stride: int, node_stride: int) -> None:
        """Write the distances from each source, one tree after the other."""
        for index, source in enumerate(sources.tolist()):
            self._reach(source)
            begin = index * source_stride
            self._deliver(self._dissection.node_count, self._nodes.at, self._reached, begin, node_stride, rows)

    def _reach(self, source: int) -> None:
        position = int(self._dissection.position[source])
        cell = int(self._dissection.cell_of[position])
        self._start(self._dissection.node_count, position, self._infinity, self._reached)
        self._climb(1, cell, position, self._cells, self._fronts, self._infinity, self._reached)
        for level in range(len(self._levels) - 1):
            first = int(self._levels[level])
            count = int(self._levels[level + 1]) - first
            self._descend(count, self._order, first, self._cells, self._fronts, self._infinity, self._reached)
