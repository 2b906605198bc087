"""Two views at once: one graph under two searches in step, and a map with a neighbourhood cut out of it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid

from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront.network.small_graphs import Near
from wayfront.synthetic.textbooks import from_name
from wayfront_gui.app.window import Window
from wayfront_gui.features.drawing.state import GraphEditing
from wayfront_gui.features.race.state import Race, cut_again, cut_round
from wayfront_gui.map.geometry import MapGeometry, around
from wayfront_gui.map.panes import side_by_side
from wayfront_gui.session.session import Session
from wayfront_gui.session.slot import node_in
from wayfront_gui.session.state import Walk

LONG_MS = 120_000
"""Searches may have to be compiled first."""


def searched(window: Window) -> bool:
    slots = window.session.slots
    found = all(slot.result is not None and slot.result.source == slot.source for slot in slots)
    return found and not window.controller.worker.busy


def cut(window: Window, answer: str) -> None:
    window.actions_by_name["race.cut_out"].trigger()
    window.question.line.setText(answer)
    QTest.keyClick(window.question.line, Qt.Key.Key_Return)


def test_two_searches_of_one_graph_go_step_by_step(window: Window, qtbot: QtBot) -> None:
    slot = window.session.active
    slot.open(from_name("example:paper-e"))
    slot.choose_algorithm("bellman-ford")
    slot.choose_source(0)
    window.actions_by_name["race.two"].trigger()
    assert [each.algorithm for each in window.session.slots] == ["bellman-ford", "dijkstra"]
    assert window.session.clock.walk is Walk.STEP
    qtbot.waitUntil(lambda: searched(window), timeout=LONG_MS)
    window.session.clock.go_to(2.0)
    assert [each.player.step for each in window.session.slots] == [2, 2]
    window.actions_by_name["race.two"].trigger()
    assert len(window.session.slots) == 2


def test_a_neighbourhood_is_searched_beside_its_map_and_follows_the_source(
    window: Window, grid: RoadNetwork, qtbot: QtBot
) -> None:
    session, clock = window.session, window.session.clock
    session.active.open(grid)
    session.active.choose_source(40)
    cut(window, "12")
    whole, beside = session.slots
    assert beside.part is not None
    assert beside.part.network.node_count == 12
    assert clock.walk is Walk.DISTANCE
    qtbot.waitUntil(lambda: searched(window), timeout=LONG_MS)
    assert there(beside.result).distances.tolist() == there(whole.result).distances[beside.part.nodes].tolist()
    assert session.state(Race).lanes()[1].detail == "12 nodes"
    assert session.state(Race).difference_of(beside) is None
    assert clock.speed < 1
    clock.go_to(beside.player.span)
    assert beside.player.position >= beside.player.last
    assert whole.player.position < whole.player.last

    main, other = window.central.panes.all_maps
    seen = other.camera().extent
    main.pan(30, 20)
    assert other.camera().extent == seen
    before = beside.part
    window.controller.choose_source(80)
    qtbot.waitUntil(lambda: searched(window), timeout=LONG_MS)
    assert beside.part is not before
    assert beside.part.nodes[beside.source] == 80

    inside = 0 if beside.source != 0 else 1
    other.source_moved.emit(inside, True)  # a click on the neighbourhood moves the source of both
    qtbot.waitUntil(lambda: searched(window), timeout=LONG_MS)
    assert beside.part is not None
    assert whole.source == beside.part.nodes[beside.source]
    other.target_chosen.emit(2)
    assert whole.target == beside.part.nodes[2]
    assert beside.target == 2

    session.activate(beside)
    saved = there(window.controller.files.saved())
    assert saved.content_key == grid.content_key
    session.activate(whole)
    window.actions_by_name["race.leave"].trigger()
    assert (session.slots, clock.speed) == ([whole], 1.0)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [("x", "Type a number of nodes"), ("5 miles", "Type a number of nodes"), ("0", "1 to 200"), ("201", "1 to 200")],
)
def test_what_is_no_neighbourhood_is_refused(window: Window, grid: RoadNetwork, answer: str, problem: str) -> None:
    window.session.active.open(grid)
    window.session.active.choose_source(3)
    cut(window, answer)
    assert problem in window.question.problem
    assert len(window.session.slots) == 1


def test_another_network_takes_the_neighbourhood_away_and_drawing_it_leaves_the_map(
    window: Window, grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window.controller, "run", lambda: None)
    session = window.session
    session.active.open(grid)
    session.active.choose_source(3)
    cut(window, "9 hops")
    beside = session.slots[1]
    assert there(beside.part).near is Near.HOPS
    session.activate(beside)
    window.actions_by_name["edit.graph"].trigger()
    assert session.slots == [beside]
    assert session.state(GraphEditing).graph is beside.network
    window.actions_by_name["edit.graph"].trigger()
    beside.open(grid)
    beside.choose_source(3)
    cut(window, "5")
    session.active.open(make_grid(name="Another"))
    assert len(session.slots) == 1


def test_nodes_of_the_whole_and_of_its_neighbourhood_are_told_apart(grid: RoadNetwork) -> None:
    session = Session()
    whole = session.active
    whole.open(grid)
    whole.choose_source(40)
    found = there(cut_round(whole, 7, Near.HOPS))
    beside = session.add_slot()
    beside.open(found.network, part=found)
    for inner, outer in enumerate(found.nodes.tolist()):
        assert (node_in(whole, beside, inner), node_in(beside, whole, outer)) == (outer, inner)
    assert node_in(beside, whole, 0) is None
    assert node_in(whole, whole, 5) == 5
    whole.choose_source(90)
    cut_again(beside, whole)
    assert beside.part is not None
    assert (beside.part.near, beside.part.network.node_count) == (Near.HOPS, 7)
    assert int(beside.part.nodes[beside.source]) == 90
    whole.source = None
    assert cut_round(whole, 7, Near.HOPS) is None


def test_the_map_shows_what_lies_round_the_neighbourhood(grid: RoadNetwork) -> None:
    session = Session()
    session.active.open(grid)
    session.active.choose_source(40)
    found = there(cut_round(session.active, 9, Near.DISTANCE))
    extent, geometry = around(found), MapGeometry.of(grid)
    x = geometry.x[found.nodes]
    assert extent.left < float(x.min()) - 2 * float(np.ptp(x)) + 1
    assert extent.right > float(x.max())


def test_panes_of_graphs_leave_room_for_texts() -> None:
    assert [pane.top for pane in side_by_side(2, 600, 530, shape=1.2)] == [0, 266]
    assert [pane.top for pane in side_by_side(2, 600, 530, shape=1.2, texts=110)] == [0, 0]
