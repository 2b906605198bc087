"""Record the steps of a search: the observer's interface, and the two observers.

A search announces which nodes a step expands (``expand_marked``, ``expand_list``, ``expand_reached``), before or after
it did so, and the step's end (``step_done``), or hands over whole steps that it logged itself (``add``). ``Unobserved``
ignores all of it, ``Tracer`` makes a trace of it.

**What a step's time covers.** The clock runs whenever the search runs: from the search's beginning, through everything
it launches, reads and computes, to the end of its last step. It is stopped while the observer reads and compares, and
between two steps, while the caller of the search reports. So a step's time covers all its launches, the search's
preparation counts for its first step, and the sum of all steps is a clean run's time plus what the search itself
spends on recording. ``step_done`` therefore comes after the last launch of a step, right before the yield.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Body, Device, DeviceArray
from wayfront.kernels.observing import collect_marked, collect_reached, compare_distances, fill, reset_steps
from wayfront.search.workspace import Workspace
from wayfront.trace.recorder import Recorder
from wayfront.trace.schema import StepNote, Trace

ArcCounts = Callable[[], NDArray[np.int32]]
"""Returns how many arcs a step tries of each node, int32 [n], where these are not all arcs that leave it."""


class Observer(Protocol):
    """Receives the steps of a run. With ``recording`` set, resident and sequential searches log their own steps."""

    recording: bool
    first_reached: DeviceArray
    last_improved: DeviceArray

    def expand_marked(self, mark: DeviceArray) -> None:
        """Note that this step expands the marked nodes."""
        ...

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Note that this step expands the first ``count`` nodes of a list."""
        ...

    def expand_reached(self, distances: DeviceArray) -> None:
        """Note that this step expands every node that has a distance."""
        ...

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """Note that the step ended; ``improved`` counts the nodes it improved, if the search counted them."""
        ...

    def lap_ns(self) -> int:
        """Stop the clock; return the search's time since the last step, for a search that logs steps itself."""
        ...

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        """Note a whole step that the search logged itself; without a time it took all of the lap."""
        ...


class RunTracer(Observer, Protocol):
    """The observer of a traced run, whose clock runs only while the search does."""

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        ...

    def resume(self) -> None:
        """Start the clock: the search continues."""
        ...

    def pause(self) -> None:
        """Stop the clock: the search waits."""
        ...

    def trace(self) -> Trace:
        """Return the trace so far."""
        ...

    def finish(self) -> Trace:
        """Return the trace of the search that just ended; time since its last step counts for that."""
        ...


class Unobserved:
    """The observer of a clean run: it does nothing and costs nothing."""

    recording = False
    first_reached: DeviceArray = None
    last_improved: DeviceArray = None

    def expand_marked(self, mark: DeviceArray) -> None:
        """Do nothing."""

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Do nothing."""

    def expand_reached(self, distances: DeviceArray) -> None:
        """Do nothing."""

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """Do nothing."""

    def lap_ns(self) -> int:
        """Return 0: nothing is timed."""
        return 0

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        """Do nothing."""


class StepClock:
    """Adds up a device's time between starts and stops."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._begin: Any = None
        self._stretches: list[tuple[Any, Any]] = []

    def start(self) -> None:
        """Start the clock if it is stopped."""
        if self._begin is None:
            self._begin = self._device.stamp()

    def stop(self) -> None:
        """Stop the clock if it runs."""
        if self._begin is not None:
            self._stretches.append((self._begin, self._device.stamp()))
            self._begin = None

    def lap_ns(self) -> int:
        """Stop, return the nanoseconds since the last lap, and begin another at 0."""
        self.stop()
        total = sum(self._device.elapsed_ns(begin, end) for begin, end in self._stretches)
        self._stretches.clear()
        return total


