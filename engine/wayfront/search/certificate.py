"""Proof that a result is right, without a second search.

Distances d with d[source] = 0 are the shortest ones exactly when no arc can improve any of them and every reached
node is reached by a way of that length. The second part is what the tree shows: each reached node but the source has
a parent with a tight arc (``d[u] + w = d[v]``), and following parents ends at the source. Costs O(n + m).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from wayfront.errors import CertificateError
from wayfront.search.result import Result

HOLDS, IMPROVABLE, NOT_TIGHT, CIRCLE, NEEDLESS_PARENT = range(5)


def certify(result: Result) -> None:
    """Prove that distances and parents of a result are right. Raises ``CertificateError`` with a counterexample."""
    network, ids = result.network, result.network.node_ids
    if int(result.distances[result.source]) != 0:
        raise CertificateError(f"the source has distance {result.distances[result.source]}, not 0")
    verdict, u, v = _examine(
        network.offsets,
        network.targets,
        result.metric.weights,
        result.distances,
        result.parents,
        result.source,
        result.unreached,
    )
    told = {
        IMPROVABLE: f"the arc from node {ids[u]} to node {ids[v]} improves the distance of the latter",
        NOT_TIGHT: f"node {ids[v]} has node {ids[u] if u >= 0 else 'none'} as parent, but no arc explains its distance",
        CIRCLE: f"following parents from node {ids[v]} never ends at the source",
        NEEDLESS_PARENT: f"node {ids[v]} has a parent, but is the source or was not reached",
    }
    if verdict != HOLDS:
        raise CertificateError(f"the result of {result.algorithm} is wrong: {told[verdict]}")


def _examine(
    offsets: Any, targets: Any, weights: Any, distances: Any, parents: Any, source: int, unreached: int
) -> tuple[int, int, int]:
    tight = np.zeros(len(distances), np.bool_)
    arc_verdict = _examine_arcs(offsets, targets, weights, distances, parents, unreached, tight)
    if arc_verdict[0] != HOLDS:
        return arc_verdict
    state = np.zeros(len(distances), np.int8)
    return _examine_tree(distances, parents, source, unreached, tight, state)


@njit(nogil=True, cache=True)
def _examine_arcs(
    offsets: Any, targets: Any, weights: Any, distances: Any, parents: Any, unreached: int, tight: Any
) -> tuple[int, int, int]:
    """Look for an arc that improves a distance, and note which nodes have a tight arc from their parent."""
    for u in range(len(distances)):
        if distances[u] == unreached:
            continue
        for arc in range(offsets[u], offsets[u + 1]):
            v = targets[arc]
            length = distances[u] + weights[arc]
            if length < distances[v]:
                return IMPROVABLE, u, v
            if length == distances[v] and parents[v] == u:
                tight[v] = True
    return HOLDS, 0, 0


@njit(nogil=True, cache=True)
def _examine_tree(
    distances: Any, parents: Any, source: int, unreached: int, tight: Any, state: Any
) -> tuple[int, int, int]:
    """Walk up from every node; ``state`` is 1 for nodes on the present walk, 2 for nodes known to end at the source."""
    state[source] = 2
    for v in range(len(distances)):
        outside = v == source or distances[v] == unreached
        if outside and parents[v] >= 0:
            return NEEDLESS_PARENT, 0, v
        if not outside and not tight[v]:
            return NOT_TIGHT, parents[v], v
    for start in range(len(distances)):
        if distances[start] == unreached:
            continue
        v = start
        while state[v] == 0:
            state[v] = 1
            v = parents[v]
        if state[v] == 1:
            return CIRCLE, 0, start
        v = start
        while state[v] == 1:
            state[v] = 2
            v = parents[v]
    return HOLDS, 0, 0
