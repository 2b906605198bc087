"""The smallest set of nodes that parts two sets of nodes, by augmenting paths, each node carrying one at most.

Menger 1927; the paths by Dinic 1970, who sends flow along all shortest ones at a time. Every node v is split into an
entrance and an exit with an arc of capacity 1 between them; the states of the search are 2 v for the entrance and
2 v + 1 for the exit. A path that carries flow is held as the next and the previous node of each node on it. When no
path is left, the separator consists of the nodes whose entrance is reached and whose exit is not; searched backwards
from the other set, of those the other way round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfront.compiling import loop, part
from wayfront.dissection.pieces import FIRST, SECOND, SEPARATOR

_NONE, _END = -1, -2
"""A node without flow, and the next or previous of a path's last or first node."""

OPEN, SOURCES, SINKS = 0, 1, 2
"""What a node is in the search: between the sets, or in the set where paths begin or end."""


@loop
def separate_sets(starts: Any, targets: Any, kind: Any, most: int, labels: Any, stopped: Any) -> int:
    """Label a smallest separator of a graph's sources and sinks, and its sides; return its size.

    Returns −1 where that is above ``most``, or soon after another thread has set ``stopped`` bool [1].

    ``starts`` int32 [nodes + 1] and ``targets`` int32 are the graph; ``kind`` int8 [nodes] says of every node whether
    it is ``OPEN``, in ``SOURCES`` or in ``SINKS``. Sources that are not in the separator become ``FIRST``, sinks
    ``SECOND``. Of all smallest separators it is the one nearest to the sources or the one nearest to the sinks,
    whichever parts more evenly.
    """
    n = len(kind)
    onward = np.full(n, _NONE, np.int32)
    back = np.full(n, _NONE, np.int32)
    level = np.empty(2 * n, np.int32)
    queue = np.empty(2 * n, np.int32)
    next_arc = np.empty(n, np.int32)
    flow = 0
    while _find_levels(starts, targets, kind, onward, back, level, queue):
        flow += _send_flow(starts, targets, kind, onward, back, level, queue, next_arc)
        if flow > most or stopped[0]:
            return -1
    near = _label_sides(level, labels, np.bool_(True))
    _search_backwards(starts, targets, kind, onward, back, level, queue)
    if _label_sides(level, labels, np.bool_(False)) < near:
        _find_levels(starts, targets, kind, onward, back, level, queue)
        _label_sides(level, labels, np.bool_(True))
    return flow


@part
def _find_levels(starts: Any, targets: Any, kind: Any, onward: Any, back: Any, level: Any, queue: Any) -> bool:
    """Give states a level that rises from the sources along a path to each, −1 where there is none.

    Returns whether a sink has one, and then ends early. The exit of a node without flow is queued at once, one level
    below its entrance, behind which there is nothing else.
    """
    level[:] = -1
    count = 0
    for v in range(len(kind)):
        if kind[v] == SOURCES:
            level[2 * v] = 0
            queue[count] = 2 * v
            count += 1
    head = 0
    last = np.int32(2**31 - 1)
    while head < count and level[queue[head]] < last:
        state = queue[head]
        head += 1
        v = state >> 1
        deeper = level[state] + 1
        if state & 1 == 0:
            reached = _behind_entrance(v, onward, back)
            if reached >= 0 and level[reached] < 0:
                level[reached] = deeper
                queue[count] = reached
                count += 1
                if kind[reached >> 1] == SINKS and onward[reached >> 1] != _END:
                    last = deeper
            continue
        if onward[v] != _NONE and level[2 * v] < 0:
            level[2 * v] = deeper
            queue[count] = 2 * v
            count += 1
        for arc in range(starts[v], starts[v + 1]):
            w = targets[arc]
            if level[2 * w] >= 0 or onward[v] == w:
                continue
            level[2 * w] = deeper
            if onward[w] != _NONE:
                queue[count] = 2 * w
                count += 1
            elif level[2 * w + 1] < 0:
                level[2 * w + 1] = deeper + 1
                queue[count] = 2 * w + 1
                count += 1
                if kind[w] == SINKS:
                    last = min(last, deeper + 1)
    return head < count


