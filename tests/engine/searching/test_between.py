"""Pairs of points of a prepared network have the distances of its trees and their paths, whatever changes between."""

from __future__ import annotations

import threading
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfront
from pairs_checks import shapes
from points_on_roads import expected_between, points_on_roads
from search_checks import make_network, networks, random_arcs
from wayfront.devices.cpu import CpuDevice
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.host.engine import HostEngine
from wayfront.dissection.host.pair_tables import given_at, tables_at
from wayfront.dissection.host.vectors import LANES_1
from wayfront.dissection.points import seed_at
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import RoadNetwork
from wayfront.results.route import Route
from wayfront.safe.errors import MemoryShortError, NetworkError, SearchCancelled
from wayfront.searching.prepared import Prepared


def check_pairs(prepared: Prepared, origins: Any, destinations: Any) -> None:
    """Compare pairs of nodes with trees."""
    distances, routes = prepared.distances(origins, destinations), prepared.routes(origins, destinations)
    for i, (origin, destination) in enumerate(zip(origins, destinations, strict=True)):
        expected = prepared.tree(int(origin)).route(int(destination))
        for found in (routes[i], prepared.route(int(origin), int(destination))):
            assert found.nodes.tolist() == expected.nodes.tolist()
            assert found.distance == expected.distance == distances[i]
            assert found.arcs.tolist() == expected.arcs.tolist()
        assert prepared.distance(int(origin), int(destination)) == expected.distance


@pytest.mark.parametrize("name", shapes())
def test_every_shape(name: str) -> None:
    network = shapes()[name]
    prepared, random = wayfront.prepare(network, device="cpu"), np.random.default_rng(3)
    check_pairs(prepared, *random.integers(0, network.node_count, (2, 40)))


def test_distances_of_64_bits_in_reverse() -> None:
    network = random_arcs(80, 300, 2**31 - 1, 1)
    prepared = wayfront.prepare(network, device="cpu", reverse=True)
    prepared.set_weights(np.arange(0, 300, 3), 2**31 - 1)
    assert prepared.distance_dtype == np.int64
    check_pairs(prepared, *np.random.default_rng(4).integers(0, 80, (2, 40)))


@numba.njit
def taken(places: Any, cells: Any, blocks: Any) -> Any:
    return tables_at(places, cells, blocks), given_at(places, blocks)


def arrays_of(kind: Any) -> list[Any]:
    if isinstance(kind, numba.types.BaseTuple):
        return [dtype for part in kind for dtype in arrays_of(part)]
    return [kind.dtype] if isinstance(kind, numba.types.Array) else []


def test_compiled_code_takes_arrays_by_address_in_their_order_and_types() -> None:
    prepared = wayfront.prepare(make_network(3, [(0, 1, 2), (1, 2, 3)]), device="cpu")
    assert prepared.route(0, 2).distance == 5 and isinstance(prepared._ready, HostEngine)
    pairs = prepared._ready._ready_pairs
    noted = arrays_of(numba.typeof((pairs._tables, *pairs._one)))
    taken.compile(tuple(map(numba.typeof, (pairs._places[1], pairs._tables.cells, pairs._tables.blocks))))
    assert arrays_of(taken.nopython_signatures[-1].return_type) == noted
    assert len(pairs._places[1]) == 2 * (len(noted) + 1)


def check_way(network: RoadNetwork, weights: Any, route: Route, origin: Ends, destination: Ends) -> None:
    """Check that a path has the length it is said to have, with what is left of the roads at both of its ends."""
    if not len(route.nodes):
        assert route.distance == -1 or (np.intersect1d(origin.arcs, destination.arcs) != NONE).any()
        return
    first, last = int(route.nodes[0]), int(route.nodes[-1])
    before = [int(c) for n, c in zip(origin.nodes[0], origin.costs[0], strict=True) if n == first]
    behind = [int(c) for n, c in zip(destination.nodes[0], destination.costs[0], strict=True) if n == last]
    assert route.distance - int(weights[route.arcs].sum()) in {a + b for a in before for b in behind}


