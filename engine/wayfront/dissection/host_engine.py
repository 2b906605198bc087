"""The engine of devices whose arrays lie in the host's memory: explicit vectors, on one core or several."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device
from wayfront.dissection.host_batch import BatchFigures, HostBatch
from wayfront.dissection.host_fronts import HostFronts
from wayfront.dissection.host_order import HostOrder
from wayfront.dissection.host_tree import HostTree
from wayfront.dissection.layout import FrontLayout
from wayfront.dissection.shape import Dissection
from wayfront.dissection.vectors import Lanes
from wayfront.errors import DeviceMemoryError
from wayfront.network.road_network import RoadNetwork


class HostEngine:
    """A dissection customised for one metric, in int32 or int64; see ``Engine``. One thread at a time calls it."""

    def __init__(
        self,
        device: Device,
        dissection: Dissection,
        network: RoadNetwork,
        dtype: np.dtype[Any],
        *,
        threads: int = 1,
        lanes: Lanes | None = None,
    ) -> None:
        """Make tables and allocate. Raises ``DeviceMemoryError`` where that does not fit the free memory.

        ``lanes`` are the vectors' of one tree at a time: the processor's own by default.
        """
        order = HostOrder.of(dissection)
        self.order: HostOrder = order
        rows = 2 * (order.inner_l_size + order.leaf_l_size) + order.inner_r_size  # twice: batches order L anew
        needed, free = rows * dtype.itemsize + order.leaf_l_size * 2, device.free_bytes()
        if needed > free:
            raise DeviceMemoryError(
                f"the matrices of {network.name} take {needed / 1e9:,.1f} GB on {device.id} ({device.name}), and "
                f"{free / 1e9:,.1f} GB are free there: choose another algorithm, or a smaller network"
            )
        layout = FrontLayout.of(dissection, network)
        self._fronts = HostFronts(layout, order, dtype, lanes=lanes, threads=threads, divide=device.divide)
        self._tree = HostTree(self._fronts, lanes=lanes, threads=threads, divide=device.divide)
        self._batch = HostBatch(self._tree, network, threads=threads, divide=device.divide)

    @property
    def leaves_in_full_width(self) -> int:
        """How many leaves have a distance that does not fit 16 bits, so that their rows are read in full."""
        return self._tree.wide_leaves

    def customise(self, weights: NDArray[Any]) -> bool:
        """Fold every front for the weights [m], −1 for a closed arc; False where the dtype is too narrow."""
        fits = self._fronts.customise(weights)
        self._tree.take()
        self._batch.take()
        return fits

    def change(self, arcs: NDArray[np.int64], weights: NDArray[Any]) -> bool:
        """Give arcs other weights, and fold only the fronts above them; False where the dtype is too narrow."""
        fits = self._fronts.change(arcs, weights)
        self._tree.take()
        self._batch.take()
        return fits

    def tree(self, source: int, distances: NDArray[Any]) -> None:
        """Write the distances from a node to the nodes in their order, [n]."""
        self._tree.make(source, distances)

    def trees(self, sources: NDArray[np.int32], rows: NDArray[Any], source_stride: int, node_stride: int) -> None:
        """Write the distances from each source by strides; quickest with a source stride of 1."""
        self._batch.rows(sources, rows, source_stride, node_stride)

    def figures(self, sources: NDArray[np.int32]) -> BatchFigures:
        """Return the figures of the trees of sources; see ``FindsFigures``."""
        return self._batch.figures(sources)
