"""Access in the whole window: points by clicks and drags, the measures, undo, files, sessions, the panel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

import wayfront
from map_layers import layer, pixel_of
from pointer import move_pointer
from there import there
from wayfront_gui.app.remembering import SessionFiles
from wayfront_gui.app.window import Window
from wayfront_gui.features.access.panel import AccessPanel
from wayfront_gui.features.access.state import AccessChoice, Measure, Opportunity
from wayfront_gui.features.depots.state import DepotChoice

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def shown(on_grid: Window) -> Window:
    on_grid.actions_by_name["search.access"].trigger()
    on_grid.map.grab()
    return on_grid


def choice_of(window: Window) -> AccessChoice:
    return window.session.active.state(AccessChoice)


def click(window: Window, node: int) -> None:
    QTest.mouseClick(window.map.viewport(), LEFT, NONE, pixel_of(window.map, node))


def drag(window: Window, node: int, *to: int, drop: bool = True) -> None:
    view, at = window.map.viewport(), pixel_of(window.map, node)
    QTest.mousePress(view, LEFT, NONE, at)
    for each in to:
        at = pixel_of(window.map, each)
        move_pointer(view, at - QPoint(6, 6))
        move_pointer(view, at)
    if drop:
        QTest.mouseRelease(view, LEFT, NONE, at)


def wait(window: Window, qtbot: QtBot) -> AccessChoice:
    choice = choice_of(window)
    qtbot.waitUntil(
        lambda: (
            choice.found is not None
            and choice.found.asked == choice.asked
            and choice.found.metric is choice.metric
            and np.array_equal(choice.found.closures, window.session.active.closures.arcs)
        )
    )
    return choice


def expected(window: Window, **closed: object) -> list[float]:
    choice = choice_of(window)
    asked, metric = there(choice.asked), there(choice.metric)
    measures = asked.measures(metric)
    found = wayfront.access(
        there(window.session.active.network),
        asked.ends(there(window.session.active.network), metric),
        weights=asked.weights,
        within=measures.within,
        decay=measures.decay,
        nearest=measures.nearest,
        mean=measures.mean,
        limit=measures.limit,
        metric=metric.name,
        device="cpu",
        reverse=not asked.towards,
        closures=window.session.active.closures.arcs,
    )
    values: list[float] = found[measures.names[0]].tolist()
    return values


def test_clicks_and_drags_place_points_and_colour_the_streets(shown: Window, qtbot: QtBot) -> None:
    panel, scene = shown.panels.panel(AccessPanel), shown.map.map_scene
    assert panel.isVisible() and "Press Y" in panel.about.text()
    for node in (13, 45, 90):
        click(shown, node)
    choice = wait(shown, qtbot)
    assert choice.nodes == (13, 45, 90) and shown.session.active.source is None, "a click of the tool is no source"
    assert there(choice.found).values.tolist() == expected(shown)
    assert panel.about.text() == "3 points" and panel.summary.isVisible() and panel.save.isEnabled()
    drawn = layer(scene, "access")
    assert scene.node_colours is drawn.colours and there(drawn.colours.legend).title == there(choice.found).title
    drag(shown, 45, 46, 60)
    assert wait(shown, qtbot).nodes == (13, 60, 90)
    assert there(choice.found).values.tolist() == expected(shown)
    drag(shown, 60, 61, drop=False)
    assert choice.dragging == 1 and layer(scene, "access").held == 1
    assert wait(shown, qtbot).nodes == (13, 61, 90), "streets follow while it is dragged"
    QTest.mouseRelease(shown.map.viewport(), LEFT, NONE, pixel_of(shown.map, 61))
    click(shown, 13)
    assert wait(shown, qtbot).nodes == (61, 90)
    shown.map.grab()
    assert there(choice.found).describe(2.0) in ("2 points", "2 m") and choice.about(61).startswith("points within")
    QTest.mouseClick(panel.clear, LEFT)
    assert layer(scene, "access").colours is None and choice.found is None and not panel.save.isEnabled()


@pytest.mark.parametrize("measure", list(Measure))
def test_every_measure_is_what_the_library_finds(shown: Window, qtbot: QtBot, measure: Measure) -> None:
    panel, choice = shown.panels.panel(AccessPanel), choice_of(shown)
    choice.put(map(Opportunity, (13, 45, 90, 91)))
    panel.measure.setCurrentIndex(panel.measure.findData(measure))
    panel.nth.setValue(2)
    panel.reach.setValue(panel.reach.value() - 2)
    panel.direction.setCurrentIndex(1)
    wait(shown, qtbot)
    assert not choice.towards and (choice.measure, choice.nth) == (measure, 2)
    assert there(choice.found).values.tolist() == expected(shown)
    assert panel.reach.isVisibleTo(panel) == (measure is not Measure.NEAREST)
    assert panel.nth.isVisibleTo(panel) == (measure is Measure.NEAREST)
    assert panel.summary.text() and choice.about(50)
    drag(shown, 90, 50)
    wait(shown, qtbot)
    assert there(choice.found).values.tolist() == expected(shown)


def test_undo_goes_back_from_points_to_points(shown: Window, qtbot: QtBot) -> None:
    undo, redo = (shown.actions_by_name[name] for name in ("edit.undo", "edit.redo"))
    assert not undo.isEnabled()
    click(shown, 13)
    click(shown, 45)
    drag(shown, 45, 60)
    undo.trigger()
    assert choice_of(shown).nodes == (13, 45)
    undo.trigger()
    redo.trigger()
    redo.trigger()
    assert choice_of(shown).nodes == (13, 60) and not redo.isEnabled()
    wait(shown, qtbot)
    assert there(choice_of(shown).found).values.tolist() == expected(shown)


def test_closed_roads_and_another_metric_are_followed(shown: Window, qtbot: QtBot) -> None:
    slot = shown.session.active
    choice_of(shown).put(map(Opportunity, (40, 80)))
    wait(shown, qtbot)
    slot.closures.close(wayfront.arcs_between(there(slot.network), np.array([40, 40]), np.array([41, 39])))
    wait(shown, qtbot)
    assert there(choice_of(shown).found).values.tolist() == expected(shown)
    slot.choose_metric("travel time")
    wait(shown, qtbot)
    assert there(choice_of(shown).found).metric.unit == "s" and "min" in shown.panels.panel(AccessPanel).distance.text()
    assert there(choice_of(shown).found).values.tolist() == expected(shown)


def test_one_tool_at_a_time_and_another_network(shown: Window, qtbot: QtBot) -> None:
    action = shown.actions_by_name["search.access"]
    choice_of(shown).put(map(Opportunity, (40, 80)))
    shown.actions_by_name["search.depots"].trigger()
    assert not action.isChecked() and layer(shown.map.map_scene, "access") is None
    action.trigger()
    assert not shown.session.active.state(DepotChoice).picking and layer(shown.map.map_scene, "access").nodes == (
        40,
        80,
    )
    wait(shown, qtbot)
    shown.actions_by_name["search.cancel"].trigger()
    assert not action.isChecked()
    action.trigger()
    wait(shown, qtbot)
    shown.session.active.open(wayfront.open_network("synthetic:grid?columns=3&rows=2"))
    assert choice_of(shown).nodes == () and choice_of(shown).found is None
    shown.actions_by_name["search.scatter"].trigger()
    assert sorted(choice_of(shown).nodes) == [0, 1, 2, 3, 4, 5], "no more points than nodes"
    wait(shown, qtbot)


def test_a_session_file_keeps_points_and_measure(window: Window, qtbot: QtBot, grid_file: Path, tmp_path: Path) -> None:
    window.controller.open(str(grid_file))
    qtbot.waitUntil(lambda: window.session.active.network is not None and not window.controller.worker.busy)
    window.controller.choose_source(3)
    choice = choice_of(window)
    choice.show(True)
    choice.put(map(Opportunity, (13, 45)))
    choice.want(Measure.NEAREST, nth=2, towards=False)
    files = window.host.control(SessionFiles)
    there(files.now()).write(tmp_path / "town.wfsession")
    choice.show(False)
    choice.put(())
    choice.want(Measure.MEAN, nth=1, towards=True)
    files.open(str(tmp_path / "town.wfsession"))
    qtbot.waitUntil(lambda: choice_of(window).nodes == (13, 45))
    again = choice_of(window)
    assert (again.measure, again.nth, again.towards, again.shown) == (Measure.NEAREST, 2, False, True)
    qtbot.waitUntil(lambda: choice_of(window).found is not None and not window.controller.worker.busy)


def test_strange_sessions_leave_out_what_does_not_fit(shown: Window) -> None:
    choice = choice_of(shown)
    ids = there(shown.session.active.network).node_ids
    choice.take_kept(
        {"nodes": [int(ids[5]), "x", True, -10, 10**30, int(ids[5])], "measure": "x", "reach": -1, "nth": []}
    )
    assert choice.nodes == (5,) and (choice.measure, choice.reach, choice.nth) == (Measure.WITHIN, None, 1)
    choice.take_kept({"nodes": 3})
    assert choice.nodes == (5,)
    arcs = [-5, 10**30, 0, "x", 0]
    strange = {
        "nodes": ids[[5, 6, 7, 8, 0]].tolist(),
        "weights": [-1, True, 2.5],
        "arcs": arcs,
        "fractions": [9, 9, 0.5],
    }
    choice.take_kept(strange)
    assert choice.points == tuple(Opportunity(node, 2.5 if node == 7 else 1.0) for node in (5, 6, 7, 8, 0))


def test_what_was_found_is_saved_where_it_is_seen(
    shown: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    panel = shown.panels.panel(AccessPanel)
    shown.actions_by_name["file.access"].trigger()
    assert not list(tmp_path.iterdir())
    choice_of(shown).put(map(Opportunity, (13, 45)))
    choice = wait(shown, qtbot)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "access.csv"), ""))
    QTest.mouseClick(panel.save, LEFT)
    qtbot.waitUntil((tmp_path / "access.csv").exists)
    read = pandas.read_csv(tmp_path / "access.csv")
    order, _ = there(shown.session.active.network).id_order()
    assert read.iloc[:, -1].tolist() == there(choice.found).values[order].tolist()
