"""Mutated files of every kind, opened in a watched process."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
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
_BATCH = 2_000


def mutate_files(
    seed: int, count: int, tiny_map: Path, kept: Path, kinds: Sequence[Kind] = KINDS, say: Callable[[str], None] = print
) -> list[Row]:
    """Open ``count`` mutated files, evenly over the kinds, and return a row for each kind.

    A file that broke something is copied into the folder ``kept``.
    """
    rows = []
    with tempfile.TemporaryDirectory(prefix="soak-") as work:
        examples = Path(work) / "examples"
        examples.mkdir()
        make_examples(examples, tiny_map)
        for number, kind in enumerate(kinds):
            share = count * (number + 1) // len(kinds) - count * number // len(kinds)
            begin = time.monotonic()
            rows.append(_mutate_kind(kind, seed, share, examples, kept))
            say(f"{kind.name}: {share:,} files in {time.monotonic() - begin:.0f} s, {dict(rows[-1].faults)}")
    return rows


def _mutate_kind(kind: Kind, seed: int, count: int, examples: Path, kept: Path) -> Row:
    row = Row(f"mutated {kind.name}")
    next_index, taken = 0, 0
    while next_index < count:
        with tempfile.TemporaryDirectory(prefix="soak-") as work:
            batch = _Batch(kind, seed, next_index, min(_BATCH, count - next_index), examples, Path(work))
            batch.watch(row, kept)
        next_index = batch.last + 1
        taken += batch.taken
    row.tried = count
    row.remarks = f"{taken:,} taken"
    return row


class _Batch:
    """One worker process and what it reports; ``last`` is the index of the last file that it opened."""

    def __init__(self, kind: Kind, seed: int, first: int, count: int, examples: Path, folder: Path) -> None:
        self.kind, self.folder, self.seed = kind, folder, seed
        self.last, self.taken = first - 1, 0
        self._lines: deque[str] = deque()
        arguments = [str(examples), str(folder), kind.name, str(seed), str(first), str(count)]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by watch
        self._worker = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "soak.file_worker", *arguments],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, name="soak reader")
        self._reader.start()

    def _read(self) -> None:
        assert self._worker.stdout is not None
        for line in self._worker.stdout:
            self._lines.append(line.rstrip("\n"))

    def watch(self, row: Row, kept: Path) -> None:
        """Follow the worker to its end and count what happens."""
        started = time.monotonic()
        begun, cpu_then, first = started, 0.0, True
        hung = ended = False
        while not ended:
            ended = self._worker.poll() is not None
            if ended:
                self._reader.join()
            moved = self._take_lines(row, kept)
            now = time.monotonic()
            if moved:
                begun, cpu_then, first = now, self._cpu_s(), False
            elif not ended:
                limit = START_S if first else HANG_S
                if now - begun > limit or (not first and self._cpu_s() - cpu_then > HANG_CPU_S):
                    hung = True
                    self._worker.kill()
                    self._worker.wait()
                time.sleep(0.02)
        self._finish(row, kept, hung)

    def _cpu_s(self) -> float:
        try:
            times = psutil.Process(self._worker.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def _take_lines(self, row: Row, kept: Path) -> bool:
        moved = False
        while self._lines:
            word, number, *text = self._lines.popleft().split(" ", 2)
            moved = True
            if word == "begin":
                self.last = int(number)
            elif word == "taken":
                self.taken = int(number)
            else:
                self._add(row, word, int(number), "".join(text), kept)
        return moved

    def _finish(self, row: Row, kept: Path, hung: bool) -> None:
        code = self._worker.returncode
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        self._errors.close()
        if hung:
            self._add(row, "hangs", self.last, f"no end after {HANG_CPU_S:g} s of processor time", kept)
        elif code < 0 and self.folder.joinpath("attempt").exists():
            self._add(row, "crashes", self.last, f"signal {-code}; {' '.join(said)[:200]}", kept)
        elif code != 0:
            raise RuntimeError("the worker does not work: " + "\n".join(said[-20:]))

    def _add(self, row: Row, fault: str, index: int, text: str, kept: Path) -> None:
        """Count a fault of a file and keep the file, of which there may be many."""
        row.add_fault(fault, f"file {index} of seed {self.seed}: {text}")
        if row.faults[fault] <= 5 and index == self.last:
            kept.mkdir(parents=True, exist_ok=True)
            name = f"{fault}-seed{self.seed}-{index}-{self.kind.file}"
            shutil.copy(self.folder / "attempt", kept / name)
