"""Every all-pairs algorithm finds what SciPy's Dijkstra finds, on the CPU, on networks of every shape."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import wayfront
from pairs_checks import check_pairs, pairs_variants, shapes
from search_checks import make_network, networks, plain_distances
from wayfront.network.road_network import RoadNetwork

ON_CPU = pairs_variants("cpu")
NAMES = sorted({name for name, _ in ON_CPU})
SHAPES = shapes()


@pytest.mark.parametrize(("name", "options"), ON_CPU, ids=str)
def test_every_shape(name: str, options: dict[str, Any]) -> None:
    for network in SHAPES.values():
        result = wayfront.all_pairs(network, name, "cpu", options=options, keep="matrix", runs=0, verify=True)
        assert result.verified
        assert result.proved == network.node_count
        check_pairs(result)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15, deadline=None)
@given(network=networks())
def test_any_network_gives_reference_distances(name: str, network: RoadNetwork) -> None:
    result = wayfront.all_pairs(network, name, "cpu", keep="matrix", runs=0)
    rows = [[None if d < 0 else d for d in row] for row in result.matrix.tolist()]
    assert rows == [plain_distances(network, source) for source in range(network.node_count)]
    assert result.sum_distance == sum(d or 0 for row in rows for d in row)


@pytest.mark.parametrize("name", NAMES)
def test_distances_beyond_32_bits(name: str) -> None:
    heavy = make_network(6, [(u, u + 1, 2**31 - 1) for u in range(5)])
    result = wayfront.all_pairs(heavy, name, "cpu", keep="matrix", runs=0, verify=True)
    assert result.matrix.dtype == "int64"
    assert result.diameter.distance == 5 * (2**31 - 1)
    assert result.figures.total.tolist() == [(2**31 - 1) * k * (k + 1) // 2 for k in (5, 4, 3, 2, 1, 0)]


@pytest.mark.usefixtures("any_threads")
@pytest.mark.parametrize("name", NAMES)
def test_some_sources_on_several_cores(name: str) -> None:
    network = SHAPES["random"]
    sources = [17, 3, 64, 20, 9]
    result = wayfront.all_pairs(network, name, "cpu", sources=sources, threads=3, keep="matrix", runs=2, verify=True)
    assert result.sources.tolist() == sources
    assert len(result.timing.runs_ms) == 2
    check_pairs(result)
