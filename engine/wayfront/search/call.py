"""The call for one tree, from one node to all others, and for a route, from one node to another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

import wayfront.search.to_target.certificate  # noqa: F401 - registers the proof of routes
from wayfront.devices import CPU
from wayfront.errors import NetworkError, OptionError
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO
from wayfront.search.execution import execute
from wayfront.search.one_tree import OneTree
from wayfront.search.procedure import Procedure, Progress
from wayfront.search.registry import SearchKind, algorithms, find_algorithm
from wayfront.search.result import Result
from wayfront.search.to_target.procedure import ToTarget
from wayfront.search.to_target.result import RouteResult
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES


@overload
def search(
    network: RoadNetwork,
    source: int,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    target: None = None,
    metric: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    runs: int | None = None,
    trace_budget: int | None = DEFAULT_BUDGET_BYTES,
    verify: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
) -> Result: ...


@overload
def search(
    network: RoadNetwork,
    source: int,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    target: int,
    metric: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    runs: int | None = None,
    trace_budget: int | None = DEFAULT_BUDGET_BYTES,
    verify: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
) -> RouteResult: ...


@overload
def search(
    network: RoadNetwork,
    source: int,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    target: int | None,
    metric: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    runs: int | None = None,
    trace_budget: int | None = DEFAULT_BUDGET_BYTES,
    verify: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
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
    runs: int | None = None,
    trace_budget: int | None = DEFAULT_BUDGET_BYTES,
    verify: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
) -> Result:
    """Find the shortest distances from one node to all others and their tree; with ``target`` one shortest path.

    ``source`` is an internal node number (``network.node(id)`` gives it). ``algorithm`` is a name from the registry;
    "auto" takes the fastest search for the device: the dissection once the network's cut is kept. ``device`` is an id
    of ``wayfront.devices``: ``cpu``, ``cuda`` or ``cuda:0``, ``cuda:1``, ``simulator``; "auto" takes the first card
    where there is one, else the CPU. ``threads`` is the number of the CPU's cores to use; where a search cannot use
    several, ``Result.note`` says so. ``metric`` is a metric's name (the network's first by default), ``options`` values
    by name. ``runs`` clean runs are timed: 0 times none, and None five that agree, within half a second more, or one
    where a run is forecast to take longer than ten seconds. The traced run keeps frontiers within ``trace_budget``
    bytes; None leaves it out, and then steps and relaxations are None. ``verify`` proves the result; one of a choice
    that is declared unsafe is always checked, and ``Result.verified`` and ``Result.note`` say what came out.
    ``cancel`` stops the search within one step.

    ``target``, an internal number too, needs an algorithm that finds a route, such as "a-star" ("auto" takes
    "bidirectional"). It runs on the CPU, ends once the route is found, and returns a ``RouteResult``, most of whose
    nodes have no distance.

    ``closures`` are internal numbers of arcs that the search is to take for absent, as closed roads are.

    Raises ``NetworkError``, ``OptionError``, ``DeviceError``, ``SearchCancelled``, and ``CertificateError`` should a
    result be wrong.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> result = wayfront.search(network, 0, "near-far", "cpu", options={"delta": 300}, runs=0, verify=True)
        >>> result.verified, result.parents[0]
        (True, np.int32(-1))
    """
    begin = checked_source(source, network)
    procedure: Procedure[Any, Result] = OneTree(begin)
    if target is not None:
        procedure = ToTarget(begin, checked_source(target, network, "target"))
        device = CPU if device == AUTO else device
    elif algorithm != AUTO and find_algorithm(algorithm).kind is SearchKind.ROUTE:
        trees = ", ".join(other.name for other in algorithms(SearchKind.ONE_TREE))
        raise OptionError(f"{algorithm} finds a route and needs a target; give one, or search by one of: {trees}")
    return execute(
        procedure,
        network,
        algorithm,
        device,
        metric=metric,
        options=options,
        threads=threads,
        runs=runs,
        trace_budget=trace_budget,
        verify=verify,
        progress=progress,
        cancel=cancel,
        closures=closures,
    )


def checked_source(source: int, network: RoadNetwork, noun: str = "source") -> int:
    """Return a node as a Python integer. Raises ``NetworkError`` unless it is a node of the network."""
    if isinstance(source, bool | np.bool_) or not isinstance(source, int | np.integer):
        raise NetworkError(
            f"a {noun} is an internal node number, a whole number, not {source!r}; network.node(id) gives it, and "
            "wayfront.find_node(network, text)"
        )
    if network.node_count == 0:
        raise NetworkError(f"{network.name} has no nodes to search from")
    if not 0 <= source < network.node_count:
        raise NetworkError(f"{network.name} has no internal node {source}; they are 0…{network.node_count - 1}")
    return int(source)
