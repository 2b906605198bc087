"""Count the nodes below every node of a shortest-path tree: how much traffic its road would carry. No Qt.

Leaves are removed until nothing is left, which needs no order of the nodes: distances give none where weights are 0.
Each node is one number, children left and size so far, so that a removal touches one place in memory.
"""

from __future__ import annotations

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
