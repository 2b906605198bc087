"""Searches in turn: one tree after the other, by a search that finds a single tree.

That is what papers on all pairs compare themselves with, and on a processor it is hard to beat: Dijkstra's search from
every source costs O(n (m + n log n)) in all, where Floyd and Warshall take n³ steps, and road networks have few arcs.
The sources are independent, so ``dijkstra-in-turn`` gives each core the next source whenever it has time. On a card one
search leaves most of the threads idle while its frontier is small, which is why ``heap_apsp`` and ``task_parallel``
search from many sources at once.

Okuyama, Ino and Hagihara call the second one *SSSP iteration*; Liu and Wang *APSP by SSSP*. That cores share the
sources is ours.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wayfront.algorithms.dijkstra import (
    BucketQueue,
    SearchArrays,
    bucket_queue_bytes,
    find_distances,
    make_bucket_queue,
    settle_buckets,
    start_buckets,
)
from wayfront.algorithms.relax_update import Rounds
from wayfront.algorithms.sequential_steps import MOST_WORK, Steps, unrecorded_steps
from wayfront.devices.compiling import loop_without_allocation
from wayfront.devices.device import Ability, DeviceArray
from wayfront.results.result import SearchKind
from wayfront.searching.all_pairs.run import PairsRun
from wayfront.searching.registry import algorithm
from wayfront.trace.schema import StepNote

NODES_AT_ONCE, FEWEST_AT_ONCE = 1 << 20, 1 << 13
"""Distances that one step finds at most and at least: steps of tiny networks are not worth a report each."""

STEPS = 32
"""Steps of a small network, whose replay would else be over at once."""

FROM_EACH = StepNote("one thread a source", "sources are independent", "settle from each source")

ONE_SOURCE = StepNote("all nodes", "a search in turn", "relax, update")


@loop_without_allocation
def settle_from_each(
    of_core: SearchArrays,
    queue: BucketQueue,
    rows: DeviceArray,
    sources: DeviceArray,
    first: int,
    end: int,
    infinity: int,
    steps: Steps,
) -> None:
    """Find the rows first … end−1 of ``rows`` [count, n], those of the sources with the same indices.

    Each row stands for the distances of what the core works on.
    """
    for row in range(first, end):
        arrays = SearchArrays(of_core.arcs, rows[row], of_core.settled)
        start_buckets(queue, arrays.distances, sources[row], infinity)
        count, over = 0, False
        while not over:
            count, over = settle_buckets(arrays, queue, count, steps)


@algorithm(
    name="dijkstra-in-turn",
    reading_order=600,
    title="Dijkstra from every source",
    paper="Dijkstra 1959; in turn: baseline of Okuyama, Ino and Hagihara",
    family="All pairs",
    needs=Ability.HOST_LOOPS,
    summary="Runs Dijkstra's search with a bucket queue from one source after the other; each core takes the next one.",
    phases=("settle from each source",),
    kind=SearchKind.ALL_PAIRS,
)
def dijkstra_in_turn(run: PairsRun) -> Iterator[int]:
    """Run Dijkstra from every source; a step is a batch of them."""
    n, work_each = run.node_count, run.node_count + run.network.arc_count
    cores = run.device.threads
    at_once = run.at_once(
        n * run.distance_dtype.itemsize,
        fixed_bytes=cores * (bucket_queue_bytes(run) + 4 * n),
        most=max(
            cores * (4 if cores == 1 else 16),  # few batches end with idle cores
            min(-(-len(run.sources) // STEPS), NODES_AT_ONCE // n),
            FEWEST_AT_ONCE // n,
        ),
    )
    distances = run.array("distances", at_once * n, run.distance_dtype)
    rows = distances.reshape(at_once, n)
    queues = [make_bucket_queue(run, f" of core {core}") for core in range(cores)]
    steps = [unrecorded_steps(run, f" of core {core}") for core in range(cores)]
    lists = [run.array(f"settled of core {core}", n, np.int32) for core in range(cores)]
    together = max(1, min(MOST_WORK // work_each, -(-at_once // cores)))

    def search(first: int, core: int) -> None:
        """Search from the sources of a batch from ``first`` on, a call's worth of them."""
        run.check()
        queue, arrays = queues[core], SearchArrays(run.arcs, rows[first], lists[core])
        if work_each <= MOST_WORK:
            end = min(first + together, batch.count)
            settle_from_each(arrays, queue, rows, batch.sources, first, end, run.infinity, steps[core])
            return
        find_distances(run, arrays, queue, batch.sources[first], steps[core])

    for batch in run.batches(at_once):
        run.device.divide(search, range(0, batch.count, together))
        run.rows_done(batch, distances, source_stride=n, node_stride=1, note=FROM_EACH)
        yield 1


@algorithm(
    name="relax-update-in-turn",
    reading_order=610,
    title="Relax/update from every source",
    paper="Harish and Narayanan, HiPC 2007; SSSP iteration of Okuyama, Ino and Hagihara; APSP by SSSP of Liu and Wang",
    family="All pairs",
    summary="Runs relax/update from one source after the other: what papers on all pairs on a GPU start from.",
    phases=("relax, update",),
    kind=SearchKind.ALL_PAIRS,
)
def relax_update_in_turn(run: PairsRun) -> Iterator[int]:
    """Run relax/update from every source; a step is one source."""
    n = run.node_count
    distances = run.array("distances", n, run.distance_dtype)
    rounds = Rounds(run, distances)
    for batch in run.batches(1):
        rounds.start(int(run.sources[batch.first]))
        marked = True
        while marked:
            run.check()
            marked = rounds.once()
        run.rows_done(batch, distances, source_stride=n, node_stride=1, note=ONE_SOURCE)
        yield 1
