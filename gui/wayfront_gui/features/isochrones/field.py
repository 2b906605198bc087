"""The land round the roads as a grid of distances: outlines of bands, and their areas. No Qt.

Every cell that a road crosses has the least distance on it; cells beside roads continue those of their neighbours, as
far as ``BESIDE_M``. ContourPy finds outlines, of which none runs through a square with a corner that is not reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.features.isochrones.state import Reach
from wayfront_gui.map.geometry import Extent, MapGeometry

CELLS = 400
"""Along the longer side of a network …"""
LEAST_CELL_M = 15.0
"""… unless cells would be smaller than this."""
BESIDE_M = 250.0
"""What is farther from every road is not reached; at least two cells are."""
_SMOOTHINGS = 6

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ReachField:
    """Distances on a grid, float64 [rows, columns] in raw weights, infinite where nothing is reached.

    ``zone`` int32 [rows, columns] is the index of the nearest source, -1 likewise. The first row is the lowest; the
    middle of cell (0, 0) is at ``left``, ``bottom`` in the plane.
    """

    distance: Float
    zone: NDArray[np.int32]
    left: float
    bottom: float
    cell: float

    @classmethod
    def of(cls, geometry: MapGeometry, reach: Reach) -> ReachField:
        """Return the field of a reach on the map of its network."""
        bounds = geometry.bounds
        cell = max(max(bounds.width, bounds.height) / CELLS, LEAST_CELL_M)
        beside = max(round(BESIDE_M / cell), 2)
        margin = beside + 2
        columns, rows = (int(side / cell) + 2 * margin + 1 for side in (bounds.width, bounds.height))
        left, bottom = bounds.left - margin * cell, bounds.bottom - margin * cell
        x, y, distance, zone = _points(geometry, reach, cell)
        at = np.round((y - bottom) / cell).astype(np.int64) * columns + np.round((x - left) / cell).astype(np.int64)
        order = np.argsort(-distance, kind="stable")  # of several on one cell the least is written last
        field, zones = np.full(rows * columns, np.inf), np.full(rows * columns, -1, np.int32)
        field[at[order]], zones[at[order]] = distance[order], zone[order]
        grid, zones = _spread(field.reshape(rows, columns), zones.reshape(rows, columns), beside)
        return cls(_smooth(grid), zones, left, bottom, cell)

    @property
    def extent(self) -> Extent:
        """The part of the plane that the cells cover."""
        rows, columns = self.distance.shape
        left, bottom = self.left - self.cell / 2, self.bottom - self.cell / 2
        return Extent(left, bottom, left + columns * self.cell, bottom + rows * self.cell)

    def area_within(self, limit: float) -> float:
        """Return the area in square metres that is within a distance."""
        return float((self.distance <= limit).sum()) * self.cell**2

    def area_of_zone(self, index: int) -> float:
        """Return the area in square metres that is nearest to a source."""
        return float((self.zone == index).sum()) * self.cell**2

    def bands(self, limits: Sequence[int]) -> NDArray[np.int32]:
        """Return the band of every cell, int32; -1 beyond the last limit."""
        band = np.searchsorted(np.asarray(limits, np.float64), self.distance, "left").astype(np.int32)
        band[band == len(limits)] = -1
        return band

    def outline(self, limit: float) -> list[Float]:
        """Return the border of what is within a distance as lines, float64 [k, 2] each: x, y in the plane.

        Where the land ends there is none: what is beyond is not farther, but not reached at all.
        """
        return self._contours(self.distance - limit).lines(0.0)

    def within(self, limit: float) -> list[list[Float]]:
        """Return all that is within a distance, as ``_areas`` does: the end of the land borders it too."""
        return self._areas(np.where(np.isfinite(self.distance), self.distance - limit, max(limit, 1.0)))

    def zone_areas(self, index: int) -> list[list[Float]]:
        """Return all that is nearest to a source likewise."""
        return self._areas(np.where(self.zone == index, -1.0, 1.0))

    def borders(self, count: int) -> list[list[Float]]:
        """Return the borders between what is nearest to ``count`` sources: some lines for all but the last."""
        known = np.isfinite(self.distance)
        near = np.stack([_smooth_known((self.zone == index).astype(np.float64), known) for index in range(count)])
        found = []
        for index in range(count - 1):
            others = np.delete(near, index, axis=0).max(axis=0)
            found.append(self._contours(np.where(known, others - near[index], np.inf)).lines(0.0))
        return found

    def _areas(self, value: Float) -> list[list[Float]]:
        """Return the areas where ``value`` is at most 0, each as its outer ring and its holes, float64 [p, 2] each.

        Rings end with the point that they begin with; outer ones run counterclockwise and holes clockwise, as RFC 7946
        wants them.
        """
        outlines, rings = self._contours(value).filled(-np.inf, 0.0)
        return [np.split(points, at[1:-1]) for points, at in zip(outlines, rings, strict=True)]

    def _contours(self, value: Float) -> Any:
        """Return what finds lines and areas of a value on the grid."""
        from contourpy import contour_generator

        rows, columns = value.shape
        x, y = self.left + self.cell * np.arange(columns), self.bottom + self.cell * np.arange(rows)
        return contour_generator(x, y, value, corner_mask=False, line_type="Separate", fill_type="OuterOffset")


def _points(
    geometry: MapGeometry, reach: Reach, cell: float
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64], NDArray[np.int32]]:
    """Return points on all reached roads, nearly a cell apart: x, y, distance and nearest source."""
    x, y, a, b = geometry.x, geometry.y, geometry.line_a, geometry.line_b
    from_a, from_b = reach.distances[geometry.owner_a], reach.distances[geometry.owner_b]
    reached = (from_a >= 0) & (from_b >= 0)
    a, b, from_a, from_b = a[reached], b[reached], from_a[reached], from_b[reached]
    zones = reach.nearest[geometry.owner_a][reached], reach.nearest[geometry.owner_b][reached]
    between = np.ceil(np.hypot(x[a] - x[b], y[a] - y[b]) / cell).astype(np.int64)
    parts = np.clip(between, 1, 200)
    line = np.repeat(np.arange(len(a)), parts + 1)
    share = (np.arange(len(line)) - np.repeat(np.cumsum(parts + 1) - parts - 1, parts + 1)) / parts[line]
    px = x[a][line] + (x[b] - x[a])[line] * share
    py = y[a][line] + (y[b] - y[a])[line] * share
    distance = from_a[line] + ((from_b - from_a)[line] * share).astype(np.int64)
    zone = np.where(share < 0.5, zones[0][line], zones[1][line])
    return px, py, distance, zone


def _spread(field: Float, zone: NDArray[np.int32], cells: int) -> tuple[Float, NDArray[np.int32]]:
    """Continue a field beside the roads: in each round, cells next to known ones take their mean and their zone."""
    for _ in range(cells):
        known = np.isfinite(field)
        total, count = _sum_of_neighbours(np.where(known, field, 0.0)), _sum_of_neighbours(known.astype(np.float64))
        new = ~known & (count > 0)
        field = np.where(new, total / np.maximum(count, 1.0), field)
        zone = np.where(new, _largest_of_neighbours(zone), zone)
    return field, zone


def _smooth(field: Float) -> Float:
    """Take out the corners that cells have, and the jumps beside fast roads."""
    known = np.isfinite(field)
    return np.where(known, _smooth_known(np.where(known, field, 0.0), known), np.inf)


def _smooth_known(values: Float, known: NDArray[np.bool_]) -> Float:
    """Return means with the known neighbours, again and again; what is not known stays 0."""
    count = _sum_of_neighbours(known.astype(np.float64)) + 4
    for _ in range(_SMOOTHINGS):
        values = np.where(known, (_sum_of_neighbours(values) + 4 * values) / count, 0.0)
    return values


def _shifted(values: NDArray, fill: float) -> list[NDArray]:
    """Return the values of the eight neighbours of every cell."""
    padded = np.pad(values, 1, constant_values=fill)
    rows, columns = values.shape
    return [
        padded[1 + down : 1 + down + rows, 1 + across : 1 + across + columns]
        for down in (-1, 0, 1)
        for across in (-1, 0, 1)
        if down or across
    ]


def _sum_of_neighbours(values: Float) -> Float:
    return np.sum(_shifted(values, 0.0), axis=0)


def _largest_of_neighbours(zone: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.max(_shifted(zone, -1), axis=0)
