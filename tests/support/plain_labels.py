"""The labels of searches after every step in plain Python, each written from the algorithm's definition.

A network is a list of arcs (tail, head, weight) over nodes 0 … n − 1; a row holds a distance for each node, −1 where
none is known. Where the order within a step decides, it is that of one thread: nodes as they are listed, arcs of a node
by their heads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from wayfront.network.road_network import RoadNetwork

Arc = tuple[int, int, int]
Rows = list[list[int]]

PAPER_E: tuple[Arc, ...] = (
    (0, 1, 9), (0, 2, 4), (1, 2, 10), (1, 3, 2), (1, 4, 3), (2, 3, 2), (2, 4, 11), (3, 1, 2), (4, 3, 2),
)  # fmt: skip
"""The example of Rajkumar and Garland: nodes A to E, weights as they print them."""

# Tables of the example, worked by hand.
NEVER = -1
START = [0, NEVER, NEVER, NEVER, NEVER]
"""A, B, C, D, E before the first step."""

DIJKSTRA = [START, [0, 9, 4, NEVER, NEVER], [0, 9, 4, 6, 15], [0, 8, 4, 6, 15], [0, 8, 4, 6, 11], [0, 8, 4, 6, 11]]
"""A, C, D, B and E are settled, in this order; they are also the near piles of Δ = 4."""

PASSES = [
    START, [0, 9, 4, NEVER, NEVER], [0, 9, 4, 6, 12], [0, 8, 4, 6, 12], [0, 8, 4, 6, 11], [0, 8, 4, 6, 11],
]  # fmt: skip
"""After pass k the shortest paths of at most k arcs; the fifth pass changes nothing."""

DELTA_4 = [
    START,
    [0, NEVER, 4, NEVER, NEVER],  # bucket 0, light: A → C
    [0, 9, 4, NEVER, NEVER],  # heavy: A → B
    [0, 9, 4, 6, NEVER],  # bucket 1, light: C → D
    [0, 8, 4, 6, NEVER],  # light again: D → B
    [0, 8, 4, 6, 15],  # heavy: C → E
    [0, 8, 4, 6, 11],  # bucket 2, light: B → E
    [0, 8, 4, 6, 11],  # light again: E → D is no better
    [0, 8, 4, 6, 11],  # heavy: B → C is no better
]
"""Δ = 4: the largest weight, 11, over the largest degree, 3."""

PIVOTS_FROM_A = [
    [0, 9, 4, NEVER, NEVER],  # arcs alone
    [0, 9, 4, NEVER, NEVER],  # A
    [0, 9, 4, 11, 12],  # B
    [0, 9, 4, 6, 12],  # C
    [0, 8, 4, 6, 11],  # D, from which B's turn made E 5 away
    [0, 8, 4, 6, 11],  # E
]
"""Row A of the matrix after each pivot."""


def arcs_of(network: RoadNetwork) -> list[Arc]:
    """Return the arcs of a network by tail, in the order in which it holds them."""
    weights = network.metrics[0].weights.tolist()
    return list(zip(network.tails().tolist(), network.targets.tolist(), weights, strict=True))


def row(labels: list[float]) -> list[int]:
    """Return labels with −1 for infinity."""
    return [-1 if math.isinf(label) else int(label) for label in labels]


def begin(n: int, source: int) -> list[float]:
    """Return the labels before the first step."""
    return [0 if node == source else math.inf for node in range(n)]


def dijkstra_rows(n: int, arcs: list[Arc], source: int) -> tuple[Rows, list[int]]:
    """Settle the node of the least label, step by step; ties are not broken: weights have to be such that none occur.

    Returns the rows, and the nodes in the order in which they are settled.
    """
    labels, left = begin(n, source), set(range(n))
    rows, order = [row(labels)], []
    while left and min(labels[node] for node in left) < math.inf:
        node = min(left, key=lambda node: labels[node])
        left.remove(node)
        order.append(node)
        for tail, head, weight in arcs:
            if tail == node:
                labels[head] = min(labels[head], labels[node] + weight)
        rows.append(row(labels))
    return rows, order


def pass_rows(n: int, arcs: list[Arc], source: int) -> Rows:
    """Relax every arc from the labels of the pass before, until a pass changes nothing; that one is a step too."""
    labels, rows = begin(n, source), [row(begin(n, source))]
    while True:
        following = labels.copy()
        for tail, head, weight in arcs:
            following[head] = min(following[head], labels[tail] + weight)
        rows.append(row(following))
        if following == labels:
            return rows
        labels = following


def pass_in_place_rows(n: int, arcs: list[Arc], source: int) -> Rows:
    """Relax every arc in one array, arcs in their order, until a pass changes nothing."""
    labels, rows, changed = begin(n, source), [row(begin(n, source))], True
    while changed:
        before = labels.copy()
        relax(labels, arcs)
        rows.append(row(labels))
        changed = labels != before
    return rows


def relax(labels: list[float], arcs: Iterable[Arc]) -> list[int]:
    """Relax arcs one after the other, in place; return the heads whose labels fell, each time they did."""
    lowered = []
    for tail, head, weight in arcs:
        if labels[tail] + weight < labels[head]:
            labels[head] = labels[tail] + weight
            lowered.append(head)
    return lowered


def delta_rows(n: int, arcs: list[Arc], source: int, delta: int) -> tuple[Rows, list[tuple[int, str]]]:
    """Δ-stepping by Meyer and Sanders: light arcs of a bucket until it stays empty, then its heavy ones.

    Returns the rows, and the bucket and kind of arcs of each step.
    """
    labels, rows = begin(n, source), [row(begin(n, source))]
    waiting, removed_ever, steps = {source}, set[int](), []

    def arcs_from(nodes: list[int], fits: Callable[[int], bool]) -> list[Arc]:
        return [(t, h, w) for node in nodes for t, h, w in arcs if t == node and fits(w)]

    while waiting:
        index = int(min(labels[node] for node in waiting)) // delta
        removed: list[int] = []
        while taken := sorted(node for node in waiting if labels[node] // delta == index):
            waiting -= set(taken)
            removed += [node for node in taken if node not in removed_ever]
            removed_ever |= set(taken)
            waiting |= set(relax(labels, arcs_from(taken, lambda w: w <= delta)))
            rows.append(row(labels))
            steps.append((index, "light arcs"))
        waiting |= set(relax(labels, arcs_from(removed, lambda w: w > delta)))
        rows.append(row(labels))
        steps.append((index, "heavy arcs"))
    return rows, steps


def near_far_rows(n: int, arcs: list[Arc], source: int, delta: int) -> tuple[Rows, list[list[int]]]:
    """Near-far by Davidson and others: near nodes are relaxed until none is left, then the far ones are split anew.

    Returns the rows, and the near pile of each step in its order.
    """
    labels, rows = begin(n, source), [row(begin(n, source))]
    near, far, settled, limit, piles = [source], list[int](), 0, delta, []
    while near:
        piles.append(near)
        following: list[int] = []
        for node in near:
            for head in relax(labels, [arc for arc in arcs if arc[0] == node]):
                pile = following if labels[head] < limit else far
                if head not in pile:
                    pile.append(head)
        rows.append(row(labels))
        near = following
        while not near and far:
            settled, limit = limit, limit + delta
            near = [node for node in far if settled <= labels[node] < limit]
            far = [node for node in far if labels[node] >= limit]
            if not near and far:
                limit = int(min(labels[node] for node in far))
    return rows, piles


def pivot_matrices(n: int, arcs: list[Arc]) -> list[Rows]:
    """Return the matrix of Floyd and Warshall before the first pivot, and after each."""
    matrix = [begin(n, node) for node in range(n)]
    for tail, head, weight in arcs:
        matrix[tail][head] = min(matrix[tail][head], weight)
    found = [[row(line) for line in matrix]]
    for k in range(n):
        matrix = [[min(matrix[i][j], matrix[i][k] + matrix[k][j]) for j in range(n)] for i in range(n)]
        found.append([row(line) for line in matrix])
    return found


def tentative_of(trace: object) -> Rows:
    """Return the labels that a trace kept."""
    labels = getattr(trace, "tentative", None)
    assert isinstance(labels, np.ndarray)
    rows: Rows = labels.tolist()
    return rows
