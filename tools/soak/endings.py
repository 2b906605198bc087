"""Programs that are ended at random moments: commands and the window by Ctrl-C, writers by ``kill -9``."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from soak import interrupts, window_interrupts
from soak.report import Row

_KINDS_OF_FAULT = {
    "hang": "hangs",
    "leaves": "half-written",
    "Traceback": "tracebacks",
    "traceback": "tracebacks",
    "Exception ignored": "tracebacks",
    "words on stderr": "tracebacks",
}
"""What the drivers say, and the column it belongs to; whatever else they say is a program that ended otherwise."""


def interrupt_commands(seed: int, count: int) -> Row:
    """Interrupt ``count`` commands, every command in turn, at moments from their whole lives."""
    row = Row("interrupts of commands")
    early = 0
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        for ended in interrupts.at_random(count, seed, Path(folder)):
            row.tried += 1
            row.taken += ended.finished_before
            early += ended.in_the_interpreter
            faults = [] if ended.in_the_interpreter else ended.faults()
            for column in {_column(fault) for fault in faults}:
                name = f"{' '.join(ended.arguments)} after {ended.delay_s:.2f} s"
                row.add_fault(column, f"{name}: {'; '.join(faults)}; {ended.errors.strip()[-200:]}")
    row.remarks = f"{row.taken:,} were done before, {early:,} while Python itself started"
    return row


def interrupt_window(seed: int, count: int) -> Row:
    """Interrupt ``count`` starts of the window."""
    row, slowest = Row("interrupts of the window's start"), 0.0
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        for ending in window_interrupts.interrupts(count, seed, Path(folder)):
            row.tried += 1
            slowest = max(slowest, ending.seconds)
            if ending.fault:
                name = f"{ending.signal.name} after {ending.moment_s:.2f} s {' '.join(ending.arguments)}"
                row.add_fault(_column(ending.fault), f"{name}: {ending.fault}; {ending.errors.strip()[-200:]}")
    row.remarks = f"slowest end {slowest:.1f} s"
    return row


def _column(fault: str) -> str:
    return next((column for words, column in _KINDS_OF_FAULT.items() if words in fault), "crashes")


def kill_writers(seed: int, count: int) -> Row:
    """Kill every writer ``count`` times and count files that are half-written, or left after the next start's sweep."""
    row = Row("kills of every writer")
    command = [sys.executable, "-m", "soak.kill_writers", "--kills", str(count), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        row.add_fault("crashes" if done.returncode < 0 else "tracebacks", done.stderr.strip()[-300:])
        return row
    found = json.loads(done.stdout.splitlines()[-1])
    for name, ends in found.items():
        row.tried += ends["kills"]
        for left in ends["half"] + ends["left_over"]:
            row.add_fault("half-written", f"{name}: {left}")
        for _ in range(ends["failed"]):
            row.add_fault("tracebacks", f"{name}: the writer itself failed")
    swept = sum(ends["swept"] for ends in found.values())
    row.remarks = f"{len(found)} writers, {swept:,} temporary files swept"
    return row
