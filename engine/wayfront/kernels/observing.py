"""Log a search's frontiers and compare distances on the device, and bring what was logged into node order.

Only traced runs launch these bodies, ``fill`` and ``collect_marked`` apart.

Where the log has got to, the *cursor*, lies on the device, so that a recorded step can log its frontier whenever it
runs. A frontier is logged by one launch, which counts the step, and its room is taken by another, which finds out what
the step improved: no launch may write what its own threads read. Both orders occur. A step logs its frontier first and
is compared when it ends; in a recorded step the one before is compared at the beginning, before the frontier is logged.

Compiled loops on the processor then bring the frontiers into node order and add up their arcs. A frontier comes as a
list in the order in which threads happened to append, or as a bit map of all nodes. Lists are ordered by way of a bit
map too, with a second one over its words: that costs a few operations a node, and n / 4096 for each step, where sorting
costs log of the frontier's size for each node.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.devices.atomics import atomic_add, atomic_min, callable_in_bodies, next_place
from wayfront.devices.compiling import loop_without_allocation, part_without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arithmetic import ones, trailing_zeros

WORD = 32
"""Nodes whose marks one word of a log holds."""

STEP, WORDS, LENGTH, LIMIT, ABOVE, CURSOR = range(6)
"""Indices in the cursor, int64: steps logged; where the last one's frontier lies, or the next one's; words to skip;
the largest distance from which every offer fits its dtype; 1 once a distance above that was seen."""

SLOTS = 1 << 10
"""Steps of which the device keeps how many nodes they improved, each at its number modulo this power of two."""

_SHORT = 16
"""Frontiers up to this length are ordered by insertion."""


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


def rewind(i: int, cursor: DeviceArray, counts: DeviceArray) -> None:
    """Begin an empty log, and forget how many nodes each step improved."""
    counts[i] = 0
    if i == 0:
        cursor[WORDS] = 0
        cursor[LENGTH] = 0


def collect_marked(i: int, mark: DeviceArray, found: DeviceArray, count: DeviceArray) -> None:
    """Append every marked node to a list, in any order."""
    if mark[i] != 0:
        found[next_place(count, 0)] = i


@callable_in_bodies
def _count_step(i: int, words: int, cursor: DeviceArray) -> None:
    """Count the step whose frontier is being logged."""
    if i == 0:
        cursor[STEP] += 1
        cursor[LENGTH] = words


@callable_in_bodies
def _skip_frontier(i: int, cursor: DeviceArray) -> None:
    """Let the log go on behind the last frontier."""
    if i == 0:
        cursor[WORDS] += cursor[LENGTH]
        cursor[LENGTH] = 0


def pack_marked(
    i: int, words: int, node_count: int, unmarked: int, mark: DeviceArray, cursor: DeviceArray, log: DeviceArray
) -> None:
    """Log which of 32 nodes are marked, as the bits of the i-th of so many words.

    ``unmarked`` is what the others have: 0, or infinity where distances mark the nodes that are reached.
    """
    word = 0
    for node in range(i * WORD, min((i + 1) * WORD, node_count)):
        if mark[node] != unmarked:
            word |= 1 << (node & (WORD - 1))
    log[cursor[WORDS] + i] = word
    _count_step(i, words, cursor)


def log_list(i: int, count: int, nodes: DeviceArray, cursor: DeviceArray, log: DeviceArray) -> None:
    """Log the i-th of so many nodes of a list. There is at least one thread, though the list may be empty."""
    if i < count:
        log[cursor[WORDS] + i] = nodes[i]
    _count_step(i, count, cursor)


def take_count(i: int, count: DeviceArray, cursor: DeviceArray, counts: DeviceArray) -> None:
    """Move the count of the last step to where those of all steps are kept, and set it to 0. One thread."""
    counts[(cursor[STEP] - 1) & (SLOTS - 1)] = count[0]
    count[0] = 0
    _skip_frontier(i, cursor)


def keep_labels(i: int, node_count: int, distances: DeviceArray, steps_done: DeviceArray, labels: DeviceArray) -> None:
    """Keep a node's distance after the last step, in the row of that step's slot."""
    labels[((steps_done[STEP] - 1) & (SLOTS - 1)) * node_count + i] = distances[i]


def compare_distances(
    i: int,
    infinity: int,
    distances: DeviceArray,
    seen: DeviceArray,
    first_reached: DeviceArray,
    last_improved: DeviceArray,
    cursor: DeviceArray,
    counts: DeviceArray,
) -> None:
    """Note which distances fell since the last comparison, for the last step, and count them."""
    distance = distances[i]
    if distance < seen[i]:
        step = cursor[STEP] - 1
        if seen[i] == infinity:
            first_reached[i] = step
        last_improved[i] = step
        seen[i] = distance
        if distance > cursor[LIMIT]:
            cursor[ABOVE] = 1
        atomic_add(counts, step & (SLOTS - 1), 1)
    _skip_frontier(i, cursor)


def compare_heads(
    i: int,
    at: int,
    log: DeviceArray,
    offsets: DeviceArray,
    targets: DeviceArray,
    infinity: int,
    distances: DeviceArray,
    seen: DeviceArray,
    first_reached: DeviceArray,
    last_improved: DeviceArray,
    cursor: DeviceArray,
    counts: DeviceArray,
) -> None:
    """Do the same for the heads of the arcs that leave the i-th logged node, which are all that can have fallen.

    The frontier begins ``at`` an index that the host knows: the cursor's moves meanwhile.
    """
    node = log[at + i]
    step = cursor[STEP] - 1
    for arc in range(offsets[node], offsets[node + 1]):
        target = targets[arc]
        distance = distances[target]
        if distance < seen[target]:
            before = atomic_min(seen, target, distance)
            if distance < before:
                if before == infinity:
                    first_reached[target] = step
                last_improved[target] = step
                if distance > cursor[LIMIT]:
                    cursor[ABOVE] = 1
                atomic_add(counts, step & (SLOTS - 1), 1)
    _skip_frontier(i, cursor)


# ------------------------------------------------------------------------------------------------------ into node order


def order_steps(
    nodes: NDArray[np.int32], sizes: NDArray[np.int64], ordered: NDArray[np.bool_], degrees: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Bring the frontiers that lie one after the other in ``nodes`` into node order; return the degrees' sum of each.

    Those that are ``ordered`` already are left as they are. No frontier may hold a node twice.
    """
    words = np.zeros((len(degrees) >> 6) + 1, np.uint64)
    groups = np.zeros((len(words) >> 6) + 1, np.uint64)
    sums = np.empty(len(sizes), np.int64)
    _order(nodes, sizes, ordered, degrees, words, groups, sums)
    return sums


