"""Answers of an Overpass server in JSON, which is also what downloaded places are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.formats.options import OSM_OPTIONS, OpeningOptions
from wayfront.formats.osm.preparing import memory_for_text, prepare_text
from wayfront.formats.osm_options import OsmOptions
from wayfront.formats.progress import Opening
from wayfront.formats.registry import Format, Reading

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

_START = re.compile(rb"\s*\{.*\"elements\"\s*:|\s*\{.*\"osm3s\"\s*:", re.DOTALL)


def _read(path: Path, name: str, options: OsmOptions, opening: Opening) -> RoadNetwork:
    from wayfront.formats.osm.overpass_reader import read_overpass  # imports numba

    return read_overpass(path, name, options, opening)


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    return prepare_text("Overpass answer", path, options, opening, _read, surroundings=True)


FORMAT = Format(
    label="Overpass JSON",
    suffixes=(".json",),
    recognise=lambda head: _START.match(head) is not None,
    prepare=_prepare,
    estimate_memory=memory_for_text,
    options=OSM_OPTIONS,
    order=40,
)
