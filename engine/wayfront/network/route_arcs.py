"""The arcs of a route, and the roads that they belong to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfront.network.closing import NOTHING_CLOSED
from wayfront.network.road_network import Metric, RoadNetwork


def route_arcs(
    network: RoadNetwork, nodes: NDArray[np.int32], searched: Metric, closed: NDArray[np.int64] = NOTHING_CLOSED
) -> NDArray[np.int64]:
    """Return the arc from each node of a route to the next, int64 [len(nodes) − 1]: the lightest open parallel one."""
    tails, heads = nodes[:-1], nodes[1:]
    begin = network.offsets[tails].astype(np.int64)
    counts = network.offsets[tails + 1] - begin
    hops = np.repeat(np.arange(len(tails)), counts)
    arcs = np.arange(len(hops)) + np.repeat(begin - (np.cumsum(counts) - counts), counts)
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
