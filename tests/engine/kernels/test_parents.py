"""The pass that finds parents on the host gives the tree that the rule in words gives, also after weights change."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from search_checks import make_network, networks, plain_distances, plain_parents, random_arcs
from wayfront.kernels import parents
from wayfront.kernels.parents import ParentPass
from wayfront.network.road_network import Metric, RoadNetwork


def without(network: RoadNetwork, weights: NDArray[np.int64]) -> RoadNetwork:
    """Return the network with other weights and without the arcs whose weight is −1."""
    arcs = zip(network.tails().tolist(), network.targets.tolist(), weights.tolist(), strict=True)
    return make_network(network.node_count, [a for a in arcs if a[2] >= 0], network.node_ids.tolist())


def distances_of(network: RoadNetwork, source: int, dtype: type) -> tuple[NDArray[np.integer], list[int]]:
    """Return distances as an array with its largest value for unreached nodes, and the parents by the rule."""
    plain = plain_distances(network, source)
    infinity = np.iinfo(dtype).max
    return np.array([infinity if d is None else d for d in plain], dtype), plain_parents(network, source, plain)


def found(parent_pass: ParentPass, distances: NDArray[np.integer], source: int) -> list[int]:
    out = np.full(len(distances), 77, np.int32)
    parent_pass.find(distances, source, out)
    return out.tolist()


@settings(max_examples=40, deadline=None)
@given(st.data(), networks(), st.sampled_from([np.int32, np.int64]))
def test_parents_are_those_of_the_rule_after_every_change(
    data: st.DataObject, network: RoadNetwork, dtype: type
) -> None:
    source, given = data.draw(st.integers(0, network.node_count - 1)), data.draw(st.sampled_from([np.int32, np.int64]))
    weights = network.metrics[0].weights.astype(np.int64)
    if dtype is np.int32:
        weights %= 1000
    parent_pass = ParentPass(network, weights, np.dtype(dtype))
    for _ in range(3):
        distances, expected = distances_of(without(network, weights), source, dtype)
        assert found(parent_pass, distances, source) == expected
        changed = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=len(weights), max_size=len(weights))))
        weights[changed] = data.draw(st.lists(st.integers(-1, 3), min_size=len(changed), max_size=len(changed)))
        parent_pass.change(changed, weights[changed].astype(given))


def by_levels(network: RoadNetwork, distances: NDArray[np.int64], roots: set[int]) -> list[int]:
    """Return the parents by the rule: over tight arcs that weigh something, and then level by level over the others."""
    ids, reached = network.node_ids, distances < np.iinfo(np.int64).max
    tight: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for tail, head, weight in zip(network.tails(), network.targets, network.metrics[-1].weights, strict=True):
        if reached[tail] and distances[tail] + weight == distances[head]:
            tight[bool(weight)].append((int(tail), int(head)))

    def best(offers: list[tuple[int, int]], heads: set[int]) -> dict[int, int]:
        rank = lambda tail: (ids[tail], tail)  # noqa: E731
        return {h: min((t for t, head in offers if head == h), key=rank) for h in heads & {h for _, h in offers}}

    found = best(tight[True], set(range(len(ids))))
    done = roots | set(found)
    while new := best([offer for offer in tight[False] if offer[0] in done], set(range(len(ids))) - done):
        found |= new
        done |= set(new)
    return [found.get(node, -1) for node in range(len(ids))]


def test_copies_of_split_nodes_have_the_parents_of_the_rule() -> None:
    """Where turns cost, arcs of weight 0 lead to the copies where ways end; also from several roots, some far off."""
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 25, (45, 2))
    time = Metric("time", "s", 1.0, np.tile(rng.integers(0, 9, 45), 2).astype(np.int32))
    network = wayfront.with_turn_costs(
        RoadNetwork.from_arcs(
            name="roads", node_count=25, tails=ends.T.ravel(), heads=ends[:, ::-1].T.ravel(), metrics=[time],
            node_ids=np.arange(25, 0, -1), coordinates=rng.integers(0, 9000, (25, 2)),
        )
    )  # fmt: skip
    for turned in (network, network.reversed()):
        weights = turned.metrics[-1].weights
        assert (weights == 0).sum() > 50
        parent_pass = ParentPass(turned, weights, np.dtype(np.int64))
        for begins in ({0: 0}, {3: 0}, {turned.node_count - 1: 0}, {0: 0, 5: 0}, {0: 0, 2: 7, 30: 4}):
            distances = np.full(turned.node_count, np.iinfo(np.int64).max)
            for root, distance in begins.items():
                from_it = plain_distances(turned, root)
                offers = [distances[v] if d is None else d + distance for v, d in enumerate(from_it)]
                distances = np.minimum(distances, offers)
            roots = {root for root, distance in begins.items() if distances[root] == distance}
            out = np.full(turned.node_count, 77, np.int32)
            parent_pass.find(distances, np.array(sorted(roots), np.int32), out)
            assert out.tolist() == by_levels(turned, distances, roots), begins


@pytest.mark.parametrize("largest", [0, 2, 50])
def test_all_in_degrees_over_several_chunks(largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In-degrees of 0 to some dozens, a node that many enter, and cores that share the chunks."""
    monkeypatch.setattr(parents, "SMALLEST_SHARE", 500)
    arcs = random_arcs(3 * parents.CHUNK + 5, 9000, largest, seed=largest)
    star = [(u, 7, 1 + u % 3) for u in range(0, 6000, 100)]
    table = zip(arcs.tails().tolist(), arcs.targets.tolist(), arcs.metrics[0].weights.tolist(), strict=True)
    network = make_network(arcs.node_count, [*table, *star], arcs.node_ids.tolist())
    distances, expected = distances_of(network, 11, np.int32)
    parent_pass = ParentPass.of(network, "weight", np.dtype(np.int32))
    assert found(parent_pass, distances, 11) == expected
    shared, tasks = np.full(network.node_count, 77, np.int32), []
    with ThreadPoolExecutor(3) as pool:

        def divide(work, shares) -> None:  # type: ignore[no-untyped-def]
            tasks.extend(shares)
            list(pool.map(work, shares, [0] * len(shares)))

        parent_pass.find(distances, 11, shared, divide, 3)
    assert tasks == [0, 1, 2] and shared.tolist() == expected


def test_metrics_of_a_network_share_the_order_of_its_arcs() -> None:
    network = random_arcs(50, 200, 9, 3)
    second = replace(network.metrics[0], name="second")
    both = replace(network, metrics=(network.metrics[0], second), _derived={})
    first = ParentPass.of(both, "weight", np.dtype(np.int32))
    assert ParentPass.of(both, "weight", np.dtype(np.int32)) is first
    assert ParentPass.of(both, "second", np.dtype(np.int32))._entering is first._entering
