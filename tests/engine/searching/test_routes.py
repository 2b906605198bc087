"""Searches to a target: the route of each is Dijkstra's, what it settled is right, and its certificate sees errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfront
from search_checks import make_network, networks, plain_distances, random_arcs
from there import there
from wayfront.algorithms import target_bounds
from wayfront.algorithms.target_bounds import points_for
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import RouteResult, SearchKind
from wayfront.safe.errors import CertificateError, NetworkError, OptionError, TraceError
from wayfront.searching.certificate import certify
from wayfront.searching.registry import algorithms, state_after
from wayfront.trace.step_views import Recorded

NAMES = [a.name for a in algorithms(SearchKind.ROUTE)]


def find(network: RoadNetwork, source: int, target: int, name: str, **others: Any) -> RouteResult:
    given = {"runs": 0, "verify": True, **others}
    found: RouteResult = wayfront.search(network, source, name, "cpu", target=target, **given, trace=True)
    return found


@pytest.fixture(scope="module")
def grid() -> RoadNetwork:
    return wayfront.open_network("synthetic:grid?columns=24&rows=16")


def placed(network: RoadNetwork, seed: int) -> RoadNetwork:
    """Return a network with random places, near and far, some of them the same."""
    r = np.random.default_rng(seed)
    span = r.choice([3, 10**4, 10**7])
    return network.with_coordinates(r.integers(-span, span + 1, (network.node_count, 2)).astype(np.int32))


@settings(deadline=None, max_examples=20)
@given(network=networks(), ends=st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), seed=st.integers(0, 2**16))
def test_every_search_finds_the_distance_of_dijkstra(network: RoadNetwork, ends: tuple[int, int], seed: int) -> None:
    source, target = (end % network.node_count for end in ends)
    network = placed(network, seed)
    expected = plain_distances(network, source)[target]
    for name in NAMES:
        options = {"landmarks": 1 + seed % 3} if name == "alt" else {}
        result = find(network, source, target, name, options=options)
        assert result.verified
        assert (None if result.distance < 0 else result.distance) == expected
        assert (len(result.route()) == 0) == (expected is None)
        trace = there(result.trace)
        assert len(trace) == result.settled_count
        assert sorted(trace.settled.tolist()) == np.flatnonzero(result.settled).tolist()
        assert ((trace.first_reached >= 0) == result.reached).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_larger_network_is_searched_in_shares(name: str, grid: RoadNetwork) -> None:
    result = find(grid, 3, 370, name, runs=1)
    trace = result.trace
    assert trace is not None and trace.tentative is None
    assert np.sort(trace.frontier_nodes).tolist() == np.flatnonzero(result.settled).tolist()
    assert trace.relaxations.sum() == result.relaxations
    assert result.route()[0] == 3 and result.route()[-1] == 370


def test_bounds_and_two_ends_save_nodes() -> None:
    network = wayfront.open_network("assets/city.wayfront")
    pairs = np.random.default_rng(1).integers(0, network.node_count, (4, 2)).tolist()
    counts = {name: sum(find(network, s, t, name, verify=False).settled_count for s, t in pairs) for name in NAMES}
    assert 2 * counts["alt"] < counts["dijkstra-to-target"] > 2 * counts["a-star"]
    assert counts["alt"] < counts["a-star"]
    assert counts["bidirectional"] < counts["dijkstra-to-target"]


def test_a_second_search_of_a_run_forgets_the_first(grid: RoadNetwork) -> None:
    once, often = (find(grid, 3, 200, "bidirectional", runs=runs) for runs in (0, 3))
    assert (once.distances == often.distances).all() and (once.settled == often.settled).all()


def test_only_settled_distances_are_final(grid: RoadNetwork) -> None:
    result, tree = find(grid, 3, 200, "a-star"), wayfront.search(grid, 3, "dijkstra", "cpu", runs=0, trace=True)
    assert (result.distances[result.settled] == tree.distances[result.settled]).all()
    waiting = result.reached & ~result.settled
    assert waiting.any() and (result.distances[waiting] >= tree.distances[waiting]).all()
    settled, unsettled = (int(np.flatnonzero(nodes)[-1]) for nodes in (result.settled, ~result.settled))
    assert result.route(settled).distance == tree.distances[settled]
    with pytest.raises(NetworkError, match="ended before it knew a shortest path"):
        result.route(unsettled)


def test_closed_roads_are_avoided(grid: RoadNetwork) -> None:
    for name in NAMES:
        route = find(grid, 3, 200, name).route()
        around = find(grid, 3, 200, name, closures=route.arcs[:1])
        assert route.arcs[0] not in around.route().arcs and around.distance >= route.distance


def test_a_star_measures_the_arcs_once_whatever_roads_are_closed(
    grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str] = []
    best_points = target_bounds._best_points

    def noted(network: RoadNetwork, metric: Metric) -> target_bounds.Points:
        measured.append(network.name)
        return best_points(network, metric)

    monkeypatch.setattr(target_bounds, "_best_points", noted)
    network = replace(grid, name="measured once", _derived={})
    for closed in ([0], [1, 2], []):
        find(network, 3, 200, "a-star", closures=closed)
    assert measured.count(network.name) == 1  # the others compile


def test_one_arc_too_short_does_not_spoil_the_bound() -> None:
    n = 20_000
    weights = [10] * (n - 1)
    weights[7] = 1
    line = make_network(n, [(i, i + 1, w) for i, w in enumerate(weights)])
    line = line.with_coordinates(np.stack((np.arange(n) * 100, np.zeros(n)), axis=1).astype(np.int32))
    points, per_radian, _ = points_for(line, line.metrics[0])
    assert per_radian == pytest.approx(10 / np.radians(100e-6) / 2, rel=1e-3)  # arcs beside it are twice as long now
    merged = points.reshape(-1, 3)
    assert (merged[7] == merged[8]).all() and (merged[6] != merged[7]).any()


def test_what_is_asked_for_wrongly_is_refused(grid: RoadNetwork) -> None:
    with pytest.raises(OptionError, match="a-star finds a route and needs a target"):
        wayfront.search(grid, 0, "a-star", "cpu", trace=True)
    with pytest.raises(OptionError, match="dijkstra finds one tree; choose an algorithm that finds a route"):
        wayfront.search(grid, 0, "dijkstra", "cpu", target=4, trace=True)
    with pytest.raises(NetworkError, match="a target is an internal node number"):
        wayfront.search(grid, 0, "alt", "cpu", target="4", trace=True)  # type: ignore[call-overload]
    with pytest.raises(NetworkError, match="has no coordinates, and A"):
        find(random_arcs(5, 9, 3, 1), 0, 4, "a-star")


def test_small_graphs_show_their_heaps() -> None:
    network = wayfront.open_network("example:paper-e")
    for name, titles in (("a-star", 1), ("bidirectional", 2)):
        recorded = there(Recorded.of(find(network, 0, 4, name)))
        begin = state_after(recorded, 0)
        assert begin is not None and len(begin.rows) == titles
        assert [row.nodes for row in begin.rows] == [(0,), (4,)][:titles]


@pytest.mark.parametrize("name", ["bidirectional", "alt"])
def test_a_saved_route_opens_again(name: str, grid: RoadNetwork, tmp_path: Path) -> None:
    result = find(grid, 3, 200, name)
    wayfront.save_trace(result, tmp_path / "route.wftrace")
    loaded = wayfront.load_trace(tmp_path / "route.wftrace", grid)
    assert isinstance(loaded, RouteResult) and loaded.verified
    assert loaded.summary() | {"verified": True} == result.summary()
    assert (loaded.path == result.path).all() and (loaded.from_target == result.from_target).all()
    wrong = replace(result, path=np.append(result.path[:1], result.path[-1:]))
    wayfront.save_trace(wrong, tmp_path / "wrong.wftrace")
    with pytest.raises(TraceError, match="the route has no arc"):
        wayfront.load_trace(tmp_path / "wrong.wftrace", grid)


def changed(array: Any, index: int, value: Any) -> Any:
    array = array.copy()
    array[index] = value
    return array


def test_the_certificate_sees_every_error(grid: RoadNetwork) -> None:
    result = find(grid, 3, 200, "bidirectional")
    node = int(np.flatnonzero(result.settled & result.from_target)[3])
    waiting = int(np.flatnonzero(result.reached & ~result.settled)[0])
    unseen = int(np.flatnonzero(~result.reached)[0])
    wrong: dict[str, dict[str, Any]] = {
        "route has length": {"distance": result.distance - 1},
        "does not lead from the source": {"path": result.path[1:]},
        "there is a distance of": {"path": result.path[:0]},
        f"node {grid.node_ids[node]} is at": {"distances": changed(result.distances, node, 1)},
        "as parent": {"parents": changed(result.parents, waiting, unseen)},
        "has a parent, but": {"parents": changed(result.parents, result.target, node)},
        "settled without a distance": {"settled": changed(result.settled, unseen, True)},
    }
    for finding, change in wrong.items():
        with pytest.raises(CertificateError, match=finding):
            certify(replace(result, **change))
