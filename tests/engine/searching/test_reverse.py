"""Searches against the arcs find the distances towards a node: those from it on the network turned round."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from pairs_checks import expected_matrix
from search_checks import make_network, networks, plain_distances, plain_parents, random_arcs
from wayfront.devices import describe_device
from wayfront.dissection import store
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.shape import Dissection
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import SearchKind
from wayfront.safe.errors import CertificateError, NetworkError, TraceError
from wayfront.searching.certificate import certify
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.synthetic import from_name

ON_CPU = [a.name for a in algorithms(SearchKind.ONE_TREE) if a.runs_on(describe_device("cpu"))]
PAIRS_ON_CPU = [a.name for a in algorithms(SearchKind.ALL_PAIRS) if a.runs_on(describe_device("cpu"))]
ROUTES = [a.name for a in algorithms(SearchKind.ROUTE)]
CLOSED = [4, 9, 60, 61, 88]


def built_reversed(network: RoadNetwork, closed: NDArray[np.integer] | list[int] = CLOSED[:0]) -> RoadNetwork:
    """Return the network with its open arcs turned round, built anew of triples."""
    ends = zip(network.targets.tolist(), network.tails().tolist(), network.metrics[0].weights.tolist(), strict=True)
    shut = set(np.asarray(closed).tolist())
    arcs = [arc for number, arc in enumerate(ends) if number not in shut]
    return make_network(network.node_count, arcs, network.node_ids.tolist())


def driven(network: RoadNetwork, nodes: NDArray[np.int32], closed: list[int]) -> int:
    """Return the length of a path along the network's open arcs."""
    opened = np.setdiff1d(np.arange(network.arc_count), closed)
    tails, heads, weights = network.tails()[opened], network.targets[opened], network.metrics[0].weights[opened]
    return sum(int(weights[(tails == tail) & (heads == head)].min()) for tail, head in pairwise(nodes))


@pytest.mark.parametrize("name", ON_CPU)
def test_every_search_finds_the_distances_towards_a_node(name: str) -> None:
    for closed in ([], CLOSED):
        network = random_arcs(70, 210, 30, 5)
        there = built_reversed(network, closed)
        result = wayfront.search(network, 8, name, "cpu", closures=closed, reverse=True, verify=True)
        expected = plain_distances(there, 8)
        assert [None if d == result.unreached else d for d in result.distances.tolist()] == expected
        if not find_algorithm(name).keeps_parents:
            assert result.parents.tolist() == plain_parents(there, 8, expected)
        assert result.network is network and result.reverse and result.closures.tolist() == closed
        assert result.summary()["reverse"] and f"to {network.node_name(8)}" in repr(result)
        far = result.farthest
        route = result.route(far)
        assert (route.nodes[0], route.nodes[-1], route.distance) == (far, 8, result.distances[far])
        assert driven(network, route.nodes, closed) == route.distance
        assert network.metrics[0].weights[route.arcs].sum() == route.distance
        assert not set(route.arcs.tolist()) & set(closed)


@pytest.mark.parametrize("name", ROUTES)
def test_a_route_towards_a_node_is_driven_there(name: str) -> None:
    network = from_name("synthetic:grid?columns=14&rows=9&seed=3")
    one_way = np.flatnonzero(network.tails() < network.targets)[::3]
    result = wayfront.search(network, 3, name, target=100, closures=one_way, reverse=True, verify=True, trace=True)
    expected = wayfront.search(network, 100, "dijkstra", "cpu", closures=one_way)
    assert result.distance == expected.distances[3]
    assert (result.path[0], result.path[-1]) == (100, 3)
    assert driven(network, result.path, one_way.tolist()) == result.distance == result.route().cost
    assert "from 101 to 4" in repr(result)
    with pytest.raises(CertificateError, match="does not lead"):
        certify(replace(result, path=result.path[::-1]))


