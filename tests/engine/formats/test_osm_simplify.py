"""Chains of arcs: whatever the network, distances between the nodes kept stay, and every arc is on one chain."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

from wayfront.formats.osm.simplify import chains_of
from wayfront.network.road_network import Metric, RoadNetwork


@st.composite
def street_networks(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, int]]]:
    """Return nodes and arcs: long chains and rings, one-way and two-way, with loops and parallel arcs among them."""
    n = draw(st.integers(1, 12))
    node = st.integers(0, n - 1)
    arcs = []
    for _ in range(draw(st.integers(0, 4))):
        path = draw(st.lists(node, min_size=2, max_size=8))
        both, kind = draw(st.booleans()), draw(st.integers(0, 5)) // 5
        for a, b in pairwise(path):
            arcs.append((a, b, kind))
            if both:
                arcs.append((b, a, kind))
    return n, arcs


@given(street_networks())
@settings(max_examples=400, deadline=None)
def test_distances_between_the_nodes_kept_stay(network: tuple[int, list[tuple[int, int, int]]]) -> None:
    n, arcs = network
    tails, heads, kinds = (np.array([arc[i] for arc in arcs], np.int32) for i in range(3))
    weights = np.random.default_rng(len(arcs)).integers(1, 100, len(arcs))
    chains = chains_of(n, tails, heads, kinds.astype(np.uint8), np.zeros(len(arcs), np.int32))
    assert sorted(chains.arcs) == list(range(len(arcs)))
    first, last = chains.arcs[chains.offsets[:-1]], chains.arcs[chains.offsets[1:] - 1]
    for start, end in pairwise(chains.offsets):
        chain = chains.arcs[start:end]
        assert (heads[chain[:-1]] == tails[chain[1:]]).all()
        assert not chains.kept[heads[chain[:-1]]].any()
        assert len(set(kinds[chain])) == 1
    assert chains.kept[tails[first]].all()
    assert chains.kept[heads[last]].all()
    sums = [int(weights[chains.arcs[a:b]].sum()) for a, b in pairwise(chains.offsets)]
    whole = distances(n, tails, heads, weights)
    simple = distances(n, tails[first], heads[last], np.array(sums, np.int64))
    assert (whole[chains.kept][:, chains.kept] == simple[chains.kept][:, chains.kept]).all()


def distances(n: int, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray) -> np.ndarray:
    network = RoadNetwork.from_arcs(
        name="", node_count=n, tails=tails, heads=heads, metrics=[Metric("length", "m", 0.1, weights)]
    )
    return dijkstra(network.to_scipy())


def test_a_ring_becomes_a_loop() -> None:
    """Nobody meets anybody on a ring road of its own: its first node is kept, once for each direction."""
    ring = np.arange(5, dtype=np.int32)
    tails, heads = np.concatenate((ring, np.roll(ring, -1))), np.concatenate((np.roll(ring, -1), ring))
    chains = chains_of(5, tails, heads, np.zeros(10, np.uint8), np.zeros(10, np.int32))
    assert chains.kept.tolist() == [True, False, False, False, False]
    assert np.diff(chains.offsets).tolist() == [5, 5]


def test_a_name_or_class_that_changes_keeps_its_node() -> None:
    tails, heads = np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32)
    kinds, names = np.array([0, 0, 1], np.uint8), np.array([4, 4, 4], np.int32)
    assert chains_of(4, tails, heads, kinds, names).kept.tolist() == [True, False, True, True]
    assert chains_of(4, tails, heads, kinds * 0, names).kept.tolist() == [True, False, False, True]
    names = np.array([4, -1, 4], np.int32)
    assert chains_of(4, tails, heads, kinds * 0, names).kept.tolist() == [True, True, True, True]
