"""Read OpenStreetMap extracts, .osm.pbf and .osm (plain, gzip, bzip2), with pyosmium.

One pass: libosmium keeps the location of every node in a sorted table of 16 bytes each (in C++), and yields only
objects with tags, of which the ways with a ``highway`` tag are roads; their nodes are looked up in that table. Nodes
with tags are read only because each one releases Python's lock, which libosmium holds while it reads: without them a
window would freeze until the first way. Two passes with a filter on the ids of the nodes
that roads use were tried and are worse: libosmium's set of ids takes one bit for every id up to the largest, more
than a gigabyte for a village, and a pass through Python takes 6 µs a node.

A file whose ways come before its nodes is read a second time for the locations alone.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from wayfront.errors import FormatError, WayfrontError
from wayfront.formats.osm.assembly import Source, network_of_roads
from wayfront.formats.osm.guards import PBF, Unpacked, look_at, memory_for
from wayfront.formats.osm.roads import MOST_NODES_OF_A_WAY, UNKNOWN, Roads, as_array
from wayfront.formats.osm_options import OsmOptions
from wayfront.formats.progress import Opening

if TYPE_CHECKING:
    from pathlib import Path

    from wayfront.network.road_network import RoadNetwork

_OBJECTS_PER_REPORT = 1024
_EXPECTED_NODE_ID = 14e9
_EXPECTED_WAY_ID = 1.5e9
"""The largest ids in use, from which the progress in a sorted file is estimated."""


def read_extract(path: Path, name: str, options: OsmOptions, opening: Opening) -> RoadNetwork:
    """Read a network from an extract. Raises ``FormatError``, ``NetworkError`` and ``OpenCancelled``."""
    opening.enter("checking the file", 0.05)
    unpacked = look_at(path, opening)
    opening.require_memory(memory_for(unpacked), path)
    opening.enter("reading roads", 0.7)
    roads, header_date = _read_roads(path, unpacked, options.network_type, opening)
    opening.enter("arranging", 0.25)
    return network_of_roads(roads, Source(path, name, header_date or unpacked.data_date), options, opening)


def _read_roads(path: Path, unpacked: Unpacked, network_type: str, opening: Opening) -> tuple[Roads, str]:
    """Return the roads with the locations of their nodes, and the date in the file's header, "" without one."""
    import osmium

    roads = Roads(network_type)
    with _named_errors(path, osmium.InvalidLocationError):
        file = osmium.io.File(str(path), _format_of(path, unpacked))
        with osmium.io.Reader(file, osmium.osm.NOTHING) as reader:
            date = reader.header().get("osmosis_replication_timestamp", "")
        in_order = _read_ways(osmium, file, roads, opening)
        unknown = {ref for ref, x in zip(roads.refs, roads.x, strict=True) if x == UNKNOWN}
        if unknown and (not in_order or len(unknown) == len(set(roads.refs)) or min(unknown) < 0):
            roads.locate(*_locations_of(osmium, file, unknown, opening))
    return roads, date


def _read_ways(osmium: Any, file: Any, roads: Roads, opening: Opening) -> bool:
    """Read all ways; return False if a node came behind one, since the ways before it lack its location."""
    objects = (
        osmium.FileProcessor(file, osmium.osm.NODE | osmium.osm.WAY)
        .with_locations("sparse_mem_array")
        .with_filter(osmium.filter.EmptyTagFilter())
        .with_filter(osmium.filter.KeyFilter("highway").enable_for(osmium.osm.WAY))
    )
    done, in_order = 0.0, True
    for count, entity in enumerate(objects):
        if count % _OBJECTS_PER_REPORT == 0:
            done = max(done, _fraction_read(entity))
            opening.report(done)
        if entity.is_node():
            in_order = in_order and not roads.highways
        elif entity.visible and roads.takes(entity.tags):
            nodes = entity.nodes
            if len(nodes) > MOST_NODES_OF_A_WAY:
                raise ValueError(f"way {entity.id} has {len(nodes):,} nodes")
            roads.add(entity.tags, [n.ref for n in nodes], [n.x for n in nodes], [n.y for n in nodes])
    return in_order


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
