"""A route as the map and the status line show it. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import CertificateError
from wayfront.search.result import Result


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A shortest path: ``nodes`` int32 [k] from source to target, empty where there is none, and what it is."""

    nodes: NDArray[np.int32]
    text: str


def route_through(result: Result, target: int) -> Route:
    """Return the route to ``target`` through a tree."""
    node_id = int(result.network.node_ids[target])
    try:
        nodes = result.route(target)
    except CertificateError as problem:  # of a choice that may give wrong results
        return Route(np.empty(0, np.int32), f"No route to node {node_id}: {problem}")
    if len(nodes) == 0:
        source_id = int(result.network.node_ids[result.source])
        return Route(nodes, f"No way leads from node {source_id} to node {node_id}")
    length = result.metric.describe(int(result.distances[target]))
    return Route(nodes, f"Route to node {node_id}: {length} over {arcs(nodes)}")


def arcs(nodes: NDArray[np.int32]) -> str:
    """Return the number of arcs of a route, in words."""
    count = len(nodes) - 1
    return f"{count:,} arc{'' if count == 1 else 's'}"
