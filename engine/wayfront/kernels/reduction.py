"""Minimum and prefix sum over a whole array, in which the threads of a block work together.

Each has two launches: every block reduces its share into one element, then a single block finishes over those. The
processor's forms take the same shares in the same order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import BlockKernel, DeviceArray

MOST_THREADS = 1024
"""Threads of a block at most: the size of the shared arrays."""

NO_NODE = -1


class Nearest(NamedTuple):
    """The nearest unsettled node of each block's share: its distance, int64, and its number, int32 [blocks].

    Where there is none the distance is infinity and the number ``NO_NODE``.
    """

    distance: DeviceArray
    node: DeviceArray


class Settling(NamedTuple):
    """Which nodes are settled.

    settled   int8 [n]: 1 for a settled node
    chosen    int32 [1]: the node just settled, or ``NO_NODE``
    order     int32 [n]: the nodes in the order in which they were settled
    taken     int32 [1]: how many are settled
    """

    settled: DeviceArray
    chosen: DeviceArray
    order: DeviceArray
    taken: DeviceArray


class Positions(NamedTuple):
    """How many arcs leave the listed nodes before each: those within its block's share, and those of earlier shares.

    within   int32 [count]
    shares   int32 [blocks]
    """

    within: DeviceArray
    shares: DeviceArray


def _reduce_nearest(distance: DeviceArray, node: DeviceArray) -> None:
    """Find the nearest of the nodes that a block's threads hold in shared memory; leave it in the first element.

    Of several at the same distance it is the one with the smallest number. Threads without a node hold ``NO_NODE``.
    """
    me = cuda.threadIdx.x
    cuda.syncthreads()
    width = cuda.blockDim.x // 2
    while width > 0:
        if me < width:
            other = me + width
            if node[other] >= 0 and (
                node[me] < 0
                or distance[other] < distance[me]
                or (distance[other] == distance[me] and node[other] < node[me])
            ):
                distance[me], node[me] = distance[other], node[other]
        cuda.syncthreads()
        width //= 2


def _add_up_to_each(sums: DeviceArray) -> None:
    """Replace each element that a block's threads hold in shared memory by the sum of all up to and with it."""
    me = cuda.threadIdx.x
    cuda.syncthreads()
    reach = 1
    while reach < cuda.blockDim.x:
        before = np.int64(0)
        if me >= reach:
            before = sums[me - reach]
        cuda.syncthreads()
        sums[me] += before
        cuda.syncthreads()
        reach *= 2


_reduce_nearest_on_card = cuda_function(_reduce_nearest)
_add_up_to_each_on_card = cuda_function(_add_up_to_each)


def _nearest_of_shares_on_card(
    node_count: int, infinity: int, distances: DeviceArray, settled: DeviceArray, nearest: Nearest
) -> None:
    distance = cuda.shared.array(MOST_THREADS, types.int64)
    node = cuda.shared.array(MOST_THREADS, types.int32)
    me = cuda.threadIdx.x
    own_distance, own = infinity, NO_NODE
    for i in range(cuda.grid(1), node_count, cuda.gridsize(1)):
        if settled[i] == 0 and distances[i] < own_distance:
            own_distance, own = distances[i], i
    distance[me], node[me] = own_distance, own
    _reduce_nearest_on_card(distance, node)
    if me == 0:
        nearest.distance[cuda.blockIdx.x] = distance[0]
        nearest.node[cuda.blockIdx.x] = node[0]


