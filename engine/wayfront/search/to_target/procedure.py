"""What a search from a source to one target does in its own way (``wayfront.search.procedure``)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device
from wayfront.network.road_network import RoadNetwork
from wayfront.search.distances import in_fewest_bits
from wayfront.search.procedure import Found
from wayfront.search.registry import SearchKind
from wayfront.search.run import Setting
from wayfront.search.to_target.result import RouteResult
from wayfront.search.to_target.run import NO_NODE, Labels, RouteRun

FASTEST = "bidirectional"
"""The search that is fast without coordinates and without preparation."""


@dataclass(frozen=True, slots=True)
class ToTarget:
    """The procedure for a route between two nodes, internal numbers."""

    source: int
    target: int
    kind = SearchKind.ROUTE

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the search that ``auto`` stands for."""
        return FASTEST

    def make_run(self, setting: Setting) -> RouteRun:
        """Return a run between the two nodes."""
        return RouteRun(setting, self.source, self.target)

    def rehearsal(self) -> ToTarget:
        """Return the procedure between two nodes of the rehearsal's network."""
        return ToTarget(0, 40)

    def finish(self, run: RouteRun) -> Found[RouteResult]:
        """Follow the parents from the meeting node to both ends, and copy back what the search looked at."""
        begin = time.perf_counter()
        best, meeting = run.read(run.met)
        path = _path(run, meeting) if best != run.infinity else np.empty(0, np.int32)
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
