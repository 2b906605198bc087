"""Show what the Dijkstra searches hold between two steps, and what the threads of the parallel one do in one."""

from __future__ import annotations

import numpy as np

from wayfront.algorithms.dijkstra.bucket_kernels import NONE, BucketQueue
from wayfront.algorithms.dijkstra.heap_kernels import DecreaseKeyHeap, LazyHeap
from wayfront.kernels.keyed_heap import PAIR
from wayfront.search.step_view import Recorded, held_state
from wayfront.search.thread_grid import ARC, Blocks, Launch
from wayfront.trace.step_state import StateRow, StepState

_COLUMNS = ("Held in", "Nodes", "Distances")


def read_bucket_queue(queue: BucketQueue, fine_bits: int) -> list[StateRow]:
    """Return the buckets in use: those of a single distance, then the coarse ones; outdated entries are among them."""
    rows = []
    for title, level, bits in (
        ("Distance {number}", queue.fine, 0),
        ("Coarse bucket {number}", queue.coarse, fine_bits),
    ):
        buckets = []
        for first in level.first[level.first != NONE].tolist():
            entry, nodes, keys = first, [], []
            while entry != NONE:
                nodes.append(int(queue.entry_node[entry]))
                keys.append(int(queue.entry_distance[entry]))
                entry = int(queue.entry_next[entry])
            buckets.append(StateRow(title, nodes, keys, keys[0] >> bits))
        rows += sorted(buckets, key=lambda row: row.number)
    return rows


def read_heap(heap: LazyHeap | DecreaseKeyHeap) -> list[StateRow]:
    """Return the heap, place by place: the least first, and below place p the places 2 p + 1 and 2 p + 2."""
    size = int(heap.size[0])
    if isinstance(heap, LazyHeap):
        nodes, keys = heap.node[:size], heap.distance[:size]
    else:
        keys, nodes = heap.entries[: PAIR * size].reshape(-1, PAIR).T
    return [StateRow("Heap, place by place", nodes.tolist(), keys.tolist())]


def queue_after(recorded: Recorded, done: int) -> StepState | None:
    """Return the buckets of the queue."""
    return held_state(recorded, done, "Bucket queue", _COLUMNS)


def heap_after(recorded: Recorded, done: int) -> StepState | None:
    """Return the heap."""
    return held_state(recorded, done, "Binary heap", _COLUMNS)


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
