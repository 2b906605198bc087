"""Bodies of the near-far search.

A node enters the near pile of a step at most once, because ``stamp[v]`` keeps the last step that put it there; and
it lies in the far pile at most once, because ``waiting[v]`` says so. So each pile needs n places. ``counters`` holds
the lengths of the piles being filled, at the places the caller names.
"""

from __future__ import annotations

from typing import Any

from wayfront.devices.atomics import atomic_add, atomic_max, atomic_min


def start_search(i: int, source: int, infinity: int, distances: Any, stamp: Any, waiting: Any, near: Any) -> None:
    """Put the source alone on the near pile."""
    distances[i] = 0 if i == source else infinity
    stamp[i] = -1
    waiting[i] = 0
    if i == source:
        near[0] = i


def relax_near(
    i: int,
    lane_bits: int,
    step: int,
    limit: int,
    infinity: int,
    offsets: Any,
    targets: Any,
    weights: Any,
    distances: Any,
    stamp: Any,
    waiting: Any,
    near: Any,
    near_next: Any,
    far: Any,
    counters: Any,
    near_place: int,
    far_place: int,
    recording: int,
    recorded_step: int,
    first_reached: Any,
    last_improved: Any,
    improved: Any,
) -> None:
    """Relax arcs of a near node; improved nodes go near below the limit, else far.

    2^``lane_bits`` threads share one node, each with every 2^``lane_bits``-th of its arcs: on a card the chain of
    dependent loads and atomics for one arc takes microseconds, and so they run side by side.

    ``recording`` is 0 in clean runs; then the last four arguments are not touched.
    """
    node = near[i >> lane_bits]
    reached_at = distances[node]
    lanes = 1 << lane_bits
    for arc in range(offsets[node] + (i & (lanes - 1)), offsets[node + 1], lanes):
        target = targets[arc]
        offer = reached_at + weights[arc]
        # A plain look first: most offers are no better, and an atomic on each would cost far more than this load.
        if offer < distances[target]:
            before = atomic_min(distances, target, offer)
            if offer < before:
                if offer < limit:
                    if atomic_max(stamp, target, step) < step:
                        near_next[atomic_add(counters, near_place, 1)] = target
                elif waiting[target] == 0 and atomic_max(waiting, target, 1) == 0:
                    far[atomic_add(counters, far_place, 1)] = target
                if recording != 0:
                    if before == infinity:
                        first_reached[target] = recorded_step
                    if atomic_max(last_improved, target, recorded_step) < recorded_step:
                        atomic_add(improved, 0, 1)


def split_far(
    i: int,
    step: int,
    settled: int,
    limit: int,
    distances: Any,
    stamp: Any,
    waiting: Any,
    far: Any,
    far_next: Any,
    near: Any,
    counters: Any,
    near_place: int,
    far_place: int,
    nearest: Any,
    nearest_place: int,
) -> None:
    """Move the i-th far node near if it lies below the new limit; drop it if it was settled below the old one."""
    node = far[i]
    distance = distances[node]
    if distance < limit:
        waiting[node] = 0
        if distance >= settled:
            stamp[node] = step
            near[atomic_add(counters, near_place, 1)] = node
        return
    far_next[atomic_add(counters, far_place, 1)] = node
    if distance < nearest[nearest_place]:
        atomic_min(nearest, nearest_place, distance)
