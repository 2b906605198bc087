"""The backend of NetworkX returns what NetworkX returns: numbers of the same types, the same paths, the same errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfront
from wayfront.networkx_backend import backend
from wayfront.networkx_backend.info import FUNCTIONS, backend_info

BACKEND = "wayfront"
KINDS = ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")
WEIGHTS = {
    "whole": st.integers(0, 9),
    "floating": st.floats(0, 10, allow_subnormal=False),
    "tenths": st.integers(0, 30).map(lambda tenths: tenths / 10),
    "mixed": st.one_of(st.integers(0, 5), st.sampled_from([0.5, 1.0, 2.5])),
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Do without NetworkX' warning that a conversion is used again, which every second call gives."""
    networkx.config.warnings_to_ignore.add("cache")
    yield
    networkx.config.warnings_to_ignore.discard("cache")


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    """Return a graph of any kind with self-loops, parallel edges, edges without a weight, and parts without a path."""
    graph = getattr(networkx, draw(st.sampled_from(KINDS)))()
    nodes = draw(st.lists(st.sampled_from([*range(7), "a", ("b", 1)]), min_size=1, max_size=7, unique=True))
    graph.add_nodes_from(nodes)
    weights = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))]
    ends = st.sampled_from(nodes)
    for tail, head, weight in draw(st.lists(st.tuples(ends, ends, st.none() | weights), max_size=20)):
        graph.add_edge(tail, head, **({} if weight is None else {"weight": weight}))
    return graph


def outcome(call: Callable[[], Any]) -> Any:
    """Return a call's result with the types of all numbers in it, or its error."""
    try:
        result = call()
        return typed(dict(result) if isinstance(result, Iterator) else result)
    except (networkx.NetworkXException, ValueError, KeyError) as error:
        return type(error), str(error)


