"""The window in another language: no text of its own is left in English, and Qt's own dialogs follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QCoreApplication, QModelIndex, Qt, QTranslator
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QSpinBox,
    QTabBar,
    QTextEdit,
    QWidget,
)
from tests.gui.app.test_every_control import STATES, play_lesson, show_search

import catalogues
from wayfront.network.road_network import RoadNetwork
from wayfront.searching.registry import algorithms
from wayfront.timing.harness import machine_facts
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import speak
from wayfront_gui.app.window import Window
from wayfront_gui.features.race.state import Race
from wayfront_gui.session.formatting import short_device_name
from wayfront_gui.ui import translation
from wayfront_gui.ui.translation import Catalogue, read_entries

ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)


def shown_texts(root: QWidget) -> Iterator[tuple[QWidget, str]]:
    """Yield the texts of a window and of all in it, each with its widget."""
    for widget in (root, *root.findChildren(QWidget)):
        for text in (*_of_all(widget), *_of_kind(widget)):
            if text:
                yield widget, _plain(text)


def _of_all(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.statusTip())
    if widget.isWindow():
        yield widget.windowTitle()
    for action in widget.actions():
        yield from (action.text(), action.iconText(), action.toolTip())


def _of_kind(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QMenu | QGroupBox):
        yield widget.title()
    elif isinstance(widget, QLineEdit):
        if not isinstance(widget.parentWidget(), QAbstractSpinBox):
            yield widget.placeholderText()
    elif isinstance(widget, QSpinBox | QDoubleSpinBox):
        yield from (widget.prefix(), widget.suffix(), widget.specialValueText())
    elif isinstance(widget, QComboBox):
        yield from _of_model(widget.model())
    elif isinstance(widget, QTextEdit | QPlainTextEdit):
        yield widget.toPlainText()
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _of_model(widget.model())


def _of_model(model: QAbstractItemModel) -> Iterator[str]:
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())
    for column in range(columns):
        heading = model.headerData(column, Qt.Orientation.Horizontal)
        if isinstance(heading, str):
            yield heading
        for row in range(model.rowCount(QModelIndex())):
            yield from (text for role in ROLES if isinstance(text := model.index(row, column).data(role), str))


def _plain(text: str) -> str:
    """Return a text without markup."""
    return unescape(re.sub(r"<[^<>]+>", " ", text)) if text.startswith("<") or "</" in text else text


MARKED = re.compile(r"⟦[^⟦⟧]*(⟧|$)")  # the end of a file filter is cut off
WORD = re.compile(r"[^\W\d_]{2,}")
SAME = """km ms ns µs min GB MB kB GHz Hz mm cm Ctrl Shift Alt Esc Del Return Enter Tab Space Left Right Up Down Home
End PgUp PgDown Backspace Grid wayfront CPU GPU CUDA NumPy Numba numba cuda Python PySide Qt offscreen English 日本語
dimacs BAY CAL COL CTR FLA LKS NE NW NY USA dawn dusk plasma viridis inferno haline batlow"""
"""Units, keys and names, which are the same in every language."""
OF_TESTS = ("It does not work.", "Another way", "Cutting", "a processor", "a test")
"""Texts that the tests put into the window."""


@pytest.fixture
def _brackets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A language in which every text of the catalogues stands in brackets."""
    entries = [entry for name in catalogues.NAMES for entry in read_entries(catalogues.FOLDER / "ja" / f"{name}.po")[1]]
    monkeypatch.setattr(Worker, "submit", lambda *_1, **_2: 0)
    for name in ("getSaveFileName", "getOpenFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_: ("", ""))
    translation.use(Catalogue({entry.text: (f"⟦{entry.text}⟧",) for entry in entries}))
    yield
    translation.use(None)


@pytest.fixture
def bracketed(_brackets: None, window: Window) -> Window:
    window.resize(1300, 700)
    return window


def left_in_english(root: QWidget) -> set[str]:
    """Return the texts of a window with words that are neither translated nor the same in every language."""
    machine = machine_facts()
    cited = {declared.paper for declared in algorithms()} | {*OF_TESTS, machine["system"], machine["processor"]}
    cited.add(short_device_name(machine["processor"]))
    found = set()
    for widget, text in shown_texts(root):
        # Qt translates its own buttons, licences are named as they are, and the log is for reports.
        elsewhere = (
            widget.accessibleName() == "⟦Log⟧"
            or isinstance(widget.parentWidget(), QDialogButtonBox | QTabBar)
            or isinstance(widget, QMessageBox)
        )
        rest = text.partition("⟦References⟧")[0]
        for each in sorted(cited, key=len, reverse=True):  # one paper's name may begin another's
            rest = rest.replace(each, "")
        while MARKED.search(rest):
            rest = MARKED.sub(" ", rest)
        if set(WORD.findall(rest)) - set(SAME.split()) and not elsewhere and ": MIT" not in text:
            found.add(text)
    return found


def test_no_text_of_the_window_is_left_in_english(bracketed: Window, grid: RoadNetwork) -> None:
    found: set[str] = set()
    for prepare in (state for state in STATES if state is not play_lesson):  # that lesson is no tour
        bracketed.session.state(Race).leave()
        show_search(bracketed, grid)
        prepare(bracketed)
        QApplication.processEvents()
        found |= left_in_english(bracketed)
    assert found == set()


def test_no_text_of_a_dialog_is_left_in_english(bracketed: Window, grid: RoadNetwork) -> None:
    show_search(bracketed, grid)
    found: set[str] = set()
    for command in bracketed.commands:
        if command.text.endswith("…") or command.name in ("help.about", "help.keyboard"):
            bracketed.actions_by_name[command.name].trigger()
            for dialog in bracketed.findChildren(QDialog):
                found |= left_in_english(dialog)
                dialog.close()
    assert found == set()


def test_qt_speaks_the_language_too(qapp: QApplication) -> None:
    before = set(qapp.findChildren(QTranslator))
    assert speak(qapp, "ja") == "ja"
    try:
        assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "キャンセル"
        assert translation.translated("&Open…") == "開く(&O)…"
    finally:
        for translator in set(qapp.findChildren(QTranslator)) - before:
            qapp.removeTranslator(translator)
        translation.use(None)


def test_the_language_is_chosen_for_the_next_start(window: Window, settings: Settings) -> None:
    assert settings.language == "system"
    assert window.actions_by_name["help.language_system"].isChecked()
    window.actions_by_name["help.language_ja"].trigger()
    assert settings.language == "ja"
    assert window.actions_by_name["help.language_ja"].isChecked()
    assert window.status.message == "All texts are in this language when wayfront is started again."
