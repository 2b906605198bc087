"""Compute coordinates for networks that have none.

Pivot MDS (U. Brandes and C. Pich, "Eigensolver methods for progressive multidimensional scaling of large data",
Graph Drawing 2006): the hop distances of all nodes to a few dozen pivots are squared and double-centred, and the
two principal directions of that n × k matrix are the map. Distances on the map then resemble distances in the
network, so a search spreads over it like a circle. Cost: k breadth-first searches and one k × k eigenproblem.

Two kinds of network need help. Where nearly everything is a few hops from everything (random graphs, R-MAT), that map
is a thick clump in a wide halo of stragglers; there directions and the order from the middle outwards stay, and the
radii become those of an evenly filled disc. And a network of one large component and very many tiny
ones (R-MAT leaves many nodes without an arc) would be mostly the tiny ones, so they move closer together.

Small graphs are read node by node, so theirs goes on until all pairs of nodes have their distances on the page like
those in hops, and every node has room for its disc. Stress majorization (E. Gansner, Y. Koren and S. North, "Graph
drawing by stress majorization", Graph Drawing 2004): the stress is the sum, over all pairs of nodes, of how far their
distance on the page is from that in hops, the nearest pairs counting most. Each round puts every node where the others
want it on average, which never raises the stress. It begins with the layout above, so that the same network always gets
the same picture.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network.conventions import SMALL
from wayfront.network.road_network import Int32Array, RoadNetwork
from wayfront.network.schema import offsets_of, ranks_of
from wayfront.network.structure import weak_components

Positions = NDArray[np.float64]

PIVOTS = 32
"""Pivots of one component: more hardly change the picture, fewer distort it."""

_HOP = 1_000
"""Microdegrees on the map for one hop, about 110 m."""
_CLUMPED = 0.2
"""Mean distance from the middle, in hops times √n, below which a map is a clump: streets have 0.38 and more."""
_SINGLES_AREA = 0.15
"""The largest share of the largest component's area that single nodes may take up together."""
_EXTENT = 8_000_000
"""Largest distance from the equator and from Greenwich; farther out, a map would stretch shapes."""


def pivot_layout(network: RoadNetwork) -> Int32Array:
    """Return coordinates for a network from its arcs alone, int32 [n, 2] microdegrees round (0, 0).

    One-way arcs count both ways. Components stand beside each other, the largest first.
    The same network always gets the same layout on one machine. For
    ``network.with_coordinates(pivot_layout(network))``.
    """
    n = network.node_count
    if n == 0:
        return np.empty((0, 2), np.int32)
    labels = weak_components(network)
    order = np.argsort(labels, kind="stable").astype(np.int32)
    offsets, targets = _both_ways(network, order)
    bounds = np.concatenate(([0], np.cumsum(np.bincount(labels))))
    components = [_component_layout(offsets, targets, a, b) for a, b in pairwise(bounds.tolist())]
    positions = np.empty((n, 2))
    positions[order] = _beside_each_other(components)
    positions -= (positions.min(axis=0) + positions.max(axis=0)) / 2
    scale = min(_HOP, _EXTENT / max(float(np.abs(positions).max()), 1.0))
    return np.rint(positions * scale).astype(np.int32)


def _both_ways(network: RoadNetwork, order: Int32Array) -> tuple[NDArray[np.int64], Int32Array]:
    """Return offsets and targets of the undirected network, its nodes renumbered so that components are contiguous."""
    rank = ranks_of(order)
    a, b = rank[network.tails()], rank[network.targets]
    tails, heads = np.concatenate((a, b)), np.concatenate((b, a))
    return offsets_of(np.bincount(tails, minlength=len(order))), heads[np.argsort(tails, kind="stable")]


