"""Show what the Bellman–Ford searches hold between two steps, and what their threads do in one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.bellman_ford.passes import IN_PLACE, stride_threads
from wayfront.devices.device import DeviceArray
from wayfront.options import AUTO
from wayfront.search.run import Run
from wayfront.search.step_view import Recorded, held_state
from wayfront.search.thread_grid import ARC, ROW, Blocks, Launch
from wayfront.trace.step_state import StateRow, StepState

ONE_HEAD = "one head a step (paper)"
QUEUE, TAKEN = "Queue, from the head", "Taken by the last step"
_COLUMNS = ("Held in", "Nodes", "Distances")


def reached_after(recorded: Recorded, done: int) -> StepState:
    """Return the reached nodes, all of which the next pass relaxes: these searches hold nothing else."""
    return StepState(
        "Array D", _COLUMNS, (recorded.row("Reached, relaxed by the next pass", recorded.reached(done), done),)
    )


def flags_after(recorded: Recorded, done: int) -> StepState:
    """Return the flagged nodes: those whose distance fell in the last pass."""
    return StepState("Flags F", _COLUMNS, (recorded.row("Flagged", recorded.expanded_next(done), done),))


def read_queue(
    run: Run, ring: DeviceArray, head: int, waiting: int, taken: DeviceArray, count: int
) -> tuple[StateRow, StateRow]:
    """Return the nodes that wait in a ring, from its head on, and the ``count`` nodes that a step took."""
    distances, places = run.device.get(run.distances, run.node_count), run.device.get(ring)
    nodes = places[(head + np.arange(waiting)) % len(places)]
    last = run.device.get(taken, count)
    return StateRow(QUEUE, nodes.tolist(), distances[nodes].tolist()), StateRow(TAKEN, last.tolist())


def queue_after(recorded: Recorded, done: int) -> StepState | None:
    """Return the queue from its head to its tail, and what the last step took from it."""
    return held_state(recorded, done, "Queue", _COLUMNS)


def thread_a_node(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches of version 1: a thread for every node."""
    n, expanded = recorded.network.node_count, recorded.trace.frontier(step)
    if recorded.options.get("update") == IN_PLACE:
        return (blocks.nodes("relax_all", n, expanded),)
    return blocks.nodes("relax", n, expanded), blocks.nodes("update_distance", n, recorded.changed(step))


def grid_stride(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches of version 2: each thread takes every so many-th node."""
    if recorded.options.get("update") == IN_PLACE:
        return _by_stride(recorded, step, blocks, ("relax_all_by_stride",))
    return _by_stride(recorded, step, blocks, ("relax_by_stride", "update_by_stride"))


def flagged_by_stride(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches of version 3, in which only flagged nodes have arcs to relax."""
    if recorded.options.get("update") == IN_PLACE:
        return _by_stride(recorded, step, blocks, ("relax_flagged_by_stride",))
    return _by_stride(recorded, step, blocks, ("relax_flagged", "update_and_flag"))


def _by_stride(recorded: Recorded, step: int, blocks: Blocks, kernels: tuple[str, ...]) -> tuple[Launch, ...]:
    nodes, given = np.arange(recorded.network.node_count, dtype=np.int32), recorded.options.get("blocks", AUTO)
    threads = stride_threads(len(nodes), blocks.block) if given == AUTO else int(given) * blocks.block
    busy: tuple[NDArray[np.integer], ...] = (recorded.trace.frontier(step), recorded.changed(step))
    return tuple(
        blocks.rounds(kernel, nodes, np.isin(nodes, at_work), threads)
        for kernel, at_work in zip(kernels, busy, strict=False)
    )


def thread_a_row(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the product: a thread for every row, with work for those whose arcs come from a reached node."""
    network = recorded.network
    rows = np.arange(network.node_count)
    heads = network.targets[np.isin(network.tails(), recorded.reached(step))]
    kernel = "multiply_csr" if recorded.options.get("format") == "CSR" else "multiply_ell"
    return (blocks.launch(kernel, rows, np.isin(rows, heads), ROW),)


def threads_of_queue(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches that take nodes from the queue and relax their arcs."""
    waiting, taken = recorded.held(step, QUEUE), recorded.held(step + 1, TAKEN)
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
