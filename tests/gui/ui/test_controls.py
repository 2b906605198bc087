"""Small controls: what a choice box shows of an entry that is longer than the box; the height of wrapped labels."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, IntEnum, StrEnum

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QToolTip
from pytestqt.qtbot import QtBot

from wayfront_gui.app.window import Window
from wayfront_gui.ui.controls import ChoiceBox, Fold, TitleLabel, label, name_controls

offscreen = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
"""The offscreen platform says so of tooltips and lists."""

LONG, SHORT = "Bellman–Ford v3, flagged nodes", "Δ-stepping"


@pytest.fixture
def box(qtbot: QtBot) -> Iterator[ChoiceBox]:
    box = ChoiceBox()
    qtbot.addWidget(box)
    box.setToolTip("How to search")
    box.addItems([LONG, SHORT])
    box.resize(150, 28)
    box.show()
    qtbot.waitExposed(box)
    yield box
    QToolTip.hideText()


def tooltip(box: ChoiceBox) -> str:
    point = QPoint(20, 10)
    QApplication.sendEvent(box, QHelpEvent(QHelpEvent.Type.ToolTip, point, box.mapToGlobal(point)))
    return QToolTip.text()


@offscreen
def test_a_long_entry_ends_with_an_ellipsis_and_is_whole_in_the_tooltip(box: ChoiceBox) -> None:
    assert box.shown_text.endswith("…") and LONG.startswith(box.shown_text[:-1])
    assert tooltip(box) == f"{LONG}\nHow to search"
    box.setCurrentIndex(1)
    assert box.shown_text == SHORT
    assert tooltip(box) == "How to search"
    box.setCurrentIndex(0)
    box.resize(400, 28)
    assert box.shown_text == LONG


@offscreen
def test_what_is_painted_ends_before_the_arrow(box: ChoiceBox) -> None:
    narrow = box.grab().toImage()
    box.setItemText(0, box.shown_text)
    assert narrow == box.grab().toImage(), "the elided text is what is drawn"


@offscreen
def test_the_list_is_as_wide_as_its_longest_entry(box: ChoiceBox) -> None:
    box.showPopup()
    view = box.view()
    assert view.width() >= view.fontMetrics().horizontalAdvance(LONG) > box.width()
    box.hidePopup()


@offscreen
def test_a_wrapped_label_asks_for_the_height_of_its_present_width(qtbot: QtBot) -> None:
    text = label("several words " * 20, wrap=True)
    qtbot.addWidget(text)
    text.show()  # hidden widgets are told of a new size only when they are shown
    text.resize(80, 20)
    narrow = text.minimumHeight()
    text.resize(600, 20)
    assert 0 < text.minimumHeight() < narrow / 3
    text.setText("one")
    assert text.minimumHeight() < 40


@offscreen
def test_a_title_takes_a_second_line_before_it_is_cut(qtbot: QtBot) -> None:
    title = TitleLabel(LONG)
    qtbot.addWidget(title)
    title.show()
    title.resize(400, 20)
    one_line = title.sizeHint().height()
    assert title.lines == [LONG]
    title.resize(150, 20)
    assert len(title.lines) == 2 and title.sizeHint().height() == 2 * one_line
    assert " ".join(title.lines) == LONG
    title.resize(60, 20)
    assert title.lines[-1].endswith("…") and title.sizeHint().height() == 2 * one_line


class Fruit(StrEnum):
    APPLE = "apple"


class Size(IntEnum):
    LARGE = 2


class Shade(Enum):
    DARK = 1


@pytest.mark.parametrize("meant", [Fruit.APPLE, Size.LARGE, Shade.DARK, None, "pear", (Fruit.APPLE, 1), 2.5, True])
def test_what_an_entry_stands_for_comes_back_as_it_was_given(box: ChoiceBox, meant: object) -> None:
    box.addItem("entry", meant)
    found = box.itemData(box.findText("entry"))
    assert type(found) is type(meant) and found == meant
    assert not isinstance(meant, Enum) or found is meant
    box.setCurrentIndex(box.findText("entry"))
    assert box.currentData() == meant and type(box.currentData()) is type(meant)
    box.setCurrentIndex(0)
    assert box.currentData() is None, "entries without anything behind them, too"
    box.choose_data(meant)
    assert meant is None or box.currentText() == "entry"


def test_every_choice_in_the_window_is_made_in_such_a_box(window: Window) -> None:
    boxes = window.findChildren(QComboBox)
    assert len(boxes) > 10
    assert [type(box) for box in boxes if not isinstance(box, ChoiceBox)] == []


@pytest.fixture
def fold(qtbot: QtBot) -> Fold:
    name_controls()
    fold = Fold("More", label("device and cores"), summary="Δ = 5,000")
    qtbot.addWidget(fold)
    fold.show()
    return fold


@offscreen
@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_a_fold_opens_and_closes_by_the_keyboard_and_is_as_high_as_what_it_shows(fold: Fold, key: Qt.Key) -> None:
    said: list[bool] = []
    fold.opened.connect(said.append)
    closed = fold.sizeHint().height()
    assert fold.content.isHidden() and closed == fold.header.height()
    QTest.keyClick(fold.header, key)
    assert fold.content.isVisible() and fold.sizeHint().height() >= closed + fold.content.sizeHint().height()
    QTest.keyClick(fold.header, key)
    assert fold.content.isHidden() and fold.sizeHint().height() == closed
    assert said == [True, False]
    fold.set_open(False)
    assert said == [True, False], "it is closed already"


@offscreen
def test_a_fold_says_its_summary_while_it_is_closed_and_is_a_button_that_expands(fold: Fold) -> None:
    line = QAccessible.queryAccessibleInterface(fold.header)
    assert (line.text(QAccessible.Text.Name), line.text(QAccessible.Text.Description)) == ("More", "Δ = 5,000")
    assert line.role() == QAccessible.Role.Button
    closed, with_summary = line.state(), fold.header.grab().toImage()
    assert closed.expandable and closed.collapsed and not closed.expanded
    fold.set_summary("")
    assert fold.header.grab().toImage() != with_summary
    line.actionInterface().doAction("Press")
    state = line.state()
    assert fold.is_open and state.expanded and not state.collapsed
    shown = fold.header.grab().toImage()
    fold.set_summary("2 cores")
    assert fold.header.grab().toImage() == shown, "what it holds is seen"
