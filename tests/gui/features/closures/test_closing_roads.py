"""Closing roads in the window: tool, keys, list, files, undo, detour view; the tree changes at once."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import geopandas
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid, make_result

from map_layers import layer
from pointer import move_pointer
from there import there
from wayfront.network.arcs import without_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.searching.result_file import save_trace
from wayfront_gui.app.jobs import Report, SearchJob
from wayfront_gui.app.map_sync import describe_node
from wayfront_gui.app.window import Window
from wayfront_gui.features.closures.control import RoadControl
from wayfront_gui.features.closures.costs import Critical, CriticalRoad, Detours
from wayfront_gui.features.closures.panel import EMPTY, ClosuresPanel
from wayfront_gui.features.closures.tool import RoadTool
from wayfront_gui.session.closures import RoadAction, as_arcs

LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton
NONE, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


def found_without(network: RoadNetwork, source: int, closures: np.ndarray) -> Result:
    """Return what a search without the closed arcs finds; parents and distances are by node, so they fit."""
    result = make_result(without_arcs(network, closures), source)
    return replace(result, network=network, metric=network.metrics[0], closures=as_arcs(closures), trace=None)


@pytest.fixture
def window(window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Window:
    """Return a window with the grid open, its source at node 50 and the tool for closing roads taken."""

    def run(job: SearchJob, _report: Report) -> Result:
        return found_without(job.request.network, job.request.source, job.request.closures)

    monkeypatch.setattr(SearchJob, "run", run)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    grid = make_grid()
    window.session.active.open(grid)
    window.session.active.choose_source(50)
    window.session.active.show(found_without(grid, 50, np.zeros(0, np.int64)))
    window.controller.show_tree(True)
    window.map.grab()
    QTest.keyClick(window, Qt.Key.Key_C)
    return window


def at(window: Window, node: int, other: int, share: float = 0.5) -> QPoint:
    """Return where on the map a place on the road between two nodes is."""
    geometry = there(window.map.map_scene.geometry)
    x = (1 - share) * geometry.x[node] + share * geometry.x[other]
    y = (1 - share) * geometry.y[node] + share * geometry.y[other]
    column, row = window.map.camera().to_pixels(float(x), float(y))
    return QPoint(round(column), round(row))


def click(window: Window, pos: QPoint, button: Qt.MouseButton = LEFT, modifier: Qt.KeyboardModifier = NONE) -> None:
    QTest.mouseClick(window.map.viewport(), button, modifier, pos)


def closed(window: Window) -> set[tuple[int, int]]:
    network, arcs = window.session.active.network, window.session.active.closures.arcs
    assert network is not None
    return set(zip(network.tails()[arcs].tolist(), network.targets[arcs].tolist(), strict=True))


def told(window: Window, text: str) -> bool:
    return text in window.message_bar.text


def critical(window: Window) -> CriticalRoad | None:
    return window.session.active.state(Critical).road


def shown(window: Window) -> bool:
    return layer(window.map.map_scene, "pointed") is not None


def idle(window: Window, qtbot: QtBot) -> Result:
    qtbot.waitUntil(lambda: not window.controller.worker.busy)
    return there(window.session.active.result)


def test_a_click_closes_the_road_both_ways_and_the_tree_changes(window: Window, qtbot: QtBot) -> None:
    slot = window.session.active
    click(window, at(window, 50, 51))
    assert closed(window) == {(50, 51), (51, 50)}
    result = idle(window, qtbot)
    expected = found_without(there(slot.network), 50, slot.closures.arcs)
    assert (result.distances == expected.distances).all() and result.distances[51] > 139
    assert there(window.map.map_scene.found.tree).parents[51] == expected.parents[51] != 50
    assert layer(window.map.map_scene, "closed") is not None and window.map.map_scene.shows_tree


@pytest.mark.parametrize(("share", "arc"), [(0.3, (51, 50)), (0.7, (50, 51))])
def test_with_shift_the_direction_to_the_nearer_end_is_closed(
    window: Window, share: float, arc: tuple[int, int]
) -> None:
    click(window, at(window, 50, 51, share), LEFT, SHIFT)
    assert closed(window) == {arc}


def test_a_stroke_closes_all_it_crosses_and_is_one_undo(window: Window, qtbot: QtBot) -> None:
    view = window.map.viewport()
    click(window, at(window, 3, 4))
    QTest.mousePress(view, LEFT, NONE, at(window, 26, 27))
    for node in (38, 50, 62):  # straight across three more streets
        move_pointer(view, at(window, node, node + 1))
    QTest.mouseRelease(view, LEFT, NONE, at(window, 62, 63))
    streets = {(node, node + 1) for node in (26, 38, 50, 62)}
    assert {ends for ends in closed(window) if ends[0] < ends[1]} == streets | {(3, 4)}
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    assert closed(window) == {(3, 4), (4, 3)}
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    assert closed(window) == set()
    QTest.keyClick(window, Qt.Key.Key_Y, CTRL)
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL | SHIFT)
    assert len(closed(window)) == 10
    assert idle(window, qtbot).closures.tolist() == window.session.active.closures.arcs.tolist()


def test_the_right_button_and_the_eraser_reopen_the_nearest_closed_road(window: Window) -> None:
    for node in (3, 15, 27):
        click(window, at(window, node, node + 1))
    click(window, at(window, 3, 4, 0.6), RIGHT)
    assert (3, 4) not in closed(window) and len(closed(window)) == 4
    QTest.keyClick(window, Qt.Key.Key_C, SHIFT)
    assert window.actions_by_name["roads.reopen"].isChecked() and not window.actions_by_name["roads.close"].isChecked()
    click(window, at(window, 15, 16, 0.4))
    assert closed(window) == {(27, 28), (28, 27)}
    click(window, at(window, 90, 91))
    assert "no closed road" in window.status.message and len(closed(window)) == 2


def test_the_road_under_the_pointer_is_shown_before_it_is_closed(window: Window) -> None:
    move_pointer(window.map.viewport(), at(window, 20, 21, 0.4))
    assert shown(window)
    assert window.status.hover.text() == "Close 67 m, between nodes 120 and 121"
    move_pointer(window.map.viewport(), QPoint(2, 2))
    assert not shown(window) and window.status.hover.text() == ""


def test_the_source_can_be_dragged_and_ctrl_clicked_while_the_tool_is_taken(window: Window, qtbot: QtBot) -> None:
    view, slot = window.map.viewport(), window.session.active
    QTest.mousePress(view, LEFT, NONE, at(window, 50, 50))
    move_pointer(view, at(window, 53, 53))
    QTest.mouseRelease(view, LEFT, NONE, at(window, 53, 53))
    assert slot.source == 53 and closed(window) == set()
    click(window, at(window, 80, 80), LEFT, CTRL)
    assert slot.source == 80 and closed(window) == set()
    before = window.map.camera()
    QTest.mousePress(view, MIDDLE, NONE, at(window, 20, 20))
    move_pointer(view, at(window, 22, 22))
    QTest.mouseRelease(view, MIDDLE, NONE, at(window, 22, 22))
    assert window.map.camera().left != before.left and closed(window) == set()
    idle(window, qtbot)


def test_escape_puts_the_tool_away_and_the_map_is_as_before(window: Window, qtbot: QtBot) -> None:
    cursor = window.map.viewport().cursor
    assert cursor().shape() == Qt.CursorShape.BitmapCursor
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.actions_by_name["roads.close"].isChecked() and window.map.tool(RoadTool).action is None
    assert cursor().shape() == Qt.CursorShape.CrossCursor
    click(window, at(window, 70, 70))
    assert window.session.active.source == 70 and closed(window) == set()
    idle(window, qtbot)


def test_closed_roads_are_listed_and_reopened_one_by_one_or_all(window: Window, qtbot: QtBot) -> None:
    QTest.keyClick(window, Qt.Key.Key_L)
    panel = window.panels.panel(ClosuresPanel)
    assert panel.isVisible() and panel.count.text() == EMPTY
    for node in (3, 15, 27):
        click(window, at(window, node, node + 1))
    assert panel.count.text() == "3 closed roads"
    assert [road.ends for road in panel.list.roads()] == [f"between nodes {n} and {n + 1}" for n in (103, 115, 127)]
    panel.list.setCurrentIndex(panel.list.model().index(1, 0))
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    assert [road.ends[14:17] for road in panel.list.roads()] == ["103", "127"]
    first = panel.list.model().index(0, 0)
    QTest.mouseClick(panel.list.viewport(), LEFT, NONE, panel.list.cross_of(first).center())
    assert panel.count.text() == "1 closed road"
    before = window.map.camera().scale
    panel.list.activated.emit(panel.list.model().index(0, 0))
    assert window.map.camera().scale != before
    QTest.keyClick(window, Qt.Key.Key_C, CTRL | SHIFT)
    assert closed(window) == set() and panel.count.text() == EMPTY
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    assert panel.count.text() == "1 closed road"
    idle(window, qtbot)


def test_a_road_is_closed_by_the_ids_of_its_ends(window: Window, qtbot: QtBot) -> None:
    window.actions_by_name["roads.close_ids"].trigger()
    for answer, problem in (("103", "two ends"), ("103-105", "no arc"), ("103 to 7", "no node 7")):
        window.question.line.setText(answer)
        QTest.keyClick(window.question.line, Qt.Key.Key_Return)
        assert problem in window.question.problem and closed(window) == set()
    window.question.line.setText("104-103")
    QTest.keyClick(window.question.line, Qt.Key.Key_Return)
    assert closed(window) == {(3, 4), (4, 3)} and not window.question.isVisible()
    idle(window, qtbot)


def test_the_list_is_as_high_as_its_roads(window: Window) -> None:
    window.panels.show("closures", True)
    shown = window.panels.panel(ClosuresPanel).list
    assert not shown.isVisible(), "an empty one leaves no gap"
    closures, heights = window.session.active.closures, []
    for count in range(1, 9):
        closures.close(as_arcs([4 * count]))
        heights.append(shown.height())
    assert shown.isVisible() and heights[0] < heights[1] < heights[2] < heights[-2] == heights[-1]


def test_the_list_is_saved_and_opened_again(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "closed"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (f"{path}.csv", ""))
    window.actions_by_name["roads.save"].trigger()
    assert "no closed roads to save" in window.message_bar.text
    click(window, at(window, 3, 4))
    click(window, at(window, 15, 16, 0.7), LEFT, SHIFT)
    kept = closed(window)
    idle(window, qtbot)
    window.actions_by_name["roads.save"].trigger()
    qtbot.waitUntil(lambda: "Saved" in window.status.message)
    assert Path(f"{path}.csv").read_text() == "from,to\n103,104\n104,103\n115,116\n"
    window.actions_by_name["roads.reopen_all"].trigger()
    click(window, at(window, 70, 71))
    window.actions_by_name["roads.open"].trigger()
    qtbot.waitUntil(lambda: closed(window) == kept)
    idle(window, qtbot)


def test_a_hostile_list_closes_nothing_and_is_told(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    click(window, at(window, 3, 4))
    contents = (b"", b"PK\x03\x04" + bytes(99), b"from,to\n103,<img src=x>\n", b"from,to\n1,2\n")
    for number, content in enumerate(contents):
        path = tmp_path / f"bad-{number}.csv"
        path.write_bytes(content)
        window.host.control(RoadControl).close_table(str(path))
        qtbot.waitUntil(partial(told, window, str(path)))
        assert closed(window) == {(3, 4), (4, 3)}


def test_the_detour_view_colours_what_became_farther(window: Window, qtbot: QtBot) -> None:
    slot, panel = window.session.active, window.panels.panel(ClosuresPanel)
    for node, other in ((0, 1), (0, 12), (50, 51)):  # node 0 is cut off
        click(window, at(window, node, other))
    idle(window, qtbot)
    QTest.keyClick(window, Qt.Key.Key_V)
    scene = window.map.map_scene
    found = slot.state(Detours).found
    assert (scene.node_colours.table == "detour_table") and not scene.shows_tree and found is not None
    assert panel.isVisible() and window.actions_by_name["view.closures"].isChecked()
    assert window.status.message == f"{found.text}."
    assert panel.list.geometry().bottom() < panel.totals.mapTo(panel, QPoint()).y(), (
        "the panel has room for all it shows"
    )
    assert found.cut_off == 1 and found.longer > 1
    assert panel.totals.text() == f"{found.text}." and "1 node is no longer reached" in panel.totals.text()
    colours = scene.node_colours
    assert colours.legend is not None and colours.legend.ink == "no longer reached: 1"
    assert colours.dots.tolist() == [0] and ((colours.first_step == 0) == (found.extra != 0)).all()
    assert describe_node(slot, 0).endswith("no longer reached") and "farther" in describe_node(slot, 51)
    assert not window.map.grab().isNull()
    QTest.keyClick(window, Qt.Key.Key_L)
    for _ in range(3):
        QTest.keyClick(window, Qt.Key.Key_V)
    assert not panel.isVisible(), "a person has hidden it"
    assert window.map.map_scene.shows_tree and window.session.active.state(Detours).found is None


def test_the_detour_view_searches_with_all_roads_open_where_the_source_moved(window: Window, qtbot: QtBot) -> None:
    slot = window.session.active
    QTest.keyClick(window, Qt.Key.Key_V)
    click(window, at(window, 50, 51))
    idle(window, qtbot)
    slot.choose_source(30)
    window.controller.active.show_quickly()
    result = idle(window, qtbot)
    assert slot.network is not None and result.source == 30
    expected = result.distances.astype(int) - found_without(slot.network, 30, np.zeros(0, np.int64)).distances
    detour = there(slot.state(Detours).found)
    assert detour is not None and (detour.extra == expected).all()


def test_a_recorded_search_shows_the_roads_that_were_closed_for_it(
    window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    slot, path = window.session.active, tmp_path / "closed.wftrace"
    assert slot.network is not None
    arcs = as_arcs([3, 4, 70])
    recorded = make_result(without_arcs(slot.network, arcs), 20)
    save_trace(replace(recorded, network=slot.network, metric=slot.network.metrics[0], closures=arcs), path)
    click(window, at(window, 50, 51))
    idle(window, qtbot)
    window.controller.open(str(path))
    qtbot.waitUntil(lambda: slot.source == 20, timeout=60_000)
    result = idle(window, qtbot)
    assert slot.closures.arcs.tolist() == result.closures.tolist() == [3, 4, 70] and result.trace is not None
    window.session.clock.pause()


def test_the_most_critical_road_near_the_pointer_is_found_and_closed_by_a_key(window: Window, qtbot: QtBot) -> None:
    slot, panel = window.session.active, window.panels.panel(ClosuresPanel)
    for node, other in ((0, 1), (1, 2)):  # node 0 hangs on one road, and 1 on another
        click(window, at(window, node, other))
    idle(window, qtbot)
    move_pointer(window.map.viewport(), at(window, 0, 12))
    QTest.keyClick(window, Qt.Key.Key_K)
    qtbot.waitUntil(lambda: slot.state(Critical).road is not None)
    found = critical(window)
    assert found is not None and found.detour.cut_off == 1
    assert found.text == panel.critical.text() and "Shift+K closes it" in window.status.message
    assert layer(window.map.map_scene, "critical") is not None and not window.map.grab().isNull()
    QTest.keyClick(window, Qt.Key.Key_K, SHIFT)
    assert closed(window) >= {(0, 1), (1, 2)} and len(closed(window)) == 6
    result = idle(window, qtbot)
    assert critical(window) is None and int((~result.reached).sum()) == 2  # the grid's lonely node is the other one
    QTest.keyClick(window, Qt.Key.Key_K, SHIFT)
    assert len(closed(window)) == 6 and not window.actions_by_name["roads.close_critical"].isEnabled()


@pytest.fixture
def save_as(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], Path]:
    def answer(name: str) -> Path:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), ""))
        return tmp_path / name

    return answer


def test_detours_are_saved_node_by_node(window: Window, save_as: Callable[[str], Path], qtbot: QtBot) -> None:
    slot, panel = window.session.active, window.panels.panel(ClosuresPanel)
    window.actions_by_name["roads.save_detours"].trigger()
    assert told(window, "no detours to save yet") and not panel.save_totals.isVisible()
    for node, other in ((0, 1), (0, 12), (50, 51)):  # node 0 is cut off
        click(window, at(window, node, other))
    idle(window, qtbot)
    QTest.keyClick(window, Qt.Key.Key_V)
    path, found, network = save_as("detours.csv"), there(slot.state(Detours).found), there(slot.network)
    qtbot.waitUntil(panel.save_totals.isVisible)
    panel.save_totals.click()
    qtbot.waitUntil(path.is_file)
    rows = {int(row["node"]): row for row in csv.DictReader(path.read_text().splitlines())}
    assert len(rows) == network.node_count
    for node, extra in zip(network.node_ids.tolist(), found.extra.tolist(), strict=True):
        row = rows[node]
        assert (row["farther"], row["cut_off"]) == (("", "1") if extra < 0 else (str(extra), "0"))
        assert row["distance"] != "-1" or extra <= 0
    path = save_as("detours.geojson")
    panel.save_totals.click()
    qtbot.waitUntil(path.is_file)
    features = json.loads(path.read_text())["features"]
    assert sum(feature["properties"]["cut_off"] for feature in features) == found.cut_off == 1


def test_the_critical_roads_are_saved_the_worst_first(
    window: Window, save_as: Callable[[str], Path], qtbot: QtBot
) -> None:
    slot, panel = window.session.active, window.panels.panel(ClosuresPanel)
    window.actions_by_name["roads.save_ranking"].trigger()
    assert told(window, "Find the most critical road near the pointer first")
    move_pointer(window.map.viewport(), at(window, 0, 12))
    QTest.keyClick(window, Qt.Key.Key_K)
    qtbot.waitUntil(lambda: slot.state(Critical).road is not None)
    found, network = there(critical(window)), there(slot.network)
    path = save_as("critical")
    panel.save_critical.click()
    path = path.with_suffix(".csv")
    qtbot.waitUntil(path.is_file)
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [int(row["place"]) for row in rows] == list(range(1, len(found.ranking) + 1)) and len(rows) > 3
    costs = [(int(row["cut_off"]), round(int(row["farther"]) * float(row["mean_farther"]))) for row in rows]
    assert costs == sorted(costs, reverse=True) and costs[0] == (found.detour.cut_off, found.detour.total)
    for row, road in zip(rows, found.ranking, strict=True):
        ends = network.node(int(row["tail"])), network.node(int(row["head"]))
        closures = np.union1d(slot.closures.arcs, road.arcs)
        assert ends == (network.tails()[road.arcs[0]], network.targets[road.arcs[0]])
        without = found_without(network, 50, closures).distances.astype(int)
        assert int((without > found.result.distances).sum()) == int(row["farther"])
    path = save_as("critical.geojson")
    panel.save_critical.click()
    qtbot.waitUntil(path.is_file)
    features = json.loads(path.read_text())["features"]
    places = there(network.coordinates)
    assert [feature["properties"]["place"] for feature in features] == list(range(1, len(rows) + 1))
    for feature, road in zip(features, found.ranking, strict=True):
        line = np.round(np.array(feature["geometry"]["coordinates"]) * 1e6).astype(int).tolist()
        arc = road.arcs[0]
        assert line == places[[network.tails()[arc], network.targets[arc]]].tolist()
    path = save_as("critical.gpkg")
    panel.save_critical.click()
    qtbot.waitUntil(path.is_file)
    lines = geopandas.read_file(path, layer="critical roads")
    assert lines["place"].tolist() == list(range(1, len(rows) + 1))
    assert [list(line.coords) for line in lines.geometry] == [
        [tuple(point) for point in feature["geometry"]["coordinates"]] for feature in features
    ]


def test_closures_of_all_pairs_wait_for_run(window: Window, qtbot: QtBot) -> None:
    slot = window.session.active
    slot.choose_kind(SearchKind.ALL_PAIRS)
    before = slot.result
    click(window, at(window, 50, 51))
    assert not window.controller.worker.busy and slot.result is before
    asked = slot.pairs_request(runs=1, trace_budget=None)
    assert asked is not None and len(asked.closures) == 2


def test_a_network_without_a_map_points_at_nothing(window: Window) -> None:
    window.session.active.open(make_grid(coordinates=False))
    move_pointer(window.map.viewport(), QPoint(300, 200))
    click(window, QPoint(300, 200))
    assert closed(window) == set() and window.map.tool(RoadTool).action is RoadAction.CLOSE
