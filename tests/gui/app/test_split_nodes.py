"""A map with forbidden turns in the window: nodes are picked, searched from and described by their ids."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from there import there
from wayfront import flows
from wayfront.network.arcs import arcs_between
from wayfront.network.copies import begin_of, is_split, turn_arcs
from wayfront.opening import open_network
from wayfront_gui.app.map_sync import describe_node
from wayfront_gui.app.window import Window
from wayfront_gui.features.flows.state import Asked, FlowsFound, Roads
from wayfront_gui.map import picking
from wayfront_gui.map.frame import Frame
from wayfront_gui.map.offscreen import camera_for
from wayfront_gui.map.scene import AS_ROADS, Scene
from wayfront_gui.session.choice import Targets
from wayfront_gui.session.closures import as_arcs, closed_roads, road_arcs


@pytest.fixture
def crossing(tmp_path: Path) -> Path:
    """A crossing at node 2, where nobody may turn left from 1 to 4; a road leads round."""
    places = {1: (0, 0), 2: (0, 1), 3: (0, 2), 4: (-1, 1), 5: (1, 1), 6: (2, 1), 7: (2, 2)}
    ways = {10: [1, 2], 11: [2, 3], 12: [4, 2], 13: [2, 5], 14: [5, 6], 15: [6, 7], 16: [7, 3]}
    elements: list[object] = [
        {"type": "node", "id": node, "lon": 8 + x / 1000, "lat": 50 + y / 1000} for node, (x, y) in places.items()
    ]
    elements += [
        {"type": "way", "id": way, "nodes": nodes, "tags": {"highway": "residential"}} for way, nodes in ways.items()
    ]
    members = [("way", 10, "from"), ("node", 2, "via"), ("way", 12, "to")]
    named = [{"type": kind, "ref": ref, "role": role} for kind, ref, role in members]
    tags = {"type": "restriction", "restriction": "no_left_turn"}
    elements.append({"type": "relation", "id": 1, "tags": tags, "members": named})
    path = tmp_path / "crossing.json"
    path.write_text(json.dumps({"version": 0.6, "elements": elements}))
    return path


@pytest.mark.parametrize("reverse", [False, True])
def test_a_forbidden_turn_in_the_window(window: Window, qtbot: QtBot, crossing: Path, reverse: bool) -> None:
    slot = window.session.active
    window.controller.open(str(crossing))
    qtbot.waitUntil(lambda: slot.network is not None and is_split(slot.network) and slot.result is not None)
    network = slot.network
    assert network is not None
    begin, end = (4, 1) if reverse else (1, 4)
    slot.choose_reverse(reverse)
    window.controller.choose_source(network.node(begin))
    slot.take_targets(Targets.only(network.node(end)))

    def shown() -> bool:
        way, result = slot.ways()[0], slot.result
        if way is None or result is None or not len(way):
            return False
        return result.reverse == reverse and begin_of(network, result.source) == slot.source

    qtbot.waitUntil(shown)
    way = slot.ways()[0]
    assert way is not None
    assert way.ids.tolist() == [1, 2, 5, 6, 7, 3, 2, 4]
    length = way.metric.describe(way.distance)
    assert length in describe_node(slot, network.node(end))
    assert "not reached" not in describe_node(slot, network.node(2))
    qtbot.waitUntil(lambda: not window.controller.worker.busy)


def test_nodes_are_picked_by_their_first_copy(crossing: Path) -> None:
    network = open_network(crossing, cache=False)
    scene = Scene.of(network)
    scene.wanted = AS_ROADS
    camera = camera_for(scene, 400, 300)
    frame = Frame.draw(there(scene.geometry), scene.drawing(camera), camera)
    for node in range(network.node_count):
        at = camera.to_pixels(*scene.place(node))
        assert picking.node_at(scene, frame, *at, 2.0) == begin_of(network, node)


def test_a_closed_road_is_listed_once(crossing: Path) -> None:
    network = open_network(crossing, cache=False)
    ends = [network.node(2)], [network.node(5)]
    arcs = road_arcs(network, as_arcs(arcs_between(network, *ends)))
    (road,), count = closed_roads(network, arcs, network.metric(), 9)
    assert (count, road.ends) == (1, "between nodes 2 and 5")
    (one_way,), _ = closed_roads(network, as_arcs(arcs_between(network, *ends)), network.metric(), 9)
    assert one_way.ends == "only from node 2 to node 5"


def test_a_street_to_a_split_node_carries_both_its_directions(crossing: Path) -> None:
    network = open_network(str(crossing))
    found = flows(network, device="cpu")
    roads = Roads.of(network)
    assert roads.count - np.count_nonzero(np.bincount(roads.of_arc[roads.of_arc >= 0], minlength=roads.count) == 0) == 7
    assert ((roads.of_arc < 0) == turn_arcs(network)).all()
    drawn = FlowsFound.of(Asked("one", None), found, np.zeros(0, np.int64)).on_roads
    assert sorted(drawn[drawn > 0].tolist()) == sorted(found.roads().flow.astype(float).tolist())
