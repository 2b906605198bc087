"""Bodies of Δ-stepping without queues: ``bucket[v]`` is the index of the bucket that holds v, or ``NOWHERE``.

``counters`` holds, as int32: the first bucket in use; how many nodes were just taken from a bucket and how many arcs
leave them; and the same of all nodes removed from it since it was opened.
"""

from __future__ import annotations

from typing import Any

from wayfront.devices.atomics import atomic_add, atomic_min

NOWHERE = 2**31 - 1

FIRST, TAKEN, TAKEN_ARCS, REMOVED, REMOVED_ARCS, COUNTERS = range(6)
"""Places in ``counters``."""


def start_search(i: int, source: int, infinity: int, distances: Any, bucket: Any, was_removed: Any) -> None:
    """Put the source alone into bucket 0."""
    distances[i] = 0 if i == source else infinity
    bucket[i] = 0 if i == source else NOWHERE
    was_removed[i] = 0


def forget_counters(i: int, counters: Any) -> None:
    """Open a new bucket: nothing is taken from it yet, and the first one in use has still to be found."""
    counters[i] = NOWHERE if i == FIRST else 0


def find_first_bucket(i: int, bucket: Any, counters: Any) -> None:
    """Reduce the smallest bucket index in use."""
    index = bucket[i]
    if index < counters[FIRST]:
        atomic_min(counters, FIRST, index)


def empty_bucket(i: int, offsets: Any, bucket: Any, was_removed: Any, counters: Any, taken: Any, removed: Any) -> None:
    """Take a node out of the first bucket if it is in it, and remember it for the heavy phase, once."""
    if bucket[i] != counters[FIRST] or bucket[i] == NOWHERE:
        return
    bucket[i] = NOWHERE
    degree = offsets[i + 1] - offsets[i]
    taken[atomic_add(counters, TAKEN, 1)] = i
    atomic_add(counters, TAKEN_ARCS, degree)
    if was_removed[i] == 0:
        was_removed[i] = 1
        removed[atomic_add(counters, REMOVED, 1)] = i
        atomic_add(counters, REMOVED_ARCS, degree)


def forget_taken(i: int, counters: Any) -> None:
    """Forget what was last taken, and keep what was removed in all."""
    counters[TAKEN + i] = 0


def add_requests(
    i: int,
    block: int,
    nodes: Any,
    offsets: Any,
    positions: Any,
    share_total: Any,
    request_node: Any,
    request_arc: Any,
) -> None:
    """Write the requests of the i-th listed node, one for each of its arcs, from its own position on."""
    node = nodes[i]
    begin = positions[i] + share_total[i // block]
    for arc in range(offsets[node], offsets[node + 1]):
        place = begin + arc - offsets[node]
        request_node[place] = node
        request_arc[place] = arc


def relax_request(
    i: int,
    heavy: bool,
    delta: int,
    targets: Any,
    weights: Any,
    distances: Any,
    bucket: Any,
    request_node: Any,
    request_arc: Any,
) -> None:
    """Relax the i-th request if its arc is light (w ≤ Δ) or heavy as asked; an improved node changes its bucket."""
    arc = request_arc[i]
    weight = weights[arc]
    if (weight > delta) == heavy:
        target = targets[arc]
        offer = distances[request_node[i]] + weight
        if offer < distances[target] and offer < atomic_min(distances, target, offer):
            atomic_min(bucket, target, offer // delta)
