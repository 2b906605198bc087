"""Activities and their panels: one declaration gives a panel, its command with its keys, and a place in the layout."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

import wayfront
from documents import DOCS, blocks
from there import there
from wayfront_gui import features
from wayfront_gui.app.commands import ACTIVITIES, MENUS, MOST_ENTRIES, PALETTE
from wayfront_gui.app.feature import all_features
from wayfront_gui.app.panels import SIDE_WIDTH, all_sections
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.features.explanation.panel import ExplanationPanel, page
from wayfront_gui.features.timing.panel import TimingPanel
from wayfront_gui.ui.theme import LIGHT

TOY = """
from PySide6.QtWidgets import QLabel

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Feature, Section
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
    sections=(
        Section("toy", "Toy", lambda host: QLabel("a toy"), "Plays", 200, ("compare",), keys=("Ctrl+Alt+U",)),
    ),
)
"""


@pytest.fixture
def open_window(qtbot: QtBot, settings: Settings) -> Iterator[Callable[[], Window]]:
    opened: list[Window] = []

    def make() -> Window:
        window = make_window(settings)
        window.show()
        window.resize(1920, 1000)  # where every panel has room
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        opened.append(window)
        return window

    yield make
    for window in opened:
        window.close()
        window.deleteLater()


def seen(window: Window) -> set[str]:
    """Return the names of the sections whose panel is seen."""
    return {row.name for row in all_sections() if window.panels.content(row.name).isVisible()}


def at_first(activity: str) -> set[str]:
    return {row.name for row in all_sections() if activity in row.opened or (row.always and activity in row.activities)}


@pytest.mark.parametrize("activity", ACTIVITIES)
def test_every_activity_shows_its_panels_and_has_its_menu(open_window: Callable[[], Window], activity: str) -> None:
    window = open_window()
    assert seen(window) == at_first("explore")
    if activity != "explore":
        QTest.mouseClick(window.panels.bar.buttons[activity], Qt.MouseButton.LeftButton)
    assert seen(window) == at_first(activity) and window.panels.bar.buttons[activity].isChecked()
    titles = [action.text() for action in window.menuBar().actions() if action.isVisible()]
    own = {name: MENUS[name].title for name in ACTIVITIES}
    assert [title for title in titles if title in own.values()] == [own[activity]]


def test_every_section_has_a_command_that_shows_and_hides_it(open_window: Callable[[], Window]) -> None:
    window = open_window()
    for row in all_sections():
        if row.always:
            continue
        action = window.actions_by_name[f"view.{row.name}"]
        window.panels.show(row.name, False)
        assert row.name not in seen(window) and not action.isChecked()
        action.trigger()
        assert row.name in seen(window) and action.isChecked(), row.name
        assert not row.activities or window.panels.activity in row.activities, "it is shown where it belongs"
        action.trigger()
        assert row.name not in seen(window) and not action.isChecked()


def test_the_chosen_activity_hides_its_column_and_shows_it_again(open_window: Callable[[], Window]) -> None:
    window = open_window()
    button = window.panels.bar.buttons["explore"]
    for shown in (False, True):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert window.panels.side.isVisible() == shown and button.isChecked()


def test_panels_that_nobody_has_opened_are_one_line_until_it_is_clicked(open_window: Callable[[], Window]) -> None:
    window = open_window()
    side = window.panels.side
    assert side.rest.isVisible() and not side.folds["closures"].isVisible()
    assert "Closed roads" in side.rest.header.accessibleName()
    QTest.mouseClick(side.rest.header, Qt.MouseButton.LeftButton)
    assert not side.rest.isVisible() and side.folds["closures"].isVisible()
    QTest.mouseClick(side.folds["closures"].header, Qt.MouseButton.LeftButton)
    assert window.panels.content("closures").isVisible()
    tools = window.central.tools
    QApplication.processEvents()
    assert tools.widgetForAction(window.actions_by_name["roads.close"]).isVisible(), "its tools are above the map"
    QTest.mouseClick(side.folds["closures"].header, Qt.MouseButton.LeftButton)
    assert window.actions_by_name["roads.close"] not in tools.actions()


def test_panels_are_made_when_they_are_shown_for_the_first_time(open_window: Callable[[], Window]) -> None:
    window = open_window()
    assert window.findChild(TimingPanel) is None and window.findChild(ExplanationPanel) is None
    window.actions_by_name["view.theme_light"].trigger()
    window.actions_by_name["activity.teach"].trigger()
    panel = window.findChild(ExplanationPanel)
    assert panel is not None and panel.isVisible()
    window.session.active.choose_algorithm("dijkstra")
    assert panel.rest.text() == page(there(panel.explanation), LIGHT), "it has the theme of now"


def test_no_menu_has_more_entries_than_one_reads_at_a_glance(open_window: Callable[[], Window]) -> None:
    window = open_window()
    for menu in window.menuBar().findChildren(QMenu):
        entries = [action for action in menu.actions() if not action.isSeparator()]
        assert len(entries) <= MOST_ENTRIES, menu.title()
    listed = {action for menu in window.menuBar().findChildren(QMenu) for action in menu.actions()}
    unlisted = {name for name, action in window.actions_by_name.items() if action not in listed}
    assert unlisted == {command.name for command in window.commands if command.menu == PALETTE}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One more folder among the features, with a panel, a command and something that it keeps for a slot."""
    (tmp_path / "toy").mkdir()
    for name, text in (("__init__.py", ""), ("feature.py", TOY)):
        (tmp_path / "toy" / name).write_text(text)
    monkeypatch.setattr(features, "__path__", [*features.__path__, str(tmp_path)])
    for cached in (all_features, all_sections):
        cached.cache_clear()
    yield
    for cached in (all_features, all_sections):
        cached.cache_clear()
    for name in [name for name in sys.modules if name.startswith("wayfront_gui.features.toy")]:
        del sys.modules[name]


