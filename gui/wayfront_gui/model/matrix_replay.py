"""The steps at which each cell of a distance matrix changed, so that a replay can show the matrix at any step. No Qt.

A search from every source finishes whole rows. Floyd and Warshall's lowers cells all over the matrix, one pivot after
the other: after the pivots of a step a cell holds the shortest distance through these alone, whichever kernel computed
it. So the steps are found by running the pivots again, once, on the engine thread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.search.all_pairs.pivots import NO_PATH, improve_by_pivots, matrix_of_arcs
from wayfront.trace.schema import Trace
from wayfront_gui.model.pairs import Pairs

NEVER = np.iinfo(np.int32).max
"""Step of a cell that no step reaches."""


@dataclass(frozen=True, slots=True, eq=False)
class MatrixReplay:
    """A distance matrix with its history.

    distances  int [rows, n], -1 where there is no path; a row for each source, ascending by node
    sources    int32 [rows]
    first      int32 [rows, n]: step that first gave the cell a distance, −1 for one that it begins with, ``NEVER``
               without a path
    last       int32 [rows, n]: step that gave it its distance
    pivots     whether steps are pivots rather than sources
    """

    distances: NDArray[np.int64]
    sources: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    pivots: bool

    @classmethod
    def of(cls, pairs: Pairs) -> MatrixReplay | None:
        """Return the history of a finished search's matrix; None where none was kept."""
        matrix = pairs.matrix
        if matrix is None:
            return None
        order = np.argsort(pairs.sources, kind="stable")
        distances, sources = matrix[order].astype(np.int64), pairs.sources[order]
        trace = pairs.trace
        if trace is not None and goes_by_pivots(trace):
            first, last = pivot_steps(pairs.network, pairs.metric, trace)
            return cls(distances, sources, first[sources], last[sources], pivots=True)
        done = np.zeros(len(sources), np.int32) if trace is None else np.maximum(trace.first_reached[sources], 0)
        last = np.repeat(done.astype(np.int32)[:, None], distances.shape[1], axis=1)
        return cls(distances, sources, np.where(distances == NO_PATH, np.int32(NEVER), last), last, pivots=False)

    @property
    def largest(self) -> int:
        """The largest distance, at least 1."""
        return max(int(self.distances.max(initial=1)), 1)


def goes_by_pivots(trace: Trace) -> bool:
    """Return whether a trace begins with steps that finish no rows: Floyd and Warshall's pivots."""
    return len(trace) > 0 and int(trace.improved[0]) == 0


def pivot_steps(network: RoadNetwork, metric: Metric, trace: Trace) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first and the last step at which each cell changed, int32 [n, n]; −1 for what arcs give it before.

    Steps that finish rows, after the pivots, change nothing.
    """
    matrix = matrix_of_arcs(network, metric.name)
    first = np.where(matrix == NO_PATH, np.int32(NEVER), np.int32(-1))
    last = np.full(matrix.shape, -1, np.int32)
    steps = np.repeat(np.arange(len(trace), dtype=np.int32), np.diff(trace.frontier_offsets))
    pivots = trace.improved[steps] == 0  # the others finish rows
    improve_by_pivots(matrix, trace.frontier_nodes[pivots], steps[pivots], first, last)
    return first, last
