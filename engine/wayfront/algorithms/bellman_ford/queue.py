"""Bellman–Ford with a queue: only nodes whose distance fell wait to be relaxed.

The queue is a ring of n + 1 elements with a head and a tail, since a GPU has no use for linked lists. A node is in
it at most once. Many threads insert at once, each by one atomic addition to an end. A step takes a batch of nodes from
the head and relaxes them together; the queue's order decides which nodes those are:

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
from wayfront.algorithms.bellman_ford.queue_kernels import (
    AT_HEAD,
    AT_TAIL,
    ENDS,
    FIFO,
    HEAD,
    LLL,
    POSTPONED,
    SLF,
    SLF_LLL,
    TAIL,
    TAKEN,
)
from wayfront.options import Option
from wayfront.search.registry import algorithm
from wayfront.search.run import Run
from wayfront.trace.schema import StepNote

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
    n, distances, order = run.node_count, run.distances, run.options["order"]
    small_first, large_last = int(order in (SLF, SLF_LLL)), int(order in (LLL, SLF_LLL))
    most = min(int(run.options["batch"]), n)
    queue = bodies.Queue(
        size=n + 1,
        ring=run.array("ring", n + 1, np.int32),
        queued=run.array("queued", n, np.int32),
        ends=run.array("ends", ENDS, np.int32),
        sums=run.array("sums", bodies.SUMS, np.int64),
    )
    batch = bodies.Batch(run.array("taken", most, np.int32), run.array("postponed", most, np.int32))
    run.launch(bodies.start_search, n, run.source, run.infinity, distances, queue)
    waiting = 1
    while waiting:
        size = min(most, waiting)
        run.launch(bodies.start_step, 1, queue)
        run.launch(bodies.add_up, waiting * large_last, distances, queue)
        run.launch(bodies.take, size, large_last, distances, queue, batch)
        run.launch(bodies.postpone, size, size, distances, queue, batch)
        run.launch(bodies.relax_taken, size, small_first, run.arcs, distances, queue, batch.taken)
        ends = run.read(queue.ends)
        waiting = ends[TAIL] - ends[HEAD] - ends[TAKEN] + ends[AT_HEAD] + ends[AT_TAIL]
        run.expand_list(batch.taken, ends[TAKEN])
        reason = f"a batch of {size:,} from the head"
        if large_last:
            reason += f", {ends[POSTPONED]:,} of them postponed"
        run.step_done(StepNote("queue", reason, "relax from the queue", queue=waiting))
        yield
