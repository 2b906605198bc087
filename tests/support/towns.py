"""Small towns for turns that are closed or cost, and distances in them by ids less 10."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

import numpy as np
from hypothesis import strategies as st

import wayfront
from wayfront.network.copies import end_of
from wayfront.network.road_network import Metric, RoadNetwork

Arc = tuple[int, int, int]
"""Ids of its ends, and its weight."""


def network_of(arcs: list[Arc], nodes: int) -> RoadNetwork:
    """Return a network whose node i has the id 10 + i; ``time`` is in seconds, three a metre."""
    tails, heads, weights = (np.array(column, np.int32) for column in zip(*arcs, strict=True))
    return RoadNetwork.from_arcs(
        name="town",
        node_count=nodes,
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1.0, weights), Metric("travel time", "s", 0.001, 3000 * weights)],
        node_ids=np.arange(nodes) + 10,
        coordinates=np.array([(node % 3 * 1000, node // 3 * 1000) for node in range(nodes)], np.int32),
    )


def beside(arcs: list[Arc], vias: set[int]) -> set[int]:
    """Return the nodes between these and the next junctions, by looking at neighbours alone."""
    around: dict[int, set[int]] = {}
    joined = {(tail, head) for tail, head, _ in arcs}
    for tail, head, _ in arcs:
        around.setdefault(tail, set()).add(head)
        around.setdefault(head, set()).add(tail)
    found: set[int] = set()
    for via in vias:
        for begin in around.get(via, set()) - {via}:
            came, here, road = via, begin, set[int]()
            while (
                here not in vias | road and {(came, here), (here, came)} <= joined and len(around[here] - {here}) == 2
            ):
                road.add(here)
                came, here = here, (around[here] - {here, came}).pop()
            found |= road
    return found


def over_arcs(
    arcs: list[Arc],
    source: int,
    closed: set[tuple[int, int, int]],
    unit: int = 1,
    cost: Callable[[int, int], int] = lambda _arc, _other: 0,
) -> dict[int, int]:
    """Return how far every node is that is reached without a closed turn, by Dijkstra's algorithm over arcs.

    A weight of 1 takes ``unit``, and to go from one arc on into another takes ``cost`` of the two.
    """
    shut = {via for _, via, _ in closed} | beside(arcs, {via for _, via, _ in closed})

    def following(arc: int) -> list[int]:
        tail, node, weight = arcs[arc]
        on = [each for each, (begin, end, _) in enumerate(arcs) if begin == node and (tail, node, end) not in closed]
        return ([each for each in on if arcs[each][1:] != (tail, weight)] or on) if node in shut else on

    found, done = {source: 0}, set[int]()
    heap = sorted((arc[2] * unit, index) for index, arc in enumerate(arcs) if arc[0] == source)
    while heap:
        far, arc = heappop(heap)
        if arc not in done:
            done.add(arc)
            found.setdefault(arcs[arc][1], far)
            for each in following(arc):
                heappush(heap, (far + arcs[each][2] * unit + cost(arc, each), each))
    return found


def distances(network: RoadNetwork, source: int, metric: str = "length") -> dict[int, int]:
    found = wayfront.search(network, network.node(source), "dijkstra", "cpu", metric=metric).distances
    ids = np.unique(network.node_ids)
    ends = end_of(network, np.array([network.node(each) for each in ids.tolist()], np.int32))
    return {node - 10: far for node, far in zip(ids.tolist(), found[ends].tolist(), strict=True) if far >= 0}


@st.composite
def towns(draw: st.DrawFn) -> tuple[list[Arc], int, list[tuple[int, int, int]]]:
    """Draw roads, some both ways, parallel, without length or back to where they begin, and turns to close."""
    nodes = draw(st.integers(2, 7))
    node = st.integers(0, nodes - 1)
    arcs: list[Arc] = []
    for tail, head, weight, both in draw(
        st.lists(st.tuples(node, node, st.integers(0, 9), st.booleans()), min_size=2, max_size=14)
    ):
        arcs += [(tail, head, weight), (head, tail, weight)][: 1 + (both and tail != head)]
    arcs = [arc for arc in arcs if arc[0] != arc[1]] or [(0, 1, 1)]
    possible = sorted({(a, b, d) for a, b, _ in arcs for c, d, _ in arcs if b == c})
    turns = draw(st.lists(st.sampled_from(possible), max_size=6)) if possible else []
    return arcs, nodes, turns


CROSS: list[Arc] = [(4, 1, 5), (1, 4, 5), (4, 3, 5), (3, 4, 5), (4, 5, 5), (5, 4, 5), (4, 7, 5), (7, 4, 5)]
"""Node 14 in the middle of 11, 13, 15 and 17, on roads of 5 m."""
