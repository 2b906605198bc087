"""Points on roads, and their distances by plain searches in a network that has them as nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from search_checks import make_network, plain_distances
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import RoadNetwork


def points_on_roads(
    network: RoadNetwork, weights: NDArray[np.integer], places: list[tuple[int, int]]
) -> tuple[Ends, Ends]:
    """Return (origins, destinations) of points, each on an arc and so many percent of its weight from the tail.

    Where an arc leads back, a point is on both; of a point at node v instead of on an arc the number is −1 − v.
    """
    tails, heads = network.tails(), network.targets
    arcs, offsets = np.full((len(places), 2), NONE, np.int64), np.zeros((len(places), 2), np.int64)
    nodes = np.full((2, len(places), 2), NONE, np.int32)
    costs = np.zeros((2, len(places), 2), np.int64)
    for i, (arc, percent) in enumerate(places):
        if arc < 0:
            nodes[:, i, 0] = -1 - arc
            continue
        back = np.flatnonzero((tails == heads[arc]) & (heads == tails[arc]))
        both = [arc, *back[back != arc][:1].tolist()]
        for j, one in enumerate(both):
            weight = int(weights[one])
            along = weight * (percent if j == 0 else 100 - percent) // 100
            arcs[i, j], offsets[i, j] = one, along
            nodes[0, i, j], costs[0, i, j] = heads[one], weight - along
            nodes[1, i, j], costs[1, i, j] = tails[one], along
    return Ends(nodes[0], costs[0], arcs, offsets), Ends(nodes[1], costs[1], arcs, offsets)


def expected_between(
    network: RoadNetwork, weights: NDArray[np.integer], closed: set[int], origins: Ends, destinations: Ends
) -> list[list[int]]:
    """Return the matrix by plain searches in a network with points as nodes, split out of the roads they lie on."""
    n, k = network.node_count, len(origins)
    tails, heads = network.tails().tolist(), network.targets.tolist()
    arcs = [
        (t, h, w) for i, (t, h, w) in enumerate(zip(tails, heads, weights.tolist(), strict=True)) if i not in closed
    ]

    def ways(points: Ends, i: int) -> list[int]:
        return [j for j in (0, 1) if points.nodes[i, j] != NONE and int(points.arcs[i, j]) not in closed]

    for i in range(k):
        arcs += [(n + i, int(origins.nodes[i, j]), int(origins.costs[i, j])) for j in ways(origins, i)]
    for i in range(len(destinations)):
        arcs += [
            (int(destinations.nodes[i, j]), n + k + i, int(destinations.costs[i, j])) for j in ways(destinations, i)
        ]
    for i in range(k):
        for d in range(len(destinations)):
            for j in (0, 1):
                for e in (0, 1):
                    arc, along = int(origins.arcs[i, j]), int(destinations.offsets[d, e] - origins.offsets[i, j])
                    if arc != NONE and arc not in closed and arc == destinations.arcs[d, e] and along >= 0:
                        arcs.append((n + i, n + k + d, along))
    graph = make_network(n + k + len(destinations), [arc for arc in arcs if arc[0] != arc[1]])
    rows = [plain_distances(graph, n + i) for i in range(k)]
    return [
        [-1 if row[n + k + d] is None else int(row[n + k + d] or 0) for d in range(len(destinations))] for row in rows
    ]
