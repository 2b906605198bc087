"""The benchmark of trees: every stage is timed and checked, wrong distances stop it, and it survives JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

import hardware_limits
import measure
from wayfront.benchmarks import clique_trees, other_programs, trees
from wayfront.benchmarks.other_programs import Reference
from wayfront.benchmarks.tree_times import (
    Limits,
    Stage,
    Times,
    Work,
    customising_work,
    read_benchmarks,
    tree_work,
)
from wayfront.benchmarks.trees import DissectionStages
from wayfront.devices import open_device
from wayfront.dissection.shape import Dissection
from wayfront.dissection.store import dissection_of, save_cut
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import CertificateError, FormatError, NetworkError, SearchCancelled
from wayfront.synthetic import from_name
from wayfront.timing.harness import time_runs

NETWORK = "synthetic:ring?n=90"
REQUEST = trees.Request(("cpu",), sources=3, batch=8, seconds=5.0)


@pytest.fixture(scope="module")
def ring() -> RoadNetwork:
    return from_name(NETWORK)


def cells_of(network: RoadNetwork) -> Dissection:
    cells = dissection_of(network)
    assert cells is not None
    return cells


def test_a_timed_batch_finds_its_rows_touched(ring: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are written once before the first time is taken, and all batches write the same rows."""
    device, metric = open_device("cpu"), ring.metrics[0]
    stages = DissectionStages(device, cells_of(ring), ring, metric, Reference(ring, metric, 2))
    written: list[Any] = []
    before_timing: list[int] = []
    engine = stages._engine
    make_trees = engine.trees

    def trees_noted(sources: Any, rows: Any, *strides: int) -> None:
        written.append(rows)
        make_trees(sources, rows, *strides)

    def timed(run: Any, runs: int, **how: Any) -> Any:
        before_timing.append(len(written))
        return time_runs(run, runs, **how)

    monkeypatch.setattr(engine, "trees", trees_noted)
    monkeypatch.setattr(trees, "time_runs", timed)
    times = stages.batch(8, 5.0, Event())
    assert before_timing == [1] and len(written) == 1 + len(times.runs_ms)
    assert all(rows is written[0] for rows in written)


def test_every_stage_and_program_is_timed(ring: RoadNetwork, tmp_path: Path) -> None:
    said: list[str] = []
    request = trees.Request(("cpu",), sources=3, batch=8, seconds=5.0, progress=said.append)
    found = trees.benchmark_trees(ring, request, Event())
    assert found.network["nodes"] == 90
    assert found.sources == 3
    stages = [one.stage for one in found.times if one.program == "nested dissection"]
    assert sorted(stages) == sorted(set(Stage) - {Stage.IN_A_ROW}), "a processor has no queue of launches"
    beside = {one.program.split()[0] for one in found.times if one.stage is Stage.TREE}
    installed = {"SciPy", "networkx"}
    assert beside >= {"nested", "dijkstra"} | installed
    assert {name for name, _ in found.left_out} | beside >= {"igraph", "NetworKit"}
    tree = next(one for one in found.times if one.stage is Stage.TREE and one.program == "nested dissection")
    assert len(tree.runs_ms) == 3
    assert tree.work is not None and tree.shares is None
    assert any("timing nested dissection on cpu, dijkstra on cpu" in text for text in said)
    file = tmp_path / "found.json"
    file.write_text(json.dumps({"benchmarks": [found.record()]}), encoding="utf-8")
    assert read_benchmarks(file) == [found]


def test_limits_are_added_to_results(ring: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware_limits, "REPEATS", 1)
    monkeypatch.setattr(hardware_limits, "ROUNDS", 2)
    file = tmp_path / "found.json"
    found = trees.benchmark_trees(ring, replace(REQUEST, others=False), Event())
    file.write_text(json.dumps({"benchmarks": [found.record()]}), encoding="utf-8")
    hardware_limits.main(["--results", str(file)])
    (limited,) = read_benchmarks(file)
    for before, after in zip(found.times, limited.times, strict=True):
        assert replace(after, limits=None) == before
        assert (after.limits is None) == (before.work is None)
        assert after.shares is None or min(after.shares) > 0