def typed(result: Any) -> Any:
    if isinstance(result, dict):
        return {key: typed(value) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [typed(value) for value in result]
    return type(result), result


def check(name: str, graph: Any, *args: Any, **kwargs: Any) -> None:
    function = getattr(networkx, name)
    ours = outcome(lambda: function(graph, *args, **kwargs, backend=BACKEND))
    assert ours == outcome(lambda: function(graph, *args, **kwargs)), (name, args, kwargs)


def test_networkx_finds_the_backend() -> None:
    assert BACKEND in networkx.utils.backends.backends, "installed before the backend was there: run 'make setup'"
    for name in FUNCTIONS:
        assert BACKEND in getattr(networkx, name).backends
    assert "Weights of 0 or more only" in networkx.bellman_ford_path.__doc__
    assert set(backend_info()["functions"]) == set(FUNCTIONS)


@given(graphs(), st.data())
@settings(max_examples=60, deadline=None)
def test_distances_and_paths_are_those_of_networkx(graph: Any, data: st.DataObject) -> None:
    ends = st.sampled_from([*graph, "nowhere"])
    source, target = data.draw(ends), data.draw(ends)
    cutoff = data.draw(st.sampled_from([None, 0, 2, 3.5, float("nan")]))
    weight = data.draw(st.sampled_from(["weight", None]))
    for name in ("single_source_dijkstra", "single_source_dijkstra_path", "single_source_dijkstra_path_length"):
        check(name, graph, source, cutoff=cutoff, weight=weight)
    sources = [source, target]
    for name in ("multi_source_dijkstra", "multi_source_dijkstra_path", "multi_source_dijkstra_path_length"):
        check(name, graph, sources, cutoff=cutoff, weight=weight)
    check("single_source_dijkstra", graph, source, target, cutoff=cutoff, weight=weight)
    check("multi_source_dijkstra", graph, {source}, target, weight=weight)
    check("multi_source_dijkstra", graph, [])
    check("dijkstra_predecessor_and_distance", graph, source, cutoff=cutoff, weight=weight)
    for name in ("dijkstra_path", "dijkstra_path_length", "bidirectional_dijkstra", "bellman_ford_path_length"):
        check(name, graph, source, target, weight=weight)
    for name in ("astar_path", "astar_path_length"):
        check(name, graph, source, target, weight=weight, cutoff=cutoff)
    check("single_source_bellman_ford_path_length", graph, source, weight=weight)
    for name in ("single_source_shortest_path", "single_source_shortest_path_length"):
        check(name, graph, source, cutoff=cutoff)
    check("bidirectional_shortest_path", graph, source, target)
    check("has_path", graph, source, target)
    for method in ("dijkstra", "unheard-of"):
        for ask in ("shortest_path", "shortest_path_length"):
            check(ask, graph, source, target, weight=weight, method=method)
            check(ask, graph, source, weight=weight, method=method)
            check(ask, graph, target=target, weight=weight, method=method)


@given(graphs())
@settings(max_examples=40, deadline=None)
def test_all_pairs_and_measures_are_those_of_networkx(graph: Any) -> None:
    for weight in ("weight", None):
        for name in ("all_pairs_dijkstra", "all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length"):
            check(name, graph, weight=weight, cutoff=4)
        check("all_pairs_bellman_ford_path_length", graph, weight=weight)
        for name in ("eccentricity", "diameter", "radius", "periphery", "average_shortest_path_length"):
            check(name, graph, weight=weight)
        check("eccentricity", graph, next(iter(graph)), weight=weight)
        check("eccentricity", graph, list(graph)[:2], weight=weight)
        check("closeness_centrality", graph, distance=weight)
        check("closeness_centrality", graph, next(iter(graph)), weight, False)
        check("harmonic_centrality", graph, distance=weight)
        check("harmonic_centrality", graph, list(graph)[:2], weight)
        check("harmonic_centrality", graph, None, weight, list(graph)[1:])
    check("closeness_centrality", graph, "nowhere")
    for name in ("all_pairs_shortest_path", "all_pairs_shortest_path_length"):
        check(name, graph, cutoff=2)
    check("average_shortest_path_length", networkx.Graph())
    check("average_shortest_path_length", graph, method="unheard-of")


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_bellman_ford_paths_are_shortest(graph: Any) -> None:
    """Which of equally long ones is found depends there on the order in which nodes enter a queue."""
    for source, paths in networkx.all_pairs_bellman_ford_path(graph, backend=BACKEND):
        lengths = networkx.single_source_dijkstra_path_length(graph, source)
        assert paths.keys() == lengths.keys()
        for target, path in paths.items():
            assert path[0] == source and path[-1] == target
            assert sum(lightest(graph, *ends) for ends in pairwise(path)) == pytest.approx(lengths[target])


def lightest(graph: Any, tail: Any, head: Any) -> float:
    edges = graph[tail][head].values() if graph.is_multigraph() else [graph[tail][head]]
    return float(min(data.get("weight", 1) for data in edges))


def city(seed: int, *, part: float = 1, **kind: bool) -> Any:
    """Return a random graph with so many nodes that its cut is one."""
    rng = np.random.default_rng(seed)
    graph = networkx.random_geometric_graph(300, 0.1, seed=seed)
    graph = graph.to_directed() if kind.get("directed") else graph
    for *_, data in graph.edges(data=True):
        data["weight"] = int(rng.integers(0, 50)) * part if part != 1 else int(rng.integers(0, 50))
    return graph


@pytest.mark.parametrize("part", [1, 0.25, 0.1])
def test_a_graph_that_is_searched_often_is_cut(part: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wayfront.networkx_backend.graph.AT_ONCE_S", 0.0)
    monkeypatch.setattr("wayfront.networkx_backend.graph.WORTH", 0.0)
    graph = city(1, part=part, directed=True)
    source = 7
    first = networkx.single_source_dijkstra_path_length(graph, source, backend=BACKEND)
    second = networkx.single_source_dijkstra_path_length(graph, source, backend=BACKEND)
    assert typed(first) == typed(second) == typed(networkx.single_source_dijkstra_path_length(graph, source))
    (kept,) = graph.__networkx_cache__["backends"][BACKEND].values()
    assert (kept.weighted("weight").prepared() is not None) == (part != 0.1)  # sums of tenths are rounded one by one


@pytest.mark.parametrize("part", [1, 0.25])
def test_measures_of_large_graphs_are_found_by_all_pairs(part: float, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = city(2, part=part, directed=True).subgraph(range(300)).copy()
    graph = graph.subgraph(max(networkx.strongly_connected_components(graph), key=len)).copy()
    find = Mock(wraps=wayfront.all_pairs)
    monkeypatch.setattr("wayfront.networkx_backend.backend.MANY_PAIRS", 0)
    monkeypatch.setattr("wayfront.networkx_backend.backend.all_pairs", find)
    check("closeness_centrality", graph, distance="weight")
    check("eccentricity", graph, weight="weight")
    check("average_shortest_path_length", graph, weight="weight")
    assert find.call_count >= 3


def test_a_conversion_is_kept_until_the_graph_changes() -> None:
    graph = networkx.path_graph(5)
    assert networkx.has_path(graph, 0, 4, backend=BACKEND)
    kept = dict(graph.__networkx_cache__["backends"][BACKEND])
    assert networkx.shortest_path(graph, 0, 4, backend=BACKEND) == [0, 1, 2, 3, 4]
    assert graph.__networkx_cache__["backends"][BACKEND] == kept
    graph.add_edge(0, 4)
    assert networkx.shortest_path(graph, 0, 4, backend=BACKEND) == [0, 4]
    (converted,) = graph.__networkx_cache__["backends"][BACKEND].values()
    assert converted is not next(iter(kept.values()))
    assert networkx.shortest_path_length(converted, 0, 3) == 2  # its own graph goes to it without being named
    assert backend.convert_to_nx(converted) is graph


@pytest.mark.parametrize(
    "weight",
    [Decimal(1), None, "1", np.float32(0.1), float("nan"), 2**53, 10**400, 1 + 2j],
    ids=lambda w: type(w).__name__,
)
def test_what_is_no_number_of_64_bits_is_left_to_networkx(weight: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = networkx.Graph()
    graph.add_edge(1, 2, weight=weight)
    with pytest.raises(NotImplementedError, match=BACKEND):
        networkx.dijkstra_path_length(graph, 1, 2, backend=BACKEND)
    monkeypatch.setattr(networkx.config.backend_priority, "algos", [BACKEND])
    assert networkx.has_path(graph, 1, 2)
    if not isinstance(weight, str | None):
        found = networkx.dijkstra_path_length(graph, 1, 2)
        assert str(found) == str(weight)


def test_what_runs_in_python_is_left_to_networkx() -> None:
    graph = networkx.path_graph(4)
    calls: tuple[Callable[..., Any], ...] = (
        lambda **b: networkx.dijkstra_path(graph, 0, 3, weight=lambda u, v, data: 1, **b),
        lambda **b: networkx.astar_path(graph, 0, 3, heuristic=lambda u, v: 0, **b),
        lambda **b: networkx.closeness_centrality(graph, distance=lambda u, v, data: 1, **b),
        lambda **b: networkx.diameter(graph, usebounds=True, **b),
        lambda **b: networkx.average_shortest_path_length(graph, method="floyd-warshall", **b),
    )
    for call in calls:
        with pytest.raises(NotImplementedError, match="for the given arguments"):
            call(backend=BACKEND)
        assert call()


def test_negative_weights_are_found_out_or_left_to_networkx() -> None:
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 5), (0, 2, 6), (2, 1, -4), (1, 3, 1)])
    check("single_source_dijkstra", graph, 0)
    check("bidirectional_dijkstra", graph, 0, 3)
    with pytest.raises(NotImplementedError):
        networkx.bellman_ford_path(graph, 0, 3, backend=BACKEND)


def test_small_graphs_are_not_converted_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networkx.config.backend_priority, "algos", [BACKEND])
    small, large = networkx.path_graph(10), networkx.path_graph(600)
    assert networkx.has_path(small, 0, 9) and networkx.has_path(large, 0, 599)
    assert "backends" not in small.__networkx_cache__ and "backends" in large.__networkx_cache__


