"""Cut a neighbourhood out of a network: the nodes nearest to one, with the arcs between them."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.network.node_names import NodeNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.route_arcs import arcs_from


class Near(StrEnum):
    """What makes a node near: few arcs on the way, or a small distance."""

    HOPS = "hops"
    DISTANCE = "distance"


@dataclass(frozen=True, slots=True, eq=False)
class CutOut:
    """A neighbourhood of a network as a network of its own.

    network  the nodes in the order of ``whole``'s, with their ids, names, places and all metrics
    whole    the network it was cut out of
    nodes    int32 [n], rising: the number in the whole network of each of its nodes
    near     by what its nodes are the nearest
    """

    network: RoadNetwork
    whole: RoadNetwork
    nodes: NDArray[np.int32]
    near: Near

    def inside(self, node: int) -> int | None:
        """Return the number that a node of the whole network has in the neighbourhood, None where it is not in it."""
        at = int(np.searchsorted(self.nodes, node))
        return at if at < len(self.nodes) and int(self.nodes[at]) == node else None


def cut_out(
    network: RoadNetwork, centre: int, count: int, near: Near = Near.DISTANCE, metric: str | None = None
) -> CutOut:
    """Return the ``count`` nodes nearest to ``centre`` (internal number) and itself, fewer where it reaches fewer.

    Ways follow arcs from the centre. By distance the neighbourhood holds every shortest path to its nodes, so that a
    search of it from the centre finds what one of the whole network finds; by hops a shorter way may lead outside.
    Ties go to the smallest file id. Raises ``NetworkError`` for a count below 1 and a node that does not exist.
    """
    if count < 1:
        raise NetworkError(f"a neighbourhood has at least 1 node, not {count}")
    if not 0 <= centre < network.node_count:
        raise NetworkError(f"{network.name} has no internal node {centre}; they are 0…{network.node_count - 1}")
    weights = None if near is Near.HOPS else network.metric(metric).weights
    nodes = np.array(sorted(_nearest(network, centre, count, weights)), np.int32)
    return CutOut(_induced(network, nodes, centre), network, nodes, near)


def _nearest(network: RoadNetwork, centre: int, count: int, weights: NDArray[np.int32] | None) -> set[int]:
    """Return the nodes that a search from ``centre`` settles first; every arc counts 1 without weights."""
    settled: set[int] = set()
    ids, offsets, targets = network.node_ids, network.offsets, network.targets
    waiting = [(0, int(ids[centre]), centre)]
    while waiting and len(settled) < count:
        distance, _, node = heapq.heappop(waiting)
        if node in settled:
            continue
        settled.add(node)
        for arc in range(int(offsets[node]), int(offsets[node + 1])):
            head = int(targets[arc])
            if head not in settled:
                length = 1 if weights is None else int(weights[arc])
                heapq.heappush(waiting, (distance + length, int(ids[head]), head))
    return settled


def _induced(network: RoadNetwork, nodes: NDArray[np.int32], centre: int) -> RoadNetwork:
    """Return the network of these nodes and the arcs between them."""
    tails = np.repeat(nodes, network.out_degrees()[nodes])
    arcs = arcs_from(network, nodes)
    heads = network.targets[arcs]
    kept = np.isin(heads, nodes)
    names = network.node_names
    centre_name = network.node_name(centre)
    return RoadNetwork.from_arcs(
        name=f"{len(nodes)} nodes round {centre_name} of {network.name}",
        node_count=len(nodes),
        tails=np.searchsorted(nodes, tails[kept]),
        heads=np.searchsorted(nodes, heads[kept]),
        metrics=[Metric(m.name, m.unit, m.scale, m.weights[arcs[kept]]) for m in network.metrics],
        node_ids=network.node_ids[nodes],
        coordinates=None if network.coordinates is None else network.coordinates[nodes],
        node_names=None if names is None else NodeNames(tuple(names.names[node] for node in nodes.tolist())),
        attribution=network.attribution,
        data_date=network.data_date,
    )
