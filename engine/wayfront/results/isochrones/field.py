"""Areas round roads: all that is at most so many metres beside a reached piece of road.

On a grid of points, the distance to the nearest reached road is exact; ContourPy finds where it is the buffer's width.
Because the grid is half as wide as the buffer, all points round a piece of reached road are within: no reached road is
left out, and what is a little farther than the buffer beside all of them is not in. Pieces are laid on the grid band
by band, so that what is within a limit lies within what is within the next one.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.network.exporting import import_interop
from wayfront.results.isochrones.pieces import Lines
from wayfront.results.isochrones.plane import EqualAreaPlane, Float
from wayfront.safe.errors import MissingPackageError, SearchCancelled
from wayfront.safe.memory import require_memory

DECIMALS = 7
"""Of a degree: a centimetre, as OpenStreetMap has them."""
COARSEST, FINEST = 2, 4
"""How many cells of the grid the buffer is wide: round a point that lies alone, 5 or 1 percent of its land are lost."""
_FINE_CELLS = 1 << 21
"""As many cells at most as a grid may have that is finer than it need be."""
LEAST_SHARE = 0.25
"""Of the square of the buffer: smaller holes are filled, and smaller parts of rings left out."""
_LEAST_LEVEL = 0.01
"""In cells: an outline is nowhere nearer to a point of the grid than that, so that no two of its points are one."""
_BYTES_PER_CELL, _BYTES_PER_VALUE = 16, 4
"""Of a copy in 64 bits and what ContourPy notes of each cell, and of each value that a grid holds."""
_FEW_BYTES = 1 << 22
"""A grid that small is made without asking what memory is free, which takes as long as its areas."""
_AT_ONCE = 1 << 16
"""Lines that are laid on the grid between two looks at ``cancel``."""


def require_contourpy() -> Any:
    """Return the module that finds outlines. Raises ``MissingPackageError`` with what to install."""
    try:
        return import_module("contourpy")
    except ModuleNotFoundError:
        raise MissingPackageError('areas need ContourPy: pip install "wayfront-engine[areas]"') from None


@dataclass(frozen=True, eq=False)
class Area:
    """Polygons with holes on a plane.

    points    float64 [p, 2], metres on the ``plane``; each ring ends with the point that it begins with
    rings     int64 [r+1]: the points of ring k are ``rings[k]:rings[k + 1]``; outer rings run counterclockwise, holes
              clockwise, as RFC 7946 wants them
    polygons  int64 [k+1]: the rings of each polygon, the outer one first
    """

    points: Float
    rings: NDArray[np.int64]
    polygons: NDArray[np.int64]
    plane: EqualAreaPlane

    @cached_property
    def square_metres(self) -> float:
        """How large it is on the Earth, holes not counted."""
        return float(_ring_areas(self.points, self.rings).sum())

    @cached_property
    def degrees(self) -> Float:
        """The points as longitudes and latitudes, float64 [p, 2]."""
        return np.stack(self.plane.degrees(self.points[:, 0], self.points[:, 1]), axis=1)

    @property
    def coordinates(self) -> list[list[list[Sequence[float]]]]:
        """The polygons in degrees as GeoJSON has them: lists of rings of points, to ``DECIMALS``."""
        return [[ring.tolist() for ring in rings] for rings in self.nested(np.round(self.degrees, DECIMALS))]

    def to_shapely(self) -> Any:
        """Return the polygons in degrees as one multipolygon (extra ``interop``)."""
        shapely = import_interop("shapely")
        offsets = (self.rings, self.polygons, np.array([0, len(self.polygons) - 1]))
        return shapely.from_ragged_array(shapely.GeometryType.MULTIPOLYGON, self.degrees, offsets)[0]

    def nested(self, points: Float) -> list[list[Float]]:
        """Return the polygons as lists of rings of ``points`` [p, 2], which belong to this area's."""
        rings = np.split(points, self.rings[1:-1]) if len(self.rings) > 1 else []
        bounds = self.polygons.tolist()
        return [rings[first:last] for first, last in pairwise(bounds)]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Points of a plane, ``rows`` of ``columns`` of them, ``cell_m`` apart from ``left`` and ``bottom`` on."""

    plane: EqualAreaPlane
    buffer_m: float
    cell_m: float
    left: float
    bottom: float
    rows: int
    columns: int

    @classmethod
    def over(cls, lines: PlacedLines, buffer_m: float, what: str, finest: int, grids: int = 1) -> Grid:
        """Return a grid over lines, with so many values for each point and ``finest`` cells in a buffer at most.

        Raises ``MemoryShortError`` for more cells than memory holds, which says how to do with less.
        """
        x, y = lines.x, lines.y
        sides = [(float(np.max(at) - np.min(at)) if len(at) else 0.0) / buffer_m + 4 for at in (x, y)]
        fine = int((_FINE_CELLS / (sides[0] * sides[1])) ** 0.5)
        cell = buffer_m / min(max(fine, COARSEST), finest)
        margin = buffer_m + 2 * cell
        # On multiples of a cell, so that the grid does not move with what is on it.
        left, bottom = (int(np.floor((float(np.min(at)) - margin) / cell)) if len(at) else 0 for at in (x, y))
        right, top = (int(np.ceil((float(np.max(at)) + margin) / cell)) if len(at) else 0 for at in (x, y))
        rows, columns = top - bottom + 1, right - left + 1
        needed_bytes = rows * columns * (_BYTES_PER_CELL + _BYTES_PER_VALUE * grids)
        if needed_bytes > _FEW_BYTES:
            require_memory(
                needed_bytes, f"areas {what} with a buffer of {buffer_m:g} m, of which a wider one takes less"
            )
        return cls(lines.plane, buffer_m, cell, left * cell, bottom * cell, rows, columns)

    @property
    def reach_m(self) -> float:
        """How far from a line points are given their distance: a neighbour of a point within the buffer is nearer."""
        return self.buffer_m + 1.01 * self.cell_m

    def window(self, box: NDArray[np.int64]) -> tuple[slice, slice]:
        """Return rows and columns of a box, first and last of each, and one more on every side, which is beyond."""
        first, last, left, right = box.tolist()
        rows = slice(max(first - 1, 0), max(min(last + 2, self.rows), 0))
        return rows, slice(max(left - 1, 0), max(min(right + 2, self.columns), 0))

    def level(self, beyond: Float, rows: slice, columns: slice) -> Level:
        """Return the level of a part of the grid."""
        at = self.left + columns.start * self.cell_m, self.bottom + rows.start * self.cell_m
        return Level(beyond, *at, self.cell_m, self.buffer_m, self.plane)

    def empty_box(self) -> NDArray[np.int64]:
        """Return the box of no lines: first and last row, first and last column."""
        return np.array([self.rows, -1, self.columns, -1])


@dataclass(frozen=True, slots=True, eq=False)
class PlacedLines:
    """Lines on a plane: points x, y float64 [p], those of line k at ``offsets[k]:offsets[k + 1]``."""

    plane: EqualAreaPlane
    x: Float
    y: Float
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, lines: Lines, plane: EqualAreaPlane | None = None) -> PlacedLines:
        """Return lines on a plane, by default on the one in the middle of them."""
        longitudes, latitudes = lines.points[:, 0] / 1e6, lines.points[:, 1] / 1e6
        if len(longitudes):  # all on the same side of the antimeridian
            first = longitudes[0] if plane is None else plane.longitude
            longitudes = longitudes - 360.0 * np.round((longitudes - first) / 360.0)
        plane = plane or EqualAreaPlane.around(longitudes, latitudes)
        return cls(plane, *plane.project(longitudes, latitudes), lines.offsets)

    @property
    def lengths(self) -> Float:
        """The length of each line, metres."""
        if not len(self.x):
            return np.zeros(len(self.offsets) - 1)
        gone = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(self.x), np.diff(self.y)))])
        return gone[self.offsets[1:] - 1] - gone[self.offsets[:-1]]


class RoadField:
    """The distance to the nearest of some lines, on a grid over all of them; there are none until ``add`` lays some."""

    def __init__(self, lines: PlacedLines, buffer_m: float, what: str, finest: int = FINEST) -> None:
        self.grid: Grid = Grid.over(lines, buffer_m, what, finest)
        self._lines = lines
        self._squares = np.full((self.grid.rows, self.grid.columns), np.inf, np.float32)
        self._box = self.grid.empty_box()

    def add(self, which: NDArray[np.bool_], cancel: threading.Event | None = None) -> None:
        """Lay some of the lines on the grid, ``which`` [k]."""
        lines, grid = self._lines, self.grid
        for first in range(0, len(which), _AT_ONCE):
            _stopped(cancel)
            given = lines.x, lines.y, lines.offsets[first:], which[first : first + _AT_ONCE]
            _stamp(*given, self._squares, grid.left, grid.bottom, grid.cell_m, grid.reach_m, self._box)

    def level(self) -> Level:
        """Return how far the grid's points are beyond the buffer of the lines so far."""
        rows, columns = self.grid.window(self._box)
        part = self._squares[rows, columns]
        beyond = np.empty(part.shape)
        _levels(part, self.grid.buffer_m, self.grid.cell_m, beyond)
        return self.grid.level(beyond, rows, columns)


