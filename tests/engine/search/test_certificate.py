"""The certificate refuses every kind of wrong result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import wayfront
from search_checks import make_network
from wayfront.errors import CertificateError
from wayfront.search.certificate import certify
from wayfront.search.result import Result


@pytest.fixture
def result() -> Result:
    """A chain 0 → 1 → 2 → 3 with a detour, two nodes joined by weight 0, a leaf 6, and one that nothing reaches."""
    arcs = [(0, 1, 2), (1, 2, 2), (0, 2, 9), (2, 3, 1), (3, 4, 0), (4, 3, 0), (5, 0, 1), (2, 6, 5)]
    return wayfront.search(make_network(7, arcs), 0, "dijkstra", "cpu", runs=0)


def spoil(array: np.ndarray, node: int, value: int) -> np.ndarray:
    copy = array.copy()
    copy[node] = value
    return copy


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
    ],
)
def test_a_wrong_distance(result: Result, node: int, distance: int, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        certify(replace(result, distances=spoil(result.distances, node, distance)))


@pytest.mark.parametrize(
    ("node", "parent", "message"),
    [
        (2, 0, "no arc from there"),
        (2, -1, "no node as parent"),
        (0, 5, "it is the source"),
        (5, 0, "was not reached"),
        (3, 4, "never lead to the source"),
    ],
)
def test_a_wrong_parent(result: Result, node: int, parent: int, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        certify(replace(result, parents=spoil(result.parents, node, parent)))
