"""The compiled loops of traffic assignment and vulnerability, each alone, against NetworkX and SciPy."""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import wayfront
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.assignment import correct_labels
from wayfront.searching.assignment.loading import push_down
from wayfront.searching.vulnerability import join_chains

FAR = np.iinfo(np.int64).max


@st.composite
def networks(draw: st.DrawFn, least: int = 1) -> tuple[RoadNetwork, np.ndarray]:
    """Return a network with parallel arcs and loops, and weights, −1 of closed arcs."""
    n = draw(st.integers(2, 9))
    node = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(node, node, st.sampled_from([-1, 1, 1, 2, 3, 5])), min_size=1, max_size=30))
    tails, heads, weights = np.array(arcs, np.int64).T
    order = np.argsort(tails, kind="stable")
    hops = Metric("hops", "", 1.0, np.ones(len(arcs), np.int32))
    network = RoadNetwork.from_arcs(name="Town", node_count=n, tails=tails, heads=heads, metrics=[hops])
    return network, np.maximum(weights[order], -1 if least < 0 else least).astype(np.int32)


def lengths(network: RoadNetwork, weights: np.ndarray, source: int, closed: np.ndarray | None = None) -> np.ndarray:
    """Return the distances [n] from a node, ``FAR`` without a path; nobody drives through ``closed`` nodes."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(network.node_count))
    ends = zip(network.tails().tolist(), network.targets.tolist(), weights.tolist(), strict=True)
    for tail, head, weight in ends:
        if weight >= 0 and (closed is None or not closed[tail] or tail == source):
            least = graph.get_edge_data(tail, head, {"weight": weight})["weight"]
            graph.add_edge(tail, head, weight=min(weight, least))
    found = np.full(network.node_count, FAR)
    for node, length in networkx.single_source_dijkstra_path_length(graph, source).items():
        found[node] = length
    return found


@settings(max_examples=80, deadline=None)
@given(case=networks(least=-1), data=st.data())
def test_trips_go_down_tight_arcs_alone(case: Any, data: st.DataObject) -> None:
    network, weights = case
    n, node = network.node_count, st.integers(0, network.node_count - 1)
    sources = np.array(sorted(data.draw(st.sets(node, min_size=1, max_size=3))), np.int32)
    pairs = [
        (row, head, data.draw(st.integers(1, 9)))
        for row, source in enumerate(sources.tolist())
        for head in sorted(data.draw(st.sets(node, max_size=5)) - {source})
    ]
    rows = np.array([row for row, _, _ in pairs], np.int64)
    heads = np.array([head for _, head, _ in pairs], np.int32)
    trips = np.array([number for _, _, number in pairs], np.float64)
    bounds = np.searchsorted(rows, np.arange(len(sources) + 1))
    distances = np.stack([lengths(network, weights, source) for source in sources.tolist()])
    flow, carried = np.zeros(network.arc_count), np.zeros(n)
    via, behind, passed = np.full(n, -1, np.int32), np.zeros(n, np.int32), np.empty(n, np.int32)
    unreached = push_down(
        *network.in_arcs(), network.tails(), weights, distances, sources, bounds, heads, trips, flow, via, behind,
        passed, carried,
    )  # fmt: skip
    there = distances[rows, heads] != FAR if len(rows) else np.zeros(0, bool)
    assert unreached == trips[~there].sum()
    assert flow @ weights == (trips * np.where(there, distances[rows, heads] if len(rows) else 0, 0)).sum()
    assert not flow[weights < 0].any()
    balance = np.bincount(network.targets, flow, n) - np.bincount(network.tails(), flow, n)
    starts = np.bincount(sources[rows[there]], trips[there], n)
    assert balance.tolist() == (np.bincount(heads[there], trips[there], n) - starts).tolist()
    assert (via.tolist(), behind.tolist(), carried.tolist()) == ([-1] * n, [0] * n, [0.0] * n)


def test_ways_that_meet_carry_all_trips() -> None:
    """Two ways meet at node 1, node 3 is a source and on a way, a pair comes twice, and a closed arc looks tight."""
    tails, heads = np.array([0, 1, 1, 3, 4]), np.array([1, 0, 2, 1, 3])
    hops = Metric("hops", "", 1.0, np.ones(5, np.int32))
    network = RoadNetwork.from_arcs(name="Town", node_count=5, tails=tails, heads=heads, metrics=[hops])
    weights, sources = np.array([-1, 1, 1, 1, 1], np.int32), np.array([3, 4], np.int32)
    distances = np.stack([lengths(network, weights, source) for source in sources.tolist()])
    to, trips = np.array([0, 0, 2, 0], np.int32), np.array([2.0, 3.0, 4.0, 5.0])
    flow, via, work = np.zeros(5), np.full(5, -1, np.int32), np.zeros((2, 5), np.int32)
    push_down(
        *network.in_arcs(), network.tails(), weights, distances, sources, np.array([0, 3, 4]), to, trips, flow, via,
        work[0], work[1], np.zeros(5),
    )  # fmt: skip
    assert flow.tolist() == [0, 10, 4, 14, 5]


@settings(max_examples=60, deadline=None)
@given(case=networks(), data=st.data())
def test_labels_are_corrected_to_shortest_costs(case: Any, data: st.DataObject) -> None:
    network, weights = case
    n = network.node_count
    closed = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    source = data.draw(st.integers(0, n - 1))
    found = np.full(n, np.inf)
    correct_labels(network.offsets, network.targets, weights * 0.5, source, closed, found, np.empty(n, np.int32))
    known = lengths(network, weights, source, closed)
    assert found.tolist() == np.where(known == FAR, np.inf, known * 0.5).tolist()


def test_labels_are_corrected_on_a_long_way_round() -> None:
    """The queue goes round its end, and nodes come into it again."""
    n = 40
    tails = np.array([*range(n - 1), *[0] * (n - 2)])
    heads = np.array([*range(1, n), *range(n - 1, 1, -1)])
    hops = Metric("hops", "", 1.0, np.ones(len(tails), np.int32))
    network = RoadNetwork.from_arcs(name="Town", node_count=n, tails=tails, heads=heads, metrics=[hops])
    costs = np.where(network.targets - network.tails() == 1, 1.0, 3.0 * network.targets)
    found = np.full(n, np.inf)
    correct_labels(network.offsets, network.targets, costs, 0, np.zeros(n, bool), found, np.empty(n, np.int32))
    assert found.tolist() == list(range(n))


@settings(max_examples=60, deadline=None)
@given(
    pairs=st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda ends: ends[0] < ends[1]), min_size=1)
)
def test_chains_are_roads_that_meet_at_nodes_of_no_other(pairs: set[tuple[int, int]]) -> None:
    ends = sorted(pairs)
    roads = np.arange(len(ends)) + 2  # two numbers are of no road
    chains = np.arange(len(ends) + 2)
    tails, heads = np.array(ends, np.int32).T
    join_chains(tails, heads, 10, roads, chains)
    graph, beside = networkx.Graph(ends), networkx.Graph()
    beside.add_nodes_from(range(len(ends) + 2))
    for node in graph:
        if graph.degree(node) == 2:
            beside.add_edge(*(ends.index(tuple(sorted((node, other)))) + 2 for other in graph[node]))
    wanted = {road: min(chain) for chain in networkx.connected_components(beside) for road in chain}
    assert chains.tolist() == [wanted[road] for road in range(len(ends) + 2)]


# ------------------------------------------------------------------------------------------------------------- costs


@settings(deadline=None)
@given(
    flow=st.floats(0, 1e4), power=st.floats(0, 6), b=st.floats(0, 2), capacity=st.floats(10, 1e4), fixed=st.floats(0, 5)
)
def test_slopes_and_integrals_are_those_of_the_costs(
    flow: float, power: float, b: float, capacity: float, fixed: float
) -> None:
    roads = wayfront.Bpr(3.0, capacity, b, power, fixed)
    h = 1e-3 * (1 + flow)
    low, high = np.array([flow]), np.array([flow + h])
    middle = roads.costs((low + high) / 2)[0]
    assert (roads.integral(high) - roads.integral(low)) / h == pytest.approx(middle, rel=1e-2, abs=1e-3)
    if flow > 1:
        rise = (roads.costs(high)[0] - roads.costs(low)[0]) / h
        assert roads.slopes((low + high) / 2)[0] == pytest.approx(rise, rel=1e-2, abs=1e-6)


def test_a_step_goes_exactly_as_far_as_the_integral_falls() -> None:
    roads = wayfront.Bpr([10.0, 15.0], [100.0, 300.0])
    flow = np.array([400.0, 0.0])
    direction = np.array([-400.0, 400.0])
    step = roads.minimum_step(flow, direction)
    assert direction @ roads.costs(flow + step * direction) == pytest.approx(0.0, abs=1e-9)
    assert roads.minimum_step(flow, -direction) == pytest.approx(0.0, abs=1e-12)
    assert roads.minimum_step(np.array([400.0, 0.0]), np.array([-40.0, 40.0])) == 1.0


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_steps_end_where_the_slope_is_0(data: st.DataObject) -> None:
    numbers = st.floats(0.1, 10.0)
    columns = [np.array(data.draw(st.lists(numbers, min_size=3, max_size=3))) for _ in range(5)]
    roads = wayfront.Bpr(columns[0], columns[1], columns[2] / 10, columns[3] / 2, columns[4])
    flow = np.array(data.draw(st.lists(st.floats(0, 20), min_size=3, max_size=3)))
    direction = np.array(data.draw(st.lists(st.floats(-1, 1), min_size=3, max_size=3))) * (flow + 1)
    direction = np.maximum(direction, -flow)

    def slope(step: float) -> float:
        return float(direction @ roads.costs(np.maximum(flow + step * direction, 0.0)))

    step = roads.minimum_step(flow, direction)
    if slope(1.0) <= 0.0:
        assert step == 1.0
    elif slope(0.0) >= 0.0:
        assert step == pytest.approx(0.0, abs=1e-9)
    else:
        assert step == pytest.approx(brentq(slope, 0.0, 1.0, xtol=1e-14), abs=1e-7)


def test_roads_without_a_rise_cost_what_they_cost_empty() -> None:
    roads = wayfront.Bpr([4.0, 0.0, 4.0], [0.0, 5.0, 2.0], [0.0, 0.5, 0.5], [4.0, 4.0, 0.0], 1.0)
    flow = np.array([7.0, 7.0, 6.0])
    assert roads.costs(flow).tolist() == [5.0, 1.0, 7.0]
    assert roads.slopes(flow).tolist() == [0.0, 0.0, 0.0]
    assert roads.integral(flow) == 7 * 5 + 7 * 1 + 6 * 7
