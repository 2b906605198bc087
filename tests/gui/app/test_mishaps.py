"""What goes wrong or is stopped: what was there stays, a person is told why, and told no longer than it matters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QFileOpenEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

from wayfront.formats.native.codec import save_network
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.dropping import Dropped
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.jobs import OpenJob
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.window import Window
from wayfront_gui.features.closures.control import ReadClosuresJob


@pytest.fixture
def shown(window: Window, grid: RoadNetwork) -> Iterator[Window]:
    """The window with a search of the grid and its replay."""
    slot = window.session.active
    slot.open(grid)
    slot.choose_source(30)
    window.controller.active.show_from_the_start(make_result(grid, 30, runs_ms=(1.0,)))
    QApplication.processEvents()
    yield window


def drop(window: Window, *paths: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    place, keys = QPointF(400, 300), Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(place, Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, keys))


def wrong_file(tmp_path: Path) -> Path:
    path = tmp_path / "letter.gr"
    path.write_text("Dear Madam or Sir,\n")
    return path


def test_a_wrong_file_leaves_the_map_its_search_and_run(shown: Window, qtbot: QtBot, tmp_path: Path) -> None:
    slot = shown.session.active
    before = (slot.network, slot.result, slot.player.trace, slot.source, shown.map.map_scene.geometry)
    drop(shown, wrong_file(tmp_path))
    qtbot.waitUntil(shown.message_bar.isVisible)
    assert "letter.gr" in shown.message_bar.text
    assert before == (slot.network, slot.result, slot.player.trace, slot.source, shown.map.map_scene.geometry)
    with_message = shown.map.size()
    shown.message_bar.hide()
    shown.grab()
    assert shown.map.size() == with_message, "the message lies over the map"
    shown.message_bar.show()
    QTest.mouseClick(shown.panels.panel(AlgorithmPanel).button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: slot.result is not before[1])
    assert not shown.message_bar.isVisible(), "what has worked since ends the problem"


def test_run_is_off_until_there_is_something_to_search(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = wrong_file(tmp_path)
    # As macOS asks the running program to open a file, after a double click on it.
    assert window.dropping.eventFilter(window, QFileOpenEvent(str(path)))
    assert not window.dropping.eventFilter(window, QEvent(QEvent.Type.FileOpen))
    assert "Opening" in window.map.map_scene.message
    qtbot.waitUntil(window.message_bar.isVisible)
    assert not window.panels.panel(AlgorithmPanel).button.isEnabled()
    qtbot.waitUntil(lambda: "Ctrl+O" in window.map.map_scene.message)


def test_a_message_is_as_high_as_its_text_and_follows_the_window(shown: Window, qtbot: QtBot) -> None:
    bar, least, size = shown.message_bar, shown.minimumSizeHint().width(), shown.size()
    bar.show_problem("why " * 200)
    qtbot.waitUntil(lambda: bar.height() > 60)
    assert shown.size() == size, "a long text makes no window higher"
    tall = bar.height()
    assert bar.width() == shown.central.width()
    bar.show_problem("why/" * 200)
    QApplication.processEvents()
    assert shown.minimumSizeHint().width() == least, "a path without blanks makes no window wider"
    bar.show_problem("why")
    qtbot.waitUntil(lambda: bar.height() < tall)
    shown.resize(1000, 800)
    QApplication.processEvents()
    assert bar.width() == shown.central.width()


def test_a_message_covers_nothing_of_the_map(shown: Window) -> None:
    panes, bar = shown.central.panes, shown.message_bar
    whole = panes.height()
    bar.show_notice("This will take a while.", "Stop")
    QApplication.processEvents()
    assert bar.isVisible() and bar.geometry().bottom() < panes.mapTo(shown.central, QPoint()).y()
    bar.hide()
    QApplication.processEvents()
    assert panes.height() == whole


def test_files_dropped_together_are_sorted_by_what_they_are() -> None:
    both = Dropped.of(["/a/x.gr.gz", "/a/x.co.gz"])
    assert (both.network, both.coordinates, both.left_out) == ("/a/x.gr.gz", "/a/x.co.gz", "")
    more = Dropped.of(["a.wftrace", "b.gr", "c.osm.pbf", "d.csv", "e.wftrace"])
    assert (more.network, more.trace, more.closures) == ("b.gr", "a.wftrace", "d.csv")
    assert more.left_out == "One map is open at a time: c.osm.pbf and e.wftrace were not opened."


def test_a_dropped_table_is_an_edge_list_or_one_of_closed_roads(tmp_path: Path) -> None:
    (tmp_path / "graph.csv").write_text("tail,head,weight\nA,B,9\n")
    (tmp_path / "closed.csv").write_text("from,to\n1,2\n")
    found = Dropped.of([str(tmp_path / name) for name in ("closed.csv", "graph.nodes.csv", "graph.csv")])
    assert [Path(path).name for path in (found.network, found.coordinates, found.closures)] == [
        "graph.csv",
        "graph.nodes.csv",
        "closed.csv",
    ]


def test_two_dropped_files_are_both_opened_or_it_is_said_why_not(
    shown: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[OpenJob] = []

    def note(_worker: Worker, job: object, *_: object, **__: object) -> None:
        assert isinstance(job, OpenJob)
        asked.append(job)

    monkeypatch.setattr(Worker, "submit", note)
    drop(shown, tmp_path / "x.co", tmp_path / "x.gr")
    drop(shown, tmp_path / "run.wftrace", tmp_path / "x.gr")
    drop(shown, tmp_path / "x.gr", tmp_path / "y.gr")
    assert [(Path(job.path).name, job.options.coordinates, job.network) for job in asked] == [
        ("x.gr", str(tmp_path / "x.co"), None),
        ("run.wftrace", None, str(tmp_path / "x.gr")),
        ("x.gr", None, None),
    ]
    assert shown.message_bar.text == "One map is open at a time: y.gr was not opened."
    shown.controller.files.opened.emit("x.gr")
    for lane, stays in (("search", True), ("tree", True), ("search", False)):  # the file's own search, then another
        shown.controller.worker.done.emit(lane)
        assert shown.message_bar.isVisible() is stays


def test_a_network_and_a_table_of_closed_roads_are_dropped_together(
    window: Window, qtbot: QtBot, tmp_path: Path, grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_network(grid, tmp_path / "grid.wayfront")
    (tmp_path / "closed.csv").write_text("from,to\n100,101\n")
    read: list[str] = []
    run = ReadClosuresJob.run

    def noted(job: ReadClosuresJob, report: object) -> object:
        read.append(job.path)
        return run(job, report)  # type: ignore[arg-type]

    monkeypatch.setattr(ReadClosuresJob, "run", noted)
    drop(window, tmp_path / "closed.csv", tmp_path / "grid.wayfront")
    slot = window.session.active
    qtbot.waitUntil(lambda: len(slot.closures.arcs) == 1)
    assert read == [str(tmp_path / "closed.csv")]
    qtbot.waitUntil(lambda: slot.result is not None and len(slot.result.closures) == 1)


def test_a_click_in_the_sea_says_how_small_the_islet_is(shown: Window, qtbot: QtBot, grid: RoadNetwork) -> None:
    islet = grid.node_count - 1
    shown.map.source_moved.emit(islet, True)
    slot = shown.session.active
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == islet)
    assert shown.status.message == "This islet has 1 node: no road leads on from it to the other 108."


def test_an_opening_that_was_stopped_no_longer_says_that_the_map_opens(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.controller.worker.busy_changed.emit(True)
    assert "Opening the map" in window.map.map_scene.message
    monkeypatch.setattr(Worker, "busy", property(lambda _: True))  # something goes on that nobody waits for
    window.controller.worker.busy_changed.emit(False)
    assert "open one with Ctrl+O" in window.map.map_scene.message
