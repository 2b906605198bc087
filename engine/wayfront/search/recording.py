"""Record the steps of a search: the observer's interface, and the observer of a clean run.

A search announces which nodes a step expands (``expand_marked``, ``expand_list``, ``expand_reached``) and the step's
end (``step_done``), or hands over whole steps that it logged itself (``add``, ``add_steps``). ``Unobserved`` ignores
all of it, ``wayfront.search.tracer`` makes a trace of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import DeviceArray
from wayfront.search.label_log import LabelLog
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import StepNote, Trace
from wayfront.trace.step_state import StateRow

ArcCounts = Callable[[], NDArray[np.int32]]
"""Returns how many arcs a step tries of each node, int32 [n], where these are not all arcs that leave it."""


class Observer(Protocol):
    """Receives the steps of a run. With ``recording`` set, resident and sequential searches log their own steps.

    ``labels`` is there on small graphs, whose traces keep the distances after every step: searches that log their own
    steps then hand them over too.
    """

    recording: bool
    first_reached: DeviceArray
    last_improved: DeviceArray
    labels: LabelLog | None

    def expand_marked(self, mark: DeviceArray, distances: DeviceArray, *, later: bool = False) -> None:
        """Launch what logs that this step expands the marked nodes, and what the step before did to the distances.

        That comes before all other launches of the step, and can be recorded with them. With ``later`` the marks are
        looked at when the step ends: they stay as they are until then, or come about in the step.
        """
        ...

    def expand_reached(self, distances: DeviceArray, *, later: bool = False) -> None:
        """Launch what logs that this step expands every node that has a distance, likewise."""
        ...

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Note that this step expands the first ``count`` nodes of a list, in which no node occurs twice.

        The list stays as it is until the step ends.
        """
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
        """Stop the clock until steps are added; return the search's time since then, if it logs steps itself."""
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

    def keep_labels(self, distances: DeviceArray, steps_done: DeviceArray) -> None:
        """Launch what keeps the distances of a small graph, for a search that logs its own steps while the clock runs.

        It can be recorded with a step. The first element of ``steps_done`` counts the steps, this one included.
        """
        ...

    def hold(self, read: Callable[[], Sequence[StateRow]]) -> None:
        """Keep what the search holds before its first step, and then after each, between two yields.

        ``read`` is called at once, on small graphs alone, and not in clean runs.
        """
        ...

    def keep_matrix(self, entries: DeviceArray, stride: int, infinity: int) -> None:
        """Keep the distances of all pairs before the first step, or after the one noted last, on small graphs."""
        ...


class RunTracer(Observer, Protocol):
    """The observer of a traced run, whose clock runs from ``resume`` to ``finish``, but for what is ``untimed``."""

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        ...

    def resume(self) -> None:
        """Start the clock: the search begins, or continues."""
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
    labels: LabelLog | None = None

    def expand_marked(self, mark: DeviceArray, distances: DeviceArray, *, later: bool = False) -> None:
        """Do nothing."""

    def expand_reached(self, distances: DeviceArray, *, later: bool = False) -> None:
        """Do nothing."""

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
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

    def keep_labels(self, distances: DeviceArray, steps_done: DeviceArray) -> None:
        """Do nothing."""

    def hold(self, read: Callable[[], Sequence[StateRow]]) -> None:
        """Do nothing."""

    def keep_matrix(self, entries: DeviceArray, stride: int, infinity: int) -> None:
        """Do nothing."""
