"""Dijkstra from both ends: one search from the source, one against the arcs from the target, until they have met.

The end whose least distance is smaller settles its next node, so both have the same radius r. Whenever an arc leads to
a node that the other end has reached, source and target are joined by a path; the shortest of these is kept. A path not
yet known has to leave both balls, so it is at least as long as both least distances together: once these are no less
than the best path, that is the shortest. The first node that both reach need not be on it.

Two balls of radius r cover about half the area of one of radius 2 r, and much less where the network branches like a
tree. It needs neither coordinates nor preparation.

Dantzig 1962; Nicholson 1966 (when to end); Pohl 1971.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.to_target.both_ways_kernels import explore_both_ways, start_both_ways
from wayfront.algorithms.to_target.driving import list_improved, take_steps
from wayfront.algorithms.to_target.exploring import Steps
from wayfront.algorithms.to_target.heap import make_heap, read_heap
from wayfront.algorithms.to_target.to_target_view import FROM_SOURCE, TO_TARGET, heaps_after
from wayfront.devices.device import Ability
from wayfront.kernels.arguments import Arcs
from wayfront.search.registry import SearchKind, algorithm
from wayfront.search.to_target.run import RouteRun
from wayfront.trace.step_state import StateRow


@algorithm(
    name="bidirectional",
    reading_order=570,
    title="Dijkstra from both ends",
    paper="Nicholson 1966; Pohl 1971",
    family="To a target",
    needs=Ability.HOST_LOOPS,
    summary="Settles nodes from the source and, against the arcs, from the target, until no other path can be shorter. "
    "Needs neither coordinates nor preparation.",
    phases=("settle nodes",),
    kind=SearchKind.ROUTE,
    state=heaps_after,
    one_by_one=True,
)
def bidirectional(run: RouteRun) -> Iterator[int]:
    """Run Dijkstra from both ends."""
    heap, back_heap = make_heap(run, "forward"), make_heap(run, "backward")
    ahead, back, in_arcs = run.ahead, run.labels_back(), Arcs(*run.in_arcs())
    order, recording = run.array("order", run.node_count, np.int32), list_improved(run)
    start_both_ways(heap, back_heap, ahead, back, run.settled, run.met, run.source, run.target, recording)

    def explore(count: int, steps: Steps) -> tuple[int, bool]:
        return explore_both_ways(
            *(run.arcs, in_arcs, heap, back_heap, ahead, back, run.settled, order, count, run.met, steps, recording)
        )

    def labels_now() -> NDArray[np.int64]:
        return np.minimum(ahead.distance, back.distance)

    def holding() -> Sequence[StateRow]:
        return [read_heap(heap, FROM_SOURCE), read_heap(back_heap, TO_TARGET)]

    return take_steps(run, explore, order, recording, labels_now, holding)
