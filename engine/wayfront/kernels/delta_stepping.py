"""Bodies of Δ-stepping without queues: ``bucket[v]`` is the index of the bucket that holds v, or ``NOWHERE``."""

from __future__ import annotations

from typing import Any

from wayfront.devices.atomics import atomic_add, atomic_min

NOWHERE = 2**31 - 1


def start_search(i: int, source: int, infinity: int, distances: Any, bucket: Any, chosen: Any, removed: Any) -> None:
    """Put the source alone into bucket 0."""
    distances[i] = 0 if i == source else infinity
    bucket[i] = 0 if i == source else NOWHERE
    chosen[i] = 0
    removed[i] = 0


def empty_bucket(i: int, index: int, bucket: Any, chosen: Any, removed: Any, count: Any) -> None:
    """Choose the nodes of one bucket, take them out of it, and remember them for the heavy phase."""
    if bucket[i] == index:
        bucket[i] = NOWHERE
        chosen[i] = 1
        removed[i] = 1
        atomic_add(count, 0, 1)


def relax_marked(
    i: int,
    heavy: bool,
    delta: int,
    offsets: Any,
    targets: Any,
    weights: Any,
    distances: Any,
    bucket: Any,
    marked: Any,
) -> None:
    """Relax the light arcs (w ≤ Δ) or the heavy ones of a marked node, and clear its mark.

    Improved nodes move to the bucket of their new distance.
    """
    if marked[i] == 0:
        return
    marked[i] = 0
    reached_at = distances[i]
    for arc in range(offsets[i], offsets[i + 1]):
        weight = weights[arc]
        if (weight > delta) == heavy:
            target = targets[arc]
            offer = reached_at + weight
            if offer < distances[target] and offer < atomic_min(distances, target, offer):
                atomic_min(bucket, target, offer // delta)


def find_first_bucket(i: int, bucket: Any, first: Any) -> None:
    """Reduce the smallest bucket index in use into ``first[0]``."""
    index = bucket[i]
    if index < first[0]:
        atomic_min(first, 0, index)
