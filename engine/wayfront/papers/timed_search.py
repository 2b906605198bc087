"""Time one search of a table: whole, by its steps, or by its nodes, within a limit."""

from __future__ import annotations

import time
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import open_device
from wayfront.errors import SearchCancelled
from wayfront.network.road_network import RoadNetwork
from wayfront.options import resolve
from wayfront.papers.description import Contender
from wayfront.search.registry import find_algorithm
from wayfront.search.run import Run, Setting
from wayfront.timing.harness import stopwatch

STEPS = 1_000
"""Steps over which the time of one is averaged, as in paper B."""


class Deadline(Event):
    """An event that is set with the caller's, and that raises once a run takes too long or is forecast to.

    The clock starts with ``begin``, so that compiling, which looks whether to stop too, does not count.
    """

    def __init__(self, seconds: float, cancel: Event, endless: bool) -> None:
        super().__init__()
        self._seconds, self._cancel, self._endless = seconds, cancel, endless
        self._begun: float | None = None
        self._forecast_s: float | None = None

    def is_set(self) -> bool:
        """Return whether to stop. Raises ``SearchCancelled``, with the reason, once the time is over."""
        if self._cancel.is_set():
            return True
        if self._endless:
            return False
        if self._forecast_s is not None and self._forecast_s > self._seconds:
            raise SearchCancelled(f"one run would take about {format_duration(self._forecast_s)} here: --long runs it")
        if self._begun is not None and time.monotonic() - self._begun > self._seconds:
            raise SearchCancelled(
                f"one run takes longer than {format_duration(self._seconds)} here: --seconds allows more"
            )
        return False

    def begin(self) -> None:
        """Start the clock if it is not running."""
        if self._begun is None:
            self._begun = time.monotonic()

    def expect(self, seconds: float) -> None:
        """Set the forecast of the run's time."""
        self._forecast_s = seconds


class TimedSearch:
    """One contender on one device, prepared so that further runs allocate nothing.

    ``distance_dtype`` is that of a whole search from the same source, which showed that its distances fit.
    """

    def __init__(
        self,
        contender: Contender,
        device_id: str,
        network: RoadNetwork,
        source: int,
        distance_dtype: np.dtype[Any],
        cancel: Event,
    ) -> None:
        self._algorithm = find_algorithm(contender.algorithm)
        options = resolve(self._algorithm.options, contender.options)
        self._run = Run(Setting(open_device(device_id), network, network.metric(), options, distance_dtype), source)
        self._measure = contender.measure
        self._cancel = cancel
        self._warm = False

    def once(self) -> float:
        """Run once and return the milliseconds of the search, of one step, or of one node."""
        if self._measure == "step":
            return self._steps(self._cancel)[0]
        if not self._warm:
            # The first run allocates and prepares: it counts only for a slow search, where that makes no difference.
            self._warm, first = True, stopwatch(self._whole)
            if first > 1000:
                return self._scaled(first)
        return self._scaled(stopwatch(self._whole))

    def first_steps(self, cancel: Event) -> tuple[NDArray[Any], int]:
        """Run the first steps once; return the distances after them, and how many nodes were settled."""
        _, steps = self._steps(cancel)
        return self._run.device.get(self._run.distances, self._run.node_count), steps

    def _whole(self) -> None:
        for _ in self._algorithm.search(self._run):
            if self._cancel.is_set():
                raise SearchCancelled("stopped")
        self._run.device.synchronize()

    def _scaled(self, ms: float) -> float:
        return ms / self._run.node_count if self._measure == "per node" else ms

    def _steps(self, cancel: Event) -> tuple[float, int]:
        """Run the first steps; return the milliseconds of one and how many there were.

        The clock starts at the first yield, because what comes before it also prepares the search.
        """
        run = self._run
        taken = prepared = 0
        begin = time.perf_counter_ns()
        for made in self._algorithm.search(run):
            if cancel.is_set():
                raise SearchCancelled("stopped")
            taken += made or 1
            if not prepared:
                run.device.synchronize()
                prepared, begin = taken, time.perf_counter_ns()
            elif taken - prepared >= STEPS:
                break
        run.device.synchronize()
        timed = max(taken - prepared, 1)
        return (time.perf_counter_ns() - begin) / 1e6 / timed, taken


def format_duration(seconds: float) -> str:
    """Return a duration in a suitable unit: ``12 s``, ``4.5 min``, ``3.2 h``, ``2.1 days``."""
    for size, unit in ((86_400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.3g} s"
