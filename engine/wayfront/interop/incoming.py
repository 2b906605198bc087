"""Networks from graphs of NetworkX, OSMnx and igraph, from SciPy's matrices, and from tables of edges.

A graph is walked through once. A table is a frame of pandas or Polars, an Arrow table, or a mapping of arrays. No
library is imported.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.interop.assembly import Parts, Weights, degrees, make_network
from wayfront.network.details import RoadNames, Shapes
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import offsets_of
from wayfront.safe.errors import NetworkError, OptionError

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

    ``weight`` is the edges' attribute; edges without it weigh 1, as they do for NetworkX, and with None all do. No
    edge with an attribute of another name than "weight" is an error. Nodes
    that are whole numbers keep them as ids, others become names. Where all nodes have ``x`` and ``y``, these are
    degrees of longitude and latitude. A weight is stored as a whole number of ``scale``, which is found where it is
    None; ``lossy`` accepts that different weights become equal.

    Raises ``NetworkError`` for a weight below 0 or coordinates that are no degrees, and ``OptionError`` for a scale at
    which weights do not fit or lose their order.

        >>> import networkx, wayfront
        >>> graph = networkx.Graph()
        >>> graph.add_weighted_edges_from([("a", "b", 0.5), ("b", "c", 1.25)])
        >>> network = wayfront.from_networkx(graph)
        >>> result = wayfront.search(network, 0, "dijkstra", "cpu")
        >>> (result.distances * result.metric.scale).tolist()
        [0.0, 0.5, 1.75]
    """
    _require(graph, "edges", "NetworkX")
    if weight is not None and not isinstance(weight, str):
        raise OptionError(f"weight is the name of an attribute of the edges, not {type(weight).__name__}")
    nodes = list(graph)
    tails, heads = _ends(graph, nodes)
    values = [1 if weight is None else data.get(weight) for *_, data in graph.edges(data=True)]
    missing = sum(value is None for value in values)
    if weight != "weight" and missing and missing == len(values):
        raise NetworkError(_no_weight(weight, {name for *_, data in graph.edges(data=True) for name in data}))
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
    tails, heads = _ends(graph, nodes)
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

    ``weight`` is an attribute of the edges; without weights, or with None, every edge weighs 1. Vertices with
    ``name`` keep it, and ``x`` and ``y`` are degrees of longitude and latitude. The other arguments and errors are
    those of ``from_networkx``.

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
    if weight not in (None, "weight") and len(ends) and not weighted:
        raise NetworkError(_no_weight(weight, set(graph.es.attributes())))
    values = graph.es[weight] if weighted else np.ones(len(ends))
    vertices = graph.vs.attributes()
    labels = graph.vs["name"] if "name" in vertices else np.arange(1, graph.vcount() + 1)
    places = degrees([graph.vs["x"], graph.vs["y"]]) if {"x", "y"} <= set(vertices) else None
    metric = Weights(weight if weighted and weight else "hops", values, unit, scale, lossy)
    return make_network(Parts(name, labels, ends[:, 0], ends[:, 1], [metric], not graph.is_directed(), places))


def _no_weight(weight: str | None, others: set[Any]) -> str:
    """Return that no edge has an attribute, and which ones there are."""
    known = ", ".join(sorted(str(name) for name in others)) or "none"
    return f"no edge has the attribute {weight!r}; edges have: {known}. With weight=None every edge weighs 1"


def _require(graph: Any, attribute: str, library: str) -> None:
    """Raise ``NetworkError`` unless a graph looks like one of a library, which is not imported for that."""
    if not hasattr(graph, attribute):
        raise NetworkError(f"this takes a graph of {library}, not {type(graph).__name__}")


