"""Bellman–Ford with a queue: only nodes whose distance fell wait to be relaxed.

The queue is a ring with a head and a tail, since a GPU has no use for linked lists; a node is in it at most once. Its
order decides which nodes are relaxed next:

- **FIFO**: improved nodes go to the tail.
- **SLF**, small label first: an improved node goes to the head if its distance is below that of the node there.
- **LLL**, large label last: a node at the head whose distance is above the average of the queue goes to the tail.
- **SLF + LLL**: both.

The nearer to Dijkstra's order nodes are relaxed, the fewer are relaxed twice. The paper cites, before any experiment of
its own, that SLF raises the speed by 15–20 % and SLF + LLL by about 50 %.

``serving`` has two forms. *One head a step* is the paper's: a ring of n elements with at most n − 1 nodes, and a step
relaxes the arcs of a single node in parallel; large label last acts at the head, on removal: nodes above the average
move to the tail until one is not, and that one is relaxed. There three things are ours: the sum of the queued distances
is kept up to date, so that large label last knows the average without adding up the queue; small label first compares
with the node that the step left at the head, since all arcs of the step are relaxed at once; and the ring is in the
device's own memory, where the paper's seems to lie in memory that both sides see. A node is in the queue at most once,
and the one that is relaxed has left it, so that the element at the tail is free: head = tail means empty.

*Batches* are ours: a step takes many nodes from the head and relaxes them together, and n + 1 elements let any number
of threads insert at either end at once, each with one atomic addition and no lock. A step has three launches, because
an element may be written again only after all have read it: TAKE reads the elements at the head and leaves them;
POSTPONE puts at the tail those above the queue's average; RELAX inserts improved nodes. Numbers of elements stay within
a few rings, so subtraction makes indices of them: a remainder of 64 bits would cost a card more than the rest of TAKE.
In a batch, large label last looks once at every node taken and leaves those above the average for another step. A batch
of one is the sequential algorithm for FIFO and SLF, and a batch as large as the queue makes these two the same; with
LLL neither holds, since a batch may then relax fewer nodes than it took, or none.

A Chinese study of CUDA Dijkstra, Bellman–Ford, Δ-stepping and sparse matrix–vector Bellman–Ford (after 2011); the two
orders: Bertsekas, A simple and fast label correcting algorithm for shortest paths, Networks 1993, and Bertsekas,
Guerriero and Musmanno, Parallel asynchronous label-correcting methods for shortest paths, J. Optim. Theory Appl. 1996.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from wayfront.devices.atomics import atomic_add, atomic_max, next_place
from wayfront.devices.cuda_support import cuda
from wayfront.devices.device import BlockKernel, DeviceArray
from wayfront.kernels.arguments import Arcs, lowers
from wayfront.kernels.reduction import sums_of_block
from wayfront.safe.options import AUTO, Option
from wayfront.searching.registry import algorithm
from wayfront.searching.run import Run
from wayfront.trace.schema import StateRow, StepNote
from wayfront.trace.step_views import ARC, Blocks, Launch, Recorded, held_state

BATCHES = "batches (ours)"

ONE_HEAD = "one head a step (paper)"

QUEUE_ROW, TAKEN_ROW = "Queue, from the head", "Taken by the last step"

LEAST_FILLING = 1024
"""A batch that a single core counts as filled: with a quarter of it New York takes a third longer, for more steps."""

HEAD, TAIL, TAKEN, POSTPONED, AT_HEAD, AT_TAIL, ENDS = range(7)
"""Indices in ``ends``: head and tail; nodes taken and postponed in this step; inserted at the head and at the tail."""

SUM, LENGTH, FIRST, SUMS = range(4)
"""Indices in ``sums``: of the distances of queued nodes, how many were added, and the head's own distance."""

FIFO, SLF, LLL, SLF_LLL = "FIFO", "SLF", "LLL", "SLF + LLL"

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


class Queue(NamedTuple):
    """The queue and its two ends.

    size     n + 1
    ring     int32 [size]: nodes; element k of the queue has the index k modulo the size
    queued   int32 [n]: 1 while a node is in the queue
    ends     int32 [ENDS]: head and tail are numbers of elements; the tail only grows and the head moves both ways
    sums     int64 [SUMS]
    """

    size: int
    ring: DeviceArray
    queued: DeviceArray
    ends: DeviceArray
    sums: DeviceArray


class Batch(NamedTuple):
    """The nodes that this step took from the head, and those it postponed, int32 [batch] each."""

    taken: DeviceArray
    postponed: DeviceArray


def start_search(i: int, source: int, infinity: int, distances: DeviceArray, queue: Queue) -> None:
    """Put the source alone into the queue."""
    distances[i] = 0 if i == source else infinity
    queue.queued[i] = 1 if i == source else 0
    if i == source:
        queue.ring[0] = i
        for k in range(ENDS):
            queue.ends[k] = 0
        queue.ends[TAIL] = 1


