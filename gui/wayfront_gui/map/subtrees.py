"""Count the nodes below every node of a shortest-path tree: how much traffic its road would carry. No Qt.

Leaves are removed until nothing is left, which needs no order of the nodes: distances give none where weights are 0.
Each node is one number, children left and size so far, so that a removal touches one place in memory. Leaves are taken
from a list, chunk by chunk of nodes. Where few nodes of a tree hang on others than in the tree before, only the sizes
above these are counted anew.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import deputy, inlined, loop, loop_without_allocation

SIZE_BITS = 26
"""Bits of a size, beside 5 bits for children and the sign. Larger trees and nodes with more children take 64."""
SMALL_SIZES = 4096
"""Sizes below it have their levels looked up."""
_CHUNK = 4096
"""Nodes whose leaves are listed together: they are still in the processor's nearest cache when it removes them."""
_COMPARED = 32
"""Nodes whose parents are compared at once: few are others, and they lie together."""
_KNOWN = np.int32(-2)
"""In place of children left: the size is known."""


def subtree_sizes(parents: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the number of nodes in the subtree of each node of a forest, itself included, int32 [n].

    ``parents`` int32 [n] with -1 at roots. Parents of a stranger may be no tree: nodes on a cycle count those that hang
    on them and themselves, and a parent that is no node makes a root.
    """
    sizes, queue = np.empty((2, len(parents)), np.int32)
    if len(parents) >= 1 << SIZE_BITS or not _peel(parents, sizes, SIZE_BITS, np.iinfo(np.int32).max, queue):
        wide = np.empty(len(parents), np.int64)
        _peel(parents, wide, 32, np.iinfo(np.int64).max, queue)
        sizes[:] = wide
    return sizes


def levels_in_tree(a: NDArray[np.int32], b: NDArray[np.int32], parents: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return the level of each line in a tree, uint8: 0 outside it, else 1 … 255 by the log of the subtree's size.

    ``a`` and ``b`` are the nodes at the lines' ends, ``parents`` int32 [n] those of the tree.
    """
    levels, of_nodes, sizes = np.empty(len(a), np.uint8), np.empty(len(parents), np.uint8), subtree_sizes(parents)
    per_log = levels_per_log(int(sizes.max(initial=1)))
    _find_levels_of_nodes(sizes, per_log, levels_of_small(per_log), of_nodes)
    _find_levels(a, b, parents, of_nodes, levels)
    return levels


def levels_per_log(reached: int) -> float:
    """Return by how many levels a subtree of a tree with ``reached`` nodes rises when its log grows by 1.

    The whole tree is the measure, not its largest branch: that changes with every step of a source.
    """
    return 254.0 / max(math.log(reached), 1e-9)


def levels_of_small(per_log: float) -> NDArray[np.uint8]:
    """Return the levels of sizes below ``SMALL_SIZES``, which nearly all have; that of 0, which none has, is of 1."""
    levels = np.empty(SMALL_SIZES, np.uint8)
    _fill_levels(per_log, levels)
    return levels


@deputy("wayfront_gui.map.uncompiled")
@loop
def _fill_levels(per_log, levels):  # type: ignore[no-untyped-def]
    for size in range(len(levels)):
        levels[size] = level_of_size(max(size, 1), per_log)


@loop
def level_of_size(size, per_log):  # type: ignore[no-untyped-def]
    """Return the level, 1 … 255, of a line with a subtree of some size below it (see ``levels_per_log``)."""
    return np.uint8(min(1.0 + math.log(size) * per_log, 255.0))


@deputy("wayfront_gui.map.uncompiled")
@loop_without_allocation
def _peel(parents, packed, bits, most, queue):  # type: ignore[no-untyped-def]
    """Fill ``packed`` with sizes; return False at once if a node has so many children that a number exceeds ``most``.

    While it runs, an element holds the children left above ``bits`` bits of size; a root has one that is never removed.
    ``queue`` int32 [n] is room. It and the list of leaves grow without branches: whether a node is a leaf by now, no
    processor can predict. Unsigned indices spare numba's test of their sign.
    """
    n, one = np.uint64(len(parents)), packed.dtype.type(1)
    child = one << packed.dtype.type(bits)
    low = child - one
    packed[:] = 1
    seen = packed.dtype.type(0)
    for v in range(n):
        parent = np.uint64(np.uint32(parents[v]))  # a negative one becomes too large a node
        if parent >= n:
            parent = np.uint64(v)
        value = packed[parent] + child
        seen |= value
        packed[parent] = value
    if seen > most or seen < 0:
        return False
    chunk = np.uint64(_CHUNK)
    for begin in range(np.uint64(0), n, chunk):
        end = min(begin + chunk, n)
        head = tail = np.uint64(0)
        for v in range(begin, end):
            queue[tail] = v
            tail += np.uint64(packed[v] <= low)
        while head < tail:
            node = np.uint64(np.uint32(queue[head]))
            head += np.uint64(1)
            parent = np.uint64(np.uint32(parents[node]))
            value = packed[parent] + packed[node] - child
            packed[parent] = value
            queue[tail] = parent
            tail += np.uint64((value <= low) & (parent < end))  # one of a later chunk is listed there
    for v in range(n):
        packed[v] &= low
    return True


class Resizing(NamedTuple):
    """Work arrays of ``resize``, each int32 [n].

    moved   room for the nodes that have another parent
    left    children above which sizes are not known yet, -1 outside of ``resize``
    growth  by how much a size has grown so far, 0 outside of ``resize``
    """

    moved: NDArray[np.int32]
    left: NDArray[np.int32]
    growth: NDArray[np.int32]

    @classmethod
    def of(cls, nodes: int) -> Resizing:
        """Return those of a forest with so many nodes."""
        return cls(np.empty(nodes, np.int32), np.full(nodes, -1, np.int32), np.zeros(nodes, np.int32))


@inlined
def _parent(parents, node):  # type: ignore[no-untyped-def]
    """Return a node's parent as an index, one that is too large for none."""
    return np.uint64(np.uint32(parents[node]))


@loop_without_allocation
def resize(parents, old_parents, sizes, changed, work):  # type: ignore[no-untyped-def]
    """Bring ``sizes`` from the subtrees of ``old_parents`` to those of ``parents``, all int32 [n].

    Nodes whose parent or size is another are written to ``changed`` int32 [n]; return how many. A size can differ only
    above a node that has won or lost a child. On a cycle, which no tree has, sizes mean nothing.
    """
    moved, left, growth = work
    n, moves = np.uint64(len(parents)), np.uint64(0)
    block = np.uint64(_COMPARED)
    for begin in range(np.uint64(0), n, block):
        end, differs = min(begin + block, n), np.int32(0)
        for node in range(begin, end):
            differs |= parents[node] ^ old_parents[node]
        if differs:
            for node in range(begin, end):  # the list grows without branches
                moved[moves] = node
                moves += np.uint64(parents[node] != old_parents[node])
    above = np.uint64(0)
    for i in range(moves):
        v = np.uint64(moved[i])
        above = _list_above(v, parents, left, changed, above)
        parent = _parent(old_parents, v)
        if parent < n:
            above = _list_above(parent, parents, left, changed, above)
            growth[parent] -= sizes[v]
    for i in range(above):
        parent = _parent(parents, np.uint64(changed[i]))
        if parent < n:
            left[parent] += 1
    for i in range(above):
        v = np.uint64(changed[i])
        while v < n and left[v] == 0:
            left[v] = _KNOWN
            sizes[v] += growth[v]
            parent = _parent(parents, v)
            if parent < n:
                left[parent] -= 1
                growth[parent] += growth[v] if parents[v] == old_parents[v] else sizes[v]
            v = parent
    count = np.uint64(0)
    for i in range(above):
        v = np.uint64(changed[i])
        changed[count] = v
        count += np.uint64((growth[v] != 0) | (parents[v] != old_parents[v]))
        left[v], growth[v] = -1, 0
    return count


@inlined
def _list_above(v, parents, left, listed, count):  # type: ignore[no-untyped-def]
    """List a node and those above it, as far as they are not listed; return the new count."""
    while v < np.uint64(len(parents)) and left[v] < 0:
        left[v] = 0
        listed[count] = v
        count += np.uint64(1)
        v = _parent(parents, v)
    return count


@deputy("wayfront_gui.map.uncompiled")
@loop
def _find_levels_of_nodes(sizes, per_log, small, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` uint8 [n] with levels of sizes; ``small`` are those of the smallest, which most are."""
    for v in range(len(sizes)):
        out[v] = small[sizes[v]] if sizes[v] < len(small) else level_of_size(sizes[v], per_log)


@deputy("wayfront_gui.map.uncompiled")
@loop_without_allocation
def _find_levels(line_a, line_b, parents, of_nodes, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` uint8 [lines]: 0 for lines outside the tree, else the level of the node at the lower end."""
    for i in range(len(line_a)):
        a, b = line_a[i], line_b[i]
        u, v = np.uint64(np.uint32(a)), np.uint64(np.uint32(b))
        below_a, below_b = of_nodes[u], of_nodes[v]
        level = below_b if parents[v] == a else np.uint8(0)
        out[i] = below_a if parents[u] == b else level
