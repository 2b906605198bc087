"""A route as the map and the status line show it. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import roads_along, route_arcs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import CertificateError
from wayfront_gui.session.closures import NO_ARCS, Arcs
from wayfront_gui.ui.translation import marked, plural, translated, translated_message


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A shortest path: ``nodes`` int32 [k] from source to target, empty where there is none, and what it is."""

    nodes: NDArray[np.int32]
    text: str


def route_through(result: Result, target: int) -> Route:
    """Return the route to ``target`` through a tree, or of a search to that target."""
    called = result.network.node_name
    try:
        found = result.route(target)
    except CertificateError as problem:  # of a choice that may give wrong results
        return Route(
            np.empty(0, np.int32),
            translated("No route to node {node}: {why}", node=called(target), why=translated_message(str(problem))),
        )
    nodes = found.nodes
    if len(nodes) == 0:
        return Route(nodes, no_way(called(result.source), called(target)))
    length = result.metric.describe(found.distance)
    return Route(nodes, route_text(called(target), length, nodes))


def arcs(nodes: NDArray[np.int32]) -> str:
    """Return the number of arcs of a route, in words."""
    return plural("{count:,} arc", "{count:,} arcs", len(nodes) - 1)


def no_way(source: str, target: str) -> str:
    """Return that there is no route between two nodes, by what they are called."""
    return translated("No way leads from node {source} to node {target}", source=source, target=target)


def route_text(target: str, length: str, nodes: NDArray[np.int32]) -> str:
    """Return what a route with these nodes is, to the node that is called so."""
    return translated("Route to node {node}: {length} over {arcs}", node=target, length=length, arcs=arcs(nodes))


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
