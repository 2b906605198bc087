"""Networks from graphs of NetworkX, OSMnx and igraph, which are walked through once; no library is imported."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError, OptionError
from wayfront.interop.assembly import Parts, Weights, degrees, make_network, positions_of
from wayfront.network.road_details import RoadNames, Shapes
from wayfront.network.road_network import RoadNetwork

MILLI = 0.001
"""Scale of lengths and times of OSMnx: millimetres and milliseconds."""

OSM = "© OpenStreetMap contributors"
"""Whose data a graph of OSMnx is, unless it says so itself, as those do that come from a network."""
_DEGREES = ("4326", "crs84")


def from_networkx(
    graph: Any,
    weight: str | None = "weight",
    *,
    name: str = "",
    unit: str = "",
    scale: float | None = None,
    lossy: bool = False,
) -> RoadNetwork:
    """Return the network of a NetworkX graph of any kind; index i is its i-th node, and undirected edges go both ways.

    ``weight`` is the edges' attribute; edges without it weigh 1, as they do for NetworkX, and with None all do. Nodes
    that are whole numbers keep them as ids, others become names. Where all nodes have ``x`` and ``y``, these are
    degrees of longitude and latitude. A weight is stored as a whole number of ``scale``, which is found where it is
    None; ``lossy`` accepts that different weights become equal.

    Raises ``NetworkError`` for a weight below 0 or coordinates that are no degrees, and ``OptionError`` for a scale at
    which weights do not fit or lose their order.

        >>> import networkx, wayfront
        >>> graph = networkx.Graph()
        >>> graph.add_weighted_edges_from([("a", "b", 0.5), ("b", "c", 1.25)])
        >>> network = wayfront.from_networkx(graph)
        >>> result = wayfront.search(network, 0, "dijkstra", "cpu", runs=0)
        >>> (result.distances * result.metric.scale).tolist()
        [0.0, 0.5, 1.75]
    """
    _require(graph, "edges", "NetworkX")
    if weight is not None and not isinstance(weight, str):
        raise OptionError(f"weight is the name of an attribute of the edges, not {type(weight).__name__}")
    nodes = list(graph)
    tails, heads = _ends(graph, positions_of(nodes))
    values = [1 if weight is None else data.get(weight) for *_, data in graph.edges(data=True)]
    missing = sum(value is None for value in values)
    notes = [f"Edges without {weight!r}, {missing:,} in all, weigh 1, as they do for NetworkX."] if missing else []
    weights = Weights(weight or "hops", [1 if value is None else value for value in values], unit, scale, lossy)
    title = name or str(graph.graph.get("name", "")) or "NetworkX graph"
    parts = Parts(title, nodes, tails, heads, [weights], not graph.is_directed(), _degrees(graph), notes=notes)
    return make_network(parts)


def from_osmnx(graph: Any, *, name: str = "", scale: float = MILLI, lossy: bool = True) -> RoadNetwork:
    """Return the network of a street graph of OSMnx: lengths, travel times if it has them, names, shapes, coordinates.

    Lengths are whole numbers of ``scale`` metres, times of as many seconds; ``lossy`` accepts that those which differ
    by less become equal. The network's notes tell by how much they were rounded. Raises ``NetworkError`` for a graph
    that is projected or lacks lengths, and ``OptionError`` for a scale at which they do not fit.

        >>> import networkx, wayfront
        >>> streets = networkx.MultiDiGraph(crs="epsg:4326")
        >>> streets.add_node(1, x=8.0, y=50.0)
        >>> streets.add_node(2, x=8.001, y=50.0)
        >>> _ = streets.add_edge(1, 2, length=71.5, name="High Street")
        >>> wayfront.from_osmnx(streets).road_names.names
        ('High Street',)
    """
    _require(graph, "edges", "OSMnx")
    crs = str(graph.graph.get("crs", "epsg:4326")).lower()
    if not any(crs.endswith(degrees) for degrees in _DEGREES):
        raise NetworkError(
            f"the graph is projected ({crs}): bring it back first with osmnx.project_graph(graph, to_latlong=True)"
        )
    nodes, edges = list(graph), [data for *_, data in graph.edges(data=True)]
    tails, heads = _ends(graph, positions_of(nodes))
    without = sum("length" not in data for data in edges)
    if without:
        raise NetworkError(f"{without:,} edges have no length; osmnx.distance.add_edge_lengths(graph) adds them")
    weights = [Weights("length", [data["length"] for data in edges], "m", scale, lossy)]
    if edges and all("travel_time" in data for data in edges):
        weights.append(Weights("travel time", [data["travel_time"] for data in edges], "s", scale, lossy))
    directed = graph.is_directed()
    left_out = [] if directed else ["Of an undirected graph, names and shapes of roads are left out."]
    parts = Parts(
        name or str(graph.graph.get("name", "")) or "OSMnx graph",
        nodes,
        tails,
        heads,
        weights,
        not directed,
        _degrees(graph),
        _road_names(edges) if directed else None,
        _shapes(edges) if directed else None,
        str(graph.graph.get("attribution", OSM)),
        left_out,
    )
    return make_network(parts)


def from_igraph(
    graph: Any,
    weight: str | None = "weight",
    *,
    name: str = "igraph graph",
    unit: str = "",
    scale: float | None = None,
    lossy: bool = False,
) -> RoadNetwork:
    """Return the network of an igraph graph; index i is its vertex i, and undirected edges go both ways.

    ``weight`` is an attribute of the edges; without it, or with None, every edge weighs 1. Vertices with ``name`` keep
    it, and ``x`` and ``y`` are degrees of longitude and latitude. The other arguments and errors are those of
    ``from_networkx``.

        >>> import wayfront
        >>> try:
        ...     import igraph
        ... except ImportError:
        ...     arcs = 2  # the example needs igraph
        ... else:
        ...     arcs = wayfront.from_igraph(igraph.Graph([(0, 1)])).arc_count
        >>> arcs
        2
    """
    _require(graph, "get_edgelist", "igraph")
    ends = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    weighted = weight is not None and weight in graph.es.attributes()
    values = graph.es[weight] if weighted else np.ones(len(ends))
    vertices = graph.vs.attributes()
    labels = graph.vs["name"] if "name" in vertices else np.arange(1, graph.vcount() + 1)
    places = degrees([graph.vs["x"], graph.vs["y"]]) if {"x", "y"} <= set(vertices) else None
    metric = Weights(weight if weighted and weight else "hops", values, unit, scale, lossy)
    return make_network(Parts(name, labels, ends[:, 0], ends[:, 1], [metric], not graph.is_directed(), places))


def _require(graph: Any, attribute: str, library: str) -> None:
    """Raise ``NetworkError`` unless a graph looks like one of a library, which is not imported for that."""
    if not hasattr(graph, attribute):
        raise NetworkError(f"this takes a graph of {library}, not {type(graph).__name__}")


def _ends(graph: Any, places: dict[Any, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the ends of each edge are, in the order of the edges."""
    ends = np.array([(places[u], places[v]) for u, v in graph.edges()], np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


def _degrees(graph: Any) -> NDArray[np.float64] | None:
    """Return the nodes' ``x`` and ``y``, None unless all have both."""
    nodes = [data for _, data in graph.nodes(data=True)]
    if not nodes or not all("x" in data and "y" in data for data in nodes):
        return None
    return degrees([[data[axis] for data in nodes] for axis in "xy"])


def _road_names(edges: list[dict[str, Any]]) -> RoadNames | None:
    """Return the names of edges, None where none has one."""
    found = RoadNames.collect(_road_name(data) for data in edges)
    return found if found.names else None


def _road_name(data: dict[str, Any]) -> str:
    """Return an edge's name; simplified edges have several, and those that went through a table NaN for none."""
    name = data.get("name")
    return " / ".join(map(str, name)) if isinstance(name, list | tuple) else name if isinstance(name, str) else ""


def _shapes(edges: list[dict[str, Any]]) -> Shapes | None:
    """Return the points between the ends of each edge, None where all are straight."""
    if any(isinstance(data.get("geometry"), str) for data in edges):
        raise NetworkError("the shapes of edges are texts: osmnx.load_graphml reads such a file")
    none = np.empty((0, 2))
    between = [np.array(data["geometry"].coords)[1:-1, :2] if "geometry" in data else none for data in edges]
    offsets = np.zeros(len(edges) + 1, np.int64)
    np.cumsum([len(points) for points in between], out=offsets[1:])
    if not offsets[-1]:
        return None
    return Shapes(offsets, np.rint(np.concatenate(between) * 1e6).astype(np.int32))
