"""A small graph as it is drawn, whatever is searched on it: where its nodes are and how its arcs run. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.closures import joining_arcs
from wayfront.network.drawing import is_drawing
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.small_layout import pushed_apart, room_of
from wayfront_gui.model.graph_numbers import Numbers
from wayfront_gui.model.small_networks import is_small
from wayfront_gui.scene.geometry import Extent, MapGeometry
from wayfront_gui.scene.small_graph.courses import Courses, courses_of

DISC_SHARE = 0.24
"""Radius of a disc, as a share of how far nodes are from their nearest neighbours."""
_CROWDED_SHARE = 0.15
"""Of so many nodes the nearest neighbours may be nearer than what counts as usual."""
_SHORT_NAME = 3
"""Letters that are read on a disc."""


@dataclass(frozen=True, slots=True, eq=False)
class SmallGraph:
    """The drawing of a network of few nodes.

    x, y     float64 [n]: the nodes' places on the map's plane; nodes that lie on one another are moved apart
    radius   of a disc on the plane, in a picture that has room for it
    courses  how the arcs run
    names    what stands on the discs
    weights  what stands at each arc
    numbers  how labels are written, as the weights are
    home     the box round the nodes' places
    long_names  whether names are too long to stand on discs
    """

    network: RoadNetwork
    metric: Metric
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    radius: float
    courses: Courses
    names: tuple[str, ...]
    weights: tuple[str, ...]
    numbers: Numbers
    home: Extent
    long_names: bool

    @classmethod
    def of(cls, network: RoadNetwork, metric: Metric | None = None) -> SmallGraph | None:
        """Return the drawing of a network, made at the first call; None for one with more nodes, or with none."""
        if not is_small(network) or network.coordinates is None:
            return None
        shown = metric or network.metrics[0]
        return network.derive(f"small graph {shown.name}", lambda: cls._make(network, shown))

    def course_between(self, tail: int, head: int) -> int:
        """Return the course of the lightest arc from one node to another, -1 where there is none."""
        arcs, _ = joining_arcs(self.network, np.array([tail]), np.array([head]))
        if not len(arcs):
            return -1
        return int(self.courses.of_arc[arcs[self.metric.weights[arcs].argmin()]])

    @classmethod
    def _make(cls, network: RoadNetwork, metric: Metric) -> SmallGraph:
        geometry, n = MapGeometry.of(network), network.node_count
        places = np.stack([geometry.x[:n], geometry.y[:n]], axis=1).astype(np.float64)
        if not is_drawing(network):  # what was drawn stays where it was drawn
            places = pushed_apart(places, room_of(places))
        x, y = (np.ascontiguousarray(column) for column in places.T)
        radius = DISC_SHARE * _usual_gap(x, y)
        numbers = Numbers.of(metric, network.distance_bound(metric))
        return cls(
            network=network,
            metric=metric,
            x=x,
            y=y,
            radius=radius,
            courses=courses_of(network, metric, x, y, radius),
            names=tuple(network.node_name(node) for node in range(n)),
            weights=tuple(numbers.text(weight) for weight in metric.weights.tolist()),
            numbers=numbers,
            home=Extent(float(x.min()), float(y.min()), float(x.max()), float(y.max())),
            long_names=max(len(network.node_name(node)) for node in range(n)) > _SHORT_NAME,
        )


def _usual_gap(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return how far nodes are from their nearest neighbours, all but the most crowded ones."""
    if len(x) < 2:
        return 1.0
    away = np.hypot(x[:, None] - x, y[:, None] - y)
    np.fill_diagonal(away, np.inf)
    return float(np.quantile(away.min(axis=1), _CROWDED_SHARE)) or 1.0
