"""Signals that end the window: none is lost, and each gives its exit code."""

from __future__ import annotations

import os
import random
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from wayfront_gui import interrupts
from wayfront_gui.app.start import Leaving
from window_interrupts import Ending, interrupt

posix = pytest.mark.skipif(os.name != "posix", reason="another system has no such signals")


@posix
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_asks_the_window_to_leave_and_gives_its_exit_code(qtbot: QtBot, kind: signal.Signals) -> None:
    asked: list[bool] = []
    leaving = Leaving(lambda: asked.append(True))
    with interrupts.cancelling(leaving.asked):
        os.kill(os.getpid(), kind)
        qtbot.waitUntil(lambda: bool(asked))
        assert interrupts.exit_code() == 128 + kind
    assert asked == [True]


@posix
def test_a_signal_before_the_event_loop_runs_is_not_lost(qtbot: QtBot) -> None:
    asked: list[bool] = []
    leaving = Leaving(lambda: asked.append(True))
    with interrupts.cancelling(leaving.asked):
        os.kill(os.getpid(), signal.SIGINT)
        assert leaving.asked.wait(5)
    assert asked == []
    QCoreApplication.processEvents()
    assert asked == [True]


@posix
def test_the_program_leaves_quietly_whenever_it_is_interrupted(tmp_path: Path) -> None:
    chance = random.Random(9)

    def one(moment_s: float) -> Ending:
        return interrupt(moment_s, signal.SIGINT, (), tmp_path)

    with ThreadPoolExecutor() as both:
        endings = list(both.map(one, [chance.uniform(0.3, 1.2), chance.uniform(1.5, 3.0)]))
    assert [(ending.fault, ending.errors if ending.fault else "") for ending in endings] == [("", "")] * 2
