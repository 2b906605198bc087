"""Cells, separators and borders are what the definitions say, found again by brute force."""

from __future__ import annotations

import networkx
import numpy as np
import pytest

from wayfront import RoadNetwork
from wayfront.dissection.cutting import dissect
from wayfront.dissection.shape import LEAF_NODES, Dissection
from wayfront.network.road_network import Metric


def network_of(graph: networkx.Graph) -> RoadNetwork:
    arcs = np.array(networkx.convert_node_labels_to_integers(graph).to_directed().edges(), np.int32).reshape(-1, 2)
    metrics = [Metric("length", "m", 1.0, np.ones(len(arcs), np.int32))]
    return RoadNetwork.from_arcs(
        name="made", node_count=len(graph), tails=arcs[:, 0], heads=arcs[:, 1], metrics=metrics
    )


def check(network: RoadNetwork, cells: Dissection) -> None:
    n, c = network.node_count, cells.cell_count
    assert sorted(cells.node_at.tolist()) == list(range(n))
    assert cells.parent[0] == -1
    assert (cells.parent[1:] < np.arange(1, c)).all()
    ends = [max([t, *(u for u in range(t, c) if t in above(cells, u))]) + 1 for t in range(c)]
    assert cells.end.tolist() == ends
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for tail, head in zip(network.tails().tolist(), network.targets.tolist(), strict=True):
        neighbours[cells.position[tail]].add(int(cells.position[head]))
        neighbours[cells.position[head]].add(int(cells.position[tail]))
    for t in range(c):
        first, last = int(cells.offsets[t]), int(cells.offsets[cells.end[t]])
        touched = set().union(*neighbours[first:last]) - set(range(first, last))
        border = cells.border[cells.border_offsets[t] : cells.border_offsets[t + 1]].tolist()
        assert border == sorted(touched)
        assert {int(cells.cell_of[p]) for p in touched} <= above(cells, t)
        if cells.is_leaf[t]:
            assert cells.offsets[t + 1] - cells.offsets[t] <= LEAF_NODES


def above(cells: Dissection, t: int) -> set[int]:
    found = set()
    while cells.parent[t] >= 0:
        t = int(cells.parent[t])
        found.add(t)
    return found


@pytest.mark.parametrize(
    "graph",
    [
        networkx.empty_graph(1),
        networkx.empty_graph(60),
        networkx.path_graph(100),
        networkx.star_graph(70),
        networkx.complete_graph(60),
        networkx.cycle_graph(90),
        networkx.grid_2d_graph(12, 14),
        networkx.disjoint_union(networkx.grid_2d_graph(9, 9), networkx.cycle_graph(30)),
    ],
    ids=["one node", "no arcs", "path", "star", "complete", "ring", "grid", "two components"],
)
def test_cells_of_made_networks(graph: networkx.Graph) -> None:
    network = network_of(graph)
    check(network, dissect(network))
