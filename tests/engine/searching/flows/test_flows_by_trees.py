"""Flows are NetworkX' betweenness where all ties share, and one path a pair otherwise, whatever the network is like."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfront
from search_checks import make_network, networks, plain_distances, random_arcs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import CertificateError, DeviceError, NetworkError, OptionError, SearchCancelled
from wayfront.searching.flows import call, in_lanes

NEAR = 1e-9


def positive(network: RoadNetwork) -> RoadNetwork:
    """Return a network without weights of 0, which NetworkX does not count right, and with many ties."""
    weights = (network.metrics[0].weights % 3 + 1).astype(np.int32)
    weights.flags.writeable = False
    return network.reweighted(replace(network.metrics[0], weights=weights))


def as_multigraph(network: RoadNetwork, closed: set[int]) -> tuple[Any, list[Any]]:
    """Return NetworkX' graph of the open arcs, and the key of each arc, None for loops and closed ones."""
    graph = networkx.MultiDiGraph()
    graph.add_nodes_from(range(network.node_count))
    keys: list[Any] = []
    ends = zip(network.tails().tolist(), network.targets.tolist(), network.metrics[0].weights.tolist(), strict=True)
    for arc, (tail, head, weight) in enumerate(ends):
        open_arc = arc not in closed and tail != head
        keys.append((tail, head, graph.add_edge(tail, head, weight=weight)) if open_arc else None)
    return graph, keys


def pairs_of(network: RoadNetwork) -> Iterator[tuple[int, int, int]]:
    """Yield both ends and the distance of each pair of different nodes that a path joins."""
    for source in range(network.node_count):
        for target, distance in enumerate(plain_distances(network, source)):
            if distance is not None and target != source:
                yield source, target, distance


@given(networks(), st.data())
@settings(max_examples=60, deadline=None)
def test_all_ties_are_those_of_networkx(drawn: RoadNetwork, data: st.DataObject) -> None:
    network = positive(drawn)
    arcs = range(network.arc_count)
    closed = data.draw(st.sets(st.sampled_from(arcs), max_size=5)) if arcs else set()
    graph, keys = as_multigraph(network, closed)
    found = wayfront.flows(network, ties="all", closures=sorted(closed), device="cpu")
    found.verify()
    for endpoints in (True, False):
        for normalized in (True, False):
            expected = networkx.betweenness_centrality(
                graph, weight="weight", normalized=normalized, endpoints=endpoints
            )
            mine = found.betweenness(normalized=normalized, endpoints=endpoints)
            assert np.allclose(mine, [expected[node] for node in graph], rtol=NEAR, atol=NEAR)
    edges = networkx.edge_betweenness_centrality(graph, weight="weight", normalized=False)
    assert np.allclose(found.arc_flow, [0.0 if key is None else edges[key] for key in keys], rtol=NEAR, atol=NEAR)


@given(networks(), st.integers(1, 2))
@settings(max_examples=60, deadline=None)
def test_one_path_a_pair_adds_up_exactly(network: RoadNetwork, threads: int) -> None:
    found = wayfront.flows(network, threads=threads, device="cpu")
    found.verify()
    pairs = list(pairs_of(network))
    assert found.arc_flow.dtype == np.int64
    assert (found.trips, found.distance) == (len(pairs), sum(distance for *_, distance in pairs))
    assert found.unreached == network.node_count * (network.node_count - 1) - len(pairs)
    assert found.starts.tolist() == np.bincount([s for s, *_ in pairs], minlength=network.node_count).tolist()
    shared = wayfront.flows(network, ties="all", device="cpu")
    shared.verify()
    assert shared.distance == pytest.approx(found.distance)


