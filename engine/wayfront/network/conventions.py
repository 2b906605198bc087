"""What all parts agree on: how made networks are named, how small is small, the sphere, and drawings on paper.

A graph drawn by hand has x and y in units of its own. They are kept as coordinates round (0, 0), in the sea off Africa,
where no road is: so every network has coordinates of one kind, and these can still be told from those on the Earth.
Near the equator a map keeps shapes as they were drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wayfront.network.road_network import RoadNetwork

SYNTHETIC = "synthetic:"
"""Start of the name, and of the ``origin``, of a generated network."""
EXAMPLE = "example:"
"""Start of the name, and of the ``origin``, of an example that comes with the program."""

SMALL = 200
"""The most nodes of a small graph, of which every node and arc can be drawn, named and followed by eye. Of its searches
a trace also keeps the distance of every node after every step."""

RADIUS_M = 6_371_009.0
"""The earth's mean radius, as in OSMnx, so that lengths of streets agree."""
METRES_PER_DEGREE = 111_195.0
"""A degree of latitude, or of longitude on the equator, in whole metres."""

LIMIT_M = 500.0
"""How far from a road a place is thought to be at it: farther than the paths that maps leave out, nearer than the next
village."""

UNIT = 1_000
"""Microdegrees of one unit of a drawing, which is about 110 m on a map."""
FARTHEST = 2_000
"""Units from the origin to which a drawing reaches: two degrees, short of every coast."""


def is_made(name: str) -> bool:
    """Return whether this names a network that the program makes by itself, without any file."""
    return name.startswith((SYNTHETIC, EXAMPLE))


def is_drawing(network: RoadNetwork) -> bool:
    """Return whether a network's coordinates are places on paper: lengths on the screen then mean nothing."""
    coordinates = network.coordinates
    import numpy as np  # the command line asks for names at every start

    return coordinates is not None and len(coordinates) > 0 and int(np.abs(coordinates).max()) <= UNIT * FARTHEST


def drawn_at(x_y: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return coordinates, int32 [n, 2] microdegrees, of places in units, float64 [n, 2], to a thousandth of a unit."""
    import numpy as np

    return np.rint(x_y * UNIT).astype(np.int32)
