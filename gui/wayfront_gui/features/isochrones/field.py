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
_LAND_SMOOTHINGS = 3
_STEEP = 4.0
"""Where distance grows so many times as fast as usual, as beside a motorway, an outline is in the middle of a cell."""
_LEAST_LEVEL = 0.02
_LEAST_CELLS = 4.0
"""Smaller areas and holes are the grid's, not the network's."""

Float = NDArray[np.float64]
Areas = list[list[Float]]
"""Areas as rings of points x, y in the plane: of each the outer one, then its holes."""


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

    def outlines(self, limits: Sequence[float]) -> list[list[Float]]:
        """Return the border of what is within each distance as lines, float64 [k, 2] each: x, y in the plane.

        Where the land ends there is none: what is beyond is not farther, but not reached at all.
        """
        beyond, farther = self._beyond_land(), self._farther(limits)
        return [self._contours(np.where(beyond < 0, level, np.inf)).lines(0.0) for level in farther]

    def within(self, limits: Sequence[float]) -> list[Areas]:
        """Return all that is within each distance, as ``_areas`` does: the end of the land borders it too."""
        beyond = self._beyond_land()
        return [self._areas(np.maximum(level, beyond)) for level in self._farther(limits)]

    def zones(self, count: int) -> list[Areas]:
        """Return all that is nearest to each of ``count`` sources likewise."""
        beyond = self._beyond_land()
        return [self._areas(np.maximum(level, beyond)) for level in self._nearer_to_others(count)]

    def borders(self, count: int) -> list[list[Float]]:
        """Return the borders between what is nearest to ``count`` sources: some lines for all but the last."""
        beyond = self._beyond_land()
        levels = self._nearer_to_others(count)[: count - 1]
        return [self._contours(np.where(beyond < 0, level, np.inf)).lines(0.0) for level in levels]

    def _continued(self) -> tuple[Float, NDArray[np.int32]]:
        """Return distances and zones a few cells beyond the land."""
        return _spread(self.distance, self.zone, _LAND_SMOOTHINGS)

    def _beyond_land(self) -> Float:
        """Return a level below 0 on the land and above 0 beyond it."""
        share = np.isfinite(self.distance).astype(np.float64)
        for _ in range(_LAND_SMOOTHINGS):
            share = (_sum_of_neighbours(share) + 4 * share) / 12
        return _off_corners(1.0 - 2.0 * share)

    def _farther(self, limits: Sequence[float]) -> list[Float]:
        """Return for each limit a level below 0 where distances are less, and above 0 where they are more."""
        known = np.isfinite(self.distance)
        pairs = known[:, 1:] & known[:, :-1]
        grown = np.abs(self.distance[:, 1:][pairs] - self.distance[:, :-1][pairs])
        scale = max(_STEEP * float(np.median(grown)), 1e-9) if len(grown) else 1.0
        distance = self._continued()[0]
        return [_off_corners((distance - limit) / scale) for limit in limits]

    def _nearer_to_others(self, count: int) -> list[Float]:
        """Return for each of ``count`` sources a level below 0 where it is the nearest, and above 0 elsewhere."""
        if count < 2:
            return []
        zone = self._continued()[1]
        known = zone >= 0
        near = np.stack([_smooth_known((zone == index).astype(np.float64), known) for index in range(count)])
        others = [np.delete(near, index, axis=0).max(axis=0) - near[index] for index in range(count)]
        return [_off_corners(np.where(known, other, 1.0)) for other in others]

    def _areas(self, level: Float) -> Areas:
        """Return the areas where ``level`` is below 0, each as its outer ring and its holes, float64 [p, 2] each.

        Rings end with the point that they begin with; outer ones run counterclockwise and holes clockwise, as RFC 7946
        wants them.
        """
        outlines, rings = self._contours(level).filled(-np.inf, 0.0)
        areas = [np.split(points, at[1:-1]) for points, at in zip(outlines, rings, strict=True)]
        least = _LEAST_CELLS * self.cell**2
        large = [[ring for ring in area if abs(square_metres([[ring]])) >= least] for area in areas]
        return [kept for kept, area in zip(large, areas, strict=True) if kept and kept[0] is area[0]]

    def _contours(self, value: Float) -> Any:
        """Return what finds lines and areas of a value on the grid."""
        from contourpy import contour_generator

        rows, columns = value.shape
        x, y = self.left + self.cell * np.arange(columns), self.bottom + self.cell * np.arange(rows)
        return contour_generator(x, y, value, corner_mask=False, line_type="Separate", fill_type="OuterOffset")


def square_metres(areas: Areas) -> float:
    """Return how large areas are together, less their holes."""
    total = 0.0
    for ring in (ring for area in areas for ring in area):
        x, y = (ring - ring[0]).T
        total += float(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1])) / 2
    return total


def _off_corners(level: Float) -> Float:
    """Return a level between -1 and 1 that is nowhere near to 0: what has it as its border stays off the corners."""
    level = np.clip(level, -1.0, 1.0)
    return np.where(np.abs(level) < _LEAST_LEVEL, np.where(level > 0, _LEAST_LEVEL, -_LEAST_LEVEL), level)


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
    """Continue a field beside the roads: in each round, cells next to known ones take their mean and their zone.

    In every second round these are cells beside three known ones at least, which leaves out corners.
    """
    for turn in range(cells):
        known = np.isfinite(field)
        total, count = _sum_of_neighbours(np.where(known, field, 0.0)), _sum_of_neighbours(known.astype(np.float64))
        new = ~known & (count > 2 * (turn % 2))
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
