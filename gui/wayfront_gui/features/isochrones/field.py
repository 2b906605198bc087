"""The land round the roads as a grid of distances: outlines of bands, and their areas. No Qt.

Every cell that a road crosses has the least distance on it; cells beside roads continue those of their neighbours, as
far as ``BESIDE_M``. Outlines come from marching squares (Lorensen and Cline 1987, in the plane).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

    def outline(self, limit: float) -> Float:
        """Return the border of what is within a distance as segments, float64 [k, 4]: x, y, x, y in the plane.

        Where the land ends there is none: what is beyond is not farther, but not reached at all.
        """
        return self._segments(self.distance - limit)

    def within(self, limit: float) -> Float:
        """Return the outline of all that is within a distance: closed lines, which the end of the land closes."""
        return self._segments(np.where(np.isfinite(self.distance), self.distance - limit, max(limit, 1.0)))

    def zone_outline(self, index: int) -> Float:
        """Return the outline of what is nearest to a source, closed likewise."""
        return self._segments(np.where(self.zone == index, -1.0, 1.0))

    def borders(self, count: int) -> list[Float]:
        """Return the borders between what is nearest to ``count`` sources: a list of segments for all but the last."""
        known = np.isfinite(self.distance)
        near = np.stack([_smooth_known((self.zone == index).astype(np.float64), known) for index in range(count)])
        found = []
        for index in range(count - 1):
            others = np.delete(near, index, axis=0).max(axis=0)
            found.append(self._segments(np.where(known, others - near[index], np.inf)))
        return found

    def _segments(self, value: Float) -> Float:
        """Return where ``value`` changes its sign, by marching squares; cells are taken for linear on their sides.

        Squares with a corner that is infinite have no segment.
        """
        low_left, low_right = value[:-1, :-1], value[:-1, 1:]
        high_left, high_right = value[1:, :-1], value[1:, 1:]
        inside = [corner <= 0 for corner in (low_left, low_right, high_right, high_left)]
        case = np.zeros(low_left.shape, np.int32)
        for bit, corner in enumerate(inside):
            case |= corner.astype(np.int32) << bit
        case[~np.isfinite(low_left + low_right + high_right + high_left)] = 0
        rows, columns = np.nonzero((case > 0) & (case < 15))
        case = case[rows, columns]
        corners = [corner[rows, columns] for corner in (low_left, low_right, high_right, high_left)]
        x, y = columns.astype(np.float64), rows.astype(np.float64)
        sides = (  # bottom, right, top, left
            (x + _crossing(corners[0], corners[1]), y),
            (x + 1, y + _crossing(corners[1], corners[2])),
            (x + _crossing(corners[3], corners[2]), y + 1),
            (x, y + _crossing(corners[0], corners[3])),
        )
        found = []
        for kind, pairs in _CASES.items():
            here = case == kind
            for first, second in pairs:
                points = (sides[first][0], sides[first][1], sides[second][0], sides[second][1])
                found.append(np.stack([point[here] for point in points], axis=1))
        segments = np.concatenate(found) if found else np.zeros((0, 4))
        return segments * self.cell + np.array([self.left, self.bottom, self.left, self.bottom])


_BOTTOM, _RIGHT, _TOP, _LEFT = range(4)
_CASES = {
    1: ((_LEFT, _BOTTOM),),
    2: ((_BOTTOM, _RIGHT),),
    3: ((_LEFT, _RIGHT),),
    4: ((_RIGHT, _TOP),),
    5: ((_LEFT, _BOTTOM), (_RIGHT, _TOP)),
    6: ((_BOTTOM, _TOP),),
    7: ((_LEFT, _TOP),),
    8: ((_TOP, _LEFT),),
    9: ((_TOP, _BOTTOM),),
    10: ((_TOP, _LEFT), (_BOTTOM, _RIGHT)),
    11: ((_TOP, _RIGHT),),
    12: ((_RIGHT, _LEFT),),
    13: ((_RIGHT, _BOTTOM),),
    14: ((_BOTTOM, _LEFT),),
}
"""Which sides of a square a border joins, by its corners inside: lower left 1, lower right 2, upper right 4, left 8."""


def _crossing(first: Float, second: Float) -> Float:
    """Return where between two values zero lies, 0 … 1."""
    apart = np.where(first == second, 1.0, first - second)
    return np.clip(np.where(first == second, 0.5, first / apart), 0.0, 1.0)


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


_DECIMALS = 3
"""Points nearer to each other than a millimetre are one."""


def next_segments(segments: Float) -> NDArray[np.int64]:
    """Return the segment that begins where each ends, int64 [k], -1 for the last one of a line that is not closed.

    ``segments`` [k, 4] are x, y, x, y in metres.
    """
    points = np.round(segments.reshape(-1, 2), _DECIMALS)
    found, point = np.unique(points, axis=0, return_inverse=True)
    begun_at = np.full(len(found), -1, np.int64)
    point = point.reshape(-1, 2)
    begun_at[point[:, 0]] = np.arange(len(segments))
    return begun_at[point[:, 1]]


def without_short_lines(segments: Float, least: float) -> Float:
    """Return the segments of lines that are at least so many metres long in all."""
    onward, count = next_segments(segments), len(segments)
    itself = np.arange(count)
    leads, line = np.where(onward < 0, itself, onward), itself
    for _ in range(count.bit_length()):  # each round looks twice as far along the line
        line, leads = np.minimum(line, line[leads]), leads[leads]
    line = np.where(onward[leads] < 0, leads, line)  # named by its last segment; a closed one by its least
    lengths = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    return segments[np.bincount(line, lengths, count)[line] >= least]


def polygons(segments: Float) -> list[list[Float]]:
    """Return the areas that closed lines border, each as its outer ring and its holes, float64 [p, 2] each.

    Rings end with the point that they begin with; outer ones run counterclockwise and holes clockwise, as RFC 7946
    wants them. Each hole belongs to the smallest outer ring round it.
    """
    rings = _rings(segments)
    areas = [_area(ring) for ring in rings]
    outer = sorted((i for i, area in enumerate(areas) if area > 0), key=lambda i: areas[i])
    found = {i: [rings[i]] for i in reversed(outer)}
    for hole in (i for i, area in enumerate(areas) if area < 0):
        around = next((i for i in outer if areas[i] > -areas[hole] and _contains(rings[i], rings[hole][0])), None)
        if around is not None:
            found[around].append(rings[hole])
    return list(found.values())


def _rings(segments: Float) -> list[Float]:
    """Return each closed line the other way round: what is inside is on its left then."""
    onward, seen, rings = next_segments(segments).tolist(), np.zeros(len(segments), bool), []
    for first in range(len(segments)):
        walked, here = [], first
        while here >= 0 and not seen[here]:
            seen[here] = True
            walked.append(here)
            here = onward[here]
        if walked and here == first:
            points = segments[walked, :2][::-1]
            rings.append(np.concatenate([points, points[:1]]))
    return rings


def _area(ring: Float) -> float:
    """Return the area of a ring, negative if it runs clockwise."""
    x, y = ring[:, 0] - ring[0, 0], ring[:, 1] - ring[0, 1]
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) / 2)


def _contains(ring: Float, point: Float) -> bool:
    """Return whether a point is within a ring: a ray from it crosses an odd number of sides."""
    x0, y0, x1, y1 = ring[:-1, 0], ring[:-1, 1], ring[1:, 0], ring[1:, 1]
    crosses = (y0 > point[1]) != (y1 > point[1])
    at = x0[crosses] + (point[1] - y0[crosses]) / (y1 - y0)[crosses] * (x1 - x0)[crosses]
    return bool((at > point[0]).sum() % 2)
