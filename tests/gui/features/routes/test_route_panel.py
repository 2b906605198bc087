"""The panel of routes in the whole window, offscreen: via points, closures, files, keys, other networks."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from threading import Event
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid

from map_layers import pixel_of
from pointer import move_pointer
from there import there
from wayfront import prepare, search
from wayfront.network.road_network import RoadNetwork
from wayfront.results.node_files import SUFFIXES
from wayfront_gui.app.jobs import Report
from wayfront_gui.app.window import Window
from wayfront_gui.features.routes.legs import LegsJob
from wayfront_gui.features.routes.panel import RoutePanel
from wayfront_gui.session.choice import Targets
from wayfront_gui.session.closures import NO_ARCS, as_arcs

Idle = Callable[[], None]


@pytest.fixture
def panel(searched: Window) -> RoutePanel:
    return searched.panels.panel(RoutePanel)


@pytest.fixture
def idle(searched: Window, qtbot: QtBot) -> Idle:
    return lambda: qtbot.waitUntil(lambda: not searched.controller.worker.busy)


def choose(window: Window, *nodes: int) -> None:
    for node in nodes:
        window.controller.toggle_target(node)


def shortest(network: RoadNetwork, *nodes: int, closures: np.ndarray | None = None) -> int:
    """Return the length of the shortest way over some nodes in turn."""
    found = (search(network, a, "dijkstra", "cpu", runs=0, closures=closures).distances[b] for a, b in pairwise(nodes))
    return int(sum(found))


def test_one_route_leads_through_all_targets_and_follows_each_change(
    searched: Window, panel: RoutePanel, idle: Idle, grid: RoadNetwork, qtbot: QtBot
) -> None:
    slot, scene = searched.session.active, searched.map.map_scene
    choose(searched, 41, 100, 7)
    assert panel.through.isVisibleTo(panel)
    QTest.keyClick(searched, Qt.Key.Key_T, Qt.KeyboardModifier.ShiftModifier)
    assert panel.through.isChecked()
    idle()

    def check(*nodes: int) -> None:
        qtbot.waitUntil(lambda: slot.route() is not None)
        route = slot.route()
        assert route is not None and scene.markers.route.tolist() == route.nodes.tolist()
        length = shortest(grid, *nodes)
        assert panel.headline.text().endswith(grid.metrics[0].describe(length))
        assert not scene.markers.further

    check(30, 41, 100, 7)
    assert panel.stops.texts[2].startswith("B, node 200, ")
    panel.stops.select(3)
    QTest.keyClick(panel.stops, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert slot.targets.nodes == (41, 7, 100) and panel.stops.currentIndex().row() == 2
    check(30, 41, 7, 100)
    QTest.mousePress(searched.map.viewport(), Qt.MouseButton.LeftButton, pos=pixel_of(searched.map, 7))
    for node in (8, 9):
        move_pointer(searched.map.viewport(), pixel_of(searched.map, node))
    QTest.mouseRelease(searched.map.viewport(), Qt.MouseButton.LeftButton, pos=pixel_of(searched.map, 9))
    assert slot.targets.nodes == (41, 9, 100)
    check(30, 41, 9, 100)
    searched.actions_by_name["edit.undo"].trigger()
    assert slot.targets.nodes == (41, 7, 100), "a drag is one change"
    check(30, 41, 7, 100)
    searched.actions_by_name["edit.undo"].trigger()
    searched.actions_by_name["edit.undo"].trigger()
    assert not panel.through.isChecked()
    searched.actions_by_name["edit.redo"].trigger()
    assert panel.through.isChecked()
    check(30, 41, 100, 7)
    panel.stops.select(1)
    QTest.keyClick(panel.stops, Qt.Key.Key_Delete)
    check(30, 100, 7)
    searched.controller.choose_source(55, False)
    qtbot.waitUntil(lambda: slot.dragged is not None or (slot.result is not None and slot.result.source == 55))
    check(55, 100, 7)
    searched.controller.choose_source(55)
    idle()
    check(55, 100, 7)


def test_a_via_route_survives_another_metric_and_ends_with_its_network(
    searched: Window, panel: RoutePanel, idle: Idle, grid: RoadNetwork, qtbot: QtBot
) -> None:
    slot = searched.session.active
    choose(searched, 41, 100)
    panel.through.click()
    idle()
    panel.by.setCurrentIndex(1)
    assert slot.metric_name == "travel time" and panel.by.currentText() == "Fastest"
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.metric.name == "travel time")
    qtbot.waitUntil(lambda: slot.route() is not None)
    assert panel.detail.text().startswith("Fastest way")
    panel.stops.select(2)
    panel.earlier.click()
    assert slot.targets.nodes == (100, 41)
    panel.later.click()
    assert slot.targets.nodes == (41, 100)
    slot.open(make_grid(name="other"))  # while a part is being found
    idle()
    assert slot.targets == Targets() and slot.legs == () and panel.empty.isVisibleTo(panel)


def test_closed_roads_say_what_they_cost_each_route(
    searched: Window, panel: RoutePanel, idle: Idle, grid: RoadNetwork, qtbot: QtBot
) -> None:
    slot = searched.session.active
    choose(searched, 34, 100)
    way = slot.ways()[0]
    assert way is not None and way.distance >= 0
    closed = as_arcs(way.arcs[1:2])
    slot.closures.close(closed)
    qtbot.waitUntil(lambda: slot.result is not None and len(slot.result.closures) == 1)
    qtbot.waitUntil(lambda: not slot.wanted_ways())
    farther = shortest(grid, 30, 34, closures=closed) - shortest(grid, 30, 34)
    assert farther > 0 and f"+{farther} m, " in panel.stops.texts[1]
    searched.controller.move_target(34, 34)
    assert panel.detour.text().startswith(f"+{farther} m, ") and panel.detour.text().endswith(" by closed roads")
    panel.through.click()
    qtbot.waitUntil(lambda: not slot.wanted_ways())
    legs = shortest(grid, 30, 34, 100, closures=closed) - shortest(grid, 30, 34, 100)
    assert panel.detour.text().startswith(f"+{legs} m, ")
    slot.closures.reopen(closed)
    qtbot.waitUntil(lambda: slot.result is not None and not len(slot.result.closures))
    assert not panel.detour.isVisibleTo(panel) and "+" not in panel.stops.texts[1]


def test_legs_of_a_prepared_network_are_those_of_a_search_and_leave_it_as_it_was(grid: RoadNetwork) -> None:
    closed, wanted = as_arcs([5, 40]), [(3, 77, NO_ARCS), (77, 3, as_arcs([5, 40])), (9, 9, NO_ARCS)]
    prepared = prepare(grid, "length", "cpu")
    prepared.close(as_arcs([7]))
    report = Report(Event(), lambda _stage, _share: None, lambda _found: None)
    for each in (prepared, None):
        found = LegsJob(grid, "length", wanted, each, 1).run(report)
        assert [(leg.source, leg.target) for leg in found] == [(3, 77), (77, 3), (9, 9)]
        lengths = [shortest(grid, 3, 77), shortest(grid, 77, 3, closures=closed), 0]
        assert [leg.way.distance for leg in found] == lengths
        assert found[1].way.closures.tolist() == closed.tolist()
    assert prepared.closures.tolist() == [7]


def test_every_search_of_a_race_leads_through_the_same_points(
    searched: Window, panel: RoutePanel, grid: RoadNetwork, qtbot: QtBot
) -> None:
    session = searched.session
    searched.actions_by_name["race.two"].trigger()
    qtbot.waitUntil(lambda: all(slot.result is not None and slot.live is None for slot in session.slots))
    choose(searched, 41, 100)
    searched.actions_by_name["search.through"].trigger()
    for slot in session.slots:
        assert slot.targets == Targets((41, 100), 100, through=True)
        qtbot.waitUntil(lambda slot=slot: slot.route() is not None)  # type: ignore[misc]
    length = grid.metrics[0].describe(shortest(grid, session.slots[0].shown_source or 0, 41, 100))
    assert all(length in there(slot.route()).text for slot in session.slots)
    searched.actions_by_name["race.leave"].trigger()


# ------------------------------------------------------------------------------------------------------------ files


@pytest.fixture
def save_as(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], Path]:
    def answer(name: str) -> Path:
        path = tmp_path / name
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
        return path

    return answer


def test_routes_are_saved_as_gpx_and_geojson(
    searched: Window, panel: RoutePanel, save_as: Callable[[str], Path], qtbot: QtBot, idle: Idle
) -> None:
    assert panel.empty.isVisibleTo(panel) and not panel.gpx.isVisibleTo(panel), "there is nothing to save yet"
    searched.actions_by_name["file.route"].trigger()
    assert "no route yet" in searched.message_bar.text
    choose(searched, 41, 100)
    path = save_as("to-both")
    panel.gpx.click()
    qtbot.waitUntil(path.with_suffix(".gpx").is_file)
    tracks = ElementTree.parse(path.with_suffix(".gpx")).getroot().findall("{*}trk")
    assert len(tracks) == 2, "a track for each target"
    panel.through.click()
    idle()
    path = save_as("through.geojson")
    panel.geojson.click()
    qtbot.waitUntil(path.is_file)
    (feature,) = json.loads(path.read_text())["features"]
    route = searched.session.active.route()
    assert route is not None and len(feature["geometry"]["coordinates"]) == len(route.nodes)
    save_as("route.txt")
    searched.actions_by_name["file.route"].trigger()
    qtbot.waitUntil(lambda: "unknown suffix" in searched.message_bar.text)


def test_directions_are_copied_as_text(searched: Window, panel: RoutePanel) -> None:
    choose(searched, 41)
    panel.copy.click()
    text = QGuiApplication.clipboard().text()
    assert text.splitlines()[0] == panel.headline.text() and "Arrive at node 141" in text


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix != ".npz"])
def test_distances_of_all_nodes_are_saved(
    searched: Window, panel: RoutePanel, save_as: Callable[[str], Path], qtbot: QtBot, suffix: str, grid: RoadNetwork
) -> None:
    choose(searched, 41)
    path = save_as(f"distances{suffix}")
    panel.distances.click()
    qtbot.waitUntil(path.is_file)
    if suffix == ".csv":
        assert len(path.read_text().splitlines()) == grid.node_count + 1
    elif suffix == ".geojson":
        assert len(json.loads(path.read_text())["features"]) == grid.node_count


# ------------------------------------------------------------------------------------------------------------- steps


def test_a_step_is_shown_on_the_map_and_chosen_by_keys(searched: Window, panel: RoutePanel, qtbot: QtBot) -> None:
    choose(searched, 41)
    qtbot.waitUntil(lambda: len(panel.steps.texts) > 1 and panel.steps.isEnabled())
    searched.map.fit()
    wide = searched.map.camera().extent.width
    panel.steps.select(len(panel.steps.texts) - 1)
    QTest.keyClick(panel.steps, Qt.Key.Key_Return)
    mark = searched.map.map_scene.layers["step of directions"]
    assert getattr(mark, "node") == 41 and searched.map.camera().extent.width < wide  # noqa: B009 - of its own class
    before = searched.map.grab().toImage()
    choose(searched, 100)
    qtbot.waitUntil(lambda: "step of directions" not in searched.map.map_scene.layers)
    assert searched.map.grab().toImage() != before


def test_rows_are_as_high_as_their_wrapped_texts_and_are_read_out(
    searched: Window, panel: RoutePanel, qtbot: QtBot
) -> None:
    choose(searched, 41)
    rows = panel.steps
    qtbot.waitUntil(lambda: rows.isVisible() and rows.isEnabled())
    rows.list_rows([(0, "Left into Elm Row", "", "5 m")])
    low = rows.height()
    rows.list_rows([(0, "Left into a road whose name is so long that it takes several lines " * 4, "", "5 m")])
    assert rows.height() > 1.5 * low
    assert rows.height() == rows.sizeHintForRow(0) + 2 * rows.frameWidth()
    assert rows.texts[0].endswith(", 5 m") and rows.accessibleName() == "Directions"
