"""What a search for one tree does in its own way: make the tree from final distances, and copy it back.

The tree is made by the same rule on every device (see ``kernels.tree``), once after a search, or again and again where
roads are closed and weights change between two trees.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU
from wayfront.devices.device import Ability, Device, DeviceArray
from wayfront.kernels.observing import fill
from wayfront.kernels.parents import (
    Nodes,
    ParentPass,
    name_parent,
    offer_parent,
    offer_parent_over_zero,
    reset_parents,
    serve_next_level,
    start_served,
)
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.searching.customised import is_prepared
from wayfront.searching.distances import in_fewest_bits, overflows
from wayfront.searching.execution import execute
from wayfront.searching.run import Found, Run, SearchOptions, Setting


@dataclass(frozen=True, slots=True)
class OneTree:
    """The procedure for one tree: from ``source``, an internal node number.

    One that is ``watched`` is searched for its steps. Those of a dissection are levels of cells, and nothing moves over
    the map in their replay; nor may what a picture shows depend on which cuts this machine has kept.
    """

    source: int
    watched: bool = False
    kind = SearchKind.ONE_TREE

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the name of the fastest search on a device, of one that is watched the fastest that has a front.

        The dissection is faster than that where the network's cut is kept.
        """
        return "dissection" if not self.watched and is_prepared(device, network) else device.fastest

    def make_run(self, setting: Setting) -> Run:
        """Return a run from the source."""
        return Run(setting, self.source)

    def for_compiling(self) -> OneTree:
        """Return the procedure from node 0."""
        return OneTree(0)

    def finish(self, run: Run) -> Found[Result] | None:
        """Make the tree and copy distances and parents back; None if the distances overflowed."""
        if run.parents is None:
            prepare_tree(run)
        begin = time.perf_counter()
        if overflows(run):
            return None
        on_device = make_tree(run) if run.parents is None else run.parents
        run.device.synchronize()
        made = time.perf_counter()
        distances, parents = run.device.get(run.distances, run.node_count), run.device.get(on_device, run.node_count)
        copied = time.perf_counter()
        distances = in_fewest_bits(distances)
        distances.flags.writeable = parents.flags.writeable = False
        make_result = partial(Result, source=run.source, distances=distances, parents=parents)
        return Found(make_result, transfer_ms=(copied - made) * 1e3, tree_ms=(made - begin) * 1e3)


def reference_tree(network: RoadNetwork, source: int, metric: str, algorithm: str = "dijkstra") -> Result:
    """Return the tree that the reference of all searches finds from a node, internal number; nothing is recorded."""
    return execute(OneTree(source), network, SearchOptions(algorithm=algorithm, device=CPU, metric=metric))


def prepare_tree(run: Run) -> None:
    """Make what all trees of the run's network and metric share, if anything; the first call takes O(n + m)."""
    if Ability.HOST_LOOPS in run.device.abilities:
        ParentPass.of(run.network, run.metric.name, run.distance_dtype)


def make_tree(run: Run) -> DeviceArray:
    """Return the parents, int32 [n] on the run's device, -1 for the source and for unreached nodes.

    Costs one pass over the arcs, O(n + m); where weights of 0 occur, another one in all, on a card with a launch or two
    for each level of the longest chain of them.
    """
    if Ability.HOST_LOOPS not in run.device.abilities:
        return _launch_tree(run)
    parents = run.array("tree parents", run.node_count, np.int32)
    parent_pass = ParentPass.of(run.network, run.metric.name, run.distance_dtype)
    parent_pass.find(run.distances, run.source, parents, run.device.divide, run.device.threads)
    return parents


def _launch_tree(run: Run) -> DeviceArray:
    """Make the tree by launches of the bodies in ``kernels.tree``."""
    n = run.node_count
    nobody = int(np.iinfo(np.int32).max)
    arrays = run.on_device
    best = run.array("tree best", n, np.int32)
    served = run.array("tree served", n, np.int8)
    parents = run.array("tree parents", n, np.int32)
    run.launch(reset_parents, n, best, served, nobody, run.source)
    run.launch(offer_parent, n, run.arcs, run.distances, run.infinity, arrays.id_rank, best)
    if run.network.weight_range(run.metric)[0] <= 0:  # below 0: a road is closed, and others may have weight 0
        lists = (run.array("tree level", n, np.int32), run.array("tree next level", n, np.int32))
        nodes = Nodes(*lists, run.array("tree next count", 1, np.int32))
        run.launch(fill, 1, nodes.count, 0)
        run.launch(start_served, n, best, served, nobody, nodes)
        count = run.read(nodes.count)[0]
        while count:
            run.check()
            nodes = nodes._replace(now=nodes.following, following=nodes.now)
            run.launch(fill, 1, nodes.count, 0)
            run.launch(
                offer_parent_over_zero, count, run.arcs, run.distances, arrays.id_rank, best, served, nobody, nodes
            )
            count = run.read(nodes.count)[0]
            run.launch(serve_next_level, count, served, nodes)
    run.launch(name_parent, n, best, nobody, arrays.id_order, parents)
    return parents


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
