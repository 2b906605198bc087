"""The example of Rajkumar and Garland typed into the editor: every label on screen is that of the hand-worked table."""

from __future__ import annotations

from typing import Any

import pytest

from map_layers import graph_in, moment_in
from plain_labels import PAPER_E
from wayfront import search
from wayfront.network.road_network import RoadNetwork
from wayfront.network.small_graphs import empty_graph
from wayfront_gui.features.drawing.state import GraphEditing
from wayfront_gui.map.scene import Scene
from wayfront_gui.session.session import Session

DIJKSTRA = ["0 9 4 ∞ ∞", "0 9 4 6 15", "0 8 4 6 15", "0 8 4 6 11", "0 8 4 6 11"]
PASSES = ["0 9 4 ∞ ∞", "0 9 4 6 12", "0 8 4 6 12", "0 8 4 6 11", "0 8 4 6 11"]
DELTA_4 = [
    "0 ∞ 4 ∞ ∞", "0 9 4 ∞ ∞", "0 9 4 6 ∞", "0 8 4 6 ∞", "0 8 4 6 15", "0 8 4 6 11", "0 8 4 6 11", "0 8 4 6 11",
]  # fmt: skip
TABLES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "dijkstra": ({}, DIJKSTRA),
    "dijkstra-heap": ({}, DIJKSTRA),
    "bellman-ford-v1": ({}, PASSES),
    "bellman-ford-v2": ({}, PASSES),
    "bellman-ford-v3": ({}, PASSES),
    "delta-stepping": ({"delta": 4}, DELTA_4),
    "near-far": ({"delta": 4}, DIJKSTRA),
}
"""The labels of A, B, C, D and E after every step; near-far's piles hold one node each, in Dijkstra's order."""


@pytest.fixture(scope="module")
def typed() -> RoadNetwork:
    """The graph as somebody types it: five nodes, then nine arcs by the names of their ends."""
    editing = GraphEditing(Session())
    editing.begin(empty_graph("typed"))
    for name in "ABCDE":
        editing.add_node(name=name)
    for tail, head, weight in PAPER_E:
        editing.join_called("ABCDE"[tail], "ABCDE"[head], weight)
    assert editing.graph is not None
    return editing.graph


@pytest.mark.parametrize("name", TABLES)
def test_every_label_is_that_of_the_hand_worked_table(name: str, typed: RoadNetwork) -> None:
    options, table = TABLES[name]
    nodes = [next(v for v in range(5) if typed.node_name(v) == letter) for letter in "ABCDE"]
    scene = Scene.of_result(search(typed, nodes[0], name, "cpu", options=options, runs=0, trace=True))
    assert graph_in(scene) is not None
    shown = []
    for step in range(-1, len(table)):
        scene.step = float(step)
        assert moment_in(scene) is not None
        labels = [graph_in(scene).numbers.text(int(moment_in(scene).labels[node])) for node in nodes]
        shown.append(" ".join(labels))
    assert shown == ["0 ∞ ∞ ∞ ∞", *table]
