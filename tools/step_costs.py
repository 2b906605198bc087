"""Measure what a step costs on the host (launches, read-backs, Python) and on the device.

A ``Meter`` is a device that forwards everything to another and measures the time. Host times come from a clean run with
nothing else added: how long calls that launch took, and how long calls that read back took, which wait for whatever
the device still has to do. The device's own time cannot be measured in that run: stamps would slow it, and the device
would be idle between launches that come too slowly. So it comes from a further run, in which the device is held until
all launches up to the next read-back are queued between two stamps, and then runs without a gap.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from wayfront.devices import open_device
from wayfront.devices.device import BlockKernel, Body, Check, Device, no_check
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import SearchKind
from wayfront.safe.options import resolve
from wayfront.searching.distances import distance_dtypes, overflows
from wayfront.searching.registry import Algorithm, SearchFunction, require_kind
from wayfront.searching.run import Run, Setting

SPANS_AT_ONCE = 1 << 10
"""Pairs of stamps that are read together."""


@dataclass(frozen=True, slots=True)
class StepCosts:
    """Where the time of a clean run went, in microseconds for each step; ``launches`` and ``reads`` count calls a step.

    ``wall_us`` = ``launch_us`` + ``read_us`` + ``python_us``. ``device_us`` overlaps with the first two: the device
    works while the host continues, and the host waits for it within ``read_us``.
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
    """A device that counts and times the calls it forwards to ``device``.

    With ``stamping`` set it holds the device from the first launch to the next read-back, and stamps both.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self.stamping = False
        self._inside = False
        self._holding = False
        self._stamps = device.stamps()
        self._stamps.add()  # a card that is held can load nothing, not even what notes the time
        self._stamps.take()
        self._spans = self._device_ns = 0
        self.launches: int = 0
        self.launch_ns: int = 0
        self.reads: int = 0
        self.read_ns: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def reset(self) -> None:
        """Set all counts and times to 0."""
        self.launches = self.launch_ns = self.reads = self.read_ns = self._device_ns = 0

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        """Return the device's own launcher, timed."""
        return self._timed(self._device.prepare(body, block, check))

    def prepare_blocks(self, kernel: BlockKernel[...], block: int | None = None) -> Callable[..., None]:
        """Return the device's own launcher, timed."""
        return self._timed(self._device.prepare_blocks(kernel, block))

    def record(self, launches: Callable[[], None]) -> Callable[[], None]:
        """Return the recorded launches, timed as one; while they are recorded nothing is."""
        self._release()
        self._inside = True
        try:
            return self._timed(self._device.record(launches))
        finally:
            self._inside = False

    def get(self, array: Any, count: int | None = None) -> Any:
        """Read back, timed."""
        self._release()
        begin = time.perf_counter_ns()
        values = self._device.get(array, count)
        self.read_ns += time.perf_counter_ns() - begin
        self.reads += 1
        return values

    def synchronize(self) -> None:
        """Wait for the device."""
        self._release()
        self._device.synchronize()

    def device_ns(self) -> int:
        """Return the device's time between all pairs of stamps."""
        times = self._stamps.take()
        self._device_ns += int((times[1::2] - times[::2]).sum())
        self._spans = 0
        return self._device_ns

    def _timed(self, call: Callable[..., None]) -> Callable[..., None]:
        def timed(*arguments: Any) -> None:
            if self._inside:  # a launch within a recorded step, which is timed as a whole
                call(*arguments)
                return
            if self.stamping and not self._holding:
                self._device.hold()
                self._stamps.add()
                self._holding = True
            self._inside = True
            begin = time.perf_counter_ns()
            call(*arguments)
            self.launch_ns += time.perf_counter_ns() - begin
            self.launches += 1
            self._inside = False

        return timed

    def _release(self) -> None:
        """Stamp the end of what was launched, and let the device begin with it."""
        if self._holding:
            self._stamps.add()
            self._holding = False
            self._device.release()
            self._spans += 1
            if self._spans == SPANS_AT_ONCE:
                self.device_ns()


def measure_steps(
    network: RoadNetwork,
    source: int,
    algorithm: str,
    device: str,
    *,
    metric: str | None = None,
    options: dict[str, Any] | None = None,
) -> StepCosts:
    """Run a search twice, once timed on the host and once on the device, and return what a step costs.

    Raises ``OptionError`` and ``DeviceError`` as ``search`` does.
    """
    declared, opened = require_kind(algorithm, SearchKind.ONE_TREE), open_device(device)
    with opened.reserve(None):
        return _measure(network, source, declared, opened, metric, options)


def _measure(
    network: RoadNetwork,
    source: int,
    declared: Algorithm,
    opened: Device,
    metric: str | None,
    options: dict[str, Any] | None,
) -> StepCosts:
    meter = Meter(opened)
    measured, values = network.metric(metric), resolve(declared.options, options)
    for dtype in distance_dtypes(opened, network, measured):
        run = Run(Setting(meter, network, measured, values, dtype), source)
        _search(run, declared.search)  # compiles, and makes the work arrays
        if not overflows(run):
            break
    meter.reset()
    begin = time.perf_counter_ns()
    steps = _search(run, declared.search)
    wall_ns = time.perf_counter_ns() - begin
    scale = 1e-3 / steps
    costs = StepCosts(
        algorithm=declared.name,
        steps=steps,
        launches=meter.launches / steps,
        reads=meter.reads / steps,
        wall_us=wall_ns * scale,
        launch_us=meter.launch_ns * scale,
        read_us=meter.read_ns * scale,
        python_us=(wall_ns - meter.launch_ns - meter.read_ns) * scale,
        device_us=meter.launch_ns * scale,
    )
    if not opened.asynchronous:  # then a launch returns when its work is done
        return costs
    meter.stamping = True
    meter.reset()
    marked_steps = _search(run, declared.search)
    return replace(costs, device_us=meter.device_ns() * 1e-3 / marked_steps)


def _search(run: Run, search: SearchFunction) -> int:
    """Search to the end and return the number of steps, at least one."""
    steps = sum(taken or 1 for taken in search(run))
    run.device.synchronize()
    return max(steps, 1)
