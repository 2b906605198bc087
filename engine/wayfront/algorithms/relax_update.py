"""Relax/update: the search that most GPU papers start from, and the same with a lock for each node.

Every node has a mask, a cost and an updating cost. A step launches one thread for each node, twice. RELAX: a marked
node clears its mask and lowers the updating cost of its neighbours by atomic minimum. UPDATE: a node whose updating
cost fell takes it as its cost and marks itself. After step k every node whose shortest path has at most k arcs has
its distance; the search ends when nothing is marked.

Cost: two threads for each node in every step, however small the frontier, and as many steps as the shortest paths have
arcs at most, plus one that finds nothing left to do. Wide, shallow networks suit it; roads do not.

**Advanced_Atomics_SSSP** keeps the parents as it goes. An atomic minimum can lower a distance, but cannot set the
parent that belongs to it in the same operation. So each node's updating cost and parent form a record guarded by a
lock: compare-and-swap takes it, the offer is tested again, both fields are written, a fence makes them visible, an
exchange releases the lock. The tree then comes out of the search itself, and needs no second pass over the arcs. A
better offer costs five memory operations and two fences.

Two things are ours. The paper tests an offer only before it locks, so that one which waited may overwrite a better one
that came first: here it is tested again under the lock, with fences around. And the paper's lock is a loop that spins:
a thread that waited there for a lock held by another thread of its own warp could wait for ever, since on older cards
the holder only goes on when the waiting thread does. So the loop is "try; if the lock was free, do the work and release
it", and every turn of it ends for all threads of the warp.

After every step, ``U[v] ≥ U[parent of v] + w`` for each node with a parent, and it only ever becomes smaller when a
strictly better offer comes; so parents never form a circle, not even along arcs of weight 0. Of several shortest
paths the tree holds whichever a thread found first: it differs between runs, and the certificate proves each one.

Harish and Narayanan, Accelerating large graph algorithms on the GPU using CUDA, HiPC 2007; the baseline of Suzuki,
Kan, Hayashi and Yoshikawa. With locks: Liu Xin and Wang Fei, the first of their two searches (for the second,
Heap_APSP, see ``heap_apsp``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from wayfront.devices.atomics import (
    atomic_add,
    atomic_exchange,
    atomic_min,
    callable_in_bodies,
    compare_exchange,
    fence,
)
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.observing import fill
from wayfront.searching.registry import algorithm
from wayfront.searching.run import BaseRun, Run
from wayfront.trace.schema import StepNote, StepState
from wayfront.trace.step_views import Blocks, Launch, Recorded, Relaxing

NOTE = StepNote(mode="all nodes", reason="this search has no other mode", phase="relax, update")

UNDER_LOCKS = StepNote("all nodes", "this search has no other mode", "relax under locks, update")

MARKED = "Marked, M = 1"

COLUMNS = ("Held in", "Nodes", "Costs C")

FREE, HELD = 0, 1


class Costs(NamedTuple):
    """The arrays of Harish and Narayanan.

    mask       int8 [n]: M, 1 where the node's cost fell in the last step
    cost       [n], typed like the distances: C
    updating   [n], typed like the distances: U, the updating cost
    """

    mask: DeviceArray
    cost: DeviceArray
    updating: DeviceArray


class Guarded(NamedTuple):
    """The parents that change together with the updating costs, and the locks that guard both.

    parents   int32 [n]
    locks     int32 [n]: FREE or HELD
    """

    parents: DeviceArray
    locks: DeviceArray


def start_search(i: int, source: int, infinity: int, costs: Costs) -> None:
    """Mark the source alone, at cost 0."""
    costs.cost[i] = 0 if i == source else infinity
    costs.updating[i] = 0 if i == source else infinity
    costs.mask[i] = 1 if i == source else 0


def relax_arcs(i: int, arcs: Arcs, costs: Costs) -> None:
    """RELAX: clear the mask of a marked node and offer its cost along every arc."""
    if costs.mask[i] == 0:
        return
    costs.mask[i] = 0
    reached_at = costs.cost[i]
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        # A plain load first: most offers are no better, and an atomic on each would cost far more than this load.
        if offer < costs.updating[target]:
            atomic_min(costs.updating, target, offer)


@callable_in_bodies
def _take_lower(i: int, costs: Costs) -> bool:
    """Take over a lower cost and mark the node; return whether it was lower."""
    cost, updating = costs.cost[i], costs.updating[i]
    lower = cost > updating
    if lower:
        costs.cost[i] = updating
        costs.mask[i] = 1
        cost = updating
    costs.updating[i] = cost
    return lower


def update_costs(i: int, costs: Costs, marked: DeviceArray) -> None:
    """UPDATE: take over a lower cost and mark the node; set ``marked[0]`` to 1 if any node was marked.

    Whether the search is over needs no count, so nothing here is atomic: whoever writes, writes the same.
    """
    if _take_lower(i, costs) and marked[0] == 0:  # what many cores write wanders between them
        marked[0] = 1


def update_and_count(i: int, costs: Costs, marked: DeviceArray) -> None:
    """UPDATE, for a search that goes by how many nodes are marked: add them up in ``marked[0]``."""
    if _take_lower(i, costs):
        atomic_add(marked, 0, 1)


def start_locks(i: int, guarded: Guarded) -> None:
    """Free every lock and forget every parent."""
    guarded.parents[i] = -1
    guarded.locks[i] = FREE


def relax_under_locks(i: int, arcs: Arcs, costs: Costs, guarded: Guarded) -> None:
    """RELAX: offer a marked node's cost along its arcs; a better offer writes distance and parent under the lock."""
    if costs.mask[i] == 0:
        return
    costs.mask[i] = 0
    reached_at = costs.cost[i]
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        # A plain load first: updating costs only fall, so an offer that is no better now never will be.
        waiting = offer < costs.updating[target]
        while waiting:
            if compare_exchange(guarded.locks, target, FREE, HELD) == FREE:
                fence()
                if offer < costs.updating[target]:
                    costs.updating[target] = offer
                    guarded.parents[target] = i
                fence()
                atomic_exchange(guarded.locks, target, FREE)
                waiting = False


