"""Run a search of any kind: warm up, forecast, trace, finish, time clean runs, and prove the result.

What differs between kinds is a ``Procedure``: how a run is made, what it leaves behind, and which algorithm is the
fastest. ``wayfront.search.call`` has that of one tree.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import Ability, Device, devices, open_device
from wayfront.errors import DeviceError, DeviceMemoryError, SearchCancelled
from wayfront.network.closing import NOTHING_CLOSED, checked_arcs, without_arcs
from wayfront.network.rehearsal import tiny_network
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO, resolve, unsafe_choices
from wayfront.search.certificate import certify, with_verdict
from wayfront.search.device_network import in_memory_of, require_room
from wayfront.search.distances import WIDE, distance_dtypes
from wayfront.search.recording import RunTracer, Unobserved
from wayfront.search.registry import Algorithm, SearchKind, require_kind
from wayfront.search.result import BaseResult, Timing
from wayfront.search.run import BaseRun, Setting
from wayfront.timing.harness import time_runs, time_until_steady
from wayfront.timing.machine import machine_facts
from wayfront.timing.runs import how_many_runs
from wayfront.trace.schema import Trace

if TYPE_CHECKING:
    from wayfront.search.pairs_summary import PairsSummary

REPORT_EVERY_S = 0.05

TRIAL_S = 0.05
"""How long steps are tried before a forecast."""

RunType = TypeVar("RunType", bound=BaseRun)
ResultType = TypeVar("ResultType", bound=BaseResult)
ResultType_co = TypeVar("ResultType_co", bound=BaseResult, covariant=True)


@dataclass(frozen=True, slots=True)
class Found(Generic[ResultType_co]):
    """What a finished run leaves behind.

    ``make_result`` takes the fields of ``BaseResult`` by keyword. ``transfer_ms`` is the time of copying results back,
    ``tree_ms`` that of making them from what the search left (the parents, for a tree).
    """

    make_result: Callable[..., ResultType_co]
    transfer_ms: float
    tree_ms: float


class Procedure(Protocol[RunType, ResultType_co]):
    """What one kind of search does in its own way."""

    @property
    def kind(self) -> SearchKind:
        """The kind of the algorithms that it runs."""
        ...

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the name of the fastest algorithm of this kind on a device, with what is prepared for a network."""
        ...

    def make_run(self, setting: Setting) -> RunType:
        """Return the run that an algorithm of this kind takes."""
        ...

    def finish(self, run: RunType) -> Found[ResultType_co] | None:
        """Return what a run found, or None if its distances overflowed and it must be repeated in a wider dtype."""
        ...

    def rehearsal(self) -> Procedure[RunType, ResultType_co]:
        """Return the same procedure for a network of 64 nodes, with which everything is compiled."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is.

    ``stage`` is "preparing", "forecast", "tracing", "searching" or "timing"; ``step`` counts from 0. ``snapshot``
    returns the trace so far and may be called only inside the callback that received it; None in clean runs. Where the
    number of steps is known beforehand, ``steps_ahead`` has it, and ``seconds_ahead`` forecasts the time of one clean
    run from that of its first steps; the stage "forecast" is reported once, before the search starts. In the stage
    "preparing", ``doing`` says what is done and ``fraction`` how much of it is, -1 where that is not known.

    A search for all pairs says in ``bytes_ahead`` what its arrays will take on the device, before they are made, in
    another report of the stage "forecast", and in ``at_once``, before the first of them are searched from, how many
    sources it takes side by side. It says how many of the sources wanted are finished, and ``summary`` returns what was
    found of them; it too may be called only inside the callback.
    """

    stage: str
    step: int
    snapshot: Callable[[], Trace] | None = None
    steps_ahead: int | None = None
    seconds_ahead: float | None = None
    summary: Callable[[], PairsSummary] | None = None
    sources_done: int | None = None
    sources_wanted: int | None = None
    bytes_ahead: int | None = None
    at_once: int | None = None
    doing: str = ""
    fraction: float = -1.0


Drive = Callable[..., "Outcome[Any]"]
"""A function of the arguments of ``search_and_time``."""


def execute(
    procedure: Procedure[RunType, ResultType],
    network: RoadNetwork,
    algorithm: str,
    device: str,
    *,
    metric: str | None,
    options: Mapping[str, Any] | None,
    threads: int,
    runs: int | None,
    trace_budget: int | None,
    verify: bool,
    progress: Callable[[Progress], None] | None,
    cancel: threading.Event | None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    drive: Drive | None = None,
) -> ResultType:
    """Run an algorithm by the procedure of its kind; arguments and errors as those of ``wayfront.search``.

    ``drive`` searches and times in place of ``search_and_time``.
    """
    opened = open_device(device, threads)
    shared_before = opened.shared_launches
    chosen = _choose_algorithm(algorithm, opened, procedure, None if options else network)

    def check() -> None:
        if cancel is not None and cancel.is_set():
            raise SearchCancelled(f"{chosen.title} was stopped")

    measured, values = network.metric(metric), resolve(chosen.options, options)
    closed = checked_arcs(network, closures)
    searched = without_arcs(network, closed)
    setting = Setting(opened, searched, searched.metric(metric), values, WIDE, check, network, closed)
    try:
        with opened.reserve(cancel):
            outcome = (drive or search_and_time)(procedure, chosen, setting, runs, trace_budget, progress, cancel)
    except DeviceMemoryError as short:
        for copied in (network, searched):
            copied.forget(in_memory_of(opened))  # copies of it that did fit
        raise short.with_traceback(None) from None  # whose frames refer to what the search allocated
    note = _one_core(chosen, opened, threads, shared=opened.shared_launches > shared_before)
    machine = machine_facts() | opened.describe() | ({"threads": "1"} if note and opened.threads > 1 else {})
    found, trace = outcome.found, outcome.trace
    result = found.make_result(
        network=network,
        metric=measured,
        algorithm=chosen.name,
        options=values,
        device=opened.id,
        device_name=opened.name,
        steps=None if trace is None else len(trace),
        relaxations=None if trace is None else int(trace.relaxations.sum()),
        timing=Timing(
            outcome.times_ms, found.transfer_ms, found.tree_ms, outcome.traced_ms, machine, outcome.prepare_ms
        ),
        trace=trace,
        verified=True if verify else None,
        note=note,
        closures=closed,
    )
    doubtful = unsafe_choices(chosen.options, values)
    if verify or doubtful:
        check()
    if verify and not outcome.proved:
        certify(result)
    return with_verdict(result, doubtful) if doubtful else result


