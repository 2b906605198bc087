"""Everything that runs only on an NVIDIA card: every search against the reference, bit for bit, and truthful logs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import wayfront
from search_checks import random_arcs
from wayfront.devices import devices
from wayfront.registry import algorithms
from wayfront.synthetic import from_name

CARD = devices()[1]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not CARD.available, reason=CARD.why_not or "no card")]

ON_CARD = [a.name for a in algorithms() if "cuda" in a.devices]
SHAPES = ["ring?n=4000", "complete?n=300", "rmat?n=16384&m=131072&seed=3", "grid?columns=150&rows=100&seed=2"]


@pytest.mark.parametrize("name", ON_CARD)
@pytest.mark.parametrize(
    ("n", "m", "largest"),
    [(1, 0, 1), (5, 8, 3), (60, 90, 0), (50, 200, 10**9), (20_000, 60_000, 3), (3000, 300_000, 99)],
)
def test_random_networks(name: str, n: int, m: int, largest: int) -> None:
    network = random_arcs(n, m, largest, seed=n)
    reference = wayfront.search(network, 0, "dijkstra", "cpu", runs=0)
    result = wayfront.search(network, 0, name, "cuda", runs=1, verify=True)
    assert (result.distances == reference.distances).all()
    assert (result.parents == reference.parents).all()
    assert result.trace is not None
    assert ((result.trace.first_reached >= 0) == reference.reached).all()


@pytest.mark.parametrize("name", ON_CARD)
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(name: str, shape: str) -> None:
    network = from_name(f"synthetic:{shape}")
    reference = wayfront.search(network, 7, "dijkstra", "cpu", runs=0)
    result = wayfront.search(network, 7, name, "cuda", runs=1, verify=True)
    assert (result.distances == reference.distances).all()
    assert (result.parents == reference.parents).all()


def test_a_resident_search_logs_its_steps_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    from wayfront.kernels import near_far_resident

    network = from_name("synthetic:grid?columns=200&rows=200&seed=4")
    whole = wayfront.search(network, 0, "near-far-resident", "cuda", runs=0).trace
    monkeypatch.setattr(near_far_resident, "STEPS_AT_ONCE", 16)
    parts = wayfront.search(network, 0, "near-far-resident", "cuda", runs=0).trace
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
    result = wayfront.search(network, network.node(1), name, "cuda", metric=metric, runs=1, verify=True)
    assert result.summary()["sum_distance"] == total
