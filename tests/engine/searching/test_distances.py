"""Distances are held in 32 bits where they fit, in 64 where not, and are right at every limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfront
from search_checks import check_around_the_limit, check_result, make_network, random_arcs
from wayfront.devices import describe_device, open_device
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import SearchKind
from wayfront.searching.distances import NARROW, WIDE, distance_dtypes
from wayfront.searching.registry import algorithms

LIMIT = 2**31 - 1
"""The int32 value that stands for "not reached"."""

ON_CPU = [a.name for a in algorithms(SearchKind.ONE_TREE) if a.runs_on(describe_device("cpu"))]


@pytest.mark.parametrize("name", ON_CPU)
@pytest.mark.parametrize("over", [-1, 0, 1])
def test_distances_around_the_limit(name: str, over: int) -> None:
    check_around_the_limit(name, "cpu", over)


@pytest.mark.parametrize("name", ON_CPU)
def test_heavy_arcs_beside_the_shortest_paths_do_not_need_64_bits(name: str) -> None:
    arcs = [(0, 1, 5), (1, 2, 5), (0, 2, LIMIT), (2, 0, LIMIT), (1, 0, LIMIT), (2, 1, LIMIT)]
    result = wayfront.search(make_network(3, arcs), 0, name, "cpu", runs=0, verify=True)
    assert result.distances.tolist() == [0, 5, 10]
    assert result.distances.dtype == NARROW


@settings(max_examples=60, deadline=None)
@given(
    arcs=st.lists(
        st.tuples(
            st.integers(0, 11),
            st.integers(0, 11),
            st.sampled_from([0, 1, 2**29, 2**30 - 1, 2**30, 2**31 - 2, 2**31 - 1]),
        ),
        max_size=40,
    ),
    name=st.sampled_from(ON_CPU),
)
def test_any_network_of_heavy_arcs(arcs: list[tuple[int, int, int]], name: str) -> None:
    options = {"delta": 2**31 - 1} if name == "delta-stepping" else {}
    check_result(wayfront.search(make_network(12, arcs), 0, name, "cpu", options=options, trace=True, verify=True))


def test_a_path_of_three_million_of_the_largest_weights() -> None:
    n = 3_000_001
    path = RoadNetwork.from_arrays(
        name="path",
        offsets=np.minimum(np.arange(n + 1), n - 1),
        targets=np.arange(1, n, dtype=np.int32),
        metrics=[Metric("weight", "", 1, np.full(n - 1, LIMIT, np.int32))],
    )
    result = wayfront.search(path, 0, "dijkstra-heap", "cpu", runs=0, trace_budget=None)
    assert (result.distances == np.arange(n) * LIMIT).all()
    assert (result.parents == np.arange(-1, n - 1)).all()


def test_a_sum_of_weights_beyond_32_bits_does_not_need_64() -> None:
    # As on the whole USA: the n−1 largest weights add up to far more than 2^31, and no distance comes near it.
    network = random_arcs(2000, 8000, 4_000_000, 1)
    assert network.distance_bound(network.metrics[0]) > LIMIT
    assert distance_dtypes(open_device("cpu"), network, network.metrics[0]) == (NARROW, WIDE)
    result = wayfront.search(network, 0, "dijkstra", "cpu", trace=True)
    assert result.distances.dtype == NARROW
    check_result(result)


class Narrow:
    """A device whose sums of two int32 have 32 bits."""

    wide_sums = False


def test_where_sums_are_narrow_the_bound_decides() -> None:
    light, heavy = random_arcs(20, 60, 9, 1), make_network(3, [(0, 1, 2**30), (1, 2, 2**30 - 1)])
    assert distance_dtypes(Narrow(), light, light.metrics[0]) == (NARROW,)  # type: ignore[arg-type]
    assert distance_dtypes(Narrow(), heavy, heavy.metrics[0]) == (WIDE,)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weights", "dtype"),
    [([2**30 - 1], NARROW), ([2**30], WIDE), ([8, 2**30 - 5], NARROW), ([7, 2**30 - 4], WIDE)],
)
def test_an_offer_beyond_the_largest_distance_must_fit_too(weights: list[int], dtype: object) -> None:
    network = make_network(len(weights) + 1, [(u, u + 1, w) for u, w in enumerate(weights)])
    assert network.distance_bound(network.metrics[0]) < LIMIT, "the distances alone would fit"
    assert distance_dtypes(Narrow(), network, network.metrics[0]) == (dtype,)  # type: ignore[arg-type]