class ZoneField:
    """Which lines are the nearest, on a grid: each line belongs to a zone, and so does the land beside it."""

    def __init__(
        self,
        lines: PlacedLines,
        zone: NDArray[np.int32],
        zones: int,
        buffer_m: float,
        what: str,
        finest: int = FINEST,
        cancel: threading.Event | None = None,
    ) -> None:
        self.grid: Grid = Grid.over(lines, buffer_m, what, finest, grids=4)
        shape = self.grid.rows, self.grid.columns
        self._squares = np.full((2, *shape), np.inf, np.float32)  # of the nearest zone, and of the next one
        self._zones = np.full((2, *shape), -1, np.int32)
        self._boxes = np.repeat(self.grid.empty_box()[None], zones, axis=0)
        grid = self.grid
        for first in range(0, len(zone), _AT_ONCE):
            _stopped(cancel)
            given = lines.x, lines.y, lines.offsets[first:], zone[first : first + _AT_ONCE]
            grids = self._squares, self._zones, grid.left, grid.bottom, grid.cell_m, grid.reach_m
            _stamp_zones(*given, *grids, self._boxes)

    def level(self, zone: int) -> Level:
        """Return how far points are beyond what is nearest to a zone's lines."""
        rows, columns = self.grid.window(self._boxes[zone])
        squares, zones = self._squares[:, rows, columns], self._zones[:, rows, columns]
        beyond = np.empty(squares.shape[1:])
        _zone_levels(squares, zones, zone, self.grid.buffer_m, self.grid.cell_m, beyond)
        return self.grid.level(beyond, rows, columns)

    def border(self, zone: int) -> list[Float]:
        """Return the border between a zone and all others as lines, [k, 2] each on the plane."""
        rows, columns = self.grid.window(self._boxes[zone])
        squares, zones = self._squares[:, rows, columns], self._zones[:, rows, columns]
        beyond = np.empty(squares.shape[1:])
        _zone_levels(squares, zones, zone, np.inf, self.grid.cell_m, beyond)
        land = squares[0] < (self.grid.buffer_m - self.grid.cell_m / 2) ** 2
        return self.grid.level(np.where(land, beyond, np.inf), rows, columns).lines()


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """How many cells beyond each point of a grid is, float64 [rows, columns]: from −1 to 1, never near to 0."""

    beyond: Float
    left: float
    bottom: float
    cell_m: float
    buffer_m: float
    plane: EqualAreaPlane

    def area(self) -> Area:
        """Return where it is below 0, without parts and holes that are too small (``LEAST_SHARE``)."""
        if min(self.beyond.shape) < 2:
            return Area(np.zeros((0, 2)), np.zeros(1, np.int64), np.zeros(1, np.int64), self.plane)
        (points,), (rings,), (polygons,) = self._contours().filled(-np.inf, 0.0)
        if points is None:
            return Area(np.zeros((0, 2)), np.zeros(1, np.int64), np.zeros(1, np.int64), self.plane)
        return _without_specks(
            Area(points, rings.astype(np.int64), polygons.astype(np.int64), self.plane), LEAST_SHARE * self.buffer_m**2
        )

    def without(self, nearer: Level) -> Level:
        """Return the level of what is within, and not within a nearer one that this one contains."""
        beyond = self.beyond.copy()
        inner = beyond[nearer._window(self)]
        np.maximum(inner, -nearer.beyond, out=inner)
        return Level(beyond, self.left, self.bottom, self.cell_m, self.buffer_m, self.plane)

    def outline(self, farther: Level) -> list[Float]:
        """Return the border as lines, [k, 2] each on the plane, but not where it is that of ``farther`` as well.

        ``farther`` contains this level: where all ends there, nothing is farther than the limit.
        """
        land = farther.beyond[self._window(farther)] < -0.5
        masked = np.where(land, self.beyond, np.inf)
        return Level(masked, self.left, self.bottom, self.cell_m, self.buffer_m, self.plane).lines()

    def _window(self, larger: Level) -> tuple[slice, slice]:
        """Return which rows and columns of a level that contains this one are its own."""
        row, column = (
            round((a - b) / self.cell_m) for a, b in ((self.bottom, larger.bottom), (self.left, larger.left))
        )
        rows, columns = self.beyond.shape
        return slice(row, row + rows), slice(column, column + columns)

    def lines(self) -> list[Float]:
        """Return where it is 0 as lines, [k, 2] each; none runs through a square with an infinite corner."""
        return [] if min(self.beyond.shape) < 2 else self._contours().lines(0.0)

    def _contours(self) -> Any:
        """Return what finds lines and areas of the value."""
        rows, columns = self.beyond.shape
        x, y = self.left + self.cell_m * np.arange(columns), self.bottom + self.cell_m * np.arange(rows)
        kinds = {"line_type": "Separate", "fill_type": "ChunkCombinedOffsetOffset"}
        return require_contourpy().contour_generator(x, y, self.beyond, corner_mask=False, **kinds)


