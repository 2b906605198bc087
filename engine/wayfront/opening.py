"""Open road networks: ``open_network`` chooses the reader by a file's content."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from threading import Event
from typing import Any

from wayfront.formats.options import OSM_OPTIONS, OpeningOptions, OsmOptions
from wayfront.formats.registry import Reading, recognise
from wayfront.formats.streams import Opening, ProgressCallback
from wayfront.network.closed_turns import read_turns, without_turns
from wayfront.network.conventions import EXAMPLE, SYNTHETIC, is_made
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError, NetworkError, OptionError
from wayfront.safe.text import shortened
from wayfront.sources import cache as network_cache
from wayfront.sources.store import DIMACS, network_type_of, split_name

__all__ = ["OpeningOptions", "OsmOptions", "estimate_memory", "open_network"]

READER_VERSION = 2
"""Increment it whenever a reader makes other arrays from the same file, so that cached networks are read again."""
_TURN = re.compile(r"(-?\d{1,18})-(-?\d{1,18})-(-?\d{1,18})", re.ASCII)


def open_network(
    path: str | Path,
    options: OpeningOptions | None = None,
    *,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
    **chosen: Any,
) -> RoadNetwork:
    """Open a road network: a file, ``synthetic:NAME?option=value&…``, ``example:NAME``, or a downloaded network.

    Files are DIMACS, OpenStreetMap extracts (``.osm.pbf``, ``.osm``), answers of an Overpass server (JSON), GraphML
    that OSMnx saved, and ``.wayfront`` files; their content decides, not their names. Downloads are opened as
    ``dimacs:NY`` or ``place:Monaco``. Text formats may be compressed (gzip, bzip2, xz).

    How it is opened is said by ``options``, or by keywords that are fields of ``OpeningOptions``:

        coordinates, second_metric   files of a DIMACS network that are not found beside it by their names
        osm                          ``OsmOptions``: which roads of OpenStreetMap data, and how
        close_turns                  turns that cannot be made: rows of ids for ``without_turns``, a table of them, or
                                     a text such as "10-11-12,10-11-14"
        force                        open a network even if memory seems too short for it
        cache                        map a network that was opened before from the user's cache folder (the default)

    ``progress`` is called with the stage and the fraction done; setting ``cancel`` stops the opening soon. The metric
    of the opened file comes first. Without coordinates, ``network.coordinates`` is None.

    Raises ``FormatError`` (file, line, what is wrong), ``OptionError`` for an option that has no effect on this kind
    of network, ``DownloadError`` for a name that was not downloaded, ``MemoryShortError`` for a network that will
    hardly fit, ``NetworkError`` where memory does not suffice all the same, and ``OpenCancelled``.

        >>> import wayfront
        >>> wayfront.open_network("synthetic:ring?nodes=6").node_count
        6
    """
    if chosen.get("osm", OsmOptions()) is None:  # callers who leave that to the library may say so
        del chosen["osm"]
    options = _options(options, chosen)
    turns = _turns(options.close_turns)
    try:
        network = _open(path, options, Opening(progress, cancel, force=options.force))
        return network if turns is None else without_turns(network, turns, cancel=cancel)
    except MemoryError:
        raise NetworkError(
            f"{path}: this machine has not enough memory for it: close other programs, or take a smaller one"
        ) from None


def _turns(given: str | Path | Sequence[Sequence[int]] | None) -> Any:
    """Return the turns to close as rows of three ids, None for none. Raises ``FormatError`` for a file of others."""
    if not isinstance(given, str | Path):
        return given
    words = [word.strip() for word in str(given).split(",")]
    found = [_TURN.fullmatch(word) for word in words]
    if isinstance(given, str) and all(found):
        return [[int(each) for each in turn.groups()] for turn in found if turn is not None]
    if isinstance(given, str) and not given.lower().endswith(".csv"):
        wrong = words[found.index(None)]
        raise OptionError(
            f"a turn is closed by three node ids, FROM-VIA-TO, or in a table FILE.csv, not by {shortened(wrong)}"
        )
    return read_turns(given)


def _named(path: str | Path) -> str | Path:
    """Return what names a network. Raises ``FormatError`` for what is neither path nor name."""
    if not isinstance(path, str | Path):
        raise FormatError(
            f"a network is opened from a file or by a name, not from {type(path).__name__}; wayfront.from_networkx, "
            "from_osmnx, from_igraph, from_scipy and from_pandas take what is in memory"
        )
    return path


def _options(options: OpeningOptions | None, chosen: dict[str, Any]) -> OpeningOptions:
    """Return the options with those chosen by name. Raises ``OptionError`` for names and values that are none."""
    if not isinstance(options, OpeningOptions | None):
        raise OptionError(f"options of opening are wayfront.opening.OpeningOptions, not {type(options).__name__}")
    if not isinstance(chosen.get("osm", OsmOptions()), OsmOptions):
        raise OptionError(f"osm is wayfront.OsmOptions(…), not {type(chosen['osm']).__name__}")
    known = [declared.name for declared in fields(OpeningOptions)]
    for name in chosen:
        if name in OSM_OPTIONS:
            raise OptionError(f"{name} is an option of OpenStreetMap data: osm=wayfront.OsmOptions({name}=…)")
        if name not in known:
            raise OptionError(f"open_network has no option {name!r}; it has: {', '.join(known)}")
    return replace(options or OpeningOptions(), **chosen)


def _open(path: str | Path, options: OpeningOptions, opening: Opening) -> RoadNetwork:
    path = _named(path)
    if is_made(str(path)):
        options.require(frozenset(), path, "synthetic" if str(path).startswith(SYNTHETIC) else "example")
        return _make(str(path), options, opening)
    path = _downloaded(path)
    opening.enter("looking at the file", 0.0)
    declared = recognise(path)
    options.require(declared.options, path, declared.label)
    settled = replace(options, osm=options.osm.settled(network_type_of(path)))
    with declared.explained():
        reading = declared.prepare(path, settled, opening)
        # The cache knows nothing of a plug-in's reader, which its author may have changed.
        network = _through_cache(reading, opening) if options.cache and declared.own else reading.read()
    opening.finish()
    return replace(network, reading=reading.chosen)


def open_cached(path: str | Path, largest_file: int) -> RoadNetwork | None:
    """Return a network from the cache alone, as it is opened without options; None where it is not there.

    Nothing is parsed, so this is quick for a file that was opened before; one of more than ``largest_file`` bytes is
    not looked for, since the cache finds it by all that it holds. Raises as ``open_network`` does, and ``OSError``.
    """
    path, options = _downloaded(path), OpeningOptions()
    if path.stat().st_size > largest_file:
        return None
    declared = recognise(path)
    settled = replace(options, osm=options.osm.settled(network_type_of(path)))
    reading = declared.prepare(path, settled, Opening())
    return network_cache.load(_cache_key(reading, Opening()))


def _cache_key(reading: Reading, opening: Opening) -> str:
    role = f"reader {READER_VERSION}; {reading.role}"
    return network_cache.input_key(reading.files, role, lambda: opening.report(0.0))


def estimate_memory(path: str | Path) -> int:
    """Return about how many bytes of memory opening a file takes, 0 where its format cannot say.

    Looks at the blocks of a PBF file, unpacks the text of the others, and computes it for ``synthetic:…``. Raises
    ``FormatError`` and ``OptionError``.

        >>> import wayfront
        >>> wayfront.estimate_memory("synthetic:ring?nodes=1000") > 1000
        True
    """
    path = _named(path)
    if str(path).startswith(SYNTHETIC):
        from wayfront.synthetic.generators import estimate_memory as memory_to_make

        return memory_to_make(str(path))
    if str(path).startswith(EXAMPLE):
        return 0
    path = Path(path)
    declared = recognise(path)
    return declared.estimate_memory(path, Opening()) if declared.estimate_memory is not None else 0


def _make(name: str, options: OpeningOptions, opening: Opening) -> RoadNetwork:
    opening.enter("making the network", 1.0)
    if name.startswith(EXAMPLE):
        from wayfront.synthetic import textbooks as examples

        network = examples.from_name(name)
    else:
        from wayfront.synthetic import from_name

        network = from_name(name, force=options.force)
    opening.finish()
    return network


def _downloaded(path: str | Path) -> Path:
    """Return the file behind a name such as ``dimacs:NY``. Raises ``DownloadError`` where it was not fetched."""
    key = split_name(str(path))
    if key is None or os.path.exists(path):  # noqa: PTH110 - Path.exists raises where a name is too long for a file
        return Path(path)
    if key[0] == DIMACS:
        from wayfront.sources.catalogue import locate
    else:
        from wayfront.sources.places import locate
    return locate(str(path))


def _through_cache(reading: Reading, opening: Opening) -> RoadNetwork:
    opening.enter("looking in the cache", 0.0)
    key = _cache_key(reading, opening)
    network = network_cache.load(key)
    if network is not None and (network.surroundings is not None or not reading.surroundings):
        return replace(network, origin=str(reading.files[0].absolute()))
    network = reading.read()
    network_cache.store(key, network)
    return network
