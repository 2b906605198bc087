"""The calls for one tree, for a route, and for the nearest of several sources."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU
from wayfront.network.arguments import node_index, node_indices, require_network
from wayfront.network.road_network import RoadNetwork
from wayfront.results.nearest import Nearest
from wayfront.results.result import Result, RouteResult, SearchKind
from wayfront.safe.errors import OptionError
from wayfront.safe.options import AUTO
from wayfront.searching.execution import execute
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.searching.routes import ToTarget
from wayfront.searching.run import Progress, SearchOptions, bytes_recorded
from wayfront.searching.tree import OneTree


class _Asked(TypedDict, total=False):
    """The keyword arguments that all ways to call ``search`` have in common."""

    metric: str | None
    options: Mapping[str, Any] | None
    threads: int
    runs: int | None
    trace: bool
    trace_budget: int | None
    verify: bool
    progress: Callable[[Progress], None] | None
    cancel: threading.Event | None
    closures: Sequence[int] | NDArray[np.integer] | None
    reverse: bool


@overload
def search(
    network: RoadNetwork,
    source: int,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    target: None = None,
    **asked: Unpack[_Asked],
) -> Result: ...


@overload
def search(
    network: RoadNetwork,
    source: int,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    target: int,
    **asked: Unpack[_Asked],
) -> RouteResult: ...


@overload
def search(
    network: RoadNetwork,
    source: int,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    target: int | None,
    **asked: Unpack[_Asked],
) -> Result: ...


def search(
    network: RoadNetwork,
    source: int,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    target: int | None = None,
    metric: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    runs: int | None = 0,
    trace: bool = False,
    trace_budget: int | None = None,
    verify: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    reverse: bool = False,
) -> Result:
    """Find the shortest distances from one node to all others and their tree; with ``target`` one shortest path.

    ``source`` is an internal node number (``network.node(id)`` gives it). ``algorithm`` is a name from the registry;
    "auto" takes the fastest search for the device: the dissection once the network's cut is kept. Where a trace is
    recorded, "auto" is the fastest search with a front to watch, which a dissection lacks; the same, whatever is kept.
    ``device`` is an id of ``wayfront.devices``: ``cpu``, ``cuda`` or ``cuda:0``, ``cuda:1``, ``simulator``; "auto"
    takes the first card where there is one, else the CPU. ``threads`` is the number of the CPU's cores to use; where a
    search cannot use several, ``Result.note`` says so. ``metric`` is a metric's name (the network's first by default),
    ``options`` values by name. The search runs once. ``runs`` clean runs are timed besides: 0 times none, and None five
    that agree, within half a second more, or one where a run is forecast to take longer than ten seconds. ``trace``
    records every step, with frontiers kept within a gibibyte, or within ``trace_budget`` bytes where that is given;
    else steps, relaxations and ``Result.trace`` are None. ``verify`` proves the result; one of a choice that is
    declared unsafe is always checked, and ``Result.verified`` and ``Result.note`` say what came out. ``cancel`` stops
    the search within one step.

    ``target``, an internal number too, needs an algorithm that finds a route, such as "a-star" ("auto" takes
    "bidirectional"). It runs on the CPU, ends once the route is found, and returns a ``RouteResult``, most of whose
    nodes have no distance.

    ``closures`` are internal numbers of arcs that the search is to take for absent, as closed roads are.

    ``reverse`` finds the distances from all nodes to ``source`` instead, and with ``target`` the path from there: the
    search follows arcs from head to tail, on ``network.reversed()``.

    Raises ``NetworkError``, ``OptionError``, ``DeviceError``, ``SearchCancelled``, and ``CertificateError`` should a
    result be wrong.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> result = wayfront.search(network, 0, "near-far", "cpu", options={"delta": 300}, verify=True)
        >>> result.verified, result.parents[0]
        (True, np.int32(-1))
    """
    asked = SearchOptions(
        algorithm=algorithm,
        device=device,
        metric=metric,
        options=options,
        threads=threads,
        runs=runs,
        trace_budget=bytes_recorded(trace, trace_budget),
        verify=verify,
        progress=progress,
        cancel=cancel,
        closures=closures,
        reverse=reverse,
    )
    begin = node_index(source, require_network(network))
    if target is None:
        return _search_tree(network, begin, asked)
    route = ToTarget(begin, node_index(target, network, "target"), reverse)
    return execute(route, network, replace(asked, device=CPU if device == AUTO else device))


def _search_tree(network: RoadNetwork, source: int, asked: SearchOptions) -> Result:
    """Search for one tree, from an internal node number. Raises as ``search`` does."""
    if asked.algorithm != AUTO and find_algorithm(asked.algorithm).kind is SearchKind.ROUTE:
        trees = ", ".join(other.name for other in algorithms(SearchKind.ONE_TREE))
        raise OptionError(f"{asked.algorithm} finds a route and needs a target; give one, or search by one of: {trees}")
    return execute(OneTree(source, watched=asked.traced), network, asked)


def search_nearest(
    network: RoadNetwork,
    sources: Sequence[int] | NDArray[np.integer],
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    metric: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    verify: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
) -> Nearest:
    """Find how far every node is from the nearest of several sources, such as depots, and which one that is.

    ``sources`` are internal node numbers; from each a tree is found and kept, which takes 8 bytes a node. The other
    arguments and errors are those of ``wayfront.search``; nothing is timed or recorded. Raises ``NetworkError`` too
    where there is no source.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> forest = wayfront.search_nearest(network, [0, 29], "dijkstra", "cpu")
        >>> int(forest.nearest[1]), int(forest.nearest[28])
        (0, 1)
    """
    asked = SearchOptions(
        algorithm=algorithm,
        device=device,
        metric=metric,
        options=options,
        threads=threads,
        verify=verify,
        progress=progress,
        cancel=cancel,
        closures=closures,
    )
    begins = node_indices(sources, require_network(network)).tolist()
    return Nearest.of([_search_tree(network, source, asked) for source in begins])
