"""``--close`` and ``--close-file``: every command searches as if the roads were not there."""

from __future__ import annotations

from pathlib import Path

import pytest

import wayfront as library
from calling import Command
from wayfront.network.closing import without_arcs
from wayfront.synthetic import from_name
from wayfront_gui.cli import timed_in_turns

GRID = "synthetic:grid?columns=7&rows=5&seed=2"
ON_CPU = ("--device", "cpu")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def road() -> tuple[int, int, int]:
    """Return the ids of the ends of a road of node 1's tree, and the sum of distances without it."""
    network = from_name(GRID)
    result = library.search(network, network.node(1), "dijkstra", "cpu", runs=0, trace_budget=None)
    head = int((result.parents == network.node(1)).argmax())
    arcs = library.arcs_between(network, [network.node(1)], [head])
    detour = library.search(without_arcs(network, arcs), network.node(1), "dijkstra", "cpu", runs=0)
    return 1, int(network.node_ids[head]), int(detour.distances[detour.reached].sum())


@pytest.mark.usefixtures("qapp")
def test_solve_render_and_compare_search_around_closed_roads(
    wayfront: Command, road: tuple[int, int, int], tmp_path: Path
) -> None:
    tail, head, total = road
    table = tmp_path / "closed.csv"
    table.write_text(f"from,to\n{tail},{head}\n")
    one_way: list[tuple[object, ...]] = [("--close", f"{tail}-{head}"), ("--close-file", table)]
    for closing in one_way:
        outcome = wayfront(
            *("solve", GRID, "--source", 1, "-a", "near-far", "--runs", 0, "--json", "--verify"), *ON_CPU, *closing
        )
        assert (outcome.code, outcome.record["sum_distance"], outcome.record["closed_arcs"]) == (0, total, 1)
    both = ("--close", f"{tail}-{head},{head}-{tail}", "--close", f"{tail}-{head}")
    outcome = wayfront(
        "compare", GRID, "--source", 1, "-a", "dijkstra,dissection", "--runs", 1, "--json", *ON_CPU, *both
    )
    rows = outcome.record["rows"]
    assert {(row["algorithm"], row["closed_arcs"]) for row in rows} == {("dijkstra", 2), ("dissection", 2)}
    assert len({row["sum_distance"] for row in rows}) == 1
    assert "closed" in wayfront("solve", GRID, "--source", 1, "--runs", 0, *ON_CPU, *both).out
    pictures = [tmp_path / "open.png", tmp_path / "closed.png"]
    for picture, roads in zip(pictures, ((), both), strict=True):
        outcome = wayfront("render", GRID, "--source", 1, "-o", picture, "--size", "200x150", *ON_CPU, *roads)
        assert outcome.code == 0
    assert pictures[0].read_bytes() != pictures[1].read_bytes()


def test_all_pairs_keep_the_sources_of_each_closure_apart(wayfront: Command, road: tuple[int, int, int]) -> None:
    closing = ("--close", f"{road[0]}-{road[1]}")
    totals = []
    for algorithm in ("dijkstra-in-turn", "dissection-all-pairs"):
        for options in ((), closing):
            arguments = ("all-pairs", GRID, "-a", algorithm, "--runs", 1, "--json", "--verify", *ON_CPU, *options)
            totals.append(wayfront(*arguments).record["sum_distance"])
    assert totals[:2] == totals[2:]
    assert totals[0] < totals[1]


def test_times_name_what_was_prepared(wayfront: Command) -> None:
    record = wayfront("solve", GRID, "--source", 1, "-a", "dissection", "--runs", 1, "--json", *ON_CPU).record
    assert record["prepare_ms"].keys() == {"cut", "customise"}
    expected = record["time_ms"]["median"] + record["prepare_ms"]["customise"]
    assert record["from_scratch_ms"] == pytest.approx(expected)
    plain = wayfront("solve", GRID, "--source", 1, "-a", "dijkstra", "--runs", 1, "--json", *ON_CPU).record
    assert (plain["prepare_ms"], plain["from_scratch_ms"]) == ({}, plain["time_ms"]["median"])
    shown = wayfront("solve", GRID, "--source", 1, "-a", "dissection", "--runs", 1, *ON_CPU).out
    assert "once for the network" in shown and "from scratch" in shown
    assert "beforehand cut" in " ".join(wayfront("compare", GRID, "-a", "dissection", "--runs", 1, *ON_CPU).out.split())


def test_what_takes_long_to_prepare_is_left_out_of_a_comparison_of_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    network = from_name(GRID)
    assert not timed_in_turns._takes_long_to_prepare("dissection", network)
    monkeypatch.setattr(timed_in_turns, "LONGEST_UNASKED_S", 1e-6)
    assert timed_in_turns._takes_long_to_prepare("dissection", network)
    assert "it would first cut the network for about 1 s" in capsys.readouterr().err.replace("\n", " ")
    assert not timed_in_turns._takes_long_to_prepare("near-far", network)
    library.prepare(network, device="cpu")
    assert not timed_in_turns._takes_long_to_prepare("dissection", network)


@pytest.mark.parametrize("text", ["1", "1-", "1-x", "1--", "", "1-2;3-4", "x" * 100])
def test_what_is_no_road_is_refused_before_anything_is_opened(wayfront: Command, text: str) -> None:
    outcome = wayfront("solve", "nowhere.gr", "--source", 1, "--close", text)
    assert outcome.code == 1
    assert "--close takes FROM-TO, two node ids" in outcome.err
    assert len(outcome.err) < 200


def test_roads_that_the_network_lacks_are_named(wayfront: Command, tmp_path: Path) -> None:
    solve = ("solve", GRID, "--source", 1, *ON_CPU)
    assert "no arc of" in wayfront(*solve, "--close", "1-35").err
    assert "no node -7" in wayfront(*solve, "--close", "-7-3").err
    table = tmp_path / "closed.csv"
    table.write_text("from,to\n1,99\n")
    outcome = wayfront(*solve, "--close-file", table)
    assert outcome.code == 1
    assert f"{table}:2:" in outcome.err.replace("\n", "")


def test_a_recorded_search_cannot_be_closed_afterwards(wayfront: Command, tmp_path: Path) -> None:
    trace = tmp_path / "run.wftrace"
    assert wayfront("solve", GRID, "--source", 1, "--trace", trace, "--runs", 0, *ON_CPU).code == 0
    outcome = wayfront("render", trace, "-o", tmp_path / "run.png", "--close", "1-2")
    assert outcome.code == 1
    assert "--close has no effect here" in outcome.err
