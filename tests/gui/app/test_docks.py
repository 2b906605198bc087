"""The table of docks: one row gives a dock, its command in the View menu with its keys, and a place in the layout."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QLabel, QMenu
from pytestqt.qtbot import QtBot

import wayfront
from documents import DOCS, blocks
from wayfront_gui import features
from wayfront_gui.app.docks import all_docks
from wayfront_gui.app.feature import all_features
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.features.explanation.panel import ExplanationPanel

TOY = """
from PySide6.QtWidgets import QLabel

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Feature, side_dock
from wayfront_gui.session.state import SlotState


class Played(SlotState):
    times = 0

    def about(self, node):
        return f"played {self.times} times"


class Player:
    def __init__(self, host):
        self.host = host

    @command("view.play", "Pl&ay", keys=("Ctrl+Alt+Y",), at=(90, 1))
    def play(self):
        self.host.session.active.state(Played).times += 1


FEATURE = Feature(
    "toy",
    controls=(Player,),
    states=(Played,),
    docks=(side_dock("toy", "Toy", lambda host: QLabel("a toy"), "To&y panel", "Plays", at=200, keys=("Y",)),),
)
"""


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
    assert len(window.findChildren(QDockWidget)) == len(all_docks())
    for row in all_docks():
        if row.name == "replay":  # it never goes altogether: test_small_screens.py
            continue
        dock, action = dock_of(window, row.title), window.actions_by_name[f"view.{row.name}"]
        assert window.dockWidgetArea(dock) == row.area
        assert dock.isVisible() == action.isChecked() == row.shown
        action.trigger()
        assert dock.isVisible() == action.isChecked() == (not row.shown)
        action.trigger()
        assert dock.isVisible() == action.isChecked() == row.shown


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One more folder among the features, with a panel, a command and something that it keeps for a slot."""
    (tmp_path / "toy").mkdir()
    for name, text in (("__init__.py", ""), ("feature.py", TOY)):
        (tmp_path / "toy" / name).write_text(text)
    monkeypatch.setattr(features, "__path__", [*features.__path__, str(tmp_path)])
    for cached in (all_features, all_docks):
        cached.cache_clear()
    yield
    for cached in (all_features, all_docks):
        cached.cache_clear()
    for name in [name for name in sys.modules if name.startswith("wayfront_gui.features.toy")]:
        del sys.modules[name]


@pytest.mark.usefixtures("toy")
def test_a_new_folder_is_all_that_a_new_subject_needs(open_window: Callable[[], Window]) -> None:
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
    window.actions_by_name["view.play"].trigger()
    assert [state.about(0) for state in window.session.active.states][-1] == "played 1 times"
    play = window.actions_by_name["view.play"]
    assert any(play in menu.actions() for menu in window.menuBar().findChildren(QMenu)), "a menu lists its command"
    window.close()
    again = open_window()
    assert dock_of(again, "Toy").isVisible(), "the layout remembers it"


def test_the_layout_remembers_what_was_hidden(open_window: Callable[[], Window]) -> None:
    window = open_window()
    window.actions_by_name["view.time"].trigger()
    window.close()
    again = open_window()
    shown = {row.name: dock_of(again, row.title).isVisible() for row in all_docks()}
    assert shown == {row.name: row.shown and row.name != "time" for row in all_docks()}
    assert shown["replay"]
    assert not again.actions_by_name["view.time"].isChecked()


def test_a_panel_that_no_dock_has_is_not_found(open_window: Callable[[], Window]) -> None:
    window = open_window()
    assert isinstance(window.docks.panel(ExplanationPanel), ExplanationPanel)
    with pytest.raises(LookupError, match="Absent"):
        window.docks.panel(Absent)


class Absent(QLabel):
    """No dock shows one."""


PAGE = DOCS / "development" / "adding-a-panel.md"


@pytest.fixture
def window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings, qtbot: QtBot) -> Iterator[Window]:
    """A window over the program with the page's folder in it."""
    folder = tmp_path / "reached"
    folder.mkdir()
    panel, feature = blocks(PAGE, "python")
    for name, text in (("__init__.py", ""), ("panel.py", panel), ("feature.py", feature)):
        (folder / name).write_text(text)
    monkeypatch.setattr(features, "__path__", [*features.__path__, str(tmp_path)])
    for cached in (all_features, all_docks):
        cached.cache_clear()
    made = make_window(settings)
    yield made
    made.close()
    for cached in (all_features, all_docks):
        cached.cache_clear()
    for name in [name for name in sys.modules if name.startswith("wayfront_gui.features.reached")]:
        del sys.modules[name]


def test_the_subject_of_the_page_shows_the_result(window: Window, data: Path) -> None:
    panel: Any = next(each for each in window.docks.panels() if type(each).__name__ == "ReachedPanel")
    assert panel.count.text() == "No search yet"
    network = wayfront.open_network(data / "tiny-d.gr", cache=False)
    window.session.active.open(network)
    window.session.active.show(wayfront.search(network, 0, "dijkstra", device="cpu", runs=0))
    assert panel.count.text().endswith("nodes reached")
    window.actions_by_name["search.reached"].trigger()
    assert window.status.message == panel.count.text()
    assert not window.actions_by_name["view.reached"].isChecked(), "it is hidden at first"
