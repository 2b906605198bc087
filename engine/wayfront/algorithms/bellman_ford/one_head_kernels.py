"""Bodies of the paper's queue: a ring of n places, of which a step takes the one at the head.

A node is in the queue at most once, and the one that is relaxed has left it, so n − 1 entries are the most there are,
and the place at the tail is free: head = tail means empty.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.atomics import atomic_max, next_place
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.relaxing import lowers

HEAD, TAIL, WAITING, MOVED, AT_HEAD, AT_TAIL, LOWERED, ENDS = range(8)
"""Indices in ``ends``: places of head and tail; nodes left when the head was taken; nodes moved to the tail before
that; nodes that relaxing inserted at the head and at the tail; length of the list of those that it lowered."""

SUM, FIRST, SUMS = range(3)
"""Indices in ``sums``: of the distances of queued nodes, and the distance of the node left at the head."""


class Ring(NamedTuple):
    """The queue.

    places   how many there are: n, but two at least
    nodes    int32 [places]
    queued   int32 [n]: 1 while a node is in the queue
    counted  [n]: the distance with which a queued node is part of the sum, 0 for others
    taken    int32 [1]: the node that this step relaxes
    lowered  int32 [largest degree]: the nodes whose distance it lowered, some perhaps several times
    ends     int32 [ENDS]
    sums     int64 [SUMS]
    """

    places: int
    nodes: DeviceArray
    queued: DeviceArray
    counted: DeviceArray
    taken: DeviceArray
    lowered: DeviceArray
    ends: DeviceArray
    sums: DeviceArray


def start_search(i: int, source: int, infinity: int, distances: DeviceArray, ring: Ring) -> None:
    """Put the source alone into the queue."""
    distances[i] = 0 if i == source else infinity
    ring.queued[i] = 1 if i == source else 0
    ring.counted[i] = 0
    if i == source:
        ring.nodes[0] = i
        for k in range(ENDS):
            ring.ends[k] = 0
        ring.ends[TAIL] = 1
        for k in range(SUMS):
            ring.sums[k] = 0


def take_head(i: int, large_label_last: int, distances: DeviceArray, ring: Ring) -> None:
    """Take the node at the head; large label last: first move those above the queue's average to its tail. One thread.

    Before that it counts what the last step did: how far it moved the ends, and by how much it changed the sum of
    distances. Every node that it lowered is queued.
    """
    ends, sums = ring.ends, ring.sums
    for k in range(ends[LOWERED]):
        lower = ring.lowered[k]
        sums[SUM] += distances[lower] - ring.counted[lower]
        ring.counted[lower] = distances[lower]
    head = (ends[HEAD] - ends[AT_HEAD]) % ring.places
    tail = (ends[TAIL] + ends[AT_TAIL]) % ring.places
    waiting = (tail - head) % ring.places
    moved = 0
    node = ring.nodes[head]
    while large_label_last != 0 and distances[node] > sums[SUM] // waiting:
        ring.nodes[tail] = node
        tail = (tail + 1) % ring.places
        head = (head + 1) % ring.places
        node = ring.nodes[head]
        moved += 1
    head = (head + 1) % ring.places
    ring.queued[node] = 0
    sums[SUM] -= ring.counted[node]
    ring.counted[node] = 0
    ring.taken[0] = node
    ends[HEAD], ends[TAIL] = head, tail
    ends[WAITING], ends[MOVED] = waiting - 1, moved
    ends[AT_HEAD] = ends[AT_TAIL] = ends[LOWERED] = 0
    sums[FIRST] = distances[ring.nodes[head]] if waiting > 1 else 0


def relax_head(i: int, threads: int, small_label_first: int, arcs: Arcs, distances: DeviceArray, ring: Ring) -> None:
    """RELAX every ``threads``-th arc of the node taken, from the i-th on; improved nodes enter unless they are queued.

    Small label first: at the head, if their distance is below that of the node left there; else at the tail.
    """
    node, ends = ring.taken[0], ring.ends
    reached_at = distances[node]
    for arc in range(arcs.offsets[node] + i, arcs.offsets[node + 1], threads):
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        if lowers(distances, target, offer):
            ring.lowered[next_place(ends, LOWERED)] = target
            if ring.queued[target] == 0 and atomic_max(ring.queued, target, 1) == 0:
                if small_label_first != 0 and offer < ring.sums[FIRST]:
                    ring.nodes[(ends[HEAD] - 1 - next_place(ends, AT_HEAD)) % ring.places] = target
                else:
                    ring.nodes[(ends[TAIL] + next_place(ends, AT_TAIL)) % ring.places] = target
