"""Observe the steps of a run: not at all in a clean run, and else so that a trace is made of them.

A search announces which nodes a step expands (``expand_marked``, ``expand_list``, ``expand_reached``) and the step's
end (``step_done``), or hands over whole steps that it logged itself (``add``, ``add_steps``). ``Observer`` ignores all
of it. ``Tracer`` logs every frontier, compares distances, and times each step of a search for one tree or a route. For
all pairs (``PairsTracer``) a step is a batch of sources, and its frontier are these sources: all of that is on the
host, and recording it costs microseconds for each batch.

**The host reads nothing of a step.** Its frontier goes to a log in device memory, distances that fell are found there
by comparing, and a kernel notes the time. The host reads all of it many steps at a time: when the log is full, for a
picture of the search so far, and at the end.

**What a step's time covers.** The clock runs whenever the search runs: from the search's beginning, through everything
it launches, reads and computes, to the end of its last step. It leaves out the observer's own launches, the caller's
report between two steps, and the making of work arrays, since clean runs find them made. So a step's time covers all
its launches, the search's preparation counts for its first step, and the sum of all steps is a clean run's time plus
the host's for a few lines of Python a step.

**Where the observer's launches are.** A step that is recorded as a whole has them recorded with it, at its beginning:
the host does no more than in a clean run. They log what the step is about to expand, and find out what the step before
improved, whose time ends there. Other steps show what they expanded until they end: they are logged then, and the host
waits for that with the clock stopped, so that the next step finds the device idle as it would in a clean run.

**Small graphs.** Where the distances are compared they are also copied, whole, by one more launch.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.devices.workspace import Workspace
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.observing import SLOTS, compare_distances, compare_heads, order_steps, reset_steps, take_count
from wayfront.network.conventions import SMALL
from wayfront.trace.device_logs import FrontierLog, LabelLog, Place, StepClock
from wayfront.trace.recorder import Recorder, SmallSteps, StepTable, without_infinity
from wayfront.trace.schema import StateRow, StepNote, Trace

ArcCounts = Callable[[], NDArray[np.int32]]
"""Returns how many arcs a step tries of each node, int32 [n], where these are not all arcs that leave it."""

STEPS_AT_ONCE = SLOTS
"""Steps that are noted before the host reads what the device knows of them."""

MAP = -1
"""The length of a frontier that is logged as a bit map."""

_NotedStep = tuple[int, int, StepNote, ArcCounts | None]
"""A step whose figures the device still has: the first of its stretches of time, the nodes of its list or ``MAP``."""


class Observer:
    """Receives the steps of a run. This one is that of a clean run: it does nothing and costs nothing.

    With ``recording`` set, resident and sequential searches log their own steps. ``labels`` is there on small graphs,
    whose traces keep the distances after every step: searches that log their own steps then hand them over too.
    """

    recording: bool = False
    first_reached: DeviceArray = None
    last_improved: DeviceArray = None
    labels: LabelLog | None = None

    def expand_marked(self, mark: DeviceArray, distances: DeviceArray, *, later: bool = False) -> None:
        """Launch what logs that this step expands the marked nodes, and what the step before did to the distances.

        That comes before all other launches of the step, and can be recorded with them. With ``later`` the marks are
        looked at when the step ends: they stay as they are until then, or come about in the step.
        """

    def expand_reached(self, distances: DeviceArray, *, later: bool = False) -> None:
        """Launch what logs that this step expands every node that has a distance, likewise."""

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Note that this step expands the first ``count`` nodes of a list, in which no node occurs twice.

        The list stays as it is until the step ends.
        """

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """Note that the step ended; ``improved`` counts the nodes it improved, if the search counted them.

        That count is set to 0 again for the next step.
        """

    def untimed(self) -> AbstractContextManager[None]:
        """Return a context within which the clock stands still."""
        return nullcontext()

    def lap_ns(self) -> int:
        """Stop the clock until steps are added; return the search's time since then, if it logs steps itself."""
        return 0

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        """Note a whole step that the search logged itself; without a time it took all of the lap."""

    def add_steps(
        self, nodes: NDArray[np.int32], table: StepTable, relaxations: NDArray[np.int64] | None = None
    ) -> None:
        """Note whole steps that the search logged itself: their frontiers, one after the other, and their figures.

        Without ``relaxations`` each tries all arcs that leave its frontier. The nodes' array is given away.
        """

    def keep_labels(self, distances: DeviceArray, steps_done: DeviceArray) -> None:
        """Launch what keeps the distances of a small graph, for a search that logs its own steps while the clock runs.

        It can be recorded with a step. The first element of ``steps_done`` counts the steps, this one included.
        """

    def hold(self, read: Callable[[], Sequence[StateRow]]) -> None:
        """Keep what the search has in its queue, heap or buckets before its first step, and then after each.

        ``read`` is called at once, on small graphs alone, and not in clean runs.
        """

    def keep_matrix(self, entries: DeviceArray, stride: int, infinity: int) -> None:
        """Keep the distances of all pairs before the first step, or after the one noted last, on small graphs."""


