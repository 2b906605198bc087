"""Times a start of the window part by part, as on a machine that never ran it, and again with what the first one left.

usage: python tools/first_start.py [--json]     (under xvfb-run for a real window)

Home, caches and settings are empty folders; the bytecode of packages is what installing them left. Figures count from
the start of the process. The first start goes on until everything is compiled, each part of which is told.
"""

from __future__ import annotations

import json as json_text
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer

from wayfront.timing.harness import machine_facts
from wayfront_gui.app import start
from wayfront_gui.app.awaiting import TREES, is_compiled
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.window import Window
from wayfront_gui.cli.arguments import JSON
from wayfront_gui.cli.benchmark import machine_line
from wayfront_gui.cli.command_line import main, one_command
from wayfront_gui.cli.console import make_table, print_json, print_tables

Part = tuple[str, float, float]
"""What was reached, after so many seconds by the clock and of this process's processor time."""
PICTURE, WAVE = "first picture", "moving wave"
GOALS = {("cold", WAVE): (8.0, 6.0), ("warm", PICTURE): (1.2, None)}
"""Seconds by the clock and of the processor."""
_LOOKS_MS = 2
_PATIENCE_S = 900.0


def first_start(json: bool = JSON) -> None:
    """Time a first start of the window and the next one, part by part."""
    with tempfile.TemporaryDirectory() as folder:
        starts = {name: _run(Path(folder)) for name in ("cold", "warm")}
    record = {"starts": starts, "goals_s": {" ".join(of): goal for of, goal in GOALS.items()}}
    record["machine"] = machine_facts()
    if json:
        print_json(record)
        return
    print_tables(*(_table(name, parts) for name, parts in starts.items()))
    sys.stdout.write(f"{machine_line(record)}\n")


def _table(name: str, parts: list[Part]) -> Any:
    table = make_table(f"A {name} start", ("", "s", "processor, s", "goal"), figures=("s", "processor, s", "goal"))
    for part, clock, processor in parts:
        by_clock, of_processor = GOALS.get((name, part), (None, None))
        goal = ", ".join(f"≤ {each:g}" for each in (by_clock, of_processor) if each is not None)
        table.add_row(part, f"{clock:.2f}", f"{processor:.2f}", goal)
    return table


def _run(folder: Path) -> list[Part]:
    """Start the program with folders of its own, and return its parts."""
    own = {"HOME": folder, "XDG_CONFIG_HOME": folder / "config", "XDG_CACHE_HOME": folder / "cache"}
    own |= {"WAYFRONT_CACHE": folder / "cache" / "wayfront", "NUMBA_CACHE_DIR": folder / "kernels"}
    code = "import sys, wayfront_gui.app.start; sys.path.append(sys.argv[1]); import first_start; first_start.timed()"
    command = [sys.executable, "-c", code, str(Path(__file__).parent), repr(time.time())]
    environment = {**os.environ, **{name: str(path) for name, path in own.items()}}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, timeout=_PATIENCE_S, check=True)
    found: list[Part] = json_text.loads(done.stdout.splitlines()[-1])
    return found


class Watch:
    """Notes in a starting program when each part is reached, and closes its window when nothing is left to do."""

    def __init__(self, begun_s: float) -> None:
        self._begun_s = begun_s
        self.parts: list[Part] = []
        self._window: Window | None = None
        self._timer = QTimer()
        self._timer.timeout.connect(self._look)

    def note(self, part: str) -> None:
        """Note that a part is reached, the first time."""
        if part and part not in (each for each, *_ in self.parts):
            self.parts.append((part, time.time() - self._begun_s, time.process_time()))

    def make(self, settings: Settings) -> Window:
        """Make the window as the program does."""
        self.note("Qt")
        self._window = _make_window(settings)
        self._window.resize(1440, 900)
        self.note("window made")
        self._timer.start(_LOOKS_MS)
        return self._window

    def _look(self) -> None:
        window = self._window
        assert window is not None
        slot, drawn = window.session.active, window.map.map_item.frame is not None
        if slot.network is not None:
            self.note("network read, with its lines")
        if drawn and window.map.map_item.paintings:
            self.note(PICTURE)
        if slot.result is not None:
            self.note("search shown")
        if slot.player.position > 0:
            self.note(WAVE)
        if not is_compiled(TREES):
            self.note(window.status.quiet)
        if window.session.runs:
            self.note("its own search timed")
        if window.session.runs and is_compiled(TREES):
            self._timer.stop()
            window.close()


_make_window = start.make_window


def timed() -> None:
    """Start as the program does; print the parts as the last line."""
    watch = Watch(float(sys.argv[2]))
    watch.note("Python and imports")
    start.make_window = watch.make
    start.run(fresh=True)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    watch.parts.append(("the process that compiled, alone", 0.0, spent.ru_utime + spent.ru_stime))
    sys.stdout.write(f"{json_text.dumps(watch.parts)}\n")


if __name__ == "__main__":
    main(program=one_command(first_start))
