"""Networks from SciPy's matrices, and from tables of edges: pandas, Polars, Arrow, or a mapping of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.errors import NetworkError
from wayfront.interop.assembly import Parts, Weights, degrees, make_network
from wayfront.network.road_network import RoadNetwork

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
    tails, heads = _ends(edges, source), _ends(edges, target)
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


def _ends(edges: Any, column: str) -> NDArray[Any]:
    """Return a column of nodes. Raises ``NetworkError`` where a row has none."""
    nodes = _column(edges, column)
    if nodes.dtype.kind == "f":
        missing = np.flatnonzero(np.isnan(nodes))
    else:
        missing = np.flatnonzero(np.isin(nodes.astype(str), _MISSING)) if nodes.dtype.kind in "UM" else np.empty(0, int)
        given = np.asarray(edges[column])
        missing = np.array([row for row in missing if not isinstance(given[row], str)], int)
    if len(missing):
        raise NetworkError(f"row {missing[0] + 1} of the edges has no {column}")
    return nodes


def _column(frame: Any, column: str) -> NDArray[Any]:
    if not _has(frame, column):
        raise NetworkError(f"the table has no column {column!r}")
    values = np.asarray(frame[column])
    return values.astype(str) if values.dtype.kind == "O" else values


def _labels(nodes: Any, column: str) -> NDArray[Any]:
    """Return what nodes are called: a column, or the index of a frame that has one."""
    if not _has(nodes, column) and hasattr(nodes, "index"):
        values = np.asarray(nodes.index)
        return values.astype(str) if values.dtype.kind == "O" else values
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
