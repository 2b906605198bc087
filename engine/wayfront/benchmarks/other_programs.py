"""Search with other programs from one source: SciPy, networkx, igraph and NetworKit, where they are installed.

Each gets the network in the form that it works on before anything is timed, and searches the same weights on one
thread. What it returns is turned into our distances after the clock has stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.pairs import PairsResult
from wayfront.safe.errors import CertificateError
from wayfront.searching.call import search
from wayfront.synthetic.portable_random import Draws

OURS = "wayfront"
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
        except (TooLargeError, MemoryError) as problem:
            yield name, str(problem) or "this machine has not enough memory for it"


class TooLargeError(Exception):
    """A network that a program is not given. Never leaves this module."""


def scipy_dijkstra(network: RoadNetwork, metric: Metric) -> Program:
    """Return SciPy's search with a network, in the form it works on. Raises ``ImportError`` where it is missing."""
    module = import_module("scipy")
    dijkstra = import_module("scipy.sparse.csgraph").dijkstra
    matrix = network.to_scipy(metric.name, raw=True).astype(np.float64)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return Program(
        f"SciPy {module.__version__}", lambda source: dijkstra(matrix, directed=True, indices=source), _from_floats
    )


def _networkx(network: RoadNetwork, metric: Metric) -> Program:
    module: Any = import_module("networkx")
    if network.node_count + network.arc_count > MOST_OBJECTS:
        raise TooLargeError(f"{network.name} has more than {MOST_OBJECTS:,} nodes and arcs, an object each there")
    graph = module.DiGraph()
    graph.add_nodes_from(range(network.node_count))
    lightest = network.to_scipy(metric.name, raw=True).tocoo()
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
    "SciPy": scipy_dijkstra,
    "networkx": _networkx,
    "igraph": _igraph,
    "NetworKit": _networkit,
}


SEED = 11
REFERENCE = "dijkstra"


class Reference:
    """Proven distances from some random sources, kept as digests: whole rows of large networks would fill the memory.

    ``order`` holds all nodes in random order, int32 [n], the first of which are ``sources``.
    """

    def __init__(self, network: RoadNetwork, metric: Metric, count: int) -> None:
        self._network = network
        self.order: NDArray[np.int32] = Draws(SEED).permutation(network.node_count).astype(np.int32)
        self.sources: NDArray[np.int32] = self.order[:count]
        self._digests: dict[int, bytes] = {}
        self._parents: dict[int, bytes] = {}
        self._figures: dict[int, tuple[int, int, int]] = {}
        for source in self.sources.tolist():
            found = search(network, source, REFERENCE, CPU, metric=metric.name, verify=True)
            distances = whole(found.distances)
            reached = distances[distances != NO_PATH]
            self._digests[source] = _digest(distances)
            self._parents[source] = _digest(found.parents)
            self._figures[source] = int(reached.max()), int(reached.sum()), len(reached)

    def compare(self, who: str, source: int, distances: NDArray[np.int64]) -> None:
        """Raise ``CertificateError`` unless these are the distances from a source, −1 where there is no path."""
        if _digest(distances) != self._digests[source]:
            self._refuse(who, source)

    def compare_parents(self, who: str, source: int, parents: NDArray[np.int32]) -> None:
        """Raise ``CertificateError`` unless these are the parents in the one tree from a source."""
        if _digest(parents) != self._parents[source]:
            self._refuse(who, source)

    def compare_figures(self, who: str, found: PairsResult) -> None:
        """Raise ``CertificateError`` unless the figures of all proven sources among these are right."""
        rows = {source: row for row, source in enumerate(found.sources.tolist())}
        figures = found.figures
        for source, expected in self._figures.items():
            row = rows.get(source)
            if row is None:
                continue
            got = figures.eccentricity[row], figures.total[row], figures.reached[row]
            if tuple(int(value) for value in got) != expected:
                self._refuse(who, source)

    def _refuse(self, who: str, source: int) -> None:
        node = self._network.node_ids[source]
        raise CertificateError(
            f"{who} does not find what a proven search finds from node {node} of {self._network.name}, so its "
            "time says nothing"
        )


def whole(distances: NDArray[Any]) -> NDArray[np.int64]:
    """Return a search's distances as int64, −1 where there is no path."""
    infinity = np.iinfo(distances.dtype).max
    return np.where(distances == infinity, NO_PATH, distances).astype(np.int64)


def _digest(values: NDArray[Any]) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(values, np.int64).data, digest_size=16).digest()
