"""Bodies of the list mode of adaptive thread creation. SWITCH, which leads back to it, is ``collect_marked``."""

from __future__ import annotations

from typing import NamedTuple

from wayfront.algorithms.relax_update.relax_update_kernels import Costs
from wayfront.devices.atomics import atomic_max, next_place
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.relaxing import lowers


class Lists(NamedTuple):
    """The lists of the paper, int32 [n] each.

    ``scheduled`` keeps a node from being listed twice. It is not the mask: a thread clears the mask of its own node
    while others may just be listing that node for the next step.

    scheduled   1 while the node is on the list being filled
    updated     NR: the nodes that this phase serves
    lowered     NW: the nodes whose updating cost fell
    """

    scheduled: DeviceArray
    updated: DeviceArray
    lowered: DeviceArray


def start_list(i: int, source: int, lists: Lists) -> None:
    """List the source alone."""
    lists.scheduled[i] = 0
    if i == source:
        lists.updated[0] = i


def select_relax(i: int, lane_bits: int, arcs: Arcs, costs: Costs, lists: Lists, count: DeviceArray) -> None:
    """SELECT_RELAX: offer the cost of a listed node along its arcs; list whose updating cost fell, once each.

    2^``lane_bits`` threads share the arcs of one node, which is ours.
    """
    node = lists.updated[i >> lane_bits]
    costs.mask[node] = 0
    reached_at = costs.cost[node]
    lanes = 1 << lane_bits
    arc, end = arcs.offsets[node] + (i & (lanes - 1)), arcs.offsets[node + 1]
    while arc < end:
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        lowered = lowers(costs.updating, target, offer)
        if lowered and lists.scheduled[target] == 0 and atomic_max(lists.scheduled, target, 1) == 0:
            lists.lowered[next_place(count, 0)] = target
        arc += lanes


def select_update(i: int, costs: Costs, lists: Lists, count: DeviceArray) -> None:
    """SELECT_UPDATE: take over the updating cost of a listed node, mark it, and let it be listed again."""
    node = lists.updated[i]
    costs.cost[node] = costs.updating[node]
    costs.mask[node] = 1
    lists.scheduled[node] = 0
    if i == 0:
        count[0] = 0
