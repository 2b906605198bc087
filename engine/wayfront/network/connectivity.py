"""Find the strongly and weakly connected components of a network.

Strong components by Tarjan's depth-first search (R. Tarjan, "Depth-first search and linear graph algorithms", SIAM
Journal on Computing 1(2), 1972) with an explicit stack, O(n + m); weak components by union-find with path halving.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront.network.road_network import Int32Array, RoadNetwork


def strong_components(network: RoadNetwork) -> Int32Array:
    """Return the strongly connected component of each node, int32 [n].

    Two nodes have the same number when each can reach the other. Components are numbered by falling size, so that
    component 0 is the largest; equal sizes by their first node.
    """
    return strong_labels(network.offsets, network.targets)


def in_largest_component(network: RoadNetwork) -> NDArray[np.bool_]:
    """Return whether each node is in the largest strongly connected component, bool [n]; found once for a network."""
    return network.derive("largest component", lambda: strong_components(network) == 0)


def weak_components(network: RoadNetwork) -> Int32Array:
    """Return the weakly connected component of each node, int32 [n], numbered by falling size."""
    return _by_size(join(network.offsets, network.targets))


def strong_labels(offsets: NDArray[Any], targets: NDArray[Any]) -> Int32Array:
    """Return ``strong_components`` of arrays in compressed rows (offsets [n+1], targets [m])."""
    return _by_size(_tarjan(offsets, targets))


def _by_size(labels: Int32Array) -> Int32Array:
    if not len(labels):
        return labels
    _, first, inverse, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), np.int32)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes), dtype=np.int32)
    return rank[inverse]


@loop
def _tarjan(offsets: NDArray[Any], targets: NDArray[Any]) -> Int32Array:
    n = len(offsets) - 1
    labels = np.full(n, -1, np.int32)
    visit = np.full(n, -1, np.int32)  # order of discovery
    low = np.empty(n, np.int32)  # the earliest visit known to be reachable within the component
    next_arc = np.empty(n, np.int64)  # the first arc not examined yet
    path = np.empty(n, np.int32)  # the depth-first path
    pending = np.empty(n, np.int32)  # discovered nodes whose component is not complete
    visits, components, waiting = 0, 0, 0
    for root in range(n):
        if visit[root] >= 0:
            continue
        depth = 0
        path[0] = root
        visit[root] = low[root] = visits
        next_arc[root] = offsets[root]
        visits += 1
        pending[waiting] = root
        waiting += 1
        while depth >= 0:
            u = path[depth]
            if next_arc[u] < offsets[u + 1]:
                v = targets[next_arc[u]]
                next_arc[u] += 1
                if visit[v] < 0:
                    visit[v] = low[v] = visits
                    next_arc[v] = offsets[v]
                    visits += 1
                    pending[waiting] = v
                    waiting += 1
                    depth += 1
                    path[depth] = v
                elif labels[v] < 0:
                    low[u] = min(low[u], visit[v])
                continue
            if low[u] == visit[u]:
                while True:
                    waiting -= 1
                    v = pending[waiting]
                    labels[v] = components
                    if v == u:
                        break
                components += 1
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[u])
    return labels


@loop
def join(offsets: NDArray[Any], targets: NDArray[Any]) -> Int32Array:
    """Return the smallest node that each node is connected with, int32 [n], of arcs in compressed rows."""
    n = len(offsets) - 1
    above = np.arange(n).astype(np.int32)
    for u in range(n):
        for arc in range(offsets[u], offsets[u + 1]):
            a, b = u, targets[arc]
            while above[a] != a:
                above[a] = above[above[a]]
                a = above[a]
            while above[b] != b:
                above[b] = above[above[b]]
                b = above[b]
            # The smaller number leads, so that every root precedes what hangs on it.
            above[max(a, b)] = min(a, b)
    for u in range(n):
        above[u] = above[above[u]]
    return above
