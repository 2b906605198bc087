"""Paper B's table of ExtractMin: every way finds the minimum, wrong ones stop it, few repetitions are told."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest

from wayfront.papers import extract_minimum, find_papers
from wayfront.papers.comparison import Comparison
from wayfront.papers.description import Graph, Paper, Table
from wayfront.papers.extract_minimum import TIMES
from wayfront.papers.reproduction import Request, reproduce
from wayfront.safe.errors import OptionError

(PAPER,) = find_papers("B")
TABLE = PAPER.tables[0]


def run(*sizes: int, **request: float) -> list[Comparison]:
    graphs = tuple(Graph(f"n = {size:,}", value=size) for size in sizes)
    table = Table(TABLE.title, graphs, TABLE.contenders, TABLE.published, kind=TABLE.kind)
    paper = Paper("B", "a test", "somebody", "1999", "an abacus", (table,))
    return list(reproduce([paper], Request(("cpu",), runs=2, **request), Event()))  # type: ignore[arg-type]


def test_the_processors_ways_stand_beside_the_authors_cpu() -> None:
    one, thousand = run(1, 1000)
    for done in (one, thousand):
        assert [cell.label for cell in done.cells] == ["loop", "loop, optimised", "binary heap"]
        assert {len(cell.runs_ms) for cell in done.cells} == {2}
        assert {cell.part for cell in done.cells} == {""}
        assert {s.label for s in done.skipped} == {*(f"{block} threads" for block in (128, 256, 512, 1024)), "library"}
    assert [cell.paper_ms for cell in thousand.cells] == [0.0, 0.0, 0.0]
    assert {contender.label: ms for contender, ms in thousand.only_published}["512 threads"] == 41.55 / 1000
    assert thousand.size == (1000, 0)


def test_fewer_repetitions_are_told() -> None:
    (done,) = run(20_000, seconds=1e-4)
    loop = done.cells[0]
    assert loop.part.startswith("mean of ")
    assert int(loop.part.removeprefix("mean of ")) < TIMES
    assert loop.scale == 1


def test_a_wrong_minimum_stops_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract_minimum, "unoptimised_loop", lambda _distances, _times: 0)
    (done,) = run(10)
    assert not done.cells
    assert "loop finds 0 as the smallest of 10" in done.disagreement


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_loops_and_heap_find_the_smallest(count: int) -> None:
    distances = extract_minimum.distances_of(count)
    smallest = int(distances.min())
    assert extract_minimum.unoptimised_loop(distances, 3) == smallest
    assert extract_minimum.optimised_loop(distances.copy(), 50) == smallest
    heap = distances.copy()
    extract_minimum.make_heap(heap)
    infinity = np.full(count, 2**31 - 1, np.int32)
    taken = [extract_minimum.replace_smallest(heap, infinity[:1]) for _ in range(count)]
    assert taken == sorted(distances.tolist())


def test_without_a_card_there_is_no_library() -> None:
    with pytest.raises(OptionError, match="neither CuPy nor a card"):
        extract_minimum.library_minimum(np.ones(3, np.int32))