def start_step(i: int, queue: Queue) -> None:
    """Move the ends over what the last step took and inserted, and reset the counts. One thread."""
    ends = queue.ends
    ends[HEAD] += ends[TAKEN] + ends[POSTPONED] - ends[AT_HEAD]
    ends[TAIL] += ends[POSTPONED] + ends[AT_TAIL]
    # Numbers stay small: what the remainder means does not change when both ends move by whole rings.
    rings = ends[HEAD] // queue.size
    ends[HEAD] -= rings * queue.size
    ends[TAIL] -= rings * queue.size
    for k in range(TAKEN, ENDS):
        ends[k] = 0
    queue.sums[SUM] = 0
    queue.sums[LENGTH] = ends[TAIL] - ends[HEAD]


def _add_up_on_card(waiting: int, distances: DeviceArray, queue: Queue) -> None:
    own = np.int64(0)
    i = cuda.grid(1)
    while i < waiting:
        k = queue.ends[HEAD] + i
        if k >= queue.size:
            k -= queue.size
        own += distances[queue.ring[k]]
        i += cuda.gridsize(1)
    _, total = sums_of_block(own, queue.sums)
    if cuda.threadIdx.x == 0:
        atomic_add(queue.sums, SUM, total)


def _add_up_on_processor(_blocks: int, _block: int, waiting: int, distances: DeviceArray, queue: Queue) -> None:
    total = np.int64(0)
    k = queue.ends[HEAD]
    for _ in range(waiting):
        total += distances[queue.ring[k]]
        k += 1
        if k == queue.size:
            k = 0
    queue.sums[SUM] = total


add_up: Final = BlockKernel(_add_up_on_card, _add_up_on_processor)
"""Add the distances of all ``waiting`` nodes to the queue's sum; a block adds up its threads' shares first."""


def take(i: int, large_label_last: int, distances: DeviceArray, queue: Queue, batch: Batch) -> None:
    """TAKE the i-th node from the head; large label last: postpone it if its distance is above the queue's average."""
    ends, sums = queue.ends, queue.sums
    k = ends[HEAD] + i
    if k >= queue.size:
        k -= queue.size
    node = queue.ring[k]
    if large_label_last != 0 and distances[node] > sums[SUM] // sums[LENGTH]:
        batch.postponed[next_place(ends, POSTPONED)] = node
    else:
        queue.queued[node] = 0
        batch.taken[next_place(ends, TAKEN)] = node


def postpone(i: int, batch_size: int, distances: DeviceArray, queue: Queue, batch: Batch) -> None:
    """POSTPONE: put the i-th postponed node at the tail; and note the distance of the node now at the head.

    With no node left there, no distance is below it.
    """
    ends, sums, ring = queue.ends, queue.sums, queue.ring
    if i < ends[POSTPONED]:
        k = ends[TAIL] + i
        while k >= queue.size:
            k -= queue.size
        ring[k] = batch.postponed[i]
    if i == 0:
        sums[FIRST] = 0
        if ends[TAIL] - ends[HEAD] > batch_size:
            sums[FIRST] = distances[ring[(ends[HEAD] + batch_size) % queue.size]]
        elif ends[POSTPONED] > 0:
            sums[FIRST] = distances[batch.postponed[0]]


def relax_taken(
    i: int, lane_bits: int, small_label_first: int, arcs: Arcs, distances: DeviceArray, queue: Queue, taken: DeviceArray
) -> None:
    """RELAX the arcs of a node taken; improved nodes enter the queue unless they are in it.

    Small label first: at the head, if their distance is below that of the node at the head; else at the tail.
    2^``lane_bits`` threads share the arcs of one node.
    """
    ends = queue.ends
    if i >> lane_bits >= ends[TAKEN]:
        return
    node = taken[i >> lane_bits]
    reached_at = distances[node]
    lanes = 1 << lane_bits
    arc, end = arcs.offsets[node] + (i & (lanes - 1)), arcs.offsets[node + 1]
    while arc < end:
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        if lowers(distances, target, offer) and queue.queued[target] == 0 and atomic_max(queue.queued, target, 1) == 0:
            if small_label_first != 0 and offer < queue.sums[FIRST]:
                k = ends[HEAD] + ends[TAKEN] + ends[POSTPONED] - 1 - next_place(ends, AT_HEAD)
            else:
                k = ends[TAIL] + ends[POSTPONED] + next_place(ends, AT_TAIL)
            if k < 0:
                k += queue.size
            while k >= queue.size:
                k -= queue.size
            queue.ring[k] = target
        arc += lanes


