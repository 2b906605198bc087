"""One search from several sources finds what a search from each of them and a look at all do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from search_checks import make_network, networks, plain_distances, random_arcs
from there import there
from wayfront.devices import describe_device
from wayfront.network.arcs import facing, without_arcs
from wayfront.network.ends import Ends
from wayfront.network.road_network import RoadNetwork
from wayfront.results.nearest import Nearest
from wayfront.results.result import SearchKind
from wayfront.safe.errors import CertificateError, NetworkError, OptionError, TraceError
from wayfront.searching import customised
from wayfront.searching.certificate import certify
from wayfront.searching.registry import algorithms
from wayfront.synthetic import from_name

ON_CPU = [a.name for a in algorithms(SearchKind.ONE_TREE) if a.runs_on(describe_device("cpu"))]
FAR = 1 << 60


def rows_of(network: RoadNetwork, ends: Ends) -> NDArray[np.int64]:
    """Return the distances [k, n] from every source by plain searches, ``FAR`` where there is no path."""
    rows = np.full((len(ends), network.node_count), FAR, np.int64)
    for source in range(len(ends)):
        for node, cost in zip(ends.nodes[source].tolist(), ends.costs[source].tolist(), strict=True):
            if node >= 0:
                found = [FAR if d is None else d + cost for d in plain_distances(network, node)]
                rows[source] = np.minimum(rows[source], found)
    return rows


def check(result: Nearest, rows: NDArray[np.int64]) -> None:
    """Compare a forest with the distances from each source."""
    least = rows.min(0)
    assert result.distances.tolist() == np.where(least < FAR, least, -1).tolist()
    assert result.nearest.tolist() == np.where(least < FAR, rows.argmin(0), -1).tolist(), "of equally near the first"
    certify(result)
    ids, (network, metric) = result.network.node_ids, result.searched
    ends = network.tails(), network.targets, metric.weights
    for node in np.flatnonzero(least < FAR).tolist():
        parent, d = int(result.parents[node]), result.distances.astype(np.int64)
        entering = [
            (tail, weight)
            for tail, head, weight in zip(*(array.tolist() for array in ends), strict=True)
            if head == node
            and d[tail] >= 0
            and d[tail] + weight == d[node]
            and result.nearest[tail] == result.nearest[node]
        ]
        heavy = [tail for tail, weight in entering if weight > 0]
        if heavy:
            assert parent == min(heavy, key=lambda tail: ids[tail])
        way = result.route(node).nodes
        begin = int(way[-1 if result.reverse else 0])
        assert begin in result.origins.nodes[result.nearest[node]] and begin == result.root(node)


@pytest.mark.parametrize("name", ON_CPU)
def test_every_search_finds_the_nearest_of_several_sources(name: str) -> None:
    network = random_arcs(60, 150, 9, 5)
    for sources, closed in (([7, 30, 7, 12, 44], []), ([3], [1, 2, 60, 61])):
        result = wayfront.search(network, sources, name, "cpu", closures=closed, verify=True)
        open_network = without_arcs(network, np.array(closed, np.int64))
        check(result, rows_of(open_network, Ends.at_nodes(network, sources)))
        assert result.algorithm == name and result.network is network and result.verified
        assert result.closures.tolist() == closed and result.sources.tolist() == sources
        assert result.served.sum() == result.reached.sum()


@settings(deadline=None, max_examples=30)
@given(network=networks(), data=st.data())
def test_any_network_sources_costs_and_closures(network: RoadNetwork, data: st.DataObject) -> None:
    """Weights of 0, parallel arcs, parts that nothing reaches, sources at one node, and such as are left two ways."""
    node, cost = st.integers(0, network.node_count - 1), st.sampled_from([0, 0, 1, 7, 60])
    drawn = data.draw(st.lists(st.tuples(node, cost, st.one_of(st.just(-1), node), cost), min_size=1, max_size=6))
    table = np.array(drawn, np.int64)
    none = np.full((len(table), 2), -1)
    ends = Ends(table[:, [0, 2]].astype(np.int32), table[:, [1, 3]], none, np.zeros_like(none))
    reverse = data.draw(st.booleans())
    arcs = st.lists(st.integers(0, max(network.arc_count - 1, 0)), max_size=4 * (network.arc_count > 0), unique=True)
    closed = np.array(sorted(data.draw(arcs)), np.int64)
    rows = rows_of(without_arcs(*facing(network, closed, reverse=reverse)), ends)
    for name in ("dissection", "dijkstra"):
        check(wayfront.search(network, ends, name, "cpu", closures=closed, reverse=reverse), rows)
    prepared = wayfront.prepare(network, device="cpu", reverse=reverse)
    prepared.nearest(ends)
    prepared.close(closed)
    check(prepared.nearest(ends), rows)
    k = data.draw(st.integers(1, 4))
    ranked = wayfront.search_nearest(network, ends, k=k, closures=closed, reverse=reverse)
    k = min(k, len(ends))
    order = np.argsort(rows, axis=0, kind="stable")[:k]
    expected = np.take_along_axis(rows, order, axis=0)
    assert ranked.distances.tolist() == np.where(expected < FAR, expected, -1).T.tolist()
    assert ranked.nearest.tolist() == np.where(expected < FAR, order, -1).T.tolist()


def test_a_closed_road_is_not_left_by_who_stands_on_it() -> None:
    network = make_network(3, [(0, 1, 10), (1, 0, 10), (1, 2, 5), (2, 1, 5)])
    on_road = Ends(np.array([[1, 0]], np.int32), np.array([[4, 6]]), np.array([[0, 1]]), np.array([[6, 4]]))
    assert wayfront.search(network, on_road).distances.tolist() == [6, 4, 9]
    assert wayfront.search(network, on_road, closures=[0]).distances.tolist() == [6, -1, -1]
    assert wayfront.search(network, on_road, closures=[0], reverse=True).distances.tolist() == [-1, 4, 9]
    with pytest.raises(NetworkError, match="no source is on the network"):
        wayfront.search(network, on_road, closures=[0, 1])


def test_sources_that_make_distances_longer_than_32_bits() -> None:
    network = make_network(3, [(0, 1, 2**31 - 1), (1, 2, 2**31 - 1)])
    ends = Ends(np.array([[0, -1]], np.int32), np.array([[2**31 - 1, 0]]), np.full((1, 2), -1), np.zeros((1, 2), int))
    for name in ("dissection", "dijkstra", "near-far"):
        assert wayfront.search(network, ends, name, "cpu").distances.tolist() == [(2**31 - 1) * i for i in (1, 2, 3)]
    far = replace(ends, costs=ends.costs + 1)
    with pytest.raises(NetworkError, match="from a node"):
        wayfront.search(network, far, "dijkstra", "cpu")
    short = make_network(2, [(0, 1, 3)])
    near = replace(ends, costs=np.array([[2**31 - 2, 0]]))
    assert wayfront.search(short, near, "dissection", "cpu").distances.tolist() == [2**31 - 2, 2**31 + 1]


def test_an_engine_without_forests_makes_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    network, sources = random_arcs(70, 200, 9, 6), [3, 9, 3, 60, 33]
    monkeypatch.setattr(customised, "MakesForests", ())
    monkeypatch.setattr(customised, "AT_ONCE", 2)
    ends = replace(Ends.at_nodes(network, sources), costs=np.array([[c, 0] for c in (5, 0, 2, 9, 1)]))
    check(wayfront.search(network, ends, "dissection", "cpu"), rows_of(network, ends))


def test_a_trace_of_several_sources_has_their_nodes_alone() -> None:
    network, sources = from_name("synthetic:grid?columns=14&rows=12&seed=3"), [0, 100, 7]
    n = network.node_count
    for name in ON_CPU:
        if name == "dissection":
            with pytest.raises(OptionError, match="dissection records no steps from several sources; these do: dijk"):
                wayfront.search(network, sources, name, "cpu", trace=True)
            continue
        for budget in (1 << 30, 600):
            result = wayfront.search(network, sources, name, "cpu", trace_budget=budget)
            trace = there(result.trace)
            assert len(trace.first_reached) == len(trace.last_improved) == n
            assert (trace.first_reached >= 0).all() and (trace.first_reached[sources] == 0).all()
            assert trace.frontier_nodes.max(initial=0) < n and (trace.settled < n).all()
            stored = np.diff(trace.frontier_offsets)
            assert (stored == -(-trace.frontier_size.astype(np.int64) // trace.stride)).all()
            assert result.steps == len(trace)
    found = wayfront.search(network, sources, device="cpu", trace=True)
    assert found.algorithm != "dissection"
    with pytest.raises(TraceError, match="of several sources is kept in no file"):
        wayfront.save_trace(found, "several.wftrace")


def test_a_prepared_network_with_other_weights_finds_its_nearest_sources() -> None:
    network = random_arcs(60, 200, 9, 8)
    prepared = wayfront.prepare(network, device="cpu")
    prepared.set_weights([3, 50, 51, 90], [0, 100, 3, 1])
    prepared.nearest([4, 7])
    prepared.set_weights([3, 8], [44, 2])
    prepared.close([9, 10])
    weights = network.metrics[0].weights.copy()
    weights[[3, 50, 51, 90, 8]] = 44, 100, 3, 1, 2
    changed = network.reweighted(replace(network.metrics[0], weights=weights))
    rows = rows_of(without_arcs(changed, np.array([9, 10])), Ends.at_nodes(network, [4, 7, 30]))
    check(prepared.nearest([4, 7, 30]), rows)
    far = Ends(np.array([[4, -1]], np.int32), np.array([[2**31 - 1, 0]]), np.full((1, 2), -1), np.zeros((1, 2), int))
    check(prepared.nearest(far), rows_of(without_arcs(changed, np.array([9, 10])), far))


def test_places_are_sources_with_what_is_left_of_their_roads() -> None:
    street = wayfront.from_pandas(
        {"source": [1, 2, 2], "target": [2, 1, 3], "weight": [90, 90, 40]},
        nodes={"node": [1, 2, 3], "x": [8.0, 8.003, 8.006], "y": [50.0, 50.0, 50.0]},
    )
    places = wayfront.Places.from_arrays([8.001, 8.002], [50.0, 50.0])
    houses = places.on(street, limit_m=300)
    assert wayfront.search(street, places).distances.tolist() == [30, 30, 70]
    assert wayfront.search(street, houses).distances.tolist() == [30, 30, 70]
    assert wayfront.search(street, houses, reverse=True).distances.tolist() == [30, 30, -1]
    assert wayfront.search_nearest(street, houses, k=2).distances.tolist() == [[30, 60], [30, 60], [70, 100]]
    assert wayfront.prepare(street, device="cpu").nearest(houses).nearest.tolist() == [0, 1, 1]
    with pytest.raises(NetworkError, match="on another network"):
        wayfront.search(street.reversed(), houses)


def test_times_are_those_of_the_search_alone() -> None:
    network = random_arcs(60, 150, 9, 5)
    result = wayfront.search(network, [3, 4], "dijkstra", "cpu", runs=3)
    assert len(result.timing.runs_ms) == 3 and result.timing.tree_ms > 0
    assert wayfront.search(network, [3, 4], "dissection", "cpu").timing.prepare_ms


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"distances": [0, 4, 9, 0, 0]}, "gives a shorter path"),
        ({"distances": [1, 5, 9, 0, 0]}, "nearer to a source that stands there"),
        ({"nearest": [0, 0, 0, 1, 1]}, "begins at no source|before is as near"),
        ({"nearest": [2, 2, 1, 1, 2]}, "before is as near"),
        ({"parents": [-1, -1, 3, -1, -1]}, "begins at no source"),
        ({"parents": [-1, 0, 1, -1, -1]}, "no arc from there makes"),
        ({"nearest": [0, 0, 1, 1, 7]}, "nearest sources are not"),
        ({"distances": [0, 4, 2, 0]}, "not of 5 nodes"),
    ],
)
def test_wrong_forests_are_seen(change: dict[str, Any], why: str) -> None:
    network = make_network(5, [(0, 1, 4), (1, 2, 5), (3, 2, 2), (1, 0, 4)])
    result = wayfront.search(network, [0, 3, 4], "dijkstra", "cpu", verify=True)
    assert (result.distances.tolist(), result.nearest.tolist()) == ([0, 4, 2, 0, 0], [0, 0, 1, 1, 2])
    arrays: dict[str, Any] = {name: np.array(values, np.int32) for name, values in change.items()}
    with pytest.raises(CertificateError, match=why):
        certify(replace(result, **arrays))


def test_a_forest_is_told_in_words_and_tables() -> None:
    network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
    result = wayfront.search_nearest(network, np.array([0, 29]), "dijkstra", "cpu", verify=True)
    assert repr(result) == f"<Nearest of 2 sources, dijkstra on cpu, {network.name}: 30 of 30 nodes reached>"
    table = result.to_geodataframe()
    ids = network.node_ids
    assert table["source"].tolist() == ids[np.array([0, 29])[result.nearest]].tolist()
    assert table["parent"].isna().sum() == 2
    assert table["cost"].tolist() == (result.distances * result.metric.scale).tolist()
    found = result.summary()
    assert [each["nearest_nodes"] for each in found["sources"]] == result.served.tolist() and "source" not in found
    wrong = replace(result, parents=np.arange(30, dtype=np.int32))
    with pytest.raises(CertificateError, match="never lead to a source"):
        wrong.route(5)
    street = make_network(2, [(0, 1, 3)])
    assert wayfront.search(street, [1]).root(0) == -1 and len(wayfront.search(street, [1]).route(0)) == 0


def test_mistakes_are_explained() -> None:
    network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
    for call, why in (
        (lambda: wayfront.search(network, []), "sources are one or more"),
        (lambda: wayfront.search(network, [30]), "no internal node 30"),
        (lambda: wayfront.search(network, [1, 2], target=4), "a route has one source"),  # type: ignore[call-overload]
        (lambda: wayfront.search(network, [1, 2], "a-star"), "finds a route"),
        (lambda: wayfront.search_nearest(network, [1, 2], k=0), "k, how many of the nearest"),
        (lambda: wayfront.search_nearest(network, [1, 2], "dijkstra", k=2), "leave algorithm and options out"),
    ):
        with pytest.raises((NetworkError, OptionError), match=why):
            call()
