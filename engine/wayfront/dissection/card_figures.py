"""Reduce the trees of a batch to a few figures each as they are made, on a card."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from numba import types

from wayfront.devices.atomics import atomic_add, atomic_max
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.devices.warps import WARP, WARP_BITS
from wayfront.dissection.card_batch import (
    EACH,
    FEW,
    GROUP,
    GROUP_BITS,
    MANY,
    Batch,
    Descent,
    by_group,
    by_task,
    find_leaf,
    make_many,
)
from wayfront.dissection.card_records import NODES, PATH_RECORD, POSITION
from wayfront.kernels.min_plus import Index

RANKS = (1 << 31) - 1
"""Ranks are below it, so that a distance and a rank fit 62 bits."""


class Figures(NamedTuple):
    """What is known of each source's tree, int64 [in_all] each.

    farthest  the largest distance above the complement of the smallest rank that has it, 31 bits each, at first −1
    total     the sum of all distances
    reached   the number of nodes reached
    """

    farthest: DeviceArray
    total: DeviceArray
    reached: DeviceArray


def _make_clear(nodes: int) -> Any:
    """Return the function that sets distances of a tile of so many nodes to 0."""

    def clear(best: Any, count: int) -> None:
        """Set those behind the first ``count`` nodes to 0, which changes no figure."""
        for n in range(nodes):
            if n >= count:
                for q in range(EACH):
                    best[n, q] = 0

    return cuda_function(clear)


def _make_reduce(nodes: int) -> Any:
    """Return the function that adds a tile of so many nodes to a lane's figures."""
    clear = _make_clear(nodes)

    def reduce(best: Any, position: int, count: int, down: Descent, found: Any, sums: Any) -> None:
        """Add the distances of a tile's first ``count`` nodes to a lane's figures: a comparison a node in most cases.

        ``found`` has largest distance, complement of its node's rank and number reached of each of the lane's sources.
        """
        infinity, rank, node_at = down.infinity, down.more.rank, down.tables.node_at
        clear(best, count)
        for q in range(EACH):
            largest = best[0, q]
            for n in range(1, nodes):
                largest = max(largest, best[n, q])
            if largest < infinity:
                for n in range(nodes):
                    sums[q] += best[n, q]
                found[2, q] += count
            if largest >= found[0, q]:
                for n in range(nodes):
                    distance = best[n, q]
                    if n < count and distance < infinity:
                        if largest >= infinity:
                            sums[q] += distance
                            found[2, q] += 1
                        if distance >= found[0, q]:
                            behind = RANKS - rank[Index(node_at[Index(position + n)])]
                            if distance > found[0, q] or behind > found[1, q]:
                                found[0, q], found[1, q] = distance, behind

    return cuda_function(reduce)


_reduce_few, _reduce_many = _make_reduce(FEW), _make_reduce(MANY)


def _reset(found: Any, sums: Any) -> None:
    """Begin a lane's figures."""
    for q in range(EACH):
        sums[q] = 0
        found[0, q], found[1, q], found[2, q] = 0, -1, 0


def _deliver(group: int, found: Any, sums: Any, batch: Batch, figures: Figures) -> None:
    """Add a lane's figures to those of its sources."""
    for q in range(EACH):
        number = batch.state[0] + group * GROUP + q * WARP + (cuda.threadIdx.x & (WARP - 1))
        if number < batch.in_all and found[2, q] > 0:
            atomic_max(figures.farthest, number, (types.int64(found[0, q]) << 31) | types.int64(found[1, q]))
            atomic_add(figures.total, number, sums[q])
            atomic_add(figures.reached, number, types.int64(found[2, q]))


_reset_on_card, _deliver_on_card = cuda_function(_reset), cuda_function(_deliver)


def _reduce_leaves(count: int, down: Descent, figures: Figures) -> None:
    best = cuda.local.array((MANY, EACH), down.l.dtype)
    found = cuda.local.array((3, EACH), types.int32)
    sums = cuda.local.array(EACH, types.int64)
    groups = down.batch.size >> GROUP_BITS
    step = cuda.gridDim.x * (cuda.blockDim.x >> WARP_BITS) // groups
    leaf, group = by_group(step)
    _reset_on_card(found, sums)
    while leaf < count:
        cell, s, position = find_leaf(leaf, down)
        j = 0
        while j < s:
            make_many(best, cell, j, group, down)
            _reduce_many(best, position + j, min(MANY, s - j), down, found, sums)
            j += MANY
        leaf += step
    _deliver_on_card(group, found, sums, down.batch, figures)


reduce_leaves: Final = CardKernel(_reduce_leaves, registers=128)
"""Make the distances of the leaves and add them to the figures; warps a multiple of the groups of sources."""


def _reduce_inner(count: int, down: Descent, figures: Figures) -> None:
    best = cuda.local.array((FEW, EACH), down.l.dtype)
    found = cuda.local.array((3, EACH), types.int32)
    sums = cuda.local.array(EACH, types.int64)
    more, batch = down.more, down.batch
    groups = batch.size >> GROUP_BITS
    tile, group = by_task(groups)
    step = cuda.gridDim.x * (cuda.blockDim.x >> WARP_BITS) // groups
    _reset_on_card(found, sums)
    while tile < count:
        cell, j = more.tiles[Index(2 * tile)], more.tiles[Index(2 * tile + 1)]
        s = down.tables.path_records[Index(cell * PATH_RECORD + NODES)]
        row = (more.inner_first[Index(cell)] + j) * batch.size + group * GROUP + (cuda.threadIdx.x & (WARP - 1))
        for n in range(FEW):
            if j + n < s:
                for q in range(EACH):
                    best[n, q] = batch.inner[Index(row + n * batch.size + q * WARP)]
        position = down.tables.path_records[Index(cell * PATH_RECORD + POSITION)] + j
        _reduce_few(best, position, min(FEW, s - j), down, found, sums)
        tile += step
    _deliver_on_card(group, found, sums, batch, figures)


reduce_inner: Final = CardKernel(_reduce_inner, registers=96)
"""Add the distances of the nodes in inner cells to the figures."""
