"""Several regions at once, which the simulator, of one block, cannot have: against Dijkstra's algorithm on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

import wayfront
from wayfront.devices import devices
from wayfront.network.road_network import Metric, RoadNetwork

CARD = devices()[1]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not CARD.available, reason=CARD.why_not or "no card")]

WIDE = 2**31 - 1


def drawn(n: int, m: int, largest: int, seed: int) -> RoadNetwork:
    """Return places with arcs to others nearby from west to east, and one in ten to anywhere; some are loops."""
    r = np.random.default_rng(seed)
    places = r.integers(0, 10**6, (n, 2)).astype(np.int32)
    by_place = np.argsort(places[:, 0])
    tails = r.integers(0, n, m)
    near = np.clip(tails + r.integers(-20, 21, m), 0, n - 1)
    heads = np.where(r.random(m) < 0.9, near, r.integers(0, n, m))
    metric = Metric("weight", "", 1, r.integers(0, largest + 1, m).astype(np.int32))
    ends = {"tails": by_place[tails], "heads": by_place[heads]}
    return RoadNetwork.from_arcs(name="drawn", node_count=n, **ends, metrics=[metric], coordinates=places)


@pytest.mark.parametrize("widths", [{}, {"window": 1, "delta": 1}, {"window": WIDE, "delta": WIDE}], ids=str)
@pytest.mark.parametrize(("n", "m", "largest", "count"), [(300, 900, 3, 7), (5000, 15000, 2, 40), (2000, 6000, 0, 33)])
def test_regions_find_what_dijkstra_finds(n: int, m: int, largest: int, count: int, widths: dict[str, int]) -> None:
    network = drawn(n, m, largest, n + count)
    closed = [1, 5, 9]
    expected = wayfront.search(network, 0, "dijkstra", "cpu", runs=0, closures=closed)
    options = {"regions": count, **widths}
    found = wayfront.search(network, 0, "regions", "cuda", options=options, runs=3, trace=True, closures=closed)
    assert found.distances.tolist() == expected.distances.tolist()
    assert found.parents.tolist() == expected.parents.tolist()
    assert found.trace is not None
    frontiers = {node for step in found.trace for node in step.frontier.tolist()}
    assert frontiers == set(expected.reached.nonzero()[0].tolist())


def test_regions_need_distances_of_64_bits_where_these_are_long() -> None:
    network = drawn(4000, 16000, WIDE, 3)
    expected = wayfront.search(network, 0, "dijkstra", "cpu", runs=0)
    found = wayfront.search(network, 0, "regions", "cuda", options={"regions": 30}, runs=0, verify=True)
    assert found.distances.tolist() == expected.distances.tolist()