class RunTracer(Observer):
    """The observer of a traced run, whose clock runs from ``resume`` to ``finish``, but for what is ``untimed``."""

    recording = True

    def __init__(self, device: Device, out_degrees: NDArray[np.int32], budget_bytes: int) -> None:
        self._device = device
        self._clock = StepClock(device)
        self._recorder = Recorder(out_degrees, budget_bytes)
        self._small = SmallSteps(budget_bytes)

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return self._recorder.step_count

    def saw_large(self) -> bool:
        """Return whether distances may have been expanded whose offers do not all fit; not while the clock runs."""
        return False

    def resume(self) -> None:
        """Start the clock: the search begins, or continues."""
        self._clock.start()

    def untimed(self) -> AbstractContextManager[None]:
        """Return a context within which the clock stands still."""
        return self._clock.stopped()

    def lap_ns(self) -> int:
        """Stop the clock until steps are added; return the search's time since the last ones."""
        return self._clock.lap_ns()

    def finish(self) -> Trace:
        """Return the trace of the search that just ended; time since its last step counts for that."""
        if self.step_count:
            self._recorder.add_time(self._clock.lap_ns())
        return self.trace()

    def trace(self) -> Trace:
        """Return the trace so far; not while the clock runs."""
        raise NotImplementedError


class Tracer(RunTracer):
    """The observer of a traced run of one tree.

    Searches that log their own steps (sequential ones, resident ones) set ``first_reached`` and
    ``last_improved`` themselves and hand over finished steps through ``add`` or ``add_steps``. A budget of 0 bytes
    keeps no distances of small graphs, as what compiles for a larger one wants it.
    """

    def __init__(
        self,
        workspace: Workspace,
        out_degrees: NDArray[np.int32],
        source: int,
        distance_dtype: np.dtype[Any],
        budget_bytes: int,
        arcs: Arcs | None = None,
        largest_weight: int = 0,
    ) -> None:
        super().__init__(workspace.device, out_degrees, budget_bytes)
        n = self._node_count = len(out_degrees)
        self._degrees = out_degrees
        self._arcs = arcs
        self._short = n * n // max(int(out_degrees.sum(dtype=np.int64)), 1)
        self._workspace = workspace
        self._infinity = int(np.iinfo(distance_dtype).max)
        self._log = FrontierLog(workspace, n, self._infinity - 1 - largest_weight)
        self._hides = False  # whether a step may expand nodes at distances that no comparison sees
        if n <= SMALL and budget_bytes:
            self.labels: LabelLog | None = LabelLog(workspace, n, distance_dtype)
            self._small.tentative.add(self.labels.start(source))
        self._seen = self._device.empty(n, distance_dtype)
        self.first_reached: DeviceArray = self._device.empty(n, np.int32)
        self.last_improved: DeviceArray = self._device.empty(n, np.int32)
        workspace.launch(reset_steps, n, source, self._infinity, self._seen, self.first_reached, self.last_improved)
        self._noted: list[_NotedStep] = []
        self._ended: int | None = 0  # how many stretches belong to finished steps; None: all
        self._left_ns = 0  # time of the step that runs, or the next one, of which the stamps were read
        self._log_at_end: Callable[[], None] | None = None
        self._length = MAP
        self._arc_counts: ArcCounts | None = None
        self._skipped = 0  # stretches that the recorded launches of a step end
        self._not_compared: DeviceArray = None

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return self._recorder.step_count + len(self._noted)

    def saw_large(self) -> bool:
        """Return whether distances may have been expanded whose offers do not all fit; not while the clock runs."""
        return self._hides or self._log.saw_above()

    def expand_marked(self, mark: DeviceArray, distances: DeviceArray, *, later: bool = False) -> None:
        """Log the frontier from marks."""
        self._expand(lambda: self._log.add_marked(mark), distances, later)

    def expand_reached(self, distances: DeviceArray, *, later: bool = False) -> None:
        """Log the frontier from the distances."""
        self._expand(lambda: self._log.add_marked(distances, self._infinity), distances, later)

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Log the frontier from a list."""
        self._expand_later(lambda: self._log.add_list(nodes, count), count)
        self._arc_counts = arc_counts

    def _expand(self, log: Callable[[], None], distances: DeviceArray, later: bool) -> None:
        if later:
            self._hides = True
            self._expand_later(log, MAP)
            return
        self._skipped = int(self._clock.running)
        with self._clock.skipping() if self._skipped else self._clock.stopped():
            self._compare_all(distances)
            self._keep_labels(distances)
            log()

    def _expand_later(self, log: Callable[[], None], length: int) -> None:
        """Log a frontier when the step ends. Nothing of the step before may be left to the launches of this one."""
        self._log_at_end, self._length, self._arc_counts = log, length, None
        if self._not_compared is not None:
            with self._clock.stopped():
                self._compare_rest()
            self._ended = self._clock.stretches

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """Note the step, after logging it and finding what it improved unless the launches of steps do that.

        Time is short here: whatever comes before the clock stops, or where it does not, makes a step longer.
        """
        clock, log = self._clock, self._log
        if self._log_at_end is None:
            clock.stretches += self._skipped
            self._noted.append((clock.stretches, MAP, note, None))
            log.used += log.map_words
            self._ended, self._not_compared = None, distances
            if len(self._noted) == STEPS_AT_ONCE or not log.has_room():
                with clock.stopped():
                    self._read_log()
            return
        ran = clock.running
        clock.stop()
        self._noted.append((self._ended or 0, self._length, note, self._arc_counts))
        self._ended = clock.stretches
        self._log_at_end()
        self._find_improved(distances, improved)
        if self._length == MAP:
            log.used += log.map_words
        self._log_at_end = None
        if len(self._noted) == STEPS_AT_ONCE or not log.has_room():
            self._read_log()
        if ran:
            clock.go_on()

    def _find_improved(self, distances: DeviceArray, improved: DeviceArray | None) -> None:
        """Take the step's own count of improved nodes; else compare those that can have been, or all nodes."""
        log, arcs, length = self._log, self._arcs, self._length
        if improved is not None:
            self._workspace.launch(take_count, 1, improved, log.cursor, log.counts)
        elif arcs is None or not 0 < length <= self._short:
            self._compare_all(distances)
        else:
            found = (self._seen, self.first_reached, self.last_improved, log.cursor, log.counts)
            ends = (arcs.offsets, arcs.targets)
            self._workspace.launch(
                compare_heads, length, log.used - length, log.buffer, *ends, self._infinity, distances, *found
            )
        self._keep_labels(distances)

    def _compare_all(self, distances: DeviceArray) -> None:
        found = (self._seen, self.first_reached, self.last_improved, self._log.cursor, self._log.counts)
        self._workspace.launch(compare_distances, self._node_count, self._infinity, distances, *found)

    def _keep_labels(self, distances: DeviceArray) -> None:
        if self.labels is not None:
            self.labels.keep(distances, self._log.cursor)

    def _compare_rest(self) -> None:
        """Find what the last step improved, where the launches of the next one would have."""
        if self._not_compared is not None:
            self._compare_all(self._not_compared)
            self._keep_labels(self._not_compared)
            self._not_compared = None

    def _read_log(self) -> None:
        """Wait for the device, and record the steps noted since this was done last; not while the clock runs."""
        noted, self._noted = self._noted, []
        if not noted:
            return
        self._compare_rest()
        first = self._recorder.step_count
        slots = np.arange(first, first + len(noted)) % SLOTS
        improved = self._device.get(self._log.counts)[slots].astype(np.int64)
        begins, lengths, notes, arc_counts = zip(*noted, strict=True)
        nodes, sizes, arcs = self._log.read(self._places(lengths), self._degrees)
        self._log.clear()
        time_ns = self._take_time(list(begins))
        ends = np.cumsum(sizes)
        steps = zip(notes, arc_counts, arcs.tolist(), ends - sizes, ends, strict=True)
        relaxations = np.array([_relaxations(*step, nodes) for step in steps], np.int64)
        self._recorder.add_steps(nodes, sizes, relaxations, improved, time_ns, notes)
        if self.labels is not None:
            self._small.tentative.add(self.labels.read(first, len(noted)))

    def _places(self, lengths: Sequence[int]) -> list[Place]:
        """Return where the frontiers of all steps noted lie in the log."""
        words = [self._log.map_words if length == MAP else length for length in lengths]
        begins = itertools.accumulate(words, initial=0)
        return [Place(begin, size, length == MAP) for begin, size, length in zip(begins, words, lengths, strict=False)]

    def _take_time(self, begins: list[int]) -> NDArray[np.int64]:
        """Return the nanoseconds of steps that begin with these stretches; keep those of the step that runs."""
        until = np.append(0, np.cumsum(self._clock.take()))
        end = len(until) - 1 if self._ended is None else self._ended
        bounds = until[[0, *begins[1:], end]]
        time_ns = np.diff(bounds)
        time_ns[0] += self._left_ns
        self._left_ns, self._ended = int(until[-1] - until[end]), 0
        return time_ns

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        """Record a step that the search logged itself, with its frontier in any order."""
        if time_ns is None:
            time_ns = self._clock.lap_ns()
        self._recorder.add(np.sort(frontier), improved, time_ns, note)
        self._clock.start()

    def add_steps(
        self, nodes: NDArray[np.int32], table: StepTable, relaxations: NDArray[np.int64] | None = None
    ) -> None:
        """Record steps that the search logged itself, with frontiers in any order."""
        arcs = order_steps(nodes, table.sizes, np.zeros(len(table.sizes), bool), self._degrees)
        self._recorder.add_table(nodes, arcs if relaxations is None else relaxations, table)
        if table.tentative is not None:
            self._small.tentative.add(table.tentative)
        self._clock.start()

    def finish(self) -> Trace:
        """Return the trace of the search that just ended; time since its last step counts for that."""
        self._clock.stop()
        self._read_log()
        self._recorder.add_time(self._left_ns + self._clock.lap_ns())
        return self.trace()

    def trace(self) -> Trace:
        """Return the trace so far; not while the clock runs."""
        self._read_log()
        n = self._node_count
        first, last = self._device.get(self.first_reached, n), self._device.get(self.last_improved, n)
        return self._recorder.finish(first, last, self._small)

    def keep_labels(self, distances: DeviceArray, steps_done: DeviceArray) -> None:
        """Launch what keeps the distances of a small graph, which is none of the search's time."""
        if self.labels is not None:
            with self._clock.skipping():
                self.labels.keep(distances, steps_done)

    def hold(self, read: Callable[[], Sequence[StateRow]]) -> None:
        """Keep what the search on a small graph has in its queue or buckets, with the clock stopped."""
        if self.labels is not None:
            with self._clock.stopped():
                self._small.held.add(read())