@given(networks(), st.data())
@settings(max_examples=40, deadline=None)
def test_pairs_radius_decay_and_weights_are_sums_of_their_pairs(network: RoadNetwork, data: st.DataObject) -> None:
    n = network.node_count
    metric = network.metrics[0]
    radius = data.draw(st.integers(1, 200))
    numbers = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    p, q = data.draw(numbers), data.draw(numbers)
    decay = wayfront.Decay.read(data.draw(st.sampled_from(["exponential:40", "gaussian:40", "power:40:2"])))
    weighted = wayfront.flows(
        network, demand=wayfront.Demand.weighted(network, p, q), radius=radius, decay=decay, ties="all", device="cpu"
    )
    weighted.verify()
    near = [(s, t, d) for s, t, d in pairs_of(network) if d <= radius]
    expected = [p[s] * q[t] * float(decay.at(d * metric.scale)) for s, t, d in near]
    assert np.isclose(weighted.trips, sum(expected))
    assert np.allclose(weighted.ends, np.bincount([t for _, t, _ in near], expected, minlength=n))
    arrived = sum(p[s] * q[t] for s, t, _ in near)
    whole = sum(p) * sum(q) - sum(a * b for a, b in zip(p, q, strict=True))
    assert np.isclose(weighted.unreached, whole - arrived)

    ends = [(s, t) for s in range(n) for t in range(n)]
    trips = [p[s] * q[t] for s, t in ends]
    listed = wayfront.Demand.between(network, [s for s, _ in ends], [t for _, t in ends], trips)
    assert listed.staying == sum(a * b for a, b in zip(p, q, strict=True))
    by_pairs = wayfront.flows(network, demand=listed, radius=radius, decay=decay, ties="all", device="cpu")
    by_pairs.verify()
    for name in ("arc_flow", "through", "starts", "ends"):
        assert np.allclose(getattr(by_pairs, name), getattr(weighted, name))


def test_what_a_source_saw_and_left_is_new_to_the_next_one() -> None:
    network = make_network(4, [(0, 1, 1), (0, 2, 9), (3, 2, 12)])
    pairs = wayfront.Demand.between(network, [0, 3], [1, 2])
    found = wayfront.flows(network, demand=pairs, algorithm="trees", device="cpu")
    assert (found.trips, found.unreached, found.arc_flow.tolist()) == (2.0, 0.0, [1.0, 0.0, 1.0])


def test_sources_share_out_what_all_carry() -> None:
    network = random_arcs(40, 120, 9, 1)
    whole = wayfront.flows(network, device="cpu")
    parts = [wayfront.flows(network, sources=range(first, 40, 2), device="cpu") for first in (0, 1)]
    assert (parts[0].arc_flow + parts[1].arc_flow).tolist() == whole.arc_flow.tolist()
    assert parts[1].sources.tolist() == list(range(1, 40, 2))


def test_figures_are_those_of_plain_distances() -> None:
    grid = wayfront.open_network("synthetic:grid?columns=9&rows=7")
    assert grid.coordinates is not None
    length = Metric("length", "m", 0.5, grid.metrics[0].weights)
    network = grid.with_coordinates(grid.coordinates + 9_000_000).reweighted(length)
    found = wayfront.flows(network, radius=400.0, figures=True, device="cpu")
    assert network.coordinates is not None
    degrees = np.radians(network.coordinates[:, ::-1] / 1e6)
    for source in (0, 31, 62):
        plain = [d or 0 for d in plain_distances(network, source)]
        near = np.array([v for v, d in enumerate(plain) if 0 < d * length.scale <= 400.0])
        d = np.array(plain)[near] * length.scale
        assert found.figures["reach"][source] == len(near)
        assert np.isclose(found.figures["farness"][source], d.sum())
        assert np.isclose(found.figures["harmonic"][source], (1 / d).sum())
        assert np.isclose(found.figures["closeness"][source], len(near) ** 2 / d.sum() / 62)
        (lat, lon), (lats, lons) = degrees[source], degrees[near].T
        straight = 6_371_009 * np.hypot(lats - lat, (lons - lon) * np.cos(lat))
        assert np.isclose(found.figures["straightness"][source], (straight / d).mean(), rtol=1e-4)


def test_figures_are_of_whole_trees_whatever_trips_there_are() -> None:
    network = random_arcs(40, 160, 9, 1)
    demand = wayfront.Demand.between(network, [3, 3, 7], [5, 6, 1])
    found = wayfront.flows(network, demand=demand, figures=True, device="cpu")
    whole = wayfront.flows(network, figures=True, device="cpu")
    for name, figure in whole.figures.items():
        assert found.figures[name].tolist() == figure.tolist()
    assert found.arc_flow.tolist() == wayfront.flows(network, demand=demand, device="cpu").arc_flow.tolist()


