"""Dijkstra's algorithm on the processor: the reference for every other search here.

``dijkstra`` keeps tentative distances in a two-level bucket queue. Distances are whole numbers, and no tentative
distance exceeds the settled one by more than the largest weight C. Coarse buckets of 2^b distances stand in a ring of
C / 2^b + 2; when the first one is opened, its nodes move into 2^b fine buckets, one for each distance, and those are
settled in order. Which fine buckets are in use is a bit map. With b about half the bits of C both levels stay in the
first-level cache, and an insertion, a removal and a lowered distance cost O(1): a node whose distance fell is simply
entered again, and the old entry is dropped when met.

``dijkstra-heap`` is the textbook form with a binary heap, written apart, so that each checks the other.

Both settle nodes in order of distance: after a step, every distance below the bound shown is final. A step of the
first is one coarse bucket; of the second, an equal share of the nodes.

Dijkstra 1959; Dial 1969; two levels from Cherkassky, Goldberg and Radzik, Shortest paths algorithms: theory and
experimental evaluation, Math. Programming 1996.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter_ns

import numpy as np

from wayfront.kernels import dijkstra as kernels
from wayfront.registry import algorithm
from wayfront.running import Run
from wayfront.trace import StepNote

SETTLED_AT_ONCE = 1 << 16
"""Nodes settled between two yields of a clean run: a few milliseconds, so that cancelling works at once."""

HEAP_STEPS = 512
"""Steps that the heap search divides its nodes into."""


@algorithm(
    name="dijkstra",
    title="Dijkstra, bucket queue",
    paper="Dijkstra 1959; two-level buckets: Cherkassky, Goldberg and Radzik 1996",
    family="Dijkstra",
    devices=("cpu",),
    summary="Settles nodes in order of distance, one thread, with a queue of buckets in two levels. "
    "The reference for all other searches.",
)
def dijkstra(run: Run) -> Iterator[None]:
    """Run Dijkstra with the two-level bucket queue."""
    n, arrays = run.node_count, run.on_device
    largest = run.network.weight_range(run.metric)[1]
    fine_bits = max(6, (largest.bit_length() + 1) // 2)
    entries = run.network.arc_count + 1
    queue = (
        run.array("fine", 1 << fine_bits, np.int32),
        run.array("fine in use", 1 << (fine_bits - 6), np.uint64),
        run.array("coarse", (largest >> fine_bits) + 2, np.int32),
        run.array("entry node", entries, np.int32),
        run.array("entry distance", entries, run.distance_dtype),
        run.array("entry next", entries, np.int32),
        run.array("queue state", kernels.STATE_SIZE, np.int64),
    )
    settled = run.array("settled", n, np.int32)
    kernels.start_buckets(run.source, run.infinity, run.distances, *queue)
    roads = (arrays.offsets, arrays.targets, arrays.weights, run.distances)
    recording, first, last = _recording(run)
    step = 0
    while True:
        begin, start_ns = 0, perf_counter_ns()
        count, improved, coarse = kernels.settle_buckets(
            *roads, *queue, fine_bits, settled, 0 if recording else SETTLED_AT_ONCE, recording, step, first, last
        )
        if count == 0:
            return
        if recording:
            note = StepNote(
                mode="one thread",
                reason="a sequential search",
                phase="settle bucket",
                bucket=coarse,
                low=coarse << fine_bits,
                high=(coarse + 1) << fine_bits,
            )
            run.observer.add(np.sort(settled[begin:count]), improved, perf_counter_ns() - start_ns, note)
        step += 1
        yield


@algorithm(
    name="dijkstra-heap",
    title="Dijkstra, binary heap",
    paper="Dijkstra 1959; heap: Williams 1964",
    family="Dijkstra",
    devices=("cpu",),
    summary="The textbook form: a binary heap of tentative distances, one thread. Independent of the bucket queue, "
    "so that each checks the other.",
)
def dijkstra_heap(run: Run) -> Iterator[None]:
    """Run Dijkstra with a binary heap."""
    n, arrays = run.node_count, run.on_device
    entries = run.network.arc_count + 1
    heap = (run.array("heap distance", entries, run.distance_dtype), run.array("heap node", entries, np.int32))
    settled, size = run.array("settled", n, np.int32), run.array("heap size", 1, np.int64)
    kernels.start_heap(run.source, run.infinity, run.distances, *heap, size)
    roads = (arrays.offsets, arrays.targets, arrays.weights, run.distances)
    recording, first, last = _recording(run)
    at_once = max(1, n // HEAP_STEPS) if recording else SETTLED_AT_ONCE
    step, low = 0, 0
    while True:
        start_ns = perf_counter_ns()
        count, improved = kernels.settle_from_heap(*roads, *heap, size, settled, at_once, recording, step, first, last)
        if count == 0:
            return
        if recording:
            high = int(run.distances[settled[count - 1]]) + 1
            note = StepNote("one thread", "a sequential search", "settle nodes", low=low, high=high)
            run.observer.add(np.sort(settled[:count]), improved, perf_counter_ns() - start_ns, note)
            low = high
        step += 1
        yield


def _recording(run: Run) -> tuple[bool, np.ndarray, np.ndarray]:
    """Return whether to record, and where the steps of each node go (a dummy in clean runs)."""
    if not run.observer.recording:
        unused = run.array("unused", 1, np.int32)
        return False, unused, unused
    return True, run.observer.first_reached, run.observer.last_improved
