"""Traffic assignment: trips along shortest paths, the equilibria of three methods, and its proof."""

from __future__ import annotations

import csv
import json
import sqlite3
import threading
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sioux_falls
import wayfront
from wayfront.devices import open_device
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import (
    CertificateError,
    FormatError,
    NetworkError,
    NotConvergedWarning,
    OptionError,
    SearchCancelled,
)
from wayfront.searching.assignment.equilibrium import Method
from wayfront.searching.assignment.loading import Loader

METHODS = [method.value for method in Method]


def network_of(n: int, arcs: list[tuple[int, int]]) -> RoadNetwork:
    tails, heads = np.array(arcs, np.int64).reshape(-1, 2).T
    hops = Metric("hops", "", 1.0, np.ones(len(arcs), np.int32))
    return RoadNetwork.from_arcs(name="Town", node_count=n, tails=tails, heads=heads, metrics=[hops])


BRAESS = network_of(4, [(0, 2), (0, 3), (2, 1), (2, 3), (3, 1)])


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return wayfront.read_tntp(*sioux_falls.write(tmp_path_factory.mktemp("town")))


# ------------------------------------------------------------------------------------------------------ equilibria


def test_sioux_falls_reaches_the_best_known_flows(town: Any) -> None:
    found = wayfront.assign(town.network, town.demand, town.roads, gap=1e-6, device="cpu")
    best = sioux_falls.best_flows()
    assert found.converged
    assert found.relative_gap <= 1e-6
    assert np.abs(found.flow / best - 1).max() < 1e-3
    assert found.iterations[-1].objective == pytest.approx(sioux_falls.OBJECTIVE, rel=1e-7)
    assert town.roads.integral(best) == pytest.approx(sioux_falls.OBJECTIVE, rel=1e-10)
    assert (found.arrived, found.unreached, found.staying) == (360_600.0, 0.0, 0.0)
    found.verify()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_comes_down_to_the_same_flows(town: Any, method: str) -> None:
    found = wayfront.assign(town.network, town.demand, town.roads, method=method, gap=5e-4, device="cpu")
    objectives = [each.objective for each in found.iterations]
    assert found.converged
    assert all(after <= before for before, after in pairwise(objectives))
    last = found.iterations[-1]
    assert 0 <= objectives[-1] - sioux_falls.OBJECTIVE <= last.relative_gap * last.total_cost  # since it is convex
    found.verify()


def test_conjugate_directions_take_fewer_iterations(town: Any) -> None:
    asked: dict[str, Any] = {"gap": 1e-3, "device": "cpu"}
    taken = [
        len(wayfront.assign(town.network, town.demand, town.roads, method=method, **asked).iterations)
        for method in METHODS
    ]
    assert taken[0] > taken[1] >= taken[2]


def test_a_road_more_makes_everybody_later() -> None:
    """Braess' paradox: 6 trips take 92 each with the road in the middle, and 83 without."""
    roads = wayfront.Bpr([1e-8, 50, 50, 10, 1e-8], 1.0, [1e9, 0.02, 0.02, 0.1, 1e9], 1.0)
    demand = wayfront.Demand.between(BRAESS, [0], [1], [6.0])
    found = wayfront.assign(BRAESS, demand, roads, gap=1e-9, device="cpu")
    assert found.flow.round(4).tolist() == [4, 2, 2, 2, 4]
    assert found.iterations[-1].shortest_cost / 6 == pytest.approx(92, rel=1e-6)
    without = network_of(4, [(0, 2), (0, 3), (2, 1), (3, 1)])
    fewer = wayfront.Bpr([1e-8, 50, 50, 1e-8], 1.0, [1e9, 0.02, 0.02, 1e9], 1.0)
    alone = wayfront.assign(without, demand, fewer, gap=1e-9, device="cpu")
    assert alone.iterations[-1].shortest_cost / 6 == pytest.approx(83, rel=1e-6)


def test_the_gap_is_that_of_the_costs_themselves(town: Any) -> None:
    with pytest.warns(NotConvergedWarning, match="after 7 iterations, above the 1e-09 that was asked for"):
        found = wayfront.assign(town.network, town.demand, town.roads, gap=1e-9, iterations=7, device="cpu")
    assert (found.ended, found.converged, len(found.iterations)) == ("iterations", False, 7)
    graph = networkx.DiGraph()
    arcs = zip(town.network.tails().tolist(), town.network.targets.tolist(), found.cost.tolist(), strict=True)
    graph.add_weighted_edges_from(arcs)
    lengths = dict(networkx.all_pairs_dijkstra_path_length(graph))
    pairs = zip(found.origins.tolist(), found.destinations.tolist(), found.trips.tolist(), strict=True)
    shortest = sum(trips * lengths[origin][destination] for origin, destination, trips in pairs)
    total = float(found.flow @ found.cost)
    assert found.relative_gap == pytest.approx((total - shortest) / total, rel=1e-9)
    assert found.average_excess_cost == pytest.approx((total - shortest) / 360_600, rel=1e-9)


