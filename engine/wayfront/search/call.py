"""Run one search: warm up, trace, make the tree, time clean runs, and prove the result."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wayfront.devices import open_device
from wayfront.devices.device import Device
from wayfront.errors import DeviceError, NetworkError, SearchCancelled
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.options import AUTO, resolve
from wayfront.search.certificate import certify
from wayfront.search.recording import Unobserved
from wayfront.search.registry import Algorithm, find_algorithm
from wayfront.search.result import Result, Timing
from wayfront.search.run import Run
from wayfront.search.tree import make_tree
from wayfront.timing.harness import sitting, time_runs
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES, Trace

REPORT_EVERY_S = 0.05

RUNS = 5
"""Clean runs that are timed where nobody asks for another number."""

LONG_S = 10.0
"""A search forecast to take longer than this is timed once, unless somebody asks for more."""

TRIAL_S = 0.05
"""How long steps are tried before a forecast."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is.

    ``stage`` is "forecast", "tracing", "searching" or "timing"; ``step`` counts from 0. ``snapshot`` returns the trace
    so far and may be called only inside the callback that received it; None in clean runs. A search whose number of
    steps is known beforehand tells it in ``steps_ahead``, and in ``seconds_ahead`` how long one clean run will take,
    judged from its first steps; the stage "forecast" is reported once, before it starts.
    """

    stage: str
    step: int
    snapshot: Callable[[], Trace] | None = None
    steps_ahead: int | None = None
    seconds_ahead: float | None = None


def search(
    network: RoadNetwork,
    source: int,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    metric: str | None = None,
    options: Mapping[str, Any] | None = None,
    runs: int | None = None,
    trace_budget: int | None = DEFAULT_BUDGET_BYTES,
    verify: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
) -> Result:
    """Find the shortest distances from one node to all others, and the tree of shortest paths.

    ``source`` is an internal node number (``network.node(id)`` gives it). ``algorithm`` and ``device`` are names from
    the registry; "auto" takes the card where there is one, and the fastest search for the device. ``metric`` is a
    metric's name (the network's first by default), ``options`` values by name. ``runs`` clean runs are timed: 0 times
    none, and None five, or one where a run is forecast to take longer than ten seconds. The traced run keeps frontiers
    within ``trace_budget`` bytes; None leaves it out, and then steps and relaxations are 0. ``verify`` proves the
    result. ``cancel`` stops the search within one step.

    Raises ``NetworkError``, ``OptionError``, ``DeviceError``, ``SearchCancelled``, and ``CertificateError`` should a
    result be wrong.
    """
    if not 0 <= source < network.node_count:
        raise NetworkError(f"{network.name} has no internal node {source}; they are 0…{network.node_count - 1}")
    place = open_device(device)
    chosen = _choose_algorithm(algorithm, place)
    measured = network.metric(metric)
    run = Run(place, network, measured, source, resolve(chosen.options, options))
    driver = _Driver(chosen, run, progress, cancel)
    driver.warm_up()
    driver.forecast()
    trace, traced_ms = (None, None) if trace_budget is None else driver.traced_run(trace_budget)
    if trace is None:
        driver.clean_run("searching")
    distances, parents, transfer_ms, tree_ms = _fetch(run)
    times = time_runs(lambda: driver.clean_run("timing"), driver.how_many_runs(runs), cancel=cancel)
    result = Result(
        network=network,
        metric=measured,
        source=source,
        algorithm=chosen.name,
        options=run.options,
        device=place.kind,
        device_name=place.name,
        distances=distances,
        parents=parents,
        steps=0 if trace is None else len(trace),
        relaxations=0 if trace is None else int(trace.relaxations.sum()),
        timing=Timing(times, transfer_ms, tree_ms, traced_ms, sitting() | place.describe()),
        trace=trace,
        verified=True if verify else None,
    )
    if verify:
        certify(result)
    return result


def _choose_algorithm(name: str, device: Device) -> Algorithm:
    if name == AUTO:
        name = "dijkstra" if device.kind == "cpu" else "near-far-resident"
    chosen = find_algorithm(name)
    if device.kind not in chosen.devices:
        raise DeviceError(f"{chosen.name} runs on {' or '.join(chosen.devices)}, not on {device.kind}")
    return chosen


class _Driver:
    """Drives an algorithm's steps, and between two of them reports and looks whether to stop."""

    def __init__(
        self,
        algorithm: Algorithm,
        run: Run,
        progress: Callable[[Progress], None] | None,
        cancel: threading.Event | None,
    ) -> None:
        self._algorithm = algorithm
        self._run = run
        self._progress = progress
        self._cancel = cancel
        self._reported = 0.0
        self._steps_ahead: int | None = None
        self._seconds_ahead: float | None = None

    def warm_up(self) -> None:
        """Compile what the search will launch, by searching a tiny network of the same types once."""
        run = self._run
        if run.device.kind == "simulator":
            return
        zeros = run.network.weight_range(run.metric)[0] == 0
        key = (self._algorithm.name, run.device.kind, run.distance_dtype.name, run.network.offsets.dtype.name, zeros)
        if key in _warm:
            return
        tiny = _tiny_network(wide=run.distance_dtype.itemsize == 8, zeros=zeros)
        rehearsal = Run(run.device, tiny, tiny.metrics[0], 0, run.options)
        for recording in (True, False):
            rehearsal.observer = rehearsal.make_tracer(0) if recording else Unobserved()
            for _ in self._algorithm.search(rehearsal):
                pass
        if rehearsal.parents is None:
            make_tree(rehearsal)
        run.device.synchronize()
        _warm.add(key)

    def forecast(self) -> None:
        """Tell how long a run will take, if its number of steps is known: try a few of them first."""
        run, count_steps = self._run, self._algorithm.count_steps
        self._steps_ahead = None if count_steps is None else count_steps(run)
        if self._steps_ahead is None or run.device.kind == "simulator":
            return
        tried, begin = 0, time.perf_counter()
        for taken in self._algorithm.search(run):
            tried += taken or 1
            run.device.synchronize()
            if time.perf_counter() - begin > TRIAL_S:
                break
        self._seconds_ahead = (time.perf_counter() - begin) / max(tried, 1) * self._steps_ahead
        self._report(Progress("forecast", 0, None, self._steps_ahead, self._seconds_ahead))

    def how_many_runs(self, asked: int | None) -> int:
        """Return how many clean runs to time."""
        if asked is not None:
            return asked
        return 1 if (self._seconds_ahead or 0.0) > LONG_S else RUNS

    def clean_run(self, stage: str) -> None:
        """Search once with nothing recorded, and wait for the device."""
        step = 0
        for taken in self._algorithm.search(self._run):
            self._between_steps(stage, step, None)
            step += taken or 1
        self._run.device.synchronize()

    def traced_run(self, budget_bytes: int) -> tuple[Trace, float]:
        """Search once with every step recorded; return the trace and the milliseconds of its steps."""
        tracer = self._run.make_tracer(budget_bytes)
        self._run.observer = tracer
        try:
            step = 0
            for taken in self._algorithm.search(self._run):
                step = max(step + (taken or 1), tracer.step_count)
                self._between_steps("tracing", step, tracer.trace)
        finally:
            self._run.observer = Unobserved()
        trace = tracer.trace()
        return trace, int(trace.time_ns.sum()) / 1e6

    def _between_steps(self, stage: str, step: int, snapshot: Callable[[], Trace] | None) -> None:
        if self._cancel is not None and self._cancel.is_set():
            raise SearchCancelled(f"{self._algorithm.title} was stopped after {step:,} steps")
        now = time.monotonic()
        if self._progress is not None and now - self._reported > REPORT_EVERY_S:
            self._reported = now
            self._report(Progress(stage, step, snapshot, self._steps_ahead, self._seconds_ahead))

    def _report(self, progress: Progress) -> None:
        if self._progress is not None:
            self._progress(progress)


