"""Time runs: every figure called *time* in this project is measured by these functions, beside the machine's facts.

The caller warms up what is timed (compiled, its input in place), and a run ends only when its work is done, waiting for
the device included. Python's garbage collector is off meanwhile, since a collection would fall into an arbitrary run.
Searches that are compared are timed together and take turns (A B A B), so that a machine that warms up, throttles or
is shared slows all of them alike.
"""

from __future__ import annotations

import gc
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

from wayfront.safe.errors import OptionError, SearchCancelled
from wayfront.version import __version__

RUNS = 5
"""Clean runs where the caller names no number, and the number of latest ones that are to agree."""

STEADY = 0.10
"""Largest spread of runs that agree."""

SETTLING_S = 0.5
"""How long runs that do not agree are repeated, seconds: a processor that was idle takes some of it to speed up."""

LONG_S = 10.0
"""A run that is forecast to take longer than this, seconds, is timed once where the caller names no number."""

LONGEST_S = 60.0
"""No further run is started after this many seconds: a slow search then has fewer runs, but at least one."""


def how_many_runs(requested: int | None, forecast_s: float | None = None) -> int:
    """Return how many clean runs to time: ``requested``, or without a request ``RUNS``, or 1 for a long run."""
    if requested is not None:
        return requested
    return 1 if (forecast_s or 0.0) > LONG_S else RUNS


def spread(runs_ms: Sequence[float]) -> float:
    """Return how far runs differ, as a share of their median: from the first to the third quarter of them, or from
    the fastest to the median where that is more. A single slow run in many does not count.
    """
    if len(runs_ms) < 2:
        return 0.0
    import statistics

    median = statistics.median(runs_ms)
    first, _, third = statistics.quantiles(runs_ms, n=4, method="inclusive")
    return max(third - first, median - min(runs_ms)) / median if median > 0 else 0.0


def time_figures(runs_ms: Sequence[float], scale: float = 1.0) -> dict[str, Any]:
    """Return the median of runs, the least and the most, None without any, and how many runs there were.

    Where a run was a part of the whole, that takes ``scale`` times as long.
    """
    if not runs_ms:
        return {"median": None, "min": None, "max": None, "runs": 0}
    import statistics  # with what it needs, a hundredth of a start of the window

    median, low, high = (ms * scale for ms in (statistics.median(runs_ms), min(runs_ms), max(runs_ms)))
    return {"median": median, "min": low, "max": high, "runs": len(runs_ms)}


def time_runs(
    run: Callable[[], object], runs: int, *, cancel: Event | None = None, longest_s: float = LONGEST_S
) -> tuple[float, ...]:
    """Return the wall time of each run in milliseconds.

    There are ``runs`` of them, or fewer, but at least one, once ``longest_s`` seconds have passed; with 0 there are
    none. Raises ``OptionError`` for a negative number and ``SearchCancelled`` once ``cancel`` is set.
    """
    return interleave({"": lambda: stopwatch(run)}, runs, cancel=cancel, longest_s=longest_s)[""]


def time_until_steady(
    run: Callable[[], object], *, cancel: Event | None = None, settling_s: float | None = None
) -> tuple[float, ...]:
    """Return the milliseconds of ``RUNS`` runs that agree with one another: those before them warmed up.

    Runs that do not agree within ``settling_s`` seconds in all (by default ``SETTLING_S``) are noisy: the later half
    of them is returned, without those that warmed up. Raises ``SearchCancelled`` once ``cancel`` is set.
    """
    deadline = time.perf_counter() + (SETTLING_S if settling_s is None else settling_s)
    with _no_garbage_collection():
        times = list(time_runs(run, RUNS, cancel=cancel))
        while spread(times[-RUNS:]) > STEADY:
            if time.perf_counter() > deadline:
                return tuple(times[-max(RUNS, len(times) // 2) :])
            times += time_runs(run, 1, cancel=cancel)
    return tuple(times[-RUNS:])


def interleave(
    candidates: Mapping[str, Callable[[], float]],
    runs: int,
    *,
    cancel: Event | None = None,
    longest_s: float = LONGEST_S,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, tuple[float, ...]]:
    """Run the candidates in turns and return the milliseconds of each one's runs.

    A candidate does its work once and returns the milliseconds it took; ``stopwatch`` does that for any function.
    All have the same number of runs: ``runs``, or fewer, but at least one, once ``longest_s`` seconds have passed.
    ``progress`` is called with the candidate that runs next and the fraction done. Raises ``OptionError`` for a
    negative number of runs and ``SearchCancelled`` once ``cancel`` is set.
    """
    if runs < 0:
        raise OptionError(f"the number of runs is 0 or more, not {runs}")
    if runs == 0:
        return dict.fromkeys(candidates, ())
    times: dict[str, list[float]] = {name: [] for name in candidates}
    deadline = time.perf_counter() + longest_s
    with _no_garbage_collection():
        for turn in range(runs):
            for index, (name, candidate) in enumerate(candidates.items()):
                if cancel is not None and cancel.is_set():
                    raise SearchCancelled("the timing was stopped between two runs")
                if progress is not None:
                    progress(name, (turn * len(candidates) + index) / (runs * len(candidates)))
                times[name].append(candidate())
            if time.perf_counter() > deadline:
                break
    return {name: tuple(measured) for name, measured in times.items()}


def stopwatch(run: Callable[[], object]) -> float:
    """Run something once and return the milliseconds it took."""
    begin = time.perf_counter_ns()
    run()
    return (time.perf_counter_ns() - begin) / 1e6


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()  # and nothing is collected beforehand: that blocks the interpreter, hence a window, for 0.2 s
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# ------------------------------------------------------------------------------------------------ the machine

_UNIX_FOLDERS = ("/usr/bin", "/usr/local/bin", "/opt/bin", "/usr/lib/wsl/lib", "/run/current-system/sw/bin")
_WINDOWS_FOLDERS = (("SystemRoot", r"C:\Windows"), ("ProgramFiles", r"C:\Program Files"))
"""Where drivers put their tool: Linux, containers, Windows' own Linux and NixOS; Windows before and since 2018."""


def machine_facts() -> dict[str, str]:
    """Return what figures are measured on: processor, cores, system, versions of packages, and the date.

    A device adds its own, such as card and driver (``Device.describe``).
    """
    machine = {
        "processor": processor_name(),
        "cores": str(usable_cores()),
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
    """Return the name of the processor, or its architecture where the system does not report a name."""
    import subprocess

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
    return " ".join(plain.split()) or platform.machine() or "unknown processor"


@cache
def nvidia_driver_version() -> str:
    """Return the version of NVIDIA's driver as its own tool reports it, for instance 580.159.04, or "unknown"."""
    tool = _nvidia_tool()
    if tool is None:
        return "unknown"
    import subprocess

    command = [str(tool), "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        output = subprocess.run(command, capture_output=True, check=False, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return output.decode("ascii", "replace").split("\n")[0].strip() or "unknown"


def _nvidia_tool() -> Path | None:
    """Return where the driver's installer put its tool, never what a search path or the current folder holds."""
    if sys.platform == "win32":
        system, programs = (Path(os.environ.get(*folder)) for folder in _WINDOWS_FOLDERS)
        folders = (system / "System32", programs / "NVIDIA Corporation" / "NVSMI")
        names = [folder / "nvidia-smi.exe" for folder in folders if folder.is_absolute()]
    else:
        names = [Path(folder) / "nvidia-smi" for folder in _UNIX_FOLDERS]
    return next((name for name in names if name.is_file()), None)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
