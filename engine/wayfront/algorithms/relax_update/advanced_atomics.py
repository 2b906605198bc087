"""Advanced_Atomics_SSSP: relax/update that keeps the parents as it goes, under a lock for each node.

An atomic minimum can lower a distance, but cannot set the parent that belongs to it in the same operation. So each
node's updating cost and parent form a record guarded by a lock: compare-and-swap takes it, the offer is tested again,
both fields are written, a fence makes them visible, an exchange releases the lock. The tree then comes out of the
search itself, and needs no second pass over the arcs. A better offer costs five memory operations and two fences.

Two things are ours. The paper tests an offer only before it locks, so that one which waited may overwrite a better one
that came first: here it is tested again under the lock, with fences around. And the paper's lock is a loop that spins,
which hangs where lanes of one warp contend: here each turn of the loop is "try, do, release".

After every step, ``U[v] ≥ U[parent of v] + w`` for each node with a parent, and it only ever becomes smaller when a
strictly better offer comes; so parents never form a circle, not even along arcs of weight 0. Of several shortest
paths the tree holds whichever a thread found first: it differs between runs, and the certificate proves each one.

Liu Xin and Wang Fei, the first of their two searches (for the second, Heap_APSP, see the all-pairs searches).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wayfront.algorithms.relax_update.advanced_atomics_kernels import Guarded, relax_under_locks, start_locks
from wayfront.algorithms.relax_update.relax_update_kernels import Costs, start_search, update_costs
from wayfront.algorithms.relax_update.relax_update_view import mask_after
from wayfront.algorithms.relax_update.relax_update_view import relax_under_locks as relax_under_lock_threads
from wayfront.kernels.observing import fill
from wayfront.search.registry import algorithm
from wayfront.search.run import Run
from wayfront.trace.schema import StepNote

NOTE = StepNote("all nodes", "this search has no other mode", "relax under locks, update")


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
    threads=relax_under_lock_threads,
)
def advanced_atomics(run: Run) -> Iterator[None]:
    """Run relax/update with locks until no node is marked; leaves its own parents in ``run.parents``."""
    n = run.node_count
    costs = Costs(
        mask=run.array("mask", n, np.int8),
        cost=run.distances,
        updating=run.array("updating", n, run.distance_dtype),
    )
    run.parents = run.array("own parents", n, np.int32)
    guarded = Guarded(parents=run.parents, locks=run.array("locks", n, np.int32))
    any_marked = run.array("any marked", 1, np.int32)

    def step() -> None:
        run.expand_marked(costs.mask)
        run.launch(fill, 1, any_marked, 0)
        run.launch(relax_under_locks, n, run.arcs, costs, guarded)
        run.launch(update_costs, n, costs, any_marked)

    run.launch(start_search, n, run.source, run.infinity, costs)
    run.launch(start_locks, n, guarded)
    recorded = run.record(step)
    marked = True
    while marked:
        recorded()
        marked = run.read(any_marked)[0] != 0
        run.step_done(NOTE)
        yield
