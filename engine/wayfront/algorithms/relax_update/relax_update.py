"""Relax/update: the search that most GPU papers start from.

Every node has a mask, a cost and an updating cost. A step launches one thread for each node, twice. RELAX: a marked
node clears its mask and lowers the updating cost of its neighbours by atomic minimum. UPDATE: a node whose updating
cost fell takes it as its cost and marks itself. After step k every node whose shortest path has at most k arcs has
its distance; the search ends when nothing is marked.

Cost: two threads for each node in every step, however small the frontier, and as many steps as the shortest paths have
arcs at most, plus one that finds nothing left to do. Wide, shallow networks suit it; roads do not.

Harish and Narayanan, Accelerating large graph algorithms on the GPU using CUDA, HiPC 2007; the baseline of Suzuki,
Kan, Hayashi and Yoshikawa.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from wayfront.algorithms.relax_update.relax_update_kernels import Costs, relax_arcs, start_search, update_costs
from wayfront.algorithms.relax_update.relax_update_view import mask_after, relax_and_update
from wayfront.devices.device import DeviceArray
from wayfront.kernels.observing import fill
from wayfront.search.registry import algorithm
from wayfront.search.run import BaseRun, Run
from wayfront.trace.schema import StepNote

NOTE = StepNote(mode="all nodes", reason="this search has no other mode", phase="relax, update")


class Rounds:
    """RELAX and UPDATE over the arrays of a run; ``cost`` holds the distances once no node is marked."""

    def __init__(self, run: BaseRun, cost: DeviceArray) -> None:
        n = run.node_count
        self._run = run
        self.costs: Costs = Costs(
            mask=run.array("mask", n, np.int8),
            cost=cost,
            updating=run.array("updating", n, run.distance_dtype),
        )
        self._any_marked = run.array("any marked", 1, np.int32)
        self._recorded: Callable[[], None] | None = None

    def start(self, source: int) -> None:
        """Mark the source alone."""
        run = self._run
        run.launch(start_search, run.node_count, source, run.infinity, self.costs)
        if self._recorded is None:
            self._recorded = run.record(self._launch)

    def once(self) -> bool:
        """Run both kernels once, after ``start``; return whether any node is marked."""
        assert self._recorded is not None
        self._recorded()
        return self._run.read(self._any_marked)[0] != 0

    def _launch(self) -> None:
        run, n = self._run, self._run.node_count
        run.observer.expand_marked(self.costs.mask, self.costs.cost)
        run.launch(fill, 1, self._any_marked, 0)
        run.launch(relax_arcs, n, run.arcs, self.costs)
        run.launch(update_costs, n, self.costs, self._any_marked)


@algorithm(
    name="relax-update",
    reading_order=300,
    title="Relax/update",
    paper="Harish and Narayanan, HiPC 2007; baseline of Suzuki et al.",
    family="Relax/update",
    summary="Every node has a thread in every step. Marked nodes offer their cost to their neighbours; "
    "nodes that got a better offer are marked for the next step.",
    phases=("relax, update",),
    state=mask_after,
    threads=relax_and_update,
)
def relax_update(run: Run) -> Iterator[None]:
    """Run relax/update until no node is marked."""
    rounds = Rounds(run, run.distances)
    rounds.start(run.source)
    marked = True
    while marked:
        marked = rounds.once()
        run.step_done(NOTE)
        yield