def _fetch(run: Run) -> tuple[Any, Any, float, float]:
    """Make the tree and copy distances and parents back; return both and the milliseconds of copying and making."""
    begin = time.perf_counter()
    on_device = make_tree(run) if run.parents is None else run.parents
    run.device.synchronize()
    made = time.perf_counter()
    distances, parents = run.device.get(run.distances, run.node_count), run.device.get(on_device, run.node_count)
    copied = time.perf_counter()
    distances.flags.writeable = parents.flags.writeable = False
    return distances, parents, (copied - made) * 1e3, (made - begin) * 1e3


_warm: set[tuple[str, str, str, str, bool]] = set()
"""What was compiled in this process: algorithm, device, distance type, offset type, and whether weights of 0 occur."""


def _tiny_network(*, wide: bool, zeros: bool) -> RoadNetwork:
    """Return a ring long enough that a search on it goes through all its phases."""
    n = 64
    nodes = np.arange(n)
    weights = np.full(n, 2**30 if wide else 2**10)
    weights[n // 2] = 0 if zeros else 1
    ring = RoadNetwork.from_arcs(
        name="ring",
        node_count=n,
        tails=nodes,
        heads=(nodes + 1) % n,
        metrics=[Metric("weight", "", 1, weights)],
    )
    assert ring.distance_dtype(ring.metrics[0]).itemsize == (8 if wide else 4)
    return ring
