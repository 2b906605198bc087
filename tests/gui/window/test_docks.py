"""The table of docks: one row gives a dock, its command in the View menu with its keys, and a place in the layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QLabel
from pytestqt.qtbot import QtBot

from wayfront_gui.panels.explanation import ExplanationPanel
from wayfront_gui.window import dock_table, docks
from wayfront_gui.window.app import make_window
from wayfront_gui.window.dock_table import DOCKS, Dock
from wayfront_gui.window.settings import Settings
from wayfront_gui.window.window import Window

TOY = Dock("toy", "Toy", dock_table.RIGHT, lambda _context: QLabel("a toy"), "To&y panel", "Plays", ("Y",), shown=False)


@pytest.fixture
def open_window(qtbot: QtBot, settings: Settings) -> Iterator[Callable[[], Window]]:
    opened: list[Window] = []

    def make() -> Window:
        window = make_window(settings)
        window.show()
        window.resize(1920, 1000)  # where every dock has room
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        opened.append(window)
        return window

    yield make
    for window in opened:
        window.close()
        window.deleteLater()


def dock_of(window: Window, title: str) -> QDockWidget:
    dock = window.findChild(QDockWidget, f"dock {title}")
    assert dock is not None
    return dock


def test_every_row_is_a_dock_with_a_command_in_the_view_menu(open_window: Callable[[], Window]) -> None:
    window = open_window()
    assert len(window.findChildren(QDockWidget)) == len(DOCKS)
    for row in DOCKS:
        if row.name == "replay":  # it never goes altogether: test_small_screens.py
            continue
        dock, action = dock_of(window, row.title), window.actions_by_name[f"view.{row.name}"]
        assert window.dockWidgetArea(dock) == row.area
        assert dock.isVisible() == action.isChecked() == row.shown
        action.trigger()
        assert dock.isVisible() == action.isChecked() == (not row.shown)
        action.trigger()
        assert dock.isVisible() == action.isChecked() == row.shown


def test_a_new_row_is_all_that_a_new_panel_needs(
    open_window: Callable[[], Window], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (dock_table, docks):
        monkeypatch.setattr(module, "DOCKS", (*DOCKS, TOY))
    window = open_window()
    dock, action = dock_of(window, "Toy"), window.actions_by_name["view.toy"]
    assert not dock.isVisible() and not action.isChecked(), "a row may be hidden at first"
    assert window.docks.panel(QLabel) is not None
    QTest.keyClick(window, Qt.Key.Key_Y)
    assert dock.isVisible() and action.isChecked()
    window.actions_by_name["view.panels"].trigger()
    assert not dock.isVisible() and not action.isChecked()
    window.actions_by_name["view.panels"].trigger()
    assert dock.isVisible() and action.isChecked()
    window.close()
    again = open_window()
    assert dock_of(again, "Toy").isVisible(), "the layout remembers it"


def test_the_layout_remembers_what_was_hidden(open_window: Callable[[], Window]) -> None:
    window = open_window()
    window.actions_by_name["view.time"].trigger()
    window.close()
    again = open_window()
    shown = {row.name: dock_of(again, row.title).isVisible() for row in DOCKS}
    assert shown == {row.name: row.shown and row.name != "time" for row in DOCKS}
    assert shown["replay"]
    assert not again.actions_by_name["view.time"].isChecked()


def test_a_panel_that_no_dock_has_is_not_found(open_window: Callable[[], Window]) -> None:
    window = open_window()
    assert isinstance(window.docks.panel(ExplanationPanel), ExplanationPanel)
    with pytest.raises(LookupError, match="Absent"):
        window.docks.panel(Absent)


class Absent(QLabel):
    """No dock shows one."""
