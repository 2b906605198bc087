"""The functions of the backend, with the names, arguments and results that they have in NetworkX.

    import networkx as nx

    lengths = nx.single_source_dijkstra_path_length(graph, source, weight="length", backend="wayfront")

Weights are an attribute's name or None, which counts edges. What depends on Python at every edge, a function as weight
or a heuristic, is left to NetworkX: ``can_run`` says so, and automatic dispatching goes on with the next backend.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import Any

import networkx
import numpy as np
from numpy.typing import NDArray

from wayfront.network.schema import NO_PATH
from wayfront.networkx_backend.graph import Graph, Weighted
from wayfront.networkx_backend.searches import (
    NEGATIVE,
    NONE,
    Between,
    Tree,
    accumulate,
    empty_tree,
    meet,
    meet_in_hops,
    settle,
    spread,
    tight_arcs,
)
from wayfront.searching.all_pairs.call import all_pairs

SMALL = 500
"""NetworkX' own functions answer on graphs of fewer nodes before one is converted."""

MANY_PAIRS = 10_000_000
"""From so many pairs of nodes on, trees are made by the library's fastest search for all pairs."""

AT_ONCE = 1_000_000
"""Pairs of nodes that dependencies are added up of in one go: some tenths of a second."""

Path = list[Any]
Distances = dict[Any, Any]

# ------------------------------------------------------------------------------------------ what NetworkX asks first


