"""Closeness is what networkx finds: inward on a directed graph, per unit, over the lightest of parallel arcs."""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from search_checks import make_network, random_arcs
from wayfront.network.arcs import checked_arcs, without_arcs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.pairs import is_symmetric
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.synthetic import from_name

CPU: dict[str, Any] = {"algorithm": "relax-update-in-turn", "device": "cpu"}


def scaled(network: RoadNetwork, scale: float) -> RoadNetwork:
    """Return the network with the same weights, each of so many units."""
    weights = network.metrics[0].weights
    return network.reweighted(Metric("weight", "m", scale, weights))


def by_networkx(network: RoadNetwork, direction: str) -> NDArray[np.float64]:
    """Return networkx's closeness; infinite where all distances are 0, for which networkx has 0."""
    graph, metric = networkx.DiGraph(), network.metrics[0]
    graph.add_nodes_from(range(network.node_count))
    arcs = zip(network.tails().tolist(), network.targets.tolist(), metric.weights.tolist(), strict=True)
    for tail, head, weight in arcs:
        known = graph.get_edge_data(tail, head, {"weight": float("inf")})["weight"]
        graph.add_edge(tail, head, weight=min(known, weight * metric.scale))
    graph = graph if direction == "inward" else graph.reverse()
    found = networkx.closeness_centrality(graph, distance="weight")
    far = networkx.single_source_dijkstra_path_length
    for node in graph:
        lengths = far(graph.reverse(copy=False), node)
        if len(lengths) > 1 and max(lengths.values()) == 0:
            found[node] = float("inf")
    return np.array([found[node] for node in range(network.node_count)])


def check(network: RoadNetwork) -> None:
    for direction in ("inward", "outward"):
        expected = by_networkx(network, direction)
        assert wayfront.closeness(network, direction, **CPU).tolist() == pytest.approx(expected.tolist())
        kept = wayfront.all_pairs(network, **CPU, keep="matrix", runs=0)
        assert kept.closeness(direction).tolist() == pytest.approx(expected.tolist())
    assert wayfront.closeness(network, **CPU).tolist() == wayfront.closeness(network, "inward", **CPU).tolist()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_closeness_of_any_digraph_is_that_of_networkx(data: st.DataObject) -> None:
    """Disconnected parts, parallel arcs, self-loops and weights of 0 among them."""
    n = data.draw(st.integers(1, 9))
    node = st.integers(0, n - 1)
    arcs = data.draw(st.lists(st.tuples(node, node, st.sampled_from([0, 0, 1, 2, 7, 40])), max_size=30))
    check(scaled(make_network(n, arcs), data.draw(st.sampled_from([1.0, 0.1, 25.0]))))


def test_inward_and_outward_differ_on_a_one_way_street() -> None:
    network = scaled(make_network(3, [(0, 1, 4), (1, 2, 4)]), 0.5)
    result = wayfront.all_pairs(network, **CPU, runs=0)
    assert result.closeness("outward").tolist() == pytest.approx([2 / 2 * 2 / 6, 1 / 2 * 1 / 2, 0])
    assert wayfront.closeness(network, **CPU).tolist() == pytest.approx([0, 1 / 2 * 1 / 2, 2 / 2 * 2 / 6])
    with pytest.raises(NetworkError, match=r"wayfront\.closeness"):
        result.closeness()
    some = wayfront.all_pairs(network, **CPU, sources=[2, 0], keep="matrix", runs=0)
    with pytest.raises(NetworkError, match="inward closeness takes the distances to every node"):
        some.closeness()
    assert wayfront.closeness(network, **CPU, sources=[2, 0]).tolist() == pytest.approx([2 / 6, 0])
    for call in (result.closeness, lambda way: wayfront.closeness(network, way, **CPU)):
        with pytest.raises(OptionError, match="a direction is 'inward'"):
            call("towards")


def test_both_directions_are_one_where_every_arc_has_its_like_the_other_way() -> None:
    network = from_name("synthetic:ring?n=12")
    assert is_symmetric(network, network.metrics[0])
    result = wayfront.all_pairs(network, **CPU, runs=0)
    assert result.closeness().tolist() == result.closeness("outward").tolist()
    assert not is_symmetric(*wayfront.all_pairs(network, **CPU, closures=[3], runs=0).searched)
    lopsided = make_network(2, [(0, 1, 4), (1, 0, 5), (1, 0, 4)])
    assert is_symmetric(lopsided, lopsided.metrics[0])


def test_closed_roads_are_closed_the_other_way_round_too() -> None:
    network = random_arcs(25, 90, 9, 4)
    closed = checked_arcs(network, [3, 17, 40, 41, 60])
    rest = without_arcs(network, closed)
    expected = by_networkx(rest, "inward").tolist()
    assert wayfront.closeness(network, **CPU, closures=closed).tolist() == pytest.approx(expected)
    result = wayfront.all_pairs(network, **CPU, closures=closed, keep="matrix", runs=0)
    assert result.closeness().tolist() == pytest.approx(expected)