@dataclass(frozen=True, slots=True)
class Outcome(Generic[ResultType_co]):
    """What searching and timing came to.

    trace     of the traced run, None without one; ``traced_ms`` is its time
    times_ms  of the clean runs
    proved    whether the result was proved right while it was found, so that no certificate is left to check
    prepare_ms  what the algorithm prepared, and how long each part took
    """

    found: Found[ResultType_co]
    trace: Trace | None
    traced_ms: float | None
    times_ms: tuple[float, ...]
    proved: bool = False
    prepare_ms: Mapping[str, float] = field(default_factory=dict)


def search_and_time(
    procedure: Procedure[RunType, ResultType],
    chosen: Algorithm,
    setting: Setting,
    runs: int | None,
    trace_budget: int | None,
    progress: Callable[[Progress], None] | None,
    cancel: threading.Event | None,
) -> Outcome[ResultType]:
    """Search, once or with distances of 64 bits again, and time it; what it allocates is let go where it fails."""
    device, network = setting.device, setting.network
    for dtype in dtypes_to_try(chosen, setting):
        settled = replace(setting, distance_dtype=dtype)
        require_room(device, network, settled.metric, dtype, traced=trace_budget is not None)
        run = procedure.make_run(settled)
        driver = Driver(chosen, run, progress)
        warm_up(chosen, procedure.rehearsal(), settled, traced=trace_budget is not None)
        prepared = prepare(chosen, run, progress, cancel)
        if prepared is None:
            continue
        driver.forecast()
        trace, traced_ms = (None, None) if trace_budget is None else driver.traced_run(trace_budget)
        if trace is None:
            driver.clean_run("searching")
        found = procedure.finish(run)
        if found is not None:
            break
    else:
        raise AssertionError("distances of 64 bits cannot overflow")
    clean, count = partial(driver.clean_run, "timing"), how_many_runs(runs, driver.forecast_s)
    steady = runs is None and count > 1
    times = time_until_steady(clean, cancel=cancel) if steady else time_runs(clean, count, cancel=cancel)
    return Outcome(found, trace, traced_ms, times, prepare_ms=prepared)


def dtypes_to_try(chosen: Algorithm, setting: Setting) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes of distances to search with in turn, until one is wide enough."""
    dtypes = distance_dtypes(setting.device, setting.network, setting.metric)
    # What is prepared may hold longer paths than any distance is.
    return dtypes if chosen.prepare is None or WIDE in dtypes else (*dtypes, WIDE)


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

    return chosen.prepare(run, tell, cancel)


def _choose_algorithm(
    name: str, device: Device, procedure: Procedure[Any, Any], network: RoadNetwork | None
) -> Algorithm:
    """Return the algorithm of that name; for "auto" the fastest on the device, with what is prepared for a network.

    Options that someone gave are those of the device's fastest: then no network is given. Raises ``OptionError`` and
    ``DeviceError``.
    """
    chosen = require_kind(procedure.fastest(device, network) if name == AUTO else name, procedure.kind)
    if not chosen.runs_on(device):
        able = " or ".join(info.id for info in devices() if chosen.runs_on(info))
        raise DeviceError(f"{chosen.name} runs on {able}, not on {device.id}")
    return chosen


def _one_core(algorithm: Algorithm, device: Device, threads: int, *, shared: bool) -> str:
    """Return why a search that was given several threads used one core; an empty string if it used them."""
    if threads == 1 or shared:
        return ""
    if Ability.HOST_LOOPS not in device.abilities:
        return f"threads are the CPU's; this search ran on {device.id}"
    if algorithm.sequential:
        return "this search ran on one core: it is sequential"
    return "this search ran on one core: it launched nothing large enough to be divided"


def warm_up(algorithm: Algorithm, rehearsal: Procedure[RunType, Any], setting: Setting, *, traced: bool) -> None:
    """Compile what the search will launch, by searching a tiny network of the same types once."""
    network = setting.network
    if not setting.device.compiles:
        return
    zeros = network.weight_range(setting.metric)[0] == 0
    key = (
        *(algorithm.name, setting.device.memory, setting.device.threads),
        *(setting.distance_dtype.name, network.offsets.dtype.name, zeros, traced),
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
            run.observer = tracer = run.make_tracer(0)
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
        for taken in self._algorithm.search(self._run):
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
            for taken in self._algorithm.search(self._run):
                step += taken or 1
                self._between_steps("tracing", step, tracer)
                tracer.resume()  # a search that logs steps itself stopped the clock
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
occur, whether steps are recorded, and the options, which may choose between kernels."""