@settings(deadline=None, max_examples=25)
@given(network=networks(), data=st.data())
def test_any_network_with_any_closures(network: RoadNetwork, data: st.DataObject) -> None:
    """One-way arcs, parallel ones, weights of 0 and parts that nothing leads to among them."""
    closed = data.draw(st.lists(st.integers(0, max(network.arc_count - 1, 0)), max_size=6 * (network.arc_count > 0)))
    target = data.draw(st.integers(0, network.node_count - 1))
    there = built_reversed(network, closed)
    expected = plain_distances(there, target)
    parents = plain_parents(there, target, expected)
    prepared = wayfront.prepare(network, device="cpu", reverse=True)
    prepared.close(closed)
    from_one_cut = wayfront.search(network, target, "dissection", "cpu", closures=closed, reverse=True, verify=True)
    for result in (prepared.tree(target), from_one_cut):
        certify(result)
        assert [None if d < 0 else d for d in result.distances.tolist()] == expected
        assert result.parents.tolist() == parents
    rows = prepared.trees(range(network.node_count))
    assert rows.tolist() == expected_matrix(there).tolist()


def test_a_prepared_network_follows_other_weights_too() -> None:
    network = random_arcs(60, 200, 30, 8)
    prepared = wayfront.prepare(network, device="cpu", reverse=True)
    assert prepared.reverse and prepared.network is network
    prepared.close([3, 50])
    prepared.set_weights([50, 7, 9], [1, 100, 0])
    prepared.reopen([50])
    weights = network.metrics[0].weights.copy()
    weights[[50, 7, 9]] = 1, 100, 0
    changed = network.reweighted(replace(network.metrics[0], weights=weights))
    result = prepared.tree(11)
    certify(result)
    assert result.distances.tolist() == wayfront.search(changed, 11, closures=[3], reverse=True).distances.tolist()
    distances = np.empty(60, prepared.distance_dtype)
    parents = np.empty(60, np.int32)
    prepared.tree_into(11, distances, parents)
    assert distances.tolist() == result.distances.tolist() and parents.tolist() == result.parents.tolist()


def test_one_cut_serves_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cuts: list[str] = []

    def counted(network: RoadNetwork, **others: Any) -> Dissection:
        cuts.append(network.name)
        return dissect(network, **others)

    monkeypatch.setattr(store, "dissect", counted)
    network = from_name("synthetic:grid?columns=12&rows=11&seed=4")
    there = wayfront.prepare(network, device="cpu", reverse=True)
    assert wayfront.prepare(network, device="cpu").dissection is there.dissection
    wayfront.search(network, 3, "dissection", "cpu", reverse=True, closures=[5])
    assert store.dissection_of(network.reversed()) is there.dissection and len(cuts) == 1
    store.save_cut(tmp_path / "grid.cut", there.dissection)
    assert store.load_cut(tmp_path / "grid.cut", network).border.tolist() == there.dissection.border.tolist()


@pytest.mark.parametrize("name", PAIRS_ON_CPU)
def test_all_pairs_towards_their_sources(name: str) -> None:
    network = random_arcs(40, 150, 30, 3)
    result = wayfront.all_pairs(network, name, "cpu", closures=CLOSED, keep="matrix", verify=True, reverse=True)
    certify(result)
    expected = expected_matrix(built_reversed(network, CLOSED))
    assert result.matrix.tolist() == expected.tolist()
    from_all = wayfront.all_pairs(network, name, "cpu", closures=CLOSED, keep="matrix")
    assert from_all.matrix.T.tolist() == expected.tolist()
    assert result.diameter.distance == from_all.diameter.distance
    pair = result.diameter
    assert from_all.row(pair.source)[pair.target] == pair.distance
    for direction in ("inward", "outward"):
        assert result.closeness(direction).tolist() == pytest.approx(from_all.closeness(direction).tolist())
    summary = wayfront.all_pairs(network, name, "cpu", reverse=True)
    with pytest.raises(NetworkError, match="outward closeness takes the distances from every node"):
        summary.closeness("outward")


