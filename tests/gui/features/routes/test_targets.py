"""Routes on the map: several targets, targets that are dragged, the card of a route, facts beside the pointer."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from tests.gui.conftest import make_result

from map_layers import graph_in, pixel_of
from pointer import move_pointer
from wayfront import open_network
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.map_sync import MapSync, facts_of_node
from wayfront_gui.app.window import Window
from wayfront_gui.features.finding.control import Finder
from wayfront_gui.features.routes.panel import RoutePanel
from wayfront_gui.features.small_graphs.graph import disc_radius
from wayfront_gui.features.small_graphs.layer import TARGET_RING
from wayfront_gui.session.choice import MOST_TARGETS, Targets

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


def click(window: Window, node: int, button: Qt.MouseButton = RIGHT, keys: Qt.KeyboardModifier = NONE) -> None:
    QTest.mouseClick(window.map.viewport(), button, keys, pixel_of(window.map, node))


def test_targets_are_added_dragged_shown_and_taken_away(searched: Window, grid: RoadNetwork) -> None:
    slot, scene, view = searched.session.active, searched.map.map_scene, searched.map
    panel = searched.panels.panel(RoutePanel)
    for node, keys in ((41, NONE), (100, CTRL), (70, CTRL)):
        click(searched, node, RIGHT, keys)
    assert slot.targets == Targets((41, 100, 70), 70) and scene.markers.targets == (41, 100, 70)
    assert [int(scene.markers.route[-1]), *(int(route[-1]) for route in scene.markers.further)] == [70, 41, 100]
    assert panel.isVisible() and [text.split(", ")[0] for text in panel.stops.texts] == ["node 130", "A", "B", "C"]

    before = view.grab().toImage()
    QTest.mousePress(view.viewport(), LEFT, NONE, pixel_of(searched.map, 100))
    for node in (99, 98, 97):
        move_pointer(view.viewport(), pixel_of(searched.map, node))
        assert slot.target == node and int(scene.markers.route[-1]) == node, "the route follows the mouse"
    move_pointer(view.viewport(), pixel_of(searched.map, 70))
    assert slot.targets.nodes == (41, 97, 70), "two targets are never one"
    QTest.mouseRelease(view.viewport(), LEFT, NONE, pixel_of(searched.map, 70))
    assert slot.source == 30 and view.grab().toImage() != before
    searched.actions_by_name["edit.undo"].trigger()
    assert slot.targets == Targets((41, 100, 70), 70), "a drag is one change"
    searched.actions_by_name["edit.redo"].trigger()

    click(searched, 41, LEFT)
    assert slot.target == 41 and slot.source == 30, "a click on a marker shows the directions there"
    panel.stops.chosen.emit(3)
    assert slot.target == 70 and panel.detail.text().startswith("Shortest way to node 170")
    click(searched, 70, LEFT, CTRL)
    assert slot.targets == Targets((41, 97), 97), "with Ctrl the left button does what the right one does"
    click(searched, 41, RIGHT, CTRL)
    assert len(panel.stops.texts) == 2 and not panel.through.isVisibleTo(panel)
    click(searched, 50)
    assert slot.targets == Targets.only(50)
    searched.actions_by_name["search.no_route"].trigger()
    assert not searched.map.map_scene.markers.targets and len(scene.markers.route) == 0
    assert panel.empty.isVisibleTo(panel) and not panel.stops.isVisibleTo(panel) and not panel.gpx.isEnabled()
    for typed, targets in (("141", [41]), ("200", [41, 100]), ("141", [100])):
        searched.actions_by_name["search.further_target"].trigger()
        box = searched.host.control(Finder).box
        box.line.setText(typed)
        QTest.keyClick(box.line, Qt.Key.Key_Return)
        assert list(slot.targets.nodes) == targets, "the same by the keys alone"
    slot.choose_target(None)
    for node in range(MOST_TARGETS + 1):
        searched.map.target_toggled.emit(node)
    assert len(slot.targets.nodes) == MOST_TARGETS and "No more than 26 targets" in searched.status.message


def test_a_route_says_what_it_takes_in_time_and_length(searched: Window, grid: RoadNetwork) -> None:
    slot, panel = searched.session.active, searched.panels.panel(RoutePanel)
    click(searched, 95)
    assert slot.result is not None
    nodes = slot.result.route(95).nodes.tolist()
    arcs = [
        next(arc for arc in range(grid.offsets[a], grid.offsets[a + 1]) if grid.targets[arc] == b)
        for a, b in pairwise(nodes)
    ]
    length, time = (int(np.sum(metric.weights[arcs])) for metric in grid.metrics)
    assert panel.headline.text() == f"{grid.metrics[1].describe(time)} · {grid.metrics[0].describe(length)}"
    assert panel.detail.text() == f"Shortest way to node 195, {len(arcs)} arcs"


def test_facts_of_a_node_stand_beside_the_pointer(searched: Window, grid: RoadNetwork) -> None:
    view, card = searched.map, searched.host.control(MapSync).hover.card
    slot, result = searched.session.active, searched.session.active.result
    assert result is not None

    def move_to(node: int) -> None:
        move_pointer(view.viewport(), pixel_of(searched.map, node))

    def rest_on(node: int) -> None:
        move_to(node)
        here = pixel_of(searched.map, node)
        event = QHelpEvent(QHelpEvent.Type.ToolTip, here, view.viewport().mapToGlobal(here))
        QApplication.sendEvent(view.viewport(), event)

    move_to(44)
    assert not card.isVisible(), "not before the pointer rests"
    rest_on(44)
    parent = int(grid.node_ids[result.parents[44]])
    assert card.isVisible() and card.text.splitlines()[:3] == [
        "Node: 144",
        f"Distance: {result.distances[44]} m",
        f"Parent: node {parent}",
    ]
    assert card.text.splitlines()[3].startswith("Step: reached in step ")
    rest_on(95)
    corner = card.mapTo(searched, QPoint(0, 0)) - view.viewport().mapTo(searched, pixel_of(searched.map, 95))
    assert not card.rect().translated(corner).contains(QPoint(0, 0)), "it never covers the node"
    move_to(30)
    assert card.isVisible() and "none: the source" in card.text
    QTest.mousePress(view.viewport(), RIGHT, NONE, pixel_of(searched.map, 30))
    assert not card.isVisible()
    QTest.mouseRelease(view.viewport(), RIGHT, NONE, pixel_of(searched.map, 30))
    assert ("Distance", "not reached") in facts_of_node(slot, grid.node_count - 1)


def test_a_click_just_off_a_targets_marker_is_not_one_for_another_source(searched: Window) -> None:
    slot, view = searched.session.active, searched.map
    for percent, off in ((100, 14), (200, 26)):
        searched.appearance.choose_text_scale(percent)
        click(searched, 41)
        assert slot.target == 41 and view.map_scene.markers.targets in ((), (41,))
        QTest.mouseClick(view.viewport(), LEFT, NONE, pixel_of(searched.map, 41) + QPoint(off, 0))
        assert (slot.source, slot.target) == (30, 41)
    searched.appearance.choose_text_scale(100)
    view.set_picking(True)
    places: list[int] = []
    view.place_chosen.connect(places.append)
    QTest.mouseClick(view.viewport(), LEFT, NONE, pixel_of(searched.map, 41))
    view.set_picking(False)
    assert places == [41], "a target can be predicted as any other node"


def test_a_click_on_the_ring_of_a_small_graphs_target_is_not_one_for_another_source(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront_gui.session.slot.SMALL", 200)
    network = open_network("example:paper-e")
    slot, view = window.session.active, window.map
    slot.open(network)
    slot.choose_source(0)
    slot.show(make_result(network, 0))
    slot.choose_target(3)
    view.grab()
    scene, camera = view.map_scene, view.camera()
    assert graph_in(scene) is not None
    x, y = camera.to_pixels(*scene.place(3))
    rim = disc_radius(graph_in(scene), camera) + TARGET_RING - 1
    QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(round(x + rim), round(y)))
    assert (slot.source, slot.target) == (0, 3)
    chosen: list[int] = []
    view.source_moved.connect(lambda node, _final: chosen.append(node))
    QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(round(x + 3 * rim), round(y)))
    assert chosen, "farther away it is"
