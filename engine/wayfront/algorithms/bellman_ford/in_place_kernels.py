"""Bodies of Bellman–Ford passes that lower distances in place, and the compiled pass of the sequential search.

With a single array one pass may carry a distance along several arcs: how far depends on the order in which nodes
happen to be served, and so does the number of passes.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.compiling import loop_without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.relaxing import lowers


class Expanded(NamedTuple):
    """Where a traced run marks the nodes that a pass expanded.

    Distances are lowered in place, so these are not just the nodes that had a distance before the pass.

    on     1 in traced runs; 0 in clean ones, where kernels leave the array alone
    mark   int8 [n]: 1 for every node that was expanded; none ever stops to be, so it is never cleared
    """

    on: int
    mark: DeviceArray


class Flags(NamedTuple):
    """The nodes whose distance fell, int8 [n] each: in the last pass, and in this one."""

    now: DeviceArray
    following: DeviceArray


def start_search(i: int, source: int, infinity: int, distances: DeviceArray, flags: Flags) -> None:
    """Give the source distance 0, and flag it alone."""
    distances[i] = 0 if i == source else infinity
    flags.now[i] = 1 if i == source else 0
    flags.following[i] = 0


def relax_all(
    i: int, infinity: int, arcs: Arcs, distances: DeviceArray, changed: DeviceArray, expanded: Expanded
) -> None:
    """Relax all arcs of one node."""
    reached_at = distances[i]
    if reached_at == infinity:
        return
    if expanded.on != 0:
        expanded.mark[i] = 1
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        if lowers(distances, target, offer):
            changed[0] = 1


def relax_all_by_stride(
    i: int,
    threads: int,
    node_count: int,
    infinity: int,
    arcs: Arcs,
    distances: DeviceArray,
    changed: DeviceArray,
    expanded: Expanded,
) -> None:
    """Relax all arcs of every ``threads``-th node from the i-th on."""
    node = i
    while node < node_count:
        reached_at = distances[node]
        if reached_at != infinity:
            if expanded.on != 0:
                expanded.mark[node] = 1
            for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
                target = arcs.targets[arc]
                offer = reached_at + arcs.weights[arc]
                if lowers(distances, target, offer):
                    changed[0] = 1
        node += threads


def relax_flagged_by_stride(
    i: int,
    threads: int,
    node_count: int,
    arcs: Arcs,
    distances: DeviceArray,
    flags: Flags,
    changed: DeviceArray,
) -> None:
    """Relax all arcs of those among every ``threads``-th node whose flag is set, and flag the nodes that improves.

    Flags are read from one array and set in another. With a single array a thread could clear the flag that another
    has just set for a distance this thread did not see.
    """
    node = i
    while node < node_count:
        if flags.now[node] != 0:
            flags.now[node] = 0
            reached_at = distances[node]
            for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
                target = arcs.targets[arc]
                offer = reached_at + arcs.weights[arc]
                if lowers(distances, target, offer):
                    flags.following[target] = 1
                    changed[0] = 1
        node += threads


@loop_without_allocation
def pass_over_arcs(begin: int, end: int, arcs: Arcs, distances: DeviceArray, infinity: int) -> tuple[bool, int]:
    """Relax the arcs of nodes ``begin`` … ``end`` − 1 once, in order.

    Returns whether a distance fell, and how many arcs had a reached tail.
    """
    changed, relaxed = False, 0
    for node in range(begin, end):
        reached_at = distances[node]
        if reached_at == infinity:
            continue
        relaxed += arcs.offsets[node + 1] - arcs.offsets[node]
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            offer = reached_at + arcs.weights[arc]
            if offer < distances[arcs.targets[arc]]:
                distances[arcs.targets[arc]] = offer
                changed = True
    return changed, relaxed
