"""Kernels of the task-parallel search: P searches at once, a thread for each node of each.

The state of node u in search t lies at ``u * P + t``, so thread i serves exactly element i. P is a multiple of a
warp's threads: those of one warp serve one node in 32 searches.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numba import types

from wayfront.devices.atomics import atomic_min
from wayfront.devices.cuda_support import cuda
from wayfront.devices.device import BlockKernel, DeviceArray
from wayfront.devices.warps import WARP, WARP_BITS, sync_warp
from wayfront.kernels.arguments import Arcs

MOST_THREADS = 1024
"""Threads of a block at most: the size of the shared arrays, of which each warp has its own part."""

MOST_WARPS = MOST_THREADS // WARP


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
        place = (arcs.targets[arc] << tasks.bits) + task
        offer = reached_at + arcs.weights[arc]
        # A plain load first: most offers are no better, and an atomic on each would cost far more than this load.
        if offer < tasks.updating[place]:
            atomic_min(tasks.updating, place, offer)


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
                place = (heads[k] << tasks.bits) + task
                offer = reached_at + weights[k]
                if offer < tasks.updating[place]:
                    atomic_min(tasks.updating, place, offer)
        sync_warp()


def _relax_on_processor(_blocks: int, _block: int, node_count: int, arcs: Arcs, tasks: Tasks) -> None:
    # Unsigned places and no jumps out of the loops over tasks: so that the compiler serves several tasks at once.
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
