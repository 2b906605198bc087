"""Bodies of the Bellman–Ford searches that pass over all nodes, and the compiled pass of the sequential one.

Distances are lowered in place, so one pass may carry a distance along several arcs: how far depends on the order in
which nodes happen to be served, and so does the number of passes.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from wayfront.devices.atomics import atomic_min


def start_search(i: int, source: int, infinity: int, distances: Any, flags: Any) -> None:
    """Give the source distance 0, and flag it alone."""
    distances[i] = 0 if i == source else infinity
    flags[i] = 1 if i == source else 0


def relax_all(i: int, infinity: int, offsets: Any, targets: Any, weights: Any, distances: Any, changed: Any) -> None:
    """Relax all arcs of one node."""
    reached_at = distances[i]
    if reached_at == infinity:
        return
    for arc in range(offsets[i], offsets[i + 1]):
        target = targets[arc]
        offer = reached_at + weights[arc]
        if offer < distances[target] and offer < atomic_min(distances, target, offer):
            changed[0] = 1


def relax_all_by_stride(
    i: int,
    threads: int,
    node_count: int,
    infinity: int,
    offsets: Any,
    targets: Any,
    weights: Any,
    distances: Any,
    changed: Any,
) -> None:
    """Relax all arcs of every ``threads``-th node from the i-th on."""
    for node in range(i, node_count, threads):
        reached_at = distances[node]
        if reached_at != infinity:
            for arc in range(offsets[node], offsets[node + 1]):
                target = targets[arc]
                offer = reached_at + weights[arc]
                if offer < distances[target] and offer < atomic_min(distances, target, offer):
                    changed[0] = 1


def relax_flagged_by_stride(
    i: int,
    threads: int,
    node_count: int,
    offsets: Any,
    targets: Any,
    weights: Any,
    distances: Any,
    flags: Any,
    flags_next: Any,
    changed: Any,
) -> None:
    """Relax all arcs of those among every ``threads``-th node whose flag is set, and flag whom that improves.

    Flags are read from one array and set in another. With a single array a thread could clear the flag that another
    has just set for a distance this thread did not see.
    """
    for node in range(i, node_count, threads):
        if flags[node] != 0:
            flags[node] = 0
            reached_at = distances[node]
            for arc in range(offsets[node], offsets[node + 1]):
                target = targets[arc]
                offer = reached_at + weights[arc]
                if offer < distances[target] and offer < atomic_min(distances, target, offer):
                    flags_next[target] = 1
                    changed[0] = 1


@njit(nogil=True, cache=True, _nrt=False)
def pass_over_arcs(offsets: Any, targets: Any, weights: Any, distances: Any, infinity: int) -> tuple[bool, int]:
    """Relax every arc once, in order; return whether a distance fell, and how many arcs had a reached tail."""
    changed, relaxed = False, 0
    for node in range(len(distances)):
        reached_at = distances[node]
        if reached_at == infinity:
            continue
        relaxed += offsets[node + 1] - offsets[node]
        for arc in range(offsets[node], offsets[node + 1]):
            offer = reached_at + weights[arc]
            if offer < distances[targets[arc]]:
                distances[targets[arc]] = offer
                changed = True
    return changed, relaxed
