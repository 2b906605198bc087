"""Time runs: every figure called *time* in this project is measured by these functions.

The caller warms up what is timed (compiled, its input in place), and a run ends only when its work is done, waiting for
the device included. Python's garbage collector is off meanwhile, since a collection would fall into an arbitrary run.
Searches that are compared are timed together and take turns (A B A B), so that a machine that warms up, throttles or
is shared slows all of them alike.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event

from wayfront.errors import OptionError, SearchCancelled
from wayfront.timing.runs import LONGEST_S, RUNS, SETTLING_S, STEADY, spread


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