@settings(max_examples=20, deadline=None)
@given(network=networks(), data=st.data())
def test_points_on_roads_of_any_network_while_roads_change(network: RoadNetwork, data: st.DataObject) -> None:
    prepared, last, closed = wayfront.prepare(network, device="cpu"), network.arc_count - 1, set[int]()
    place = st.tuples(st.integers(-network.node_count, last), st.integers(0, 100))
    for _ in range(3):
        if last >= 0:
            closed = set(data.draw(st.lists(st.integers(0, last), max_size=3)))
            changed = sorted(set(data.draw(st.lists(st.integers(0, last), max_size=3))))
            prepared.set_weights(changed, data.draw(st.sampled_from([0, 7, 2**31 - 1])))
            prepared.close_exactly(sorted(closed))
        pairs = data.draw(st.lists(st.tuples(place, place), max_size=5))
        weights = prepared.metric.weights
        origins, _ = points_on_roads(network, weights, [a for a, _ in pairs])
        _, destinations = points_on_roads(network, weights, [b for _, b in pairs])
        expected = np.diag(np.array(expected_between(network, weights, closed, origins, destinations), np.int64))
        assert prepared.distances(origins, destinations).tolist() == expected.tolist()
        for i, route in enumerate(prepared.routes(origins, destinations)):
            one = slice(i, i + 1)
            assert route.distance == expected[i] == prepared.distance(origins.chosen(one), destinations.chosen(one))
            assert not set(route.arcs.tolist()) & closed
            check_way(network, weights, route, origins.chosen(one), destinations.chosen(one))


def test_a_path_of_more_nodes_than_there_is_room_for_at_first() -> None:
    network = make_network(5000, [(u, u + 1, 3) for u in range(4999)])
    prepared = wayfront.prepare(network, device="cpu")
    routes = prepared.routes([0, 7, 4000], [4999, 8, 1])
    assert routes[0].nodes.tolist() == list(range(5000))
    assert [len(route) for route in routes[1:]] == [2, 0]
    assert prepared.route(5, 4990).distance == 3 * 4985


@pytest.mark.parametrize("heaviest", [2, 10**4], ids=["many ties", "few ties"])
def test_paths_are_those_of_trees_while_roads_change(heaviest: int) -> None:
    grid, random = wayfront.open_network("synthetic:grid?columns=24&rows=20"), np.random.default_rng(heaviest)
    prepared, arcs = wayfront.prepare(grid, device="cpu"), np.arange(grid.arc_count)
    prepared.set_weights(arcs, random.integers(1, heaviest + 1, grid.arc_count))
    for _ in range(3):
        check_pairs(prepared, *random.integers(0, grid.node_count, (2, 60)))
        chosen = random.choice(arcs, 40, replace=False)
        prepared.set_weights(chosen, random.integers(0, heaviest + 1, len(chosen)))
        prepared.close_exactly(random.choice(arcs, 30, replace=False))


def test_pairs_go_on_when_their_numbers_do_not_fit_any_more() -> None:
    network = random_arcs(60, 240, 50, 2)
    prepared = wayfront.prepare(network, device="cpu")
    check_pairs(prepared, range(20), range(20, 40))
    engine: Any = prepared._engine
    engine._pairs._most_pairs = int(engine._pairs._tables.pair[0]) + 15
    check_pairs(prepared, range(20, 40), range(20))


def test_without_vectors() -> None:
    ends = np.random.default_rng(1).integers(0, 70, (260, 2)).tolist()
    network = make_network(70, [(a, b, 1 + i % 40) for i, (a, b) in enumerate(ends)])
    device = CpuDevice(threads=1)
    engine = HostEngine(device, dissect(network), network, np.dtype(np.int32), lanes=LANES_1)
    assert engine.customise(network.metrics[0].weights)
    prepared = wayfront.prepare(network, device="cpu")
    for source, target in np.random.default_rng(5).integers(0, 70, (20, 2)).tolist():
        found = engine.pair_paths(seed_at(source, np.dtype(np.int32)), seed_at(target, np.dtype(np.int32)))
        assert found.nodes[: found.ends[0]].tolist() == prepared.tree(source).route(target).nodes.tolist()
    device.close()


