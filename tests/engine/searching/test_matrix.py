"""Matrices of a prepared network are what plain searches find: from nodes and points on roads, whatever is closed."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfront
from dissected import street_grid
from pairs_checks import expected_matrix, shapes
from points_on_roads import expected_between, points_on_roads
from search_checks import make_network, networks, random_arcs
from wayfront.network.ends import Ends
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import MemoryShortError, NetworkError, OptionError, SearchCancelled
from wayfront.searching import prepared as prepared_module


@pytest.mark.parametrize("name", shapes())
def test_every_shape_with_duplicates_in_any_order(name: str) -> None:
    network = shapes()[name]
    prepared = wayfront.prepare(network, device="cpu")
    random = np.random.default_rng(3)
    origins, destinations = (random.integers(0, network.node_count, count) for count in (150, 41))
    expected = expected_matrix(network)[np.ix_(origins, destinations)]
    assert prepared.matrix(origins, destinations).tolist() == expected.tolist()
    for one in (origins[:1], origins[:0]):
        assert prepared.matrix(one, destinations).tolist() == expected[: len(one)].tolist()
        assert prepared.matrix(origins, one).shape == (150, len(one))


@pytest.mark.parametrize(("dtype", "threads"), [(np.int32, 1), (np.int32, 2), (np.int64, 1)])
def test_many_origins_of_several_teams(dtype: type, threads: int) -> None:
    network = street_grid(20, 14, 300, seed=9)
    if dtype == np.int64:
        weights = network.metrics[0].weights.astype(np.int64) * 7_000_000
        arcs = zip(network.tails().tolist(), network.targets.tolist(), weights.tolist(), strict=True)
        network = make_network(network.node_count, list(arcs))
    prepared = wayfront.prepare(network, device="cpu", threads=threads)
    assert prepared.distance_dtype == dtype
    random = np.random.default_rng(4)
    origins, destinations = random.integers(0, network.node_count, 700), random.integers(0, network.node_count, 90)
    expected = expected_matrix(network)[np.ix_(origins, destinations)]
    assert prepared.matrix(origins, destinations).tolist() == expected.tolist()
    blocks = list(prepared.matrix_blocks(origins, destinations, 300))
    assert [len(block) for block in blocks] == [300, 300, 100]
    assert np.concatenate(blocks).tolist() == expected.tolist()


@settings(max_examples=25, deadline=None)
@given(network=networks(), data=st.data())
def test_points_on_roads_of_any_network_with_closures_and_other_weights(
    network: RoadNetwork, data: st.DataObject
) -> None:
    reverse = data.draw(st.booleans())
    prepared = wayfront.prepare(network, device="cpu", reverse=reverse)
    last = network.arc_count - 1
    closed: set[int] = set()
    if last >= 0:
        closed = set(data.draw(st.lists(st.integers(0, last), max_size=4)))
        changed = sorted(set(data.draw(st.lists(st.integers(0, last), max_size=3))))
        prepared.set_weights(changed, data.draw(st.sampled_from([0, 7, 2**31 - 1])))
        prepared.close(sorted(closed))
    place = st.tuples(st.integers(-network.node_count, last), st.integers(0, 100))
    first, second = (data.draw(st.lists(place, max_size=7)) for _ in range(2))
    weights = prepared.metric.weights
    leaving, arriving = points_on_roads(network, weights, first), points_on_roads(network, weights, second)
    if reverse:
        turned = np.array(expected_between(network, weights, closed, arriving[0], leaving[1]), np.int64)
        found = prepared.matrix(leaving[1], arriving[0])
        assert found.tolist() == turned.reshape(len(second), len(first)).T.tolist()
    else:
        expected = expected_between(network, weights, closed, leaving[0], arriving[1])
        assert prepared.matrix(leaving[0], arriving[1]).tolist() == expected


def test_several_points_on_the_same_road() -> None:
    network = make_network(4, [(0, 1, 100), (1, 2, 10), (2, 0, 10), (1, 0, 30), (2, 3, 1)])
    prepared = wayfront.prepare(network, device="cpu")
    arc = int(wayfront.arcs_between(network, [0], [1])[0])
    origins, destinations = points_on_roads(network, network.metrics[0].weights, [(arc, 10), (arc, 90), (-1, 0)])
    assert prepared.matrix(origins, destinations).tolist() == [[0, 80, 3], [24, 0, 27], [10, 90, 0]]
    prepared.close([arc])
    back = int(wayfront.arcs_between(network, [1], [0])[0])
    assert prepared.matrix(origins, destinations).tolist() == [[0, -1, 3], [24, 0, 27], [-1, -1, 0]]
    prepared.close([back])
    assert prepared.matrix(origins, destinations).tolist() == [[-1] * 3, [-1] * 3, [-1, -1, 0]]


def test_ends_too_far_from_their_nodes_for_32_bits_widen_what_is_prepared() -> None:
    network = make_network(3, [(0, 1, 5), (1, 2, 6)])
    prepared = wayfront.prepare(network, device="cpu")
    ends = Ends.at_nodes(network, [0, 2])
    ends.costs[:, 0] = 2**30
    assert prepared.matrix(ends, ends).tolist() == [[2**31, 2**31 + 11], [-1, 2**31]]
    assert prepared.distance_dtype == np.int64
    ends.costs[:, 0] = 2**62
    with pytest.raises(NetworkError, match="farther from their nodes"):
        prepared.matrix(ends, ends)


def test_mistakes_are_explained_before_anything_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    network = random_arcs(30, 90, 9, 1)
    prepared = wayfront.prepare(network, device="cpu")
    with pytest.raises(NetworkError, match="has no internal node 30"):
        prepared.matrix([30], [0])
    with pytest.raises(NetworkError, match="destinations are one or more internal node numbers"):
        prepared.matrix([0], np.array([0.5]))
    with pytest.raises(OptionError, match="rows_at_once"):
        prepared.matrix_blocks([0], [0], 0)
    other = make_network(40, [(38, 39, 1)])
    with pytest.raises(NetworkError, match="ends on another network"):
        prepared.matrix(Ends.at_nodes(other, [39]), [0])

    def full(needed: int, what: Any) -> None:
        raise MemoryShortError(needed, 0, what)

    monkeypatch.setattr(prepared_module, "require_memory", full)
    with pytest.raises(MemoryShortError, match="matrix of 2 × 1"):
        prepared.matrix([0, 1], [0])
    with pytest.raises(MemoryShortError, match="block of 1 × 1"):
        prepared.matrix_blocks([0, 1], [0], 1)


def test_blocks_end_where_roads_change_and_where_it_is_cancelled() -> None:
    network = random_arcs(60, 240, 9, 1)
    prepared = wayfront.prepare(network, device="cpu")
    blocks = prepared.matrix_blocks(range(60), range(60), 20)
    first = next(blocks)
    prepared.trees([3])
    assert np.concatenate([first, next(blocks)]).tolist() == expected_matrix(network)[:40].tolist()
    prepared.close([0])
    with pytest.raises(NetworkError, match="begin it anew"):
        next(blocks)
    cancel, done = threading.Event(), list[float]()
    cancel.set()
    with pytest.raises(SearchCancelled):
        prepared.matrix([0], [0], cancel=cancel)
    prepared.matrix([0, 1], [0], progress=done.append)
    assert done == [1.0]
