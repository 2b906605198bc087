"""Lower bounds on the distance that is left to a target, by great circles and by landmarks.

A bound π is given for a target t. It never exceeds the distance that is left, and no arc (u, v) makes it fall by more
than its weight: π(u) ≤ w + π(v). Then keys never fall along a path, a node is settled with its final distance, once,
and the search may end when no key is below the target's distance.

**Great circles: the scale.** The bound is a number times the great circle to the target: the least weight of an arc,
over all arcs, for each radian that its ends lie apart. By travel time that is the fastest road of the network. Then an
arc (u, v) of weight w lies on a great circle worth at most w, great circles keep the triangle inequality, and so the
bound at u is at most w more than that at v. Rounding both down to whole numbers keeps that, since w is a whole number.

**Rounded coordinates.** Coordinates are rounded to a tenth of a metre, so the two ends of a short arc may lie two
metres apart on the map and one metre by its weight. One such arc among a million would halve the bound of all. So the
few arcs with the smallest ratios are taken for points: their ends are moved to one point, which leaves them no great
circle, and moves the ends of their neighbours by as much. All arcs are measured between these points; of a few numbers
of merged arcs that with the largest bound is chosen.

**Rounding of the sums.** Nodes are points of the unit sphere in 64 bits: a great circle is wrong by some 10⁻¹⁵
radians, and two points differ by 10⁻⁹ at least. ``SLACK`` makes each bound smaller by more than that, relative to any
arc.

**Landmarks** are far from each other and from the middle: the first is the node farthest from an arbitrary one, and
each next the node farthest from the nearest of those before ("farthest" selection of Goldberg and Harrelson, 2005). A
landmark behind the target, as seen from the source, bounds best, and with nodes all round the edge there is one.
Preparing costs two searches for each landmark, O(k (n log n + m)), and 16 bytes for each node and landmark.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.dijkstra import SearchArrays, find_distances, make_bucket_queue
from wayfront.algorithms.sequential_steps import unrecorded_steps
from wayfront.devices.compiling import part_without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.structure import in_largest_component, join
from wayfront.safe.memory import require_memory
from wayfront.searching.registry import Tell
from wayfront.searching.routes import RouteRun
from wayfront.searching.run import Setting
from wayfront.trace.schema import NO_PATH

INFINITY = (1 << 63) - 1

SLACK = 1e-5

SHARES_MERGED = (0.0, 1e-5, 3e-5, 1e-4)
"""Shares of the arcs that are tried to be taken for points. More would move points, and make further arcs too short."""

_AT_ONCE = 1 << 22
"""Arcs measured at once: their temporary arrays stay some hundred megabytes."""

NOTHING, GREAT_CIRCLE, LANDMARKS = range(3)
"""What a bound is made of."""

# --------------------------------------------------------------------------------------------------------------- bounds


class Bound(NamedTuple):
    """Lower bounds on the distance from each node to the target.

    rule        ``NOTHING`` (all are 0), ``GREAT_CIRCLE`` or ``LANDMARKS``
    target      internal node number
    points      float64 [3 n]: the nodes as points of a sphere of radius 1
    per_radian  what a radian of a great circle costs at least, in raw weights
    away        int64 [n · k]: the distance from each of k landmarks to each node, -1 where there is no path
    towards     int64 [n · k]: the distance from each node to each landmark, likewise
    active      int32 [a]: the landmarks that are asked in this search
    """

    rule: int
    target: int
    points: DeviceArray
    per_radian: float
    away: DeviceArray
    towards: DeviceArray
    landmarks: int
    active: DeviceArray


@part_without_allocation
def _great_circle(bound: Bound, node: int) -> int:
    """Return what the great circle to the target costs at least, rounded down."""
    u, t, points = 3 * node, 3 * bound.target, bound.points
    x, y, z = points[u] - points[t], points[u + 1] - points[t + 1], points[u + 2] - points[t + 2]
    half_chord = 0.5 * math.sqrt(x * x + y * y + z * z)
    return int(bound.per_radian * 2.0 * math.asin(min(half_chord, 1.0)))


@part_without_allocation
def _by_landmarks(bound: Bound, node: int) -> int:
    """Return the largest bound that the active landmarks give, ``INFINITY`` where one shows that no path leads on.

    For a landmark L, d(L, t) ≤ d(L, v) + d(v, t) and d(v, L) ≤ d(v, t) + d(t, L). A landmark that reaches v and not t
    shows that v does not reach t; so does one that t reaches and v does not.
    """
    v, t, best = node * bound.landmarks, bound.target * bound.landmarks, 0
    for index in range(len(bound.active)):
        landmark = bound.active[index]
        to_node, to_target = bound.away[v + landmark], bound.away[t + landmark]
        from_node, from_target = bound.towards[v + landmark], bound.towards[t + landmark]
        if (to_target < 0 and to_node >= 0) or (from_target >= 0 and from_node < 0):
            return INFINITY
        if to_target >= 0 and to_node >= 0:
            best = max(best, to_target - to_node)
        if from_target >= 0 and from_node >= 0:
            best = max(best, from_node - from_target)
    return best


@part_without_allocation
def bound_of(bound: Bound, node: int) -> int:
    """Return the bound on what is left from a node, ``INFINITY`` where no path leads on."""
    if bound.rule == GREAT_CIRCLE:
        return _great_circle(bound, node)
    if bound.rule == LANDMARKS:
        return _by_landmarks(bound, node)
    return 0


def _nothing(dtype: type) -> NDArray[Any]:
    """Return an empty array as read-only as those of bounds are, since loops are compiled for that."""
    array: NDArray[Any] = np.empty(0, dtype)
    array.flags.writeable = False
    return array


_NO_POINTS, _NO_DISTANCES = _nothing(np.float64), _nothing(np.int64)

_NO_LANDMARKS = np.empty(0, np.int32)


def no_bound(target: int) -> Bound:
    """Return the bound 0, which is everywhere right."""
    return Bound(NOTHING, target, _NO_POINTS, 0.0, _NO_DISTANCES, _NO_DISTANCES, 0, _NO_LANDMARKS)


def great_circle_bound(target: int, points: NDArray[np.float64], per_radian: float) -> Bound:
    """Return the bound by great circles: ``points`` float64 [3 n], and what a radian costs at least."""
    return Bound(GREAT_CIRCLE, target, points, per_radian, _NO_DISTANCES, _NO_DISTANCES, 0, _NO_LANDMARKS)


def landmark_bound(
    target: int, away: NDArray[np.int64], towards: NDArray[np.int64], landmarks: int, active: NDArray[np.int32]
) -> Bound:
    """Return the bound by landmarks: distances from and to them, int64 [n · landmarks], and those that are asked."""
    return Bound(LANDMARKS, target, _NO_POINTS, 0.0, away, towards, landmarks, active)


# -------------------------------------------------------------------------------------------------------- great circles


class Points(NamedTuple):
    """Where nodes lie for the bound, float64 [3 n] on the unit sphere, and the raw weight of a radian at least.

    ``made_ms`` is the time that finding them took.
    """

    points: NDArray[np.float64]
    per_radian: float
    made_ms: float


def points_for(network: RoadNetwork, metric: Metric) -> Points:
    """Return the points and the scale of a network's metric, made at the first call; it has coordinates."""
    return network.derive(f"points {metric.name}", lambda: _best_points(network, metric))


