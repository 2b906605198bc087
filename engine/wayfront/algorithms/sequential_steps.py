"""How a sequential search makes the steps of a trace: many in one compiled loop, or node by node on a small graph.

A step of the search on New York takes 6 µs. Coming back to Python after each would take several times as long, so the
compiled loops of Dijkstra's searches, for a tree and to a target, read the clock, count, and log for themselves. Each
search has a single loop, which takes the number of nodes settled so far and ``Steps``, and returns the number of nodes
settled then and whether the search is over. In a clean run it logs nothing, and comes back after ``most_work``. In a
traced one it comes back as well when its log is full, which ``take_steps`` then hands over.

On a small graph the loop comes back after one unit of work, which settles one node at most. Between two calls Python
reads what the search holds, with the clock stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.clocks import timer_ns
from wayfront.devices.compiling import loop_without_allocation, part_without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Recording
from wayfront.searching.run import BaseRun
from wayfront.trace.device_logs import LabelLog
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import StateRow, StepNote

MOST_WORK = 1 << 19
"""Nodes settled and arcs relaxed before a loop returns to Python: some ten milliseconds, so that cancelling and Ctrl-C
work at once, however large a bucket or a node's degree is."""

END, RELAXED, IMPROVED, TIME_NS, BUCKET, COLUMNS = range(6)
"""Columns of a logged step: nodes settled up to its end, arcs that the loop counted, nodes improved up to its end, each
as often as its distance fell, time, the bucket opened last."""

STEP, ROWS, BEGUN, TRIED, LAST_NS, CARRIED_NS, CLOCKED_NS, STATE = range(8)
"""Indices in a log's state: the present step; rows in use; nodes settled when it began; arcs tried since, where the
loop counts them; when the clock was read last; the present step's time in earlier calls; and the time of all calls
since the last reading."""

ROWS_AT_ONCE = 1 << 12
"""Steps that fit the log."""


class Steps(NamedTuple):
    """How a loop divides its work into steps, and where it writes them down.

    share      nodes that a step settles at least; 0 where no step is written down
    most_work  the loop comes back when it has looked at so many nodes and arcs
    recording  where the nodes that improve are listed
    rows       int64 [ROWS_AT_ONCE · COLUMNS]: the steps
    state      int64 [STATE]
    """

    share: int
    most_work: int
    recording: Recording
    rows: DeviceArray
    state: DeviceArray


@part_without_allocation
def note_improved(recording: Recording, node: int) -> None:
    """Note that a node's distance fell in the present step: append it to ``improved``, whose first element counts.

    Looking up what the node's arrays say of it would cost the loop a third of its time; that is done afterwards.
    """
    recording.improved[0] += 1
    recording.improved[recording.improved[0]] = node


@part_without_allocation
def begin_call(steps: Steps) -> None:
    """Begin a call: the clock runs."""
    steps.state[LAST_NS] = timer_ns()


@part_without_allocation
def end_call(steps: Steps) -> None:
    """End a call: keep the time of a step that is not over."""
    time_ns = timer_ns() - steps.state[LAST_NS]
    steps.state[CARRIED_NS] += time_ns
    steps.state[CLOCKED_NS] += time_ns


@part_without_allocation
def end_step(steps: Steps, count: int, bucket: int, over: bool) -> None:
    """Write down the present step if it is over: ``share`` nodes are settled, ``count`` in all, or no more come."""
    state = steps.state
    settled = count - state[BEGUN]
    if steps.share == 0 or settled == 0 or (settled < steps.share and not over):
        return
    row, now = state[ROWS] * COLUMNS, timer_ns()
    time_ns = now - state[LAST_NS]
    steps.rows[row + END] = count
    steps.rows[row + RELAXED] = state[TRIED]
    steps.rows[row + IMPROVED] = steps.recording.improved[0]
    steps.rows[row + TIME_NS] = state[CARRIED_NS] + time_ns
    steps.rows[row + BUCKET] = bucket
    state[LAST_NS], state[CARRIED_NS], state[BEGUN], state[TRIED] = now, 0, count, 0
    state[CLOCKED_NS] += time_ns
    state[STEP] += 1
    state[ROWS] += 1


@loop_without_allocation
def look_up_improved(steps: Steps) -> None:
    """Note in the nodes' arrays in which of the logged steps each improved, and turn the steps' column into counts.

    A node counts once for each step. What was improved in a step that is not over stays on the list.
    """
    recording = steps.recording
    first_step, begin, listed = steps.state[STEP] - steps.state[ROWS], 1, recording.improved[0]
    for row in range(steps.state[ROWS]):
        step, end, count = first_step + row, steps.rows[row * COLUMNS + IMPROVED] + 1, 0
        for index in range(begin, end):
            node = recording.improved[index]
            if recording.first_reached[node] < 0:
                recording.first_reached[node] = step
            if recording.last_improved[node] != step:
                recording.last_improved[node] = step
                count += 1
        steps.rows[row * COLUMNS + IMPROVED] = count
        begin = end
    left = listed + 1 - begin
    for index in range(left):
        recording.improved[1 + index] = recording.improved[begin + index]
    recording.improved[0] = left


