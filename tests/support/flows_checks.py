"""Small networks, random cuts of them, and the proof by brute force that flows are those of shortest paths."""

from __future__ import annotations

import collections
from typing import Any

import networkx
import numpy as np
from numpy.typing import NDArray

from wayfront import RoadNetwork
from wayfront.devices import open_device
from wayfront.dissection.card.engine import NarrowCardEngine
from wayfront.dissection.cut.numbering import complete
from wayfront.dissection.host.flows import DissectionFlows, dissection_flows, flows_on_card
from wayfront.dissection.shape import Dissection
from wayfront.network.road_network import Metric

FAR = 1 << 40

SOURCES_WITHIN = 40
"""Sources at most whose flows within a limit are compared."""


def random_network(random: np.random.Generator, most_nodes: int = 40) -> RoadNetwork:
    """Return scattered arcs, streets, a tree and more, or near neighbours, with loops and parallel arcs."""
    n, kind = int(random.integers(1, most_nodes + 1)), int(random.integers(4))
    if kind == 0:
        tails, heads = random.integers(0, n, (2, int(n * random.uniform(0.5, 3))))
    elif kind == 1:
        k = int(random.integers(2, 7))
        n, nodes = k * k, np.arange(k * k).reshape(k, k)
        pairs = np.array([*zip(nodes[:, :-1].ravel(), nodes[:, 1:].ravel(), strict=True)])
        pairs = np.concatenate((pairs, np.array([*zip(nodes[:-1].ravel(), nodes[1:].ravel(), strict=True)])))
        pairs = pairs[random.random(len(pairs)) < 0.9]
        tails, heads = np.concatenate((pairs, pairs[:, ::-1])).T
    elif kind == 2:
        after = np.arange(1, n)
        before = (random.random(n - 1) * after).astype(np.int64)
        extra = random.integers(0, n, (2, 6))
        tails, heads = np.concatenate((after, before, extra[0])), np.concatenate((before, after, extra[1]))
    else:
        tails = random.integers(0, n, 3 * n)
        heads = np.clip(tails + random.integers(-3, 4, 3 * n), 0, n - 1)
    largest = int(random.choice([1, 2, 3, 10, 1000]))
    weights = random.integers(int(random.random() < 0.7), largest + 1, len(tails)).astype(np.int32)
    metric = Metric("length", "m", 1.0, weights)
    return RoadNetwork.from_arcs(name="made", node_count=n, tails=tails, heads=heads, metrics=[metric])


def random_cut(network: RoadNetwork, random: np.random.Generator, most_in_leaf: int) -> Dissection:
    """Return a dissection with separators that nobody chose with care, some of them empty."""
    near: list[set[int]] = [set() for _ in range(network.node_count)]
    for tail, head in zip(network.tails().tolist(), network.targets.tolist(), strict=True):
        near[tail].add(head)
        near[head].add(tail)
    parent: list[int] = []
    offsets, order = [0], list[int]()

    def cut(nodes: list[int], above: int) -> None:
        cell = len(parent)
        parent.append(above)
        own, parts = nodes, list[list[int]]()
        if len(nodes) > most_in_leaf:
            queue = [int(random.choice(nodes))]
            for node in queue:
                queue += [other for other in sorted(near[node]) if other in nodes and other not in queue]
            queue += [node for node in nodes if node not in queue]
            inside = set(queue[: max(1, int(len(queue) * random.uniform(0.3, 0.7)))])
            own = [node for node in inside if near[node] & (set(nodes) - inside)]
            parts = [sorted(inside - set(own)), [node for node in nodes if node not in inside]]
            parts = [part for part in parts if part]
            if not own and len(parts) < 2:
                own, parts = nodes, []
        order.extend(random.permutation(own).astype(int).tolist())
        offsets.append(len(order))
        for part in parts:
            cut(part, cell)

    cut(list(range(network.node_count)), -1)
    above, first, node_at = (np.array(numbers, np.int32) for numbers in (parent, offsets, order))
    return complete(network, above, first, node_at, "coordinates", 0.0)


