"""Every all-pairs algorithm that runs on a card finds there what SciPy's Dijkstra finds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import wayfront
from pairs_checks import check_pairs, pairs_variants, shapes
from search_checks import make_network, networks, plain_distances, random_arcs
from wayfront.devices import devices
from wayfront.network.road_network import RoadNetwork
from wayfront.synthetic import from_name

CARD = devices()[1]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not CARD.available, reason=CARD.why_not or "no card")]

VARIANTS = pairs_variants("cuda")
NAMES = sorted({name for name, _ in VARIANTS})
LARGER = ("ring?n=1000", "complete?n=300", "rmat?n=1024&m=8192&seed=3", "grid?columns=40&rows=30&seed=2")


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_every_shape(name: str, options: dict[str, Any]) -> None:
    for network in shapes().values():
        result = wayfront.all_pairs(network, name, "cuda", options=options, keep="matrix", runs=0, verify=True)
        assert result.verified
        check_pairs(result)


@pytest.mark.parametrize("name", NAMES)
def test_larger_networks(name: str) -> None:
    for shape in LARGER:
        check_pairs(wayfront.all_pairs(from_name(f"synthetic:{shape}"), name, "cuda", keep="matrix", runs=2))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(network=networks())
def test_any_network_gives_reference_distances(name: str, network: RoadNetwork) -> None:
    result = wayfront.all_pairs(network, name, "cuda", keep="matrix", runs=0, verify=True)
    rows = [[None if d < 0 else d for d in row] for row in result.matrix.tolist()]
    assert rows == [plain_distances(network, source) for source in range(network.node_count)]


@pytest.mark.parametrize("name", NAMES)
def test_distances_beyond_32_bits(name: str) -> None:
    heavy = make_network(6, [(u, u + 1, 2**31 - 1) for u in range(5)])
    result = wayfront.all_pairs(heavy, name, "cuda", keep="matrix", runs=0, verify=True)
    assert result.diameter.distance == 5 * (2**31 - 1)


@pytest.mark.parametrize("name", NAMES)
def test_some_sources(name: str) -> None:
    network = random_arcs(3000, 12_000, 90, 2)
    result = wayfront.all_pairs(network, name, "cuda", sources=range(5, 2500, 31), keep="matrix", runs=1, verify=True)
    check_pairs(result)
