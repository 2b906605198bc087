"""OpenStreetMap extracts: ``.osm.pbf`` and ``.osm``, plain or compressed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.formats.options import OSM_OPTIONS, OpeningOptions
from wayfront.formats.osm.guards import is_pbf, look_at, memory_for
from wayfront.formats.osm.preparing import prepare_map
from wayfront.formats.osm_options import OsmOptions
from wayfront.formats.progress import Opening
from wayfront.formats.registry import Format, Reading

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

_XML = re.compile(rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<osm[\s>]", re.DOTALL)


def _read(path: Path, name: str, options: OsmOptions, opening: Opening) -> RoadNetwork:
    from wayfront.formats.osm.extract_reader import read_extract  # imports numba

    return read_extract(path, name, options, opening)


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    return prepare_map("OpenStreetMap extract", path, options, opening, _read, surroundings=True)


def _memory(path: Path, opening: Opening) -> int:
    return memory_for(look_at(path, opening))


FORMAT = Format(
    label="OpenStreetMap extract",
    suffixes=(".osm", ".pbf"),
    recognise=lambda head: is_pbf(head) or _XML.match(head) is not None,
    prepare=_prepare,
    estimate_memory=_memory,
    options=OSM_OPTIONS,
    compressed=True,
    order=20,
)
