"""The searches of NetworkX, compiled: they find what its own find, bit for bit, and in the same order.

What is written for Python's heap of (distance, number of the entry, node) is an order that any heap keeps. Distances
are added in 64-bit floating point from the source on, as Python adds them; whole numbers are exact there up to 2^53.
Of equally long paths the one found first stays.

Dijkstra 1959. Both ends at once: Pohl, Bi-directional search, Machine Intelligence 6, 1971.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part

NONE = -1
UNSEEN, SEEN, SETTLED = 0, 1, 2
NEGATIVE = -1
"""In place of a count: a settled node could be reached by less."""


class Arcs(NamedTuple):
    """Arcs by their tails, in the order of a graph's neighbours; one from a node to another.

    offsets   int64 [n + 1]
    heads     int32 [m]
    weights   float64 [m]
    floating  uint8 [m]: whether the weight is a floating-point number in Python
    """

    offsets: NDArray[np.int64]
    heads: NDArray[np.int32]
    weights: NDArray[np.float64]
    floating: NDArray[np.uint8]


class Tree(NamedTuple):
    """What a search finds.

    order     int32 [n]: the nodes in the order in which they are settled
    found     int32 [n]: the nodes that are no sources, in the order in which they are seen
    distance  float64 [n], NaN where the search did not come
    parent    int32 [n], ``NONE`` for sources
    floating  uint8 [n]: whether the distance is a floating-point number in Python
    """

    order: NDArray[np.int32]
    found: NDArray[np.int32]
    distance: NDArray[np.float64]
    parent: NDArray[np.int32]
    floating: NDArray[np.uint8]


def empty_tree(nodes: int) -> Tree:
    """Return the arrays of a search that is still to be made."""
    return Tree(
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int32),
        np.full(nodes, np.nan),
        np.full(nodes, NONE, np.int32),
        np.zeros(nodes, np.uint8),
    )


class Between(NamedTuple):
    """What accumulating over sources takes and finds.

    into      int64 [n + 1]: where the arcs that enter each node begin among ``arcs``
    arcs      int64 [m]: arcs by their heads
    tails     int32 [m]: the tail of each arc
    edges     int64 [m]: the edge of each arc; both arcs of an undirected one are the same
    wanted    bool [n]: whether paths to a node count
    at_nodes  float64 [n], and ``at_edges`` float64 [edges]: the sums
    """

    into: NDArray[np.int64]
    arcs: NDArray[np.int64]
    tails: NDArray[np.int32]
    edges: NDArray[np.int64]
    wanted: NDArray[np.bool_]
    at_nodes: NDArray[np.float64]
    at_edges: NDArray[np.float64]


class Heap(NamedTuple):
    """Entries of a binary heap: the least distance first, of equal ones the one that was entered first."""

    keys: NDArray[np.float64]
    ticks: NDArray[np.int64]
    nodes: NDArray[np.int32]


@part
def _heap(entries: int) -> Heap:
    return Heap(np.empty(entries), np.empty(entries, np.int64), np.empty(entries, np.int32))


@part
def _put(heap: Heap, index: int, key: float, tick: int, node: int) -> None:
    heap.keys[index], heap.ticks[index], heap.nodes[index] = key, tick, node


@part
def _enter(heap: Heap, size: int, key: float, tick: int, node: int) -> int:
    """Enter a node with a tick above all others; return the size."""
    hole = size
    while hole > 0:
        above = (hole - 1) >> 1
        if heap.keys[above] <= key:
            break
        _put(heap, hole, heap.keys[above], heap.ticks[above], heap.nodes[above])
        hole = above
    _put(heap, hole, key, tick, node)
    return size + 1


@part
def _before(heap: Heap, one: int, key: float, tick: int) -> bool:
    return heap.keys[one] < key or (heap.keys[one] == key and heap.ticks[one] < tick)


@part
def _drop_first(heap: Heap, size: int) -> int:
    """Take the first entry out; return the size."""
    last = size - 1
    key, tick, node = heap.keys[last], heap.ticks[last], heap.nodes[last]
    hole, child = 0, 1
    while child < last:
        if child + 1 < last and _before(heap, child + 1, heap.keys[child], heap.ticks[child]):
            child += 1
        if not _before(heap, child, key, tick):
            break
        _put(heap, hole, heap.keys[child], heap.ticks[child], heap.nodes[child])
        hole, child = child, 2 * child + 1
    _put(heap, hole, key, tick, node)
    return last


@loop
def settle(arcs: Arcs, sources: NDArray[np.int64], limit: float, target: int, tree: Tree) -> tuple[int, int]:
    """Search from sources within a limit, until a target is settled; ``NONE`` is no target.

    Return how many nodes are settled, and how many are seen that are no sources; ``NEGATIVE`` for the first where a
    settled node could be reached by less.
    """
    heap = _heap(len(arcs.heads) + len(sources) + 1)
    state = np.zeros(len(arcs.offsets) - 1, np.uint8)
    size, ticks, settled, found = 0, 0, 0, 0
    for source in sources:
        state[source] = SEEN
        tree.distance[source] = 0.0
        size, ticks = _enter(heap, size, 0.0, ticks, source), ticks + 1
    while size:
        node, distance = heap.nodes[0], heap.keys[0]
        size = _drop_first(heap, size)
        if state[node] == SETTLED:
            continue
        state[node] = SETTLED
        tree.order[settled] = node
        settled += 1
        if node == target:
            break
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            head, through = arcs.heads[arc], distance + arcs.weights[arc]
            if through > limit:
                continue
            if state[head] == SETTLED:
                if through < tree.distance[head]:
                    return NEGATIVE, found
            elif state[head] == UNSEEN or through < tree.distance[head]:
                if state[head] == UNSEEN:
                    tree.found[found] = head
                    found += 1
                state[head] = SEEN
                tree.distance[head], tree.parent[head] = through, node
                tree.floating[head] = tree.floating[node] | arcs.floating[arc]
                size, ticks = _enter(heap, size, through, ticks, head), ticks + 1
    return settled, found


@loop
def spread(arcs: Arcs, source: int, limit: float, tree: Tree) -> int:
    """Search from a source by numbers of arcs, breadth first, up to a limit; return how many nodes are reached."""
    tree.distance[source], tree.order[0] = 0.0, source
    first, reached = 0, 1
    while first < reached and tree.distance[tree.order[first]] < limit:
        node = tree.order[first]
        first += 1
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            head = arcs.heads[arc]
            if np.isnan(tree.distance[head]):
                tree.distance[head], tree.parent[head] = tree.distance[node] + 1, node
                tree.order[reached] = head
                reached += 1
    return reached


@loop
def tight_arcs(arcs: Arcs, limit: float, settled: NDArray[np.int32], tree: Tree, ends: NDArray[np.int32]) -> int:
    """Write head and tail of all arcs on shortest paths to ``ends`` [m, 2], in the order in which they are looked at.

    Return how many there are.
    """
    count = 0
    for node in settled:
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            through = tree.distance[node] + arcs.weights[arc]
            if through == tree.distance[arcs.heads[arc]] and not through > limit:
                ends[count, 0], ends[count, 1] = arcs.heads[arc], node
                count += 1
    return count


@loop
def accumulate(arcs: Arcs, sources: NDArray[np.int64], endpoints: bool, own: bool, between: Between) -> None:
    """Add what lies between some sources and the nodes that are wanted, in the order in which NetworkX adds it.

    ``own`` says whether a source is wanted itself, where a way of weight 0 leads back to it. Paths are counted as they
    are found, also those of nodes that are settled already: so even where edges of weight 0 make the order count, the
    numbers are those of NetworkX. Brandes 2001.
    """
    n = len(arcs.offsets) - 1
    heap = _heap(len(arcs.heads) + 2)
    distance, paths, passing = np.empty(n), np.empty(n), np.empty(n)
    state, parent, order = np.empty(n, np.uint8), np.empty(n, np.int32), np.empty(n, np.int32)
    for source in sources:
        state[:] = UNSEEN
        paths[:] = 0.0
        state[source], distance[source], paths[source], parent[source] = SEEN, 0.0, 1.0, source
        size, ticks, settled = _enter(heap, 0, 0.0, 0, source), 1, 0
        while size:
            node, here = heap.nodes[0], heap.keys[0]
            size = _drop_first(heap, size)
            if state[node] == SETTLED:
                continue
            paths[node] += paths[parent[node]]
            state[node] = SETTLED
            order[settled] = node
            settled += 1
            for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
                head, through = arcs.heads[arc], here + arcs.weights[arc]
                if state[head] != SETTLED and (state[head] == UNSEEN or through < distance[head]):
                    state[head], distance[head], parent[head], paths[head] = SEEN, through, node, 0.0
                    size, ticks = _enter(heap, size, through, ticks, head), ticks + 1
                elif through == distance[head]:
                    paths[head] += paths[node]
        _add_dependencies(arcs, source, endpoints, own, order[:settled], state, distance, paths, passing, between)


@part
def _add_dependencies(
    arcs: Arcs,
    source: int,
    endpoints: bool,
    own: bool,
    order: NDArray[np.int32],
    state: NDArray[np.uint8],
    distance: NDArray[np.float64],
    paths: NDArray[np.float64],
    passing: NDArray[np.float64],
    between: Between,
) -> None:
    """Give what ends at nodes and passes them back along their tight arcs, farthest nodes first."""
    if endpoints:
        between.at_nodes[source] += len(order) - 1
    for node in order:
        passing[node] = 0.0
    for place in range(len(order) - 1, -1, -1):
        node = order[place]
        mine = 1.0 if between.wanted[node] and (own or node != source) else 0.0
        each = (mine + passing[node]) / paths[node]
        for entry in range(between.into[node], between.into[node + 1]):
            arc = between.arcs[entry]
            tail = between.tails[arc]
            if state[tail] == SETTLED and distance[tail] + arcs.weights[arc] == distance[node]:
                flow = paths[tail] * each
                passing[tail] += flow
                between.at_edges[between.edges[arc]] += flow
        if node != source:
            between.at_nodes[node] += passing[node] + (1.0 if endpoints else 0.0)


@part
def _join(meeting: int, parents: Any, path: NDArray[np.int32]) -> int:
    """Write the path through a node where two searches met, from their parents [2, n]; return its length."""
    length, node = 0, meeting
    while node != NONE:
        path[length] = node
        length, node = length + 1, parents[0, node]
    for i in range(length // 2):
        path[i], path[length - 1 - i] = path[length - 1 - i], path[i]
    node = parents[1, meeting]
    while node != NONE:
        path[length] = node
        length, node = length + 1, parents[1, node]
    return length


@loop
def meet(out: Arcs, back: Arcs, source: int, target: int, path: NDArray[np.int32]) -> tuple[int, float]:
    """Search from two nodes in turns, back from the target; write the path [n], return its length in nodes, and weight.

    The length is 0 where there is no path, and ``NEGATIVE`` where a settled node could be reached by less.
    """
    n = len(out.offsets) - 1
    state = np.zeros((2, n), np.uint8)
    distance = np.empty((2, n))
    parents = np.full((2, n), NONE, np.int32)
    heaps = (_heap(len(out.heads) + 1), _heap(len(back.heads) + 1))
    sizes = np.ones(2, np.int64)
    for side in range(2):
        start = target if side else source
        _put(heaps[side], 0, 0.0, side, start)
        state[side, start], distance[side, start] = SEEN, 0.0
    ticks, side, best, meeting = 2, 1, 0.0, NONE
    while sizes[0] and sizes[1]:
        side = 1 - side
        heap = heaps[side]
        arcs = back if side else out
        node, here = heap.nodes[0], heap.keys[0]
        sizes[side] = _drop_first(heap, sizes[side])
        if state[side, node] == SETTLED:
            continue
        state[side, node] = SETTLED
        if state[1 - side, node] == SETTLED:
            return _join(meeting, parents, path), best
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            head, through = arcs.heads[arc], here + arcs.weights[arc]
            if state[side, head] == SETTLED:
                if through < distance[side, head]:
                    return NEGATIVE, best
            elif state[side, head] == UNSEEN or through < distance[side, head]:
                state[side, head] = SEEN
                distance[side, head], parents[side, head] = through, node
                sizes[side], ticks = _enter(heap, sizes[side], through, ticks, head), ticks + 1
                if state[1 - side, head] != UNSEEN:
                    whole = through + distance[1 - side, head]
                    if meeting == NONE or best > whole:
                        best, meeting = whole, head
    return 0, best


@loop
def meet_in_hops(out: Arcs, back: Arcs, source: int, target: int, path: NDArray[np.int32]) -> int:
    """Search from two nodes level by level, the smaller level first; write the path [n] and return its length in nodes.

    It is 0 where there is no path.
    """
    n = len(out.offsets) - 1
    seen = np.zeros((2, n), np.bool_)
    parents = np.full((2, n), NONE, np.int32)
    queue = np.empty((2, n), np.int32)
    first, end = np.zeros(2, np.int64), np.ones(2, np.int64)
    for side in range(2):
        queue[side, 0] = target if side else source
        seen[side, queue[side, 0]] = True
    if source == target:
        return _join(source, parents, path)
    while first[0] < end[0] and first[1] < end[1]:
        side = 0 if end[0] - first[0] <= end[1] - first[1] else 1
        arcs = back if side else out
        begin, level = first[side], end[side]
        first[side] = level
        for position in range(begin, level):
            node = queue[side, position]
            for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
                head = arcs.heads[arc]
                if not seen[side, head]:
                    seen[side, head], parents[side, head] = True, node
                    queue[side, end[side]] = head
                    end[side] += 1
                if seen[1 - side, head]:
                    return _join(head, parents, path)
    return 0
