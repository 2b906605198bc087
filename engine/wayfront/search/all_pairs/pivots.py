"""The matrix of Floyd and Warshall between two pivots, as it is displayed for a small network; plain NumPy.

A search keeps its matrix on the device and nothing of it but the result, so what a replay displays is made anew. The
order of pivots is that of internal node numbers, as in ``floyd-warshall``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import RoadNetwork

NO_PATH = -1
"""Where no path is known, as in the matrix of a result."""

_FAR = np.int64(2**61)
"""Stands for no path while paths are added: above the sum of the longest path's weights, and twice it fits 64 bits."""


def matrix_of_arcs(network: RoadNetwork, metric: str | None = None) -> NDArray[np.int64]:
    """Return the matrix before the first pivot, [n, n] by internal numbers, in weights of a metric (its first by
    default).

    It holds 0 from each node to itself, the least weight of an arc where there is one, else ``NO_PATH``.
    """
    n = network.node_count
    matrix = np.full((n, n), _FAR)
    np.minimum.at(matrix, (network.tails(), network.targets), network.metric(metric).weights.astype(np.int64))
    np.fill_diagonal(matrix, 0)
    return _marked(matrix)


def improve_by_pivots(matrix: NDArray[np.int64], first: int, end: int) -> NDArray[np.int64]:
    """Return a matrix after the pivots ``first`` … ``end`` − 1, given it before them: [n, n], ``NO_PATH`` where none
    is.

    It takes (end − first) · n² sums: about a millisecond a pivot for 500 nodes.
    """
    improved = np.where(matrix == NO_PATH, _FAR, matrix)
    for pivot in range(first, end):
        np.minimum(improved, improved[:, pivot, None] + improved[None, pivot], out=improved)
    return _marked(improved)


def _marked(matrix: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(matrix >= _FAR, NO_PATH, matrix)
