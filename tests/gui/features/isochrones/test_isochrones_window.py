"""Isochrones in the window: shown by a key, from one source or several, and put away."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

from map_layers import layer
from wayfront.results.result import Result
from wayfront_gui.app.jobs import Report, SearchJob
from wayfront_gui.app.window import Window
from wayfront_gui.features.depots.state import DepotChoice
from wayfront_gui.features.isochrones.layer import row_colours
from wayfront_gui.features.isochrones.panel import IsochronesPanel
from wayfront_gui.features.isochrones.state import IsochroneChoice, widths
from wayfront_gui.map.offscreen import fitting_camera
from wayfront_gui.map.scene import Scene
from wayfront_gui.session.formatting import short
from wayfront_gui.ui.controls import PlainLabel


def shown_texts(panel: IsochronesPanel) -> set[str]:
    return {cell.text() for cell in panel.findChildren(PlainLabel) if cell.isVisibleTo(panel)}


def is_swatch(cell: QLabel) -> bool:
    return not cell.pixmap().isNull() and not cell.isHidden()


def has_legend(scene: Scene) -> bool:
    """Whether the map's legend of isochrones is painted in a scene."""
    image = QImage(800, 600, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    scene.layers["isochrones"].paint_edges(painter, scene, fitting_camera(scene, 800, 600, 1.0), 0.0)
    painter.end()
    return any(image.pixelColor(x, 560).alpha() for x in range(0, 120, 3))


def test_bands_are_shown_round_one_source_and_round_several(
    window: Window, result: Result, qtbot: QtBot, monkeypatch: object, tmp_path: Path
) -> None:
    def run(job: SearchJob, _report: Report) -> Result:
        return make_result(job.request.network, job.request.source)

    monkeypatch.setattr(SearchJob, "run", run)  # type: ignore[attr-defined]
    slot, scene = window.session.active, window.map.map_scene
    slot.open(result.network)
    scene = window.map.map_scene
    slot.choose_source(result.source)
    slot.show(result)
    window.map.setFocus()
    QTest.keyClick(window.map, Qt.Key.Key_I)
    qtbot.waitUntil(lambda: layer(scene, "isochrones") is not None)
    panel = window.panels.panel(IsochronesPanel)
    assert panel.isVisible()
    qtbot.waitUntil(
        lambda: slot.state(IsochroneChoice).bands[-1].label in shown_texts(panel)
    )  # Qt shows new cells a little later
    assert scene.shows_whole and not scene.shows_tree and window.grab().width() > 0

    panel.step.setCurrentIndex(panel.step.findData(200))
    qtbot.waitUntil(lambda: layer(scene, "isochrones") is not None and layer(scene, "isochrones").step == 200)
    window.map.place_chosen.emit(7)
    qtbot.waitUntil(lambda: layer(scene, "isochrones") is not None and layer(scene, "isochrones").several)
    assert len(slot.state(IsochroneChoice).zones) == 2
    qtbot.waitUntil(
        lambda: slot.state(IsochroneChoice).zones[1].label in shown_texts(panel)
    )  # Qt shows new cells a little later
    assert slot.source == result.source and slot.state(DepotChoice).candidates == (), (
        "a click chose a further source only"
    )
    swatches = [
        cell.pixmap().toImage().pixelColor(3, 3).name() for cell in panel.findChildren(QLabel) if is_swatch(cell)
    ]
    assert swatches == [colour.name() for colour in row_colours(scene.style, 0, 2)], "the panel is the legend"
    assert not has_legend(scene) and has_legend(scene.copy()), "the map has none beside it, a picture of it has"
    window.panels.show("isochrones", False)
    assert has_legend(scene)
    window.panels.show("isochrones", True)
    asked: list[str] = []

    def ask(_window: Window, _title: str, _start: str, kinds: str) -> tuple[str, str]:
        asked.append(kinds)
        return str(tmp_path / "near"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)  # type: ignore[attr-defined]
    for laid_out, suffix in ((True, ".csv"), (False, ".geojson")):
        slot.laid_out = laid_out
        QTest.mouseClick(panel.export, Qt.MouseButton.LeftButton)
        qtbot.waitUntil((tmp_path / f"near{suffix}").exists)
    assert ["GeoJSON" in kinds for kinds in asked] == [False, True], "areas without a place on the Earth are none"
    kinds = [each["properties"]["kind"] for each in json.loads((tmp_path / "near.geojson").read_text())["features"]]
    assert kinds == ["band"] * len(slot.state(IsochroneChoice).bands) + ["zone"] * 2 + ["source"] * 2
    panel.alone.click()
    qtbot.waitUntil(lambda: layer(scene, "isochrones") is not None and not layer(scene, "isochrones").several)

    QTest.keyClick(window.map, Qt.Key.Key_Escape)
    assert layer(scene, "isochrones") is None and not slot.state(IsochroneChoice).wanted and panel.export.isHidden()
    window.actions_by_name["file.isochrones"].trigger()
    assert "no isochrones to save" in window.message_bar.text
    assert not window.actions_by_name["search.isochrones"].isChecked()


def test_bands_are_measured_as_the_tree_was_searched(
    window: Window, result: Result, qtbot: QtBot, monkeypatch: object
) -> None:
    def run(job: SearchJob, _report: Report) -> Result:
        asked = job.request
        return replace(make_result(asked.network, asked.source), metric=asked.network.metric(asked.metric))

    monkeypatch.setattr(SearchJob, "run", run)  # type: ignore[attr-defined]
    slot = window.session.active
    slot.open(result.network)
    slot.choose_source(result.source)
    slot.show(result)
    choice, panel = slot.state(IsochroneChoice), window.panels.panel(IsochronesPanel)
    length, seconds = result.network.metrics[0], result.network.metric("travel time")
    choice.choose_step(widths(length)[2])
    slot.choose_metric(seconds.name)
    choice.want(True)
    qtbot.waitUntil(lambda: bool(choice.bands))
    assert {band.label.split()[-1] for band in choice.bands} <= {"m", "km"}, "no search was run by time yet"
    assert panel.step.findText(short(seconds, widths(seconds)[3])) < 0 and choice.step == widths(length)[2]

    choice.want(False)
    QTest.keyClick(window.map, Qt.Key.Key_I)
    qtbot.waitUntil(lambda: slot.tree is not None and slot.tree.metric.name == seconds.name)
    qtbot.waitUntil(lambda: {band.label.split()[-1] for band in choice.bands} <= {"s", "min", "h"})
    assert panel.step.findText(short(seconds, widths(seconds)[3])) > 0
    assert choice.step is None, "so many metres are not so many seconds"
