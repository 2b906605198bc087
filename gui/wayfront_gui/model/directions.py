"""Directions along a route: what it takes in all, and the names of its roads with the length of each. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.route_arcs import roads_along, route_arcs
from wayfront_gui.model.closures import NO_ARCS, Arcs
from wayfront_gui.translation import marked, plural, translated

MOST_NAMES = 3
"""Roads that are named for one node; at a large crossing each arm may have its own."""


_TOLD = ("s", "m")
"""Units of the metrics that a headline tells, in their order."""
_BEST = {"s": marked("Fastest way to {place}, {arcs}"), "m": marked("Shortest way to {place}, {arcs}")}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive arcs of a route on one road: the road's name, "" for none, and their length with its unit."""

    name: str
    length: str


@dataclass(frozen=True, slots=True)
class Journey:
    """A route as a card tells it.

    headline   what it takes in time and in length, as far as the network has them: ``19 min 37 s · 12.4 km``
    detail     where it leads, and by what it is the best
    stretches  its roads in their order, none where no road names are known
    """

    headline: str
    detail: str
    stretches: tuple[Stretch, ...] = ()


def journey(network: RoadNetwork, nodes: NDArray[np.int32], searched: Metric, closed: Arcs = NO_ARCS) -> Journey | None:
    """Return what a card tells of a route with these nodes, found by ``searched``; None for a route without arcs."""
    if len(nodes) < 2:
        return None
    arcs = route_arcs(network, nodes, searched, closed)
    told = sorted({m.unit: m for m in (*network.metrics, searched) if m.unit in _TOLD}.values(), key=_told_order)
    if searched.unit not in _TOLD:
        told.append(searched)
    headline = " · ".join(metric.describe(int(metric.weights[arcs].sum(dtype=np.int64))) for metric in told)
    target = int(nodes[-1])
    to = roads_at(network, target) or translated("node {node}", node=network.node_name(target))
    best = _BEST.get(searched.unit, marked("Best way to {place}, {arcs}"))
    detail = translated(best, place=to, arcs=plural("{count:,} arc", "{count:,} arcs", len(arcs)))
    return Journey(headline, detail, directions(network, nodes, searched, closed))


def _told_order(metric: Metric) -> int:
    return _TOLD.index(metric.unit)


def directions(
    network: RoadNetwork, nodes: NDArray[np.int32], searched: Metric, closed: Arcs = NO_ARCS
) -> tuple[Stretch, ...]:
    """Return a route's stretches from source to target; none where the network has no road names.

    ``nodes`` are those of the route in its order. Stretches are measured in length where the network has it, else in
    the metric that was searched by, which also decides which of parallel arcs a route takes; none of those ``closed``.
    """
    if network.road_names is None or len(nodes) < 2:
        return ()
    metric = next((m for m in network.metrics if m.name == "length"), searched)
    return tuple(
        Stretch(name, metric.describe(int(metric.weights[arcs].sum(dtype=np.int64))))
        for name, arcs in roads_along(network, route_arcs(network, nodes, searched, closed))
    )


def roads_at(network: RoadNetwork, node: int) -> str:
    """Return the names of the roads that leave a node, "" if they are unknown: ``High Street / Curved Lane``."""
    if network.road_names is None:
        return ""
    arcs = range(int(network.offsets[node]), int(network.offsets[node + 1]))
    names = dict.fromkeys(name for arc in arcs if (name := network.road_names.name(arc)))
    return " / ".join(list(names)[:MOST_NAMES])
