"""Bodies of Δ-stepping without queues: ``bucket[v]`` is the index of the bucket that holds v, or ``NOWHERE``.

``counters``, int32, holds the first bucket in use; how many nodes were just taken from a bucket and how many arcs
leave them; and the same of all nodes removed from it since it was opened.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from numba import types

from wayfront.devices.atomics import atomic_add, atomic_min
from wayfront.devices.cuda_support import cuda
from wayfront.devices.device import BlockKernel, DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.reduction import Positions
from wayfront.kernels.relaxing import lowers

NOWHERE = 2**31 - 1

FIRST, TAKEN, TAKEN_ARCS, REMOVED, REMOVED_ARCS, COUNTERS = range(6)
"""Indices in ``counters``."""


class Buckets(NamedTuple):
    """Which bucket each node is in, and what the open bucket held.

    bucket        int32 [n]: the index of the node's bucket, or NOWHERE
    was_removed   int8 [n]: 1 once the node was removed from a bucket, so that its heavy arcs are relaxed once
    taken         int32 [n]: the nodes just taken from the open bucket
    removed       int32 [n]: all nodes removed from it since it was opened
    counters      int32 [COUNTERS]
    """

    bucket: DeviceArray
    was_removed: DeviceArray
    taken: DeviceArray
    removed: DeviceArray
    counters: DeviceArray


class Requests(NamedTuple):
    """The arcs to relax: each one's index and tail, int32 [m]."""

    node: DeviceArray
    arc: DeviceArray


def start_search(i: int, source: int, infinity: int, distances: DeviceArray, buckets: Buckets) -> None:
    """Put the source alone into bucket 0."""
    distances[i] = 0 if i == source else infinity
    buckets.bucket[i] = 0 if i == source else NOWHERE
    buckets.was_removed[i] = 0


def reset_counters(i: int, counters: DeviceArray) -> None:
    """Open a new bucket: nothing is taken from it yet, and the first one in use has still to be found."""
    counters[i] = NOWHERE if i == FIRST else 0


def find_first_bucket(i: int, bucket: DeviceArray, counters: DeviceArray) -> None:
    """Reduce the smallest bucket index in use."""
    index = bucket[i]
    if index < counters[FIRST]:
        atomic_min(counters, FIRST, index)


def _empty_bucket_on_card(node_count: int, offsets: DeviceArray, buckets: Buckets) -> None:
    sums = cuda.shared.array(COUNTERS, types.int32)
    before = cuda.shared.array(COUNTERS, types.int32)
    me, i = cuda.threadIdx.x, cuda.grid(1)
    first = buckets.counters[FIRST]
    takes = i < node_count and first != NOWHERE and buckets.bucket[i] == first
    if me < COUNTERS:
        sums[me] = 0
    if cuda.syncthreads_or(1 if takes else 0) == 0:  # most blocks have nothing in the bucket
        return
    place, removed_place, removes = 0, 0, False
    if takes:
        buckets.bucket[i] = NOWHERE
        degree = offsets[i + 1] - offsets[i]
        place = atomic_add(sums, TAKEN, 1)
        atomic_add(sums, TAKEN_ARCS, degree)
        removes = buckets.was_removed[i] == 0
        if removes:
            buckets.was_removed[i] = 1
            removed_place = atomic_add(sums, REMOVED, 1)
            atomic_add(sums, REMOVED_ARCS, degree)
    cuda.syncthreads()
    if TAKEN <= me < COUNTERS:
        before[me] = atomic_add(buckets.counters, me, sums[me])
    cuda.syncthreads()
    if takes:
        buckets.taken[before[TAKEN] + place] = i
        if removes:
            buckets.removed[before[REMOVED] + removed_place] = i


def _empty_bucket_on_processor(
    _blocks: int, _block: int, node_count: int, offsets: DeviceArray, buckets: Buckets
) -> None:
    counters = buckets.counters
    first = counters[FIRST]
    if first == NOWHERE:
        return
    for i in range(node_count):
        if buckets.bucket[i] == first:
            buckets.bucket[i] = NOWHERE
            degree = offsets[i + 1] - offsets[i]
            buckets.taken[counters[TAKEN]] = i
            counters[TAKEN] += 1
            counters[TAKEN_ARCS] += degree
            if buckets.was_removed[i] == 0:
                buckets.was_removed[i] = 1
                buckets.removed[counters[REMOVED]] = i
                counters[REMOVED] += 1
                counters[REMOVED_ARCS] += degree


empty_bucket: Final = BlockKernel(_empty_bucket_on_card, _empty_bucket_on_processor)
"""Take every node out of the first bucket that is in it, and list it for the heavy phase, once; a thread for each node.

A block counts in shared memory, and adds its counts to those of all once.
"""


def reset_taken(i: int, counters: DeviceArray) -> None:
    """Reset the counters of what was last taken, and keep those of what was removed in all."""
    counters[TAKEN + i] = 0


def add_requests(
    i: int,
    lane_bits: int,
    share_bits: int,
    nodes: DeviceArray,
    offsets: DeviceArray,
    positions: Positions,
    requests: Requests,
) -> None:
    """Write the requests of a listed node, one for each of its arcs, from its own position on.

    2^``lane_bits`` threads write those of one node side by side; a share has 2^``share_bits`` nodes.
    """
    k = i >> lane_bits
    lanes = 1 << lane_bits
    node = nodes[k]
    begin = positions.within[k] + positions.shares[k >> share_bits] - offsets[node]
    arc, end = offsets[node] + (i & (lanes - 1)), offsets[node + 1]
    while arc < end:
        requests.node[begin + arc] = node
        requests.arc[begin + arc] = arc
        arc += lanes


def relax_request(
    i: int, heavy: int, delta: int, arcs: Arcs, distances: DeviceArray, bucket: DeviceArray, requests: Requests
) -> None:
    """Relax the i-th request if its arc is light (w ≤ Δ) or heavy as asked; an improved node changes its bucket."""
    arc = requests.arc[i]
    weight = arcs.weights[arc]
    if (weight > delta) == (heavy != 0):
        target = arcs.targets[arc]
        offer = distances[requests.node[i]] + weight
        if lowers(distances, target, offer):
            atomic_min(bucket, target, offer // delta)
