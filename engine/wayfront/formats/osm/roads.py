"""Roads become a network: collected way by way, whatever their format, then arcs in both directions, in rows.

A simplified network has an arc for each chain of arcs through nodes that only give a road its shape. A node is passed,
not met, when every traveller who comes through can only go straight on: it has exactly two neighbours, and either one
arc in and one out, or a pair of arcs with each neighbour. Where the class or the name of the road changes the node
stays, so that each chain has one of both. Everything else is kept: junctions, dead ends, ends of one-way streets, nodes
of loops and of parallel arcs. A ring without any such node keeps its first node, and so becomes an arc from that node
to itself. No shortest path starts, ends or turns at a passed node, so the distances between the nodes kept stay the
same; each arc is on exactly one chain. O(n + m).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.formats.options import NETWORK_TYPES, OsmOptions
from wayfront.formats.osm import rules
from wayfront.formats.osm.rules import BACKWARD, FORWARD, Tags
from wayfront.formats.streams import Opening
from wayfront.network.conventions import RADIUS_M
from wayfront.network.details import RoadNames, Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import offsets_of, ranks_of
from wayfront.network.structure import compress_rows, morton_order, strong_labels
from wayfront.safe.errors import FormatError

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


def as_array(values: array[Any], dtype: Any) -> NDArray[Any]:
    """Return a collected list as an array over the same memory."""
    return np.frombuffer(values, dtype) if len(values) else np.empty(0, dtype)


ATTRIBUTION = "© OpenStreetMap contributors, ODbL 1.0"

_LONGEST = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Arcs:
    """Directed arcs between nodes, before they are sorted into rows.

    node_ids int64 [n]; coordinates int32 [n, 2] microdegrees; tails, heads int32 [m]; lengths float64 [m] in 0.1 m;
    times float64 [m] in ms; road_class uint8 [m]; names; shapes or None; imputed bool [m]: the speed was assumed
    """

    node_ids: NDArray[np.int64]
    coordinates: NDArray[np.int32]
    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    lengths: NDArray[np.float64]
    times: NDArray[np.float64]
    road_class: NDArray[np.uint8]
    names: RoadNames
    shapes: Shapes | None
    imputed: NDArray[np.bool_]

    def chosen(self, arc: NDArray[np.integer]) -> Arcs:
        """Return the arcs with the indices ``arc``, in that order, between the same nodes."""
        return replace(
            self,
            tails=self.tails[arc],
            heads=self.heads[arc],
            lengths=self.lengths[arc],
            times=self.times[arc],
            road_class=self.road_class[arc],
            names=self.names.reordered(arc),
            shapes=None if self.shapes is None else self.shapes.reordered(arc),
            imputed=self.imputed[arc],
        )

    def between(self, kept: NDArray[np.bool_]) -> Arcs:
        """Return the same arcs, which all join nodes ``kept`` (bool [n]), without the other nodes."""
        number = (np.cumsum(kept) - 1).astype(np.int32)
        return replace(
            self,
            node_ids=self.node_ids[kept],
            coordinates=self.coordinates[kept],
            tails=number[self.tails],
            heads=number[self.heads],
        )


@dataclass(frozen=True, slots=True)
class Source:
    """Origin of the data: the file, the network's name, the data date ("" unknown), and whose they are."""

    path: Path
    name: str
    data_date: str
    attribution: str = ATTRIBUTION


def network_of_roads(roads: Roads, source: Source, options: OsmOptions, opening: Opening) -> RoadNetwork:
    """Return the network of the roads that were read. Raises ``FormatError`` where there are none."""
    adjective = NETWORK_TYPES[options.network_type].adjective
    if not roads.highways:
        raise FormatError("no roads: no way in this file has a highway tag", source.path)
    if not len(roads.sizes):
        raise FormatError(
            f"no {adjective} roads: none of the {roads.highways:,} highways in this file is one", source.path
        )
    opening.require_memory(MEMORY_PER_NODE * len(roads.refs), source.path)
    arcs, notes = _arcs_of_roads(roads, source)
    opening.report(0.4)
    return network_of_arcs(arcs, source, options, opening, notes)


