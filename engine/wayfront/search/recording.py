"""Record the steps of a search: what an observer is told by the search, and the two observers there are.

A search announces the frontier of each step before it (``expand_marked``, ``expand_list``, ``expand_reached``) and
its end (``step_done``), or hands over whole steps that it logged itself (``add``). ``Unobserved`` ignores all of it,
``Tracer`` makes a trace of it.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Body, DeviceArray
from wayfront.kernels.observing import collect_marked, collect_reached, fill, forget_steps, watch_distances
from wayfront.search.workspace import Workspace
from wayfront.trace.recorder import Recorder, StepNote, Trace


class Observer(Protocol):
    """Sees the steps of a run go by. ``recording`` tells resident and sequential searches to write down more."""

    recording: bool
    first_reached: DeviceArray
    last_improved: DeviceArray

    def expand_marked(self, mark: DeviceArray) -> None:
        """A step begins that expands the marked nodes."""
        ...

    def expand_list(self, nodes: DeviceArray, count: int) -> None:
        """A step begins that expands the first ``count`` nodes of a list."""
        ...

    def expand_reached(self, distances: DeviceArray) -> None:
        """A step begins that expands every node that has a distance."""
        ...

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """The step ended; ``improved`` counts the nodes it improved, if the search counted them."""
        ...

    def add(self, frontier: NDArray[np.int32], improved: int, time_ns: int, note: StepNote) -> None:
        """The search logged a whole step itself."""
        ...


class Unobserved:
    """The observer of a clean run: it sees nothing and costs nothing."""

    recording = False
    first_reached: DeviceArray = None
    last_improved: DeviceArray = None

    def expand_marked(self, mark: DeviceArray) -> None:
        """See nothing."""

    def expand_list(self, nodes: DeviceArray, count: int) -> None:
        """See nothing."""

    def expand_reached(self, distances: DeviceArray) -> None:
        """See nothing."""

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """See nothing."""

    def add(self, frontier: NDArray[np.int32], improved: int, time_ns: int, note: StepNote) -> None:
        """See nothing."""


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
        self.first_reached = self._device.empty(n, np.int32)
        self.last_improved = self._device.empty(n, np.int32)
        workspace.launch(forget_steps, n, source, self._infinity, self._seen, self.first_reached, self.last_improved)
        self._frontier = np.empty(0, np.int32)
        self._begin: Any = None

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return self._recorder.step_count

    def expand_marked(self, mark: DeviceArray) -> None:
        """Read the frontier from marks, in node order, and start the step's clock."""
        self._expand_found(collect_marked, mark)

    def expand_reached(self, distances: DeviceArray) -> None:
        """Read the frontier from the distances, in node order, and start the step's clock."""
        self._expand_found(collect_reached, self._infinity, distances)

    def _expand_found(self, collect: Body, *arguments: Any) -> None:
        self._workspace.launch(fill, 1, self._count, 0)
        self._workspace.launch(collect, self._node_count, *arguments, self._found, self._count)
        self.expand_list(self._found, self._workspace.read(self._count)[0])

    def expand_list(self, nodes: DeviceArray, count: int) -> None:
        """Read the frontier from a list, in node order, and start the step's clock."""
        self._frontier = np.sort(self._device.get(nodes, count))
        self._begin = self._device.stamp()

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """Stop the clock, see what improved, and record the step."""
        end = self._device.stamp()
        if improved is None:
            improved = self._count
            self._watch(distances)
        count = self._workspace.read(improved)[0]
        self._recorder.add(self._frontier, count, self._device.elapsed_ns(self._begin, end), note)

    def _watch(self, distances: DeviceArray) -> None:
        self._workspace.launch(fill, 1, self._count, 0)
        self._workspace.launch(
            watch_distances,
            self._node_count,
            self.step_count,
            self._infinity,
            distances,
            self._seen,
            self.first_reached,
            self.last_improved,
            self._count,
        )

    def add(self, frontier: NDArray[np.int32], improved: int, time_ns: int, note: StepNote) -> None:
        """Record a step that the search logged itself, with its frontier in any order."""
        self._recorder.add(np.sort(frontier), improved, time_ns, note)

    def trace(self) -> Trace:
        """Return the trace so far."""
        n = self._node_count
        return self._recorder.finish(self._device.get(self.first_reached, n), self._device.get(self.last_improved, n))
