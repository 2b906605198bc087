"""Bodies of the authors' three versions of Bellman–Ford, which keep distances in two arrays.

A pass has two launches: RELAX reads D and lowers Di, UPDATE_DISTANCE then takes over into D what is less. So a pass
carries a distance over one arc exactly, whatever the order of the threads.

Strides are loops with ``while``: the length of a range with a variable step takes a division, which for four nodes a
thread lasted longer than the nodes.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.atomics import atomic_exchange, atomic_min
from wayfront.devices.body_functions import callable_in_bodies
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs


class Pair(NamedTuple):
    """The two arrays of distances, and those of predecessors where offers are written by exchanges.

    exchanging        0: an atomic minimum lowers Di (the code of 2021). 1: an exchange sets Di to an offer below D and
                      another one sets Pi (the code of 2020): of several offers in one pass the last one stays, which
                      may be the larger, and the predecessor may be another's
    distances         D, [n]: distances that a pass reads, changed only at its end
    offered           Di, [n]: D until a pass lowers it
    parents           P, int32 [n], -1 at first; one unused element without exchanges
    offered_parents   Pi, likewise
    changed           int32 [1]: 1 if the last pass changed anything
    """

    exchanging: int
    distances: DeviceArray
    offered: DeviceArray
    parents: DeviceArray
    offered_parents: DeviceArray
    changed: DeviceArray


def start_pair(i: int, source: int, infinity: int, pair: Pair) -> None:
    """Give the source distance 0 in both arrays; nobody has a predecessor."""
    pair.distances[i] = pair.offered[i] = 0 if i == source else infinity
    if pair.exchanging != 0:
        pair.parents[i] = pair.offered_parents[i] = -1


def start_flags(i: int, source: int, flags: DeviceArray) -> None:
    """Flag the source alone."""
    flags[i] = 1 if i == source else 0


@callable_in_bodies
def _offer(node: int, arcs: Arcs, pair: Pair) -> None:
    """Offer a reached node's distance along its arcs."""
    reached_at = pair.distances[node]
    for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        if offer < pair.distances[target]:
            if pair.exchanging != 0:
                atomic_exchange(pair.offered, target, offer)
                atomic_exchange(pair.offered_parents, target, node)
            else:
                atomic_min(pair.offered, target, offer)


def relax(i: int, infinity: int, arcs: Arcs, pair: Pair) -> None:
    """RELAX, version 1: offer the distance of one node along its arcs."""
    if i == 0:
        pair.changed[0] = 0
    if pair.distances[i] != infinity:
        _offer(i, arcs, pair)


def relax_by_stride(i: int, threads: int, node_count: int, infinity: int, arcs: Arcs, pair: Pair) -> None:
    """RELAX, version 2: offer the distance of every ``threads``-th node from the i-th on along its arcs."""
    if i == 0:
        pair.changed[0] = 0
    node = i
    while node < node_count:
        if pair.distances[node] != infinity:
            _offer(node, arcs, pair)
        node += threads


def relax_flagged(i: int, threads: int, node_count: int, arcs: Arcs, pair: Pair, flags: DeviceArray) -> None:
    """RELAX, version 3: as version 2, but only for nodes whose flag is set; each thread clears its own nodes' flags."""
    if i == 0:
        pair.changed[0] = 0
    node = i
    while node < node_count:
        if flags[node] != 0:
            flags[node] = 0
            _offer(node, arcs, pair)
        node += threads


def update_distance(i: int, pair: Pair) -> None:
    """UPDATE_DISTANCE, version 1: take over what one node was offered."""
    if pair.distances[i] > pair.offered[i]:
        pair.distances[i] = pair.offered[i]
        pair.changed[0] = 1
    pair.offered[i] = pair.distances[i]
    if pair.exchanging != 0:
        pair.parents[i] = pair.offered_parents[i]


def update_by_stride(i: int, threads: int, node_count: int, pair: Pair) -> None:
    """UPDATE_DISTANCE, version 2: take over what every ``threads``-th node from the i-th on was offered."""
    node = i
    while node < node_count:
        if pair.distances[node] > pair.offered[node]:
            pair.distances[node] = pair.offered[node]
            pair.changed[0] = 1
        pair.offered[node] = pair.distances[node]
        if pair.exchanging != 0:
            pair.parents[node] = pair.offered_parents[node]
        node += threads


def update_and_flag(i: int, threads: int, node_count: int, pair: Pair, flags: DeviceArray) -> None:
    """UPDATE_DISTANCE, version 3: as version 2, and set the flag of a node whose distance, or predecessor, changed."""
    node = i
    while node < node_count:
        if pair.distances[node] > pair.offered[node]:
            pair.distances[node] = pair.offered[node]
            flags[node] = 1
            pair.changed[0] = 1
        pair.offered[node] = pair.distances[node]
        if pair.exchanging != 0 and pair.parents[node] != pair.offered_parents[node]:
            pair.parents[node] = pair.offered_parents[node]
            flags[node] = 1
            pair.changed[0] = 1
        node += threads
