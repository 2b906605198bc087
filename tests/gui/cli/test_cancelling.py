"""Ctrl-C and the signals that end a program, in commands of their own."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ended_threads import left_running
from soak import interrupts
from wayfront.safe.files import write_whole
from wayfront.safe.folders import remove_unfinished
from wayfront_gui.interrupts import cancelling, watched

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals cannot be sent to one process there")

PRINT = "sys.stdout.write('x'); sys.stdout.flush()"
"""Tells the test that the moment for the signal has come."""


def _signalled(script: str, *signals: signal.Signals, folder: Path) -> tuple[int, str, float]:
    """Run a script, send signals once it has printed, and return exit code, stderr and the seconds until its end."""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == "x"
        begin = time.perf_counter()
        for number in signals:
            process.send_signal(number)
            time.sleep(0.1)
        _, errors = process.communicate(timeout=30)
    return process.returncode, errors, time.perf_counter() - begin


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_compiled_packages_are_imported_ends_the_program(number: signal.Signals, tmp_path: Path) -> None:
    # KeyboardInterrupt in what runs inside a callback or a finaliser was printed and ignored, or aborted.
    # Programs that are started to outlive their terminal ignore SIGHUP, and so would the script.
    script = f"""
import signal
signal.signal(signal.SIGHUP, signal.SIG_DFL)
import wayfront_gui.entry, sys, time
class Callback:
    def __del__(self):
        {PRINT}
        time.sleep(20)
Callback()
"""
    code, errors, _ = _signalled(script, number, folder=tmp_path)
    assert (code, errors) == (128 + number, "wayfront: cancelled\n")


WORK = f"""
import wayfront_gui.entry, hashlib, sys, time
from pathlib import Path
from wayfront.safe.files import write_whole
from wayfront.safe.folders import remove_unfinished
from wayfront_gui.cli.console import cancel_on_interrupt
from wayfront_gui.interrupts import cleaned_up_by, watched
with watched(), cleaned_up_by(remove_unfinished), cancel_on_interrupt(PATIENCE) as cancel:
    with write_whole(Path("target")) as file:
        file.write(b"half")
        {PRINT}
        WHAT
"""


@pytest.mark.parametrize(
    ("what", "patience", "signals"),
    [
        ("time.sleep(20)", "0.3", 1),  # never looks at the event
        ("time.sleep(20)", "20", 2),
        (
            "hashlib.pbkdf2_hmac('sha256', b'x', b'x', 10**8)",
            "0.3",
            1,
        ),  # as in a compiled search: no line of Python runs
    ],
    ids=["patience ends", "twice", "in compiled code"],
)
def test_work_that_does_not_end_is_ended_with_nothing_half_written(
    what: str, patience: str, signals: int, tmp_path: Path
) -> None:
    script = WORK.replace("WHAT", what).replace("PATIENCE", patience)
    code, errors, took_s = _signalled(script, *[signal.SIGINT] * signals, folder=tmp_path)
    assert (code, errors) == (130, "wayfront: cancelled\n")
    assert took_s < 15
    assert list(tmp_path.iterdir()) == []


def test_the_first_signal_cancels_and_everything_is_given_back() -> None:
    before, threads = (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)), threading.enumerate()
    cancel = threading.Event()
    with watched(), cancelling(cancel):
        signal.raise_signal(signal.SIGINT)
        assert cancel.wait(5)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert not left_running(threads)


def test_who_takes_a_signal_over_gets_it() -> None:
    taken: list[int] = []
    with watched():
        before = signal.signal(signal.SIGINT, lambda number, _: taken.append(number))
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.05)
        signal.signal(signal.SIGINT, before)
    assert taken == [signal.SIGINT]


def test_signals_that_the_parent_ignores_stay_ignored(tmp_path: Path) -> None:
    script = (
        "import signal; from wayfront_gui.entry import interrupts;"
        "interrupts.ignore(); interrupts.leave_at_once(); signal.raise_signal(1)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, timeout=30)


def test_unfinished_files_are_removed_and_others_are_not(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    with pytest.raises(ValueError, match="stop"), write_whole(target) as file:
        file.write(b"new")
        remove_unfinished()
        assert [path.name for path in tmp_path.iterdir()] == ["target"]
        raise ValueError("stop")
    assert target.read_bytes() == b"old"


def test_commands_interrupted_at_random_end_well(tmp_path: Path) -> None:
    chance = random.Random(9)
    for arguments in (("list",), ("info", "synthetic:ring"), ("data",)):
        # From the first own line on: before it the interpreter starts, which no program can guard.
        ended = interrupts.interrupt(arguments, chance.uniform(0.15, 1.0), tmp_path)
        assert ended.in_the_interpreter or ended.faults() == [], ended


@pytest.mark.parametrize(
    ("code", "errors", "faulty"),
    [
        (130, "wayfront: cancelled\n", False),
        (130, "Traceback (most recent call last):\n", True),
        (-6, "", True),
        (1, "wayfront: no\n", True),
        (None, "", True),
    ],
)
def test_the_driver_knows_a_bad_end(code: int | None, errors: str, faulty: bool) -> None:
    ended = interrupts.Ended(("list",), 0.5, code, 0.1, False, "", errors, ())
    assert bool(ended.faults()) is faulty
