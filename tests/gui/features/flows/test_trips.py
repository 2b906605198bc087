"""The trips over one road: exact flows where a tree has few nodes, else by brute force over all pairs or near it."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from tests.gui.conftest import make_grid

import wayfront
from flows_checks import random_network
from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.features.flows.state import Roads, Ties
from wayfront_gui.features.flows.trips import AT_REST, Effort, TripFinder

BY_PAIRS = Effort(10**6, -1)
EXACTLY = Effort(1, 10**9)
FAR = 1 << 40
NOTHING = np.zeros(0, np.int64)


def on_a_map(network: RoadNetwork, random: np.random.Generator) -> RoadNetwork:
    places = random.integers(0, 5000, (network.node_count, 2)).astype(np.int32)
    return network.with_coordinates(places)


def all_distances(network: RoadNetwork, closed: np.ndarray) -> np.ndarray:
    distances = np.full((network.node_count,) * 2, FAR, np.int64)
    open_arcs = np.setdiff1d(np.arange(network.arc_count), closed)
    weights = network.metrics[0].weights
    np.minimum.at(distances, (network.tails()[open_arcs], network.targets[open_arcs]), weights[open_arcs])
    np.fill_diagonal(distances, 0)
    for node in range(network.node_count):
        distances = np.minimum(distances, distances[:, node, None] + distances[node])
    return distances


def pairs_over(network: RoadNetwork, arcs: np.ndarray, closed: np.ndarray, radius: int | None) -> np.ndarray:
    """Return how many directions of a road each pair of nodes may take on a shortest path."""
    d, weights = all_distances(network, closed), network.metrics[0].weights
    directions = {(int(network.tails()[arc]), int(network.targets[arc])) for arc in np.setdiff1d(arcs, closed)}
    over = np.zeros(d.shape, np.int64)
    for u, v in directions:
        if u != v:
            open_arcs = [
                arc for arc in np.setdiff1d(arcs, closed) if (network.tails()[arc], network.targets[arc]) == (u, v)
            ]
            weight = min(int(weights[arc]) for arc in open_arcs)
            over += (d[:, u, None] + weight + d[v] == d) & (d < FAR) & ~np.eye(len(d), dtype=bool)
    return over if radius is None else over * (d <= radius)


@pytest.mark.parametrize("seed", range(12))
def test_trips_are_those_of_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = on_a_map(random_network(random, 30), random)
    closed = np.unique(random.integers(0, max(network.arc_count, 1), 3 if network.arc_count > 9 else 0)).astype(
        np.int64
    )
    radius = None if seed % 2 else 3 * int(network.metrics[0].weights.max(initial=1))
    finder, roads = TripFinder(network, network.metrics[0], closed), Roads.of(network)
    busy = np.unique(roads.of_arc[roads.of_arc >= 0])
    for road in random.permutation(busy)[:6].tolist():
        arcs = roads.arcs(road)
        expected = pairs_over(network, arcs, closed, radius)
        trips = there(finder.find(arcs, radius, "one", BY_PAIRS, Event()))
        assert trips.count == expected.sum() and trips.estimated is None
        assert trips.sources == np.count_nonzero(expected.sum(axis=1))
        assert trips.targets == np.count_nonzero(expected.sum(axis=0))
        assert trips.one_side[road] == trips.other_side[road] == trips.count
        assert (trips.one_side <= trips.count).all() and (trips.other_side <= trips.count).all()


@pytest.mark.parametrize("ties", ["one", "all"])
@pytest.mark.parametrize("seed", range(4))
def test_exact_trips_are_the_flows_on_the_road(seed: int, ties: Ties) -> None:
    random = np.random.default_rng(seed)
    network = on_a_map(random_network(random, 30), random)
    metric = network.metrics[0]
    closed = np.unique(random.integers(0, max(network.arc_count, 1), 3)).astype(np.int64)
    radius = None if seed % 2 else 3 * int(metric.weights.max(initial=1))
    within = None if radius is None else float(metric.in_unit(np.array([radius]))[0])
    flow = wayfront.flows(
        network, metric=metric.name, radius=within, ties=ties, closures=closed, algorithm="trees", device="cpu"
    )
    finder, roads = TripFinder(network, metric, closed), Roads.of(network)
    on_roads = roads.summed(flow.arc_flow)
    for road in np.flatnonzero(on_roads)[:8].tolist():
        trips = there(finder.find(roads.arcs(road), radius, ties, EXACTLY, Event()))
        may = pairs_over(network, roads.arcs(road), closed, radius)
        assert trips.estimated is None and trips.count <= may.sum() + 1e-9
        assert ties == "one" or trips.count == pytest.approx(on_roads[road])
        assert trips.one_side[road] == trips.other_side[road] == trips.count


def test_what_comes_to_a_road_comes_over_the_roads_before_it() -> None:
    """On a path of nodes 0 … 5 the trips over the middle road are nine each way, and fewer on each road farther off."""
    network = RoadNetwork.from_arcs(
        name="path",
        node_count=6,
        tails=np.array([0, 1, 2, 3, 4, 1, 2, 3, 4, 5]),
        heads=np.array([1, 2, 3, 4, 5, 0, 1, 2, 3, 4]),
        metrics=[replace(make_grid().metrics[0], weights=np.full(10, 5, np.int32))],
        coordinates=np.stack([np.arange(6) * 1000, np.zeros(6, int)], 1),
    )
    roads = Roads.of(network)
    of = [int(roads.between(np.array([i], np.int32), np.array([i + 1], np.int32))[0]) for i in range(5)]
    trips = there(
        TripFinder(network, network.metrics[0], NOTHING).find(roads.arcs(of[2]), None, "all", AT_REST, Event())
    )
    assert trips.count == 18 and trips.both_ways
    assert trips.one_side[of].tolist() == [6, 12, 18, 0, 0] and trips.other_side[of].tolist() == [0, 0, 18, 12, 6]
    assert "18 trips from 6 nodes to 6 nodes" in trips.summary


def test_some_nodes_are_near_all_of_them_and_a_cancelled_search_finds_nothing() -> None:
    network = make_grid()
    roads = Roads.of(network)
    finder = TripFinder(network, network.metrics[0], NOTHING)
    whole = [there(finder.find(roads.arcs(road), None, "one", BY_PAIRS, Event())) for road in range(0, 180, 20)]
    some = [there(finder.find(roads.arcs(road), None, "one", Effort(16, -1), Event())) for road in range(0, 180, 20)]
    assert all(each.estimated is None for each in whole) and any(each.estimated == 16 for each in some)
    total, near = sum(each.count for each in whole), sum(each.count for each in some)
    assert abs(near - total) < 0.2 * total
    assert "estimated from 16" in next(each for each in some if each.estimated).summary
    stopped = Event()
    stopped.set()
    assert finder.find(roads.arcs(20), None, "one", Effort(16, -1), stopped) is None
    assert finder.find(roads.arcs(20), None, "one", EXACTLY, stopped) is None
