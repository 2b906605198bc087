"""Trees of the host's engine are Dijkstra's: one and many, vectors and plain loops, after every change of weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dissected import street_grid
from pairs_checks import expected_matrix, shapes
from search_checks import make_network, networks, plain_distances
from wayfront.devices import open_device
from wayfront.devices.cpu import CpuDevice
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.engine import Engine, make_engine
from wayfront.dissection.host import order as host_order
from wayfront.dissection.host.engine import HostEngine
from wayfront.dissection.host.tree import MOST_WIDE
from wayfront.dissection.host.vectors import LANES_1, LANES_16, Lanes
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import DeviceMemoryError

SMALL, FEW_LARGE, LARGE = 50, 3000, 200_000
"""Largest weights with which all rows of leaves fit 16 bits, all but a few, and hardly any."""


@pytest.fixture
def device() -> Iterator[CpuDevice]:
    device = CpuDevice(threads=2)
    yield device
    device.close()


def open_arcs(network: RoadNetwork, weights: NDArray[np.integer]) -> RoadNetwork:
    arcs = zip(network.tails().tolist(), network.targets.tolist(), weights.tolist(), strict=True)
    return make_network(network.node_count, [arc for arc in arcs if arc[2] >= 0])


def expected(network: RoadNetwork, weights: NDArray[np.integer], source: int, dtype: type) -> list[int]:
    infinity = np.iinfo(dtype).max
    return [infinity if d is None else d for d in plain_distances(open_arcs(network, weights), source)]


def engine_of(
    network: RoadNetwork, device: CpuDevice, dtype: type, *, threads: int = 1, lanes: Lanes | None = None
) -> HostEngine:
    return HostEngine(device, dissect(network), network, np.dtype(dtype), threads=threads, lanes=lanes)


def check_trees(engine: HostEngine, network: RoadNetwork, weights: NDArray[np.integer], dtype: type, step: int) -> None:
    found: NDArray[Any] = np.empty(network.node_count, dtype)
    for source in range(0, network.node_count, step):
        engine.tree(source, found)
        assert found.tolist() == expected(network, weights, source, dtype)


def check_forests(engine: HostEngine, network: RoadNetwork, weights: NDArray[np.integer], dtype: type) -> None:
    """Compare forests with the least of their seeds' trees: of one, several in a cell, one twice, and all nodes."""
    random, n = np.random.default_rng(2), network.node_count
    found: NDArray[Any] = np.empty(n, dtype)
    for seeds in ([3], [4, 5, 4, 90], random.choice(n, 40).tolist(), list(range(n))):
        costs: NDArray[Any] = random.integers(0, 60, len(seeds)).astype(dtype)
        rows = np.array([expected(network, weights, seed, dtype) for seed in seeds], np.int64)
        infinity = np.iinfo(dtype).max
        least = np.where(rows == infinity, infinity, rows + costs[:, None]).min(0)
        engine.forest(np.array(seeds, np.int32), costs, found)
        assert found.tolist() == least.tolist()


@pytest.mark.parametrize(
    ("dtype", "lanes", "threads", "largest"),
    [
        *((np.int32, LANES_16, 1, largest) for largest in (SMALL, FEW_LARGE, LARGE)),
        *((np.int32, LANES_16, 2, largest) for largest in (SMALL, FEW_LARGE, LARGE)),
        (np.int32, LANES_1, 1, FEW_LARGE),
        (np.int64, None, 1, FEW_LARGE),
        (np.int64, None, 1, LARGE),
    ],
)
def test_one_tree_at_a_time(
    device: CpuDevice, monkeypatch: pytest.MonkeyPatch, dtype: type, lanes: Lanes | None, threads: int, largest: int
) -> None:
    monkeypatch.setattr(host_order, "PART", 60)
    network = street_grid(15, 12, largest, seed=largest)
    weights = network.metrics[0].weights.copy()
    if largest == FEW_LARGE:
        weights[7::300] = 70_000
    engine = engine_of(network, device, dtype, threads=threads, lanes=lanes)
    assert engine.customise(weights)
    share = engine.leaves_in_full_width / len(engine.order.leaf_cells)
    assert {SMALL: share == 0, FEW_LARGE: 0 < share < 1 / MOST_WIDE, LARGE: share > 1 / MOST_WIDE}[largest]
    check_trees(engine, network, weights, dtype, 23)
    check_forests(engine, network, weights, dtype)
    assert (device.shared_launches > 0) == (threads == 2)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_weights_change_and_roads_close(device: CpuDevice, dtype: type) -> None:
    network = street_grid(12, 10, SMALL, seed=3)
    weights, random = network.metrics[0].weights.copy(), np.random.default_rng(4)
    engine = engine_of(network, device, dtype)
    assert engine.customise(weights)
    for most in (0, 100, 90_000, 100):
        arcs = random.choice(network.arc_count, 40, replace=False)
        weights[arcs] = random.integers(-1, most + 1, 40)
        assert engine.change(arcs, weights[arcs])
        check_trees(engine, network, weights, dtype, 31)
    check_forests(engine, network, weights, dtype)


