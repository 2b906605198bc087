"""Which of several sources each node is nearest to, the k nearest sources of each node, and what is within a limit.

The first two take of equally near sources the first. The nodes that a source is nearest to hang together over tight
arcs (``d[u] + w = d[v]``): were another source nearer to a node on the way, it would be to the node behind it. So
source after source walks over tight arcs to nodes that no source before it has, and every node is looked at once. Arcs
of weight 0 need no exception, since nothing is ordered by distance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part


class Seeds(NamedTuple):
    """Where the ways of several sources begin: s nodes, those of one source after those of the one before it.

    nodes  int32 [s], internal numbers
    costs  int64 [s], raw weights: how far each is from its source
    of     int32 [s], rising: the index of the source
    """

    nodes: NDArray[np.int32]
    costs: NDArray[np.int64]
    of: NDArray[np.int32]


@loop
def name_nearest(
    offsets: Any, targets: Any, weights: Any, distances: Any, seeds: Seeds, nearest: Any, roots: Any, waiting: Any
) -> int:
    """Fill ``nearest`` int32 [n], −1 where no source reaches a node, and list the seeds at which ways begin as roots.

    ``distances`` [n] are final; ``roots`` int32 [s], of which the number is returned, and ``waiting`` int32 [n].
    """
    nearest[:] = -1
    count = 0
    for i in range(len(seeds.nodes)):
        seed, source = seeds.nodes[i], seeds.of[i]
        if distances[seed] != seeds.costs[i] or (nearest[seed] >= 0 and nearest[seed] != source):
            continue
        roots[count] = seed
        count += 1
        if nearest[seed] >= 0:
            continue
        nearest[seed] = source
        waiting[0], left = seed, 1
        while left:
            left -= 1
            u = waiting[left]
            for arc in range(offsets[u], offsets[u + 1]):
                v = targets[arc]
                if nearest[v] < 0 and distances[v] == distances[u] + weights[arc]:
                    nearest[v] = source
                    waiting[left] = v
                    left += 1
    return count


class Entries(NamedTuple):
    """A binary heap of offers: distance, source and node of each, [size]."""

    distance: NDArray[np.int64]
    source: NDArray[np.int32]
    node: NDArray[np.int32]


@part
def _sink(heap: Entries, count: int, distance: int, source: int, node: int) -> None:
    """Put an offer in the place of the least one, and bring it down among ``count``."""
    at = 0
    while 2 * at + 1 < count:
        child = 2 * at + 1
        if child + 1 < count and _before(heap, child + 1, heap.distance[child], heap.source[child]):
            child += 1
        if not _before(heap, child, distance, source):
            break
        heap.distance[at], heap.source[at], heap.node[at] = heap.distance[child], heap.source[child], heap.node[child]
        at = child
    heap.distance[at], heap.source[at], heap.node[at] = distance, source, node


@part
def _rise(heap: Entries, at: int, distance: int, source: int, node: int) -> None:
    """Put an offer at the end, and bring it up."""
    while at > 0:
        above = (at - 1) >> 1
        if heap.distance[above] < distance or (heap.distance[above] == distance and heap.source[above] <= source):
            break
        heap.distance[at], heap.source[at], heap.node[at] = heap.distance[above], heap.source[above], heap.node[above]
        at = above
    heap.distance[at], heap.source[at], heap.node[at] = distance, source, node


@part
def _before(heap: Entries, at: int, distance: int, source: int) -> bool:
    return heap.distance[at] < distance or (heap.distance[at] == distance and heap.source[at] < source)


class Ranks(NamedTuple):
    """The sources found for each node, the nearest first, int32 and int64 [n, k], −1 for none; how many, int32 [n]."""

    sources: NDArray[np.int32]
    distances: NDArray[np.int64]
    counts: NDArray[np.int32]


@loop
def settle_nearest(
    offsets: Any, targets: Any, weights: Any, heap: Entries, state: NDArray[np.int64], ranks: Ranks, most: int
) -> Entries:
    """Settle up to ``most`` offers, the least first; return the heap, which is another one where it has grown.

    An offer is a source's distance from a node. It is settled where the node has fewer than k sources and not this one.
    Offers settle by rising distance, and at one distance by rising source: what an arc of weight 0 passes on has the
    same distance and the same source. ``state`` holds how many offers wait.
    """
    count, k = state[0], ranks.sources.shape[1]
    done = 0
    while count > 0 and done < most:
        distance, source, node = heap.distance[0], heap.source[0], heap.node[0]
        count -= 1
        if count > 0:
            _sink(heap, count, heap.distance[count], heap.source[count], heap.node[count])
        if not _takes(ranks, node, source, k):
            continue
        at = ranks.counts[node]
        ranks.sources[node, at], ranks.distances[node, at] = source, distance
        ranks.counts[node] = at + 1
        done += 1
        begin, end = offsets[node], offsets[node + 1]
        if count + end - begin > len(heap.distance):
            heap = _grown(heap, count, 2 * (count + end - begin))
        for arc in range(begin, end):
            if _takes(ranks, targets[arc], source, k):
                _rise(heap, count, distance + weights[arc], source, targets[arc])
                count += 1
    state[0] = count
    return heap


@loop
def settle_within(
    offsets: Any,
    targets: Any,
    weights: Any,
    seeds: Seeds,
    limit: float,
    most: int,
    distances: NDArray[np.int64],
    touched: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Write how far nodes are from the nearest seed, as far as ``limit``, to ``distances`` [n], which hold −1.

    Returns these nodes and those to which an arc leads from them, whose distances remain −1; none, and no distances,
    where more than ``most`` nodes are within the limit. ``touched`` are the nodes of the search before, whose distances
    become −1. The work grows with the nodes within the limit alone.
    """
    for node in touched:
        distances[node] = -1
    found = np.empty(_ROOM, np.int32)
    heap = Entries(np.empty(_ROOM, np.int64), np.empty(_ROOM, np.int32), np.empty(_ROOM, np.int32))
    known, waiting, settled = 0, 0, 0
    for i in range(len(seeds.nodes)):
        heap, found = _with_room(heap, waiting, found, known, 1)
        known, waiting = _offer(seeds.nodes[i], seeds.costs[i], limit, distances, heap, waiting, found, known)
    while waiting > 0 and settled <= most:
        distance, node = heap.distance[0], heap.node[0]
        waiting -= 1
        if waiting > 0:
            _sink(heap, waiting, heap.distance[waiting], 0, heap.node[waiting])
        if distance > distances[node]:
            continue  # it has been settled at a lesser distance
        settled += 1
        begin, end = offsets[node], offsets[node + 1]
        heap, found = _with_room(heap, waiting, found, known, end - begin)
        for arc in range(begin, end):
            offer = distance + weights[arc]
            known, waiting = _offer(targets[arc], offer, limit, distances, heap, waiting, found, known)
    for node in found[:known]:
        if settled > most or distances[node] > limit:
            distances[node] = -1
    return found[: 0 if settled > most else known].copy()


