"""The matrix of Floyd and Warshall between two pivots, as it is displayed for a small network.

A search keeps its matrix on the device and nothing of it but the result, so what a replay displays is made anew: for
every cell the steps at which it changed. With 500 nodes that takes a tenth of a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network.road_network import RoadNetwork
from wayfront.trace.schema import NO_PATH


def matrix_of_arcs(network: RoadNetwork, metric: str | None = None) -> NDArray[np.int64]:
    """Return the matrix before the first pivot, [n, n] by internal numbers, in weights of a metric (its first by
    default).

    It holds 0 from each node to itself, the least weight of an arc where there is one, else ``NO_PATH``.
    """
    n = network.node_count
    far = np.iinfo(np.int64).max
    matrix = np.full((n, n), far)
    np.minimum.at(matrix, (network.tails(), network.targets), network.metric(metric).weights.astype(np.int64))
    np.fill_diagonal(matrix, 0)
    matrix[matrix == far] = NO_PATH
    return matrix


@loop
def improve_by_pivots(
    matrix: NDArray[np.int64],
    pivots: NDArray[np.int64],
    steps: NDArray[np.int64],
    first: NDArray[np.int32],
    last: NDArray[np.int32],
) -> None:
    """Allow paths over ``pivots`` in ``matrix`` [n, n], in place, and note when its cells change.

    ``steps`` has the step of each pivot. A cell gets the step that first gave it a path in ``first``, and the step that
    last lowered it in ``last``, both int32 [n, n].
    """
    n = len(matrix)
    for p in range(len(pivots)):
        k, step = pivots[p], steps[p]
        for i in range(n):
            begin = matrix[i, k]
            if begin == NO_PATH:
                continue
            for j in range(n):
                end, now = matrix[k, j], matrix[i, j]
                if end != NO_PATH and (now == NO_PATH or begin + end < now):
                    if now == NO_PATH:
                        first[i, j] = step
                    matrix[i, j] = begin + end
                    last[i, j] = step
