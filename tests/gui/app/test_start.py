"""Starting the window and ending it: what is refused before there is one, what is imported, signals."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from soak.window_interrupts import Ending, interrupt
from wayfront_gui import interrupts
from wayfront_gui.app import start as app
from wayfront_gui.app.start import Leaving


class OpenedError(Exception):
    """An application was made."""


@pytest.fixture
def no_application(monkeypatch: pytest.MonkeyPatch) -> None:
    class Application:
        instance = staticmethod(lambda: None)

        def __new__(cls, *_arguments: object) -> Application:
            raise OpenedError

    monkeypatch.setattr(app, "QApplication", Application)


@pytest.mark.usefixtures("no_application")
def test_a_file_that_does_not_exist_is_refused_before_there_is_a_window(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run("nope.gr") == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "wayfront: nope.gr: there is no such file\n")


@pytest.mark.usefixtures("no_application")
@pytest.mark.parametrize("name", [None, "synthetic:grid?n=9", "dimacs:NY", __file__])
def test_files_and_names_of_networks_are_not_refused(name: str | None) -> None:
    with pytest.raises(OpenedError):
        app.run(name)


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


def test_a_window_loads_neither_cuda_nor_scipy_nor_the_compiler(tmp_path: Path) -> None:
    """It is made, and a kernel that was compiled before is called: the second process finds it in the cache."""
    script = """
import sys
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from wayfront_gui.app.start import make_window
from wayfront_gui.app.settings import Settings
application = QApplication([])
import numpy as np
from wayfront_gui.map import subtrees
window = make_window(Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat)))
assert subtrees.subtree_sizes(np.array([-1, 0], np.int32)).tolist() == [2, 1]
window.close()
if not subtrees._peel.stats.cache_misses:
    heavy = {"numba.cuda", "numba.np.arraymath", "scipy.linalg", "wayfront.searching.run"} & set(sys.modules)
    sys.exit(f"loaded: {heavy}" if heavy else 0)
sys.exit("compiled")
"""
    command = [sys.executable, "-c", script, str(tmp_path / "settings.ini")]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.stderr.strip() != "compiled":
            break
    assert done.returncode == 0, done.stderr


def test_a_window_is_made_without_what_only_its_dialogs_need(tmp_path: Path) -> None:
    script = """
import builtins, sys
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from wayfront_gui.app.start import make_window
from wayfront_gui.app.settings import Settings
assert builtins.__import__ is builtins.__orig_import__, "Qt stands between each import"
application = QApplication([])
window = make_window(Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat)))
window.close()
dialogs = "export.dialogs", "growth.dialog", "places.dialogs", "lessons.export"
features = (*dialogs, "timing.panel", "explanation.panel", "access.panel")
places = "wayfront.places.places", "wayfront.places.snapping", "wayfront.results.access"
heavy = {"http.client", "sqlite3", "statistics", *places, *(f"wayfront_gui.features.{each}" for each in features)}
print(sorted(heavy & set(sys.modules)))
"""
    command = [sys.executable, "-c", script, str(tmp_path / "settings.ini")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_kernel_that_is_compiled_finds_no_blas() -> None:
    script = """
import sys
from wayfront_gui.app.jobs import spare_blas
spare_blas()
import numba.np.arraymath
sys.exit("scipy.linalg is loaded" if "scipy.linalg" in sys.modules else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
