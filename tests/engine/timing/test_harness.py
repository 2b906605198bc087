"""The timing harness: how many runs, in which turn, what stops them; and ranges on a profiler's time line."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from wayfront import open_network, search
from wayfront.results.result import Timing
from wayfront.safe.errors import OptionError, SearchCancelled
from wayfront.timing import harness, ranges
from wayfront.timing import harness as machine
from wayfront.timing.harness import (
    interleave,
    machine_facts,
    nvidia_driver_version,
    processor_name,
    stopwatch,
    time_runs,
    time_until_steady,
)


def test_every_run_is_timed_in_milliseconds() -> None:
    times = time_runs(lambda: time.sleep(0.003), 4)
    assert len(times) == 4
    assert all(3 <= t < 500 for t in times)


def test_stopwatch_counts_milliseconds() -> None:
    assert 5 <= stopwatch(lambda: time.sleep(0.005)) < 500


def test_no_runs_are_no_times() -> None:
    assert time_runs(lambda: pytest.fail("ran"), 0) == ()


def test_a_negative_number_of_runs_is_refused() -> None:
    with pytest.raises(OptionError, match="0 or more, not -1"):
        time_runs(lambda: None, -1)


def test_a_long_search_stops_early_but_runs_once() -> None:
    assert len(time_runs(lambda: time.sleep(0.002), 1000, longest_s=0)) == 1


def taking(monkeypatch: pytest.MonkeyPatch, *runs_ms: float) -> Callable[[], None]:
    """Return what takes these times in turn, and then the last one again, on a clock of its own."""
    clock, left = [0], list(runs_ms)

    def run() -> None:
        clock[0] += round(1e6 * (left.pop(0) if len(left) > 1 else left[0]))

    told = SimpleNamespace(perf_counter_ns=lambda: clock[0], perf_counter=lambda: clock[0] * 1e-9)
    monkeypatch.setattr(harness, "time", told)
    return run


def test_runs_of_a_processor_that_speeds_up_are_timed_once_they_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    run = taking(monkeypatch, 9.0, 8.0, 5.9, 3.0, 2.06)
    timing = Timing(time_until_steady(run, settling_s=0.5), 0.0, 0.0, None)
    assert timing.median_ms == pytest.approx(2.06)
    assert not timing.noisy


def test_a_single_slow_run_is_no_noise_and_runs_that_never_agree_are(monkeypatch: pytest.MonkeyPatch) -> None:
    calm = time_until_steady(taking(monkeypatch, 2.0, 2.01, 7.0, 2.0, 2.02), settling_s=0.5)
    assert (len(calm), Timing(calm, 0.0, 0.0, None).noisy) == (5, False)
    restless = time_until_steady(taking(monkeypatch, *[2.0, 3.0] * 100), settling_s=0.1)
    assert 15 < len(restless) < 25, "the later half"
    assert Timing(restless, 0.0, 0.0, None).noisy


def test_cancel_between_two_runs() -> None:
    cancel, done = Event(), []

    def run() -> None:
        done.append(1)
        if len(done) == 2:
            cancel.set()

    with pytest.raises(SearchCancelled):
        time_runs(run, 100, cancel=cancel)
    assert len(done) == 2


def test_candidates_take_turns_and_report_their_own_time() -> None:
    order: list[str] = []

    def candidate(name: str, ms: float) -> float:
        order.append(name)
        return ms

    told: list[tuple[str, float]] = []
    times = interleave(
        {"a": lambda: candidate("a", 1.5), "b": lambda: candidate("b", 2.5)},
        3,
        progress=lambda name, fraction: told.append((name, fraction)),
    )
    assert order == ["a", "b"] * 3
    assert times == {"a": (1.5,) * 3, "b": (2.5,) * 3}
    assert [name for name, _ in told] == order
    assert [fraction for _, fraction in told] == pytest.approx([k / 6 for k in range(6)])


def test_all_candidates_have_the_same_number_of_runs_when_time_is_over() -> None:
    times = interleave(
        {"slow": lambda: stopwatch(lambda: time.sleep(0.01)), "fast": lambda: 0.0}, 1000, longest_s=0.001
    )
    assert [len(t) for t in times.values()] == [1, 1]


def test_the_garbage_collector_rests_and_returns() -> None:
    states: list[bool] = []
    time_runs(lambda: states.append(gc.isenabled()), 2)
    assert states == [False, False]
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        time_runs(lambda: 1 // 0, 1)
    assert gc.isenabled()


def test_a_sitting_names_processor_versions_and_day() -> None:
    machine = machine_facts()
    assert {"processor", "cores", "system", "python", "numpy", "numba", "numba-cuda", "wayfront", "date"} <= set(
        machine
    )
    assert all(isinstance(value, str) and value for value in machine.values())
    assert int(machine["cores"]) >= 1
    assert machine["processor"] == processor_name()


# ------------------------------------------------------------------------------------------------- the driver's tool


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two programs called nvidia-smi: the driver's own, and one in the current folder and on the search path."""
    for name in ("driver", "here"):
        script = tmp_path / name / "nvidia-smi"
        script.parent.mkdir()
        script.write_text(f"#!/bin/sh\necho {name} 580.1\n")
        script.chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(machine, "_UNIX_FOLDERS", (str(tmp_path / "driver"),))
    nvidia_driver_version.cache_clear()
    return tmp_path / "driver" / "nvidia-smi"


@pytest.mark.skipif(sys.platform == "win32", reason="scripts of a shell")
def test_only_the_drivers_own_tool_is_run(tools: Path) -> None:
    assert nvidia_driver_version() == "driver 580.1"
    tools.unlink()
    nvidia_driver_version.cache_clear()
    assert nvidia_driver_version() == "unknown"


@pytest.mark.usefixtures("tools")
def test_a_driver_that_does_not_answer_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_arguments: object, timeout: float, **_options: object) -> None:
        raise subprocess.TimeoutExpired("nvidia-smi", timeout)

    monkeypatch.setattr(subprocess, "run", silent)
    assert nvidia_driver_version() == "unknown"


def test_on_windows_the_tool_is_looked_for_in_the_systems_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("SystemRoot", str(tmp_path))
    monkeypatch.setenv("ProgramFiles", "here")
    assert machine._nvidia_tool() is None
    tool = tmp_path / "System32" / "nvidia-smi.exe"
    tool.parent.mkdir()
    tool.touch()
    assert machine._nvidia_tool() == tool


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is pushed and popped, in order, in place of the package."""
    calls: list[str] = []
    package: Any = ModuleType("nvtx")
    package.push_range = lambda name, domain: calls.append(name)
    package.pop_range = lambda domain: calls.append("end")
    monkeypatch.setitem(sys.modules, "nvtx", package)
    monkeypatch.setattr(ranges, "_nvtx", None)
    return calls


def test_runs_and_steps_are_marked_once_that_is_asked_for(noted: list[str]) -> None:
    grid = open_network("synthetic:ring?nodes=9")
    plain = search(grid, 0, "dijkstra", "cpu", runs=1)
    assert noted == [] and not ranges.are_marked()
    ranges.mark_ranges()
    result = search(grid, 0, "dijkstra", "cpu", runs=1, trace=True)
    assert (result.distances == plain.distances).all()
    assert noted[0] == "dijkstra: tracing" and "dijkstra: timing" in noted and "step 0" in noted
    assert noted.count("end") * 2 == len(noted), "each range ends"


def test_without_the_package_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "_nvtx", None)
    monkeypatch.setitem(sys.modules, "nvtx", None)
    with pytest.raises(OptionError, match="need the package nvtx: pip install"):
        ranges.mark_ranges()
