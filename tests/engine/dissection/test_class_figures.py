"""Figures by classes are those of trees one by one, in the engine and through ``wayfront.all_pairs``."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator

import numpy as np
import pytest

import wayfront
from dissected import street_grid
from flows_checks import random_cut, random_network
from wayfront.devices.cpu import CpuDevice
from wayfront.dissection.host import class_figures
from wayfront.dissection.host import engine as host_engine
from wayfront.dissection.host.class_figures import figures_by_classes
from wayfront.dissection.host.engine import HostEngine
from wayfront.dissection.host.flows_fronts import Fronts
from wayfront.dissection.shape import Figures, FrontLayout
from wayfront.dissection.store import dissection_of
from wayfront.safe.errors import SearchCancelled


@pytest.fixture(scope="module")
def device() -> Iterator[CpuDevice]:
    device = CpuDevice(threads=1)
    yield device
    device.close()


def result_of(finding: Generator[float, None, Figures]) -> Figures:
    heard = []
    while True:
        try:
            heard.append(next(finding))
        except StopIteration as end:
            assert heard == sorted(heard)
            found: Figures = end.value
            return found


@pytest.mark.parametrize("first", range(0, 100, 50))
def test_figures_of_random_networks_are_those_of_trees(device: CpuDevice, first: int) -> None:
    for seed in range(first, first + 50):
        random = np.random.default_rng(seed)
        network = random_network(random)
        n, cut = network.node_count, random_cut(network, random, int(random.integers(1, 9)))
        weights = network.metrics[0].weights.copy()
        weights[random.random(len(weights)) < 0.2 * (seed % 3)] = -1
        engine = HostEngine(device, cut, network, np.dtype(np.int32))
        assert engine.customise(weights)
        fronts = Fronts(FrontLayout.of(cut, network), np.dtype(np.int32))
        assert fronts.close(weights)
        if seed % 4 == 0:
            fronts.longest = 1 << 30  # so that sums of a cell are taken one by one
        rank_at = network.id_order()[1][cut.node_at]
        found = result_of(figures_by_classes(fronts, rank_at, "made", least=int(random.choice([0, 3, 12, 1000]))))
        for together, alone in zip(found, engine.figures(np.arange(n, dtype=np.int32)), strict=True):
            assert (together == alone).all()


def test_all_pairs_finds_figures_together(monkeypatch: pytest.MonkeyPatch) -> None:
    network = street_grid(14, 14, 9, 5)
    dissection_of(network)
    alone = wayfront.all_pairs(network, "dissection-all-pairs", "cpu", closures=[3, 4])
    monkeypatch.setattr(host_engine, "WORTH_SHARING", 0)
    for name, few in (("POOL_START", 64), ("POOL_SHARE", 0), ("LEAST_BELOW", 20), ("WORK_AT_ONCE", 1 << 12)):
        monkeypatch.setattr(class_figures, name, few)
    steps: list[int] = []
    together = wayfront.all_pairs(
        network, "dissection-all-pairs", "cpu", closures=[3, 4], progress=lambda told: steps.append(told.step)
    )
    some = np.arange(0, network.node_count, 2)
    half = wayfront.all_pairs(network, "dissection-all-pairs", "cpu", closures=[3, 4], sources=some)
    for name in ("eccentricity", "farthest", "total", "reached", "done"):
        assert (getattr(together.figures, name) == getattr(alone.figures, name)).all()
        assert (getattr(half.figures, name) == getattr(alone.figures, name)[some]).all()
    assert steps == sorted(steps)


def test_finding_figures_together_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    network = street_grid(10, 10, 9, 5)
    dissection_of(network)
    monkeypatch.setattr(host_engine, "WORTH_SHARING", 0)
    monkeypatch.setattr(class_figures, "WORK_AT_ONCE", 1)
    cancelled = threading.Event()

    def cancel_now(*_: object) -> bool:
        cancelled.set()
        return True

    monkeypatch.setattr(HostEngine, "shares_trees", cancel_now)
    with pytest.raises(SearchCancelled):
        wayfront.all_pairs(network, "dissection-all-pairs", "cpu", cancel=cancelled)
