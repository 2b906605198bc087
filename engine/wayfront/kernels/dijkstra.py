"""The compiled loops of the two Dijkstra searches. They run on the processor only, one thread each.

Both settle nodes until they have settled at least ``at_least`` (the bucket queue then ends its coarse bucket), and
return how many they settled, listed in ``settled``; 0 means that the search is over.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

FREE, USED, WAITING, COARSE, STATE_SIZE = 0, 1, 2, 3, 4
"""Places in the queue's state: first free entry, entries ever used, entries in the queue, the open coarse bucket."""

NONE = -1


@intrinsic
def trailing_zeros(_context: Any, _word: Any) -> Any:
    """Count the zero bits below the lowest set bit of a uint64 that is not 0."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@njit(nogil=True, cache=True)
def start_buckets(
    source: int,
    infinity: int,
    distances: Any,
    fine: Any,
    fine_used: Any,
    coarse: Any,
    entry_node: Any,
    entry_distance: Any,
    entry_next: Any,
    state: Any,
) -> None:
    """Empty the queue and enter the source at distance 0."""
    distances[:] = infinity
    distances[source] = 0
    fine[:] = NONE
    fine_used[:] = 0
    coarse[:] = NONE
    entry_node[0] = source
    entry_distance[0] = 0
    entry_next[0] = NONE
    coarse[0] = 0
    state[FREE], state[USED], state[WAITING], state[COARSE] = NONE, 1, 1, 0


@njit(nogil=True, cache=True)
def settle_buckets(
    offsets: Any,
    targets: Any,
    weights: Any,
    distances: Any,
    fine: Any,
    fine_used: Any,
    coarse: Any,
    entry_node: Any,
    entry_distance: Any,
    entry_next: Any,
    state: Any,
    fine_bits: int,
    settled: Any,
    at_least: int,
    recording: bool,
    step: int,
    first_reached: Any,
    last_improved: Any,
) -> tuple[int, int, int]:
    """Settle whole coarse buckets; return (nodes settled, nodes improved, the last coarse bucket opened)."""
    ring = len(coarse)
    below = (1 << fine_bits) - 1
    free, used, waiting, opened = state[FREE], state[USED], state[WAITING], state[COARSE]
    count, improved, last_opened = 0, 0, opened
    while waiting > 0 and (count == 0 or count < at_least):
        while coarse[opened % ring] == NONE:
            opened += 1
        last_opened = opened
        entry = coarse[opened % ring]
        coarse[opened % ring] = NONE
        while entry != NONE:
            following = entry_next[entry]
            distance = entry_distance[entry]
            if distances[entry_node[entry]] == distance:
                place = distance & below
                entry_next[entry] = fine[place]
                fine[place] = entry
                fine_used[place >> 6] |= types.uint64(1) << types.uint64(place & 63)
            else:
                entry_next[entry] = free
                free = entry
                waiting -= 1
            entry = following
        for word in range(len(fine_used)):
            while fine_used[word] != 0:
                place = (word << 6) + types.int64(trailing_zeros(fine_used[word]))
                entry = fine[place]
                while entry != NONE:
                    fine[place] = entry_next[entry]
                    node, distance = entry_node[entry], entry_distance[entry]
                    entry_next[entry] = free
                    free = entry
                    waiting -= 1
                    if distances[node] == distance:
                        settled[count] = node
                        count += 1
                        for arc in range(offsets[node], offsets[node + 1]):
                            target = targets[arc]
                            offer = distance + weights[arc]
                            if offer < distances[target]:
                                if recording:
                                    if first_reached[target] < 0:
                                        first_reached[target] = step
                                    improved += last_improved[target] != step
                                    last_improved[target] = step
                                distances[target] = offer
                                if free != NONE:
                                    new = free
                                    free = entry_next[new]
                                else:
                                    new = used
                                    used += 1
                                waiting += 1
                                entry_node[new] = target
                                entry_distance[new] = offer
                                bucket = offer >> fine_bits
                                if bucket == opened:
                                    into = offer & below
                                    entry_next[new] = fine[into]
                                    fine[into] = new
                                    fine_used[into >> 6] |= types.uint64(1) << types.uint64(into & 63)
                                else:
                                    entry_next[new] = coarse[bucket % ring]
                                    coarse[bucket % ring] = new
                    entry = fine[place]
                fine_used[word] &= ~(types.uint64(1) << types.uint64(place & 63))
        opened += 1
    state[FREE], state[USED], state[WAITING], state[COARSE] = free, used, waiting, opened
    return count, improved, last_opened


@njit(nogil=True, cache=True)
def start_heap(source: int, infinity: int, distances: Any, heap_distance: Any, heap_node: Any, size: Any) -> None:
    """Empty the heap and enter the source at distance 0."""
    distances[:] = infinity
    distances[source] = 0
    heap_distance[0] = 0
    heap_node[0] = source
    size[0] = 1


@njit(nogil=True, cache=True)
def settle_from_heap(
    offsets: Any,
    targets: Any,
    weights: Any,
    distances: Any,
    heap_distance: Any,
    heap_node: Any,
    size: Any,
    settled: Any,
    at_least: int,
    recording: bool,
    step: int,
    first_reached: Any,
    last_improved: Any,
) -> tuple[int, int]:
    """Settle ``at_least`` nodes, or all that are left; return (nodes settled, nodes improved)."""
    entries, count, improved = size[0], 0, 0
    while entries > 0 and count < at_least:
        distance, node = heap_distance[0], heap_node[0]
        entries -= 1
        _sift_down(heap_distance, heap_node, entries)
        if distance != distances[node]:
            continue
        settled[count] = node
        count += 1
        for arc in range(offsets[node], offsets[node + 1]):
            target = targets[arc]
            offer = distance + weights[arc]
            if offer < distances[target]:
                distances[target] = offer
                if recording:
                    if first_reached[target] < 0:
                        first_reached[target] = step
                    improved += last_improved[target] != step
                    last_improved[target] = step
                _sift_up(heap_distance, heap_node, entries, offer, target)
                entries += 1
    size[0] = entries
    return count, improved


@njit(nogil=True, cache=True)
def _sift_up(heap_distance: Any, heap_node: Any, hole: int, distance: int, node: int) -> None:
    """Enter a node at the end of a heap of ``hole`` entries and let it rise."""
    while hole > 0:
        above = (hole - 1) >> 1
        if heap_distance[above] <= distance:
            break
        heap_distance[hole] = heap_distance[above]
        heap_node[hole] = heap_node[above]
        hole = above
    heap_distance[hole] = distance
    heap_node[hole] = node


@njit(nogil=True, cache=True)
def _sift_down(heap_distance: Any, heap_node: Any, entries: int) -> None:
    """Fill the root with the entry behind the last one and let it sink."""
    distance, node = heap_distance[entries], heap_node[entries]
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= entries:
            break
        if child + 1 < entries and heap_distance[child + 1] < heap_distance[child]:
            child += 1
        if heap_distance[child] >= distance:
            break
        heap_distance[hole] = heap_distance[child]
        heap_node[hole] = heap_node[child]
        hole = child
    heap_distance[hole] = distance
    heap_node[hole] = node
