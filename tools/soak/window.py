"""The window: a monkey that uses it at random, and how long files keep its event loop, each in a process of its own.

``python -m soak.window SEED FILES`` opens that many mutated files in one window and prints what it found as JSON.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from soak import TINY_MAP
from soak.kinds import KINDS, make_examples
from soak.report import Row

LONGEST_MS = 100.0
_TRIES = 3
"""A file blocks the event loop if it does so each of this many times: another program may take the processor once."""
_HANG_S = 60.0
_LIMIT_S = 3_600
_MONKEY_SAYS = re.compile(r"(\d+) events: (\d+) exceptions, .*longest (\d+) ms")


def play_monkey(seed: int, events: int, *, changing: bool = False) -> Row:
    """Let a monkey do ``events`` things to the window; one that is ``changing`` opens other networks most often."""
    row = Row("random events that change networks" if changing else "random events of the window", tried=events)
    command = [sys.executable, "-m", "soak.monkey", "--events", str(events), "--seed", str(seed)]
    command += ["--changing"] * changing
    said, _ = _run(command, row)
    if found := _MONKEY_SAYS.search(said):
        row.remarks = f"longest stall {found[3]} ms"
        for _ in range(int(found[2])):
            row.add_fault("tracebacks", said[:3000])
    return row


def open_in_window(seed: int, count: int) -> Row:
    """Open ``count`` mutated files in a window and count those that block its event loop."""
    row = Row("mutated files in the window", tried=count)
    said, well = _run([sys.executable, "-m", "soak.window", str(seed), str(count)], row)
    if well:
        found = json.loads(said.splitlines()[-1])
        row.taken, row.remarks = found["taken"], f"longest stall {found['worst_ms']:.0f} ms"
        for fault, example in found["faults"]:
            row.add_fault(fault, example)
    return row


def _run(command: list[str], row: Row) -> tuple[str, bool]:
    """Run a program, count how it ended, and return what it said and whether it ended well."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        row.add_fault("hangs", f"{' '.join(command[2:])}: no end within {_LIMIT_S} s")
        return "", False
    if done.returncode < 0:
        row.add_fault("crashes", f"signal {-done.returncode}: {done.stderr.strip()[-300:]}")
    elif done.returncode and not _MONKEY_SAYS.search(done.stdout):
        row.add_fault("tracebacks", done.stderr.strip()[-300:])
    return done.stdout, done.returncode == 0


def main() -> None:
    """Open files as the command line asks."""
    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QApplication

    from soak.stalls import StallWatch
    from wayfront_gui.app.settings import Settings
    from wayfront_gui.app.start import make_window

    seed, count = map(int, sys.argv[1:])
    application = QApplication(sys.argv[:1])
    problems: list[str] = []
    sys.excepthook = lambda kind, problem, _trace: problems.append(f"{kind.__name__}: {problem}")
    unnamed = ("cache file", "surroundings", "baseline", "settings", "recent lists")  # nobody opens these by name
    kinds = [kind for kind in KINDS if kind.name not in unnamed]
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        make_examples(folder, TINY_MAP)
        window = make_window(Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)))
        window.show()

        def opened(path: Path) -> tuple[float, bool]:
            """Return the longest stall while a file is opened, and whether that came to an end."""
            with StallWatch(LONGEST_MS) as watch:
                window.controller.open(str(path))
                end = time.monotonic() + _HANG_S
                while window.controller.worker.busy and time.monotonic() < end:
                    application.processEvents()
                    time.sleep(0.001)
                application.processEvents()
            return watch.worst_ms, time.monotonic() < end

        opened(folder / "map.wayfront")  # the first map loads and compiles what draws it
        faults, taken, worst_ms = [], 0, 0.0
        for index in range(count):
            kind = kinds[index % len(kinds)]
            example = (folder / kind.file).read_bytes()
            path = folder / f"mutated-{kind.file}"
            path.write_bytes(kind.change(random.Random(f"{seed} window {index}"), example))
            before = window.session.active.network
            best_ms, ended = opened(path)
            for _ in range(_TRIES - 1):
                if best_ms > LONGEST_MS and ended:
                    again_ms, ended = opened(path)
                    best_ms = min(best_ms, again_ms)
            taken += window.session.active.network is not before
            worst_ms = max(worst_ms, best_ms)
            what = f"file {index} of seed {seed} ({kind.name})"
            faults += [("hangs", what)] * (not ended) + [("blocked", f"{what}: {best_ms:.0f} ms")] * (
                best_ms > LONGEST_MS
            )
            faults += [("tracebacks", f"{what}: {problem}") for problem in problems]
            problems.clear()
        window.close()
        application.processEvents()
    print(json.dumps({"faults": faults, "taken": taken, "worst_ms": worst_ms}))


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    main()
