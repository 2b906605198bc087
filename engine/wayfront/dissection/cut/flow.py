"""Cut pieces in two along a direction: a smallest separator between the first and the last nodes in its order.

Inertial flow: Schild and Sommer, "On balanced separators in road networks", SEA 2015, here with separators of nodes.
Directions come from coordinates; and from the shape alone as the difference of a node's distances, in arcs, from two
nodes far apart. Of all directions the one with the smallest separator is taken, a little in favour of even sides. A
large piece is cut along several directions at a time, so that the first cuts of a network need not wait for one core.

The smallest set of nodes that parts two sets of nodes is found by augmenting paths, each node carrying one at most
(Menger 1927; the paths by Dinic 1970, who sends flow along all shortest ones at a time). Every node v is split into an
entrance and an exit with an arc of capacity 1 between them; the states of the search are 2 v for the entrance and
2 v + 1 for the exit. A path that carries flow is kept as the next and the previous node of each node on it. When no
path is left, the separator consists of the nodes whose entrance is reached and whose exit is not; searched backwards
from the other set, of those the other way round.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part, part_without_allocation
from wayfront.dissection.cut.pieces import FIRST, SECOND, SEPARATOR, Labels, Pieces
from wayfront.dissection.shape import Int32Array

_FIXED = 0.3
"""Part of the nodes at either end of a direction that belong to its side."""


BY_SHAPE, BY_COORDINATES = 2, 4
"""Directions of the shape and, behind them, of the map."""


class FlowCutter:
    """Cuts pieces of a network in any thread; a large one by as many threads as its nodes are worth.

    ``coordinates`` int32 [n, 2] are those of the network, where it has any.
    """

    def __init__(self, coordinates: Int32Array | None, threads_a_node: float) -> None:
        self._coordinates, self._threads_a_node = coordinates, threads_a_node
        self._stopped = np.zeros(1, np.bool_)

    def stop(self) -> None:
        """Let cuts that other threads make end soon, with labels of no meaning."""
        self._stopped[0] = True

    def cut(self, pieces: Pieces, report: Callable[[float], None] | None) -> Labels:
        """Return the labels int8 [N] of connected pieces; no arc joins two sides.

        Soon after ``stop``, what is found by then is returned, be it without separators. A piece of two nodes and more
        has at least one node that is not in its separator. A large piece has ``report``, which gets the fraction done,
        in this thread.
        """
        at = _on_the_map(pieces, self._coordinates)
        if len(pieces) == 1 and report is not None:
            return self._cut_large(pieces, at, report)
        labels = np.zeros(len(pieces.nodes), np.int8)
        _cut_all(pieces.offsets, pieces.starts, pieces.targets, at, labels, self._stopped)
        return labels

    def _cut_large(self, piece: Pieces, at: NDArray[np.float64], report: Callable[[float], None]) -> Labels:
        """Return the labels that ``_cut_all`` finds for a single piece, found along several directions at a time."""
        count = BY_SHAPE + (BY_COORDINATES if len(at) else 0)
        hops = _distances(np.int64(0), piece.offsets[1], piece.starts, piece.targets)
        best, best_direction, labels = np.inf, count, np.zeros(len(piece.nodes), np.int8)

        def cut(direction: int) -> tuple[float, int, Labels]:
            mine = np.zeros(len(piece.nodes), np.int8)
            # As good as the best is good enough: the first of equal directions is taken, whichever ends first.
            bound = np.nextafter(best, np.inf)
            rating = _cut_along(direction, piece.starts, piece.targets, hops, at, bound, mine, self._stopped)
            return rating, direction, mine

        threads = round(self._threads_a_node * len(piece.nodes))
        with ThreadPoolExecutor(max(1, min(threads, count)), "wayfront cut") as pool:
            report(1 / (count + 1))
            for done, future in enumerate(as_completed([pool.submit(cut, direction) for direction in range(count)]), 2):
                rating, direction, mine = future.result()
                if (rating, direction) < (best, best_direction) and mine.any():
                    best, best_direction, labels = rating, direction, mine
                report(done / (count + 1))
        return labels


def _on_the_map(pieces: Pieces, coordinates: Int32Array | None) -> NDArray[np.float64]:
    """Return where the nodes are, in units of one length, float64 [N, 2]; [0, 2] where that is not known."""
    at = np.empty((0, 2), np.float64)
    if coordinates is not None and len(pieces):
        at = coordinates[pieces.nodes].astype(np.float64)
        at[:, 0] *= np.cos(np.radians(1e-6 * at[:, 1].mean()))
    return at


@part_without_allocation
def _rate(size: int, first: int, separator: int) -> float:
    """Return how bad a cut is: the size of its separator, a tenth more where a side has but 30 % of the nodes."""
    second = size - separator - first
    return separator * (0.5 * size / np.sqrt((first + 0.5 * separator) * (second + 0.5 * separator)))


@loop
def _cut_all(offsets: Any, starts: Any, targets: Any, at: Any, labels: Any, stopped: Any) -> None:
    index = np.full(len(labels), -1, np.int32)
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
            best = _try(key, begin, starts, targets, index, labels, best, stopped)


@loop
def _cut_along(
    direction: int, starts: Any, targets: Any, hops: Any, at: Any, best: float, labels: Any, stopped: Any
) -> float:
    """Cut a single piece along one direction; return its rating, or ``best`` where it is no better than that."""
    index = np.full(len(labels), -1, np.int32)
    key = np.empty(len(labels))
    for i in range(len(key)):
        key[i] = _along(direction, i, hops, np.int64(0), at)
    return _try(key, np.int64(0), starts, targets, index, labels, best, stopped)


@part_without_allocation
def _along(direction: int, i: int, hops: Any, begin: int, at: Any) -> float:
    """Return how far along a direction the i-th node of a piece lies."""
    if direction == 0:
        return hops[0, i] - hops[1, i]
    if direction == 1:
        return hops[2, i] - hops[3, i]
    x, y = at[begin + i, 0], at[begin + i, 1]
    return x if direction == 2 else y if direction == 3 else x + y if direction == 4 else x - y


@part
def _try(key: Any, begin: int, starts: Any, targets: Any, index: Any, labels: Any, best: float, stopped: Any) -> float:
    """Cut along a direction, keep the labels if they are the best so far, and return the best rating."""
    size = len(key)
    mine = _ends(key)
    nodes, rows, neighbours = _between(begin, mine, starts, targets, index)
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
    rating = _rate(size, first, separator)
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


@part_without_allocation
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
def _between(begin: int, labels: Any, starts: Any, targets: Any, index: Any) -> Any:
    """Return (nodes, starts, targets): the nodes on no side, with those of the sides that touch others than their own.

    Only these can be in a smallest separator. ``index`` int32 [N] is −1 everywhere, before and after.
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
            index[begin + i] = count
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
            if index[targets[arc]] >= 0:
                neighbours[arcs] = index[targets[arc]]
                arcs += 1
    rows[count] = arcs
    for i in range(count):
        index[begin + nodes[i]] = -1
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


@part_without_allocation
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


@part_without_allocation
def _behind_entrance(v: int, onward: Any, back: Any) -> int:
    """Return the only state behind an entrance: the exit, or where flow through the node is taken back; −1 for none."""
    if onward[v] == _NONE:
        return 2 * v + 1
    return 2 * back[v] + 1 if back[v] >= 0 else -1


@part_without_allocation
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


@part_without_allocation
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


@part_without_allocation
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


@part_without_allocation
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
