"""Record the steps of an all-pairs search: a step is a batch of sources, and its frontier are these sources.

Everything it needs is on the host, so recording costs microseconds for each batch. With a pivot a step that would be
most of a small network's time: the clocks stand still meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.network.small import SMALL
from wayfront.search.label_log import LabelLog
from wayfront.search.recording import ArcCounts
from wayfront.search.step_clock import StepClock
from wayfront.trace.recorder import Recorder, StepTable
from wayfront.trace.schema import StepNote, Trace
from wayfront.trace.small_steps import SmallSteps, without_infinity
from wayfront.trace.step_state import StateRow


class PairsTracer:
    """The observer of a traced all-pairs run.

    ``recording_s`` adds up the seconds that noting steps took, while the search waited. ``first_reached`` and
    ``last_improved`` hold the step in which a node's row was finished, int32 [n], −1 before.
    """

    recording = True

    def __init__(self, device: Device, out_degrees: NDArray[np.int32], budget_bytes: int) -> None:
        self._recorder = Recorder(out_degrees, budget_bytes)
        self._clock = StepClock(device)
        self.recording_s: float = 0.0
        self.first_reached: DeviceArray = np.full(len(out_degrees), -1, np.int32)
        self.last_improved: DeviceArray = self.first_reached
        self.labels: LabelLog | None = None
        self._device = device
        self._small = SmallSteps(budget_bytes)

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return self._recorder.step_count

    def resume(self) -> None:
        """Start the clock: the search continues."""
        self._clock.start()

    def pause(self) -> None:
        """Stop the clock: the search waits."""
        self._clock.stop()

    def expand_marked(self, mark: DeviceArray, distances: DeviceArray, *, later: bool = False) -> None:
        """Do nothing: what a single search of many expands is not recorded."""

    def expand_reached(self, distances: DeviceArray, *, later: bool = False) -> None:
        """Do nothing, as above."""

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Do nothing, as above."""

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """Do nothing: a step of one search is none of all of them."""

    def untimed(self) -> AbstractContextManager[None]:
        """Return a context within which the clock stands still."""
        return self._clock.stopped()

    def lap_ns(self) -> int:
        """Stop the clock; return the search's time since the last step."""
        return self._clock.lap_ns()

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        """Record a step; with ``improved`` above 0 its frontier are sources whose rows are finished."""
        timed = time_ns is not None
        lap_ns = self._clock.lap_ns() if time_ns is None else time_ns
        begin = time.perf_counter()
        if improved:
            self.first_reached[frontier] = self.step_count
        self._recorder.add(np.sort(frontier), improved, lap_ns, note)
        self.recording_s += time.perf_counter() - begin
        if not timed:
            self._clock.start()

    def add_steps(
        self, nodes: NDArray[np.int32], table: StepTable, relaxations: NDArray[np.int64] | None = None
    ) -> None:
        """Do nothing: these too are steps of one search."""

    def keep_labels(self, distances: DeviceArray, steps_done: DeviceArray) -> None:
        """Do nothing: these are distances of one search."""

    def hold(self, read: Callable[[], Sequence[StateRow]]) -> None:
        """Do nothing: this is what one search holds."""

    def keep_matrix(self, entries: DeviceArray, stride: int, infinity: int) -> None:
        """Keep the distances of all pairs of a small graph: those from node i to node j lie at ``i * stride + j``."""
        n = len(self.first_reached)
        if n > SMALL:
            return
        begin = time.perf_counter()
        with self._clock.stopped():
            matrix = self._device.get(entries).reshape(-1, stride)[:n, :n]
            self._small.matrices.add(without_infinity(matrix, infinity).reshape(1, -1))
        self.recording_s += time.perf_counter() - begin

    def finish(self) -> Trace:
        """Return the trace of the search that just ended; time since its last step counts for that."""
        if self.step_count:
            self._recorder.add_time(self._clock.lap_ns())
        return self.trace()

    def trace(self) -> Trace:
        """Return the trace so far."""
        first: Any = self.first_reached
        return self._recorder.finish(first.copy(), first.copy(), self._small)
