"""Interrupt commands at any moment of their lives, and judge how they end.

A command runs in a process group of its own, as in a terminal, and the whole group gets the signal. ``faults`` lists
what is wrong with the end: a traceback, an abort, another exit code, a hang, a file left half-written. The time before
the program's first own line is the interpreter's; it is told apart, since no program can guard it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LONGEST_S = 10.0
"""A command that goes on for so long after Ctrl-C hangs."""
START_S = 2.0
_TROUBLE = ("Traceback", "Fatal Python error", "Exception ignored", "terminate called", "Aborted", "core dumped")
_PROGRAM = [sys.executable, "-m", "wayfront_gui"]


@dataclass(frozen=True)
class Ended:
    """How one interrupted command ended. ``code`` is None if it had to be killed."""

    arguments: tuple[str, ...]
    delay_s: float
    code: int | None
    took_s: float
    finished_before: bool
    output: str
    errors: str
    left: tuple[str, ...]

    @property
    def in_the_interpreter(self) -> bool:
        """Whether the signal came before the first line of the program: Python itself was starting."""
        ours = "wayfront" in "".join(line for line in self.errors.splitlines() if line.lstrip().startswith("File"))
        starting = (
            "init_import_site" in self.errors or "<frozen site>" in self.errors or "<frozen runpy>" in self.errors
        )
        return not ours and (starting or (self.code == -signal.SIGINT and not self.errors))

    def faults(self, expected: Sequence[int] = (128 + signal.SIGINT,)) -> list[str]:
        """Return what is wrong with the end, in words; nothing for a command that was done before the signal."""
        found = []
        if self.code is None:
            found.append(f"hangs: goes on {LONGEST_S:.0f} s after the signal")
        elif self.code not in (0, *expected):  # 0: its work was done when the signal came
            found.append(f"exit code {self.code}")
        found += [f"prints {word!r}" for word in _TROUBLE if word in self.errors or word in self.output]
        found += [f"leaves {name}" for name in self.left]
        return [] if self.finished_before else found


def commands(folder: Path, network: str = "synthetic:grid") -> list[tuple[str, ...]]:
    """Return a call of every command, all writing into ``folder``; each has something to do."""
    out = str(folder / "out")
    grid = f"{network}?columns=120&rows=120" if network == "synthetic:grid" else network
    search = ("--device", "cpu", "--algorithm", "delta-stepping")
    return [
        ("--help",),
        ("list",),
        ("list", "--json"),
        ("explain", "near-far"),
        ("data",),
        ("info", grid),
        ("solve", grid, "--source", "1", *search, "--verify", "--trace", f"{out}.wftrace"),
        ("save", grid, f"{out}.gr"),
        ("save", grid, f"{out}.wayfront"),
        ("render", grid, *search, "--output", f"{out}.png"),
        ("compare", grid, "--devices", "cpu", "--runs", "2", "--output", f"{out}.csv"),
        ("benchmark", "search", grid, "--devices", "cpu", "--runs", "2"),
        ("benchmark", "trees", grid, "--devices", "cpu", "--sources", "4", "--seconds", "1"),
        ("reproduce", "D", "--devices", "cpu", "--runs", "1", "--seconds", "0.2", "--output", f"{out}.json"),
        ("first-light", "--device", "cpu", "--output", str(folder / "light")),
        ("fetch", "place:7.0,43.0,7.04,43.03"),
        ("fetch", "dimacs:NY"),
    ]


def surroundings(folder: Path) -> dict[str, str]:
    """Return an environment in which commands touch nothing outside ``folder`` and no network."""
    nowhere = "http://127.0.0.1:9"
    return os.environ | {
        "WAYFRONT_DATA": str(folder / "data"),
        "WAYFRONT_DIMACS_MIRRORS": nowhere,
        "WAYFRONT_OVERPASS": nowhere,
        "WAYFRONT_NOMINATIM": nowhere,
        "QT_QPA_PLATFORM": "offscreen",
        "TMPDIR": str(folder),
    }


def life_s(arguments: Sequence[str], folder: Path, program: Sequence[str] = _PROGRAM) -> float:
    """Run a command to its end and return the seconds it took."""
    begin = time.perf_counter()
    subprocess.run(
        [*program, *arguments], env=surroundings(folder), cwd=folder, capture_output=True, timeout=300, check=False
    )
    return time.perf_counter() - begin


def interrupt(
    arguments: Sequence[str],
    delay_s: float,
    folder: Path,
    *,
    signals: Mapping[float, signal.Signals] | None = None,
    program: Sequence[str] = _PROGRAM,
) -> Ended:
    """Start a command, send signals after ``delay_s`` and wait for its end.

    ``signals`` are sent at these seconds after the delay; without any it is one Ctrl-C.
    """
    # A shell that starts tests in the background has Ctrl-C ignored, which children would inherit.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [*program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=surroundings(folder),
            cwd=folder,
            start_new_session=True,
        )
        signal.signal(signal.SIGINT, before)
        begin = time.perf_counter()
        finished_before = False
        for later_s, which in (signals or {0.0: signal.SIGINT}).items():
            time.sleep(max(0.0, begin + delay_s + later_s - time.perf_counter()))
            finished_before = process.poll() is not None
            if finished_before:
                break
            os.killpg(process.pid, which)
        sent = time.perf_counter()
        code = _wait(process)
        took_s = time.perf_counter() - sent
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    left = tuple(sorted(str(path.relative_to(folder)) for path in folder.rglob("*.partial")))
    for name in left:
        (folder / name).unlink()
    return Ended(tuple(arguments), delay_s, code, took_s, finished_before, texts[0], texts[1], left)


def _wait(process: subprocess.Popen[bytes]) -> int | None:
    try:
        return process.wait(LONGEST_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def at_random(
    how_many: int,
    seed: int,
    folder: Path,
    *,
    calls: Sequence[tuple[str, ...]] | None = None,
    program: Sequence[str] = _PROGRAM,
) -> Iterator[Ended]:
    """Interrupt ``how_many`` commands, each in turn, and yield how each ended.

    Every second moment is drawn from the first ``START_S`` seconds, in which packages are imported, the others from the
    command's whole life.
    """
    chance = random.Random(seed)
    chosen = commands(folder) if calls is None else list(calls)
    lives: dict[tuple[str, ...], float] = {}
    for index in range(how_many):
        arguments = chosen[index % len(chosen)]
        longest = START_S
        if index // len(chosen) % 2:
            if arguments not in lives:
                lives[arguments] = life_s(arguments, folder, program)
            longest = lives[arguments]
        yield interrupt(arguments, chance.uniform(0.0, longest), folder, program=program)
