"""Find the graphs of the papers: made by name, or files in the folders where people keep them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Event

from wayfront.errors import FormatError
from wayfront.network.road_network import RoadNetwork
from wayfront.opening import SYNTHETIC, open_network
from wayfront.papers.described import Graph

DATA_VARIABLE = "WAYFRONT_DATA"
"""Environment variable that names the folders of network files, separated as in PATH."""

_SUFFIXES = ("", ".gz", ".bz2", ".xz")
_DIMACS = "the 9th DIMACS Implementation Challenge, http://www.diag.uniroma1.it/challenge9/download.shtml"


def data_folders(given: Sequence[str | Path] = ()) -> list[Path]:
    """Return where to look for files: the folders given, those of ``WAYFRONT_DATA``, and the one we are in."""
    named = [part for part in os.environ.get(DATA_VARIABLE, "").split(os.pathsep) if part]
    return [Path(folder) for folder in (*given, *named, ".")]


def find_file(graph: Graph, folders: Sequence[Path]) -> Path | None:
    """Return the file of a graph in one of the folders or just below it, packed or not; None where it is not."""
    for folder in folders:
        for place in (folder, *sorted(inner for inner in _inner_folders(folder))):
            for suffix in _SUFFIXES:
                path = place / (graph.place + suffix)
                if path.is_file():
                    return path
    return None


def open_graph(graph: Graph, folders: Sequence[Path], cancel: Event | None = None) -> RoadNetwork:
    """Make or open a graph. Raises ``FormatError`` where its file is not here, saying what to do."""
    if graph.place.startswith(SYNTHETIC):
        return open_network(graph.place, cancel=cancel)
    path = find_file(graph, folders)
    if path is None:
        raise FormatError(
            f"{graph.place} is not here: get it from {_DIMACS}, and name its folder with --data or in "
            f"the variable {DATA_VARIABLE}"
        )
    return open_network(path, cancel=cancel)


def _inner_folders(folder: Path) -> list[Path]:
    try:
        return [inner for inner in folder.iterdir() if inner.is_dir() and not inner.name.startswith(".")]
    except OSError:
        return []
