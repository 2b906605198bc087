"""Open road networks: ``open_network`` chooses the reader by a file's content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

from wayfront import cache as network_cache
from wayfront.formats.dimacs_files import DimacsFiles, find_files
from wayfront.formats.native import read_native
from wayfront.formats.opening import Opening, ProgressCallback
from wayfront.formats.recognise import NATIVE, recognise
from wayfront.network import RoadNetwork

__all__ = ["open_network"]

SYNTHETIC = "synthetic:"

READER_VERSION = 1
"""Raised whenever a reader makes other arrays from the same file: what was cached before is then read anew."""


def open_network(
    path: str | Path,
    *,
    coordinates: str | Path | None = None,
    second_metric: str | Path | None = None,
    cache: bool = True,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> RoadNetwork:
    """Open a road network: a DIMACS ``.gr`` file, a ``.wayfront`` file, or ``synthetic:NAME?option=value&…``.

    DIMACS files may be compressed (gzip, bzip2, xz). The ``.co`` file with their coordinates and the ``-d`` or
    ``-t`` twin with a second metric are found beside them, unless ``coordinates`` or ``second_metric`` name
    others. The metric of the opened file comes first. Without coordinates, ``network.coordinates`` is None.

    With ``cache``, a network that was opened before is mapped from the user's cache folder. ``progress`` is
    called with the stage and the fraction done; setting ``cancel`` stops the opening soon.

    Raises ``FormatError`` (file, line, what is wrong) and ``OpenCancelled``.
    """
    opening = Opening(progress, cancel)
    if str(path).startswith(SYNTHETIC):
        from wayfront.synthetic import from_name

        opening.enter("making the network", 1.0)
        network = from_name(str(path))
        opening.finish()
        return network
    path = Path(path)
    opening.enter("looking at the file", 0.0)
    read: Callable[[], RoadNetwork]
    if recognise(path) == NATIVE:
        files, role = [path], "native"
        read = partial(read_native, path)
    else:
        dimacs = find_files(path, _path(coordinates), _path(second_metric))
        files, role = dimacs.paths, _role(dimacs)
        read = partial(_read_dimacs, dimacs, opening)
    network = _through_cache(files, role, read, opening) if cache else read()
    opening.finish()
    return network


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
    from wayfront.formats.dimacs import read_dimacs  # brings numba, which a cached network does not need

    return read_dimacs(files, opening)


def _role(files: DimacsFiles) -> str:
    """Tell what the bytes of the files alone do not: the network's name, what each file is for and measures."""
    metrics = ", ".join(kind.name for kind in files.metric_kinds)
    return f"dimacs {files.name}; {metrics}; coordinates: {files.coordinates is not None}"


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)
