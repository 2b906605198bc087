"""Run a search of any kind: check, warm up, forecast, trace, finish, time clean runs, and prove the result.

What differs between kinds is a ``Procedure``. What goes wrong in an algorithm's own code is explained in words that its
author understands, with file and line, and a plug-in's search first runs with every index checked, before its compiled
form could end the process by one.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Generic, TypeVar

import numpy as np

from wayfront.devices import Ability, Device, devices, open_device
from wayfront.devices.cpu import BodyError, CheckedCpu
from wayfront.network.arcs import NOTHING_CLOSED, checked_arcs, facing, without_arcs
from wayfront.network.arguments import whole_number
from wayfront.network.conventions import SMALL
from wayfront.network.road_network import RoadNetwork
from wayfront.network.small_graphs import tiny_network
from wayfront.plugins.faults import describe_fault, explain_compiling, find_race
from wayfront.results.result import BaseResult, SearchKind, Timing
from wayfront.safe.errors import (
    CertificateError,
    DeviceError,
    DeviceMemoryError,
    KernelError,
    PluginError,
    WayfrontError,
)
from wayfront.safe.options import AUTO, resolve, unsafe_choices
from wayfront.searching.certificate import certify, with_verdict
from wayfront.searching.distances import WIDE, distance_dtypes, drops_offers
from wayfront.searching.registry import Algorithm, require_kind
from wayfront.searching.run import (
    BaseRun,
    Found,
    Procedure,
    Progress,
    ResultType_co,
    Runs,
    RunType,
    SearchOptions,
    Setting,
    in_memory_of,
    require_room,
)
from wayfront.timing.harness import how_many_runs, machine_facts, time_runs, time_until_steady
from wayfront.timing.ranges import marked, marked_steps
from wayfront.trace.observing import Observer, RunTracer
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront.trace.schema import Trace

REPORT_EVERY_S = 0.05

TRIAL_S = 0.05
"""How long steps are tried before a forecast."""

LONGEST_S = 2.0
"""Seconds for which a search is checked, once its first step is compiled and done; wrong indices come up early."""

_OF_CARDS = ("cuda", "numba_cuda", "numba")
"""The packages whose exceptions are a device's to explain, where no kernel fails to compile."""

log: Final = logging.getLogger(__name__)

ResultType = TypeVar("ResultType", bound=BaseResult)

