"""The papers' tables and the benchmark of trees on a card: all runs there, and stands beside the authors' GPU."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import pytest

from wayfront.benchmarks import trees
from wayfront.benchmarks.tree_times import Stage
from wayfront.devices import devices
from wayfront.papers import find_papers
from wayfront.papers.comparison import Comparison
from wayfront.papers.description import Graph, Hardware, Table
from wayfront.papers.reproduction import Request, reproduce
from wayfront.synthetic import from_name

CARD = devices()[1]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not CARD.available, reason=CARD.why_not or "no card")]


def run(letter: str, title: str, *graphs: Graph) -> list[Comparison]:
    (paper,) = find_papers(letter, title)
    table: Table = replace(paper.tables[0], graphs=graphs or paper.tables[0].graphs[:1])
    return list(reproduce([replace(paper, tables=(table,))], Request(("cpu", "cuda"), runs=2), Event()))


@pytest.mark.parametrize("count", [1, 10, 1000, 300_000])
def test_every_way_to_extract_the_minimum(count: int) -> None:
    (done,) = run("B", "Table 1", Graph(f"n = {count:,}", value=count))
    assert not done.disagreement
    assert not done.skipped
    assert [cell.label for cell in done.cells] == [contender.label for contender in done.table.contenders]


@pytest.mark.parametrize(("letter", "title"), [("D", "Table 1"), ("C", "APSP"), ("C", "SSSP")])
def test_whole_tables_stand_beside_the_authors_kinds_of_device(letter: str, title: str) -> None:
    (done,) = run(letter, title)
    assert not done.disagreement
    beside = {cell.label for cell in done.cells if cell.paper_ms is not None}
    late = {one.label for one in done.skipped}
    assert beside | late >= {label for _, label in done.table.published}
    for cell in done.cells:
        on = done.table.contender(cell.label).on
        assert cell.device.startswith("cuda") == (on is Hardware.GPU)
    assert any(row.paper is not None for row in done.ratios)


def test_all_passes_on_a_card_are_scaled_where_they_take_long() -> None:
    (paper,) = find_papers("E", "article")
    ring = Graph("a ring", "synthetic:ring?n=100000")
    table = replace(paper.tables[0], graphs=(ring,))
    request = Request(("cuda",), runs=1, seconds=0.2)
    (done,) = reproduce([replace(paper, tables=(table,))], request, Event())
    assert not done.disagreement
    assert {cell.label for cell in done.cells} == {"v1", "v2", "v3"}
    assert all(cell.scale > 1 and cell.part.endswith("of 99,999 steps") for cell in done.cells)


def test_every_stage_is_timed_and_right() -> None:
    network = from_name("synthetic:grid?columns=50&rows=60")
    found = trees.benchmark_trees(network, trees.Request(("cuda",), sources=4, batch=32, seconds=5.0), Event())
    on_card = {one.stage: one for one in found.times if one.program == "nested dissection" and one.device == "cuda:0"}
    assert set(on_card) == set(Stage) - {Stage.CUT}
    assert all(on_card[stage].median_ms > 0 for stage in (Stage.CUSTOMISE, Stage.TREE, Stage.IN_A_ROW, Stage.BATCH))
    assert any(one.program == "near-far-resident" for one in found.times)
