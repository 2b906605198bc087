"""Places on roads: against every road measured by Shapely, and every search from and to them by SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from wayfront.network.details import Shapes
from wayfront.network.nearest import AT_NODE_M, METRES
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import NetworkError, OptionError

NORTH = 64_100_000
"""Microdegrees of latitude, about that of Reykjavík."""


def network_of(
    coordinates: list[tuple[int, int]],
    arcs: list[tuple[int, int, int]],
    bends: dict[int, list[tuple[int, int]]] | None = None,
) -> RoadNetwork:
    """Return a network of nodes (microdegrees) and arcs (tail, head, weight), some with points between their ends."""
    between = [(bends or {}).get(arc, []) for arc in range(len(arcs))]
    offsets = np.concatenate(([0], np.cumsum([len(points) for points in between])))
    points = np.array([point for line in between for point in line], np.int32).reshape(-1, 2)
    tails, heads, weights = np.array(arcs, np.int64).reshape(-1, 3).T
    return RoadNetwork.from_arcs(
        name="Town",
        node_count=len(coordinates),
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1.0, weights.astype(np.int32))],
        coordinates=np.array(coordinates, np.int64),
        shapes=Shapes(offsets, points) if bends else None,
    )


def lines_near(network: RoadNetwork, point: NDArray[np.float64]) -> list[Any]:
    """Return the line of each arc on a plane round a point, in metres, by the shorter way round the Earth."""
    assert network.coordinates is not None
    lines = []
    for arc, tail in enumerate(network.tails()):
        inner = [] if network.shapes is None else network.shapes.of(arc).tolist()
        line = [network.coordinates[tail], *inner, network.coordinates[network.targets[arc]]]
        plane = (np.array(line, np.float64) - point * 1e6) * METRES
        plane[:, 0] = (plane[:, 0] + 180e6 * METRES) % (360e6 * METRES) - 180e6 * METRES
        lines.append(shapely.LineString(plane * (np.cos(np.radians(point[1])), 1)))
    return lines


@st.composite
def towns(draw: st.DrawFn) -> RoadNetwork:
    """Draw a network with parallel arcs, loops, bends, zero weights and nodes at one place, in the north or at 180°."""
    n = draw(st.integers(1, 7))
    east = draw(st.sampled_from((0, 179_999_000, -21_900_000)))
    offsets = st.integers(-3000, 3000)
    nodes = [
        ((east + draw(offsets) + 180_000_000) % 360_000_000 - 180_000_000, NORTH + draw(offsets)) for _ in range(n)
    ]
    ends = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(ends, ends, st.integers(0, 900)), min_size=1, max_size=14))
    arcs += [(head, tail, weight) for tail, head, weight in arcs[: draw(st.integers(0, len(arcs)))]]
    bends = {
        arc: [((east + draw(offsets) + 180_000_000) % 360_000_000 - 180_000_000, NORTH + draw(offsets))]
        for arc in draw(st.sets(st.integers(0, len(arcs) - 1), max_size=3))
    }
    return network_of(nodes, arcs, bends)


def points_near(network: RoadNetwork, count: int, seed: int) -> wayfront.Places:
    assert network.coordinates is not None
    rng = np.random.default_rng(seed)
    near = network.coordinates[rng.integers(0, network.node_count, count)] / 1e6 + rng.normal(0, 0.002, (count, 2))
    near[:, 0] = (near[:, 0] + 180) % 360 - 180
    return wayfront.Places.from_arrays(*near.T)


@settings(max_examples=80, deadline=None)
@given(towns(), st.integers(0, 99))
def test_the_nearest_road_is_that_of_brute_force(network: RoadNetwork, seed: int) -> None:
    places = points_near(network, 5, seed)
    snapped = places.on(network, limit_m=1e9)
    for row, point in enumerate(places.coordinates):
        lines, here = lines_near(network, point), shapely.Point(0, 0)
        metres = np.array([line.distance(here) for line in lines])
        assert snapped.metres[row] == pytest.approx(metres.min(), abs=1e-3)
        chosen = lines[int(snapped.arcs[row])]
        assert chosen.distance(here) == pytest.approx(metres.min(), abs=1e-3)
        # The point of the road is where the fraction of its length says, and as far as is said.
        along = chosen.interpolate(snapped.fractions[row], normalized=True)
        assert along.distance(here) == pytest.approx(metres.min(), abs=2 * AT_NODE_M + 1e-3 * chosen.length)


@settings(max_examples=60, deadline=None)
@given(towns(), st.integers(0, 99))
def test_ends_divide_the_weights_of_their_roads(network: RoadNetwork, seed: int) -> None:
    snapped = points_near(network, 6, seed).on(network, limit_m=1e9)
    metric = network.metric()
    leaving, arriving = snapped.origins(metric), snapped.destinations(metric)
    np.testing.assert_array_equal(leaving.arcs, arriving.arcs)
    np.testing.assert_array_equal(leaving.offsets, arriving.offsets)
    for row in range(len(snapped)):
        there = leaving.arcs[row] >= 0
        arcs = leaving.arcs[row][there]
        if not len(arcs):
            assert leaving.nodes[row].tolist() == arriving.nodes[row].tolist()
            assert leaving.nodes[row, 1] == -1 and not leaving.costs[row].any()
            continue
        assert (leaving.offsets[row][there] >= 0).all()
        heads, tails = network.targets[arcs].tolist(), network.tails()[arcs].tolist()
        weights = metric.weights[arcs]
        left = dict(zip(heads, weights - leaving.offsets[row][there], strict=True))
        come: dict[int, int] = {}
        for tail, offset in zip(tails, leaving.offsets[row][there].tolist(), strict=True):
            come[tail] = min(offset, come.get(tail, offset))
        if len(arcs) == 2 and heads[0] == heads[1]:
            left = {heads[0]: min(weights - leaving.offsets[row])}
        for ends, expected in ((leaving, left), (arriving, come)):
            nodes = ends.nodes[row][ends.nodes[row] >= 0].tolist()
            assert dict(zip(nodes, ends.costs[row].tolist(), strict=False)) == expected


@settings(max_examples=60, deadline=None)
@given(towns(), st.integers(0, 99))
def test_nearest_nodes_are_those_of_brute_force(network: RoadNetwork, seed: int) -> None:
    assert network.coordinates is not None
    x, y = points_near(network, 5, seed).coordinates.T
    nodes, metres = network.nearest_nodes(x, y, return_dist=True)
    away = network.coordinates[None] - np.stack((x, y), 1)[:, None] * 1e6
    away[..., 0] = ((away[..., 0] + 180e6) % 360e6 - 180e6) * np.cos(np.radians(y))[:, None]
    expected = np.hypot(*np.moveaxis(away, -1, 0)) * METRES
    np.testing.assert_allclose(metres, expected.min(axis=1), atol=1e-6)
    np.testing.assert_allclose(expected[np.arange(5), nodes], expected.min(axis=1), atol=1e-6)


def test_one_way_roads_are_left_ahead_and_entered_from_behind() -> None:
    network = network_of([(0, 0), (10_000, 0)], [(0, 1, 100)])
    snapped = wayfront.Places.from_arrays([0.003], [0.0001]).on(network)
    leaving, arriving = snapped.origins(network.metric()), snapped.destinations(network.metric())
    assert (leaving.nodes.tolist(), leaving.costs.tolist()) == ([[1, -1]], [[70, 0]])
    assert (arriving.nodes.tolist(), arriving.costs.tolist()) == ([[0, -1]], [[30, 0]])
    assert leaving.arcs.tolist() == [[0, -1]]


def test_a_road_against_its_lowest_arc_alone() -> None:
    """The arcs of the lower node come first: here only that of the upper one is there."""
    network = network_of([(0, 0), (10_000, 0)], [(1, 0, 100)])
    leaving = wayfront.Places.from_arrays([0.003], [0.0001]).on(network).origins(network.metric())
    assert (leaving.nodes.tolist(), leaving.costs.tolist()) == ([[0, -1]], [[30, 0]])


def test_both_directions_of_a_bent_road_are_found_and_the_lightest_of_parallel_ones() -> None:
    bend = [(5_000, 5_000)]
    arcs = [(0, 1, 100), (0, 1, 60), (0, 1, 80), (1, 0, 50), (1, 0, 90)]
    network = network_of([(0, 0), (10_000, 0)], arcs, {0: bend, 2: bend, 3: bend})
    snapped = wayfront.Places.from_arrays([0.005], [0.005]).on(network)
    leaving = snapped.origins(network.metric())
    assert leaving.arcs.tolist() == [[2, 3]]  # bent ones alone, and of the two ahead the lighter
    assert leaving.nodes.tolist() == [[1, 0]]
    assert leaving.costs.tolist() == [[40, 25]]


def test_what_is_at_a_node_leaves_it_by_every_road() -> None:
    network = network_of([(0, 0), (10_000, 0)], [(0, 1, 100)])
    snapped = wayfront.Places.from_arrays([-0.001, 0.0, 0.0101], [0.0, 0.001, 0.0]).on(network)
    leaving = snapped.origins(network.metric())
    assert leaving.nodes.tolist() == [[0, -1], [0, -1], [1, -1]]
    assert leaving.at_nodes_alone


def test_what_is_too_far_is_listed_and_has_no_ends() -> None:
    network = network_of([(0, 0), (10_000, 0)], [(0, 1, 100), (1, 0, 100)])
    places = wayfront.Places.from_arrays([0.002, 0.002, 40.0], [0.002, 0.02, 40.0], ids=["a", "b", "c"])
    snapped = places.on(network)
    assert snapped.far.tolist() == [1, 2] and snapped.on_road.tolist() == [True, False, False]
    assert snapped.metres[1] == pytest.approx(0.02 * 111_195)
    assert snapped.origins(network.metric()).nodes[1:].tolist() == [[-1, -1], [-1, -1]]
    assert "2 farther than 500 m" in repr(snapped)
    assert places.chosen(snapped.on_road).ids.tolist() == ["a"]


def test_limits_and_networks_that_are_none_are_refused() -> None:
    places = wayfront.Places.from_arrays([0.0], [0.0])
    network = network_of([(0, 0), (10_000, 0)], [(0, 1, 100)])
    with pytest.raises(OptionError, match="a limit is a number of metres"):
        places.on(network, limit_m=-1)
    with pytest.raises(NetworkError, match="no coordinates"):
        places.on(wayfront.from_pandas({"source": [1], "target": [2]}, weight=None))
    with pytest.raises(NetworkError, match="no roads"):
        places.on(network_of([(0, 0)], []))
    assert len(wayfront.Places.from_arrays([], []).on(network)) == 0


def test_names_that_osmnx_users_guess() -> None:
    network = network_of([(0, 0), (10_000, 0), (10_000, 10_000)], [(0, 1, 100), (1, 2, 80)])
    assert network.nearest_nodes(0.009, 0.001) == 1
    assert network.nearest_edges([0.005, 0.011], [0.0, 0.005]).tolist() == [0, 1]
    node, metres = network.nearest_nodes(0.01, 0.0, return_dist=True)
    assert (node, metres) == (1, 0.0)
    with pytest.raises(NetworkError, match="on no map"):
        network.nearest_nodes(8.0, 95.0)


@settings(max_examples=40, deadline=None)
@given(towns(), st.integers(0, 99))
def test_matrices_from_places_are_those_of_a_network_that_is_cut_there(network: RoadNetwork, seed: int) -> None:
    """Every place becomes a node of its own between the parts of its road's lightest arcs."""
    metric = network.metric()
    snapped = points_near(network, 4, seed).on(network, limit_m=1e9)
    leaving, arriving = snapped.origins(metric), snapped.destinations(metric)
    n, k = network.node_count, len(snapped)
    far = np.int64(1) << 40
    steps = np.full((n + 2 * k, n + 2 * k), far)
    np.minimum.at(steps, (network.tails(), network.targets), metric.weights)
    for row in range(k):
        for column in range(2):
            if leaving.nodes[row, column] >= 0:
                steps[n + row, leaving.nodes[row, column]] = leaving.costs[row, column]
            if arriving.nodes[row, column] >= 0:
                steps[arriving.nodes[row, column], n + k + row] = arriving.costs[row, column]
    for row in range(k):
        for other in range(k):
            for arc, at in zip(leaving.arcs[row], leaving.offsets[row], strict=True):
                same = (arriving.arcs[other] == arc) & (arc >= 0)
                ahead = arriving.offsets[other][same] - at
                for along in ahead[ahead >= 0].tolist():
                    steps[n + row, n + k + other] = min(steps[n + row, n + k + other], along)
    for middle in range(n):
        np.minimum(steps, steps[:, middle, None] + steps[None, middle], out=steps)
    expected = steps[n : n + k, n + k :]
    found = wayfront.prepare(network).matrix(leaving, arriving)
    np.testing.assert_array_equal(found, np.where(expected >= far, -1, expected))
