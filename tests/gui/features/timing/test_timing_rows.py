"""The rows of the timing list: they say what was run, bring it back, and are exported as chosen."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid, make_result

from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.window import Window
from wayfront_gui.features.timing.panel import TimingPanel
from wayfront_gui.session import session as timed_run

LEFT, NONE, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def timed(window: Window, qtbot: QtBot, grid: RoadNetwork, grid_file: Path) -> Iterator[Window]:
    """The active window with three timed searches of the grid, the last of them shown."""
    grid = replace(grid, origin=str(grid_file))
    window.panels.show("time", True)
    window.resize(1280, 1000)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    slot = window.session.active
    slot.open(grid)
    for source, delta in ((30, 10), (17, 20), (5, 30)):
        slot.choose_algorithm("near-far")
        slot.set_option("delta", delta)
        slot.choose_source(source)
        result = replace(make_result(grid, source, runs_ms=(2.0,)), algorithm="near-far", options={"delta": delta})
        slot.show(result)
        window.session.add_timing(slot, result)
    yield window


def index_of(window: Window, run: int) -> QModelIndex:
    """Return the row of one of the session's timed searches."""
    model = window.panels.panel(TimingPanel).model
    return model.index(model.indices.index(run))


def click(window: Window, run: int, keys: Qt.KeyboardModifier = NONE) -> None:
    panel = window.panels.panel(TimingPanel)
    index = index_of(window, run)
    QApplication.processEvents()  # the column has yet to give the rows their place
    window.panels.side.ensureWidgetVisible(panel.list)
    QTest.mouseClick(panel.list.viewport(), LEFT, keys, panel.list.visualRect(index).center())


def test_a_row_says_algorithm_source_and_options(timed: Window) -> None:
    text = index_of(timed, 1).data()
    assert text == "Near-far, 2.00 ms, from node 117 · Δ 20, CPU"
    assert "A click shows this run again" in index_of(timed, 1).data(Qt.ItemDataRole.ToolTipRole)


def test_the_shown_search_has_its_processor_in_few_words_and_whole(timed: Window, grid: RoadNetwork) -> None:
    panel, slot = timed.panels.panel(TimingPanel), timed.session.active
    for _ in range(2):  # the window has got its size, of which its panels have yet to hear
        QApplication.processEvents()
    before = panel.width()
    for name, short in (
        ("Intel Xeon Processor @ 2.50GHz", "Intel Xeon 2.5\xa0GHz"),
        ("AMD Ryzen Threadripper PRO 5995WX of a long series", "AMD Ryzen Threadripper PRO 5995WX of a long series"),
        ("W" * 900, "W" * 900),
    ):
        slot.show(replace(make_result(grid, 5, runs_ms=(2.0,)), device_name=name))
        QApplication.processEvents()
        assert panel.how.text().endswith(f" on {short}"[:300]) or len(name) > 300
        assert panel.how.toolTip().startswith(name[:300])
        assert panel.how.height() >= panel.how.heightForWidth(panel.how.width()), "nothing of it is cut off"
        assert panel.width() == before


def test_a_click_brings_a_run_back_with_its_choices_and_enter_too(timed: Window) -> None:
    slot, kept = timed.session.active, [run.found for run in timed.session.runs]
    click(timed, 0)
    assert (slot.source, slot.options()["delta"], slot.result) == (30, 10, kept[0])
    assert timed.session.clock.playing and slot.player.trace is not None
    timed.panels.panel(TimingPanel).list.setCurrentIndex(index_of(timed, 1))
    timed.panels.panel(TimingPanel).list.setFocus()
    QTest.keyClick(timed.panels.panel(TimingPanel).list, Qt.Key.Key_Return)
    assert (slot.source, slot.options()["delta"], slot.result) == (17, 20, kept[1])
    assert len(timed.session.timings) == 3


