"""The node from which the first search of a network starts. No Qt."""

from __future__ import annotations

import numpy as np

from wayfront.network.road_network import RoadNetwork


def central_node(network: RoadNetwork) -> int | None:
    """Return a node in the middle of the map that arcs leave, where a first search shows most; None without nodes."""
    return network.derive("central node", lambda: _find_central_node(network))


def _find_central_node(network: RoadNetwork) -> int | None:
    if network.node_count == 0:
        return None
    degrees = network.out_degrees()
    candidates = np.flatnonzero(degrees >= min(2, int(degrees.max())))
    if network.coordinates is None:
        return int(candidates[0])
    coordinates = network.coordinates[candidates].astype(np.float64)
    offsets = coordinates - np.median(coordinates, axis=0)
    return int(candidates[np.argmin((offsets**2).sum(axis=1))])
