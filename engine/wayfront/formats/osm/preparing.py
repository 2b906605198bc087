"""What the formats of OpenStreetMap data have in common before a file is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.formats.options import OpeningOptions
from wayfront.formats.osm.guards import TEXT, Unpacked, memory_for, refuse_bomb
from wayfront.formats.osm_options import OsmOptions
from wayfront.formats.progress import Opening
from wayfront.formats.registry import Reading
from wayfront.formats.streams import BLOCK_BYTES, file_bytes, open_stream

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

MapReader = Callable[[Path, str, OsmOptions, Opening], "RoadNetwork"]
"""Called with the file, the network's name, the options and the progress."""


def prepare_map(
    kind: str, path: Path, options: OpeningOptions, opening: Opening, read: MapReader, *, surroundings: bool = False
) -> Reading:
    """Return the reading of a file of this kind; ``kind`` is a part of the cache's key, so it never changes."""
    osm, name = options.osm.settled(None), network_name(path)
    role, chosen = f"{kind} {name}; {osm.describe()}", osm.describe()
    return Reading([path], role, partial(read, path, name, osm, opening), chosen, surroundings)


def prepare_text(
    kind: str, path: Path, options: OpeningOptions, opening: Opening, read: MapReader, *, surroundings: bool = False
) -> Reading:
    """Return the reading of a file whose text is kept in memory nearly whole; what does not fit is refused."""

    def guarded(path: Path, name: str, osm: OsmOptions, opening: Opening) -> RoadNetwork:
        opening.require_memory(memory_for_text(path, opening), path)
        return read(path, name, osm, opening)

    return prepare_map(kind, path, options, opening, guarded, surroundings=surroundings)


def memory_for_text(path: Path, opening: Opening) -> int:
    """Return about how many bytes of memory reading takes where nearly all of the text is kept.

    Raises ``FormatError`` for a decompression bomb.
    """
    unpacked = 0
    with open_stream(path) as (stream, file):
        if stream is file:
            return memory_for(Unpacked(TEXT, file_bytes(path)))
        while block := stream.read(BLOCK_BYTES):
            unpacked += len(block)
            refuse_bomb(unpacked, path)
            opening.report(0.0)
    return memory_for(Unpacked(TEXT, unpacked))


def network_name(path: Path) -> str:
    """Return a file's name without the suffixes of its format."""
    return (
        re.sub(r"(-latest)?(\.(osm|pbf|gz|bz2|xz|json|graphml|xml))+$", "", path.name, flags=re.IGNORECASE) or path.name
    )