def _ring_areas(points: Float, rings: NDArray[np.int64]) -> Float:
    """Return the areas of rings, those of clockwise ones negative."""
    if len(rings) < 2:
        return np.zeros(0)
    x, y = (points - points[:1]).T
    cross = np.zeros(len(points))
    cross[:-1] = x[:-1] * y[1:] - x[1:] * y[:-1]
    cross[rings[1:] - 1] = 0.0  # from the end of a ring to the next one's beginning
    return np.add.reduceat(cross, rings[:-1]) / 2


def _without_specks(area: Area, least_m2: float) -> Area:
    """Return an area without polygons and holes that are too small."""
    of_ring = np.repeat(np.arange(len(area.polygons) - 1), np.diff(area.polygons))
    large = np.abs(_ring_areas(area.points, area.rings)) >= least_m2
    large &= large[area.polygons[:-1]][of_ring]
    sizes = np.diff(area.rings)
    points = area.points[np.repeat(large, sizes)]
    rings = np.concatenate([[0], np.cumsum(sizes[large])])
    of_polygon = np.bincount(of_ring[large], minlength=len(area.polygons) - 1)
    return Area(points, rings, np.concatenate([[0], np.cumsum(of_polygon[of_polygon > 0])]), area.plane)


def _stopped(cancel: threading.Event | None) -> None:
    if cancel is not None and cancel.is_set():
        raise SearchCancelled("finding isochrones was stopped")


