"""What the tests of all-pairs searches share: networks of every shape, and what SciPy finds on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from search_checks import make_network, random_arcs
from wayfront.devices import describe_device
from wayfront.network.road_network import RoadNetwork
from wayfront.network.structure import in_largest_component
from wayfront.results.pairs import PairsResult
from wayfront.results.result import SearchKind
from wayfront.searching.registry import algorithms
from wayfront.synthetic import from_name

EXTREMES: dict[str, tuple[dict[str, Any], ...]] = {
    "floyd-warshall": ({"rows": 3},),
    "heap-apsp": ({"block": 7, "layout": "interleaved", "room": 20},),
}
"""Values of numeric options that change how an all-pairs search goes."""


def pairs_variants(device: str) -> list[tuple[str, dict[str, Any]]]:
    """Return every all-pairs algorithm that runs on a device, with its defaults, each choice, and its extremes."""
    found: list[tuple[str, dict[str, Any]]] = []
    for algorithm in algorithms(SearchKind.ALL_PAIRS):
        if algorithm.runs_on(describe_device(device)):
            choices: list[dict[str, Any]]
            choices = [{o.name: value} for o in algorithm.options for value in o.choices if value != o.default]
            choices += [{o.name: not o.default} for o in algorithm.options if o.kind is bool]
            extremes = EXTREMES.get(algorithm.name, ())
            found += [(algorithm.name, options) for options in ({}, *choices, *extremes)]
    return found


def shapes() -> dict[str, RoadNetwork]:
    """Return a small network of each shape that the searches have to get right."""
    return {
        "random": random_arcs(70, 260, 50, 1),
        "R-MAT": from_name("synthetic:rmat?n=64&m=400&seed=3"),
        "ring": from_name("synthetic:ring?n=50"),
        "complete": from_name("synthetic:complete?n=40"),
        "city-like": from_name("synthetic:grid?columns=9&rows=8&seed=2"),
        "disconnected": make_network(40, [(u, (u + 1) % 10 + u // 10 * 10, u + 1) for u in range(40) if u % 10 < 9]),
        "zero weights": random_arcs(50, 200, 1, 4),
        "all zero": random_arcs(30, 90, 0, 5),
        "no arcs": make_network(3, []),
        "one node": make_network(1, []),
        "one node with a loop": make_network(1, [(0, 0, 3)]),
        "a hub of 90 arcs": make_network(91, [(0, v, v) for v in range(1, 91)] + [(v, 0, 1) for v in range(1, 91)]),
    }


def expected_matrix(network: RoadNetwork, sources: NDArray[Any] | None = None) -> NDArray[np.int64]:
    """Return SciPy's distances [k, n], -1 where there is no path.

    SciPy adds parallel arcs up and takes weights of 0 for absent arcs: of parallel ones the lightest is given, and
    all weights are given times n, plus 1, which is taken back by dividing: no path has n arcs.
    """
    n = network.node_count
    places = np.arange(n) if sources is None else np.asarray(sources)
    lightest: dict[tuple[int, int], int] = {}
    triples = zip(network.tails().tolist(), network.targets.tolist(), network.metrics[0].weights.tolist(), strict=True)
    for tail, head, weight in triples:
        lightest[tail, head] = min(weight, lightest.get((tail, head), weight))
    lengths = np.array([weight * n + 1 for weight in lightest.values()], np.float64)
    ends = np.array(list(lightest), np.int64).reshape(-1, 2)
    graph = csr_array((lengths, (ends[:, 0], ends[:, 1])), shape=(n, n))
    found = np.asarray(dijkstra(graph, indices=places)).reshape(len(places), n)
    return np.where(np.isinf(found), -1, np.where(np.isinf(found), 0, found) // n).astype(np.int64)


def check_pairs(result: PairsResult) -> None:
    """Compare every figure of a result, and its matrix where it has one, with what SciPy finds."""
    network, figures = result.searched[0], result.figures
    expected = expected_matrix(network, result.sources)
    assert figures.done.all()
    assert figures.reached.tolist() == (expected >= 0).sum(1).tolist()
    assert figures.total.tolist() == np.where(expected < 0, 0, expected).sum(1).tolist()
    assert figures.eccentricity.tolist() == expected.max(1).tolist()
    ids = network.node_ids
    for row, farthest in zip(expected, figures.farthest.tolist(), strict=True):
        assert ids[farthest] == ids[row == row.max()].min()
    assert result.pairs_reached == (expected >= 0).sum()
    assert result.diameter.distance == expected.max()
    place = result.sources.tolist().index(result.diameter.source)
    assert expected[place, result.diameter.target] == expected.max()
    central = in_largest_component(network)[result.sources]
    most = (expected >= 0).sum(1) == (expected >= 0).sum(1).max()
    assert result.centre.eccentricity == expected[central if central.any() else most].max(1).min()
    if result.matrix is not None:
        assert np.array_equal(np.asarray(result.matrix), expected)
    trace = result.trace
    if trace is not None:
        assert len(trace) == result.steps
        finished = np.flatnonzero(trace.first_reached >= 0)
        assert finished.tolist() == sorted(result.sources.tolist())
