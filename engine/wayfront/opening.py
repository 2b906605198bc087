"""Open road networks: ``open_network`` chooses the reader by a file's content."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

from wayfront.formats.dimacs.files import DimacsFiles, find_files
from wayfront.formats.native import read_native
from wayfront.formats.osm.guards import TEXT, Unpacked, look_at, memory_for, refuse_what_does_not_fit
from wayfront.formats.osm.options import OsmOptions
from wayfront.formats.progress import Opening, ProgressCallback
from wayfront.formats.recognition import GRAPHML, NATIVE, OPEN_STREET_MAP, OSM_EXTRACT, recognise
from wayfront.formats.streams import file_bytes
from wayfront.network.road_network import RoadNetwork
from wayfront.sources import cache as network_cache
from wayfront.sources.store import DIMACS, network_type_of, split_name

__all__ = ["OsmOptions", "estimate_memory", "open_network"]

SYNTHETIC = "synthetic:"

READER_VERSION = 1
"""Raised whenever a reader makes other arrays from the same file: what was cached before is then read anew."""


def open_network(
    path: str | Path,
    *,
    coordinates: str | Path | None = None,
    second_metric: str | Path | None = None,
    osm: OsmOptions | None = None,
    cache: bool = True,
    force: bool = False,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> RoadNetwork:
    """Open a road network: DIMACS, OpenStreetMap, a ``.wayfront`` file, or ``synthetic:NAME?option=value&…``.

    OpenStreetMap data are extracts (``.osm.pbf``, ``.osm``, ``.osm.gz``, ``.osm.bz2``), answers of an Overpass server
    (JSON) and GraphML that OSMnx saved; ``osm`` says which roads to take, and how.

    What was downloaded before is opened by its name: ``dimacs:NY``, ``place:Monaco``.

    DIMACS files may be compressed (gzip, bzip2, xz). The ``.co`` file with their coordinates and the ``-d`` or
    ``-t`` twin with a second metric are found beside them, unless ``coordinates`` or ``second_metric`` name
    others. The metric of the opened file comes first. Without coordinates, ``network.coordinates`` is None.

    With ``cache``, a network that was opened before is mapped from the user's cache folder. ``progress`` is
    called with the stage and the fraction done; setting ``cancel`` stops the opening soon.

    Raises ``FormatError`` (file, line, what is wrong), ``DownloadError`` for a name that was not downloaded,
    ``MemoryShortError`` for a map that will hardly fit (``force`` opens it all the same), and ``OpenCancelled``.
    """
    opening = Opening(progress, cancel)
    if str(path).startswith(SYNTHETIC):
        from wayfront.synthetic import from_name

        opening.enter("making the network", 1.0)
        network = from_name(str(path))
        opening.finish()
        return network
    path = _downloaded(path)
    opening.enter("looking at the file", 0.0)
    read: Callable[[], RoadNetwork]
    kind, reading = recognise(path), ""
    if kind == NATIVE:
        files, role = [path], "native"
        read = partial(read_native, path)
    elif kind in OPEN_STREET_MAP:
        options, name = (osm or OsmOptions()).settled(network_type_of(path)), _map_name(path)
        reading = options.describe()
        files, role = [path], f"{kind} {name}; {reading}"
        read = partial(_read_map, kind, path, name, options, opening, force)
    else:
        dimacs = find_files(path, _path(coordinates), _path(second_metric))
        files, role = dimacs.paths, _role(dimacs)
        read = partial(_read_dimacs, dimacs, opening)
    network = _through_cache(files, role, read, opening) if cache else read()
    opening.finish()
    return replace(network, reading=reading)


def _downloaded(path: str | Path) -> Path:
    """Return the file behind a name such as ``dimacs:NY``. Raises ``DownloadError`` where it was not fetched."""
    key = split_name(str(path))
    if key is None or Path(path).exists():
        return Path(path)
    if key[0] == DIMACS:
        from wayfront.sources.catalogue import locate
    else:
        from wayfront.sources.places import locate
    return locate(str(path))


def estimate_memory(path: str | Path) -> int:
    """Return about how many bytes of memory opening an OpenStreetMap file takes, 0 for other formats.

    Looks at the blocks of a PBF file, and unpacks the text of the others. Raises ``FormatError``.
    """
    path = Path(path)
    kind = recognise(path)
    if kind == OSM_EXTRACT:
        return memory_for(look_at(path, Opening()))
    return _memory_for_text(path) if kind in OPEN_STREET_MAP else 0


def _through_cache(files: list[Path], role: str, read: Callable[[], RoadNetwork], opening: Opening) -> RoadNetwork:
    opening.enter("looking in the cache", 0.0)
    key = network_cache.input_key(files, f"reader {READER_VERSION}; {role}", lambda: opening.report(0.0))
    network = network_cache.load(key)
    if network is not None:
        return replace(network, origin=str(files[0].absolute()))
    network = read()
    network_cache.store(key, network)
    return network


def _read_dimacs(files: DimacsFiles, opening: Opening) -> RoadNetwork:
    from wayfront.formats.dimacs.reader import read_dimacs  # brings numba, which a cached network does not need

    return read_dimacs(files, opening)


def _read_map(kind: str, path: Path, name: str, options: OsmOptions, opening: Opening, force: bool) -> RoadNetwork:
    if kind == OSM_EXTRACT:
        from wayfront.formats.osm.extract import read_extract  # brings numba

        return read_extract(path, name, options, opening, force=force)
    if not force:
        refuse_what_does_not_fit(_memory_for_text(path), path)
    if kind == GRAPHML:
        from wayfront.formats.osm.graphml import read_graphml as read
    else:
        from wayfront.formats.osm.overpass import read_overpass as read
    return read(path, name, options, opening)


def _memory_for_text(path: Path) -> int:
    return memory_for(Unpacked(TEXT, file_bytes(path)))


def _map_name(path: Path) -> str:
    """Return a file's name without what only tells its format."""
    return (
        re.sub(r"(-latest)?(\.(osm|pbf|gz|bz2|xz|json|graphml|xml))+$", "", path.name, flags=re.IGNORECASE) or path.name
    )


def _role(files: DimacsFiles) -> str:
    """Tell what the bytes of the files alone do not: the network's name, what each file is for and measures."""
    metrics = ", ".join(kind.name for kind in files.metric_kinds)
    return f"dimacs {files.name}; {metrics}; coordinates: {files.coordinates is not None}"


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)