def _relaxations(
    note: StepNote, arc_counts: ArcCounts | None, arcs: int, begin: int, end: int, nodes: NDArray[np.int32]
) -> int:
    """Return how many arcs a step tried, whose frontier has ``arcs`` that leave it."""
    if arc_counts is not None:
        return int(arc_counts()[nodes[begin:end]].sum(dtype=np.int64))
    return note.passes * arcs if note.relaxations is None else note.relaxations


class PairsTracer(RunTracer):
    """The observer of a traced all-pairs run.

    ``recording_s`` adds up the seconds that noting steps took, while the search waited. ``first_reached`` and
    ``last_improved`` hold the step in which a node's row was finished, int32 [n], −1 before.
    """

    def __init__(self, device: Device, out_degrees: NDArray[np.int32], budget_bytes: int) -> None:
        super().__init__(device, out_degrees, budget_bytes)
        self.recording_s: float = 0.0
        self.first_reached: DeviceArray = np.full(len(out_degrees), -1, np.int32)
        self.last_improved: DeviceArray = self.first_reached

    def pause(self) -> None:
        """Stop the clock: the search waits."""
        self._clock.stop()

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

    def trace(self) -> Trace:
        """Return the trace so far."""
        first: Any = self.first_reached
        return self._recorder.finish(first.copy(), first.copy(), self._small)
