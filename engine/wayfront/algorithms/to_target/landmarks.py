"""Choose landmarks and find the distances from and to them, which ALT makes its bounds of.

Landmarks are far from each other and from the middle: the first is the node farthest from an arbitrary one, and each
next the node farthest from the nearest of those before ("farthest" selection of Goldberg and Harrelson). A landmark
behind the target, as seen from the source, bounds best, and with nodes all round the edge there is one.

Preparing costs two searches for each landmark, O(k (n log n + m)), and 16 bytes for each node and landmark.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.dijkstra import bucket_kernels
from wayfront.algorithms.dijkstra.sequential import make_bucket_queue
from wayfront.algorithms.dijkstra.settling import MOST_WORK
from wayfront.kernels.arguments import Arcs
from wayfront.memory import require_memory
from wayfront.network.connectivity import in_largest_component
from wayfront.search.registry import Tell
from wayfront.search.run import Setting
from wayfront.search.to_target.run import RouteRun
from wayfront.trace.schema import NO_PATH


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
    """Return the landmarks, as places in ``nodes``, that bound the distance from source to target best; ``most``.

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
    for place in range(count):
        tell("finding landmarks", place / count)
        nodes[place] = landmark = int(np.argmax(np.where(inside, nearest, NO_PATH)))
        away[:, place], towards[:, place] = search.away(landmark), search.towards(landmark)
        nearest = np.minimum(nearest, away[:, place]) if place else away[:, 0].copy()
    flat = away.reshape(-1), towards.reshape(-1)
    for array in (nodes, *flat):
        array.flags.writeable = False
    return Landmarks(nodes, *flat, (time.perf_counter() - begin) * 1e3)


class _Searches:
    """Dijkstra searches from and to nodes of a run's whole network, with one queue."""

    def __init__(self, run: RouteRun) -> None:
        metric = run.whole.metric(run.metric.name)
        self._run = RouteRun(Setting(run.device, run.whole, metric, run.options, run.distance_dtype, run.check), 0, 0)
        self._queue, self._fine_bits = make_bucket_queue(self._run, "landmarks")
        self._order = self._run.array("order", run.node_count, np.int32)
        self._recording = self._run.recording(None)

    def away(self, node: int) -> NDArray[np.int64]:
        """Return the distances from a node to all, -1 where there is no path."""
        return self._search(self._run.arcs, node)

    def towards(self, node: int) -> NDArray[np.int64]:
        """Return the distances from all nodes to one, likewise."""
        return self._search(Arcs(*self._run.in_arcs()), node)

    def _search(self, arcs: Arcs, node: int) -> NDArray[np.int64]:
        run, distances, count, done = self._run, np.empty(self._run.node_count, np.int64), 0, False
        bucket_kernels.start_buckets(self._queue, distances, node, run.infinity)
        while not done:
            run.check()
            count, done = bucket_kernels.settle_buckets(
                *(arcs, distances, self._queue, self._fine_bits, self._order, count, run.node_count + 1, MOST_WORK),
                self._recording,
            )
        distances[distances == run.infinity] = NO_PATH
        return distances
