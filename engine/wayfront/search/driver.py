"""Take a search's steps: what comes before the first, a rehearsal and a forecast, and traced and clean runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Generic

from wayfront.devices import Ability
from wayfront.network.closing import NOTHING_CLOSED
from wayfront.network.rehearsal import tiny_network
from wayfront.network.small import SMALL
from wayfront.search.procedure import Procedure, Progress, RunType
from wayfront.search.recording import RunTracer, Unobserved
from wayfront.search.registry import Algorithm, SearchKind
from wayfront.search.run import BaseRun, Setting
from wayfront.timing.ranges import marked, marked_steps
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront.trace.schema import Trace

REPORT_EVERY_S = 0.05

TRIAL_S = 0.05
"""How long steps are tried before a forecast."""


def prepare(
    chosen: Algorithm, run: BaseRun, progress: Callable[[Progress], None] | None, cancel: threading.Event | None
) -> Mapping[str, float] | None:
    """Let an algorithm prepare for a run; None where it needs wider distances, nothing where it prepares nothing."""
    if chosen.prepare is None:
        return {}

    def tell(doing: str, fraction: float) -> None:
        run.check()
        if progress is not None:
            progress(Progress("preparing", 0, doing=doing, fraction=fraction))

    with marked(f"{chosen.name}: preparing"):
        return chosen.prepare(run, tell, cancel)


def warm_up(algorithm: Algorithm, rehearsal: Procedure[RunType, Any], setting: Setting, *, traced: bool) -> None:
    """Compile what the search will launch, by searching a tiny network of the same types once."""
    network = setting.network
    if not setting.device.compiles:
        return
    zeros = network.weight_range(setting.metric)[0] == 0
    key = (
        *(algorithm.name, algorithm.search, setting.device.memory, setting.device.threads),
        *(
            setting.distance_dtype.name,
            network.offsets.dtype.name,
            zeros,
            traced and network.node_count <= SMALL,
            traced,
        ),
        *sorted(setting.options.items()),
    )
    if key in _warm:
        return
    tiny = tiny_network(zeros=zeros)
    run = rehearsal.make_run(
        replace(setting, network=tiny, metric=tiny.metrics[0], whole=None, closures=NOTHING_CLOSED)
    )
    prepare(algorithm, run, None, None)
    for recording in (True, False) if traced else (False,):
        run.observer = Unobserved()
        if recording:
            run.observer = tracer = run.make_tracer(DEFAULT_BUDGET_BYTES if network.node_count <= SMALL else 0)
            tracer.resume()
        for _ in algorithm.search(run):
            run.check()
    rehearsal.finish(run)
    run.device.synchronize()
    _warm.add(key)


def seconds_a_step(steps: Iterator[int | None], run: BaseRun) -> float:
    """Take the first steps of a search, for ``TRIAL_S`` seconds or a little more, and return the seconds of one.

    Before its first step a search makes and fills its arrays: where there is a second one, the first does not count.
    """
    first_s, tried, begin = 0.0, 0, time.perf_counter()
    for taken in steps:
        run.device.synchronize()
        run.check()
        now = time.perf_counter()
        if first_s == 0.0:
            first_s, begin = (now - begin) / (taken or 1), now
            continue
        tried += taken or 1
        if now - begin > TRIAL_S:
            break
    return (time.perf_counter() - begin) / tried if tried else first_s


class Driver(Generic[RunType]):
    """Drives an algorithm's steps, and between two of them reports and looks whether to stop."""

    def __init__(
        self,
        algorithm: Algorithm,
        run: RunType,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._algorithm = algorithm
        self._run = run
        self._progress = progress
        self._reported = 0.0
        self._steps_ahead: int | None = None
        self._seconds_ahead: float | None = None

    def forecast(self) -> None:
        """Report how long a run will take, if its number of steps is known: try a few of them first."""
        run, count_steps = self._run, self._algorithm.count_steps
        self._steps_ahead = None if count_steps is None else count_steps(run)
        if self._steps_ahead is None or not run.device.compiles:
            return
        self._seconds_ahead = seconds_a_step(self._algorithm.search(run), run) * self._steps_ahead
        self._report(Progress("forecast", 0, None, self._steps_ahead, self._seconds_ahead))

    @property
    def forecast_s(self) -> float | None:
        """Seconds that a clean run is forecast to take, None where nothing is known."""
        return self._seconds_ahead

    def clean_run(self, stage: str) -> None:
        """Search once with nothing recorded, and wait for the device."""
        step = 0
        with marked(f"{self._algorithm.name}: {stage}"):
            for taken in marked_steps(self._algorithm.search(self._run)):
                self._between_steps(stage, step)
                step += taken or 1
            self._run.device.synchronize()

    def traced_run(self, budget_bytes: int) -> tuple[Trace, float]:
        """Search once with every step recorded; return the trace and the milliseconds of its steps."""
        self._take_first_step()
        tracer = self._run.make_tracer(budget_bytes)
        self._run.observer = tracer
        try:
            step = 0
            tracer.resume()
            with marked(f"{self._algorithm.name}: tracing"):
                for taken in marked_steps(self._algorithm.search(self._run)):
                    step += taken or 1
                    self._between_steps("tracing", step, tracer)
                trace = tracer.finish()
        finally:
            self._run.observer = Unobserved()
        return trace, int(trace.time_ns.sum()) / 1e6

    def _take_first_step(self) -> None:
        """Take the first step of one tree on a card, unrecorded: preparing a run's launches takes milliseconds there.

        Clean runs follow and find them prepared, and so the traced one shall not pay for them either.
        """
        card = Ability.HOST_LOOPS not in self._run.device.abilities
        if card and self._algorithm.kind is SearchKind.ONE_TREE and self._run.device.compiles:
            next(iter(self._algorithm.search(self._run)), None)
            self._run.device.synchronize()

    def _between_steps(self, stage: str, step: int, tracer: RunTracer | None = None) -> None:
        """Look whether to stop, and report now and then, with the clock of a traced run stopped."""
        self._run.check()
        now = time.monotonic()
        if self._progress is None or now - self._reported <= REPORT_EVERY_S:
            return
        self._reported = now
        if tracer is None:
            self._report(Progress(stage, step, None, self._steps_ahead, self._seconds_ahead))
            return
        with tracer.untimed():
            done = max(step, tracer.step_count)
            self._report(Progress(stage, done, tracer.trace, self._steps_ahead, self._seconds_ahead))

    def _report(self, progress: Progress) -> None:
        if self._progress is not None:
            self._progress(progress)


_warm: set[tuple[Any, ...]] = set()
"""What was compiled in this process: algorithm, device, threads, dtypes of distances and offsets, whether weights of 0
occur, whether steps are recorded, and those of a small graph, and the options, which may choose between kernels."""
