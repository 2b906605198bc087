"""Bodies of Bellman–Ford with a queue in a ring of n + 1 places.

``ends`` holds, as int32, where the queue's head and tail stand, as numbers that only their remainder modulo the ring's
size turns into places: the tail only grows and the head moves both ways. A node is in the queue at most once, which
``queued`` says, so n + 1 places are enough for any number of threads to insert at either end at once, each with one
atomic addition and no lock.

A step has three launches, because a place may be written again only after all have read it: TAKE reads places at the
head and leaves them; POSTPONE puts at the tail what the queue's average turned away; RELAX inserts improved nodes.
"""

from __future__ import annotations

from typing import Any

from wayfront.devices.atomics import atomic_add, atomic_max, atomic_min

HEAD, TAIL, TAKEN, POSTPONED, AT_HEAD, AT_TAIL, ENDS = range(7)
"""Places in ``ends``: head and tail; nodes taken and postponed in this step; inserted at the head and at the tail."""

SUM, LENGTH, FIRST, SUMS = range(4)
"""Places in ``sums``, int64: of the distances of queued nodes, how many were added, and the head's own distance."""

FIFO, SLF, LLL, SLF_LLL = "FIFO", "SLF", "LLL", "SLF + LLL"


def start_search(i: int, source: int, infinity: int, distances: Any, queued: Any, ring: Any, ends: Any) -> None:
    """Put the source alone into the queue."""
    distances[i] = 0 if i == source else infinity
    queued[i] = 1 if i == source else 0
    if i == source:
        ring[0] = i
        for place in range(ENDS):
            ends[place] = 0
        ends[TAIL] = 1


def start_step(i: int, ring_size: int, ends: Any, sums: Any) -> None:
    """Move the ends over what the last step took and inserted, and start to count anew. One thread."""
    ends[HEAD] += ends[TAKEN] + ends[POSTPONED] - ends[AT_HEAD]
    ends[TAIL] += ends[POSTPONED] + ends[AT_TAIL]
    # Numbers stay small: what the remainder means does not change when both ends move by whole rings.
    rings = ends[HEAD] // ring_size
    ends[HEAD] -= rings * ring_size
    ends[TAIL] -= rings * ring_size
    for place in range(TAKEN, ENDS):
        ends[place] = 0
    sums[SUM] = 0
    sums[LENGTH] = ends[TAIL] - ends[HEAD]


def add_up(i: int, ring_size: int, ring: Any, distances: Any, ends: Any, sums: Any) -> None:
    """Add the distance of the i-th queued node to the queue's sum."""
    atomic_add(sums, SUM, distances[ring[(ends[HEAD] + i) % ring_size]])


def take(
    i: int,
    large_label_last: bool,
    ring_size: int,
    ring: Any,
    distances: Any,
    queued: Any,
    ends: Any,
    sums: Any,
    taken: Any,
    postponed: Any,
) -> None:
    """TAKE the i-th node from the head; large label last: postpone it if its distance is above the queue's average."""
    node = ring[(ends[HEAD] + i) % ring_size]
    if large_label_last and distances[node] > sums[SUM] // sums[LENGTH]:
        postponed[atomic_add(ends, POSTPONED, 1)] = node
    else:
        queued[node] = 0
        taken[atomic_add(ends, TAKEN, 1)] = node


def postpone(
    i: int, batch: int, ring_size: int, ring: Any, distances: Any, ends: Any, sums: Any, postponed: Any
) -> None:
    """POSTPONE: put the i-th node turned away at the tail; and note the distance of the node now at the head.

    With nobody left there, no distance is below it.
    """
    if i < ends[POSTPONED]:
        ring[(ends[TAIL] + i) % ring_size] = postponed[i]
    if i == 0:
        sums[FIRST] = 0
        if ends[TAIL] - ends[HEAD] > batch:
            sums[FIRST] = distances[ring[(ends[HEAD] + batch) % ring_size]]
        elif ends[POSTPONED] > 0:
            sums[FIRST] = distances[postponed[0]]


def relax_taken(
    i: int,
    small_label_first: bool,
    ring_size: int,
    offsets: Any,
    targets: Any,
    weights: Any,
    distances: Any,
    queued: Any,
    ring: Any,
    ends: Any,
    sums: Any,
    taken: Any,
) -> None:
    """RELAX the arcs of the i-th node taken; improved nodes enter the queue unless they are in it.

    Small label first: at the head, if their distance is below that of the node at the head; else at the tail.
    """
    if i >= ends[TAKEN]:
        return
    node = taken[i]
    reached_at = distances[node]
    for arc in range(offsets[node], offsets[node + 1]):
        target = targets[arc]
        offer = reached_at + weights[arc]
        improves = offer < distances[target] and offer < atomic_min(distances, target, offer)
        if improves and queued[target] == 0 and atomic_max(queued, target, 1) == 0:
            if small_label_first and offer < sums[FIRST]:
                before = ends[HEAD] + ends[TAKEN] + ends[POSTPONED] - 1 - atomic_add(ends, AT_HEAD, 1)
                ring[before % ring_size] = target
            else:
                behind = ends[TAIL] + ends[POSTPONED] + atomic_add(ends, AT_TAIL, 1)
                ring[behind % ring_size] = target
