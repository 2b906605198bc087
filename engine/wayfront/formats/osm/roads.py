"""Collect the roads of a file, way by way and whatever its format, in flat arrays before they become a network."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.osm import rules
from wayfront.formats.osm.rules import Tags

UNKNOWN = 2**31 - 1
"""The coordinate of a node that the file does not hold; beyond any longitude in units of 1e-7 degrees."""

MOST_NODES_OF_A_WAY = 1_000_000
"""Editors and servers allow 2,000."""

MEMORY_PER_NODE = 180
"""Bytes at the peak of arranging, for each node of each way: two arcs and what sorts them; measured."""

_HALF_TURN = 1_800_000_000
_POLE = 900_000_000


@dataclass
class NodesOfWays:
    """The nodes of ways; lists grow as a file is read.

    refs, x, y    one entry per node of each way: its id, longitude and latitude in 1e-7 degrees (or ``UNKNOWN``)
    sizes         nodes of each way
    """

    refs: array[int] = field(default_factory=lambda: array("q"), init=False)
    x: array[int] = field(default_factory=lambda: array("i"), init=False)
    y: array[int] = field(default_factory=lambda: array("i"), init=False)
    sizes: array[int] = field(default_factory=lambda: array("q"), init=False)

    def add_nodes(self, refs: Sequence[int], x: Iterable[int] | None = None, y: Iterable[int] | None = None) -> None:
        """Add the nodes of a way; without coordinates, ``locate`` must follow."""
        self.refs.extend(refs)
        self.x.extend([UNKNOWN] * len(refs) if x is None else x)
        self.y.extend([UNKNOWN] * len(refs) if y is None else y)
        self.sizes.append(len(refs))

    def unknown(self) -> set[int]:
        """Return the ids of nodes without coordinates."""
        return {ref for ref, x in zip(self.refs, self.x, strict=True) if x == UNKNOWN}

    def locate(self, ids: NDArray[np.int64], x: NDArray[np.int32], y: NDArray[np.int32]) -> None:
        """Fill in unknown coordinates from a list of nodes; the last of equal ids counts."""
        own_x = as_array(self.x, np.int32)
        refs, unknown = as_array(self.refs, np.int64), own_x == UNKNOWN
        order = np.argsort(ids, kind="stable")
        ranked = ids[order]
        rank = np.searchsorted(ranked, refs, side="right") - 1
        unknown &= rank >= 0
        unknown[unknown] = ranked[rank[unknown]] == refs[unknown]
        node = order[rank[unknown]]
        own_x[unknown] = x[node]
        as_array(self.y, np.int32)[unknown] = y[node]


@dataclass
class Roads(NodesOfWays):
    """Ways that belong to the network, each with its nodes.

    directions, importance, along, against, imputed, names   one entry per way, from ``rules``
    highways      ways with any ``highway`` tag, taken by the network type or not
    """

    network_type: str
    directions: array[int] = field(default_factory=lambda: array("b"))
    importance: array[int] = field(default_factory=lambda: array("B"))
    along: array[float] = field(default_factory=lambda: array("f"))
    against: array[float] = field(default_factory=lambda: array("f"))
    imputed: array[int] = field(default_factory=lambda: array("B"))
    names: list[str] = field(default_factory=list)
    highways: int = 0

    def takes(self, tags: Tags) -> bool:
        """Count a way with a ``highway`` tag, and return whether it belongs to the network."""
        self.highways += 1
        return rules.is_taken(tags, self.network_type)

    def add(
        self, tags: Tags, refs: Sequence[int], x: Iterable[int] | None = None, y: Iterable[int] | None = None
    ) -> None:
        """Add a way that ``takes`` accepted; without coordinates, ``locate`` must follow."""
        along, against, imputed = rules.speeds(tags, self.network_type)
        self.add_nodes(refs, x, y)
        self.directions.append(rules.direction(tags, self.network_type))
        self.importance.append(rules.importance(tags["highway"]))
        self.along.append(along)
        self.against.append(against)
        self.imputed.append(imputed)
        self.names.append(rules.road_name(tags))


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Pairs of consecutive nodes of a way, and the nodes themselves; ways are cut at nodes that the file lacks.

    node_ids      int64 [n], rising
    degrees       float64 [n, 2]: longitude and latitude
    first, second int32 [s]: the nodes of each segment, in the order of its way
    way           int32 [s]
    cut_ways      how many ways name nodes that the file lacks
    cut_refs      how many such mentions there are
    """

    node_ids: NDArray[np.int64]
    degrees: NDArray[np.float64]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    way: NDArray[np.int32]
    cut_ways: int
    cut_refs: int


def segments_of(roads: Roads) -> Segments:
    """Cut all ways into segments; nodes that no segment uses are left out, as are steps from a node to itself."""
    refs, x, y = as_array(roads.refs, np.int64), as_array(roads.x, np.int32), as_array(roads.y, np.int32)
    way = np.repeat(np.arange(len(roads.sizes), dtype=np.int32), as_array(roads.sizes, np.int64))
    located = (np.abs(x.astype(np.int64)) <= _HALF_TURN) & (np.abs(y.astype(np.int64)) <= _POLE)
    joined = np.zeros(len(refs), bool)
    joined[:-1] = (way[1:] == way[:-1]) & located[1:] & located[:-1] & (refs[1:] != refs[:-1])
    start = np.flatnonzero(joined)
    used = np.zeros(len(refs), bool)
    used[start] = used[start + 1] = True
    mentions = np.flatnonzero(used)
    node_ids, last, node = np.unique(refs[mentions], return_index=True, return_inverse=True)
    number = np.zeros(len(refs), np.int32)
    number[mentions] = node
    chosen = mentions[last]
    degrees = np.column_stack((x[chosen], y[chosen])).astype(np.float64) / 1e7
    absent = ~located
    return Segments(
        node_ids,
        degrees,
        number[start],
        number[start + 1],
        way[start],
        len(np.unique(way[absent])),
        int(absent.sum()),
    )


def as_array(values: array[Any], dtype: Any) -> NDArray[Any]:
    """Return a collected list as an array over the same memory."""
    return np.frombuffer(values, dtype) if len(values) else np.empty(0, dtype)