def test_to_import_networkx_imports_no_compiler() -> None:
    names = "sorted({m.split('.')[0] for m in sys.modules} & {'numba', 'numpy', 'llvmlite'})"
    backends = "'wayfront' in networkx.utils.backends.backends and 'wayfront.networkx_backend.backend' in sys.modules"
    code = f"import sys, networkx; print({names}, {backends})"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[] False\n"
    )


# -------------------------------------------------------------------------------------------------- NetworkX' own tests

OWN_TESTS = (
    "networkx.algorithms.shortest_paths",
    "networkx.algorithms.centrality.tests.test_betweenness_centrality",
    "networkx.algorithms.centrality.tests.test_betweenness_centrality_subset",
    "networkx.algorithms.centrality.tests.test_closeness_centrality",
    "networkx.algorithms.centrality.tests.test_harmonic_centrality",
    "networkx.algorithms.tests.test_distance_measures",
)

COUNTING = """
import atexit, json, os
import networkx
from wayfront.networkx_backend import backend, info

counts = dict.fromkeys(info.FUNCTIONS, 0)

def counted(name, function):
    def call(*args, **kwargs):
        counts[name] += 1
        return function(*args, **kwargs)
    return call

def pytest_configure(config):
    for name in counts:
        backend._signature(name)
        setattr(backend, name, counted(name, getattr(backend, name)))

def pytest_unconfigure(config):
    with open(os.environ["COUNTS"], "w") as file:
        json.dump(counts, file)
"""


def test_the_tests_of_networkx_pass_with_the_backend(tmp_path: Path) -> None:
    """What the backend does not have runs in NetworkX: functions as weights, negative weights, and other functions."""
    (tmp_path / "counting.py").write_text(COUNTING)
    environment = os.environ | {
        "NETWORKX_TEST_BACKEND": BACKEND,
        "NETWORKX_FALLBACK_TO_NX": "1",
        "COUNTS": str(tmp_path / "counts.json"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    # Two thousand comparisons of bounds, which are not the backend's.
    others = ["-k", "not use_bounds", "-p", "no:cacheprovider", "-p", "counting"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *others, "--pyargs", *OWN_TESTS],
        capture_output=True, text=True, cwd=tmp_path, env=environment, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-1000:]
    assert "xfailed" not in ran.stdout
    counts = json.loads((tmp_path / "counts.json").read_text())
    assert min(counts.values()) > 0, counts