def test_what_others_published_is_measured_and_stands_beside(
    ring: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of our rows names the hardware, and no row of theirs is of another network or metric."""
    monkeypatch.setattr(clique_trees, "_METRIC", ring.metric().name)
    monkeypatch.setattr(clique_trees, "_FIGURES", {90: clique_trees._FIGURES[264_346]})
    request = replace(REQUEST, published=True, threads=2)
    found = trees.benchmark_trees(ring, request, Event())
    ours = [one for one in found.times if one.program == trees.OURS and one.stage is not Stage.CUT]
    theirs = [one for one in found.times if one.program == clique_trees.PROGRAM]
    name = open_device("cpu").name
    for stage, runs in ((Stage.CUSTOMISE, trees.RUNS), (Stage.TREE, 3), (Stage.BATCH, trees.RUNS)):
        rows = [one for one in ours if one.stage is stage]
        assert [one.detail.removeprefix("64 at once, ") for one in rows] == [
            f"on {name}, one thread",
            f"on {name}, 2 threads",
        ]
        assert all(len(one.runs_ms) == runs for one in rows)
    assert len(ours) == 6 and len(theirs) == 6
    block = next(one for one in theirs if one.median_ms == 0.052)
    assert (block.stage, block.detail) == (Stage.BATCH, "256 at once, on NVIDIA RTX 5060 Laptop")
    assert found.left_out == (clique_trees.WITHOUT,)
    assert clique_trees.published(from_name("synthetic:ring?n=91"), ring.metric()) == []
    alone = trees.benchmark_trees(ring, replace(request, others=False, threads=1), Event())
    assert [one.program for one in alone.times] == [trees.OURS] * 4 and alone.left_out == ()


@pytest.mark.parametrize("text", ["{}", "[]", '{"benchmarks": [{"network": {}}]}', "{", '{"benchmarks": 3}'])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="no results of wayfront benchmark trees"):
        read_benchmarks(file)


def test_wrong_distances_stop_it(ring: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_programs, "_from_floats", lambda found: np.asarray(found).astype(np.int64) + 1)
    with pytest.raises(CertificateError, match=r"SciPy .* does not find what a proven search finds from node"):
        trees.benchmark_trees(ring, REQUEST, Event())


def test_figures_of_all_pairs_are_compared(ring: RoadNetwork) -> None:
    from wayfront.searching.all_pairs.call import all_pairs

    reference = Reference(ring, ring.metric(), 3)
    found = all_pairs(ring, "dijkstra-in-turn", "cpu", runs=0)
    reference.compare_figures("all", found)
    total = found.figures.total.copy()
    total[reference.sources[1]] += 1
    with pytest.raises(CertificateError, match="all does not find"):
        reference.compare_figures("all", replace(found, figures=replace(found.figures, total=total)))


def test_slow_programs_search_from_the_first_sources(ring: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    once = trees._Benchmark._ours

    def slow(self: Any, name: str, device_id: str) -> Any:
        quick = once(self, name, device_id)
        return lambda source: (3000.0, quick(source)[1])

    monkeypatch.setattr(trees._Benchmark, "_ours", slow)
    found = trees.benchmark_trees(ring, REQUEST, Event())
    (dijkstra,) = (one for one in found.times if one.program == "dijkstra")
    assert (dijkstra.runs_ms, dijkstra.part) == ((3000.0,), "1 of 3 sources")
    scipy = next(one for one in found.times if one.program.startswith("SciPy"))
    assert (len(scipy.runs_ms), scipy.part) == (3, "")


def test_a_network_with_large_fronts_is_searched_by_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    network = from_name("synthetic:ring?n=70")

    def refuse(*_arguments: object, **_more: object) -> None:
        raise NetworkError("fronts of 9,000 nodes")

    monkeypatch.setattr(trees, "dissection_of", refuse)
    found = trees.benchmark_trees(network, REQUEST, Event())
    assert (found.cut, found.left_out[0]) == ({}, ("nested dissection", "fronts of 9,000 nodes"))
    assert {one.stage for one in found.times} == {Stage.TREE}


def test_what_is_not_installed_is_named(ring: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("igraph", "networkit"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(other_programs, "MOST_OBJECTS", 10)
    given = dict(other_programs.programs(ring, ring.metric()))
    assert given["igraph"] == given["NetworKit"] == "it is not installed; it comes with wayfront[benchmark]"
    assert "more than 10 nodes and arcs" in str(given["networkx"])


def test_the_command_takes_cuts_and_stops(ring: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut, file = tmp_path / "ring.cut", tmp_path / "found.json"
    save_cut(cut, cells_of(ring))
    monkeypatch.setattr("wayfront.dissection.store.dissect", None)
    words = ["trees", NETWORK, "--cut", str(cut), "--sources", "1", "--batch", "2", "--alone", "-o", str(file)]
    measure.main(words)
    (found,) = read_benchmarks(file)
    assert found.cut["cells"] == cells_of(ring).cell_count
    assert {one.program for one in found.times} == {"nested dissection"}
    stopped = Event()
    stopped.set()
    with pytest.raises(SearchCancelled):
        trees.benchmark_trees(ring, REQUEST, stopped)


def test_work_is_counted_by_the_shape() -> None:
    """A path of three nodes: the middle one is the separator, and the border of both others."""
    parent, offsets, order = (np.array(given, np.int32) for given in ([-1, 0, 0], [0, 1, 2, 3], [1, 0, 2]))
    cells = Dissection("", parent, offsets, order, np.array([0, 0, 1, 2]), np.array([0, 0], np.int32), "made", 1.0)
    # Fronts of 1, 2 and 2 nodes over one separator each; 1 + 4 + 4 entries written, 1 + 1 handed up.
    assert customising_work(cells, 4) == Work(1 + 4 + 4, 4 * (9 + 2))
    # From the middle: its own 1 entry upwards, and 1 for each of the others downwards.
    assert tree_work(cells, np.array([1], np.int32), 4) == Work(1 + 2, 4 * (3 + 3))
    # From an end: 2 entries in its own cell, and 1 at the root.
    assert tree_work(cells, np.array([0], np.int32), 4) == Work(3 + 2, 4 * (5 + 3))


def test_shares_are_of_the_measured_limits() -> None:
    times = Times(Stage.TREE, "p", "cpu", "n", (1.0, 2.0, 3.0), work=Work(1e6, 4e6), limits=Limits(4e9, 1e10))
    assert times.shares == pytest.approx((0.5, 0.05))
    device = open_device("cpu", 2)
    assert hardware_limits.copied_bytes_a_second(device, 1 << 16) > 1e6
    assert hardware_limits.additions_a_second(device) > 1e6
