"""What a search from a source to one target works with, what it does in its own way, and the proof of a route.

A search to a target leaves no distances that would prove each other, so they are found again: by the reference
Dijkstra from the source, and against the arcs from the target where the search came from there too. The route has to
be a path of the network whose weights add up to the distance that the reference finds. Settled nodes have to have the
reference's distances, and all others that were looked at no smaller ones, each from a settled parent over an arc that
makes up the difference.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import RouteResult, SearchKind
from wayfront.safe.errors import CertificateError
from wayfront.searching.certificate import certify, tree_problem
from wayfront.searching.distances import WIDE, in_fewest_bits
from wayfront.searching.run import BaseRun, Found, Setting
from wayfront.searching.tree import reference_tree
from wayfront.trace.observing import Tracer

BEST, MEETING = 0, 1
"""Places in ``RouteRun.met``: the length of the shortest path known, and the node at which its two parts meet."""

NO_NODE = -1

FASTEST = "bidirectional"
"""The search that is fast without coordinates and without preparation."""


class Labels(NamedTuple):
    """What is known of nodes from one end of the route.

    distance   int64 [n]: length of the shortest path known between the end and each node; ``infinity`` for none
    parent     int32 [n]: the next node of that path on the way to the end, -1 for the end itself
    listed     int32 [n + 1]: how many nodes have a label, and then these nodes, in the order in which they got it
    """

    distance: DeviceArray
    parent: DeviceArray
    listed: DeviceArray


class RouteRun(BaseRun):
    """One algorithm on one network from one source to one target.

    Distances have 64 bits, since sums of distances and bounds have to fit too. ``ahead`` are labels from the source,
    and ``met`` int64 [2] is where the search leaves the length and the meeting node; a search from one end meets at the
    target. A search from both ends requests ``back`` as well. ``settled`` int8 [n] is 1 for settled nodes.

    A search of a few nodes must not pay for all: it begins with what the last one left in these arrays, and clears the
    listed nodes alone.
    """

    def __init__(self, setting: Setting, source: int, target: int) -> None:
        super().__init__(replace(setting, distance_dtype=WIDE))
        self.source = source
        self.target = target
        self.met: DeviceArray = self.array("met", 2, np.int64)
        self.settled: DeviceArray = self.device.put(np.zeros(self.node_count, np.int8))
        self.ahead: Labels = self._labels()
        self.back: Labels | None = None

    def labels_back(self) -> Labels:
        """Return labels from the target, for a search from both ends; the same ones at every call."""
        if self.back is None:
            with self.observer.untimed():
                self.back = self._labels()
        return self.back

    def _labels(self) -> Labels:
        n = self.node_count
        return Labels(
            distance=self.device.put(np.full(n, self.infinity, np.int64)),
            parent=self.device.put(np.full(n, NO_NODE, np.int32)),
            listed=self.device.put(np.zeros(n + 1, np.int32)),
        )

    def make_tracer(self, budget_bytes: int) -> Tracer:
        """Return an observer that records every step, frontiers within a byte budget."""
        return Tracer(self, self.network.out_degrees(), self.source, self.distance_dtype, budget_bytes)


@dataclass(frozen=True, slots=True)
class ToTarget:
    """The procedure for a route between two nodes, internal numbers; a ``reverse`` one is driven to the source."""

    source: int
    target: int
    reverse: bool = False
    kind = SearchKind.ROUTE

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the search that ``auto`` stands for."""
        return FASTEST

    def make_run(self, setting: Setting) -> RouteRun:
        """Return a run between the two nodes."""
        return RouteRun(setting, self.source, self.target)

    def for_compiling(self) -> ToTarget:
        """Return the procedure between two nodes of the network with which everything is compiled."""
        return ToTarget(0, 40)

    def finish(self, run: RouteRun) -> Found[RouteResult]:
        """Follow the parents from the meeting node to both ends, and copy back what the search looked at."""
        begin = time.perf_counter()
        best, meeting = run.read(run.met)
        path = _path(run, meeting) if best != run.infinity else np.empty(0, np.int32)
        path = path[::-1].copy() if self.reverse else path
        made = time.perf_counter()
        distances, parents, from_target = _labels_of_both(run)
        settled = run.device.get(run.settled, run.node_count) != 0
        copied = time.perf_counter()
        distances = in_fewest_bits(distances)
        for array in (path, distances, parents, from_target, settled):
            array.flags.writeable = False
        make_result = partial(
            RouteResult,
            source=run.source,
            target=run.target,
            path=path,
            distance=best if len(path) else -1,
            distances=distances,
            parents=parents,
            settled=settled,
            from_target=from_target,
        )
        return Found(make_result, transfer_ms=(copied - made) * 1e3, tree_ms=(made - begin) * 1e3)


def _path(run: RouteRun, meeting: int) -> NDArray[np.int32]:
    """Return the nodes from source to target over the node at which the search met."""
    first = _walk(run, run.ahead, meeting)[::-1]
    second = [] if run.back is None else _walk(run, run.back, meeting)[1:]
    return np.array(first + second, np.int32)


def _walk(run: RouteRun, labels: Labels, node: int) -> list[int]:
    parents, nodes = run.device.get(labels.parent), [node]
    while (node := int(parents[node])) != NO_NODE:
        nodes.append(node)
    return nodes


def _labels_of_both(run: RouteRun) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
    """Return the smaller label of every node, its parent, and whether it is the one from the target."""
    n = run.node_count
    distances, parents = run.device.get(run.ahead.distance, n), run.device.get(run.ahead.parent, n)
    if run.back is None:
        return distances, parents, np.zeros(n, np.bool_)
    others = run.device.get(run.back.distance, n)
    nearer = others < distances
    return np.where(nearer, others, distances), np.where(nearer, run.device.get(run.back.parent, n), parents), nearer


@certify.register(RouteResult)
def _certify_route(result: RouteResult) -> None:
    """Prove route, distances and parents."""
    problem = _route_shape_problem(result) or _route_problem(result)
    if not problem:
        network, metric = result.searched
        problem = _side_problem(result, network, metric, result.source, ~result.from_target)
        if not problem and result.from_target.any():
            back = network.reversed()
            problem = _side_problem(result, back, back.metric(metric.name), result.target, result.from_target)
    if problem:
        raise CertificateError(f"the result of {result.algorithm} is wrong: {problem}")


def _route_shape_problem(result: RouteResult) -> str:
    """Return why the arrays cannot be those of a result of this network, or an empty string."""
    n, arrays = result.network.node_count, (result.distances, result.parents, result.settled, result.from_target)
    if any(array.shape != (n,) for array in arrays):
        return f"its arrays are not of {n:,} nodes"
    if not (0 <= result.source < n and 0 <= result.target < n):
        return f"its source {result.source} or target {result.target} is none of {n:,} nodes"
    if (result.distances[result.reached] < 0).any():
        return "a distance is negative"
    if (result.settled & ~result.reached).any():
        return "a node is settled without a distance"
    return ""


def _route_problem(result: RouteResult) -> str:
    """Return why the route is no path of that length, or an empty string."""
    path = result.path[::-1] if result.reverse else result.path
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
            ends = (head, tail) if result.reverse else (tail, head)
            return "the route has no arc from node {} to node {}".format(*(network.node_ids[end] for end in ends))
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