@part
def _behind_entrance(v: int, onward: Any, back: Any) -> int:
    """Return the only state behind an entrance: the exit, or where flow through the node is taken back; −1 for none."""
    if onward[v] == _NONE:
        return 2 * v + 1
    return 2 * back[v] + 1 if back[v] >= 0 else -1


@part
def _send_flow(
    starts: Any, targets: Any, kind: Any, onward: Any, back: Any, level: Any, path: Any, next_arc: Any
) -> int:
    """Send flow along paths that rise by one level a step until there is none; return how many there were."""
    flow = 0
    for v in range(len(kind)):
        next_arc[v] = starts[v] - 1  # the arc before the first stands for the own entrance
    for root in range(len(kind)):
        if level[2 * root] != 0:
            continue
        depth = np.int64(0)
        path[0] = 2 * root
        while depth >= 0:
            state = path[depth]
            v = state >> 1
            if state & 1 == 0:
                reached = _behind_entrance(v, onward, back)
                if reached < 0 or level[reached] != level[state] + 1:
                    reached = -1
            else:
                if kind[v] == SINKS and onward[v] != _END:
                    _augment(path, depth, onward, back)
                    flow += 1
                    break
                reached = _next_entrance(v, starts, targets, onward, level, next_arc)
            if reached >= 0:
                depth += 1
                path[depth] = reached
            else:
                level[state] = -1  # leads nowhere
                depth -= 1
        for i in range(depth + 1):
            level[path[i]] = -1  # carries all it can
    return flow


@part
def _next_entrance(v: int, starts: Any, targets: Any, onward: Any, level: Any, next_arc: Any) -> int:
    """Return the next entrance behind the exit of v that lies one level deeper, −1 when there is none left."""
    while next_arc[v] < starts[v + 1]:
        arc = next_arc[v]
        next_arc[v] += 1
        if arc < starts[v]:
            w = v
            if onward[v] == _NONE:
                continue
        else:
            w = targets[arc]
            if onward[v] == w:
                continue
        if level[2 * w] == level[2 * v + 1] + 1:
            return 2 * w
    return -1


@part
def _augment(path: Any, depth: int, onward: Any, back: Any) -> None:
    """Send flow along a path of states, from its end to its beginning; flow against it is taken back."""
    onward[path[depth] >> 1] = _END
    for i in range(depth, -1, -1):
        if path[i] & 1:  # an exit: from its own entrance, or from where its flow is taken back
            continue
        v = path[i] >> 1
        if i == 0:
            back[v] = _END
        elif path[i - 1] >> 1 == v:  # the flow through v is taken back
            onward[v] = _NONE
            back[v] = _NONE
        else:
            back[v] = path[i - 1] >> 1
            onward[path[i - 1] >> 1] = v


@part
def _search_backwards(starts: Any, targets: Any, kind: Any, onward: Any, back: Any, level: Any, queue: Any) -> None:
    """Leave the states from which a sink can be reached."""
    level[:] = -1
    count = 0
    for v in range(len(kind)):
        if kind[v] == SINKS:
            level[2 * v + 1] = 0
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
            if reached >= 0 and level[reached] < 0:
                level[reached] = 0
                queue[count] = reached
                count += 1
            continue
        if onward[v] != _NONE and level[2 * v + 1] < 0:
            level[2 * v + 1] = 0
            queue[count] = 2 * v + 1
            count += 1
        for arc in range(starts[v], starts[v + 1]):
            u = targets[arc]
            if level[2 * u + 1] < 0 and onward[u] != v:
                level[2 * u + 1] = 0
                queue[count] = 2 * u + 1
                count += 1


@part
def _label_sides(level: Any, labels: Any, forward: bool) -> int:
    """Label all nodes by the states that were reached, and return how many nodes the smaller side has."""
    counts = np.zeros(3, np.int64)
    for v in range(len(level) // 2):
        near, far = level[2 * v] >= 0, level[2 * v + 1] >= 0
        if forward:
            label = FIRST if far else SEPARATOR if near else SECOND
        else:
            label = SECOND if near else SEPARATOR if far else FIRST
        labels[v] = label
        counts[label] += 1
    return min(counts[FIRST], counts[SECOND])
