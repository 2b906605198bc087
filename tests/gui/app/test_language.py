"""The window in another language: no text of its own is left in English, and Qt's own dialogs follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape

import pytest
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    Qt,
    QTranslator,
)
from PySide6.QtGui import QTextObject
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
from pytestqt.qtbot import QtBot
from tests.gui.app.test_every_control import STATES, play_lesson, show_search

import catalogues
from wayfront.network.road_network import RoadNetwork
from wayfront.searching.registry import algorithms
from wayfront.timing.harness import machine_facts
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.languages import show_again, speak
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.window import Window
from wayfront_gui.features.console.panel import ConsolePanel
from wayfront_gui.features.race.state import Race
from wayfront_gui.session.formatting import short_device_name
from wayfront_gui.ui import translation
from wayfront_gui.ui.translation import Catalogue, made_again, read_entries, translated, without_key

WALKED = [state for state in dict.fromkeys(STATES) if state is not play_lesson]  # that lesson is no tour
ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)


def shown_texts(root: QWidget, *, visible: bool = False) -> Iterator[tuple[QWidget, str]]:
    """Yield the texts of a window and of all in it, or of what is visible, each once with its widget."""
    for widget in (root, *root.findChildren(QWidget)):
        if not visible or widget.isVisible():
            for text in dict.fromkeys((*_of_all(widget), *_of_kind(widget))):
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


def in_brackets() -> Catalogue:
    """A language in which every text of the catalogues stands in brackets."""
    entries = [entry for name in catalogues.NAMES for entry in read_entries(catalogues.FOLDER / "ja" / f"{name}.po")[1]]
    return Catalogue({entry.text: (f"⟦{entry.text}⟧",) for entry in entries})


@pytest.fixture
def _brackets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The language in brackets from the start on."""
    monkeypatch.setattr(Worker, "submit", lambda *_1, **_2: 0)
    for name in ("getSaveFileName", "getOpenFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_: ("", ""))
    translation.use(in_brackets())
    yield
    translation.use(None)


@pytest.fixture
def bracketed(_brackets: None, window: Window) -> Window:
    window.resize(1300, 700)
    return window


def left_in_english(root: QWidget) -> set[str]:
    """Return the texts of a window with words that are neither translated nor the same in every language."""
    found = set()
    for widget, text in shown_texts(root):
        # Qt translates its own buttons, licences are named as they are, and the log is for reports.
        elsewhere = (
            widget.accessibleName() in ("⟦Log⟧", "⟦Console⟧")
            or isinstance(widget.parentWidget(), QDialogButtonBox | QTabBar)
            or isinstance(widget, QMessageBox)
        )
        if not elsewhere and has_english(text):
            found.add(text)
    return found


@cache
def cited() -> list[str]:
    """Return what stands in texts as it is; the longest first, since one paper's name may begin another's."""
    machine = machine_facts()
    found = {declared.paper for declared in algorithms()} | {*OF_TESTS, machine["system"], machine["processor"]}
    return sorted({*found, short_device_name(machine["processor"])}, key=len, reverse=True)


@cache
def has_english(text: str) -> bool:
    """Whether a text has words that are neither in brackets nor the same in every language."""
    rest = text.partition("⟦References⟧")[0]
    for each in cited():
        rest = rest.replace(each, "")
    while MARKED.search(rest):
        rest = MARKED.sub(" ", rest)
    return bool(set(WORD.findall(rest)) - set(SAME.split())) and ": MIT" not in text


def test_no_text_of_the_window_is_left_in_english(bracketed: Window, grid: RoadNetwork) -> None:
    found: set[str] = set()
    for prepare in WALKED:
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
    assert speak(qapp, "ja") == "ja"
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "キャンセル"
    assert translation.translated("&Open…") == "開く(&O)…"


@pytest.fixture
def idle(window: Window, monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    """A window in English, in which nothing is computed."""
    monkeypatch.setattr(Worker, "submit", lambda *_1, **_2: 0)
    for name in ("getSaveFileName", "getOpenFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_: ("", ""))
    window.resize(1300, 700)
    yield window
    translation.use(None)


def change(window: Window, catalogue: Catalogue | None) -> None:
    translation.use(catalogue)
    show_again(window.host)


class InBrackets(Catalogue):
    """Every text in brackets, also those that nobody has translated yet."""

    def __init__(self) -> None:
        super().__init__({})

    def text(self, english: str) -> str:
        return f"⟦{english}⟧"

    def form(self, one: str, many: str, count: int) -> str:
        return self.text(one if count == 1 else many)


def test_every_text_that_is_seen_changes_its_language_and_changes_back(idle: Window, grid: RoadNetwork) -> None:
    for prepare in WALKED:
        idle.session.state(Race).leave()
        show_search(idle, grid)
        prepare(idle)
        QApplication.processEvents()
        before = {text for _, text in shown_texts(idle, visible=True)}
        assert before
        change(idle, InBrackets())
        QApplication.processEvents()
        (console,) = idle.findChildren(ConsolePanel)
        stays = console.output.toPlainText()  # what was printed
        assert left_in_english(idle) - {stays} == set(), prepare.__name__
        change(idle, None)
        QApplication.processEvents()
        after = {text for _, text in shown_texts(idle, visible=True)}
        assert before - after == set(), prepare.__name__


def test_a_sentence_with_a_joint_in_it_is_one_text_also_where_its_key_is_another() -> None:
    sentence = translated("Click nodes on the map; the best of them for one, two or three depots are found")
    assert translated("n") == "n"
    translation.use(InBrackets())
    try:
        assert made_again(f"{sentence} (N)") == f"⟦{sentence}⟧ (N)"
        assert made_again(f"{sentence} (n)") == f"⟦{sentence}⟧ (⟦n⟧)"
    finally:
        translation.use(None)


def test_a_text_is_made_again_with_its_fields_and_with_what_it_is_joined_to() -> None:
    size = translated("{nodes:,} nodes of {name}", nodes=1234, name=translated("not reached"))
    joined = f"{size} — {translated('&Open…')} (Ctrl+O)"
    button = without_key(translated("&Open…"))
    translation.use(InBrackets())
    try:
        again = made_again(joined)
        assert again == "⟦1,234 nodes of ⟦not reached⟧⟧ — ⟦&Open…⟧ (Ctrl+O)"
        assert made_again(button) == "⟦Open…⟧"
        assert made_again("Rua Formosa, 240 m") == "Rua Formosa, 240 m"
    finally:
        translation.use(None)
    assert made_again(again) == joined


def test_twenty_changes_leave_a_search_its_replay_and_what_is_undone_as_they_are(
    idle: Window, grid: RoadNetwork, settings: Settings, qapp: QApplication
) -> None:
    show_search(idle, grid)
    session, slot = idle.session, idle.session.active
    slot.choose_target(5)
    session.clock.go_to(0.4 * session.clock.length)
    result, position, seen = slot.result, slot.player.position, idle.map.seen
    undo, geometry = idle.actions_by_name["edit.undo"], idle.geometry()
    assert result is not None and undo.isEnabled()

    def count() -> tuple[int, int, int]:
        objects = [each for each in idle.findChildren(QObject) if not isinstance(each, QTextObject)]
        return len(qapp.allWidgets()), len(objects), len(qapp.findChildren(QTranslator))

    choices = [idle.actions_by_name[f"help.language_{code}"] for code in ("ja", "en")]
    try:
        for choice in choices:
            choice.trigger()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        counted = count()
        for number in range(20):
            choices[number % 2].trigger()
            QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert count() == counted
        assert slot.result is result and slot.player.position == position and idle.map.seen == seen
        assert slot.target == 5 and undo.isEnabled() and idle.geometry() == geometry
        choices[0].trigger()
        assert settings.language == "ja" and choices[0].isChecked()
        assert idle.menuBar().actions()[0].text() == "ファイル(&F)"
        assert "日本語" in idle.status.message
    finally:
        speak(qapp, "en")
        translation.use(None)


def test_a_search_that_runs_goes_on_while_the_language_changes(window: Window, qtbot: QtBot, grid: RoadNetwork) -> None:
    slot = window.session.active
    slot.open(grid)
    window.controller.choose_source(7)
    assert window.controller.worker.busy
    change(window, InBrackets())
    try:
        qtbot.waitUntil(lambda: slot.result is not None and not window.controller.worker.busy)
        assert slot.result is not None and slot.result.source == 7
    finally:
        change(window, None)