def _best_points(network: RoadNetwork, metric: Metric) -> Points:
    assert network.coordinates is not None
    _joined_by(network, np.zeros(network.arc_count, np.bool_))  # compiles the loop before the time counts
    begin = time.perf_counter()
    points = _on_sphere(network.coordinates)
    ratios = _weight_per_radian(network, metric, points)
    best, best_ratio = points, _least(ratios)
    for share in SHARES_MERGED:
        merged = int(share * len(ratios))
        if merged:
            shortest = ratios < np.partition(ratios, merged)[merged]
            moved = points[_joined_by(network, shortest)]
            ratio = _least(_weight_per_radian(network, metric, moved))
            if ratio > best_ratio:
                best, best_ratio = moved, ratio
    flat = np.ascontiguousarray(best).reshape(-1)
    flat.flags.writeable = False
    return Points(flat, best_ratio * (1 - SLACK), (time.perf_counter() - begin) * 1e3)


def _joined_by(network: RoadNetwork, arcs: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return for each node the one whose point it gets: the smallest that these arcs join it with."""
    offsets = np.zeros_like(network.offsets)
    np.cumsum(np.bincount(network.tails()[arcs], minlength=network.node_count), out=offsets[1:])
    heads = network.targets[arcs]
    offsets.flags.writeable = heads.flags.writeable = False  # the type for which the loop is compiled
    return join(offsets, heads)


def _on_sphere(coordinates: NDArray[np.int32]) -> NDArray[np.float64]:
    longitude, latitude = np.radians(coordinates / 1e6).T
    level = np.cos(latitude)
    return np.stack((level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)), axis=1)


def _weight_per_radian(network: RoadNetwork, metric: Metric, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of each arc for a radian between its ends, float64 [m], infinity where they have one point."""
    tails, ratios = network.tails(), np.empty(network.arc_count)
    for first in range(0, len(ratios), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        chord = np.linalg.norm(points[tails[part]] - points[network.targets[part]], axis=1)
        angle = 2.0 * np.arcsin(np.minimum(0.5 * chord, 1.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios[part] = np.where(angle > 0, metric.weights[part] / angle, np.inf)
    return ratios


def _least(ratios: NDArray[np.float64]) -> float:
    """Return the least ratio, 0 where no arc has one: then nothing is known of great circles, or needed."""
    least = float(ratios.min(initial=np.inf))
    return least if np.isfinite(least) else 0.0


# ------------------------------------------------------------------------------------------------------------ landmarks


class Landmarks(NamedTuple):
    """The distances between nodes and landmarks by one metric.

    nodes    int32 [k], internal node numbers
    away     int64 [n · k]: from each landmark to each node, -1 where there is no path; a node's are side by side
    towards  int64 [n · k]: from each node to each landmark
    made_ms  the time that finding them took
    """

    nodes: NDArray[np.int32]
    away: NDArray[np.int64]
    towards: NDArray[np.int64]
    made_ms: float


def landmarks_for(run: RouteRun, tell: Tell) -> Landmarks:
    """Return the landmarks of a run's whole network by its metric, made at the first call.

    Closed roads only make distances longer, so bounds of the whole network hold without them too. Raises
    ``MemoryShortError``.
    """
    count = min(int(run.options["landmarks"]), run.node_count)
    return run.whole.derive(f"landmarks {run.metric.name} {count}", lambda: _make(run, count, tell))


def best_of(landmarks: Landmarks, most: int, source: int, target: int) -> NDArray[np.int32]:
    """Return the landmarks, as indices in ``nodes``, that bound the distance from source to target best; ``most``.

    A search that asks few of them takes less time for each node.
    """
    k = len(landmarks.nodes)
    away, towards = landmarks.away.reshape(-1, k), landmarks.towards.reshape(-1, k)
    ahead = np.where((away[source] < 0) | (away[target] < 0), 0, away[target] - away[source])
    behind = np.where((towards[source] < 0) | (towards[target] < 0), 0, towards[source] - towards[target])
    bounds = np.maximum(ahead, behind)
    return np.argsort(-bounds, kind="stable")[:most].astype(np.int32)


def _make(run: RouteRun, count: int, tell: Tell) -> Landmarks:
    """Choose ``count`` landmarks, all in the largest strongly connected component."""
    network = run.whole
    n = network.node_count
    require_memory(16 * n * count, f"{network.name} with {count} landmarks")
    begin, search = time.perf_counter(), _Searches(run)
    away, towards = np.empty((n, count), np.int64), np.empty((n, count), np.int64)
    nodes = np.empty(count, np.int32)
    inside = in_largest_component(network)
    nearest = search.away(int(np.flatnonzero(inside)[0]))
    for index in range(count):
        tell("finding landmarks", index / count)
        nodes[index] = landmark = int(np.argmax(np.where(inside, nearest, NO_PATH)))
        away[:, index], towards[:, index] = search.away(landmark), search.towards(landmark)
        nearest = np.minimum(nearest, away[:, index]) if index else away[:, 0].copy()
    flat = away.reshape(-1), towards.reshape(-1)
    for array in (nodes, *flat):
        array.flags.writeable = False
    return Landmarks(nodes, *flat, (time.perf_counter() - begin) * 1e3)


class _Searches:
    """Dijkstra searches from and to nodes of a run's whole network, with one queue."""

    def __init__(self, run: RouteRun) -> None:
        metric = run.whole.metric(run.metric.name)
        self._run = RouteRun(Setting(run.device, run.whole, metric, run.options, run.distance_dtype, run.check), 0, 0)
        self._queue = make_bucket_queue(self._run, "landmarks")
        self._order = self._run.array("order", run.node_count, np.int32)

    def away(self, node: int) -> NDArray[np.int64]:
        """Return the distances from a node to all, -1 where there is no path."""
        return self._search(self._run.arcs, node)

    def towards(self, node: int) -> NDArray[np.int64]:
        """Return the distances from all nodes to one, likewise."""
        return self._search(Arcs(*self._run.in_arcs()), node)

    def _search(self, arcs: Arcs, node: int) -> NDArray[np.int64]:
        run, distances = self._run, np.empty(self._run.node_count, np.int64)
        find_distances(run, SearchArrays(arcs, distances, self._order), self._queue, node, unrecorded_steps(run))
        distances[distances == run.infinity] = NO_PATH
        return distances
