"""The benchmark of flows: who takes turns, what is scaled, and that wrong flows end it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import wayfront
from search_checks import make_network
from wayfront.benchmarks import flows as benchmark
from wayfront.benchmarks.flows import CUTTING, benchmark_flows, flows_growth
from wayfront.benchmarks.growth_record import GrowthRequest, Measure
from wayfront.benchmarks.other_programs import OURS
from wayfront.results.flows import ALL, ONE
from wayfront.safe.errors import CertificateError, OptionError

GRID = "synthetic:grid?columns=12&rows=9&seed=5"


def test_programs_take_turns_and_slow_ones_begin_at_some_sources() -> None:
    network = wayfront.open_network(GRID)
    found = benchmark_flows(network, seconds=1e-9)
    assert {one.question for one in found.times if one.program == OURS} == {"one path a pair", "all shortest paths"}
    (theirs,) = (one for one in found.times if one.program.startswith("networkx"))
    assert (theirs.done, theirs.of, theirs.question) == (1, 108, "all shortest paths")
    assert theirs.median_ms == pytest.approx(108 * float(np.median(theirs.runs_ms)))
    record = found.record()
    assert [one["ties"] for one in record["flows"] if one["program"] == OURS] == [ONE, ALL]
    assert all(1 <= one["sources_found"] <= 108 for one in record["flows"])


def test_other_programs_know_no_radius() -> None:
    found = benchmark_flows(wayfront.open_network(GRID), (ALL,), radius=300.0, seconds=1e-9)
    assert [(one.program, one.question) for one in found.times] == [(OURS, "all shortest paths within 300")]
    assert ("networkx", "it knows no radius") in found.left_out


def test_growth_measures_cutting_and_flows_at_every_size() -> None:
    request = GrowthRequest("grid", (), (64, 100, 144), networks=1, runs=1, seconds=0.05, subject="flows")
    *before, found = flows_growth(request, (ONE,), others=False)
    assert len(before) == 2 and not before[0].done and found.done
    assert found.request.algorithms == (CUTTING, f"{OURS}, one path a pair")
    for name in found.request.algorithms:
        assert [point.nodes for point in found.of(name)] == [64, 100, 144]
        assert all(min(point.runs_ms) > 0 for point in found.of(name)) and found.fit(name, Measure.TIME) is not None
    assert {one["measure"] for one in found.record()["growth"]} == {"time"}
    with pytest.raises(OptionError, match="no generator"):
        next(flows_growth(replace(request, kind="village")))


def test_a_road_of_weight_0_is_for_us_alone() -> None:
    found = benchmark_flows(make_network(3, [(0, 1, 0), (1, 2, 5)]), (ALL,), seconds=1e-9)
    assert {one.program for one in found.times} == {OURS}
    assert found.left_out == (("other programs", "a road of weight 0 makes endlessly many shortest paths for them"),)


def test_wrong_flows_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    network = wayfront.open_network(GRID)
    right = benchmark._MAKERS["networkx"](network, network.metric(), None)
    assert right.passed is not None
    passed = right.passed
    wrong = replace(right, passed=lambda found: passed(found) + 1)
    monkeypatch.setattr(benchmark, "_MAKERS", {"networkx": lambda *_asked: wrong})
    with pytest.raises(CertificateError, match=r"networkx .* and wayfront do not find the same flows"):
        benchmark_flows(network, (ALL,), seconds=1e-9)