def _ends(graph: Any, nodes: list[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the ends of each edge are, in the order of the edges."""
    index = {node: number for number, node in enumerate(nodes)}
    ends = np.array([(index[u], index[v]) for u, v in graph.edges()], np.int64).reshape(-1, 2)
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
    offsets = offsets_of([len(points) for points in between])
    if not offsets[-1]:
        return None
    return Shapes(offsets, np.rint(np.concatenate(between) * 1e6).astype(np.int32))


_MISSING = ("None", "nan", "NaT", "<NA>")
"""What is missing in tables, as text."""


def from_scipy(
    matrix: Any,
    *,
    undirected: bool = False,
    coordinates: ArrayLike | None = None,
    name: str = "SciPy matrix",
    metric: str = "weight",
    unit: str = "",
    scale: float | None = None,
    lossy: bool = False,
) -> RoadNetwork:
    """Return the network of a matrix [n, n], as ``scipy.sparse.csgraph`` reads it; node i + 1 is row i.

    Entry (u, v) is the weight of the arc u → v. Of a sparse matrix every stored entry is an arc, and entries stored
    twice are added up; of a dense one every entry that is neither 0 nor infinite nor NaN. ``undirected`` takes each
    entry in both directions. ``coordinates`` are degrees of longitude and latitude, [n, 2]. A weight is stored as a
    whole number of ``scale``, which is found where it is None; ``lossy`` accepts that different weights become equal.

    Raises ``NetworkError`` for a matrix that is not square, or a weight below 0, and ``OptionError`` for a scale at
    which weights do not fit or lose their order.

        >>> import numpy as np, wayfront
        >>> network = wayfront.from_scipy(np.array([[0, 2.5], [0.5, 0]]))
        >>> network.arc_count, network.metrics[0].scale
        (2, 0.1)
    """
    matrix = matrix if hasattr(matrix, "shape") else np.asarray(matrix)
    if matrix.dtype.kind not in "biuf":
        raise NetworkError(f"a matrix of arcs holds numbers, not {matrix.dtype.name}")
    if getattr(matrix, "ndim", 2) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise NetworkError(f"a matrix of arcs is square, not {' × '.join(map(str, matrix.shape))}")
    if hasattr(matrix, "tocsr"):
        entries = matrix.tocsr()
        entries.sum_duplicates()
        entries = entries.tocoo()
        tails, heads, values = entries.row, entries.col, entries.data
    else:
        dense = np.asarray(matrix)
        tails, heads = np.nonzero(np.isfinite(dense) & (dense != 0))
        values = dense[tails, heads]
    parts = Parts(
        name,
        np.arange(1, matrix.shape[0] + 1),
        tails.astype(np.int64),
        heads.astype(np.int64),
        [Weights(metric, values, unit, scale, lossy)],
        undirected,
        _places(coordinates, matrix.shape[0]),
    )
    return make_network(parts)


def from_pandas(
    edges: Any,
    source: str = "source",
    target: str = "target",
    weight: str | None = "weight",
    *,
    nodes: Any = None,
    node: str = "node",
    x: str = "x",
    y: str = "y",
    undirected: bool = False,
    name: str = "Table of edges",
    unit: str = "",
    scale: float | None = None,
    lossy: bool = False,
) -> RoadNetwork:
    """Return the network of a table with a row for each edge: a pandas or Polars frame, an Arrow table, or a mapping.

    ``source``, ``target`` and ``weight`` are columns; with ``weight=None`` every edge weighs 1. Nodes are whole
    numbers, which become their ids, or texts, which become their names. ``nodes`` is a table of nodes with the column
    ``node`` (else the frame's index) and, for a map, ``x`` and ``y``: degrees of longitude and latitude. Columns are
    taken as arrays, without a loop in Python. The other arguments and errors are those of ``from_scipy``.

        >>> import wayfront
        >>> network = wayfront.from_pandas({"source": ["a", "b"], "target": ["b", "c"], "weight": [3, 4]})
        >>> [network.node_name(node) for node in range(network.node_count)]
        ['a', 'b', 'c']
    """
    if not hasattr(edges, "__getitem__") or isinstance(edges, str | list | tuple):
        raise NetworkError(f"this takes a table of edges, such as a frame of pandas, not {type(edges).__name__}")
    tails, heads = _end_column(edges, source), _end_column(edges, target)
    if nodes is None:
        labels: NDArray[Any] = np.unique(np.concatenate((tails, heads)))
        places = None
    else:
        labels = _labels(nodes, node)
        has_places = _has(nodes, x) and _has(nodes, y)
        places = degrees([_column(nodes, axis) for axis in (x, y)]) if has_places else None
    values = np.ones(len(tails)) if weight is None else _column(edges, weight)
    parts = Parts(
        name,
        labels,
        _positions(labels, tails),
        _positions(labels, heads),
        [Weights(weight or "hops", values, unit, scale, lossy)],
        undirected,
        places,
    )
    return make_network(parts)


def _places(coordinates: ArrayLike | None, count: int) -> NDArray[np.float64] | None:
    if coordinates is None:
        return None
    places = np.asarray(coordinates, np.float64)
    if places.shape != (count, 2):
        raise NetworkError(f"coordinates are [{count}, 2], a pair for each node, not {list(places.shape)}")
    return places


def _has(frame: Any, column: str) -> bool:
    names = getattr(frame, "column_names", None)  # Arrow
    return column in (frame if names is None else names)


def _end_column(edges: Any, column: str) -> NDArray[Any]:
    """Return a column of nodes. Raises ``NetworkError`` where a row has none."""
    nodes, given = _column(edges, column), np.asarray(edges[column])
    if nodes.dtype.kind == "f":
        suspect = np.isnan(nodes)
    else:
        suspect = np.isin(nodes.astype(str), _MISSING) if nodes.dtype.kind in "UM" else np.empty(0, bool)
    missing = next((row for row in np.flatnonzero(suspect) if not isinstance(given[row], str)), None)
    if missing is not None:
        raise NetworkError(f"row {missing + 1} of the edges has no {column}")
    return nodes


def _column(frame: Any, column: str) -> NDArray[Any]:
    if not _has(frame, column):
        raise NetworkError(f"the table has no column {column!r}")
    return _plain(frame[column])


def _plain(column: Any) -> NDArray[Any]:
    """Return a column as an array: objects as texts."""
    values = np.asarray(column)
    return values.astype(str) if values.dtype.kind == "O" else values


def _labels(nodes: Any, column: str) -> NDArray[Any]:
    """Return what nodes are called: a column, or the index of a frame that has one."""
    if not _has(nodes, column) and hasattr(nodes, "index"):
        return _plain(nodes.index)
    return _column(nodes, column)


def _positions(labels: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each wanted label is. Raises ``NetworkError`` for one that is not there."""
    if labels.dtype.kind != wanted.dtype.kind:
        labels, wanted = labels.astype(str), wanted.astype(str)
    order = np.argsort(labels, kind="stable")
    ranks = np.searchsorted(labels, wanted, sorter=order)
    found = order[np.minimum(ranks, max(len(labels) - 1, 0))] if len(labels) else ranks
    missing = np.flatnonzero(labels[found] != wanted) if len(labels) else np.arange(len(wanted))
    if len(missing):
        row = int(missing[0])
        raise NetworkError(f"row {row + 1} of the edges names node {wanted[row]}, which is not among the nodes")
    return found.astype(np.int64)
