"""What helps when something is wrong: About with its diagnostics, the log, reports of faults, reset of the settings."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer, qWarning
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMessageBox
from pytestqt.qtbot import QtBot

from wayfront.version import __version__
from wayfront_gui.app import faults as crash_file
from wayfront_gui.app import faults as unexpected
from wayfront_gui.app.about import AboutDialog, ReportDialog
from wayfront_gui.app.jobs import Abilities
from wayfront_gui.app.log import LogPanel
from wayfront_gui.app.window import Window

from search_checks import device_info  # isort: skip

LEFT = Qt.MouseButton.LeftButton
FAULT = """
import logging, os
from wayfront_gui.app import faults as crash_file
with crash_file.noted_run():
    assert crash_file.reports_left() == [], "this run goes on"
    logging.getLogger("wayfront_gui").warning("the last words")
    if os.environ["ENDS"] == "badly":
        os.abort()
"""


def copied() -> str:
    return QGuiApplication.clipboard().text()


def test_about_names_versions_card_and_licences_and_copies_them_with_the_log(window: Window, qtbot: QtBot) -> None:
    card = device_info("cuda:0", "NVIDIA H200", True)
    window.controller.abilities_found.emit(Abilities((), (device_info("cpu", "a processor", True), card), "580.1"))
    window.controller.news.emit("The museum is open.")
    window.actions_by_name["help.about"].trigger()
    about = window.findChild(AboutDialog)
    assert about is not None and "numba" in about.licences.toPlainText() and "MIT" in about.licences.toPlainText()
    QTest.mouseClick(about.copy, LEFT)
    for part in (__version__, "NVIDIA H200; driver 580.1", "PySide6", "offscreen", "The museum is open."):
        assert part in copied()
    assert about.copy.text() == "Copied"
    about.close()


def test_the_log_shows_what_was_done_and_what_went_wrong(window: Window, qtbot: QtBot) -> None:
    window.actions_by_name["view.log"].trigger()
    panel = window.panels.panel(LogPanel)
    assert panel.isVisible()
    window.controller.news.emit("Saved a.png")
    window.reports.show_problem("b.gr cannot be read")
    qtbot.waitUntil(lambda: "warning: b.gr cannot be read" in panel.text.toPlainText())
    QTest.mouseClick(panel.copy, LEFT)
    assert "Saved a.png" in copied()
    QTest.mouseClick(panel.clear, LEFT)
    assert panel.text.toPlainText() == "" and not window.controller.log.lines
    window.close()
    assert window.controller.log not in logging.getLogger("wayfront").handlers


def test_an_exception_that_nobody_foresaw_is_said_and_logged(window: Window, qtbot: QtBot) -> None:
    def stumble() -> None:
        raise ValueError("a stone")

    with unexpected.logged(window.reports.show_problem):
        QTimer.singleShot(0, stumble)
        qtbot.waitUntil(lambda: "ValueError: a stone" in window.message_bar.text)
        qWarning("Qt is not amused")
    logged = "\n".join(window.controller.log.lines)
    assert "in stumble" in logged and "warning: Qt is not amused" in logged


def test_a_run_that_a_fault_ended_is_offered_once(
    window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path))
    for ends, reports in (("well", 0), ("badly", 1)):
        environment = {**os.environ, "ENDS": ends}
        ended = subprocess.run([sys.executable, "-c", FAULT], env=environment, capture_output=True, check=False)
        assert (ended.returncode != 0) == bool(reports), ended.stderr
        left = crash_file.reports_left()
        assert len(left) == reports
    assert __version__ in left[0] and "the last words" in left[0] and "Fatal Python error: Aborted" in left[0]
    assert crash_file.reports_left() == []

    window.offer_report(left[0])
    window.controller.files.opened.emit("city")
    assert window.message_bar.isVisible(), "the file that opens at the start does not take it away"
    QTest.mouseClick(window.message_bar.button, LEFT)
    dialog = window.findChild(ReportDialog)
    assert dialog is not None and dialog.report.toPlainText() == left[0]
    QTest.mouseClick(dialog.copy, LEFT)
    assert copied() == left[0]
    dialog.close()


def test_settings_are_set_back_if_one_says_so(window: Window, qtbot: QtBot) -> None:
    first = window.appearance.theme.name
    other = "light" if first == "dark" else "dark"
    window.actions_by_name[f"view.theme_{other}"].trigger()
    window.actions_by_name["view.log"].trigger()
    window.settings.remember_file("/maps/a.gr")
    log = window.panels.panel(LogPanel)

    def answer(wanted: str) -> None:
        window.actions_by_name["help.reset"].trigger()
        box = window.findChild(QMessageBox)
        assert box is not None
        button = next(b for b in box.findChildren(QAbstractButton) if b.text().replace("&", "") == wanted)
        QTest.mouseClick(button, LEFT)
        qtbot.waitUntil(lambda: window.findChild(QMessageBox) is None)

    answer("Cancel")
    assert (window.appearance.theme.name, window.settings.recent) == (other, ("/maps/a.gr",)) and log.isVisible()
    answer("Reset")
    assert (window.appearance.theme.name, window.settings.recent) == (first, ()) and not log.isVisible()
    assert not window.actions_by_name["view.log"].isChecked()