_ROOM = 1024
"""Nodes that a search begins with room for."""


@part
def _offer(
    node: int, offer: int, limit: float, distances: Any, heap: Entries, waiting: int, found: Any, known: int
) -> tuple[int, int]:
    """Lower a node's distance to an offer if that is less; return how many are known and how many offers wait."""
    if distances[node] < 0:
        found[known] = node
        known += 1
    elif distances[node] <= offer:
        return known, waiting
    distances[node] = offer
    if offer > limit:
        return known, waiting
    _rise(heap, waiting, offer, 0, node)
    return known, waiting + 1


@part
def _with_room(heap: Entries, waiting: int, found: Any, known: int, more: int) -> tuple[Entries, Any]:
    """Return both with room for so many more."""
    if waiting + more > len(heap.distance):
        heap = _grown(heap, waiting, 2 * (waiting + more))
    if known + more > len(found):
        longer = np.empty(2 * (known + more), np.int32)
        longer[:known] = found[:known]
        found = longer
    return heap, found


@part
def _takes(ranks: Ranks, node: int, source: int, k: int) -> bool:
    """Return whether a node has fewer than k sources and not this one."""
    count = ranks.counts[node]
    if count == k:
        return False
    found = False
    for i in range(count):
        found |= ranks.sources[node, i] == source
    return not found


@part
def _grown(heap: Entries, count: int, size: int) -> Entries:
    distance, source, node = np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.int32)
    distance[:count], source[:count], node[:count] = heap.distance[:count], heap.source[:count], heap.node[:count]
    return Entries(distance, source, node)
