"""Minimum and prefix sum over a whole array, in which the threads of a block work together.

Each has two launches: every block reduces its share into one element, then a single block finishes over those. The
processor's forms take the same shares in the same order.

Within a block, the 32 threads of a warp read one another's registers (shuffles); only the warps' results go through
shared memory and a barrier, where the first warp finishes. The simulator has no shuffles: there all of a block goes
through shared memory, in halves. Blocks are whole warps. Loops with a stride are written with ``while``, since a
``range`` would divide to count its turns, and 64-bit division is slow on a card.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit

from wayfront.devices.cuda_support import SIMULATING, cuda, cuda_function
from wayfront.devices.device import BlockKernel, DeviceArray

MOST_THREADS = 1024
"""Threads of a block at most: the size of the simulator's shared arrays."""

WARP, ALL_LANES = 32, 0xFFFFFFFF
"""Threads of a warp, which is also the most warps of a block, and the mask that names them all."""

NO_NODE = -1


class Nearest(NamedTuple):
    """The nearest unsettled node of each block's share: its distance, typed like the distances, and its number, int32.

    Both are [blocks]. Where there is none the distance is infinity and the number ``NO_NODE``.
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


def _nearest_of_warp(distance: Any, node: Any) -> tuple[Any, Any]:
    """Return, in lane 0, the nearest of the nodes that a warp's lanes hold.

    Of several it is the one with the smallest number. A lane without a node holds infinity, above every distance.
    """
    reach = WARP // 2
    while reach > 0:
        other_distance = cuda.shfl_down_sync(ALL_LANES, distance, reach)
        other = cuda.shfl_down_sync(ALL_LANES, node, reach)
        if other_distance < distance or (other_distance == distance and other < node):
            distance, node = other_distance, other
        reach //= 2
    return distance, node


def _nearest_by_warps(distance: Any, node: Any, like: Nearest) -> tuple[Any, Any]:
    """Return, in thread 0, the nearest of the nodes that a block's threads hold; ``like`` has arrays of their types."""
    distances = cuda.shared.array(WARP, like.distance.dtype)
    nodes = cuda.shared.array(WARP, like.node.dtype)
    me = cuda.threadIdx.x
    distance, node = _nearest_of_warp_on_card(distance, node)
    if me % WARP == 0:
        distances[me // WARP], nodes[me // WARP] = distance, node
    cuda.syncthreads()
    if me < WARP:
        # Lanes beyond the last warp take the first one's result once more.
        warp = me if me < cuda.blockDim.x // WARP else 0
        distance, node = _nearest_of_warp_on_card(distances[warp], nodes[warp])
    return distance, node


def _nearest_by_halves(distance: Any, node: Any, like: Nearest) -> tuple[Any, Any]:
    """Do the same through shared memory alone: half the threads compare, then half of these."""
    distances = cuda.shared.array(MOST_THREADS, like.distance.dtype)
    nodes = cuda.shared.array(MOST_THREADS, like.node.dtype)
    me = cuda.threadIdx.x
    distances[me], nodes[me] = distance, node
    cuda.syncthreads()
    width = cuda.blockDim.x // 2
    while width > 0:
        other = me + width
        if me < width and (
            distances[other] < distances[me] or (distances[other] == distances[me] and nodes[other] < nodes[me])
        ):
            distances[me], nodes[me] = distances[other], nodes[other]
        cuda.syncthreads()
        width //= 2
    return distances[0], nodes[0]


def _sum_up_to_lane(own: Any) -> Any:
    """Return the sum of what a warp's lanes hold, up to and with this one."""
    me = cuda.threadIdx.x % WARP
    reach = 1
    while reach < WARP:
        before = cuda.shfl_up_sync(ALL_LANES, own, reach)
        if me >= reach:
            own += before
        reach *= 2
    return own


def _sums_by_warps(own: Any, like: DeviceArray) -> tuple[Any, Any]:
    """Return the sum of what a block's threads hold up to and with this one, and of all; ``like`` has their type.

    Before the block does it again it must pass a barrier.
    """
    sums = cuda.shared.array(WARP, like.dtype)
    me = cuda.threadIdx.x
    warp, warps = me // WARP, cuda.blockDim.x // WARP
    own = _sum_up_to_lane_on_card(own)
    if me % WARP == WARP - 1:
        sums[warp] = own
    cuda.syncthreads()
    if me < WARP:
        of_warp = own  # lanes beyond the last warp come after all that count, and may hold anything
        if me < warps:
            of_warp = sums[me]
        of_warp = _sum_up_to_lane_on_card(of_warp)
        if me < warps:
            sums[me] = of_warp
    cuda.syncthreads()
    if warp > 0:
        own += sums[warp - 1]
    return own, sums[warps - 1]


def _sums_by_reach(own: Any, like: DeviceArray) -> tuple[Any, Any]:
    """Do the same through shared memory alone: each adds what lies 1, 2, 4 … before it."""
    sums = cuda.shared.array(MOST_THREADS, like.dtype)
    me = cuda.threadIdx.x
    sums[me] = own
    cuda.syncthreads()
    reach = 1
    while reach < cuda.blockDim.x:
        before = sums[me - reach] if me >= reach else 0
        cuda.syncthreads()
        sums[me] += before
        cuda.syncthreads()
        reach *= 2
    return sums[me], sums[cuda.blockDim.x - 1]


_nearest_of_warp_on_card = cuda_function(_nearest_of_warp)
_sum_up_to_lane_on_card = cuda_function(_sum_up_to_lane)
_nearest_of_block = cuda_function(_nearest_by_halves if SIMULATING else _nearest_by_warps)
sums_of_block: Final = cuda_function(_sums_by_reach if SIMULATING else _sums_by_warps)


def _nearest_of_shares_on_card(
    node_count: int, infinity: int, distances: DeviceArray, settled: DeviceArray, nearest: Nearest
) -> None:
    distance, node = nearest.distance.dtype.type(infinity), np.int32(NO_NODE)
    i = cuda.grid(1)
    while i < node_count:
        if settled[i] == 0 and distances[i] < distance:
            distance, node = distances[i], np.int32(i)
        i += cuda.gridsize(1)
    distance, node = _nearest_of_block(distance, node, nearest)
    if cuda.threadIdx.x == 0:
        nearest.distance[cuda.blockIdx.x] = distance
        nearest.node[cuda.blockIdx.x] = node


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


nearest_of_shares: Final = BlockKernel(_nearest_of_shares_on_card, _nearest_of_shares_on_processor)
"""Find the nearest unsettled node of each block's share; of several, the one with the smallest number."""


def _settle_of_block(shares: int, nearest: Nearest, settling: Settling) -> None:
    """Settle the nearest of all shares: a part of a kernel of one block, after which all its threads see the choice."""
    me = cuda.threadIdx.x
    first = me if me < shares else 0
    distance, node = nearest.distance[first], nearest.node[first]
    i = me + cuda.blockDim.x
    while i < shares:
        if nearest.distance[i] < distance or (nearest.distance[i] == distance and nearest.node[i] < node):
            distance, node = nearest.distance[i], nearest.node[i]
        i += cuda.blockDim.x
    distance, node = _nearest_of_block(distance, node, nearest)
    if me == 0:
        settling.chosen[0] = node
        if node >= 0:
            settling.settled[node] = 1
            settling.order[settling.taken[0]] = node
            settling.taken[0] += 1
    cuda.syncthreads()


def _settle_on_processor(shares: int, nearest: Nearest, settling: Settling) -> None:
    """Settle the nearest of all shares."""
    best = 0
    for i in range(1, shares):
        if nearest.distance[i] < nearest.distance[best] or (
            nearest.distance[i] == nearest.distance[best] and nearest.node[i] < nearest.node[best]
        ):
            best = i
    node = nearest.node[best]
    settling.chosen[0] = node
    if node >= 0:
        settling.settled[node] = 1
        settling.order[settling.taken[0]] = node
        settling.taken[0] += 1


settle_of_block: Final = cuda_function(_settle_of_block)
# Tests that count arcs call it from Python, so it has an entry for that.
settle_on_processor: Callable[[int, Nearest, Settling], None]
settle_on_processor = njit(_nrt=False, forceinline=True)(_settle_on_processor)


def _scan_shares_on_card(count: int, nodes: DeviceArray, offsets: DeviceArray, positions: Positions) -> None:
    i = cuda.grid(1)
    degree = np.int32(0)
    if i < count:
        degree = np.int32(offsets[nodes[i] + 1] - offsets[nodes[i]])
    up_to_me, total = sums_of_block(degree, positions.shares)
    if i < count:
        positions.within[i] = up_to_me - degree
    if cuda.threadIdx.x == 0:
        positions.shares[cuda.blockIdx.x] = total


def _scan_shares_on_processor(
    blocks: int, block: int, count: int, nodes: DeviceArray, offsets: DeviceArray, positions: Positions
) -> None:
    for share in range(blocks):
        total = 0
        for i in range(share * block, min((share + 1) * block, count)):
            positions.within[i] = total
            total += offsets[nodes[i] + 1] - offsets[nodes[i]]
        positions.shares[share] = total


scan_shares: Final = BlockKernel(_scan_shares_on_card, _scan_shares_on_processor)
"""Write, for each of ``count`` listed nodes, how many arcs leave the nodes before it in its block's share, and how many
leave the nodes of each share; a share is one block's threads."""


def _scan_totals_on_card(shares: int, totals: DeviceArray) -> None:
    i = cuda.threadIdx.x
    first, carried = 0, np.int32(0)
    while first < shares:
        own = np.int32(0)
        if first + i < shares:
            own = totals[first + i]
        up_to_me, total = sums_of_block(own, totals)
        if first + i < shares:
            totals[first + i] = carried + up_to_me - own
        carried += total
        first += cuda.blockDim.x
        cuda.syncthreads()


def _scan_totals_on_processor(_blocks: int, _block: int, shares: int, totals: DeviceArray) -> None:
    total = 0
    for share in range(shares):
        own = totals[share]
        totals[share] = total
        total += own


scan_totals: Final = BlockKernel(_scan_totals_on_card, _scan_totals_on_processor)
"""Replace each share's total, int32 [shares], by the sum of those before it. One block does it."""
