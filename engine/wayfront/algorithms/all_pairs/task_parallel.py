"""Task-parallel: relax/update from 32 sources at once, with a thread for each node of each search.

One search by relax/update (Harish and Narayanan) seldom keeps a card busy, and reads every arc range, head and weight
for itself. Here P = 32 searches, the tasks, advance together: thread i serves node i div P in task i mod P. P is the
size of a warp, so the threads of a warp serve one node in 32 tasks: they have the same arcs to relax, hence no lane
waits for another's longer list, and range, heads and weights are loaded once, by all of them together, into shared
memory. Mask, cost and updating cost are [n, P], node after node, so that the warp reads and writes 32 neighbours. A
round is two launches, as in relax/update: A' relaxes the arcs of marked threads, B' takes over lower costs and marks.
After round k every node whose shortest path has at most k arcs has its distance in all tasks, and the batch is finished
when no thread is marked. There are n / P batches.

Cost: the rounds of a batch are those of its longest search, and each one looks at n·P masks. Against searches in turn
there are P times fewer launches, with P times as many threads. A ring needs n rounds, as in turn.

What is printed, and what runs here:

- ``Ca[v, t]`` in the kernel's sum must be the cost of the node that offers, ``Ca[u, t]``.
- The loads cover P arcs of a node; for larger degrees they are repeated, P arcs at a time.
- Between the loads and their use, and between setting and asking ``ms[u]``, the threads must wait for one another; the
  print leaves that to warps that ran in step, which they no longer do.
- The minimum must be atomic, since threads of other nodes lower the same cost. The authors' card had no atomic
  operations on its memory, so their times are without, and their costs may have been wrong.
- ``searches`` is P; the paper has 32 alone. More of them fill a large card on a small network, and warps stay as they
  are. This is ours.

Without shared memory every thread reads its node's arcs itself: the paper's own comparison. An H200's cache makes both
equally fast. Distances only, as in the paper.

Okuyama, Ino and Hagihara, Accelerating all-pairs shortest path problem using CUDA, IPSJ SIG technical report, 2008.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wayfront.algorithms.all_pairs.all_pairs_view import warp_a_node
from wayfront.algorithms.all_pairs.task_parallel_kernels import (
    Tasks,
    relax_alone,
    relax_together,
    start_tasks,
    update_tasks,
)
from wayfront.devices.warps import WARP
from wayfront.kernels.observing import fill
from wayfront.options import Option
from wayfront.search.all_pairs.run import PairsRun
from wayfront.search.registry import SearchKind, algorithm
from wayfront.trace.schema import StepNote

PHASE = "relax, update"

OPTIONS = (
    Option("shared", bool, True, "Load the arcs of a node once into shared memory, for all tasks of a warp."),
    Option(
        "searches",
        int,
        WARP,
        "Searches at once. The paper has 32; more fill a large card on a small network.",
        choices=(WARP, 128, 512),
    ),
    Option("block", int, 256, "Threads of a block.", choices=(64, 128, 256, 512), unit="threads"),
)


@algorithm(
    name="task-parallel",
    kind=SearchKind.ALL_PAIRS,
    reading_order=630,
    title="Task-parallel relax/update",
    paper="Okuyama, Ino and Hagihara 2008",
    family="All pairs",
    summary="Relax/update from 32 sources at once: the threads of a warp serve one node in 32 searches, and share its "
    "arcs through shared memory.",
    phases=(PHASE,),
    options=OPTIONS,
    threads=warp_a_node,
)
def task_parallel(run: PairsRun) -> Iterator[None]:
    """Search from P sources at a time until no task marks a node; a step is a batch of P sources."""
    n, dtype = run.node_count, run.distance_dtype
    searches = int(run.options["searches"])
    threads = n * searches
    run.require(threads * (1 + 2 * dtype.itemsize))
    tasks = Tasks(
        bits=searches.bit_length() - 1,
        mask=run.array("mask", threads, np.int8),
        cost=run.array("cost", threads, dtype),
        updating=run.array("updating", threads, dtype),
    )
    changed = run.array("changed", 1, np.int32)

    def advance() -> None:
        run.launch(fill, 1, changed, 0)
        if run.options["shared"]:
            run.launch_blocks(relax_together, -(-threads // run.block), n, run.arcs, tasks)
        else:
            run.launch(relax_alone, threads, run.arcs, tasks)
        run.launch(update_tasks, threads, tasks, changed)

    recorded = None
    for batch in run.batches(searches):
        run.launch(start_tasks, threads, batch.count, batch.sources, run.infinity, tasks)
        recorded = recorded or run.record(advance)
        rounds, marked = 0, True
        while marked:
            run.check()
            recorded()
            rounds += 1
            marked = run.read(changed)[0] != 0
        note = StepNote(mode="all nodes", reason=f"no task marked a node after round {rounds:,}", phase=PHASE)
        run.rows_done(batch, tasks.cost, source_stride=1, node_stride=searches, note=note)
        yield
