"""Task-parallel: relax/update from 32 sources at once, with a thread for each node of each search.

One search by relax/update (Harish and Narayanan) seldom keeps a card busy, and reads every arc range, head and weight
for itself. Here P = 32 searches, the tasks, advance together: thread i has node i div P in task i mod P. P is the size
of a warp, so the threads of a warp have one node in 32 tasks: they have the same arcs to relax, hence no lane waits for
another's longer list, and range, heads and weights are loaded once, by all of them together, into shared memory. Mask,
cost and updating cost are [n, P], node after node (that of node u in search t lies at u · P + t), so that the warp
reads and writes 32 neighbours. A round is two launches, as in relax/update: A' relaxes the arcs of marked threads, B'
takes over lower costs and marks. After round k every node whose shortest path has at most k arcs has its distance in
all tasks, and the batch is finished when no thread is marked. There are n / P batches.

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
from typing import Final, NamedTuple

import numpy as np
from numba import types

from wayfront.devices.atomics import atomic_min
from wayfront.devices.blocks import WARP, WARP_BITS, sync_warp
from wayfront.devices.cuda_support import cuda
from wayfront.devices.device import BlockKernel, DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.observing import fill
from wayfront.results.result import SearchKind
from wayfront.safe.options import Option
from wayfront.searching.all_pairs.run import PairsRun
from wayfront.searching.registry import algorithm
from wayfront.trace.schema import StepNote
from wayfront.trace.step_views import NODE, Blocks, Launch, Recorded

PHASE = "relax, update"

MOST_THREADS = 1024
"""Threads of a block at most: the size of the shared arrays, of which each warp has its own part."""

MOST_WARPS = MOST_THREADS // WARP

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


class Tasks(NamedTuple):
    """The state of P = 2^``bits`` searches, [n, P] each, node after node.

    mask       int8: M, 1 where the node's cost fell in the last round
    cost       typed like the distances: C
    updating   typed like the distances: U, the updating cost
    """

    bits: int
    mask: DeviceArray
    cost: DeviceArray
    updating: DeviceArray


def start_tasks(i: int, count: int, sources: DeviceArray, infinity: int, tasks: Tasks) -> None:
    """Mark the source of each of the first ``count`` searches, at cost 0; the searches beyond them reach nothing."""
    task = i & ((1 << tasks.bits) - 1)
    is_source = task < count and sources[task] == i >> tasks.bits
    cost = 0 if is_source else infinity
    tasks.mask[i] = 1 if is_source else 0
    tasks.cost[i] = cost
    tasks.updating[i] = cost


def relax_alone(i: int, arcs: Arcs, tasks: Tasks) -> None:
    """A' without shared memory: a marked thread clears its mask and offers its cost along its node's arcs."""
    if tasks.mask[i] == 0:
        return
    tasks.mask[i] = 0
    node, task = i >> tasks.bits, i & ((1 << tasks.bits) - 1)
    reached_at = tasks.cost[i]
    for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
        entry = (arcs.targets[arc] << tasks.bits) + task
        offer = reached_at + arcs.weights[arc]
        # A plain load first: most offers are no better, and an atomic on each would cost far more than this load.
        if offer < tasks.updating[entry]:
            atomic_min(tasks.updating, entry, offer)


def _relax_on_card(node_count: int, arcs: Arcs, tasks: Tasks) -> None:
    some_marked = cuda.shared.array(MOST_WARPS, types.int32)  # ms of the paper
    begins = cuda.shared.array(MOST_WARPS, types.int64)
    ends = cuda.shared.array(MOST_WARPS, types.int64)
    heads = cuda.shared.array(MOST_THREADS, types.int32)  # es
    weights = cuda.shared.array(MOST_THREADS, types.int32)  # ws
    i, me = cuda.grid(1), cuda.threadIdx.x
    node, warp, lane = i >> tasks.bits, me >> WARP_BITS, me & (WARP - 1)
    if node >= node_count:
        return
    if lane == 0:
        some_marked[warp] = 0
    sync_warp()
    marked = tasks.mask[i] != 0
    if marked:
        some_marked[warp] = 1
    sync_warp()
    if some_marked[warp] == 0:
        return
    if lane == 0:
        begins[warp] = arcs.offsets[node]
        ends[warp] = arcs.offsets[node + 1]
    sync_warp()
    begin, end, reached_at = begins[warp], ends[warp], tasks.cost[i]
    task, own_part = i & ((1 << tasks.bits) - 1), me - lane
    tasks.mask[i] = 0
    for first in range(begin, end, WARP):
        if first + lane < end:
            heads[me] = arcs.targets[first + lane]
            weights[me] = arcs.weights[first + lane]
        sync_warp()
        if marked:
            for k in range(own_part, own_part + min(WARP, end - first)):
                entry = (heads[k] << tasks.bits) + task
                offer = reached_at + weights[k]
                if offer < tasks.updating[entry]:
                    atomic_min(tasks.updating, entry, offer)
        sync_warp()


def _relax_on_processor(_blocks: int, _block: int, node_count: int, arcs: Arcs, tasks: Tasks) -> None:
    # Unsigned indices and no jumps out of the loops over tasks: so that the compiler takes several tasks at once.
    searches = np.uintp(1 << tasks.bits)
    for node in range(node_count):
        begin = np.uintp(node) << np.uintp(tasks.bits)
        some_marked = np.int8(0)
        for t in range(searches):
            some_marked |= tasks.mask[begin + t]
        if some_marked == 0:
            continue
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            to, weight = np.uintp(arcs.targets[arc]) << np.uintp(tasks.bits), arcs.weights[arc]
            for t in range(searches):
                offer, old = tasks.cost[begin + t] + weight, tasks.updating[to + t]
                tasks.updating[to + t] = offer if tasks.mask[begin + t] != 0 and offer < old else old
        for t in range(searches):
            tasks.mask[begin + t] = 0


relax_together: Final = BlockKernel(_relax_on_card, _relax_on_processor)
"""A' with shared memory: threads load the arcs of a node once, together, if any of their 32 tasks marks it.

A processor reads each arc once for all P tasks.
"""


def update_tasks(i: int, tasks: Tasks, changed: DeviceArray) -> None:
    """B': take over a lower cost and mark the thread; note that some thread is marked."""
    if tasks.cost[i] > tasks.updating[i]:
        tasks.cost[i] = tasks.updating[i]
        tasks.mask[i] = 1
        changed[0] = 1


def warp_a_node(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return a round of a batch: a thread for each node in each search, with work where the search has a source.

    The threads of a warp have one node. Which of them found their node marked differs from round to round.
    """
    n, searches = recorded.network.node_count, int(recorded.options.get("searches", blocks.facts.warp))
    items = np.repeat(np.arange(n, dtype=np.int32), searches)
    busy = np.tile(np.arange(searches) < recorded.trace.frontier_size[step], n)
    kernel = "relax_together" if recorded.options.get("shared", True) else "relax_alone"
    return blocks.launch(kernel, items, busy, NODE), blocks.launch("update_tasks", items, busy, NODE)


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