def test_any_number_is_a_radius() -> None:
    network = random_arcs(40, 160, 9, 1)
    length = replace(network.metrics[0], scale=0.1)
    far = wayfront.flows(network.reweighted(length), radius=1e308, device="cpu")
    assert far.arc_flow.tolist() == wayfront.flows(network, device="cpu").arc_flow.tolist()


def test_of_arcs_of_weight_0_as_few_as_possible_are_taken() -> None:
    arcs = [(0, 1, 0), (1, 2, 0), (0, 2, 0), (2, 0, 0), (2, 3, 5)]
    for ties in ("one", "all"):
        found = wayfront.flows(make_network(4, arcs), ties=ties, device="cpu")
        found.verify()
        assert found.arc_flow.tolist() == [2, 2, 3, 3, 3]


def test_weights_of_0_beside_too_large_ones_are_refused() -> None:
    n = 120_000
    arcs = np.zeros((n, 3), np.int64)
    arcs[:, 0], arcs[:, 1], arcs[1:, 2] = np.arange(n), np.roll(np.arange(n), -1), 2**31 - 1
    network = RoadNetwork.from_arcs(
        name="long", node_count=n, tails=arcs[:, 0], heads=arcs[:, 1],
        metrics=[Metric("weight", "", 1.0, arcs[:, 2].astype(np.int32))],
    )  # fmt: skip
    with pytest.raises(NetworkError, match="weight of at least 1"):
        wayfront.flows(network, sources=[0], device="cpu")


