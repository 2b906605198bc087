"""Lay out small graphs: distances on the page like those in hops, and every node with room for its disc.

Stress majorization (E. Gansner, Y. Koren and S. North, "Graph drawing by stress majorization", Graph Drawing 2004):
the stress is the sum, over all pairs of nodes, of how far their distance on the page is from that in hops, the nearest
pairs counting most. Each round puts every node where the others want it on average, which never raises the stress. It
begins with ``layout.pivot_layout``, so that the same network always gets the same picture.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.float64]

_ROUNDS = 150
"""More hardly move any node of 200."""
_PUSHES = 80
_GOLDEN = 2.399963
"""An angle whose multiples never meet: nodes on one spot leave it in directions of their own."""


def least_stress(hops: NDArray[Any], start: Positions) -> Positions:
    """Return positions in hops of a connected graph, float64 [n, 2]; ``hops`` [n, n] are the distances of its nodes."""
    n = len(start)
    if n < 3:
        return start
    wanted = hops.astype(np.float64)
    np.fill_diagonal(wanted, 1.0)
    weights = wanted**-2.0
    np.fill_diagonal(weights, 0.0)
    total = weights.sum(axis=1, keepdims=True)
    positions = start + 1e-3 * _spiral(n)
    for _ in range(_ROUNDS):
        way = positions[:, None, :] - positions[None, :, :]
        length = np.maximum(np.hypot(way[..., 0], way[..., 1]), 1e-9)
        pulled = positions[None, :, :] + (wanted / length)[..., None] * way
        positions = (weights[..., None] * pulled).sum(axis=1) / total
    return positions


def pushed_apart(positions: Positions, least: float) -> Positions:
    """Return positions [n, 2] of which no two are nearer than about ``least``; nodes that have room stay."""
    places = positions.astype(np.float64)
    n = len(places)
    if n < 2 or least <= 0:
        return places
    places += 1e-6 * least * _spiral(n)
    for _ in range(_PUSHES):
        way = places[:, None, :] - places[None, :, :]
        length = np.hypot(way[..., 0], way[..., 1])
        np.fill_diagonal(length, np.inf)
        lacks = np.maximum(least - length, 0.0)
        if not (lacks > 1e-3 * least).any():
            break
        places += ((0.5 * lacks / np.maximum(length, 1e-12))[..., None] * way).sum(axis=1)
    return places


def room_of(positions: Positions) -> float:
    """Return how far apart nodes at these positions [n, 2] should be for each to have a disc and its texts.

    It is no more than half of them have already, so that only the crowded ones have to move.
    """
    if len(positions) < 2:
        return 0.0
    away = np.hypot(*(positions[:, None, :] - positions[None, :, :]).transpose(2, 0, 1))
    np.fill_diagonal(away, np.inf)
    usual = float(np.median(away.min(axis=1)))
    width, height = np.ptp(positions, axis=0).tolist()
    longer, shorter = max(width, height), max(min(width, height), 0.25 * max(width, height))
    room = min(0.7 * np.sqrt(longer * shorter / len(positions)), 0.045 * np.hypot(longer, shorter))
    return float(min(room, usual or room))


def _spiral(n: int) -> Positions:
    turns = np.arange(n)
    return np.stack([np.cos(_GOLDEN * turns), np.sin(_GOLDEN * turns)], axis=1) * np.sqrt(turns)[:, None]
