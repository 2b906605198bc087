"""Networks to cut, and the proof by brute force that cells, separators and borders are what their definitions say."""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np

from wayfront import RoadNetwork
from wayfront.dissection.shape import LEAF_NODES, Dissection
from wayfront.network.road_network import Metric


def network_of_arcs(node_count: int, arcs: Any, *, map_seed: int | None = None) -> RoadNetwork:
    """Return a network of (tail, head) pairs, with coordinates of no meaning where ``map_seed`` is given."""
    pairs = np.array(arcs, np.int32).reshape(-1, 2)
    coordinates = None
    if map_seed is not None:
        coordinates = np.random.default_rng(map_seed).integers(-1000, 1000, (node_count, 2)).astype(np.int32)
    return RoadNetwork.from_arcs(
        name="made",
        node_count=node_count,
        tails=pairs[:, 0],
        heads=pairs[:, 1],
        metrics=[Metric("length", "m", 1.0, np.ones(len(pairs), np.int32))],
        coordinates=coordinates,
    )


def network_of(graph: networkx.Graph, *, map_seed: int | None = None) -> RoadNetwork:
    """Return a network with an arc for each edge, in one direction alone."""
    numbered = networkx.convert_node_labels_to_integers(graph)
    return network_of_arcs(len(graph), list(numbered.edges()), map_seed=map_seed)


def check_dissection(network: RoadNetwork, cells: Dissection) -> None:
    """Assert what ``Dissection`` says of its arrays, with sets and loops."""
    n, c = network.node_count, cells.cell_count
    assert cells.node_at.tolist() == np.argsort(cells.position).tolist()
    assert sorted(cells.node_at.tolist()) == list(range(n))
    above = [_cells_above(cells.parent.tolist(), t) for t in range(c)]
    for t in range(c):
        below = [u for u in range(c) if t in above[u]]
        assert [t, *below] == list(range(t, cells.end[t]))
        assert cells.depth[t] == len(above[t])
        children = [u for u in below if cells.parent[u] == t]
        assert cells.children[cells.children_offsets[t] : cells.children_offsets[t + 1]].tolist() == children
        assert len(children) <= 2
        assert cells.is_leaf[t] == (not children)
        assert set(cells.cell_of[cells.offsets[t] : cells.offsets[t + 1]]) <= {t}
        if not children:
            assert min(n, 1) <= cells.offsets[t + 1] - cells.offsets[t] <= LEAF_NODES
    _check_borders(network, cells, above)


def _check_borders(network: RoadNetwork, cells: Dissection, above: list[set[int]]) -> None:
    touching: list[set[int]] = [set() for _ in range(network.node_count)]
    for tail, head in zip(network.tails().tolist(), network.targets.tolist(), strict=True):
        touching[cells.position[tail]].add(int(cells.position[head]))
        touching[cells.position[head]].add(int(cells.position[tail]))
    for t in range(cells.cell_count):
        first, last = int(cells.offsets[t]), int(cells.offsets[cells.end[t]])
        outside = set().union(*touching[first:last]) - set(range(first, last))
        border = cells.border[cells.border_offsets[t] : cells.border_offsets[t + 1]].tolist()
        assert border == sorted(outside)
        assert {int(cells.cell_of[p]) for p in outside} <= above[t]
        assert cells.front_sizes[t] == cells.offsets[t + 1] - cells.offsets[t] + len(border)


def _cells_above(parent: list[int], t: int) -> set[int]:
    found = set()
    while parent[t] >= 0:
        t = parent[t]
        found.add(t)
    return found