def test_a_trace_says_which_way_it_was_searched(tmp_path: Path) -> None:
    network = random_arcs(40, 150, 30, 3)
    for reverse in (True, False):
        result = wayfront.search(network, 6, "dijkstra", "cpu", closures=CLOSED, trace=True, reverse=reverse)
        wayfront.save_trace(result, tmp_path / "some.wftrace")
        loaded = wayfront.load_trace(tmp_path / "some.wftrace", network)
        assert loaded.reverse is reverse and loaded.distances.tolist() == result.distances.tolist()
    for reverse in (True, False):
        pairs = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", trace=True, reverse=reverse)
        wayfront.save_trace(pairs, tmp_path / "pairs.wftrace")
        assert wayfront.load_pairs_trace(tmp_path / "pairs.wftrace", network).reverse is reverse
    wayfront.save_trace(replace(result, reverse=True), tmp_path / "wrong.wftrace")
    with pytest.raises(TraceError, match="damaged"):
        wayfront.load_trace(tmp_path / "wrong.wftrace", network)


def test_wrong_results_are_explained_in_the_order_of_driving() -> None:
    network = make_network(3, [(1, 0, 4), (2, 1, 5)], [10, 20, 30])
    result = wayfront.search(network, 0, "dijkstra", "cpu", reverse=True)
    assert result.distances.tolist() == [0, 4, 9] and result.parents.tolist() == [-1, 0, 1]
    assert result.route(2).nodes.tolist() == [2, 1, 0]
    for wrong, why in (
        (
            replace(result, distances=result.distances + np.array([0, 0, 1], np.int32)),
            "from node 30 to node 20 gives a",
        ),
        (replace(result, parents=np.array([-1, 0, 0], np.int32)), "node 10 as parent, but no arc to there"),
    ):
        with pytest.raises(CertificateError, match=why):
            certify(wrong)


def test_a_reversed_network_has_all_of_the_network_turned_round() -> None:
    network = wayfront.open_network("synthetic:city?seed=3&nodes=2000")
    back = network.reversed()
    assert back is network.reversed() and back.reversed() is network
    order = network.in_arcs()[1]
    assert (back.tails() == network.targets[order]).all() and (back.targets == network.tails()[order]).all()
    assert back.node_ids is network.node_ids and back.coordinates is network.coordinates
    for arc in (0, 17, network.arc_count - 1):
        there = int(network.reversed_arcs(np.array([arc]))[0])
        assert order[there] == arc
        for metric in network.metrics:
            assert back.metric(metric.name).weights[there] == metric.weights[arc]
        if network.road_names is not None:
            assert back.road_names is not None and back.road_names.name(there) == network.road_names.name(arc)
        if network.shapes is not None:
            assert back.shapes is not None
            assert back.shapes.of(there).tolist() == network.shapes.of(arc)[::-1].tolist()
    offsets, entering = back.in_arcs()
    assert (back.targets[entering] == np.repeat(np.arange(network.node_count), np.diff(offsets))).all()
    assert back.content_key != network.content_key


def test_a_reversed_network_outlives_the_one_it_is_made_of() -> None:
    network = make_network(3, [(0, 2, 4), (0, 1, 5), (2, 1, 7), (0, 1, 3)])
    before = network.offsets.tolist(), network.targets.tolist(), network.metrics[0].weights.tolist()
    back = network.reversed()
    del network
    again = back.reversed()
    assert (again.offsets.tolist(), again.targets.tolist(), again.metrics[0].weights.tolist()) == before
    assert wayfront.search(back, 1, "dissection", "cpu").distances.tolist() == [3, 0, 7]


def test_copies_on_a_device_are_dropped_with_those_of_the_network() -> None:
    network = make_network(3, [(0, 2, 4), (0, 1, 5)])
    network.reversed().derive("offsets in a card", lambda: 1)
    network.forget("in a card")
    assert not network.reversed().has_derived("offsets in a card")
    metric = Metric("hops", "", 1, np.ones(2, np.int32))
    assert not network.reweighted(metric).has_derived("reversed")
