"""Proof that a route is a shortest one, and that what a search settled to find it is right.

A search to a target leaves no distances that would prove each other, so they are found again: by the reference
Dijkstra from the source, and against the arcs from the target where the search came from there too. The route has to
be a path of the network whose weights add up to the distance that the reference finds. Settled nodes have to have the
reference's distances, and all others that were looked at no smaller ones, each from a settled parent over an arc that
makes up the difference.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import CertificateError
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.search.certificate import certify, tree_problem
from wayfront.search.one_tree import reference_tree
from wayfront.search.to_target.result import RouteResult
from wayfront.search.to_target.run import NO_NODE


@certify.register(RouteResult)
def _certify_route(result: RouteResult) -> None:
    """Prove route, distances and parents."""
    problem = _shape_problem(result) or _route_problem(result)
    if not problem:
        network, metric = result.searched
        problem = _side_problem(result, network, metric, result.source, ~result.from_target)
        if not problem and result.from_target.any():
            turned, turned_metric = _turned(network, metric)
            problem = _side_problem(result, turned, turned_metric, result.target, result.from_target)
    if problem:
        raise CertificateError(f"the result of {result.algorithm} is wrong: {problem}")


def _shape_problem(result: RouteResult) -> str:
    """Return why the arrays cannot be those of a result of this network, or an empty string."""
    n, arrays = result.network.node_count, (result.distances, result.parents, result.settled, result.from_target)
    if any(array.shape != (n,) for array in arrays):
        return f"its arrays are not of {n:,} nodes"
    if not (0 <= result.source < n and 0 <= result.target < n):
        return f"its source {result.source} or target {result.target} is none of {n:,} nodes"
    if (result.distances < 0).any():
        return "a distance is negative"
    if (result.settled & ~result.reached).any():
        return "a node is settled without a distance"
    return ""


def _route_problem(result: RouteResult) -> str:
    """Return why the route is no path of that length, or an empty string."""
    path = result.path
    if not len(path):
        return "" if result.distance == -1 else f"there is a distance of {result.distance} and no route"
    if path[0] != result.source or path[-1] != result.target or (path < 0).any() or (path >= len(result.parents)).any():
        return "the route does not lead from the source to the target"
    network, metric = result.searched
    length = 0
    for tail, head in zip(path[:-1].tolist(), path[1:].tolist(), strict=True):
        arcs = slice(int(network.offsets[tail]), int(network.offsets[tail + 1]))
        weights = metric.weights[arcs][network.targets[arcs] == head]
        if not len(weights):
            return f"the route has no arc from node {network.node_ids[tail]} to node {network.node_ids[head]}"
        length += int(weights.min())
    return "" if length == result.distance else f"the route has length {length}, not {result.distance}"


def _side_problem(result: RouteResult, network: RoadNetwork, metric: Metric, end: int, mine: NDArray[np.bool_]) -> str:
    """Return what is wrong with the nodes reached from one end, or an empty string."""
    expected, ids = reference_tree(network, end, metric.name), network.node_ids
    if end == result.source:
        shortest = int(expected.distances[result.target]) if expected.reached[result.target] else -1
        if shortest != result.distance:
            return f"the distance to node {ids[result.target]} is {shortest}, not {result.distance}"
    wide, true = result.distances.astype(np.int64), expected.distances.astype(np.int64)
    here = mine & result.reached
    wrong = here & (~expected.reached | (wide < true) | (result.settled & (wide != true)))
    if wrong.any():
        node = int(np.flatnonzero(wrong)[0])
        return f"node {ids[node]} is at {true[node]}, not at {wide[node]}"
    distances = np.where(here, result.distances, result.unreached)
    parents = np.where(here, result.parents, NO_NODE)
    tight = _tight(network, metric, result, distances, parents)
    return tree_problem(ids, distances, parents, end, result.unreached, tight)


def _turned(network: RoadNetwork, metric: Metric) -> tuple[RoadNetwork, Metric]:
    """Return the network with every arc turned round."""
    offsets, order = network.in_arcs()
    tails = network.tails()[order]
    turned = Metric(metric.name, metric.unit, metric.scale, metric.weights[order]).frozen()
    tails.flags.writeable = False
    derived: dict[str, Any] = {"id_order": network.id_order()}
    plain = replace(
        network,
        offsets=offsets,
        targets=tails,
        metrics=(turned,),
        road_class=None,
        road_names=None,
        shapes=None,
        content_key=f"{network.content_key}-turned",
        _derived=derived,
    )
    return plain, turned


def _tight(
    network: RoadNetwork,
    metric: Metric,
    result: RouteResult,
    distances: NDArray[Any],
    parents: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Return which nodes have a settled parent and an arc from it that makes up their distance."""
    tails, heads, unreached = network.tails(), network.targets, result.unreached
    made_up = (parents[heads] == tails) & result.settled[tails] & (distances[tails] != unreached)
    made_up &= distances[tails].astype(np.int64) + metric.weights == distances[heads]
    tight = np.zeros(len(parents), np.bool_)
    tight[heads[made_up]] = True
    return tight
