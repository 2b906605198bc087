"""Bodies of Δ-stepping without queues: ``bucket[v]`` is the index of the bucket that holds v, or ``NOWHERE``.

``counters``, int32, holds the first bucket in use; how many nodes were just taken from a bucket and how many arcs
leave them; and the same of all nodes removed from it since it was opened.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.atomics import atomic_add, atomic_min
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.reduction import Positions

NOWHERE = 2**31 - 1

FIRST, TAKEN, TAKEN_ARCS, REMOVED, REMOVED_ARCS, COUNTERS = range(6)
"""Indices in ``counters``."""


class Buckets(NamedTuple):
    """Which bucket each node is in, and what the open bucket held.

    bucket        int32 [n]: the index of the node's bucket, or NOWHERE
    was_removed   int8 [n]: 1 once the node was removed from a bucket, so that its heavy arcs are relaxed once
    taken         int32 [n]: the nodes just taken from the open bucket
    removed       int32 [n]: all nodes removed from it since it was opened
    counters      int32 [COUNTERS]
    """

    bucket: DeviceArray
    was_removed: DeviceArray
    taken: DeviceArray
    removed: DeviceArray
    counters: DeviceArray


class Requests(NamedTuple):
    """The arcs to relax: each one's index and tail, int32 [m]."""

    node: DeviceArray
    arc: DeviceArray


def start_search(i: int, source: int, infinity: int, distances: DeviceArray, buckets: Buckets) -> None:
    """Put the source alone into bucket 0."""
    distances[i] = 0 if i == source else infinity
    buckets.bucket[i] = 0 if i == source else NOWHERE
    buckets.was_removed[i] = 0


def reset_counters(i: int, counters: DeviceArray) -> None:
    """Open a new bucket: nothing is taken from it yet, and the first one in use has still to be found."""
    counters[i] = NOWHERE if i == FIRST else 0


def find_first_bucket(i: int, bucket: DeviceArray, counters: DeviceArray) -> None:
    """Reduce the smallest bucket index in use."""
    index = bucket[i]
    if index < counters[FIRST]:
        atomic_min(counters, FIRST, index)


def empty_bucket(i: int, offsets: DeviceArray, buckets: Buckets) -> None:
    """Take a node out of the first bucket if it is in it, and list it for the heavy phase, once."""
    counters = buckets.counters
    if buckets.bucket[i] != counters[FIRST] or buckets.bucket[i] == NOWHERE:
        return
    buckets.bucket[i] = NOWHERE
    degree = offsets[i + 1] - offsets[i]
    buckets.taken[atomic_add(counters, TAKEN, 1)] = i
    atomic_add(counters, TAKEN_ARCS, degree)
    if buckets.was_removed[i] == 0:
        buckets.was_removed[i] = 1
        buckets.removed[atomic_add(counters, REMOVED, 1)] = i
        atomic_add(counters, REMOVED_ARCS, degree)


def reset_taken(i: int, counters: DeviceArray) -> None:
    """Reset the counters of what was last taken, and keep those of what was removed in all."""
    counters[TAKEN + i] = 0


def add_requests(
    i: int, block: int, nodes: DeviceArray, offsets: DeviceArray, positions: Positions, requests: Requests
) -> None:
    """Write the requests of the i-th listed node, one for each of its arcs, from its own position on."""
    node = nodes[i]
    begin = positions.within[i] + positions.shares[i // block]
    for arc in range(offsets[node], offsets[node + 1]):
        position = begin + arc - offsets[node]
        requests.node[position] = node
        requests.arc[position] = arc


def relax_request(
    i: int, heavy: int, delta: int, arcs: Arcs, distances: DeviceArray, bucket: DeviceArray, requests: Requests
) -> None:
    """Relax the i-th request if its arc is light (w ≤ Δ) or heavy as asked; an improved node changes its bucket."""
    arc = requests.arc[i]
    weight = arcs.weights[arc]
    if (weight > delta) == (heavy != 0):
        target = arcs.targets[arc]
        offer = distances[requests.node[i]] + weight
        if offer < distances[target] and offer < atomic_min(distances, target, offer):
            atomic_min(bucket, target, offer // delta)
