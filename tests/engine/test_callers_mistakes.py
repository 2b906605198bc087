"""What callers hand over by mistake is refused in the library's own words, before anything is searched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wayfront
from wayfront.safe.errors import MissingPackageError, NetworkError, WayfrontError

GRID = wayfront.open_network("synthetic:grid?columns=6&rows=5")
CPU = ("dijkstra-heap", "cpu")

Call = Callable[[], Any]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return {
        "tree": wayfront.search(GRID, 0, *CPU),
        "nearest": wayfront.search_nearest(GRID, [0, 3], *CPU),
        "route": wayfront.search(GRID, 0, "bidirectional", target=7),
        "pairs": wayfront.all_pairs(GRID, "dijkstra-in-turn", "cpu", keep="matrix"),
        "prepared": wayfront.prepare(GRID, device="cpu"),
    }


@pytest.mark.parametrize("what", ["tree", "nearest", "route"])
@pytest.mark.parametrize("target", [-1, 30, 1000, "5", 2.0, True, [3]])
def test_a_route_leads_to_a_node(found: dict[str, Any], what: str, target: Any) -> None:
    with pytest.raises(NetworkError, match="internal node"):
        found[what].route(target)


@pytest.mark.parametrize("node", [-1, 30, "5", 0.5, True])
def test_rows_and_trees_are_those_of_a_node(found: dict[str, Any], node: Any) -> None:
    for call in (found["pairs"].row, found["prepared"].tree):
        with pytest.raises(NetworkError, match="internal node"):
            call(node)
    with pytest.raises(NetworkError, match="internal node"):
        found["prepared"].trees([node])


def search(*args: Any, **asked: Any) -> Call:
    return lambda: wayfront.search(GRID, *args, **asked)


MISTAKES: dict[str, tuple[Call, str]] = {
    "runs as text": (
        search(0, runs="x"),
        "runs, how many clean runs are timed, is a whole number of 0 or more, not 'x'",
    ),
    "half a run": (search(0, runs=1.5), "not 1.5"),
    "negative runs": (search(0, runs=-3), "not -3"),
    "runs of all pairs": (lambda: wayfront.all_pairs(GRID, runs="x"), "not 'x'"),  # type: ignore[arg-type]
    "budget as text": (search(0, trace_budget="x"), "trace_budget, in bytes, is a whole number"),
    "negative budget": (search(0, trace_budget=-5), "not -5"),
    "algorithm": (search(0, 5), "an algorithm is named by a text"),
    "device": (search(0, "dijkstra", 5), "a device is named by a text"),
    "metric": (search(0, metric=5), "a metric is named by a text"),
    "options as list": (search(0, "near-far", options=[1]), "options are values by name"),
    "options as text": (search(0, "near-far", options="delta=3"), "options are values by name"),
    "position": (lambda: wayfront.find_node(GRID, (1, 2)), "a node is named by a text"),  # type: ignore[arg-type]
    "id": (lambda: wayfront.find_node(GRID, 5), "network.node"),  # type: ignore[arg-type]
    "name": (lambda: wayfront.node_called(GRID, 5), "a node is named by a text"),  # type: ignore[arg-type]
    "option of OpenStreetMap": (
        lambda: wayfront.open_network("synthetic:ring?nodes=5", simplify=True),
        r"osm=wayfront.OsmOptions\(simplify=…\)",
    ),
    "unknown option": (lambda: wayfront.open_network("synthetic:ring?nodes=5", sime=1), "no option 'sime'; it has"),
    "options of opening": (
        lambda: wayfront.open_network("synthetic:ring?nodes=5", {"force": True}),  # type: ignore[arg-type]
        "not dict",
    ),
    "no OsmOptions": (lambda: wayfront.open_network("x", osm=5), "not int"),
    "memory of nothing": (lambda: wayfront.estimate_memory(5), "not from int"),  # type: ignore[arg-type]
    "no network": (lambda: wayfront.search(None, 0), "not NoneType"),  # type: ignore[call-overload]
    "path": (lambda: wayfront.search("city.wayfront", 0), "open_network opens it"),  # type: ignore[call-overload]
    "path of all pairs": (lambda: wayfront.all_pairs("x"), "open_network"),  # type: ignore[arg-type]
    "path to prepare": (lambda: wayfront.prepare("x"), "open_network"),  # type: ignore[arg-type]
    "path of the nearest": (lambda: wayfront.search_nearest("x", [1]), "open_network"),  # type: ignore[call-overload]
    "one source for many": (lambda: wayfront.search_nearest(GRID, 5), "sources are one or more"),  # type: ignore[call-overload]
    "half a source": (lambda: wayfront.search_nearest(GRID, [0.5]), "sources are one or more"),  # type: ignore[list-item]
    "sources of several lengths": (
        lambda: wayfront.all_pairs(GRID, sources=[[1], [2, 3]]),  # type: ignore[list-item]
        "sources are one or more",
    ),
    "a source beyond 64 bits": (lambda: wayfront.all_pairs(GRID, sources=[10**30]), "sources are one or more"),
    "no tail": (lambda: wayfront.arcs_between(GRID, [-1], [5]), "no internal node -1"),
    "tails as text": (lambda: wayfront.arcs_between(GRID, "1", "5"), "tails are"),
    "tails without heads": (lambda: wayfront.arcs_between(GRID, [1, 2], [5]), "2 tails and 1 heads"),
    "rows of no numbers": (lambda: wayfront.best_depots([0], "x"), "rows are whole distances"),  # type: ignore[arg-type]
    "rows with fractions": (lambda: wayfront.best_depots([0], np.zeros((1, 30))), "float64"),
    "rows of others": (lambda: wayfront.best_depots([0, 1], np.zeros((1, 30), int)), "a row for each candidate"),
    "candidates as text": (
        lambda: wayfront.best_depots("a", np.zeros((1, 30), int)),  # type: ignore[arg-type]
        "candidates are internal node numbers",
    ),
    "matrix as number": (lambda: wayfront.all_pairs(GRID, keep=5), "not in '5'"),  # type: ignore[arg-type]
    "table as number": (lambda: wayfront.from_pandas(5), "not int"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_explained(name: str) -> None:
    call, said = MISTAKES[name]
    with pytest.raises(WayfrontError, match=said):
        call()


def test_nothing_is_timed_or_recorded_unless_asked_for() -> None:
    result = wayfront.search(GRID, 0, *CPU)
    assert (result.timing.runs_ms, result.timing.traced_ms, result.trace, result.steps) == ((), None, None, None)
    pairs = wayfront.all_pairs(GRID, "dijkstra-in-turn", "cpu")
    assert (pairs.timing.runs_ms, pairs.trace) == ((), None)
    asked = wayfront.search(GRID, 0, *CPU, runs=2, trace=True)
    assert len(asked.timing.runs_ms) == 2
    assert asked.steps == len(asked.trace or ())
    assert wayfront.search(GRID, 0, *CPU, trace_budget=5000).trace is not None


def test_a_source_that_is_named_twice_is_searched_from_once() -> None:
    result = wayfront.all_pairs(GRID, "dijkstra-in-turn", "cpu", sources=[7, 1, 7, 1], keep="matrix")
    assert result.sources.tolist() == [7, 1]
    assert result.matrix is not None
    assert result.matrix.shape == (2, GRID.node_count)
    assert result.pairs_reached == 2 * GRID.node_count


@pytest.mark.parametrize("missing", ["pandas", "geopandas", "networkx", "scipy"])
def test_what_needs_another_library_says_so(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    imported = importlib.import_module

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=missing)
        return imported(name, *rest)

    monkeypatch.setattr("wayfront.network.exporting.import_module", without)
    calls: dict[str, Call] = {
        "pandas": GRID.to_pandas,
        "geopandas": GRID.to_geodataframes,
        "networkx": GRID.to_networkx,
        "scipy": GRID.to_scipy,
    }
    with pytest.raises(MissingPackageError, match=rf'this needs {missing}: pip install "wayfront\[interop\]"'):
        calls[missing]()


def test_a_weight_that_no_edge_has_is_refused() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph()
    graph.add_edge("a", "b", length=2)
    with pytest.raises(NetworkError, match="no edge has the attribute 'distance'; edges have: length"):
        wayfront.from_networkx(graph, weight="distance")
    assert wayfront.from_networkx(graph).metrics[0].weights.tolist() == [1]
    assert wayfront.from_networkx(graph, weight="length").metrics[0].weights.tolist() == [2]
