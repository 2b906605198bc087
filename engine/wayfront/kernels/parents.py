"""Make the shortest-path tree from final distances, the same tree on every device.

A node's parent is the tail of a tight arc (``d[u] + w = d[v]``), of several the one with the smallest file id, which
``rank`` orders. Tight arcs of weight 0 could form a cycle, so they count only for nodes that no heavier tight arc
enters, and those are treated level by level: a node takes its parent among nodes that already have one.

**In the host's memory** it is one pass, seen from the heads. The arcs that enter a node lie side by side with rising
file ids of their tails, and are tried from the last to the first without an early end: the last tight one wins, and no
branch depends on distances. Nodes are grouped by their in-degree within chunks: loops of a fixed length, whose reads
and writes stay close together. Closed arcs carry a weight with which no arc is tight, and so do arcs of weight 0, which
then join the nodes that have no parent yet; but for those into *ends*. Only arcs of weight 0 enter an end, none leaves
it, and they come from nodes that have their parents before: the copy where ways to a split node end is one. Its parent
is found as any.

**On a card** the tails offer themselves along their tight arcs, and the smallest rank wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.atomics import atomic_min, next_place
from wayfront.devices.compiling import inlined, loop, loop_without_allocation
from wayfront.devices.device import DeviceArray, Divide
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.arithmetic import choose
from wayfront.network.road_network import RoadNetwork

CHUNK = 2048
"""Nodes that are grouped by in-degree together: their distances and parents stay in a core's first cache."""

UNROLLED = 4
"""Nodes with more in-arcs than this share one loop of variable length; few nodes of a road network have more."""

SMALLEST_SHARE = 1 << 16
"""Fewer nodes than this for each core are not worth another core."""


class Search(NamedTuple):
    """What parents are found from: final distances [n], where ways begin, int32, each node's rank, and what is filled,
    int32 [n].
    """

    distances: NDArray[Any]
    roots: NDArray[np.int32]
    rank: NDArray[np.int32]
    parents: NDArray[np.int32]


class ZeroArcs(NamedTuple):
    """The arcs of a network, int [n + 1] and int32 [m], of which those of weight 0 are marked, bool [m].

    some       whether there are any of them
    zero_arcs  int64: of those the ones that lead to no end, from nodes that some arc enters
    ends       int32: the nodes that are ends; ``is_end`` bool [n] marks them
    """

    offsets: NDArray[np.integer]
    targets: NDArray[np.int32]
    tails: NDArray[np.int32]
    zero: NDArray[np.bool_]
    some: bool
    zero_arcs: NDArray[np.int64]
    ends: NDArray[np.int32]
    is_end: NDArray[np.bool_]