Rows = NDArray[np.int64]
"""Logged steps, int64 [steps, COLUMNS]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialSearch:
    """A sequential search that is set up, which ``take_steps`` makes steps of.

    explore      its loop
    steps        how that divides its work in a run that records steps, or does in a clean one
    settled      int32 [n]: where it lists the nodes that it settles
    phase        what a step does
    tentative    returns the distances [n] that it works with
    holding      returns what its queue holds
    figures      takes the nodes settled before some logged steps, and these, and returns what differs between their
                 notes
    figures_of   takes a node and returns what the note of the step that settles it alone says
    counts_arcs  whether the loop counts the arcs that it tries; else a step tries all that leave its nodes
    """

    explore: Callable[[int, Steps], tuple[int, bool]]
    steps: Steps
    settled: NDArray[np.int32]
    phase: str
    tentative: Callable[[], NDArray[Any]]
    holding: Callable[[], Sequence[StateRow]]
    figures: Callable[[int, Rows], Mapping[str, NDArray[np.int64]]] = lambda _begun, _rows: {}
    figures_of: Callable[[int], Mapping[str, int]] = lambda _node: {}
    counts_arcs: bool = False

    @property
    def note(self) -> StepNote:
        """What the notes of all steps have in common."""
        return StepNote("one thread", "a sequential search", self.phase)


def take_steps(run: BaseRun, search: SequentialSearch) -> Iterator[int]:
    """Make the steps of a sequential search: logged if it is traced, on a small graph one for each settled node."""
    if run.observer.labels is not None:
        return _single_steps(run, run.observer.labels, search)
    return _logged_steps(run, search) if run.observer.recording else _clean_steps(run, search)


def _clean_steps(run: BaseRun, search: SequentialSearch) -> Iterator[int]:
    """Settle many nodes between two yields until none is left."""
    count, over = 0, False
    while not over:
        run.check()
        count, over = search.explore(count, search.steps)
        yield 1


def _logged_steps(run: BaseRun, search: SequentialSearch) -> Iterator[int]:
    """Log steps, many between two yields, until the search is over."""
    state = search.steps.state
    count, over = 0, False
    while not over:
        run.check()
        begun = int(state[BEGUN])
        count, over = search.explore(count, search.steps)
        steps = int(state[ROWS])
        if steps:
            lap_ns = run.observer.lap_ns()
            look_up_improved(search.steps)
            rows = search.steps.rows[: steps * COLUMNS].reshape(steps, COLUMNS).copy()
            if over:
                rows[-1, TIME_NS] += state[CARRIED_NS]
            # What the calls took beside their steps counts for the first of them.
            rows[0, TIME_NS] += max(0, lap_ns - int(state[CLOCKED_NS]))
            state[ROWS] = state[CLOCKED_NS] = 0
            sizes = np.diff(rows[:, END], prepend=begun)
            table = StepTable(
                sizes=sizes,
                improved=rows[:, IMPROVED],
                time_ns=rows[:, TIME_NS],
                note=search.note,
                figures=search.figures(begun, rows),
            )
            tried = rows[:, RELAXED] if search.counts_arcs else None
            run.observer.add_steps(search.settled[begun : begun + sizes.sum()].copy(), table, tried)
        yield steps


def unrecorded_steps(run: BaseRun, owner: str = "") -> Steps:
    """Return how a loop works that records nothing; ``owner`` distinguishes those of several searches at once."""
    unused = run.array("unused", 1, np.int32)
    state = run.array(f"step state{owner}", STATE, np.int64)
    state[:] = 0
    return Steps(0, MOST_WORK, Recording(0, unused, unused, unused), run.array("unused wide", 1, np.int64), state)


def make_steps(run: BaseRun, share: int, most_improved: int) -> Steps:
    """Return the steps of a run, of ``share`` nodes each if they are recorded.

    Nodes are listed at most ``most_improved`` times in all because they improved. None is listed yet.
    """
    steps = unrecorded_steps(run)
    if not run.observer.recording:
        return steps
    improved = run.array("improved", most_improved + 1, np.int32)
    improved[0] = 0
    rows = run.array("log rows", ROWS_AT_ONCE * COLUMNS, np.int64)
    return steps._replace(share=share, recording=run.recording(improved), rows=rows)


def _single_steps(run: BaseRun, labels: LabelLog, search: SequentialSearch) -> Iterator[int]:
    """Settle a node a step until none is left."""
    one = search.steps._replace(share=0, most_work=1)
    count, over, step = 0, False, 0
    run.observer.hold(search.holding)
    while not over:
        run.check()
        before = count
        while count == before and not over:
            count, over = search.explore(before, one)
        if count == before:
            return
        time_ns, node = run.observer.lap_ns(), int(search.settled[before])
        table = StepTable(
            sizes=np.ones(1, np.int64),
            improved=np.array([_note_improved(one.recording, step)], np.int64),
            time_ns=np.array([time_ns], np.int64),
            note=search.note._replace(settled=node),
            figures={name: np.array([value], np.int64) for name, value in search.figures_of(node).items()},
            tentative=labels.labels(search.tentative())[None],
        )
        run.observer.hold(search.holding)
        tried = one.state[[TRIED]] if search.counts_arcs else None
        one.state[TRIED] = 0
        run.observer.add_steps(search.settled[before:count].copy(), table, tried)
        step += 1
        yield 1


def _note_improved(recording: Recording, step: int) -> int:
    """Note which nodes the loop listed as improved in a step, empty the list, and return how many there are."""
    nodes = np.unique(recording.improved[1 : 1 + recording.improved[0]])
    recording.improved[0] = 0
    recording.first_reached[nodes[recording.first_reached[nodes] < 0]] = step
    recording.last_improved[nodes] = step
    return len(nodes)