class Tracer:
    """The observer of a traced run: reads every frontier, compares distances, and times each step.

    Searches that log their own steps (sequential ones, resident ones) set ``first_reached`` and
    ``last_improved`` themselves and hand over finished steps through ``add``.
    """

    recording = True

    def __init__(
        self,
        workspace: Workspace,
        out_degrees: NDArray[np.int32],
        source: int,
        distance_dtype: np.dtype[Any],
        budget_bytes: int,
    ) -> None:
        n = self._node_count = len(out_degrees)
        self._workspace = workspace
        self._device = workspace.device
        self._infinity = int(np.iinfo(distance_dtype).max)
        self._recorder = Recorder(out_degrees, budget_bytes)
        self._seen = self._device.empty(n, distance_dtype)
        self._found = self._device.empty(n, np.int32)
        self._count = self._device.empty(1, np.int32)
        self._awake = self._device.empty(1, np.int32)
        self.first_reached = self._device.empty(n, np.int32)
        self.last_improved = self._device.empty(n, np.int32)
        workspace.launch(reset_steps, n, source, self._infinity, self._seen, self.first_reached, self.last_improved)
        self._frontier = np.empty(0, np.int32)
        self._arc_counts: ArcCounts | None = None
        self._clock = StepClock(self._device)

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return self._recorder.step_count

    def resume(self) -> None:
        """Start the clock: the search continues."""
        self._start_clock()

    def _start_clock(self) -> None:
        """Start the clock on a device that is at work.

        A card that idled while a frontier was read and sorted takes up to 100 µs longer to begin the next launch. A
        clean run never waits for that, so a small launch takes it before the clock runs.
        """
        if self._device.asynchronous:
            self._workspace.launch(fill, 1, self._awake, 0)
            self._device.synchronize()
        self._clock.start()

    def pause(self) -> None:
        """Stop the clock: the search waits."""
        self._clock.stop()

    def expand_marked(self, mark: DeviceArray) -> None:
        """Read the frontier from marks, in node order."""
        self._expand_found(collect_marked, mark)

    def expand_reached(self, distances: DeviceArray) -> None:
        """Read the frontier from the distances, in node order."""
        self._expand_found(collect_reached, self._infinity, distances)

    def _expand_found(self, collect: Body, *arguments: Any) -> None:
        self._clock.stop()
        self._workspace.launch(fill, 1, self._count, 0)
        self._workspace.launch(collect, self._node_count, *arguments, self._found, self._count)
        self.expand_list(self._found, self._workspace.read(self._count)[0])

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Read the frontier from a list, in node order."""
        self._clock.stop()
        self._frontier = np.sort(self._device.get(nodes, count))
        self._arc_counts = arc_counts
        self._start_clock()

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """Stop the clock, find what improved, and record the step."""
        self._clock.stop()
        if improved is None:
            improved = self._count
            self._compare(distances)
        count = self._workspace.read(improved)[0]
        if self._arc_counts is not None:
            note = replace(note, relaxations=int(self._arc_counts()[self._frontier].sum(dtype=np.int64)))
        self._recorder.add(self._frontier, count, self._clock.lap_ns(), note)

    def _compare(self, distances: DeviceArray) -> None:
        self._workspace.launch(fill, 1, self._count, 0)
        self._workspace.launch(
            compare_distances,
            self._node_count,
            self.step_count,
            self._infinity,
            distances,
            self._seen,
            self.first_reached,
            self.last_improved,
            self._count,
        )

    def lap_ns(self) -> int:
        """Stop the clock; return the search's time since the last step."""
        return self._clock.lap_ns()

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        """Record a step that the search logged itself, with its frontier in any order."""
        if time_ns is None:
            time_ns = self._clock.lap_ns()
        self._recorder.add(np.sort(frontier), improved, time_ns, note)

    def finish(self) -> Trace:
        """Return the trace of the search that just ended; time since its last step counts for that."""
        self._recorder.add_time(self._clock.lap_ns())
        return self.trace()

    def trace(self) -> Trace:
        """Return the trace so far."""
        n = self._node_count
        return self._recorder.finish(self._device.get(self.first_reached, n), self._device.get(self.last_improved, n))
