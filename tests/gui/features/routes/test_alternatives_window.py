"""Alternative routes in the whole window, offscreen: switch, list, map, keys, drags, closures, files, session."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid, make_result

from map_layers import layer, pixel_of
from pointer import move_pointer
from there import there
from wayfront import alternatives
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result
from wayfront.results.route import Route
from wayfront_gui.app.window import Window
from wayfront_gui.features.routes.others import MOST_WHILE_DRAGGED, OtherRoutes
from wayfront_gui.features.routes.panel import RoutePanel
from wayfront_gui.session.choice import Targets
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.session.routes import other_than, own_part
from wayfront_gui.session.saved import SavedSession
from wayfront_gui.session.slot import DraggedTree

TARGET = 82


@pytest.fixture
def panel(searched: Window, qtbot: QtBot) -> RoutePanel:
    """The panel, with the alternatives to one route switched on."""
    searched.controller.toggle_target(TARGET)
    searched.actions_by_name["search.alternatives"].trigger()
    qtbot.waitUntil(lambda: len(searched.session.active.other_ways()) > 1)
    return searched.panels.panel(RoutePanel)


def nodes_of(window: Window) -> list[list[int]]:
    return [way.nodes.tolist() for way in window.session.active.other_ways()]


def test_routes_are_listed_and_drawn_and_one_is_chosen(
    searched: Window, panel: RoutePanel, grid: RoadNetwork, qtbot: QtBot
) -> None:
    slot, scene = searched.session.active, searched.map.map_scene
    expected = [way.route.nodes.tolist() for way in alternatives(grid, 30, TARGET)]
    assert nodes_of(searched) == expected and len(expected) == 3
    assert panel.others_wanted.isChecked() and panel.others.isVisibleTo(panel)
    assert [text.rpartition(", ")[2] for text in panel.others.texts[1:]] == ["+30 m", "+134 m"]
    shown = layer(scene, OtherRoutes.NAME)
    assert shown.ranks == (1, 2) and shown.texts == ("+30 m", "+134 m")
    assert [path.tolist() for path in shown.paths] == expected[1:], "straight streets: points of the map are nodes"

    panel.others.chosen.emit(1)
    assert scene.markers.route.tolist() == expected[1] and slot.targets.rank == 1
    assert panel.headline.text().startswith("734 m") or "734 m" in panel.headline.text()
    assert layer(scene, OtherRoutes.NAME).texts == ("\N{MINUS SIGN}30 m", "+104 m")
    assert "734 m" in there_route(searched)
    assert panel.detail.text().startswith("Another way to") and not panel.alone.isVisibleTo(panel)
    panel.copy.click()
    assert "Another way to" in QGuiApplication.clipboard().text()
    QTest.keyClick(searched, Qt.Key.Key_J, Qt.KeyboardModifier.ShiftModifier)
    assert slot.targets.rank == 2
    QTest.keyClick(searched, Qt.Key.Key_J, Qt.KeyboardModifier.ShiftModifier)
    assert slot.targets.rank == 0 and scene.markers.route.tolist() == expected[0]
    searched.actions_by_name["edit.undo"].trigger()
    assert slot.targets.rank == 2
    QTest.keyClick(searched, Qt.Key.Key_J)
    assert not slot.targets.others and layer(scene, OtherRoutes.NAME) is None and not panel.others.isVisibleTo(panel)
    assert scene.markers.route.tolist() == expected[0]


def test_another_way_to_the_source_is_said_to_come_from_its_target(
    searched: Window, panel: RoutePanel, qtbot: QtBot
) -> None:
    slot = searched.session.active
    searched.actions_by_name["search.towards"].trigger()
    qtbot.waitUntil(lambda: there(slot.result).reverse and len(slot.other_ways()) > 1)
    panel.others.chosen.emit(1)
    shortest, chosen = slot.other_ways()[:2]
    assert chosen.distance > shortest.distance and (chosen.nodes[0], chosen.nodes[-1]) == (TARGET, 30)
    length = there(slot.way_metric).describe(chosen.distance)
    assert there_route(searched).startswith(f"Route from node {TARGET + 100}: {length} over ")


def there_route(window: Window) -> str:
    route = window.session.active.route()
    assert route is not None
    return route.text


def test_a_click_on_its_text_chooses_a_route_and_a_click_beside_it_a_source(
    searched: Window, panel: RoutePanel, qtbot: QtBot
) -> None:
    slot, view = searched.session.active, searched.map
    shown = layer(view.map_scene, OtherRoutes.NAME)
    camera = view.camera()
    boxes = shown.boxes(camera.in_units(camera.pixel_ratio * view.map_scene.style.text_scale))
    (box, rank), (other, _) = boxes
    assert not box.intersects(other)
    narrow = replace(camera.in_units(camera.pixel_ratio), scale=camera.scale / 100)
    (left, _), (right, _) = shown.boxes(narrow)
    assert not left.intersects(right), "from far away all routes are at one place"
    assert left.united(right).height() < 3 * left.height()
    at = QPoint(round(box.center().x()), round(box.center().y()))
    move_pointer(view.viewport(), at)
    assert view.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert slot.targets.rank == rank and slot.source == 30
    assert view.grab().width() > 0
    node = next(node for node in range(20) if node not in np.concatenate(nodes_of(searched)))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=pixel_of(view, node))
    assert slot.source == node and slot.targets.rank == 0, "of another source the shortest is chosen"


def test_alternatives_follow_a_dragged_source_and_target_and_closed_roads(
    searched: Window, panel: RoutePanel, grid: RoadNetwork, qtbot: QtBot
) -> None:
    slot = searched.session.active
    before = make_result(grid, 31)
    tree = DraggedTree(grid, grid.metrics[0], 31, before.distances.copy(), before.parents.copy(), "", 1.0, 0.0)
    slot.source = 31
    slot.show_dragged(tree)
    expected = [way.route.nodes.tolist() for way in alternatives(grid, 31, TARGET)]
    assert nodes_of(searched) == expected, "at once, while the mouse moves"
    assert panel.alone.isVisibleTo(panel) == (len(expected) == 1)
    slot.show(before)
    assert nodes_of(searched) == expected
    searched.controller.move_target(TARGET, 41)
    qtbot.waitUntil(lambda: len(slot.other_ways()) == 1)
    assert panel.alone.isVisibleTo(panel) and layer(searched.map.map_scene, OtherRoutes.NAME) is None
    searched.controller.move_target(41, TARGET)
    searched.controller.move_target(TARGET, 95)
    expected = [way.route.nodes.tolist() for way in alternatives(grid, 31, 95)]
    qtbot.waitUntil(lambda: nodes_of(searched) == expected)
    closed = as_arcs([int(slot.other_ways()[0].arcs[2])])
    slot.closures.replace(closed)
    slot.show(replace(make_closed(grid, closed), closures=closed))
    expected = [way.route.nodes.tolist() for way in alternatives(grid, 31, 95, closures=closed)]
    qtbot.waitUntil(lambda: nodes_of(searched) == expected)
    assert grid.node_count < MOST_WHILE_DRAGGED


def make_closed(grid: RoadNetwork, closed: np.ndarray) -> Result:
    from wayfront import search

    return search(grid, 31, "dijkstra", "cpu", closures=closed)


def test_the_chosen_route_is_saved_and_comes_back_with_the_session(
    searched: Window,
    panel: RoutePanel,
    grid: RoadNetwork,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slot = searched.session.active
    grid = there(slot.network)
    panel.others.chosen.emit(2)
    path = tmp_path / "way.geojson"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    panel.geojson.click()
    qtbot.waitUntil(path.exists)
    (feature,) = json.loads(path.read_text())["features"]
    assert feature["properties"]["distance"] == 838
    kept = SavedSession.of("a", grid, slot.choice, None)
    again = SavedSession.read(kept.text()).choice_on(grid)
    assert again.targets == slot.targets == Targets((TARGET,), TARGET, others=True, rank=2)
    wrong = replace(kept, choice={**kept.choice, "alternative": 99})
    assert wrong.choice_on(grid).targets.rank == 0
    slot.open(make_grid(name="other"))
    assert slot.others == () and slot.targets == Targets(others=True), "another network keeps the switch alone"
    assert layer(searched.map.map_scene, OtherRoutes.NAME) is None


def test_without_a_target_or_through_via_points_there_are_none(
    searched: Window, panel: RoutePanel, qtbot: QtBot
) -> None:
    slot = searched.session.active
    searched.controller.toggle_target(41)
    searched.actions_by_name["search.through"].trigger()
    assert slot.other_ways() == () and layer(searched.map.map_scene, OtherRoutes.NAME) is None
    assert not panel.others_wanted.isVisibleTo(panel)
    searched.controller.choose_target(None)
    searched.actions_by_name["search.alternatives"].trigger()
    searched.actions_by_name["search.alternatives"].trigger()
    assert "There is no route yet" in searched.message_bar.text or slot.targets.others
    searched.controller.toggle_target(grid_island(slot.network))
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    assert slot.other_ways() == () and panel.detail.text().startswith("No way leads")


def grid_island(network: RoadNetwork | None) -> int:
    assert network is not None
    return network.node_count - 1


def test_how_much_more_a_route_takes_is_said_in_its_unit() -> None:
    grid = make_grid()
    seconds = Metric("time", "s", 0.1, grid.metrics[0].weights)
    ways = [Route(grid, seconds, np.arange(3, dtype=np.int32), distance) for distance in (1000, 1200, 1600, 4000)]
    assert [other_than(way, ways[0]) for way in ways] == ["+0 s", "+20 s", "+1 min", "+5 min"]
    assert other_than(ways[0], ways[3]) == "\N{MINUS SIGN}5 min"
    same = own_part(ways[0], ways[1:])
    assert (same.start, same.stop) == (0, 0)
