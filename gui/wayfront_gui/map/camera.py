"""The view of the map: which part of the plane is seen, and in how many pixels. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.map.geometry import Extent, MapGeometry

MARKER_ROOM = 20.0
"""Smallest margin round a whole network in logical pixels: half a marker, where its name is not, and some air."""


@dataclass(frozen=True, slots=True)
class Camera:
    """The view of the map.

    ``scale`` is physical pixels per metre; ``left`` and ``top`` are the plane's coordinates at the outer corner of
    the first pixel; ``width`` and ``height`` count physical pixels, ``pixel_ratio`` of them to a logical one. Lines are
    ``thickness`` times as thick as usual.
    """

    scale: float
    left: float
    top: float
    width: int
    height: int
    pixel_ratio: float = 1.0
    thickness: float = 1.0

    @classmethod
    def fitting(cls, extent: Extent, width: int, height: int, pixel_ratio: float = 1.0, margin: float = 0.02) -> Camera:
        """Show an extent whole and centred, with a margin that is a share of each side and has room for a marker.

        A margin of 0 is none at all: what a window sees is seen by its picture.
        """
        least = MARKER_ROOM * pixel_ratio if margin else 0.0
        across = extent.width / (width - 2 * min(max(margin * width, least), width / 8))
        upward = extent.height / (height - 2 * min(max(margin * height, least), height / 8))
        scale = 1 / (max(across, upward) or 1.0)
        x, y = extent.middle
        return cls(scale, x - width / scale / 2, y + height / scale / 2, width, height, pixel_ratio)

    @property
    def line_unit(self) -> float:
        """Physical pixels in what a line's weight counts as one."""
        return self.pixel_ratio * self.thickness

    @property
    def extent(self) -> Extent:
        """The part of the plane that is seen."""
        return Extent(self.left, self.top - self.height / self.scale, self.left + self.width / self.scale, self.top)

    @property
    def view(self) -> tuple[float, float, float]:
        """What kernels take of it: scale, left and top."""
        return self.scale, self.left, self.top

    def to_pixels(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Map plane coordinates (numbers or arrays) to physical pixels."""
        return (x - self.left) * self.scale, (self.top - y) * self.scale

    def to_plane(self, column: float, row: float) -> tuple[float, float]:
        """Map physical pixels to plane coordinates."""
        return self.left + column / self.scale, self.top - row / self.scale

    def pixels_to(self, other: Camera) -> tuple[float, float]:
        """Return by how many pixels another camera's corner is to the right and below."""
        across, down = self.to_pixels(other.left, other.top)
        return float(across), float(down)

    def shows_like(self, other: Camera) -> bool:
        """Whether another camera has the same scale and as many pixels, wherever it is."""
        sizes = (self.width, self.height, self.pixel_ratio) == (other.width, other.height, other.pixel_ratio)
        return sizes and self.thickness == other.thickness and math.isclose(self.scale, other.scale, rel_tol=1e-9)

    def part(self, rows: slice, columns: slice) -> Camera:
        """Return the camera that sees some rows and columns of the picture."""
        left, top = self.to_plane(columns.start, rows.start)
        width, height = columns.stop - columns.start, rows.stop - rows.start
        return replace(self, left=left, top=top, width=width, height=height)

    def in_units(self, pixels: float) -> Camera:
        """Return the same view, counted in units of so many of its pixels."""
        width, height = round(self.width / pixels), round(self.height / pixels)
        return replace(self, scale=self.scale / pixels, width=width, height=height, pixel_ratio=1.0)


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


def shares_in_view(x0: Any, y0: Any, x1: Any, y1: Any, camera: Camera, margin: float = 0.0) -> tuple[Any, Any]:
    """Return between which shares of its length each line is in view; the first is above the last where none is.

    Lines are in the camera's pixels, and in view up to ``margin`` pixels beyond its edges. Liang and Barsky, "A new
    concept and method for line clipping", ACM Transactions on Graphics 3(1), 1984.
    """
    first, last = np.zeros(len(x0)), np.ones(len(x0))
    for start, end, room in ((x0, x1, camera.width), (y0, y1, camera.height)):
        way = end - start
        for low, high in ((-margin - start, way), (start - room - margin, -way)):  # share * high >= low
            with np.errstate(divide="ignore", invalid="ignore"):
                share = low / high
            first = np.where(high > 0, np.maximum(first, share), first)
            last = np.where(high < 0, np.minimum(last, share), last)
            first = np.where((high == 0) & (low > 0), math.inf, first)
    return first, last
