"""Make a small node separator of a two-way cut: a minimum vertex cover of the arcs that cross it.

In a bipartite graph the smallest cover has as many nodes as the largest matching (König 1931). The matching grows by
augmenting paths in phases of breadth-first levels (Hopcroft and Karp 1973); then the cover is: of the first side the
nodes that no alternating path from a free node reaches, of the second side those that one does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfront.compiling import loop, part
from wayfront.dissection.pieces import FIRST, SECOND, SEPARATOR, Labels, Pieces


def separate(pieces: Pieces, sides: Labels) -> Labels:
    """Return ``sides`` int8 [N] (``FIRST`` or ``SECOND``) with the nodes of each piece's separator labelled so."""
    labels = sides.copy()
    _cover(pieces.starts, pieces.targets, labels)
    return labels


def better_of(pieces: Pieces, labels: Labels, others: Labels) -> Labels:
    """Return for each piece those of two finished labels, separators included, that are rated lower."""
    return _better_of(pieces.offsets, labels, others)


@loop
def rate(size: int, first: int, separator: int) -> float:
    """Return how bad a cut is: the size of its separator, a tenth more where a side has but 30 % of the nodes."""
    second = size - separator - first
    return separator * (0.5 * size / np.sqrt((first + 0.5 * separator) * (second + 0.5 * separator)))


@loop
def _better_of(offsets: Any, labels: Any, others: Any) -> Any:
    better = labels.copy()
    for piece in range(len(offsets) - 1):
        counts = np.zeros((2, 3), np.int64)
        begin, end = offsets[piece], offsets[piece + 1]
        for i in range(begin, end):
            counts[0, labels[i]] += 1
            counts[1, others[i]] += 1
        mine = rate(end - begin, counts[0, FIRST], counts[0, SEPARATOR])
        if rate(end - begin, counts[1, FIRST], counts[1, SEPARATOR]) < mine:
            for i in range(begin, end):
                better[i] = others[i]
    return better


@loop
def _cover(starts: Any, targets: Any, labels: Any) -> None:
    """Label a minimum vertex cover of all arcs between the sides; pieces do not touch, so each has its own minimum."""
    n = len(starts) - 1
    crossing = np.empty(n, np.int32)
    count = 0
    for u in range(n):
        if labels[u] == FIRST:
            for arc in range(starts[u], starts[u + 1]):
                if labels[targets[arc]] == SECOND:
                    crossing[count] = u
                    count += 1
                    break
    left = crossing[:count]
    mate = np.full(n, -1, np.int32)
    level = np.full(n, -1, np.int32)
    _match(starts, targets, labels, left, mate, level)
    # The levels of the last phase are the nodes of the first side that alternating paths reach.
    for i in range(count):
        node = left[i]
        if level[node] < 0:
            labels[node] = SEPARATOR
        else:
            for arc in range(starts[node], starts[node + 1]):
                if labels[targets[arc]] == SECOND:
                    labels[targets[arc]] = SEPARATOR


@part
def _match(starts: Any, targets: Any, labels: Any, left: Any, mate: Any, level: Any) -> None:
    """Find a largest matching of the arcs that cross, and the levels of its last phase."""
    queue = np.empty(len(left), np.int32)
    next_arc = np.empty(len(level), np.int64)
    path = np.empty(len(left) + 1, np.int32)
    while True:
        waiting = 0
        for u in left:
            level[u] = -1
            next_arc[u] = starts[u]
            if mate[u] < 0:
                level[u] = 0
                queue[waiting] = u
                waiting += 1
        head = 0
        while head < waiting:
            u = queue[head]
            head += 1
            for arc in range(starts[u], starts[u + 1]):
                v = targets[arc]
                if labels[v] == SECOND and mate[v] >= 0 and level[mate[v]] < 0:
                    level[mate[v]] = level[u] + 1
                    queue[waiting] = mate[v]
                    waiting += 1
        grown = False
        for u in left:
            if mate[u] < 0 and _augment(u, starts, targets, labels, mate, level, next_arc, path):
                grown = True
        if not grown:
            return


@part
def _augment(
    root: int, starts: Any, targets: Any, labels: Any, mate: Any, level: Any, next_arc: Any, path: Any
) -> bool:
    """Follow levels from a free node to a free node of the other side, and exchange matched and unmatched arcs."""
    depth = 0
    path[0] = root
    while depth >= 0:
        u = path[depth]
        if next_arc[u] == starts[u + 1]:
            depth -= 1
            if depth >= 0:
                next_arc[path[depth]] += 1
            continue
        v = targets[next_arc[u]]
        if labels[v] != SECOND:
            next_arc[u] += 1
        elif mate[v] < 0:
            while depth >= 0:
                u = path[depth]
                v = targets[next_arc[u]]
                next_arc[u] += 1
                mate[v] = u
                mate[u] = v
                depth -= 1
            return True
        elif level[mate[v]] == level[u] + 1:
            depth += 1
            path[depth] = mate[v]
        else:
            next_arc[u] += 1
    return False
