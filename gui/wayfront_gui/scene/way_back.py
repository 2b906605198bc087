"""Where the map is when nothing of it is in view. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.scene.geometry import MapGeometry

_BAND = 64
"""Rows that are looked at together: the first ones of a picture with roads are enough."""


@dataclass(frozen=True, slots=True)
class WayBack:
    """The way from the middle of the view to the nearest node: metres east and north."""

    east: float
    north: float

    @classmethod
    def of(cls, geometry: MapGeometry, gbuffer: NDArray[np.uint32], middle: tuple[float, float]) -> WayBack | None:
        """Return the way back to the map from the ``middle`` of a view; None where its G-buffer shows something."""
        if any(gbuffer[row : row + _BAND].any() for row in range(0, len(gbuffer), _BAND)):
            return None
        node, (x, y) = geometry.nearest_node(*middle), middle
        return None if node < 0 else cls(float(geometry.x[node]) - x, float(geometry.y[node]) - y)

    @property
    def metres(self) -> float:
        """How far it is."""
        return math.hypot(self.east, self.north)
