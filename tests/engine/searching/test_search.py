"""Searches on the CPU: every algorithm gives the reference distances, the one tree, and a whole trace."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import wayfront
from search_checks import (
    check_result,
    make_network,
    networks,
    random_arcs,
    refusal,
    search_unless_refused,
    variants,
)
from there import there
from wayfront.devices import describe_device
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import SearchKind
from wayfront.safe.errors import DeviceError, NetworkError, OptionError, SearchCancelled
from wayfront.searching import execution as driver
from wayfront.searching.certificate import certify
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.searching.run import Progress
from wayfront.synthetic import from_name
from wayfront.timing import harness as timed_runs

ON_CPU = [a.name for a in algorithms(SearchKind.ONE_TREE) if a.runs_on(describe_device("cpu"))]


@pytest.mark.parametrize("name", ON_CPU)
@settings(max_examples=40, deadline=None)
@given(network=networks(), data=st.data())
def test_any_network_gives_reference_distances_and_the_one_tree(
    name: str, network: RoadNetwork, data: st.DataObject
) -> None:
    """One network serves all options of an algorithm: to draw it takes longer than to search it."""
    source = data.draw(st.integers(0, network.node_count - 1))
    for options in (options for other, options in variants("cpu") if other == name):
        note(f"options: {options}")
        result = search_unless_refused(network, source, name, "cpu", options=options, runs=0, verify=True)
        if result is not None:
            assert result.verified
            check_result(result)


@pytest.mark.parametrize("name", ON_CPU)
def test_every_shape(name: str) -> None:
    for shape in ("ring?n=500", "complete?n=60", "rmat?n=1024&m=8192&seed=3", "grid?columns=40&rows=30&seed=2"):
        network = from_name(f"synthetic:{shape}")
        check_result(wayfront.search(network, 5, name, "cpu", runs=0, verify=True, trace=True))


@pytest.mark.parametrize("name", ON_CPU)
def test_distances_beyond_32_bits(name: str) -> None:
    heavy = make_network(6, [(u, u + 1, 2**31 - 1) for u in range(5)])
    result = wayfront.search(heavy, 0, name, "cpu", runs=0, verify=True, trace=True)
    assert result.distances.dtype == np.int64
    assert result.distances.tolist() == [k * (2**31 - 1) for k in range(6)]


def test_threads_share_the_work() -> None:
    network = random_arcs(40_000, 120_000, 50, 4)
    from wayfront.devices.cpu import CpuDevice
    from wayfront.searching.run import Run, Setting
    from wayfront.searching.tree import make_tree

    reference = wayfront.search(network, 0, "dijkstra", "cpu", runs=0, trace=True)
    device = CpuDevice(threads=2)
    run = Run(Setting(device, network, network.metrics[0], {}, np.dtype(np.int32)), 0)
    for algorithm in algorithms():
        if algorithm.name == "relax-update":
            for _ in algorithm.search(run):
                pass
    assert (np.where(run.distances == run.infinity, -1, run.distances) == reference.distances).all()
    assert (make_tree(run) == reference.parents).all()
    assert device.shared_launches > 0
    device.close()


@pytest.mark.usefixtures("any_threads")
@pytest.mark.parametrize(("name", "options"), variants("cpu"), ids=str)
def test_searches_on_several_cores_are_exact(
    name: str, options: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront.devices.cpu.SMALLEST_SHARE", 8)  # so that a small network is divided
    network = random_arcs(300, 900, 50, seed=3)
    result = wayfront.search(network, 0, name, "cpu", options=options, threads=3, runs=0, verify=True, trace=True)
    check_result(result)
    alone = wayfront.search(network, 0, "dijkstra", "cpu", runs=0, trace=True)
    assert (result.distances == alone.distances).all()
    assert (result.note != "") == (result.timing.machine["threads"] == "1")
    assert result.note == "" or find_algorithm(name).sequential or name == "cuda-dijkstra"


@pytest.mark.usefixtures("any_threads")
def test_a_search_says_where_threads_do_not_help() -> None:
    network = random_arcs(60, 200, 9, 1)
    sequential = wayfront.search(network, 0, "dijkstra", "cpu", threads=2, runs=0, trace=True)
    assert sequential.note == "this search ran on one core: it is sequential"
    small = wayfront.search(network, 0, "relax-update", "cpu", threads=2, runs=0, trace=True)
    assert small.note.startswith("this search ran on one core: it launched nothing large enough")
    assert wayfront.search(network, 0, "relax-update", "cpu", runs=0, trace=True).note == ""


def test_another_number_of_threads_than_there_are_cores_is_refused() -> None:
    network = random_arcs(6, 20, 9, 1)
    for wrong in (0, -1, "2", 1.5, True):
        with pytest.raises(DeviceError, match=f"1 or more threads, a whole number, not on {wrong!r}"):
            wayfront.search(network, 0, "dijkstra", "cpu", threads=wrong)  # type: ignore[arg-type]
    with pytest.raises(
        DeviceError, match=f"at most {describe_device('cpu').threads} threads here, the usable cores, not on 999"
    ):
        wayfront.search(network, 0, "dijkstra", "cpu", threads=999)


def test_clean_runs_are_timed_apart_from_the_traced_one() -> None:
    result = wayfront.search(random_arcs(300, 900, 9, 1), 0, "near-far", "cpu", runs=3, trace=True)
    timing = result.timing
    assert len(timing.runs_ms) == 3
    assert min(timing.runs_ms) <= (timing.median_ms or 0) <= max(timing.runs_ms)
    assert timing.traced_ms is not None
    assert timing.overhead is not None
    assert {"processor", "python", "numba", "threads"} <= set(timing.machine)
    untraced = wayfront.search(result.network, 0, "near-far", "cpu", runs=0, trace_budget=None)
    assert untraced.trace is None
    assert untraced.timing.median_ms is None
    assert (untraced.distances == result.distances).all()


def test_options_are_displayed_as_given() -> None:
    network = random_arcs(30, 90, 9, 1)
    chosen = wayfront.search(network, 0, "near-far", "cpu", options={"delta": "auto"}, runs=0, trace=True)
    given_delta = wayfront.search(network, 0, "near-far", "cpu", options={"delta": "12"}, runs=0, trace=True)
    assert chosen.summary()["options"] == {"delta": "auto"}
    assert given_delta.summary()["options"] == {"delta": 12}


def test_the_trace_describes_every_step() -> None:
    network = from_name("synthetic:grid?columns=30&rows=30&seed=1")
    result = wayfront.search(network, 0, "delta-stepping", "cpu", runs=0, trace=True)
    trace = there(result.trace)
    steps = list(trace)
    assert Counter(s.note.phase for s in steps).keys() == {"light arcs", "heavy arcs"}
    assert all(s.note.low <= s.note.high and s.note.bucket >= 0 and s.note.reason for s in steps)
    assert [s.note.bucket for s in steps] == sorted(s.note.bucket for s in steps)
    assert sum(s.relaxations for s in steps) == result.relaxations
    settled = trace.settled_distance(result.distances)
    assert (np.diff(settled) >= 0).all()
    assert settled[-1] == result.distances.max()


def test_a_small_budget_thins_frontiers_and_nothing_else() -> None:
    network = from_name("synthetic:grid?columns=60&rows=60&seed=1")
    whole = wayfront.search(network, 0, "relax-update", "cpu", runs=0, trace=True).trace
    thin = wayfront.search(network, 0, "relax-update", "cpu", runs=0, trace_budget=5000).trace
    assert whole is not None
    assert thin is not None
    assert thin.stride > 1
    assert thin.frontier_nodes.nbytes <= 5000
    assert whole.stride == 1
    for field in ("frontier_size", "relaxations", "improved", "first_reached", "last_improved"):
        assert (getattr(thin, field) == getattr(whole, field)).all(), field
    for k in range(0, len(whole), 7):
        assert set(thin.frontier(k)) <= set(whole.frontier(k))
        if whole.frontier_size[k]:
            assert len(thin.frontier(k)) >= 1


def test_cancel_stops_between_two_steps() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(SearchCancelled, match="stopped"):
        wayfront.search(random_arcs(300, 900, 9, 1), 0, "relax-update", "cpu", cancel=cancel, trace=True)


def test_progress_gives_the_trace_so_far() -> None:
    seen: list[tuple[str, int, int]] = []

    def note(progress: Progress) -> None:
        seen.append((progress.stage, progress.step, len(progress.snapshot()) if progress.snapshot else -1))

    wayfront.search(from_name("synthetic:ring?n=3000"), 0, "relax-update", "cpu", runs=1, progress=note, trace=True)
    traced = [(step, length) for stage, step, length in seen if stage == "tracing"]
    assert traced
    assert all(step == length for step, length in traced)


def test_what_a_search_does_before_its_first_step_is_no_part_of_the_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    def steps(*seconds: float) -> Iterator[int | None]:
        for took in seconds:
            clock[0] += took
            yield None

    run: Any = SimpleNamespace(device=SimpleNamespace(synchronize=lambda: None), check=lambda: None)
    assert driver.seconds_a_step(steps(10.0, *[0.01] * 100), run) == pytest.approx(0.01)
    assert driver.seconds_a_step(steps(3.0), run) == 3.0


def test_a_long_search_is_forecast_before_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Progress] = []
    network = random_arcs(3000, 9000, 9, 1)
    wayfront.search(network, 0, "cuda-dijkstra", "cpu", runs=0, progress=seen.append, trace=True)
    told = seen[0]
    assert (told.stage, told.steps_ahead, told.snapshot) == ("forecast", 3000, None)
    assert told.seconds_ahead is not None
    assert 0 < told.seconds_ahead < 60
    assert all(p.steps_ahead == 3000 and p.stage != "forecast" for p in seen[1:])
    monkeypatch.setattr(timed_runs, "LONG_S", told.seconds_ahead / 1e6)
    assert len(wayfront.search(network, 0, "cuda-dijkstra", "cpu", runs=None).timing.runs_ms) == 1
    assert len(wayfront.search(network, 0, "cuda-dijkstra", "cpu", runs=2, trace=True).timing.runs_ms) == 2
    seen.clear()
    wayfront.search(network, 0, "bellman-ford-v1", "cpu", runs=0, progress=seen.append, trace=True)
    assert all(p.stage != "forecast" and p.steps_ahead is None for p in seen)


def test_passes_that_change_nothing_are_one_step_of_the_trace() -> None:
    network = from_name("synthetic:ring?n=300")
    options = {"stop": "after n − 1 passes"}
    for name in ("bellman-ford", "bellman-ford-v1", "bellman-ford-v3"):
        trace = there(wayfront.search(network, 0, name, "cpu", options=options, runs=0, trace=True).trace)
        assert len(trace) < 299
        assert "passes change nothing" in trace.step(len(trace) - 1).note.reason
        assert trace.improved[-1] == 0


def test_adaptive_threads_change_their_mode_by_what_a_step_did() -> None:
    network = from_name("synthetic:grid?columns=60&rows=60&seed=1")
    options = {"judge": "frontier size", "list_up_to": 60}
    trace = wayfront.search(network, 1770, "adaptive", "cpu", options=options, runs=0, trace=True).trace
    baseline = wayfront.search(network, 1770, "relax-update", "cpu", runs=0, trace=True).trace
    assert trace is not None
    assert baseline is not None
    assert (trace.frontier_nodes == baseline.frontier_nodes).all(), "both modes do the same work in the same steps"
    modes = [step.note.mode for step in trace]
    assert modes[0] == "frontier list"
    assert {"frontier list", "all nodes"} == set(modes)
    for step, mode in zip(list(trace)[:-1], modes[1:], strict=True):
        assert mode == ("all nodes" if step.note.queue > 60 else "frontier list")
        assert step.note.phase.endswith("switch") == (step.note.mode == "all nodes" and mode == "frontier list")


def test_queue_orders_bring_the_search_nearer_to_dijkstras() -> None:
    network = from_name("synthetic:grid?columns=80&rows=80&seed=1")
    work = {}
    for order in ("FIFO", "SLF", "LLL", "SLF + LLL"):
        options = {"order": order, "batch": 16}
        result = wayfront.search(network, 0, "bellman-ford-queue", "cpu", options=options, runs=0, trace=True)
        assert result.trace is not None
        assert (result.trace.queue >= 0).all()
        assert result.trace.queue[-1] == 0
        work[order] = there(result.relaxations)
    assert work["SLF + LLL"] < work["FIFO"]
    assert work["SLF"] < work["FIFO"]


def test_ell_says_what_its_padding_would_need(monkeypatch: pytest.MonkeyPatch) -> None:
    from wayfront.devices.cpu import CpuDevice

    monkeypatch.setattr(CpuDevice, "free_bytes", lambda _self: 1 << 20)
    star = make_network(3000, [(u, 0, 1) for u in range(1, 3000)])
    with pytest.raises(OptionError, match="3,000 rows to the longest one's 2,999 arcs: 69 MiB, and 1 MiB are free"):
        wayfront.search(star, 1, "bellman-ford-matrix", "cpu", options={"format": "ELL"}, runs=0, trace=True)
    wayfront.search(star, 1, "bellman-ford-matrix", "cpu", options={"format": "CSR"}, runs=0, trace=True)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"algorithm": "contraction"}, OptionError, "there are: dijkstra"),
        ({"algorithm": "near-far", "options": {"delta": 0.5}}, OptionError, "whole number"),
        ({"algorithm": "near-far", "options": {"delta": -3}}, OptionError, "between"),
        ({"algorithm": "near-far", "options": {"width": 3}}, OptionError, "options: delta"),
        ({"algorithm": "delta-stepping", "options": {"rule": "largest"}}, OptionError, "one of"),
        ({"metric": "beauty"}, NetworkError, "it has: weight"),
        ({"device": "tpu"}, DeviceError, "there are: auto"),
        ({"algorithm": "near-far-resident", "device": "cpu"}, DeviceError, "cuda:0 or simulator"),
        ({"source": 99}, NetworkError, "no internal node 99"),
        ({"source": -1}, NetworkError, "no internal node -1"),
        ({"source": 1.5}, NetworkError, "a whole number, not 1.5"),
        ({"source": True}, NetworkError, "a whole number, not True"),
        ({"source": "3"}, NetworkError, "a whole number, not '3'"),
    ],
)
def test_errors_say_what_cannot_be_done(arguments: dict[str, object], error: type, message: str) -> None:
    given_arguments = {"source": 0, "device": "cpu", **arguments}
    with pytest.raises(error, match=message):
        wayfront.search(random_arcs(5, 9, 3, 1), **given_arguments, trace=True)  # type: ignore[call-overload]


@pytest.mark.parametrize("whole", [np.int32(3), np.uint8(3), np.int64(3)])
def test_a_source_may_be_a_numpy_integer(whole: int) -> None:
    assert wayfront.search(random_arcs(5, 9, 3, 1), whole, "dijkstra", "cpu", runs=0, trace=True).summary()["source"]


def test_delta_stepping_refuses_only_what_bucket_indices_cannot_hold() -> None:
    heavy = make_network(6, [(u, u + 1, 2**31 - 1) for u in range(5)])
    assert refusal(heavy, 0, "delta-stepping", {"delta": 2}) == "delta 2 could need 6,442,450,941 buckets here"
    assert search_unless_refused(heavy, 0, "delta-stepping", "cpu", options={"delta": 2}, runs=0) is None
    # From the last node a distance fits 32 bits, unless it is recorded; with a large Δ an index does.
    assert wayfront.search(heavy, 5, "delta-stepping", "cpu", options={"delta": 2}, verify=True).verified
    assert search_unless_refused(heavy, 5, "delta-stepping", "cpu", options={"delta": 2}) is None
    assert search_unless_refused(heavy, 0, "delta-stepping", "cpu", options={"delta": 7}, runs=0) is not None


ONE_STEP_A_NODE = "cuda-dijkstra"
"""It takes minutes there without a card; tests/cuda searches New York so on the card."""
PASSES_OVER_ALL = (
    *("bellman-ford", "bellman-ford-v1", "bellman-ford-v2", "bellman-ford-v3", "bellman-ford-matrix"),
    *("adaptive", "advanced-atomics"),
)
"""They take many seconds there, for the steps of relax-update, which stands for them; on the card all are tried."""
NEW_YORK = [
    (name, metric, total, largest)
    for metric, total, largest in (
        ("length", 186_686_642_878, 1_440_081),
        ("travel time", 233_812_473_957, 1_916_421),
    )
    for name in ON_CPU
    if name not in (ONE_STEP_A_NODE, *PASSES_OVER_ALL) and (metric == "length" or name != "relax-update")
]


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "metric", "total", "largest"), NEW_YORK)
def test_new_york(new_york_files: dict[str, Path], name: str, metric: str, total: int, largest: int) -> None:
    network = wayfront.open_network(new_york_files["length"])
    result = wayfront.search(
        network, network.node(1), name, "cpu", metric=metric, runs=0, trace_budget=None, verify=True
    )
    summary = result.summary()
    assert (summary["reached"], summary["sum_distance"]) == (264_346, total)
    assert (summary["max_distance"], summary["farthest"]) == (largest, 90644)
    reference = wayfront.search(network, network.node(1), "dijkstra", "cpu", metric=metric, runs=0, trace_budget=None)
    assert (result.parents == reference.parents).all() or find_algorithm(name).keeps_parents
    certify(result)
