"""The node from which the first search of a network starts. No Qt."""

from __future__ import annotations

import numpy as np

from wayfront.examples import start_of
from wayfront.network.finding import node_called
from wayfront.network.road_network import RoadNetwork


def central_node(network: RoadNetwork) -> int | None:
    """Return the node from which a first search shows most; None without nodes.

    It is the source of an example's book, the first node with a name that arcs leave, or such a node in the middle of
    the map.
    """
    return network.derive("central node", lambda: _find_central_node(network))


def _find_central_node(network: RoadNetwork) -> int | None:
    if network.node_count == 0:
        return None
    if start := start_of(network):
        return node_called(network, start)
    degrees = network.out_degrees()
    candidates = np.flatnonzero(degrees >= min(2, int(degrees.max())))
    if network.coordinates is None or network.node_names is not None:
        return int(candidates[0])
    coordinates = network.coordinates[candidates].astype(np.float64)
    offsets = coordinates - np.median(coordinates, axis=0)
    return int(candidates[np.argmin((offsets**2).sum(axis=1))])