Drive = Callable[..., "Outcome[Any]"]
"""A function of the arguments of ``search_and_time``."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[ResultType_co]):
    """What searching and timing came to.

    trace     of the traced run, None without one; ``traced_ms`` is its time
    times_ms  of the clean runs
    proved    whether the result was proved right while it was found, so that no certificate is left to check
    prepare_ms  what the algorithm prepared, and how long each part took
    race      where threads of a plug-in's body may overwrite each other, "" where that was not seen
    """

    found: Found[ResultType_co]
    trace: Trace | None
    traced_ms: float | None
    times_ms: tuple[float, ...]
    proved: bool = False
    prepare_ms: Mapping[str, float] = field(default_factory=dict)
    race: str = ""


def execute(
    procedure: Procedure[RunType, ResultType],
    network: RoadNetwork,
    asked: SearchOptions,
    drive: Drive | None = None,
) -> ResultType:
    """Run an algorithm by the procedure of its kind; errors as those of ``wayfront.search``.

    ``drive`` searches and times in place of ``search_and_time``.
    """
    if asked.runs is not None:
        whole_number(asked.runs, "runs, how many clean runs are timed,", 0)
    if asked.trace_budget is not None:
        whole_number(asked.trace_budget, "trace_budget, in bytes,", 0)
    opened = open_device(asked.device, asked.threads)
    shared_before = opened.shared_launches
    chosen = _choose_algorithm(asked.algorithm, opened, procedure, None if asked.options else network)
    measured, values = network.metric(asked.metric), resolve(chosen.options, asked.options)
    closed = checked_arcs(network, asked.closures)
    whole, closed_there = facing(network, closed, reverse=asked.reverse)
    searched = without_arcs(whole, closed_there)
    check = partial(asked.check, chosen.title)
    setting = Setting(opened, searched, searched.metric(asked.metric), values, WIDE, check, whole, closed_there)
    try:
        with opened.reserve(asked.cancel), explained(chosen):
            outcome = (drive or search_and_time)(procedure, chosen, setting, asked)
    except DeviceMemoryError as short:
        for copied in (network, searched):
            copied.forget(in_memory_of(opened))  # copies of it that did fit
        raise short.with_traceback(None) from None  # whose frames refer to what the search allocated
    note = _one_core(chosen, opened, asked.threads, shared=opened.shared_launches > shared_before)
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
        verified=True if asked.verify else None,
        note="; ".join(filter(None, (note, outcome.race))),
        closures=closed,
        reverse=asked.reverse,
    )
    doubtful = unsafe_choices(chosen.options, values)
    if asked.verify or doubtful:
        check()
    if asked.verify and not outcome.proved:
        _prove(result, outcome.race)
    return with_verdict(result, doubtful) if doubtful else result


def search_and_time(
    procedure: Procedure[RunType, ResultType], chosen: Algorithm, setting: Setting, asked: SearchOptions
) -> Outcome[ResultType]:
    """Search, once or with distances of 64 bits again, and time it; what it allocates is let go where it fails."""
    for dtype in dtypes_to_try(chosen, setting, traced=asked.traced):
        settled = replace(setting, distance_dtype=dtype)
        require_room(settled.device, settled.network, settled.metric, dtype, traced=asked.traced)
        run = procedure.make_run(settled)
        driver = Driver(chosen, run, asked)
        race = check_bodies(chosen, procedure, settled)
        warm_up(chosen, procedure.for_compiling(), settled, traced=asked.traced)
        prepared = prepare(chosen, run, asked)
        if prepared is None:
            continue
        driver.forecast()
        trace, traced_ms = (None, None) if asked.trace_budget is None else driver.traced_run(asked.trace_budget)
        if trace is None:
            driver.clean_run("searching")
        found = procedure.finish(run)
        if found is not None:
            break
    else:
        raise AssertionError("distances of 64 bits cannot overflow")
    if trace is not None and drops_offers(run, trace, driver.saw_large):
        trace, traced_ms = _trace_in_64_bits(procedure, chosen, setting, asked)
    clean, count = partial(driver.clean_run, "timing"), how_many_runs(asked.runs, driver.forecast_s)
    steady = asked.runs is None and count > 1
    times = time_until_steady(clean, cancel=asked.cancel) if steady else time_runs(clean, count, cancel=asked.cancel)
    return Outcome(found, trace, traced_ms, times, prepare_ms=prepared, race=race)


def _trace_in_64_bits(
    procedure: Procedure[RunType, ResultType], chosen: Algorithm, setting: Setting, asked: SearchOptions
) -> tuple[Trace, float]:
    """Record a search whose distances fit 32 bits once more, since offers on the way did not."""
    wide = replace(setting, distance_dtype=WIDE)
    require_room(wide.device, wide.network, wide.metric, WIDE, traced=True)
    run = procedure.make_run(wide)
    warm_up(chosen, procedure.for_compiling(), wide, traced=True)
    prepare(chosen, run, asked)
    return Driver(chosen, run, asked).traced_run(asked.trace_budget or 0)


def dtypes_to_try(chosen: Algorithm, setting: Setting, *, traced: bool) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes of distances to search with in turn, until one is wide enough."""
    dtypes = distance_dtypes(setting.device, setting.network, setting.metric, traced=traced)
    # What is prepared may have longer paths than any distance is.
    return dtypes if chosen.prepare is None or WIDE in dtypes else (*dtypes, WIDE)


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


def _prove(result: BaseResult, race: str) -> None:
    """Raise ``CertificateError`` unless a result is right, with what may be the reason."""
    try:
        certify(result)
    except CertificateError as wrong:
        if not race:
            raise
        raise CertificateError(f"{wrong}; {race}") from None


def _one_core(algorithm: Algorithm, device: Device, threads: int, *, shared: bool) -> str:
    """Return why a search that was given several threads used one core; an empty string if it used them."""
    if threads == 1 or shared:
        return ""
    if Ability.HOST_LOOPS not in device.abilities:
        return f"threads are the CPU's; this search ran on {device.id}"
    if algorithm.sequential:
        return "this search ran on one core: it is sequential"
    return "this search ran on one core: it launched nothing large enough to be divided"


def prepare(chosen: Algorithm, run: BaseRun, asked: SearchOptions) -> Mapping[str, float] | None:
    """Let an algorithm prepare for a run; None where it needs wider distances, nothing where it prepares nothing."""
    if chosen.prepare is None:
        return {}

    def report(doing: str, fraction: float) -> None:
        run.check()
        asked.report_preparing(doing, fraction)

    with marked(f"{chosen.name}: preparing"):
        return chosen.prepare(run, report, asked.cancel)


