"""Proof that rows of distances are right, each by itself as it is found, and that a result of all pairs is.

Distances d with d[source] = 0 are the shortest ones exactly if no arc can improve any of them and every other reached
node can be reached over tight arcs (``d[u] + w = d[v]``) from the source. The first part shows that no distance is too
large, the second that none is too small. Tight arcs of positive weight come from smaller distances, so a node that has
one is reached if all nodes before it are; those of weight 0 could form a cycle that nothing enters, so from the nodes
that have a tight arc of positive weight, and from the source, tight arcs of weight 0 are followed. Costs O(n + m) for
a row.

Some rows are also compared with the reference Dijkstra (``dijkstra-heap``), which is another program altogether. Of a
finished result rows that were kept are proved one by one, and the figures of every source are compared with them;
without rows all that can be done is to find a few again, spread over all. A search with ``verify`` needs none of this,
since it proves every row as it is found.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.network.copies import counted_ranks
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.pairs import PairsResult
from wayfront.safe.errors import CertificateError
from wayfront.searching.certificate import certify
from wayfront.searching.tree import reference_tree
from wayfront.timing.harness import usable_cores

HOLDS, NEGATIVE, IMPROVABLE, SOURCE, NOT_REACHED = range(5)

COMPARED = 4
"""Rows that are compared with the reference Dijkstra, where there are so many."""

REFERENCE = "dijkstra-heap"


class Prover:
    """Proves every row it takes; raises ``CertificateError`` for a wrong one.

    ``proved`` bool [k] says of which sources rows were proved, ``compared`` how many of these were also compared with
    the reference Dijkstra.
    """

    def __init__(self, network: RoadNetwork, metric: Metric, sources: NDArray[np.int32]) -> None:
        self._network = network
        self._metric = metric
        self._sources = sources
        self._compare = set(spread_places(len(sources)))
        self.proved: NDArray[np.bool_] = np.zeros(len(sources), np.bool_)
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
        for place, row in zip(places.tolist(), rows, strict=True):
            if place in self._compare:
                self._compare_with_reference(place, row)
        self.proved[places] = True

    def holds(self, place: int, row: NDArray[Any]) -> bool:
        """Take the row of a file, and return whether it is right."""
        try:
            self.take(np.array([place]), row[np.newaxis])
        except CertificateError:
            return False
        return True

    def note(self, places: NDArray[np.intp], compared: int) -> None:
        """Note what another process proved, and how many rows it compared."""
        self.proved[places] = True
        self.compared += compared

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
        expected = reference_row(self._network, self._metric, source)
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
    return reference_tree(network, source, metric.name, REFERENCE).distances


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
    """Support what tight arcs of weight 0 lead to from the nodes listed, the first ``count`` ones.

    Such an arc is tight only where both ends have the same distance: with a larger one the head would count as reached
    over an arc that does not make up its distance.
    """
    done = 0
    while done < count:
        u = waiting[done]
        done += 1
        for arc in range(offsets[u], offsets[u + 1]):
            v = targets[arc]
            if weights[arc] == 0 and supported[v] == 0 and row[v] == row[u]:
                supported[v], waiting[count] = 1, v
                count += 1


@certify.register(PairsResult)
def _certify_pairs(result: PairsResult) -> None:
    """Prove the rows that were kept, or some that are found again, and the figures made of them."""
    (network, metric), rank = result.searched, counted_ranks(result.searched[0])
    count = len(result.sources)
    if not result.figures.done.all():
        raise CertificateError(f"the result of {result.algorithm} is wrong: not every source is finished")
    if result.matrix is not None and tuple(result.matrix.shape) != (count, result.network.node_count):
        raise CertificateError(f"the result of {result.algorithm} is wrong: its matrix is not of its sources and nodes")
    prover = Prover(network, metric, result.sources)
    for place in range(count) if result.matrix is not None else spread_places(count):
        if result.matrix is not None:
            row = np.asarray(result.matrix[place])
            prover.take(np.array([place]), row[np.newaxis])
        else:
            row = reference_row(network, metric, int(result.sources[place]))
        _compare_figures(result, place, figures_of(row, rank))


def _compare_figures(result: PairsResult, place: int, expected: tuple[int, int, int, int]) -> None:
    if result.figures.at(place) != expected:
        raise CertificateError(
            f"the result of {result.algorithm} is wrong: eccentricity, farthest node, sum or number reached of node "
            f"{result.network.node_ids[result.sources[place]]} are not those of its row"
        )


@loop
def figures_of(row: NDArray[Any], rank: NDArray[Any]) -> tuple[int, int, int, int]:
    """Return eccentricity, farthest node, sum and number reached of one row, −1 where there is no path.

    Nodes of a ``rank`` below 0 do not count (``copies.counted_ranks``).
    """
    farthest, total, reached = -1, 0, 0
    for node in range(len(row)):
        if row[node] >= 0 and rank[node] >= 0:
            total += row[node]
            reached += 1
            if (
                farthest < 0
                or row[node] > row[farthest]
                or (row[node] == row[farthest] and rank[node] < rank[farthest])
            ):
                farthest = node
    return (row[farthest] if farthest >= 0 else -1), farthest, total, reached
