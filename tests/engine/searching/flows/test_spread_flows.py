"""Flows that workers find: those of one machine, by every algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wayfront
from dask_workers import scheduler_here
from dissected import street_grid
from wayfront.safe.errors import DeviceError
from wayfront.searching.flows import spreading

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return the address of a scheduler whose only worker is a thread of this process."""
    with scheduler_here() as address:
        yield address


def test_workers_find_what_one_finds(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = street_grid(9, 8, 4, seed=5)
    rng, n = np.random.default_rng(3), network.node_count
    weighted = wayfront.Demand.weighted(network, rng.integers(0, 4, n), rng.integers(0, 4, n))
    trips = wayfront.Demand.between(network, rng.integers(0, n, 50), rng.integers(0, n, 50), rng.integers(1, 9, 50))
    asked: list[dict[str, Any]] = [
        {"algorithm": "dissection", "demand": weighted},
        {"algorithm": "dissection", "ties": "all"},
        {"radius": 9.0, "figures": True, "sources": range(60)},
        {"demand": trips, "ties": "all", "decay": "exponential:20"},
    ]
    fractions: list[float] = []
    for chosen in asked:
        options = {"closures": [2, 9], "device": "cpu"} | chosen
        alone = wayfront.flows(network, **options)
        found = wayfront.flows(
            network, **options, scheduler=address, verify=True, progress=lambda _what, done: fractions.append(done)
        )
        for name in ("arc_flow", "through", "starts", "ends"):
            assert np.allclose(getattr(found, name), getattr(alone, name), rtol=1e-12, atol=0), (options, name)
        assert found.arc_flow.dtype == alone.arc_flow.dtype
        assert (found.trips, found.unreached) == pytest.approx((alone.trips, alone.unreached))
        assert found.figures.keys() == alone.figures.keys()
        for name, values in alone.figures.items():
            assert np.allclose(found.figures[name], values, rtol=1e-12, atol=0), name
    assert max(fractions) == 1
    none = wayfront.Demand.weighted(network, np.zeros(n), np.ones(n))
    nobody = wayfront.flows(network, demand=none, scheduler=address, device="cpu")
    assert (nobody.trips, nobody.arc_flow.sum()) == (0, 0)

    def fail(*_asked: object) -> None:
        raise DeviceError("no more")

    monkeypatch.setattr(spreading, "network_of", fail)
    with pytest.raises(DeviceError, match="no more"):
        wayfront.flows(network, scheduler=address, device="cpu")


def test_nobody_stays_at_a_split_node_of_workers(address: str) -> None:
    grid = wayfront.open_network("synthetic:grid?columns=5&rows=4")
    network = wayfront.without_turns(grid, [(7, 8, 9), (8, 9, 14), (12, 13, 8)])
    for chosen in ({"algorithm": "dissection"}, {"ties": "all"}, {"radius": 1.0}):
        options: dict[str, Any] = {"device": "cpu"} | chosen
        alone = wayfront.flows(network, **options)
        found = wayfront.flows(network, **options, scheduler=address, verify=True)
        assert (found.trips, found.unreached) == pytest.approx((alone.trips, alone.unreached)), chosen
        for name in ("arc_flow", "through", "starts", "ends"):
            assert np.allclose(getattr(found, name), getattr(alone, name), rtol=1e-12, atol=0), (chosen, name)