def warm_up(algorithm: Algorithm, runs: Runs[RunType, Any], setting: Setting, *, traced: bool) -> None:
    """Compile what the search will launch, by searching a tiny network of the same types once."""
    network, device = setting.network, setting.device
    if not device.compiles:
        return
    zeros, small = network.weight_range(setting.metric)[0] == 0, network.node_count <= SMALL
    key = (
        *(algorithm.name, algorithm.search, device.memory, device.threads),
        *(setting.distance_dtype.name, network.offsets.dtype.name, zeros, traced and small, traced),
        *sorted(setting.options.items()),
    )
    if key in _warm:
        return
    tiny = tiny_network(zeros=zeros)
    run = runs.make_run(replace(setting, network=tiny, metric=tiny.metrics[0], whole=None, closures=NOTHING_CLOSED))
    prepare(algorithm, run, SearchOptions())
    for recording in (True, False) if traced else (False,):
        run.observer = Observer()
        if recording:
            run.observer = tracer = run.make_tracer(DEFAULT_BUDGET_BYTES if small else 0)
            tracer.resume()
        for _ in algorithm.search(run):
            run.check()
    runs.finish(run)
    device.synchronize()
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
    """Drives an algorithm's steps, and between two of them reports and looks whether to stop.

    ``forecast_s`` are the seconds that a clean run is forecast to take, None where nothing is known.
    """

    def __init__(self, algorithm: Algorithm, run: RunType, asked: SearchOptions) -> None:
        self._algorithm = algorithm
        self._run = run
        self._asked = asked
        self._reported = 0.0
        self._steps_ahead: int | None = None
        self._saw_large: Callable[[], bool] | None = None
        self.forecast_s: float | None = None

    def forecast(self) -> None:
        """Report how long a run will take, if its number of steps is known: try a few of them first."""
        run, count_steps = self._run, self._algorithm.count_steps
        self._steps_ahead = None if count_steps is None else count_steps(run)
        if self._steps_ahead is None or not run.device.compiles:
            return
        self.forecast_s = seconds_a_step(self._algorithm.search(run), run) * self._steps_ahead
        self._report("forecast", 0, None)

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
                self._saw_large = tracer.saw_large
        finally:
            self._run.observer = Observer()
        return trace, int(trace.time_ns.sum()) / 1e6

    def saw_large(self) -> bool:
        """Return whether the traced run may have expanded distances from which an offer does not fit its dtype."""
        return self._saw_large is not None and self._saw_large()

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
        if self._asked.progress is None or now - self._reported <= REPORT_EVERY_S:
            return
        self._reported = now
        if tracer is None:
            self._report(stage, step, None)
            return
        with tracer.untimed():
            self._report(stage, max(step, tracer.step_count), tracer.trace)

    def _report(self, stage: str, step: int, snapshot: Callable[[], Trace] | None) -> None:
        self._asked.report(Progress(stage, step, snapshot, self._steps_ahead, self.forecast_s))


_warm: set[tuple[Any, ...]] = set()
"""What was compiled in this process: algorithm, device, threads, dtypes of distances and offsets, whether weights of 0
occur, whether steps are recorded, and those of a small graph, and the options, which may choose between kernels."""


@contextmanager
def explained(algorithm: Algorithm) -> Iterator[None]:
    """Explain a kernel that does not compile, and whatever a plug-in's search raises; the log has all of it.

    Raises ``KernelError`` or, for a plug-in, whose author no other device would help, ``PluginError`` in its place.
    """
    try:
        yield
    except (WayfrontError, MemoryError):
        raise
    except Exception as problem:
        why = explain_compiling(problem, algorithm.home)
        fault: WayfrontError
        if why is not None:
            fault = KernelError(why) if algorithm.own else PluginError(why)
        elif algorithm.own or type(problem).__module__.partition(".")[0] in _OF_CARDS:
            raise
        else:
            fault = PluginError(f"the search {algorithm.name} failed: {describe_fault(problem, algorithm.home)}")
        log.info("%s failed", algorithm.name, exc_info=problem)
        raise fault from None


def check_bodies(chosen: Algorithm, procedure: Procedure[Any, Any], setting: Setting) -> str:
    """Search on the checked CPU, for a card too, where a wrong index loses the device.

    Returns in one sentence where threads may overwrite each other, "" where that was not seen. Raises what a body
    raises there, with the line in its traceback, and ``PluginError`` for a search without ``yield``. The program's own
    searches are not checked, and neither are loops that a plug-in compiles by itself.
    """
    if chosen.own or not chosen.stepped or not setting.device.compiles:
        return ""
    device = CheckedCpu()
    try:
        _search(chosen, procedure, setting, device)
    except BodyError as failed:
        _search(chosen, procedure, setting, CheckedCpu(in_python=failed.launch))
        raise (failed.__cause__ or failed) from None  # Python found nothing wrong
    return next(filter(None, map(find_race, device.bodies)), "")


def _search(chosen: Algorithm, procedure: Procedure[Any, Any], setting: Setting, device: CheckedCpu) -> None:
    run = procedure.make_run(replace(setting, device=device))
    steps, begin = chosen.search(run), None
    if not isinstance(steps, Iterable):
        raise PluginError(f"{chosen.home}: the search {chosen.name} has no yield: it yields after each of its steps")
    for _ in steps:
        run.check()
        begin = begin or time.monotonic()
        if time.monotonic() - begin > LONGEST_S:
            return
