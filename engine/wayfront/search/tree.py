"""Make the shortest-path tree from final distances, by the same rule on every device (see ``kernels.tree``)."""

from __future__ import annotations

import numpy as np

from wayfront.devices.device import DeviceArray
from wayfront.kernels.observing import fill
from wayfront.kernels.tree import (
    assign_next_level,
    name_parent,
    offer_parent,
    offer_parent_over_zero,
    reset_parents,
    start_levels,
)
from wayfront.search.run import Run


def make_tree(run: Run) -> DeviceArray:
    """Return the parents, int32 [n] on the run's device, -1 for the source and for unreached nodes.

    Costs one pass over the arcs, O(n + m); where weights of 0 occur, one more pass for each level of the longest
    chain of them.
    """
    n = run.node_count
    nobody = int(np.iinfo(np.int32).max)
    arrays = run.on_device
    best = run.array("tree best", n, np.int32)
    level = run.array("tree level", n, np.int32)
    parents = run.array("tree parents", n, np.int32)
    run.launch(reset_parents, n, best, level, nobody, run.source)
    run.launch(offer_parent, n, run.arcs, run.distances, run.infinity, arrays.id_rank, best)
    if run.network.weight_range(run.metric)[0] == 0:
        run.launch(start_levels, n, best, level, nobody)
        assigned = run.array("tree assigned", 1, np.int32)
        now, more = 0, 1
        while more:
            run.launch(fill, 1, assigned, 0)
            run.launch(offer_parent_over_zero, n, now, run.arcs, run.distances, arrays.id_rank, best, level)
            run.launch(assign_next_level, n, now, best, level, nobody, assigned)
            more = run.read(assigned)[0]
            now += 1
    run.launch(name_parent, n, best, nobody, arrays.id_order, parents)
    return parents
