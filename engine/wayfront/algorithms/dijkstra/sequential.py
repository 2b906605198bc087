"""Dijkstra's algorithm on the processor: the reference for every other search here.

``dijkstra`` keeps tentative distances in a two-level bucket queue. Distances are whole numbers, and no tentative
distance exceeds the settled one by more than the largest weight C. Coarse buckets of 2^b distances form a ring of at
least C / 2^b + 2; when the first one is opened, its nodes move into 2^b fine buckets, one for each distance, and those
are settled in order. With b about half the bits of C both levels stay in the first-level cache, and an insertion, a
removal and a lowered distance cost O(1): a node whose distance fell is simply entered again, and the old entry is
dropped when met. Bit maps of the buckets in use lead over any stretch of empty ones at once, so large weights cost no
more than small ones.

``dijkstra-heap`` is the textbook form with a binary heap, written apart, so that each checks the other. A node whose
distance fell enters the heap again (lazy), or its one entry rises (decrease-key, as Liu and Wang have it in Heap_APSP):
then the heap is smaller, but every entry that moves has to note its new place with its node.

Both settle nodes in order of distance: after a step, every distance below the bound shown is final. A step of the
first is one coarse bucket; of the second, an equal share of the nodes; on a small graph it is one settled node.

Dijkstra 1959; Dial 1969; two levels from Cherkassky, Goldberg and Radzik, Shortest paths algorithms: theory and
experimental evaluation, Math. Programming 1996.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.dijkstra import bucket_kernels, heap_kernels
from wayfront.algorithms.dijkstra.dijkstra_view import heap_after, queue_after, read_bucket_queue, read_heap
from wayfront.algorithms.dijkstra.logged_steps import Rows, logged_steps, recording_of
from wayfront.algorithms.dijkstra.logging_kernels import (
    BUCKET,
    END,
    StepLog,
    settle_buckets_and_log,
    settle_from_decrease_key_heap_and_log,
    settle_from_lazy_heap_and_log,
)
from wayfront.algorithms.dijkstra.settling import MOST_WORK
from wayfront.algorithms.dijkstra.single_steps import single_steps
from wayfront.devices.device import Ability
from wayfront.kernels.keyed_heap import PAIR
from wayfront.options import Option
from wayfront.search.registry import algorithm
from wayfront.search.run import BaseRun, Run
from wayfront.trace.schema import StepNote

SETTLED_AT_ONCE = 1 << 16
"""Nodes settled between two yields of a clean run: a few milliseconds."""

LAZY = "lazy"

Settle = Callable[..., tuple[int, bool]]
"""A compiled loop that settles nodes from a heap; it returns how many are settled, and whether that is done. One that
logs its steps returns whether the search is over."""

HEAP_STEPS = 512
"""Steps that the heap search divides its nodes into."""


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
    state=queue_after,
    one_by_one=True,
)
def dijkstra(run: Run) -> Iterator[int]:
    """Run Dijkstra with the two-level bucket queue."""
    queue, fine_bits = make_bucket_queue(run)
    settled = run.array("settled", run.node_count, np.int32)
    bucket_kernels.start_buckets(queue, run.distances, run.source, run.infinity)
    recording = recording_of(run, run.network.arc_count)

    def settle(count: int) -> tuple[int, bool]:
        return bucket_kernels.settle_buckets(
            run.arcs, run.distances, queue, fine_bits, settled, count, SETTLED_AT_ONCE, MOST_WORK, recording
        )

    def settle_and_log(count: int, log: StepLog) -> tuple[int, bool]:
        return settle_buckets_and_log(run.arcs, run.distances, queue, fine_bits, settled, count, log, recording)

    def bounds(_begun: int, rows: Rows) -> dict[str, NDArray[np.int64]]:
        opened = rows[:, BUCKET]
        return {"bucket": opened, "bucket_low": opened << fine_bits, "bucket_high": (opened + 1) << fine_bits}

    def settle_one(count: int) -> tuple[int, bool]:
        """Do one unit of work: move an entry to its fine bucket, drop an outdated one, or settle a node."""
        return bucket_kernels.settle_buckets(
            run.arcs, run.distances, queue, fine_bits, settled, count, run.node_count + 1, 1, recording
        )

    def bucket_of(_node: int) -> dict[str, int]:
        opened = int(queue.state[bucket_kernels.OPENED])
        return {"bucket": opened, "bucket_low": opened << fine_bits, "bucket_high": (opened + 1) << fine_bits}

    note, labels = StepNote("one thread", "a sequential search", "settle bucket"), run.observer.labels
    if labels is not None:
        holding = partial(read_bucket_queue, queue, fine_bits)
        return single_steps(
            run, labels, settle_one, settled, recording, note, bucket_of, lambda: run.distances, holding
        )
    if run.observer.recording:
        return logged_steps(run, settle_and_log, settled, recording, note, bounds)
    return _clean_steps(run, settle)


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
    state=heap_after,
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
    n = run.node_count
    heap, loop, logging_loop = _start_lazy(run) if run.options["heap"] == LAZY else _start_decrease_key(run)
    settled = run.array("settled", n, np.int32)
    recording, share = recording_of(run, run.network.arc_count), max(1, n // HEAP_STEPS)

    def settle(count: int) -> tuple[int, bool]:
        return loop(run.arcs, run.distances, heap, settled, count, SETTLED_AT_ONCE, MOST_WORK, recording)

    def settle_and_log(count: int, log: StepLog) -> tuple[int, bool]:
        return logging_loop(run.arcs, run.distances, heap, share, settled, count, log, recording)

    def bounds(begun: int, rows: Rows) -> dict[str, NDArray[np.int64]]:
        high = run.distances[settled[rows[:, END] - 1]].astype(np.int64) + 1
        low = np.append(run.distances[settled[begun - 1]] + 1 if begun else 0, high[:-1])
        return {"bucket_low": low, "bucket_high": high}

    def settle_one(count: int) -> tuple[int, bool]:
        count, _ = loop(run.arcs, run.distances, heap, settled, count, count + 1, MOST_WORK, recording)
        return count, int(heap.size[0]) == 0

    def bound_of(node: int) -> dict[str, int]:
        distance = int(run.distances[node])
        return {"bucket_low": distance, "bucket_high": distance + 1}

    note, labels = StepNote("one thread", "a sequential search", "settle nodes"), run.observer.labels
    if labels is not None:
        tentative = heap.assist[::PAIR] if isinstance(heap, heap_kernels.DecreaseKeyHeap) else run.distances
        holding = partial(read_heap, heap)
        return single_steps(run, labels, settle_one, settled, recording, note, bound_of, lambda: tentative, holding)
    if run.observer.recording:
        return logged_steps(run, settle_and_log, settled, recording, note, bounds)
    return _clean_steps(run, settle)


def _clean_steps(run: Run, settle: Callable[[int], tuple[int, bool]]) -> Iterator[int]:
    """Let a loop settle many nodes between two yields, until none is left."""
    while True:
        count, done = 0, False
        while not done:
            run.check()
            count, done = settle(count)
        if count == 0:
            return
        yield 1


def make_bucket_queue(run: BaseRun, owner: str = "") -> tuple[bucket_kernels.BucketQueue, int]:
    """Return a bucket queue for a run's network, and the number of bits of its fine buckets.

    ``owner`` distinguishes the queues of several searches at once.
    """
    fine_bits, ring_bits = _bits(run)
    entries = run.network.arc_count + 1
    queue = bucket_kernels.BucketQueue(
        fine=_level(run, f"fine{owner}", fine_bits),
        coarse=_level(run, f"coarse{owner}", ring_bits),
        entry_node=run.array(f"entry node{owner}", entries, np.int32),
        entry_distance=run.array(f"entry distance{owner}", entries, run.distance_dtype),
        entry_next=run.array(f"entry next{owner}", entries, np.int32),
        state=run.array(f"queue state{owner}", bucket_kernels.STATE_SIZE, np.int64),
    )
    return queue, fine_bits


def bucket_queue_bytes(run: BaseRun) -> int:
    """Return about how many bytes a bucket queue for a run's network takes."""
    buckets = sum(1 << bits for bits in _bits(run))
    return (run.network.arc_count + 1) * (8 + run.distance_dtype.itemsize) + 5 * buckets


