"""The matrix that is displayed between two pivots of Floyd–Warshall."""

from __future__ import annotations

import numpy as np

from search_checks import make_network, plain_distances, random_arcs
from wayfront.trace.pivots import improve_by_pivots, matrix_of_arcs
from wayfront.trace.schema import NO_PATH


def test_before_the_first_pivot_there_are_arcs_alone() -> None:
    network = make_network(3, [(0, 1, 7), (0, 1, 4), (1, 1, 9), (2, 0, 0)])
    assert matrix_of_arcs(network).tolist() == [[0, 4, NO_PATH], [NO_PATH, 0, NO_PATH], [0, NO_PATH, 0]]


def improve(matrix: np.ndarray, first: int, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a matrix after the pivots ``first`` … ``end`` − 1, and when its cells first and last changed."""
    matrix, begun, lowered = matrix.copy(), np.full(matrix.shape, -1, np.int32), np.full(matrix.shape, -1, np.int32)
    pivots = np.arange(first, end, dtype=np.int32)
    improve_by_pivots(matrix, pivots, pivots, begun, lowered)
    return matrix, begun, lowered


def test_a_pivot_allows_paths_over_it_and_no_other() -> None:
    network = make_network(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (0, 2, 9)])
    over_1, begun, lowered = improve(matrix_of_arcs(network), 1, 2)
    assert [over_1[0, 2], over_1[0, 3], over_1[1, 3]] == [2, NO_PATH, NO_PATH]
    assert (begun == -1).all(), "the pair had an arc"
    assert lowered.max() == lowered[0, 2] == 1 and (lowered >= 0).sum() == 1
    whole, begun, lowered = improve(matrix_of_arcs(network), 0, 4)
    assert (begun[0, 3], lowered[0, 3], whole[0, 3]) == (2, 2, 3)


def test_after_all_pivots_it_holds_the_distances_however_they_are_divided() -> None:
    for network in (random_arcs(40, 90, 9, 1), random_arcs(30, 70, 2**31 - 1, 2), random_arcs(1, 2, 5, 3)):
        n = network.node_count
        halfway, *_ = improve(matrix_of_arcs(network), 0, n // 2)
        found, *_ = improve(halfway, n // 2, n)
        expected = [[NO_PATH if d is None else d for d in plain_distances(network, i)] for i in range(n)]
        assert np.array_equal(found, np.array(expected))
