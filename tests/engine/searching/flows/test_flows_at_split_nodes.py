"""Flows count a split node once: ways begin at its first copy, end at its last, and do not go from one to the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wayfront
from search_checks import plain_distances
from wayfront.network.copies import begin_of, end_of, one_of_each, turn_arcs
from wayfront.network.road_network import RoadNetwork


@pytest.fixture(scope="module")
def network() -> RoadNetwork:
    """A grid of streets in which 30 turns cannot be made."""
    grid = wayfront.open_network("synthetic:grid?columns=8&rows=7&seed=3")
    random, tails = np.random.default_rng(5), grid.tails()
    turns = []
    for arc in random.permutation(grid.arc_count)[:30]:
        via = int(grid.targets[arc])
        onward = grid.targets[grid.offsets[via] : grid.offsets[via + 1]]
        onward = onward[onward != tails[arc]]
        turns.append([int(grid.node_ids[node]) for node in (tails[arc], via, random.choice(onward))])
    split = wayfront.without_turns(grid, turns)
    assert split.node_count > grid.node_count + 20
    return split


def pairs_of(network: RoadNetwork) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first and the last copies of all nodes, and the distances from each to each, −1 for no path."""
    lasts = np.flatnonzero(one_of_each(network))
    firsts = begin_of(network, lasts)
    found = [[-1 if d is None else d for d in plain_distances(network, source)] for source in firsts.tolist()]
    return firsts, lasts, np.array(found)[:, lasts]


WAYS: list[dict[str, Any]] = [
    {"algorithm": "trees"},
    {"algorithm": "dissection"},
    {"algorithm": "dissection", "ties": "all"},
    {"radius": 400.0},
    {"radius": 400.0, "ties": "all", "figures": True},
    {"algorithm": "trees", "ties": "all", "figures": True},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_one_trip_goes_from_each_node_to_each_other(network: RoadNetwork, way: dict[str, Any]) -> None:
    found = wayfront.flows(network, device="cpu", verify=True, **way)
    firsts, lasts, distances = pairs_of(network)
    limit = way.get("radius", np.inf)
    near = (distances >= 0) & (distances * found.metric.scale <= limit)
    np.fill_diagonal(near, val=False)
    count = len(firsts)
    assert (found.trips, found.unreached) == pytest.approx((near.sum(), count * (count - 1) - near.sum()))
    assert found.distance == pytest.approx(distances[near].sum())
    np.testing.assert_allclose(found.starts[firsts], near.sum(axis=1), atol=1e-9)
    np.testing.assert_allclose(found.ends[lasts], near.sum(axis=0), atol=1e-9)
    if "dissection" not in way.values():
        rows, columns = np.nonzero(near)
        listed = wayfront.Demand.between(network, lasts[rows], lasts[columns])
        alone = wayfront.flows(network, device="cpu", demand=listed, ties=way.get("ties", "one"))
        np.testing.assert_allclose(found.arc_flow, alone.arc_flow, rtol=1e-9, atol=1e-9)
    if found.figures:
        raw = np.where(near, distances, 0) * found.metric.scale
        inverse = np.divide(1.0, raw, out=np.zeros_like(raw), where=near)
        assert found.sources.tolist() == sorted(firsts.tolist())
        order = np.argsort(firsts)
        assert found.figures["reach"].tolist() == near.sum(axis=1)[order].tolist()
        np.testing.assert_allclose(found.figures["farness"], raw.sum(axis=1)[order])
        np.testing.assert_allclose(found.figures["harmonic"], inverse.sum(axis=1)[order])
        np.testing.assert_allclose(
            found.figures["closeness"],
            near.sum(axis=1)[order] ** 2 / np.maximum(raw.sum(axis=1)[order], 1) / (count - 1),
        )


def test_nodes_have_what_passes_all_their_copies(network: RoadNetwork) -> None:
    found = wayfront.flows(network, device="cpu", ties="all")
    table = found.nodes_to_pandas()
    each = one_of_each(network)
    assert table.index.tolist() == network.node_ids[each].tolist()
    roads = np.where(turn_arcs(network), 0, found.arc_flow)
    node = begin_of(network, np.arange(network.node_count, dtype=np.int32))
    coming = np.bincount(node[network.targets], roads, minlength=network.node_count)
    n = each.sum()
    assert table["ends"].sum() == pytest.approx(n * (n - 1))
    np.testing.assert_allclose(table["through"], (coming[node])[each] - table["ends"], atol=1e-9)
    np.testing.assert_allclose(found.betweenness(normalized=False)[each], table["through"])
    np.testing.assert_allclose(found.betweenness()[each], table["through"] / ((n - 1) * (n - 2)))
    assert found.edge_betweenness().max() == pytest.approx(found.arc_flow.max() / (n * (n - 1)))


def test_weights_of_places_stay_where_they_are(network: RoadNetwork) -> None:
    random = np.random.default_rng(2)
    assert network.coordinates is not None
    places = wayfront.Places.from_arrays(
        *network.coordinates[::3].T / 1e6, weights=random.integers(1, 9, -(-network.node_count // 3))
    )
    demand = wayfront.Demand.at_places(places.on(network))
    assert demand.leaving is not None and demand.arriving is not None
    p, q = demand.leaving, demand.arriving
    found = wayfront.flows(network, demand=demand, algorithm="trees", device="cpu", verify=True)
    ends = end_of(network, np.arange(network.node_count, dtype=np.int32))
    staying = sum(p[v] * q[ends[v]] for v in range(network.node_count))
    assert found.trips + found.unreached == pytest.approx(p.sum() * q.sum() - staying)
    assert staying > 0


def test_weights_of_nodes_count_once_whatever_copies_have_them(network: RoadNetwork) -> None:
    random, n = np.random.default_rng(4), network.node_count
    nodes = np.arange(n, dtype=np.int32)
    firsts, lasts = begin_of(network, nodes), end_of(network, nodes)
    p, q = random.integers(0, 5, (2, n))[:, firsts]
    demands = [
        wayfront.Demand.weighted(network, p, q),
        wayfront.Demand.weighted(network, np.where(nodes == firsts, p, 0), np.where(nodes == firsts, q, 0)),
        wayfront.Demand.weighted(network, np.where(nodes == lasts, p, 0), np.where(nodes == lasts, q, 0)),
    ]
    pairs = np.outer(p[one_of_each(network)], q[one_of_each(network)])
    np.fill_diagonal(pairs, val=0)
    for algorithm in ("trees", "dissection"):
        for demand in demands:
            found = wayfront.flows(network, demand=demand, algorithm=algorithm, device="cpu", verify=True)
            assert found.trips + found.unreached == pytest.approx(pairs.sum())
    same = wayfront.Demand.weighted(network, p)
    assert same.leaving is not None and same.arriving is not None
    assert same.leaving.sum() == same.arriving.sum() == p[one_of_each(network)].sum()
