"""Minimum and prefix sum over a whole array, in which the threads of a block work together.

Each has two launches: every block reduces its share into one element, then a single block finishes over those. The
processor's forms take the same shares in the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from wayfront.devices.cuda_support import cuda
from wayfront.devices.device import BlockKernel

MOST_THREADS = 1024
"""Threads of a block at most: what the shared arrays have room for."""

NOBODY = -1


def _nearest_of_shares_on_card(
    node_count: int, infinity: int, distances: Any, settled: Any, share_distance: Any, share_node: Any
) -> None:
    """Find the nearest unsettled node of each block's share; of several, the one with the smallest number."""
    nearest = cuda.shared.array(MOST_THREADS, types.int64)
    holder = cuda.shared.array(MOST_THREADS, types.int32)
    me = cuda.threadIdx.x
    distance, node = infinity, NOBODY
    for i in range(cuda.grid(1), node_count, cuda.gridsize(1)):
        if settled[i] == 0 and distances[i] < distance:
            distance, node = distances[i], i
    nearest[me], holder[me] = distance, node
    cuda.syncthreads()
    width = cuda.blockDim.x // 2
    while width > 0:
        if me < width:
            other = me + width
            closer = nearest[other] < nearest[me]
            if closer or (nearest[other] == nearest[me] and 0 <= holder[other] < holder[me]):
                nearest[me], holder[me] = nearest[other], holder[other]
        cuda.syncthreads()
        width //= 2
    if me == 0:
        share_distance[cuda.blockIdx.x] = nearest[0]
        share_node[cuda.blockIdx.x] = holder[0]


def _nearest_of_shares_on_processor(
    blocks: int,
    block: int,
    node_count: int,
    infinity: int,
    distances: Any,
    settled: Any,
    share_distance: Any,
    share_node: Any,
) -> None:
    for share in range(blocks):
        share_distance[share] = infinity
        share_node[share] = NOBODY
    for first in range(0, node_count, block):
        share = (first // block) % blocks
        distance, node = share_distance[share], share_node[share]
        for i in range(first, min(first + block, node_count)):
            if settled[i] == 0 and distances[i] < distance:
                distance, node = distances[i], i
        share_distance[share] = distance
        share_node[share] = node


nearest_of_shares = BlockKernel(_nearest_of_shares_on_card, _nearest_of_shares_on_processor)
"""(node_count, infinity, distances, settled, share_distance int64 [blocks], share_node int32 [blocks])"""


def _settle_nearest_on_card(
    shares: int, share_distance: Any, share_node: Any, settled: Any, chosen: Any, order: Any, taken: Any
) -> None:
    """Find the nearest of all shares, settle it, and note it as the next in order; -1 if there is none.

    One block runs this: ``taken`` counts the nodes settled so far.
    """
    nearest = cuda.shared.array(MOST_THREADS, types.int64)
    holder = cuda.shared.array(MOST_THREADS, types.int32)
    me = cuda.threadIdx.x
    node = NOBODY
    distance = np.int64(0)
    for i in range(me, shares, cuda.blockDim.x):
        other = share_node[i]
        if other >= 0 and (
            node < 0 or share_distance[i] < distance or (share_distance[i] == distance and other < node)
        ):
            distance, node = share_distance[i], other
    nearest[me], holder[me] = distance, node
    cuda.syncthreads()
    width = cuda.blockDim.x // 2
    while width > 0:
        if me < width:
            other = me + width
            if holder[other] >= 0 and (
                holder[me] < 0
                or nearest[other] < nearest[me]
                or (nearest[other] == nearest[me] and holder[other] < holder[me])
            ):
                nearest[me], holder[me] = nearest[other], holder[other]
        cuda.syncthreads()
        width //= 2
    if me == 0:
        chosen[0] = holder[0]
        if holder[0] >= 0:
            settled[holder[0]] = 1
            order[taken[0]] = holder[0]
            taken[0] += 1


def _settle_nearest_on_processor(
    _blocks: int,
    _block: int,
    shares: int,
    share_distance: Any,
    share_node: Any,
    settled: Any,
    chosen: Any,
    order: Any,
    taken: Any,
) -> None:
    best = NOBODY
    for i in range(shares):
        if share_node[i] >= 0 and (
            best < 0
            or share_distance[i] < share_distance[best]
            or (share_distance[i] == share_distance[best] and share_node[i] < share_node[best])
        ):
            best = i
    chosen[0] = NOBODY
    if best >= 0:
        node = share_node[best]
        chosen[0] = node
        settled[node] = 1
        order[taken[0]] = node
        taken[0] += 1


settle_nearest = BlockKernel(_settle_nearest_on_card, _settle_nearest_on_processor)
"""(shares, share_distance, share_node, settled int8 [n], chosen int32 [1], order int32 [n], taken int32 [1])"""


def _scan_shares_on_card(count: int, nodes: Any, offsets: Any, positions: Any, share_total: Any) -> None:
    """Write, for each listed node, how many arcs leave the nodes before it in its block's share."""
    sums = cuda.shared.array(MOST_THREADS, types.int64)
    me = cuda.threadIdx.x
    i = cuda.grid(1)
    degree = np.int64(0)
    if i < count:
        degree = offsets[nodes[i] + 1] - offsets[nodes[i]]
    sums[me] = degree
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
    if i < count:
        positions[i] = sums[me] - degree
    if me == cuda.blockDim.x - 1:
        share_total[cuda.blockIdx.x] = sums[me]


def _scan_shares_on_processor(
    blocks: int, block: int, count: int, nodes: Any, offsets: Any, positions: Any, share_total: Any
) -> None:
    for share in range(blocks):
        total = 0
        for i in range(share * block, min((share + 1) * block, count)):
            positions[i] = total
            total += offsets[nodes[i] + 1] - offsets[nodes[i]]
        share_total[share] = total


scan_shares = BlockKernel(_scan_shares_on_card, _scan_shares_on_processor)
"""(count, nodes int32 [count], offsets, positions int32 [count], share_total int32 [shares]); a share is one block's
threads."""


def _scan_totals_on_card(shares: int, share_total: Any) -> None:
    """Replace each share's total by the sum of those before it; one block runs this, a stretch of shares at a time."""
    sums = cuda.shared.array(MOST_THREADS, types.int64)
    me = cuda.threadIdx.x
    carried = np.int64(0)
    for first in range(0, shares, cuda.blockDim.x):
        own = np.int64(0)
        if first + me < shares:
            own = share_total[first + me]
        sums[me] = own
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
        if first + me < shares:
            share_total[first + me] = carried + sums[me] - own
        carried += sums[cuda.blockDim.x - 1]
        cuda.syncthreads()


def _scan_totals_on_processor(_blocks: int, _block: int, shares: int, share_total: Any) -> None:
    total = 0
    for share in range(shares):
        own = share_total[share]
        share_total[share] = total
        total += own


scan_totals = BlockKernel(_scan_totals_on_card, _scan_totals_on_processor)
"""(shares, share_total int32 [shares])"""
