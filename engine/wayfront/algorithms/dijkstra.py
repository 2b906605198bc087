"""Dijkstra's algorithm on the processor: the reference for every other search here.

``dijkstra`` keeps tentative distances in a two-level bucket queue. Distances are whole numbers, and no tentative
distance exceeds the settled one by more than the largest weight C. Coarse buckets of 2^b distances form a ring of at
least C / 2^b + 2; when the first one is opened, its nodes move into 2^b fine buckets, one for each distance, and those
are settled in order. With b about half the bits of C both levels stay in the first-level cache, and an insertion, a
removal and a lowered distance cost O(1): a node whose distance fell is simply entered again, and the old entry is
dropped when met.

Which buckets are in use is a bit map, and which words of it are not 0 is another one. So the next bucket in use is
found by looking at three words for rings of up to 4,096 buckets and at 2^b / 4,096 more for larger ones, however many
empty buckets lie between. With weights up to 2^31 − 1 either level has at most 2^16 buckets, hence 16 words of the
second map: the whole search costs O(n + m) and does not depend on the weights.

``dijkstra-heap`` is the textbook form with a binary heap, written apart, so that each checks the other. A node whose
distance fell enters the heap again (lazy), or its one entry rises (decrease-key, as Liu and Wang have it in Heap_APSP):
then the heap is smaller, but every entry that moves has to note its new position with its node.

Both settle nodes in order of distance: after a step, every distance below the bound shown is final. A step of the
first is one coarse bucket; of the second, an equal share of the nodes; on a small graph it is one settled node. The
loops run on one thread; ``sequential_steps`` says how they make the steps of a trace.

Dijkstra 1959; Dial 1969; two levels from Cherkassky, Goldberg and Radzik, Shortest paths algorithms: theory and
experimental evaluation, Math. Programming 1996. Heap: Williams 1964.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.algorithms.sequential_steps import (
    BUCKET,
    END,
    ROWS,
    ROWS_AT_ONCE,
    Rows,
    SequentialSearch,
    Steps,
    begin_call,
    end_call,
    end_step,
    make_steps,
    note_improved,
    take_steps,
)
from wayfront.devices.compiling import loop_without_allocation, part_without_allocation
from wayfront.devices.device import Ability, DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.arithmetic import trailing_zeros
from wayfront.kernels.keyed_heap import NOT_IN_HEAP, PAIR, KeyedHeap, drop_least, lower_node, put_entry
from wayfront.safe.options import Option
from wayfront.searching.registry import algorithm
from wayfront.searching.run import BaseRun, Run
from wayfront.trace.schema import StateRow
from wayfront.trace.step_views import held_state

HEAP_STEPS = 512
"""Steps that the heap search divides its nodes into."""

LAZY = "lazy"

Settle = Callable[..., tuple[int, bool]]
"""A compiled loop that settles nodes from a heap; it returns how many are settled, and whether the search is over."""


class SearchArrays(NamedTuple):
    """What every loop works on.

    arcs        the arcs that leave each node
    distances   [n]: tentative distances, or final ones alone where a heap keeps the tentative ones
    settled     int32 [n]: the nodes in the order in which they are settled
    """

    arcs: Arcs
    distances: DeviceArray
    settled: DeviceArray


# -------------------------------------------------------------------------------------------------------------- buckets

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

    fine_bits       there are 2^fine_bits fine buckets, and a coarse one is as wide
    fine            a bucket for each distance of the open coarse bucket
    coarse          a ring: each coarse bucket lies at its number modulo the ring's size
    entry_node      int32 [m + 1]
    entry_distance  [m + 1], typed like the distances
    entry_next      int32 [m + 1]: the next entry of the same bucket or of the free ones, or NONE
    state           int64 [STATE_SIZE]
    """

    fine_bits: int
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
def settle_buckets(arrays: SearchArrays, queue: BucketQueue, count: int, steps: Steps) -> tuple[int, bool]:
    """Settle coarse bucket after coarse bucket, a step each, ``count`` nodes being settled before this call.

    The nodes are listed in ``settled``. Comes back earlier as ``steps`` say, be it within a bucket: call again with the
    count. Returns (nodes settled, whether the search is over).
    """
    state, work, over = queue.state, 0, False
    begin_call(steps)
    while not over and work < steps.most_work and steps.state[ROWS] < ROWS_AT_ONCE:
        work += _open(queue, arrays.distances, steps.most_work - work)
        count, work = _settle_open(arrays, queue, count, work, steps)
        over = state[WAITING] == 0
        if over or work < steps.most_work:  # the bucket is empty
            end_step(steps, count, state[OPENED], over)
            if not over:
                ring, begin = len(queue.coarse.first), state[OPENED] + 1
                state[OPENED] = begin + ((next_used(queue.coarse, begin & (ring - 1)) - begin) & (ring - 1))
    end_call(steps)
    return count, over


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


