"""Search with other programs from one source: SciPy, networkx, igraph and NetworKit, where they are installed.

Each gets the network in the form that it works on before anything is timed, and searches the same weights on one
thread. What it returns is turned into our distances after the clock has stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork

NO_PATH = -1
EXTRA = "wayfront[benchmark]"

MOST_OBJECTS = 8_000_000
"""Nodes and arcs of a network that networkx is given: each takes some hundred bytes there, and as many nanoseconds."""

Distances = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Program:
    """Another program with a network: ``search`` is what is timed, ``distances`` makes int64 [n] of what it returns."""

    name: str
    search: Callable[[int], Any]
    distances: Callable[[Any], Distances]


def programs(network: RoadNetwork, metric: Metric) -> Iterator[tuple[str, Program | str]]:
    """Yield the name of each program, and it with the network, or in one line why it is left out."""
    for name, make in _MAKERS.items():
        try:
            yield name, make(network, metric)
        except ImportError:
            yield name, f"it is not installed; it comes with {EXTRA}"
        except (_TooLargeError, MemoryError) as problem:
            yield name, str(problem) or "this machine has not enough memory for it"


class _TooLargeError(Exception):
    """A network that a program is not given. Never leaves this module."""


def _scipy(network: RoadNetwork, metric: Metric) -> Program:
    module = import_module("scipy")
    dijkstra = import_module("scipy.sparse.csgraph").dijkstra
    matrix = network.to_scipy(metric.name).astype(np.float64)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return Program(
        f"SciPy {module.__version__}", lambda source: dijkstra(matrix, directed=True, indices=source), _from_floats
    )


def _networkx(network: RoadNetwork, metric: Metric) -> Program:
    module: Any = import_module("networkx")
    if network.node_count + network.arc_count > MOST_OBJECTS:
        raise _TooLargeError(f"{network.name} has more than {MOST_OBJECTS:,} nodes and arcs, an object each there")
    graph = module.DiGraph()
    graph.add_nodes_from(range(network.node_count))
    lightest = network.to_scipy(metric.name).tocoo()
    graph.add_weighted_edges_from(
        zip(lightest.row.tolist(), lightest.col.tolist(), lightest.data.tolist(), strict=True)
    )

    def distances(found: dict[int, int]) -> Distances:
        made = np.full(network.node_count, NO_PATH, np.int64)
        made[list(found)] = list(found.values())
        return made

    return Program(
        f"networkx {module.__version__}",
        lambda source: module.single_source_dijkstra_path_length(graph, source),
        distances,
    )


def _igraph(network: RoadNetwork, metric: Metric) -> Program:
    module: Any = import_module("igraph")
    arcs = np.stack((network.tails(), network.targets), axis=1)
    graph = module.Graph(n=network.node_count, edges=arcs, directed=True)
    weights = metric.weights.tolist()
    graph.es["weight"] = weights
    return Program(
        f"igraph {module.__version__}",
        lambda source: graph.distances(source=source, weights="weight", mode="out", algorithm="dijkstra")[0],
        _from_floats,
    )


def _networkit(network: RoadNetwork, metric: Metric) -> Program:
    module: Any = import_module("networkit")
    module.setNumberOfThreads(1)
    arcs = metric.weights.astype(np.float64), (network.tails().astype(np.uint64), network.targets.astype(np.uint64))
    graph = module.GraphFromCoo(arcs, n=network.node_count, weighted=True, directed=True)

    def search(source: int) -> Any:
        run = module.distance.Dijkstra(graph, source, False, False)
        run.run()
        return run.getDistances(asarray=True)

    return Program(f"NetworKit {module.__version__}", search, _from_floats)


def _from_floats(found: Any) -> Distances:
    """Return whole distances; infinity, or NetworKit's largest number, is no path."""
    values = np.asarray(found, np.float64)
    reached = values < 2.0**62
    return np.where(reached, np.where(reached, values, 0.0).astype(np.int64), NO_PATH)


_MAKERS: dict[str, Callable[[RoadNetwork, Metric], Program]] = {
    "SciPy": _scipy,
    "networkx": _networkx,
    "igraph": _igraph,
    "NetworKit": _networkit,
}
