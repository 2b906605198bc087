"""Open the graphs of the papers: synthetic ones, downloads, and files in folders that the user names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event

from wayfront.network.road_network import RoadNetwork
from wayfront.opening import open_network
from wayfront.papers.description import Graph
from wayfront.sources.store import DIMACS, folder, split_name

_SUFFIXES = ("", ".gz", ".bz2", ".xz")


def find_file(graph: Graph, folders: Sequence[Path]) -> Path | None:
    """Return the file of a DIMACS graph in one of the folders or their subfolders, None where there is none."""
    name = split_name(graph.location)
    if name is None or name[0] != DIMACS:
        return None
    for outer in folders:
        for inner in (outer, *sorted(_subfolders(outer))):
            for suffix in _SUFFIXES:
                path = inner / f"USA-road-d.{name[1]}.gr{suffix}"
                if path.is_file():
                    return path
    return None


def open_graph(graph: Graph, folders: Sequence[str | Path] = (), cancel: Event | None = None) -> RoadNetwork:
    """Make or open a graph.

    A file is looked for in the folders given, in the current one and among the program's downloads, where its arcs by
    distance are enough. Raises ``DownloadError``, with the command that downloads it, where a graph is nowhere.
    """
    places = [*(Path(given) for given in folders), Path(), folder(DIMACS)]
    return open_network(find_file(graph, places) or graph.location, cancel=cancel)


def _subfolders(outer: Path) -> list[Path]:
    try:
        return [inner for inner in outer.iterdir() if inner.is_dir() and not inner.name.startswith(".")]
    except OSError:
        return []
