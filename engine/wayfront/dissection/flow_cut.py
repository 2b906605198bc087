"""Cut pieces in two along a direction: a smallest separator between the first and the last nodes in its order.

Inertial flow: Schild and Sommer, "On balanced separators in road networks", SEA 2015, here with separators of nodes.
Directions come from coordinates; and from the shape alone as the difference of a node's distances, in arcs, from two
nodes far apart. Of all directions the one with the smallest separator is taken, a little in favour of even sides.

A large piece is cut along several directions at a time, so that the first cuts of a network need not wait for one core.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, part
from wayfront.dissection.max_flow import OPEN, SINKS, SOURCES, separate_sets
from wayfront.dissection.pieces import FIRST, SECOND, SEPARATOR, Labels, Pieces
from wayfront.dissection.separator import rate
from wayfront.dissection.shape import Int32Array

_FIXED = 0.3
"""Part of the nodes at either end of a direction that belong to its side."""


BY_SHAPE, BY_COORDINATES = 2, 4
"""Directions of the shape and, behind them, of the map."""

GO_ON = np.zeros(1, np.bool_)
"""A ``stopped`` that nobody sets."""


def cut_by_flow(pieces: Pieces, coordinates: Int32Array | None, stopped: NDArray[np.bool_] = GO_ON) -> Labels:
    """Return the labels int8 [N] of connected pieces; ``coordinates`` int32 [n, 2] are those of the network.

    Soon after another thread has set ``stopped`` bool [1], what is found by then is returned, be it without separators.

    A piece of two nodes and more has at least one node that is not in its separator.
    """
    labels = np.zeros(len(pieces.nodes), np.int8)
    at = _on_the_map(pieces, coordinates)
    _cut_all(pieces.offsets, pieces.starts, pieces.targets, at, labels, stopped)
    return labels


def cut_one_by_flow(
    piece: Pieces,
    coordinates: Int32Array | None,
    stopped: NDArray[np.bool_],
    threads: int,
    tell: Callable[[float], None],
) -> Labels:
    """Return the labels that ``cut_by_flow`` has for a single piece, found along several directions at a time.

    ``tell`` gets the fraction done, in this thread.
    """
    at = _on_the_map(piece, coordinates)
    count = BY_SHAPE + (BY_COORDINATES if len(at) else 0)
    hops = _distances(np.int64(0), piece.offsets[1], piece.starts, piece.targets)
    best, best_direction, labels = np.inf, count, np.zeros(len(piece.nodes), np.int8)

    def cut(direction: int) -> tuple[float, int, Labels]:
        mine = np.zeros(len(piece.nodes), np.int8)
        # As good as the best is good enough: the first of equal directions is taken, whichever ends first.
        bound = np.nextafter(best, np.inf)
        return _cut_along(direction, piece.starts, piece.targets, hops, at, bound, mine, stopped), direction, mine

    with ThreadPoolExecutor(max(1, min(threads, count)), "wayfront cut") as pool:
        tell(1 / (count + 1))
        for done, future in enumerate(as_completed([pool.submit(cut, direction) for direction in range(count)]), 2):
            rating, direction, mine = future.result()
            if (rating, direction) < (best, best_direction) and mine.any():
                best, best_direction, labels = rating, direction, mine
            tell(done / (count + 1))
    return labels


def _on_the_map(pieces: Pieces, coordinates: Int32Array | None) -> NDArray[np.float64]:
    """Return where the nodes are, in units of one length, float64 [N, 2]; [0, 2] where that is not known."""
    at = np.empty((0, 2), np.float64)
    if coordinates is not None and len(pieces):
        at = coordinates[pieces.nodes].astype(np.float64)
        at[:, 0] *= np.cos(np.radians(1e-6 * at[:, 1].mean()))
    return at


@loop
def _cut_all(offsets: Any, starts: Any, targets: Any, at: Any, labels: Any, stopped: Any) -> None:
    place = np.full(len(labels), -1, np.int32)
    for piece in range(len(offsets) - 1):
        begin, end = offsets[piece], offsets[piece + 1]
        best = np.inf
        hops = _distances(begin, end, starts, targets)
        key = np.empty(end - begin)
        for direction in range(BY_SHAPE + (BY_COORDINATES if len(at) else 0)):
            if stopped[0]:
                return
            for i in range(len(key)):
                key[i] = _along(direction, i, hops, begin, at)
            best = _try(key, begin, starts, targets, place, labels, best, stopped)


@loop
def _cut_along(
    direction: int, starts: Any, targets: Any, hops: Any, at: Any, best: float, labels: Any, stopped: Any
) -> float:
    """Cut a single piece along one direction; return its rating, or ``best`` where it is no better than that."""
    place = np.full(len(labels), -1, np.int32)
    key = np.empty(len(labels))
    for i in range(len(key)):
        key[i] = _along(direction, i, hops, np.int64(0), at)
    return _try(key, np.int64(0), starts, targets, place, labels, best, stopped)


@part
def _along(direction: int, i: int, hops: Any, begin: int, at: Any) -> float:
    """Return how far along a direction the i-th node of a piece lies."""
    if direction == 0:
        return hops[0, i] - hops[1, i]
    if direction == 1:
        return hops[2, i] - hops[3, i]
    x, y = at[begin + i, 0], at[begin + i, 1]
    return x if direction == 2 else y if direction == 3 else x + y if direction == 4 else x - y


@part
def _try(key: Any, begin: int, starts: Any, targets: Any, place: Any, labels: Any, best: float, stopped: Any) -> float:
    """Cut along a direction, keep the labels if they are the best so far, and return the best rating."""
    size = len(key)
    mine = _ends(key)
    nodes, rows, neighbours = _between(begin, mine, starts, targets, place)
    kind = np.empty(len(nodes), np.int8)
    for i in range(len(nodes)):
        label = mine[nodes[i]]
        kind[i] = SOURCES if label == FIRST else SINKS if label == SECOND else OPEN
    found = np.empty(len(nodes), np.int8)
    separator = separate_sets(rows, neighbours, kind, size if best == np.inf else int(best), found, stopped)
    if separator < 0:
        return best
    for i in range(len(nodes)):
        mine[nodes[i]] = found[i]
    first = np.int64(0)
    for i in range(size):
        first += mine[i] == FIRST
    rating = rate(size, first, separator)
    if rating >= best:
        return best
    for i in range(size):
        labels[begin + i] = mine[i]
    return rating


@loop
def _ends(key: Any) -> Any:
    """Label the nodes at both ends of a direction as sides and all between them as separator, int8 [nodes]."""
    size = len(key)
    fixed = max(1, int(_FIXED * size))
    order = np.arange(size)
    _select(key, order, np.int64(0), fixed)
    _select(key, order, fixed, size - fixed)
    labels = np.full(size, SEPARATOR, np.int8)
    for i in range(fixed):
        labels[order[i]] = FIRST
        labels[order[size - 1 - i]] = SECOND
    return labels


@part
def _select(key: Any, order: Any, low: int, count: int) -> None:
    """Bring the smallest keys of order[low:] into order[low:count], by Hoare's selection (1961)."""
    high = len(order) - 1
    while low < high:
        pivot = key[order[(low + high) // 2]]
        i, j = low, high
        while i <= j:
            while key[order[i]] < pivot:
                i += 1
            while key[order[j]] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if count <= j:
            high = j
        elif count >= i:
            low = i
        else:
            return


@part
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
    nodes = nodes[:count]
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
    for i in range(count):
        place[begin + nodes[i]] = -1
    return nodes, rows, neighbours


@loop
def _distances(begin: int, end: int, starts: Any, targets: Any) -> Any:
    """Return int32 [4, nodes]: arcs to each node from two that are far apart, and from two on another line."""
    hops = np.empty((4, end - begin), np.int32)
    root = _find_hops(np.int64(0), begin, starts, targets, hops[0])
    root = _find_hops(root, begin, starts, targets, hops[0])
    _find_hops(root, begin, starts, targets, hops[1])
    farthest: Any = np.int64(0)
    for i in range(end - begin):
        if min(hops[0, i], hops[1, i]) > min(hops[0, farthest], hops[1, farthest]):
            farthest = i
    root = _find_hops(farthest, begin, starts, targets, hops[2])
    _find_hops(root, begin, starts, targets, hops[3])
    return hops


@part
def _find_hops(root: Any, begin: int, starts: Any, targets: Any, hops: Any) -> Any:
    """Find the number of arcs from a node to each of its connected piece; return a node with the largest."""
    hops[:] = -1
    queue = np.empty(len(hops), np.int32)
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
    return np.int64(queue[count - 1])
