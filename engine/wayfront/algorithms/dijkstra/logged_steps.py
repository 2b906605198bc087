"""Drive the loops that log the steps of a sequential Dijkstra search, and hand over what they log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.dijkstra import logging_kernels as kernels
from wayfront.algorithms.dijkstra.logging_kernels import StepLog
from wayfront.kernels.arguments import Recording
from wayfront.search.run import BaseRun
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import StepNote

Rows = NDArray[np.int64]
"""Logged steps, int64 [steps, COLUMNS]."""


def logged_steps(
    run: BaseRun,
    settle: Callable[[int, StepLog], tuple[int, bool]],
    settled: NDArray[np.int32],
    recording: Recording,
    note: StepNote,
    figures: Callable[[int, Rows], Mapping[str, NDArray[np.int64]]],
) -> Iterator[int]:
    """Log steps, many between two yields, until the search is over.

    ``settle`` takes the nodes settled so far and the log, and returns their number and whether the search is over.
    ``figures`` takes the nodes settled before some logged steps, and these, and returns what differs between their
    notes.
    """
    log = empty_log(run)
    count, over = 0, False
    while not over:
        run.check()
        begun = int(log.state[kernels.BEGUN])
        count, over = settle(count, log)
        steps = int(log.state[kernels.ROWS])
        if steps:
            lap_ns = run.observer.lap_ns()
            kernels.look_up_improved(log, recording)
            rows = log.rows[: steps * kernels.COLUMNS].reshape(steps, kernels.COLUMNS).copy()
            if over:
                rows[-1, kernels.TIME_NS] += log.state[kernels.CARRIED_NS]
            # What the calls took beside their steps counts for the first of them.
            rows[0, kernels.TIME_NS] += max(0, lap_ns - int(log.state[kernels.CLOCKED_NS]))
            log.state[kernels.ROWS] = log.state[kernels.CLOCKED_NS] = 0
            sizes = np.diff(rows[:, kernels.END], prepend=begun)
            table = StepTable(
                sizes=sizes,
                improved=rows[:, kernels.IMPROVED],
                time_ns=rows[:, kernels.TIME_NS],
                note=note,
                figures=figures(begun, rows),
            )
            run.observer.add_steps(settled[begun : begun + sizes.sum()].copy(), table, rows[:, kernels.RELAXED])
        yield steps


def empty_log(run: BaseRun) -> StepLog:
    """Return a run's log, in which no step is written down yet."""
    log = StepLog(
        rows=run.array("log rows", kernels.ROWS_AT_ONCE * kernels.COLUMNS, np.int64),
        state=run.array("log state", kernels.STATE, np.int64),
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