@part_without_allocation
def _open(queue: BucketQueue, distances: DeviceArray, most: int) -> int:
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
            _put(queue, queue.fine, types.int64(entry), distance & ((1 << queue.fine_bits) - 1))
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
def _settle_open(arrays: SearchArrays, queue: BucketQueue, count: int, work: int, steps: Steps) -> tuple[int, int]:
    """Settle the nodes of the fine buckets in order, until the work is too much for one call; returns as below."""
    fine = queue.fine
    for group in range(len(fine.groups)):
        while fine.groups[group] != 0:
            word = (group << WORD_BITS) + types.int64(trailing_zeros(fine.groups[group]))
            while fine.used[word] != 0:
                bucket = (word << WORD_BITS) + types.int64(trailing_zeros(fine.used[word]))
                count, work = _settle_fine(arrays, queue, bucket, count, work, steps)
                if work >= steps.most_work and queue.state[WAITING] > 0:
                    return count, work
                fine.used[word] &= ~_bit(bucket)
            fine.groups[group] &= ~_bit(word)
    return count, work


@part_without_allocation
def _settle_fine(
    arrays: SearchArrays, queue: BucketQueue, bucket: int, count: int, work: int, steps: Steps
) -> tuple[int, int]:
    """Settle the nodes of one fine bucket and relax their arcs, until the work is too much for one call.

    Returns how many nodes are settled by now, and the work done by now.
    """
    arcs, distances, first = arrays.arcs, arrays.distances, queue.fine.first
    several = steps.most_work > 1  # on small graphs a step settles one node
    while first[bucket] != NONE and work < steps.most_work:
        entry = first[bucket]
        first[bucket] = queue.entry_next[entry]
        node, distance = queue.entry_node[entry], queue.entry_distance[entry]
        _drop(queue, entry)
        work += 1
        if distances[node] != distance:
            continue
        arrays.settled[count] = node
        count += 1
        begin, end = arcs.offsets[node], arcs.offsets[node + 1]
        work += end - begin
        for arc in range(begin, end):
            target = arcs.targets[arc]
            offer = distance + arcs.weights[arc]
            if offer < distances[target]:
                distances[target] = offer
                if several and offer == distance and arcs.offsets[target] == arcs.offsets[target + 1]:
                    arrays.settled[count] = target  # as where ways to a split node end
                    count += 1
                else:
                    _enter(queue, target, offer)
                if steps.recording.on != 0:
                    note_improved(steps.recording, target)
    return count, work


@part_without_allocation
def _enter(queue: BucketQueue, node: int, distance: int) -> None:
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
    bucket = distance >> queue.fine_bits
    if bucket == state[OPENED]:
        _put(queue, queue.fine, types.int64(entry), distance & ((1 << queue.fine_bits) - 1))
    else:
        _put(queue, queue.coarse, types.int64(entry), bucket & (len(queue.coarse.first) - 1))


@part_without_allocation
def _drop(queue: BucketQueue, entry: int) -> None:
    queue.entry_next[entry] = queue.state[FREE]
    queue.state[FREE] = entry
    queue.state[WAITING] -= 1


# ---------------------------------------------------------------------------------------------------------------- heaps


class LazyHeap(NamedTuple):
    """A binary heap of tentative distances, in which a node has an entry for every time its distance fell.

    distance   [m + 1], typed like the distances
    node       int32 [m + 1]
    size       int64 [1]: entries in use
    """

    distance: DeviceArray
    node: DeviceArray
    size: DeviceArray


