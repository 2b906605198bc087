"""Bodies of the list mode of adaptive thread creation. SWITCH, which leads back to it, is ``collect_marked``.

``scheduled`` keeps a node from being listed twice. It is not the mask: a thread clears the mask of its own node while
others may just be listing that node for the next step.
"""

from __future__ import annotations

from typing import Any

from wayfront.devices.atomics import atomic_add, atomic_max, atomic_min


def start_list(i: int, source: int, scheduled: Any, updated: Any) -> None:
    """List the source alone."""
    scheduled[i] = 0
    if i == source:
        updated[0] = i


def select_relax(
    i: int,
    offsets: Any,
    targets: Any,
    weights: Any,
    mask: Any,
    cost: Any,
    updating: Any,
    scheduled: Any,
    updated: Any,
    lowered: Any,
    count: Any,
) -> None:
    """SELECT_RELAX: offer the cost of a listed node along its arcs; list whose updating cost fell, once each."""
    node = updated[i]
    mask[node] = 0
    reached_at = cost[node]
    for arc in range(offsets[node], offsets[node + 1]):
        target = targets[arc]
        offer = reached_at + weights[arc]
        lowers = offer < updating[target] and offer < atomic_min(updating, target, offer)
        if lowers and scheduled[target] == 0 and atomic_max(scheduled, target, 1) == 0:
            lowered[atomic_add(count, 0, 1)] = target


def select_update(i: int, mask: Any, cost: Any, updating: Any, scheduled: Any, updated: Any, count: Any) -> None:
    """SELECT_UPDATE: take over the updating cost of a listed node, mark it, and let it be listed again."""
    node = updated[i]
    cost[node] = updating[node]
    mask[node] = 1
    scheduled[node] = 0
    if i == 0:
        count[0] = 0
