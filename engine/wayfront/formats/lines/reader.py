"""Read the roads of a layer of lines: who has the roads as lines has no nodes, so these are made of the lines' points.

Lines meet where they have a point in common, to a centimetre; lines that cross without one pass over each other, as
bridges do. Columns are known by the names that OpenStreetMap's tags have, and those of the shapefiles and GeoPackages
that Geofabrik and OSMnx make of them. A layer without kinds of roads consists of roads of one kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.lines.gdal import list_columns, list_layers, read_layer
from wayfront.formats.options import OsmOptions
from wayfront.formats.osm.roads import ATTRIBUTION, MOST_NODES_OF_A_WAY, Roads, Source, network_of_roads
from wayfront.formats.streams import Opening
from wayfront.network.exporting import import_interop
from wayfront.network.projection import into_degrees
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError
from wayfront.safe.files import file_bytes
from wayfront.safe.text import printable

TAGS = {
    "highway": ("highway", "fclass", "road_class", "class"),
    "oneway": ("oneway", "direction"),
    "maxspeed": ("maxspeed", "speed", "speed_kph", "speed_kmh"),
    "maxspeed:forward": ("maxspeed:forward", "maxspeed_forward"),
    "maxspeed:backward": ("maxspeed:backward", "maxspeed_backward"),
    "name": ("name", "street", "streetname", "road_name"),
    "ref": ("ref",),
    "junction": ("junction",),
    **{key: (key,) for key in ("access", "motor_vehicle", "motorcar", "vehicle", "bicycle", "foot")},
}
"""The tags of OpenStreetMap that a column may stand for, each with what such columns are called."""

_ONE_KIND = "road"
_ONEWAY = {"f": "yes", "ft": "yes", "t": "-1", "tf": "-1", "b": "no", "true": "yes", "false": "no"}
"""What others write for a direction: Geofabrik, TomTom, and tables of truth values."""
_PREFERRED = ("edges", "roads", "gis_osm_roads_free", "lines")
"""Layers that are taken where several hold lines."""
_LINES = frozenset(("LineString", "MultiLineString"))
_MIXED = frozenset(("Unknown", "Geometry", "GeometryCollection"))
"""Kinds of layers that may hold lines beside others."""
_UNITS = 10_000_000
"""Units of a degree in which points are joined: about a centimetre."""

_BYTES_PER_BYTE, _OF_SHAPEFILE = 9, 14
"""Memory at the peak of reading, for each byte of a file: Porto's roads took 5 as GeoJSON, 8 as GeoPackage and
FlatGeobuf, and 14 as a shapefile, of which only the file with the lines counts."""


def memory_for_lines(path: Path, _opening: Opening) -> int:
    """Return about how many bytes of memory reading a layer takes."""
    return (_OF_SHAPEFILE if path.suffix.lower() == ".shp" else _BYTES_PER_BYTE) * file_bytes(path)


def read_lines(path: Path, name: str, options: OsmOptions, opening: Opening) -> RoadNetwork:
    """Read a network from a file with a layer of lines.

    Raises ``FormatError`` where there is none, or its coordinates cannot be told, and ``MissingPackageError`` without
    the extra ``interop``.
    """
    opening.require_memory(memory_for_lines(path, opening), path)
    opening.enter("reading roads", 0.8)
    lines, columns, attribution = _layer(path, opening)
    opening.report(0.5)
    roads = Roads.wanted(options)
    points, sizes = _points(lines)
    refs = _joined(points)
    tags = _tags(columns, len(sizes))
    end = 0
    for row, (size, each) in enumerate(zip(sizes.tolist(), tags, strict=True)):
        begin, end = end, end + size
        if row % 4096 == 0:
            opening.report(0.5 + 0.5 * row / len(sizes))
        if size > MOST_NODES_OF_A_WAY:
            raise FormatError(f"feature {row + 1} has {size:,} points, more than any road needs", path)
        if size > 1 and roads.takes(each):
            x, y = points[begin:end, 0].tolist(), points[begin:end, 1].tolist()
            roads.add(each, refs[begin:end].tolist(), x, y)
    opening.enter("arranging", 0.2)
    return network_of_roads(roads, Source(path, name, "", attribution), options, opening)


def _layer(path: Path, opening: Opening) -> tuple[NDArray[np.object_], dict[str, NDArray[Any]], str]:
    """Return the lines of a file as Shapely's, in degrees, the columns that stand for tags, and whose the data are."""
    kinds = list_layers(path)
    name = _chosen(path, kinds)
    wanted = list_columns(path, name)
    named = {tag: column for tag, names in TAGS.items() if (column := _first(wanted, names)) is not None}
    layer = read_layer(path, name, list(dict.fromkeys(named.values())))
    assert layer.geometry is not None
    opening.report(0.3)
    found = {tag: layer.columns[column] for tag, column in named.items()}
    osm = "osm_id" in wanted or "osmid" in wanted
    return _degrees(layer.geometry, layer.crs, path), found, ATTRIBUTION if osm else ""


