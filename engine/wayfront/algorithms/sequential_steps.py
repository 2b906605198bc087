"""How a sequential search makes the steps of a trace: many in one compiled loop, or node by node on a small graph.

A step of the search on New York takes 6 µs. Coming back to Python after each would take several times as long, so the
compiled loops of Dijkstra's searches, for a tree and to a target, read the clock, count, and log for themselves. They
call the same loops as a clean run, a step at a time; ``logged_steps`` drives them and hands over what they logged.

On a small graph ``single_steps`` lets the same loops come back after one node. Between two of them Python reads what
the search holds, with the clock stopped.
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
"""Columns of a logged step: nodes settled up to its end, arcs relaxed, nodes improved up to its end, each as often as
its distance fell, time, the bucket opened last."""

STEP, ROWS, BEGUN, WORK, LAST_NS, CARRIED_NS, CLOCKED_NS, STATE = range(8)
"""Indices in a log's state: the present step; rows in use; nodes settled when it began; work done in this call; when
the clock was read last; the present step's time in earlier calls; and the time of all calls since the last reading."""

ROWS_AT_ONCE = 1 << 12
"""Steps that fit the log."""


class StepLog(NamedTuple):
    """Where the steps are written down.

    rows    int64 [ROWS_AT_ONCE · COLUMNS]
    state   int64 [STATE]
    """

    rows: DeviceArray
    state: DeviceArray


@part_without_allocation
def note_improved(recording: Recording, node: int) -> None:
    """Note that a node's distance fell in the present step: append it to ``improved``, whose first element counts.

    Looking up what the node's arrays say of it would cost the loop a third of its time; that is done afterwards.
    """
    recording.improved[0] += 1
    recording.improved[recording.improved[0]] = node


@loop_without_allocation
def begin_call(log: StepLog) -> None:
    """Begin a call: the clock runs, and no work is done yet."""
    log.state[LAST_NS] = timer_ns()
    log.state[WORK] = 0


@loop_without_allocation
def end_call(log: StepLog) -> None:
    """End a call: keep the time of a step that is not over."""
    time_ns = timer_ns() - log.state[LAST_NS]
    log.state[CARRIED_NS] += time_ns
    log.state[CLOCKED_NS] += time_ns


@part_without_allocation
def end_step(log: StepLog, count: int, relaxed: int, bucket: int, recording: Recording) -> None:
    """Write down the present step, which ends with ``count`` settled nodes and relaxed so many arcs."""
    state = log.state
    row, now = state[ROWS] * COLUMNS, timer_ns()
    time_ns = now - state[LAST_NS]
    log.rows[row + END] = count
    log.rows[row + RELAXED] = relaxed
    log.rows[row + IMPROVED] = recording.improved[0]
    log.rows[row + TIME_NS] = state[CARRIED_NS] + time_ns
    log.rows[row + BUCKET] = bucket
    state[LAST_NS], state[CARRIED_NS], state[BEGUN] = now, 0, count
    state[CLOCKED_NS] += time_ns
    state[STEP] += 1
    state[ROWS] += 1


@loop_without_allocation
def look_up_improved(log: StepLog, recording: Recording) -> None:
    """Note in the nodes' arrays in which of the logged steps each improved, and turn the steps' column into counts.

    A node counts once for each step. What was improved in a step that is not over stays on the list.
    """
    first_step, begin, listed = log.state[STEP] - log.state[ROWS], 1, recording.improved[0]
    for row in range(log.state[ROWS]):
        step, end, count = first_step + row, log.rows[row * COLUMNS + IMPROVED] + 1, 0
        for index in range(begin, end):
            node = recording.improved[index]
            if recording.first_reached[node] < 0:
                recording.first_reached[node] = step
            if recording.last_improved[node] != step:
                recording.last_improved[node] = step
                count += 1
        log.rows[row * COLUMNS + IMPROVED] = count
        begin = end
    left = listed + 1 - begin
    for index in range(left):
        recording.improved[1 + index] = recording.improved[begin + index]
    recording.improved[0] = left


