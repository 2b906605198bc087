"""The certificate refuses every kind of wrong result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import wayfront
from search_checks import make_network
from wayfront.network.road_network import Metric
from wayfront.results.result import Result
from wayfront.safe.errors import CertificateError
from wayfront.searching.certificate import certify


@pytest.fixture
def result() -> Result:
    """A chain 0 → 1 → 2 → 3 with a detour, two nodes joined by weight 0, a leaf 6, and one that nothing reaches."""
    arcs = [(0, 1, 2), (1, 2, 2), (0, 2, 9), (2, 3, 1), (3, 4, 0), (4, 3, 0), (5, 0, 1), (2, 6, 5)]
    return wayfront.search(make_network(7, arcs), 0, "dijkstra", "cpu", runs=0)


def spoil(array: np.ndarray, node: int, value: int) -> np.ndarray:
    copy = array.copy()
    copy[node] = value
    return shut(copy)


def shut(array: np.ndarray) -> np.ndarray:
    """Return the array, read-only as a result's own are, for which the certificate is compiled already."""
    array.setflags(write=False)
    return array


def test_a_right_result_passes(result: Result) -> None:
    certify(result)


@pytest.mark.parametrize(
    ("node", "distance", "message"),
    [
        (6, 8, "no arc from there"),
        (2, 3, "shorter path"),
        (2, 5, "shorter path"),
        (0, 1, "the source has distance 1"),
        (5, 7, "no arc from there"),
        (3, 2**31 - 1, "shorter path"),
        (6, -1, "gives a shorter path to node 7"),
        (6, -2, "node 7 is negative"),
        (5, -(2**31), "node 6 is negative"),
        (0, 2**31 - 1, "the source has distance"),
    ],
)
def test_a_wrong_distance(result: Result, node: int, distance: int, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        certify(replace(result, distances=spoil(result.distances, node, distance)))


def test_an_error_names_both_ends_of_an_arc(result: Result) -> None:
    """Node 0, whose id is 1, is a node like the others."""
    with pytest.raises(CertificateError, match="the arc from node 1 to node 3 gives a shorter path to node 3"):
        certify(replace(result, distances=spoil(result.distances, 2, 30)))
    with pytest.raises(CertificateError, match="node 3 has node 1 as parent, but no arc from there"):
        certify(replace(result, parents=spoil(result.parents, 2, 0)))


def test_nothing_is_added_to_the_distance_that_means_unreached() -> None:
    """The sum would be a distance, and look like a shorter path."""
    network = make_network(3, [(0, 1, 2**31 - 1), (2, 1, 5)])
    result = wayfront.search(network, 0, "dijkstra", "cpu", runs=0)
    certify(replace(result, distances=shut(np.array([0, 2**31 - 1, -1], np.int64))))


@pytest.mark.parametrize(
    ("node", "parent", "message"),
    [
        (2, 0, "no arc from there"),
        (2, -1, "no node as parent"),
        (0, 5, "it is the source"),
        (0, -2, "it is the source"),
        (5, 0, "was not reached"),
        (5, -7, "was not reached"),
        (5, 10_000_000, "was not reached"),
        (2, -2, "no node as parent"),
        (2, 7, "no node as parent"),
        (2, 10_000_000, "no node as parent"),
        (2, -(2**31), "no node as parent"),
        (3, 4, "never lead to the source"),
    ],
)
def test_a_wrong_parent(result: Result, node: int, parent: int, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        certify(replace(result, parents=spoil(result.parents, node, parent)))


def test_a_cycle_of_arcs_without_weight_is_found_wherever_it_hangs() -> None:
    """Every arc of the cycle 1 → 2 → 3 → 1 is tight, and none leads to the source."""
    arcs = [(0, 1, 4), (1, 2, 0), (2, 3, 0), (3, 1, 0), (3, 4, 1)]
    result = wayfront.search(make_network(5, arcs), 0, "dijkstra", "cpu", runs=0, verify=True)
    assert result.parents.tolist() == [-1, 0, 1, 2, 3]
    circling = replace(result, parents=spoil(result.parents, 1, 3))
    with pytest.raises(CertificateError, match="form a cycle and never lead to the source"):
        certify(circling)
    for node in (1, 4):
        with pytest.raises(CertificateError, match=f"parents of node {node + 1} never lead to the source"):
            circling.route(node)


def test_a_node_that_is_its_own_parent() -> None:
    own = wayfront.search(make_network(2, [(0, 1, 3), (1, 1, 0)]), 0, "dijkstra", "cpu", runs=0)
    with pytest.raises(CertificateError, match="form a cycle"):
        certify(replace(own, parents=np.array([-1, 1], np.int32)))


@pytest.mark.parametrize("parent", [-1, -5, 7, 10_000_000, 3])
def test_a_route_ends_whatever_the_parents(result: Result, parent: int) -> None:
    assert result.route(6).nodes.tolist() == [0, 1, 2, 6]
    assert result.route(0).nodes.tolist() == [0]
    assert result.route(5).nodes.tolist() == []
    wrong = replace(result, parents=np.array([-1, 0, parent, 2, 3, -1, 2], np.int32))
    with pytest.raises(CertificateError, match="parents of node 7 never lead to the source"):
        wrong.route(6)


def test_a_route_may_pass_every_node() -> None:
    chain = wayfront.search(make_network(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1)]), 0, "dijkstra", "cpu", runs=0)
    assert chain.route(3).nodes.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "changes",
    [
        {"distances": np.zeros(6, np.int32)},
        {"distances": np.zeros(8, np.int32)},
        {"distances": np.zeros((7, 1), np.int32)},
        {"distances": np.zeros(7, np.float64)},
        {"distances": np.zeros(7, np.uint64)},
        {"parents": np.zeros(6, np.int32)},
        {"parents": np.zeros(8, np.int32)},
        {"parents": np.zeros((1, 7), np.int32)},
        {"parents": np.zeros(7, np.int64)},
        {"source": 7},
        {"source": -1},
        {"source": 10_000_000},
        {"metric": Metric("weight", "", 1, np.zeros(7, np.int32))},
        {"metric": Metric("weight", "", 1, np.zeros(9, np.int32))},
    ],
)
def test_arrays_that_do_not_fit_the_network(result: Result, changes: dict[str, Any]) -> None:
    with pytest.raises(CertificateError, match="the result of dijkstra is wrong: "):
        certify(replace(result, **changes))


def test_a_sum_beyond_64_bits_is_a_finding() -> None:
    result = wayfront.search(make_network(2, [(0, 1, 5)]), 0, "dijkstra", "cpu", runs=0)
    wide = np.array([0, 2**63 - 2], np.int64)
    with pytest.raises(CertificateError, match="shorter path"):
        certify(replace(result, distances=wide))
    certify(replace(result, distances=np.array([0, 5], np.int64)))
