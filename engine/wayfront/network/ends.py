"""Where people stand on a network: at a node, or between the two nodes of a road.

Who stands on a road leaves it at either end that traffic may reach, and arrives there by either end; what is left of
the road to each side is part of the way. Searches from and to such points need nothing else than these ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arguments import node_indices
from wayfront.network.road_network import RoadNetwork

NONE = -1
"""In place of a node or an arc that there is not."""


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """The nodes by which points are left, or reached, and how far each is from its point, in raw weights of a metric.

    nodes    int32 [k, 2]: one or two nodes for each point, the first always there where the point is on the network;
             ``NONE`` for no node
    costs    int64 [k, 2], at least 0, of any value where there is no node
    arcs     int64 [k, 2]: the arcs on which a point lies, both directions of its road; ``NONE`` for no arc, and for a
             point at a node
    offsets  int64 [k, 2]: how far the point is from the tail of each, between 0 and the arc's weight

    Between two points of the same arc, the second behind the first, the way along that arc is as long as their offsets
    differ; it need not pass a node.
    """

    nodes: NDArray[np.int32]
    costs: NDArray[np.int64]
    arcs: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.nodes)

    @classmethod
    def at_nodes(cls, network: RoadNetwork, nodes: object, noun: str = "nodes") -> Ends:
        """Return the ends of points that are nodes (internal numbers), in their order; one may occur several times.

        Raises ``NetworkError`` for what is no node of the network.
        """
        chosen = node_indices(nodes, network, noun, none=True)
        pairs = np.full((len(chosen), 2), NONE, np.int32)
        pairs[:, 0] = chosen
        none = np.full((len(chosen), 2), NONE, np.int64)
        return cls(pairs, np.zeros((len(chosen), 2), np.int64), none, np.zeros((len(chosen), 2), np.int64))

    @property
    def at_nodes_alone(self) -> bool:
        """Whether every point is a node itself."""
        return bool((self.nodes[:, 1] == NONE).all() and not self.costs[:, 0].any() and (self.arcs == NONE).all())

    def chosen(self, which: NDArray[np.integer] | slice) -> Ends:
        """Return the ends of some points."""
        return Ends(self.nodes[which], self.costs[which], self.arcs[which], self.offsets[which])
