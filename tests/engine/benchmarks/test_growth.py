"""Measuring growth: counts that are known beforehand, what is left out and why, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from wayfront.benchmarks import growth as growing
from wayfront.benchmarks.growth import check_kind, measure_growth, network_name
from wayfront.benchmarks.growth_record import Growth, GrowthRequest, LeftOut, Measure, doubling
from wayfront.results.result import Result
from wayfront.safe.errors import CertificateError, OptionError, SearchCancelled
from wayfront.searching.call import search
from wayfront.synthetic import from_name

RING = GrowthRequest("ring", ("dijkstra", "bellman-ford-queue"), (256, 512, 1024), networks=2, runs=1, seconds=600.0)


def measured(request: GrowthRequest) -> Growth:
    *_, last = measure_growth(request)
    assert last.done
    return last


@pytest.fixture(scope="module")
def ring() -> Growth:
    return measured(RING)


def test_every_algorithm_is_measured_on_every_network(ring: Growth) -> None:
    assert [(point.nodes, point.algorithm) for point in ring.points] == [
        (size, name) for size in RING.sizes for name in RING.algorithms
    ]
    for point in ring.points:
        assert len(point.steps) == len(point.relaxations) == len(point.runs_ms) == RING.networks
        assert point.arcs == 2 * point.nodes
    assert not ring.left_out
    assert ring.machine["processor"]


def test_dijkstra_settles_every_node_of_a_ring_once(ring: Growth) -> None:
    for point in ring.of("dijkstra"):
        assert set(point.steps) == {point.nodes}
        assert set(point.relaxations) == {2 * point.nodes}
    for measure in (Measure.STEPS, Measure.RELAXATIONS):
        fit = ring.fit("dijkstra", measure)
        assert fit is not None
        assert (fit.laws, round(fit.exponent, 6)) == (("n",), 1.0)


def test_the_figures_so_far_are_there_after_every_search() -> None:
    first, second, *_ = measure_growth(RING)
    assert [(point.nodes, point.algorithm) for point in first.points] == [(256, "dijkstra")]
    assert [point.algorithm for point in second.points] == list(RING.algorithms)
    assert first.fit("dijkstra", Measure.STEPS) is None
    assert not first.done


def test_a_record_is_json_with_figures_and_laws(ring: Growth) -> None:
    record = json.loads(json.dumps(ring.record()))
    assert len(record["points"]) == len(ring.points)
    steps = next(row for row in record["growth"] if (row["algorithm"], row["measure"]) == ("dijkstra", "steps"))
    assert steps["laws"] == ["n"]
    assert record["complete"] is True
    empty = Growth(RING).record()
    assert {row["exponent"] for row in empty["growth"]} == {None}


def test_what_cannot_run_or_has_no_time_left_is_left_out_with_the_reason() -> None:
    found = measured(replace(RING, algorithms=("dijkstra", "near-far-resident"), sizes=(256,)))
    assert found.left_out == {"near-far-resident": LeftOut(0, "it does not run on cpu")}
    over = measured(replace(RING, seconds=0.0))
    assert not over.points
    assert over.left_out["dijkstra"] == LeftOut(256)


def test_a_search_that_would_take_too_long_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "_seconds", lambda result: 1e4 if result.algorithm == "dijkstra" else 0.0)
    found = measured(replace(RING, sizes=(256, 512), networks=1))
    assert [(point.nodes, point.algorithm) for point in found.points] == [
        (256, "dijkstra"), (256, "bellman-ford-queue"), (512, "bellman-ford-queue"),
    ]  # fmt: skip
    why = found.left_out["dijkstra"]
    assert (why.nodes, why.ahead_s) == (512, 2e4)
    assert 0 < why.left_s <= 600


def test_a_slow_search_leaves_the_others_their_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "_seconds", lambda result: 200.0 if result.algorithm == "dijkstra" else 0.0)
    found = measured(replace(RING, sizes=(256, 512), networks=1))
    assert found.left_out["dijkstra"].ahead_s == 400.0, "less than the 600 s, but more than half of them"
    assert len(found.of("bellman-ford-queue")) == 2


def test_short_memory_ends_it_with_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    free = iter([10**10, 10**10, 0])
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: next(free, 0))
    found = measured(replace(RING, algorithms=("dijkstra",), networks=1))
    assert [point.nodes for point in found.points] == [256, 512]
    assert "of memory, and 0 kB are free" in found.left_out["dijkstra"].problem


def test_it_stops_when_it_is_told_to() -> None:
    cancel = Event()
    steps = measure_growth(RING, cancel=cancel)
    next(steps)
    cancel.set()
    with pytest.raises(SearchCancelled):
        next(steps)


def test_algorithms_that_disagree_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:

    def wrong(*arguments: Any, **others: Any) -> Result:
        result = search(*arguments, **others, trace=True)
        return replace(result, distances=result.distances + (result.algorithm == "dijkstra"))

    monkeypatch.setattr(growing, "search", wrong)
    with pytest.raises(CertificateError, match="do not agree on the distances of Ring of 256"):
        measured(RING)


@pytest.mark.parametrize(("nodes", "side"), [(256, 16), (512, 23), (650, 25), (651, 26)])
def test_a_grid_is_the_square_that_is_nearest(nodes: int, side: int) -> None:
    name = network_name("grid?largest_weight=9", nodes, 2)
    assert name == f"synthetic:grid?largest_weight=9&columns={side}&rows={side}&seed=2"
    assert from_name(name).node_count == side**2


@pytest.mark.parametrize("kind", ["town", "ring?nodes=9", "rmat?degree=4&seed=7", "grid?rows=5"])
def test_kinds_that_cannot_grow_are_refused(kind: str) -> None:
    with pytest.raises(OptionError):
        check_kind(kind)


def test_sizes_double_and_are_three_at_least() -> None:
    assert doubling(256, 2_000) == (256, 512, 1024)
    for wrong in ((8, 4096), (1024, 2048), (1024, 1 << 40)):
        with pytest.raises(OptionError):
            doubling(*wrong)
