"""Which way roads head at their ends, over some metres: the very first point of a shape may lie in a corner."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

LOOK_M = 20.0
"""How far along a road its direction at a junction is measured."""
METRES_PER_MICRODEGREE = 0.111195


def heading(network: RoadNetwork, arc: int, tail: int, *, at_end: bool) -> float:
    """Return the direction of an arc from ``tail`` at its end or its beginning, in degrees from north to the east.

    >>> import wayfront
    >>> network = wayfront.open_network("synthetic:grid?columns=2&rows=1")
    >>> round(heading(network, 0, 0, at_end=False))
    90
    """
    assert network.coordinates is not None
    inner = np.empty((0, 2), np.int32) if network.shapes is None else network.shapes.of(arc)
    ends = network.coordinates[[tail, int(network.targets[arc])]]
    points = np.concatenate([ends[:1], inner, ends[1:]]).astype(np.float64)
    return _direction(points[::-1], turned=True) if at_end else _direction(points)


def turned_by(network: RoadNetwork, arriving: int, tail: int, leaving: int, via: int) -> float:
    """Return by how many degrees, −180 to 180, one arc leaves another's direction at ``via``; to the right above 0.

    ``tail`` is the node that the arriving arc comes from.
    """
    into, out = heading(network, arriving, tail, at_end=True), heading(network, leaving, via, at_end=False)
    return (out - into + 180.0) % 360.0 - 180.0


def _direction(points: NDArray[np.float64], *, turned: bool = False) -> float:
    """Return the direction from the first point to where the line is ``LOOK_M`` on, or back from there if ``turned``.

    Points are longitude and latitude in microdegrees.
    """
    narrowed = math.cos(math.radians(points[0, 1] / 1e6))
    x = (points[:, 0] - points[0, 0]) * narrowed * METRES_PER_MICRODEGREE
    y = (points[:, 1] - points[0, 1]) * METRES_PER_MICRODEGREE
    walked = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    look = min(LOOK_M, float(walked[-1]))
    east, north = float(np.interp(look, walked, x)), float(np.interp(look, walked, y))
    if turned:
        east, north = -east, -north
    return math.degrees(math.atan2(east, north)) % 360.0
