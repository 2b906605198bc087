"""The search that a slot asks for, as plain data that uses no jobs and no threads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import RoadNetwork
from wayfront.options import OptionValue
from wayfront_gui.model.closures import NO_ARCS, Arcs
from wayfront_gui.model.pairs import MOST_MATRIX_NODES


@dataclass(frozen=True, slots=True, eq=False)
class SearchRequest:
    """One search; fields as in ``wayfront.search``. ``live`` shows a slow one while it runs."""

    network: RoadNetwork
    source: int
    algorithm: str
    device: str
    threads: int
    metric: str | None
    options: Mapping[str, OptionValue]
    runs: int | None
    trace_budget: int | None
    live: bool = False
    closures: Arcs = field(default_factory=lambda: NO_ARCS)
    target: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PairsRequest:
    """One search for all pairs; fields as in ``wayfront.all_pairs``. ``sources`` are int32 internal node numbers."""

    network: RoadNetwork
    sources: NDArray[np.int32]
    algorithm: str
    device: str
    threads: int
    metric: str
    options: Mapping[str, OptionValue]
    runs: int
    trace_budget: int | None
    closures: Arcs = field(default_factory=lambda: NO_ARCS)


NEIGHBOURS = 64
"""Sources that are searched one after the other: searches from neighbours, side by side, use the same arcs."""


def choose_sources(node_count: int, sample: int | None) -> NDArray[np.int32]:
    """Return all nodes, or ``sample`` of them, in the order in which to search.

    Nodes with neighbouring numbers lie together on the map. A sample takes every k-th number, and the order leaps
    from one end of the numbers to another, by neighbourhoods: so what is found early is spread over the whole map.
    A small network's sources are in order, since they are the rows of its matrix.
    """
    if node_count <= MOST_MATRIX_NODES:
        return _spread(node_count, sample or node_count)
    if sample is None or sample >= node_count:
        return _leaping(np.arange(node_count, dtype=np.int32), NEIGHBOURS)
    return _leaping(_spread(node_count, sample), 1)


def _spread(node_count: int, sample: int) -> NDArray[np.int32]:
    sample = min(sample, node_count)
    return ((2 * np.arange(sample, dtype=np.int64) + 1) * node_count // (2 * max(sample, 1))).astype(np.int32)


def _leaping(nodes: NDArray[np.int32], together: int) -> NDArray[np.int32]:
    """Return nodes with blocks of ``together`` in an order that fills the gaps evenly: leaps by the golden ratio."""
    blocks = -(-len(nodes) // together)
    leap = round(blocks * (math.sqrt(5) - 1) / 2) or 1
    while math.gcd(leap, blocks) > 1:
        leap += 1
    order = np.arange(blocks, dtype=np.int64) * leap % blocks
    places = (order[:, None] * together + np.arange(together)).ravel()
    return nodes[places[places < len(nodes)]]
