"""Keys: in no menu, dialog or system does one letter or shortcut stand for two things, in any language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QFileDialog,
    QLabel,
    QMenu,
    QTabBar,
    QWidget,
)
from tests.gui.app.test_every_control import show_search

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.commands import MAC, WINDOWS, for_platform
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.window import ON_CPU, Window, all_commands
from wayfront_gui.features.drawing.control import TAKE_BACK
from wayfront_gui.features.export import page_dialog
from wayfront_gui.features.page import document
from wayfront_gui.ui import translation
from wayfront_gui.ui.translation import LANGUAGES, translated


@pytest.fixture(params=list(LANGUAGES))
def _language(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Speak one language, and compute nothing."""
    monkeypatch.setattr(Worker, "submit", lambda *_1, **_2: 0)
    for name in ("getSaveFileName", "getOpenFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_: ("", ""))
    translation.use_language(request.param)
    yield
    translation.use(None)


@pytest.fixture
def speaking(_language: None, window: Window) -> Window:
    return window


def twice(texts: list[str]) -> dict[str, list[str]]:
    """Return the keys that several texts have, each with these."""
    keys = {text: QKeySequence.mnemonic(text).toString() for text in texts}
    counted = Counter(keys[text] for text in texts if keys[text])
    return {key: [text for text in texts if keys[text] == key] for key, count in counted.items() if count > 1}


def texts_in(top: QWidget) -> list[str]:
    """Return the texts of a dialog that may hold the mark of a key."""
    texts = [button.text() for button in top.findChildren(QAbstractButton)]
    texts += [label.text() for label in top.findChildren(QLabel) if label.buddy() is not None]
    return texts + [bar.tabText(index) for bar in top.findChildren(QTabBar) for index in range(bar.count())]


def test_two_texts_with_one_key_are_found() -> None:
    assert twice(["&Open", "Cl&ose", "&Save", "保存(&S)", "A && B"]) == {
        "Alt+O": ["&Open", "Cl&ose"],
        "Alt+S": ["&Save", "保存(&S)"],
    }


def test_every_entry_of_a_menu_has_a_key_of_its_own(speaking: Window, tmp_path: Path) -> None:
    speaking.settings.remember_file(str(tmp_path / "a & b.gr"))
    menus = speaking.menuBar().findChildren(QMenu)
    assert len(menus) >= 12
    for menu in menus:
        menu.aboutToShow.emit()  # some are filled then
        texts = [action.text() for action in menu.actions()]
        assert twice(texts) == {}, menu.title()
    with_key = [action for menu in menus for action in menu.actions() if QKeySequence.mnemonic(action.text())]
    assert len(with_key) > 100


def test_menu_bar_and_messages_in_the_window_share_no_key(speaking: Window) -> None:
    bar = [action.text() for action in speaking.menuBar().actions()]
    buttons = [text for text in texts_in(speaking) if QKeySequence.mnemonic(text)]
    assert all(QKeySequence.mnemonic(text) for text in bar)
    assert twice([*bar, *buttons]) == {}
    for offered in (ON_CPU, TAKE_BACK):  # one at a time, over the map
        assert twice([*bar, translated(offered)]) == {}


def test_every_button_of_a_dialog_has_a_key_of_its_own(
    speaking: Window, grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (document, page_dialog):  # which a checkout has built only where somebody did
        monkeypatch.setattr(module, "bundle", lambda: ("show()", "main {}"))
    show_search(speaking, grid)
    seen = 0
    for command in speaking.commands:
        if command.text.endswith("…") or command.name in ("help.about", "help.keyboard"):
            speaking.actions_by_name[command.name].trigger()
            QApplication.processEvents()
            for dialog in speaking.findChildren(QDialog):
                seen += 1
                assert twice(texts_in(dialog)) == {}, command.name
                dialog.close()
                dialog.deleteLater()
    assert seen >= 8


TAKEN = {
    "darwin": {"Ctrl+Tab", "Ctrl+H", "Ctrl+M", "Ctrl+Space", "F11", "F12", "Ctrl+Shift+3", "Ctrl+Shift+4"},
    "win32": {"Alt+F4", "Alt+Tab", "Ctrl+Esc", "Ctrl+Shift+Esc", "F10"},
    "linux": {"Alt+F4", "Alt+Tab", "F10"},
}
"""Keys that a system, its window manager or its menu bar keeps for itself, as Qt writes them."""


@pytest.mark.parametrize("platform", TAKEN)
def test_no_key_is_given_twice_or_taken_by_the_system(platform: str) -> None:
    commands = for_platform(all_commands(), platform)
    used = Counter(key for command in commands for key in command.keys)
    assert [key for key, count in used.items() if count > 1] == []
    assert used.keys() & TAKEN[platform] == set()


def test_each_system_has_its_own_words_and_keys() -> None:
    everywhere = all_commands()
    found = {name: {c.name: c for c in for_platform(everywhere, name)} for name in TAKEN}
    assert {name: commands["file.quit"].text for name, commands in found.items()} == {
        "darwin": "&Quit",
        "win32": "E&xit",
        "linux": "&Quit",
    }
    assert {name: commands["edit.redo"].keys[0] for name, commands in found.items()} == {
        "darwin": "Ctrl+Shift+Z",
        "win32": "Ctrl+Y",
        "linux": "Ctrl+Shift+Z",
    }
    assert (MAC.keys() | WINDOWS.keys()) <= found["linux"].keys(), "every difference is one of a command"
    assert list(found["linux"].values()) == everywhere