class DecreaseKeyHeap(NamedTuple):
    """A binary heap in which a node has one entry at most (see ``wayfront.kernels.keyed_heap``).

    assist    [2 n], typed like the distances: tentative distance of each node, and its index in the heap
    entries   [2 n], typed like the distances: distance and node of each entry
    size      int64 [1]: entries in use
    """

    assist: DeviceArray
    entries: DeviceArray
    size: DeviceArray


@loop_without_allocation
def start_lazy_heap(heap: LazyHeap, distances: DeviceArray, source: int, infinity: int) -> None:
    """Empty the heap and enter the source at distance 0."""
    distances[:] = infinity
    distances[source] = 0
    heap.distance[0] = 0
    heap.node[0] = source
    heap.size[0] = 1


@loop_without_allocation
def settle_from_lazy_heap(arrays: SearchArrays, heap: LazyHeap, count: int, steps: Steps) -> tuple[int, bool]:
    """Settle nodes until none is left, ``count`` of them being settled before this call.

    The nodes are listed in ``settled``. Comes back earlier as ``steps`` say: call again with the count. Returns (nodes
    settled, whether the search is over).
    """
    arcs, distances = arrays.arcs, arrays.distances
    entries, work = heap.size[0], 0
    begin_call(steps)
    while entries > 0 and work < steps.most_work and steps.state[ROWS] < ROWS_AT_ONCE:
        distance, node = heap.distance[0], heap.node[0]
        entries -= 1
        _sift_down(heap, entries)
        work += 1
        if distance == distances[node]:
            arrays.settled[count] = node
            count += 1
            begin, end = arcs.offsets[node], arcs.offsets[node + 1]
            work += end - begin
            for arc in range(begin, end):
                target = arcs.targets[arc]
                offer = distance + arcs.weights[arc]
                if offer < distances[target]:
                    distances[target] = offer
                    _sift_up(heap, entries, offer, target)
                    entries += 1
                    if steps.recording.on != 0:
                        note_improved(steps.recording, target)
        end_step(steps, count, 0, entries == 0)
    end_call(steps)
    heap.size[0] = entries
    return count, entries == 0


@loop_without_allocation
def start_decrease_key_heap(heap: DecreaseKeyHeap, distances: DeviceArray, source: int, infinity: int) -> None:
    """Empty the heap and enter the source at distance 0."""
    distances[:] = infinity
    heap.assist[::PAIR] = infinity
    heap.assist[1::PAIR] = NOT_IN_HEAP
    heap.assist[PAIR * source] = 0
    put_entry(KeyedHeap(heap.assist, heap.entries, 0, PAIR, 0, PAIR), 0, 0, source)
    heap.size[0] = 1


@loop_without_allocation
def settle_from_decrease_key_heap(
    arrays: SearchArrays, heap: DecreaseKeyHeap, count: int, steps: Steps
) -> tuple[int, bool]:
    """Settle nodes as ``settle_from_lazy_heap`` does. A node's entry in ``distances`` is written when it is settled."""
    keyed, arcs = KeyedHeap(heap.assist, heap.entries, 0, PAIR, 0, PAIR), arrays.arcs
    entries, work = heap.size[0], 0
    begin_call(steps)
    while entries > 0 and work < steps.most_work and steps.state[ROWS] < ROWS_AT_ONCE:
        distance, node = keyed.entries[0], keyed.entries[1]
        entries = drop_least(keyed, entries)
        arrays.distances[node] = distance
        arrays.settled[count] = node
        count += 1
        begin, end = arcs.offsets[node], arcs.offsets[node + 1]
        work += 1 + end - begin
        for arc in range(begin, end):
            target = arcs.targets[arc]
            offer = distance + arcs.weights[arc]
            if offer < keyed.assist[PAIR * target]:
                entries = lower_node(keyed, entries, target, offer)
                if steps.recording.on != 0:
                    note_improved(steps.recording, target)
        end_step(steps, count, 0, entries == 0)
    end_call(steps)
    heap.size[0] = entries
    return count, entries == 0


@part_without_allocation
def _sift_up(heap: LazyHeap, hole: int, distance: int, node: int) -> None:
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


@part_without_allocation
def _sift_down(heap: LazyHeap, entries: int) -> None:
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


# ------------------------------------------------------------------------------------------------ what the replay shows

_COLUMNS = ("Held in", "Nodes", "Distances")
FINE_ROW, COARSE_ROW = "Distance {number}", "Coarse bucket {number}"


