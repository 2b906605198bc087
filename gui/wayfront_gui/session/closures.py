"""The closed roads of a slot: which arcs are closed, what can be undone, and how they are listed. No Qt.

Closing and reopening are pure functions from one set of arcs to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import joining_arcs
from wayfront.network.copies import begin_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_NAME
from wayfront_gui.session.state import Notice
from wayfront_gui.ui.translation import translated

Arcs: TypeAlias = NDArray[np.int64]
"""Internal arc numbers, sorted, distinct and read-only."""


class RoadAction(StrEnum):
    """What the tool for roads does to those that it touches."""

    CLOSE = "close"
    REOPEN = "reopen"


def as_arcs(arcs: Any) -> Arcs:
    """Return arc numbers in any order as ``Arcs``."""
    found = np.unique(np.asarray(arcs, np.int64))
    found.flags.writeable = False
    return found


NO_ARCS = as_arcs([])


class Closures:
    """The closed roads of one slot; ``changed`` is called after every change."""

    def __init__(self, changed: Notice) -> None:
        self._changed = changed
        self.arcs: Arcs = NO_ARCS
        """The closed arcs."""
        self.in_stroke = False
        """Whether the last change was a part of a stroke of the mouse."""

    def close(self, arcs: Arcs, *, in_stroke: bool = False) -> None:
        """Close ``arcs`` as well, as a part of a stroke or by themselves."""
        self.replace(as_arcs(np.union1d(self.arcs, arcs)), in_stroke=in_stroke)

    def reopen(self, arcs: Arcs, *, in_stroke: bool = False) -> None:
        """Open those of ``arcs`` that are closed."""
        self.replace(as_arcs(np.setdiff1d(self.arcs, arcs)), in_stroke=in_stroke)

    def replace(self, arcs: Arcs, *, in_stroke: bool = False) -> None:
        """Close ``arcs`` and nothing else."""
        if not np.array_equal(arcs, self.arcs):
            self.arcs, self.in_stroke = as_arcs(arcs), in_stroke
            self._changed()


# ---------------------------------------------------------------------------------------------------------- listing


@dataclass(frozen=True, slots=True, eq=False)
class ClosedRoad:
    """A closed road between two nodes, or a closed turn, as it is listed.

    ``name`` is "" where it is unknown, ``length`` has its unit, ``ends`` says from where to where and in which
    directions, ``arcs`` are those that are closed. Of a turn they are none, and ``turn`` has the ids of its nodes.
    """

    arcs: Arcs
    name: str
    length: str
    ends: str
    turn: tuple[int, int, int] | None = None


def closed_roads(network: RoadNetwork, arcs: Arcs, searched: Metric, most: int) -> tuple[tuple[ClosedRoad, ...], int]:
    """Return closed roads with a name first, then by their nodes' ids, at most ``most``, and how many there are.

    Arcs of one name between the same two nodes are one road.
    """
    if not len(arcs):
        return (), 0
    tails, heads = (begin_of(network, ends[arcs]) for ends in (network.tails(), network.targets))
    names = np.full(len(arcs), NO_NAME) if network.road_names is None else network.road_names.of_arc[arcs]
    ids = network.node_ids
    order = np.lexsort((np.maximum(ids[tails], ids[heads]), np.minimum(ids[tails], ids[heads]), names, names < 0))
    keys = np.stack([np.minimum(tails, heads), np.maximum(tails, heads), names])[:, order]
    first = np.flatnonzero(np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)]))
    last = np.append(first[1:], len(order))
    rows = [arcs[order[begin:end]] for begin, end in zip(first[:most], last[:most], strict=True)]
    return _roads(network, rows, length_metric(network, searched)), len(first)


def length_metric(network: RoadNetwork, searched: Metric) -> Metric:
    """Return the network's length, or where it has none the metric that was searched by."""
    return next((m for m in network.metrics if m.name == "length"), searched)


def describe_road(network: RoadNetwork, arcs: Arcs, searched: Metric) -> str:
    """Return one line on the arcs of one road: ``High Street, 120 m, between nodes 4 and 7``."""
    (road,) = _roads(network, [arcs], length_metric(network, searched))
    return ", ".join(filter(None, (road.name, road.length, road.ends)))


def road_arcs(network: RoadNetwork, arcs: Arcs) -> Arcs:
    """Return the arcs between the ends of ``arcs``, in both directions: a road as far as its ends tell."""
    tails, heads = network.tails()[arcs], network.targets[arcs]
    return as_arcs(np.concatenate([joining_arcs(network, *ends)[0] for ends in ((tails, heads), (heads, tails))]))


def _roads(network: RoadNetwork, rows: Sequence[NDArray[np.int64]], lengths: Metric) -> tuple[ClosedRoad, ...]:
    """Return each row of arcs as one road."""
    first = np.array([row[0] for row in rows], np.int64)
    tails, heads = (begin_of(network, ends[first]) for ends in (network.tails(), network.targets))
    _, back = joining_arcs(network, heads, tails)  # at once for all rows: a list may be made at every move of the mouse
    ids, names, weights = network.node_ids, network.road_names, lengths.weights
    roads = []
    for row, tail, head, joined in zip(rows, tails.tolist(), heads.tolist(), back.tolist(), strict=True):
        one, other = network.node_name(tail), network.node_name(head)
        if tail == head or (begin_of(network, network.targets[row]) != head).any():
            low, high = sorted((tail, head), key=lambda node: int(ids[node]))
            ends = translated(
                "between nodes {one} and {other}", one=network.node_name(low), other=network.node_name(high)
            )
        elif joined:
            ends = translated("only from node {one} to node {other}", one=one, other=other)
        else:
            ends = translated("from node {one} to node {other}", one=one, other=other)
        name = "" if names is None else names.name(int(row[0]))
        roads.append(ClosedRoad(as_arcs(row), name, lengths.describe(int(weights[row].min())), ends))
    return tuple(roads)
