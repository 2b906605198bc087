"""The network on which loops are compiled before anything is timed."""

from __future__ import annotations

import numpy as np

from wayfront.network.road_network import Metric, RoadNetwork


def tiny_network(*, zeros: bool) -> RoadNetwork:
    """Return a ring long enough that a search on it goes through all its phases."""
    n = 64
    nodes = np.arange(n)
    weights = np.full(n, 2**10)
    weights[n // 2] = 0 if zeros else 1
    angle = 2 * np.pi * nodes / n
    return RoadNetwork.from_arcs(
        name="ring",
        node_count=n,
        tails=nodes,
        heads=(nodes + 1) % n,
        metrics=[Metric("weight", "", 1, weights)],
        coordinates=np.rint(np.stack((np.cos(angle), np.sin(angle)), axis=1) * 1e6).astype(np.int32),
    )
