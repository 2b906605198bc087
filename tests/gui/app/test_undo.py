"""Undo and redo of what a person chose, and Esc, which takes nothing away at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid, make_result

from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import SearchCancelled
from wayfront_gui.app import menu_search as search_commands
from wayfront_gui.app import undo as undo_module
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.jobs import Report, SearchJob
from wayfront_gui.app.undo import Undo
from wayfront_gui.app.window import Window
from wayfront_gui.features.race.state import Race
from wayfront_gui.session.choice import Choice
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.session.shown import Shown, bytes_of, let_go

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def chosen(window: Window, grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    """The window with the grid, whose searches are asked for but never run."""
    monkeypatch.setattr(Worker, "submit", lambda *_, **__: 0)
    window.session.active.open(grid)
    window.session.active.choose_source(30)
    window.controller.files.opened.emit("grid")
    yield window


def undo(window: Window) -> None:
    QTest.keyClick(window.map, Qt.Key.Key_Z, CTRL)


def redo(window: Window) -> None:
    QTest.keyClick(window.map, Qt.Key.Key_Z, CTRL | SHIFT)


def test_each_choice_is_undone_and_redone_by_itself(chosen: Window) -> None:
    slot = chosen.session.active
    chosen.map.source_moved.emit(17, True)
    chosen.map.target_chosen.emit(60)
    slot.closures.close(as_arcs([3, 4]))
    slot.choose_algorithm("near-far")
    slot.set_option("delta", 70)
    chosen.actions_by_name["view.theme_light"].trigger()
    chosen.actions_by_name["view.dusk"].trigger()
    states: list[tuple[object, ...]] = [_state(chosen)]
    while chosen.actions_by_name["edit.undo"].isEnabled():
        undo(chosen)
        states.append(_state(chosen))
    assert len(states) == 8
    assert states[-1] == (30, None, 0, "auto", None, "auto", "dawn")
    assert states[0] == (17, 60, 2, "near-far", 70, "light", "dusk")
    back: list[tuple[object, ...]] = [states[-1]]
    while chosen.actions_by_name["edit.redo"].isEnabled():
        redo(chosen)
        back.append(_state(chosen))
    assert back == states[::-1]


def _state(window: Window) -> tuple[object, ...]:
    slot = window.session.active
    delta = slot.options().get("delta") if slot.algorithm == "near-far" else None
    delta = None if delta == "auto" else delta
    colours = window.appearance.choice, window.appearance.colour_map
    return (slot.source, slot.target, len(slot.closures.arcs), slot.algorithm, delta, *colours)


def test_a_drag_of_the_source_is_one_change(chosen: Window) -> None:
    view = chosen.map
    view._press = object()  # type: ignore[assignment]
    for node in (31, 32, 33):
        view.source_moved.emit(node, False)
    view._press = None
    view.source_moved.emit(33, True)
    assert chosen.session.active.source == 33
    undo(chosen)
    assert chosen.session.active.source == 30
    assert not chosen.actions_by_name["edit.undo"].isEnabled()


@pytest.fixture
def searched(window: Window, qtbot: QtBot, grid_file: Path) -> Window:
    """The window after its first search of the grid, at the fourth step of its replay."""
    window.controller.open(str(grid_file))
    qtbot.waitUntil(lambda: bool(window.session.timings))
    stand_at(window, 3.0)
    return window


def stand_at(window: Window, step: float) -> None:
    window.session.clock.pause()
    window.session.active.player.seek(step)


def search_from(window: Window, qtbot: QtBot, node: int) -> None:
    before = window.session.active.result
    window.map.source_moved.emit(node, True)
    slot, worker = window.session.active, window.controller.worker
    qtbot.waitUntil(lambda: slot.result is not before and slot.player.trace is not None and not worker.busy)


def test_undoing_a_source_brings_back_its_replay_where_it_stood(searched: Window, qtbot: QtBot) -> None:
    slot = searched.session.active
    first, source = slot.result, slot.source
    search_from(searched, qtbot, 17)
    second = slot.result
    stand_at(searched, 5.0)
    searched.controller.show_tree(True)
    undo(searched)
    assert (slot.source, slot.result, slot.player.position, slot.tree_shown) == (source, first, 3.0, False)
    assert slot.player.trace is not None and not searched.session.clock.playing and not searched.controller.worker.busy
    slot.player.seek(4.0)
    redo(searched)
    assert (slot.source, slot.result, slot.player.position, slot.tree_shown) == (17, second, 5.0, True)
    undo(searched)
    assert (slot.result, slot.player.position) == (first, 4.0), "where it stood when it was left last"


def test_a_drag_is_undone_with_the_replay_before_it(searched: Window, qtbot: QtBot) -> None:
    slot, view = searched.session.active, searched.map
    first, source = slot.result, slot.source
    view._press = object()  # type: ignore[assignment]
    for node in (31, 32, 33):
        view.source_moved.emit(node, False)
        qtbot.waitUntil(lambda node=node: slot.dragged is not None and slot.dragged.source == node)  # type: ignore[misc]
    view._press = None
    view.source_moved.emit(33, True)
    undo(searched)
    assert (slot.source, slot.result, slot.player.position, slot.dragged) == (source, first, 3.0, None)
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    qtbot.wait(100)
    assert slot.result is first, "the search after the drag is stopped"
    redo(searched)
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 33 and slot.player.trace is not None)


def test_closed_roads_and_another_metric_are_undone_with_their_replays(searched: Window, qtbot: QtBot) -> None:
    slot, worker = searched.session.active, searched.controller.worker
    first = slot.result
    slot.closures.close(as_arcs([3, 4]))
    qtbot.waitUntil(lambda: slot.result is not first and not worker.busy)
    closed = slot.result
    slot.choose_metric("travel time")
    searched.controller.run()
    qtbot.waitUntil(lambda: slot.player.trace is not None and not worker.busy)
    timed, seen = slot.result, []
    assert timed is not None and timed.metric.name == "travel time"
    for step in (undo, undo, redo, redo):
        step(searched)
        seen.append((slot.result, slot.metric_name, len(slot.closures.arcs), slot.player.trace is not None))
    assert seen == [
        (closed, "length", 2, False),
        (first, "length", 0, True),
        (closed, "length", 2, False),
        (timed, "travel time", 2, True),
    ]


def test_what_was_let_go_is_searched_again_and_stands_where_it_stood(
    searched: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo_module, "KEPT_BYTES", 0)
    slot = searched.session.active
    first, source = slot.result, slot.source
    search_from(searched, qtbot, 17)
    undo(searched)
    assert slot.source == source
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == source)
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    assert first is not None and slot.result is not None and slot.result is not first
    assert (slot.result.distances == first.distances).all()
    assert slot.player.position == 3.0 and slot.player.trace is not None and not searched.session.clock.playing


def test_only_so_much_of_what_was_found_is_kept_nearest_changes_first(grid: RoadNetwork) -> None:
    results = [make_result(grid, node) for node in (30, 31, 32)]
    kept = [Shown(Choice(source=each.source), each, None, 0.0, False, recorded=True) for each in results]
    let_go(kept, 2 * bytes_of(results[0]) + bytes_of(results[1]) // 2)
    assert [each.found is not None for each in kept] == [True, True, False]
    again = [Shown(each.choice, results[0], None, 0.0, False, recorded=True) for each in kept]
    let_go(again, bytes_of(results[0]))
    assert all(each.found for each in again), "the same result takes its memory once"


def test_undo_stops_a_search_and_shows_again_what_was_there(
    searched: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    slot = searched.session.active
    first = slot.result
    begun, ends = Event(), Event()

    def run(_job: SearchJob, report: Report) -> None:
        begun.set()
        while not report.cancel.wait(0.01):
            pass
        ends.set()
        raise SearchCancelled("stopped")

    monkeypatch.setattr(SearchJob, "run", run)
    searched.map.source_moved.emit(17, True)
    qtbot.waitUntil(begun.is_set)
    undo(searched)
    assert (slot.result, slot.player.position) == (first, 3.0)
    qtbot.waitUntil(ends.is_set)
    begun.clear()
    redo(searched)
    qtbot.waitUntil(begun.is_set)
    assert slot.source == 17, "what was still searched is searched again"
    searched.controller.cancel()


def test_a_race_is_undone_in_all_its_slots(searched: Window, qtbot: QtBot) -> None:
    session, worker = searched.session, searched.controller.worker
    added = session.state(Race).add("bellman-ford")
    assert added is not None
    searched.controller.run()
    qtbot.waitUntil(lambda: all(slot.result is not None and slot.result.timing.runs_ms for slot in session.slots))
    stand_at(searched, 2.0)
    before = [(slot.source, slot.result, slot.player.position) for slot in session.slots]
    searched.map.source_moved.emit(17, True)
    qtbot.waitUntil(lambda: all(slot.result is not None and slot.result.source == 17 for slot in session.slots))
    qtbot.waitUntil(lambda: not worker.busy)
    undo(searched)
    assert [(slot.source, slot.result, slot.player.position) for slot in session.slots] == before
    assert not searched.actions_by_name["edit.undo"].isEnabled(), "one change for all slots"
    redo(searched)
    assert [slot.source for slot in session.slots] == [17, 17]
    assert all(slot.result is not None and slot.result.source == 17 for slot in session.slots)
    session.activate(added)
    undo(searched)
    assert [slot.source for slot in session.slots] == [before[0][0]] * 2, "another active slot is no change"


def test_another_network_has_nothing_to_undo(chosen: Window, qtbot: QtBot) -> None:
    chosen.map.source_moved.emit(17, True)
    chosen.session.active.network_changed()
    chosen.controller.files.opened.emit("another")
    chosen.session.active.open(make_grid(name="Another"))
    kept = chosen.host.control(Undo)._history
    assert not kept.before and not kept.after, "nothing found on the network that is closed is kept"
    assert not chosen.actions_by_name["edit.undo"].isEnabled()


def test_escape_clears_the_route_only_the_second_time_in_a_row(
    chosen: Window, grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    slot, now = chosen.session.active, [100.0]
    monkeypatch.setattr(search_commands, "time", SimpleNamespace(monotonic=lambda: now[0]))
    slot.show(make_result(grid, 30))
    chosen.map.target_chosen.emit(60)
    for later in (0.0, 60.0):
        now[0] += later
        QTest.keyClick(chosen.map, Qt.Key.Key_Escape)
        assert slot.target == 60
        assert chosen.status.message == "Esc again clears the route."
    QTest.keyClick(chosen.map, Qt.Key.Key_Escape)
    assert slot.target is None
    undo(chosen)
    assert slot.target == 60
