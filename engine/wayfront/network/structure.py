"""The structure of a network's arrays: nodes in an order for locality, arcs in rows, components, regions of the Earth.

Nodes close on the map become close in memory (Morton order: the bits of x and y interleaved), which is what makes a
search touch few cache lines and a view of the map a few contiguous runs.

Strong components by Tarjan's depth-first search (R. Tarjan, "Depth-first search and linear graph algorithms", SIAM
Journal on Computing 1(2), 1972) with an explicit stack, O(n + m); weak components by union-find with path halving.

Regions: a file may hold two countries, or a few nodes on an island far out; then a view of everything shows nothing.
The Earth is divided into cells of a quarter of a degree; occupied cells that touch, also across a corner, are one
region. The first view belongs to the region with the most nodes, and the others are listed. Longitudes jump at the
antimeridian: a network that lies on both sides of it is cut open elsewhere, in the widest stretch without a node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import deputy, loop

if TYPE_CHECKING:
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


@deputy("wayfront.network.uncompiled")
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


def morton_order(coordinates: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the nodes in Morton order, int32 [n]; nodes with equal coordinates keep their order."""
    if not len(coordinates):
        return np.empty(0, np.int32)
    keys = np.empty(len(coordinates), np.uint64)
    _morton_keys(coordinates, coordinates.min(axis=0).astype(np.int64), keys)
    return np.argsort(keys, kind="stable").astype(np.int32)


def compress_rows(
    tails: NDArray[np.int32], heads: NDArray[np.int32], rank: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return (offsets [n+1], targets [m], position [m]) of arcs whose node ``u`` becomes node ``rank[u]``.

    Arc ``i`` of the list becomes arc ``position[i]``; the arcs of one node keep the list's order. Overwrites
    ``tails``: ``position`` is that array, since a list of arcs may take most of the memory.
    """
    offsets = np.zeros(len(rank) + 1, np.int64)
    targets = np.empty_like(heads)
    _count_arcs(tails, rank, offsets)
    np.cumsum(offsets, out=offsets)
    _fill_rows(tails, heads, rank, offsets[:-1].copy(), targets)
    return offsets, targets, tails


@loop
def _with_gaps(value: Any) -> Any:
    """Put a zero bit behind each of the lower 32 bits."""
    value = (value | (value << np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    value = (value | (value << np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    value = (value | (value << np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    value = (value | (value << np.uint64(2))) & np.uint64(0x3333333333333333)
    return (value | (value << np.uint64(1))) & np.uint64(0x5555555555555555)


@loop
def _morton_keys(coordinates: Any, lowest: Any, keys: Any) -> None:
    for node in range(len(keys)):
        x = np.uint64(coordinates[node, 0] - lowest[0])
        y = np.uint64(coordinates[node, 1] - lowest[1])
        keys[node] = _with_gaps(x) | (_with_gaps(y) << np.uint64(1))


@loop
def _count_arcs(tails: Any, rank: Any, offsets: Any) -> None:
    for arc in range(len(tails)):
        offsets[rank[tails[arc]] + 1] += 1


@loop
def _fill_rows(tails: Any, heads: Any, rank: Any, free: Any, targets: Any) -> None:
    """Put every arc into the next free position of its row, and leave that position in ``tails``."""
    for arc in range(len(tails)):
        row = rank[tails[arc]]
        position = free[row]
        free[row] = position + 1
        targets[position] = rank[heads[arc]]
        tails[arc] = position


CELL = 250_000
"""Microdegrees of a cell's side."""
_AROUND = 360_000_000 // CELL
_MOST_CELLS = 2 * _AROUND * _AROUND
"""More than the Earth has; up to there a count for each cell is quicker than sorting."""


@dataclass(frozen=True, slots=True)
class Region:
    """A region with its number of nodes and bounding box in microdegrees; longitudes are those of ``unbroken``."""

    node_count: int
    west: int
    south: int
    east: int
    north: int


def unbroken(coordinates: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return coordinates, int32 [n, 2], whose longitudes do not jump: those west of the cut are above 180°."""
    if not len(coordinates):
        return coordinates
    columns = np.flatnonzero(np.bincount((coordinates[:, 0] + np.int32(180_000_000)) // np.int32(CELL) % _AROUND))
    gaps = np.diff(columns, append=columns[0] + _AROUND)  # the last gap holds the antimeridian
    widest = int(np.argmax(gaps))
    if gaps[widest] == gaps[-1]:
        return coordinates
    cut = (int(columns[widest]) + 1) * CELL - 180_000_000
    whole = coordinates.copy()
    whole[whole[:, 0] < cut, 0] += 360_000_000
    return whole


def regions(network: RoadNetwork) -> tuple[Region, ...]:
    """Return the regions in which a network's nodes lie, that with the most nodes first; none without a map."""
    return network.derive("regions", lambda: _find(network))


def _find(network: RoadNetwork) -> tuple[Region, ...]:
    if network.coordinates is None or not network.node_count:
        return ()
    coordinates = unbroken(network.coordinates)
    column, row = ((axis // np.int32(CELL)).astype(np.int64) for axis in coordinates.T)
    column, row = column - column.min(), row - row.min()
    width = int(column.max()) + 2  # one free column, so that the first cell of a row does not touch the last of another
    cells, cell_of_node = _occupied(row * width + column)
    label = _label_cells(cells, width)[cell_of_node]
    count = np.bincount(label)
    if len(count) > 1:
        coordinates = coordinates[np.argsort(label, kind="stable")]
    begins = np.cumsum(count) - count
    low, high = np.minimum.reduceat(coordinates, begins), np.maximum.reduceat(coordinates, begins)
    largest_first = np.argsort(-count, kind="stable")
    boxes = zip(count[largest_first], low[largest_first], high[largest_first], strict=True)
    return tuple(
        Region(int(nodes), *west_south.tolist(), *east_north.tolist()) for nodes, west_south, east_north in boxes
    )


def _occupied(cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct values of nodes' cells, rising, and the index among them of each node's."""
    if int(cells.max()) > _MOST_CELLS:  # coordinates that are no places on the Earth
        occupied, index = np.unique(cells, return_inverse=True)
        return occupied, index
    occupied = np.flatnonzero(np.bincount(cells))
    index_of_cell = np.zeros(int(occupied[-1]) + 1, np.int64)
    index_of_cell[occupied] = np.arange(len(occupied))
    return occupied, index_of_cell[cells]


def _label_cells(cells: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return the region of each occupied cell, int64 [cells], by joining each with those it touches before it."""
    touching = cells[:, None] - np.array([1, width - 1, width, width + 1])
    nearest = np.minimum(np.searchsorted(cells, touching), len(cells) - 1)
    joined = np.where(cells[nearest] == touching, nearest, np.arange(len(cells))[:, None])
    roots = join(np.arange(0, joined.size + 1, joined.shape[1]), joined.reshape(-1))
    return np.unique(roots, return_inverse=True)[1]
