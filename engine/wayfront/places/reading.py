"""Read tables of points: text with separators, Parquet, layers of features, and frames in memory."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from threading import Event
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.lines.gdal import list_columns, list_layers, read_layer
from wayfront.formats.streams import BLOCK_BYTES, Opening, ProgressCallback, is_binary, open_stream, read_head
from wayfront.network.exporting import import_interop
from wayfront.places.columns import Columns, Rows
from wayfront.safe.errors import FormatError, MissingPackageError
from wayfront.safe.files import file_bytes, open_regular, why_unread
from wayfront.safe.memory import require_memory
from wayfront.safe.text import printable, shortened

_SEPARATORS = ",;\t|"
_WORKBOOKS = (".xlsx", ".xls", ".ods")
_LAYERS = (b"SQLite format 3\0", b"\x00\x00\x27\x0a", b"fgb\x03", b"<?xml", b"<kml", b"<gpx")
_BYTES_PER_BYTE = {"csv": 25, "parquet": 20, "layer": 12}
"""Memory at the peak of reading, for each byte of a file. A million rows, of coordinates alone or of five columns, took
14 to 25 as CSV, 10 to 19 as Parquet, 2 to 4 as GeoPackage, GeoJSON and FlatGeobuf, and 11 as a shapefile."""


def read_rows(
    path: Path, columns: Columns, layer: str | None, progress: ProgressCallback | None, cancel: Event | None
) -> Rows:
    """Read the rows of a file's table. Raises ``FormatError``, ``MissingPackageError``, ``OpenCancelled``."""
    opening = Opening(progress, cancel)
    opening.enter("reading places", 1.0)
    if path.suffix.lower() in _WORKBOOKS:
        raise FormatError("this is a workbook: save the sheet with the points as CSV", path)
    try:
        open_regular(path).close()
    except OSError as problem:
        raise FormatError(why_unread(problem), path) from None
    head = read_head(path)
    if head.startswith(b"PAR1"):
        rows = _read_parquet(path, columns, opening)
    elif head.startswith(_LAYERS) or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or is_binary(head):
        rows = _read_layer(path, columns, layer, opening)
    else:
        rows = _read_text(path, columns, opening)
    if not rows.count:
        raise FormatError("the table has no rows: it needs one for each place", path)
    opening.finish()
    return rows


# ----------------------------------------------------------------------------------------- text with separators


def _read_text(path: Path, columns: Columns, opening: Opening) -> Rows:
    require_memory(_BYTES_PER_BYTE["csv"] * file_bytes(path), path)
    taken: list[tuple[str, ...]] = []
    lines: list[int] = []
    try:
        with open_stream(path) as (stream, file):
            text = text_lines(stream, file, path, opening)
            header, separator = header_of(next(text, ""))
            _require_header(header, path)
            found = columns.found(header, path)
            wanted = found.wanted
            take = itemgetter(*(header.index(name) for name in wanted), 0)  # 0, so that it is always a tuple
            reader = csv.reader(text, delimiter=separator, strict=True)
            for row in reader:
                if not row or (len(row) == 1 and not row[0].strip()):
                    continue
                try:
                    taken.append(take(row))
                except IndexError:
                    raise FormatError(
                        f"{len(row)} fields, where the first line has {len(header)}", path, reader.line_num + 1
                    ) from None
                lines.append(reader.line_num + 1)
    except csv.Error as problem:
        line = lines[-1] + 1 if lines else 1
        raise FormatError(f"the row cannot be read ({problem}): is a quotation mark left open?", path, line) from None
    held = dict(zip(wanted, map(list, zip(*taken, strict=True)), strict=False)) if taken else {n: [] for n in wanted}
    return Rows(held, found, len(taken), _title(path), path, lines)


def text_lines(stream: IO[bytes], file: IO[bytes], path: Path, opening: Opening) -> Iterator[str]:
    """Yield the lines of a text with their ends. Raises ``FormatError`` for what is not UTF-8, ``OpenCancelled``."""
    total, rest, number = max(file_bytes(path), 1), b"", 0
    while True:
        block = stream.read(BLOCK_BYTES)
        whole = rest + block
        cut = whole.rfind(b"\n") + 1 if block else len(whole)
        if not cut and len(whole) > 16 * BLOCK_BYTES:
            raise FormatError("a line is longer than 16 MB: this is no table", path, number + 1)
        try:
            text = whole[:cut].decode("utf-8-sig" if number == 0 else "utf-8")
        except UnicodeDecodeError as problem:
            at = number + whole[: problem.start].count(b"\n") + 1
            raise FormatError("the text is not UTF-8: save the table as CSV UTF-8", path, at) from None
        for line in io.StringIO(text, newline=""):
            number += 1
            yield line
        rest = whole[cut:]
        opening.report(0.9 * file.tell() / total)
        if not block:
            return


def header_of(line: str) -> tuple[list[str], str]:
    """Return the names in the first line of a table, and what separates them."""
    separator = _separator(line)
    return [name.strip() for name in next(csv.reader([line], delimiter=separator), [])], separator


def _separator(line: str) -> str:
    """Return what separates the names in the first line: outside quotation marks, whatever occurs most."""
    counts = Counter(letter for part in line.split('"')[::2] for letter in part if letter in _SEPARATORS)
    return max(_SEPARATORS, key=lambda separator: counts[separator])  # the first of those that occur as often


