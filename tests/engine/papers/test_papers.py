"""The papers' tables: what they say hangs together, and running them is honest about times, skips and disagreement."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from wayfront.devices import Ability, describe_device
from wayfront.errors import DownloadError, OptionError, SearchCancelled
from wayfront.options import resolve
from wayfront.papers import PAPERS, find_papers
from wayfront.papers.comparison import Cell, Comparison, paper_records
from wayfront.papers.description import Contender, Graph, Paper, Ratio, Rival, Table
from wayfront.papers.graphs import find_file, open_graph
from wayfront.papers.reproduction import Request, reproduce
from wayfront.papers.tables import FLORIDA, NEW_YORK
from wayfront.papers.timed_search import Deadline, TimedSearch, format_duration
from wayfront.search.registry import find_algorithm

TABLES = [pytest.param(table, id=f"{paper.letter}: {table.title}") for paper in PAPERS for table in paper.tables]
RING = Graph("a ring", "synthetic:ring?n=60")
HEAP = Contender("heap", "dijkstra-heap")
BUCKETS = Contender("buckets", "dijkstra")


def paper_of(table: Table) -> Paper:
    return Paper("X", "a test", "somebody", "1999", "an abacus", (table,))


def run(table: Table, **request: Any) -> list[Comparison]:
    given: dict[str, Any] = {"devices": ("cpu",), "runs": 3} | request
    return list(reproduce([paper_of(table)], Request(**given), Event()))


def reasons(comparison: Comparison) -> dict[str, str]:
    return {one.label: one.why for one in comparison.skipped}


# ------------------------------------------------------------------------------------------------- what they say


@pytest.mark.parametrize("table", TABLES)
def test_tables_speak_of_searches_that_exist_and_of_their_own_rows(table: Table) -> None:
    labels, graphs = [c.label for c in table.contenders], [g.name for g in table.graphs]
    assert len(set(labels)) == len(labels)
    for contender in table.contenders:
        algorithm = find_algorithm(contender.algorithm)
        resolve(algorithm.options, contender.options)
        meant = algorithm.needs | contender.needs
        assert any(meant in describe_device(kind).abilities for kind in ("cpu", "cuda", "simulator"))
    assert {label for _, label in table.published} <= set(labels)
    assert {graph for graph, _ in table.published} <= set(graphs)
    assert {rival.graph for rival in table.rivals} <= set(graphs)
    for ratio in table.ratios:
        assert {ratio.fast, ratio.slow} <= set(labels)
        assert all(low <= high for low, high in ratio.published.values())


def test_made_graphs_have_the_papers_sizes() -> None:
    sizes = {}
    for paper in find_papers("C"):
        for graph in paper.tables[0].graphs[:2]:
            network = open_graph(graph, [])
            sizes[graph.name] = (network.node_count, network.arc_count)
    assert sizes == {"Graph4096": (4096, 24_576), "Graph65536": (65_536, 393_216)}


def test_the_papers_ratios_follow_from_their_figures() -> None:
    (c,) = find_papers("c")
    table = c.tables[0]
    over_heap = table.ratios[0]
    told = [table.published_ratio(graph, over_heap) for graph in table.graphs]
    assert [span and round(span[0], 2) for span in told] == [4.76, 5.73, 1.33, 0.68]
    (a,) = find_papers("A")
    (kanto,) = a.tables[0].graphs
    assert kanto.stands_for == "the Kanto region"
    assert a.tables[0].published_ratio(kanto, a.tables[0].ratios[0]) == (1.18, 1.18)
    (b,) = find_papers("B")
    extract_min = b.tables[0]
    largest = extract_min.published_ratio(extract_min.graphs[-1], Ratio("512 threads", "loop"))
    assert largest is not None
    assert largest[0] == pytest.approx(1.65, abs=0.005)
    (e,) = find_papers("E")
    sped_up = e.tables[0].published_ratio(NEW_YORK, Ratio("v3", "sequential"))
    assert sped_up is not None
    assert sped_up[0] == pytest.approx(3.25 * 3600 / 16)


def test_papers_are_found_by_letter() -> None:
    assert [paper.letter for paper in find_papers("all")] == list("ABCDEF")
    (d,) = find_papers("d")
    assert not d.tables
    assert "all pairs" in d.later
    with pytest.raises(OptionError, match=r"no paper 'G'; there are: all, A \(Suzuki"):
        find_papers("G")


# ------------------------------------------------------------------------------------------------------- graphs


def test_files_are_found_packed_and_a_folder_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "data" / "dimacs"
    inner.mkdir(parents=True)
    (inner / "USA-road-d.FLA.gr.gz").touch()
    assert find_file(FLORIDA, [tmp_path]) is None
    assert find_file(FLORIDA, [tmp_path / "absent", tmp_path / "data"]) == inner / "USA-road-d.FLA.gr.gz"
    assert find_file(RING, [tmp_path / "data"]) is None
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path / "downloads"))
    with pytest.raises(DownloadError, match="wayfront fetch dimacs:FLA"):
        open_graph(FLORIDA, [tmp_path])


def test_a_downloaded_graph_is_found_without_naming_a_folder(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path))
    (tmp_path / "dimacs").mkdir()
    for name, tiny in (("d.FLA.gr", "d.gr"), ("t.FLA.gr", "t.gr"), ("d.FLA.co", "d.co")):
        packed = gzip.compress((data / f"tiny-{tiny}").read_bytes())
        (tmp_path / "dimacs" / f"USA-road-{name}.gz").write_bytes(packed)
    assert open_graph(FLORIDA).node_count == 6


# ------------------------------------------------------------------------------------------------------ running


def test_times_and_ratios_are_of_the_clean_runs() -> None:
    table = Table(
        "two heaps", (RING,), (HEAP, BUCKETS), {("a ring", "heap"): 8.0, ("a ring", "buckets"): 2.0},
        (Ratio("buckets", "heap"),), (Rival("another", "a ring", 5.0, "elsewhere"),),
    )  # fmt: skip
    (done,) = run(table)
    assert [(cell.label, cell.device, len(cell.runs_ms)) for cell in done.cells] == [
        ("heap", "cpu", 3),
        ("buckets", "cpu", 3),
    ]
    assert [cell.paper_ms for cell in done.cells] == [8.0, 2.0]
    for cell in done.cells:
        assert cell.median_ms == sorted(cell.runs_ms)[1] > 0
    (ratio,) = done.ratios
    assert ratio.ours == pytest.approx(done.cells[0].median_ms / done.cells[1].median_ms)
    assert ratio.paper == (4.0, 4.0)
    assert (done.size, done.reached) == ((60, 120), 60)
    assert {"processor", "date", "numba"} <= set(done.machine)
    assert not done.skipped
    (record,) = json.loads(json.dumps(paper_records([paper_of(table)], [done])))
    (comparison,) = record["comparisons"]
    assert comparison["rows"][0]["time_ms"]["runs"] == 3
    assert comparison["published"] == [{"label": "another", "ms": 5.0, "measured": "elsewhere"}]


def test_a_slow_search_of_one_device_stands_beside_fast_ones_of_any() -> None:
    def cell(label: str, device: str, ms: float) -> Cell:
        return Cell(label, label, {}, device, device, "search", (ms,), None)

    table = Table(
        "t", (RING,), (replace(HEAP, needs=Ability.HOST_LOOPS), BUCKETS, Contender("other", "near-far")),
        ratios=(Ratio("buckets", "heap"), Ratio("buckets", "other")),
    )  # fmt: skip
    cells = (cell("heap", "cpu", 12.0), cell("buckets", "cpu", 6.0), cell("buckets", "cuda", 2.0))
    done = Comparison(paper_of(table), table, RING, cells=(*cells, cell("other", "cpu", 3.0)))
    assert [(row.slow, row.device, row.slow_device, row.ours) for row in done.ratios] == [
        ("heap", "cpu", "cpu", 2.0),
        ("heap", "cuda", "cpu", 6.0),
        ("other", "cpu", "cpu", 0.5),
    ]


def test_what_cannot_run_is_named_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path))
    contenders = (
        HEAP,
        Contender("on a card", "near-far-resident"),
        Contender("for a card", "cuda-dijkstra", needs=Ability.BLOCKS),
        Contender("not yet", "teleport"),
        Contender("refused", "near-far", {"delta": -5}),
    )
    absent = Graph("Atlantis", "dimacs:E")
    vast = replace(RING, name="a vast ring", vast=True)
    missing, too_large, done = run(Table("t", (absent, vast, RING), contenders), folders=(tmp_path,))
    assert "wayfront fetch dimacs:E" in reasons(missing)[""]
    assert "--long" in reasons(too_large)[""]
    assert [cell.label for cell in done.cells] == ["heap"]
    why = reasons(done)
    assert set(why) == {"on a card", "for a card", "not yet", "refused"}
    assert "is for cuda" in why["for a card"]
    assert "no algorithm 'teleport'" in why["not yet"]
    assert "delta" in why["refused"]


def test_what_takes_too_long_is_left_out_unless_long_is_asked_for() -> None:
    slow = (
        Contender("all passes", "bellman-ford", {"stop": "after n − 1 passes"}),
        Contender("many steps", "relax-update"),
    )
    table = Table("t", (Graph("a long ring", "synthetic:ring?n=20000"),), (HEAP, *slow))
    (short,) = run(table, seconds=0.05, runs=1)
    assert [cell.label for cell in short.cells] == ["heap"]
    why = reasons(short)
    assert why["all passes"].startswith("one run would take about")
    assert why["many steps"].startswith("one run takes longer than 0.05 s")
    table = replace(table, graphs=(Graph("a ring", "synthetic:ring?n=2000"),))
    (whole,) = run(table, seconds=0.001, runs=1, long=True)
    assert [cell.label for cell in whole.cells] == ["heap", "all passes", "many steps"]


def test_disagreement_is_reported_and_nothing_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    (wrong_file,) = run(Table("t", (replace(RING, sum_distance=5),), (HEAP, BUCKETS)))
    assert not wrong_file.cells
    assert "heap on cpu finds distances that add up to" in wrong_file.disagreement
    steps = Contender("steps", "cuda-dijkstra", needs=Ability.HOST_LOOPS, measure="step")
    sums: Callable[..., Any] = TimedSearch.first_steps

    def altered(self: TimedSearch, cancel: Event) -> Any:
        distances, settled = sums(self, cancel)
        return np.where(distances == distances.min(), distances + 1, distances), settled

    table = Table("t", (Graph("sprand", "synthetic:sprand?n=3000"),), (steps, HEAP))
    (right,) = run(table)
    assert [cell.label for cell in right.cells] == ["steps", "heap"]
    assert not right.disagreement
    monkeypatch.setattr(TimedSearch, "first_steps", altered)
    (wrong,) = run(table)
    assert not wrong.cells
    assert "steps on cpu settles other distances" in wrong.disagreement


def test_steps_and_nodes_are_shares_of_a_whole_search() -> None:
    contenders = (
        Contender("a step", "cuda-dijkstra", needs=Ability.HOST_LOOPS, measure="step"),
        Contender("all steps", "cuda-dijkstra", needs=Ability.HOST_LOOPS),
        Contender("a node", "dijkstra-heap", measure="per node"),
        Contender("all nodes", "dijkstra-heap"),
    )
    (done,) = run(Table("t", (Graph("sprand", "synthetic:sprand?n=2000"),), contenders), runs=5)
    step, steps, node, nodes = (min(cell.runs_ms) for cell in done.cells)
    # A busy machine doubles a time, a wrong divisor is a factor of a thousand.
    assert steps / 5 < step * 2000 < steps * 5
    assert nodes / 5 < node * 2000 < nodes * 5


def test_a_cancelled_table_keeps_what_was_measured() -> None:
    cancel, timed = Event(), []

    def watch(words: str) -> None:
        if "timing" in words:
            timed.append(words)
            if len(timed) == 4:
                cancel.set()

    table = Table("t", (RING, RING), (HEAP, BUCKETS))
    done = []
    with pytest.raises(SearchCancelled, match="is kept"):
        for comparison in reproduce([paper_of(table)], Request(("cpu",), runs=100, progress=watch), cancel):
            done.append(comparison)  # noqa: PERF402 - what came before the error is what is looked at
    (only,) = done
    assert {cell.label: len(cell.runs_ms) for cell in only.cells} == {"heap": 2, "buckets": 1}


def test_deadlines_begin_when_told_and_know_forecasts() -> None:
    cancel = Event()
    assert not Deadline(0.0, cancel, endless=True).is_set()
    waiting = Deadline(0.0, cancel, endless=False)
    assert not waiting.is_set()
    waiting.begin()
    with pytest.raises(SearchCancelled, match="takes longer than 0 s"):
        waiting.is_set()
    deadline = Deadline(60.0, cancel, endless=False)
    deadline.begin()
    assert not deadline.is_set()
    deadline.expect(7200.0)
    with pytest.raises(SearchCancelled, match=r"about 2\.0 h here: --long"):
        deadline.is_set()
    cancel.set()
    assert deadline.is_set()
    assert [format_duration(s) for s in (0.25, 100, 150, 90_000, 400_000)] == [
        "0.25 s",
        "100 s",
        "2.5 min",
        "25.0 h",
        "4.6 days",
    ]
