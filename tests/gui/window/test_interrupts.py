"""Signals that end the window: none is lost, and each gives its exit code."""

from __future__ import annotations

import os
import signal

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from wayfront_gui.window.interrupts import Interrupts

posix = pytest.mark.skipif(os.name != "posix", reason="another system has no such signals")


@posix
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_asks_the_window_to_leave_and_gives_its_exit_code(qtbot: QtBot, kind: signal.Signals) -> None:
    asked: list[bool] = []
    before = signal.getsignal(kind)
    interrupts = Interrupts(lambda: asked.append(True))
    try:
        os.kill(os.getpid(), kind)
        qtbot.waitUntil(lambda: bool(asked), timeout=5000)
    finally:
        interrupts.end()
    assert asked == [True]
    assert int(interrupts.code or 0) == 128 + kind
    assert signal.getsignal(kind) is before


@posix
def test_a_signal_before_the_event_loop_runs_is_not_lost(qtbot: QtBot) -> None:
    asked: list[bool] = []
    interrupts = Interrupts(lambda: asked.append(True))
    os.kill(os.getpid(), signal.SIGINT)
    qtbot.wait(100)
    interrupts.end()
    QCoreApplication.processEvents()
    assert asked == [True]
