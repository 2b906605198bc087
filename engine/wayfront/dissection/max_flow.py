"""The smallest set of nodes that parts two sets of nodes, by augmenting paths, each node carrying one at most.

Menger 1927; Ford and Fulkerson 1956. Every node v is split into an entrance and an exit with an arc of capacity 1
between them; states of the search are 2 v for the entrance and 2 v + 1 for the exit. A path that carries flow is held as
the next and the previous node of each node on it. When no path is left, the separator consists of the nodes whose
entrance is reached and whose exit is not; searched backwards from the other set, of those the other way round.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from wayfront.dissection.pieces import FIRST, SECOND, SEPARATOR

_NONE, _END = -1, -2
"""A node without flow, and the next or previous of a path's last or first node."""

OPEN, SOURCES, SINKS = 0, 1, 2
"""What a node is in the search: between the sets, or in the set where paths begin or end."""


@njit(nogil=True, cache=True)
def separate_sets(begin: int, end: int, starts: Any, targets: Any, kind: Any, most: int, labels: Any) -> int:
    """Label a smallest separator of the nodes begin … end − 1 and its sides; return its size, −1 if above ``most``.

    ``kind`` says of every node whether it is ``OPEN``, in ``SOURCES`` or in ``SINKS``. Sources that are not in the
    separator become ``FIRST``, sinks ``SECOND``. Of all smallest separators it is the one nearest to the sources or
    the one nearest to the sinks, whichever parts more evenly.
    """
    size = end - begin
    onward = np.full(size, _NONE, np.int32)
    back = np.full(size, _NONE, np.int32)
    came_from = np.empty(2 * size, np.int32)
    queue = np.empty(2 * size, np.int32)
    flow = 0
    while True:
        last = _find_path(begin, starts, targets, kind, onward, back, came_from, queue)
        if last < 0:
            break
        flow += 1
        if flow > most:
            return -1
        _augment(last, onward, back, came_from)
    near = _label_sides(begin, came_from, labels, forward=True)
    _search_backwards(begin, starts, targets, kind, onward, back, came_from, queue)
    if _label_sides(begin, came_from, labels, forward=False) < near:
        _find_path(begin, starts, targets, kind, onward, back, came_from, queue)
        _label_sides(begin, came_from, labels, forward=True)
    return flow


@njit(nogil=True, cache=True)
def _find_path(
    begin: int, starts: Any, targets: Any, kind: Any, onward: Any, back: Any, came_from: Any, queue: Any
) -> int:
    """Search for a path that can carry flow; return the sink it ends at, −1 for none. Leaves the states reached."""
    size = len(onward)
    came_from[:] = -1
    count = 0
    for v in range(size):
        if kind[begin + v] == SOURCES and back[v] != _END:
            came_from[2 * v] = 2 * v  # nothing precedes it
            queue[count] = 2 * v
            count += 1
    head = 0
    while head < count:
        state = queue[head]
        head += 1
        v = state >> 1
        if state & 1 == 0:
            before = back[v]
            reached = 2 * v + 1 if onward[v] == _NONE else 2 * before + 1 if before >= 0 else -1
            if reached >= 0 and came_from[reached] < 0:
                came_from[reached] = state
                queue[count] = reached
                count += 1
            continue
        if kind[begin + v] == SINKS and onward[v] != _END:
            return v
        if onward[v] != _NONE and came_from[2 * v] < 0:
            came_from[2 * v] = state
            queue[count] = 2 * v
            count += 1
        for arc in range(starts[begin + v], starts[begin + v + 1]):
            w = targets[arc] - begin
            if came_from[2 * w] < 0 and onward[v] != w:
                came_from[2 * w] = state
                queue[count] = 2 * w
                count += 1
    return -1


@njit(nogil=True, cache=True)
def _augment(last: int, onward: Any, back: Any, came_from: Any) -> None:
    """Send flow along the path that was found, from its end to its beginning; flow against it is taken back."""
    onward[last] = _END
    state = 2 * last + 1
    while True:
        before = came_from[state]
        v, u = state >> 1, before >> 1
        if state & 1:  # an exit: from its own entrance, or where flow to u is taken back
            state = before
        elif before == state:
            back[v] = _END
            return
        elif u == v:  # the flow through v is taken back
            onward[v] = _NONE
            back[v] = _NONE
            state = before
        else:
            back[v] = u
            onward[u] = v
            state = before


@njit(nogil=True, cache=True)
def _search_backwards(
    begin: int, starts: Any, targets: Any, kind: Any, onward: Any, back: Any, came_from: Any, queue: Any
) -> None:
    """Leave the states from which a sink can be reached."""
    size = len(onward)
    came_from[:] = -1
    count = 0
    for v in range(size):
        if kind[begin + v] == SINKS and onward[v] != _END:
            came_from[2 * v + 1] = 0
            queue[count] = 2 * v + 1
            count += 1
    head = 0
    while head < count:
        state = queue[head]
        head += 1
        v = state >> 1
        if state & 1:
            after = onward[v]
            reached = 2 * v if after == _NONE else 2 * after if after >= 0 else -1
            if reached >= 0 and came_from[reached] < 0:
                came_from[reached] = 0
                queue[count] = reached
                count += 1
            continue
        if onward[v] != _NONE and came_from[2 * v + 1] < 0:
            came_from[2 * v + 1] = 0
            queue[count] = 2 * v + 1
            count += 1
        for arc in range(starts[begin + v], starts[begin + v + 1]):
            u = targets[arc] - begin
            if came_from[2 * u + 1] < 0 and onward[u] != v:
                came_from[2 * u + 1] = 0
                queue[count] = 2 * u + 1
                count += 1


@njit(nogil=True, cache=True)
def _label_sides(begin: int, came_from: Any, labels: Any, forward: bool) -> int:
    """Label all nodes by the states that were reached, and return how many nodes the smaller side has."""
    counts = np.zeros(3, np.int64)
    for v in range(len(came_from) // 2):
        near, far = came_from[2 * v] >= 0, came_from[2 * v + 1] >= 0
        if forward:
            label = FIRST if far else SEPARATOR if near else SECOND
        else:
            label = SECOND if near else SEPARATOR if far else FIRST
        labels[begin + v] = label
        counts[label] += 1
    return min(counts[FIRST], counts[SECOND])
