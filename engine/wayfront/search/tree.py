"""Make the shortest-path tree from final distances, by the same rule on every device (see ``kernels.tree``)."""

from __future__ import annotations

import numpy as np

from wayfront.devices.device import Ability, DeviceArray
from wayfront.kernels.observing import fill
from wayfront.kernels.parents import ParentPass
from wayfront.kernels.tree import (
    Nodes,
    name_parent,
    offer_parent,
    offer_parent_over_zero,
    reset_parents,
    serve_next_level,
    start_served,
)
from wayfront.search.run import Run


def prepare_tree(run: Run) -> None:
    """Make what all trees of the run's network and metric share, if anything; the first call takes O(n + m)."""
    if Ability.HOST_LOOPS in run.device.abilities:
        ParentPass.of(run.network, run.metric.name, run.distance_dtype)


def make_tree(run: Run) -> DeviceArray:
    """Return the parents, int32 [n] on the run's device, -1 for the source and for unreached nodes.

    Costs one pass over the arcs, O(n + m); where weights of 0 occur, another one in all, on a card with a launch or two
    for each level of the longest chain of them.
    """
    if Ability.HOST_LOOPS not in run.device.abilities:
        return _launch_tree(run)
    parents = run.array("tree parents", run.node_count, np.int32)
    parent_pass = ParentPass.of(run.network, run.metric.name, run.distance_dtype)
    parent_pass.find(run.distances, run.source, parents, run.device.divide, run.device.threads)
    return parents


def _launch_tree(run: Run) -> DeviceArray:
    """Make the tree by launches of the bodies in ``kernels.tree``."""
    n = run.node_count
    nobody = int(np.iinfo(np.int32).max)
    arrays = run.on_device
    best = run.array("tree best", n, np.int32)
    served = run.array("tree served", n, np.int8)
    parents = run.array("tree parents", n, np.int32)
    run.launch(reset_parents, n, best, served, nobody, run.source)
    run.launch(offer_parent, n, run.arcs, run.distances, run.infinity, arrays.id_rank, best)
    if run.network.weight_range(run.metric)[0] <= 0:  # below 0: a road is closed, and others may have weight 0
        lists = (run.array("tree level", n, np.int32), run.array("tree next level", n, np.int32))
        nodes = Nodes(*lists, run.array("tree next count", 1, np.int32))
        run.launch(fill, 1, nodes.count, 0)
        run.launch(start_served, n, best, served, nobody, nodes)
        count = run.read(nodes.count)[0]
        while count:
            run.check()
            nodes = nodes._replace(now=nodes.following, following=nodes.now)
            run.launch(fill, 1, nodes.count, 0)
            run.launch(
                offer_parent_over_zero, count, run.arcs, run.distances, arrays.id_rank, best, served, nobody, nodes
            )
            count = run.read(nodes.count)[0]
            run.launch(serve_next_level, count, served, nodes)
    run.launch(name_parent, n, best, nobody, arrays.id_order, parents)
    return parents