def _bits(run: BaseRun) -> tuple[int, int]:
    """Return the bits of the fine buckets and of the ring of coarse ones."""
    largest = run.network.weight_range(run.metric)[1]
    fine_bits = max(bucket_kernels.WORD_BITS, (largest.bit_length() + 1) // 2)
    return fine_bits, max(bucket_kernels.WORD_BITS, ((largest >> fine_bits) + 1).bit_length())


def _level(run: BaseRun, name: str, bits: int) -> bucket_kernels.Level:
    """Return a level of 2^``bits`` buckets."""
    words = 1 << (bits - bucket_kernels.WORD_BITS)
    groups = 1 << max(bits - 2 * bucket_kernels.WORD_BITS, 0)
    return bucket_kernels.Level(
        first=run.array(f"{name} buckets", 1 << bits, np.int32),
        used=run.array(f"{name} buckets in use", words, np.uint64),
        groups=run.array(f"{name} words in use", groups, np.uint64),
    )


def _start_lazy(run: Run) -> tuple[heap_kernels.LazyHeap, Settle, Settle]:
    """Return a heap that holds the source, with room for an entry for every arc, and the loops that settle from it."""
    entries = run.network.arc_count + 1
    heap = heap_kernels.LazyHeap(
        distance=run.array("heap distance", entries, run.distance_dtype),
        node=run.array("heap node", entries, np.int32),
        size=run.array("heap size", 1, np.int64),
    )
    heap_kernels.start_lazy_heap(heap, run.distances, run.source, run.infinity)
    return heap, heap_kernels.settle_from_lazy_heap, settle_from_lazy_heap_and_log


def _start_decrease_key(run: Run) -> tuple[heap_kernels.DecreaseKeyHeap, Settle, Settle]:
    """Return a heap that holds the source, with room for an entry for every node, and the loops that settle from it."""
    numbers = PAIR * run.node_count
    heap = heap_kernels.DecreaseKeyHeap(
        assist=run.array("assist", numbers, run.distance_dtype),
        entries=run.array("heap entries", numbers, run.distance_dtype),
        size=run.array("heap size", 1, np.int64),
    )
    heap_kernels.start_decrease_key_heap(heap, run.distances, run.source, run.infinity)
    return heap, heap_kernels.settle_from_decrease_key_heap, settle_from_decrease_key_heap_and_log
