"""Bodies of the near-far search.

A node enters the near pile of a step at most once, because ``stamp[v]`` keeps the last step that put it there; and
it lies in the far pile at most once, because ``waiting[v]`` says so. So n elements are enough for each pile.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.atomics import atomic_add, atomic_max, atomic_min, next_place
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording


class Marks(NamedTuple):
    """What is known of each node's piles.

    stamp     int32 [n]: the last step that put the node on the near pile, or -1
    waiting   int32 [n]: 1 while the node is on the far pile
    """

    stamp: DeviceArray
    waiting: DeviceArray


class Piles(NamedTuple):
    """The piles, int32 [n] each: those being read, and those being filled."""

    near: DeviceArray
    near_next: DeviceArray
    far: DeviceArray
    far_next: DeviceArray


class Lengths(NamedTuple):
    """The lengths of the piles being filled: ``counters[near]`` and ``counters[far]``, int32."""

    counters: DeviceArray
    near: int
    far: int


class Entry(NamedTuple):
    """Where a step goes in the log of a traced search.

    nodes   int32: lists near piles, this one from ``begin`` on; a search that logs them otherwise has −1 there
    slot    where it counts in the recording's ``improved``
    """

    nodes: DeviceArray
    begin: int
    slot: int


class Nearest(NamedTuple):
    """The smallest distance left on the far pile: ``distances[slot]``, typed like the distances."""

    distances: DeviceArray
    slot: int


def start_search(i: int, source: int, infinity: int, distances: DeviceArray, marks: Marks, near: DeviceArray) -> None:
    """Put the source alone on the near pile."""
    distances[i] = 0 if i == source else infinity
    marks.stamp[i] = -1
    marks.waiting[i] = 0
    if i == source:
        near[0] = i


def relax_near(
    i: int,
    lane_bits: int,
    step: int,
    limit: int,
    infinity: int,
    arcs: Arcs,
    distances: DeviceArray,
    marks: Marks,
    piles: Piles,
    lengths: Lengths,
    entry: Entry,
    recording: Recording,
) -> None:
    """Relax arcs of a near node; improved nodes go on the next near pile below the limit, else on the far pile.

    2^``lane_bits`` threads share one node, each with every 2^``lane_bits``-th of its arcs: on a card the chain of
    dependent loads and atomics for one arc takes microseconds, and so they run side by side.
    """
    node = piles.near[i >> lane_bits]
    reached_at = distances[node]
    lanes = 1 << lane_bits
    if entry.begin >= 0 and i & (lanes - 1) == 0:
        entry.nodes[entry.begin + (i >> lane_bits)] = node
    arc, end = arcs.offsets[node] + (i & (lanes - 1)), arcs.offsets[node + 1]
    while arc < end:  # a range with a step would divide to count its turns, and 64-bit division is slow on a card
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        # A plain load first: most offers are no better, and an atomic on each would cost far more than this load.
        if offer < distances[target]:
            before = atomic_min(distances, target, offer)
            if offer < before:
                improved_at = step
                if recording.on != 0:  # first, so that the card answers while the piles are filled
                    improved_at = atomic_max(recording.last_improved, target, step)
                    if before == infinity:
                        recording.first_reached[target] = step
                if offer < limit:
                    if atomic_max(marks.stamp, target, step) < step:
                        piles.near_next[next_place(lengths.counters, lengths.near)] = target
                elif marks.waiting[target] == 0 and atomic_max(marks.waiting, target, 1) == 0:
                    piles.far[next_place(lengths.counters, lengths.far)] = target
                if improved_at < step:
                    atomic_add(recording.improved, entry.slot, 1)
        arc += lanes


def split_far(
    i: int,
    step: int,
    settled: int,
    limit: int,
    distances: DeviceArray,
    marks: Marks,
    piles: Piles,
    lengths: Lengths,
    nearest: Nearest,
) -> None:
    """Move the i-th far node to the next near pile if it lies below the new limit, else to the next far pile.

    Drop it if its distance was final below the old limit, ``settled``.
    """
    node = piles.far[i]
    distance = distances[node]
    if distance < limit:
        marks.waiting[node] = 0
        if distance >= settled:
            marks.stamp[node] = step
            piles.near_next[next_place(lengths.counters, lengths.near)] = node
        return
    piles.far_next[next_place(lengths.counters, lengths.far)] = node
    if distance < nearest.distances[nearest.slot]:
        atomic_min(nearest.distances, nearest.slot, distance)
