"""The compiled loop of Dijkstra's search with a bucket queue. It runs on the processor only, on one thread.

Which buckets are in use is a bit map, and which words of it are not 0 is another one. So the next bucket in use is
found by looking at three words for rings of up to 4,096 buckets and at 2^b / 4,096 more for larger ones, however many
empty buckets lie between. With weights up to 2^31 − 1 either level has at most 2^16 buckets, hence 16 words of the
second map: the whole search costs O(n + m) and does not depend on the weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from wayfront.algorithms.dijkstra.settling import note_improved
from wayfront.compiling import loop_without_allocation, part_without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording
from wayfront.kernels.bits import trailing_zeros

FREE, USED, WAITING, OPENED, STATE_SIZE = 0, 1, 2, 3, 4
"""Indices in a queue's state: first free entry, entries ever used, entries waiting, the coarse bucket opened last."""

NONE = -1

WORD_BITS = 6
"""A word of a bit map holds 2^6 bits."""


class Level(NamedTuple):
    """A power of two of buckets, each a linked list of entries, and which of them are in use.

    first    int32 [size]: first entry of each bucket, or NONE
    used     uint64 [size / 64]: a bit for each bucket that is in use
    groups   uint64 [size / 4096]: a bit for each word of ``used`` that is not 0
    """

    first: DeviceArray
    used: DeviceArray
    groups: DeviceArray


class BucketQueue(NamedTuple):
    """Two levels of buckets, and their entries.

    fine            a bucket for each distance of the open coarse bucket
    coarse          a ring: each coarse bucket lies at its number modulo the ring's size
    entry_node      int32 [m + 1]
    entry_distance  [m + 1], typed like the distances
    entry_next      int32 [m + 1]: the next entry of the same bucket or of the free ones, or NONE
    state           int64 [STATE_SIZE]
    """

    fine: Level
    coarse: Level
    entry_node: DeviceArray
    entry_distance: DeviceArray
    entry_next: DeviceArray
    state: DeviceArray


@loop_without_allocation
def start_buckets(queue: BucketQueue, distances: DeviceArray, source: int, infinity: int) -> None:
    """Empty the queue and enter the source at distance 0."""
    distances[:] = infinity
    distances[source] = 0
    _empty(queue.fine)
    _empty(queue.coarse)
    state = queue.state
    state[FREE], state[USED], state[WAITING], state[OPENED] = NONE, 1, 1, NONE
    queue.entry_node[0] = source
    queue.entry_distance[0] = 0
    _put(queue, queue.coarse, types.int64(0), types.int64(0))


@loop_without_allocation
def settle_buckets(
    arcs: Arcs,
    distances: DeviceArray,
    queue: BucketQueue,
    fine_bits: int,
    settled: DeviceArray,
    count: int,
    at_least: int,
    most_work: int,
    recording: Recording,
) -> tuple[int, bool]:
    """Settle whole coarse buckets until ``at_least`` nodes are settled, ``count`` of them before this call.

    The nodes are listed in ``settled``. Returns (nodes settled, whether that is done). If not, ``most_work`` nodes and
    arcs were looked at within one bucket: call again with the count. Done with a count of 0 means that the search is
    over.
    """
    state, fine, coarse = queue.state, queue.fine, queue.coarse
    work = 0
    while True:
        work += _open(queue, distances, fine_bits, most_work - work)
        if work >= most_work:
            return count, False
        for group in range(len(fine.groups)):
            while fine.groups[group] != 0:
                word = (group << WORD_BITS) + types.int64(trailing_zeros(fine.groups[group]))
                while fine.used[word] != 0:
                    bucket = (word << WORD_BITS) + types.int64(trailing_zeros(fine.used[word]))
                    count, work = _settle_fine(
                        arcs, distances, queue, fine_bits, bucket, settled, count, work, most_work, recording
                    )
                    if work >= most_work and state[WAITING] > 0:
                        return count, False
                    fine.used[word] &= ~_bit(bucket)
                fine.groups[group] &= ~_bit(word)
        if state[WAITING] == 0 or (count > 0 and count >= at_least):
            return count, True
        ring = len(coarse.first)
        begin = state[OPENED] + 1
        state[OPENED] = begin + ((next_used(coarse, begin & (ring - 1)) - begin) & (ring - 1))


