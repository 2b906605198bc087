"""OpenStreetMap data in every form: extracts (PBF, XML), Overpass answers, and graphs that OSMnx saved."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfront.formats.options import OSM_OPTIONS, OpeningOptions, OsmOptions
from wayfront.formats.registry import Format, Reading, first_tag
from wayfront.formats.streams import Opening

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

Reader = Callable[[Path, str, OsmOptions, Opening], "RoadNetwork"]
"""Called with the file, the network's name, the options and the progress."""

_SUFFIXES = (".osm", ".pbf", ".gz", ".bz2", ".xz", ".json", ".graphml", ".xml")
_OVERPASS = re.compile(rb"\s*\{.*\"elements\"\s*:|\s*\{.*\"osm3s\"\s*:", re.DOTALL)


def _format(kind: str, reader: Callable[[], Reader], *, surroundings: bool = False, **declared: Any) -> Format:
    """Declare a form; ``kind`` is a part of the cache's key, so it never changes.

    ``reader`` returns what reads it, and imports that, with Numba, no sooner than a file is read.
    """

    def prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
        osm, name = options.osm.settled(None), _network_name(path)
        role = f"{kind} {name}; {osm.describe()}"
        return Reading([path], role, lambda: reader()(path, name, osm, opening), osm.describe(), surroundings)

    return Format(prepare=prepare, options=OSM_OPTIONS, **declared)


def _network_name(path: Path) -> str:
    """Return a file's name without the suffixes of its format."""
    stem = path.name
    while Path(stem).suffix.lower() in _SUFFIXES:
        stem = stem[: -len(Path(stem).suffix)]
    if stem != path.name and stem.lower().endswith("-latest"):
        stem = stem[: -len("-latest")]
    return stem or path.name


def _extracts() -> Reader:
    from wayfront.formats.osm.extract import read_extract

    return read_extract


def _memory_for_extract(path: Path, opening: Opening) -> int:
    from wayfront.formats.osm.guards import look_at, memory_for

    return memory_for(look_at(path, opening))


def _answers() -> Reader:
    from wayfront.formats.osm.overpass_json import read_overpass

    return read_overpass


def _memory_for_text(path: Path, opening: Opening) -> int:
    from wayfront.formats.osm.guards import memory_for_text

    return memory_for_text(path, opening)


def _graphs() -> Reader:
    from wayfront.formats.osm.osmnx_graphml import read_graphml

    return read_graphml


def _save_graphml(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    from wayfront.formats.osm.osmnx_graphml import save_graphml

    opening.enter("writing the graph", 1.0)
    save_graphml(network, path, opening)
    return [path]


EXTRACT = _format(
    "OpenStreetMap extract",
    _extracts,
    surroundings=True,
    label="OpenStreetMap extract",
    suffixes=(".osm", ".pbf"),
    recognise=lambda head: head[4:15] == b"\x0a\x09OSMHeader" or first_tag(head) == b"osm",
    estimate_memory=_memory_for_extract,
    compressed=True,
    order=20,
)
GRAPHML = _format(
    "GraphML",
    _graphs,
    label="GraphML of OSMnx",
    suffixes=(".graphml",),
    recognise=lambda head: first_tag(head) == b"graphml",
    save=_save_graphml,
    estimate_memory=_memory_for_text,
    compressed=True,
    order=30,
)
OVERPASS = _format(
    "Overpass answer",
    _answers,
    surroundings=True,
    label="Overpass JSON",
    suffixes=(".json",),
    recognise=lambda head: _OVERPASS.match(head) is not None,
    estimate_memory=_memory_for_text,
    order=40,
)
