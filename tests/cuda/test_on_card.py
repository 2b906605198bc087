"""Everything that runs only on an NVIDIA card: every search against the reference, bit for bit, and truthful logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import wayfront
from search_checks import check_around_the_limit, networks, random_arcs, search_unless_refused, variants
from wayfront.devices import describe_device, devices, open_device
from wayfront.devices.atomics import atomic_add, next_place
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import SearchKind
from wayfront.safe.errors import NetworkError
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.synthetic import from_name

CARD = devices()[1]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not CARD.available, reason=CARD.why_not or "no card")]

ON_CARD = [a.name for a in algorithms(SearchKind.ONE_TREE) if a.runs_on(describe_device("cuda"))]
VARIANTS = variants("cuda")
RANDOM = [(1, 0, 1), (5, 8, 3), (60, 90, 0), (50, 200, 10**9), (20_000, 60_000, 3), (3000, 300_000, 99)]
"""Nodes, arcs and the largest weight of random networks."""
SHAPES = ["ring?n=4000", "complete?n=300", "rmat?n=16384&m=131072&seed=3", "grid?columns=150&rows=100&seed=2"]


def add_to_all(i: int, array: Any, value: int) -> None:
    atomic_add(array, i, value)


def list_by_parity(i: int, counts: Any, odd: Any, even: Any) -> None:
    for turn in range(i % 3):
        if (i + turn) % 2:
            odd[next_place(counts, 1)] = i
        else:
            even[next_place(counts, 0)] = i


def check_against_reference(network: RoadNetwork, source: int, name: str, options: dict[str, Any]) -> None:
    reference = wayfront.search(network, source, "dijkstra", "cpu", runs=0, trace=True)
    result = search_unless_refused(network, source, name, "cuda", options=options, runs=1, verify=True)
    if result is None:
        return
    assert (result.distances == reference.distances).all()
    assert (result.parents == reference.parents).all() or find_algorithm(name).keeps_parents
    assert result.trace is not None
    assert ((result.trace.first_reached >= 0) == reference.reached).all()
    assert {step.note.phase for step in result.trace} <= set(find_algorithm(name).phases)


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_random_networks(name: str, options: dict[str, Any]) -> None:
    for n, m, largest in RANDOM:
        network = random_arcs(n, m, largest, seed=n)
        if name == "dissection" and n == 20_000:
            with pytest.raises(NetworkError, match="does not fall apart along few nodes"):
                wayfront.search(network, 0, name, "cuda", trace=True)
        else:
            check_against_reference(network, 0, name, options)


@pytest.mark.parametrize("name", ON_CARD)
def test_shapes(name: str) -> None:
    for shape in SHAPES:
        check_against_reference(from_name(f"synthetic:{shape}"), 7, name, {})


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
@settings(max_examples=6, deadline=None)
@given(network=networks())
def test_any_network(name: str, options: dict[str, Any], network: RoadNetwork) -> None:
    check_against_reference(network, 0, name, options)


def test_lanes_that_append_together_take_places_of_their_own() -> None:
    device, n = open_device("cuda"), 100_001
    counts, odd, even = (device.put(np.zeros(size, np.int32)) for size in (2, n, n))
    device.prepare(list_by_parity)(n, counts, odd, even)
    pairs = [(i, (i + turn) % 2) for i in range(n) for turn in range(i % 3)]
    for parity, found in ((0, even), (1, odd)):
        expected = sorted(i for i, own in pairs if own == parity)
        assert device.get(counts).tolist()[parity] == len(expected)
        assert sorted(device.get(found, len(expected)).tolist()) == expected


def test_a_captured_step_repeats_its_launches() -> None:
    device = open_device("cuda")
    array = device.put(np.zeros(5, np.int32))
    add = device.prepare(add_to_all)
    step = device.record(lambda: [add(5, array, 1), add(3, array, 10)])  # type: ignore[arg-type]
    for _ in range(4):
        step()
    assert device.get(array).tolist() == [44, 44, 44, 4, 4]


def test_a_launcher_follows_its_arguments() -> None:
    device = open_device("cuda")
    arrays = [device.put(np.zeros(4, dtype)) for dtype in (np.int32, np.int64, np.int32)]
    add = device.prepare(add_to_all)
    for array, value in zip(arrays, (3, 2**40, -7), strict=True):
        add(4, array, value)
        add(2, array, value)
    assert [device.get(array).tolist() for array in arrays] == [
        [6, 6, 3, 3],
        [2**41] * 2 + [2**40] * 2,
        [-14, -14, -7, -7],
    ]


def test_a_resident_search_logs_its_steps_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    from wayfront.algorithms import near_far as near_far_resident

    network = from_name("synthetic:grid?columns=200&rows=200&seed=4")
    whole = wayfront.search(network, 0, "near-far-resident", "cuda", runs=0, trace=True).trace
    monkeypatch.setattr(near_far_resident, "STEPS_AT_ONCE", 16)
    parts = wayfront.search(network, 0, "near-far-resident", "cuda", runs=0, trace=True).trace
    assert whole is not None
    assert parts is not None
    assert len(parts) > 32
    assert np.unique(parts.frontier_nodes).tolist() == np.unique(whole.frontier_nodes).tolist()
    assert (parts.time_ns > 0).all()


@pytest.mark.real_data
@pytest.mark.parametrize("name", ON_CARD)
@pytest.mark.parametrize(("metric", "total"), [("length", 186_686_642_878), ("travel time", 233_812_473_957)])
def test_new_york(new_york_files: dict[str, Path], name: str, metric: str, total: int) -> None:
    network = wayfront.open_network(new_york_files["length"])
    result = wayfront.search(network, network.node(1), name, "cuda", metric=metric, runs=1, verify=True, trace=True)
    assert result.summary()["sum_distance"] == total


@pytest.mark.parametrize("name", ON_CARD)
def test_distances_around_the_limit_of_32_bits(name: str) -> None:
    for over in (-1, 0, 1):
        check_around_the_limit(name, "cuda", over)
