"""Bellman–Ford with a queue: only nodes whose distance fell wait to be relaxed.

The queue is a ring of n + 1 places with a head and a tail, since a GPU has no use for linked lists. A node is in it at
most once. Many threads insert at once, each by one atomic addition to an end. A step takes a batch of nodes from the
head and relaxes them together; the queue's order decides which nodes those are:

- **FIFO**: improved nodes go to the tail.
- **SLF**, small label first: an improved node goes to the head if its distance is below that of the node there.
- **LLL**, large label last: a node at the head whose distance is above the average of the queue goes to the tail.
- **SLF + LLL**: both.

The nearer to Dijkstra's order nodes are relaxed, the fewer are relaxed twice. A batch as large as the queue makes all
orders the same; a batch of one makes each step a sequential search's. The paper found 15 to 20 % less time with SLF
and about 50 % less with SLF + LLL.

A Chinese study of CUDA Dijkstra, Bellman–Ford, Δ-stepping and sparse matrix–vector Bellman–Ford (after 2011); the two
orders: Bertsekas, A simple and fast label correcting algorithm for shortest paths, Networks 1993, and Bertsekas,
Guerriero and Musmanno, Parallel asynchronous label-correcting methods for shortest paths, J. Optim. Theory Appl. 1996.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wayfront.algorithms.bellman_ford import queue_kernels as bodies
from wayfront.algorithms.bellman_ford.queue_kernels import AT_HEAD, AT_TAIL, ENDS, FIFO, HEAD, LLL, SLF, SLF_LLL, TAIL
from wayfront.options import Option
from wayfront.search.registry import algorithm
from wayfront.search.run import Run
from wayfront.trace.recorder import StepNote

OPTIONS = (
    Option(
        "order",
        str,
        SLF_LLL,
        "Where improved nodes enter the queue (small label first: SLF) and which leave it (large label last: LLL).",
        choices=(FIFO, SLF, LLL, SLF_LLL),
    ),
    Option("batch", int, 1024, "Nodes that one step takes from the head.", bounds=(1, 2**31 - 1), unit="nodes"),
)


@algorithm(
    name="bellman-ford-queue",
    reading_order=240,
    title="Bellman–Ford with a queue",
    paper="A Chinese study of four shortest-path searches on CUDA; SLF: Bertsekas 1993, LLL: Bertsekas et al. 1996",
    family="Bellman–Ford",
    summary="Nodes whose distance fell wait in a ring; a step takes a batch from its head. Small labels first and "
    "large labels last bring the order near Dijkstra's.",
    phases=("relax from the queue",),
    options=OPTIONS,
)
def bellman_ford_queue(run: Run) -> Iterator[None]:
    """Run Bellman–Ford with a queue until it is empty; a step takes one batch."""
    n, arrays, order = run.node_count, run.on_device, run.options["order"]
    small_first, large_last = order in (SLF, SLF_LLL), order in (LLL, SLF_LLL)
    size, most = n + 1, min(int(run.options["batch"]), n)
    ring, queued = run.array("ring", size, np.int32), run.array("queued", n, np.int32)
    taken, postponed = run.array("taken", most, np.int32), run.array("postponed", most, np.int32)
    ends, sums = run.array("ends", ENDS, np.int32), run.array("sums", bodies.SUMS, np.int64)
    roads = (arrays.offsets, arrays.targets, arrays.weights, run.distances, queued)
    run.launch(bodies.start_search, n, run.source, run.infinity, run.distances, queued, ring, ends)
    waiting = 1
    while waiting:
        batch = min(most, waiting)
        run.launch(bodies.start_step, 1, size, ends, sums)
        run.launch(bodies.add_up, waiting if large_last else 0, size, ring, run.distances, ends, sums)
        run.launch(bodies.take, batch, large_last, size, ring, run.distances, queued, ends, sums, taken, postponed)
        run.launch(bodies.postpone, batch, batch, size, ring, run.distances, ends, sums, postponed)
        if run.observer.recording:
            run.expand_list(taken, run.read(ends)[bodies.TAKEN])
        run.launch(bodies.relax_taken, batch, small_first, size, *roads, ring, ends, sums, taken)
        told = run.read(ends)
        waiting = told[TAIL] - told[HEAD] - told[bodies.TAKEN] + told[AT_HEAD] + told[AT_TAIL]
        reason = (
            f"a batch of {batch:,} from the head, {told[bodies.POSTPONED]:,} of them postponed" if large_last else ""
        )
        note = StepNote("queue", reason or f"a batch of {batch:,} from the head", "relax from the queue", queue=waiting)
        run.step_done(note)
        yield
