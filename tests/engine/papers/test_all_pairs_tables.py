"""Tables of all pairs: whole where there is time, else from some sources, scaled and marked; wrong figures stop it."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest

from wayfront.errors import SearchCancelled
from wayfront.papers.comparison import Comparison
from wayfront.papers.description import Contender, Graph, Hardware, Paper, Ratio, Table, TableKind
from wayfront.papers.reproduction import Request, reproduce
from wayfront.search.all_pairs.call import all_pairs

RING = Graph("a ring", "synthetic:ring?n=40")
CPU = Hardware.CPU
IN_TURN = Contender("in turn", "dijkstra-in-turn", on=CPU)
AT_ONCE = Contender("eight", "dijkstra-in-turn", {}, CPU, sources=8)


@pytest.fixture
def as_on_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the processor count as a card, which searches from several sources side by side."""
    monkeypatch.setattr("wayfront.papers.all_pairs.hardware_of", lambda _device: Hardware.GPU)


def run(*contenders: Contender, graph: Graph = RING, **request: Any) -> Comparison:
    published = {(graph.name, contenders[0].label): 8.0}
    table = Table("t", (graph,), contenders, published, (Ratio("in turn", "eight"),), kind=TableKind.ALL_PAIRS)
    paper = Paper("X", "a test", "somebody", "1999", "an abacus", (table,))
    given: dict[str, Any] = {"devices": ("cpu",), "runs": 2} | request
    (done,) = reproduce([paper], Request(**given), Event())
    return done


def test_small_networks_are_searched_from_every_node() -> None:
    done = run(IN_TURN, AT_ONCE)
    assert [(cell.label, len(cell.runs_ms), cell.scale, cell.part) for cell in done.cells] == [
        ("in turn", 2, 1.0, ""),
        ("eight", 2, 1.0, ""),
    ]
    assert done.cells[0].paper_ms == 8.0
    assert (done.size, done.reached) == ((40, 80), 1600)
    (ratio,) = done.ratios
    assert not ratio.scaled


class _Slow:
    """Makes a search seem to take so many milliseconds for each source, beside a fixed time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fixed_ms: float, each_ms: float) -> None:
        self.counts: list[int] = []

        def slow(*arguments: Any, sources: Any, **more: Any) -> Any:
            self.counts.append(len(sources))
            found = all_pairs(*arguments, sources=sources, **more)
            ms = fixed_ms + each_ms * len(sources)
            if ms > 1e3 * 2:
                raise SearchCancelled("one run takes longer than 2 s here")
            return replace(found, timing=replace(found.timing, runs_ms=(ms,)))

        monkeypatch.setattr("wayfront.papers.all_pairs.all_pairs", slow)


def test_where_all_would_take_too_long_some_sources_are_scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = _Slow(monkeypatch, 0.0, 50.0)
    done = run(IN_TURN, seconds=1.0, runs=1)
    (cell,) = done.cells
    assert slow.counts == [1, 32], "one source, then as many as should take four times the limit at most"
    assert (cell.part, cell.scale) == ("32 of 40 sources", 40 / 32)
    assert cell.median_ms == pytest.approx(50.0 * 40)


@pytest.mark.usefixtures("as_on_a_card")
def test_searches_side_by_side_get_more_sources_until_more_gain_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = _Slow(monkeypatch, 900.0, 1.0)
    (cell,) = run(AT_ONCE, seconds=1.0, runs=1, graph=Graph("ring", "synthetic:ring?n=300")).cells
    assert slow.counts == [8, 32, 128]
    assert cell.part == "128 of 300 sources"


@pytest.mark.usefixtures("as_on_a_card")
def test_too_many_sources_at_first_become_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = _Slow(monkeypatch, 0.0, 400.0)
    (cell,) = run(AT_ONCE, seconds=1.0, runs=1).cells
    assert slow.counts[:2] == [8, 1]
    assert cell.part.endswith("of 40 sources")
    skipped = run(replace(AT_ONCE, sources=0), seconds=1.0).skipped
    assert [(one.label, one.why) for one in skipped] == [("eight", "one run takes longer than 2 s here")]


def test_what_finds_no_row_sooner_is_scaled_from_a_smaller_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    _Slow(monkeypatch, 0.0, 30.0)
    whole = replace(IN_TURN, sources=0)
    graphs = tuple(Graph(f"ring of {n}", f"synthetic:ring?n={n}", value=n) for n in (40, 80, 160))
    published = {(graphs[2].name, "in turn"): 5.0}
    table = Table("t", graphs, (whole,), published, kind=TableKind.ALL_PAIRS, sweep="nodes")

    def cells(table: Table) -> list[Comparison]:
        paper = Paper("X", "a test", "somebody", "1999", "an abacus", (table,))
        return list(reproduce([paper], Request(("cpu",), runs=1, seconds=3.0), Event()))

    small, middle, large = cells(table)
    assert [(c.scale, c.part) for c in small.cells] == [(1.0, "")]
    assert [(c.scale, c.part, c.paper_ms) for c in middle.cells] == [(8.0, "ring of 40, by n³", None)]
    assert [(c.scale, c.part, c.paper_ms) for c in large.cells] == [(64.0, "ring of 40, by n³", 5.0)]
    assert not cells(replace(table, sweep="arcs"))[1].cells, "another kind of graph does not follow from it"


@pytest.mark.usefixtures("as_on_a_card")
def test_figures_that_differ_are_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def altered(*arguments: Any, sources: Any, **more: Any) -> Any:
        found = all_pairs(*arguments, sources=sources, **more)
        calls.append(len(sources))
        if 8 not in calls:
            return found
        return replace(found, figures=replace(found.figures, total=found.figures.total + np.int64(1)))

    monkeypatch.setattr("wayfront.papers.all_pairs.all_pairs", altered)
    done = run(IN_TURN, AT_ONCE)
    assert not done.cells
    assert "eight on cpu does not find the distances of the others" in done.disagreement