def read_bucket_queue(queue: BucketQueue) -> list[StateRow]:
    """Return the buckets in use: those of a single distance, then the coarse ones; outdated entries are among them."""
    rows = []
    for title, level, bits in ((FINE_ROW, queue.fine, 0), (COARSE_ROW, queue.coarse, queue.fine_bits)):
        buckets = []
        for first in level.first[level.first != NONE].tolist():
            entry, nodes, keys = first, [], []
            while entry != NONE:
                nodes.append(int(queue.entry_node[entry]))
                keys.append(int(queue.entry_distance[entry]))
                entry = int(queue.entry_next[entry])
            buckets.append(StateRow(title, nodes, keys, keys[0] >> bits))
        rows += sorted(buckets, key=lambda row: row.number)
    return rows


def read_heap(heap: LazyHeap | DecreaseKeyHeap) -> list[StateRow]:
    """Return the heap, entry by entry: the least first, and below entry p the entries 2 p + 1 and 2 p + 2."""
    size = int(heap.size[0])
    if isinstance(heap, LazyHeap):
        nodes, keys = heap.node[:size], heap.distance[:size]
    else:
        keys, nodes = heap.entries[: PAIR * size].reshape(-1, PAIR).T
    return [StateRow("Heap, place by place", nodes.tolist(), keys.tolist())]


# --------------------------------------------------------------------------------------------------------- the searches


@algorithm(
    name="dijkstra",
    reading_order=100,
    title="Dijkstra, bucket queue",
    paper="Dijkstra 1959; two-level buckets: Cherkassky, Goldberg and Radzik 1996",
    family="Dijkstra",
    needs=Ability.HOST_LOOPS,
    summary="Settles nodes in order of distance, one thread, with a queue of buckets in two levels. "
    "The reference for all other searches.",
    phases=("settle bucket",),
    state=held_state("Bucket queue", _COLUMNS),
    one_by_one=True,
)
def dijkstra(run: Run) -> Iterator[int]:
    """Run Dijkstra with the two-level bucket queue."""
    queue, arrays = make_bucket_queue(run), _search_arrays(run)
    fine_bits = queue.fine_bits
    start_buckets(queue, run.distances, run.source, run.infinity)

    def bounds(opened: Any) -> dict[str, Any]:
        return {"bucket": opened, "bucket_low": opened << fine_bits, "bucket_high": (opened + 1) << fine_bits}

    search = SequentialSearch(
        explore=lambda count, steps: settle_buckets(arrays, queue, count, steps),
        steps=make_steps(run, 1, run.network.arc_count),
        settled=arrays.settled,
        phase="settle bucket",
        tentative=lambda: run.distances,
        holding=partial(read_bucket_queue, queue),
        figures=lambda _begun, rows: bounds(rows[:, BUCKET]),
        figures_of=lambda _node: bounds(int(queue.state[OPENED])),
    )
    return take_steps(run, search)


