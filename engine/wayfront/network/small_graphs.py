"""Small graphs: cut out of a network, changed by one node or arc at a time, and one on which loops are compiled.

Since a network is never changed, each function returns another one, and an editor keeps the networks themselves, to
undo and to redo. What is made by editing is a plain graph: classes, names and shapes of roads are left out, and it has
no origin until it is saved. Arcs keep their order.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import arcs_from
from wayfront.network.arguments import node_index
from wayfront.network.conventions import SMALL
from wayfront.network.details import NodeNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT
from wayfront.safe.errors import NetworkError

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


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
    centre = node_index(centre, network, "centre")
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


# ---------------------------------------------------------------------------------------------- editing


@dataclass(slots=True)
class _Draft:
    """A graph in lists that can be changed; ``arcs`` are tail, head, and a weight in each metric."""

    network: RoadNetwork
    ids: list[int]
    places: list[tuple[int, int]]
    names: list[str] | None
    arcs: list[list[int]]

    @classmethod
    def of(cls, network: RoadNetwork) -> _Draft:
        if network.coordinates is None:
            raise NetworkError(f"{network.name} has no places for its nodes: lay it out first")
        columns = [network.tails(), network.targets, *(metric.weights for metric in network.metrics)]
        names = None if network.node_names is None else list(network.node_names.names)
        places = [(x, y) for x, y in network.coordinates.tolist()]
        return cls(network, network.node_ids.tolist(), places, names, np.stack(columns, axis=1).tolist())

    def finished(self) -> RoadNetwork:
        """Return the graph, its arcs by rising tail; named nodes have the ids 1 … n."""
        metrics = self.network.metrics
        tails, heads, *weights = np.array(self.arcs, np.int32).reshape(-1, 2 + len(metrics)).T
        return RoadNetwork.from_arcs(
            name=self.network.name,
            node_count=len(self.ids),
            tails=tails,
            heads=heads,
            metrics=[Metric(m.name, m.unit, m.scale, w) for m, w in zip(metrics, weights, strict=True)],
            node_ids=np.array(self.ids, np.int64) if self.names is None else None,
            coordinates=np.array(self.places, np.int32).reshape(-1, 2),
            node_names=None if self.names is None else NodeNames.of(self.names),
            attribution=self.network.attribution,
        )


def empty_graph(name: str) -> RoadNetwork:
    """Return a graph without nodes, whose nodes will have names and whose arcs one weight."""
    none = np.zeros(0, np.int32)
    return RoadNetwork.from_arrays(
        name=name,
        offsets=np.zeros(1, np.int32),
        targets=none,
        metrics=[Metric("weight", "", 1.0, none)],
        coordinates=np.zeros((0, 2), np.int32),
        node_names=NodeNames(()),
    )


def with_node(network: RoadNetwork, place: tuple[int, int], name: str = "") -> RoadNetwork:
    """Return the network with one more node, its last, at ``place`` (longitude, latitude in microdegrees).

    Without a name it gets the first letter that no node has, or the next id where nodes have ids alone. Raises
    ``NetworkError`` for more nodes than a small network has, and for a name that another node has.
    """
    if network.node_count >= SMALL:
        raise NetworkError(f"a graph that is drawn has at most {SMALL} nodes: delete one first")
    draft = _Draft.of(network)
    if name and draft.names is None:
        draft.names = list(map(str, draft.ids))
    if draft.names is not None:
        free = next(each for each in _free_names() if each not in draft.names)
        draft.names.append(_checked(name, draft.names) if name else free)
    draft.ids.append(max(draft.ids, default=0) + 1)
    draft.places.append(place)
    return draft.finished()


def without_node(network: RoadNetwork, node: int) -> RoadNetwork:
    """Return the network without a node and its arcs; nodes behind it move up by one."""
    draft = _Draft.of(network)
    del draft.ids[node], draft.places[node]
    if draft.names is not None:
        del draft.names[node]
    kept = (arc for arc in draft.arcs if node not in arc[:2])
    draft.arcs = [[tail - (tail > node), head - (head > node), *weights] for tail, head, *weights in kept]
    return draft.finished()


def with_arc(network: RoadNetwork, tail: int, head: int, weight: int) -> RoadNetwork:
    """Return the network with one more arc, the last of its tail, of the same weight in every metric.

    Raises ``NetworkError`` for a weight that no arc may have.
    """
    draft = _Draft.of(network)
    draft.arcs.append([tail, head, *[_checked_weight(weight)] * len(network.metrics)])
    return draft.finished()


def without_arc(network: RoadNetwork, arc: int) -> RoadNetwork:
    """Return the network without an arc; the arcs behind it move up by one."""
    draft = _Draft.of(network)
    del draft.arcs[arc]
    return draft.finished()


def with_weight(network: RoadNetwork, arc: int, metric: str, weight: int) -> RoadNetwork:
    """Return the network with another weight of an arc in one metric. Raises ``NetworkError``."""
    draft = _Draft.of(network)
    draft.arcs[arc][2 + network.metrics.index(network.metric(metric))] = _checked_weight(weight)
    return draft.finished()


def with_place(network: RoadNetwork, node: int, place: tuple[int, int]) -> RoadNetwork:
    """Return the network with a node at another place, in microdegrees."""
    draft = _Draft.of(network)
    draft.places[node] = place
    return draft.finished()


def with_name(network: RoadNetwork, node: int, name: str) -> RoadNetwork:
    """Return the network with a node of another name. Raises ``NetworkError`` for one that another node has."""
    draft = _Draft.of(network)
    names = draft.names or list(map(str, draft.ids))
    names[node] = _checked(name, names[:node] + names[node + 1 :])
    draft.names = names
    return draft.finished()


def _free_names() -> Iterator[str]:
    """Yield A … Z, then A1 … Z1, A2 and so on."""
    return (f"{letter}{number or ''}" for number in count() for letter in _LETTERS)


def _checked(name: str, others: list[str]) -> str:
    if not name.strip():
        raise NetworkError("a node needs a name: type a letter or a word")
    if name in others:
        raise NetworkError(f"there is a node {name!r} already: take another name")
    return name


def _checked_weight(weight: int) -> int:
    if not 0 <= weight <= LARGEST_WEIGHT:
        raise NetworkError(f"a weight is a whole number from 0 to {LARGEST_WEIGHT:,}, not {weight}")
    return weight


# ---------------------------------------------------------------------------------------------- compiling


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
