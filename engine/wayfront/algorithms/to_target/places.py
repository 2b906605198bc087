"""Say what a great circle costs at least by a metric, so that A* never expects too much.

**The scale.** The bound is a number times the great circle to the target: the least weight of an arc, over all arcs,
for each radian that its ends lie apart. By travel time that is the fastest road of the network. Then an arc (u, v) of
weight w lies on a great circle worth at most w, great circles keep the triangle inequality, and so the bound at u is at
most w more than that at v. Rounding both down to whole numbers keeps that, since w is a whole number.

**Rounded coordinates.** Coordinates are rounded to a tenth of a metre, so the two ends of a short arc may lie two
metres apart on the map and one metre by its weight. One such arc among a million would halve the bound of all. So the
few arcs with the smallest ratios are taken for points: their ends get one place, which leaves them no great circle, and
moves the ends of their neighbours by as much. All arcs are measured between these places; of a few numbers of merged
arcs that with the largest bound is chosen.

**Rounding of the sums.** Places are points of the unit sphere in 64 bits: a great circle is wrong by some 10⁻¹⁵
radians, and two places differ by 10⁻⁹ at least. ``SLACK`` makes each bound smaller by more than that, relative to any
arc.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.network.connectivity import join
from wayfront.network.road_network import Metric, RoadNetwork

SLACK = 1e-5

SHARES_MERGED = (0.0, 1e-5, 3e-5, 1e-4)
"""Shares of the arcs that are tried to be taken for points. More would move places, and make further arcs too short."""

_AT_ONCE = 1 << 22
"""Arcs measured at once: their temporary arrays stay some hundred megabytes."""


class Places(NamedTuple):
    """Where nodes lie for the bound, float64 [3 n] on the unit sphere, and the raw weight of a radian at least.

    ``made_ms`` is the time that finding them took.
    """

    points: NDArray[np.float64]
    per_radian: float
    made_ms: float


def places_for(network: RoadNetwork, metric: Metric) -> Places:
    """Return the places and the scale of a network's metric, made at the first call; it has coordinates."""
    return network.derive(f"places {metric.name}", lambda: _best_places(network, metric))


def _best_places(network: RoadNetwork, metric: Metric) -> Places:
    assert network.coordinates is not None
    _joined_by(network, np.zeros(network.arc_count, np.bool_))  # compiles the loop before the time counts
    begin = time.perf_counter()
    points = _on_sphere(network.coordinates)
    ratios = _weight_per_radian(network, metric, points)
    best, best_ratio = points, _least(ratios)
    for share in SHARES_MERGED:
        merged = int(share * len(ratios))
        if merged:
            shortest = ratios < np.partition(ratios, merged)[merged]
            moved = points[_joined_by(network, shortest)]
            ratio = _least(_weight_per_radian(network, metric, moved))
            if ratio > best_ratio:
                best, best_ratio = moved, ratio
    flat = np.ascontiguousarray(best).reshape(-1)
    flat.flags.writeable = False
    return Places(flat, best_ratio * (1 - SLACK), (time.perf_counter() - begin) * 1e3)


def _joined_by(network: RoadNetwork, arcs: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return for each node the one whose place it gets: the smallest that these arcs join it with."""
    offsets = np.zeros_like(network.offsets)
    np.cumsum(np.bincount(network.tails()[arcs], minlength=network.node_count), out=offsets[1:])
    heads = network.targets[arcs]
    offsets.flags.writeable = heads.flags.writeable = False  # the type for which the loop is compiled
    return join(offsets, heads)


def _on_sphere(coordinates: NDArray[np.int32]) -> NDArray[np.float64]:
    longitude, latitude = np.radians(coordinates / 1e6).T
    level = np.cos(latitude)
    return np.stack((level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)), axis=1)


def _weight_per_radian(network: RoadNetwork, metric: Metric, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of each arc for a radian between its ends, float64 [m], infinity where they have one place."""
    tails, ratios = network.tails(), np.empty(network.arc_count)
    for first in range(0, len(ratios), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        chord = np.linalg.norm(points[tails[part]] - points[network.targets[part]], axis=1)
        angle = 2.0 * np.arcsin(np.minimum(0.5 * chord, 1.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios[part] = np.where(angle > 0, metric.weights[part] / angle, np.inf)
    return ratios


def _least(ratios: NDArray[np.float64]) -> float:
    """Return the least ratio, 0 where no arc has one: then nothing is known of great circles, or needed."""
    least = float(ratios.min(initial=np.inf))
    return least if np.isfinite(least) else 0.0