# ------------------------------------------------------------------------------------------------------- all or nothing


@st.composite
def questions(draw: st.DrawFn) -> tuple[RoadNetwork, np.ndarray, np.ndarray, list[int], wayfront.Demand]:
    """Return a network with parallel arcs, loops and parts, costs with zeros, zones, closed arcs, and trips."""
    n = draw(st.integers(2, 9))
    node = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(node, node), min_size=1, max_size=30))
    costs = draw(st.lists(st.sampled_from([0.0, 0.25, 1.0, 1.5, 1000.0]), min_size=len(arcs), max_size=len(arcs)))
    zones = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    closed = draw(st.lists(st.integers(0, len(arcs) - 1), max_size=2, unique=True))
    pairs = draw(st.lists(st.tuples(node, node, st.integers(0, 9)), min_size=1, max_size=12))
    network = network_of(n, arcs)
    order = np.argsort([tail for tail, _ in arcs], kind="stable")
    origins, destinations, trips = zip(*pairs, strict=True)
    return (
        network,
        np.array(costs)[order],
        np.array(zones),
        closed,
        wayfront.Demand.between(network, origins, destinations, trips),
    )


@settings(max_examples=40, deadline=None)
@given(question=questions())
def test_trips_take_shortest_paths_and_none_is_lost(question: Any) -> None:
    network, costs, zones, closed, demand = question
    loader = Loader(network, demand, zones, np.unique(closed).astype(np.int64), open_device("cpu"))
    loaded = loader.load(costs)
    tails, heads = network.tails(), network.targets
    wanted, unreached = 0.0, 0.0
    for origin, destination, trips in zip(demand.origins, demand.destinations, demand.trips, strict=True):
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(network.node_count))
        for arc, (tail, head, cost) in enumerate(zip(tails.tolist(), heads.tolist(), costs.tolist(), strict=True)):
            if arc not in closed and (not zones[tail] or tail == origin):
                least = min(cost, graph.get_edge_data(tail, head, {"weight": np.inf})["weight"])
                graph.add_edge(tail, head, weight=least)
        try:
            wanted += trips * networkx.dijkstra_path_length(graph, int(origin), int(destination))
        except networkx.NetworkXNoPath:
            unreached += trips
    assert loader.unreached == unreached
    assert loader.arrived == demand.trips.sum() - unreached
    allowed = loaded.resolution * network.node_count * demand.trips.sum()
    assert loaded.flow @ costs == pytest.approx(wanted, abs=allowed + 1e-9)
    if unreached == 0:
        n = network.node_count
        balance = np.bincount(heads, loaded.flow, n) - np.bincount(tails, loaded.flow, n)
        ends = np.bincount(demand.destinations, demand.trips, n) - np.bincount(demand.origins, demand.trips, n)
        assert balance == pytest.approx(ends)
    assert not loaded.flow[closed].any()
    again = loader.load(costs)
    assert (again.flow == loaded.flow).all()


def test_nobody_drives_through_a_zone(tmp_path: Path) -> None:
    through = wayfront.read_tntp(*sioux_falls.write(tmp_path, first_through=12))
    found = wayfront.assign(through.network, through.demand, through.roads, no_passage=through.no_passage, device="cpu")
    assert through.no_passage.sum() == 11
    zones = np.flatnonzero(through.no_passage)
    begins = np.bincount(found.origins, found.trips, 24)
    leaves = np.bincount(through.network.tails(), found.flow, 24)
    assert found.unreached > 0
    assert (leaves[zones] <= begins[zones] + 1e-6).all()
    assert leaves.sum() > 0
    found.verify()


def test_no_trips_are_at_equilibrium() -> None:
    demand = wayfront.Demand.between(BRAESS, [0], [0], [5.0])
    found = wayfront.assign(BRAESS, demand, wayfront.Bpr(1.0, 1.0), device="cpu")
    assert (found.converged, found.arrived, found.staying, found.flow.tolist()) == (True, 0.0, 5.0, [0.0] * 5)
    found.verify()


# --------------------------------------------------------------------------------------------- costs, proof, mistakes


