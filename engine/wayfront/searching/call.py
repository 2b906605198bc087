"""The calls for one tree, for a route, and for the nearest of several sources."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU
from wayfront.network.arguments import node_index, require_network
from wayfront.network.copies import begin_of, end_of
from wayfront.network.ends import Ends
from wayfront.network.road_network import RoadNetwork
from wayfront.places.places import Places
from wayfront.places.snapping import SnappedPlaces
from wayfront.results.nearest import Nearest, Ranked
from wayfront.results.result import Result, RouteResult, SearchKind
from wayfront.safe.errors import OptionError
from wayfront.safe.options import AUTO
from wayfront.searching.execution import execute
from wayfront.searching.forest import search_forest, search_ranked
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


Sources = Sequence[int] | NDArray[np.integer] | Ends | Places | SnappedPlaces
"""Several sources: internal node numbers, or where places and other points stand on a network."""


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
    source: Sources,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    target: None = None,
    **asked: Unpack[_Asked],
) -> Nearest: ...


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
    source: int | Sources,
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

    Several sources, as a sequence of internal numbers, ``Places`` or ``Ends``, are searched from at once: a
    ``Nearest`` says how far every node is from the nearest of them, and which one that is.

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
    if _are_several(source):
        if target is not None:
            raise OptionError("a route has one source: leave the target out, and ask the result for route(target)")
        return search_forest(require_network(network), source, asked)
    begin = begin_of(require_network(network), node_index(source, network), reverse=reverse)
    if target is None:
        return _search_tree(network, begin, asked)
    end = end_of(network, node_index(target, network, "target"), reverse=reverse)
    route = ToTarget(begin, end, reverse)
    return execute(route, network, replace(asked, device=CPU if device == AUTO else device))


def _search_tree(network: RoadNetwork, source: int, asked: SearchOptions) -> Result:
    """Search for one tree, from an internal node number. Raises as ``search`` does."""
    if asked.algorithm != AUTO and find_algorithm(asked.algorithm).kind is SearchKind.ROUTE:
        trees = ", ".join(other.name for other in algorithms(SearchKind.ONE_TREE))
        raise OptionError(f"{asked.algorithm} finds a route and needs a target; give one, or search by one of: {trees}")
    return execute(OneTree(source, watched=asked.traced), network, asked)


def _are_several(source: Any) -> bool:
    """Return whether a source is a sequence of some, which may be wrong ones, or points on a network."""
    if isinstance(source, Ends | Places | SnappedPlaces):
        return True
    return not isinstance(source, str | bytes) and (isinstance(source, Sequence) or getattr(source, "ndim", 0) > 0)


@overload
def search_nearest(
    network: RoadNetwork,
    sources: Sources,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    k: None = None,
    **asked: Unpack[_Asked],
) -> Nearest: ...


@overload
def search_nearest(
    network: RoadNetwork,
    sources: Sources,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    k: int,
    **asked: Unpack[_Asked],
) -> Ranked: ...


def search_nearest(
    network: RoadNetwork,
    sources: Sources,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    k: int | None = None,
    trace: bool = False,
    trace_budget: int | None = None,
    **asked: Any,
) -> Nearest | Ranked:
    """Find how far every node is from the nearest of several sources, such as depots, and which one that is.

    ``sources`` are internal node numbers, ``Places``, which are put on the nearest roads, or ``Ends``. With
    ``reverse`` the distances are those to the nearest source. They are found in one search, which hardly takes longer
    than from one source, by any algorithm that finds one tree on any device; the other arguments and errors are those
    of ``wayfront.search``. Raises ``NetworkError`` too where there is no source.

    With ``k`` the k nearest sources of every node are found instead, on the CPU by one search that settles a node k
    times; it is neither timed nor recorded.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> forest = wayfront.search_nearest(network, [0, 29], "dijkstra", "cpu")
        >>> int(forest.nearest[1]), int(forest.nearest[28])
        (0, 1)
        >>> wayfront.search_nearest(network, [0, 29], k=2).nearest[1].tolist()
        [0, 1]
    """
    budget = bytes_recorded(trace, trace_budget)
    wanted = SearchOptions(algorithm=algorithm, device=device, trace_budget=budget, **asked)
    if k is None:
        return search_forest(require_network(network), sources, wanted)
    return search_ranked(require_network(network), sources, k, wanted)
