"""Take a sequential Dijkstra search on a small graph node by node, so that its trace has a step for each settled node.

The compiled loops are those of any search; they come back after one node. Between two of them Python reads what the
search holds, with the clock stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from wayfront.kernels.arguments import Recording
from wayfront.search.label_log import LabelLog
from wayfront.search.run import BaseRun
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import StepNote
from wayfront.trace.step_state import StateRow


def single_steps(
    run: BaseRun,
    labels: LabelLog,
    settle: Callable[[int], tuple[int, bool]],
    settled: NDArray[np.int32],
    recording: Recording,
    note: StepNote,
    figures: Callable[[int], Mapping[str, int]],
    tentative: Callable[[], NDArray[np.generic]],
    holding: Callable[[], Sequence[StateRow]],
) -> Iterator[int]:
    """Settle a node a step until none is left.

    ``settle`` takes the nodes settled so far, settles at most one more, and returns their number and whether the search
    is over. ``figures`` takes the node and returns what the step's note says of it. ``tentative`` returns the
    distances [n] that the search works with, and ``holding`` returns what its queue holds.
    """
    count, over, step = 0, False, 0
    run.observer.hold(holding)
    while not over:
        run.check()
        before = count
        while count == before and not over:
            count, over = settle(before)
        if count == before:
            return
        time_ns, node = run.observer.lap_ns(), int(settled[before])
        table = StepTable(
            sizes=np.ones(1, np.int64),
            improved=np.array([_note_improved(recording, step)], np.int64),
            time_ns=np.array([time_ns], np.int64),
            note=note._replace(settled=node),
            figures={name: np.array([value], np.int64) for name, value in figures(node).items()},
            tentative=labels.labels(tentative())[None],
        )
        run.observer.hold(holding)
        run.observer.add_steps(settled[before:count].copy(), table)
        step += 1
        yield 1


def _note_improved(recording: Recording, step: int) -> int:
    """Note which nodes the loop listed as improved in a step, empty the list, and return how many there are."""
    nodes = np.unique(recording.improved[1 : 1 + recording.improved[0]])
    recording.improved[0] = 0
    recording.first_reached[nodes[recording.first_reached[nodes] < 0]] = step
    recording.last_improved[nodes] = step
    return len(nodes)
