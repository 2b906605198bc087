"""Mutated files of every kind, opened in watched processes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil

from soak.kinds import KINDS, Kind, make_examples
from soak.report import Row

HANG_CPU_S = 5.0
"""A file may take this much of a processor's time."""
HANG_S = 60.0
"""A file may take this long, also where it only waits."""
START_S = 300.0
"""The worker may take this long to start: on a fresh checkout it compiles the kernels."""
WORKER = (sys.executable, "-X", "faulthandler", "-m", "soak.file_worker")
_BATCH = 2_500
_KEPT_OF_A_FAULT = 5

Job = tuple[str, int, int]
"""Files of one kind: its name, the index of the first file, and how many."""


def mutate_files(
    seed: int,
    count: int,
    tiny_map: Path,
    kept: Path,
    *,
    kinds: Sequence[Kind] = KINDS,
    processes: int = 1,
    say: Callable[[str], None] = print,
) -> list[Row]:
    """Open ``count`` mutated files, evenly over the kinds, and return a row for each kind.

    A file that broke something is copied into the folder ``kept``.
    """
    rows = {kind.name: Row(f"mutated {kind.name}") for kind in kinds}
    shares = [count * (i + 1) // len(kinds) - count * i // len(kinds) for i in range(len(kinds))]
    jobs = [(kind.name, 0, share) for kind, share in zip(kinds, shares, strict=True)]
    with tempfile.TemporaryDirectory(prefix="soak-") as work, ThreadPoolExecutor(processes) as pool:
        examples = Path(work) / "examples"
        examples.mkdir()
        make_examples(examples, tiny_map)
        for found in pool.map(lambda batch: _watch(batch, seed, examples, kept), _batches(jobs)):
            for name, row in found.items():
                rows[name].merge(row)
            say(f"{sum(row.tried for row in rows.values()):,} files, {_faults(rows.values())} faults")
    for row in rows.values():
        row.remarks = f"{row.taken:,} taken"
    return list(rows.values())


def _faults(rows: Iterable[Row]) -> int:
    return sum(row.faults.total() for row in rows)


def _batches(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Divide the jobs into lists of about ``_BATCH`` files each, in order."""
    batch: list[Job] = []
    room = _BATCH
    for name, begin, count in jobs:
        first, left = begin, count
        while left:
            taken = min(left, room)
            batch.append((name, first, taken))
            first, left, room = first + taken, left - taken, room - taken
            if not room:
                yield batch
                batch, room = [], _BATCH
    if batch:
        yield batch


def _watch(jobs: list[Job], seed: int, examples: Path, kept: Path) -> dict[str, Row]:
    """Have the files of jobs opened, in a new process after each that broke one, and return a row for each kind."""
    rows = {name: Row(name, tried=sum(count for n, _, count in jobs if n == name)) for name, _, _ in jobs}
    while jobs:
        with tempfile.TemporaryDirectory(prefix="soak-") as work:
            jobs = _Worker(jobs, seed, examples, Path(work), rows, kept).watch()
    return rows


class _Worker:
    """One worker process and what it reports."""

    def __init__(
        self, jobs: list[Job], seed: int, examples: Path, folder: Path, rows: dict[str, Row], kept: Path
    ) -> None:
        self._jobs, self._seed, self._folder, self._rows, self._kept = jobs, seed, folder, rows, kept
        self._current: tuple[int, int] | None = None  # number of the job and index of the file that is open
        self._lines: deque[str] = deque()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by watch
        self._process = subprocess.Popen(
            [*WORKER, str(examples), str(folder), str(seed), json.dumps(jobs)],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, name="soak reader")
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        self._lines.extend(line.rstrip("\n") for line in self._process.stdout)

    def watch(self) -> list[Job]:
        """Follow the process to its end, count what happens, and return the jobs that are left."""
        begun, cpu_then, hung, ended = time.monotonic(), 0.0, False, False
        while not ended:
            ended = self._process.poll() is not None
            if ended:
                self._reader.join()
            moved = self._take_lines()
            now = time.monotonic()
            if moved:
                begun, cpu_then = now, self._cpu_s()
            elif not ended:
                started = self._current is not None
                if now - begun > (HANG_S if started else START_S) or (
                    started and self._cpu_s() - cpu_then > HANG_CPU_S
                ):
                    hung = True
                    self._process.kill()
                    self._process.wait()
                time.sleep(0.02)
        self._finish(hung)
        return self._left()

    def _cpu_s(self) -> float:
        try:
            times = psutil.Process(self._process.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def _take_lines(self) -> bool:
        moved = False
        while self._lines:
            word, *rest = self._lines.popleft().split(" ", 2)
            moved = True
            if word == "begin":
                self._current = int(rest[0]), int(rest[1])
            elif word == "taken":
                self._row.taken += 1
            else:
                self._add(word, " ".join(rest))
        return moved

    @property
    def _name(self) -> str:
        assert self._current is not None
        return self._jobs[self._current[0]][0]

    @property
    def _row(self) -> Row:
        return self._rows[self._name]

    def _finish(self, hung: bool) -> None:
        code = self._process.returncode
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        self._errors.close()
        if hung:
            self._add("hangs", f"no end after {HANG_CPU_S:g} s of processor time")
        elif code != 0 and self._current is not None:  # also where written memory makes Python itself stumble
            self._add("crashes", f"exit code {code}; {' '.join(said)[:300]}")
        elif code != 0:
            raise RuntimeError("the worker does not work: " + "\n".join(said[-20:]))

    def _add(self, fault: str, text: str) -> None:
        """Count a fault of the file that is open, and keep the file while there are few."""
        assert self._current is not None
        index = self._current[1]
        self._row.add_fault(fault, f"file {index} of seed {self._seed}: {text}")
        if self._row.faults[fault] <= _KEPT_OF_A_FAULT:
            self._kept.mkdir(parents=True, exist_ok=True)
            kind = next(kind for kind in KINDS if kind.name == self._name)
            shutil.copy(self._folder / f"attempt-{index}", self._kept / f"{fault}-seed{self._seed}-{index}-{kind.file}")

    def _left(self) -> list[Job]:
        """Return the jobs behind the file that was open last."""
        if self._current is None:
            return []
        number, index = self._current
        name, first, count = self._jobs[number]
        rest = first + count - index - 1
        return ([(name, index + 1, rest)] if rest else []) + self._jobs[number + 1 :]
