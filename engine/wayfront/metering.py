"""What a stepped search costs on the host: launches, read-backs and Python, step by step, beside the device's own work.

A ``Meter`` is a device that passes everything on to another and keeps the time. Host times come from a clean run with
nothing else added: how long calls that launch took, and how long calls that read back took, which wait for whatever
the device still has to do. The device's own time cannot be had in that run, since marks in its stream would slow the
launches between them; so it comes from a further run with a mark before and after each launch, less what the same pair
of marks tells of a launch that does nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from wayfront.devices import open_device
from wayfront.devices.device import BlockKernel, Body, Device
from wayfront.kernels.observing import fill
from wayfront.network import RoadNetwork
from wayfront.options import resolve
from wayfront.registry import SearchFunction, find_algorithm
from wayfront.running import Run

EMPTY_LAUNCHES = 200
"""Launches of one idle thread that are marked to find what marks cost."""


@dataclass(frozen=True, slots=True)
class StepCosts:
    """Where the time of a clean run went, in microseconds for each step; ``launches`` and ``reads`` count calls a step.

    ``wall_us`` = ``launch_us`` + ``read_us`` + ``python_us``. ``device_us`` overlaps with the first two: the device
    works while the host goes on, and the host waits for it within ``read_us``.
    """

    algorithm: str
    steps: int
    launches: float
    reads: float
    wall_us: float
    launch_us: float
    read_us: float
    python_us: float
    device_us: float


class Meter:
    """A device that counts and times what it passes on to ``device``. With ``marking``, it also marks every launch."""

    def __init__(self, device: Device, *, marking: bool = False) -> None:
        self._device = device
        self._marking = marking
        self._inside = False
        self._marks: list[tuple[Any, Any]] = []
        self.forget()

    def forget(self) -> None:
        """Start to count anew."""
        self.launches = self.launch_ns = self.reads = self.read_ns = 0
        self._marks.clear()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def prepare(self, body: Body, block: int | None = None) -> Callable[..., None]:
        """Return the device's own launcher, timed."""
        return self._timed(self._device.prepare(body, block))

    def prepare_blocks(self, kernel: BlockKernel, block: int | None = None) -> Callable[..., None]:
        """Return the device's own launcher, timed."""
        return self._timed(self._device.prepare_blocks(kernel, block))

    def record(self, launches: Callable[[], None]) -> Callable[[], None]:
        """Return the recorded launches, timed as one; while they are recorded nothing is."""
        self._inside = True
        try:
            return self._timed(self._device.record(launches))
        finally:
            self._inside = False

    def launch_resident(self, kernel: Any, *arguments: Any) -> None:
        """Launch, timed."""
        self._timed(self._device.launch_resident)(kernel, *arguments)

    def get(self, array: Any, count: int | None = None) -> Any:
        """Read back, timed."""
        begin = time.perf_counter_ns()
        values = self._device.get(array, count)
        self.read_ns += time.perf_counter_ns() - begin
        self.reads += 1
        return values

    def device_ns(self) -> int:
        """Return the marked time of all launches counted, less that of the marks."""
        times = [self._device.elapsed_ns(begin, end) for begin, end in self._marks]
        return max(0, sum(times) - len(times) * self._marks_cost_ns())

    def _timed(self, call: Callable[..., None]) -> Callable[..., None]:
        def timed(*arguments: Any) -> None:
            if self._inside:  # a launch within a recorded step, which is timed as a whole
                call(*arguments)
                return
            self._inside = True
            mark = self._device.stamp() if self._marking else None
            begin = time.perf_counter_ns()
            call(*arguments)
            self.launch_ns += time.perf_counter_ns() - begin
            self.launches += 1
            if self._marking:
                self._marks.append((mark, self._device.stamp()))
            self._inside = False

        return timed

    def _marks_cost_ns(self) -> int:
        """Return what a pair of marks tells of a launch whose one thread has next to nothing to do."""
        device, place = self._device, self._device.empty(1, np.int32)
        launch = device.prepare(fill)
        pairs = []
        for _ in range(EMPTY_LAUNCHES):
            device.synchronize()
            begin = device.stamp()
            launch(1, place, 0)
            pairs.append((begin, device.stamp()))
        return round(median(device.elapsed_ns(begin, end) for begin, end in pairs))


def measure_steps(
    network: RoadNetwork,
    source: int,
    algorithm: str,
    device: str,
    *,
    metric: str | None = None,
    options: dict[str, Any] | None = None,
) -> StepCosts:
    """Run a search twice, once timed on the host and once marked on the device, and tell what a step cost.

    Raises ``OptionError`` and ``DeviceError`` as ``search`` does.
    """
    declared, place = find_algorithm(algorithm), open_device(device)
    values = resolve(declared.options, options)

    def search_on(meter: Meter) -> tuple[int, int]:
        """Search twice, the first time to compile; return the steps and the nanoseconds of the second."""
        run = Run(meter, network, network.metric(metric), source, values)
        _search(run, declared.search)
        meter.forget()
        begin = time.perf_counter_ns()
        steps = _search(run, declared.search)
        return steps, time.perf_counter_ns() - begin

    meter, marked = Meter(place), Meter(place, marking=True)
    steps, wall_ns = search_on(meter)
    search_on(marked)
    scale = 1e-3 / max(steps, 1)
    return StepCosts(
        algorithm=declared.name,
        steps=steps,
        launches=meter.launches / max(steps, 1),
        reads=meter.reads / max(steps, 1),
        wall_us=wall_ns * scale,
        launch_us=meter.launch_ns * scale,
        read_us=meter.read_ns * scale,
        python_us=(wall_ns - meter.launch_ns - meter.read_ns) * scale,
        device_us=marked.device_ns() * scale,
    )


def _search(run: Run, search: SearchFunction) -> int:
    """Search to the end and return the number of steps."""
    steps = sum(taken or 1 for taken in search(run))
    run.device.synchronize()
    return steps
