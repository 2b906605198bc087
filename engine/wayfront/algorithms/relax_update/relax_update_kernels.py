"""Bodies of the relax/update search, one thread a node."""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.atomics import atomic_add, atomic_min
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs


class Costs(NamedTuple):
    """The arrays of Harish and Narayanan.

    mask       int8 [n]: M, 1 where the node's cost fell in the last step
    cost       [n], typed like the distances: C
    updating   [n], typed like the distances: U, the updating cost
    """

    mask: DeviceArray
    cost: DeviceArray
    updating: DeviceArray


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


def update_costs(i: int, costs: Costs, marked: DeviceArray) -> None:
    """UPDATE: take over a lower cost and mark the node; set ``marked[0]`` to 1 if any node was marked.

    Whether the search is over needs no count, so nothing here is atomic: whoever writes, writes the same.
    """
    cost = costs.cost[i]
    if cost > costs.updating[i]:
        cost = costs.updating[i]
        costs.cost[i] = cost
        costs.mask[i] = 1
        if marked[0] == 0:  # what many cores write wanders between them
            marked[0] = 1
    costs.updating[i] = cost


def update_and_count(i: int, costs: Costs, marked: DeviceArray) -> None:
    """UPDATE, for a search that goes by how many nodes are marked: add them up in ``marked[0]``."""
    cost = costs.cost[i]
    if cost > costs.updating[i]:
        cost = costs.updating[i]
        costs.cost[i] = cost
        costs.mask[i] = 1
        atomic_add(marked, 0, 1)
    costs.updating[i] = cost
