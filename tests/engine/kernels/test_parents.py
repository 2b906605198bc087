"""The pass that finds parents on the host gives the tree that the rule in words gives, also after weights change."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from search_checks import make_network, networks, plain_distances, plain_parents, random_arcs
from wayfront.kernels import parents
from wayfront.kernels.parents import ParentPass
from wayfront.network.road_network import RoadNetwork


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
