"""Places of nodes on paper: coordinates of a network that lies nowhere on the Earth.

A graph drawn by hand has x and y in units of its own. They are kept as coordinates round (0, 0), in the sea off Africa,
where no road is: so every network has coordinates of one kind, and these can still be told from those on the Earth.
Near the equator a map keeps shapes as they were drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import RoadNetwork

UNIT = 1_000
"""Microdegrees of one unit of a drawing, which is about 110 m on a map."""
FARTHEST = 2_000
"""Units from the origin to which a drawing reaches: two degrees, short of every coast."""


def is_drawing(network: RoadNetwork) -> bool:
    """Return whether a network's coordinates are places on paper: lengths on the screen then mean nothing."""
    places = network.coordinates
    return places is not None and len(places) > 0 and int(np.abs(places).max()) <= UNIT * FARTHEST


def drawn_at(x_y: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return coordinates, int32 [n, 2] microdegrees, of places in units, float64 [n, 2], to a thousandth of a unit."""
    return np.rint(x_y * UNIT).astype(np.int32)
