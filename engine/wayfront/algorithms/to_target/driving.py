"""Drive the compiled loops of searches to a target: clean runs, logged steps, and single steps of small graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.dijkstra.logged_steps import Rows, empty_log, logged_steps, recording_of
from wayfront.algorithms.dijkstra.logging_kernels import ROWS, StepLog
from wayfront.algorithms.dijkstra.settling import MOST_WORK
from wayfront.algorithms.dijkstra.single_steps import single_steps
from wayfront.algorithms.to_target.exploring import Steps
from wayfront.algorithms.to_target.heap import make_heap, read_heap
from wayfront.algorithms.to_target.one_way_kernels import Bound, explore_one_way, start_one_way
from wayfront.algorithms.to_target.to_target_view import FROM_SOURCE
from wayfront.kernels.arguments import Recording
from wayfront.search.to_target.run import RouteRun
from wayfront.trace.schema import StepNote
from wayfront.trace.step_state import StateRow

MOST_STEPS = 4096
"""Steps of a search that settles all nodes. Searches of fewer nodes have fewer: a step is the same work in all."""

Explore = Callable[[int, Steps], tuple[int, bool]]
"""A compiled loop with all but the number of settled nodes and the division into steps."""


def one_way_steps(run: RouteRun, bound: Bound) -> Iterator[int]:
    """Search from the source alone, by keys that a bound is part of."""
    heap = make_heap(run, "forward")
    order, recording = run.array("order", run.node_count, np.int32), list_improved(run)
    start_one_way(heap, run.ahead, run.settled, run.met, bound, run.source, recording)

    def explore(count: int, steps: Steps) -> tuple[int, bool]:
        return explore_one_way(run.arcs, heap, run.ahead, run.settled, order, count, run.met, bound, steps, recording)

    def holding() -> Sequence[StateRow]:
        return [read_heap(heap, FROM_SOURCE)]

    return take_steps(run, explore, order, recording, lambda: run.ahead.distance, holding)


def take_steps(
    run: RouteRun,
    explore: Explore,
    order: NDArray[np.int32],
    recording: Recording,
    labels_now: Callable[[], NDArray[np.int64]],
    holding: Callable[[], Sequence[StateRow]],
) -> Iterator[int]:
    """Let a loop settle nodes: many at once in clean runs, in equal shares in traced ones, one by one on small graphs.

    ``labels_now`` returns the distances [n] that the search knows, and ``holding`` what it holds.
    """
    log, relaxed = empty_log(run), run.array("relaxed", 1, np.int64)
    relaxed[:] = 0
    all_nodes = run.node_count + 1
    note, labels = StepNote("one thread", "a sequential search", "settle nodes"), run.observer.labels
    if labels is not None:

        def settle_one(count: int) -> tuple[int, bool]:
            log.state[ROWS] = 0
            return explore(count, Steps(log, relaxed, all_nodes, count + 1, MOST_WORK))

        return single_steps(run, labels, settle_one, order, recording, note, lambda _: {}, labels_now, holding)
    if run.observer.recording:
        share = max(1, run.node_count // MOST_STEPS)

        def settle_and_log(count: int, log: StepLog) -> tuple[int, bool]:
            return explore(count, Steps(log, relaxed, share, all_nodes, MOST_WORK))

        def figures(_begun: int, _rows: Rows) -> dict[str, NDArray[np.int64]]:
            return {}

        return logged_steps(run, settle_and_log, order, recording, note, figures)
    return _clean_steps(run, explore, Steps(log, relaxed, all_nodes, all_nodes, MOST_WORK))


def _clean_steps(run: RouteRun, explore: Explore, steps: Steps) -> Iterator[int]:
    count, over = 0, False
    while not over:
        run.check()
        count, over = explore(count, steps)
        yield 1


def list_improved(run: RouteRun) -> Recording:
    """Return where the loops list the nodes that improve: both ends, and at most twice the head of each arc."""
    return recording_of(run, 2 * run.network.arc_count + 2)
