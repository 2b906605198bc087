"""Bodies that read a search's frontier and compare distances. Only traced runs launch them, ``fill`` apart."""

from __future__ import annotations

from wayfront.devices.atomics import atomic_add, atomic_min, next_place
from wayfront.devices.device import DeviceArray

WORD = 32
"""Nodes whose marks one word of a log holds."""


def fill(i: int, array: DeviceArray, value: int) -> None:
    """Set every element to one value."""
    array[i] = value


def reset_steps(
    i: int, source: int, infinity: int, seen: DeviceArray, first_reached: DeviceArray, last_improved: DeviceArray
) -> None:
    """Reset what is known of each node: only the source is reached, at step 0."""
    seen[i] = 0 if i == source else infinity
    first_reached[i] = 0 if i == source else -1
    last_improved[i] = 0 if i == source else -1


def collect_marked(i: int, mark: DeviceArray, found: DeviceArray, count: DeviceArray) -> None:
    """Append every marked node to a list, in any order."""
    if mark[i] != 0:
        found[next_place(count, 0)] = i


def pack_marked(i: int, node_count: int, mark: DeviceArray, at: int, log: DeviceArray) -> None:
    """Log which of 32 nodes are marked, as the bits of a word: the i-th from ``at`` on."""
    word = 0
    for node in range(i * WORD, min((i + 1) * WORD, node_count)):
        if mark[node] != 0:
            word |= 1 << (node & (WORD - 1))
    log[at + i] = word


def pack_reached(i: int, node_count: int, infinity: int, distances: DeviceArray, at: int, log: DeviceArray) -> None:
    """Log which of 32 nodes have a distance, likewise."""
    word = 0
    for node in range(i * WORD, min((i + 1) * WORD, node_count)):
        if distances[node] != infinity:
            word |= 1 << (node & (WORD - 1))
    log[at + i] = word


def log_list(i: int, nodes: DeviceArray, at: int, log: DeviceArray) -> None:
    """Log the i-th node of a list."""
    log[at + i] = nodes[i]


def take_count(i: int, count: DeviceArray, counts: DeviceArray, step: int) -> None:
    """Move a count to where those of all steps are kept, and set it to 0."""
    counts[step + i] = count[0]
    count[0] = 0


def compare_distances(
    i: int,
    step: int,
    infinity: int,
    distances: DeviceArray,
    seen: DeviceArray,
    first_reached: DeviceArray,
    last_improved: DeviceArray,
    slot: int,
    counts: DeviceArray,
) -> None:
    """Note which distances fell since the last comparison, and count them in ``counts[slot]``."""
    distance = distances[i]
    if distance < seen[i]:
        if seen[i] == infinity:
            first_reached[i] = step
        last_improved[i] = step
        seen[i] = distance
        atomic_add(counts, slot, 1)


def compare_heads(
    i: int,
    at: int,
    log: DeviceArray,
    offsets: DeviceArray,
    targets: DeviceArray,
    step: int,
    infinity: int,
    distances: DeviceArray,
    seen: DeviceArray,
    first_reached: DeviceArray,
    last_improved: DeviceArray,
    slot: int,
    counts: DeviceArray,
) -> None:
    """Do the same for the heads of the arcs that leave the i-th logged node, which are all that can have fallen."""
    node = log[at + i]
    for arc in range(offsets[node], offsets[node + 1]):
        target = targets[arc]
        distance = distances[target]
        if distance < seen[target]:
            before = atomic_min(seen, target, distance)
            if distance < before:
                if before == infinity:
                    first_reached[target] = step
                last_improved[target] = step
                atomic_add(counts, slot, 1)
