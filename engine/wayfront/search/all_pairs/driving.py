"""Drive an all-pairs search: warm up, forecast, search while sources finish, and time it.

One run finds everything: it is recorded and timed at once, since recording costs microseconds for each batch. Its time
is that of its steps; recording them, copying rows to the host and what the caller does with reports do not count.
Further runs, for their times alone, keep nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from wayfront.search.all_pairs.collecting import Collector, Discarding
from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.all_pairs.run import OverflowedError, PairsRun
from wayfront.search.all_pairs.tracer import PairsTracer
from wayfront.search.call import search
from wayfront.search.device_network import require_room
from wayfront.search.driver import REPORT_EVERY_S, prepare, seconds_a_step, warm_up
from wayfront.search.execution import Outcome, dtypes_to_try
from wayfront.search.procedure import Found, Procedure, Progress
from wayfront.search.recording import Unobserved
from wayfront.search.registry import Algorithm
from wayfront.search.run import Setting
from wayfront.timing.harness import time_runs
from wayfront.timing.runs import how_many_runs
from wayfront.trace.schema import Trace

Report = Callable[[Progress], None]

REFERENCE = "dijkstra"
"""The search whose time on one core forecasts that of searches from all sources."""

REPEATED_UP_TO_S = 1.0
"""A search that took longer is not repeated unless somebody asks for it: that is many searches in one already."""

WORTH_A_TRIAL = 10**8
"""Nodes and arcs that all searches look at, from which on one is tried first: about a second."""

_OVER = object()
"""What an algorithm's steps end with."""


class PairsProcedure(Procedure[PairsRun, PairsResult], Protocol):
    """The procedure for all pairs, with what it keeps while it searches."""

    collector: Collector
    proves: bool

    def prepare_rows(self, dtype: np.dtype[Any]) -> None:
        """Make what keeps rows ready for distances of a dtype."""
        ...

    def note_progress(self, *, over: bool) -> None:
        """Save what is finished where that is due; ``over`` says that every source is, and only timing follows."""
        ...

    def make_result(self, **base: Any) -> PairsResult:
        """Return the result, given the fields of ``BaseResult``."""
        ...


def _until_overflow(steps: Iterator[int | None]) -> Iterator[int | None]:
    """Yield the steps of a trial; where distances overflow it is over, and the search itself finds that again."""
    with suppress(OverflowedError):
        yield from steps


