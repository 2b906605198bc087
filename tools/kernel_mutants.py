"""Make the changes of ``kernel_mutants.toml`` one by one, run the tests that should notice, and list what they miss.

mutmut leaves alone what is decorated, as all that Numba compiles is, and knows nothing of barriers and atomic
operations. So these changes are chosen by hand: an atomic operation made plain, a barrier taken out, a bound or stride
off by one, ``<`` for ``<=``, a value not reset, a wrong index.

What the simulator runs is rewritten from its text, so there a change is made in the text alone, in a copy of this
process for every change. Tests that compile what is changed run in a copy of the repository, below ``out``, with
nothing compiled before: Numba looks at the time of a function's own file, and would go on with its callers.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import itertools
import linecache
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = Path("engine") / "wayfront"
WORK = REPOSITORY / "out" / "kernel-mutants"
KILLED, SURVIVED, NOT_MADE = "killed", "survived", "not made"
COPIED = ("engine", "gui", "tests", "assets", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of a file below the package, and the tests that are to notice it.

    ``new`` stands in place of ``old``, which occurs once. ``cases`` are words, of which a test of the simulator has one
    in its name; ``tests`` are files of further ones, which compile what is changed. ``why`` says why no test can notice
    it, and is empty where one must.
    """

    file: str
    old: str
    new: str
    cases: tuple[str, ...]
    tests: tuple[str, ...]
    why: str

    @property
    def title(self) -> str:
        """The change in one line."""
        return f"{self.file}: {' '.join(self.old.split())}  →  {' '.join(self.new.split()) or '(nothing)'}"

    def change(self, text: str) -> str:
        """Return the file's text with the change in it, and as many lines: empty ones follow where it has fewer."""
        before, after = text.split(self.old)
        rest = 0 if self.old.endswith("\n") else after.index("\n") + 1
        lost = self.old.count("\n") - self.new.count("\n")
        return before + self.new + after[:rest] + lost * "\n" + after[rest:]


@dataclass(frozen=True, slots=True)
class Case:
    """A test of the simulator with its parameters, and how long it takes."""

    name: str
    run: Callable[[], None]
    seconds: float = 0.0


def mutants() -> Iterator[Mutant]:
    """Read the table."""
    with Path(__file__).with_suffix(".toml").open("rb") as file:
        for name, entry in tomllib.load(file).items():
            cases, tests = tuple(entry.get("cases", ())), tuple(entry.get("tests", ()))
            for old, new, *why in entry["changes"]:
                yield Mutant(name, old, new, cases, tests, "".join(why))


