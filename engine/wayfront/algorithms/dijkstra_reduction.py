"""Dijkstra's algorithm with all threads at each step: ExtractMin as a parallel reduction.

Dijkstra settles one node after the other, so the only work to share out within a step is to find the nearest
unsettled node, and to relax the arcs of the one found. The minimum of n distances is found in two launches: each block
reduces its share, within warps by shuffles and across them in shared memory; then one block reduces what the blocks
found, settles that node, and relaxes its arcs, a thread each. Ties fall to the smallest internal number.

The choice of block size divides the same threads into more or fewer blocks: a block's own reduction is shorter with few
threads, and the last one, over what the blocks found, with few blocks.

n steps of O(n / t) with t threads: quadratic, whatever t is. A binary heap finds the same minimum in O(log n), and in
the paper's own table one thread with a heap beats every block size by four orders of magnitude. What the search shows
is how a reduction works and what the choice of block size is worth.

The host needs nothing from a step to start the next, since the node found stays on the card. So many steps are sent
in one go, as a captured graph where there is one, and the host looks only then whether the minimum was infinite; steps
after that find nothing and do nothing. The time of a step in a trace is the mean over those sent together.

A Chinese study of CUDA Dijkstra, Bellman–Ford, Δ-stepping and sparse matrix–vector Bellman–Ford (after 2011);
reduction as in M. Harris, Optimizing parallel reduction in CUDA, 2007.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.atomics import atomic_add, atomic_max, atomic_min, callable_in_bodies
from wayfront.devices.cuda_support import cuda
from wayfront.devices.device import BlockKernel, DeviceArray
from wayfront.kernels.arguments import Arcs, Recording
from wayfront.kernels.observing import fill
from wayfront.kernels.reduction import Nearest, Settling, nearest_of_shares, settle_of_block, settle_on_processor
from wayfront.safe.options import Option
from wayfront.searching.registry import algorithm
from wayfront.searching.run import Run
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import StepNote, StepState
from wayfront.trace.step_views import ARC, Blocks, Launch, Recorded

STEPS_AT_ONCE = 64
"""Steps sent in one go: the look whether to stop costs as much as several steps, and cancelling waits for them."""

REDUCING_THREADS = 1 << 17
"""Threads that reduce at once, in blocks of any size: half of what an H200 holds; more only leave more for the last
block."""

OPTIONS = (
    Option("block", int, 512, "Threads of a block of the reduction.", choices=(128, 256, 512, 1024), unit="threads"),
)


def start_search(i: int, source: int, infinity: int, distances: DeviceArray, settling: Settling) -> None:
    """Give the source distance 0; no node is settled."""
    distances[i] = 0 if i == source else infinity
    settling.settled[i] = 0
    if i == source:
        settling.taken[0] = 0


class Tentative(NamedTuple):
    """The tentative distances, the arcs that lower them, and where a traced run notes which nodes a step lowered."""

    infinity: int
    arcs: Arcs
    distances: DeviceArray
    recording: Recording


@callable_in_bodies
def _relax_arc(arc: int, step: int, node: int, tentative: Tentative) -> None:
    """Relax an arc of the node that this step settled."""
    distances, recording = tentative.distances, tentative.recording
    target = tentative.arcs.targets[arc]
    offer = distances[node] + tentative.arcs.weights[arc]
    if offer < distances[target]:
        before = atomic_min(distances, target, offer)
        if offer < before and recording.on != 0:
            if before == tentative.infinity:
                recording.first_reached[target] = step
            if atomic_max(recording.last_improved, target, step) < step:
                atomic_add(recording.improved, step, 1)


def _settle_and_relax_on_card(shares: int, nearest: Nearest, settling: Settling, tentative: Tentative) -> None:
    settle_of_block(shares, nearest, settling)
    node = settling.chosen[0]
    if node < 0:
        return
    arc, end = tentative.arcs.offsets[node] + cuda.threadIdx.x, tentative.arcs.offsets[node + 1]
    while arc < end:
        _relax_arc(arc, settling.taken[0] - 1, node, tentative)
        arc += cuda.blockDim.x


def _settle_and_relax_on_processor(
    _blocks: int, _block: int, shares: int, nearest: Nearest, settling: Settling, tentative: Tentative
) -> None:
    settle_on_processor(shares, nearest, settling)
    node = settling.chosen[0]
    if node >= 0:
        for arc in range(tentative.arcs.offsets[node], tentative.arcs.offsets[node + 1]):
            _relax_arc(arc, settling.taken[0] - 1, node, tentative)


settle_and_relax: Final = BlockKernel(_settle_and_relax_on_card, _settle_and_relax_on_processor)
"""Find the nearest of all shares, settle it, append it to the order, and relax its arcs; do nothing if there is none.