@loop_without_allocation
def next_used(level: Level, begin: int) -> int:
    """Return the first bucket in use from ``begin`` on, going on at 0 behind the last one; NONE if there is none."""
    word = begin >> WORD_BITS
    rest = level.used[word] >> types.uint64(begin & 63)
    if rest != 0:
        return begin + types.int64(trailing_zeros(rest))
    word += 1
    groups = len(level.groups)
    for turn in range(groups + 1):
        group = ((word >> WORD_BITS) + turn) & (groups - 1)
        words = level.groups[group]
        if turn == 0:  # not the words up to that of ``begin``, which come last
            words = (words >> types.uint64(word & 63)) << types.uint64(word & 63)
        if words != 0:
            found = (group << WORD_BITS) + types.int64(trailing_zeros(words))
            return (found << WORD_BITS) + types.int64(trailing_zeros(level.used[found]))
    return NONE


@part_without_allocation
def _empty(level: Level) -> None:
    level.first[:] = NONE
    level.used[:] = 0
    level.groups[:] = 0


@part_without_allocation
def _put(queue: BucketQueue, level: Level, entry: int, bucket: int) -> None:
    """Put an entry into a bucket."""
    before = level.first[bucket]
    queue.entry_next[entry] = before
    level.first[bucket] = entry
    if before == NONE:
        word = bucket >> WORD_BITS
        level.used[word] |= _bit(bucket)
        level.groups[word >> WORD_BITS] |= _bit(word)


@part_without_allocation
def _bit(index: int) -> Any:
    """Return the word that has only the bit of an index set."""
    return types.uint64(1) << types.uint64(index & 63)


@loop_without_allocation
def _open(queue: BucketQueue, distances: DeviceArray, fine_bits: int, most: int) -> int:
    """Move entries of the coarse bucket now open into fine buckets; drop those that a better one outdid.

    Returns how many of at most ``most`` there were.
    """
    bucket = queue.state[OPENED] & (len(queue.coarse.first) - 1)
    entry, moved = queue.coarse.first[bucket], 0
    if entry == NONE:
        return 0
    while entry != NONE and moved < most:
        following = queue.entry_next[entry]
        distance = queue.entry_distance[entry]
        if distances[queue.entry_node[entry]] == distance:
            _put(queue, queue.fine, types.int64(entry), distance & ((1 << fine_bits) - 1))
        else:
            _drop(queue, entry)
        entry = following
        moved += 1
    queue.coarse.first[bucket] = entry
    if entry == NONE:
        word = bucket >> WORD_BITS
        queue.coarse.used[word] &= ~_bit(bucket)
        if queue.coarse.used[word] == 0:
            queue.coarse.groups[word >> WORD_BITS] &= ~_bit(word)
    return moved


@part_without_allocation
def _settle_fine(
    arcs: Arcs,
    distances: DeviceArray,
    queue: BucketQueue,
    fine_bits: int,
    bucket: int,
    settled: DeviceArray,
    count: int,
    work: int,
    most_work: int,
    recording: Recording,
) -> tuple[int, int]:
    """Settle the nodes of one fine bucket and relax their arcs, until the work is too much for one call.

    Returns how many nodes are settled by now, and the work done by now.
    """
    first = queue.fine.first
    while first[bucket] != NONE and work < most_work:
        entry = first[bucket]
        first[bucket] = queue.entry_next[entry]
        node, distance = queue.entry_node[entry], queue.entry_distance[entry]
        _drop(queue, entry)
        work += 1
        if distances[node] != distance:
            continue
        settled[count] = node
        count += 1
        begin, end = arcs.offsets[node], arcs.offsets[node + 1]
        work += end - begin
        for arc in range(begin, end):
            target = arcs.targets[arc]
            offer = distance + arcs.weights[arc]
            if offer < distances[target]:
                distances[target] = offer
                _enter(queue, fine_bits, target, offer)
                if recording.on != 0:
                    note_improved(recording, target)
    return count, work


@loop_without_allocation
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
        _put(queue, queue.fine, types.int64(entry), distance & ((1 << fine_bits) - 1))
    else:
        _put(queue, queue.coarse, types.int64(entry), bucket & (len(queue.coarse.first) - 1))


@loop_without_allocation
def _drop(queue: BucketQueue, entry: int) -> None:
    queue.entry_next[entry] = queue.state[FREE]
    queue.state[FREE] = entry
    queue.state[WAITING] -= 1
