"""Layers of lines, as geographic information systems keep roads: GeoPackage, GeoJSON, shapefiles and their kin."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

from wayfront.formats.options import OFF, WITHOUT_TURNS, OpeningOptions
from wayfront.formats.registry import Format, Reading, later
from wayfront.formats.streams import Opening

_READER = "wayfront.formats.lines.reader"
_GEOJSON = re.compile(rb"\s*\{.*\"type\"\s*:\s*\"Feature(Collection)?\"", re.DOTALL)
_BESIDE = (".shx", ".dbf", ".prj", ".cpg")
"""What a shapefile consists of beside the file that is opened."""


def is_lines(head: bytes) -> bool:
    """Return whether the beginning of a file is that of a layer of features, of whatever geometry."""
    packed = head.startswith(b"SQLite format 3\0") and head[68:72] in (b"GPKG", b"GP10")
    shapefile = head.startswith(b"\x00\x00\x27\x0a")
    return packed or shapefile or head.startswith(b"fgb\x03") or _GEOJSON.match(head) is not None


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    osm = replace(options.osm, turns=OFF).settled(None)
    beside = (path.with_suffix(suffix) for suffix in _BESIDE) if path.suffix.lower() == ".shp" else ()
    files = [path, *(each for each in beside if each.is_file())]
    role = f"lines {path.stem}; {osm.describe()}"
    return Reading(files, role, partial(later(_READER, "read_lines"), path, path.stem, osm, opening), osm.describe())


FORMAT = Format(
    label="Layer of lines",
    suffixes=(".gpkg", ".geojson", ".shp", ".fgb"),
    recognise=is_lines,
    prepare=_prepare,
    estimate_memory=later(_READER, "memory_for_lines"),
    options=WITHOUT_TURNS,
    order=45,
)
