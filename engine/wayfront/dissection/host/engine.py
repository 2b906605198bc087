"""A dissection customised on the host: for one tree or many, distances to targets, pairs, and sums over trees."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device
from wayfront.dissection.host.access import HostReducer
from wayfront.dissection.host.batch import TEAMS, HostBatch
from wayfront.dissection.host.class_closing import ClosedRoads
from wayfront.dissection.host.class_figures import figures_by_classes
from wayfront.dissection.host.elimination import HostFronts
from wayfront.dissection.host.flows_fronts import Fronts, bytes_of_fronts
from wayfront.dissection.host.order import HostOrder, HostTables
from wayfront.dissection.host.pairs import HostPairs
from wayfront.dissection.host.restricted import HostSweep
from wayfront.dissection.host.tree import HostTree
from wayfront.dissection.host.vectors import Lanes
from wayfront.dissection.points import Paths, Seeds, Targets
from wayfront.dissection.reduced import Asked, Reducer
from wayfront.dissection.shape import Dissection, Figures
from wayfront.network.copies import counted, counted_ranks
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import DeviceMemoryError, MemoryShortError
from wayfront.safe.memory import available_bytes

if TYPE_CHECKING:
    from wayfront.dissection.engine import Sweep


WORTH_SHARING = 1 << 14
"""Nodes from which on trees are found together: fewer take no second one by one."""

TREES_SHARED = 4
"""How many times as many sources as nodes take as long one by one as all of them together, each on one core."""


class HostEngine:
    """A dissection customised for one metric, in int32 or int64; see ``Engine``. One thread at a time calls it."""

    counts_copies: bool = False

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
        tables = HostTables.of(dissection, network)
        order = tables.order
        self.order: HostOrder = order
        rows = 2 * (order.inner_l_size + order.leaf_l_size) + order.inner_r_size  # twice: batches order L anew
        needed, free = rows * dtype.itemsize + order.leaf_l_size * 2, device.free_bytes()
        if needed > free:
            raise DeviceMemoryError(
                f"the matrices of {network.name} take {needed / 1e9:,.1f} GB on {device.id} ({device.name}), and "
                f"{free / 1e9:,.1f} GB are free there: choose another algorithm, or a smaller network"
            )
        self._threads = threads
        self.fronts: HostFronts = HostFronts(tables, dtype, lanes=lanes, threads=threads, divide=device.divide)
        self._tree = HostTree(self.fronts, lanes=lanes, threads=threads, divide=device.divide)
        self.batch: HostBatch = HostBatch(self._tree, network, threads=threads, divide=device.divide)
        self._network = network
        self._pairs: HostPairs | None = None

    @property
    def leaves_in_full_width(self) -> int:
        """How many leaves have a distance that does not fit 16 bits, so that their rows are read in full."""
        return self._tree.wide_leaves

    def customise(self, weights: NDArray[Any]) -> bool:
        """Customise for the weights [m], −1 for a closed arc; False where the dtype is too narrow."""
        fits = self.fronts.customise(weights)
        self._tree.take()
        self.batch.take()
        self._pairs = None
        return fits

    def change(self, arcs: NDArray[np.int64], weights: NDArray[Any]) -> bool:
        """Give arcs other weights, and eliminate anew only above them; False where the dtype is too narrow."""
        fits = self.fronts.change(arcs, weights)
        self._tree.take()
        self.batch.take()
        if self._pairs is not None:
            self._pairs.change(self.fronts.eliminated, arcs)
        return fits

    def tree(self, source: int, distances: NDArray[Any]) -> None:
        """Write the distances from a node to the nodes in their order, [n]."""
        self._tree.make(source, distances)

    def forest(self, seeds: NDArray[np.int32], costs: NDArray[Any], distances: NDArray[Any]) -> None:
        """Write the distances to all nodes from where they are least; see ``MakesForests``."""
        self._tree.make_forest(seeds, costs, distances)

    def trees(self, sources: NDArray[np.int32], rows: NDArray[Any], source_stride: int, node_stride: int) -> None:
        """Write the distances from each source by strides; quickest with a source stride of 1."""
        self.batch.rows(sources, rows, source_stride, node_stride)

    @property
    def spare(self) -> int:
        """How far the ends of a way may be from its origin and its destination in all."""
        return self.fronts.spare

    def towards(self, targets: Targets) -> Sweep:
        """Return a sweep to targets by the present weights."""
        return HostSweep(self._tree, self.batch, targets)

    def pair_distances(self, starts: Seeds, ends: Seeds) -> NDArray[Any]:
        """Return the distance of each pair; see ``FindsPairs``."""
        return self._ready_pairs.distances(starts, ends)

    def pair_distance(self, start: int, end: int) -> int:
        """Return the distance between two nodes; see ``FindsPairs``."""
        return self._ready_pairs.distance(start, end)

    def pair_path(self, start: int, end: int) -> tuple[int, NDArray[np.int32] | None]:
        """Return distance and nodes of the path between two nodes; see ``FindsPairs``."""
        return self._ready_pairs.path(start, end)

    def pair_paths(self, starts: Seeds, ends: Seeds) -> Paths:
        """Return distance and path of each pair; see ``FindsPairs``."""
        return self._ready_pairs.paths(starts, ends)

    @property
    def _ready_pairs(self) -> HostPairs:
        """What finds pairs, made and compiled for whoever asks for them alone."""
        if self._pairs is None:
            self._pairs = HostPairs(self._tree, self._network)
        return self._pairs

    def figures(self, sources: NDArray[np.int32]) -> Figures:
        """Return the figures of the trees of sources; see ``FindsFigures``."""
        return self.batch.figures(sources)

    def shares_trees(self, count: int) -> bool:
        """Return whether all trees together take less time than ``count``; see ``FindsAllFigures``."""
        n = self._network.node_count
        sooner = n >= WORTH_SHARING and count * TREES_SHARED >= n * self._threads
        return sooner and bytes_of_fronts(self.order.dissection, 0) <= available_bytes()

    def all_figures(self) -> Generator[float, None, Figures]:
        """Find the figures of the trees of all nodes; see ``FindsAllFigures``."""
        cut = self.order.dissection
        return figures_by_classes(self._all_fronts(), counted_ranks(self._network)[cut.node_at], self._network.name)

    def closing(self, sources: NDArray[np.int32]) -> ClosedRoads | None:
        """Return what closes roads in turn; see ``FindsClosings``."""
        given = np.zeros(self._network.node_count, np.int32)
        given[self.order.dissection.position[sources]] = 1
        counting = counted(self._network)[self.order.dissection.node_at].astype(np.int32)
        try:
            return ClosedRoads(self._all_fronts(), self.fronts.layout, given, counting, self._network.name)
        except MemoryShortError:
            return None

    def _all_fronts(self) -> Fronts:
        """Return closed fronts by the present weights, in as many bits as distances need."""
        fronts, weights = Fronts(self.fronts.layout, self.fronts.dtype), self.fronts.made.weights
        if not fronts.close_listed(weights):
            fronts = Fronts(self.fronts.layout, np.dtype(np.int64))
            fronts.close_listed(np.where(weights == self.fronts.infinity, fronts.infinity, weights))
        return fronts

    @property
    def points_at_once(self) -> int:
        """How many points fill the teams of every core; see ``Reduces``."""
        return self._threads * TEAMS * self.batch.width

    @property
    def longest(self) -> int:
        """What no distance exceeds; see ``Reduces``."""
        return int(self.fronts.infinity) - 1 - self.fronts.spare

    def reducer(self, asked: Asked) -> Reducer:
        """Return what adds up trees on the cores of such an engine; see ``Reduces``."""
        return HostReducer(self.fronts.order.dissection, asked)
