"""Run every kernel of every search under NVIDIA's compute-sanitizer, and print what it found.

usage: python tools/sanitize.py [--tools memcheck racecheck synccheck] [--searches NAME …] [--device cuda:0]
                                [--within SECONDS] [--keep FOLDER]

Each case, a search with one choice of its options, has a process of its own under each tool, as many at once as there
are cores: what takes long is compiling, and waiting for each launch. ``tools/sanitize_searches.py`` is such a process.
It notes which kernels it launched; those that are declared and were never launched are listed, so that "every kernel"
is shown and not claimed. Leaves with 1 where a tool found anything, a search failed, or a kernel is missing, and with
2 where there is no compute-sanitizer.

Only the engine is needed: neither Qt nor the command line. The costs of steps launch no other kernels and are left out:
they hold launches back, and the tools wait for each.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from sanitize_searches import MARK, OUTSIDE, Case, cases, declared_kernels

ENGINE = Path(__file__).resolve().parents[1] / "engine"
SEARCHES = Path(__file__).with_name("sanitize_searches.py")
TOOLS = ("memcheck", "racecheck", "synccheck")
PLACES = ("/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer", "/opt/cuda/bin")
"""Where compute-sanitizer lies if it is not on the path."""

LONGEST_S = 1500.0
"""Seconds that one case may take under one tool."""

SLOWEST = ("relax-update-in-turn", "delta-stepping", "bellman-ford-queue", "task-parallel", "dissection-all-pairs")
"""Searches that begin first, so that none of them is left for the end."""

FINDING = re.compile(r"^========= (?!\s|COMPUTE-SANITIZER|ERROR SUMMARY|RACECHECK SUMMARY|Target application|LEAK)\S")
"""The first line of one finding; the lines that explain it are indented."""

SUMMARY = re.compile(r"^========= (?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")


def find_sanitizer() -> str | None:
    """Return the path of compute-sanitizer, None if there is none."""
    return shutil.which("compute-sanitizer") or next(
        (found for place in PLACES if (found := shutil.which("compute-sanitizer", path=place))), None
    )


def read_findings(output: str) -> tuple[Counter[str], list[str], int | None]:
    """Return how many findings each search has, the first lines of them all, and the tool's own count.

    The count is None where the tool did not come to its end.
    """
    search, counts, lines, total = OUTSIDE, Counter[str](), [], None
    for line in output.splitlines():
        if line.startswith(MARK):
            search = line.removeprefix(MARK).strip()
            counts[search] += 0
        elif found := SUMMARY.match(line):
            total = int(found.group(1) or found.group(2))
        elif FINDING.match(line):
            counts[search] += 1
            lines.append(f"{search}: {line.removeprefix('========= ')}")
    return counts, lines, total


def file_of(tool: str, case: Case, ending: str) -> str:
    """Return the name of a file that a tool's process for a case writes."""
    return f"{tool}-{case.search}-{case.number}.{ending}"


