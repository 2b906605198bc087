"""Flows on a card are the processor's, to the last integer."""

from __future__ import annotations

import threading
from typing import Any
from unittest import mock

import numpy as np
import pytest

import wayfront
from dissected import street_grid
from flows_checks import differing_flows, random_network
from search_checks import make_network
from wayfront.devices import devices
from wayfront.dissection.card import flows as card_flows
from wayfront.dissection.card.batch import GROUP
from wayfront.safe.errors import DeviceError, SearchCancelled
from wayfront.synthetic import from_name

CARD = devices()[1]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not CARD.available, reason=CARD.why_not or "no card")]


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_flows_of_random_networks(first: int) -> None:
    for seed in range(first, first + 20):
        random = np.random.default_rng(seed)
        network = random_network(random)
        count = int(random.integers(1, 3 * GROUP))
        frames: dict[str, Any] = {
            "LEAST_BELOW": 3,
            "SMALLER": 1 + seed % 3,
            "MOST_AT_ONCE": GROUP if seed % 4 == 0 else 1 << 22,
        }
        with mock.patch.multiple(card_flows, **frames):
            wrong = differing_flows(network, "cuda", seed, leaf_nodes=int(random.integers(1, 9)), count=count)
        assert wrong == [], seed


@pytest.mark.parametrize("largest", [1, 1000])
def test_flows_of_streets_with_arcs_of_no_length(largest: int) -> None:
    network = street_grid(40, 30, largest, seed=1)
    assert differing_flows(network, "cuda", 2, leaf_nodes=12, count=1000) == []


def test_all_pairs_and_weights_of_nodes() -> None:
    network = from_name("synthetic:grid?columns=60&rows=50&seed=2")
    n = network.node_count
    rng = np.random.default_rng(0)
    weighted = wayfront.Demand.weighted(network, rng.integers(0, 9, n), rng.integers(0, 9, n))
    closed = rng.integers(0, network.arc_count, 40)
    for demand in (None, weighted):
        here, there = (
            wayfront.flows(network, demand=demand, closures=closed, algorithm="dissection", device=device)
            for device in ("cpu", "cuda")
        )
        assert there.device == CARD.id
        assert (here.arc_flow == there.arc_flow).all()
        assert (here.through == there.through).all()
        assert here.trips == there.trips
    assert wayfront.flows(network, device="cuda", verify=True).arc_flow.dtype == np.int64


def test_what_a_card_cannot_do() -> None:
    network = from_name("synthetic:grid?columns=12&rows=9&seed=2")
    others: list[dict[str, Any]] = [{"decay": "exponential:9"}, {"figures": True}, {"algorithm": "trees"}]
    for asked in others:
        with pytest.raises(DeviceError, match="whole numbers"):
            wayfront.flows(network, device="cuda", **asked)
    heavy = make_network(6, [(u, u + 1, 2**31 - 1) for u in range(5)])
    found = wayfront.flows(heavy, device="cuda")
    assert (found.device, found.arc_flow.tolist()) == ("cpu", [5, 8, 9, 8, 5])
    near = wayfront.flows(heavy, radius=2.0**31, device="cuda")
    assert (near.device, near.arc_flow.tolist()) == ("cpu", [1, 1, 1, 1, 1])


@pytest.mark.parametrize("ties", ["one", "all"])
def test_flows_within_a_radius_are_those_of_trees(ties: str) -> None:
    network = from_name("synthetic:grid?columns=50&rows=40&seed=2")
    asked: dict[str, Any] = {"radius": 900.0, "ties": ties, "closures": [3, 50, 77]}
    there = wayfront.flows(network, device="cuda", verify=True, **asked)
    here = wayfront.flows(network, device="cpu", **asked)
    assert there.device == CARD.id
    assert there.trips == here.trips > 10 * network.node_count
    assert there.ends.tolist() == pytest.approx(here.ends.tolist())
    if ties == "all":
        assert there.arc_flow.tolist() == pytest.approx(here.arc_flow.tolist(), rel=1e-9)


def test_it_can_be_cancelled() -> None:
    network = from_name("synthetic:grid?columns=40&rows=30&seed=2")
    cancel = threading.Event()

    def stop(what: str, _done: float) -> None:
        if "flows" in what:
            cancel.set()

    with mock.patch.object(card_flows, "MOST_AT_ONCE", GROUP), pytest.raises(SearchCancelled):
        wayfront.flows(network, device="cuda", cancel=cancel, progress=stop)