RING_HEAD, RING_TAIL, WAITING, MOVED, RING_AT_HEAD, RING_AT_TAIL, LOWERED, RING_ENDS = range(8)
"""Indices in ``ends``: indices of head and tail; nodes left when the head was taken; nodes moved to the tail before
that; nodes that relaxing inserted at the head and at the tail; length of the list of those that it lowered."""

RING_SUM, RING_FIRST, RING_SUMS = range(3)
"""Indices in ``sums``: of the distances of queued nodes, and the distance of the node left at the head."""


class Ring(NamedTuple):
    """The queue.

    size     n, but two at least
    nodes    int32 [size]
    queued   int32 [n]: 1 while a node is in the queue
    counted  [n]: the distance with which a queued node is part of the sum, 0 for others
    taken    int32 [1]: the node that this step relaxes
    lowered  int32 [largest degree]: the nodes whose distance it lowered, some perhaps several times
    ends     int32 [RING_ENDS]
    sums     int64 [RING_SUMS]
    """

    size: int
    nodes: DeviceArray
    queued: DeviceArray
    counted: DeviceArray
    taken: DeviceArray
    lowered: DeviceArray
    ends: DeviceArray
    sums: DeviceArray


def start_ring(i: int, source: int, infinity: int, distances: DeviceArray, ring: Ring) -> None:
    """Put the source alone into the queue."""
    distances[i] = 0 if i == source else infinity
    ring.queued[i] = 1 if i == source else 0
    ring.counted[i] = 0
    if i == source:
        ring.nodes[0] = i
        for k in range(RING_ENDS):
            ring.ends[k] = 0
        ring.ends[RING_TAIL] = 1
        for k in range(RING_SUMS):
            ring.sums[k] = 0


def take_head(i: int, large_label_last: int, distances: DeviceArray, ring: Ring) -> None:
    """Take the node at the head; large label last: first move those above the queue's average to its tail. One thread.

    Before that it counts what the last step did: how far it moved the ends, and by how much it changed the sum of
    distances. Every node that it lowered is queued.
    """
    ends, sums = ring.ends, ring.sums
    for k in range(ends[LOWERED]):
        lower = ring.lowered[k]
        sums[RING_SUM] += distances[lower] - ring.counted[lower]
        ring.counted[lower] = distances[lower]
    head = (ends[RING_HEAD] - ends[RING_AT_HEAD]) % ring.size
    tail = (ends[RING_TAIL] + ends[RING_AT_TAIL]) % ring.size
    waiting = (tail - head) % ring.size
    moved = 0
    node = ring.nodes[head]
    while large_label_last != 0 and distances[node] > sums[RING_SUM] // waiting:
        ring.nodes[tail] = node
        tail = (tail + 1) % ring.size
        head = (head + 1) % ring.size
        node = ring.nodes[head]
        moved += 1
    head = (head + 1) % ring.size
    ring.queued[node] = 0
    sums[RING_SUM] -= ring.counted[node]
    ring.counted[node] = 0
    ring.taken[0] = node
    ends[RING_HEAD], ends[RING_TAIL] = head, tail
    ends[WAITING], ends[MOVED] = waiting - 1, moved
    ends[RING_AT_HEAD] = ends[RING_AT_TAIL] = ends[LOWERED] = 0
    sums[RING_FIRST] = distances[ring.nodes[head]] if waiting > 1 else 0


def relax_head(i: int, threads: int, small_label_first: int, arcs: Arcs, distances: DeviceArray, ring: Ring) -> None:
    """RELAX every ``threads``-th arc of the node taken, from the i-th on; improved nodes enter unless they are queued.

    Small label first: at the head, if their distance is below that of the node left there; else at the tail.
    """
    node, ends = ring.taken[0], ring.ends
    reached_at = distances[node]
    for arc in range(arcs.offsets[node] + i, arcs.offsets[node + 1], threads):
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        if lowers(distances, target, offer):
            ring.lowered[next_place(ends, LOWERED)] = target
            if ring.queued[target] == 0 and atomic_max(ring.queued, target, 1) == 0:
                if small_label_first != 0 and offer < ring.sums[RING_FIRST]:
                    ring.nodes[(ends[RING_HEAD] - 1 - next_place(ends, RING_AT_HEAD)) % ring.size] = target
                else:
                    ring.nodes[(ends[RING_TAIL] + next_place(ends, RING_AT_TAIL)) % ring.size] = target


def read_queue(
    run: Run, ring: DeviceArray, head: int, waiting: int, taken: DeviceArray, count: int
) -> tuple[StateRow, StateRow]:
    """Return the nodes that wait in a ring, from its head on, and the ``count`` nodes that a step took."""
    distances, elements = run.device.get(run.distances, run.node_count), run.device.get(ring)
    nodes = elements[(head + np.arange(waiting)) % len(elements)]
    last = run.device.get(taken, count)
    return StateRow(QUEUE_ROW, nodes.tolist(), distances[nodes].tolist()), StateRow(TAKEN_ROW, last.tolist())


