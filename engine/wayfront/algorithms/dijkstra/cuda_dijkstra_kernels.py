"""Bodies of the Dijkstra search by parallel reduction, beside the reduction itself in ``kernels.reduction``."""

from __future__ import annotations

from typing import Any

from wayfront.devices.atomics import atomic_add, atomic_max, atomic_min


def start_search(i: int, source: int, infinity: int, distances: Any, settled: Any, taken: Any) -> None:
    """Give the source distance 0; no node is settled."""
    distances[i] = 0 if i == source else infinity
    settled[i] = 0
    if i == source:
        taken[0] = 0


def relax_settled(
    i: int,
    infinity: int,
    offsets: Any,
    targets: Any,
    weights: Any,
    distances: Any,
    chosen: Any,
    taken: Any,
    recording: int,
    first_reached: Any,
    last_improved: Any,
    improved: Any,
) -> None:
    """Relax the i-th arc of the node just settled, if it has so many.

    ``recording`` is 0 in clean runs; then the last three arguments are not touched. The step under way is the number
    of nodes settled, less one.
    """
    node = chosen[0]
    if node < 0:
        return
    arc = offsets[node] + i
    if arc >= offsets[node + 1]:
        return
    target = targets[arc]
    offer = distances[node] + weights[arc]
    if offer < distances[target]:
        before = atomic_min(distances, target, offer)
        if offer < before and recording != 0:
            step = taken[0] - 1
            if before == infinity:
                first_reached[target] = step
            if atomic_max(last_improved, target, step) < step:
                atomic_add(improved, step, 1)
