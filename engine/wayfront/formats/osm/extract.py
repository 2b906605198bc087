"""Read OpenStreetMap extracts, .osm.pbf and .osm (plain, gzip, bzip2), with pyosmium.

One pass: libosmium keeps the location of every node in a sorted table of 16 bytes each (in C++), and yields nodes with
tags and all ways, of which those with a ``highway`` tag are roads; their nodes are looked up in that table. Each node
with tags also releases Python's lock, which libosmium holds while it reads: without them a window would freeze until
the first way. A short pass before it finds the relations of lakes and parks, whose ways have no tags. Two passes with a
filter on the ids of the nodes that roads use were tried and are worse: libosmium's set of ids takes one bit for every
id up to the largest, more than a gigabyte for a village, and a pass through Python takes 6 µs a node.

A file whose ways come before its nodes is read a second time for the locations alone.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wayfront.formats.options import OsmOptions
from wayfront.formats.osm.guards import PBF, Unpacked, look_at, memory_for
from wayfront.formats.osm.lines import Line, known_parts
from wayfront.formats.osm.restrictions import KEY as RESTRICTION
from wayfront.formats.osm.roads import MOST_NODES_OF_A_WAY, UNKNOWN, Roads, Source, as_array, network_of_roads
from wayfront.formats.osm.surroundings import KEYS as SURROUNDINGS_KEYS
from wayfront.formats.osm.surroundings import SurroundingsReader
from wayfront.formats.streams import Opening
from wayfront.safe.errors import FormatError, WayfrontError

if TYPE_CHECKING:
    from pathlib import Path

    from wayfront.network.road_network import RoadNetwork

_OBJECTS_PER_REPORT = 1024
_WKB_HEAD = 9
"""Bytes before the coordinates of a line in WKB: byte order, kind, number of points."""
_EXPECTED_NODE_ID = 14e9
_EXPECTED_WAY_ID = 1.5e9
"""The largest ids in use, from which the progress in a sorted file is estimated."""


def read_extract(path: Path, name: str, options: OsmOptions, opening: Opening) -> RoadNetwork:
    """Read a network from an extract. Raises ``FormatError``, ``NetworkError`` and ``OpenCancelled``."""
    opening.enter("checking the file", 0.05)
    unpacked = look_at(path, opening)
    opening.require_memory(memory_for(unpacked), path)
    opening.enter("reading roads", 0.7)
    roads, around, header_date = _read_roads(path, unpacked, options, opening)
    opening.enter("arranging", 0.25)
    network = network_of_roads(roads, Source(path, name, header_date or unpacked.data_date), options, opening)
    return replace(network, surroundings=around.build(network.coordinates))


def _read_roads(
    path: Path, unpacked: Unpacked, options: OsmOptions, opening: Opening
) -> tuple[Roads, SurroundingsReader, str]:
    """Return roads and surroundings with the locations of their nodes, and the date in the file's header or ""."""
    import osmium

    roads, around = Roads.wanted(options), SurroundingsReader()
    with _named_errors(path, osmium.InvalidLocationError):
        file = osmium.io.File(str(path), _format_of(path, unpacked))
        with osmium.io.Reader(file, osmium.osm.NOTHING) as reader:
            date = reader.header().get("osmosis_replication_timestamp", "")
        _read_relations(osmium, file, around, roads)
        in_order = _read_ways(osmium, file, roads, around, opening)
        unknown = roads.unknown()
        if unknown and (not in_order or len(unknown) == len(set(roads.refs)) or min(unknown) < 0):
            roads.locate(*_locations_of(osmium, file, unknown, opening))
    return roads, around, date


def _read_relations(osmium: Any, file: Any, around: SurroundingsReader, roads: Roads) -> None:
    """Read which ways, behind all of which they stand in a file, are parts of areas and ferries; and restrictions."""
    for relation in osmium.FileProcessor(file, osmium.osm.RELATION).with_filter(osmium.filter.KeyFilter("type")):
        if not relation.visible:
            continue
        tags = relation.tags
        if "admin_level" in tags:
            roads.add_boundary(tags)
        if tags.get("type", "").startswith(RESTRICTION):
            if roads.restrictions is not None:
                roads.restrictions.add(
                    dict(tags), [(member.type, member.ref, member.role) for member in relation.members]
                )
        elif tags.get("route") == "ferry":
            roads.ferries.add_relation(tags, [member.ref for member in relation.members if member.type == "w"])
        elif any(key in tags for key in SURROUNDINGS_KEYS):
            around.add_relation(dict(tags), [member.ref for member in relation.members if member.type == "w"])


