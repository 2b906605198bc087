"""Times a start of the window part by part, as on a machine that never ran it, and again with what the first one left.

usage: python tools/first_start.py [--json]     (under xvfb-run for a real window)

Home, caches and settings are empty folders; the bytecode of packages is what installing them left. Figures count from
the start of the process. The first start goes on until everything is compiled, each part of which is told.
"""

from __future__ import annotations

import json as json_text
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from start_watch import PICTURE, WAVE, Part
from wayfront.timing.harness import machine_facts
from wayfront_gui.cli.arguments import JSON
from wayfront_gui.cli.benchmark import machine_line
from wayfront_gui.cli.command_line import main, one_command
from wayfront_gui.cli.console import make_table, print_json, print_tables

GOALS = {("cold", WAVE): (8.0, 6.0), ("warm", PICTURE): (1.2, None)}
"""Seconds by the clock and of the processor."""
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
    """Start the program, as the bare command does, with folders of its own, and return its parts."""
    own = {"HOME": folder, "XDG_CONFIG_HOME": folder / "config", "XDG_CACHE_HOME": folder / "cache"}
    own |= {"WAYFRONT_CACHE": folder / "cache" / "wayfront", "NUMBA_CACHE_DIR": folder / "kernels"}
    begun = f"import sys; sys.path.append({str(Path(__file__).parent)!r}); import start_watch; start_watch.timed"
    command = [sys.executable, "-c", f"from wayfront_gui import entry; {begun}({time.time()!r})"]
    environment = {**os.environ, **{name: str(path) for name, path in own.items()}}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, timeout=_PATIENCE_S, check=True)
    found: list[Part] = json_text.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main(program=one_command(first_start))
