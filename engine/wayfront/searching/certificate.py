"""Proof that a result is right, without a second search.

For one tree: distances d with d[source] = 0 are the shortest ones exactly if no arc can improve any of them and every
reached node has a path of that length. The second part is what the tree shows: each reached node but the source has
a parent with a tight arc (``d[u] + w = d[v]``), and following parents ends at the source; the source and unreached
nodes have the parent -1. Costs O(n + m).

Nothing of the result is believed beforehand, since it may come from a file: the kernels use a parent as an index only
after its arc was found.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import deputy, loop
from wayfront.results.result import BaseResult, Result
from wayfront.safe.errors import CertificateError

AnyResult = TypeVar("AnyResult", bound=BaseResult)

HOLDS, NEGATIVE, IMPROVABLE, NOT_TIGHT, CYCLE, NEEDLESS_PARENT = range(6)


@functools.singledispatch
def certify(result: BaseResult) -> None:
    """Prove that a result is right. Raises ``CertificateError`` with a counterexample.

    Every kind of result registers its own proof (``certify.register``).
    """
    raise TypeError(f"there is no proof for results of the kind {result.kind!r}")


def with_verdict(result: AnyResult, doubtful: Sequence[str]) -> AnyResult:
    """Return a result of choices that may be wrong with what the proof says of it, in ``verified`` and ``note``."""
    try:
        certify(result)
    except CertificateError as problem:
        verified, verdict = False, f"and here it is: {problem}"
    else:
        verified, verdict = True, "but this result is proved right"
    warning = f"with {' and '.join(doubtful)} a result may be wrong, {verdict}"
    return replace(result, verified=verified, note="; ".join(filter(None, (result.note, warning))))


@certify.register(Result)
def _certify_tree(result: Result) -> None:
    """Prove distances and parents of one tree."""
    problem, ids = _shape_problem(result), result.network.node_ids
    if not problem and int(result.distances[result.source]) != 0:
        problem = f"the source has distance {result.distances[result.source]}, not 0"
    if not problem:
        network, metric = result.searched
        verdict, u, v = _examine(
            network.offsets,
            network.targets,
            metric.weights,
            result.distances,
            result.parents,
            result.source,
            result.unreached,
        )
        problem = _finding(ids, verdict, u, v, reverse=result.reverse)
    if problem:
        raise CertificateError(f"the result of {result.algorithm} is wrong: {problem}")


def _shape_problem(result: Result) -> str:
    """Return why the arrays cannot be those of a result of this network, or an empty string."""
    n = result.network.node_count
    if result.distances.dtype not in (np.int32, np.int64) or result.parents.dtype != np.int32:
        return f"distances of {result.distances.dtype} and parents of {result.parents.dtype} are none of a search"
    if result.distances.shape != (n,) or result.parents.shape != (n,):
        return f"distances {result.distances.shape} and parents {result.parents.shape} are not of {n:,} nodes"
    if len(result.metric.weights) != result.network.arc_count:
        return f"its metric has {len(result.metric.weights):,} weights for {result.network.arc_count:,} arcs"
    return "" if 0 <= result.source < n else f"its source {result.source} is none of {n:,} nodes"


def _finding(ids: NDArray[np.int64], verdict: int, u: int, v: int, *, reverse: bool = False) -> str:
    """Return what a verdict means; ``u`` may be any number, since it may be a parent that is no node."""
    tail, node = f"node {ids[u]}" if 0 <= u < len(ids) else "no node", f"node {ids[v]}"
    arc, way, there = (f"from {node} to {tail}", "from", "to") if reverse else (f"from {tail} to {node}", "to", "from")
    return {
        HOLDS: "",
        NEGATIVE: f"the distance of {node} is negative",
        IMPROVABLE: f"the arc {arc} gives a shorter path {way} {node}",
        NOT_TIGHT: f"{node} has {tail} as parent, but no arc {there} there makes its distance",
        CYCLE: f"the parents of {node} form a cycle and never lead to the source",
        NEEDLESS_PARENT: f"{node} has a parent, but it is the source or was not reached",
    }[verdict]


def tree_problem(
    ids: NDArray[np.int64], distances: Any, parents: Any, source: int, unreached: int, tight: NDArray[np.bool_]
) -> str:
    """Return why parents form no tree from ``source``, or an empty string; ``tight`` says which make up a distance."""
    state = np.zeros(len(distances), np.int8)
    return _finding(ids, *_examine_tree(distances, parents, source, unreached, tight, state))


def _examine(
    offsets: Any, targets: Any, weights: Any, distances: Any, parents: Any, source: int, unreached: int
) -> tuple[int, int, int]:
    tight = np.zeros(len(distances), np.bool_)
    arc_verdict = _examine_arcs(offsets, targets, weights, distances, parents, unreached, tight)
    if arc_verdict[0] != HOLDS:
        return arc_verdict
    state = np.zeros(len(distances), np.int8)
    return _examine_tree(distances, parents, source, unreached, tight, state)


@deputy("wayfront.searching.uncompiled")
@loop
def _examine_arcs(
    offsets: Any, targets: Any, weights: Any, distances: Any, parents: Any, unreached: int, tight: Any
) -> tuple[int, int, int]:
    """Look for a negative distance and for an arc that improves one; note which nodes have a tight arc from their
    parent.
    """
    for u in range(len(distances)):
        if distances[u] < 0:
            if distances[u] == unreached:
                continue
            return NEGATIVE, 0, u
        for arc in range(offsets[u], offsets[u + 1]):
            v = targets[arc]
            length = distances[u] + weights[arc]
            if length < distances[v] or distances[v] == unreached:
                return IMPROVABLE, u, v
            if length == distances[v] and parents[v] == u:
                tight[v] = True
    return HOLDS, 0, 0


@deputy("wayfront.searching.uncompiled")
@loop
def _examine_tree(
    distances: Any, parents: Any, source: int, unreached: int, tight: Any, state: Any
) -> tuple[int, int, int]:
    """Walk up from every node; ``state`` is 1 for nodes on the present walk, 2 for nodes known to end at the source."""
    state[source] = 2
    for v in range(len(distances)):
        outside = v == source or distances[v] == unreached
        if outside and parents[v] != -1:
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