def _component_layout(offsets: NDArray[np.int64], targets: Int32Array, begin: int, end: int) -> Positions:
    """Return positions of the connected nodes begin … end − 1 in hops, float64 [end − begin, 2], from (0, 0) up."""
    count = end - begin
    if count == 1:
        return np.zeros((1, 2))
    small = len(offsets) - 1 <= SMALL
    hops = _pivot_hops(offsets, targets, begin, end, count if small else min(count, PIVOTS))
    # In place: for a large network the matrix is by far the largest thing here.
    centred = hops.astype(np.float64)
    centred *= centred
    pivot_means, node_means = centred.mean(axis=0), centred.mean(axis=1, keepdims=True)
    centred -= pivot_means - pivot_means.mean()
    centred -= node_means
    _, directions = np.linalg.eigh(centred.T @ centred)
    directions = directions[:, :-3:-1]
    # An eigenvector's sign is arbitrary: its largest entry shall be positive.
    largest = np.abs(directions).argmax(axis=0)
    directions = directions * np.where(directions[largest, [0, 1]] < 0, -1.0, 1.0)
    positions: Positions = centred @ directions
    positions = _spread(positions * _hop_scale(positions, offsets, targets, begin, end))
    if small:
        every_pair = hops[:, np.argsort(hops.argmin(axis=0))]  # a pivot is the one node at no hop from itself
        settled = least_stress(every_pair, positions)
        return _begun_at_the_left(pushed_apart(settled, room_of(settled)))
    from_middle = positions - np.median(positions, axis=0)
    away = np.hypot(*from_middle.T)
    if count > PIVOTS and float(away.mean()) < _CLUMPED * float(np.sqrt(count)):
        positions = _fill_disc(from_middle, away)
    return positions - positions.min(axis=0)


def _begun_at_the_left(positions: Positions) -> Positions:
    """Return positions from (0, 0) up, mirrored so that the first node is in the left half, as one reads."""
    mirrored = positions * (-1.0, 1.0) if positions[0, 0] > positions[:, 0].mean() else positions
    return mirrored - mirrored.min(axis=0)


def _hop_scale(positions: Positions, offsets: NDArray[np.int64], targets: Int32Array, begin: int, end: int) -> float:
    """Return the factor that makes the median arc between these positions one hop long."""
    tails = np.repeat(np.arange(end - begin), np.diff(offsets[begin : end + 1]))
    heads = targets[offsets[begin] : offsets[end]] - begin
    lengths = np.hypot(*(positions[heads] - positions[tails]).T)
    lengths = lengths[lengths > 1e-9 * max(float(np.abs(positions).max()), 1e-300)]
    return 1.0 / float(np.median(lengths)) if len(lengths) else 1.0


def _fill_disc(positions: Positions, away: NDArray[np.float64]) -> Positions:
    """Return positions round (0, 0) in the same directions, moved in or out to fill a disc: a square hop for each."""
    wanted = np.sqrt((ranks_of(np.argsort(away, kind="stable")) + 0.5) / np.pi)
    return positions * (wanted / np.maximum(away, 1e-12))[:, None]


def _spread(positions: Positions) -> Positions:
    """Move nodes with equal positions (the same distance to every pivot) apart, in a small spiral."""
    cells = np.rint(positions * 64).astype(np.int64)
    order = np.lexsort((cells[:, 1], cells[:, 0]))
    changed = (np.diff(cells[order], axis=0) != 0).any(axis=1)
    starts = np.concatenate(([0], np.flatnonzero(changed) + 1))
    twin = np.arange(len(positions)) - np.repeat(starts, np.diff(np.append(starts, len(positions))))
    angle, radius = _GOLDEN * twin, 0.35 * np.sqrt(twin)
    moved = positions.copy()
    moved[order] += np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)
    return moved


def _beside_each_other(components: list[Positions]) -> Positions:
    """Return all positions, float64 [n, 2]: components fill rows from the top left, none overlapping."""
    sizes = np.array([component.max(axis=0) for component in components])
    gap = _gap(sizes)
    sizes += gap
    areas = sizes.prod(axis=1)
    row_width = float(sizes[:, 0].max())
    if areas[0] < 0.5 * areas.sum():  # else the small ones are below the large one
        row_width = max(row_width, 1.3 * float(np.sqrt(areas.sum())))
    placed: list[Any] = []
    x = y = height = 0.0
    for component, (width, tall) in zip(components, sizes, strict=True):
        if x and x + width > row_width:
            x, y, height = 0.0, y + height, 0.0
        placed.append(component * (1, -1) + (x, -y))
        x, height = x + width, max(height, tall)
    return np.concatenate(placed)


def _gap(sizes: Positions) -> float:
    """Return the gap between components: two hops, or less where single nodes would take up too large a share."""
    singles = max(int((sizes.max(axis=1) == 0).sum()), 1)
    room = _SINGLES_AREA * float((sizes[0] + 2.0).prod())
    return min(max(float(np.sqrt(room / singles)), 0.25), 2.0)


