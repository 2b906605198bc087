"""Bodies of the relax/update search: arrays M (mask), C (cost) and U (updating cost), one thread a node."""

from __future__ import annotations

from typing import Any

from wayfront.devices.atomics import atomic_add, atomic_min


def start_search(i: int, source: int, infinity: int, cost: Any, updating: Any, mask: Any) -> None:
    """Mark the source alone, at cost 0."""
    cost[i] = 0 if i == source else infinity
    updating[i] = 0 if i == source else infinity
    mask[i] = 1 if i == source else 0


def relax_arcs(i: int, offsets: Any, targets: Any, weights: Any, mask: Any, cost: Any, updating: Any) -> None:
    """RELAX: clear the mask of a marked node and offer its cost along every arc."""
    if mask[i] == 0:
        return
    mask[i] = 0
    reached_at = cost[i]
    for arc in range(offsets[i], offsets[i + 1]):
        target = targets[arc]
        offer = reached_at + weights[arc]
        # A plain look first: most offers are no better, and an atomic on each would cost far more than this load.
        if offer < updating[target]:
            atomic_min(updating, target, offer)


def update_costs(i: int, mask: Any, cost: Any, updating: Any, marked: Any) -> None:
    """UPDATE: take over a lower cost and mark the node; count the marks."""
    if cost[i] > updating[i]:
        cost[i] = updating[i]
        mask[i] = 1
        atomic_add(marked, 0, 1)
    updating[i] = cost[i]
