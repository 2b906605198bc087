"""Tables of all pairs: whole where there is time, else from some sources, scaled and marked; wrong figures stop it."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest

from wayfront.papers.comparison import Comparison
from wayfront.papers.description import Contender, Graph, Hardware, Paper, Ratio, Sources, Table, TableKind
from wayfront.papers.reproduction import Request, reproduce
from wayfront.safe.errors import SearchCancelled
from wayfront.searching.all_pairs.call import all_pairs
from wayfront.searching.run import Progress

RING = Graph("a ring", "synthetic:ring?n=40")
CPU = Hardware.CPU
IN_TURN = Contender("in turn", "dijkstra-in-turn", on=CPU)
TASKS = Contender("tasks", "task-parallel", {}, CPU, sources=Sources.TOGETHER)
"""It takes 32 sources side by side on every device."""


def run(*contenders: Contender, graph: Graph = RING, **request: Any) -> Comparison:
    published = {(graph.name, contenders[0].label): 8.0}
    table = Table("t", (graph,), contenders, published, (Ratio("in turn", "tasks"),), kind=TableKind.ALL_PAIRS)
    paper = Paper("X", "a test", "somebody", "1999", "an abacus", (table,))
    given: dict[str, Any] = {"devices": ("cpu",), "runs": 2} | request
    (done,) = reproduce([paper], Request(**given), Event())
    return done


def test_small_networks_are_searched_from_every_node() -> None:
    done = run(IN_TURN, TASKS)
    assert [(cell.label, len(cell.runs_ms), cell.scale, cell.part) for cell in done.cells] == [
        ("in turn", 2, 1.0, ""),
        ("tasks", 2, 1.0, ""),
    ]
    assert done.cells[0].paper_ms == 8.0
    assert (done.size, done.reached) == ((40, 80), 1600)
    (ratio,) = done.ratios
    assert not ratio.scaled


class _Slow:
    """Makes a search seem to take so many milliseconds for each source, beside a fixed time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fixed_ms: float, each_ms: float) -> None:
        self.counts: list[int] = []
        self.longest_ms = 2000.0

        def slow(*arguments: Any, sources: Any, **more: Any) -> Any:
            if sources is None:
                return all_pairs(*arguments, sources=sources, **more)
            self.counts.append(len(sources))
            found = all_pairs(*arguments, sources=sources, **more)
            ms = fixed_ms + each_ms * len(sources)
            if ms > self.longest_ms:
                raise SearchCancelled("one run takes longer than 2 s here")
            return replace(found, timing=replace(found.timing, runs_ms=(ms,)))

        monkeypatch.setattr("wayfront.papers.all_pairs.all_pairs", slow)


def test_where_all_would_take_too_long_some_sources_are_scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = _Slow(monkeypatch, 0.0, 50.0)
    done = run(IN_TURN, seconds=1.0, runs=1)
    (cell,) = done.cells
    assert slow.counts == [1, 20], "one source, then as many as the limit suffices for"
    assert (cell.part, cell.scale) == ("20 of 40 sources", 40 / 20)
    assert cell.median_ms == pytest.approx(50.0 * 40)


def test_searches_side_by_side_are_timed_from_whole_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = _Slow(monkeypatch, 0.0, 10.0)
    (cell,) = run(TASKS, seconds=1.0, runs=1, graph=Graph("ring", "synthetic:ring?n=300")).cells
    assert slow.counts == [32, 96]
    assert cell.part == "96 of 300 sources"


def test_another_searchs_forecast_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card is forecast by a Dijkstra on a core, which takes a hundred times as long."""

    def told_of_dijkstra(*arguments: Any, progress: Any, **more: Any) -> Any:
        progress(Progress("forecast", 0, seconds_ahead=1e6))
        return all_pairs(*arguments, progress=progress, **more)

    monkeypatch.setattr("wayfront.papers.all_pairs.all_pairs", told_of_dijkstra)
    (cell,) = run(TASKS, runs=1).cells
    assert (cell.scale, cell.part) == (1.0, "")


def test_fewer_sources_than_a_batch_are_never_scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = _Slow(monkeypatch, 1900.0, 0.0)
    (cell,) = run(TASKS, seconds=1.0, runs=1).cells
    assert (slow.counts, cell.part) == ([32], "32 of 40 sources")
    slow.longest_ms = 1000.0
    skipped = run(TASKS, replace(TASKS, label="whole", sources=Sources.ALL), seconds=1.0).skipped
    assert [(one.label, one.why) for one in skipped] == [
        ("tasks", "one run takes longer than 2 s here"),
        ("whole", "one run takes longer than 2 s here"),
    ]


def test_what_finds_no_row_sooner_is_scaled_from_a_smaller_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    _Slow(monkeypatch, 0.0, 30.0)
    whole = replace(IN_TURN, sources=Sources.ALL)
    graphs = tuple(Graph(f"ring of {n}", f"synthetic:ring?n={n}", value=n) for n in (40, 80, 160))
    published = {(graphs[2].name, "in turn"): 5.0}
    table = Table("t", graphs, (whole,), published, kind=TableKind.ALL_PAIRS, sweep="nodes")

    def cells(table: Table) -> list[Comparison]:
        paper = Paper("X", "a test", "somebody", "1999", "an abacus", (table,))
        return list(reproduce([paper], Request(("cpu",), runs=1, seconds=3.0), Event()))

    small, middle, large = cells(table)
    assert [(c.scale, c.part) for c in small.cells] == [(1.0, "")]
    assert [(c.scale, c.part, c.paper_ms) for c in middle.cells] == [(8.0, "by n³ from ring of 40", None)]
    assert [(c.scale, c.part, c.paper_ms) for c in large.cells] == [(64.0, "by n³ from ring of 40", 5.0)]
    assert not cells(replace(table, sweep="arcs"))[1].cells, "another kind of graph does not follow from it"


def test_figures_that_differ_are_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def altered(*arguments: Any, sources: Any, **more: Any) -> Any:
        found = all_pairs(*arguments, sources=sources, **more)
        if arguments[1] == IN_TURN.algorithm:
            return found
        return replace(found, figures=replace(found.figures, total=found.figures.total + np.int64(1)))

    monkeypatch.setattr("wayfront.papers.all_pairs.all_pairs", altered)
    done = run(IN_TURN, TASKS)
    assert not done.cells
    assert "tasks on cpu does not find the distances of the others" in done.disagreement
