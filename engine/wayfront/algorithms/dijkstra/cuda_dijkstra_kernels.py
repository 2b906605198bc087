"""Bodies of the Dijkstra search by parallel reduction, beside the reduction itself in ``kernels.reduction``."""

from __future__ import annotations

from wayfront.devices.atomics import atomic_add, atomic_max, atomic_min
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording
from wayfront.kernels.reduction import Settling


def start_search(i: int, source: int, infinity: int, distances: DeviceArray, settling: Settling) -> None:
    """Give the source distance 0; no node is settled."""
    distances[i] = 0 if i == source else infinity
    settling.settled[i] = 0
    if i == source:
        settling.taken[0] = 0


def relax_settled(
    i: int, infinity: int, arcs: Arcs, distances: DeviceArray, settling: Settling, recording: Recording
) -> None:
    """Relax the i-th arc of the node just settled, if it has so many.

    The present step is the number of nodes settled, less one.
    """
    node = settling.chosen[0]
    if node < 0:
        return
    arc = arcs.offsets[node] + i
    if arc >= arcs.offsets[node + 1]:
        return
    target = arcs.targets[arc]
    offer = distances[node] + arcs.weights[arc]
    if offer < distances[target]:
        before = atomic_min(distances, target, offer)
        if offer < before and recording.on != 0:
            step = settling.taken[0] - 1
            if before == infinity:
                recording.first_reached[target] = step
            if atomic_max(recording.last_improved, target, step) < step:
                atomic_add(recording.improved, step, 1)
