"""Distribute what does not hang together: small components of a piece need no cut, only a side.

Removing separators leaves many bits beside one large component, and a network may consist of islands. The largest
component of a piece is cut if it is too large for one side; all others go to the lighter side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfront.compiling import loop, part
from wayfront.dissection.kahip_cut import LARGEST_SIDE
from wayfront.dissection.pieces import FIRST, SECOND, SEPARATOR, Labels, Pieces, split

_TO_CUT = np.int8(3)


def cores(pieces: Pieces) -> tuple[Pieces, Labels]:
    """Return the components that have to be cut, and labels int8 [N] of all nodes.

    A core's ``cells`` are indices of pieces. Labels are sides where the component needs no cut, else anything else.
    """
    labels = _arrange(pieces.offsets, pieces.starts, pieces.targets)
    to_cut = labels == _TO_CUT
    owners = np.full(2 * len(pieces), -1, np.int32)
    has_core = np.logical_or.reduceat(to_cut, pieces.offsets[:-1]) if len(pieces) else np.empty(0, np.bool_)
    owners[::2][has_core] = np.flatnonzero(has_core)
    return split(pieces, np.where(to_cut, FIRST, SEPARATOR).astype(np.int8), owners), labels


def distribute(pieces: Pieces, labels: Labels, core_labels: Labels) -> Labels:
    """Return the label of every node, given those of all nodes of the cores, in order."""
    sides = labels.copy()
    sides[labels == _TO_CUT] = core_labels
    _fill_sides(pieces.offsets, pieces.starts, pieces.targets, sides)
    return sides


_UNDECIDED = np.int8(4)


@part
def _flood(root: int, starts: Any, targets: Any, seen: Any, queue: Any) -> int:
    """Put the component of a node into ``queue``, and return how many nodes it has."""
    seen[root] = True
    queue[0] = root
    count = 1
    head = 0
    while head < count:
        u = queue[head]
        head += 1
        for arc in range(starts[u], starts[u + 1]):
            v = targets[arc]
            if not seen[v]:
                seen[v] = True
                queue[count] = v
                count += 1
    return count


@loop
def _arrange(offsets: Any, starts: Any, targets: Any) -> Any:
    """Label what has to be cut as ``_TO_CUT``, and all other nodes as ``_UNDECIDED``."""
    n = len(starts) - 1
    labels = np.full(n, _UNDECIDED, np.int8)
    seen = np.zeros(n, np.bool_)
    queue = np.empty(n, np.int32)
    for piece in range(len(offsets) - 1):
        size = offsets[piece + 1] - offsets[piece]
        for root in range(offsets[piece], offsets[piece + 1]):
            if seen[root]:
                continue
            count = _flood(root, starts, targets, seen, queue)
            if count > LARGEST_SIDE * size:
                for i in range(count):
                    labels[queue[i]] = _TO_CUT
                break
    return labels


@loop
def _fill_sides(offsets: Any, starts: Any, targets: Any, sides: Any) -> None:
    """Give the components that are undecided to the lighter side of their piece, the largest one first."""
    n = len(starts) - 1
    seen = np.zeros(n, np.bool_)
    queue = np.empty(n, np.int32)
    for piece in range(len(offsets) - 1):
        begin, end = offsets[piece], offsets[piece + 1]
        weight = np.zeros(3, np.int64)  # of both sides, and of the separator
        undecided = 0
        for i in range(begin, end):
            if sides[i] == _UNDECIDED:
                undecided += 1
            else:
                weight[sides[i]] += 1
                seen[i] = True
        if undecided == 0:
            continue
        firsts = np.empty(undecided, np.int32)
        sizes = np.empty(undecided, np.int32)
        components, filled = 0, 0
        for root in range(begin, end):
            if not seen[root]:
                firsts[components] = filled
                sizes[components] = _flood(root, starts, targets, seen, queue[filled:])
                filled += sizes[components]
                components += 1
        largest = 0
        for index in range(1, components):
            if sizes[index] > sizes[largest]:
                largest = index
        for turn in range(components):  # the largest, then all others but the one in whose stead it comes
            index = largest if turn == 0 else 0 if turn == largest else turn
            side = FIRST if weight[FIRST] <= weight[SECOND] else SECOND
            weight[side] += sizes[index]
            for i in range(firsts[index], firsts[index] + sizes[index]):
                sides[queue[i]] = side
