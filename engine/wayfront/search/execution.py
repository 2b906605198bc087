"""Run a search of any kind: warm up, forecast, trace, finish, time clean runs, and prove the result.

What differs between kinds is a ``Procedure``; ``wayfront.search.driver`` takes the steps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import Ability, Device, devices, open_device
from wayfront.errors import CertificateError, DeviceError, DeviceMemoryError, SearchCancelled
from wayfront.network.closing import checked_arcs, without_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO, resolve, unsafe_choices
from wayfront.search import own_code
from wayfront.search.body_check import check_bodies
from wayfront.search.certificate import certify, with_verdict
from wayfront.search.device_network import in_memory_of, require_room
from wayfront.search.distances import WIDE, distance_dtypes
from wayfront.search.driver import Driver, prepare, warm_up
from wayfront.search.procedure import Found, Procedure, Progress, ResultType_co, RunType
from wayfront.search.registry import Algorithm, require_kind
from wayfront.search.result import BaseResult, Timing
from wayfront.search.run import Setting
from wayfront.timing.harness import time_runs, time_until_steady
from wayfront.timing.machine import machine_facts
from wayfront.timing.runs import how_many_runs
from wayfront.trace.schema import Trace

ResultType = TypeVar("ResultType", bound=BaseResult)

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
        with opened.reserve(cancel), own_code.explained(chosen):
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
        note="; ".join(filter(None, (note, outcome.race))),
        closures=closed,
    )
    doubtful = unsafe_choices(chosen.options, values)
    if verify or doubtful:
        check()
    if verify and not outcome.proved:
        _prove(result, outcome.race)
    return with_verdict(result, doubtful) if doubtful else result


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
        race = check_bodies(chosen, procedure, settled)
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
    return Outcome(found, trace, traced_ms, times, prepare_ms=prepared, race=race)


def dtypes_to_try(chosen: Algorithm, setting: Setting) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes of distances to search with in turn, until one is wide enough."""
    dtypes = distance_dtypes(setting.device, setting.network, setting.metric)
    # What is prepared may hold longer paths than any distance is.
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