def _read_ways(osmium: Any, file: Any, roads: Roads, around: SurroundingsReader, opening: Opening) -> bool:
    """Read all ways; return False if a node came behind one, since the ways before it lack its location."""
    objects = (
        osmium.FileProcessor(file, osmium.osm.NODE | osmium.osm.WAY)
        .with_locations("sparse_mem_array")
        .with_filter(osmium.filter.EmptyTagFilter().enable_for(osmium.osm.NODE))
    )
    lines = osmium.geom.WKBFactory()
    done, in_order, ways = 0.0, True, 0
    for count, entity in enumerate(objects):
        if count % _OBJECTS_PER_REPORT == 0:
            done = max(done, _fraction_read(entity))
            opening.report(done)
        tags = entity.tags
        if entity.is_node():
            in_order = in_order and not ways
            if "barrier" in tags:
                roads.add_barrier(tags, entity.id)
            roads.add_signals(tags, entity.id)
            roads.add_place(tags)
            if "place" in tags and entity.location.valid():
                around.add_place(dict(tags), entity.location.x, entity.location.y)
            continue
        ways += 1
        highway = "highway" in tags  # of which there are more than of anything else, and no look-up is free
        roads.add_place(tags)
        if entity.visible and (highway or "route" in tags) and roads.takes(tags):
            roads.add(tags, *_nodes_of(entity), way=entity.id)
        if entity.visible and around.wants(entity.id, tags, road=highway):
            line = _line_of(entity, lines, osmium.InvalidLocationError)
            if line is not None:
                around.add_way(entity.id, dict(tags), line)
            else:
                for part in _parts_of(entity):
                    around.add_part(dict(tags), part)
    return in_order


def _nodes_of(way: Any) -> tuple[list[int], list[int], list[int]]:
    """Return ids, and longitudes and latitudes in 1e-7 degrees. Raises ``ValueError`` for more than a way can have.

    A node's own ``x`` and ``y`` are functions in Python, which would take as long as all the rest.
    """
    nodes, count = way.nodes, len(way.nodes)
    if count > MOST_NODES_OF_A_WAY:
        raise ValueError(f"way {way.id} has {count:,} nodes")
    found = [nodes[at] for at in range(count)]
    places = [node.location for node in found]
    return [node.ref for node in found], [place.x for place in places], [place.y for place in places]


def _line_of(way: Any, lines: Any, location_error: type[Exception]) -> Line | None:
    """Return a way as a line, None where the file lacks its nodes; ``lines`` is osmium's factory, which is fast."""
    nodes = way.nodes
    try:
        packed = bytes.fromhex(lines.create_linestring(way))
    except (RuntimeError, location_error):
        return None
    degrees = np.frombuffer(packed, "<f8", offset=_WKB_HEAD).reshape(-1, 2)
    return Line(nodes[0].ref, nodes[-1].ref, np.rint(degrees * 1e6).astype(np.int32))


def _parts_of(way: Any) -> list[Line]:
    """Return the parts of a way whose nodes the file has."""
    ids, x, y = (np.array(column, np.int64) for column in _nodes_of(way))
    known = (x != UNKNOWN) & (y != UNKNOWN)
    return known_parts(ids, (np.column_stack((x, y)) // 10).astype(np.int32), known)


def _fraction_read(entity: Any) -> float:
    """Return about which fraction of a file is read, 0 … 1, by the id of an object: files are sorted by id."""
    if entity.is_node():
        return min(max(entity.id / _EXPECTED_NODE_ID, 0), 1) / 2
    return 0.5 + min(max(entity.id / _EXPECTED_WAY_ID, 0), 1) / 2


def _locations_of(osmium: Any, file: Any, wanted: set[int], opening: Opening) -> tuple[Any, Any, Any]:
    """Return (ids, x, y) of the wanted nodes anywhere in the file."""
    ids, x, y = array("q"), array("i"), array("i")
    for count, node in enumerate(osmium.FileProcessor(file, osmium.osm.NODE)):
        if count % _OBJECTS_PER_REPORT == 0:
            opening.report(1.0)
        if node.id in wanted:
            ids.append(node.id)
            x.append(node.location.x)
            y.append(node.location.y)
    return as_array(ids, np.int64), as_array(x, np.int32), as_array(y, np.int32)


@contextmanager
def _named_errors(path: Path, location_error: type[Exception]) -> Iterator[None]:
    """Turn exceptions of pyosmium about a file's content into ``FormatError``."""
    about_content = (RuntimeError, ValueError, OverflowError, KeyError, TypeError, location_error)
    try:
        yield
    except WayfrontError:
        raise
    except about_content as error:
        problem = re.sub(r"\s+", " ", str(error))[:200]
        raise FormatError(f"the OpenStreetMap data are damaged ({problem}): get the file again", path) from None


def _format_of(path: Path, unpacked: Unpacked) -> str:
    if unpacked.kind == PBF:
        return "pbf"
    with path.open("rb") as file:
        start = file.read(6)
    if start.startswith(b"\xfd7zXZ"):
        raise FormatError("it is compressed with xz: decompress it first", path)
    return "osm.gz" if start.startswith(b"\x1f\x8b") else "osm.bz2" if start.startswith(b"BZh") else "osm"
