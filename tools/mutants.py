"""Change the code that reads and writes files in thousands of places, and count the changes that no test notices.

mutmut makes the changes ("mutants") and runs, for each, the tests that execute the changed function. It wants packages
and tests side by side, so it works in a copy below ``out/mutants``. It takes tests that pytest does not find by their
names, as happens to names of odd values, for tests that fail: its log is searched for those, since they would make
every mutant look killed.

Only plain functions are changed. What numba compiles (``_examine_arcs`` of the certificate) is a decorated function and
stays as it is; tests cover that by wrong trees of every kind.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
WORK = REPOSITORY / "out" / "mutants"
_KILLED = ("killed", "timeout", "segfault", "suspicious", "caught by type check")
_NOT_RUN = "BadTestExecutionCommands"
_RESULT = re.compile(r"^\s*(\S+)\.(x\S+__mutmut_\d+): ([\w ]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Target:
    """A file that is mutated, below the package, and the tests that are to notice, below ``tests/engine``."""

    file: str
    tests: tuple[str, ...]

    @property
    def module(self) -> str:
        """The module's dotted name."""
        return f"wayfront.{self.file.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}"


TARGETS = (
    Target("safe/schema.py", ("safe/test_schema.py", "formats/test_native.py")),
    Target("safe/files.py", ("safe/test_files.py",)),
    Target("safe/folders.py", ("safe/test_files.py",)),
    Target("safe/memory.py", ("safe/test_memory.py",)),
    Target("safe/text.py", ("safe/test_text.py",)),
    Target("network/archive.py", ("formats/test_native.py", "sources/test_cache.py")),
    Target("formats/native/codec.py", ("formats/test_native.py",)),
    Target("sources/cache.py", ("sources/test_cache.py",)),
    Target("searching/certificate.py", ("searching/test_certificate.py",)),
    Target(
        "searching/result_file.py",
        ("searching/test_result_file.py", "trace/test_hostile_traces.py", "searching/test_recorded_network.py"),
    ),
    Target("trace/file.py", ("searching/test_result_file.py", "trace/test_hostile_traces.py")),
    Target("trace/container.py", ("searching/test_result_file.py", "trace/test_hostile_traces.py")),
)


def main() -> int:
    """Mutate the files that the command line names, print the table, and return 1 where mutmut did not work."""
    parser = argparse.ArgumentParser(prog="mutants.py", description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("files", nargs="*", metavar="FILE", help="mutate these files alone, as sources/cache.py")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    chosen = [target for target in TARGETS if not asked.files or target.file in asked.files]
    if not chosen:
        parser.error(f"files are: {', '.join(target.file for target in TARGETS)}")
    found: dict[str, dict[str, str]] = {}
    for target in chosen:
        _prepare(target)
        _mutate(target, asked.processes)
        found[target.file] = _results()
    _report(found)
    return 0


def _mutmut() -> str:
    return str(Path(sys.executable).with_name("mutmut"))


def _surroundings() -> dict[str, str]:
    """Return an environment in which kernels that were compiled for one target are there for the next."""
    return os.environ | {"NUMBA_CACHE_DIR": str(WORK / "kernels"), "QT_QPA_PLATFORM": "offscreen"}


def _prepare(target: Target) -> None:
    """Lay the packages and the tests out as mutmut wants them, and tell it what to mutate."""
    WORK.mkdir(parents=True, exist_ok=True)
    for folder in (WORK / "mutants", *(WORK / name for name in ("wayfront", "wayfront_gui", "tests", "assets"))):
        shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__")
    for source in ("engine/wayfront", "gui/wayfront_gui", "tests", "assets"):
        shutil.copytree(REPOSITORY / source, WORK / Path(source).name, ignore=ignored)
    tests = [f"tests/engine/{name}" for name in target.tests]
    (WORK / "pyproject.toml").write_text(f"""\
[tool.pytest.ini_options]
pythonpath = [".", "tests/support"]
addopts = "-p no:cacheprovider -p no:xdist"
markers = ["cuda: needs a card", "real_data: needs files", "screen: needs a window"]

[tool.mutmut]
debug = true
source_paths = ["wayfront"]
only_mutate = ["wayfront/{target.file}"]
pytest_add_cli_args_test_selection = {tests!r}
also_copy = ["wayfront_gui", "assets", "tests"]
""")


def _mutate(target: Target, processes: int) -> None:
    """Run mutmut on the copy. Ends the program where it did not do its work."""
    log = WORK / "log.txt"
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run(
            [_mutmut(), "run", "--max-children", str(processes)],
            cwd=WORK, env=_surroundings(), stdout=file, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    if done.returncode or _NOT_RUN in log.read_text(encoding="utf-8", errors="replace"):
        sys.exit(f"{target.file}: mutmut did not run the tests: see {log}")


def _results() -> dict[str, str]:
    """Return how each mutant of the last run ended, by its name."""
    said = subprocess.run(
        [_mutmut(), "results", "--all", "true"],
        cwd=WORK,
        env=_surroundings(),
        check=True,
        capture_output=True,
        text=True,
    )
    return {f"{module}.{name}": end for module, name, end in _RESULT.findall(said.stdout)}


def _report(found: dict[str, dict[str, str]]) -> None:
    """Print a row for each file, and each survivor as the change it is."""
    print("\n| file | mutants | killed | survived | not executed | score |\n|---|---:|---:|---:|---:|---:|")
    for file, ends in found.items():
        count = Counter("killed" if end in _KILLED else end for end in ends.values())
        tried = count["killed"] + count["survived"]
        score = f"{count['killed'] / tried:.0%}" if tried else "–"
        print(f"| `{file}` | {len(ends)} | {count['killed']} | {count['survived']} | {count['no tests']} | {score} |")
    print()
    for file, ends in found.items():
        survivors = [name for name, end in ends.items() if end == "survived"]
        print(f"{file}: {len(survivors)} survive" + "".join(f"\n  {name}" for name in survivors))


if __name__ == "__main__":
    sys.exit(main())