One block does it: the number of the step is that of the nodes settled before.
"""

_COLUMNS = ("Held in", "Nodes", "Distances")


def settled_after(recorded: Recorded, done: int) -> StepState:
    """Return the settled nodes in their order, and the others that are reached, of which the nearest is next."""
    settled = recorded.trace.settled[:done]
    waiting = np.setdiff1d(recorded.reached(done), settled)
    rows = (recorded.row("Settled", settled, done), recorded.row("Reached, not settled", waiting, done))
    return StepState("Marks of settled nodes", _COLUMNS, rows)


def threads_of_reduction(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the reduction, a thread a node with work for those that may be the nearest, and the block that relaxes."""
    network, settled = recorded.network, recorded.trace.settled
    waiting = np.setdiff1d(recorded.reached(step), settled[:step])
    node = max(int(settled[step]), 0)
    arcs = np.arange(network.offsets[node], network.offsets[node + 1])
    relaxing = blocks.rounds("settle_and_relax", arcs, np.ones(len(arcs), bool), blocks.block, ARC)
    return blocks.nodes("nearest_of_shares", network.node_count, waiting), relaxing


def count_blocks(node_count: int, block: int) -> int:
    """Return how many blocks of a size reduce: together they have the same threads, whatever the size is."""
    return min(REDUCING_THREADS, node_count + block - 1) // block


def _count_steps(run: Run) -> int:
    """Return the most steps there can be: one for each node."""
    return run.node_count


@algorithm(
    name="cuda-dijkstra",
    reading_order=120,
    title="Dijkstra, parallel reduction",
    paper="A Chinese study of four shortest-path searches on CUDA (after 2011)",
    family="Dijkstra",
    summary="Settles one node a step: all threads together find the nearest by a reduction in shared memory, then "
    "relax its arcs. As many steps as nodes.",
    phases=("extract minimum, relax",),
    options=OPTIONS,
    count_steps=_count_steps,
    state=settled_after,
    threads=threads_of_reduction,
)
def cuda_dijkstra(run: Run) -> Iterator[int]:
    """Run Dijkstra by parallel reduction; a step settles one node."""
    n, distances = run.node_count, run.distances
    blocks = count_blocks(n, run.block)
    settling = Settling(
        settled=run.array("settled marks", n, np.int8),
        chosen=run.array("chosen", 1, np.int32),
        order=run.array("settled order", n, np.int32),
        taken=run.array("taken", 1, np.int32),
    )
    nearest = Nearest(
        run.array("share distance", blocks, run.distance_dtype), run.array("share node", blocks, np.int32)
    )
    improved = run.array("improved by step", n, np.int32) if run.observer.recording else None
    recording = run.recording(improved)
    tentative = Tentative(run.infinity, run.arcs, distances, recording)
    at_once = min(STEPS_AT_ONCE, n)

    def steps() -> None:
        for _ in range(at_once):
            run.launch_blocks(nearest_of_shares, blocks, n, run.infinity, distances, settling.settled, nearest)
            run.launch_blocks(settle_and_relax, 1, blocks, nearest, settling, tentative)
            run.observer.keep_labels(distances, settling.taken)

    run.launch(start_search, n, run.source, run.infinity, distances, settling)
    run.launch(fill, n * recording.on, recording.improved, 0)
    recorded = run.record(steps)
    done, found = 0, at_once
    while found == at_once:
        recorded()
        found = run.read(settling.taken)[0] - done
        if recording.on and found:
            batch_ns, settled = run.observer.lap_ns(), done + found
            order, counts = run.device.get(settling.order, settled), run.device.get(improved, settled)
            _hand_over(run, order, counts, done, batch_ns)
        done += found
        yield found


def _hand_over(run: Run, order: NDArray[np.int32], improved: NDArray[np.int32], done: int, batch_ns: int) -> None:
    """Give the steps from ``done`` on to the observer: each settled one node, in equal shares of their time."""
    nodes = order[done:].copy()
    step_ns, left_ns = divmod(batch_ns, len(nodes))
    time_ns = np.full(len(nodes), step_ns)
    time_ns[0] += left_ns
    low = run.device.get(run.distances)[nodes].astype(np.int64)
    figures = {"bucket_low": low, "bucket_high": low + 1, "settled": nodes.astype(np.int64)}
    note = StepNote("all nodes", "every unsettled node takes part in the reduction", "extract minimum, relax")
    labels = run.observer.labels
    table = StepTable(
        sizes=np.ones_like(low),
        improved=improved[done:].astype(np.int64),
        time_ns=time_ns,
        note=note,
        figures=figures,
        tentative=None if labels is None else labels.read(done, len(nodes)),
    )
    run.observer.add_steps(nodes, table)
