"""Undo and redo of what a person chose, and Esc, which takes nothing away at once."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app import menu_search as search_commands
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.window import Window
from wayfront_gui.session.closures import as_arcs

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


def test_undoing_a_source_shows_the_tree_that_was_found_from_it(chosen: Window, grid: RoadNetwork) -> None:
    session, slot = chosen.session, chosen.session.active
    first = make_result(grid, 30, runs_ms=(1.0,))
    slot.show(first)
    session.add_timing(slot, first)
    chosen.map.source_moved.emit(17, True)
    slot.show(make_result(grid, 17))
    undo(chosen)
    assert slot.result is first and slot.tree_shown


def test_another_network_has_nothing_to_undo(chosen: Window, qtbot: QtBot) -> None:
    chosen.map.source_moved.emit(17, True)
    chosen.session.active.network_changed()
    chosen.controller.files.opened.emit("another")
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