def _nearest_of_shares_on_processor(
    blocks: int,
    block: int,
    node_count: int,
    infinity: int,
    distances: DeviceArray,
    settled: DeviceArray,
    nearest: Nearest,
) -> None:
    for share in range(blocks):
        nearest.distance[share] = infinity
        nearest.node[share] = NO_NODE
    for first in range(0, node_count, block):
        share = (first // block) % blocks
        distance, node = nearest.distance[share], nearest.node[share]
        for i in range(first, min(first + block, node_count)):
            if settled[i] == 0 and distances[i] < distance:
                distance, node = distances[i], i
        nearest.distance[share] = distance
        nearest.node[share] = node


nearest_of_shares = BlockKernel(_nearest_of_shares_on_card, _nearest_of_shares_on_processor)
"""Find the nearest unsettled node of each block's share; of several, the one with the smallest number."""


def _settle_nearest_on_card(shares: int, nearest: Nearest, settling: Settling) -> None:
    distance = cuda.shared.array(MOST_THREADS, types.int64)
    node = cuda.shared.array(MOST_THREADS, types.int32)
    me = cuda.threadIdx.x
    own_distance, own = np.int64(0), NO_NODE
    for i in range(me, shares, cuda.blockDim.x):
        other = nearest.node[i]
        if other >= 0 and (
            own < 0 or nearest.distance[i] < own_distance or (nearest.distance[i] == own_distance and other < own)
        ):
            own_distance, own = nearest.distance[i], other
    distance[me], node[me] = own_distance, own
    _reduce_nearest_on_card(distance, node)
    if me == 0:
        settling.chosen[0] = node[0]
        if node[0] >= 0:
            settling.settled[node[0]] = 1
            settling.order[settling.taken[0]] = node[0]
            settling.taken[0] += 1


def _settle_nearest_on_processor(_blocks: int, _block: int, shares: int, nearest: Nearest, settling: Settling) -> None:
    best = NO_NODE
    for i in range(shares):
        if nearest.node[i] >= 0 and (
            best < 0
            or nearest.distance[i] < nearest.distance[best]
            or (nearest.distance[i] == nearest.distance[best] and nearest.node[i] < nearest.node[best])
        ):
            best = i
    settling.chosen[0] = NO_NODE
    if best >= 0:
        node = nearest.node[best]
        settling.chosen[0] = node
        settling.settled[node] = 1
        settling.order[settling.taken[0]] = node
        settling.taken[0] += 1


settle_nearest = BlockKernel(_settle_nearest_on_card, _settle_nearest_on_processor)
"""Find the nearest of all shares, settle it, and append it to the order; ``NO_NODE`` if there is none. One block."""


def _scan_shares_on_card(count: int, nodes: DeviceArray, offsets: DeviceArray, positions: Positions) -> None:
    sums = cuda.shared.array(MOST_THREADS, types.int64)
    me = cuda.threadIdx.x
    i = cuda.grid(1)
    degree = np.int64(0)
    if i < count:
        degree = offsets[nodes[i] + 1] - offsets[nodes[i]]
    sums[me] = degree
    _add_up_to_each_on_card(sums)
    if i < count:
        positions.within[i] = sums[me] - degree
    if me == cuda.blockDim.x - 1:
        positions.shares[cuda.blockIdx.x] = sums[me]


def _scan_shares_on_processor(
    blocks: int, block: int, count: int, nodes: DeviceArray, offsets: DeviceArray, positions: Positions
) -> None:
    for share in range(blocks):
        total = 0
        for i in range(share * block, min((share + 1) * block, count)):
            positions.within[i] = total
            total += offsets[nodes[i] + 1] - offsets[nodes[i]]
        positions.shares[share] = total


scan_shares = BlockKernel(_scan_shares_on_card, _scan_shares_on_processor)
"""Write, for each of ``count`` listed nodes, how many arcs leave the nodes before it in its block's share, and how many
leave the nodes of each share; a share is one block's threads."""


def _scan_totals_on_card(shares: int, totals: DeviceArray) -> None:
    sums = cuda.shared.array(MOST_THREADS, types.int64)
    me = cuda.threadIdx.x
    carried = np.int64(0)
    for first in range(0, shares, cuda.blockDim.x):
        own = np.int64(0)
        if first + me < shares:
            own = totals[first + me]
        sums[me] = own
        _add_up_to_each_on_card(sums)
        if first + me < shares:
            totals[first + me] = carried + sums[me] - own
        carried += sums[cuda.blockDim.x - 1]
        cuda.syncthreads()


def _scan_totals_on_processor(_blocks: int, _block: int, shares: int, totals: DeviceArray) -> None:
    total = 0
    for share in range(shares):
        own = totals[share]
        totals[share] = total
        total += own


scan_totals = BlockKernel(_scan_totals_on_card, _scan_totals_on_processor)
"""Replace each share's total, int32 [shares], by the sum of those before it. One block does it."""
