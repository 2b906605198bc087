"""The queue of Bellman–Ford as the paper has it: a step takes one node from the head and relaxes its arcs at once.

Its places, ends and orders are described in ``queue``, whose option ``serving`` chooses it. Ours here: the sum of the
queued distances is kept up to date, so that large label last knows the average without adding up the queue; small
label first compares with the node that the step left at the head, since all arcs of the step are relaxed at once; and
the ring is in the device's own memory, where the paper's seems to lie in memory that both sides see.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from wayfront.algorithms.bellman_ford import one_head_kernels as bodies
from wayfront.algorithms.bellman_ford.bellman_ford_view import read_queue
from wayfront.algorithms.bellman_ford.one_head_kernels import AT_HEAD, AT_TAIL, HEAD, MOVED, WAITING
from wayfront.search.run import Run
from wayfront.trace.schema import StepNote


def serve_heads(run: Run, *, small_first: bool, large_last: bool) -> Iterator[None]:
    """Relax one head after the other until the queue is empty."""
    n, distances = run.node_count, run.distances
    places, most_arcs = max(2, n), max(1, int(run.network.out_degrees().max()))
    ring = bodies.Ring(
        places=places,
        nodes=run.array("places", places, np.int32),
        queued=run.array("queued", n, np.int32),
        counted=run.array("counted distance", n, run.distance_dtype),
        taken=run.array("head taken", 1, np.int32),
        lowered=run.array("lowered", most_arcs, np.int32),
        ends=run.array("ends", bodies.ENDS, np.int32),
        sums=run.array("sums", bodies.SUMS, np.int64),
    )
    threads = min(run.block, most_arcs)
    run.launch(bodies.start_search, n, run.source, run.infinity, distances, ring)
    waiting = 1
    run.observer.hold(lambda: read_queue(run, ring.nodes, 0, 1, ring.taken, 0))
    while waiting:
        run.launch(bodies.take_head, 1, int(large_last), distances, ring)
        run.launch(bodies.relax_head, threads, threads, int(small_first), run.arcs, distances, ring)
        ends = run.read(ring.ends)
        waiting = ends[WAITING] + ends[AT_HEAD] + ends[AT_TAIL]
        run.expand_list(ring.taken, 1)
        reason = "the node at the head"
        if large_last:
            reason += f", after {ends[MOVED]:,} moved to the tail"
        run.step_done(StepNote("queue", reason, "relax from the queue", queue=waiting))
        run.observer.hold(partial(read_queue, run, ring.nodes, ends[HEAD] - ends[AT_HEAD], waiting, ring.taken, 1))
        yield