def test_more_paths_than_numbers_count_are_refused() -> None:
    steps = 1100
    arcs = [(2 * i, 2 * i + 2, 2) for i in range(steps)] + [(2 * i, 2 * i + 1, 1) for i in range(steps)]
    arcs += [(2 * i + 1, 2 * i + 2, 1) for i in range(steps)]
    network = make_network(2 * steps + 1, arcs)
    with pytest.raises(NetworkError, match="ties='one'"):
        wayfront.flows(network, sources=[0], ties="all", device="cpu")
    with pytest.raises(NetworkError, match="ties='one'"):
        wayfront.flows(network, radius=4000, ties="all", device="cpu")
    wayfront.flows(network, sources=[0], device="cpu").verify()


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"ties": "some"}, "ties are"),
        ({"radius": 0}, "radius is a distance above 0"),
        ({"radius": np.inf}, "radius is a distance above 0"),
        ({"decay": 3}, "a decay is"),
        ({"demand": [1, 2]}, "demand is a wayfront.Demand"),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(named: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        wayfront.flows(random_arcs(5, 9, 3, 1), **named)


def test_other_devices_and_another_networks_demand_are_refused() -> None:
    network = random_arcs(5, 9, 3, 1)
    others = wayfront.Demand.weighted(random_arcs(6, 9, 3, 1), [1] * 6)
    with pytest.raises(OptionError, match="6 nodes"):
        wayfront.flows(network, demand=others, device="cpu")
    with pytest.raises(OptionError, match="another network"):
        wayfront.flows(network, demand=wayfront.Demand.between(random_arcs(9, 9, 3, 1), [8], [1]), device="cpu")
    with pytest.raises(DeviceError):
        wayfront.flows(network, device="simulator")


def test_flows_report_progress_and_can_be_cancelled() -> None:
    reported: list[float] = []
    network = random_arcs(30, 90, 9, 2)
    wayfront.flows(network, radius=5.0, device="cpu", progress=lambda _, fraction: reported.append(fraction))
    assert reported[0] == 0.0
    assert reported[-1] == 1.0
    assert reported == sorted(reported)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(SearchCancelled):
        wayfront.flows(network, device="cpu", cancel=cancel)


@pytest.mark.parametrize("name", ["arc_flow", "through", "ends", "distance", "closures"])
def test_the_certificate_finds_what_is_wrong(name: str) -> None:
    found = wayfront.flows(random_arcs(20, 60, 9, 3), closures=[4], device="cpu")
    found.verify()
    if name == "distance":
        wrong: Any = (found.distance or 0) + 1
    elif name == "closures":
        wrong = np.array([int(np.argmax(found.arc_flow))])
    else:
        wrong = getattr(found, name).copy()
        wrong[int(np.argmax(wrong))] += 1
    with pytest.raises(CertificateError):
        replace(found, **{name: wrong}).verify()


@pytest.mark.parametrize("nodes", [0, 1, 2])
def test_networks_of_no_or_one_node_have_no_flows(nodes: int) -> None:
    for ties in ("one", "all"):
        found = wayfront.flows(make_network(nodes, []), ties=ties, device="cpu")
        found.verify()
        assert (found.trips, found.unreached) == (0.0, nodes * (nodes - 1))
        assert found.betweenness().tolist() == [0.0] * nodes


@pytest.mark.parametrize("weights", [False, True])
def test_flows_by_dissection_are_proved_and_pass_nodes_as_trees_do_where_paths_are_unique(weights: bool) -> None:
    r = np.random.default_rng(5)
    grid = wayfront.open_network("synthetic:grid?columns=17&rows=16")
    long = Metric("long", "", 1.0, r.integers(1, 1 << 24, grid.arc_count).astype(np.int32))
    network = grid.reweighted(long)
    demand = wayfront.Demand.weighted(network, r.integers(0, 3, 272), r.random(272)) if weights else None
    asked: dict[str, Any] = {"demand": demand, "closures": [3, 8], "sources": range(2, 272), "device": "cpu"}
    cut = wayfront.flows(network, algorithm="dissection", verify=True, **asked)
    trees = wayfront.flows(network, algorithm="trees", verify=True, **asked)
    assert np.isclose(cut.trips, trees.trips)
    assert cut.arc_flow.dtype == trees.arc_flow.dtype
    for name in ("arc_flow", "through", "starts", "ends"):
        assert np.allclose(getattr(cut, name), getattr(trees, name), rtol=1e-9, atol=1e-6)
    with pytest.raises(OptionError, match="by dissection flows"):
        wayfront.flows(network, algorithm="dissection", radius=4.0, device="cpu")
    wrong = cut.arc_flow.copy()
    wrong[int(np.argmax(wrong))] += 1
    with pytest.raises(CertificateError):
        replace(cut, arc_flow=wrong).verify()


@given(networks(), st.data())
@settings(max_examples=60, deadline=None)
def test_64_neighbours_at_a_time_find_the_flows_of_trees(drawn: RoadNetwork, data: st.DataObject) -> None:
    network, n = positive(drawn) if data.draw(st.booleans()) else drawn, drawn.node_count
    numbers = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    ties = data.draw(st.sampled_from(["one", "all"]))
    part = 1.0 if ties == "one" else 0.37
    demand = wayfront.Demand.weighted(network, [part * p for p in data.draw(numbers)], data.draw(numbers))
    closed = data.draw(st.sets(st.integers(0, network.arc_count - 1), max_size=3)) if network.arc_count else set()
    asked: dict[str, Any] = {
        "ties": ties,
        "radius": data.draw(st.integers(1, 150)),
        "demand": data.draw(st.sampled_from([None, demand])),
        "decay": data.draw(st.sampled_from([None, "gaussian:20"])) if ties == "all" else None,
        "figures": data.draw(st.booleans()),
        "closures": sorted(closed),
        "threads": data.draw(st.integers(1, 2)),
        "device": "cpu",
        "verify": True,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_lanes, "MOST_NODES", data.draw(st.sampled_from([4, 1 << 14])))  # then trees find the others
        found = wayfront.flows(network, **asked)
        patch.setattr(call, "suits", lambda arcs, asked: False)
        trees = wayfront.flows(network, **asked)
    for name in ("arc_flow", "through", "starts", "ends"):
        mine, theirs = getattr(found, name), getattr(trees, name)
        assert mine.tolist() == theirs.tolist() if ties == "one" else np.allclose(mine, theirs, rtol=1e-11, atol=1e-11)
    for name, figure in trees.figures.items():
        assert np.allclose(found.figures[name], figure)
    for name in ("trips", "unreached", "distance"):
        assert getattr(found, name) == pytest.approx(getattr(trees, name), rel=0 if ties == "one" else NEAR, abs=NEAR)


@pytest.mark.parametrize("ties", ["one", "all"])
@pytest.mark.parametrize(("limit", "rows"), [(1, 99), (3, 158), (30, 300), (2**30 - 1, 300)])
def test_blocks_of_64_sources_reach_each_other(limit: int, rows: int, ties: str) -> None:
    network = positive(random_arcs(300, 500, 20, 7))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_lanes, "MOST_NODES", rows)  # with 158 the third and fourth block of five reach too many
        found = wayfront.flows(network, radius=limit, ties=ties, device="cpu", verify=True)
        patch.setattr(call, "suits", lambda arcs, asked: False)
        trees = wayfront.flows(network, radius=limit, ties=ties, device="cpu", verify=True)
    assert np.allclose(found.arc_flow, trees.arc_flow, rtol=0 if ties == "one" else 1e-11)
    assert found.trips == trees.trips > 0