def main() -> int:
    """Try the changes that the command line names, all by default; return 1 where one survives without a reason."""
    parser = argparse.ArgumentParser(prog="kernel_mutants.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="change these files alone, as kernels/reduction.py")
    parser.add_argument("--jobs", type=int, default=1, help="compile so many changes at once (default 1)")
    parser.add_argument("--seconds", type=float, default=300.0, help="after so long a change is noticed (default 300)")
    asked = parser.parse_args()
    chosen = [mutant for mutant in mutants() if not asked.files or mutant.file in asked.files]
    words = {word for mutant in chosen for word in mutant.cases}
    cases = [_timed(case) for case in _cases() if any(word in case.name for word in words)]
    cases.sort(key=lambda case: case.seconds)
    ends = {mutant: _simulated(mutant, cases, asked.seconds) for mutant in chosen}
    left = [mutant for mutant in chosen if ends[mutant] == SURVIVED and mutant.tests]
    with ThreadPoolExecutor(asked.jobs) as pool:  # each waits for a process
        compiled = pool.map(_compiled, itertools.count(), left, itertools.repeat(asked.seconds))
        ends |= dict(zip(left, compiled, strict=True))
    return _report(ends)


def _cases() -> list[Case]:
    """Return the tests of the simulator, which run in this process."""
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    sys.path[:0] = [str(REPOSITORY / name) for name in ("tests/engine/searching", "tests/support", "engine", "gui")]
    simulated, simulated_threads, test_simulator = map(
        importlib.import_module, ("simulated", "simulated_threads", "test_simulator")
    )
    simulated_threads.install()

    def simulate(tasks: list[Any]) -> list[dict[str, Any]]:
        return [simulated.answer([*task[:5], dict(task[5]), *task[6:]]) for task in tasks]

    found = []
    for name, test in vars(test_simulator).items():
        marks = [mark.args for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
        if name.startswith("test_"):
            for values in itertools.product(*(choices for _, choices in marks)):
                given: dict[str, Any] = {"simulate": simulate}
                for (names, _), value in zip(marks, values, strict=True):
                    given |= {names: value} if isinstance(names, str) else dict(zip(names, value, strict=True))
                found.append(Case(f"{name}[{values}]", functools.partial(test, **given)))
    return found


def _timed(case: Case) -> Case:
    """Run a case without any change."""
    begin = time.perf_counter()
    case.run()
    return Case(case.name, case.run, time.perf_counter() - begin)


def _simulated(mutant: Mutant, cases: list[Case], seconds: float) -> str:
    """Return how a change ends in the simulator."""
    if (REPOSITORY / PACKAGE / mutant.file).read_text(encoding="utf-8").count(mutant.old) != 1:
        return _say(mutant, NOT_MADE)
    chosen = [case for case in cases if any(word in case.name for word in mutant.cases)]
    if _fails_simulated(mutant, chosen, seconds):
        return _say(mutant, KILLED)
    return SURVIVED if mutant.tests else _say(mutant, SURVIVED)


def _compiled(number: int, mutant: Mutant, seconds: float) -> str:
    """Return how a change ends in the tests that compile it."""
    noticed = _fails_compiled(mutant, seconds, WORK / str(number))
    return _say(mutant, KILLED if noticed else SURVIVED)


def _say(mutant: Mutant, end: str) -> str:
    print(f"{end}  {mutant.title}", flush=True)
    return end


def _fails_simulated(mutant: Mutant, cases: list[Case], seconds: float) -> bool:
    """Return whether a case fails, or they do not end in time."""
    child = os.fork()
    if child == 0:
        failed = 1
        try:
            _change_simulated(mutant)
            for case in cases:
                case.run()
            failed = 0
        finally:
            os._exit(failed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status != 0
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _change_simulated(mutant: Mutant) -> None:
    """Let the simulator read the changed text of a file."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the traceback of what fails
    path = str(REPOSITORY / PACKAGE / mutant.file)
    text = mutant.change(Path(path).read_text(encoding="utf-8"))
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    importlib.import_module("simulated_threads").forget(path)


def _fails_compiled(mutant: Mutant, seconds: float, work: Path) -> bool:
    """Return whether tests fail that compile what is changed, or they do not end in time."""
    shutil.rmtree(work, ignore_errors=True)
    for name in COPIED:
        source, target = REPOSITORY / name, work / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)
    path = work / PACKAGE / mutant.file
    path.write_text(mutant.change(path.read_text(encoding="utf-8")), encoding="utf-8")
    paths = os.pathsep.join(str(work / name) for name in ("engine", "gui"))
    environment = os.environ | {"NUMBA_CACHE_DIR": str(work / "compiled"), "PYTHONPATH": paths}
    environment.pop("NUMBA_ENABLE_CUDASIM", None)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *mutant.tests]
    log = work / "log.txt"
    with log.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(command, cwd=work, env=environment, stdout=file, stderr=file)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return True
    shutil.rmtree(work / "compiled", ignore_errors=True)
    if status in (2, 4, 5):  # tests were not found, or cannot be read
        sys.exit(f"pytest did not run: see {log}")
    return status != 0  # with 1 tests have failed; what writes out of bounds ends in many ways


def _report(ends: dict[Mutant, str]) -> int:
    """Print a row for each file, and each survivor."""
    print("\n| file | changes | killed | survived |\n|---|---:|---:|---:|")
    for file in dict.fromkeys(mutant.file for mutant in ends):
        of_file = [end for mutant, end in ends.items() if mutant.file == file]
        print(f"| `{file}` | {len(of_file)} | {of_file.count(KILLED)} | {of_file.count(SURVIVED)} |")
    found = list(ends.values())
    print(f"| all | {len(found)} | {found.count(KILLED)} | {found.count(SURVIVED)} |\n")
    for mutant, end in ends.items():
        if end != KILLED:
            print(f"{end}: {mutant.title}" + (f"\n  {mutant.why}" if mutant.why else ""))
    return 1 if any(end != KILLED and not mutant.why for mutant, end in ends.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
