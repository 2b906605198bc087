"""Small controls: what a choice box shows of an entry that is longer than the box; the height of wrapped labels."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, IntEnum, StrEnum

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QComboBox, QToolTip
from pytestqt.qtbot import QtBot

from wayfront_gui.app.window import Window
from wayfront_gui.ui.controls import ChoiceBox, TitleLabel, label

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
