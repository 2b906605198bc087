"""The compiled loops of the two Dijkstra searches. They run on the processor only, one thread each.

Both settle nodes until they have settled at least ``at_least`` (the bucket queue then ends its coarse bucket), and
return how many they settled, listed in ``settled``; 0 means that the search is over.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording

FREE, USED, WAITING, OPENED, STATE_SIZE = 0, 1, 2, 3, 4
"""Indices in a queue's state: first free entry, entries ever used, entries waiting, the coarse bucket now open."""

NONE = -1

without_allocation = njit(nogil=True, cache=True, _nrt=False)
"""These loops allocate nothing. Saying so keeps numba from counting references at every call between them, which
would cost more than the calls."""


class BucketQueue(NamedTuple):
    """Two levels of buckets, each a linked list of entries.

    fine            int32 [2^b]: first entry of each distance of the open coarse bucket
    fine_used       uint64 [2^b / 64]: which of them are in use
    coarse          int32 [ring]: first entry of each coarse bucket, at its number modulo the ring's size
    entry_node      int32 [m + 1]
    entry_distance  [m + 1], typed like the distances
    entry_next      int32 [m + 1]: the next entry of the same bucket or of the free ones, or NONE
    state           int64 [STATE_SIZE]
    """

    fine: DeviceArray
    fine_used: DeviceArray
    coarse: DeviceArray
    entry_node: DeviceArray
    entry_distance: DeviceArray
    entry_next: DeviceArray
    state: DeviceArray


class Heap(NamedTuple):
    """A binary heap of tentative distances.

    distance   [m + 1], typed like the distances
    node       int32 [m + 1]
    size       int64 [1]: entries in use
    """

    distance: DeviceArray
    node: DeviceArray
    size: DeviceArray


@intrinsic
def trailing_zeros(_context: Any, _word: Any) -> Any:
    """Count the zero bits below the lowest set bit of a uint64 that is not 0."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@without_allocation
def start_buckets(queue: BucketQueue, distances: DeviceArray, source: int, infinity: int) -> None:
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
    arcs: Arcs,
    distances: DeviceArray,
    queue: BucketQueue,
    fine_bits: int,
    settled: DeviceArray,
    at_least: int,
    step: int,
    recording: Recording,
) -> tuple[int, int]:
    """Settle whole coarse buckets; return (nodes settled, the coarse bucket opened last)."""
    state, coarse = queue.state, queue.coarse
    count = 0
    while state[WAITING] > 0 and (count == 0 or count < at_least):
        while coarse[state[OPENED] % len(coarse)] == NONE:
            state[OPENED] += 1
        _open(queue, distances, fine_bits)
        for word in range(len(queue.fine_used)):
            while queue.fine_used[word] != 0:
                bucket = (word << 6) + types.int64(trailing_zeros(queue.fine_used[word]))
                count = _settle_fine(arcs, distances, queue, fine_bits, bucket, settled, count, step, recording)
                queue.fine_used[word] &= ~(types.uint64(1) << types.uint64(bucket & 63))
        state[OPENED] += 1
    return count, state[OPENED] - 1


@without_allocation
def _open(queue: BucketQueue, distances: DeviceArray, fine_bits: int) -> None:
    """Move the entries of the coarse bucket now open into fine buckets, dropping those that a better one outdid."""
    bucket = queue.state[OPENED] % len(queue.coarse)
    entry = queue.coarse[bucket]
    queue.coarse[bucket] = NONE
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
    arcs: Arcs,
    distances: DeviceArray,
    queue: BucketQueue,
    fine_bits: int,
    bucket: int,
    settled: DeviceArray,
    count: int,
    step: int,
    recording: Recording,
) -> int:
    """Settle the nodes of one fine bucket and relax their arcs; return how many are settled by now."""
    while queue.fine[bucket] != NONE:
        entry = queue.fine[bucket]
        queue.fine[bucket] = queue.entry_next[entry]
        node, distance = queue.entry_node[entry], queue.entry_distance[entry]
        _drop(queue, entry)
        if distances[node] != distance:
            continue
        settled[count] = node
        count += 1
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            target = arcs.targets[arc]
            offer = distance + arcs.weights[arc]
            if offer < distances[target]:
                distances[target] = offer
                _enter(queue, fine_bits, target, offer)
                if recording.on != 0:
                    _note(recording, step, target)
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
        turn = bucket % len(queue.coarse)
        queue.entry_next[entry] = queue.coarse[turn]
        queue.coarse[turn] = entry


@without_allocation
def _put_fine(queue: BucketQueue, entry: int, bucket: int) -> None:
    queue.entry_next[entry] = queue.fine[bucket]
    queue.fine[bucket] = entry
    queue.fine_used[bucket >> 6] |= types.uint64(1) << types.uint64(bucket & 63)


@without_allocation
def _drop(queue: BucketQueue, entry: int) -> None:
    queue.entry_next[entry] = queue.state[FREE]
    queue.state[FREE] = entry
    queue.state[WAITING] -= 1


@without_allocation
def _note(recording: Recording, step: int, node: int) -> None:
    """Note that a node's distance fell in the present step."""
    if recording.first_reached[node] < 0:
        recording.first_reached[node] = step
    recording.improved[0] += recording.last_improved[node] != step
    recording.last_improved[node] = step


@without_allocation
def start_heap(heap: Heap, distances: DeviceArray, source: int, infinity: int) -> None:
    """Empty the heap and enter the source at distance 0."""
    distances[:] = infinity
    distances[source] = 0
    heap.distance[0] = 0
    heap.node[0] = source
    heap.size[0] = 1


@without_allocation
def settle_from_heap(
    arcs: Arcs,
    distances: DeviceArray,
    heap: Heap,
    settled: DeviceArray,
    at_least: int,
    step: int,
    recording: Recording,
) -> int:
    """Settle ``at_least`` nodes, or all that are left; return how many."""
    entries, count = heap.size[0], 0
    while entries > 0 and count < at_least:
        distance, node = heap.distance[0], heap.node[0]
        entries -= 1
        _sift_down(heap, entries)
        if distance != distances[node]:
            continue
        settled[count] = node
        count += 1
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            target = arcs.targets[arc]
            offer = distance + arcs.weights[arc]
            if offer < distances[target]:
                distances[target] = offer
                _sift_up(heap, entries, offer, target)
                entries += 1
                if recording.on != 0:
                    _note(recording, step, target)
    heap.size[0] = entries
    return count


@without_allocation
def _sift_up(heap: Heap, hole: int, distance: int, node: int) -> None:
    """Enter a node at the end of a heap of ``hole`` entries and let it rise."""
    while hole > 0:
        above = (hole - 1) >> 1
        if heap.distance[above] <= distance:
            break
        heap.distance[hole] = heap.distance[above]
        heap.node[hole] = heap.node[above]
        hole = above
    heap.distance[hole] = distance
    heap.node[hole] = node


@without_allocation
def _sift_down(heap: Heap, entries: int) -> None:
    """Fill the root with the entry behind the last one and let it sink."""
    distance, node = heap.distance[entries], heap.node[entries]
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= entries:
            break
        if child + 1 < entries and heap.distance[child + 1] < heap.distance[child]:
            child += 1
        if heap.distance[child] >= distance:
            break
        heap.distance[hole] = heap.distance[child]
        heap.node[hole] = heap.node[child]
        hole = child
    heap.distance[hole] = distance
    heap.node[hole] = node