def _chosen(path: Path, kinds: dict[str, str]) -> str:
    """Return the name of the layer that holds the roads. Raises ``FormatError`` where that cannot be told."""
    lines = [name for name, kind in kinds.items() if kind in _LINES]
    lines = lines or [name for name, kind in kinds.items() if kind in _MIXED]
    if not lines:
        held = ", ".join(f"{printable(name)} ({kind or 'a table'})" for name, kind in kinds.items()) or "nothing"
        raise FormatError(f"no layer of lines, which roads are: it holds {held}", path)
    if len(lines) == 1:
        return lines[0]
    preferred = _first(lines, _PREFERRED)
    if preferred is None:
        raise FormatError(
            f"several layers hold lines ({', '.join(map(printable, lines))}): save the one with the roads as a file "
            "of its own",
            path,
        )
    return preferred


def _first(there: Sequence[str], wanted: Sequence[str]) -> str | None:
    """Return the first of the wanted names that is there, in whatever case."""
    known = {name.lower(): name for name in there}
    return next((known[name] for name in wanted if name in known), None)


def _degrees(lines: NDArray[Any], crs: str | None, path: Path) -> NDArray[Any]:
    """Return lines in degrees of longitude and latitude. Raises ``FormatError`` where their system is not known."""
    shapely = import_interop("shapely")
    if crs is None:
        bounds = shapely.total_bounds(lines)
        if not (np.abs(bounds) <= (180.0, 90.0, 180.0, 90.0)).all():
            raise FormatError(
                "the layer does not say what its coordinates are, and they are no degrees: save it with its "
                "coordinate reference system",
                path,
            )
        return lines
    bring = into_degrees(crs, path)
    return lines if bring is None else np.asarray(shapely.transform(lines, bring))


def _points(lines: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all points [k, 2] in units of 1e-7 degrees, and how many each feature has.

    The parts of a line in several have a point that is nowhere between them, at which a road is cut.
    """
    shapely = import_interop("shapely")
    parts, of = shapely.get_parts(lines, return_index=True)
    straight = shapely.get_type_id(parts) == 1
    parts, of = parts[straight], of[straight]
    xy, part = shapely.get_coordinates(parts, return_index=True)
    nowhere = np.flatnonzero(np.diff(part) * (np.diff(of[part]) == 0)) + 1
    whole = np.where(np.isfinite(xy).all(axis=1)[:, None], np.rint(xy * _UNITS), 2**31 - 1)
    whole = np.clip(whole, -(2**31 - 1), 2**31 - 1).astype(np.int64)
    whole = np.insert(whole, nowhere, 2**31 - 1, axis=0)
    sizes = np.bincount(of[np.insert(part, nowhere, part[nowhere])] if len(part) else [], minlength=len(lines))
    return whole, sizes.astype(np.int64)


def _joined(points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the node of each point, from 1: points at one place are one node."""
    packed = (points[:, 0] << 32) + points[:, 1]
    _, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first)] = np.arange(1, len(first) + 1)  # in the order of the file
    return ranks[inverse]


def _tags(columns: dict[str, NDArray[Any]], count: int) -> Iterator[dict[str, str]]:
    """Yield the tags of each feature."""
    texts = {tag: _texts(tag, values) for tag, values in columns.items()}
    one_kind = "highway" not in texts
    for row in range(count):
        tags = {tag: values[row] for tag, values in texts.items() if values[row]}
        if one_kind:
            tags["highway"] = _ONE_KIND
        yield tags


def _texts(tag: str, values: NDArray[Any]) -> list[str]:
    """Return a column as OpenStreetMap writes such values, "" for none."""
    if values.dtype.kind == "f":
        texts = ["" if np.isnan(value) else f"{value:g}" for value in values]
    else:
        texts = ["" if value is None else str(value) for value in values.tolist()]
    if tag == "oneway":
        return [_ONEWAY.get(text.strip().lower(), text) for text in texts]
    if tag == "highway":
        # Simplified edges of OSMnx have the kinds of all their ways.
        return [text.strip("[]").partition(",")[0].strip("'\" ") if text.startswith("[") else text for text in texts]
    return texts
