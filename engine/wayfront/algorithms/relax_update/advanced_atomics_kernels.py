"""RELAX with a lock for each node: distance and parent of a node change together or not at all.

A thread that waited in a loop for a lock held by another thread of its own warp could wait for ever, since on older
cards the holder only goes on when the waiting thread does. So the loop is "try; if the lock was free, do the work and
release it", and every turn of it ends for all threads of the warp.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.algorithms.relax_update.relax_update_kernels import Costs
from wayfront.devices.atomics import atomic_exchange, compare_exchange, fence
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs

FREE, HELD = 0, 1


class Guarded(NamedTuple):
    """The parents that change together with the updating costs, and the locks that guard both.

    parents   int32 [n]
    locks     int32 [n]: FREE or HELD
    """

    parents: DeviceArray
    locks: DeviceArray


def start_locks(i: int, guarded: Guarded) -> None:
    """Free every lock and forget every parent."""
    guarded.parents[i] = -1
    guarded.locks[i] = FREE


def relax_under_locks(i: int, arcs: Arcs, costs: Costs, guarded: Guarded) -> None:
    """RELAX: offer a marked node's cost along its arcs; a better offer writes distance and parent under the lock."""
    if costs.mask[i] == 0:
        return
    costs.mask[i] = 0
    reached_at = costs.cost[i]
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        # A plain load first: updating costs only fall, so an offer that is no better now never will be.
        waiting = offer < costs.updating[target]
        while waiting:
            if compare_exchange(guarded.locks, target, FREE, HELD) == FREE:
                fence()
                if offer < costs.updating[target]:
                    costs.updating[target] = offer
                    guarded.parents[target] = i
                fence()
                atomic_exchange(guarded.locks, target, FREE)
                waiting = False
