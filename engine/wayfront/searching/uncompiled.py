"""What answers for the proof of a tree while its loops are compiled, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfront.searching import certificate


def examine_arcs(
    offsets: Any, targets: Any, weights: Any, distances: Any, parents: Any, unreached: int, tight: Any
) -> tuple[int, int, int]:
    """As ``certificate`` has it; where something is wrong, its loop finds what, in Python."""
    tails = np.repeat(np.arange(len(distances)), np.diff(offsets))
    reached = distances != unreached
    used = reached[tails]
    u, v, length = tails[used], targets[used], distances[tails[used]] + weights[used].astype(np.int64)
    if (distances[reached] < 0).any() or not reached[v].all() or (length < distances[v]).any():
        found: tuple[int, int, int] = certificate._examine_arcs.py_func(
            offsets, targets, weights, distances, parents, unreached, tight
        )
        return found
    tight[v[(length == distances[v]) & (parents[v] == u)]] = True
    return certificate.HOLDS, 0, 0


def examine_tree(
    distances: Any, parents: Any, source: int, unreached: int, tight: Any, state: Any
) -> tuple[int, int, int]:
    """As ``certificate`` has it: every walk up, all at once, must have ended after as many doublings as nodes allow."""
    reached = distances != unreached
    inner = reached.copy()
    inner[source] = False
    holds = bool((parents[~inner] == -1).all() and tight[inner].all())
    if holds:
        above = np.where(inner, parents, np.arange(len(parents)))
        for _ in range(len(parents).bit_length()):
            above = above[above]
        holds = bool((above[reached] == source).all())
    if holds:
        return certificate.HOLDS, 0, 0
    found: tuple[int, int, int] = certificate._examine_tree.py_func(distances, parents, source, unreached, tight, state)
    return found