def make_costs(run: BaseRun, cost: DeviceArray) -> Costs:
    """Return the arrays of a run, of which ``cost`` holds the distances once no node is marked."""
    n = run.node_count
    return Costs(run.array("mask", n, np.int8), cost, run.array("updating", n, run.distance_dtype))


class Rounds:
    """RELAX and UPDATE over the arrays of a run; ``cost`` holds the distances once no node is marked."""

    def __init__(self, run: BaseRun, cost: DeviceArray) -> None:
        self._run = run
        self.costs: Costs = make_costs(run, cost)
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
        self._run.observer.expand_marked(self.costs.mask, self.costs.cost)
        self._run.launch(fill, 1, self._any_marked, 0)
        self._relax()
        self._run.launch(update_costs, self._run.node_count, self.costs, self._any_marked)

    def _relax(self) -> None:
        self._run.launch(relax_arcs, self._run.node_count, self._run.arcs, self.costs)


class LockedRounds(Rounds):
    """The same where RELAX writes distance and parent together, under a lock; leaves the run its own parents."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, run.distances)
        n = run.node_count
        run.parents = run.array("own parents", n, np.int32)
        self._guarded = Guarded(parents=run.parents, locks=run.array("locks", n, np.int32))
        run.launch(start_locks, n, self._guarded)

    def _relax(self) -> None:
        self._run.launch(relax_under_locks, self._run.node_count, self._run.arcs, self.costs, self._guarded)


def _until_unmarked(run: Run, rounds: Rounds, note: StepNote) -> Iterator[None]:
    """Make rounds until no node is marked; a step is one of them."""
    rounds.start(run.source)
    marked = True
    while marked:
        marked = rounds.once()
        run.step_done(note)
        yield


def mask_after(recorded: Recorded, done: int) -> StepState:
    """Return the marked nodes: those whose cost fell in the last step."""
    return StepState("Mask M", COLUMNS, (recorded.row(MARKED, recorded.expanded_next(done), done),))


def relax_and_update(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return RELAX and UPDATE: a thread for every node, of which few are marked, and few were lowered."""
    return threads_of_all_nodes(recorded, step, blocks, "relax_arcs", "update_costs")


def threads_under_locks(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the same with locks."""
    return threads_of_all_nodes(recorded, step, blocks, "relax_under_locks", "update_costs")


def threads_of_all_nodes(recorded: Recorded, step: int, blocks: Blocks, relax: str, update: str) -> tuple[Launch, ...]:
    """Return the launches of two kernels with a thread for every node."""
    n = recorded.network.node_count
    marked, lowered = recorded.trace.frontier(step), recorded.changed(step)
    return blocks.nodes(relax, n, marked), blocks.nodes(update, n, lowered)


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
    relaxing=Relaxing.AT_ONCE,
)
def relax_update(run: Run) -> Iterator[None]:
    """Run relax/update until no node is marked."""
    yield from _until_unmarked(run, Rounds(run, run.distances), NOTE)


@algorithm(
    name="advanced-atomics",
    reading_order=320,
    title="Advanced atomics, a lock a node",
    paper="Liu Xin and Wang Fei: Advanced_Atomics_SSSP",
    family="Relax/update",
    summary="Relax/update whose threads write a node's distance and parent together, under that node's lock: the tree "
    "comes out of the search itself.",
    phases=("relax under locks, update",),
    keeps_parents=True,
    state=mask_after,
    threads=threads_under_locks,
    relaxing=Relaxing.AT_ONCE,
)
def advanced_atomics(run: Run) -> Iterator[None]:
    """Run relax/update with locks until no node is marked; leaves its own parents in ``run.parents``."""
    yield from _until_unmarked(run, LockedRounds(run), UNDER_LOCKS)
