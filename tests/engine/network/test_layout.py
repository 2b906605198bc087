"""Layouts from arcs alone: they resemble the map they never saw, and cope with any network."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from wayfront.network.conventions import SMALL
from wayfront.network.layout import least_stress, pivot_layout, pushed_apart, room_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.synthetic import city, complete, from_name, grid, random_network, ring


def network_of(nodes: int, arcs: list[tuple[int, int]]) -> RoadNetwork:
    return RoadNetwork.from_arcs(
        name="any",
        node_count=nodes,
        tails=np.array([a for a, _ in arcs], np.int64),
        heads=np.array([b for _, b in arcs], np.int64),
        metrics=[Metric("weight", "", 1.0, np.ones(len(arcs), np.int32))],
    )


def rank_correlation(a: NDArray, b: NDArray) -> float:
    ranks = [np.argsort(np.argsort(values)) for values in (a, b)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def resemblance(network: RoadNetwork) -> float:
    """Return how well distances between random nodes on the layout rank like those on the map."""
    assert network.coordinates is not None
    chosen = np.random.default_rng(1).integers(0, network.node_count, (2, 4000))
    lengths = [
        np.hypot(*(positions[chosen[0]] - positions[chosen[1]]).astype(np.float64).T)
        for positions in (network.coordinates * [0.643, 1.0], pivot_layout(network))
    ]
    return rank_correlation(lengths[0], lengths[1])


def test_city_layout_resembles_its_map() -> None:
    assert resemblance(city(4000, 3)) > 0.75


def test_grid_layout_resembles_its_map() -> None:
    assert resemblance(grid(40, 25)) > 0.95


def test_ring_layout_is_a_circle() -> None:
    positions = pivot_layout(ring(200)).astype(np.float64)
    radius = np.hypot(*(positions - positions.mean(axis=0)).T)
    assert radius.min() > 0.8 * radius.max()


@pytest.mark.parametrize("name", ["regular?n=3000", "sprand?n=3000", "random?n=3000&k=6"])
def test_what_has_no_far_side_fills_a_disc_evenly(name: str) -> None:
    positions = pivot_layout(from_name(f"synthetic:{name}")).astype(np.float64)
    away = np.hypot(*(positions - np.median(positions, axis=0)).T)
    assert np.quantile(away, 0.25) / np.quantile(away, 0.98) == pytest.approx(0.5, abs=0.06)
    quarters = np.bincount((positions > np.median(positions, axis=0)) @ [1, 2], minlength=4)
    assert quarters.min() > 0.6 * quarters.max()


def test_a_small_grid_stays_a_grid() -> None:
    assert resemblance(grid(6, 6)) > 0.95


def test_nodes_without_arcs_leave_most_of_the_map_to_the_others() -> None:
    network = from_name("synthetic:rmat?n=4096&m=16384")
    positions = pivot_layout(network).astype(np.float64)
    lonely = (network.out_degrees() + np.bincount(network.targets, minlength=4096)) == 0
    assert lonely.sum() > 400
    height = [np.ptp(positions[chosen][:, 1]) for chosen in (lonely, ~lonely)]
    assert height[0] < 0.3 * height[1]
    assert positions[lonely][:, 1].max() < positions[~lonely][:, 1].max()
    assert len(np.unique(positions, axis=0)) == 4096


@pytest.mark.parametrize("nodes", [0, 1, 2, 3])
def test_tiny_networks_have_distinct_places(nodes: int) -> None:
    network = network_of(nodes, [(k, k + 1) for k in range(nodes - 1)])
    positions = pivot_layout(network)
    assert positions.shape == (nodes, 2)
    assert positions.dtype == np.int32
    assert len(np.unique(positions, axis=0)) == nodes


def test_parts_stand_beside_each_other() -> None:
    small = [(a + 30, b + 30) for a, b in ((0, 1), (1, 2), (2, 0))]
    network = network_of(40, [(k, k + 1) for k in range(29)] + small)
    positions = pivot_layout(network)
    components = [positions[:30], positions[30:33], *(positions[k : k + 1] for k in range(33, 40))]
    for k, one in enumerate(components):
        for other in components[k + 1 :]:
            apart = (one.max(axis=0) < other.min(axis=0)) | (other.max(axis=0) < one.min(axis=0))
            assert apart.any()


@given(st.integers(1, 60), st.integers(0, 150), st.integers(0, 50))
@settings(max_examples=40, deadline=None)
def test_any_network_gets_the_same_places_twice(nodes: int, arcs: int, seed: int) -> None:
    network = random_network(nodes, arcs, 5, seed)
    positions = pivot_layout(network)
    assert (positions == pivot_layout(network)).all()
    assert np.abs(positions).max() <= 8_000_000
    assert network.with_coordinates(positions).coordinates is not None


def test_twins_are_moved_apart() -> None:
    star = network_of(20, [(0, k) for k in range(1, 20)])
    assert len(np.unique(pivot_layout(star), axis=0)) == 20
    assert len(np.unique(pivot_layout(complete(60)), axis=0)) == 60


# ----------------------------------------------------------------------------------------------------
# Layouts of small graphs: every node has room, and what is known of a graph's shape is seen.


def nearest(positions: np.ndarray) -> np.ndarray:
    away = np.hypot(*(positions[:, None] - positions[None]).T.astype(np.float64))
    np.fill_diagonal(away, np.inf)
    return away.min(axis=0)


@pytest.mark.parametrize("name", ["random?n=20&k=3", "random?n=200&k=3", "complete?n=60", "grid?columns=20&rows=10"])
def test_every_node_of_a_small_graph_has_room_for_its_disc(name: str) -> None:
    network = from_name(f"synthetic:{name}")
    assert network.node_count <= SMALL
    positions = pivot_layout(network).astype(np.float64)
    assert nearest(positions).min() > 0.6 * room_of(positions)


def test_the_first_node_is_at_the_left_where_one_begins_to_read() -> None:
    positions = pivot_layout(from_name("synthetic:grid?columns=9&rows=2"))
    assert positions[0, 0] < positions[:, 0].mean()


def test_the_stress_of_a_path_is_none() -> None:
    along = np.arange(7)
    hops = np.abs(along[:, None] - along)
    start = np.random.default_rng(3).normal(size=(7, 2))
    laid = least_stress(hops, start)
    away = np.hypot(*(laid[:, None] - laid[None]).T)
    assert np.abs(away - hops).max() < 0.2


def test_nodes_on_one_spot_leave_it_and_those_with_room_stay() -> None:
    places = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [50.0, 0.0], [0.0, 80.0]])
    apart = pushed_apart(places, 5.0)
    assert nearest(apart).min() > 4.9
    assert np.abs(apart[3:] - places[3:]).max() < 1e-3
    assert (pushed_apart(places[:1], 5.0) == places[:1]).all() and room_of(places[:1]) == 0.0
