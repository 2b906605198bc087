"""What customises a dissection for a metric and makes trees of it, and which one a device takes."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Ability, Check, Device, DeviceArray
from wayfront.dissection.points import Paths, Seeds, Targets
from wayfront.dissection.shape import Added, Dissection, Figures
from wayfront.network.copies import is_split
from wayfront.network.road_network import RoadNetwork

CLOSED = -1
"""The weight of an arc that is closed."""


class Engine(Protocol):
    """A dissection customised for one metric on one device, in one dtype of distances, int32 or int64.

    Distances are delivered in that dtype, whose largest value means that there is no path. One thread at a time.
    """

    def customise(self, weights: NDArray[Any]) -> bool:
        """Customise for the weights int32 [m], ``CLOSED`` where a road is; False where the dtype is too narrow.

        After False nothing else is called but ``customise``.
        """
        ...

    def change(self, arcs: NDArray[np.int64], weights: NDArray[Any]) -> bool:
        """Give arcs, int64 [k] without repetition, other weights, and eliminate anew only above them.

        Returns False where the dtype is too narrow, as ``customise`` does.
        """
        ...

    def tree(self, source: int, distances: DeviceArray) -> None:
        """Write the distances from a node (internal number) to the nodes in their order, [n].

        A device that is asynchronous may return before it is done.
        """
        ...

    @property
    def spare(self) -> int:
        """How far the ends of a way may be from its origin and its destination in all, in the dtype of distances."""
        ...

    def towards(self, targets: Targets) -> Sweep:
        """Return a sweep to targets by the present weights."""
        ...

    def trees(self, sources: NDArray[np.int32], rows: DeviceArray, source_stride: int, node_stride: int) -> None:
        """Write the distances from each source: from the j-th to node v at ``j * source_stride + v * node_stride``."""
        ...


class Sweep(Protocol):
    """Finds distances from any origins to the targets that it was made for. One thread at a time.

    No more than one of them and its engine may work at a time, and none after its engine's weights have changed.
    """

    def rows(self, seeds: Seeds, matrix: NDArray[Any], check: Check) -> None:
        """Write the distances of k searches to l destinations to ``matrix`` [k, l], C-contiguous; −1 is no path.

        ``check`` is called now and then, and ends the work by raising an exception.
        """
        ...


@runtime_checkable
class FindsFigures(Protocol):
    """An engine that finds figures of trees without their distances leaving it.

    ``counts_copies`` says that a split node counts as often as it has copies.
    """

    counts_copies: bool

    def figures(self, sources: NDArray[np.int32]) -> Figures:
        """Return the figures of the trees of sources (internal numbers)."""
        ...


def finds_figures(engine: object, network: RoadNetwork) -> TypeGuard[FindsFigures]:
    """Return whether an engine finds figures that count each node of its network once."""
    return isinstance(engine, FindsFigures) and not (engine.counts_copies and is_split(network))


@runtime_checkable
class FindsAllFigures(Protocol):
    """An engine that finds the figures of all trees together in less time than one by one."""

    def shares_trees(self, count: int) -> bool:
        """Return whether all trees together take less time than ``count`` of them, and no more memory than is free."""
        ...

    def all_figures(self) -> Generator[float, None, Figures]:
        """Yield the fraction done now and then; return the figures of the trees of all nodes, in their order."""
        ...


class Closes(Protocol):
    """Closes roads in turn, each open again before the next."""

    def close(self, arcs: NDArray[np.int64], check: Check) -> Added | None:
        """Return what closing arcs adds to the distances of all pairs; None where these outgrow their dtype, or memory.

        ``check`` is called now and then, and ends the work by raising an exception.
        """
        ...


@runtime_checkable
class FindsClosings(Protocol):
    """An engine that finds what a closed road adds to all distances in less time than the figures of all trees."""

    def closing(self, sources: NDArray[np.int32]) -> Closes | None:
        """Return what closes roads for pairs from sources, each once, by the present weights; None without room."""
        ...


@runtime_checkable
class MakesForests(Protocol):
    """An engine that makes the trees of several sources as one forest."""

    def forest(self, seeds: NDArray[np.int32], costs: NDArray[Any], distances: DeviceArray) -> None:
        """Write the distances to all nodes from where they are least: seed i (internal number) begins at ``costs[i]``.

        Costs are at least 0, in the dtype of distances, and none may bring a distance to its largest value.
        """
        ...


@runtime_checkable
class FindsPairs(Protocol):
    """An engine that finds distances and paths of pairs without making trees."""

    def pair_distances(self, starts: Seeds, ends: Seeds) -> NDArray[Any]:
        """Return the distance of each of k pairs, from any of its starts to any of its ends, −1 without a path."""
        ...

    def pair_distance(self, start: int, end: int) -> int:
        """Return the distance from node to node (internal numbers), −1 without a path."""
        ...

    def pair_path(self, start: int, end: int) -> tuple[int, NDArray[np.int32] | None]:
        """Return distance and nodes of the tree's path, None for these where arcs of weight 0 decide it."""
        ...

    def pair_paths(self, starts: Seeds, ends: Seeds) -> Paths:
        """Return distance and path of each pair: a path of the tree from its starts."""
        ...


def make_engine(
    device: Device, dissection: Dissection, network: RoadNetwork, dtype: np.dtype[Any], *, threads: int = 1
) -> Engine:
    """Return the engine of a device, not yet customised; ``threads`` are the cores that it uses where it uses any.

    Raises ``DeviceMemoryError`` where the fronts do not fit the device's free memory.
    """
    if Ability.BLOCKS in device.abilities:
        # Its kernels bring CUDA with them, a fifth of what a start of the program imports.
        from wayfront.dissection.card.engine import CardEngine, NarrowCardEngine

        kind = NarrowCardEngine if dtype == np.int32 else CardEngine
        return kind(device, dissection, network, dtype)
    from wayfront.dissection.host.engine import HostEngine

    return HostEngine(device, dissection, network, dtype, threads=threads)
