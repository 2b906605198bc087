"""Flows by dissection are those of shortest paths: against brute force, whatever the order of sources and the cut."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import wayfront
from dissected import street_grid
from flows_checks import (
    FAR,
    all_distances,
    brandes,
    check_flows,
    check_one_source,
    random_cut,
    random_network,
)
from search_checks import make_network
from wayfront.devices.cpu import CpuDevice
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.host import flows_classes, flows_regions, flows_ties_classes
from wayfront.dissection.host.flows import dissection_flows
from wayfront.dissection.host.flows_classes import flow_by_classes
from wayfront.dissection.host.flows_fronts import Fronts
from wayfront.dissection.host.flows_lanes import flow_along_lanes, uses_of, walk_of, ways_of
from wayfront.dissection.host.flows_ties import TiedFronts, flow_along_ties, paths_of
from wayfront.dissection.host.flows_ties_classes import flow_ties_by_classes
from wayfront.dissection.passing import Entries, Uses
from wayfront.dissection.shape import FrontLayout
from wayfront.dissection.store import dissection_of
from wayfront.safe.errors import NetworkError, SearchCancelled


@pytest.fixture(scope="module")
def device() -> Iterator[CpuDevice]:
    device = CpuDevice(threads=1)
    yield device
    device.close()


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_flows_of_random_networks_are_those_of_shortest_paths(device: CpuDevice, first: int) -> None:
    for seed in range(first, first + 20):
        random = np.random.default_rng(seed)
        network = random_network(random)
        n, cut = network.node_count, random_cut(network, random, int(random.integers(1, 9)))
        weights = network.metrics[0].weights.copy()
        weights[random.random(len(weights)) < 0.2 * (seed % 3)] = -1
        every = dissection_flows(cut, network, weights, device)
        check_flows(every, network, weights, np.ones((n, n), np.int64))
        sources = random.integers(0, n, int(random.integers(1, 100)))
        origins, destinations = random.integers(0, 5, len(sources)), random.integers(0, 5, n)
        some = dissection_flows(
            cut, network, weights, device, sources=sources, origins=origins, destinations=destinations
        )
        demand = np.zeros((n, n), np.int64)
        np.add.at(demand, sources, origins[:, None] * destinations)
        check_flows(some, network, weights, demand)

        total = np.zeros_like(every.arc_flow)
        for source in range(n):
            alone = dissection_flows(cut, network, weights, device, sources=np.array([source]))
            check_one_source(alone, network, weights, source, np.ones(n, np.int64))
            total += alone.arc_flow
        assert (total == every.arc_flow).all()


def uses_one_by_one(fronts: Fronts, entries: Entries, demand: NDArray[np.int32], members: NDArray[np.int32]) -> Uses:
    """Return what passes each entry, source by source."""
    n, uses = len(demand), uses_of(entries, len(demand), np.dtype(np.int64))
    walk, sources = walk_of(fronts.cut, entries, demand), np.full(-(-n // 64) * 64, -1, np.int32)
    sources[:n] = np.arange(n)
    many, unit = np.concatenate((members, np.zeros(64, np.int32)))[: len(sources)], bool((members == 1).all())
    flow_along_lanes(fronts.infinity, unit, sources, many, walk, ways_of(walk, fronts.dtype), uses)
    return uses


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_sources_by_classes_have_the_same_flows(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows_regions, "SMALLER", 1 + first % 4)
    for seed in range(first, first + 50):
        random = np.random.default_rng(seed)
        network = random_network(random)
        n, cut = network.node_count, random_cut(network, random, int(random.integers(1, 9)))
        weights = network.metrics[0].weights.astype(np.int64) * n + 1
        weights[random.random(len(weights)) < 0.2 * (seed % 3)] = -1
        fronts = Fronts(FrontLayout.of(cut, network), np.dtype(np.int32))
        assert fronts.close(weights)
        entries = fronts.thinned(thin=bool(seed % 4))
        demand = random.integers(0, 5, n).astype(np.int32)
        members = np.ones(n, np.int32) if seed % 2 else random.integers(0, 5, n).astype(np.int32)
        one_by_one = uses_one_by_one(fronts, entries, demand, members)
        together = flow_by_classes(
            *(fronts, entries, demand, members),
            network_name=network.name,
            report=lambda _done: None,
            least=int(random.choice([0, 3, 6, 12])),
            spread=seed % 5 > 0,
        )
        for one, other in zip(one_by_one, together, strict=True):
            assert (one == other).all()


@pytest.mark.parametrize("scale", [1, 300, 3000, 40_000])
def test_leaves_in_16_bits_have_the_same_flows(scale: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows_regions, "SMALLER", 2)
    network = wayfront.open_network("synthetic:grid?columns=17&rows=15")
    n, random = network.node_count, np.random.default_rng(scale)
    cut = random_cut(network, random, 9)
    for seed in range(4):
        weights = scale * random.integers(1, 10, network.arc_count)
        if seed == 3:
            weights[random.random(len(weights)) < 0.05] = -1
        fronts = Fronts(FrontLayout.of(cut, network), np.dtype(np.int32))
        assert fronts.close(weights)
        entries = fronts.thinned()
        demand = np.full(n, 3, np.int32) if seed else random.integers(0, 5, n).astype(np.int32)
        members = random.integers(0, 5, n).astype(np.int32)
        one_by_one = uses_one_by_one(fronts, entries, demand, members)
        together = flow_by_classes(
            *(fronts, entries, demand, members), network_name=network.name, report=lambda _done: None, least=20
        )
        for one, other in zip(one_by_one, together, strict=True):
            assert (one == other).all()


def test_each_pair_has_one_path_that_depends_on_nobody_else(device: CpuDevice) -> None:
    network = random_network(np.random.default_rng(9), 25)
    cut, n = random_cut(network, np.random.default_rng(1), 4), network.node_count
    weights = network.metrics[0].weights
    total = np.zeros(network.arc_count, np.int64)
    for source in range(n):
        for target in range(n):
            wanted = (np.arange(n) == target).astype(np.int64)
            pair = dissection_flows(cut, network, weights, device, sources=np.array([source]), destinations=wanted)
            assert set(pair.arc_flow.tolist()) <= {0, 1}
            assert set(pair.through.tolist()) <= {0, 1}
            total += pair.arc_flow
    assert (dissection_flows(cut, network, weights, device).arc_flow == total).all()


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_all_shortest_paths_share_as_networkx_has_it(device: CpuDevice, first: int) -> None:
    for seed in range(first, first + 20):
        random = np.random.default_rng(seed)
        network = random_network(random, 30)
        n, cut = network.node_count, random_cut(network, random, int(random.integers(1, 9)))
        weights = network.metrics[0].weights.copy()
        weights[random.random(len(weights)) < 0.2 * (seed % 3)] = -1
        found = dissection_flows(cut, network, weights, device, all_ties=True)
        arcs, nodes = brandes(network, weights)
        np.testing.assert_allclose(found.arc_flow, arcs, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.through, nodes, rtol=1e-9, atol=1e-9)
        sources = random.integers(0, n, 90)
        origins, destinations = random.random(90), random.random(n)
        some = dissection_flows(
            *(cut, network, weights, device),
            sources=sources,
            origins=origins,
            destinations=destinations,
            all_ties=True,
        )
        demand = np.zeros((n, n))
        np.add.at(demand, sources, origins[:, None] * destinations)
        np.fill_diagonal(demand, 0)
        distances = all_distances(network, weights)
        there = np.where(distances < FAR, demand, 0)
        assert some.trips == pytest.approx(there.sum())
        assert some.unreached == pytest.approx(demand.sum() - there.sum(), abs=1e-9)
        assert (some.arc_flow * weights).sum() == pytest.approx((there * np.minimum(distances, FAR)).sum())


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_shortest_paths_share_by_classes_as_source_by_source(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows_regions, "SMALLER", 1 + first // 20)
    for seed in range(first, first + 20):
        random = np.random.default_rng(seed)
        network = street_grid(8, 9, 3, seed) if seed % 3 == 0 else random_network(random)
        n, cut = network.node_count, random_cut(network, random, int(random.integers(1, 9)))
        weights = network.metrics[0].weights.astype(np.int64) % 3 + 1
        weights[random.random(len(weights)) < 0.1 * (seed % 3)] = -1
        fronts = Fronts(FrontLayout.of(cut, network), np.dtype(np.int32))
        assert fronts.close(weights)
        entries, counted = fronts.thinned(thin=bool(seed % 4)), TiedFronts(fronts)
        counts = counted.counts_of(entries)
        demand, members = random.random(n), random.integers(0, 5, n).astype(np.float64)
        one_by_one = uses_of(entries, n, np.dtype(np.float64))
        walk, sources = walk_of(cut, entries, demand), np.full(-(-n // 64) * 64, -1, np.int32)
        sources[:n] = np.arange(n)
        padded, ways = np.concatenate((members, np.zeros(64))), ways_of(walk, fronts.dtype)
        paths = paths_of(counts, ways)
        flow_along_ties(fronts.infinity, sources, padded[: len(sources)], walk, ways, paths, one_by_one)
        together = flow_ties_by_classes(
            *(fronts, entries, counts, demand, members),
            network_name=network.name,
            report=lambda _done: None,
            least=int(random.choice([0, 3, 6, 12])),
            spread=seed % 5 > 0,
        )
        for one, other in zip(one_by_one, together, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-11, atol=1e-11)


def test_more_paths_than_float64_counts_are_told_apart_by_classes_or_refused(device: CpuDevice) -> None:
    diamonds = [(3 * i + a, 3 * i + b, 1) for i in range(1100) for a, b in ((0, 1), (0, 2), (1, 3), (2, 3))]
    chain = make_network(3301, diamonds)
    cut, weights = dissect(chain), chain.metrics[0].weights
    found = dissection_flows(cut, chain, weights, device, all_ties=True)
    between = 3.0 * np.arange(1101)
    np.testing.assert_allclose(found.through[::3], between * between[::-1], rtol=1e-12)
    with pytest.raises(NetworkError, match="more shortest paths"):
        dissection_flows(cut, chain, weights, device, sources=np.array([0]), all_ties=True)


def test_demand_of_parts_and_of_large_numbers_is_that_of_whole_numbers_multiplied(device: CpuDevice) -> None:
    random = np.random.default_rng(4)
    network = random_network(random)
    n, cut, weights = network.node_count, dissect(network), network.metrics[0].weights
    origins, destinations = random.integers(0, 7, n), random.integers(0, 7, n)
    whole = dissection_flows(cut, network, weights, device, origins=origins, destinations=destinations)
    large = dissection_flows(cut, network, weights, device, origins=origins, destinations=destinations * 10**9)
    parts = dissection_flows(cut, network, weights, device, origins=origins / 7, destinations=destinations / 11)
    assert large.arc_flow.dtype == np.int64
    assert (large.arc_flow == whole.arc_flow * 10**9).all()
    assert (large.through == whole.through * 10**9).all()
    assert large.trips == whole.trips * 10**9
    np.testing.assert_allclose(parts.arc_flow, whole.arc_flow / 77, rtol=1e-13)
    np.testing.assert_allclose(parts.through, whole.through / 77, rtol=1e-12, atol=1e-12)
    assert parts.trips == pytest.approx(whole.trips / 77)
    assert parts.unreached == pytest.approx(whole.unreached / 77)


def test_cores_add_up_the_same(device: CpuDevice) -> None:
    network = random_network(np.random.default_rng(6), 36)
    cut, weights = dissect(network), network.metrics[0].weights
    sources = np.random.default_rng(0).integers(0, network.node_count, 1500)
    alone = dissection_flows(cut, network, weights, device, sources=sources)
    two = CpuDevice(threads=2)
    heard: list[float] = []
    both = dissection_flows(
        cut, network, weights, two, sources=sources[::-1], progress=lambda _what, done: heard.append(done)
    )
    two.close()
    times = np.bincount(sources, minlength=network.node_count)
    check_flows(alone, network, weights, np.repeat(times[:, None], len(times), axis=1))
    assert (alone.arc_flow == both.arc_flow).all()
    assert (alone.through == both.through).all()
    assert heard == sorted(heard)
    assert heard[-1] == 1
    assert both.seconds.keys() == {"close", "thin", "flow", "unpack"}


def test_a_second_block_of_sources_begins_anew(device: CpuDevice) -> None:
    network = street_grid(16, 16, 9, 3)
    n, weights = network.node_count, np.maximum(network.metrics[0].weights, 1)
    sources = np.random.default_rng(3).permutation(n)[:72]
    demand = np.zeros((n, n), np.int64)
    demand[sources] = 1
    check_flows(dissection_flows(dissect(network), network, weights, device, sources=sources), network, weights, demand)


def test_threads_unpack_the_same() -> None:
    network = street_grid(12, 12, 9, 3)
    cut, random = random_cut(network, np.random.default_rng(3), 5), np.random.default_rng(4)
    fronts = Fronts(FrontLayout.of(cut, network), np.dtype(np.int32))
    assert fronts.close(network.metrics[0].weights.astype(np.int64) + 1)
    entries = fronts.thinned()
    l_use, r_use = (random.integers(0, 9, len(at)) for at in (entries.l_at, entries.r_at))
    alone, together = np.zeros((2, network.arc_count), np.int64)
    fronts.unpack(entries, l_use, r_use, alone)
    fronts.unpack(entries, l_use, r_use, together, threads=3)
    assert alone.sum() > 0
    assert (alone == together).all()


def test_long_paths_take_64_bits_and_endless_demand_is_refused(device: CpuDevice) -> None:
    chain = make_network(3, [(0, 1, 2**31 - 1), (1, 2, 2**31 - 1)])
    weights = chain.metrics[0].weights
    found = dissection_flows(dissect(chain), chain, weights, device, destinations=np.full(3, 10**9))
    assert found.arc_flow.tolist() == [2 * 10**9, 2 * 10**9]
    with pytest.raises(NetworkError, match="infinite"):
        dissection_flows(dissect(chain), chain, weights, device, destinations=np.array([1.0, np.inf, 1.0]))


def test_pools_grow(device: CpuDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    network = street_grid(12, 12, 9, 3)
    cut, weights = dissect(network), np.maximum(network.metrics[0].weights, 1)
    before = dissection_flows(cut, network, weights, device)
    monkeypatch.setattr(flows_classes, "POOL_START", 64)
    monkeypatch.setattr(flows_classes, "POOL_SHARE", 0)
    monkeypatch.setattr(flows_classes, "LEAST_BELOW", 20)
    after = dissection_flows(cut, network, weights, device)
    assert (after.arc_flow == before.arc_flow).all()
    n = network.node_count
    check_flows(after, network, weights, np.ones((n, n), np.int64))
    monkeypatch.setattr(flows_ties_classes, "POOL_START", 64)
    monkeypatch.setattr(flows_ties_classes, "POOL_SHARE", 0)
    monkeypatch.setattr(flows_ties_classes, "LEAST_BELOW", 20)
    shared = dissection_flows(cut, network, weights, device, all_ties=True)
    np.testing.assert_allclose(shared.arc_flow, brandes(network, weights)[0], rtol=1e-9)


def test_it_can_be_cancelled(device: CpuDevice) -> None:
    network = random_network(np.random.default_rng(2))
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(SearchCancelled):
        dissection_flows(dissect(network), network, network.metrics[0].weights, device, cancel=cancelled)


@pytest.mark.real_data
def test_flows_of_new_york_add_up_to_the_distances_of_all_pairs(
    device: CpuDevice, new_york_files: dict[str, Path]
) -> None:
    network = wayfront.open_network(new_york_files["length"])
    cut, weights = dissection_of(network, threads=1), network.metrics[0].weights
    assert cut is not None
    found = dissection_flows(cut, network, weights, device)
    assert int((found.arc_flow * weights).sum()) == 35_051_039_992_050_900
    assert (found.trips, found.unreached) == (264_346 * 264_345, 0)