Rows = NDArray[np.int64]
"""Logged steps, int64 [steps, COLUMNS]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loops:
    """The compiled loops of a sequential search, which ``take_steps`` makes steps of.

    settled         int32 [n]: where the loops list the nodes that they settle
    recording       where they list the nodes that improve
    phase           what a step does
    clean_steps     makes the steps of a run that records nothing
    settle_and_log  takes the number of nodes settled so far and a log, settles more, and returns their number and
                    whether the search is over
    settle_one      takes the number of nodes settled so far, settles at most one more, and returns the same
    tentative       returns the distances [n] that the search works with
    holding         returns what its queue holds
    figures         takes the nodes settled before some logged steps, and these, and returns what differs between their
                    notes
    figures_of      takes a node and returns what the note of the step that settles it alone says
    arcs_tried      returns how many arcs the last step of a node tried, all that leave it by default
    """

    settled: NDArray[np.int32]
    recording: Recording
    phase: str
    clean_steps: Callable[[], Iterator[int]]
    settle_and_log: Callable[[int, StepLog], tuple[int, bool]]
    settle_one: Callable[[int], tuple[int, bool]]
    tentative: Callable[[], NDArray[Any]]
    holding: Callable[[], Sequence[StateRow]]
    figures: Callable[[int, Rows], Mapping[str, NDArray[np.int64]]] = lambda _begun, _rows: {}
    figures_of: Callable[[int], Mapping[str, int]] = lambda _node: {}
    arcs_tried: Callable[[], int] | None = None

    @property
    def note(self) -> StepNote:
        """What the notes of all steps have in common."""
        return StepNote("one thread", "a sequential search", self.phase)


def take_steps(run: BaseRun, loops: Loops) -> Iterator[int]:
    """Make the steps of a sequential search: logged if it is traced, on a small graph one for each settled node."""
    if run.observer.labels is not None:
        return _single_steps(run, run.observer.labels, loops)
    return _logged_steps(run, loops) if run.observer.recording else loops.clean_steps()


def _logged_steps(run: BaseRun, loops: Loops) -> Iterator[int]:
    """Log steps, many between two yields, until the search is over."""
    log = empty_log(run)
    count, over = 0, False
    while not over:
        run.check()
        begun = int(log.state[BEGUN])
        count, over = loops.settle_and_log(count, log)
        steps = int(log.state[ROWS])
        if steps:
            lap_ns = run.observer.lap_ns()
            look_up_improved(log, loops.recording)
            rows = log.rows[: steps * COLUMNS].reshape(steps, COLUMNS).copy()
            if over:
                rows[-1, TIME_NS] += log.state[CARRIED_NS]
            # What the calls took beside their steps counts for the first of them.
            rows[0, TIME_NS] += max(0, lap_ns - int(log.state[CLOCKED_NS]))
            log.state[ROWS] = log.state[CLOCKED_NS] = 0
            sizes = np.diff(rows[:, END], prepend=begun)
            table = StepTable(
                sizes=sizes,
                improved=rows[:, IMPROVED],
                time_ns=rows[:, TIME_NS],
                note=loops.note,
                figures=loops.figures(begun, rows),
            )
            run.observer.add_steps(loops.settled[begun : begun + sizes.sum()].copy(), table, rows[:, RELAXED])
        yield steps


def empty_log(run: BaseRun) -> StepLog:
    """Return a run's log, in which no step is written down yet."""
    log = StepLog(
        rows=run.array("log rows", ROWS_AT_ONCE * COLUMNS, np.int64), state=run.array("log state", STATE, np.int64)
    )
    log.state[:] = 0
    return log


def recording_of(run: BaseRun, most: int) -> Recording:
    """Return where the loops list the nodes that improve, at most ``most`` times in all. None is listed yet."""
    if not run.observer.recording:
        return run.recording(None)
    improved = run.array("improved", most + 1, np.int32)
    improved[0] = 0
    return run.recording(improved)


def _single_steps(run: BaseRun, labels: LabelLog, loops: Loops) -> Iterator[int]:
    """Settle a node a step until none is left."""
    count, over, step = 0, False, 0
    run.observer.hold(loops.holding)
    while not over:
        run.check()
        before = count
        while count == before and not over:
            count, over = loops.settle_one(before)
        if count == before:
            return
        time_ns, node = run.observer.lap_ns(), int(loops.settled[before])
        table = StepTable(
            sizes=np.ones(1, np.int64),
            improved=np.array([_note_improved(loops.recording, step)], np.int64),
            time_ns=np.array([time_ns], np.int64),
            note=loops.note._replace(settled=node),
            figures={name: np.array([value], np.int64) for name, value in loops.figures_of(node).items()},
            tentative=labels.labels(loops.tentative())[None],
        )
        run.observer.hold(loops.holding)
        tried = None if loops.arcs_tried is None else np.array([loops.arcs_tried()], np.int64)
        run.observer.add_steps(loops.settled[before:count].copy(), table, tried)
        step += 1
        yield 1


def _note_improved(recording: Recording, step: int) -> int:
    """Note which nodes the loop listed as improved in a step, empty the list, and return how many there are."""
    nodes = np.unique(recording.improved[1 : 1 + recording.improved[0]])
    recording.improved[0] = 0
    recording.first_reached[nodes[recording.first_reached[nodes] < 0]] = step
    recording.last_improved[nodes] = step
    return len(nodes)