class PairsDriver:
    """Drives one algorithm over the sources that a collector still lacks."""

    def __init__(self, chosen: Algorithm, procedure: PairsProcedure, report: Report | None) -> None:
        self._chosen = chosen
        self._procedure = procedure
        self._collector = collector = procedure.collector
        self._report = report
        self._reported = 0.0
        self._steps_ahead: int | None = None
        self._seconds_ahead: float | None = None
        self.planned_bytes: int | None = None
        self.at_once: int | None = None
        self._done_before = int(collector.figures.done.sum())
        self.took_s: float = 0.0
        self.delivered_s: float = 0.0

    def forecast(self, run: PairsRun) -> None:
        """Report how long a run will take, before it starts: by a few of its steps where their number is known.

        For others one search by Dijkstra on a core of the CPU tells what all of them would take there, until the first
        batch tells it better. Where that is less than a second or so nothing is tried.
        """
        run.on_plan = partial(self._tell_plan, run)  # what is tried makes the arrays already
        if not run.device.compiles:
            return
        count_steps, network = self._chosen.count_steps, run.network
        self._steps_ahead = None if count_steps is None else count_steps(run)
        if self._steps_ahead is None:
            if len(run.sources) * (network.node_count + network.arc_count) > WORTH_A_TRIAL:
                first = search(
                    network, int(run.sources[0]), REFERENCE, "cpu", metric=run.metric.name, runs=1, trace_budget=None
                )
                self._seconds_ahead = first.timing.runs_ms[0] / 1e3 * len(run.sources) / run.device.threads
                self._send("forecast", 0, None)
            return
        keeper, run.keeper = run.keeper, Discarding()
        steps = (self._chosen.trial or self._chosen.search)(run)
        self._seconds_ahead = seconds_a_step(_until_overflow(steps), run) * self._steps_ahead
        run.keeper = keeper
        self._send("forecast", 0, None)

    def search(self, run: PairsRun, tracer: PairsTracer | None) -> None:
        """Search from all sources of a run. Raises ``OverflowedError``, after which its other sources are done."""
        run.observer = Unobserved() if tracer is None else tracer
        stage = "searching" if tracer is None else "tracing"
        step = 0 if tracer is None else tracer.step_count
        steps = iter(self._chosen.search(run))
        try:
            while (taken := self._timed(run, tracer, lambda: next(steps, _OVER))) is not _OVER:
                step += taken or 1
                self._procedure.note_progress(over=False)
                self._between_steps(run, stage, step, tracer)
        finally:
            run.observer = Unobserved()

    def _timed(self, run: PairsRun, tracer: PairsTracer | None, work: Callable[[], Any]) -> Any:
        """Do work with the clocks running; what delivering rows takes is counted apart, and recording them is not."""
        if tracer is not None:
            tracer.resume()
        recording = 0.0 if tracer is None else tracer.recording_s
        begin, delivered = time.perf_counter(), run.delivered_s
        try:
            done = work()
            if done is _OVER:
                run.device.synchronize()
            return done
        finally:
            took, self.delivered_s = time.perf_counter() - begin, self.delivered_s + run.delivered_s - delivered
            self.took_s += took - (run.delivered_s - delivered)
            if tracer is not None:
                self.took_s -= tracer.recording_s - recording
                tracer.pause()

    def repeat(self, run: PairsRun) -> None:
        """Search once for the time alone."""
        for step, _ in enumerate(self._chosen.search(run)):
            self._between_steps(run, "timing", step, None)
        run.device.synchronize()

    def _between_steps(self, run: PairsRun, stage: str, step: int, tracer: PairsTracer | None) -> None:
        run.check()
        now = time.monotonic()
        if self._report is not None and now - self._reported > REPORT_EVERY_S:
            self._reported = now
            if stage != "timing" and self._chosen.count_steps is None:
                found = int(self._collector.figures.done.sum()) - self._done_before
                self._seconds_ahead = self.took_s / found * len(run.sources) if found else None
            self._send(stage, step, None if tracer is None else tracer.trace)

    def _tell_plan(self, run: PairsRun) -> None:
        """Report what the search is about to take on the device."""
        self.planned_bytes, self.at_once = run.planned_bytes, run.side_by_side
        self._send("forecast", 0, None)

    def _send(self, stage: str, step: int, snapshot: Callable[[], Trace] | None) -> None:
        if self._report is None:
            return
        figures = self._collector.figures
        self._report(
            Progress(
                stage,
                step,
                snapshot,
                self._steps_ahead,
                self._seconds_ahead,
                summary=figures.copy,
                sources_done=int(figures.done.sum()),
                sources_wanted=len(figures.done),
                bytes_ahead=self.planned_bytes,
                at_once=self.at_once,
            )
        )


def _how_many_runs(runs: int | None, took_s: float) -> int:
    """Return how often the search is timed in all, the run that found everything among them."""
    return 1 if runs is None and took_s > REPEATED_UP_TO_S else how_many_runs(runs)


def search_pairs(
    procedure: PairsProcedure,
    chosen: Algorithm,
    setting: Setting,
    runs: int | None,
    trace_budget: int | None,
    progress: Report | None,
    cancel: threading.Event | None,
) -> Outcome[PairsResult]:
    """Search from every source that is not done yet, with distances of 64 bits once they outgrow 32, and time it."""
    driver = PairsDriver(chosen, procedure, progress)
    tracer: PairsTracer | None = None
    times: tuple[float, ...] = ()
    overflowed = False
    prepared: Mapping[str, float] | None = {}
    for dtype in dtypes_to_try(chosen, setting):
        if procedure.collector.figures.done.all():
            break
        settled = replace(setting, distance_dtype=dtype)
        require_room(settled.device, settled.network, settled.metric, dtype, traced=False)
        warm_up(chosen, procedure.rehearsal(), settled, traced=False)
        run = procedure.make_run(settled)
        prepared = prepare(chosen, run, progress, cancel)
        if prepared is None:
            continue
        procedure.prepare_rows(dtype)
        driver.forecast(run)
        if tracer is None and trace_budget is not None:
            tracer = run.make_tracer(trace_budget)
        try:
            driver.search(run, tracer)
        except OverflowedError:
            overflowed = True
            del run  # its arrays are let go before wider ones are made
            continue
        took_s = driver.took_s
        # After an overflow this run had only the sources that were left: it cannot be compared with the first one.
        repeats = 0 if overflowed else max(_how_many_runs(runs, took_s) - 1, 0)
        times = () if runs == 0 else (took_s * 1e3,)
        procedure.note_progress(over=True)
        run.keeper = Discarding()
        times += time_runs(partial(driver.repeat, run), repeats, cancel=cancel)
        break
    return Outcome(
        Found(partial(procedure.make_result, device_bytes=driver.planned_bytes), driver.delivered_s * 1e3, 0.0),
        None if tracer is None else tracer.finish(),
        None,
        times,
        proved=procedure.proves,
        prepare_ms=prepared or {},
    )