def test_nothing_is_sent_over_closed_roads(town: Any) -> None:
    closed = wayfront.arcs_between(town.network, [9, 14], [14, 9])
    found = wayfront.assign(town.network, town.demand, town.roads, closures=closed, gap=1e-3, device="cpu")
    assert (found.flow[closed].tolist(), found.closures.tolist()) == ([0, 0], closed.tolist())
    found.verify()
    whole = wayfront.assign(town.network, town.demand, town.roads, gap=1e-3, device="cpu")
    assert found.iterations[-1].total_cost > whole.iterations[-1].total_cost
    with pytest.raises(CertificateError, match="closed arcs carry something"):
        replace(whole, closures=closed).verify()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda found: replace(found, flow=found.flow * 1.001),
        lambda found: replace(found, flow=-found.flow),
        lambda found: replace(found, cost=found.cost * 1.001),
        lambda found: replace(found, iterations=(replace(found.iterations[-1], shortest_cost=7e6),)),
        lambda found: replace(found, iterations=(replace(found.iterations[-1], total_cost=8e6),)),
    ],
)
def test_wrong_results_fail_their_proof(town: Any, wrong: Any) -> None:
    found = wayfront.assign(town.network, town.demand, town.roads, gap=0.01, device="cpu")
    with pytest.raises(CertificateError):
        wrong(found).verify()


def test_cancelled_it_returns_the_flows_so_far(town: Any) -> None:
    cancel = threading.Event()
    seen: list[tuple[str, float]] = []

    def progress(what: str, done: float) -> None:
        seen.append((what, done))
        if what.startswith("iteration 3:"):
            cancel.set()

    found = wayfront.assign(
        town.network, town.demand, town.roads, gap=1e-9, device="cpu", progress=progress, cancel=cancel
    )
    assert (found.ended, len(found.iterations)) == ("cancelled", 3)
    assert found.remark.startswith("cancelled: the relative gap is ")
    assert [done for what, done in seen if what.startswith("iteration")] == sorted(done for _, done in seen[-3:])
    found.verify()
    with pytest.raises(SearchCancelled):
        wayfront.assign(town.network, town.demand, town.roads, device="cpu", cancel=cancel)


