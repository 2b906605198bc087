"""Flows after roads are closed, from what is remembered, are those of a whole pass to the last trip."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from flows_checks import random_cut, random_network
from wayfront.dissection.host import flows_closing
from wayfront.dissection.host.flows_classes import flow_by_classes
from wayfront.dissection.host.flows_closing import RememberedFlows
from wayfront.dissection.host.flows_fronts import Fronts
from wayfront.dissection.passing import Entries, Uses
from wayfront.dissection.shape import FrontLayout
from wayfront.safe.errors import SearchCancelled


class Case:
    """A random network with a random cut, demand and roads that are closed from the beginning."""

    def __init__(self, seed: int) -> None:
        self.random = random = np.random.default_rng(seed)
        self.network = random_network(random, 70)
        n, self.cut = self.network.node_count, random_cut(self.network, random, int(random.integers(1, 9)))
        self.layout = FrontLayout.of(self.cut, self.network)
        self.weights = self.network.metrics[0].weights.astype(np.int64)
        if (self.weights == 0).any():
            self.weights = self.weights * n + 1
        self.weights[random.random(len(self.weights)) < 0.1 * (seed % 3)] = -1
        one = np.ones(n, np.int32)
        self.demand = random.integers(0, 4, n).astype(np.int32) if seed % 2 else one
        self.given = random.integers(0, 4, n).astype(np.int32) if seed % 4 > 1 else one
        self.least, self.remembered = int(random.choice([0, 3, 12])), int(random.choice([0, 0, 4, 10]))

    def fronts(self, weights: NDArray[np.int64]) -> Fronts:
        fronts = Fronts(self.layout, np.dtype(np.int32))
        assert fronts.close(weights)
        return fronts

    def remember(self, report: Callable[[float], None] = lambda _: None) -> RememberedFlows:
        return RememberedFlows(
            *(self.fronts(self.weights), self.layout, self.demand, self.given),
            network_name="made", report=report, least=self.least, remembered=self.remembered,
        )  # fmt: skip

    def on_arcs(self, weights: NDArray[np.int64], entries: Entries, uses: Uses) -> tuple[list[int], list[int]]:
        flow = np.zeros(self.network.arc_count, np.int64)
        self.fronts(weights).unpack(entries, uses.l_use, uses.r_use, flow)
        return flow.tolist(), uses.arrived.tolist()

    def whole(self, weights: NDArray[np.int64]) -> tuple[list[int], list[int]]:
        fronts = self.fronts(weights)
        entries = fronts.thinned()
        uses = flow_by_classes(
            *(fronts, entries, self.demand, self.given),
            network_name="made", report=lambda _: None, least=self.least,
        )  # fmt: skip
        return self.on_arcs(weights, entries, uses)


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_closed_roads_change_flows_as_a_whole_pass_has_it(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    """With parallel arcs, loops, weights of 0, parts that no path joins, and roads that cut others off."""
    changed = 0
    monkeypatch.setattr(flows_closing, "FEWEST", 1 << 40)
    for seed in range(first, first + 40):
        few = seed % 5 == 0  # pools are too small, again and again
        monkeypatch.setattr(flows_closing, "POOL_START", 64 if few else 1 << 16)
        monkeypatch.setattr(flows_closing, "POOL_SHARE", 0 if few else 200)
        monkeypatch.setattr(flows_closing, "REMEMBERED", 1 if few else 600)
        case = Case(seed)
        remembered, before = case.remember(), case.whole(case.weights)
        assert case.on_arcs(case.weights, remembered.entries, remembered.uses) == before, seed
        for count in (1, 2, 4):
            arcs = case.random.choice(case.network.arc_count, min(count, case.network.arc_count), replace=False)
            arcs = arcs[case.layout.cell_of_arc[arcs] >= 0]
            weights = case.weights.copy()
            weights[arcs] = -1
            fronts = case.fronts(weights)
            found = remembered.closed(fronts, case.layout.cell_of_arc[arcs], lambda _: None) if len(arcs) else None
            if found is None:
                continue
            wanted = case.whole(weights)
            assert case.on_arcs(weights, *found) == wanted, (seed, arcs)
            changed += wanted != before
    assert changed > 20


def test_where_most_is_above_closed_roads_everything_is_left_to_a_whole_pass() -> None:
    case = Case(1)
    every = case.layout.cell_of_arc[case.layout.arcs]
    assert case.remember().closed(case.fronts(case.weights), every, lambda _: None) is None


def test_walks_can_be_cancelled_and_the_next_one_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows_closing, "FEWEST", 1 << 40)
    monkeypatch.setattr(flows_closing, "STEPS_AT_A_TIME", 2)
    case = Case(7)
    remembered, calls = case.remember(), list[float]()
    arcs = case.layout.arcs[:1].astype(np.int64)
    weights = case.weights.copy()
    weights[arcs] = -1

    def stop(fraction: float) -> None:
        calls.append(fraction)
        if len(calls) > 4:
            raise SearchCancelled("stopped")

    with pytest.raises(SearchCancelled):
        remembered.closed(case.fronts(weights), case.layout.cell_of_arc[arcs], stop)
    found = remembered.closed(case.fronts(weights), case.layout.cell_of_arc[arcs], lambda _: None)
    assert found is not None
    assert case.on_arcs(weights, *found) == case.whole(weights)
