"""OpenStreetMap data in every form: extracts (PBF, XML), Overpass answers, and graphs that OSMnx saved."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from wayfront.formats.options import OFF, OSM_OPTIONS, WITHOUT_TURNS, OpeningOptions
from wayfront.formats.registry import Format, Reading, first_tag, later
from wayfront.formats.streams import Opening

_GUARDS, _GRAPHML = "wayfront.formats.osm.guards", "wayfront.formats.osm.osmnx_graphml"
_SUFFIXES = (".osm", ".pbf", ".gz", ".bz2", ".xz", ".json", ".graphml", ".xml")
RULES_VERSION = 3
"""Part of the cache's key: raised when the rules of reading tags change what becomes of a file."""
_OVERPASS = re.compile(rb"\s*\{.*\"elements\"\s*:|\s*\{.*\"osm3s\"\s*:", re.DOTALL)


def _format(kind: str, module: str, reader: str, *, of_relations: bool = False, **declared: Any) -> Format:
    """Declare a form that a function of a module reads; ``kind`` is a part of the cache's key, so it never changes.

    ``of_relations`` says that it has relations: surroundings of roads, and restrictions of turns.
    """

    def prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
        chosen = options.osm if of_relations else replace(options.osm, turns=OFF, country="", turn_costs="")
        osm, name = chosen.settled(None), _network_name(path)
        role = f"{kind} {name}; {osm.describe()}; rules {RULES_VERSION}"
        read = partial(later(module, reader), path, name, osm, opening)
        return Reading([path], role, read, osm.describe(), of_relations)

    known = OSM_OPTIONS if of_relations else WITHOUT_TURNS - {"country", "turn_costs"}  # its edges have few tags
    return Format(prepare=prepare, options=known, **declared)


def _network_name(path: Path) -> str:
    """Return a file's name without the suffixes of its format."""
    stem = path.name
    while Path(stem).suffix.lower() in _SUFFIXES:
        stem = stem[: -len(Path(stem).suffix)]
    if stem != path.name and stem.lower().endswith("-latest"):
        stem = stem[: -len("-latest")]
    return stem or path.name


EXTRACT = _format(
    "OpenStreetMap extract",
    "wayfront.formats.osm.extract",
    "read_extract",
    of_relations=True,
    label="OpenStreetMap extract",
    suffixes=(".osm", ".pbf"),
    recognise=lambda head: head[4:15] == b"\x0a\x09OSMHeader" or first_tag(head) == b"osm",
    estimate_memory=later(_GUARDS, "memory_for_extract"),
    compressed=True,
    order=20,
)
GRAPHML = _format(
    "GraphML",
    _GRAPHML,
    "read_graphml",
    label="GraphML of OSMnx",
    suffixes=(".graphml",),
    recognise=lambda head: first_tag(head) == b"graphml",
    save=later(_GRAPHML, "save_graphml"),
    estimate_memory=later(_GUARDS, "memory_for_text"),
    compressed=True,
    order=30,
)
OVERPASS = _format(
    "Overpass answer",
    "wayfront.formats.osm.overpass_json",
    "read_overpass",
    of_relations=True,
    label="Overpass JSON",
    suffixes=(".json",),
    recognise=lambda head: _OVERPASS.match(head) is not None,
    estimate_memory=later(_GUARDS, "memory_for_text"),
    order=40,
)
