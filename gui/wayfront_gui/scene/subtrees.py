"""Count the nodes below every node of a shortest-path tree: how much traffic its road would carry. No Qt.

Leaves are removed until nothing is left, which needs no order of the nodes: distances give none where weights are 0.
Each node is one number, children left and size so far, so that a removal touches one place in memory.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

SIZE_BITS = 26
"""Bits of a size, beside 5 bits for children and the sign. Larger trees and nodes with more children take 64."""


def subtree_sizes(parents: NDArray[np.int32], out: NDArray[np.int32] | None = None) -> NDArray[np.int32]:
    """Return the number of nodes in the subtree of each node of a forest, itself included, int32 [n].

    ``parents`` int32 [n] with -1 at roots. ``out``, of the same shape, is filled and returned if given. Parents of a
    stranger may be no tree: nodes on a cycle count those that hang on them and themselves, and a parent that is no node
    makes a root.
    """
    sizes = np.empty(len(parents), np.int32) if out is None else out
    if len(parents) >= 1 << SIZE_BITS or not _peel(parents, sizes, SIZE_BITS, np.iinfo(np.int32).max):
        wide = np.empty(len(parents), np.int64)
        _peel(parents, wide, 32, np.iinfo(np.int64).max)
        sizes[:] = wide
    return sizes


def levels_in_tree(a: NDArray[np.int32], b: NDArray[np.int32], parents: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return the level of each line in a tree, uint8: 0 outside it, else 1 … 255 by the log of the subtree's size.

    ``a`` and ``b`` are the nodes at the lines' ends, ``parents`` int32 [n] those of the tree.
    """
    levels, sizes = np.empty(len(a), np.uint8), subtree_sizes(parents)
    _find_levels(a, b, parents, sizes, levels_per_log(int(sizes.max(initial=1))), levels)
    return levels


def levels_per_log(reached: int) -> float:
    """Return by how many levels a subtree of a tree with ``reached`` nodes rises when its log grows by 1.

    The whole tree is the measure, not its largest branch: that changes with every step of a source.
    """
    return 254.0 / max(math.log(reached), 1e-9)


@njit(nogil=True, cache=True)
def level_of_size(size, per_log):  # type: ignore[no-untyped-def]
    """Return the level, 1 … 255, of a line with a subtree of some size below it (see ``levels_per_log``)."""
    return np.uint8(min(1.0 + math.log(size) * per_log, 255.0))


@njit(nogil=True, cache=True)
def _peel(parents, packed, bits, most):  # type: ignore[no-untyped-def]
    """Fill ``packed`` with sizes; return False at once if a node has so many children that a number exceeds ``most``.

    While it runs, an element holds the children left above ``bits`` bits of size. Unsigned indices spare numba's test
    of their sign; a negative parent becomes too large a node.
    """
    n = np.uint64(len(parents))
    child, low = 1 << bits, (1 << bits) - 1
    packed[:] = 1
    seen = 0
    for v in range(len(parents)):
        parent = np.uint64(np.uint32(parents[v]))
        if parent < n:
            value = packed[parent] + child
            seen |= value
            packed[parent] = value
    if seen > most:
        return False
    for v in range(len(parents)):
        begin = node = np.uint64(v)
        size = packed[node]
        while size <= low:
            parent = np.uint64(np.uint32(parents[node]))
            if parent >= n:
                break
            size += packed[parent] - child
            packed[parent] = size
            if parent > begin:  # its turn comes, or a later child's
                break
            node = parent
    for v in range(len(parents)):
        packed[v] &= low
    return True


@njit(nogil=True, cache=True)
def _find_levels(line_a, line_b, parents, size, per_log, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` uint8 [lines]: 0 for lines outside the tree, else 1 … 255 by the size of the subtree below."""
    for i in range(len(line_a)):
        a, b = line_a[i], line_b[i]
        below = 0
        if parents[a] == b:
            below = size[a]
        elif parents[b] == a:
            below = size[b]
        out[i] = level_of_size(below, per_log) if below else np.uint8(0)