@pytest.mark.parametrize(("dtype", "threads"), [(np.int32, 1), (np.int32, 2), (np.int64, 1)])
def test_many_trees_in_any_layout(device: CpuDevice, dtype: type, threads: int) -> None:
    network = street_grid(11, 9, FEW_LARGE, seed=5)
    n, weights = network.node_count, network.metrics[0].weights
    engine = engine_of(network, device, dtype, threads=threads)
    assert engine.customise(weights)
    some = np.random.default_rng(6).choice(n, 37).astype(np.int32)
    for sources in (some, some[:16], np.arange(20, 31, dtype=np.int32), some[:0]):
        count = len(sources)
        for source_stride, node_stride in ((1, max(count, 1)), (1, count + 5), (n, 1), (n + 3, 1)):
            rows: NDArray[Any] = np.full((count + 6) * (n + 6), -7, dtype)
            engine.trees(sources, rows, source_stride, node_stride)
            places = np.arange(count)[:, None] * source_stride + np.arange(n) * node_stride
            for source, row in zip(sources.tolist(), rows[places].tolist(), strict=True):
                assert row == expected(network, weights, source, dtype)
            assert np.count_nonzero(rows != -7) == places.size, "nothing else is written"


def test_figures_of_a_cell_whose_distances_add_up_to_more_than_32_bits() -> None:
    network = make_network(20, [(node, node + 1, 15_000_000) for node in range(19)])
    engine = engine_of(network, CpuDevice(), np.int32)
    assert engine.customise(network.metrics[0].weights)
    check_figures(engine, network, network.metrics[0].weights, [0, 5])


def check_figures(engine: HostEngine, network: RoadNetwork, weights: NDArray[np.integer], sources: list[int]) -> None:
    found, rank = engine.figures(np.array(sources, np.int32)), network.id_order()[1]
    for i, source in enumerate(sources):
        plain = plain_distances(open_arcs(network, weights), source)
        reached = {node: d for node, d in enumerate(plain) if d is not None}
        most = max(reached.values())
        assert found.eccentricity[i] == most
        assert found.farthest[i] == min(rank[node] for node, d in reached.items() if d == most)
        assert found.total[i] == sum(reached.values())
        assert found.reached[i] == len(reached)


@pytest.mark.parametrize(
    ("largest", "dtype", "threads"),
    [(SMALL, np.int32, 1), (SMALL, np.int32, 2), (8_000_000, np.int32, 1), (2**31 - 1, np.int64, 1)],
)
def test_figures_of_many_trees(device: CpuDevice, largest: int, dtype: type, threads: int) -> None:
    """Also where the distances of some cells add up to more than their dtype holds."""
    network = street_grid(10, 9, largest, seed=8)
    weights = network.metrics[0].weights
    engine = engine_of(network, device, dtype, threads=threads)
    assert engine.customise(weights)
    check_figures(engine, network, weights, [*range(0, network.node_count, 9), 3])


@settings(max_examples=40, deadline=None)
@given(st.data(), networks())
def test_any_network(data: st.DataObject, network: RoadNetwork) -> None:
    """One leaf and its separators, if any: parallel arcs, self-loops, zero weights, traps, one node."""
    device, weights = CpuDevice(), network.metrics[0].weights
    engine = engine_of(network, device, np.int32)
    dtype: type = np.int32
    if not engine.customise(weights):
        assert weights.max() > 2**20, "32 bits are refused only where they might not do"
        engine, dtype = engine_of(network, device, np.int64), np.int64
        assert engine.customise(weights)
    source = data.draw(st.integers(0, network.node_count - 1))
    found: NDArray[Any] = np.empty(network.node_count, dtype)
    engine.tree(source, found)
    assert found.tolist() == expected(network, weights, source, dtype)
    engine.trees(np.array([source], np.int32), found, network.node_count, 1)
    assert found.tolist() == expected(network, weights, source, dtype)
    check_figures(engine, network, weights, [source])


def test_too_little_memory_is_said_before_anything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    device, network = CpuDevice(), street_grid(9, 8, SMALL, seed=1)
    monkeypatch.setattr(device, "free_bytes", lambda: 1000)
    with pytest.raises(DeviceMemoryError, match=r"the matrices of two grids take .* choose another algorithm"):
        engine_of(network, device, np.int32)


def rows_of(engine: Engine, network: RoadNetwork, dtype: Any = np.int32) -> list[list[int]]:
    """Return all distances by ``trees``, -1 where there is no path, node by node."""
    n = network.node_count
    rows = np.empty((n, n), dtype)
    engine.trees(np.arange(n, dtype=np.int32), rows.reshape(-1), 1, n)
    answer: list[list[int]] = np.where(np.iinfo(dtype).max == rows.T, -1, rows.T).tolist()
    return answer


@pytest.mark.parametrize("name", ["random", "city-like", "disconnected", "zero weights", "no arcs", "one node"])
def test_trees_of_every_shape(name: str) -> None:
    network = shapes()[name]
    engine = make_engine(open_device("cpu"), dissect(network), network, np.dtype(np.int32))
    assert engine.customise(network.metrics[0].weights)
    expected = expected_matrix(network).tolist()
    assert rows_of(engine, network) == expected
    one = np.empty(network.node_count, np.int32)
    engine.tree(network.node_count - 1, one)
    assert np.where(one == np.iinfo(np.int32).max, -1, one).tolist() == expected[-1]


def test_a_dtype_that_is_too_narrow_is_refused(device: CpuDevice) -> None:
    heavy = make_network(6, [(u, u + 1, 2**31 - 1) for u in range(5)])
    assert not engine_of(heavy, device, np.int32).customise(heavy.metrics[0].weights)
    wide = engine_of(heavy, device, np.int64)
    assert wide.customise(heavy.metrics[0].weights)
    assert rows_of(wide, heavy, np.int64)[0] == [k * (2**31 - 1) for k in range(6)]
