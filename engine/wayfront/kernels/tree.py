"""Bodies that make the shortest-path tree from final distances, the same tree on every device.

A node's parent is the tail of a tight arc (``d[u] + w = d[v]``), of several the one with the smallest file id, which
``rank`` orders. Tight arcs of weight 0 could form a cycle, so they count only for nodes that no heavier tight arc
enters, and those are treated level by level: a node takes its parent among nodes that already have one.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.atomics import atomic_min, next_place
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs


class Nodes(NamedTuple):
    """The nodes of one level and of the next, int32 [n] each, and int32 [1], how many the next one has."""

    now: DeviceArray
    following: DeviceArray
    count: DeviceArray


def reset_parents(i: int, best: DeviceArray, served: DeviceArray, nobody: int, source: int) -> None:
    """Reset every node's best rank; the source alone is served, without a parent."""
    best[i] = nobody
    served[i] = 1 if i == source else 0


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


def start_served(i: int, best: DeviceArray, served: DeviceArray, nobody: int, nodes: Nodes) -> None:
    """List the source and every node that has a parent: they are served."""
    if best[i] != nobody or served[i] != 0:
        served[i] = 1
        nodes.following[next_place(nodes.count, 0)] = i


def offer_parent_over_zero(
    i: int,
    arcs: Arcs,
    distances: DeviceArray,
    rank: DeviceArray,
    best: DeviceArray,
    served: DeviceArray,
    nobody: int,
    nodes: Nodes,
) -> None:
    """Offer the i-th node of this level as parent over its arcs of weight 0, and list who gets a first offer."""
    node = nodes.now[i]
    for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
        target = arcs.targets[arc]
        offered = arcs.weights[arc] == 0 and served[target] == 0 and distances[target] == distances[node]
        if offered and atomic_min(best, target, rank[node]) == nobody:
            nodes.following[next_place(nodes.count, 0)] = target


def serve_next_level(i: int, served: DeviceArray, nodes: Nodes) -> None:
    """Note that the i-th node of the next level has its parent, now that all offers of this level are made."""
    served[nodes.following[i]] = 1


def name_parent(i: int, best: DeviceArray, nobody: int, order: DeviceArray, parents: DeviceArray) -> None:
    """Turn the best rank into the node that has it, or -1."""
    parents[i] = -1 if best[i] == nobody else order[best[i]]
