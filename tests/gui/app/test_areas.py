"""F6 goes through the parts of the window, and each can be used from there by keys alone."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.gui.app.test_every_control import show_search

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.start import FieldsKeepTheirKeys
from wayfront_gui.app.window import Window


def part_of(window: Window) -> str:
    """Return the part of the window that has the focus."""
    focused, panels = QApplication.focusWidget(), window.panels
    assert focused is not None
    parts: dict[str, QWidget] = {
        "bar": panels.bar, "panel": panels.side, "map": window.map, "second": panels.beside, "replay": panels.replay,
    }  # fmt: skip
    return next((name for name, part in parts.items() if part is focused or part.isAncestorOf(focused)), "none")


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key, modifier)


def test_f6_goes_through_the_parts_of_the_window_and_back(window: Window, grid: RoadNetwork, qtbot: QtBot) -> None:
    window.resize(1600, 900)
    show_search(window, grid)
    window.panels.show("explanation", True)
    window.activateWindow()
    window.map.setFocus()
    qtbot.waitUntil(lambda: part_of(window) == "map" and window.panels.beside.isVisible())
    forward = []
    for _ in range(5):
        press(Qt.Key.Key_F6)
        forward.append(part_of(window))
    assert forward == ["second", "replay", "bar", "panel", "map"]
    back = []
    for _ in range(5):
        press(Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
        back.append(part_of(window))
    assert back == ["panel", "bar", "replay", "second", "map"]


def test_a_part_that_is_hidden_is_left_out(window: Window, grid: RoadNetwork, qtbot: QtBot) -> None:
    show_search(window, grid)
    window.actions_by_name["view.panels"].trigger()
    window.map.setFocus()
    qtbot.waitUntil(lambda: part_of(window) == "map" and not window.panels.side.isVisible())
    seen = set()
    for _ in range(5):
        press(Qt.Key.Key_F6)
        seen.add(part_of(window))
    assert "map" in seen and not seen & {"panel", "second", "none"}


def test_an_activity_is_chosen_by_arrow_and_space(window: Window, grid: RoadNetwork, qapp: QApplication) -> None:
    show_search(window, grid)
    window.panels.choose_activity("explore")
    window.actions_by_name["view.next_part"].trigger()
    while part_of(window) != "bar":
        press(Qt.Key.Key_F6)
    first = QApplication.focusWidget()
    assert isinstance(first, QAbstractButton) and first.isChecked(), "the bar is entered at the activity that is shown"
    press(Qt.Key.Key_Down)
    second = QApplication.focusWidget()
    assert isinstance(second, QAbstractButton) and second is not first and part_of(window) == "bar"
    keys = FieldsKeepTheirKeys()
    qapp.installEventFilter(keys)
    press(Qt.Key.Key_Space)
    qapp.removeEventFilter(keys)
    assert second.isChecked() and window.panels.activity != "explore"
