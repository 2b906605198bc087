"""Proof that a result is right, without a second search.

For one tree: distances d with d[source] = 0 are the shortest ones exactly if no arc can improve any of them and every
reached node has a path of that length. The second part is what the tree shows: each reached node but the source has
a parent with a tight arc (``d[u] + w = d[v]``), and following parents ends at the source. Costs O(n + m).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import njit

from wayfront.errors import CertificateError
from wayfront.search.result import BaseResult, Result

HOLDS, IMPROVABLE, NOT_TIGHT, CYCLE, NEEDLESS_PARENT = range(5)


@functools.singledispatch
def certify(result: BaseResult) -> None:
    """Prove that a result is right. Raises ``CertificateError`` with a counterexample.

    Every kind of result registers its own proof (``certify.register``).
    """
    raise TypeError(f"there is no proof for results of the kind {result.kind!r}")


@certify.register(Result)
def _certify_tree(result: Result) -> None:
    """Prove distances and parents of one tree."""
    network, ids = result.network, result.network.node_ids
    if int(result.distances[result.source]) != 0:
        raise CertificateError(
            f"the result of {result.algorithm} is wrong: the source has distance {result.distances[result.source]}, "
            "not 0"
        )
    verdict, u, v = _examine(
        network.offsets,
        network.targets,
        result.metric.weights,
        result.distances,
        result.parents,
        result.source,
        result.unreached,
    )
    if verdict == HOLDS:
        return
    tail = f"node {ids[u]}" if u >= 0 else "no node"
    reasons = {
        IMPROVABLE: f"the arc from {tail} to node {ids[v]} gives a shorter path to node {ids[v]}",
        NOT_TIGHT: f"node {ids[v]} has {tail} as parent, but no arc from there makes its distance",
        CYCLE: f"the parents of node {ids[v]} form a cycle and never lead to the source",
        NEEDLESS_PARENT: f"node {ids[v]} has a parent, but it is the source or was not reached",
    }
    raise CertificateError(f"the result of {result.algorithm} is wrong: {reasons[verdict]}")


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
            if length < distances[v] or distances[v] == unreached:
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
            return CYCLE, 0, start
        v = start
        while state[v] == 1:
            state[v] = 2
            v = parents[v]
    return HOLDS, 0, 0
