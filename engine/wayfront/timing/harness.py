"""The one timing harness: every figure called *time* in this project is measured by these functions.

What is timed has been warmed up by its caller (compiled, its input in place) and ends only when its work is done,
so a device waits for its card inside. Python's garbage collector rests meanwhile: a collection would land in
whichever run happened to be on. Rivals are timed in one sitting and take turns (A B A B), so that a machine that
warms up, throttles or is shared slows them all alike.
"""

from __future__ import annotations

import gc
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Event

from wayfront.errors import OptionError, SearchCancelled
from wayfront.timing.runs import LONGEST_S
from wayfront.version import __version__


def time_runs(
    run: Callable[[], object], runs: int, *, cancel: Event | None = None, longest_s: float = LONGEST_S
) -> tuple[float, ...]:
    """Return the wall time of each run in milliseconds.

    ``runs`` is how many there shall be; there are fewer, but at least one, when ``longest_s`` is over. With 0
    there are none. Raises ``OptionError`` for a negative number and ``SearchCancelled`` once ``cancel`` is set.
    """
    return interleave({"": lambda: stopwatch(run)}, runs, cancel=cancel, longest_s=longest_s)[""]


def interleave(
    candidates: Mapping[str, Callable[[], float]],
    runs: int,
    *,
    cancel: Event | None = None,
    longest_s: float = LONGEST_S,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, tuple[float, ...]]:
    """Let the candidates take turns and return the milliseconds of each one's runs.

    A candidate does its work once and returns the milliseconds it took; ``stopwatch`` does that for anything.
    All have the same number of runs: ``runs``, or fewer, but at least one, when ``longest_s`` is over.
    ``progress`` is told the candidate that is on and the fraction done. Raises ``OptionError`` for a negative
    number of runs and ``SearchCancelled`` once ``cancel`` is set.
    """
    if runs < 0:
        raise OptionError(f"the number of runs is 0 or more, not {runs}")
    if runs == 0:
        # Collecting garbage holds the interpreter for long: a search in a window must not pay that for nothing.
        return dict.fromkeys(candidates, ())
    times: dict[str, list[float]] = {name: [] for name in candidates}
    deadline = time.perf_counter() + longest_s
    with _no_garbage_collection():
        for turn in range(runs):
            for place, (name, candidate) in enumerate(candidates.items()):
                if cancel is not None and cancel.is_set():
                    raise SearchCancelled("the timing was stopped between two runs")
                if progress is not None:
                    progress(name, (turn * len(candidates) + place) / (runs * len(candidates)))
                times[name].append(candidate())
            if time.perf_counter() > deadline:
                break
    return {name: tuple(measured) for name, measured in times.items()}


def stopwatch(run: Callable[[], object]) -> float:
    """Run something once and return the milliseconds it took."""
    begin = time.perf_counter_ns()
    run()
    return (time.perf_counter_ns() - begin) / 1e6


def sitting() -> dict[str, str]:
    """Name what figures of this sitting were measured on: processor, cores, system, versions and the day.

    A device adds its card and driver.
    """
    machine = {
        "processor": processor_name(),
        "cores": str(_usable_cores()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }
    for package in ("numpy", "numba", "numba-cuda"):
        machine[package] = _version(package)
    machine["wayfront"] = __version__
    machine["date"] = date.today().isoformat()
    return machine


@cache
def processor_name() -> str:
    """Return what the processor calls itself, or its architecture where the system does not tell."""
    name = ""
    try:
        if sys.platform == "linux":
            lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
            name = next((line.partition(":")[2] for line in lines if line.startswith("model name")), "")
        elif sys.platform == "darwin":
            command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
            name = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5).stdout
        elif sys.platform == "win32":
            import winreg

            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"HARDWARE\DESCRIPTION\System\CentralProcessor\0") as key:
                name = str(winreg.QueryValueEx(key, "ProcessorNameString")[0])
    except (OSError, ValueError, subprocess.TimeoutExpired):
        name = ""
    plain = name.replace("(R)", "").replace("(TM)", "")
    return " ".join(plain.split()) or platform.processor() or platform.machine() or "unknown processor"


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
