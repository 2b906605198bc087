"""The whole window, offscreen: what a person does, and what the window then shows."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid

from map_layers import layer
from pointer import move_pointer
from search_checks import device_info
from there import there
from wayfront import open_network, save_trace, search
from wayfront.formats.native.codec import save_network
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.errors import NetworkNotHereError, OptionError
from wayfront.searching.registry import algorithms
from wayfront.synthetic import ring
from wayfront_gui.app.commands import CommandWords
from wayfront_gui.app.engine_thread import join_left
from wayfront_gui.app.jobs import OpenJob, Report
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.app.search_panel import AlgorithmPanel, SearchPanel
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import FieldsKeepTheirKeys, make_window
from wayfront_gui.app.window import Window
from wayfront_gui.features.export.dialogs import ExportDialog
from wayfront_gui.features.finding.control import Finder
from wayfront_gui.features.timing.panel import TimingPanel
from wayfront_gui.session.replay import Change, changes
from wayfront_gui.session.state import Walk


@pytest.fixture
def searched(window: Window, qtbot: QtBot, grid_file: Path) -> Window:
    """The window after its first search, timed, with the replay paused at the start."""
    window.controller.open(str(grid_file))
    qtbot.waitUntil(lambda: bool(window.session.timings))
    window.session.clock.pause()
    window.session.active.player.seek(0.0)
    return window


def test_opening_a_file_searches_plays_and_times_by_itself(window: Window, qtbot: QtBot, grid_file: Path) -> None:
    window.controller.open(str(grid_file))
    qtbot.waitUntil(lambda: bool(window.session.timings))
    result = window.session.active.result
    assert result is not None and result.trace is not None
    assert window.windowTitle() == "Grid — wayfront"
    assert window.session.clock.playing
    assert window.panels.panel(TimingPanel).time_detail.text().startswith("median of 5 clean runs")
    assert window.panels.panel(TimingPanel).traced.text().startswith("traced run")
    window.session.clock.set_speed(8.0)
    qtbot.waitUntil(lambda: window.session.active.tree_shown)
    assert window.session.active.player.position == window.session.active.player.last
    assert window.actions_by_name["view.tree"].isChecked()
    assert window.settings.recent == (str(grid_file.resolve()),)


def test_a_click_on_the_map_searches_from_there(searched: Window, qtbot: QtBot) -> None:
    searched.map.source_moved.emit(17, True)
    qtbot.waitUntil(lambda: len(searched.session.timings) == 2)
    assert searched.session.active.source == 17
    assert searched.session.active.result is not None and searched.session.active.result.source == 17
    assert searched.map.map_scene.markers.source == 17


def test_dragging_shows_the_newest_tree_and_releasing_it_replays(searched: Window, qtbot: QtBot) -> None:
    for node in (20, 21, 22, 23):
        searched.map.source_moved.emit(node, False)
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    tree = searched.session.active.dragged
    assert tree is not None and tree.source == 23 and searched.session.active.player.trace is None
    assert searched.map.map_scene.shows_tree and layer(searched.map.map_scene, "dragged") is not None
    assert len(searched.session.timings) == 1, "a quick search is not timed"
    searched.map.source_moved.emit(23, True)
    qtbot.waitUntil(lambda: searched.session.active.player.trace is not None)
    qtbot.waitUntil(lambda: len(searched.session.timings) == 2)


def test_a_slow_search_is_seen_while_it_runs_and_can_be_stopped(window: Window, qtbot: QtBot) -> None:
    """Relax and update needs a step for every node of half a ring, each over all nodes: more than anyone waits for."""
    session = window.session
    nodes = 100_000  # of 20,000 a quick machine is through before three pictures are drawn
    session.active.open(ring(nodes))
    session.active.choose_source(0)
    session.active.choose_algorithm("relax-update")
    session.active.choose_device("cpu")
    seen: list[tuple[int, int]] = []

    def look() -> None:
        scene, trace = window.map.map_scene, window.session.active.player.trace
        if trace is None or not window.controller.worker.busy:
            return
        assert session.active.live is not None and session.active.live.trace is trace
        assert scene.found.trace is trace and scene.mode == "search" and scene.found.tree is None
        assert window.panels.panel(ReplayPanel).scrubber.isEnabled()
        assert window.panels.panel(ReplayPanel).figures["step"].value == f"{len(trace):,} of {len(trace):,} so far"
        seen.append((len(trace), int((scene.found.nodes.first_step <= scene.step).sum())))

    window.session.active.player.moved.connect(look)
    window.controller.run()
    qtbot.waitUntil(lambda: len(seen) >= 3)
    assert window.controller.worker.busy and session.active.result is None
    steps, reached = zip(*seen, strict=True)
    assert sorted(set(steps)) == list(steps), "every picture is of a later step"
    assert sorted(set(reached)) == list(reached), "and shows more of the ring"
    assert reached[-1] < nodes
    tree = window.actions_by_name["view.tree"]
    assert not tree.isEnabled(), "there is no tree yet"
    window.map.node_hovered.emit(0)
    assert window.status.hover.text() == "Node 1  ·  reached in step 1"
    window.map.node_hovered.emit(nodes // 2)
    assert window.status.hover.text().endswith("not reached yet")

    QTest.mouseClick(window.panels.panel(AlgorithmPanel).button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.controller.worker.busy)
    trace = session.active.player.trace
    assert trace is not None and session.active.result is None
    assert window.status.message.startswith(f"Stopped after step {len(trace):,}: ")
    assert window.map.map_scene.found.trace is trace, "what was recorded so far stays"
    assert window.panels.panel(ReplayPanel).figures["step"].value == f"{len(trace):,} of {len(trace):,} so far"
    QTest.keyClick(window.map, Qt.Key.Key_Home)
    assert window.map.map_scene.step == 0.0, "and can be looked at step by step"
    assert window.panels.panel(AlgorithmPanel).button.text() == "Run"


def knows_and_shows_the_tree(window: Window) -> tuple[bool, bool]:
    return window.map.map_scene.found.tree is not None, window.session.active.tree_shown


def test_a_stopped_search_gives_way_to_the_one_before(searched: Window, qtbot: QtBot) -> None:
    before = searched.session.active.result
    assert before is not None and before.trace is not None
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    searched.session.active.player.seek(2.0)
    searched.controller.show_tree(True)
    job = there(searched.session.active.request(runs=0, trace_budget=1 << 20, live=True))
    searched.controller.active._on_live(job, before.trace)
    assert knows_and_shows_the_tree(searched) == (False, False)
    assert searched.panels.panel(ReplayPanel).figures["step"].value.endswith("so far")
    searched.actions_by_name["replay.start"].trigger()
    assert searched.map.map_scene.step == -1.0, "one may look back while it runs"
    searched.controller.active._on_live(job, before.trace)
    assert searched.map.map_scene.step == -1.0
    request = there(searched.session.active.request(runs=0, trace_budget=None))
    searched.controller.active.on_failed(request, OptionError("it went wrong"))
    assert knows_and_shows_the_tree(searched) == (True, True)
    assert searched.map.map_scene.found.nodes.legend is not None
    assert searched.panels.panel(ReplayPanel).figures["step"].value == f"3 of {before.steps}"
    assert searched.actions_by_name["view.tree"].isEnabled()


def test_a_running_search_is_neither_saved_nor_asked_for_routes(searched: Window, tmp_path: Path) -> None:
    before = searched.session.active.result
    assert before is not None and before.trace is not None
    job = there(searched.session.active.request(runs=0, trace_budget=1 << 20, live=True))
    searched.controller.active._on_live(job, before.trace)
    searched.controller.files.save_trace(str(tmp_path / "early.wftrace"))
    assert searched.status.message == "There is no recorded search to save yet."
    searched.actions_by_name["search.farthest"].trigger()
    assert searched.session.active.target is None
    searched.controller.show_tree(True)
    assert not searched.session.active.tree_shown


def test_a_long_search_is_forecast_and_the_way_to_stop_it_named(searched: Window, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    worker = searched.controller.worker
    worker.forecast.emit("Dijkstra will take about 0 s here", 0.3)
    assert "Dijkstra" not in searched.status.message, "nobody needs to be told of a moment"
    worker.forecast.emit("Dijkstra will take about 4 s here", 4.0)
    assert searched.status.message == "Dijkstra will take about 4 s here"
    assert not searched.message_bar.isVisible()
    worker.forecast.emit("Dijkstra will take about 25 s here", 25.0)
    assert searched.message_bar.text == "Dijkstra will take about 25 s here. Esc stops it."
    assert searched.message_bar.button.isVisible() and searched.message_bar.button.text() == "Stop"
    searched.controller.searching_changed.emit(False)
    assert (searched.message_bar.isVisible(), searched.status.message) == (False, "")


def test_a_forecast_goes_with_its_search_whoever_asked_for_it(searched: Window, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    worker = searched.controller.worker
    ends = partial(worker.done.emit, "search"), partial(worker.busy_changed.emit, False)
    for end in ends:  # clean runs, and those of a lesson, are of no slot that says that it searches
        worker.forecast.emit("Dijkstra will take about 25 s here", 25.0)
        assert searched.message_bar.isVisible() and searched.status.message
        worker.done.emit("tree")
        assert searched.message_bar.isVisible()
        end()
        assert (searched.message_bar.isVisible(), searched.status.message) == (False, "")
    stopped: list[str] = []
    searched.controller.news.connect(stopped.append)
    qtbot.waitUntil(lambda: not worker.busy)
    searched.actions_by_name["search.run"].trigger()
    worker.forecast.emit("Dijkstra will take about 25 s here", 25.0)
    searched.message_bar.button.click()
    assert stopped == ["Stopped."] and not searched.message_bar.isVisible()


def test_what_is_missing_for_a_search_is_said_of_what_is_open(window: Window) -> None:
    slot = window.session.active
    asked = window.actions_by_name["search.run"].trigger, window.actions_by_name["race.cut_out"].trigger
    for ask in asked:
        ask()
        assert window.status.message == "Open a network and click a source on the map first."
    window.actions_by_name["file.new"].trigger()
    for ask in asked:
        ask()
        assert window.status.message == "This graph has no nodes yet: draw one first, then search from it."
    slot.open(make_grid())
    slot.source = None
    for ask in asked:
        ask()
        assert window.status.message == "Click a source on the map first, or choose one by its id (Ctrl+G)."


def test_figures_and_box_tell_of_queue_and_settled_node_where_there_are_any(searched: Window) -> None:
    timeline, before = searched.panels.panel(ReplayPanel), searched.session.active.result
    assert before is not None and before.trace is not None
    searched.actions_by_name["replay.more"].trigger()
    assert not timeline.figures["queue"].isVisible() and timeline.figures["bucket"].isVisible()
    steps = len(before.trace)
    order = np.argsort(before.distances[before.reached], kind="stable").astype(np.int32)[:steps]
    told = before.trace.with_arrays(queue=np.arange(steps) + 40, settled=order, bucket=before.trace.bucket * 0 - 1)
    searched.session.active.player.load(told, before.distances)
    searched.session.active.player.seek(2.0)
    assert timeline.figures["queue"].isVisible() and timeline.figures["settled"].isVisible()
    assert not timeline.figures["bucket"].isVisible()
    assert timeline.figures["queue"].value == "42"
    assert timeline.figures["settled"].value == str(order[2] + 100)
    read_out = timeline.scrubber.accessibleDescription()
    assert f"Queue 42 nodes waiting; Settled node {order[2] + 100}" in read_out
    timeline.scrubber.resize(214, 90)
    for x in (120, 8):  # a pointer that is there already does not move
        move_pointer(timeline.scrubber, QPoint(x, 40))
    assert "Queue: 40 nodes waiting" in timeline.scrubber.tooltip_text


def test_an_algorithm_that_nothing_here_can_run_cannot_be_chosen(searched: Window, qtbot: QtBot) -> None:
    known = {a.name: a for a in algorithms()}
    here = (device_info("cpu", "a processor", True), device_info("cuda:0", "CUDA", False, "no driver"))
    box = searched.panels.panel(AlgorithmPanel).algorithm
    for devices, enabled in ((here, False), ((*here, device_info("simulator", "CUDA simulator", True)), True)):
        searched.panels.panel(AlgorithmPanel).show_algorithms(tuple(known.values()), devices)
        places = {box.itemData(i): box.model().index(i, 0).flags() for i in range(box.count())}
        assert bool(places["near-far-resident"] & Qt.ItemFlag.ItemIsEnabled) is enabled
        assert places["near-far"] & Qt.ItemFlag.ItemIsEnabled


def test_route_is_told_and_drawn_and_escape_clears_it(searched: Window, qtbot: QtBot, grid: RoadNetwork) -> None:
    searched.map.target_chosen.emit(3)
    assert searched.status.message.startswith("Route to node 103: ")
    assert len(searched.map.map_scene.markers.route) > 1
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    for _ in range(2):
        QTest.keyClick(searched.map, Qt.Key.Key_Escape)
    assert searched.session.active.target is None
    assert len(searched.map.map_scene.markers.route) == 0


def test_hovering_tells_node_distance_and_step(searched: Window) -> None:
    source = there(searched.session.active.source)
    searched.map.node_hovered.emit(source)
    assert searched.status.hover.text() == f"Node {source + 100}  ·  0 m  ·  reached in step 1"


def test_what_a_resting_pointer_is_told_follows_the_search(searched: Window, qtbot: QtBot) -> None:
    source = there(searched.session.active.source)
    searched.map.map_scene.mark(hovered=source)
    searched.map.source_moved.emit(source + 1, True)
    qtbot.waitUntil(
        lambda: searched.session.active.result is not None and searched.session.active.result.source == source + 1
    )
    assert searched.status.hover.text().startswith(f"Node {source + 100}  ·  ")
    assert "  ·  0 m" not in searched.status.hover.text()
    searched.map.node_hovered.emit(-1)
    assert searched.status.hover.text() == ""


def test_keys_play_step_and_jump(searched: Window, qtbot: QtBot) -> None:
    player, clock, map_ = searched.session.active.player, searched.session.clock, searched.map
    last = player.last
    assert last >= 3
    QTest.keyClick(map_, Qt.Key.Key_Right)
    QTest.keyClick(map_, Qt.Key.Key_Right)
    QTest.keyClick(map_, Qt.Key.Key_Left)
    assert player.position == 1.0
    assert searched.panels.panel(ReplayPanel).figures["step"].value == f"2 of {last + 1:,}"
    QTest.keyClick(map_, Qt.Key.Key_End)
    assert player.position == last
    QTest.keyClick(map_, Qt.Key.Key_Home)
    QTest.keyClick(map_, Qt.Key.Key_Space)
    states = [clock.playing]
    QTest.keyClick(map_, Qt.Key.Key_Space)
    states.append(clock.playing)
    assert states == [True, False]
    modes = [map_.map_scene.mode]
    for _ in range(2):
        QTest.keyClick(map_, Qt.Key.Key_T)
        modes.append(map_.map_scene.mode)
    assert modes == ["search", "tree", "search"]
    QTest.keyClick(map_, Qt.Key.Key_2)
    assert clock.walk is Walk.TIME
    assert searched.panels.panel(ReplayPanel).walk.currentData() == Walk.TIME
    assert searched.panels.panel(ReplayPanel).figures["pace"].value.endswith("s of CPU")
    for key in (Qt.Key.Key_B, Qt.Key.Key_O):
        QTest.keyClick(map_, key)
    assert clock.reverse and clock.loop
    player.seek(0.0)
    QTest.keyClick(map_, Qt.Key.Key_BracketRight)
    assert player.trace is not None and player.position == changes(player.trace, Change.BUCKET)[0]
    QTest.keyClick(map_, Qt.Key.Key_BracketLeft)
    assert player.position == 0.0


def test_scrubbing_goes_anywhere_at_once(searched: Window, qtbot: QtBot) -> None:
    scrubber = searched.panels.panel(ReplayPanel).scrubber
    QTest.mouseClick(scrubber, Qt.MouseButton.LeftButton, pos=scrubber.rect().center())
    assert searched.session.active.player.fraction == pytest.approx(0.5, abs=0.01)
    assert searched.map.map_scene.step == pytest.approx(searched.session.active.player.position)
    QTest.mouseClick(scrubber, Qt.MouseButton.LeftButton, pos=scrubber.rect().bottomRight())
    assert searched.session.active.player.position == searched.session.active.player.last


def test_every_algorithm_shows_its_own_options(searched: Window, qtbot: QtBot) -> None:
    panel = searched.panels.panel(AlgorithmPanel)
    searched.controller.find_abilities()
    qtbot.waitUntil(lambda: panel.algorithm.count() > 1)
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    for declared in algorithms(SearchKind.ONE_TREE):
        row = panel.algorithm.findData(declared.name)
        assert row >= 0
        panel.algorithm.setCurrentIndex(row)
        assert searched.session.active.algorithm == declared.name
        for option in declared.options:
            assert panel.options.findChild(QWidget, f"option {option.name}") is not None
    cuda = panel.device.findData("cuda:0")
    assert cuda >= 0
    item = panel.device.model().index(cuda, 0)
    if not item.flags() & Qt.ItemFlag.ItemIsEnabled:
        assert item.data(Qt.ItemDataRole.ToolTipRole), "a device that cannot run says why"


def test_a_refused_search_is_told_in_the_strip(searched: Window, qtbot: QtBot) -> None:
    searched.session.active.choose_device("nonsense")
    searched.controller.run()
    qtbot.waitUntil(searched.message_bar.isVisible)
    assert "nonsense" in searched.message_bar.text
    assert searched.panels.panel(AlgorithmPanel).button.text() == "Run"


def test_a_missing_file_is_told_and_what_is_open_stays(searched: Window, qtbot: QtBot) -> None:
    searched.controller.open("/nowhere/at/all.gr")
    qtbot.waitUntil(searched.message_bar.isVisible)
    assert "/nowhere/at/all.gr" in searched.message_bar.text
    assert searched.session.active.network is not None and searched.session.active.network.name == "Grid"


def test_a_network_without_a_map_offers_two_ways_on(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "bare.wayfront"
    save_network(make_grid(coordinates=False, name="Bare"), path)
    window.controller.open(str(path))
    qtbot.waitUntil(lambda: bool(window.session.timings))
    assert window.no_map.isVisible()
    lay_out, choose = window.no_map.findChildren(QPushButton)
    assert (lay_out.text(), choose.text()) == ("Lay the network out", "Choose coordinates…")
    QTest.mouseClick(lay_out, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.no_map.isVisible())
    assert window.map.map_scene.geometry is not None
    assert not window.map.map_scene.scale_bar, "kilometres mean nothing on an invented map"
    assert window.session.active.result is not None, "what was found stays when the map comes"


def test_a_made_network_is_laid_out_unasked(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    window.controller.open("synthetic:random?n=60&k=3")
    qtbot.waitUntil(lambda: bool(window.session.timings))
    assert not window.no_map.isVisible()
    assert window.map.map_scene.geometry is not None
    assert not window.map.map_scene.scale_bar, "kilometres mean nothing on an invented map"
    path = tmp_path / "made.wftrace"
    window.controller.files.save_trace(str(path))
    qtbot.waitUntil(path.exists)
    report = Report(threading.Event(), lambda *_: None, lambda _: None)
    with pytest.raises(NetworkNotHereError):
        OpenJob(str(path)).run(report)
    recorded = OpenJob(str(path), network="synthetic:random?n=60&k=3").run(report)
    assert isinstance(recorded, Result)
    assert recorded.network.coordinates is not None


def test_a_trace_makes_its_network_only_after_a_question(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "made.wftrace"
    network = open_network("synthetic:grid?columns=6&rows=5")
    save_trace(search(network, 0, "dijkstra", "cpu", runs=0, trace=True), path)
    for button in ("Cancel", "Make it"):
        window.controller.open(str(path))
        qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)))
        assert window.session.active.network is None
        (box,) = window.findChildren(QMessageBox)
        assert "30 nodes" in box.text()
        assert network.origin in box.text()
        assert box.textFormat() == Qt.TextFormat.PlainText
        default = there(box.defaultButton())
        assert default.text() == "Cancel"
        next(b for b in box.buttons() if b.text() == button).click()
        qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    qtbot.waitUntil(lambda: window.session.active.result is not None)
    opened = there(window.session.active.network)
    assert opened.content_key == network.content_key


def test_a_trace_finds_its_network_among_recent_files(
    window: Window, qtbot: QtBot, grid_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "elsewhere" / "run.wftrace"
    path.parent.mkdir()
    save_trace(search(open_network(grid_file, cache=False), 0, "dijkstra", "cpu", runs=0, trace=True), path)
    window.settings.remember_file(str(grid_file))
    window.controller.open(str(path))
    qtbot.waitUntil(lambda: window.session.active.result is not None)
    opened = there(window.session.active.network)
    assert opened.origin == str(grid_file)


def test_a_recorded_search_opens_with_its_network(searched: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "search.wftrace"
    searched.controller.files.save_trace(str(path))
    qtbot.waitUntil(path.exists)
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    first = searched.session.active.result
    searched.session.active.player.load(None, None)
    searched.controller.open(str(path))
    qtbot.waitUntil(lambda: searched.session.active.player.trace is not None)
    again = searched.session.active.result
    assert first is not None and again is not None and again is not first
    assert (again.source, again.steps) == (first.source, first.steps)
    assert searched.session.clock.playing


def test_files_are_taken_by_drag_and_drop(window: Window, qtbot: QtBot, grid_file: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(grid_file))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(400, 300), Qt.DropAction.CopyAction, mime, buttons, keys))
    qtbot.waitUntil(lambda: window.session.active.network is not None)


def test_a_source_is_found_by_its_id_and_a_wrong_one_is_explained(searched: Window, qtbot: QtBot) -> None:
    searched.actions_by_name["search.source"].trigger()
    box = searched.host.control(Finder).box
    assert box.isVisible()
    for typed, problem in (("seven", "Nothing found"), ("7", "no node 7")):
        box.line.setText(typed)
        QTest.keyClick(box.line, Qt.Key.Key_Return)
        assert problem in box.said.text() and box.isVisible()
    box.line.setText("142")
    QTest.keyClick(box.line, Qt.Key.Key_Return)
    assert not box.isVisible()
    assert searched.session.active.source == 42


def test_palette_finds_and_runs_commands(searched: Window, qtbot: QtBot) -> None:
    words = CommandWords(searched.commands)
    assert [c.name for _, c in words.find("zoom")] == ["view.zoom_in", "view.zoom_out"]
    assert words.find("far")[0][1].name == "search.farthest"
    found = [c.name for _, c in words.find("Iso")[:2]]
    assert sorted(found) == ["search.isochrones", "view.isochrones"], "and no other that has it inside"
    searched.actions_by_name["help.palette"].trigger()
    box = searched.host.control(Finder).box
    assert len(box.rows) == sum(action.isEnabled() for action in searched.actions_by_name.values())
    box.line.setText("> route farth")
    assert [row.what.name for row in box.rows] == ["search.farthest"]
    QTest.keyClick(box.line, Qt.Key.Key_Return)
    assert searched.session.active.target == there(searched.session.active.result).farthest


def test_every_command_has_a_handler_and_no_key_is_taken_twice(window: Window) -> None:
    assert list(window.actions_by_name) == [c.name for c in window.commands]
    keys = [key for command in window.commands for key in command.keys]
    assert len(keys) == len(set(keys))


def test_space_presses_a_focused_button_instead_of_playing(searched: Window, qtbot: QtBot) -> None:
    application = there(QApplication.instance())
    keys = FieldsKeepTheirKeys()
    application.installEventFilter(keys)
    searched.panels.show("time", True)
    clear = next(b for b in searched.panels.panel(TimingPanel).findChildren(QPushButton) if b.text() == "Clear")
    clear.setFocus()
    QTest.keyClick(clear, Qt.Key.Key_Space)
    application.removeEventFilter(keys)
    assert searched.session.timings == []
    assert not searched.session.clock.playing


def test_timings_are_listed_removed_and_cleared(searched: Window, qtbot: QtBot) -> None:
    searched.controller.run()
    qtbot.waitUntil(lambda: len(searched.session.timings) == 2)
    searched.panels.show("time", True)
    panel = searched.panels.panel(TimingPanel)
    assert panel.model.rowCount() == 2
    panel.list.setCurrentIndex(panel.model.index(0))
    panel.list.setFocus()
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    assert panel.model.rowCount() == 1
    searched.grab()


def test_both_themes_colour_everything_and_are_remembered(window: Window, settings: Settings) -> None:
    for name, light in (("light", True), ("dark", False)):
        window.appearance.choose_theme(name)
        assert (window.palette().window().color().lightness() > 128) == light
        assert (window.grab().toImage().pixelColor(5, 400).lightness() > 128) == light
        assert settings.theme == name
        assert window.map.map_scene.style.theme_name == name


def test_the_window_comes_back_as_it_was(window: Window, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wayfront_gui.app.remembering.usable_cores", lambda: 2)
    window.resize(798, 700)  # the offscreen screen is 800 pixels wide, and a window comes back within its screen
    window.session.clock.set_speed(2.0)
    window.session.active.choose_threads(2)
    window.appearance.choose_colour_map("dusk")
    window.close()
    again = make_window(settings)
    found = (again.width(), again.height(), again.session.clock.speed, again.map.map_scene.style.colour_map)
    assert again.session.active.threads == 2
    again.close()
    assert found == (798, 700, 2.0, "dusk")


def _says(window: Window, message: str) -> bool:
    return window.status.message == message


def test_saving_the_picture_and_the_timings(
    searched: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PySide6.QtWidgets import QFileDialog

    answers = {
        "map.png": ("PNG picture (*.png)", "file.picture"),
        "times.csv": ("CSV table (*.csv)", "file.timings"),
        "times.png": ("PNG picture (*.png)", "file.timings"),
        "times.svg": ("SVG drawing (*.svg)", "file.timings"),
        "times.md": ("Markdown table (*.md)", "file.timings"),
    }
    for name, (kind, action) in answers.items():
        chosen = (str(tmp_path / name), kind)
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, chosen=chosen: chosen)
        searched.actions_by_name[action].trigger()
        for dialog in searched.findChildren(ExportDialog):
            dialog.save.click()
        qtbot.waitUntil(partial(_says, searched, f"Saved {tmp_path / name}"))
        assert (tmp_path / name).stat().st_size > 100


def test_closing_during_a_search_ends_it(window: Window, qtbot: QtBot, grid_file: Path) -> None:
    window.controller.open(str(grid_file))
    qtbot.waitUntil(lambda: window.session.active.network is not None)
    window.close()
    assert not window.controller.worker.busy
    assert join_left(), "the engine thread has ended"


def test_at_first_the_search_is_network_metric_algorithm_and_run(searched: Window) -> None:
    panel = searched.panels.panel(SearchPanel)
    used = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit)
    shown = [each for kind in used for each in panel.findChildren(kind) if each.isVisible()]
    names = [each.accessibleName() or getattr(each, "text", lambda: "")() for each in shown]
    assert sorted(names) == ["", "", "Run"], "the rest folds"
    searched.panels.side.rest.set_open(True)
    assert panel.algorithm.more.header.isVisible() and panel.network.about.header.isVisible()
    boxes = [panel.network.metrics, panel.algorithm.algorithm]
    assert [each for each in shown if isinstance(each, QComboBox)] == boxes
    texts = [each.text() for each in panel.findChildren(QLabel) if each.isVisible()]
    said = panel.algorithm.automatic.text()
    assert texts == ["Grid", "Metric", "Algorithm", said] and said.startswith("Automatic: Dijkstra, bucket queue · CPU")
