"""Networks and checks that the tests of searches share, on every device."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import strategies as st

import wayfront
from wayfront.algorithms.bellman_ford import ALL_PASSES, IN_PLACE
from wayfront.devices import DeviceInfo, describe_device
from wayfront.network.conventions import SMALL
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.errors import OptionError
from wayfront.searching.certificate import certify
from wayfront.searching.registry import algorithms, find_algorithm

Kind = TypeVar("Kind")

EXTREMES: dict[str, tuple[dict[str, Any], ...]] = {
    "near-far": ({"delta": 1}, {"delta": 40}, {"delta": 2**31 - 1}),
    "near-far-resident": ({"delta": 1}, {"delta": 40}, {"delta": 2**31 - 1}),
    "regions": ({"window": 30, "delta": 7},),
    "delta-stepping": ({"delta": 2**31 - 1}, {"delta": 40}, {"rule": "mean weight"}),
    "adaptive": (
        {"threshold": 0.01},
        {"threshold": 1e9},
        {"judge": "frontier size", "list_up_to": 2},
        {"judge": "frontier size", "list_up_to": 1, "block": 32},
    ),
    "bellman-ford-queue": (
        {"order": "FIFO", "batch": 1},
        {"order": "SLF", "batch": 3},
        {"order": "LLL", "batch": 2},
        {"order": "SLF + LLL", "batch": 1},
        {"order": "SLF + LLL", "batch": 4},
    ),
    "bellman-ford-v2": (
        {"blocks": 1, "block": 32},
        {"blocks": 1, "block": 32, "stop": ALL_PASSES},
    ),
    "bellman-ford-v3": (
        {"blocks": 1, "block": 32},
        {"blocks": 1, "block": 32, "stop": ALL_PASSES},
        {"blocks": 1, "block": 32, "stop": ALL_PASSES, "update": IN_PLACE},
    ),
}
"""Values of numeric options that change how a search goes, and choices that only mean something together."""


def device_info(device_id: str, name: str, available: bool, why_not: str = "") -> DeviceInfo:
    """Return a device as it would be listed on a machine that has it, or lacks it."""
    return replace(describe_device(device_id), name=name, available=available, why_not=why_not)


def variants(device: str) -> list[tuple[str, dict[str, Any]]]:
    """Return every algorithm that runs on a device, with its defaults, each of its safe choices and its extremes.

    A processor has no blocks, whose size is then asked for once.
    """
    found: list[tuple[str, dict[str, Any]]] = []
    for algorithm in algorithms(SearchKind.ONE_TREE):
        if algorithm.runs_on(describe_device(device)):
            choices = [
                {o.name: value}
                for o in algorithm.options
                for value in (o.choices[:1] if o.name == "block" and device == "cpu" else o.choices)
                if value not in (o.default, *o.unsafe)
            ]
            extremes = (extreme for extreme in EXTREMES.get(algorithm.name, ()) if extreme not in choices)
            found += [(algorithm.name, options) for options in ({}, *choices, *extremes)]
    return found


def taking_turns(
    searches: list[tuple[str, dict[str, Any]]], kinds: Iterable[Kind]
) -> list[tuple[str, dict[str, Any], Kind]]:
    """Return searches with kinds of anything, such as networks: defaults with each kind, other options in turn.

    Every option meets one kind, every kind all algorithms and about as many options as another.
    """
    kinds, found = list(kinds), []
    for turn, (name, options) in enumerate(searches):
        found += [(name, options, kind) for kind in ([kinds[turn % len(kinds)]] if options else kinds)]
    return found


def search_unless_refused(
    network: RoadNetwork, source: int, name: str, device: str, *, options: dict[str, Any], **others: Any
) -> Result | None:
    """Return what a search finds; None where it has to refuse, which is then checked word by word."""
    expected = refusal(network, source, name, options)
    if not expected:
        found: Result = wayfront.search(network, source, name, device, options=options, **others, trace=True)
        return found
    with pytest.raises(OptionError, match=re.escape(expected)):
        wayfront.search(network, source, name, device, options=options, **others, trace=True)
    return None


def refusal(network: RoadNetwork, source: int, name: str, options: dict[str, Any]) -> str:
    """Return what Δ-stepping must answer where an index of a bucket might not fit 32 bits; "" where it must search.

    A Δ that it chooses itself is always wide enough.

    Distances of 32 bits have such indices for any Δ, so this happens only where a distance needs 64.
    """
    weights = np.sort(network.metrics[0].weights.astype(np.int64))
    if name != "delta-stepping" or not len(weights):
        return ""
    hops = network.node_count - 1
    largest_offer = int(weights[max(len(weights) - hops, 0) :].sum() * (hops > 0) + weights[-1])
    limit = 2**31 - 1
    delta = options.get("delta")
    if delta is None or largest_offer // delta < limit:
        return ""
    # What is recorded of a small graph is in 64 bits wherever a distance of the network could need that.
    if network.node_count > SMALL and max(d or 0 for d in plain_distances(network, source)) < limit:
        return ""
    return f"delta {delta} could need {largest_offer // delta:,} buckets here"


def make_network(n: int, arcs: list[tuple[int, int, int]], node_ids: list[int] | None = None) -> RoadNetwork:
    """Return a network from (tail, head, weight) triples."""
    table = np.array(arcs, np.int64).reshape(-1, 3)
    return RoadNetwork.from_arcs(
        name="drawn",
        node_count=n,
        tails=table[:, 0],
        heads=table[:, 1],
        metrics=[Metric("weight", "", 1, table[:, 2].astype(np.int32))],
        node_ids=None if node_ids is None else np.array(node_ids),
    )


def random_arcs(n: int, m: int, largest: int, seed: int) -> RoadNetwork:
    """Return a random network, parallel arcs and self-loops included."""
    r = np.random.default_rng(seed)
    arcs = np.stack([r.integers(0, n, m), r.integers(0, n, m), r.integers(0, largest + 1, m)], 1)
    return make_network(n, [tuple(a) for a in arcs.tolist()], r.permutation(n * 3)[:n].tolist())


def star_or_random_arcs(n: int, m: int, largest: int, seed: int) -> RoadNetwork:
    """Return a random network, or in place of one without arcs a star: an arc from node 0 to every other one."""
    if m > 0 or n == 1:
        return random_arcs(n, m, largest, seed)
    weights = np.random.default_rng(seed).integers(0, largest + 1, n)
    return make_network(n, [(0, v, int(weights[v])) for v in range(1, n)])


def check_around_the_limit(name: str, device: str, over: int) -> None:
    """Search for a distance ``over`` above the value that means "not reached" in 32 bits, which it takes where it fits.

    Two arcs reach it exactly; a longer way to the same node, and a node behind it, must not disturb.
    """
    limit, half = 2**31 - 1, 2**30
    arcs = [(0, 1, half), (1, 2, limit + over - half), (0, 2, limit), (0, 3, 7), (3, 4, 0), (2, 5, 0)]
    options = {"delta": limit} if name == "delta-stepping" else {}
    result = wayfront.search(make_network(6, arcs), 0, name, device, options=options, runs=1, verify=True, trace=True)
    end = min(limit + over, limit)
    assert result.distances.tolist() == [0, half, end, 7, 7, end]
    assert result.reached.all()
    check_result(result)
    assert result.distances.dtype == (np.int32 if end < limit else np.int64)


@st.composite
def networks(draw: st.DrawFn) -> RoadNetwork:
    """Draw a network with parallel arcs, self-loops, zero weights, unreachable parts, one node, or no arcs."""
    n = draw(st.integers(1, 24))
    weight = draw(st.sampled_from([st.integers(0, 3), st.integers(0, 100), st.integers(0, 2**31 - 1)]))
    node = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(node, node, weight), max_size=80))
    ids = draw(st.permutations(range(1, n + 1)))
    return make_network(n, arcs, list(ids))


def plain_distances(network: RoadNetwork, source: int) -> list[int | None]:
    """Return distances by a heap search in plain Python integers, which cannot overflow."""
    weights = network.metrics[0].weights.tolist()
    distances: list[int | None] = [None] * network.node_count
    heap = [(0, source)]
    while heap:
        d, u = heapq.heappop(heap)
        if distances[u] is not None:
            continue
        distances[u] = d
        for arc in range(network.offsets[u], network.offsets[u + 1]):
            heapq.heappush(heap, (d + weights[arc], int(network.targets[arc])))
    return distances


def plain_parents(network: RoadNetwork, source: int, distances: list[int | None]) -> list[int]:
    """Return parents by the rule in words: the smallest file id over positive tight arcs, then zeros by level."""
    weights, ids = network.metrics[0].weights.tolist(), network.node_ids.tolist()
    tails, heads = network.tails().tolist(), network.targets.tolist()
    parents = [-1] * network.node_count
    tight = [
        (u, v, w)
        for u, v, w in zip(tails, heads, weights, strict=True)
        if distances[u] is not None and distances[v] == distances[u] + w
    ]
    for u, v, w in tight:
        if w > 0 and (parents[v] < 0 or ids[u] < ids[parents[v]]):
            parents[v] = u
    served = {source} | {v for v, p in enumerate(parents) if p >= 0}
    while True:
        offers: dict[int, int] = {}
        for u, v, w in tight:
            if w == 0 and u in served and v not in served and (v not in offers or ids[u] < ids[offers[v]]):
                offers[v] = u
        if not offers:
            return parents
        for v, u in offers.items():
            parents[v] = u
        served |= set(offers)


def check_result(result: Result) -> None:
    """Compare a result with the plain searches, and its trace with itself."""
    network, source = result.network, result.source
    expected = plain_distances(network, source)
    assert [None if d == result.unreached else d for d in result.distances.tolist()] == expected
    if find_algorithm(result.algorithm).keeps_parents:
        certify(result)
    else:
        assert result.parents.tolist() == plain_parents(network, source, expected)
    trace = result.trace
    assert trace is not None
    assert len(trace) == result.steps
    reached = result.reached
    assert (trace.first_reached >= 0).tolist() == reached.tolist()
    assert (trace.last_improved >= trace.first_reached).all()
    assert trace.first_reached[source] == 0
    assert trace.frontier_size.tolist() == np.diff(trace.frontier_offsets).tolist()
    expanded = np.unique(trace.frontier_nodes)
    if result.options.get("stop") == ALL_PASSES:
        assert reached[expanded].all(), "the last pass may reach nodes that no further pass expands"
    else:
        assert expanded.tolist() == np.flatnonzero(reached).tolist(), "every reached node is expanded, and no other"
    nodes, steps = np.unique(trace.last_improved[reached & (np.arange(len(reached)) != source)], return_counts=True)
    assert (trace.improved[nodes] >= steps).all()
    phases = {step.note.phase for step in trace}
    assert phases <= set(find_algorithm(result.algorithm).phases)
    settled = trace.settled[trace.settled >= 0]
    assert len(settled) in (0, int(reached.sum()))
    assert (np.diff(result.distances[settled].astype(np.int64)) >= 0).all()
