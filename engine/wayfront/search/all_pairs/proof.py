"""Proof that rows of distances are right, without a tree: each row by itself, as it is found.

Distances d with d[source] = 0 are the shortest ones exactly if no arc can improve any of them and every other reached
node can be reached over tight arcs (``d[u] + w = d[v]``) from the source. The first part shows that no distance is too
large, the second that none is too small. Tight arcs of positive weight come from smaller distances, so a node that has
one is reached if all nodes before it are; those of weight 0 could form a cycle that nothing enters, so from the nodes
that have a tight arc of positive weight, and from the source, arcs of weight 0 are followed. Costs O(n + m) for a row.

Some rows are also compared with the reference Dijkstra (``dijkstra-heap``), which is another program altogether.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, part
from wayfront.errors import CertificateError
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.search.call import search
from wayfront.timing.machine import usable_cores

HOLDS, NEGATIVE, IMPROVABLE, SOURCE, NOT_REACHED = range(5)

COMPARED = 4
"""Rows that are compared with the reference Dijkstra, where there are so many."""

REFERENCE = "dijkstra-heap"


class Prover:
    """Proves every row it takes; raises ``CertificateError`` for a wrong one.

    ``proved`` counts the rows, ``compared`` those that were also compared with the reference Dijkstra.
    """

    def __init__(self, network: RoadNetwork, metric: Metric, sources: NDArray[np.int32]) -> None:
        self._network = network
        self._metric = metric
        self._sources = sources
        self._compare = set(spread_places(len(sources)))
        self.proved: int = 0
        self.compared: int = 0

    def take(self, places: NDArray[np.intp], rows: NDArray[Any]) -> None:
        """Prove the rows [count, n] of the sources at ``places``, −1 where there is no path."""
        cores = usable_cores()
        if cores == 1 or len(rows) == 1:
            self._prove(places, rows)
        else:
            with ThreadPoolExecutor(cores, "wayfront-proof") as pool:
                shares = [slice(len(rows) * c // cores, len(rows) * (c + 1) // cores) for c in range(cores)]
                for done in [pool.submit(self._prove, places[share], rows[share]) for share in shares]:
                    done.result()
        self.proved += len(rows)
        for place, row in zip(places.tolist(), rows, strict=True):
            if place in self._compare:
                self._compare_with_reference(place, row)

    def _prove(self, places: NDArray[np.intp], rows: NDArray[Any]) -> None:
        network = self._network
        supported = np.empty(network.node_count, np.int8)
        waiting = np.empty(network.node_count, np.int32)
        for place, row in zip(places.tolist(), rows, strict=True):
            source = int(self._sources[place])
            verdict, node = _examine(
                network.offsets, network.targets, self._metric.weights, row, source, supported, waiting
            )
            if verdict != HOLDS:
                ids = network.node_ids
                finding = {
                    NEGATIVE: f"the distance of node {ids[node]} is negative",
                    IMPROVABLE: f"an arc from node {ids[node]} gives a shorter path to its head",
                    SOURCE: "the source has another distance than 0",
                    NOT_REACHED: f"no path has the distance of node {ids[node]}",
                }[verdict]
                raise CertificateError(f"the row of node {ids[source]} is wrong: {finding}")

    def _compare_with_reference(self, place: int, row: NDArray[Any]) -> None:
        source = int(self._sources[place])
        reference = search(self._network, source, REFERENCE, "cpu", metric=self._metric.name, runs=0, trace_budget=None)
        expected = np.where(reference.reached, reference.distances, -1)
        if not np.array_equal(row, expected):
            node = int(np.flatnonzero(row != expected)[0])
            ids = self._network.node_ids
            raise CertificateError(
                f"the row of node {ids[source]} is wrong: node {ids[node]} is at {expected[node]}, not at {row[node]}"
            )
        self.compared += 1


def spread_places(count: int) -> list[int]:
    """Return the places, of ``count``, of the sources whose rows are compared with the reference Dijkstra."""
    return sorted(set(np.linspace(0, count - 1, min(COMPARED, count)).astype(int).tolist()))


def reference_row(network: RoadNetwork, metric: Metric, source: int) -> NDArray[Any]:
    """Return the distances [n] from a source by the reference Dijkstra, −1 where there is no path."""
    found = search(network, source, REFERENCE, "cpu", metric=metric.name, runs=0, trace_budget=None)
    return np.where(found.reached, found.distances, -1)


@loop
def _examine(
    offsets: Any, targets: Any, weights: Any, row: Any, source: int, supported: Any, waiting: Any
) -> tuple[int, int]:
    """Look for an arc that improves a distance and for a node that no tight arcs lead to from the source."""
    if row[source] != 0:
        return SOURCE, source
    supported[:] = 0
    supported[source], waiting[0] = 1, source
    verdict, node, count = _examine_arcs(offsets, targets, weights, row, supported, waiting)
    if verdict != HOLDS:
        return verdict, node
    _follow_zeros(offsets, targets, weights, row, supported, waiting, count)
    for v in range(len(row)):
        if row[v] >= 0 and supported[v] == 0:
            return NOT_REACHED, v
    return HOLDS, 0


@part
def _examine_arcs(
    offsets: Any, targets: Any, weights: Any, row: Any, supported: Any, waiting: Any
) -> tuple[int, int, int]:
    """Look at every arc; list the nodes that a tight arc of positive weight enters, behind the source."""
    count = 1
    for u in range(len(row)):
        if row[u] < -1:
            return NEGATIVE, u, count
        if row[u] < 0:
            continue
        for arc in range(offsets[u], offsets[u + 1]):
            v = targets[arc]
            length = row[u] + weights[arc]
            if row[v] < 0 or length < row[v]:
                return IMPROVABLE, u, count
            if weights[arc] > 0 and length == row[v] and supported[v] == 0:
                supported[v], waiting[count] = 1, v
                count += 1
    return HOLDS, 0, count


@part
def _follow_zeros(offsets: Any, targets: Any, weights: Any, row: Any, supported: Any, waiting: Any, count: int) -> None:
    """Support what arcs of weight 0 lead to from the nodes listed, the first ``count`` ones."""
    done = 0
    while done < count:
        u = waiting[done]
        done += 1
        for arc in range(offsets[u], offsets[u + 1]):
            v = targets[arc]
            if weights[arc] == 0 and supported[v] == 0:
                supported[v], waiting[count] = 1, v
                count += 1