@pytest.mark.usefixtures("toy")
def test_a_new_folder_is_all_that_a_new_subject_needs(open_window: Callable[[], Window]) -> None:
    window = open_window()
    action = window.actions_by_name["view.toy"]
    assert "toy" not in seen(window) and not action.isChecked(), "it is closed at first"
    QTest.keyClick(window, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    assert "toy" in seen(window) and action.isChecked() and window.panels.activity == "compare"
    window.actions_by_name["view.panels"].trigger()
    assert "toy" not in seen(window)
    window.actions_by_name["view.panels"].trigger()
    assert "toy" in seen(window)
    play = window.actions_by_name["view.play"]
    play.trigger()
    assert [state.about(0) for state in window.session.active.states][-1] == "played 1 times"
    assert any(play in menu.actions() for menu in window.menuBar().findChildren(QMenu)), "a menu lists its command"
    window.close()
    again = open_window()
    assert "toy" in seen(again), "the layout remembers it"


def test_the_layout_remembers_activity_panels_and_widths(open_window: Callable[[], Window]) -> None:
    window = open_window()
    window.actions_by_name["activity.compare"].trigger()
    window.actions_by_name["view.time"].trigger()
    window.actions_by_name["view.log"].trigger()
    QApplication.processEvents()
    handle = window.panels.split.handle(1)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton)
    QTest.mouseMove(handle, handle.rect().center() + QPoint(60, 0))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=handle.rect().center() + QPoint(60, 0))
    wide, shown = window.panels.side.width(), seen(window)
    assert wide > SIDE_WIDTH and shown == at_first("compare") - {"time"} | {"log"}
    window.close()
    again = open_window()
    assert again.panels.activity == "compare" and seen(again) == shown
    assert abs(again.panels.side.width() - wide) <= 2


@pytest.mark.parametrize(
    "stored",
    ["", "[]", '{"activity": "dance", "explore": ["nothing"], "side": 9}', '{"explore": 3}', "{" * 99, b"\0\1"],
)
def test_a_stored_layout_that_nobody_can_use_shows_the_first_one(
    open_window: Callable[[], Window], settings: Settings, stored: str | bytes
) -> None:
    settings.store.setValue("window/panels", stored)
    window = open_window()
    assert window.panels.activity == "explore" and window.panels.side.isVisible()
    assert "search" in seen(window) and seen(window) <= at_first("explore")


def test_a_panel_that_no_section_has_is_not_found(open_window: Callable[[], Window]) -> None:
    window = open_window()
    assert isinstance(window.panels.panel(ExplanationPanel), ExplanationPanel)
    with pytest.raises(LookupError, match="Absent"):
        window.panels.panel(Absent)


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
    for cached in (all_features, all_sections):
        cached.cache_clear()
    made = make_window(settings)
    yield made
    made.close()
    for cached in (all_features, all_sections):
        cached.cache_clear()
    for name in [name for name in sys.modules if name.startswith("wayfront_gui.features.reached")]:
        del sys.modules[name]


def test_the_subject_of_the_page_shows_the_result(window: Window, data: Path) -> None:
    panel: Any = next(each for each in window.panels.panels() if type(each).__name__ == "ReachedPanel")
    assert panel.count.text() == "No search yet"
    network = wayfront.open_network(data / "tiny-d.gr", cache=False)
    window.session.active.open(network)
    window.session.active.show(wayfront.search(network, 0, "dijkstra", device="cpu", runs=0))
    assert panel.count.text().endswith("nodes reached")
    window.actions_by_name["search.reached"].trigger()
    assert window.status.message == panel.count.text()
    assert not window.actions_by_name["view.reached"].isChecked(), "it is hidden at first"