# ------------------------------------------------------------------------------------------------------------- loops


@loop
def _stamp(
    x: Float,
    y: Float,
    offsets: Any,
    which: Any,
    squares: Any,
    left: float,
    bottom: float,
    cell: float,
    reach: float,
    box: Any,
) -> None:
    """Write to a grid of squares of distances, float32 [rows, columns], those from lines where these are nearer.

    ``box`` grows round what they reach.
    """
    rows, columns = squares.shape
    for line in range(len(which)):
        if not which[line]:
            continue
        last = offsets[line + 1] - 1
        for at in range(offsets[line], max(last, offsets[line] + 1)):
            to = min(at + 1, last)
            x0, y0 = x[at] - left, y[at] - bottom
            dx, dy = x[to] - x[at], y[to] - y[at]
            lowest, highest = _span(y0, dy, reach, cell, rows)
            _grow(box, lowest, highest, *_span(x0, dx, reach, cell, columns))
            along_x, along_y = _along(dx, dy)
            for row in range(lowest, highest + 1):
                begin, end = _columns(x0, y0, dx, dy, row * cell, reach, cell, columns)
                up, start = np.float32(row * cell - y0), np.float32(begin * cell - x0)
                for column in range(begin, end + 1):
                    across = start + np.float32(column - begin) * np.float32(cell)
                    square = _square(across, up, np.float32(dx), np.float32(dy), along_x, along_y)
                    squares[row, column] = min(squares[row, column], square)


