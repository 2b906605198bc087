"""A route as the map and the status line show it. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import CertificateError
from wayfront.search.result import Result
from wayfront_gui.translation import plural, translated, translated_message


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
