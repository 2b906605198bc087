"""RELAX with a lock for each node: distance and parent of a node change together or not at all.

A thread that waited in a loop for a lock held by another thread of its own warp could wait for ever, since on older
cards the holder only goes on when the waiting thread does. So the loop is "try; if the lock was free, do the work and
release it", and every turn of it ends for all threads of the warp.
"""

from __future__ import annotations

from typing import Any

from wayfront.devices.atomics import atomic_exchange, compare_exchange, fence

FREE, HELD = 0, 1


def start_locks(i: int, parents: Any, locks: Any) -> None:
    """Free every lock and forget every parent."""
    parents[i] = -1
    locks[i] = FREE


def relax_under_locks(
    i: int,
    offsets: Any,
    targets: Any,
    weights: Any,
    mask: Any,
    cost: Any,
    updating: Any,
    parents: Any,
    locks: Any,
) -> None:
    """RELAX: offer a marked node's cost along its arcs; a better offer writes distance and parent under the lock."""
    if mask[i] == 0:
        return
    mask[i] = 0
    reached_at = cost[i]
    for arc in range(offsets[i], offsets[i + 1]):
        target = targets[arc]
        offer = reached_at + weights[arc]
        # A plain look first: updating costs only fall, so an offer that is no better now never will be.
        waiting = offer < updating[target]
        while waiting:
            if compare_exchange(locks, target, FREE, HELD) == FREE:
                fence()
                if offer < updating[target]:
                    updating[target] = offer
                    parents[target] = i
                fence()
                atomic_exchange(locks, target, FREE)
                waiting = False
