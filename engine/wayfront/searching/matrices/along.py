"""What other metrics add up to along the shortest ways, such as the length of the fastest.

From every origin one tree is made whole, with its parents: of several ways of the same distance the one that all trees
here have. From each destination one goes up the tree until a node whose sums are known already, so that no node is
summed up twice; of parallel arcs the lightest open one counts, as on a ``Route``. So exact sums cost a tree and a pass
over the arcs for each origin, milliseconds on New York, where distances alone cost a fraction of that.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network.arcs import closed_flags
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import Metric
from wayfront.network.schema import NO_PATH
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront.searching.between import open_ends
from wayfront.searching.prepared import Prepared

CLOSED = -1


class _Side(NamedTuple):
    """Origins, or destinations: the nodes that are open [k, 2], and their ends by each metric."""

    nodes: NDArray[np.int32]
    ends: tuple[Ends, ...]


class Along:
    """Finds distances and what other metrics add up to along the ways; ``origins`` are by each metric in turn."""

    def __init__(
        self, prepared: Prepared, origins: Sequence[Ends], destinations: Sequence[Ends], others: Sequence[Metric]
    ) -> None:
        network = prepared.network
        self._prepared, self._changes = prepared, prepared.changes
        closed = closed_flags(network, prepared.closures)
        leaving, arriving = open_ends(network, origins[0], destinations[0], closed, reverse=prepared.reverse)
        self._origins, self._destinations = _Side(leaving, tuple(origins)), _Side(arriving, tuple(destinations))
        self._closed = closed
        self._arcs = network.offsets, network.targets, np.where(closed, np.int32(CLOSED), prepared.metric.weights)
        self._others = np.array([metric.weights for metric in others], np.int32).reshape(len(others), -1)
        there = self._destinations.nodes != NONE
        self._targets, index = np.unique(self._destinations.nodes[there], return_inverse=True)
        self._of_target = np.full(there.shape, -1, np.intp)
        self._of_target[there] = index
        n = network.node_count
        self._parents, self._stack = np.empty(n, np.int32), np.empty(n, np.int32)
        self._stamps, self._sums = np.zeros(n, np.int64), np.empty((n, len(others)), np.int64)
        self._number = 0

    def blocks(
        self, places: NDArray[np.intp], at_once: int, cancel: threading.Event | None
    ) -> Iterator[list[NDArray[np.int64]]]:
        """Yield the rows of the origins at some indices, so many at once: distances, then each other metric's sums.

        They are int64 [count, l], −1 where there is no path. Raises ``SearchCancelled``, and ``NetworkError`` where
        roads have changed.
        """
        for begin in range(0, len(places), at_once):
            chosen = places[begin : begin + at_once].tolist()
            found = np.empty((1 + len(self._others), len(chosen), len(self._of_target)), np.int64)
            for row, origin in enumerate(chosen):
                if cancel is not None and cancel.is_set():
                    raise SearchCancelled("the matrix was cancelled")
                found[:, row] = self._row(origin)
            yield list(found)

    def _row(self, origin: int) -> NDArray[np.int64]:
        """Return the distances and sums [1 + q, l] from an origin."""
        best = np.full((1 + len(self._others), len(self._of_target)), NO_PATH, np.int64)
        for side in (0, 1):
            source = int(self._origins.nodes[origin, side])
            if source == NONE:
                continue
            tree = self._tree(source)
            before = np.array([ends.costs[origin, side] for ends in self._origins.ends])
            for end in (0, 1):
                index = self._of_target[:, end]
                there = index >= 0
                found = tree[:, index]
                there &= found[0] != NO_PATH
                behind = np.array([ends.costs[:, end] for ends in self._destinations.ends])
                _lower(best, found + before[:, None] + behind, there)
        for side in (0, 1):
            arc = int(self._origins.ends[0].arcs[origin, side])
            if arc == NONE or self._closed[arc]:
                continue
            for end in (0, 1):
                theirs = self._destinations.ends
                ahead = np.array([
                    (b.offsets[:, end] - a.offsets[origin, side]) * (-1 if self._prepared.reverse else 1)
                    for a, b in zip(self._origins.ends, theirs, strict=True)
                ])  # fmt: skip
                _lower(best, ahead, (theirs[0].arcs[:, end] == arc) & (ahead[0] >= 0))
        return best

    def _tree(self, source: int) -> NDArray[np.int64]:
        """Return the distances of all targets from a node, and the sums along the ways: [1 + q, targets]."""
        prepared = self._prepared
        distances = np.empty(prepared.network.node_count, prepared.distance_dtype)
        prepared.tree_into(source, distances, self._parents)
        if prepared.changes != self._changes:
            raise NetworkError(f"roads of {prepared.network.name} were changed while a matrix was made: begin it anew")
        self._number += 1
        found = np.empty((1 + len(self._others), len(self._targets)), np.int64)
        found[0] = distances[self._targets]
        _add_up(
            *self._arcs, self._others, prepared.reverse, self._parents, source, self._targets,
            self._stack, self._number, self._stamps, self._sums, found,
        )  # fmt: skip
        return found


def _lower(best: NDArray[np.int64], found: NDArray[np.int64], there: NDArray[np.bool_]) -> None:
    """Take what is found where it is there and shorter."""
    better = there & ((best[0] == NO_PATH) | (found[0] < best[0]))
    best[:, better] = found[:, better]


@loop
def _add_up(
    offsets: Any,
    targets: Any,
    weights: Any,
    others: Any,
    reverse: bool,
    parents: Any,
    source: int,
    ends: Any,
    stack: Any,
    number: int,
    stamps: Any,
    sums: Any,
    found: Any,
) -> None:
    """Write to ``found[1:]`` the sums of ``others`` [q, m] along the tree to ``ends``, −1 where none leads.

    Weights of closed arcs are negative. ``stamps`` [n] is ``number`` where ``sums`` [n, q] are known.
    """
    stamps[source] = number
    for metric in range(len(others)):
        sums[source, metric] = 0
    for index in range(len(ends)):
        node = ends[index]
        if node != source and parents[node] < 0:
            for metric in range(len(others)):
                found[1 + metric, index] = -1
            continue
        depth = 0
        while stamps[node] != number:
            stack[depth] = node
            depth += 1
            node = parents[node]
        while depth > 0:
            depth -= 1
            below = stack[depth]
            tail, head = node, below
            if reverse:
                tail, head = below, node
            lightest = -1
            for arc in range(offsets[tail], offsets[tail + 1]):
                if targets[arc] == head and weights[arc] >= 0 and (lightest < 0 or weights[arc] < weights[lightest]):
                    lightest = arc
            for metric in range(len(others)):
                sums[below, metric] = sums[node, metric] + others[metric, lightest]
            stamps[below] = number
            node = below
        for metric in range(len(others)):
            found[1 + metric, index] = sums[node, metric]