@loop
def _stamp_zones(
    x: Float,
    y: Float,
    offsets: Any,
    zone: Any,
    squares: Any,
    zones: Any,
    left: float,
    bottom: float,
    cell: float,
    reach: float,
    boxes: Any,
) -> None:
    """Write to each point of a grid which two zones are the nearest, [2, rows, columns], and how far they are."""
    rows, columns = squares.shape[1:]
    for line in range(len(zone)):
        its = zone[line]
        last = offsets[line + 1] - 1
        for at in range(offsets[line], max(last, offsets[line] + 1)):
            to = min(at + 1, last)
            x0, y0 = x[at] - left, y[at] - bottom
            dx, dy = x[to] - x[at], y[to] - y[at]
            lowest, highest = _span(y0, dy, reach, cell, rows)
            _grow(boxes[its], lowest, highest, *_span(x0, dx, reach, cell, columns))
            along_x, along_y = _along(dx, dy)
            for row in range(lowest, highest + 1):
                begin, end = _columns(x0, y0, dx, dy, row * cell, reach, cell, columns)
                up, start = np.float32(row * cell - y0), np.float32(begin * cell - x0)
                for column in range(begin, end + 1):
                    across = start + np.float32(column - begin) * np.float32(cell)
                    square = _square(across, up, np.float32(dx), np.float32(dy), along_x, along_y)
                    if zones[0, row, column] == its:
                        squares[0, row, column] = min(squares[0, row, column], square)
                    elif square < squares[0, row, column]:
                        squares[1, row, column], zones[1, row, column] = squares[0, row, column], zones[0, row, column]
                        squares[0, row, column], zones[0, row, column] = square, its
                    elif square < squares[1, row, column]:
                        squares[1, row, column], zones[1, row, column] = square, its


@part
def _span(start: float, along: float, reach: float, cell: float, count: int) -> tuple[int, int]:
    """Return the first and the last row, or column, that is within reach of a segment."""
    low, high = min(start, start + along) - reach, max(start, start + along) + reach
    return max(int(np.ceil(low / cell)), 0), min(int(high / cell), count - 1)


@part
def _grow(box: Any, lowest: int, highest: int, first: int, last: int) -> None:
    box[0], box[1] = min(box[0], lowest), max(box[1], highest)
    box[2], box[3] = min(box[2], first), max(box[3], last)


@part
def _columns(
    x0: float, y0: float, dx: float, dy: float, y: float, reach: float, cell: float, columns: int
) -> tuple[int, int]:
    """Return the first and the last column of the row at ``y`` that may be within reach of a segment."""
    low, high = 0.0, 1.0
    if abs(dy) > 2 * reach:  # a long one meets few columns of a row
        a, b = (y - reach - y0) / dy, (y + reach - y0) / dy
        low, high = max(min(a, b), 0.0), min(max(a, b), 1.0)
    return _span(x0 + dx * low, dx * (high - low), reach, cell, columns)


@part
def _along(dx: float, dy: float) -> tuple[np.float32, np.float32]:
    """Return what a vector is multiplied by to get the share of a segment that it reaches along it."""
    square = dx * dx + dy * dy
    if square > 0:
        return np.float32(dx / square), np.float32(dy / square)
    return np.float32(0.0), np.float32(0.0)


@part
def _square(across: Any, up: Any, dx: Any, dy: Any, along_x: Any, along_y: Any) -> Any:
    """Return the square of the distance from a segment of a point so far from its beginning, all in 32 bits."""
    share = min(max(across * along_x + up * along_y, np.float32(0.0)), np.float32(1.0))
    off_x, off_y = across - share * dx, up - share * dy
    return off_x * off_x + off_y * off_y


@part
def _off_corner(value: float) -> float:
    """Return a level between −1 and 1 that is never near to 0."""
    value = min(max(value, -1.0), 1.0)
    if abs(value) < _LEAST_LEVEL:
        return _LEAST_LEVEL if value > 0 else -_LEAST_LEVEL
    return value


@loop
def _levels(squares: Any, buffer_m: float, cell: float, beyond: Float) -> None:
    """Write how many cells beyond the buffer each point is."""
    for row in range(len(squares)):
        for column in range(squares.shape[1]):
            beyond[row, column] = _off_corner((np.sqrt(np.float64(squares[row, column])) - buffer_m) / cell)


@loop
def _zone_levels(squares: Any, zones: Any, zone: int, buffer_m: float, cell: float, beyond: Float) -> None:
    """Write how many cells beyond the buffer, or nearer to another zone than to this one, each point is."""
    for row in range(squares.shape[1]):
        for column in range(squares.shape[2]):
            first = zones[0, row, column] == zone
            if not first and zones[1, row, column] != zone:
                beyond[row, column] = 1.0
                continue
            own = np.sqrt(np.float64(squares[0 if first else 1, row, column]))
            other = np.sqrt(np.float64(squares[1 if first else 0, row, column]))
            nearer = _off_corner((own - other) / (2 * cell))  # which changes twice as fast as a distance
            if first or nearer > 0:
                beyond[row, column] = max(nearer, _off_corner((own - buffer_m) / cell))
            else:  # of two equally near zones a point belongs to the one that came first
                beyond[row, column] = _LEAST_LEVEL