@loop_without_allocation
def count_bits(words: NDArray[np.uint32]) -> int:
    """Return how many bits of the words are set."""
    count = 0
    for word in words:
        count += types.int64(ones(types.uint64(word)))
    return count


@loop_without_allocation
def unpack_words(words: NDArray[np.uint32], nodes: NDArray[np.int32]) -> None:
    """List the nodes whose bits are set, in node order."""
    count = 0
    for index in range(len(words)):
        rest = types.uint64(words[index])
        while rest != 0:
            nodes[count] = (index << 5) + types.int64(trailing_zeros(rest))
            rest &= rest - types.uint64(1)
            count += 1


@loop_without_allocation
def _order(
    nodes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    ordered: NDArray[np.bool_],
    degrees: NDArray[np.int32],
    words: NDArray[np.uint64],
    groups: NDArray[np.uint64],
    sums: NDArray[np.int64],
) -> None:
    begin = types.int64(0)
    for step in range(len(sizes)):
        end = begin + sizes[step]
        if not ordered[step]:
            if end - begin <= _SHORT:
                _insert(nodes, begin, end)
            else:
                _mark(nodes, begin, end, words, groups)
                _list(nodes, begin, words, groups)
        arcs = 0
        for index in range(begin, end):
            arcs += degrees[nodes[index]]
        sums[step] = arcs
        begin = end


@part_without_allocation
def _insert(nodes: NDArray[np.int32], begin: int, end: int) -> None:
    for index in range(begin + 1, end):
        node, hole = nodes[index], index
        while hole > begin and nodes[hole - 1] > node:
            nodes[hole] = nodes[hole - 1]
            hole -= 1
        nodes[hole] = node


@part_without_allocation
def _mark(
    nodes: NDArray[np.int32], begin: int, end: int, words: NDArray[np.uint64], groups: NDArray[np.uint64]
) -> None:
    for index in range(begin, end):
        node = types.int64(nodes[index])
        word = node >> 6
        words[word] |= types.uint64(1) << types.uint64(node & 63)
        groups[word >> 6] |= types.uint64(1) << types.uint64(word & 63)


@loop_without_allocation
def _list(nodes: NDArray[np.int32], index: int, words: NDArray[np.uint64], groups: NDArray[np.uint64]) -> None:
    for group in range(len(groups)):
        left = groups[group]
        groups[group] = 0
        while left != 0:
            word = (group << 6) + types.int64(trailing_zeros(left))
            left &= left - types.uint64(1)
            rest = words[word]
            words[word] = 0
            while rest != 0:
                nodes[index] = (word << 6) + types.int64(trailing_zeros(rest))
                rest &= rest - types.uint64(1)
                index += 1
