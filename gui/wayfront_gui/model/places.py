"""Names of what lies somewhere on the Earth, after the nearest of some six hundred cities and islands. No Qt."""

from __future__ import annotations

import csv
import functools

import numpy as np
from numpy.typing import NDArray

from wayfront.network.earth import RADIUS_M
from wayfront_gui.model import formatting
from wayfront_gui.resources import asset
from wayfront_gui.translation import marked, translated

AT_KM = 40.0
"""Up to this far from its middle a place is the place itself."""
NEAR_KM = 600.0
"""Farther from every place, coordinates say more."""
WINDS = (
    marked("{km:.0f} km north of {place}"),
    marked("{km:.0f} km north-east of {place}"),
    marked("{km:.0f} km east of {place}"),
    marked("{km:.0f} km south-east of {place}"),
    marked("{km:.0f} km south of {place}"),
    marked("{km:.0f} km south-west of {place}"),
    marked("{km:.0f} km west of {place}"),
    marked("{km:.0f} km north-west of {place}"),
)


def place_name(north: float, east: float) -> str:
    """Return a name for a position in degrees: a place, what lies near one, or coordinates far from all."""
    names, places = _places()
    here = np.radians([north, east])
    up, across = places[:, 0] - here[0], (places[:, 1] - here[1] + np.pi) % (2 * np.pi) - np.pi
    across = across * np.cos((places[:, 0] + here[0]) / 2)
    nearest = int(np.argmin(np.hypot(up, across)))
    far_km = RADIUS_M / 1e3 * float(np.hypot(up[nearest], across[nearest]))
    if far_km <= AT_KM:
        return names[nearest]
    if far_km > NEAR_KM:
        return formatting.coordinates(north, east)
    wind = round(float(np.arctan2(-across[nearest], -up[nearest])) / (np.pi / 4)) % len(WINDS)
    return translated(WINDS[wind], km=far_km, place=names[nearest])


@functools.cache
def _places() -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return names, and latitudes and longitudes in radians, float64 [places, 2]."""
    with asset("places.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    degrees = np.array([(float(row["north"]), float(row["east"])) for row in rows])
    return tuple(row["name"] for row in rows), np.radians(degrees)