def test_a_run_is_brought_back_in_the_search_of_a_race_that_is_active(timed: Window) -> None:
    timed.session.keep_active()
    added = timed.session.add_slot()
    timed.session.activate(added)
    click(timed, 0)
    assert timed.session.active is added and (added.source, added.result) == (30, timed.session.runs[0].found)
    assert len(timed.session.slots) == 2 and not timed.controller.worker.busy, "nothing is opened again"


def test_delete_removes_a_run_only_while_the_list_has_the_focus(timed: Window) -> None:
    click(timed, 1)
    timed.map.setFocus()
    QTest.keyClick(timed.map, Qt.Key.Key_Delete)
    assert len(timed.session.timings) == 3
    click(timed, 1)
    QTest.keyClick(timed.panels.panel(TimingPanel).list, Qt.Key.Key_Delete)
    assert [timing["source"] for timing in timed.session.timings] == [130, 105]


def test_what_was_let_go_is_searched_again_but_not_timed_again(
    timed: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed_run, "KEPT_BYTES", 0)
    timed.session.active.network_changed()
    assert [run.found for run in timed.session.runs] == [None] * 3
    click(timed, 0)
    slot = timed.session.active
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 30)
    assert slot.result is not None and slot.result.timing.runs_ms == (2.0,)
    assert len(timed.session.timings) == 3


def test_times_of_other_networks_are_counted_and_the_newest_opens_its_network(timed: Window, qtbot: QtBot) -> None:
    panel, slot = timed.panels.panel(TimingPanel), timed.session.active
    assert panel.model.indices == [2, 1, 0] and panel.elsewhere.isHidden(), "the newest first"
    slot.open(make_grid(coordinates=False, name="Another"))
    assert panel.model.rowCount() == 0
    assert panel.elsewhere.text() == "3 times of other networks are kept; Save… saves them too."
    buttons = {button.text(): button for button in panel.findChildren(QPushButton)}
    assert buttons["Save…"].isEnabled() and not buttons["Clear"].isEnabled()
    timed.session.add_timing(slot, make_result(there(slot.network), 5, runs_ms=(2.0,)))
    assert panel.model.indices == [3]
    panel.remove_listed()
    assert len(timed.session.runs) == 3, "those of the other network stay"
    panel.newest_elsewhere.click()
    qtbot.waitUntil(lambda: slot.network is not None and slot.network.name == "Grid")
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 5)
    assert slot.options()["delta"] == 30


def test_the_headline_stays_in_sight_while_the_column_scrolls(timed: Window, qtbot: QtBot) -> None:
    panel, bar = timed.panels.panel(TimingPanel), timed.panels.side.verticalScrollBar()
    for _ in range(20):
        timed.session.add_timing(timed.session.active, there(timed.session.active.result))
    qtbot.waitUntil(lambda: bar.maximum() > 400)
    bar.setValue(bar.maximum() // 2)
    seen = panel.time.visibleRegion().boundingRect()
    assert panel.time_detail.visibleRegion().isEmpty() and seen.size() == panel.time.size()
    assert panel.time.mapTo(timed.panels.side.viewport(), QPoint()).y() < 60
    bar.setValue(0)
    assert panel.time.mapTo(panel, QPoint()).y() < panel.time_detail.mapTo(panel, QPoint()).y()


def test_export_takes_what_is_chosen_or_all(
    timed: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "times.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), "CSV table (*.csv)"))
    export = next(b for b in timed.panels.panel(TimingPanel).findChildren(QPushButton) if b.text() == "Save…")
    for chosen, text, sources in (((), "Save…", [130, 117, 105]), ((0, 2), "Save 2…", [130, 105])):
        timed.panels.panel(TimingPanel).list.setCurrentIndex(QModelIndex())
        timed.panels.panel(TimingPanel).list.clearSelection()
        for place, row in enumerate(chosen):
            click(timed, row, CTRL if place else NONE)
        assert export.text() == text
        target.unlink(missing_ok=True)
        QTest.mouseClick(export, LEFT)
        qtbot.waitUntil(target.exists)
        with target.open(newline="") as table:
            assert [int(row["source"]) for row in csv.DictReader(table)] == sources
