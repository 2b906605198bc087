"""Write GeoPackages: what has a place on the Earth as tables of one SQLite file, which geographic programs open.

The parts of OGC's GeoPackage 1.3 that features need: coordinate reference systems, what the file holds, and for each
layer a table with a column of geometries, which are well-known binary behind a short header. The file is made in memory
and appears whole or not at all.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, pairwise
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wayfront.network.projection import Projection
from wayfront.safe.files import write_whole
from wayfront.safe.memory import require_memory

if TYPE_CHECKING:
    import sqlite3

GEOPACKAGE = ".gpkg"
_APPLICATION, _VERSION, _WGS84 = 0x47504B47, 10300, 4326
_OWN = 100_000
"""The number of a coordinate reference system that no register has a number for."""
_KINDS = {"Point": 1, "LineString": 2, "Polygon": 3, "MultiPolygon": 6}
_NESTED = {"Point": 0, "LineString": 1, "Polygon": 2, "MultiPolygon": 3}
"""How deep points lie in coordinates."""
_BYTES_OF_POINT = 400
"""What a point takes in memory while it is written, with ten columns."""
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

    Coordinates are those of GeoJSON: a ``Point`` is [x, y], a ``LineString`` a list of points, a ``MultiPolygon`` a
    list of polygons, which are lists of rings of points. ``description`` says who made the data.
    """

    name: str
    geometry: str
    rows: Sequence[tuple[Any, Mapping[str, Any]]]
    description: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """A layer of many points: its name, degrees [n, 2], and columns [n], with None for what is missing."""

    name: str
    places: NDArray[np.float64]
    columns: Mapping[str, Sequence[Any]]
    description: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LineStrings:
    """A layer of many lines: its name, degrees [p, 2], and columns [k], with None for what is missing.

    Those of line i are ``places[offsets[i]:offsets[i + 1]]``, at least one.
    """

    name: str
    places: NDArray[np.float64]
    offsets: NDArray[np.int64]
    columns: Mapping[str, Sequence[Any]]
    description: str = ""
    geometry: ClassVar[str] = "LineString"

    @property
    def rows(self) -> Iterator[tuple[list[list[float]], dict[str, Any]]]:
        """Coordinates and facts of each line, as those of a ``Layer``."""
        places = self.places.tolist()
        for (first, last), *facts in zip(pairwise(self.offsets.tolist()), *self.columns.values(), strict=True):
            yield places[first:last], dict(zip(self.columns, facts, strict=True))


def write_geopackage(path: str | Path, layers: Iterable[Layer | Points | LineStrings], crs: object = None) -> None:
    """Write layers to a file, which is usually called ``….gpkg``, in degrees or in the system ``crs``.

    Raises ``WriteError``, ``MemoryShortError``, and what ``Projection`` raises for a coordinate reference system.
    """
    import sqlite3  # few save one

    layers = list(layers)
    projection = Projection.of(crs)
    points = sum(len(each.places) for each in layers if not isinstance(each, Layer))
    require_memory(points * _BYTES_OF_POINT, path)
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"PRAGMA application_id = {_APPLICATION}")
        base.execute(f"PRAGMA user_version = {_VERSION}")
        base.executescript(_SCHEMA)
        systems = list(_SYSTEMS) if projection is None else [*_SYSTEMS, _system(projection)]
        base.executemany("INSERT OR REPLACE INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?)", systems)
        for layer in layers:
            if isinstance(layer, Points):
                _add_points(base, layer, projection, systems[-1][1])
            elif isinstance(layer, LineStrings):
                _add_lines(base, layer, projection, systems[-1][1])
            else:
                _add(base, layer, projection, systems[-1][1])
        base.commit()
        content = base.serialize()
    with write_whole(path) as file:
        file.write(content)