def all_distances(network: RoadNetwork, weights: NDArray[Any]) -> NDArray[np.int64]:
    """Return the distances [n, n] by weights [m], −1 where closed, and ``FAR`` without a path (Floyd and Warshall)."""
    n = network.node_count
    distances = np.full((n, n), FAR, np.int64)
    np.minimum.at(distances, (network.tails()[weights >= 0], network.targets[weights >= 0]), weights[weights >= 0])
    distances[np.arange(n), np.arange(n)] = 0
    for k in range(n):
        distances = np.minimum(distances, distances[:, k : k + 1] + distances[k])
    return np.minimum(distances, FAR)


def brandes(network: RoadNetwork, weights: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what NetworkX finds for arcs and nodes; of parallel arcs the lightest count as one, and share its flow."""
    n, tails, heads, wide = network.node_count, network.tails(), network.targets, weights.astype(np.int64)
    if (wide[tails != heads] == 0).any():
        wide = np.where(wide < 0, -1, wide * n + 1)
    arcs = [*zip(tails.tolist(), heads.tolist(), wide.tolist(), strict=True)]
    lightest: dict[tuple[int, int], int] = {}
    for tail, head, weight in arcs:
        if weight >= 0 and tail != head:
            lightest[tail, head] = min(lightest.get((tail, head), weight), weight)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from((tail, head, weight) for (tail, head), weight in lightest.items())
    alike = [lightest.get((tail, head)) == weight for tail, head, weight in arcs]
    times = collections.Counter(arc[:2] for arc, same in zip(arcs, alike, strict=True) if same)
    edges = networkx.edge_betweenness_centrality(graph, normalized=False, weight="weight")
    nodes = networkx.betweenness_centrality(graph, normalized=False, weight="weight")
    shares = [edges[arc[:2]] / times[arc[:2]] if same else 0.0 for arc, same in zip(arcs, alike, strict=True)]
    return np.array(shares), np.array([nodes[node] for node in range(n)])


def check_flows(
    found: DissectionFlows,
    network: RoadNetwork,
    weights: NDArray[Any],
    demand: NDArray[Any],
) -> None:
    """Assert sums, conservation and what is on no shortest path, for a demand [n, n] of pairs."""
    distances, tails, heads = all_distances(network, weights), network.tails(), network.targets
    asked = demand.copy()
    np.fill_diagonal(asked, 0)
    there = np.where(distances < FAR, asked, 0)
    assert found.trips == there.sum()
    assert found.unreached == asked.sum() - there.sum()
    assert (found.arc_flow >= 0).all()
    assert found.arc_flow[weights < 0].sum() == 0
    assert (found.arc_flow * weights.astype(np.int64)).sum() == (there * np.where(there > 0, distances, 0)).sum()
    inward, outward = (np.zeros(network.node_count, found.arc_flow.dtype) for _ in range(2))
    np.add.at(inward, heads, found.arc_flow)
    np.add.at(outward, tails, found.arc_flow)
    assert (inward - there.sum(0) == found.through).all()
    assert (outward - there.sum(1) == found.through).all()


def check_one_source(
    found: DissectionFlows, network: RoadNetwork, weights: NDArray[Any], source: int, amounts: NDArray[Any]
) -> None:
    """Assert that a source's flow is on arcs of shortest paths alone, those with fewest arcs where some weigh 0."""
    demand = np.zeros((network.node_count, network.node_count), np.int64)
    demand[source] = amounts
    check_flows(found, network, weights, demand)
    wide = weights.astype(np.int64)
    if (wide[network.tails() != network.targets] == 0).any():
        wide = np.where(wide < 0, -1, wide * network.node_count + 1)
    distances = all_distances(network, wide)[source]
    used = found.arc_flow > 0
    assert (distances[network.tails()[used]] + wide[used] == distances[network.targets[used]]).all()


def differing_flows(network: RoadNetwork, device_id: str, seed: int, *, leaf_nodes: int, count: int) -> list[str]:
    """Return what a card finds otherwise than the processor: flows of ``count`` sources, some twice, roads closed."""
    random, n = np.random.default_rng(seed), network.node_count
    cut, cpu, card = random_cut(network, random, leaf_nodes), open_device("cpu"), open_device(device_id)
    weights = network.metrics[0].weights.copy()
    weights[random.random(len(weights)) < 0.1] = -1
    engine = NarrowCardEngine(card, cut, network, np.int32)
    sources, origins, destinations = (
        random.integers(0, n, count),
        random.integers(0, 9, count),
        random.integers(0, 9, n),
    )
    asked: list[dict[str, Any]] = [{"sources": sources}]
    asked.append({"sources": sources, "origins": origins, "destinations": destinations})
    wrong = list[str]()
    for demand in asked[:: -1 if seed % 2 else 1][: 1 if device_id == "simulator" else 2]:
        for all_ties in (False, True):
            here = dissection_flows(cut, network, weights, cpu, all_ties=all_ties, **demand)
            there = flows_on_card(cut, network, weights, engine, all_ties=all_ties, **demand)
            assert there is not None
            near = 1e-9 if all_ties else 0
            same = {
                "on a card": there.on_card,
                "arcs": np.allclose(here.arc_flow, there.arc_flow, rtol=near, atol=near),
                "nodes": np.allclose(here.through, there.through, rtol=near, atol=1e3 * near),
                "trips": np.allclose(
                    [here.trips, here.unreached], [there.trips, there.unreached], rtol=near, atol=near
                ),
            }
            wrong += [f"{what} of {len(demand)}, {all_ties}" for what, is_same in same.items() if not is_same]
    limit = int(random.integers(1, 3 * network.metrics[0].weights.max(initial=1) + 2))
    return wrong + _differing_within(cut, network, weights, engine, limit, asked[seed % 2])


def _differing_within(
    cut: Dissection, network: RoadNetwork, weights: NDArray[Any], engine: Any, limit: int, demand: dict[str, Any]
) -> list[str]:
    """Return what a card finds otherwise within a limit than the processor, which is asked for each source alone."""
    cpu, distances, wrong = open_device("cpu"), all_distances(network, weights), list[str]()
    for all_ties in (False, True):
        there = flows_on_card(cut, network, weights, engine, all_ties=all_ties, limit=limit, **demand)
        assert there is not None
        flow, trips = np.zeros(network.arc_count), 0.0
        wanted = demand.get("destinations", np.ones(network.node_count, np.int64))
        for number, source in enumerate(demand["sources"][:SOURCES_WITHIN].tolist()):
            one = {key: values[number : number + 1] for key, values in demand.items() if key != "destinations"}
            near = np.where(distances[source] <= limit, wanted, 0)
            here = dissection_flows(cut, network, weights, cpu, all_ties=all_ties, destinations=near, **one)
            flow, trips = flow + here.arc_flow, trips + here.trips
        if len(demand["sources"]) <= SOURCES_WITHIN and not (
            np.allclose(flow, there.arc_flow, rtol=1e-9, atol=1e-9) and np.isclose(trips, there.trips)
        ):
            wrong.append(f"within {limit}, {all_ties}")
        few = {key: values if key == "destinations" else values[:3] for key, values in demand.items()}
        whole, farther = (
            flows_on_card(cut, network, weights, engine, all_ties=all_ties, limit=beyond, **few)
            for beyond in (None, 1 << 40)
        )
        assert whole is not None and farther is not None
        if whole.trips != farther.trips or not np.allclose(whole.arc_flow, farther.arc_flow, rtol=1e-9, atol=1e-9):
            wrong.append(f"farther than any path, {all_ties}")
    return wrong
