"""Drive an all-pairs search: make runs and the result, warm up, forecast, search while sources finish, and time it.

One run finds everything: it is recorded and timed at once, since recording costs microseconds for each batch. Its time
is that of its steps; recording them, copying rows to the host and what the caller does with reports do not count.
Further runs, for their times alone, keep nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import Ability
from wayfront.devices.device import Device, DeviceInfo
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.matrix_files import KeptRows
from wayfront.results.pairs import PairsResult, PairsSummary
from wayfront.results.result import SearchKind
from wayfront.searching.all_pairs.checkpoint import Checkpoint
from wayfront.searching.all_pairs.proof import Prover
from wayfront.searching.all_pairs.run import Collector, Discarding, OverflowedError, PairsRun, TakesRows
from wayfront.searching.call import search
from wayfront.searching.customised import is_prepared
from wayfront.searching.execution import REPORT_EVERY_S, Outcome, dtypes_to_try, prepare, seconds_a_step, warm_up
from wayfront.searching.registry import Algorithm
from wayfront.searching.run import Found, Progress, SearchOptions, Setting, require_room
from wayfront.timing.harness import how_many_runs, time_runs
from wayfront.trace.observing import Observer, PairsTracer
from wayfront.trace.schema import Trace

REFERENCE = "dijkstra"
"""The search whose time on one core forecasts that of searches from all sources."""

REPEATED_UP_TO_S = 1.0
"""A search that took longer is not repeated unless somebody asks for it: that is many searches in one already."""

WORTH_A_TRIAL = 10**8
"""Nodes and arcs that all searches look at, from which on one is tried first: about a second."""

_OVER = object()
"""What an algorithm's steps end with."""


class AllPairs:
    """The procedure for all pairs: from ``sources``, internal numbers [k], with ``rows`` to keep them or None.

    ``verify`` proves every row: those that are found as they are found, unless workers do (``spread``), and those of an
    unfinished matrix again. Figures of a checkpoint without rows stay unproved, and the result says so.
    """

    kind = SearchKind.ALL_PAIRS

    def __init__(
        self,
        network: RoadNetwork,
        metric: Metric,
        sources: NDArray[np.int32],
        rows: KeptRows | None,
        checkpoint: Checkpoint | None,
        *,
        verify: bool,
        spread: bool = False,
    ) -> None:
        self.sources = sources
        self._rows = rows
        self._checkpoint = checkpoint
        self._prover = Prover(network, metric, sources) if verify else None
        takers: list[TakesRows] = [taker for taker in (None if spread else self._prover, rows) if taker is not None]
        figures = PairsSummary.empty(len(sources))
        self.found_before: int = 0 if checkpoint is None else checkpoint.load(sources, figures, rows, self._prover)
        self.collector: Collector = Collector(figures, tuple(takers))

    @property
    def proves(self) -> bool:
        """Whether every row is proved right as it is found."""
        return self._prover is not None

    def note_proved(self, places: NDArray[np.intp], compared: int) -> None:
        """Note of which sources a worker proved the rows, and how many of these it compared."""
        if self._prover is not None:
            self._prover.note(places, compared)

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the dissection where the network's cut is kept, else the fastest search for all pairs on a device."""
        return "dissection-all-pairs" if is_prepared(device, network) else fastest(device)

    def make_run(self, setting: Setting) -> PairsRun:
        """Return a run from the sources that are not finished."""
        return PairsRun(setting, self.collector.begin(self.sources), self.collector)

    def finish(self, run: PairsRun) -> Found[PairsResult]:
        """Return what was found: the rows were delivered before."""
        return Found(self.make_result, run.delivered_s * 1e3, 0.0)

    def for_compiling(self) -> Compiling:
        """Return the runs with which everything is compiled."""
        return Compiling()

    def prepare_rows(self, dtype: np.dtype[Any]) -> None:
        """Make what keeps rows ready for distances of a dtype."""
        if self._rows is not None:
            self._rows.prepare(dtype)

    def note_progress(self, *, over: bool) -> None:
        """Save what is finished where that is due; ``over`` says that every source is, and only timing follows."""
        if self._checkpoint is None:
            return
        if over:
            self._checkpoint.save(self.sources, self.collector.figures, self._rows)
        else:
            self._checkpoint.save_if_due(self.sources, self.collector.figures, self._rows)

    def make_result(self, **base: Any) -> PairsResult:
        """Return the result, given the fields of ``BaseResult``."""
        rows, prover = self._rows, self._prover
        if not base["relaxations"]:
            base["relaxations"] = None  # no step counted any
        if prover is not None:
            base["verified"] = True if prover.proved.all() else None
            base["note"] = "; ".join(filter(None, (base["note"], _unproved(prover.proved))))
        return PairsResult(
            **base,
            sources=self.sources,
            figures=self.collector.figures.copy(),
            matrix=None if rows is None else rows.finish(),
            matrix_path="" if rows is None else rows.path,
            found_before=self.found_before,
            proved_rows=None if prover is None else prover.proved,
            compared=0 if prover is None else prover.compared,
        )

    def closed_after(self, search: Callable[[], PairsResult]) -> PairsResult:
        """Return what a search returns; where it ends early, save what is finished if there is a checkpoint."""
        try:
            result = search()
        except BaseException:
            self._end_early()
            raise
        if self._checkpoint is not None:
            self._checkpoint.close()
        return result

    def _end_early(self) -> None:
        """Save what is finished where there is a checkpoint; else nothing unfinished is left behind."""
        resumable = self._checkpoint is not None and self.collector.figures.done.any()
        try:
            if self._checkpoint is not None and resumable:
                self._checkpoint.save(self.sources, self.collector.figures, self._rows)
        finally:
            if self._rows is not None:
                (self._rows.close if resumable else self._rows.discard)()


