"""The compiled loops of the two Dijkstra searches. They run on the processor only, one thread each.

Both settle nodes until they have settled at least ``at_least`` (the bucket queue then ends its coarse bucket), and
return how many they settled, listed in ``settled``; 0 means that the search is over.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

FREE, USED, WAITING, OPENED, STATE_SIZE = 0, 1, 2, 3, 4
"""Places in a queue's state: first free entry, entries ever used, entries waiting, the coarse bucket now open."""

NONE = -1

without_allocation = njit(nogil=True, cache=True, _nrt=False)
"""These loops allocate nothing. Saying so keeps numba from counting references at every call between them, which
would cost more than the calls."""


class BucketQueue(NamedTuple):
    """Two levels of buckets, each a linked list of entries.

    fine            int32 [2^b]: first entry of each distance of the open coarse bucket
    fine_used       uint64 [2^b / 64]: which of them are in use
    coarse          int32 [ring]: first entry of each coarse bucket, at its number modulo the ring's size
    entry_node, entry_next   int32 [m + 1]; entry_distance  like distances [m + 1]
    state           int64 [STATE_SIZE]
    """

    fine: Any
    fine_used: Any
    coarse: Any
    entry_node: Any
    entry_distance: Any
    entry_next: Any
    state: Any


class Roads(NamedTuple):
    """The network's arrays, and the distances found so far."""

    offsets: Any
    targets: Any
    weights: Any
    distances: Any


class Record(NamedTuple):
    """Where a traced run notes the first and the last step of each node; ``improved`` counts nodes per call."""

    recording: bool
    step: int
    first_reached: Any
    last_improved: Any
    improved: Any


@intrinsic
def trailing_zeros(_context: Any, _word: Any) -> Any:
    """Count the zero bits below the lowest set bit of a uint64 that is not 0."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@without_allocation
def start_buckets(queue: BucketQueue, distances: Any, source: int, infinity: int) -> None:
    """Empty the queue and enter the source at distance 0."""
    distances[:] = infinity
    distances[source] = 0
    queue.fine[:] = NONE
    queue.fine_used[:] = 0
    queue.coarse[:] = NONE
    state = queue.state
    state[FREE], state[USED], state[WAITING], state[OPENED] = NONE, 1, 1, 0
    queue.entry_node[0] = source
    queue.entry_distance[0] = 0
    queue.entry_next[0] = NONE
    queue.coarse[0] = 0


@without_allocation
def settle_buckets(
    roads: Roads, queue: BucketQueue, fine_bits: int, settled: Any, at_least: int, record: Record
) -> tuple[int, int]:
    """Settle whole coarse buckets; return (nodes settled, the coarse bucket opened last)."""
    state, coarse = queue.state, queue.coarse
    count = 0
    while state[WAITING] > 0 and (count == 0 or count < at_least):
        while coarse[state[OPENED] % len(coarse)] == NONE:
            state[OPENED] += 1
        _open(queue, roads.distances, fine_bits)
        for word in range(len(queue.fine_used)):
            while queue.fine_used[word] != 0:
                place = (word << 6) + types.int64(trailing_zeros(queue.fine_used[word]))
                count = _settle_fine(roads, queue, fine_bits, place, settled, count, record)
                queue.fine_used[word] &= ~(types.uint64(1) << types.uint64(place & 63))
        state[OPENED] += 1
    return count, state[OPENED] - 1


@without_allocation
def _open(queue: BucketQueue, distances: Any, fine_bits: int) -> None:
    """Move the entries of the coarse bucket now open into fine buckets, dropping those that a better one outdid."""
    place = queue.state[OPENED] % len(queue.coarse)
    entry = queue.coarse[place]
    queue.coarse[place] = NONE
    while entry != NONE:
        following = queue.entry_next[entry]
        distance = queue.entry_distance[entry]
        if distances[queue.entry_node[entry]] == distance:
            _put_fine(queue, entry, distance & ((1 << fine_bits) - 1))
        else:
            _drop(queue, entry)
        entry = following


@without_allocation
def _settle_fine(
    roads: Roads, queue: BucketQueue, fine_bits: int, place: int, settled: Any, count: int, record: Record
) -> int:
    """Settle the nodes of one fine bucket and relax their arcs; return how many are settled by now."""
    offsets, targets, weights, distances = roads
    while queue.fine[place] != NONE:
        entry = queue.fine[place]
        queue.fine[place] = queue.entry_next[entry]
        node, distance = queue.entry_node[entry], queue.entry_distance[entry]
        _drop(queue, entry)
        if distances[node] != distance:
            continue
        settled[count] = node
        count += 1
        for arc in range(offsets[node], offsets[node + 1]):
            target = targets[arc]
            offer = distance + weights[arc]
            if offer < distances[target]:
                distances[target] = offer
                _enter(queue, fine_bits, target, offer)
                if record.recording:
                    _note(record, target)
    return count


@without_allocation
def _enter(queue: BucketQueue, fine_bits: int, node: int, distance: int) -> None:
    """Enter a node at a distance; older entries of it stay and are dropped when met."""
    state = queue.state
    entry = state[FREE]
    if entry == NONE:
        entry = state[USED]
        state[USED] += 1
    else:
        state[FREE] = queue.entry_next[entry]
    state[WAITING] += 1
    queue.entry_node[entry] = node
    queue.entry_distance[entry] = distance
    bucket = distance >> fine_bits
    if bucket == state[OPENED]:
        _put_fine(queue, entry, distance & ((1 << fine_bits) - 1))
    else:
        place = bucket % len(queue.coarse)
        queue.entry_next[entry] = queue.coarse[place]
        queue.coarse[place] = entry


@without_allocation
def _put_fine(queue: BucketQueue, entry: int, place: int) -> None:
    queue.entry_next[entry] = queue.fine[place]
    queue.fine[place] = entry
    queue.fine_used[place >> 6] |= types.uint64(1) << types.uint64(place & 63)


@without_allocation
def _drop(queue: BucketQueue, entry: int) -> None:
    queue.entry_next[entry] = queue.state[FREE]
    queue.state[FREE] = entry
    queue.state[WAITING] -= 1


@without_allocation
def _note(record: Record, node: int) -> None:
    """Note that a node's distance fell in the present step."""
    if record.first_reached[node] < 0:
        record.first_reached[node] = record.step
    record.improved[0] += record.last_improved[node] != record.step
    record.last_improved[node] = record.step


@without_allocation
def start_heap(distances: Any, heap_distance: Any, heap_node: Any, size: Any, source: int, infinity: int) -> None:
    """Empty the heap and enter the source at distance 0."""
    distances[:] = infinity
    distances[source] = 0
    heap_distance[0] = 0
    heap_node[0] = source
    size[0] = 1


@without_allocation
def settle_from_heap(
    roads: Roads, heap_distance: Any, heap_node: Any, size: Any, settled: Any, at_least: int, record: Record
) -> int:
    """Settle ``at_least`` nodes, or all that are left; return how many."""
    offsets, targets, weights, distances = roads
    entries, count = size[0], 0
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
                _sift_up(heap_distance, heap_node, entries, offer, target)
                entries += 1
                if record.recording:
                    _note(record, target)
    size[0] = entries
    return count


@without_allocation
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


@without_allocation
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
