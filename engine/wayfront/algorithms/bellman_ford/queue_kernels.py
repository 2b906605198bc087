"""Bodies of Bellman–Ford with a queue that is served in batches, in a ring of n + 1 elements.

A node is in the queue at most once, which ``queued`` says, so n + 1 elements are enough for any number of threads to
insert at either end at once, each with one atomic addition and no lock.

A step has three launches, because an element may be written again only after all have read it: TAKE reads the elements
at the head and leaves them; POSTPONE puts at the tail those above the queue's average; RELAX inserts improved
nodes. Numbers of elements stay within a few rings, so subtraction makes indices of them: a remainder of 64 bits would
cost a card more than the rest of TAKE.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from wayfront.devices.atomics import atomic_add, atomic_max, next_place
from wayfront.devices.cuda_support import cuda
from wayfront.devices.device import BlockKernel, DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.reduction import sums_of_block
from wayfront.kernels.relaxing import lowers

HEAD, TAIL, TAKEN, POSTPONED, AT_HEAD, AT_TAIL, ENDS = range(7)
"""Indices in ``ends``: head and tail; nodes taken and postponed in this step; inserted at the head and at the tail."""

SUM, LENGTH, FIRST, SUMS = range(4)
"""Indices in ``sums``: of the distances of queued nodes, how many were added, and the head's own distance."""

FIFO, SLF, LLL, SLF_LLL = "FIFO", "SLF", "LLL", "SLF + LLL"


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