def _system(projection: Projection) -> tuple[str, int, str, int, str, str]:
    """Return the row of a coordinate reference system."""
    organization, number = (projection.crs.to_authority() or ("NONE", str(_OWN)))[:2]
    code = int(number) if number.isdigit() else _OWN
    text = projection.crs.to_wkt("WKT1_GDAL") or projection.crs.to_wkt()
    return projection.crs.name, code, organization, code, text, ""


def _add(base: sqlite3.Connection, layer: Layer, projection: Projection | None, system: int) -> None:
    """Add a layer with all of its features."""
    shapes = [coordinates for coordinates, _ in layer.rows]
    if projection is not None:
        shapes = _projected(shapes, projection, _NESTED[layer.geometry])
    boxes = [_box(coordinates) for coordinates in shapes]
    geometries = (_geometry(layer.geometry, *each, system) for each in zip(shapes, boxes, strict=True))
    names = dict.fromkeys(name for _, facts in layer.rows for name in facts)
    columns = {name: [facts.get(name) for _, facts in layer.rows] for name in names}
    known = [box for box in boxes if box is not None]
    reach = tuple(each((box[at] for box in known), default=None) for at, each in enumerate((min, min, max, max)))
    _fill(base, layer.name, layer.description, layer.geometry, reach, system, geometries, columns)


def _add_points(base: sqlite3.Connection, layer: Points, projection: Projection | None, system: int) -> None:
    """Add a layer of points: a header without a box, and well-known binary."""
    places = layer.places if projection is None else projection.places(layer.places)
    head = struct.pack("<2sBBi", b"GP", 0, 1, system) + struct.pack("<BI", 1, _KINDS["Point"])
    texts = np.empty((len(places), len(head) + 16), np.uint8)
    texts[:, : len(head)] = np.frombuffer(head, np.uint8)
    texts[:, len(head) :] = np.ascontiguousarray(places, "<f8").view(np.uint8).reshape(len(places), 16)
    size, content = texts.shape[1], texts.tobytes()
    geometries = (content[at : at + size] for at in range(0, len(content), size))
    _fill(base, layer.name, layer.description, "Point", _reach(places), system, geometries, layer.columns)


def _add_lines(base: sqlite3.Connection, layer: LineStrings, projection: Projection | None, system: int) -> None:
    """Add a layer of lines: those of as many points are made into well-known binary at once."""
    places = layer.places if projection is None else projection.places(layer.places)
    first, counts = layer.offsets[:-1], np.diff(layer.offsets)
    geometries = np.empty(len(first), object)
    boxes = np.empty((len(first), 4))
    if len(first):
        boxes[:, 0::2], boxes[:, 1::2] = np.minimum.reduceat(places, first), np.maximum.reduceat(places, first)
    for count in np.unique(counts).tolist():
        which = np.flatnonzero(counts == count)
        rows = np.empty(len(which), [*_HEADER, ("count", "<u4"), ("points", "<f8", (count, 2))])
        rows["head"] = struct.pack("<2sBBi", b"GP", 0, 0b0000_0011, system)
        rows["box"], rows["order"], rows["kind"], rows["count"] = boxes[which], 1, _KINDS[layer.geometry], count
        rows["points"] = places[first[which, None] + np.arange(count)]
        geometries[which] = rows.view(f"V{rows.dtype.itemsize}").tolist()
    _fill(base, layer.name, layer.description, layer.geometry, _reach(places), system, geometries, layer.columns)


_HEADER = [("head", "V8"), ("box", "<f8", 4), ("order", "u1"), ("kind", "<u4")]
"""Of each line: magic, version, flags and system; west, east, south and north; and how well-known binary begins."""


def _reach(places: NDArray[np.float64]) -> tuple[float | None, ...]:
    """Return west, south, east and north of points, None where there are none."""
    return (*places.min(axis=0).tolist(), *places.max(axis=0).tolist()) if len(places) else (None,) * 4


