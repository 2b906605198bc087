"""A tree that follows its source while that is dragged: its arrays are those of the next tree but one. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront_gui.model.route import Route, no_way, route_text
from wayfront_gui.translation import translated


@dataclass(frozen=True, slots=True, eq=False)
class DraggedTree:
    """A tree as it was found for one position of the mouse; nothing may keep its arrays, which are overwritten.

    distances  [n] in raw weights, ``infinity`` where no path leads
    parents    int32 [n], -1 for the source and for unreached nodes
    title      of the search that found it
    found_ms   the time of the search and of the parents
    asked_at   ``time.perf_counter()`` when the mouse moved there
    """

    network: RoadNetwork
    metric: Metric
    source: int
    distances: NDArray[Any]
    parents: NDArray[np.int32]
    infinity: int
    title: str
    found_ms: float
    asked_at: float

    def route(self, target: int) -> Route:
        """Return the route to a node."""
        called = self.network.node_name
        if self.distances[target] >= self.infinity:
            return Route(np.empty(0, np.int32), no_way(called(self.source), called(target)))
        path = [target]
        while path[-1] != self.source and len(path) <= self.network.node_count:
            path.append(int(self.parents[path[-1]]))
        nodes = np.array(path[::-1], np.int32)
        length = self.metric.describe(int(self.distances[target]))
        return Route(nodes, route_text(called(target), length, nodes))

    def about(self, node: int) -> str:
        """Return how far a node is."""
        distance = int(self.distances[node])
        return translated("not reached") if distance >= self.infinity else self.metric.describe(distance)
