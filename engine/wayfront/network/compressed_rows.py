"""Order nodes for locality, and turn a list of arcs into compressed rows.

Nodes close on the map become close in memory (Morton order: the bits of x and y interleaved), which is what makes
a search touch few cache lines and a view of the map a few contiguous runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop


def morton_order(coordinates: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the nodes in Morton order, int32 [n]; nodes with equal coordinates keep their order."""
    if not len(coordinates):
        return np.empty(0, np.int32)
    keys = np.empty(len(coordinates), np.uint64)
    _morton_keys(coordinates, coordinates.min(axis=0).astype(np.int64), keys)
    return np.argsort(keys, kind="stable").astype(np.int32)


def compress_rows(
    tails: NDArray[np.int32], heads: NDArray[np.int32], rank: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return (offsets [n+1], targets [m], position [m]) of arcs whose node ``u`` becomes node ``rank[u]``.

    Arc ``i`` of the list becomes arc ``position[i]``; the arcs of one node keep the list's order. Overwrites
    ``tails``: ``position`` is that array, since a list of arcs may take most of the memory.
    """
    offsets = np.zeros(len(rank) + 1, np.int64)
    targets = np.empty_like(heads)
    _count_arcs(tails, rank, offsets)
    np.cumsum(offsets, out=offsets)
    _fill_rows(tails, heads, rank, offsets[:-1].copy(), targets)
    return offsets, targets, tails


@loop
def _spread(value: Any) -> Any:
    """Put a zero bit behind each of the lower 32 bits."""
    value = (value | (value << np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    value = (value | (value << np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    value = (value | (value << np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    value = (value | (value << np.uint64(2))) & np.uint64(0x3333333333333333)
    return (value | (value << np.uint64(1))) & np.uint64(0x5555555555555555)


@loop
def _morton_keys(coordinates: Any, lowest: Any, keys: Any) -> None:
    for node in range(len(keys)):
        x = np.uint64(coordinates[node, 0] - lowest[0])
        y = np.uint64(coordinates[node, 1] - lowest[1])
        keys[node] = _spread(x) | (_spread(y) << np.uint64(1))


@loop
def _count_arcs(tails: Any, rank: Any, offsets: Any) -> None:
    for arc in range(len(tails)):
        offsets[rank[tails[arc]] + 1] += 1


@loop
def _fill_rows(tails: Any, heads: Any, rank: Any, free: Any, targets: Any) -> None:
    """Put every arc into the next free position of its row, and leave that position in ``tails``."""
    for arc in range(len(tails)):
        row = rank[tails[arc]]
        position = free[row]
        free[row] = position + 1
        targets[position] = rank[heads[arc]]
        tails[arc] = position
