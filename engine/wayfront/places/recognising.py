"""Tell tables of points from networks and other files, by name and beginning: nothing is read whole."""

from __future__ import annotations

import csv
import re
from contextlib import closing, suppress
from pathlib import Path

from wayfront.safe.errors import WayfrontError

_PARQUET = (".parquet", ".geoparquet")
_TEXTS = (".csv", ".tsv", ".txt")
_GEOJSON = (".geojson", ".json")
_GEOPACKAGE = ".gpkg"
NODE = "node"
"""What the first column of a network's table of nodes is called."""
_SHAPE = re.compile(rb'"type"\s*:\s*"((?:Multi)?(?:Point|LineString|Polygon))"')


def is_table_of_points(path: str) -> bool:
    """Return whether a file is a table of points rather than a network; False for what cannot be read."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    last = suffixes[-1] if suffixes else ""
    if last in _PARQUET:
        return True
    with suppress(WayfrontError, OSError, ValueError, csv.Error):
        if any(suffix in _TEXTS for suffix in suffixes[-2:]):
            return _names_coordinates(path)
        if last in _GEOJSON:
            from wayfront.formats.streams import read_head

            shape = _SHAPE.search(read_head(Path(path)))
            return shape is not None and shape[1] in (b"Point", b"MultiPoint")
        if last == _GEOPACKAGE and Path(path).is_file():
            return _holds_points_alone(path)
    return False


def _names_coordinates(path: str) -> bool:
    """Return whether the first line of a table names coordinates, and no ends of arcs."""
    from wayfront.formats.edge_list.table import HEADS, TAILS
    from wayfront.formats.streams import read_head
    from wayfront.places.columns import Columns
    from wayfront.places.reading import header_of

    head = read_head(Path(path))
    first = head.decode("utf-8-sig", "replace").splitlines()[:1]
    names = header_of(first[0] if first else "")[0]
    known = {name.lower() for name in names}
    Columns().found(names, None)
    return not (known & {*TAILS} and known & {*HEADS}) and names[0].lower() != NODE and b"\0" not in head


def _holds_points_alone(path: str) -> bool:
    """Return whether a GeoPackage has layers of points and none of lines; False for what is none."""
    import sqlite3  # which a start of the window does without, whatever it opens

    kinds: set[str] = set()
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as base,
    ):
        rows = base.execute("SELECT geometry_type_name FROM gpkg_geometry_columns")
        kinds = {str(kind).upper() for (kind,) in rows}
    return any("POINT" in kind for kind in kinds) and not any("LINE" in kind for kind in kinds)
