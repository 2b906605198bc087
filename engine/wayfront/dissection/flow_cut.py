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
from wayfront.dissection.pieces import FIRST, SECOND, SEPARATOR, Labels, Pieces
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
    place = np.full(len(labels), -1, np.int32)
    tried = np.empty(len(labels), np.int8)
    for piece in range(len(offsets) - 1):
        begin, end = offsets[piece], offsets[piece + 1]
        best = np.inf
        from_a, from_b, from_c, from_d = _distances(begin, end, starts, targets)
        for direction in range(6 if len(at) else 2):
            if direction == 0:
                key = (from_a - from_b).astype(np.float64)
            elif direction == 1:
                key = (from_c - from_d).astype(np.float64)
            elif direction < 4:
                key = at[begin:end, direction - 2].copy()
            else:
                key = at[begin:end, 0] + (9 - 2 * direction) * at[begin:end, 1]
            best = _try(key, begin, starts, targets, place, tried, labels, best)


@njit(nogil=True, cache=True)
def _try(key: Any, begin: int, starts: Any, targets: Any, place: Any, tried: Any, labels: Any, best: float) -> float:
    """Cut along a direction, keep the labels if they are the best so far, and return the best rating."""
    size = len(key)
    fixed = max(1, int(_FIXED * size))
    order = np.argsort(key, kind="mergesort")
    mine = tried[begin : begin + size]
    mine[:] = SEPARATOR
    mine[order[:fixed]] = FIRST
    mine[order[size - fixed :]] = SECOND
    nodes, rows, neighbours = _between(begin, mine, starts, targets, place)
    kind = np.empty(len(nodes), np.int8)
    for i in range(len(nodes)):
        label = mine[nodes[i]]
        kind[i] = SOURCES if label == FIRST else SINKS if label == SECOND else OPEN
    found = np.empty(len(nodes), np.int8)
    most = size if best == np.inf else int(best)
    separator = separate_sets(rows, neighbours, kind, most, found)
    if separator < 0:
        return best
    mine[nodes] = found
    first = np.sum(mine == FIRST)
    second = size - separator - first
    rating = separator * (0.5 * size / np.sqrt((first + 0.5 * separator) * (second + 0.5 * separator)))
    if rating < best:
        labels[begin : begin + size] = mine
        return rating
    return best


@njit(nogil=True, cache=True)
def _between(begin: int, labels: Any, starts: Any, targets: Any, place: Any) -> Any:
    """Return (nodes, starts, targets): the nodes on no side, with those of the sides that touch others than their own.

    Only these can be in a smallest separator. ``place`` int32 [N] is −1 everywhere, before and after.
    """
    nodes = np.empty(len(labels), np.int32)
    count = 0
    room = 0
    for i in range(len(labels)):
        first, last = starts[begin + i], starts[begin + i + 1]
        needed = labels[i] == SEPARATOR
        for arc in range(first, last):
            needed |= labels[targets[arc] - begin] != labels[i]
        if needed:
            place[begin + i] = count
            nodes[count] = i
            count += 1
            room += last - first
    nodes = nodes[:count].copy()
    rows = np.empty(count + 1, np.int32)
    neighbours = np.empty(room, np.int32)
    arcs = 0
    for i in range(count):
        rows[i] = arcs
        for arc in range(starts[begin + nodes[i]], starts[begin + nodes[i] + 1]):
            if place[targets[arc]] >= 0:
                neighbours[arcs] = place[targets[arc]]
                arcs += 1
    rows[count] = arcs
    place[begin + nodes] = -1
    return nodes, rows, neighbours


@njit(nogil=True, cache=True)
def _distances(begin: int, end: int, starts: Any, targets: Any) -> Any:
    """Return the number of arcs to each node from two that are far apart, and from two on another line."""
    from_a = _hops(np.argmax(_hops(0, begin, end, starts, targets)), begin, end, starts, targets)
    from_b = _hops(np.argmax(from_a), begin, end, starts, targets)
    from_c = _hops(np.argmax(np.minimum(from_a, from_b)), begin, end, starts, targets)
    return from_a, from_b, from_c, _hops(np.argmax(from_c), begin, end, starts, targets)


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