@algorithm(
    name="dijkstra-heap",
    reading_order=110,
    title="Dijkstra, binary heap",
    paper="Dijkstra 1959; heap: Williams 1964",
    family="Dijkstra",
    needs=Ability.HOST_LOOPS,
    summary="The textbook form: a binary heap of tentative distances, one thread. Independent of the bucket queue, "
    "so that each checks the other.",
    phases=("settle nodes",),
    state=held_state("Binary heap", _COLUMNS),
    one_by_one=True,
    options=(
        Option(
            "heap",
            str,
            LAZY,
            "Lazy: a node whose distance fell enters the heap again. Decrease-key: its entry rises.",
            choices=(LAZY, "decrease-key"),
        ),
    ),
)
def dijkstra_heap(run: Run) -> Iterator[int]:
    """Run Dijkstra with a binary heap."""
    heap, settle = _start_lazy(run) if run.options["heap"] == LAZY else _start_decrease_key(run)
    arrays = _search_arrays(run)
    settled = arrays.settled

    def bounds(begun: int, rows: Rows) -> dict[str, NDArray[np.int64]]:
        high = run.distances[settled[rows[:, END] - 1]].astype(np.int64) + 1
        low = np.append(run.distances[settled[begun - 1]] + 1 if begun else 0, high[:-1])
        return {"bucket_low": low, "bucket_high": high}

    def bounds_of(node: int) -> dict[str, int]:
        distance = int(run.distances[node])
        return {"bucket_low": distance, "bucket_high": distance + 1}

    search = SequentialSearch(
        explore=lambda count, steps: settle(arrays, heap, count, steps),
        steps=make_steps(run, max(1, run.node_count // HEAP_STEPS), run.network.arc_count),
        settled=settled,
        phase="settle nodes",
        tentative=lambda: heap.assist[::PAIR] if isinstance(heap, DecreaseKeyHeap) else run.distances,
        holding=partial(read_heap, heap),
        figures=bounds,
        figures_of=bounds_of,
    )
    return take_steps(run, search)


def _search_arrays(run: Run) -> SearchArrays:
    """Return what the loops of a run work on."""
    return SearchArrays(run.arcs, run.distances, run.array("settled", run.node_count, np.int32))


def make_bucket_queue(run: BaseRun, owner: str = "") -> BucketQueue:
    """Return a bucket queue for a run's network.

    ``owner`` distinguishes the queues of several searches at once.
    """
    fine_bits, ring_bits = _bits(run)
    entries = run.network.arc_count + 1
    return BucketQueue(
        fine_bits=fine_bits,
        fine=_level(run, f"fine{owner}", fine_bits),
        coarse=_level(run, f"coarse{owner}", ring_bits),
        entry_node=run.array(f"entry node{owner}", entries, np.int32),
        entry_distance=run.array(f"entry distance{owner}", entries, run.distance_dtype),
        entry_next=run.array(f"entry next{owner}", entries, np.int32),
        state=run.array(f"queue state{owner}", STATE_SIZE, np.int64),
    )


def find_distances(run: BaseRun, arrays: SearchArrays, queue: BucketQueue, source: int, steps: Steps) -> None:
    """Find the distances from a node to all others; between two calls' worth of work it can be cancelled."""
    start_buckets(queue, arrays.distances, source, run.infinity)
    count, over = 0, False
    while not over:
        run.check()
        count, over = settle_buckets(arrays, queue, count, steps)


def bucket_queue_bytes(run: BaseRun) -> int:
    """Return about how many bytes a bucket queue for a run's network takes."""
    buckets = sum(1 << bits for bits in _bits(run))
    return (run.network.arc_count + 1) * (8 + run.distance_dtype.itemsize) + 5 * buckets


def _bits(run: BaseRun) -> tuple[int, int]:
    """Return the bits of the fine buckets and of the ring of coarse ones."""
    largest = run.network.weight_range(run.metric)[1]
    fine_bits = max(WORD_BITS, (largest.bit_length() + 1) // 2)
    return fine_bits, max(WORD_BITS, ((largest >> fine_bits) + 1).bit_length())


def _level(run: BaseRun, name: str, bits: int) -> Level:
    """Return a level of 2^``bits`` buckets."""
    words = 1 << (bits - WORD_BITS)
    groups = 1 << max(bits - 2 * WORD_BITS, 0)
    return Level(
        first=run.array(f"{name} buckets", 1 << bits, np.int32),
        used=run.array(f"{name} buckets in use", words, np.uint64),
        groups=run.array(f"{name} words in use", groups, np.uint64),
    )


def _start_lazy(run: Run) -> tuple[LazyHeap, Settle]:
    """Return a heap that holds the source, with room for an entry for every arc, and the loop that settles from it."""
    entries = run.network.arc_count + 1
    heap = LazyHeap(
        distance=run.array("heap distance", entries, run.distance_dtype),
        node=run.array("heap node", entries, np.int32),
        size=run.array("heap size", 1, np.int64),
    )
    start_lazy_heap(heap, run.distances, run.source, run.infinity)
    return heap, settle_from_lazy_heap


def _start_decrease_key(run: Run) -> tuple[DecreaseKeyHeap, Settle]:
    """Return a heap that holds the source, with room for an entry for every node, and the loop that settles from it."""
    numbers = PAIR * run.node_count
    heap = DecreaseKeyHeap(
        assist=run.array("assist", numbers, run.distance_dtype),
        entries=run.array("heap entries", numbers, run.distance_dtype),
        size=run.array("heap size", 1, np.int64),
    )
    start_decrease_key_heap(heap, run.distances, run.source, run.infinity)
    return heap, settle_from_decrease_key_heap
