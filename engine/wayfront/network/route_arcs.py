"""The arcs that leave nodes, those of a route, and the roads that they belong to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfront.network.closing import NOTHING_CLOSED
from wayfront.network.road_network import Metric, RoadNetwork


def arcs_from(network: RoadNetwork, nodes: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the arcs that leave these nodes, int64, node by node."""
    begin = network.offsets[nodes].astype(np.int64)
    counts = network.offsets[nodes + 1] - begin
    return np.arange(counts.sum()) + np.repeat(begin - (np.cumsum(counts) - counts), counts)


def route_arcs(
    network: RoadNetwork, nodes: NDArray[np.int32], searched: Metric, closed: NDArray[np.int64] = NOTHING_CLOSED
) -> NDArray[np.int64]:
    """Return the arc from each node of a route to the next, int64 [len(nodes) − 1]: the lightest open parallel one."""
    tails, heads = nodes[:-1], nodes[1:]
    arcs = arcs_from(network, tails)
    hops = np.repeat(np.arange(len(tails)), network.offsets[tails + 1] - network.offsets[tails])
    fitting = network.targets[arcs] == heads[hops]
    hops, arcs = hops[fitting], arcs[fitting]
    order = np.lexsort((searched.weights[arcs], np.isin(arcs, closed), hops))
    _, lightest = np.unique(hops[order], return_index=True)
    return arcs[order][lightest]


def roads_along(network: RoadNetwork, arcs: NDArray[np.int64]) -> list[tuple[str, NDArray[np.int64]]]:
    """Return the roads of a route in its order, each with its consecutive arcs: the name, "" for none.

    None where the network has no road names, or the route no arcs.
    """
    names = network.road_names
    if names is None or not len(arcs):
        return []
    of_arc = names.of_arc[arcs]
    first = np.flatnonzero(of_arc[1:] != of_arc[:-1]) + 1
    return [(names.name(int(part[0])), part) for part in np.split(arcs, first)]
