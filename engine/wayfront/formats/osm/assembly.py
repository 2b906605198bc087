"""Build a network from roads: arcs in both directions, their metrics, components, shapes, and notes for the user."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import FormatError
from wayfront.formats.osm.roads import MEMORY_PER_NODE, Roads, as_array, segments_of
from wayfront.formats.osm.rules import BACKWARD, FORWARD
from wayfront.formats.osm.simplify import Chains, chains_of
from wayfront.formats.osm_network_types import NETWORK_TYPES
from wayfront.formats.osm_options import OsmOptions
from wayfront.formats.progress import Opening
from wayfront.network.compressed_rows import compress_rows, morton_order
from wayfront.network.connectivity import strong_labels
from wayfront.network.earth import RADIUS_M
from wayfront.network.road_details import RoadNames, Shapes
from wayfront.network.road_network import Metric, RoadNetwork

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


@dataclass(frozen=True, slots=True)
class Source:
    """Origin of the data: the file, the network's name, and the data date ("" unknown)."""

    path: Path
    name: str
    data_date: str


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
    segments = segments_of(roads)
    if not len(segments.first):
        raise FormatError(
            f"nodes missing: the {len(roads.sizes):,} roads name {segments.cut_refs:,} nodes that are not in this file",
            source.path,
        )
    notes = []
    if segments.cut_refs:
        notes.append(
            "roads cut where they name nodes that the file lacks: "
            f"{segments.cut_refs:,} mentions in {segments.cut_ways:,} ways"
        )
    way, directions = segments.way, as_array(roads.directions, np.int8)[segments.way]
    forward, backward = directions != BACKWARD, directions != FORWARD
    metres = great_circle_m(segments.degrees[segments.first], segments.degrees[segments.second])
    along, against = as_array(roads.along, np.float32)[way], as_array(roads.against, np.float32)[way]
    speed = np.concatenate((along[forward], against[backward])).astype(np.float64)
    metres = np.concatenate((metres[forward], metres[backward]))
    way = np.concatenate((way[forward], way[backward]))
    arcs = Arcs(
        segments.node_ids,
        np.rint(segments.degrees * 1e6).astype(np.int32),
        np.concatenate((segments.first[forward], segments.second[backward])),
        np.concatenate((segments.second[forward], segments.first[backward])),
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
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=np.int32)
    offsets, targets, position = compress_rows(arcs.tails.copy(), arcs.heads, rank)
    arc = np.empty_like(position)
    arc[position] = np.arange(len(position), dtype=np.int32)
    return RoadNetwork.from_arrays(
        name=source.name,
        offsets=offsets,
        targets=targets,
        metrics=[
            Metric("length", "m", 0.1, arcs.lengths[arc].astype(np.int32)),
            Metric("travel time", "s", 0.001, arcs.times[arc].astype(np.int32)),
        ],
        node_ids=arcs.node_ids[order],
        coordinates=arcs.coordinates[order],
        road_class=arcs.road_class[arc],
        attribution=ATTRIBUTION,
        origin=str(source.path.absolute()),
        road_names=arcs.names.reordered(arc) if arcs.names.names else None,
        shapes=None if arcs.shapes is None else arcs.shapes.reordered(arc),
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
    return _chosen(arcs, kept, np.flatnonzero(kept[arcs.tails] & kept[arcs.heads]))


def _chosen(arcs: Arcs, kept: NDArray[np.bool_], arc: NDArray[np.int64]) -> Arcs:
    """Return the arcs with indices ``arc``, between the nodes ``kept`` (bool [n])."""
    number = (np.cumsum(kept) - 1).astype(np.int32)
    return Arcs(
        arcs.node_ids[kept],
        arcs.coordinates[kept],
        number[arcs.tails[arc]],
        number[arcs.heads[arc]],
        arcs.lengths[arc],
        arcs.times[arc],
        arcs.road_class[arc],
        arcs.names.reordered(arc),
        None if arcs.shapes is None else arcs.shapes.reordered(arc),
        arcs.imputed[arc],
    )


def _simplified(arcs: Arcs, notes: list[str]) -> Arcs:
    """Return one arc for each chain of arcs, with the nodes in between as its shape."""
    chains: Chains = chains_of(len(arcs.node_ids), arcs.tails, arcs.heads, arcs.road_class, arcs.names.of_arc)
    first = chains.arcs[chains.offsets[:-1]]
    last = chains.arcs[chains.offsets[1:] - 1]
    inner = np.ones(len(chains.arcs), bool)
    inner[chains.offsets[1:] - 1] = False  # the head of a chain's last arc is its end, not its shape
    shape_offsets = chains.offsets - np.arange(len(chains.offsets))
    whole = Arcs(
        arcs.node_ids,
        arcs.coordinates,
        arcs.tails[first],
        arcs.heads[last],
        np.add.reduceat(arcs.lengths[chains.arcs], chains.offsets[:-1]),
        np.add.reduceat(arcs.times[chains.arcs], chains.offsets[:-1]),
        arcs.road_class[first],
        arcs.names.reordered(first),
        Shapes(shape_offsets, _joined_points(arcs, chains, inner)),
        np.logical_or.reduceat(arcs.imputed[chains.arcs], chains.offsets[:-1]),
    )
    notes.append(f"{int((~chains.kept).sum()):,} of {len(chains.kept):,} nodes only give roads their shape")
    return _chosen(whole, chains.kept, np.arange(len(first)))


def _joined_points(arcs: Arcs, chains: Chains, inner: NDArray[np.bool_]) -> NDArray[np.int32]:
    return arcs.coordinates[arcs.heads[chains.arcs[inner]]]
