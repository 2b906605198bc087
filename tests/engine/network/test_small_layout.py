"""Layouts of small graphs: every node has room, and what is known of a graph's shape is seen."""

from __future__ import annotations

import numpy as np
import pytest

from wayfront.network.layout import pivot_layout
from wayfront.network.small import SMALL
from wayfront.network.small_layout import least_stress, pushed_apart, room_of
from wayfront.synthetic import from_name


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
