"""Write GeoPackages: what has a place on the Earth as tables of one SQLite file, which geographic programs open.

The parts of OGC's GeoPackage 1.3 that features need: the systems of coordinates, what the file holds, and for each
layer a table with a column of geometries, which are well-known binary behind a short header. The file is made in memory
and appears whole or not at all.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfront.safe.files import write_whole

if TYPE_CHECKING:
    import sqlite3

_APPLICATION, _VERSION, _WGS84 = 0x47504B47, 10300, 4326
_KINDS = {"Point": 1, "LineString": 2, "Polygon": 3, "MultiPolygon": 6}
_COLUMNS: dict[type, str] = {bool: "BOOLEAN", int: "INTEGER", float: "REAL", str: "TEXT"}
_SCHEMA = """
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
    organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
    description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
    FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL UNIQUE, column_name TEXT NOT NULL,
    geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
    PRIMARY KEY (table_name, column_name), FOREIGN KEY (table_name) REFERENCES gpkg_contents (table_name),
    FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
"""
_SYSTEMS = (
    ("Undefined Cartesian SRS", -1, "NONE", -1, "undefined", ""),
    ("Undefined geographic SRS", 0, "NONE", 0, "undefined", ""),
    (
        "WGS 84 geodetic",
        _WGS84,
        "EPSG",
        _WGS84,
        'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],'
        'AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]',
        "longitude and latitude in degrees",
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer: its name, the kind of its geometries, and of each feature coordinates in degrees, and facts.

    Coordinates are those of GeoJSON: a ``Point`` is [x, y], a ``LineString`` a list of
    points, a ``MultiPolygon`` a list of polygons, which are lists of
    rings of points. ``description`` says who made the data.
    """

    name: str
    geometry: str
    rows: Sequence[tuple[Any, Mapping[str, Any]]]
    description: str = ""


def write_geopackage(path: str | Path, layers: Iterable[Layer]) -> None:
    """Write layers to a file, which is usually called ``….gpkg``. Raises ``WriteError``."""
    import sqlite3  # few save one

    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"PRAGMA application_id = {_APPLICATION}")
        base.execute(f"PRAGMA user_version = {_VERSION}")
        base.executescript(_SCHEMA)
        base.executemany("INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?)", _SYSTEMS)
        for layer in layers:
            _add(base, layer)
        base.commit()
        content = base.serialize()
    with write_whole(path) as file:
        file.write(content)


def _add(base: sqlite3.Connection, layer: Layer) -> None:
    """Add a layer with all of its features."""
    kinds = {name: _COLUMNS[type(value)] for _, facts in layer.rows for name, value in facts.items()}
    columns = "".join(f", {_quoted(name)} {kind}" for name, kind in kinds.items())
    table = _quoted(layer.name)
    base.execute(
        f"CREATE TABLE {table} (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom {layer.geometry.upper()}{columns})"
    )
    boxes = [_box(coordinates) for coordinates, _ in layer.rows]
    known = [box for box in boxes if box is not None]
    west, south, east, north = (
        reach((box[at] for box in known), default=None) for at, reach in enumerate((min, min, max, max))
    )
    contents = (layer.name, "features", layer.name, layer.description, west, south, east, north, _WGS84)
    base.execute(
        "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, min_x, min_y, max_x, max_y, "
        "srs_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        contents,
    )
    shape = (layer.name, "geom", layer.geometry.upper(), _WGS84)
    base.execute("INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, 0, 0)", shape)
    marks = ", ".join("?" * (len(kinds) + 1))
    names = "".join(f", {_quoted(name)}" for name in kinds)
    rows = (
        (_geometry(layer.geometry, coordinates, box), *(facts.get(name) for name in kinds))
        for (coordinates, facts), box in zip(layer.rows, boxes, strict=True)
    )
    base.executemany(f"INSERT INTO {table} (geom{names}) VALUES ({marks})", rows)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


Box = tuple[float, float, float, float]


def _box(coordinates: Any) -> Box | None:
    """Return west, south, east and north of coordinates, None where there are none."""
    points = list(_points(coordinates))
    if not points:
        return None
    x, y = zip(*points, strict=True)
    return min(x), min(y), max(x), max(y)


def _points(coordinates: Any) -> Iterator[Sequence[float]]:
    if coordinates and not isinstance(coordinates[0], Sequence):
        yield coordinates
        return
    for part in coordinates:
        yield from _points(part)


def _geometry(kind: str, coordinates: Any, box: Box | None) -> bytes:
    """Return a geometry with its header: magic, version, flags (little-endian; empty, or with a box), system, box."""
    if box is None:
        return struct.pack("<2sBBi", b"GP", 0, 0b0001_0001, _WGS84) + _binary(kind, coordinates)
    west, south, east, north = box
    head = struct.pack("<2sBBi4d", b"GP", 0, 0b0000_0011, _WGS84, west, east, south, north)
    return head + _binary(kind, coordinates)


def _binary(kind: str, coordinates: Any) -> bytes:
    """Return coordinates as well-known binary, little-endian."""
    head = struct.pack("<BI", 1, _KINDS[kind])
    if kind == "Point":
        return head + struct.pack("<2d", *coordinates)
    if kind == "LineString":
        return head + struct.pack(
            f"<I{2 * len(coordinates)}d", len(coordinates), *(v for at in coordinates for v in at)
        )
    if kind == "MultiPolygon":
        return head + struct.pack("<I", len(coordinates)) + b"".join(_binary("Polygon", part) for part in coordinates)
    rings = (
        struct.pack(f"<I{2 * len(ring)}d", len(ring), *(value for at in ring for value in at)) for ring in coordinates
    )
    return head + struct.pack("<I", len(coordinates)) + b"".join(rings)
