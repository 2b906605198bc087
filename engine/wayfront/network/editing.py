"""Change a small network by one node or arc at a time: each function returns another network.

Since a network is never changed, an editor keeps the networks themselves, to undo and to redo. What is made is a plain
graph: classes, names and shapes of roads are left out, and it has no origin until it is saved. Arcs keep their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.network.node_names import NodeNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT
from wayfront.network.small import SMALL

T = TypeVar("T")

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


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
    ids = network.node_ids.tolist()
    names = _names(network)
    if names is not None:
        names.append(_checked(name, names) if name else next(each for each in _free_names() if each not in names))
    elif name:
        names = [*map(str, ids), _checked(name, list(map(str, ids)))]
    return _made(
        network,
        [*ids, max(ids, default=0) + 1],
        [*_places(network), place],
        names,
        np.stack([network.tails(), network.targets]),
        [metric.weights for metric in network.metrics],
    )


def without_node(network: RoadNetwork, node: int) -> RoadNetwork:
    """Return the network without a node and its arcs; nodes behind it move up by one."""
    ends = np.stack([network.tails(), network.targets])
    kept = (ends != node).all(axis=0)
    names = _names(network)
    return _made(
        network,
        _without(network.node_ids.tolist(), node),
        _without(_places(network), node),
        None if names is None else _without(names, node),
        ends[:, kept] - (ends[:, kept] > node),
        [metric.weights[kept] for metric in network.metrics],
    )


def with_arc(network: RoadNetwork, tail: int, head: int, weight: int) -> RoadNetwork:
    """Return the network with one more arc, the last of its tail, of the same weight in every metric.

    Raises ``NetworkError`` for a weight that no arc may have.
    """
    at = int(network.offsets[tail + 1])
    weight = _checked_weight(weight)
    ends = np.stack([np.insert(network.tails(), at, tail), np.insert(network.targets, at, head)])
    return _rewired(network, ends, [np.insert(metric.weights, at, weight) for metric in network.metrics])


def without_arc(network: RoadNetwork, arc: int) -> RoadNetwork:
    """Return the network without an arc; the arcs behind it move up by one."""
    ends = np.stack([np.delete(network.tails(), arc), np.delete(network.targets, arc)])
    return _rewired(network, ends, [np.delete(metric.weights, arc) for metric in network.metrics])


def with_weight(network: RoadNetwork, arc: int, metric: str, weight: int) -> RoadNetwork:
    """Return the network with another weight of an arc in one metric. Raises ``NetworkError``."""
    weights = [each.weights.copy() for each in network.metrics]
    weights[network.metrics.index(network.metric(metric))][arc] = _checked_weight(weight)
    return _rewired(network, np.stack([network.tails(), network.targets]), weights)


def with_place(network: RoadNetwork, node: int, place: tuple[int, int]) -> RoadNetwork:
    """Return the network with a node at another place, in microdegrees."""
    places = _places(network)
    places[node] = place
    return _renamed(network, _names(network), places)


def with_name(network: RoadNetwork, node: int, name: str) -> RoadNetwork:
    """Return the network with a node of another name. Raises ``NetworkError`` for one that another node has."""
    names = _names(network) or list(map(str, network.node_ids.tolist()))
    names[node] = _checked(name, _without(names, node))
    return _renamed(network, names, _places(network))


# ------------------------------------------------------------------------------------------------------ parts


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


def _names(network: RoadNetwork) -> list[str] | None:
    return None if network.node_names is None else list(network.node_names.names)


def _places(network: RoadNetwork) -> list[tuple[int, int]]:
    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no places for its nodes: lay it out first")
    return [(x, y) for x, y in network.coordinates.tolist()]


def _without(values: list[T], index: int) -> list[T]:
    return [*values[:index], *values[index + 1 :]]


def _rewired(network: RoadNetwork, ends: NDArray[np.int32], weights: list[NDArray[np.int32]]) -> RoadNetwork:
    return _made(network, network.node_ids.tolist(), _places(network), _names(network), ends, weights)


def _renamed(network: RoadNetwork, names: list[str] | None, places: list[tuple[int, int]]) -> RoadNetwork:
    ends = np.stack([network.tails(), network.targets])
    return _made(network, network.node_ids.tolist(), places, names, ends, [m.weights for m in network.metrics])


def _made(
    network: RoadNetwork,
    ids: list[int],
    places: list[tuple[int, int]],
    names: list[str] | None,
    ends: NDArray[np.int32],
    weights: list[NDArray[np.int32]],
) -> RoadNetwork:
    """Return a graph of these nodes and arcs, the latter by rising tail; named nodes have the ids 1 … n."""
    return RoadNetwork.from_arcs(
        name=network.name,
        node_count=len(ids),
        tails=ends[0],
        heads=ends[1],
        metrics=[Metric(m.name, m.unit, m.scale, w) for m, w in zip(network.metrics, weights, strict=True)],
        node_ids=np.array(ids, np.int64) if names is None else None,
        coordinates=np.array(places, np.int32).reshape(-1, 2),
        node_names=None if names is None else NodeNames.of(names),
        attribution=network.attribution,
    )