class Runs(NamedTuple):
    """Nodes by in-degree, and where their arcs lie.

    runs    int32 [r, 2]: in-degree, and number of nodes that follow one another with it
    starts  int64 [chunks + 1, 2]: each chunk's first run and first index of an arc
    nodes   int32 [n]
    tails   int32 [m]: the tail of the arc at each index
    """

    runs: NDArray[np.int32]
    starts: NDArray[np.int64]
    nodes: NDArray[np.int32]
    tails: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class EnteringArcs:
    """The arcs of a network in the order in which parents are looked for; the same for all its metrics.

    ``order`` int32 [m] is the index of each arc in that order.
    """

    network: RoadNetwork
    runs: Runs
    order: NDArray[np.int32]

    @classmethod
    def of(cls, network: RoadNetwork) -> EnteringArcs:
        """Return those of a network, made at the first call in O(n + m)."""

        def make() -> EnteringArcs:
            n, m = network.node_count, network.arc_count
            degrees = np.bincount(network.targets, minlength=n).astype(np.int32)
            chunks = -(-n // CHUNK)
            runs, starts = np.empty((n, 2), np.int32), np.empty((chunks + 1, 2), np.int64)
            nodes, first = np.empty(n, np.int32), np.empty(n, np.int64)
            free = np.empty(UNROLLED + 2, np.int64)
            count = _group_by_degree(degrees, runs, starts, nodes, first, free)
            tails, order = np.empty(m, np.int32), np.empty(m, np.int32)
            order_arcs(network.offsets, network.targets, network.id_order()[0], first, tails, order)
            return cls(network, Runs(runs[:count].copy(), starts, nodes, tails), order)

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
        self._zero_arcs: ZeroArcs | None = None
        _order_weights(weights, self._entering.order, self._never, self._weights, self._zero)

    @classmethod
    def of(cls, network: RoadNetwork, metric: str, dtype: np.dtype[Any]) -> ParentPass:
        """Return the one for a metric as it is in the network, made at the first call; do not ``change`` it."""
        weights = network.metric(metric).weights
        return network.derive(parents_key(metric, dtype), lambda: cls(network, weights, dtype))

    def change(self, arcs: NDArray[np.int64], weights: NDArray[Any]) -> None:
        """Give arcs other weights, −1 to close them."""
        self._weights[self._entering.order[arcs]] = np.where(weights > 0, weights, self._never)
        self._zero[arcs] = weights == 0
        self._zero_arcs = None

    def find(
        self,
        distances: NDArray[Any],
        source: int | NDArray[np.int32],
        parents: NDArray[np.int32],
        divide: Divide | None = None,
        shares: int = 1,
    ) -> None:
        """Fill ``parents`` int32 [n] from final ``distances`` [n] of the pass's dtype.

        They are −1 for the source, or of several those that no shorter way leads to, and for unreached nodes, whose
        distance is the largest value of the dtype. ``divide`` spreads the work over ``shares`` cores. It allocates
        nothing unless weights of 0 occur.
        """
        if self._zero_arcs is None:
            self._zero_arcs = self._sorted_zero_arcs()
        runs, chunks = self._entering.runs, len(self._entering.runs.starts) - 1
        shares = max(1, min(shares, len(parents) // SMALLEST_SHARE)) if divide is not None else 1
        if divide is None or shares == 1:
            _find(distances, runs, self._weights, 0, chunks, parents)
        else:
            bounds = [chunks * share // shares for share in range(shares + 1)]

            def work(share: int, _core: int) -> None:
                _find(distances, runs, self._weights, bounds[share], bounds[share + 1], parents)

            divide(work, range(shares))
        arcs = self._zero_arcs
        if arcs.some:
            lists, roots = np.empty((2, len(parents)), np.int32), np.atleast_1d(np.asarray(source, np.int32))
            rank = self._entering.network.id_order()[1]
            _join_over_zero(Search(distances, roots, rank, parents), arcs, np.iinfo(distances.dtype).max, lists)

    def _sorted_zero_arcs(self) -> ZeroArcs:
        """Return the arcs of weight 0; those into ends are given that weight, and the others none that is tight."""
        network, zero = self._entering.network, self._zero
        is_end, tails = np.zeros(network.node_count, np.bool_), network.tails()
        listed, some = np.zeros(len(zero), np.bool_), bool(zero.any())
        if some:
            _sort_zero_arcs(
                tails, network.targets, zero, self._entering.order, self._never, self._weights, is_end, listed
            )
        ends = np.flatnonzero(is_end).astype(np.int32)
        return ZeroArcs(network.offsets, network.targets, tails, zero, some, np.flatnonzero(listed), ends, is_end)


def parents_key(metric: str, dtype: np.dtype[Any]) -> str:
    """Return the key under which a network keeps the pass for one of its metrics."""
    return f"parent pass {metric} {np.dtype(dtype).name}"


@loop_without_allocation
def _group_by_degree(
    degrees: NDArray[np.int32],
    runs: NDArray[np.int32],
    starts: NDArray[np.int64],
    nodes: NDArray[np.int32],
    first: NDArray[np.int64],
    free: NDArray[np.int64],
) -> int:
    """Fill runs, starts, nodes, and ``first`` [n], the index of each node's first arc; return the number of runs.

    A node with more than UNROLLED arcs is a run of its own, at the end of its chunk. ``free`` [UNROLLED + 2] is used.
    """
    n = len(degrees)
    run, index = 0, 0
    for chunk in range(len(starts) - 1):
        starts[chunk, 0], starts[chunk, 1] = run, index
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
            first[v] = index
            index += degrees[v]
            if k >= many:
                runs[run, 0], runs[run, 1] = degrees[v], 1
                run += 1
    starts[len(starts) - 1, 0], starts[len(starts) - 1, 1] = run, index
    return run


@loop_without_allocation
def order_arcs(
    offsets: NDArray[np.int64],
    targets: NDArray[np.int32],
    id_order: NDArray[np.int32],
    free: NDArray[np.int64],
    tails: NDArray[np.int32],
    order: NDArray[np.int32],
) -> None:
    """Put each arc into the next free index of its head, tails by rising file id."""
    for i in range(len(id_order)):
        tail = id_order[i]
        for arc in range(offsets[tail], offsets[tail + 1]):
            index = free[targets[arc]]
            free[targets[arc]] = index + 1
            tails[index] = tail
            order[arc] = index


@loop_without_allocation
def _order_weights(
    weights: NDArray[Any], order: NDArray[np.int32], never: int, ordered: NDArray[Any], zero: NDArray[np.bool_]
) -> None:
    for arc in range(len(weights)):
        weight = weights[arc]
        ordered[order[arc]] = weight if weight > 0 else never
        zero[arc] = weight == 0


@loop
def _sort_zero_arcs(
    tails: NDArray[np.int32],
    targets: NDArray[np.int32],
    zero: NDArray[np.bool_],
    order: NDArray[np.int32],
    never: int,
    ordered: NDArray[Any],
    is_end: NDArray[np.bool_],
    listed: NDArray[np.bool_],
) -> None:
    """Mark the ends, and list the arcs of weight 0 that lead elsewhere from where one may come.

    A node that nothing enters offers itself as a root alone: it makes no node late.
    """
    n = len(is_end)
    entered, late = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    for arc in range(len(zero)):
        if zero[arc] or ordered[order[arc]] != never:
            entered[targets[arc]] = True
    for arc in range(len(zero)):
        if zero[arc]:
            is_end[targets[arc]] = True
            if entered[tails[arc]]:
                late[targets[arc]] = True
    for arc in range(len(zero)):
        if late[tails[arc]] if zero[arc] else ordered[order[arc]] != never:
            is_end[targets[arc]] = False
        if zero[arc]:
            is_end[tails[arc]] = False
    for arc in range(len(zero)):
        if zero[arc]:
            ordered[order[arc]] = 0 if is_end[targets[arc]] else never
            listed[arc] = entered[tails[arc]] and not is_end[targets[arc]]


@loop_without_allocation
def _find(
    distances: NDArray[Any], runs: Runs, weights: NDArray[Any], begin: int, end: int, parents: NDArray[np.int32]
) -> None:
    """Find the parents of the nodes of chunks ``begin`` … ``end`` − 1.

    With infinity the largest value of its dtype, an unreached tail is never tight: the sum is larger, or wraps below 0.
    """
    first = begin * CHUNK
    index = runs.starts[begin, 1]
    for run in range(runs.starts[begin, 0], runs.starts[end, 0]):
        degree, count = runs.runs[run, 0], runs.runs[run, 1]
        # A constant degree lets LLVM unroll the loop over a node's arcs; Numba compiles one function for all of a type.
        if degree == 1:
            _find_run(distances, runs, weights, first, index, count, np.int32(1), parents)
        elif degree == 2:
            _find_run(distances, runs, weights, first, index, count, np.int32(2), parents)
        elif degree == 3:
            _find_run(distances, runs, weights, first, index, count, np.int32(3), parents)
        elif degree == 4:
            _find_run(distances, runs, weights, first, index, count, np.int32(4), parents)
        else:
            _find_run(distances, runs, weights, first, index, count, degree, parents)
        first += count
        index += degree * count


@inlined
def _find_run(
    distances: NDArray[Any],
    runs: Runs,
    weights: NDArray[Any],
    first: int,
    index: int,
    count: int,
    degree: int,
    parents: NDArray[np.int32],
) -> None:
    """Find the parents of ``count`` nodes with ``degree`` in-arcs each.

    Unsigned indices spare numba's test of their sign.
    """
    at = np.uint64(index)
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
def _join_over_zero(search: Search, network: ZeroArcs, infinity: int, lists: NDArray[np.int32]) -> None:
    """Give nodes that no heavier tight arc enters their parents over arcs of weight 0, level by level.

    While a level lasts, an offer of node u stands as −2 − u in ``parents``: it is not taken for a parent. Roots are
    their own parents until the end, so that they offer and get no offer. Ends have parents, but for those that a root
    is so near to that their parents may come later.
    """
    parents, now, following = search.parents, lists[0], lists[1]
    _start_ends_and_roots(search, network, infinity)
    count = _first_offers(search, network, now)
    while count:
        for i in range(count):
            parents[now[i]] = -2 - parents[now[i]]
        after = 0
        for i in range(count):
            tail = now[i]
            for arc in range(network.offsets[tail], network.offsets[tail + 1]):
                if network.zero[arc]:
                    after += _offer(search, tail, network.targets[arc], following, after)
        now, following = following, now
        count = after
    for root in search.roots:
        if parents[root] == root:
            parents[root] = -1


@loop
def _start_ends_and_roots(search: Search, network: ZeroArcs, infinity: int) -> None:
    """Take the parents from ends that are not reached, or near a root; make roots their own."""
    parents, distances = search.parents, search.distances
    for end in network.ends:
        if distances[end] == infinity:
            parents[end] = -1
    for root in search.roots:
        _free_ends(search, network, root)
        for arc in range(network.offsets[root], network.offsets[root + 1]):
            if network.zero[arc] and distances[network.targets[arc]] == distances[root]:
                _free_ends(search, network, network.targets[arc])
    for root in search.roots:
        if network.is_end[root]:
            parents[root] = -1
    for root in search.roots:
        if parents[root] == -1:
            parents[root] = root


@loop
def _free_ends(search: Search, network: ZeroArcs, tail: int) -> None:
    """Take the parents from the ends that arcs of weight 0 lead to from a node."""
    for arc in range(network.offsets[tail], network.offsets[tail + 1]):
        head = network.targets[arc]
        if network.zero[arc] and network.is_end[head] and search.distances[head] == search.distances[tail]:
            search.parents[head] = -1


@loop
def _first_offers(search: Search, network: ZeroArcs, listed: NDArray[np.int32]) -> int:
    """Let nodes that have their parents, and roots, offer themselves; list the heads, and return how many they are."""
    parents, tails, targets, count, apart = search.parents, network.tails, network.targets, 0, False
    for arc in network.zero_arcs:
        if parents[tails[arc]] >= 0:
            count += _offer(search, tails[arc], targets[arc], listed, count)
    for root in search.roots:
        apart |= search.distances[root] > 0
        for arc in range(network.offsets[root], network.offsets[root + 1]):
            if network.zero[arc]:
                count += _offer(search, root, targets[arc], listed, count)
    if apart:  # nodes as far as a root may have had their parents before
        for arc in range(len(network.zero)):
            if network.zero[arc] and network.is_end[targets[arc]] and parents[tails[arc]] >= 0:
                count += _offer(search, tails[arc], targets[arc], listed, count)
    return count


@loop
def _offer(search: Search, tail: int, head: int, listed: NDArray[np.int32], count: int) -> int:
    """Offer a tail to a head that has no parent; return 1 if that is its first offer, which lists it, else 0."""
    parents, distances, rank = search.parents, search.distances, search.rank
    if parents[head] >= 0 or distances[head] != distances[tail]:
        return 0
    if parents[head] == -1:
        parents[head] = -2 - tail
        listed[count] = head
        return 1
    if rank[tail] < rank[-2 - parents[head]]:
        parents[head] = -2 - tail
    return 0


# ------------------------------------------------------------------------------------------------------------ on a card


class Nodes(NamedTuple):
    """The nodes of one level and of the next, int32 [n] each, and int32 [1], how many the next one has."""

    now: DeviceArray
    following: DeviceArray
    count: DeviceArray


def reset_parents(i: int, best: DeviceArray, has_parent: DeviceArray, no_rank: int, source: int) -> None:
    """Reset every node's best rank; the source alone needs none."""
    best[i] = no_rank
    has_parent[i] = 1 if i == source else 0


def offer_parent(
    i: int, arcs: Arcs, distances: DeviceArray, infinity: int, rank: DeviceArray, best: DeviceArray
) -> None:
    """Offer node i as parent along its tight arcs of positive weight."""
    distance = distances[i]
    if distance == infinity:
        return
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        target, weight = arcs.targets[arc], arcs.weights[arc]
        if weight > 0 and distance + weight == distances[target]:
            atomic_min(best, target, rank[i])


def start_served(i: int, best: DeviceArray, has_parent: DeviceArray, no_rank: int, nodes: Nodes) -> None:
    """List the source and every node that has a parent: they need none any more."""
    if best[i] != no_rank or has_parent[i] != 0:
        has_parent[i] = 1
        nodes.following[next_place(nodes.count, 0)] = i


def offer_parent_over_zero(
    i: int,
    arcs: Arcs,
    distances: DeviceArray,
    rank: DeviceArray,
    best: DeviceArray,
    has_parent: DeviceArray,
    no_rank: int,
    nodes: Nodes,
) -> None:
    """Offer the i-th node of this level as parent over its arcs of weight 0, and list those that get a first offer."""
    node = nodes.now[i]
    for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
        target = arcs.targets[arc]
        offered = arcs.weights[arc] == 0 and has_parent[target] == 0 and distances[target] == distances[node]
        if offered and atomic_min(best, target, rank[node]) == no_rank:
            nodes.following[next_place(nodes.count, 0)] = target


def serve_next_level(i: int, has_parent: DeviceArray, nodes: Nodes) -> None:
    """Note that the i-th node of the next level has its parent, now that all offers of this level are made."""
    has_parent[nodes.following[i]] = 1


def name_parent(i: int, best: DeviceArray, no_rank: int, order: DeviceArray, parents: DeviceArray) -> None:
    """Turn the best rank into the node that has it, or -1."""
    parents[i] = -1 if best[i] == no_rank else order[best[i]]
