"""What closed roads add to all distances is what figures of the network with and without them differ by."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import wayfront
from dissected import street_grid
from flows_checks import random_cut, random_network
from wayfront.devices.cpu import CpuDevice
from wayfront.dissection.engine import CLOSED
from wayfront.dissection.host import class_closing
from wayfront.dissection.host import engine as host_engine
from wayfront.dissection.host.class_closing import ClosedRoads
from wayfront.dissection.host.engine import HostEngine
from wayfront.dissection.host.flows_fronts import Fronts
from wayfront.dissection.shape import FrontLayout
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import MemoryShortError, SearchCancelled


@pytest.fixture(scope="module")
def device() -> Iterator[CpuDevice]:
    device = CpuDevice(threads=1)
    yield device
    device.close()


@pytest.mark.parametrize("first", range(0, 100, 50))
def test_random_roads_add_what_trees_find(device: CpuDevice, monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    farther = cut_off = 0
    for seed in range(first, first + 50):
        random = np.random.default_rng(seed)
        few = seed % 5 == 0  # pools are too small, again and again
        monkeypatch.setattr(class_closing, "POOL_START", 64 if few else 1 << 16)
        monkeypatch.setattr(class_closing, "POOL_SHARE", 0 if few else 200)
        network = random_network(random)
        n, cut = network.node_count, random_cut(network, random, int(random.integers(1, 9)))
        weights = network.metrics[0].weights.copy()
        weights[random.random(len(weights)) < 0.2 * (seed % 3)] = CLOSED
        fronts = Fronts(FrontLayout.of(cut, network), np.dtype(np.int32))
        assert fronts.close(weights)
        if seed % 4 == 0:
            fronts.longest = 1 << 30  # so that sums of a cell are taken one by one
        sources = np.flatnonzero(random.random(n) < random.choice([0.6, 1.0])).astype(np.int32)
        given = np.bincount(cut.position[sources], minlength=n).astype(np.int32)
        least = int(random.choice([0, 3, 12, 1000]))
        roads = ClosedRoads(fronts, FrontLayout.of(cut, network), given, np.ones(n, np.int32), "made", least=least)
        engine = HostEngine(device, cut, network, np.dtype(np.int32))
        engine.customise(weights)
        before = engine.figures(sources)
        for count in (1, 2, 5):
            arcs = random.choice(len(weights), min(count, len(weights)), replace=False).astype(np.int64)
            engine.change(arcs, np.full(len(arcs), CLOSED, np.int32))
            after = engine.figures(sources)
            engine.change(arcs, weights[arcs])
            added = roads.close(arcs, lambda: None)
            wanted = (int((after.total - before.total).sum()), int((after.reached - before.reached).sum()))
            assert added == wanted, (seed, arcs)
            farther, cut_off = farther + (added.total > 0), cut_off + (added.reached < 0)
    assert farther > 10
    assert cut_off > 10


def test_what_does_not_fit_is_said_and_the_next_road_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    n, far = 12, 1 << 26
    tails, heads = (
        np.concatenate((np.arange(n - 1), np.arange(1, n))),
        np.concatenate((np.arange(1, n), np.arange(n - 1))),
    )
    weights = np.concatenate((np.ones(2 * n - 2, np.int32), np.full(2 * n - 2, far, np.int32)))
    network = RoadNetwork.from_arcs(
        name="Street", node_count=n, tails=np.tile(tails, 2), heads=np.tile(heads, 2),
        metrics=[Metric("length", "m", 1.0, weights)],
    )  # fmt: skip
    cut = random_cut(network, np.random.default_rng(0), 4)
    fronts = Fronts(FrontLayout.of(cut, network), np.dtype(np.int32))
    assert fronts.close(network.metrics[0].weights)
    monkeypatch.setattr(class_closing, "POOL_START", 64)
    monkeypatch.setattr(class_closing, "POOL_SHARE", 0)
    roads = ClosedRoads(
        fronts, FrontLayout.of(cut, network), np.ones(n, np.int32), np.ones(n, np.int32), "street", least=3
    )
    near = np.flatnonzero(network.metrics[0].weights == 1)
    assert roads.close(near, lambda: None) is None

    def refuse(*_: object) -> None:
        raise MemoryShortError(2, 1, "columns")

    last = near[network.targets[near] == n - 1]
    with monkeypatch.context() as patched:
        patched.setattr(class_closing, "enlarged", refuse)
        assert roads.close(last, lambda: None) is None
    assert roads.close(last, lambda: None) == ((n - 1) * (far - 1), 0)


def test_a_road_is_closed_by_sweeps_without_memory_and_closing_can_be_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = street_grid(14, 14, 9, 5)
    monkeypatch.setattr(host_engine, "WORTH_SHARING", 0)
    together = wayfront.vulnerability(network, k=9, device="cpu")
    some = wayfront.vulnerability(network, k=9, sources=range(0, 196, 2), device="cpu")
    cancel = threading.Event()

    def close(roads: ClosedRoads, arcs: object, check: object) -> None:
        cancel.set()
        assert callable(check)
        check()

    def refuse(*_: object) -> None:
        raise MemoryShortError(2, 1, "closing roads")

    with monkeypatch.context() as patched:
        patched.setattr(ClosedRoads, "close", close)
        with pytest.raises(SearchCancelled):
            wayfront.vulnerability(network, k=9, device="cpu", cancel=cancel)
    monkeypatch.setattr(class_closing, "require_memory", refuse)
    for found, sources in ((together, None), (some, range(0, 196, 2))):
        swept = wayfront.vulnerability(network, k=9, sources=sources, device="cpu")
        assert swept.arcs.tolist() == found.arcs.tolist()
        assert swept.extra.tolist() == found.extra.tolist()
        assert swept.extra.any()
