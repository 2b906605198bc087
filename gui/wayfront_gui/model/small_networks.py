"""Which networks are shown as small graphs. No Qt."""

from __future__ import annotations

from wayfront.network.road_network import RoadNetwork
from wayfront.network.small import SMALL

MOST_NODES = SMALL
"""Networks with more nodes are drawn as road maps."""


def is_small(network: RoadNetwork | None) -> bool:
    """Return whether a network is a small graph."""
    return network is not None and 0 < network.node_count <= MOST_NODES
