"""What many kernels take and do: groups of arguments, and the lowering of a distance.

The groups of one family are declared beside its kernels.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.atomics import atomic_min, callable_in_bodies
from wayfront.devices.device import DeviceArray


class Arcs(NamedTuple):
    """The arcs that leave each node.

    offsets   int [n + 1]: the arcs of node v have the indices offsets[v] … offsets[v + 1] − 1
    targets   int32 [m]: each arc's head
    weights   int32 [m]
    """

    offsets: DeviceArray
    targets: DeviceArray
    weights: DeviceArray


class InArcs(NamedTuple):
    """The arcs that enter each node.

    offsets   int [n + 1]: the arcs into node v have the indices offsets[v] … offsets[v + 1] − 1
    tails     int32 [m]: each arc's tail
    weights   int32 [m]
    """

    offsets: DeviceArray
    tails: DeviceArray
    weights: DeviceArray


class Recording(NamedTuple):
    """Where a traced run notes which nodes a step improved.

    on              1 in traced runs; 0 in clean ones, where kernels leave the arrays alone
    first_reached   int32 [n]: the step that first gave a node a distance, or -1
    last_improved   int32 [n]: the step that last lowered its distance, or -1
    improved        int [1], or one element for each step: how many nodes a step improved
    """

    on: int
    first_reached: DeviceArray
    last_improved: DeviceArray
    improved: DeviceArray


@callable_in_bodies
def lowers(distances: DeviceArray, node: int, offer: int) -> bool:
    """Lower a node's distance to an offer if that is less; return whether it was this thread that lowered it.

    A plain load first: most offers are no better, and an atomic minimum for each would cost far more than the load.
    """
    return offer < distances[node] and offer < atomic_min(distances, node, offer)