def _require_header(header: list[str], path: Path) -> None:
    if not any(header):
        raise FormatError("the table is empty: its first line has to name the columns, such as lon,lat", path)
    try:
        [float(name.replace(",", ".")) for name in header[:2]]
    except ValueError:
        return
    raise FormatError("the first line holds numbers: put a line with the columns' names, lon,lat, above it", path, 1)


# ------------------------------------------------------------------------------------------ Parquet, and layers


def _read_parquet(path: Path, columns: Columns, opening: Opening) -> Rows:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingPackageError(f'{path}: Parquet needs pyarrow: pip install "wayfront[parquet]"') from None
    require_memory(_BYTES_PER_BYTE["parquet"] * file_bytes(path), path)
    try:
        schema = pyarrow.parquet.read_schema(path)
        if b"geo" in (schema.metadata or {}) and columns.x is None:
            frame = import_interop("geopandas").read_parquet(path)
            return frame_rows(frame, columns, _title(path), path)
        found = columns.found(schema.names, path)
        table = pyarrow.parquet.read_table(path, columns=found.wanted)
    except (pyarrow.ArrowException, ValueError, OSError) as problem:
        if isinstance(problem, FormatError):
            raise
        raise FormatError(f"the Parquet file cannot be read: {printable(str(problem))}", path) from None
    opening.report(0.8)
    held = {name: table.column(name).to_numpy() for name in found.wanted}
    return Rows(held, found, table.num_rows, _title(path), path)


def _read_layer(path: Path, columns: Columns, layer: str | None, opening: Opening) -> Rows:
    require_memory(_BYTES_PER_BYTE["layer"] * file_bytes(path), path)
    chosen = _layer(path, layer, list_layers(path))
    found = columns.found(list_columns(path, chosen), path, has_shapes=True)
    read = read_layer(path, chosen, found.wanted)
    opening.report(0.6)
    notes: list[str] = []
    points = crs = None
    if found.x is None and found.geometry is None:
        if read.geometry is None:
            raise FormatError(f"the layer {shortened(chosen)} is a table without points: name its columns", path)
        points, crs = _points(read.geometry, notes), read.crs
    return Rows(read.columns, found, len(read.ids), _title(path), path, None, points, crs, read.ids, notes)


def _layer(path: Path, wanted: str | None, kinds: dict[str, str]) -> str:
    """Return the name of the layer that holds the points. Raises ``FormatError`` where that cannot be told."""
    held = ", ".join(f"{printable(name)} ({kind or 'a table'})" for name, kind in kinds.items()) or "nothing"
    if wanted is not None:
        if wanted in kinds:
            return wanted
        raise FormatError(f"there is no layer {shortened(wanted)}; it has: {held}", path)
    points = [name for name, kind in kinds.items() if "Point" in kind] or [name for name, kind in kinds.items() if kind]
    if len(points) != 1:
        raise FormatError(f"which layer holds the points? Name it; it has: {held}", path)
    return points[0]


def _points(shapes: NDArray[Any], notes: list[str]) -> NDArray[np.float64]:
    """Return a point of each geometry, float64 [k, 2], NaN for none: of one that is no point, one on it."""
    shapely = import_interop("shapely")
    shapes = np.asarray(shapes, object)
    there = ~(shapely.is_missing(shapes) | shapely.is_empty(shapes))
    flat = there & (shapely.get_type_id(shapes) != 0)
    if flat.any():
        shapes = shapes.copy()
        shapes[flat] = shapely.point_on_surface(shapes[flat])
        notes.append(f"{int(flat.sum()):,} of {len(shapes):,} shapes are no points: a point on each was taken.")
    points = np.full((len(shapes), 2), np.nan)
    points[there] = shapely.get_coordinates(shapes[there])
    return points


# -------------------------------------------------------------------------------------------- frames in memory


def frame_rows(frame: Any, columns: Columns, title: str = "places", path: Path | None = None) -> Rows:
    """Return the rows of a frame of pandas, Polars or GeoPandas, of an Arrow table, or of a mapping.

    Raises ``FormatError``.
    """
    if not hasattr(frame, "__getitem__") or isinstance(frame, str | list | tuple | np.ndarray):
        raise FormatError(f"this takes a table, such as a frame of pandas, not {type(frame).__name__}", path)
    named = getattr(frame, "column_names", getattr(frame, "columns", frame))  # of Arrow, of frames, of mappings
    names = [name for name in named if isinstance(name, str)]
    geometry = getattr(frame, "_geometry_column_name", None) if hasattr(frame, "to_crs") else None
    geometry = geometry if geometry in names else None
    notes: list[str] = []
    points = crs = None
    found = columns.found(names, path, has_shapes=geometry is not None)
    if geometry is not None and found.x is None and columns.geometry in (None, geometry):
        found = found._replace(geometry=None)
        points, crs = _points(frame[geometry].to_numpy(), notes), frame.crs
    held = {name: _values(frame[name]) for name in found.wanted}
    index = getattr(frame, "index", None) if hasattr(frame, "iloc") else None
    labels = None if index is None else np.asarray(index)
    count = len(points) if points is not None else len(next(iter(held.values())))
    return Rows(held, found, count, title, path, None, points, crs, labels, notes)


def _values(column: Any) -> Any:
    """Return a column of a frame as an array."""
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)


def _title(path: Path) -> str:
    """Return what a file is called, without what it ends with."""
    return path.name.partition(".")[0] or path.name
