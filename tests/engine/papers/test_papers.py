"""The papers' tables: what they say hangs together, and running them is honest about times, skips and disagreement."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from wayfront.devices import describe_device
from wayfront.papers import PAPERS, boost, find_papers
from wayfront.papers.comparison import Cell, Comparison
from wayfront.papers.description import (
    Contender,
    Graph,
    Hardware,
    Paper,
    Ratio,
    Rival,
    Table,
    TableKind,
    hardware_of,
)
from wayfront.papers.one_source import TimedSearch
from wayfront.papers.published import COLORADO, FLORIDA
from wayfront.papers.reproduction import Request, find_file, open_graph, reproduce
from wayfront.papers.table_run import Deadline, format_duration
from wayfront.results.result import SearchKind
from wayfront.safe.errors import DownloadError, OptionError, SearchCancelled
from wayfront.safe.options import resolve
from wayfront.searching.call import search
from wayfront.searching.registry import find_algorithm

TABLES = [pytest.param(table, id=f"{paper.letter}: {table.title}") for paper in PAPERS for table in paper.tables]
RING = Graph("a ring", "synthetic:ring?n=60")
HEAP = Contender("heap", "dijkstra-heap", on=Hardware.CPU)
BUCKETS = Contender("buckets", "dijkstra", on=Hardware.CPU)
FAR = Contender("on a GPU", "dijkstra-heap")
"""A search that the authors ran on their GPU; one that compiles soon stands in for it."""


def paper_of(table: Table) -> Paper:
    return Paper("X", "a test", "somebody", "1999", "an abacus", (table,))


def run(table: Table, **request: Any) -> list[Comparison]:
    given: dict[str, Any] = {"devices": ("cpu",), "runs": 3} | request
    return list(reproduce([paper_of(table)], Request(**given), Event()))


def reasons(comparison: Comparison) -> dict[str, str]:
    return {one.label: one.why for one in comparison.skipped}


def named(letter: str, title: str) -> Table:
    (paper,) = find_papers(letter)
    (table,) = (table for table in paper.tables if title in table.title)
    return table


# ------------------------------------------------------------------------------------------------- what they say


@pytest.mark.parametrize("table", TABLES)
def test_tables_speak_of_searches_that_exist_and_of_their_own_rows(table: Table) -> None:
    labels, graphs = [c.label for c in table.contenders], [g.name for g in table.graphs]
    assert len(set(labels)) == len(labels)
    assert len(set(graphs)) == len(graphs)
    kinds = {TableKind.ONE_SOURCE: SearchKind.ONE_TREE, TableKind.ALL_PAIRS: SearchKind.ALL_PAIRS}
    for contender in table.contenders:
        if table.kind in kinds and contender.algorithm not in boost.SEARCHES:
            algorithm = find_algorithm(contender.algorithm)
            assert algorithm.kind is kinds[table.kind]
            resolve(algorithm.options, contender.options)
            assert algorithm.runs_on(describe_device("cpu" if contender.on is Hardware.CPU else "cuda"))
    assert {label for _, label in table.published} <= set(labels)
    assert {graph for graph, _ in table.published} <= set(graphs)
    assert {rival.graph for rival in table.rivals} <= set(graphs)
    for ratio in table.ratios:
        assert {ratio.fast, ratio.slow} <= set(labels)
        assert all(low <= high for low, high in ratio.published.values())
    assert table.ours
    assert table.theirs
    if table.sweep:
        values = [graph.value for graph in table.graphs]
        assert values == sorted(set(values))


def test_every_published_figure_is_there() -> None:
    counts = {(letter, title): len(named(letter, title).published) for letter, title in (
        ("B", "Table 1"), ("C", "SSSP"), ("C", "APSP"), ("D", "Table 1"), ("D", "Table 2"), ("E", "article"),
        ("E", "repository"),
    )}  # fmt: skip
    assert list(counts.values()) == [64, 12, 12, 33, 12, 4, 9]


def test_made_graphs_have_the_papers_sizes() -> None:
    sizes = {}
    shapes = named("D", "Table 2").graphs[1:3]
    for graph in (*named("C", "SSSP").graphs[:2], *named("D", "Table 1").graphs[:2], *shapes):
        network = open_graph(graph, [])
        sizes[graph.name] = (network.node_count, network.arc_count)
    assert sizes == {
        "Graph4096": (4096, 24_576),
        "Graph65536": (65_536, 393_216),
        "random, 1K nodes": (1024, 4096),
        "random, 2K nodes": (2048, 8192),
        "R-MAT": (4600, 16_384),
        "ring, one way": (4600, 4600),
    }


def test_the_papers_ratios_follow_from_their_figures() -> None:
    table = named("C", "SSSP")
    told = [table.published_ratio(graph, table.ratios[0]) for graph in table.graphs]
    assert [span and round(span[0], 2) for span in told] == [4.76, 5.73, 1.33, 0.68]
    adaptive = named("A", "Adaptive")
    assert adaptive.graphs[0].stands_for == "the Kanto region"
    assert adaptive.published_ratio(adaptive.graphs[0], adaptive.ratios[0]) == (1.18, 1.18)

    def ratio(table: Table, graph: Graph, fast: str, slow: str) -> float:
        span = table.published_ratio(graph, Ratio(fast, slow))
        assert span is not None
        return span[0]

    extract_min = named("B", "Table 1")
    largest = extract_min.graphs[-1]
    assert ratio(extract_min, largest, "512 threads", "loop, optimised") == pytest.approx(1.65, abs=0.005)
    assert ratio(extract_min, largest, "library", "loop, optimised") == pytest.approx(6.07, abs=0.005)
    assert ratio(named("E", "article"), COLORADO, "v3", "sequential") == pytest.approx(3.25 * 3600 / 16)
    tasks = named("D", "Table 1")
    assert ratio(tasks, tasks.graphs[0], "task-parallel", "SSSP iteration") == pytest.approx(18.8, abs=0.05)
    assert ratio(tasks, tasks.graphs[-1], "task-parallel", "SSSP iteration") == pytest.approx(3.5, abs=0.05)


def test_papers_are_found_by_letter() -> None:
    assert [paper.letter for paper in find_papers("all")] == list("ABCDEF")
    (d,) = find_papers("d")
    assert len(d.tables) == 4
    with pytest.raises(OptionError, match=r"no paper 'G'; there are: all, A \(Suzuki"):
        find_papers("G")


# ------------------------------------------------------------------------------------------------ kinds of device


def test_devices_are_a_gpu_or_a_cpu_or_neither() -> None:
    kinds = [hardware_of(device) for device in ("cpu", "cuda", "cuda:1", "simulator", "abacus")]
    assert kinds == [Hardware.CPU, Hardware.GPU, Hardware.GPU, Hardware.NEITHER, Hardware.NEITHER]


def test_a_gpus_figure_stands_beside_no_cpus_time() -> None:
    """What the authors ran on their GPU has no figure beside it here, and neither has its ratio."""
    table = Table("t", (RING,), (HEAP, FAR), {("a ring", "heap"): 8.0, ("a ring", "on a GPU"): 2.0},
                  (Ratio("on a GPU", "heap"),))  # fmt: skip
    (done,) = run(table, runs=1)
    assert [(cell.label, cell.paper_ms) for cell in done.cells] == [("heap", 8.0), ("on a GPU", None)]
    (ratio,) = done.ratios
    assert (ratio.device, ratio.slow_device, ratio.paper) == ("cpu", "cpu", None)
    assert done.only_published == ((FAR, 2.0),)
    on_card = Cell("on a GPU", "near-far", {}, "cuda:0", "a card", (1.0,), 2.0)
    heap = next(cell for cell in done.cells if cell.label == "heap")
    (ratio,) = replace(done, cells=(heap, on_card)).ratios
    assert (ratio.device, ratio.slow_device, ratio.paper) == ("cuda:0", "cpu", (4.0, 4.0))
    assert not replace(done, cells=(heap, on_card)).only_published


def test_figures_of_others_need_a_device_of_their_kind() -> None:
    rivals = (
        Rival("slow", RING.name, 5.0, "elsewhere", Hardware.CPU),
        Rival("fast", RING.name, 1.0, "?", Hardware.GPU),
    )
    (done,) = run(Table("t", (RING,), (HEAP,), rivals=rivals), runs=1)
    assert [rival.label for rival in done.rivals] == ["slow"]


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
    """Its arcs by distance are enough: the other files of a download are for the map."""
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path))
    (tmp_path / "dimacs").mkdir()
    packed = gzip.compress((data / "tiny-d.gr").read_bytes())
    (tmp_path / "dimacs" / "USA-road-d.FLA.gr.gz").write_bytes(packed)
    assert open_graph(FLORIDA).node_count == 6


# ------------------------------------------------------------------------------------------------------ running


def test_times_and_ratios_are_of_the_clean_runs() -> None:
    published = {("a ring", "heap"): 8.0, ("a ring", "buckets"): 2.0}
    (done,) = run(Table("two heaps", (RING,), (HEAP, BUCKETS), published, (Ratio("buckets", "heap"),)))
    assert [(cell.label, cell.device, len(cell.runs_ms)) for cell in done.cells] == [
        ("heap", "cpu", 3),
        ("buckets", "cpu", 3),
    ]
    for cell in done.cells:
        assert cell.median_ms == sorted(cell.runs_ms)[1] > 0
        assert not cell.part
    (ratio,) = done.ratios
    assert ratio.ours == pytest.approx(done.cells[0].median_ms / done.cells[1].median_ms)
    assert (ratio.paper, ratio.scaled) == ((4.0, 4.0), False)
    assert (done.size, done.reached) == ((60, 120), 60)
    assert {"processor", "date", "numba"} <= set(done.machine)
    assert not done.skipped


def test_what_cannot_run_is_named_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path))
    contenders = (
        HEAP,
        Contender("on a card", "near-far-resident"),
        Contender("not yet", "teleport"),
        Contender("refused", "near-far", {"delta": -5}),
    )
    absent = Graph("Atlantis", "dimacs:E")
    vast = replace(RING, name="a vast ring", vast=True)
    missing, too_large, done = run(Table("t", (absent, vast, RING), contenders), folders=(str(tmp_path),))
    assert "wayfront fetch dimacs:E" in reasons(missing)[""]
    assert "--long" in reasons(too_large)[""]
    assert [cell.label for cell in done.cells] == ["heap"]
    why = reasons(done)
    assert set(why) == {"on a card", "not yet", "refused"}
    assert "is for cuda" in why["on a card"]
    assert "no algorithm 'teleport'" in why["not yet"]
    assert "delta" in why["refused"]


def test_what_the_authors_ran_on_a_cpu_runs_on_no_other_device() -> None:
    table = Table("t", (RING,), (replace(FAR, on=Hardware.CPU), HEAP))
    (done,) = run(table, devices=("cpu",), runs=1)
    assert [cell.device for cell in done.cells] == ["cpu", "cpu"]
    (done,) = run(table, devices=("simulator",), runs=1)
    assert not done.cells
    assert set(reasons(done).values()) == {"that is for cpu, which is not among the devices chosen"}


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


def test_steps_that_are_alike_are_timed_in_part_and_scaled() -> None:
    passes = Contender("passes", "bellman-ford", {"stop": "after n − 1 passes"}, Hardware.CPU, alike=True)
    ring = Graph("a long ring", "synthetic:ring?n=20000")
    (done,) = run(Table("t", (ring,), (passes, HEAP), ratios=(Ratio("heap", "passes"),)), seconds=0.2, runs=2)
    cell = next(cell for cell in done.cells if cell.label == "passes")
    made, total = (int(word.replace(",", "")) for word in cell.part.removesuffix(" steps").split(" of "))
    assert total == 19_999
    assert 1 <= made < total
    assert cell.scale == total / made
    assert cell.median_ms == pytest.approx(sum(cell.runs_ms) / 2 * total / made)
    assert [row.scaled for row in done.ratios] == [True]


def test_a_part_that_is_below_the_right_distances_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = Contender("passes", "bellman-ford", {"stop": "after n − 1 passes"}, Hardware.CPU, alike=True)
    right: Callable[..., Any] = TimedSearch.distances
    monkeypatch.setattr(TimedSearch, "distances", lambda self: right(self) - 1)
    (done,) = run(Table("t", (Graph("a long ring", "synthetic:ring?n=20000"),), (passes,)), seconds=0.2, runs=1)
    assert not done.cells
    assert "passes on cpu does not find the distances" in done.disagreement


def test_disagreement_is_reported_and_nothing_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    (wrong_file,) = run(Table("t", (replace(RING, sum_distance=5),), (HEAP, BUCKETS)))
    assert not wrong_file.cells
    assert "add up to" in wrong_file.disagreement
    assert "another file" in wrong_file.disagreement

    def altered(network: Any, source: int, name: str, *others: Any, **more: Any) -> Any:
        found = search(network, source, name, *others, **more)
        return replace(found, distances=found.distances + 1) if name == "dijkstra-heap" else found

    monkeypatch.setattr("wayfront.papers.one_source.search", altered)
    (wrong,) = run(Table("t", (RING,), (BUCKETS, HEAP)))
    assert not wrong.cells
    assert "heap on cpu does not find the distances of a proven search" in wrong.disagreement


def test_a_cancelled_table_keeps_what_was_measured() -> None:
    cancel, timed = Event(), []

    def watch(words: str) -> None:
        if "timing" in words:
            timed.append(words)
            if len(timed) == 4:
                cancel.set()

    table = Table("t", (RING, replace(RING, name="again")), (HEAP, BUCKETS))
    done = []
    with pytest.raises(SearchCancelled, match="is kept"):
        for comparison in reproduce([paper_of(table)], Request(("cpu",), runs=100, progress=watch), cancel):
            done.append(comparison)  # noqa: PERF402 - what came before the error is what is looked at
    (only,) = done
    assert {cell.label: len(cell.runs_ms) for cell in only.cells} == {"heap": 2, "buckets": 1}


def test_a_graph_whose_opening_was_cancelled_is_not_one_that_is_missing() -> None:
    cancel = Event()
    request = Request(("cpu",), runs=1, progress=lambda words: cancel.set() if "opening" in words else None)
    table = Table("t", (replace(RING, location="dimacs:E"),), (HEAP,))
    with pytest.raises(SearchCancelled, match="is kept"):
        next(reproduce([paper_of(table)], request, cancel))


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
    with pytest.raises(SearchCancelled, match="stopped"):
        deadline.check()
    assert [format_duration(s) for s in (0.25, 100, 150, 90_000, 400_000)] == [
        "0.25 s",
        "100 s",
        "2.5 min",
        "25.0 h",
        "4.6 days",
    ]
