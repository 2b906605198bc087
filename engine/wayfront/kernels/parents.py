"""Make the shortest-path tree from final distances in one pass, where arrays are in the host's memory.

The rule is that of ``kernels.tree``, seen from the heads: of the tight arcs that enter a node, the one whose tail has
the smallest file id. The arcs that enter a node lie side by side with rising file ids of their tails, and are tried
from the last to the first without an early end: the last tight one wins, and no branch depends on distances. Nodes are
grouped by their in-degree within chunks: loops of a fixed length, whose reads and writes stay close together.

Arcs of weight 0 and closed arcs carry a weight with which no arc is tight. Arcs of weight 0 then join the nodes that
have no parent yet, level by level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import inlined, loop, loop_without_allocation
from wayfront.kernels.branchless import choose
from wayfront.network.road_network import RoadNetwork

CHUNK = 2048
"""Nodes that are grouped by in-degree together: their distances and parents stay in a core's first cache."""

UNROLLED = 4
"""Nodes with more in-arcs than this share one loop of variable length; few nodes of a road network have more."""

SMALLEST_SHARE = 1 << 16
"""Fewer nodes than this for each core are not worth another core."""

Divide = Callable[[Callable[[int, int], None], Sequence[int]], None]
"""``Device.divide``: calls work(task, core) for every task on the device's cores."""


