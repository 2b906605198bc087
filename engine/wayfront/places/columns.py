"""What the columns of a table are: found by their names, read as numbers, and turned into degrees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.network.projection import into_degrees
from wayfront.safe.errors import FormatError, OptionError
from wayfront.safe.text import printable, shortened

LON = ("lon", "lng", "long", "longitude", "stop_lon", "経度")
LAT = ("lat", "latitude", "stop_lat", "緯度")
X = ("x", "easting", "east", "x_coord")
Y = ("y", "northing", "north", "y_coord")
GEOMETRY = ("geometry", "geom", "wkt", "the_geom")
ID = ("id", "osm_id", "osmid", "fid", "stop_id", "code")
NAME = ("name", "title", "label", "stop_name", "address", "名称", "名前")
WEIGHT = ("weight", "weights", "population", "inhabitants", "demand", "人口")
"""Names of columns, in any case, those that go first first; some are those of GTFS' table of stops."""

_POINT = re.compile(
    r"\s*+(?:SRID=(\d+);\s*+)?POINT\s*+(?:Z|M|ZM)?\s*+\(\s*+([^\s()]+)\s++([^\s()]+)(?:\s++[^()]*+)?\)\s*+",
    re.IGNORECASE,
)
_WITH_COMMA = re.compile(r"\s*+[+-]?\d++,\d++\s*+", re.ASCII)
_WHOLE = re.compile(r"(?:0|-?[1-9]\d{0,17})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that somebody named, and the coordinate reference system; None for what is to be found."""

    x: str | None = None
    y: str | None = None
    geometry: str | None = None
    id: str | None = None
    name: str | None = None
    weight: str | None = None
    crs: Any = None

    def found(self, names: Iterable[str], path: Path | None, *, has_shapes: bool = False) -> Found:
        """Return which columns of a table are meant, where it has shapes those beside these, unless x and y are named.

        Raises ``FormatError`` where there are no such.
        """
        there = list(dict.fromkeys(names))
        if (self.x is None) != (self.y is None):
            raise OptionError("x and y are the columns of both coordinates: name both")
        x, y = self._named(self.x, there, path), self._named(self.y, there, path)
        geometry = self._named(self.geometry, there, path)
        has_shapes = has_shapes and x is None and geometry is None
        if x is None and geometry is None and not has_shapes:
            pairs = ((_first(there, LON), _first(there, LAT)), (_first(there, X), _first(there, Y)))
            x, y = next((pair for pair in pairs if None not in pair), (None, None))
            geometry = _first(there, GEOMETRY) if x is None else None
        if x is None and geometry is None and not has_shapes:
            held = ", ".join(printable(name) for name in there[:12]) or "none"
            raise FormatError(
                f"no columns of coordinates: call them lon and lat, x and y, or wkt, or name them; it has: {held}", path
            )
        others = [
            self._named(given, there, path) or _first(there, usual)
            for given, usual in ((self.id, (*ID, *_own_id(there))), (self.name, NAME), (self.weight, WEIGHT))
        ]
        return Found(x, y, geometry, *others)

    def _named(self, name: str | None, there: list[str], path: Path | None) -> str | None:
        if name is None or name in there:
            return name
        found = _first(there, (name.lower(),))
        if found is None:
            held = ", ".join(printable(each) for each in there[:12]) or "none"
            raise FormatError(f"there is no column {shortened(name)}; it has: {held}", path)
        return found


def _first(there: Sequence[str], wanted: Sequence[str]) -> str | None:
    known = {name.strip().lower(): name for name in reversed(there)}
    return next((known[name] for name in wanted if name in known), None)


def _own_id(there: Sequence[str]) -> tuple[str, ...]:
    """Return the name of a table's first column where it is ``address_id`` or the like."""
    first = there[0].strip().lower() if there else ""
    return (first,) if first.endswith("_id") else ()


class Found(NamedTuple):
    """The columns of a table that are read, by its names for them: ``x`` and ``y``, or ``geometry``, or its shapes."""

    x: str | None
    y: str | None
    geometry: str | None
    id: str | None
    name: str | None
    weight: str | None

    @property
    def wanted(self) -> list[str]:
        """All that are there, each once."""
        return list(dict.fromkeys(name for name in self if name is not None))


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a table, by column.

    ``columns`` are arrays or lists of one length, those of a text file of texts. ``points`` are the coordinates of
    geometries that were read already, float64 [count, 2], NaN for none. ``crs`` is what the file says they are.
    ``lines`` are the rows' lines, None where a file has none.
    """

    columns: Mapping[str, Any]
    found: Found
    count: int
    title: str = "places"
    path: Path | None = None
    lines: Sequence[int] | None = None
    points: NDArray[np.float64] | None = None
    crs: Any = None
    index: NDArray[Any] | None = None
    notes: list[str] = field(default_factory=list)

    def line(self, row: int) -> int | None:
        """Return the line of a row, None where the file has no lines."""
        return None if self.lines is None else int(self.lines[row])

    def where(self, row: int) -> str:
        """Return how people find a row."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"


class Read(NamedTuple):
    """What rows hold, NaN where that is no number, and what is wrong with the coordinates of each row, "" for nothing.

    Arrays are those of ``Places``.
    """

    coordinates: NDArray[np.float64]
    ids: NDArray[Any]
    names: NDArray[np.object_]
    weights: NDArray[np.float64]
    notes: tuple[str, ...]
    given: tuple[Any, Any, Any]


def places_in(rows: Rows, columns: Columns) -> Read:
    """Return what the rows of a table hold. Raises ``FormatError`` where columns are not what they have to be."""
    found, held, notes = rows.found, rows.columns, list(rows.notes)
    lengths = {len(held[name]) for name in found.wanted if name in held} | {rows.count}
    if len(lengths) > 1:
        raise FormatError(
            f"its columns have {' and '.join(f'{n:,}' for n in sorted(lengths))} rows: give each one value a row",
            rows.path,
        )
    crs = rows.crs if columns.crs is None else columns.crs
    given: tuple[Any, Any]
    numbers: Sequence[NDArray[np.float64]]
    comma = False
    if rows.points is not None:
        given = (rows.points[:, 0], rows.points[:, 1])
        numbers = given
    elif found.geometry is not None:
        texts, of_file = _from_wkt(held[found.geometry], rows)
        crs = of_file if crs is None else crs
        given = (held[found.geometry], held[found.geometry])
        numbers = [_numbers(column)[0] for column in texts]
    else:
        assert found.x is not None and found.y is not None
        given = (held[found.x], held[found.y])
        read = [_numbers(column) for column in given]
        numbers, comma = [each for each, _ in read], any(comma for _, comma in read)
        for name, values in zip((found.x, found.y), numbers, strict=True):
            if rows.count and not np.isfinite(values).any():
                raise FormatError(f"column {shortened(name)} holds no numbers", rows.path, rows.line(0))
    weights, weight_comma = (np.ones(rows.count), False) if found.weight is None else _numbers(held[found.weight])
    if any(column.ndim != 1 for column in (*numbers, weights)):
        raise FormatError("a column holds one number in each row", rows.path)
    if comma or weight_comma:
        notes.append("Numbers were read with a decimal comma.")
    coordinates = _degrees(np.stack(numbers, axis=1), crs, rows)
    given_weights = None if found.weight is None else held[found.weight]
    return Read(coordinates, _ids(rows), _texts(rows), weights, tuple(notes), (*given, given_weights))


def refused_rows(rows: Rows, found: Read) -> list[tuple[int, str]]:
    """Return the rows that are no points of a table, and why, in their order."""
    lon, lat = found.coordinates.T
    with np.errstate(invalid="ignore"):
        on_earth = (np.abs(lon) <= 180) & (np.abs(lat) <= 90)
        weighed = np.isfinite(found.weights) & (found.weights >= 0)
    wrong = np.flatnonzero(~(on_earth & weighed))
    return [(int(row), _why(rows, found, int(row), bool(on_earth[row]))) for row in wrong]


def _why(rows: Rows, found: Read, row: int, on_earth: bool) -> str:
    """Return why a row is no point."""
    names, given = rows.found, [None if column is None else _plain(column[row]) for column in found.given]
    if on_earth:
        why = describe_no_number(names.weight or "", given[2])
        if _is_missing(given[2]):
            why = f"there is no {names.weight}: write 0 where nothing weighs"
        elif not why:
            why = f"{names.weight} {shortened(given[2])} is below 0: weights are 0 or more"
        return why
    why = ""
    if names.x is not None and names.y is not None:
        why = describe_no_number(names.x, given[0]) or describe_no_number(names.y, given[1])
    elif _is_missing(given[0]) if rows.points is None else not np.isfinite(rows.points[row]).all():
        why = "there is no point"
    elif rows.points is None and not _POINT.fullmatch(str(given[0])):
        why = f"{shortened(given[0])} is no point: write POINT (8 41)"
    return why or describe_off_map(*found.coordinates[row].tolist())


def describe_off_map(lon: float, lat: float) -> str:
    """Return why there is no such place, of coordinates in degrees."""
    if not np.isfinite((lon, lat)).all():
        return "its coordinates lie outside what the coordinate reference system describes"
    if abs(lat) > 90 and abs(lat) <= 180 and abs(lon) <= 90:
        return f"latitude {lat:g} is beyond 90: are longitude and latitude in each other's columns?"
    return f"longitude {lon:g} and latitude {lat:g} are on no map"


def describe_no_number(name: str, value: Any) -> str:
    """Return why a value of a column is no number, "" if it is one."""
    if _is_missing(value):
        return f"there is no {name}"
    if np.isfinite(_number(value, comma=isinstance(value, str) and _WITH_COMMA.fullmatch(value) is not None)):
        return ""
    return f"{name} {shortened(value)} is no number"


def _plain(value: Any) -> Any:
    """Return a value of an array as Python's own, which is quoted as people write it."""
    return value.item() if isinstance(value, np.generic) else value


def _is_missing(value: Any) -> bool:
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    with suppress(TypeError, ValueError):
        return bool(value != value)  # noqa: PLR0124 - of NaN, and of what pandas calls NaT
    return True  # pandas' NA has no truth value


# ----------------------------------------------------------------------------------------------------- numbers


def _numbers(column: Any) -> tuple[NDArray[np.float64], bool]:
    """Return a column as float64 [k], NaN for what is no number, and whether it is written with a decimal comma."""
    values = column if isinstance(column, list) else np.asarray(column)
    if not isinstance(values, list) and values.dtype.kind in "iuf":
        return values.astype(np.float64), False
    if not isinstance(values, list):
        values = values.tolist()
    with suppress(ValueError, TypeError, OverflowError):
        if not any(isinstance(value, bool) for value in values):
            return np.array(values, np.float64), False
    written = [value for value in values if isinstance(value, str) and "," in value]
    comma = bool(written) and all(map(_WITH_COMMA.fullmatch, written))
    return np.array([_number(value, comma) for value in values], np.float64), comma


def _number(value: Any, comma: bool) -> float:
    if isinstance(value, bool):
        return np.nan
    with suppress(ValueError, TypeError, OverflowError):
        return float(value.replace(",", ".") if comma and isinstance(value, str) else value)
    return np.nan


def _from_wkt(column: Any, rows: Rows) -> tuple[tuple[list[Any], list[Any]], str | None]:
    """Return the coordinates of points that are written as well-known text, None for what is none, and their system."""
    found = [_POINT.fullmatch(text) if isinstance(text, str) else None for text in column]
    systems = {point[1] for point in found if point is not None}
    if len(systems) > 1:
        raise FormatError("its points are in several coordinate reference systems: bring them into one", rows.path)
    system = next(iter(systems), None)
    axes = ([None if point is None else point[axis] for point in found] for axis in (2, 3))
    x, y = axes
    return (x, y), None if system is None else f"EPSG:{system}"


def _ids(rows: Rows) -> NDArray[Any]:
    """Return the ids of rows: whole numbers, unless one is written otherwise, such as 007."""
    if rows.found.id is None:
        return np.arange(1, rows.count + 1) if rows.index is None else rows.index.copy()
    column = rows.columns[rows.found.id]
    values = column if isinstance(column, list) else np.asarray(column)
    if not isinstance(values, list):
        if values.dtype.kind in "iu":
            return values.astype(np.int64)
        values = values.tolist()
    if all(isinstance(value, str) and _WHOLE.fullmatch(value) for value in values) and values:
        return np.array([int(value) for value in values], np.int64)
    ids = np.empty(len(values), object)
    ids[:] = ["" if _is_missing(value) else value for value in values]
    return ids


def _texts(rows: Rows) -> NDArray[np.object_]:
    names = np.empty(rows.count, object)
    names[:] = "" if rows.found.name is None else [_text(value) for value in rows.columns[rows.found.name]]
    return names


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip() if value.isprintable() else " ".join(value.split())
    return "" if _is_missing(value) else str(value)


# ----------------------------------------------------------------------------------------------------- degrees


def _degrees(points: NDArray[np.float64], crs: Any, rows: Rows) -> NDArray[np.float64]:
    """Return points in degrees of longitude and latitude. Raises ``FormatError`` where their system is not known."""
    if crs is None:
        known = points[np.isfinite(points).all(axis=1)]
        beyond = (np.abs(known) > (180.0, 180.0)).any(axis=1)
        if len(known) and beyond.mean() > 0.5:
            raise FormatError(
                "its coordinates are no degrees, and nothing says what they are: give their coordinate reference "
                "system, such as crs='EPSG:3763'",
                rows.path,
            )
        return points
    bring = into_degrees(crs, rows.path)
    return points if bring is None else bring(points)