def _arcs_of_roads(roads: Roads, source: Source) -> tuple[Arcs, list[str]]:
    """Return the arcs between consecutive nodes of all ways, which are cut at nodes that the file lacks, and notes.

    Nodes that no arc uses are left out, as are steps from a node to itself. Raises ``FormatError`` for no arcs at all.
    """
    refs, x, y = as_array(roads.refs, np.int64), as_array(roads.x, np.int32), as_array(roads.y, np.int32)
    way = np.repeat(np.arange(len(roads.sizes), dtype=np.int32), as_array(roads.sizes, np.int64))
    located = (np.abs(x.astype(np.int64)) <= _HALF_TURN) & (np.abs(y.astype(np.int64)) <= _POLE)
    start = np.flatnonzero((way[1:] == way[:-1]) & located[1:] & located[:-1] & (refs[1:] != refs[:-1]))
    cut_refs, notes = int((~located).sum()), []
    if not len(start):
        raise FormatError(
            f"nodes missing: the {len(roads.sizes):,} roads name {cut_refs:,} nodes that are not in this file",
            source.path,
        )
    if cut_refs:
        cut_ways = len(np.unique(way[~located]))
        notes.append(f"roads cut where they name nodes that the file lacks: {cut_refs:,} mentions in {cut_ways:,} ways")
    used = np.zeros(len(refs), bool)
    used[start] = used[start + 1] = True
    mentions = np.flatnonzero(used)
    node_ids, last, node = np.unique(refs[mentions], return_index=True, return_inverse=True)
    number = np.zeros(len(refs), np.int32)
    number[mentions] = node
    degrees = np.column_stack((x[mentions[last]], y[mentions[last]])).astype(np.float64) / 1e7
    del located, used, mentions, last, node  # before the arcs are made, which take most

    first, second, way = number[start], number[start + 1], way[start]
    directions = as_array(roads.directions, np.int8)[way]
    forward, backward = directions != BACKWARD, directions != FORWARD
    metres = great_circle_m(degrees[first], degrees[second])
    along, against = as_array(roads.along, np.float32)[way], as_array(roads.against, np.float32)[way]
    speed = np.concatenate((along[forward], against[backward])).astype(np.float64)
    metres = np.concatenate((metres[forward], metres[backward]))
    way = np.concatenate((way[forward], way[backward]))
    arcs = Arcs(
        node_ids,
        np.rint(degrees * 1e6).astype(np.int32),
        np.concatenate((first[forward], second[backward])),
        np.concatenate((second[forward], first[backward])),
        np.maximum(np.rint(metres * 10), 1),
        np.maximum(np.rint(metres * 3600 / speed), 1),
        as_array(roads.importance, np.uint8)[way],
        RoadNames.collect(roads.names).reordered(way),
        None,
        as_array(roads.imputed, np.uint8)[way].astype(bool),
    )
    return arcs, notes


