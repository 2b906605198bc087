"""Run the papers' tables on this machine, one table on one graph after the other.

What cannot run, is missing or takes too long is reported and left out; a run that would take too long but can be made
in part is made in part, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

from wayfront.network.road_network import RoadNetwork
from wayfront.opening import open_network
from wayfront.papers.all_pairs import AllPairsRun
from wayfront.papers.comparison import Comparison, Skipped
from wayfront.papers.description import Graph, Paper, TableKind
from wayfront.papers.extract_minimum import ExtractMinimumRun
from wayfront.papers.one_source import OneSourceRun
from wayfront.papers.table_run import SECONDS, Request, TableRun, Task
from wayfront.safe.errors import CertificateError, SearchCancelled, WayfrontError
from wayfront.sources.store import DIMACS, folder, split_name

__all__ = ["SECONDS", "Request", "reproduce"]

_STOPPED = "stopped; what was measured until then is kept"

NODES = "nodes"
"""The sweep whose graphs are of one kind and grow."""


def reproduce(papers: Iterable[Paper], request: Request, cancel: Event) -> Iterator[Comparison]:
    """Yield the comparison of each table on each graph when it is complete; when cancelled, what there is of the last.

    Where a search finds wrong distances, ``disagreement`` says so and the table has no times on that graph. Raises
    ``SearchCancelled`` after the last yield once ``cancel`` is set.
    """
    for paper in papers:
        for table in paper.tables:
            before: Comparison | None = None
            for graph in table.graphs:
                before = _compare(Task(paper, table, graph, request, cancel), before)
                yield before
                if cancel.is_set():
                    raise SearchCancelled(_STOPPED)


def _compare(task: Task, before: Comparison | None) -> Comparison:
    if task.graph.vast and not task.request.long:
        return _absent(task, "it takes long to make and to search: --long runs it")
    try:
        run = _begin(task)
        if isinstance(run, AllPairsRun) and task.table.sweep == NODES:
            run.smaller = before
    except (WayfrontError, OSError) as problem:
        if task.cancel.is_set():
            raise SearchCancelled(_STOPPED) from None
        return _absent(task, str(problem))
    try:
        run.measure()
    except CertificateError as problem:
        return replace(run.comparison(), cells=(), disagreement=str(problem))
    except SearchCancelled:
        if not task.cancel.is_set():
            raise
    return run.comparison()


def _begin(task: Task) -> TableRun:
    if task.table.kind is TableKind.EXTRACT_MINIMUM:
        return ExtractMinimumRun(task)
    task.request.progress(f"paper {task.paper.letter}: opening {task.graph.name}")
    network = open_graph(task.graph, task.request.folders, task.cancel)
    return (AllPairsRun if task.table.kind is TableKind.ALL_PAIRS else OneSourceRun)(task, network)


def _absent(task: Task, why: str) -> Comparison:
    return Comparison(task.paper, task.table, task.graph, skipped=(Skipped("", "", why),))


# -------------------------------------------------------------------------------------------------------- graphs

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
    folders_to_try = [*(Path(given) for given in folders), Path(), folder(DIMACS)]
    return open_network(find_file(graph, folders_to_try) or graph.location, cancel=cancel)


def _subfolders(outer: Path) -> list[Path]:
    try:
        return [inner for inner in outer.iterdir() if inner.is_dir() and not inner.name.startswith(".")]
    except OSError:
        return []