def _fill(
    base: sqlite3.Connection,
    name: str,
    description: str,
    geometry: str,
    reach: tuple[float | None, ...],
    system: int,
    geometries: Iterable[bytes],
    columns: Mapping[str, Sequence[Any]],
) -> None:
    """Make a layer's table, say what it is, and fill it."""
    kinds = {each: _COLUMNS[_type(values)] for each, values in columns.items()}
    table, named = _quoted(name), "".join(f", {_quoted(each)}" for each in columns)
    declared = "".join(f", {_quoted(each)} {kind}" for each, kind in kinds.items())
    base.execute(
        f"CREATE TABLE {table} (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom {geometry.upper()}{declared})"
    )
    base.execute(
        "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, min_x, min_y, max_x, max_y, "
        "srs_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (name, "features", name, description, *reach, system),
    )
    shape = (name, "geom", geometry.upper(), system)
    base.execute("INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, 0, 0)", shape)
    marks = ", ".join("?" * (len(columns) + 1))
    rows = zip(geometries, *columns.values(), strict=True)
    base.executemany(f"INSERT INTO {table} (geom{named}) VALUES ({marks})", rows)


def _type(values: Sequence[Any]) -> type:
    """Return the type of a column's values, text where all are missing."""
    return next((type(value) for value in values if value is not None), str)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


Box = tuple[float, float, float, float]


def _projected(shapes: Sequence[Any], projection: Projection, depth: int) -> list[Any]:
    """Return the coordinates of shapes in another system: all at once, since asking for one takes a millisecond."""
    points = [point for shape in shapes for point in _points(shape)]
    placed = iter(projection.places(np.array(points, np.float64).reshape(-1, 2)).tolist())

    def again(part: Any, depth: int) -> Any:
        return [again(each, depth - 1) for each in part] if depth else next(placed)

    return [again(shape, depth) for shape in shapes]


def _box(coordinates: Any) -> Box | None:
    """Return west, south, east and north of coordinates, None where there are none."""
    runs: list[Any] = list(_runs(coordinates))
    y = itemgetter(1)
    if not runs:
        return None
    south, north = min(min(run, key=y)[1] for run in runs), max(max(run, key=y)[1] for run in runs)
    return min(min(run)[0] for run in runs), south, max(max(run)[0] for run in runs), north


def _points(coordinates: Any) -> Iterator[Sequence[float]]:
    return chain.from_iterable(_runs(coordinates))


def _runs(coordinates: Any) -> Iterator[Sequence[Sequence[float]]]:
    """Yield the points that lie beside one another in coordinates of any depth."""
    if not coordinates:
        return
    if not isinstance(coordinates[0], Sequence):
        yield [coordinates]
    elif coordinates[0] and not isinstance(coordinates[0][0], Sequence):
        yield coordinates
    else:
        for part in coordinates:
            yield from _runs(part)


def _geometry(kind: str, coordinates: Any, box: Box | None, system: int) -> bytes:
    """Return a geometry with its header: magic, version, flags (little-endian; empty, or with a box), system, box."""
    if box is None:
        return struct.pack("<2sBBi", b"GP", 0, 0b0001_0001, system) + _binary(kind, coordinates)
    west, south, east, north = box
    head = struct.pack("<2sBBi4d", b"GP", 0, 0b0000_0011, system, west, east, south, north)
    return head + _binary(kind, coordinates)


def _binary(kind: str, coordinates: Any) -> bytes:
    """Return coordinates as well-known binary, little-endian."""
    head = struct.pack("<BI", 1, _KINDS[kind])
    if kind == "Point":
        return head + struct.pack("<2d", *coordinates)
    if kind == "LineString":
        return head + _line(coordinates)
    if kind == "MultiPolygon":
        return head + struct.pack("<I", len(coordinates)) + b"".join(_binary("Polygon", part) for part in coordinates)
    return head + struct.pack("<I", len(coordinates)) + b"".join(_line(ring) for ring in coordinates)


def _line(points: Sequence[Sequence[float]]) -> bytes:
    return struct.pack(f"<I{2 * len(points)}d", len(points), *chain.from_iterable(points))