@loop
def _pivot_hops(
    offsets: NDArray[np.int64], targets: Int32Array, begin: int, end: int, pivots: int
) -> NDArray[np.int32]:
    """Return hops from each pivot, int32 [end − begin, pivots]; each pivot is the node farthest from those before."""
    count = end - begin
    hops = np.empty((count, pivots), np.int32)
    nearest = np.full(count, np.int32(2**31 - 1))
    distance = np.empty(count, np.int32)
    queue = np.empty(count, np.int32)
    pivot = 0
    for k in range(-1, pivots):
        distance[:] = -1
        distance[pivot] = 0
        queue[0] = pivot
        taken, waiting = 0, 1
        while taken < waiting:
            u = queue[taken]
            taken += 1
            for arc in range(offsets[begin + u], offsets[begin + u + 1]):
                v = targets[arc] - begin
                if distance[v] < 0:
                    distance[v] = distance[u] + 1
                    queue[waiting] = v
                    waiting += 1
        if k < 0:
            pivot = queue[count - 1]  # the first pivot is a node farthest from an arbitrary one
            continue
        farthest = 0
        for u in range(count):
            hops[u, k] = distance[u]
            nearest[u] = min(nearest[u], distance[u])
            if nearest[u] > nearest[farthest]:
                farthest = u
        pivot = farthest
    return hops


_ROUNDS = 150
"""More hardly move any node of 200."""
_PUSHES = 80
_GOLDEN = 2.399963
"""An angle whose multiples never meet: nodes on one spot leave it in directions of their own."""


def least_stress(hops: NDArray[Any], start: Positions) -> Positions:
    """Return positions in hops of a connected graph, float64 [n, 2]; ``hops`` [n, n] are the distances of its nodes."""
    n = len(start)
    if n < 3:
        return start
    wanted = hops.astype(np.float64)
    np.fill_diagonal(wanted, 1.0)
    weights = wanted**-2.0
    np.fill_diagonal(weights, 0.0)
    total = weights.sum(axis=1, keepdims=True)
    positions = start + 1e-3 * _spiral(n)
    for _ in range(_ROUNDS):
        way = positions[:, None, :] - positions[None, :, :]
        length = np.maximum(np.hypot(way[..., 0], way[..., 1]), 1e-9)
        pulled = positions[None, :, :] + (wanted / length)[..., None] * way
        positions = (weights[..., None] * pulled).sum(axis=1) / total
    return positions


def pushed_apart(positions: Positions, least: float) -> Positions:
    """Return positions [n, 2] of which no two are nearer than about ``least``; nodes that have room stay."""
    moved = positions.astype(np.float64)
    n = len(moved)
    if n < 2 or least <= 0:
        return moved
    moved += 1e-6 * least * _spiral(n)
    for _ in range(_PUSHES):
        way = moved[:, None, :] - moved[None, :, :]
        length = np.hypot(way[..., 0], way[..., 1])
        np.fill_diagonal(length, np.inf)
        lacks = np.maximum(least - length, 0.0)
        if not (lacks > 1e-3 * least).any():
            break
        moved += ((0.5 * lacks / np.maximum(length, 1e-12))[..., None] * way).sum(axis=1)
    return moved


def room_of(positions: Positions) -> float:
    """Return how far apart nodes at these positions [n, 2] should be for each to have a disc and its texts.

    It is no more than half of them have already, so that only the crowded ones have to move.
    """
    if len(positions) < 2:
        return 0.0
    away = np.hypot(*(positions[:, None, :] - positions[None, :, :]).transpose(2, 0, 1))
    np.fill_diagonal(away, np.inf)
    usual = float(np.median(away.min(axis=1)))
    width, height = np.ptp(positions, axis=0).tolist()
    longer, shorter = max(width, height), max(min(width, height), 0.25 * max(width, height))
    room = min(0.7 * np.sqrt(longer * shorter / len(positions)), 0.045 * np.hypot(longer, shorter))
    return float(min(room, usual or room))


def _spiral(n: int) -> Positions:
    turns = np.arange(n)
    return np.stack([np.cos(_GOLDEN * turns), np.sin(_GOLDEN * turns)], axis=1) * np.sqrt(turns)[:, None]