def convert_from_nx(
    graph: Any,
    edge_attrs: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> Graph:
    """Return a graph of NetworkX as the backend's, with some attributes of its edges as weights.

    Attributes of nodes and of the graph stay with the original. Raises ``NotImplementedError`` for all attributes at
    once, and for weights that are no numbers of 64 bits.
    """
    del node_attrs, preserve_node_attrs, preserve_graph_attrs, name, graph_name
    if preserve_edge_attrs:
        raise NotImplementedError("a graph is converted with named weights, not with whatever its edges have")
    return Graph(graph, edge_attrs or {})


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Return the graph of NetworkX that a graph was made from; what is no graph of the backend is returned as it is."""
    del name
    return result.original if isinstance(result, Graph) else result


def can_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Return whether a function is answered for its arguments, else why not."""
    try:
        given = _signature(name).bind(*args, **kwargs).arguments
    except TypeError:  # the function itself says what is wrong
        return True
    reasons = {
        "a function as weight runs in Python at every edge": any(
            callable(given.get(n)) for n in ("weight", "distance")
        ),
        "a heuristic runs in Python": given.get("heuristic") is not None,
        "each version of NetworkX scales a sample of nodes in its own way": given.get("k") is not None,
        "a cutoff is a number": not isinstance(given.get("cutoff"), int | float | np.integer | None),
        "there is little to search": given.get("usebounds") or not (given.get("sp") is given.get("e") is None),
        "Floyd and Warshall's algorithm may round otherwise": str(given.get("method")).startswith("floyd"),
    }
    return next((reason for reason, holds in reasons.items() if holds), True)


def should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Return whether a function is worth converting a graph for, else why not."""
    try:
        graph = _signature(name).bind(*args, **kwargs).arguments["G"]
    except TypeError:
        return True
    return len(graph) >= SMALL or f"on graphs of fewer than {SMALL} nodes NetworkX answers before one is converted"


@cache
def _signature(name: str) -> inspect.Signature:
    return inspect.signature(globals()[name])


# ----------------------------------------------------------------------------------------------- distances and paths


class _Search:
    """A search from some nodes, and what it found."""

    def __init__(
        self, graph: Graph, sources: Sequence[Any], weighted: Weighted, cutoff: float | None, target: int = NONE
    ) -> None:
        """Search by weights. Raises ``ValueError`` where a negative weight shortens what was settled."""
        self.graph, self.sources = graph, sources
        self._arcs, self._limit = weighted.arcs, np.inf if cutoff is None else float(cutoff)
        self._tree = empty_tree(len(graph))
        numbers = np.array([graph.index[source] for source in sources], np.int64)
        count, seen = settle(self._arcs, numbers, self._limit, target, self._tree)
        if count == NEGATIVE:
            raise ValueError("Contradictory paths found:", "negative weights?")
        self.settled: NDArray[np.int32] = self._tree.order[:count]
        self._found = self._tree.found[:seen]

    def values(self) -> list[Any]:
        """Return the distances of settled nodes in their order, as Python has them."""
        return _as_python(self._tree, self.settled)

    def lengths(self, nodes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the distances of some settled nodes."""
        return self._tree.distance[nodes]

    def distances(self) -> Distances:
        """Return the distances of settled nodes, in the order of the graph: a dictionary is filled in half the time."""
        nodes = np.sort(self.settled)
        return dict(zip(self.graph.labels_of(nodes), _as_python(self._tree, nodes), strict=True))

    def paths(self) -> dict[Any, Path]:
        """Return the paths to settled nodes."""
        return _paths(self.graph, self._tree, self.settled[len(set(self.sources)) :], self.sources)

    def to(self, target: Any, number: int) -> tuple[Any, Path] | None:
        """Return distance and path of a node, None where it is not settled."""
        if number == NONE or not len(self.settled) or not (self.settled == number).any():
            return None
        path, node = [], number
        while node != NONE:
            path.append(self.graph.labels[node])
            node = int(self._tree.parent[node])
        path[0] = target
        return _as_python(self._tree, np.array([number]))[0], path[::-1]

    def predecessors(self) -> dict[Any, list[Any]]:
        """Return the nodes before each node on shortest paths to it."""
        labels = self.graph.labels
        before: dict[Any, list[Any]] = {source: [] for source in self.sources}
        before |= {labels[node]: [] for node in self._found.tolist()}
        ends = np.empty((len(self._arcs.heads), 2), np.int32)
        count = tight_arcs(self._arcs, self._limit, self.settled, self._tree, ends)
        for head, tail in ends[:count].tolist():
            before[labels[head]].append(labels[tail])
        return before


def _lengths(graph: Graph, sources: Sequence[Any], weight: str | None, cutoff: float | None) -> Distances:
    """Return distances from sources: of a graph that was often searched by its cut, which takes a fraction."""
    weighted = graph.weighted(weight)
    alone = cutoff is None and len(sources) == 1
    prepared = weighted.prepared() if alone else None
    if prepared is not None:
        raw = np.empty(len(graph), prepared.distance_dtype)
        prepared.distances_into(graph.index[sources[0]], raw)
        nodes = np.flatnonzero(raw != NO_PATH)
        found = dict(zip(graph.labels_of(nodes), weighted.as_python(raw[nodes]), strict=True))
        found[sources[0]] = 0
        return found
    begin = time.perf_counter()
    search = _Search(graph, sources, weighted, cutoff)
    if alone:
        weighted.note_search(time.perf_counter() - begin)
    return search.distances()


def _as_python(tree: Tree, nodes: NDArray[Any]) -> list[Any]:
    """Return distances as Python's numbers, whole ones where all weights on the way are."""
    floating, distances = tree.floating[nodes] != 0, tree.distance[nodes]
    if not floating.any():
        return distances.astype(np.int64).tolist()
    values: list[Any] = distances.tolist()
    for place in np.flatnonzero(~floating).tolist():
        values[place] = int(values[place])
    return values


def _paths(graph: Graph, tree: Tree, nodes: NDArray[np.int32], sources: Sequence[Any]) -> dict[Any, Path]:
    """Return the paths to sources and then to nodes in the order in which they were reached."""
    paths: dict[Any, Path] = {source: [source] for source in sources}
    rows: list[Path] = [[]] * len(graph)
    for source, path in paths.items():
        rows[graph.index[source]] = path
    labels = graph.labels
    for node, parent in zip(nodes.tolist(), tree.parent[nodes].tolist(), strict=True):
        label = labels[node]
        paths[label] = rows[node] = [*rows[parent], label]
    return paths


def _require(graph: Graph, node: Any, text: str) -> None:
    """Raise ``NodeNotFound`` for what is no node."""
    if node not in graph:
        raise networkx.NodeNotFound(text)


def _sources(graph: Graph, sources: Any) -> None:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        _require(graph, source, f"Node {source} not found in graph")


def multi_source_dijkstra(
    G: Graph, sources: Any, target: Any = None, cutoff: float | None = None, weight: str | None = "weight"
) -> tuple[Any, Any]:
    """Return distances and paths from the nearest of some sources, or those of a target."""
    _sources(G, sources)
    if target in sources:
        return 0, [target]
    number = NONE if target is None else G.index.get(target, NONE)
    found = _Search(G, list(sources), G.weighted(weight), cutoff, number)
    if target is None:
        return found.distances(), found.paths()
    reached = found.to(target, number)
    if reached is None:
        raise networkx.NetworkXNoPath(f"No path to {target}.")
    return reached


def multi_source_dijkstra_path(
    G: Graph, sources: Any, cutoff: float | None = None, weight: str | None = "weight"
) -> dict[Any, Path]:
    """Return paths from the nearest of some sources."""
    _sources(G, sources)
    return _Search(G, list(sources), G.weighted(weight), cutoff).paths()


def multi_source_dijkstra_path_length(
    G: Graph, sources: Any, cutoff: float | None = None, weight: str | None = "weight"
) -> Distances:
    """Return distances from the nearest of some sources."""
    _sources(G, sources)
    return _lengths(G, list(sources), weight, cutoff)


def single_source_dijkstra(
    G: Graph, source: Any, target: Any = None, cutoff: float | None = None, weight: str | None = "weight"
) -> tuple[Any, Any]:
    """Return distances and paths from a node, or those of a target."""
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


def single_source_dijkstra_path(
    G: Graph, source: Any, cutoff: float | None = None, weight: str | None = "weight"
) -> dict[Any, Path]:
    """Return paths from a node."""
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


def single_source_dijkstra_path_length(
    G: Graph, source: Any, cutoff: float | None = None, weight: str | None = "weight"
) -> Distances:
    """Return distances from a node."""
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def dijkstra_path(G: Graph, source: Any, target: Any, weight: str | None = "weight") -> Path:
    """Return a shortest path between two nodes."""
    path: Path = single_source_dijkstra(G, source, target, weight=weight)[1]
    return path


def dijkstra_path_length(G: Graph, source: Any, target: Any, weight: str | None = "weight") -> Any:
    """Return the distance between two nodes."""
    _require(G, source, f"Node {source} not found in graph")
    if source == target:
        return 0
    number = G.index.get(target, NONE)
    found = _Search(G, [source], G.weighted(weight), None, number).to(target, number)
    if found is None:
        raise networkx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[0]


def dijkstra_predecessor_and_distance(
    G: Graph, source: Any, cutoff: float | None = None, weight: str | None = "weight"
) -> tuple[dict[Any, list[Any]], Distances]:
    """Return the nodes before each node on shortest paths to it, and distances."""
    _require(G, source, f"Node {source} is not found in the graph")
    found = _Search(G, [source], G.weighted(weight), cutoff)
    return found.predecessors(), found.distances()


def all_pairs_dijkstra(
    G: Graph, cutoff: float | None = None, weight: str | None = "weight"
) -> Iterator[tuple[Any, tuple[Distances, dict[Any, Path]]]]:
    """Yield each node with distances and paths from it."""
    for node in G:
        yield node, single_source_dijkstra(G, node, cutoff=cutoff, weight=weight)


def all_pairs_dijkstra_path_length(
    G: Graph, cutoff: float | None = None, weight: str | None = "weight"
) -> Iterator[tuple[Any, Distances]]:
    """Yield each node with distances from it."""
    for node in G:
        yield node, single_source_dijkstra_path_length(G, node, cutoff, weight)


def all_pairs_dijkstra_path(
    G: Graph, cutoff: float | None = None, weight: str | None = "weight"
) -> Iterator[tuple[Any, dict[Any, Path]]]:
    """Yield each node with paths from it."""
    for node in G:
        yield node, single_source_dijkstra_path(G, node, cutoff, weight)


# ------------------------------------------------------------------------------------------------ Bellman and Ford's


def _not_negative(graph: Graph, weight: str | None) -> None:
    """Raise ``NotImplementedError`` where Bellman and Ford's algorithm finds what Dijkstra's does not."""
    weighted = graph.weighted(weight)
    if weighted.least < 0 or not weighted.finite:
        raise NotImplementedError("weights below 0 or infinite are left to NetworkX")


def single_source_bellman_ford(
    G: Graph, source: Any, target: Any = None, weight: str | None = "weight"
) -> tuple[Any, Any]:
    """Return distances and paths from a node, or those of a target."""
    return _bellman_ford(
        G, source, target, weight, "Node {} is not found in the graph", "Node {} not reachable from {}"
    )


def _bellman_ford(
    graph: Graph, source: Any, target: Any, weight: str | None, unknown: str, unreached: str
) -> tuple[Any, Any]:
    """Return distances and paths from a node, or those of a target, with these texts for errors."""
    _not_negative(graph, weight)
    if source == target:
        _require(graph, source, unknown.format(source))
        return 0, [source]
    _require(graph, source, f"Source {source} not in G")
    number = NONE if target is None else graph.index.get(target, NONE)
    found = _Search(graph, [source], graph.weighted(weight), None, number)
    if target is None:
        return found.distances(), found.paths()
    reached = found.to(target, number)
    if reached is None:
        raise networkx.NetworkXNoPath(unreached.format(target, source))
    return reached


def single_source_bellman_ford_path(G: Graph, source: Any, weight: str | None = "weight") -> dict[Any, Path]:
    """Return paths from a node."""
    paths: dict[Any, Path] = single_source_bellman_ford(G, source, weight=weight)[1]
    return paths


def single_source_bellman_ford_path_length(G: Graph, source: Any, weight: str | None = "weight") -> Distances:
    """Return distances from a node."""
    _not_negative(G, weight)
    _require(G, source, f"Source {source} not in G")
    return _lengths(G, [source], weight, None)


def bellman_ford_path(G: Graph, source: Any, target: Any, weight: str | None = "weight") -> Path:
    """Return a shortest path between two nodes."""
    path: Path = single_source_bellman_ford(G, source, target, weight)[1]
    return path


def bellman_ford_path_length(G: Graph, source: Any, target: Any, weight: str | None = "weight") -> Any:
    """Return the distance between two nodes."""
    texts = "Node {} not found in graph", "node {} not reachable from {}"
    return _bellman_ford(G, source, target, weight, *texts)[0]


def all_pairs_bellman_ford_path_length(G: Graph, weight: str | None = "weight") -> Iterator[tuple[Any, Distances]]:
    """Yield each node with distances from it."""
    for node in G:
        yield node, single_source_bellman_ford_path_length(G, node, weight)


def all_pairs_bellman_ford_path(G: Graph, weight: str | None = "weight") -> Iterator[tuple[Any, dict[Any, Path]]]:
    """Yield each node with paths from it."""
    for node in G:
        yield node, single_source_bellman_ford_path(G, node, weight)


# --------------------------------------------------------------------------------------------------- between two nodes


def _both(graph: Graph, source: Any, target: Any) -> tuple[int, int]:
    """Return the numbers of two nodes. Raises ``NodeNotFound``."""
    _require(graph, source, f"Source {source} is not in G")
    _require(graph, target, f"Target {target} is not in G")
    return graph.index[source], graph.index[target]


def bidirectional_dijkstra(G: Graph, source: Any, target: Any, weight: str | None = "weight") -> tuple[Any, Path]:
    """Return distance and path between two nodes."""
    first, last = _both(G, source, target)
    if source == target:
        return 0, [source]
    weighted, path = G.weighted(weight), np.empty(len(G), np.int32)
    length, distance = meet(weighted.arcs, G.turned.weighted(weight).arcs, first, last, path)
    if length == NEGATIVE:
        raise ValueError("Contradictory paths found: negative weights?")
    if not length:
        raise networkx.NetworkXNoPath(f"No path between {source} and {target}.")
    found = path[:length]
    return (float if _floats(weighted, found) else int)(distance), _ended(G, found, source, target)


def _floats(weighted: Weighted, path: NDArray[np.int32]) -> bool:
    """Return whether a weight along a path is a floating-point number in Python."""
    return any(weighted.arcs.floating[arc] for arc in _arcs_along(weighted, path))


def _arcs_along(weighted: Weighted, path: NDArray[np.int32]) -> Iterator[int]:
    """Yield the arcs of a path."""
    offsets, heads = weighted.arcs.offsets, weighted.arcs.heads
    for tail, head in pairwise(path.tolist()):
        first, end = offsets[tail], offsets[tail + 1]
        yield int(first + np.flatnonzero(heads[first:end] == head)[0])


def _ended(graph: Graph, path: NDArray[np.int32], source: Any, target: Any) -> Path:
    """Return a path as labels, its ends as they were given."""
    return [source, *(graph.labels[node] for node in path[1:-1].tolist()), target]


def bidirectional_shortest_path(G: Graph, source: Any, target: Any) -> Path:
    """Return a path of the fewest edges between two nodes."""
    first, last = _both(G, source, target)
    if first == last:
        return [source]
    path = np.empty(len(G), np.int32)
    length = meet_in_hops(G.weighted(None).arcs, G.turned.weighted(None).arcs, first, last, path)
    if not length:
        raise networkx.NetworkXNoPath(f"No path between {source} and {target}.")
    return _ended(G, path[:length], source, target)


def astar_path(
    G: Graph,
    source: Any,
    target: Any,
    heuristic: None = None,
    weight: str | None = "weight",
    *,
    cutoff: float | None = None,
) -> Path:
    """Return a shortest path between two nodes, found without a heuristic."""
    del heuristic
    _, number = _both(G, source, target)
    found = _Search(G, [source], G.weighted(weight), cutoff or None, number).to(target, number)
    if found is None:
        raise networkx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[1]


def astar_path_length(
    G: Graph,
    source: Any,
    target: Any,
    heuristic: None = None,
    weight: str | None = "weight",
    *,
    cutoff: float | None = None,
) -> Any:
    """Return the distance between two nodes, found without a heuristic."""
    if source not in G or target not in G:
        raise networkx.NodeNotFound(f"Either source {source} or target {target} is not in G")
    path = astar_path(G, source, target, heuristic, weight, cutoff=cutoff)
    weighted = G.weighted(weight)
    along = list(_arcs_along(weighted, np.array([G.index[node] for node in path])))
    weights = weighted.arcs.weights[along].tolist()
    return sum(w if weighted.arcs.floating[arc] else int(w) for arc, w in zip(along, weights, strict=True))


# ---------------------------------------------------------------------------------------------------- numbers of edges


def _spread(graph: Graph, source: Any, cutoff: float | None, text: str) -> tuple[Tree, NDArray[np.int32]]:
    _require(graph, source, text)
    tree = empty_tree(len(graph))
    limit = np.inf if cutoff is None else float(cutoff)
    return tree, tree.order[: spread(graph.weighted(None).arcs, graph.index[source], limit, tree)]


def single_source_shortest_path_length(G: Graph, source: Any, cutoff: float | None = None) -> Distances:
    """Return numbers of edges from a node."""
    tree, reached = _spread(G, source, cutoff, f"Source {source} is not in G")
    nodes = np.sort(reached)
    return dict(zip(G.labels_of(nodes), _as_python(tree, nodes), strict=True))


def single_source_shortest_path(G: Graph, source: Any, cutoff: float | None = None) -> dict[Any, Path]:
    """Return paths of the fewest edges from a node."""
    tree, reached = _spread(G, source, cutoff, f"Source {source} not in G")
    return _paths(G, tree, reached[1:], [source])


def all_pairs_shortest_path_length(G: Graph, cutoff: float | None = None) -> Iterator[tuple[Any, Distances]]:
    """Yield each node with numbers of edges from it."""
    for node in G:
        yield node, single_source_shortest_path_length(G, node, cutoff)


def all_pairs_shortest_path(G: Graph, cutoff: float | None = None) -> Iterator[tuple[Any, dict[Any, Path]]]:
    """Yield each node with paths of the fewest edges from it."""
    for node in G:
        yield node, single_source_shortest_path(G, node, cutoff)


# -------------------------------------------------------------------- what NetworkX makes of the above, and trees alone


def shortest_path(
    G: Graph, source: Any = None, target: Any = None, weight: str | None = None, method: str = "dijkstra"
) -> Any:
    """Return paths between all nodes, from one, to one, or between two."""
    return networkx.shortest_path.orig_func(G, source, target, weight, method)


def shortest_path_length(
    G: Graph, source: Any = None, target: Any = None, weight: str | None = None, method: str = "dijkstra"
) -> Any:
    """Return distances between all nodes, from one, to one, or between two."""
    return networkx.shortest_path_length.orig_func(G, source, target, weight, method)


def has_path(G: Graph, source: Any, target: Any) -> bool:
    """Return whether a path leads from a node to another."""
    return bool(networkx.has_path.orig_func(G, source, target))


def diameter(G: Graph, e: None = None, usebounds: bool = False, weight: str | None = None) -> Any:
    """Return the largest eccentricity."""
    return networkx.diameter.orig_func(G, e, usebounds, weight)


def radius(G: Graph, e: None = None, usebounds: bool = False, weight: str | None = None) -> Any:
    """Return the smallest eccentricity."""
    return networkx.radius.orig_func(G, e, usebounds, weight)


def periphery(G: Graph, e: None = None, usebounds: bool = False, weight: str | None = None) -> list[Any]:
    """Return the nodes of the largest eccentricity."""
    nodes: list[Any] = networkx.periphery.orig_func(G, e, usebounds, weight)
    return nodes


class _Figures:
    """Of each of some nodes: how many nodes its tree reaches, and the sum and the largest of their distances."""

    def __init__(self, graph: Graph, nodes: Sequence[Any], weight: str | None) -> None:
        numbers = [graph.index[node] for node in nodes]
        weighted = graph.weighted(weight)
        network = weighted.network if len(nodes) * len(graph) >= MANY_PAIRS else None
        self.reached: list[int] = []
        self.totals: list[Any] = []
        self.largest: list[Any] = []
        if network is not None:
            figures = all_pairs(network, sources=numbers, device="cpu").figures
            self.reached = figures.reached.tolist()
            self.totals, self.largest = weighted.as_python(figures.total), weighted.as_python(figures.eccentricity)
            return
        for node in nodes:
            values = _Search(graph, [node], weighted, None).values()
            self.reached.append(len(values))
            self.totals.append(sum(values))
            self.largest.append(max(values))


def closeness_centrality(G: Graph, u: Any = None, distance: str | None = None, wf_improved: bool = True) -> Any:
    """Return the closeness of all nodes, or of one: of the distances from the others to it."""
    nodes = list(G) if u is None else [u]
    for node in nodes:
        _require(G, node, f"Source {node} is not in G")
    figures = _Figures(G.turned, nodes, distance)
    closeness = {}
    for node, reached, total in zip(nodes, figures.reached, figures.totals, strict=True):
        value = 0.0
        if total > 0 and len(G) > 1:
            value = (reached - 1.0) / total
            if wf_improved:
                value *= (reached - 1.0) / (len(G) - 1)
        closeness[node] = value
    return closeness if u is None else closeness[u]


class _Between:
    """What lies between some sources and some nodes: sums of each node, and of each edge in the order of the graph."""

    def __init__(
        self,
        graph: Graph,
        weight: str | None,
        sources: Sequence[Any] | None = None,
        wanted: set[Any] | None = None,
        *,
        endpoints: bool = False,
    ) -> None:
        weighted, n = graph.weighted(weight), len(graph)
        arcs = weighted.arcs
        tails = np.repeat(np.arange(n, dtype=np.int32), np.diff(arcs.offsets))
        self.edges, numbers = _numbered_edges(graph, tails, arcs.heads)
        by_head = np.argsort(arcs.heads, kind="stable")
        into = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(arcs.heads, minlength=n))))
        chosen = np.ones(n, np.bool_) if wanted is None else np.array([label in wanted for label in graph], np.bool_)
        self.nodes: NDArray[np.float64] = np.zeros(n)
        self.at_edges: NDArray[np.float64] = np.zeros(len(self.edges))
        between = Between(into, by_head, tails, numbers, chosen, self.nodes, self.at_edges)
        starts = np.array([graph.index[node] for node in (graph if sources is None else sources)], np.int64)
        some = max(1, AT_ONCE // max(n, 1))
        for first in range(0, len(starts), some):  # between two of them Python looks for Ctrl-C
            accumulate(arcs, starts[first : first + some], endpoints, wanted is None, between)


def _numbered_edges(
    graph: Graph, tails: NDArray[np.int32], heads: NDArray[np.int32]
) -> tuple[list[tuple[Any, Any]], NDArray[np.int64]]:
    """Return the edges in the graph's order, parallel ones as one, and the number of each arc's."""
    if graph.is_directed():
        first, numbers = np.arange(len(tails)), np.arange(len(tails))
    else:  # an edge is met first at that of its ends which comes first
        pair = np.minimum(tails, heads).astype(np.int64) * len(graph) + np.maximum(tails, heads)
        _, first, which = np.unique(pair, return_index=True, return_inverse=True)
        order = np.argsort(first)
        numbers = np.argsort(order)[which.reshape(-1)]
        first = first[order]
    labels = graph.labels
    edges = [(labels[tail], labels[head]) for tail, head in zip(tails[first], heads[first], strict=True)]
    return edges, numbers.astype(np.int64)


def _scaled(values: NDArray[np.float64], nodes: int, normalized: bool, directed: bool, ends: int) -> list[float]:
    """Return sums as shares of all pairs of different nodes, of which ``ends`` are none that is passed, if wanted."""
    counted = nodes - ends
    scale = 1.0
    if counted >= 2:
        scale = 1 / (counted * (counted - 1)) if normalized else 1.0 if directed else 0.5
    scaled: list[float] = (values * scale).tolist()
    return scaled


def betweenness_centrality(
    G: Graph,
    k: None = None,
    normalized: bool = True,
    weight: str | None = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:
    """Return the betweenness of all nodes."""
    del k, seed
    found = _Between(G, weight, endpoints=endpoints)
    return dict(zip(G, _scaled(found.nodes, len(G), normalized, G.is_directed(), 1 - endpoints), strict=True))


def betweenness_centrality_subset(
    G: Graph, sources: Any, targets: Any, normalized: bool = False, weight: str | None = None
) -> dict[Any, float]:
    """Return what lies between some sources and some targets, of all nodes."""
    found = _Between(G, weight, list(sources), set(targets))
    return dict(zip(G, _scaled(found.nodes, len(G), normalized, G.is_directed(), 1), strict=True))


def edge_betweenness_centrality(
    G: Graph, k: None = None, normalized: bool = True, weight: str | None = None, seed: Any = None
) -> dict[Any, float]:
    """Return the betweenness of all edges; of parallel ones those of the least weight share it."""
    del k, seed
    found = _Between(G, weight)
    values = _scaled(found.at_edges, len(G), normalized, G.is_directed(), 0)
    if not G.is_multigraph():
        return dict(zip(found.edges, values, strict=True))
    shared = dict.fromkeys(G.original.edges, 0.0)
    for (tail, head), value in zip(found.edges, values, strict=True):
        data = G.original[tail][head]
        weights = {key: 1 if weight is None else each.get(weight, 1) for key, each in data.items()}
        least = min(weights.values())
        lightest = [key for key, each in weights.items() if each == least]
        for key in lightest:
            shared[tail, head, key] = value / len(lightest)
    return shared


def harmonic_centrality(
    G: Graph, nbunch: Any = None, distance: str | None = None, sources: Any = None
) -> dict[Any, float]:
    """Return the sums of 1 / distance from all nodes, or some ``sources``, to all nodes, or some."""
    ends = set(G if nbunch is None else G.nbunch_iter(nbunch))
    starts = set(G if sources is None else G.nbunch_iter(sources))
    turned = len(ends) < len(starts)
    graph, searched, counted = (G.turned, ends, starts) if turned else (G, starts, ends)
    chosen, sums = np.zeros(len(G), np.bool_), np.zeros(len(G))
    chosen[[G.index[node] for node in counted]] = True
    for node in searched:
        search = _Search(graph, [node], graph.weighted(distance), None)
        reached = search.settled[chosen[search.settled]]
        far = search.lengths(reached)
        shares, reached = 1 / far[far != 0], reached[far != 0]
        if turned:  # one after the other, as NetworkX adds them
            sums[G.index[node]] = sum(shares.tolist())
        else:
            sums[reached] += shares
    values: list[float] = sums.tolist()
    return {node: values[G.index[node]] or 0 for node in ends}


def eccentricity(G: Graph, v: Any = None, sp: None = None, weight: str | None = None) -> Any:
    """Return the largest distance from all nodes, from some, or from one. Raises ``NetworkXError`` for no path."""
    del sp
    nodes = list(G.nbunch_iter(v))
    figures = _Figures(G, nodes, weight)
    if any(reached != len(G) for reached in figures.reached):
        why = "the digraph is not strongly connected" if G.is_directed() else "the graph is not connected"
        raise networkx.NetworkXError(f"Found infinite path length because {why}")
    found = dict(zip(nodes, figures.largest, strict=True))
    return found[v] if v in G else found


def average_shortest_path_length(G: Graph, weight: str | None = None, method: str | None = None) -> Any:
    """Return the mean distance of all pairs. Raises ``NetworkXError`` where there is no path."""
    if method not in (None, "unweighted", "dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if not len(G):
        raise networkx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if len(G) == 1:
        return 0
    if method == "bellman-ford":
        _not_negative(G, weight)
    first = G.labels[:1]
    if any(_Figures(graph, first, None).reached != [len(G)] for graph in (G, G.turned)):
        raise networkx.NetworkXError(f"Graph is not {'strongly ' * G.is_directed()}connected.")
    weight = None if method == "unweighted" else weight
    pairs = len(G) * (len(G) - 1)
    if G.weighted(weight).whole:
        return sum(_Figures(G, G.labels, weight).totals) / pairs
    searches = (_Search(G, [node], G.weighted(weight), None) for node in G)
    return sum(chain.from_iterable(search.values() for search in searches)) / pairs