def great_circle_m(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances in metres between points [s, 2] in degrees, on a sphere (haversine)."""
    a, b = np.radians(a), np.radians(b)
    half = np.sin((b - a) / 2) ** 2
    chord = half[:, 1] + np.cos(a[:, 1]) * np.cos(b[:, 1]) * half[:, 0]
    return 2 * RADIUS_M * np.arcsin(np.sqrt(np.minimum(chord, 1)))


# ------------------------------------------------------------------------------------------------- network


def network_of_arcs(arcs: Arcs, source: Source, options: OsmOptions, opening: Opening, notes: list[str]) -> RoadNetwork:
    """Return the network of these arcs, its components and shapes as the options say.

    Raises ``FormatError`` where an arc is too long for int32.
    """
    speed = NETWORK_TYPES[options.network_type].speed_kmh
    if speed is not None:
        notes.append(f"travel times are at {speed:g} km/h on every road")
    if options.largest_component:
        arcs = _largest_component(arcs, notes)
    if arcs.imputed.any():
        notes.append(
            f"the speed of {int(arcs.imputed.sum()):,} of {len(arcs.tails):,} arcs is assumed from the kind of road"
        )
    if options.simplify:
        arcs = _simplified(arcs, notes)
    opening.report(0.6)
    longest = max(arcs.lengths.max(initial=0), arcs.times.max(initial=0))
    if not longest <= _LONGEST:
        raise FormatError(
            "a road is longer than a search can add up: the coordinates of its nodes are wrong", source.path
        )
    return _in_rows(arcs, source, notes)


def _in_rows(arcs: Arcs, source: Source, notes: list[str]) -> RoadNetwork:
    order = morton_order(arcs.coordinates)
    offsets, targets, position = compress_rows(arcs.tails.copy(), arcs.heads, ranks_of(order))
    node_ids, coordinates, arcs = arcs.node_ids[order], arcs.coordinates[order], arcs.chosen(ranks_of(position))
    return RoadNetwork.from_arrays(
        name=source.name,
        offsets=offsets,
        targets=targets,
        metrics=[
            Metric("length", "m", 0.1, arcs.lengths.astype(np.int32)),
            Metric("travel time", "s", 0.001, arcs.times.astype(np.int32)),
        ],
        node_ids=node_ids,
        coordinates=coordinates,
        road_class=arcs.road_class,
        attribution=source.attribution,
        origin=str(source.path.absolute()),
        road_names=arcs.names if arcs.names.names else None,
        shapes=arcs.shapes,
        data_date=source.data_date,
        notes=notes,
    )


def _largest_component(arcs: Arcs, notes: list[str]) -> Arcs:
    """Return the arcs within the largest strongly connected component."""
    n = len(arcs.node_ids)
    offsets, targets, _ = compress_rows(arcs.tails.copy(), arcs.heads, np.arange(n, dtype=np.int32))
    kept = strong_labels(offsets, targets) == 0
    if kept.all():
        return arcs
    notes.append(
        f"{n - int(kept.sum()):,} of {n:,} nodes are left out: they are not in the largest connected component"
    )
    return arcs.chosen(np.flatnonzero(kept[arcs.tails] & kept[arcs.heads])).between(kept)


def _simplified(arcs: Arcs, notes: list[str]) -> Arcs:
    """Return one arc for each chain of arcs, with the nodes in between as its shape."""
    chains = chains_of(len(arcs.node_ids), arcs.tails, arcs.heads, arcs.road_class, arcs.names.of_arc)
    begins, ends = chains.offsets[:-1], chains.offsets[1:] - 1
    inner = np.ones(len(chains.arcs), bool)
    inner[ends] = False  # the head of a chain's last arc is its end, not its shape
    shape_offsets = chains.offsets - np.arange(len(chains.offsets))
    whole = replace(
        arcs.chosen(chains.arcs[begins]),
        heads=arcs.heads[chains.arcs[ends]],
        lengths=np.add.reduceat(arcs.lengths[chains.arcs], begins),
        times=np.add.reduceat(arcs.times[chains.arcs], begins),
        shapes=Shapes(shape_offsets, arcs.coordinates[arcs.heads[chains.arcs[inner]]]),
        imputed=np.logical_or.reduceat(arcs.imputed[chains.arcs], begins),
    )
    notes.append(f"{int((~chains.kept).sum()):,} of {len(chains.kept):,} nodes only give roads their shape")
    return whole.between(chains.kept)


# -------------------------------------------------------------------------------------------------- chains


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """All arcs, chain after chain.

    kept     bool [n]: the nodes at which chains start and end
    offsets  int64 [c+1]: where each chain's arcs stand
    arcs     int64 [m]: the arcs in the order in which they are travelled
    """

    kept: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    arcs: NDArray[np.int64]


def chains_of(
    node_count: int,
    tails: NDArray[np.int32],
    heads: NDArray[np.int32],
    road_class: NDArray[np.uint8],
    names: NDArray[np.int32],
) -> Chains:
    """Return the chains of arcs ``tails[i]`` → ``heads[i]`` [m] with these classes and names [m]."""
    out_offsets, out_arcs = _rows(node_count, tails)
    in_offsets, in_arcs = _rows(node_count, heads)
    kept = np.ones(node_count, np.bool_)
    _mark_passed(out_offsets, out_arcs, in_offsets, in_arcs, tails, heads, road_class, names, kept)
    offsets = np.empty(len(tails) + 1, np.int64)
    arcs = np.empty(len(tails), np.int64)
    count = _follow(out_offsets, out_arcs, tails, heads, kept, offsets, arcs)
    return Chains(kept, offsets[: count + 1].copy(), arcs)


def _rows(node_count: int, ends: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return offsets_of(np.bincount(ends, minlength=node_count)), np.argsort(ends, kind="stable")


@loop
def _mark_passed(
    out_offsets: Any,
    out_arcs: Any,
    in_offsets: Any,
    in_arcs: Any,
    tails: Any,
    heads: Any,
    kind: Any,
    name: Any,
    kept: Any,
) -> None:
    for node in range(len(kept)):
        outs = out_offsets[node + 1] - out_offsets[node]
        ins = in_offsets[node + 1] - in_offsets[node]
        if outs != ins or outs < 1 or outs > 2:
            continue
        out = out_arcs[out_offsets[node]]
        a, b = heads[out], tails[in_arcs[in_offsets[node]]]
        like = True
        if outs == 2:
            b = heads[out_arcs[out_offsets[node] + 1]]
            c, d = tails[in_arcs[in_offsets[node]]], tails[in_arcs[in_offsets[node] + 1]]
            like = (a == c and b == d) or (a == d and b == c)
        for index in range(outs):
            other, into = out_arcs[out_offsets[node] + index], in_arcs[in_offsets[node] + index]
            like = like and kind[other] == kind[out] and name[other] == name[out]
            like = like and kind[into] == kind[out] and name[into] == name[out]
        if like and a != b and node not in (a, b):
            kept[node] = False


@loop
def _follow(out_offsets: Any, out_arcs: Any, tails: Any, heads: Any, kept: Any, offsets: Any, arcs: Any) -> int:
    """Follow every arc from a kept node to the next kept node; return the number of chains."""
    n = len(kept)
    done = np.zeros(len(tails), np.bool_)
    chains, count = 0, 0
    for rings in range(2):  # first from the nodes kept, then round the rings that have none
        for node in range(n):
            if not kept[node] and rings == 0:
                continue
            for index in range(out_offsets[node], out_offsets[node + 1]):
                arc = out_arcs[index]
                if done[arc]:
                    continue
                kept[node] = True
                offsets[chains] = count
                chains += 1
                while True:
                    done[arc] = True
                    arcs[count] = arc
                    count += 1
                    came, at = tails[arc], heads[arc]
                    if kept[at]:
                        break
                    following = out_arcs[out_offsets[at]]
                    if heads[following] == came:
                        following = out_arcs[out_offsets[at] + 1]
                    arc = following
    offsets[chains] = count
    return chains
