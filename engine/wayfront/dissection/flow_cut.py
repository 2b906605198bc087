"""Cut pieces in two along a direction: a smallest separator between the first and the last nodes in its order.

Inertial flow: Schild and Sommer, "On balanced separators in road networks", SEA 2015, here with separators of nodes.
Directions come from coordinates; and from the shape alone as the difference of a node's distances, in arcs, from two
nodes far apart. Of all directions the one with the smallest separator is taken, a little in favour of even sides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from wayfront.dissection.max_flow import OPEN, SINKS, SOURCES, separate_sets
from wayfront.dissection.pieces import FIRST, Labels, Pieces
from wayfront.dissection.shape import Int32Array

_FIXED = 0.3
"""Part of the nodes at either end of a direction that belong to its side."""


def cut_by_flow(pieces: Pieces, coordinates: Int32Array | None) -> Labels:
    """Return the labels int8 [N] of connected pieces; ``coordinates`` int32 [n, 2] are those of the network.

    A piece of two nodes and more has at least one node that is not in its separator.
    """
    labels = np.empty(len(pieces.nodes), np.int8)
    at = np.empty((0, 2), np.float64)
    if coordinates is not None and len(pieces):
        at = coordinates[pieces.nodes].astype(np.float64)
        at[:, 0] *= np.cos(np.radians(1e-6 * at[:, 1].mean()))
    _cut_all(pieces.offsets, pieces.starts, pieces.targets, at, labels)
    return labels


@njit(nogil=True, cache=True)
def _cut_all(offsets: Any, starts: Any, targets: Any, at: Any, labels: Any) -> None:
    kind = np.empty(len(labels), np.int8)
    tried = np.empty(len(labels), np.int8)
    for piece in range(len(offsets) - 1):
        begin, end = offsets[piece], offsets[piece + 1]
        best = np.inf
        for direction in range(6):
            if direction >= 2 and not len(at):
                break
            key = _direction(direction, begin, end, starts, targets, at)
            best = _try(key, begin, end, starts, targets, kind, tried, labels, best)


@njit(nogil=True, cache=True)
def _try(
    key: Any, begin: int, end: int, starts: Any, targets: Any, kind: Any, tried: Any, labels: Any, best: float
) -> float:
    """Cut along a direction, keep the labels if they are the best so far, and return the best rating."""
    size = end - begin
    fixed = max(1, int(_FIXED * size))
    order = np.argsort(key, kind="mergesort")
    kind[begin:end] = OPEN
    kind[begin + order[:fixed]] = SOURCES
    kind[begin + order[size - fixed :]] = SINKS
    most = size if best == np.inf else int(best) + 1
    separator = separate_sets(begin, end, starts, targets, kind, most, tried)
    if separator < 0:
        return best
    first = np.sum(tried[begin:end] == FIRST)
    second = size - separator - first
    rating = separator * (0.5 * size / np.sqrt((first + 0.5 * separator) * (second + 0.5 * separator)))
    if rating < best:
        labels[begin:end] = tried[begin:end]
        return rating
    return best


@njit(nogil=True, cache=True)
def _direction(direction: int, begin: int, end: int, starts: Any, targets: Any, at: Any) -> Any:
    """Return a number for each node of a piece that grows along a direction, float64 [end − begin]."""
    if direction == 2:
        return at[begin:end, 0].copy()
    if direction == 3:
        return at[begin:end, 1].copy()
    if direction == 4:
        return at[begin:end, 0] + at[begin:end, 1]
    if direction == 5:
        return at[begin:end, 0] - at[begin:end, 1]
    from_any = _hops(0, begin, end, starts, targets)
    a = np.argmax(from_any)
    from_a = _hops(a, begin, end, starts, targets)
    b = np.argmax(from_a)
    from_b = _hops(b, begin, end, starts, targets)
    if direction == 0:
        return (from_a - from_b).astype(np.float64)
    c = np.argmax(np.minimum(from_a, from_b))
    from_c = _hops(c, begin, end, starts, targets)
    d = np.argmax(from_c)
    return (from_c - _hops(d, begin, end, starts, targets)).astype(np.float64)


@njit(nogil=True, cache=True)
def _hops(root: int, begin: int, end: int, starts: Any, targets: Any) -> Any:
    """Return the number of arcs from a node to each of its connected piece, int32 [end − begin]."""
    hops = np.full(end - begin, -1, np.int32)
    queue = np.empty(end - begin, np.int32)
    hops[root] = 0
    queue[0] = root
    count = 1
    head = 0
    while head < count:
        u = queue[head]
        head += 1
        for arc in range(starts[begin + u], starts[begin + u + 1]):
            v = targets[arc] - begin
            if hops[v] < 0:
                hops[v] = hops[u] + 1
                queue[count] = v
                count += 1
    return hops