class _Later(threading.Event):
    """Somebody who cancels when he has been asked so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._times = times

    def is_set(self) -> bool:
        self._times -= 1
        return self._times < 0


def test_cancelled_between_trees_it_knows_which_trips_no_path_leads_to(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = network_of(5, [(0, 1), (1, 2), (0, 2), (3, 4)])
    demand = wayfront.Demand.between(parts, [0, 0, 1, 2, 3], [2, 3, 4, 3, 4], [5.0, 1.0, 2.0, 4.0, 8.0])
    roads = wayfront.Bpr([1.0, 1.0, 3.0, 1.0], 1.0, [0.3, 0.7, 0.1, 0.1], 3.7)
    monkeypatch.setattr("wayfront.searching.assignment.loading.ROW_BYTES", 1)
    ended = set()
    for times in range(1, 30):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotConvergedWarning)
                found = wayfront.assign(parts, demand, roads, gap=0.0, device="cpu", cancel=_Later(times), iterations=3)
        except SearchCancelled:
            continue
        assert (found.arrived, found.unreached) == (13.0, 7.0)
        ended.add(found.ended)
    assert "cancelled" in ended


def test_a_gap_of_0_ends_where_no_step_helps() -> None:
    ring = network_of(3, [(0, 1), (1, 2), (0, 2)])
    demand = wayfront.Demand.between(ring, [0], [2], [1.0])
    roads = wayfront.Bpr([1.0, 1.0, 3.0], 1.0, [0.3, 0.7, 0.1], 3.7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        found = wayfront.assign(ring, demand, roads, gap=0.0, device="cpu", method="frank-wolfe")
    assert found.ended in ("reached", "stalled")
    assert found.relative_gap < 1e-8


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"method": "newton"}, "a method is one of frank-wolfe, conjugate, biconjugate, not 'newton'"),
        ({"gap": -1}, "the gap is a number of at least 0, such as 1e-4, not -1"),
        ({"iterations": 0}, "iterations"),
        ({"no_passage": [True]}, "no_passage says of each of 4 nodes"),
        ({"roads": wayfront.Bpr([1.0, 2.0], 1.0)}, "roads have costs of 2 arcs, and Town has 5"),
        ({"roads": 3}, "roads are wayfront.Bpr"),
        ({"demand": wayfront.Demand.weighted(BRAESS, [1] * 4)}, "assignment takes trips of pairs"),
    ],
)
def test_mistakes_of_callers_are_explained(change: dict[str, Any], problem: str) -> None:
    demand = wayfront.Demand.between(BRAESS, [0], [1])
    asked: dict[str, Any] = {"demand": demand, "roads": wayfront.Bpr(1.0, 1.0)} | change
    with pytest.raises((OptionError, NetworkError)) as raised:
        wayfront.assign(BRAESS, asked.pop("demand"), asked.pop("roads"), device="cpu", **asked)
    assert str(raised.value).startswith(problem)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (([1.0], [0.0]), "the capacity of arc 0 is 0, so that any flow takes for ever"),
        (([1.0, -1.0], [1.0]), "free_flow of arc 1 is -1; it is a number of at least 0"),
        (([1.0, 1.0], [1.0, 1.0, 1.0]), "free_flow has 2 numbers where another column has 3"),
        ((["a"], [1.0]), "free_flow is a number, or one for each arc"),
        (([[1.0]], [1.0]), "free_flow is a number, or one for each arc, not an array of shape (1, 1)"),
    ],
)
def test_wrong_costs_are_explained(arguments: Any, problem: str) -> None:
    with pytest.raises(NetworkError) as raised:
        wayfront.Bpr(*arguments)
    assert str(raised.value).startswith(problem)


def test_costs_beyond_64_bits_are_refused() -> None:
    demand = wayfront.Demand.between(BRAESS, [0], [1], [1e9])
    with pytest.raises(NetworkError, match="the cost of arc 0 outgrows 64 bits: look at its capacity, b and power"):
        wayfront.assign(BRAESS, demand, wayfront.Bpr(1.0, 1.0, power=100), device="cpu")


def test_wrong_files_are_named_with_their_line(tmp_path: Path) -> None:
    net, trips = sioux_falls.write(tmp_path)
    text = trips.read_text()
    trips.write_text(text.replace(" 24 : 100.0;", " 25 : 100.0;", 1))
    with pytest.raises(FormatError, match=r"trips.tntp:6: destination 25 is no node of SiouxFalls_net.tntp"):
        wayfront.read_tntp(net, trips)
    trips.write_text(text)
    net.write_text(net.read_text().replace("25900.20064", "0", 1))
    with pytest.raises(FormatError, match=r"net.tntp:8: the capacity is 0, so that any flow takes for ever"):
        wayfront.read_tntp(net, trips)
    with pytest.raises(OptionError, match="toll_factor is a number of at least 0, not -1"):
        wayfront.read_tntp(net, trips, toll_factor=-1)


# ------------------------------------------------------------------------------------------------------------- files


def test_flows_are_saved_as_tables_and_lines(tmp_path: Path, town: Any) -> None:
    placed = town.network.with_coordinates(np.arange(48).reshape(24, 2) * 1000)
    found = wayfront.assign(placed, town.demand, town.roads, gap=0.01, device="cpu")
    found.save(tmp_path / "flows.csv")
    with (tmp_path / "flows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["tail", "head", "flow", "cost", "free_flow_cost", "saturation"]
    assert [float(row["flow"]) for row in rows] == found.flow.tolist()
    assert [int(row["tail"]) for row in rows] == [tail for tail, *_ in sioux_falls.ROADS]
    found.save(tmp_path / "flows.gpkg")
    with sqlite3.connect(tmp_path / "flows.gpkg") as base:
        assert base.execute("SELECT tail, head, flow FROM roads").fetchall()[0] == (1, 2, found.flow[0])
    base.close()
    found.save(tmp_path / "flows.geojson")
    features = json.loads((tmp_path / "flows.geojson").read_text())["features"]
    assert features[0]["geometry"] == {"type": "LineString", "coordinates": [[0.0, 0.001], [0.002, 0.003]]}
    found.save(tmp_path / "flows.parquet")
    pandas = pytest.importorskip("pandas")
    assert pandas.read_parquet(tmp_path / "flows.parquet").equals(pandas.read_csv(tmp_path / "flows.csv"))
    assert list(found.to_pandas()) == list(found.columns())
    assert len(found.to_geodataframe()) == 76
    assert found.iterations_to_pandas().index.tolist() == list(range(1, len(found.iterations) + 1))
    with pytest.raises(OptionError, match=r"unknown suffix; flows are written as \.csv, \.parquet, \.gpkg, \.geojson"):
        found.save(tmp_path / "flows.txt")
    with pytest.raises(NetworkError, match="has no coordinates"):
        replace(found, network=town.network).save(tmp_path / "flows.gpkg")
