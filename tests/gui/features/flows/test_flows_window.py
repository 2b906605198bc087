"""What streets carry, in the whole window: shown, pointed at, followed, compared, saved, kept and put away."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import geopandas
import numpy as np
import pandas
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid

import wayfront
from map_layers import layer, pixel_of
from pointer import move_pointer
from there import there
from wayfront.network.details import RoadNames
from wayfront_gui.app.jobs import CallJob
from wayfront_gui.app.remembering import SessionFiles
from wayfront_gui.app.window import Window
from wayfront_gui.features.flows.control import POINTED, FlowControl
from wayfront_gui.features.flows.dialog import FlowsFilmDialog
from wayfront_gui.features.flows.panel import FlowsPanel
from wayfront_gui.features.flows.state import FlowChoice, Roads, busiest_streets, shares_by_class
from wayfront_gui.session.closures import as_arcs

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def choice_of(window: Window) -> FlowChoice:
    return window.session.active.state(FlowChoice)


def wait(window: Window, qtbot: QtBot) -> FlowChoice:
    choice = choice_of(window)
    qtbot.waitUntil(
        lambda: (
            choice.found is not None
            and choice.found.asked == choice.asked
            and choice.found.metric is choice.metric
            and np.array_equal(choice.found.closures, window.session.active.closures.arcs)
            and (choice.found.before is not None) == (choice.compares and len(choice.found.closures) > 0)
        )
    )
    window.map.grab()
    return choice


@pytest.fixture
def shown(on_grid: Window, qtbot: QtBot) -> Window:
    on_grid.actions_by_name["activity.analyse"].trigger()
    on_grid.actions_by_name["search.flows"].trigger()
    wait(on_grid, qtbot)
    return on_grid


def expected(window: Window, **asked: object) -> list[int]:
    network = there(window.session.active.network)
    closed = window.session.active.closures.arcs
    return list(wayfront.flows(network, device="cpu", closures=closed, **asked).arc_flow.tolist())  # type: ignore[arg-type]


def middle(window: Window, node: int, other: int) -> QPoint:
    return (pixel_of(window.map, node) + pixel_of(window.map, other)) / 2


def point_at(window: Window, node: int, other: int) -> None:
    at = middle(window, node, other)
    move_pointer(window.map.viewport(), at + QPoint(2, 2))
    move_pointer(window.map.viewport(), at)


def test_streets_show_what_they_carry_and_the_panel_what_that_is(shown: Window, qtbot: QtBot) -> None:
    panel, found = shown.panels.panel(FlowsPanel), there(choice_of(shown).found)
    assert found.flows.arc_flow.tolist() == expected(shown)
    assert panel.isVisible() and not panel.about.isVisible() and panel.summary.text() == found.summary
    assert "have no way" in found.summary, "no street leads to one node"
    scene = shown.map.map_scene
    assert scene.node_colours is layer(scene, "flows").colours and there(shown.map.map_item.frame).by_line
    panel.ties.setCurrentIndex(panel.ties.findData("all"))
    wait(shown, qtbot)
    assert there(choice_of(shown).found).flows.arc_flow.tolist() == expected(shown, ties="all")
    panel.radius.setValue(1)
    choice = wait(shown, qtbot)
    reach = there(choice.radius)
    assert there(choice.found).flows.arc_flow.tolist() == expected(shown, ties="all", radius=float(reach))
    assert there(choice.found).flows.unreached and "no way" not in panel.summary.text(), "most are only too far"
    assert panel.distance.text() == f"{reach} m" and there(choice.found).title == f"trips within {reach} m"
    shown.session.active.choose_metric("travel time")
    assert wait(shown, qtbot).radius is None and panel.distance.text() == "any distance"
    shown.actions_by_name["search.flows"].trigger()
    shown.map.grab()
    assert layer(scene, "flows") is None and not there(shown.map.map_item.frame).by_line


def test_the_panel_lists_classes_of_roads_and_busiest_streets(window: Window, qtbot: QtBot) -> None:
    grid = make_grid()
    classes = (np.arange(grid.arc_count) % 4).astype(np.uint8)
    named = RoadNames(("High Street", "Lane", "Nowhere"), (np.arange(grid.arc_count) % 2).astype(np.int32))
    network = replace(grid, road_class=classes, road_names=named, content_key="", _derived={})
    window.session.active.open(network)
    window.actions_by_name["activity.analyse"].trigger()
    window.actions_by_name["search.flows"].trigger()
    found, panel = there(wait(window, qtbot).found), window.panels.panel(FlowsPanel)
    way = found.flows.arc_flow * network.metrics[0].weights
    shares = {each.name: each.share for each in shares_by_class(found.flows)}
    assert shares["Minor roads"] == pytest.approx(way[classes == 0].sum() / way.sum())
    assert sum(shares.values()) == pytest.approx(1) and next(iter(shares)) == "Motorways"
    streets = busiest_streets(found)
    assert {each.name for each in streets} == {"High Street", "Lane"}
    assert streets[0].share == pytest.approx(found.on_roads.max() / found.flows.trips)
    assert [name.text() for name, _, _ in panel.classes.rows] == list(shares) and panel.classes.isVisible()
    assert len(panel.streets.rows) == 2 and panel.streets.isVisible()
    window.session.active.open(make_grid())
    assert not panel.classes.rows and not panel.streets.isVisible()


def test_closed_roads_are_compared_with_open_ones_and_undo_reopens_them(shown: Window, qtbot: QtBot) -> None:
    panel, slot = shown.panels.panel(FlowsPanel), shown.session.active
    before = there(choice_of(shown).found)
    assert not panel.compares.isVisible()
    road = int(before.on_roads.argmax())
    slot.closures.close(as_arcs(Roads.of(there(slot.network)).arcs(road)))
    found = there(wait(shown, qtbot).found)
    assert found.flows.arc_flow.tolist() == expected(shown) and found.on_roads[road] == 0
    assert there(found.before).tolist() == before.on_roads.tolist() and panel.compares.isVisible()
    assert there(shown.map.map_scene.node_colours.legend).colours == "change_ramp"
    QTest.mouseClick(panel.compares, LEFT)
    found = there(wait(shown, qtbot).found)
    assert found.before is None and there(shown.map.map_scene.node_colours.legend).colours == "flow_ramp"
    shown.actions_by_name["edit.undo"].trigger()
    assert there(wait(shown, qtbot).found).on_roads.tolist() == before.on_roads.tolist()


def test_pointing_at_a_road_says_what_it_carries(shown: Window) -> None:
    found, roads = there(choice_of(shown).found), Roads.of(there(shown.session.active.network))
    road = int(roads.between(np.array([40], np.int32), np.array([41], np.int32))[0])
    point_at(shown, 40, 41)
    control = shown.host.control(FlowControl)
    assert not control.card.isHidden() and dict(found.facts(road))["Trips"] in control.card.text
    assert layer(shown.map.map_scene, POINTED).arcs.tolist() == roads.arcs(road).tolist()
    move_pointer(shown.map.viewport(), QPoint(3, 3))
    assert control.card.isHidden() and layer(shown.map.map_scene, POINTED) is None
    point_at(shown, 40, 41)
    QTest.mouseClick(shown.map.viewport(), LEFT, NONE, pixel_of(shown.map, 40))
    assert shown.session.active.source == 40, "without the brush a click chooses the source"
    point_at(shown, 52, 53)
    assert not control.card.isHidden()
    shown.actions_by_name["roads.close"].trigger()
    point_at(shown, 64, 65)
    assert control.card.isHidden(), "roads are pointed at for another tool now"


def test_the_brush_follows_and_holds_roads(shown: Window, qtbot: QtBot) -> None:
    choice, brush = choice_of(shown), shown.actions_by_name["search.trips"]
    roads = Roads.of(there(shown.session.active.network))
    brush.trigger()
    point_at(shown, 40, 41)
    qtbot.waitUntil(lambda: choice.trips is not None and 40 in ends(shown, choice))
    panel = shown.panels.panel(FlowsPanel)
    assert panel.trips.text() == there(choice.trips).summary and panel.trips.isVisible()
    assert there(shown.map.map_scene.node_colours.legend).first == "on one side"
    QTest.mouseClick(shown.map.viewport(), LEFT, NONE, middle(shown, 52, 53))
    qtbot.waitUntil(lambda: {52, 53} == ends(shown, choice))
    assert shown.session.active.source is None
    point_at(shown, 40, 41)
    qtbot.waitUntil(lambda: not shown.controller.worker.busy)
    assert {52, 53} == ends(shown, choice), "a road that is held stays"
    view = shown.map.viewport()
    QTest.mousePress(view, LEFT, NONE, middle(shown, 52, 53))
    move_pointer(shown.map.viewport(), middle(shown, 64, 65))
    move_pointer(shown.map.viewport(), middle(shown, 76, 77))
    QTest.mouseRelease(view, LEFT, NONE, middle(shown, 76, 77))
    qtbot.waitUntil(lambda: {76, 77} == ends(shown, choice))
    assert len(there(choice.trips).one_side) == roads.count
    shown.actions_by_name["search.cancel"].trigger()
    assert choice.trips is None and choice.shown and not brush.isChecked()
    shown.actions_by_name["search.cancel"].trigger()
    assert not choice.shown


def test_escape_puts_the_brush_away_while_trips_are_found(shown: Window, qtbot: QtBot) -> None:
    brush = shown.actions_by_name["search.trips"]
    brush.trigger()
    shown.controller.worker.submit(CallJob(lambda report: report.cancel.wait(), "trips", quiet=True))
    shown.actions_by_name["search.cancel"].trigger()
    assert not brush.isChecked() and choice_of(shown).shown
    qtbot.waitUntil(lambda: not shown.controller.worker.busy)


def ends(window: Window, choice: FlowChoice) -> set[int]:
    network = there(window.session.active.network)
    return set() if choice.trips is None else set(network.tails()[choice.trips.arcs].tolist())


def test_another_network_and_a_race_put_it_away(shown: Window, qtbot: QtBot) -> None:
    slot = shown.session.active
    shown.actions_by_name["race.add"].trigger()
    assert layer(shown.map.map_scene, "flows") is None
    shown.session.activate(slot)
    shown.session.keep_active()
    wait(shown, qtbot)
    assert layer(shown.map.map_scene, "flows") is not None
    shown.session.active.open(wayfront.open_network("synthetic:grid?columns=3&rows=2"))
    assert choice_of(shown).found is None and not choice_of(shown).shown
    assert layer(shown.map.map_scene, "flows") is None


def test_a_session_file_keeps_what_is_wanted(window: Window, qtbot: QtBot, grid_file: Path, tmp_path: Path) -> None:
    window.controller.open(str(grid_file))
    qtbot.waitUntil(lambda: window.session.active.network is not None and not window.controller.worker.busy)
    window.controller.choose_source(3)
    choice = choice_of(window)
    radius = choice.reaches[2]
    choice.want(ties="all", radius=radius, compares=False)
    choice.show(True)
    files = window.host.control(SessionFiles)
    there(files.now()).write(tmp_path / "town.wfsession")
    choice.want(ties="one", radius=None, compares=True)
    choice.show(False)
    assert choice.kept() is None
    files.open(str(tmp_path / "town.wfsession"))
    qtbot.waitUntil(lambda: choice_of(window).shown)
    again = choice_of(window)
    assert (again.ties, again.radius, again.compares) == ("all", radius, False)
    wait(window, qtbot)
    again.take_kept({"ties": 7, "radius": -1, "compares": "x", "shown": 1})
    assert (again.ties, again.radius, again.compares, again.shown) == ("one", None, True, False)


def test_it_is_filmed_while_trips_grow_longer(shown: Window, qtbot: QtBot, tmp_path: Path) -> None:
    QTest.mouseClick(shown.panels.panel(FlowsPanel).film, LEFT)
    (dialog,) = shown.findChildren(FlowsFilmDialog)
    assert not dialog.save.isEnabled(), "what streets carry within each distance is not known yet"
    qtbot.waitUntil(lambda: dialog.save.isEnabled() and not dialog.worker.busy)
    assert "distances" in dialog.expected.text() and not hasattr(dialog, "walk")
    dialog.format.choose_data(".gif")
    dialog.size_choice.setCurrentIndex(dialog.size_choice.count() - 1)
    dialog.seconds.setValue(1.0)
    dialog.write(tmp_path / "film.gif")
    qtbot.waitUntil(lambda: (tmp_path / "film.gif").exists() and not shown.findChildren(FlowsFilmDialog))
    shown.actions_by_name["file.flows_film"].trigger()
    (dialog,) = shown.findChildren(FlowsFilmDialog)
    dialog._cancel()
    qtbot.waitUntil(lambda: not shown.findChildren(FlowsFilmDialog))
    choice_of(shown).show(False)
    shown.actions_by_name["file.flows_film"].trigger()
    assert "show what streets carry" in shown.message_bar.text


def test_it_is_saved_where_it_is_seen(
    shown: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    panel, found = shown.panels.panel(FlowsPanel), there(choice_of(shown).found)
    chosen = iter(["flows.gpkg", "flows.csv"])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / next(chosen)), ""))
    QTest.mouseClick(panel.save, LEFT)
    qtbot.waitUntil(lambda: (tmp_path / "flows.gpkg").exists() and not shown.controller.worker.busy)
    QTest.mouseClick(panel.save, LEFT)
    qtbot.waitUntil(lambda: (tmp_path / "flows.csv").exists() and not shown.controller.worker.busy)
    carried = found.flows.roads().flow.sum()
    assert pandas.read_csv(tmp_path / "flows.csv")["flow"].sum() == carried
    assert geopandas.read_file(tmp_path / "flows.gpkg", layer="roads")["flow"].sum() == carried
    shown.session.active.open(wayfront.open_network("synthetic:grid?columns=3&rows=2"))
    shown.actions_by_name["file.flows"].trigger()
    assert len(list(tmp_path.glob("flows*"))) == 2
