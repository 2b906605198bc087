"""Bellman–Ford with a queue: only nodes whose distance fell wait to be relaxed.

The queue is a ring with a head and a tail, since a GPU has no use for linked lists; a node is in it at most once. Its
order decides which nodes are relaxed next:

- **FIFO**: improved nodes go to the tail.
- **SLF**, small label first: an improved node goes to the head if its distance is below that of the node there.
- **LLL**, large label last: a node at the head whose distance is above the average of the queue goes to the tail.
- **SLF + LLL**: both.

The nearer to Dijkstra's order nodes are relaxed, the fewer are relaxed twice. The paper cites, before any experiment of
its own, that SLF raises the speed by 15–20 % and SLF + LLL by about 50 %.

``serving`` has two forms. *One head a step* is the paper's: a ring of n places with at most n − 1 entries, and a step
relaxes the arcs of a single node in parallel; large label last acts at the head, on removal: nodes above the average
move to the tail until one is not, and that one is relaxed (``one_head``). *Batches* are ours: a step takes many nodes
from the head and relaxes them together, and n + 1 places let any number of threads insert at once, each with one atomic
addition to an end. In a batch, large label last looks once at every node taken and leaves those above the average for
another step. A batch of one is the sequential algorithm for FIFO and SLF, and a batch as large as the queue makes these
two the same; with LLL neither holds, since a batch may then relax fewer nodes than it took, or none.

A Chinese study of CUDA Dijkstra, Bellman–Ford, Δ-stepping and sparse matrix–vector Bellman–Ford (after 2011); the two
orders: Bertsekas, A simple and fast label correcting algorithm for shortest paths, Networks 1993, and Bertsekas,
Guerriero and Musmanno, Parallel asynchronous label-correcting methods for shortest paths, J. Optim. Theory Appl. 1996.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from wayfront.algorithms.bellman_ford import queue_kernels as bodies
from wayfront.algorithms.bellman_ford.bellman_ford_view import ONE_HEAD, queue_after, read_queue, threads_of_queue
from wayfront.algorithms.bellman_ford.one_head import serve_heads
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
from wayfront.options import AUTO, Option
from wayfront.search.registry import algorithm
from wayfront.search.run import Run
from wayfront.trace.schema import StepNote

BATCHES = "batches (ours)"

LEAST_FILLING = 1024
"""A batch that a single core counts as filled: with a quarter of it New York takes a third longer, for more steps."""

OPTIONS = (
    Option(
        "serving",
        str,
        BATCHES,
        "What a step takes from the queue: a batch of nodes, or the one at the head.",
        choices=(BATCHES, ONE_HEAD),
    ),
    Option(
        "order",
        str,
        SLF_LLL,
        "Where improved nodes enter the queue (small label first: SLF) and which leave it (large label last: LLL).",
        choices=(FIFO, SLF, LLL, SLF_LLL),
    ),
    Option(
        "batch",
        int,
        AUTO,
        "Nodes that one step takes from the head, in batches; auto is as many as fill the device.",
        bounds=(1, 2**31 - 1),
        unit="nodes",
        automatic=True,
    ),
)


@algorithm(
    name="bellman-ford-queue",
    reading_order=240,
    title="Bellman–Ford with a queue",
    paper="A Chinese study of four shortest-path searches on CUDA; SLF: Bertsekas 1993, LLL: Bertsekas et al. 1996",
    family="Bellman–Ford",
    summary="Nodes whose distance fell wait in a ring; a step takes the node at its head, or a batch from there. Small "
    "labels first and large labels last bring the order near Dijkstra's.",
    phases=("relax from the queue",),
    options=OPTIONS,
    state=queue_after,
    threads=threads_of_queue,
)
def bellman_ford_queue(run: Run) -> Iterator[None]:
    """Run Bellman–Ford with a queue until it is empty; a step takes one batch, or one node."""
    order = run.options["order"]
    small_first, large_last = order in (SLF, SLF_LLL), order in (LLL, SLF_LLL)
    if run.options["serving"] == ONE_HEAD:
        return serve_heads(run, small_first=small_first, large_last=large_last)
    return _serve_batches(run, int(small_first), int(large_last))


def _serve_batches(run: Run, small_first: int, large_last: int) -> Iterator[None]:
    """Relax one batch after the other until the queue is empty."""
    n, distances = run.node_count, run.distances
    most, lanes = min(_batch(run), n), run.device.lane_bits
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
    run.observer.hold(lambda: read_queue(run, queue.ring, 0, 1, batch.taken, 0))
    while waiting:
        size = min(most, waiting)
        run.launch(bodies.start_step, 1, queue)
        if large_last:
            blocks = min(run.device.busy_blocks, (waiting + run.block - 1) // run.block)
            run.launch_blocks(bodies.add_up, blocks, waiting, distances, queue)
        run.launch(bodies.take, size, large_last, distances, queue, batch)
        run.launch(bodies.postpone, size, size, distances, queue, batch)
        run.launch(bodies.relax_taken, size << lanes, lanes, small_first, run.arcs, distances, queue, batch.taken)
        ends = run.read(queue.ends)
        waiting = ends[TAIL] - ends[HEAD] - ends[TAKEN] + ends[AT_HEAD] + ends[AT_TAIL]
        run.expand_list(batch.taken, ends[TAKEN])
        reason = f"a batch of {size:,} from the head"
        if large_last:
            reason += f", {ends[POSTPONED]:,} of them postponed"
        head = ends[HEAD] + ends[TAKEN] + ends[POSTPONED] - ends[AT_HEAD]
        run.step_done(StepNote("queue", reason, "relax from the queue", queue=waiting))
        run.observer.hold(partial(read_queue, run, queue.ring, head, waiting, batch.taken, ends[TAKEN]))
        yield


def _batch(run: Run) -> int:
    """Return how many nodes a step takes at most, as given, or so many that their threads fill the device."""
    given = run.options["batch"]
    filling = run.device.busy_blocks * run.device.block >> run.device.lane_bits
    return max(LEAST_FILLING, filling) if given == AUTO else int(given)
