"""Make trees from distances where roads are closed and weights change between two of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Ability, Device, DeviceArray
from wayfront.kernels.parents import ParentPass
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.search.run import Run, Setting
from wayfront.search.tree import make_tree


class LiveParents(Protocol):
    """Finds parents for weights int32 [m] that may change, -1 for a closed arc."""

    def change(self, arcs: NDArray[np.int64], weights: NDArray[np.int32]) -> None:
        """Give arcs other weights."""
        ...

    def find(self, distances: DeviceArray, source: int, parents: NDArray[np.int32]) -> None:
        """Write the parents int32 [n] of final distances on the device, -1 for the source and for unreached nodes."""
        ...


def make_live_parents(
    device: Device, network: RoadNetwork, metric: Metric, weights: NDArray[np.int32], dtype: np.dtype[Any]
) -> LiveParents:
    """Return what finds parents on a device, for weights that differ from the metric's where roads changed."""
    if Ability.HOST_LOOPS in device.abilities:
        return HostParents(device, network, weights, dtype)
    return LaunchedParents(device, network, metric, weights, dtype)


class HostParents:
    """Finds parents in the host's memory."""

    def __init__(self, device: Device, network: RoadNetwork, weights: NDArray[np.int32], dtype: np.dtype[Any]) -> None:
        self._device = device
        self._pass = ParentPass(network, weights, dtype)

    def change(self, arcs: NDArray[np.int64], weights: NDArray[np.int32]) -> None:
        """Give arcs other weights."""
        self._pass.change(arcs, weights)

    def find(self, distances: NDArray[Any], source: int, parents: NDArray[np.int32]) -> None:
        """Write the parents in one pass, which allocates nothing unless weights of 0 occur."""
        self._pass.find(distances, source, parents, self._device.divide, self._device.threads)


class LaunchedParents:
    """Finds parents by launches on a device, which has a copy of the weights."""

    def __init__(
        self,
        device: Device,
        network: RoadNetwork,
        metric: Metric,
        weights: NDArray[np.int32],
        dtype: np.dtype[Any],
    ) -> None:
        self._device, self._network, self._dtype = device, network, dtype
        self._metric = replace(metric, weights=weights.copy())
        self._run: Run | None = None

    def change(self, arcs: NDArray[np.int64], weights: NDArray[np.int32]) -> None:
        """Give arcs other weights; they are copied to the device before the next tree is made."""
        changed = self._metric.weights.copy()
        changed[arcs] = weights
        self._metric = replace(self._metric, weights=changed)
        self._run = None

    def find(self, distances: DeviceArray, source: int, parents: NDArray[np.int32]) -> None:
        """Make the tree on the device and copy it back."""
        if self._run is None:
            view = self._network.reweighted(self._metric)
            self._run = Run(Setting(self._device, view, self._metric, {}, self._dtype), source)
        self._run.source, self._run.distances = source, distances
        parents[:] = self._device.get(make_tree(self._run), len(parents))