def run_tool(tool: str, case: Case, sanitizer: str, device: str, folder: Path, end: float) -> tuple[int | None, float]:
    """Run the searches of a case under one tool; return the exit code and the seconds that it took.

    The code is None where it did not end in time: before ``end`` by the monotonic clock, or within ``LONGEST_S``. What
    the tool and the searches print goes to one file, in order.
    """
    command = [sanitizer, "--tool", tool, "--print-limit", "1000"]
    if tool == "memcheck":
        command += ["--report-api-errors", "no"]  # numba asks the driver what it may refuse
    command += [sys.executable, "-u", str(SEARCHES), "--search", case.search, "--number", str(case.number)]
    command += ["--report", str(folder / file_of(tool, case, "json")), "--device", device]
    paths = [str(ENGINE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    begin = time.monotonic()
    with (folder / file_of(tool, case, "log")).open("wb") as log:
        if begin >= end:
            return None, 0.0
        with subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        ) as process:
            try:
                code: int | None = process.wait(min(LONGEST_S, end - begin))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # the tool and what it runs
                code = None
    return code, time.monotonic() - begin


def judge(tool: str, case: Case, code: int | None, folder: Path) -> tuple[Counter[str], list[str], set[str] | None]:
    """Return how many findings a case has under a tool, all that is not as it should be, and the kernels launched.

    The kernels are None where the searches did not come to their end.
    """
    counts, problems, total = read_findings((folder / file_of(tool, case, "log")).read_text(errors="replace"))
    report = folder / file_of(tool, case, "json")
    if code != 0:
        problems.append("did not end in time" if code is None else f"ended with {code}")
    if total is None:
        problems.append("the tool printed no summary")
    elif total != sum(counts.values()):
        problems.append(f"the tool counts {total} findings, and {sum(counts.values())} were read")
    launched = set(json.loads(report.read_text())["launched"]) if report.is_file() else None
    if launched is None:
        problems.append("the searches did not come to their end")
    return counts, [f"{tool}, {case.label}: {problem}" for problem in problems], launched


def print_table(counts: dict[str, Counter[str]], launched: int) -> None:
    """Print how many findings each tool has in each search."""
    names = sorted({name for counter in counts.values() for name in counter})
    width = max((len(name) for name in names), default=10)
    print(f"{'search':<{width}}  " + "  ".join(f"{tool:>10}" for tool in counts))
    for name in names:
        print(f"{name:<{width}}  " + "  ".join(f"{counter[name]:>10}" for counter in counts.values()))
    print(f"{'all':<{width}}  " + "  ".join(f"{counter.total():>10}" for counter in counts.values()))
    print(f"kernels launched: {launched}")


def chosen_cases(device: str, searches: Sequence[str]) -> list[Case]:
    """Return the cases of these searches, of all where none is named, those that take long first."""
    from wayfront.devices import describe_device

    found = [case for case in cases(describe_device(device)) if not searches or case.search in searches]
    last = len(SLOWEST)
    return sorted(found, key=lambda case: SLOWEST.index(case.search) if case.search in SLOWEST else last)


def sanitize(
    tools: list[str], device: str, folder: Path, searches: Sequence[str] = (), within: float = float("inf")
) -> int:
    """Run the tools side by side over the cases of searches, all if none is named; return the exit code.

    What did not end within so many seconds is ended, and counts as a problem.
    """
    sanitizer = find_sanitizer()
    if sanitizer is None:
        print("there is no compute-sanitizer on the path or in /usr/local/cuda/bin: it comes with the CUDA toolkit")
        return 2
    if str(ENGINE) not in sys.path:
        sys.path.append(str(ENGINE))
    counts = {tool: Counter[str]() for tool in tools}
    launched: dict[str, set[str]] = {tool: set() for tool in tools}
    problems: list[str] = []
    pairs = [(tool, case) for case in chosen_cases(device, searches) for tool in tools]
    end = time.monotonic() + within
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        running = {threads.submit(run_tool, *pair, sanitizer, device, folder, end): pair for pair in pairs}
        for done in as_completed(running):
            (tool, case), (code, seconds) = running[done], done.result()
            found, odd, kernels = judge(tool, case, code, folder)
            counts[tool].update(found)
            problems += odd
            launched[tool] |= kernels or set()
            ended = "ended" if code == 0 else "did not end well"
            print(f"{tool}, {case.label}: {found.total()} found, {ended} after {seconds:.0f} s", flush=True)
    for tool in () if searches else tools:
        problems += [f"{tool}: never launched: {name}" for name in sorted(declared_kernels() - launched[tool])]
    print_table(counts, min(map(len, launched.values())))
    every = "" if searches else ", and every declared kernel was launched"
    print("\n".join(problems) if problems else f"nothing found{every}")
    return int(bool(problems))


def main() -> int:
    """Read the arguments, and run the tools."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", nargs="+", default=list(TOOLS), choices=[*TOOLS, "initcheck"])
    parser.add_argument("--searches", nargs="+", default=[], metavar="NAME", help="these alone; default: all")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS", help="end everything by then")
    parser.add_argument("--keep", type=Path, help="a folder for the tools' whole output")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        return sanitize(given.tools, given.device, folder, given.searches, given.within)


if __name__ == "__main__":
    sys.exit(main())
