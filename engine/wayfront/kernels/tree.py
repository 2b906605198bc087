"""Bodies that make the shortest-path tree from final distances, the same tree on every device.

A node's parent is the tail of a tight arc (``d[u] + w = d[v]``), of several the one with the smallest file id, which
``rank`` orders. Tight arcs of weight 0 could form a cycle, so they count only for nodes that no heavier tight arc
enters, and those are treated level by level: a node takes its parent among nodes that already have one.
"""

from __future__ import annotations

from wayfront.devices.atomics import atomic_add, atomic_min
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs


def reset_parents(i: int, best: DeviceArray, level: DeviceArray, nobody: int, source: int) -> None:
    """Reset every node's best rank; the source has level 0 without a parent."""
    best[i] = nobody
    level[i] = 0 if i == source else -1


def offer_parent(
    i: int, arcs: Arcs, distances: DeviceArray, infinity: int, rank: DeviceArray, best: DeviceArray
) -> None:
    """Offer node i as parent along its tight arcs of positive weight."""
    distance = distances[i]
    if distance == infinity:
        return
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        target, weight = arcs.targets[arc], arcs.weights[arc]
        if weight > 0 and distance + weight == distances[target]:
            atomic_min(best, target, rank[i])


def start_levels(i: int, best: DeviceArray, level: DeviceArray, nobody: int) -> None:
    """Give level 0 to every node that has a parent."""
    if best[i] != nobody:
        level[i] = 0


def offer_parent_over_zero(
    i: int,
    now: int,
    arcs: Arcs,
    distances: DeviceArray,
    rank: DeviceArray,
    best: DeviceArray,
    level: DeviceArray,
) -> None:
    """Offer a node of the present level as parent over its arcs of weight 0, to nodes that have no level yet."""
    if level[i] != now:
        return
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        target = arcs.targets[arc]
        if arcs.weights[arc] == 0 and level[target] < 0 and distances[target] == distances[i]:
            atomic_min(best, target, rank[i])


def assign_next_level(
    i: int, now: int, best: DeviceArray, level: DeviceArray, nobody: int, assigned: DeviceArray
) -> None:
    """Give the next level to the nodes that found a parent in this pass, and count them."""
    if level[i] < 0 and best[i] != nobody:
        level[i] = now + 1
        atomic_add(assigned, 0, 1)


def name_parent(i: int, best: DeviceArray, nobody: int, order: DeviceArray, parents: DeviceArray) -> None:
    """Turn the best rank into the node that has it, or -1."""
    parents[i] = -1 if best[i] == nobody else order[best[i]]
