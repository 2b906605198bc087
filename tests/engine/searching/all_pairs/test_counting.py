"""Pairs by distance are those of every distance: of trees in lanes, of rows, with split nodes and closures."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfront
from flows_checks import random_network
from split_towns import people_matrix, split_town
from wayfront.network.arcs import without_arcs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import NetworkError, OptionError, SearchCancelled
from wayfront.searching.all_pairs import counting

DIJKSTRA = "dijkstra-in-turn"


def check(found: wayfront.PairsResult, matrix: np.ndarray) -> None:
    """Compare a histogram with that of NumPy, of a matrix [k, n] of raw distances, −1 for no path."""
    histogram, scale = found.histogram, found.metric.scale
    assert histogram is not None
    edges = histogram.edges.tolist()
    raw = [np.ceil(found.metric.raw_limit(edge)) for edge in edges[:-1]]
    last = np.floor(found.metric.raw_limit(edges[-1]))
    rows = np.array([np.histogram(row[(row >= 0) & (row <= last)], [*raw, last + 0.5])[0] for row in matrix])
    assert histogram.counts.tolist() == rows.sum(axis=0).tolist()
    assert histogram.outside == (matrix >= 0).sum() - rows.sum()
    if histogram.by_source is not None:
        assert histogram.by_source.tolist() == rows.tolist()
    assert scale > 0


BINS: tuple[Any, ...] = (1, 3, 40, [0, 1], [2, 3, 5, 40], [1e6, 1e7], [0.5, 2.5, 1e300])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), bins=st.sampled_from(BINS), reverse=st.booleans(), some=st.booleans())
def test_pairs_of_random_networks_are_counted(seed: int, bins: Any, reverse: bool, some: bool) -> None:
    random = np.random.default_rng(seed)
    network = random_network(random)
    closed = random.choice(network.arc_count, network.arc_count // 4, replace=False) if network.arc_count else None
    found = wayfront.all_pairs(
        *(network, DIJKSTRA, "cpu"), keep="matrix", closures=closed, reverse=reverse, bins=bins,
        bins_by_source=bool(seed % 2), sources=[0, network.node_count - 1] if some else None,
    )  # fmt: skip
    check(found, found.matrix)


def test_networks_that_cannot_be_cut_are_counted_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise NetworkError("its separators are too large")

    network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
    asked: dict[str, Any] = {"keep": "matrix", "bins": [100, 300, 700], "bins_by_source": True, "closures": [3]}
    with monkeypatch.context() as patched:
        patched.setattr(counting, "customised_on", refuse)
        found = wayfront.all_pairs(network, DIJKSTRA, "cpu", **asked)
    check(found, found.matrix)


@pytest.mark.parametrize("reverse", [False, True])
def test_split_nodes_count_once(reverse: bool) -> None:
    town = split_town(4, columns=6, rows=5, turns=25)
    found = wayfront.all_pairs(town, DIJKSTRA, "cpu", bins=6, bins_by_source=True, closures=[8], reverse=reverse)
    ids, matrix = people_matrix(without_arcs(town, np.array([8])), reverse=reverse)
    check(found, matrix[np.searchsorted(ids, town.node_ids[found.sources])])


def test_wide_and_equal_distances() -> None:
    for weight in (2**31 - 1, 0):
        metric = Metric("length", "m", 0.1, np.full(6, weight, np.int32))
        ring = RoadNetwork.from_arcs(
            name="Ring", node_count=6, tails=np.arange(6), heads=(np.arange(6) + 1) % 6, metrics=[metric]
        )
        found = wayfront.all_pairs(ring, DIJKSTRA, "cpu", keep="matrix", bins=5)
        check(found, found.matrix)
        assert found.histogram is not None
        assert found.histogram.counts.sum() == found.pairs_reached == 36


@pytest.mark.parametrize(
    "bins", [0, 10_001, True, "5", [1], [2, 1], [-1, 4], [0, float("nan")], [[0, 1]], {"a": 1}, [0, "x"]]
)
def test_other_bins_are_refused_before_a_search(bins: Any) -> None:
    with pytest.raises(OptionError, match="bins"):
        wayfront.all_pairs(wayfront.open_network("synthetic:ring?nodes=6"), DIJKSTRA, "cpu", bins=bins)


def test_edges_that_were_given_can_still_be_written() -> None:
    edges = np.array([0.0, 300.0, 700.0])
    wayfront.all_pairs(wayfront.open_network("synthetic:ring?nodes=6"), DIJKSTRA, "cpu", bins=edges)
    edges[2] = 800.0


def test_bins_of_each_source_need_bins() -> None:
    with pytest.raises(OptionError, match="name the bins too"):
        wayfront.all_pairs(wayfront.open_network("synthetic:ring?nodes=6"), DIJKSTRA, "cpu", bins_by_source=True)


def test_counting_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, heard = threading.Event(), []
    monkeypatch.setattr(counting, "AT_ONCE", 4)

    def listen(progress: Any) -> None:
        if progress.doing == counting.COUNTING:
            heard.append(progress.sources_done)
            if len(heard) > 1:
                stop.set()

    with pytest.raises(SearchCancelled):
        wayfront.all_pairs(
            wayfront.open_network("synthetic:grid?columns=6&rows=5"),
            DIJKSTRA,
            "cpu",
            bins=3,
            progress=listen,
            cancel=stop,
        )
    assert heard == [4, 8]
