"""Record the steps of a search: the observer's interface, and the two observers.

A search announces which nodes a step expands (``expand_marked``, ``expand_list``, ``expand_reached``), before or after
it did so, and the step's end (``step_done``), or hands over whole steps that it logged itself (``add``, ``add_steps``).
``Unobserved`` ignores all of it, ``Tracer`` makes a trace of it.

**Nothing waits for the device.** What a step did is found out behind it: its frontier goes to a log in device memory,
distances that fell are found there by comparing, and the clock's stamps go into the stream of launches. The host reads
all of it many steps at a time, when the log is full, for a picture of the search so far, and at the end.

**What a step's time covers.** The clock runs whenever the search runs: from the search's beginning, through everything
it launches, reads and computes, to the end of its last step. It is stopped while the observer's own launches run, and
between two steps, while the caller of the search reports. So a step's time covers all its launches, the search's
preparation counts for its first step, and the sum of all steps is a clean run's time plus what the search itself
spends on recording. ``step_done`` therefore comes after the last launch of a step, right before the yield. Making work
arrays is left out, since clean runs find them made. On a card the stamps, and what the host does between them while the
card waits, add some microseconds to a step of which a clean run's takes twenty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.observing import compare_distances, compare_heads, fill, reset_steps, take_count
from wayfront.kernels.step_order import order_steps
from wayfront.search.frontier_log import NOTHING, FrontierLog, Place
from wayfront.search.workspace import Workspace
from wayfront.trace.recorder import Recorder, StepTable
from wayfront.trace.schema import StepNote, Trace

ArcCounts = Callable[[], NDArray[np.int32]]
"""Returns how many arcs a step tries of each node, int32 [n], where these are not all arcs that leave it."""


STEPS_AT_ONCE = 1 << 8
"""Steps that are noted before the host reads what the device knows of them."""


class Observer(Protocol):
    """Receives the steps of a run. With ``recording`` set, resident and sequential searches log their own steps."""

    recording: bool
    first_reached: DeviceArray
    last_improved: DeviceArray

    def expand_marked(self, mark: DeviceArray) -> None:
        """Note that this step expands the marked nodes."""
        ...

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Note that this step expands the first ``count`` nodes of a list, in which no node occurs twice."""
        ...

    def expand_reached(self, distances: DeviceArray) -> None:
        """Note that this step expands every node that has a distance."""
        ...

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """Note that the step ended; ``improved`` counts the nodes it improved, if the search counted them.

        That count is set to 0 again for the next step.
        """
        ...

    def untimed(self) -> AbstractContextManager[None]:
        """Return a context within which the clock stands still."""
        ...

    def lap_ns(self) -> int:
        """Stop the clock; return the search's time since the last step, for a search that logs steps itself."""
        ...

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        """Note a whole step that the search logged itself; without a time it took all of the lap."""
        ...

    def add_steps(
        self, nodes: NDArray[np.int32], table: StepTable, relaxations: NDArray[np.int64] | None = None
    ) -> None:
        """Note whole steps that the search logged itself: their frontiers, one after the other, and their figures.

        Without ``relaxations`` each tries all arcs that leave its frontier. The nodes' array is given away.
        """
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

    def untimed(self) -> AbstractContextManager[None]:
        """Return a context that changes nothing: nothing is timed."""
        return nullcontext()

    def lap_ns(self) -> int:
        """Return 0: nothing is timed."""
        return 0

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        """Do nothing."""

    def add_steps(
        self, nodes: NDArray[np.int32], table: StepTable, relaxations: NDArray[np.int64] | None = None
    ) -> None:
        """Do nothing."""


Stretches = list[tuple[Any, Any]]
"""Pairs of stamps: when a clock was started, and when it was stopped."""


class StepClock:
    """Adds up a device's time between starts and stops."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._begin: Any = None
        self._stretches: Stretches = []

    def start(self) -> None:
        """Start the clock if it is stopped."""
        if self._begin is None:
            self._begin = self._device.stamp()

    def stop(self) -> None:
        """Stop the clock if it runs."""
        if self._begin is not None:
            self._stretches.append((self._begin, self._device.stamp()))
            self._begin = None

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stand still within the context, and run again after it if the clock ran before."""
        ran = self._begin is not None
        self.stop()
        try:
            yield
        finally:
            if ran:
                self.start()

    def lap(self) -> Stretches:
        """Stop, return the stretches since the last lap without waiting for their end, and begin another at 0."""
        self.stop()
        stretches, self._stretches = self._stretches, []
        return stretches

    def lap_ns(self) -> int:
        """Stop, wait for the device, return the nanoseconds since the last lap, and begin another at 0."""
        return self.total_ns(self.lap())

    def total_ns(self, stretches: Stretches) -> int:
        """Return the nanoseconds of stretches, waiting for their end."""
        return sum(self._device.elapsed_ns(begin, end) for begin, end in stretches)


@dataclass(frozen=True, slots=True)
class _NotedStep:
    """A step whose figures the device still has."""

    frontier: Place
    note: StepNote
    arc_counts: ArcCounts | None
    time: Stretches