class Runs(NamedTuple):
    """Nodes by in-degree, and where their arcs lie.

    runs    int32 [r, 2]: in-degree, and number of nodes that follow one another with it
    starts  int64 [chunks + 1, 2]: each chunk's first run and first place of an arc
    nodes   int32 [n]
    tails   int32 [m]: the tail of the arc at each place
    """

    runs: NDArray[np.int32]
    starts: NDArray[np.int64]
    nodes: NDArray[np.int32]
    tails: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class EnteringArcs:
    """The arcs of a network in the order in which parents are looked for; the same for all its metrics.

    ``places`` int32 [m] is the place of each arc in that order.
    """

    network: RoadNetwork
    runs: Runs
    places: NDArray[np.int32]

    @classmethod
    def of(cls, network: RoadNetwork) -> EnteringArcs:
        """Return those of a network, made at the first call in O(n + m)."""

        def make() -> EnteringArcs:
            n, m = network.node_count, network.arc_count
            degrees = np.bincount(network.targets, minlength=n).astype(np.int32)
            chunks = -(-n // CHUNK)
            runs, starts = np.empty((n, 2), np.int32), np.empty((chunks + 1, 2), np.int64)
            nodes, first = np.empty(n, np.int32), np.empty(n, np.int64)
            count = _group_by_degree(degrees, runs, starts, nodes, first)
            tails, places = np.empty(m, np.int32), np.empty(m, np.int32)
            _place_arcs(network.offsets, network.targets, network.id_order()[0], first, tails, places)
            return cls(network, Runs(runs[:count].copy(), starts, nodes, tails), places)

        return network.derive("entering arcs", make)


class ParentPass:
    """Finds parents for one metric of a network, whose weights may change.

    ``weights`` is int [m], −1 for a closed arc. ``dtype`` is that of the distances, int32 or int64.
    """

    def __init__(self, network: RoadNetwork, weights: NDArray[Any], dtype: np.dtype[Any]) -> None:
        self._entering = EnteringArcs.of(network)
        self._never = np.dtype(dtype).type(np.iinfo(dtype).min)
        self._weights = np.empty(network.arc_count, dtype)
        self._zero = np.zeros(network.arc_count, np.bool_)
        self._zero_arcs: NDArray[np.int64] | None = None
        _order_weights(weights, self._entering.places, self._never, self._weights, self._zero)

    @classmethod
    def of(cls, network: RoadNetwork, metric: str, dtype: np.dtype[Any]) -> ParentPass:
        """Return the one for a metric as it is in the network, made at the first call; do not ``change`` it."""
        weights = network.metric(metric).weights
        return network.derive(parents_key(metric, dtype), lambda: cls(network, weights, dtype))

    def change(self, arcs: NDArray[np.int64], weights: NDArray[Any]) -> None:
        """Give arcs other weights, −1 to close them."""
        self._weights[self._entering.places[arcs]] = np.where(weights > 0, weights, self._never)
        self._zero[arcs] = weights == 0
        self._zero_arcs = None

    def find(
        self,
        distances: NDArray[Any],
        source: int,
        parents: NDArray[np.int32],
        divide: Divide | None = None,
        shares: int = 1,
    ) -> None:
        """Fill ``parents`` int32 [n] from final ``distances`` [n] of the pass's dtype.

        They are −1 for the source and for unreached nodes, whose distance is the largest value of the dtype. ``divide``
        spreads the work over ``shares`` cores. It allocates nothing unless weights of 0 occur.
        """
        runs, chunks = self._entering.runs, len(self._entering.runs.starts) - 1
        shares = max(1, min(shares, len(parents) // SMALLEST_SHARE)) if divide is not None else 1
        if divide is None or shares == 1:
            _find(distances, runs, self._weights, 0, chunks, parents)
        else:
            bounds = [chunks * share // shares for share in range(shares + 1)]

            def work(share: int, _core: int) -> None:
                _find(distances, runs, self._weights, bounds[share], bounds[share + 1], parents)

            divide(work, range(shares))
        self._join_over_zero(distances, source, parents)

    def _join_over_zero(self, distances: NDArray[Any], source: int, parents: NDArray[np.int32]) -> None:
        if self._zero_arcs is None:
            self._zero_arcs = np.flatnonzero(self._zero)
        if len(self._zero_arcs):
            network = self._entering.network
            lists = np.empty((2, len(self._zero_arcs)), np.int32)
            arcs = (network.offsets, network.targets, self._zero)
            tails = network.tails()
            _join_over_zero(distances, source, *arcs, self._zero_arcs, tails, network.id_order()[1], lists, parents)


def parents_key(metric: str, dtype: np.dtype[Any]) -> str:
    """Return the key under which a network keeps the pass for one of its metrics."""
    return f"parent pass {metric} {np.dtype(dtype).name}"


@loop
def _group_by_degree(
    degrees: NDArray[np.int32],
    runs: NDArray[np.int32],
    starts: NDArray[np.int64],
    nodes: NDArray[np.int32],
    first: NDArray[np.int64],
) -> int:
    """Fill runs, starts, nodes, and ``first`` [n], the place of each node's first arc; return the number of runs.

    A node with more than UNROLLED arcs is a run of its own, at the end of its chunk.
    """
    n = len(degrees)
    free = np.empty(UNROLLED + 2, np.int64)
    run, place = 0, 0
    for chunk in range(len(starts) - 1):
        starts[chunk, 0], starts[chunk, 1] = run, place
        begin, end = chunk * CHUNK, min((chunk + 1) * CHUNK, n)
        free[:] = 0
        for v in range(begin, end):
            free[min(degrees[v], UNROLLED + 1)] += 1
        after = begin
        for degree in range(UNROLLED + 2):
            count = free[degree]
            if count and degree <= UNROLLED:
                runs[run, 0], runs[run, 1] = degree, count
                run += 1
            free[degree] = after
            after += count
        many = free[UNROLLED + 1]
        for v in range(begin, end):
            degree = min(degrees[v], UNROLLED + 1)
            nodes[free[degree]] = v
            free[degree] += 1
        for k in range(begin, end):
            v = nodes[k]
            first[v] = place
            place += degrees[v]
            if k >= many:
                runs[run, 0], runs[run, 1] = degrees[v], 1
                run += 1
    starts[len(starts) - 1, 0], starts[len(starts) - 1, 1] = run, place
    return run


@loop
def _place_arcs(
    offsets: NDArray[np.int64],
    targets: NDArray[np.int32],
    id_order: NDArray[np.int32],
    free: NDArray[np.int64],
    tails: NDArray[np.int32],
    places: NDArray[np.int32],
) -> None:
    """Put each arc into the next free place of its head, tails by rising file id."""
    for i in range(len(id_order)):
        tail = id_order[i]
        for arc in range(offsets[tail], offsets[tail + 1]):
            place = free[targets[arc]]
            free[targets[arc]] = place + 1
            tails[place] = tail
            places[arc] = place


@loop
def _order_weights(
    weights: NDArray[Any], places: NDArray[np.int32], never: int, ordered: NDArray[Any], zero: NDArray[np.bool_]
) -> None:
    for arc in range(len(weights)):
        weight = weights[arc]
        ordered[places[arc]] = weight if weight > 0 else never
        zero[arc] = weight == 0


@loop_without_allocation
def _find(
    distances: NDArray[Any], runs: Runs, weights: NDArray[Any], begin: int, end: int, parents: NDArray[np.int32]
) -> None:
    """Find the parents of the nodes of chunks ``begin`` … ``end`` − 1.

    With infinity the largest value of its dtype, an unreached tail is never tight: the sum is larger, or wraps below 0.
    """
    first = begin * CHUNK
    place = runs.starts[begin, 1]
    for run in range(runs.starts[begin, 0], runs.starts[end, 0]):
        degree, count = runs.runs[run, 0], runs.runs[run, 1]
        # A constant degree lets the compiler unroll the loop over a node's arcs.
        if degree == 1:
            _serve_run(distances, runs, weights, first, place, count, 1, parents)
        elif degree == 2:
            _serve_run(distances, runs, weights, first, place, count, 2, parents)
        elif degree == 3:
            _serve_run(distances, runs, weights, first, place, count, 3, parents)
        elif degree == 4:
            _serve_run(distances, runs, weights, first, place, count, 4, parents)
        else:
            _serve_run(distances, runs, weights, first, place, count, degree, parents)
        first += count
        place += degree * count


@inlined
def _serve_run(
    distances: NDArray[Any],
    runs: Runs,
    weights: NDArray[Any],
    first: int,
    place: int,
    count: int,
    degree: int,
    parents: NDArray[np.int32],
) -> None:
    """Find the parents of ``count`` nodes with ``degree`` in-arcs each.

    Unsigned indices spare numba's test of their sign.
    """
    at = np.uint64(place)
    for i in range(count):
        node = np.uint64(runs.nodes[np.uint64(first + i)])
        distance, best = distances[node], np.int32(-1)
        for j in range(degree - 1, -1, -1):
            arc = at + np.uint64(j)
            tail = runs.tails[arc]
            best = choose(distances[np.uint64(tail)] + weights[arc] == distance, tail, best)
        parents[node] = best
        at += np.uint64(degree)


@loop
def _join_over_zero(
    distances: NDArray[Any],
    source: int,
    offsets: NDArray[np.int64],
    targets: NDArray[np.int32],
    zero: NDArray[np.bool_],
    zero_arcs: NDArray[np.int64],
    tails: NDArray[np.int32],
    rank: NDArray[np.int32],
    lists: NDArray[np.int32],
    parents: NDArray[np.int32],
) -> None:
    """Give nodes that no heavier tight arc enters their parents over arcs of weight 0, level by level.

    While a level lasts, an offer of node u stands as −2 − u in ``parents``: nobody takes it for a parent.
    """
    now, following = lists[0], lists[1]
    count = 0
    for i in range(len(zero_arcs)):
        tail = tails[zero_arcs[i]]
        if parents[tail] >= 0 or tail == source:
            count += _offer(distances, source, tail, targets[zero_arcs[i]], rank, parents, now, count)
    while count:
        for i in range(count):
            parents[now[i]] = -2 - parents[now[i]]
        after = 0
        for i in range(count):
            tail = now[i]
            for arc in range(offsets[tail], offsets[tail + 1]):
                if zero[arc]:
                    after += _offer(distances, source, tail, targets[arc], rank, parents, following, after)
        now, following = following, now
        count = after


@loop
def _offer(
    distances: NDArray[Any],
    source: int,
    tail: int,
    head: int,
    rank: NDArray[np.int32],
    parents: NDArray[np.int32],
    listed: NDArray[np.int32],
    count: int,
) -> int:
    """Offer a tail to a head that has no parent; return 1 if that is its first offer, which lists it, else 0."""
    if parents[head] >= 0 or head == source or distances[head] != distances[tail]:
        return 0
    if parents[head] == -1:
        parents[head] = -2 - tail
        listed[count] = head
        return 1
    if rank[tail] < rank[-2 - parents[head]]:
        parents[head] = -2 - tail
    return 0