def test_memory_for_pairs_is_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    network = random_arcs(80, 300, 100, 1)
    prepared = wayfront.prepare(network, device="cpu")
    with monkeypatch.context() as patch:
        patch.setattr("wayfront.safe.memory.available_bytes", lambda: 1000)
        with pytest.raises(MemoryShortError, match="or find trees, which need no more") as refused:
            prepared.distance(0, 1)
    assert prepared.distance(0, 1) == prepared.tree(0).distances[1]
    assert isinstance(prepared._engine, HostEngine)
    tables = prepared._engine._ready_pairs._tables
    made = (tables.blocks, tables.arcs, tables.hops.rows, tables.hops.leaf_rows, tables.hops.items)
    assert refused.value.needed >= sum(array.nbytes for array in made)


class TreesAlone:
    """An engine as a card's is, which finds no pairs."""

    def __init__(self, engine: Any) -> None:
        self.spare, self.tree, self.towards = engine.spare, engine.tree, engine.towards


def test_an_engine_that_finds_no_pairs_makes_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    network = random_arcs(60, 150, 50, 2)
    prepared = wayfront.prepare(network, device="cpu")
    places = [(3, 40), (9, 100), (-5, 0), (3, 70), (20, 0), (-9, 0)]
    origins, destinations = points_on_roads(network, network.metrics[0].weights, places)
    expected, ways = prepared.distances(origins, destinations), prepared.routes(origins, destinations)
    monkeypatch.setattr(prepared, "_engine", TreesAlone(prepared._engine))
    monkeypatch.setattr(prepared, "_pair_engine", None)
    check_pairs(prepared, range(10), range(10, 20))
    assert prepared.distances(origins, destinations).tolist() == expected.tolist()
    found = prepared.routes(origins, destinations)
    assert [route.nodes.tolist() for route in found] == [route.nodes.tolist() for route in ways]


def test_a_way_along_one_road_passes_no_node() -> None:
    network = make_network(3, [(0, 1, 100), (1, 2, 10)])
    prepared = wayfront.prepare(network, device="cpu")
    origins, destinations = points_on_roads(network, network.metrics[0].weights, [(0, 10), (0, 90)])
    route = prepared.route(origins.chosen(slice(0, 1)), destinations.chosen(slice(1, 2)))
    assert (route.distance, route.cost, len(route)) == (80, 80, 0)
    assert repr(route) == "<Route along one road: 80, drawn>"
    with pytest.raises(NetworkError, match="along one road has no nodes"):
        route.summary()
    back = prepared.route(origins.chosen(slice(1, 2)), destinations.chosen(slice(0, 1)))
    assert (back.distance, back.cost, repr(back)) == (-1, float("inf"), "<Route: no path, drawn>")


@pytest.mark.parametrize("routes", [False, True])
def test_a_pair_is_found_by_the_engine_there_is_when_its_turn_comes(
    routes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = wayfront.prepare(make_network(3, [(0, 1, 1), (1, 2, 1)]), device="cpu")
    end_of = prepared._end

    def widen_meanwhile(node: int, noun: str) -> int:
        changing = threading.Thread(target=prepared.set_weights, args=([0, 1], 2**31 - 1))
        changing.start()
        changing.join()
        return end_of(node, noun)

    monkeypatch.setattr(prepared, "_end", widen_meanwhile)
    found = prepared.route(0, 2).distance if routes else prepared.distance(0, 2)
    assert found == 2 * (2**31 - 1)


def test_mistakes_are_explained_before_anything_is_computed() -> None:
    network = random_arcs(30, 90, 9, 1)
    prepared = wayfront.prepare(network, device="cpu")
    with pytest.raises(NetworkError, match="2 and 1 points are no pairs"):
        prepared.distances([0, 1], [0])
    with pytest.raises(NetworkError, match="no internal node 30"):
        prepared.route(0, 30)
    with pytest.raises(NetworkError, match="the origin is a node or the ends of one point, not of 2"):
        prepared.distance(Ends.at_nodes(network, [0, 1]), 3)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(SearchCancelled):
        prepared.routes([0], [1], cancel=cancel)
    assert prepared.routes([], []) == []
    assert prepared.distances([], []).dtype == np.int32