class Tracer:
    """The observer of a traced run: logs every frontier on the device, compares distances, and times each step.

    Searches that log their own steps (sequential ones, resident ones) set ``first_reached`` and
    ``last_improved`` themselves and hand over finished steps through ``add`` or ``add_steps``.
    """

    recording = True

    def __init__(
        self,
        workspace: Workspace,
        out_degrees: NDArray[np.int32],
        source: int,
        distance_dtype: np.dtype[Any],
        budget_bytes: int,
        arcs: Arcs | None = None,
    ) -> None:
        n = self._node_count = len(out_degrees)
        self._degrees = out_degrees
        self._arcs = arcs
        self._short = n * n // max(int(out_degrees.sum(dtype=np.int64)), 1)
        self._workspace = workspace
        self._device = workspace.device
        self._infinity = int(np.iinfo(distance_dtype).max)
        self._recorder = Recorder(out_degrees, budget_bytes)
        self._log = FrontierLog(workspace, n)
        self._seen = self._device.empty(n, distance_dtype)
        self._improved = self._device.empty(STEPS_AT_ONCE, np.int32)
        self.first_reached = self._device.empty(n, np.int32)
        self.last_improved = self._device.empty(n, np.int32)
        workspace.launch(reset_steps, n, source, self._infinity, self._seen, self.first_reached, self.last_improved)
        workspace.launch(fill, STEPS_AT_ONCE, self._improved, 0)
        self._noted: list[_NotedStep] = []
        self._frontier = NOTHING
        self._arc_counts: ArcCounts | None = None
        self._clock = StepClock(self._device)

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return self._recorder.step_count + len(self._noted)

    def resume(self) -> None:
        """Start the clock: the search continues."""
        self._clock.start()

    def pause(self) -> None:
        """Stop the clock: the search waits."""
        self._clock.stop()

    def expand_marked(self, mark: DeviceArray) -> None:
        """Log the frontier from marks."""
        self._make_room()
        self._frontier = self._log.add_marked(mark)
        self._clock.start()

    def expand_reached(self, distances: DeviceArray) -> None:
        """Log the frontier from the distances."""
        self._make_room()
        self._frontier = self._log.add_reached(self._infinity, distances)
        self._clock.start()

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Log the frontier from a list."""
        self._make_room()
        self._frontier, self._arc_counts = self._log.add_list(nodes, count), arc_counts
        self._clock.start()

    def _make_room(self) -> None:
        """Stop the clock, and empty the log if another frontier might not fit."""
        self._clock.stop()
        self._frontier, self._arc_counts = NOTHING, None
        if not self._log.has_room():
            self._read_log()

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """Stop the clock, find what improved, and note the step."""
        time, slot = self._clock.lap(), len(self._noted)
        if improved is not None:
            self._workspace.launch(take_count, 1, improved, self._improved, slot)
        else:
            self._compare(distances, slot)
        self._noted.append(_NotedStep(self._frontier, note, self._arc_counts, time))
        self._frontier, self._arc_counts = NOTHING, None
        if len(self._noted) == STEPS_AT_ONCE:
            self._read_log()

    def _compare(self, distances: DeviceArray, slot: int) -> None:
        """Find the nodes whose distance fell: among the heads of a short list, which are few, or among all."""
        place, arcs = self._frontier, self._arcs
        known = (self.step_count, self._infinity, distances, self._seen, self.first_reached, self.last_improved)
        if arcs is None or place.packed or place.length > self._short:
            self._workspace.launch(compare_distances, self._node_count, *known, slot, self._improved)
        else:
            ends = (arcs.offsets, arcs.targets)
            self._workspace.launch(
                compare_heads, place.length, place.begin, self._log.buffer, *ends, *known, slot, self._improved
            )

    def _read_log(self) -> None:
        """Wait for the device, and record the steps noted since this was done last."""
        noted, self._noted = self._noted, []
        nodes, sizes, arcs = self._log.read([step.frontier for step in noted], self._degrees)
        if self._frontier is NOTHING:  # else the log still has to keep that of the present step
            self._log.clear()
        if not noted:
            return
        improved = self._device.get(self._improved, len(noted))
        self._workspace.launch(fill, len(noted), self._improved, 0)
        time_ns = np.array([self._clock.total_ns(step.time) for step in noted], np.int64)
        ends = np.cumsum(sizes)
        bounds = zip(noted, arcs.tolist(), ends - sizes, ends, strict=True)
        relaxations = np.array([_relaxations(*each, nodes) for each in bounds], np.int64)
        self._recorder.add_steps(nodes, sizes, relaxations, improved, time_ns, [step.note for step in noted])

    def untimed(self) -> AbstractContextManager[None]:
        """Return a context within which the clock stands still."""
        return self._clock.stopped()

    def lap_ns(self) -> int:
        """Stop the clock; return the search's time since the last step."""
        return self._clock.lap_ns()

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        """Record a step that the search logged itself, with its frontier in any order."""
        if time_ns is None:
            time_ns = self._clock.lap_ns()
        self._recorder.add(np.sort(frontier), improved, time_ns, note)

    def add_steps(
        self, nodes: NDArray[np.int32], table: StepTable, relaxations: NDArray[np.int64] | None = None
    ) -> None:
        """Record steps that the search logged itself, with frontiers in any order."""
        arcs = order_steps(nodes, table.sizes, np.zeros(len(table.sizes), bool), self._degrees)
        self._recorder.add_table(nodes, arcs if relaxations is None else relaxations, table)

    def finish(self) -> Trace:
        """Return the trace of the search that just ended; time since its last step counts for that."""
        rest = self._clock.lap()  # before the log is read, which is no time of the search
        self._read_log()
        self._recorder.add_time(self._clock.total_ns(rest))
        return self.trace()

    def trace(self) -> Trace:
        """Return the trace so far."""
        self._read_log()
        n = self._node_count
        return self._recorder.finish(self._device.get(self.first_reached, n), self._device.get(self.last_improved, n))


def _relaxations(step: _NotedStep, arcs: int, begin: int, end: int, nodes: NDArray[np.int32]) -> int:
    """Return how many arcs a step tried, whose frontier has ``arcs`` that leave it."""
    if step.arc_counts is not None:
        return int(step.arc_counts()[nodes[begin:end]].sum(dtype=np.int64))
    if step.note.relaxations is not None:
        return step.note.relaxations
    return step.note.passes * arcs
