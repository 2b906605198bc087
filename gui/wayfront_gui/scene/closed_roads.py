"""Where closed roads run on the map's plane, and which are closed in one direction alone. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.closures import joining_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.scene.chains import Chains
from wayfront_gui.scene.geometry import Extent, MapGeometry

Float64Array = NDArray[np.float64]

SURROUNDINGS = 300.0
"""Metres round a road that are shown with it, or more round a longer one."""


@dataclass(frozen=True, slots=True, eq=False)
class ClosedRoads:
    """The straight pieces of closed roads on a map's plane, in metres.

    ends     float64 [k, 4]: x and y of where each piece begins and ends, in the direction that is closed
    begin    float64 [k]: how far along its road a piece begins
    whole    float64 [k]: length of its road
    one_way  bool [k]: whether the other direction of its road is open
    arcs     int64: the closed arcs
    """

    ends: Float64Array
    begin: Float64Array
    whole: Float64Array
    one_way: NDArray[np.bool_]
    arcs: NDArray[np.int64]

    @classmethod
    def of(cls, network: RoadNetwork, arcs: NDArray[np.int64]) -> ClosedRoads | None:
        """Return the roads of closed arcs, None where there is nothing to draw. ``network`` has coordinates."""
        geometry = MapGeometry.of(network)
        if not len(arcs):
            return None
        points, counts, one_way = _courses(network, geometry, arcs)
        x, y = geometry.x[points].astype(np.float64), geometry.y[points].astype(np.float64)
        road = np.repeat(np.arange(len(counts)), counts)
        inside = road[1:] == road[:-1]
        ends = np.stack([x[:-1], y[:-1], x[1:], y[1:]], axis=1)[inside]
        lengths = np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1])
        road = road[1:][inside]
        whole = np.bincount(road, lengths, len(counts))
        first = np.concatenate([[0], np.cumsum(whole)[:-1]])
        begin = np.cumsum(lengths) - lengths - first[road]
        return cls(ends, np.maximum(begin, 0.0), whole[road], one_way[road], arcs) if len(ends) else None

    @property
    def extent(self) -> Extent:
        """What to show so that the roads are seen with their surroundings."""
        (left, bottom), (right, top) = (
            fit((fit(self.ends[:, :2], axis=0), fit(self.ends[:, 2:], axis=0)), axis=0) for fit in (np.min, np.max)
        )
        more = max(right - left, top - bottom, SURROUNDINGS)
        return Extent(left - more, bottom - more, right + more, top + more)


def _courses(
    network: RoadNetwork, geometry: MapGeometry, arcs: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the points of every closed road one after the other, how many each has, and which are closed one way."""
    tails, heads = network.tails()[arcs], network.targets[arcs]
    chains = geometry.chains
    if chains is None:
        keys = np.minimum(tails, heads).astype(np.int64) * network.node_count + np.maximum(tails, heads)
    else:
        keys = chains.of_arc[arcs].astype(np.int64)
    _, first, road = np.unique(keys, return_index=True, return_inverse=True)
    both = np.zeros(len(first), bool)
    both[road[tails != tails[first][road]]] = True
    back, joined = joining_arcs(network, heads[first], tails[first])
    one_way = joined & ~both & (tails[first] != heads[first])
    if chains is None:
        straight = tails[first] != heads[first]
        points = np.stack([tails[first], heads[first]], axis=1)[straight].ravel()
        return points, np.full(int(straight.sum()), 2), one_way[straight]
    # Of parallel courses only that one counts whose arcs are closed.
    one_way &= np.isin(keys[first], chains.of_arc[back])
    drawn = keys[first] >= 0
    points, counts = _points_of_chains(chains, keys[first][drawn], tails[first][drawn])
    return points, counts, one_way[drawn]


def _points_of_chains(
    chains: Chains, chosen: NDArray[np.int64], tails: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the points of chains one after the other, each from the end ``tails`` on, and how many each has."""
    a, b, begin = chains.a[chosen], chains.b[chosen], chains.bends[chosen].astype(np.int64)
    counts = chains.bends[chosen + 1] - begin + 2
    chain = np.repeat(np.arange(len(chosen)), counts)
    place = np.arange(len(chain)) - np.repeat(np.cumsum(counts) - counts, counts)
    place = np.where((a == tails)[chain], place, counts[chain] - 1 - place)
    inner = begin[chain] + place - 1
    return np.select([place == 0, place == counts[chain] - 1], [a[chain], b[chain]], inner).astype(np.int32), counts