def threads_of_queue(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches that take nodes from the queue and relax their arcs."""
    waiting, taken = recorded.held(step, QUEUE_ROW), recorded.held(step + 1, TAKEN_ROW)
    if recorded.options.get("serving") != ONE_HEAD:
        size = len(waiting) if recorded.options["batch"] == AUTO else min(int(recorded.options["batch"]), len(waiting))
        beyond = max(size - len(taken), 0)
        relaxed = blocks.lanes("relax_taken", taken, recorded.network.out_degrees(), beyond)
        return blocks.listed("take", waiting[:size]), relaxed
    if not taken:
        return ()
    offsets = recorded.network.offsets
    arcs = np.arange(offsets[taken[0]], offsets[taken[0] + 1])
    threads = min(blocks.block, max(1, int(recorded.network.out_degrees().max())))
    relaxed = blocks.rounds("relax_head", arcs, np.ones(len(arcs), bool), threads, ARC)
    return blocks.listed("take_head", taken), relaxed


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
    state=held_state("Queue", ("Held in", "Nodes", "Distances")),
    threads=threads_of_queue,
)
def bellman_ford_queue(run: Run) -> Iterator[None]:
    """Run Bellman–Ford with a queue until it is empty; a step takes one batch, or one node."""
    order = run.options["order"]
    small_first, large_last = order in (SLF, SLF_LLL), order in (LLL, SLF_LLL)
    if run.options["serving"] == ONE_HEAD:
        return _relax_heads(run, small_first=small_first, large_last=large_last)
    return _relax_batches(run, int(small_first), int(large_last))


def _relax_batches(run: Run, small_first: int, large_last: int) -> Iterator[None]:
    """Relax one batch after the other until the queue is empty."""
    n, distances = run.node_count, run.distances
    most, lanes = min(_batch(run), n), run.device.lane_bits
    queue = Queue(
        size=n + 1,
        ring=run.array("ring", n + 1, np.int32),
        queued=run.array("queued", n, np.int32),
        ends=run.array("ends", ENDS, np.int32),
        sums=run.array("sums", SUMS, np.int64),
    )
    batch = Batch(run.array("taken", most, np.int32), run.array("postponed", most, np.int32))
    run.launch(start_search, n, run.source, run.infinity, distances, queue)
    waiting = 1
    run.observer.hold(lambda: read_queue(run, queue.ring, 0, 1, batch.taken, 0))
    while waiting:
        size = min(most, waiting)
        run.launch(start_step, 1, queue)
        if large_last:
            blocks = min(run.device.busy_blocks, (waiting + run.block - 1) // run.block)
            run.launch_blocks(add_up, blocks, waiting, distances, queue)
        run.launch(take, size, large_last, distances, queue, batch)
        run.launch(postpone, size, size, distances, queue, batch)
        run.launch(relax_taken, size << lanes, lanes, small_first, run.arcs, distances, queue, batch.taken)
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


def _relax_heads(run: Run, *, small_first: bool, large_last: bool) -> Iterator[None]:
    """Relax one head after the other until the queue is empty."""
    n, distances = run.node_count, run.distances
    size, most_arcs = max(2, n), max(1, int(run.network.out_degrees().max()))
    ring = Ring(
        size=size,
        nodes=run.array("ring nodes", size, np.int32),
        queued=run.array("queued", n, np.int32),
        counted=run.array("counted distance", n, run.distance_dtype),
        taken=run.array("head taken", 1, np.int32),
        lowered=run.array("lowered", most_arcs, np.int32),
        ends=run.array("ends", RING_ENDS, np.int32),
        sums=run.array("sums", RING_SUMS, np.int64),
    )
    threads = min(run.block, most_arcs)
    run.launch(start_ring, n, run.source, run.infinity, distances, ring)
    waiting = 1
    run.observer.hold(lambda: read_queue(run, ring.nodes, 0, 1, ring.taken, 0))
    while waiting:
        run.launch(take_head, 1, int(large_last), distances, ring)
        run.launch(relax_head, threads, threads, int(small_first), run.arcs, distances, ring)
        ends = run.read(ring.ends)
        waiting = ends[WAITING] + ends[RING_AT_HEAD] + ends[RING_AT_TAIL]
        run.expand_list(ring.taken, 1)
        reason = "the node at the head"
        if large_last:
            reason += f", after {ends[MOVED]:,} moved to the tail"
        run.step_done(StepNote("queue", reason, "relax from the queue", queue=waiting))
        run.observer.hold(
            partial(read_queue, run, ring.nodes, ends[RING_HEAD] - ends[RING_AT_HEAD], waiting, ring.taken, 1)
        )
        yield