@given(networks(), st.data())
@settings(max_examples=30, deadline=None)
def test_trips_over_an_arc_are_its_flow(drawn: RoadNetwork, data: st.DataObject) -> None:
    network, n = positive(drawn) if data.draw(st.booleans()) else drawn, drawn.node_count
    numbers = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    pairs = st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), min_size=1, max_size=9)
    starts, ends = zip(*data.draw(pairs), strict=True)
    demands = [
        None,
        wayfront.Demand.weighted(network, data.draw(numbers), data.draw(numbers)),
        wayfront.Demand.between(network, starts, ends),
    ]
    asked: dict[str, Any] = {
        "ties": data.draw(st.sampled_from(["one", "all"])),
        "radius": data.draw(st.sampled_from([None, 60])),
        "decay": data.draw(st.sampled_from([None, "exponential:30"])),
        "demand": demands[data.draw(st.integers(0, 2))],
        "threads": data.draw(st.integers(1, 2)),
        "device": "cpu",
        "verify": True,
    }
    closed = data.draw(st.sets(st.integers(0, network.arc_count - 1), max_size=3)) if network.arc_count else set()
    whole = wayfront.flows(network, closures=sorted(closed), **asked)
    for arc in sorted(set(range(network.arc_count)) - closed):
        found = wayfront.flows(network, closures=sorted(closed), over=arc, **asked)
        assert found.trips == pytest.approx(whole.arc_flow[arc], rel=NEAR)
        assert found.arc_flow[arc] == pytest.approx(whole.arc_flow[arc], rel=NEAR)
        assert (found.starts <= whole.starts * (1 + NEAR)).all()
        assert (found.ends <= whole.ends * (1 + NEAR)).all()


@pytest.mark.parametrize("over", [-1, 9, 2, 1.5, True])
def test_trips_pass_over_an_open_arc_alone(over: Any) -> None:
    network = random_arcs(5, 9, 3, 1)
    with pytest.raises(OptionError, match="open arc"):
        wayfront.flows(network, over=over, closures=[2], device="cpu")
    with pytest.raises(OptionError, match="figures"):
        wayfront.flows(network, over=3, figures=True, device="cpu")


def test_shortest_paths_share_by_dissection_as_by_trees() -> None:
    grid = wayfront.open_network("synthetic:grid?columns=9&rows=8&seed=2")
    network = grid.reweighted(Metric("alike", "", 1.0, np.ones(grid.arc_count, np.int32)))
    asked: dict[str, Any] = {"ties": "all", "closures": [3, 8], "device": "cpu", "verify": True}
    cut = wayfront.flows(network, algorithm="dissection", **asked)
    trees = wayfront.flows(network, algorithm="trees", **asked)
    for name in ("arc_flow", "through", "starts", "ends"):
        np.testing.assert_allclose(getattr(cut, name), getattr(trees, name), rtol=1e-9, atol=1e-9)
