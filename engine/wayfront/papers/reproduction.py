"""Run the papers' tables on this machine, one table on one graph after the other.

What cannot run, is missing or takes too long is reported and left out; a run that would take too long but can be made
in part is made in part, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from threading import Event

from wayfront.errors import CertificateError, SearchCancelled, WayfrontError
from wayfront.papers.all_pairs import AllPairsRun
from wayfront.papers.comparison import Comparison, Skipped
from wayfront.papers.description import Graph, Paper, Table, TableKind
from wayfront.papers.extract_minimum import ExtractMinimumRun
from wayfront.papers.graphs import open_graph
from wayfront.papers.one_source import OneSourceRun
from wayfront.papers.table_run import SECONDS, Request, TableRun

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
                before = _compare(paper, table, graph, request, cancel, before)
                yield before
                if cancel.is_set():
                    raise SearchCancelled(_STOPPED)


def _compare(
    paper: Paper, table: Table, graph: Graph, request: Request, cancel: Event, before: Comparison | None
) -> Comparison:
    if graph.vast and not request.long:
        return _absent(paper, table, graph, "it takes long to make and to search: --long runs it")
    try:
        run = _begin(paper, table, graph, request, cancel)
        if isinstance(run, AllPairsRun) and table.sweep == NODES:
            run.smaller = before
    except (WayfrontError, OSError) as problem:
        if cancel.is_set():
            raise SearchCancelled(_STOPPED) from None
        return _absent(paper, table, graph, str(problem))
    try:
        run.measure()
    except CertificateError as problem:
        return replace(run.comparison(), cells=(), disagreement=str(problem))
    except SearchCancelled:
        if not cancel.is_set():
            raise
    return run.comparison()


def _begin(paper: Paper, table: Table, graph: Graph, request: Request, cancel: Event) -> TableRun:
    if table.kind is TableKind.EXTRACT_MINIMUM:
        return ExtractMinimumRun(paper, table, graph, request, cancel)
    request.progress(f"paper {paper.letter}: opening {graph.name}")
    network = open_graph(graph, request.folders, cancel)
    kind = AllPairsRun if table.kind is TableKind.ALL_PAIRS else OneSourceRun
    return kind(paper, table, graph, network, request, cancel)


def _absent(paper: Paper, table: Table, graph: Graph, why: str) -> Comparison:
    return Comparison(paper, table, graph, skipped=(Skipped("", "", why),))
