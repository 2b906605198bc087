"""Where to put depots, in the whole window: clicks on the map, the best choices, colours, the panel, the tools."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import geopandas
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

import wayfront
from map_layers import layer, pixel_of
from there import there
from wayfront.results.nearest import Aim
from wayfront_gui.app.window import Window
from wayfront_gui.features.closures.control import RoadControl
from wayfront_gui.features.closures.tool import RoadTool
from wayfront_gui.features.depots.panel import DepotsPanel
from wayfront_gui.features.depots.state import DepotChoice
from wayfront_gui.session.closures import RoadAction

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def picking(on_grid: Window) -> Window:
    on_grid.actions_by_name["search.depots"].trigger()
    on_grid.map.grab()
    return on_grid


def click(window: Window, node: int) -> None:
    QTest.mouseClick(window.map.viewport(), LEFT, NONE, pixel_of(window.map, node))


def test_clicks_choose_candidates_and_the_best_of_them_are_found(picking: Window, qtbot: QtBot) -> None:
    slot, scene, panel = picking.session.active, picking.map.map_scene, picking.panels.panel(DepotsPanel)
    network, choice = slot.network, slot.state(DepotChoice)
    assert network is not None and panel.isVisible() and "Press N" in panel.about.text()
    for node in (13, 45, 90, 60):
        click(picking, node)
    click(picking, 60)
    assert choice.candidates == (13, 45, 90) and slot.source is None, "a click of the tool is no source"
    qtbot.waitUntil(lambda: choice.best is not None)
    rows = {node: make_result(network, node) for node in choice.candidates}
    sums = {node: int(result.distances[result.reached].sum()) for node, result in rows.items()}
    best = choice.best
    assert best is not None and best.nodes == (min(sums, key=lambda node: sums[node]),)
    assert (best.total, best.unreached) == (sums[best.nodes[0]], 1)
    panel.count.setCurrentIndex(1)
    panel.aim.setCurrentIndex(1)
    best = choice.best
    assert best is not None and (choice.count, choice.aim, len(best.nodes)) == (2, Aim.LARGEST, 2)
    nearest = np.minimum(*(rows[node].distances for node in best.nodes))
    assert best.largest == nearest[:-1].max()
    assert layer(scene, "depots").depots == best.nodes and layer(scene, "depots").candidates == choice.candidates
    assert (
        layer(scene, "depots").colours is not None
        and scene.node_colours is layer(scene, "depots").colours
        and not scene.shows_tree
    )
    order = np.argsort(nearest[:-1], kind="stable")
    assert (np.diff(layer(scene, "depots").colours.colour[:-1][order].astype(int)) >= 0).all()
    assert (
        layer(scene, "depots").colours.legend is not None
        and layer(scene, "depots").colours.legend.title == "distance from the nearest depot"
    )
    assert panel.depots.text().count("Node ") == 2 and panel.table.startswith("One: mean ")
    assert "1 node not reached" in panel.table
    picking.map.grab()
    picking.actions_by_name["search.no_candidates"].trigger()
    assert not panel.depots.isVisibleTo(panel) and "Press N" in panel.about.text()


def test_closed_roads_and_another_metric_change_what_is_best(picking: Window, qtbot: QtBot) -> None:
    slot = picking.session.active
    network = there(slot.network)
    slot.choose_source(0)
    click(picking, 40)
    qtbot.waitUntil(lambda: slot.state(DepotChoice).best is not None)
    before = slot.state(DepotChoice).best
    slot.choose_metric("travel time")
    qtbot.waitUntil(lambda: slot.state(DepotChoice).found is not None and slot.state(DepotChoice).best != before)
    slot.choose_metric("length")
    arcs = wayfront.arcs_between(network, np.array([40, 40]), np.array([41, 39]))
    slot.closures.close(arcs)
    expected = wayfront.search(network, 40, "dijkstra", "cpu", runs=0, closures=arcs)
    total = int(expected.distances[expected.reached].sum())
    qtbot.waitUntil(lambda: (b := slot.state(DepotChoice).best) is not None and b.total == total)
    qtbot.waitUntil(lambda: not picking.controller.worker.busy)


def test_only_one_tool_is_taken_at_a_time_and_escape_puts_it_away(picking: Window) -> None:
    action, depots = picking.actions_by_name["search.depots"], picking.session.active.state(DepotChoice)
    picking.host.control(RoadControl).take_tool(RoadAction.CLOSE)
    assert not action.isChecked() and not layer(picking.map.map_scene, "depots").candidates
    action.trigger()
    assert action.isChecked() and depots.picking and picking.map.tool(RoadTool).action is None
    picking.actions_by_name["search.cancel"].trigger()
    assert not action.isChecked()


def test_what_was_found_is_saved_where_it_is_seen(
    picking: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slot, panel = picking.session.active, picking.panels.panel(DepotsPanel)
    assert not panel.save.isEnabled()
    for node in (13, 45, 90, 60):
        click(picking, node)
    qtbot.waitUntil(lambda: slot.state(DepotChoice).best is not None)
    found = slot.state(DepotChoice).found
    assert found is not None
    asked: list[str] = []

    def ask(_window: Window, _title: str, _start: str, kinds: str) -> tuple[str, str]:
        asked.append(kinds)
        return str(tmp_path / "depots"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    for laid_out, suffix in ((True, ".csv"), (False, ".geojson"), (False, ".gpkg")):
        slot.laid_out = laid_out
        if suffix == ".gpkg":
            monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "depots.gpkg"), ""))
        QTest.mouseClick(panel.save, LEFT)
        qtbot.waitUntil((tmp_path / f"depots{suffix}").exists)
    assert ["GeoJSON" in kinds for kinds in asked] == [False, True], "points without a place on the Earth are none"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "depots.csv").read_text())))
    ids = found.network.node_ids
    for (count, aim), best in found.best.items():
        nodes = [int(row["node"]) for row in rows if (row["depots"], row["aim"]) == (str(count), str(aim))]
        assert nodes == ids[list(best.nodes)].tolist()
    assert {int(row["node"]) for row in rows} == set(ids[list(found.candidates)].tolist())
    features = json.loads((tmp_path / "depots.geojson").read_text())["features"]
    assert [str(feature["properties"]["node"]) for feature in features] == [row["node"] for row in rows]
    assert [feature["geometry"]["coordinates"] for feature in features] == [
        [float(row["x"]), float(row["y"])] for row in rows
    ]
    points = geopandas.read_file(tmp_path / "depots.gpkg", layer="depots")
    assert points["node"].astype(str).tolist() == [row["node"] for row in rows]
    assert points.geometry.x.tolist() == [float(row["x"]) for row in rows]