def _unproved(proved: NDArray[np.bool_]) -> str:
    """Return what is said where only some rows are proved, or an empty string."""
    if proved.all():
        return ""
    return f"{proved.sum():,} of {len(proved):,} rows are proved right: the other figures are a checkpoint's"


def fastest(device: DeviceInfo | Device) -> str:
    """Return the name of the fastest search for all pairs on a device."""
    return "dijkstra-in-turn" if Ability.HOST_LOOPS in device.abilities else "heap-apsp"


class Compiling:
    """Runs from all nodes of a small network, of which nothing is kept."""

    def make_run(self, setting: Setting) -> PairsRun:
        """Return a run from every node."""
        return PairsRun(setting, np.arange(setting.network.node_count, dtype=np.int32), Discarding(wants_rows=True))

    def finish(self, run: PairsRun) -> None:
        """Return nothing."""


def _until_overflow(steps: Iterator[int | None]) -> Iterator[int | None]:
    """Yield the steps of a trial; where distances overflow it is over, and the search itself finds that again."""
    with suppress(OverflowedError):
        yield from steps


class PairsDriver:
    """Drives one algorithm over the sources that a collector still lacks."""

    def __init__(self, chosen: Algorithm, procedure: AllPairs, asked: SearchOptions) -> None:
        self._chosen = chosen
        self._procedure = procedure
        self._collector = collector = procedure.collector
        self._asked = asked
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

        For others one search by Dijkstra on a core of the CPU says what all of them would take there, until the first
        batch says it better. Where that is less than a second or so nothing is tried.
        """
        run.on_plan = partial(self._report_plan, run)  # what is tried makes the arrays already
        if not run.device.compiles:
            return
        count_steps, network = self._chosen.count_steps, run.network
        self._steps_ahead = None if count_steps is None else count_steps(run)
        if self._steps_ahead is None:
            if len(run.sources) * (network.node_count + network.arc_count) > WORTH_A_TRIAL:
                first = search(network, int(run.sources[0]), REFERENCE, "cpu", metric=run.metric.name, runs=1)
                self._seconds_ahead = first.timing.runs_ms[0] / 1e3 * len(run.sources) / run.device.threads
                self._report("forecast", 0, None)
            return
        keeper, run.keeper = run.keeper, Discarding()
        steps = (self._chosen.trial or self._chosen.search)(run)
        self._seconds_ahead = seconds_a_step(_until_overflow(steps), run) * self._steps_ahead
        run.keeper = keeper
        self._report("forecast", 0, None)

    def search(self, run: PairsRun, tracer: PairsTracer | None) -> None:
        """Search from all sources of a run. Raises ``OverflowedError``, after which its other sources are done."""
        run.observer = Observer() if tracer is None else tracer
        stage = "searching" if tracer is None else "tracing"
        step = 0 if tracer is None else tracer.step_count
        steps = iter(self._chosen.search(run))
        try:
            while (taken := self._timed(run, tracer, lambda: next(steps, _OVER))) is not _OVER:
                step += taken or 1
                self._procedure.note_progress(over=False)
                self._between_steps(run, stage, step, tracer)
        finally:
            run.observer = Observer()

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
        if self._asked.progress is not None and now - self._reported > REPORT_EVERY_S:
            self._reported = now
            if stage != "timing" and self._chosen.count_steps is None:
                found = int(self._collector.figures.done.sum()) - self._done_before
                self._seconds_ahead = self.took_s / found * len(run.sources) if found else None
            self._report(stage, step, None if tracer is None else tracer.trace)

    def _report_plan(self, run: PairsRun) -> None:
        """Report what the search is about to take on the device."""
        self.planned_bytes, self.at_once = run.planned_bytes, run.side_by_side
        self._report("forecast", 0, None)

    def _report(self, stage: str, step: int, snapshot: Callable[[], Trace] | None) -> None:
        figures = self._collector.figures
        self._asked.report(
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
    procedure: AllPairs, chosen: Algorithm, setting: Setting, asked: SearchOptions
) -> Outcome[PairsResult]:
    """Search from every source that is not done yet, with distances of 64 bits once they outgrow 32, and time it."""
    driver = PairsDriver(chosen, procedure, asked)
    tracer: PairsTracer | None = None
    times: tuple[float, ...] = ()
    overflowed = False
    prepared: Mapping[str, float] | None = {}
    for dtype in dtypes_to_try(chosen, setting, traced=asked.traced):
        if procedure.collector.figures.done.all():
            break
        settled = replace(setting, distance_dtype=dtype)
        require_room(settled.device, settled.network, settled.metric, dtype, traced=False)
        warm_up(chosen, procedure.for_compiling(), settled, traced=False)
        run = procedure.make_run(settled)
        prepared = prepare(chosen, run, asked)
        if prepared is None:
            continue
        procedure.prepare_rows(dtype)
        driver.forecast(run)
        if tracer is None and asked.trace_budget is not None:
            tracer = run.make_tracer(asked.trace_budget)
        try:
            driver.search(run, tracer)
        except OverflowedError:
            overflowed = True
            del run  # its arrays are let go before wider ones are made
            continue
        took_s = driver.took_s
        # After an overflow this run had only the sources that were left: it cannot be compared with the first one.
        repeats = 0 if overflowed else max(_how_many_runs(asked.runs, took_s) - 1, 0)
        times = () if asked.runs == 0 else (took_s * 1e3,)
        procedure.note_progress(over=True)
        run.keeper = Discarding()
        times += time_runs(partial(driver.repeat, run), repeats, cancel=asked.cancel)
        break
    return Outcome(
        Found(partial(procedure.make_result, device_bytes=driver.planned_bytes), driver.delivered_s * 1e3, 0.0),
        None if tracer is None else tracer.finish(),
        None,
        times,
        proved=procedure.proves,
        prepare_ms=prepared or {},
    )
