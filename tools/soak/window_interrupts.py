"""Starts the window again and again, interrupts each start at a random moment, and counts how the programs ended.

``python -m soak.window_interrupts --count 100 --seed 1`` prints the table and leaves with 1 if a program did
anything else than leave at once and quietly.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LATEST_S = 6.0
"""A start is interrupted within this time: the first search and its replay are then over on a usual machine."""
SOON_S = 5.0
"""An interrupted program that takes longer than this to end hangs."""
INTERRUPTS = (signal.SIGINT, signal.SIGINT, signal.SIGTERM) if os.name == "posix" else (signal.SIGINT,)
OPENED: tuple[tuple[str, ...], ...] = ((), (), ("synthetic:grid?columns=700&rows=700",))
"""What the window is started on: the bundled city, or a network that takes a while to make and to search."""
FIRST_FILES = {"__init__.py", "__main__.py", "entry.py", "endings.py"}
"""What is imported before the program takes its signals over: in the first milliseconds after the interpreter's own."""
USUAL_WORDS = {"", "wayfront: cancelled", "This plugin does not support propagateSizeHints()"}
"""What an interrupted program may say, and what Qt says of every window without a screen."""
COLD_SHARE = 0.1
"""How many starts have no compiled kernels at hand."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How one interrupted program ended; ``code`` is None for one that had to be killed."""

    signal: signal.Signals
    moment_s: float
    seconds: float
    code: int | None
    errors: str
    arguments: tuple[str, ...]

    @property
    def _had_begun(self) -> bool:
        """Whether a traceback on stderr names a file of the program beyond its first lines."""
        files = re.findall(r'File ".*[/\\]wayfront(?:_gui)?[/\\](.+?)"', self.errors)
        return any(file not in FIRST_FILES for file in files)

    @property
    def fault(self) -> str:
        """What was wrong with it, or an empty string."""
        if self.code is None:
            return "hang"
        if not self._had_begun and (self.code == -self.signal or "KeyboardInterrupt" in self.errors):
            return ""  # the interpreter was starting, and had run no more of the program than its first lines
        if self.code == 128 + self.signal:
            return "" if set(self.errors.split("\n")) <= USUAL_WORDS else "words on stderr"
        for words, fault in (("Traceback", "traceback"), ("QThread", "thread destroyed"), ("Fatal", "abort")):
            if words in self.errors:
                return fault
        return f"exit code {self.code}"


def interrupt(
    moment_s: float, kind: signal.Signals, arguments: tuple[str, ...], folder: Path, *, cold: bool = False
) -> Ending:
    """Start the window, send a signal after ``moment_s`` seconds, and return how it ended.

    Settings and downloads are looked for in ``folder``. ``cold`` starts have no compiled kernels.
    """
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_CONFIG_HOME": str(folder / "config"),
        "WAYFRONT_DATA": str(folder / "data"),
        "WAYFRONT_CACHE": str(folder / "cache"),
    }
    if cold:
        environment["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(dir=folder)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what runs in its background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-m", "wayfront_gui", "window", *arguments]
    program = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    time.sleep(moment_s)
    sent = time.monotonic()
    program.send_signal(kind)
    code: int | None
    try:
        _, errors = program.communicate(timeout=SOON_S)
        code = program.returncode
    except subprocess.TimeoutExpired:
        program.kill()
        _, errors = program.communicate()
        code = None
    return Ending(kind, moment_s, time.monotonic() - sent, code, errors, arguments)


def interrupts(count: int, seed: int, folder: Path, *, latest_s: float = LATEST_S) -> Iterator[Ending]:
    """Interrupt ``count`` starts, chosen by ``seed``, one after the other; yield how each ended."""
    chance = random.Random(seed)
    for _ in range(count):
        moment_s = chance.uniform(0.0, latest_s)
        kind, arguments = chance.choice(INTERRUPTS), chance.choice(OPENED)
        yield interrupt(moment_s, kind, arguments, folder, cold=chance.random() < COLD_SHARE)


def main() -> int:
    """Interrupt as often as asked, print each fault and the table, and return 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--latest", type=float, default=LATEST_S, metavar="SECONDS")
    asked = parser.parse_args()
    faults: Counter[str] = Counter()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for ending in interrupts(asked.count, asked.seed, Path(folder), latest_s=asked.latest):
            slowest = max(slowest, ending.seconds)
            faults[ending.fault] += 1
            if ending.fault:
                last = ending.errors.strip().splitlines()[-1:] or [""]
                name = f"{ending.signal.name} after {ending.moment_s:.2f} s {' '.join(ending.arguments)}"
                sys.stdout.write(f"{ending.fault}: {name}: {last[0]}\n")
                sys.stdout.flush()
    well = faults.pop("", 0)
    sys.stdout.write(f"{asked.count} interrupts: {well} well, slowest {slowest:.1f} s\n")
    for fault, times in faults.most_common():
        sys.stdout.write(f"{times:5d}  {fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
