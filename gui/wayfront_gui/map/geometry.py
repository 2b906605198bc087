"""A network as lines on a plane: drawing lines, their grid, and the nearest node. No Qt.

A drawing line joins two nodes that at least one arc joins; both directions and parallel arcs share one line,
which has the most important of their road classes. A node without lines gets a line of no length, so that it can be
seen and picked. Where arcs are bent, lines join the bends as well (see ``chains``). Lines are sorted into the cells of
a grid by their middle; each cell has the bounding box of its lines, so that a view rasters only the cells it
intersects, and each line exactly once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import deputy, loop, part
from wayfront.network.conventions import METRES_PER_DEGREE
from wayfront.network.structure import Region, regions, unbroken
from wayfront.safe.errors import NetworkError
from wayfront_gui.map.chains import Chains, Course, Float32Array, Int32Array, Uint8Array, follow

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.network.small_graphs import CutOut

MAX_NODES = 1 << 25
"""A pixel stores the index of its node in 25 bits (see ``raster``)."""

MOST_ROUND_HOME = 3.0
"""If the whole network is more times as large as its first region, the first view shows that region alone …"""

LEAST_AT_HOME = 0.25
"""… provided that this share of the nodes is in it."""

_LINES_PER_CELL = 48
_MAX_CELLS_PER_SIDE = 768


class Extent(NamedTuple):
    """A rectangle on the plane of a map, in metres: x grows eastward, y northward."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        """East-west size."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """North-south size."""
        return self.top - self.bottom

    @property
    def middle(self) -> tuple[float, float]:
        """The centre (x, y)."""
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2

    @property
    def shape(self) -> float:
        """The width as a multiple of the height, within what a window may be."""
        return min(max(self.width / self.height, 0.1), 10.0) if self.height > 0 and self.width > 0 else 1.0

    def grown(self, by: float) -> Extent:
        """Return it with so much more on every side."""
        return Extent(self.left - by, self.bottom - by, self.right + by, self.top + by)

    def moved(self, east: float, north: float) -> Extent:
        """Return it elsewhere."""
        return Extent(self.left + east, self.bottom + north, self.right + east, self.top + north)

    def contains(self, other: Extent) -> bool:
        """Return whether all of another rectangle is in this one."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.bottom <= other.bottom and other.top <= self.top


class Lines(NamedTuple):
    """What kernels take of a map's lines, as ``MapGeometry`` describes them."""

    x: Float32Array
    y: Float32Array
    a: Int32Array
    b: Int32Array
    owner_a: Int32Array
    owner_b: Int32Array


class Cells(NamedTuple):
    """What kernels take of the cells that lines are sorted into, likewise."""

    offsets: Int32Array
    boxes: Float32Array


@dataclass(frozen=True, slots=True, eq=False)
class MapGeometry:
    """The drawing lines of one network on a local equirectangular plane.

    node_count    number of nodes of the network; ``offsets``, ``targets``: its arcs
    x, y          float32 [points]: metres east and north of the middle of the network; the nodes, then the bends
    line_a, line_b  int32 [lines]: the points at both ends
    owner_a, owner_b  int32 [lines]: the nodes that the two halves belong to; the same arrays where all points are nodes
    line_class    uint8 [lines]: index into ``ROAD_CLASSES``; all 0 where the network has none
    has_classes   whether the network has road classes
    cell_offsets  int32 [cells+1]: index of each cell's first line
    cell_boxes    float32 [cells, 4]: left, bottom, right, top of each cell's lines
    bounds        the box around all points
    home          what to show at first: the box around all points, or around the region with the most
    regions       the box around each region of ``wayfront.network.structure``
    typical_line  median length of the lines in metres, of chains where arcs are bent; 1 where all have none
    chains        how bent arcs run, None where all are straight

    Make one with ``MapGeometry.of``.
    """

    node_count: int
    offsets: NDArray[Any]
    targets: Int32Array
    x: Float32Array
    y: Float32Array
    line_a: Int32Array
    line_b: Int32Array
    owner_a: Int32Array
    owner_b: Int32Array
    line_class: Uint8Array
    has_classes: bool
    cell_offsets: Int32Array
    cell_boxes: Float32Array
    bounds: Extent
    home: Extent
    regions: tuple[Extent, ...]
    typical_line: float
    chains: Chains | None

    @classmethod
    def of(cls, network: RoadNetwork) -> MapGeometry:
        """Return the geometry of a network, built at the first call (New York: about 0.1 s).

        Raises ``NetworkError`` for a network without coordinates, or with more than ``MAX_NODES`` nodes.
        """
        return network.derive("map geometry", lambda: cls._build(network))

    @classmethod
    def _build(cls, network: RoadNetwork) -> MapGeometry:
        if network.coordinates is None:
            raise NetworkError(f"{network.name} has no coordinates, so it cannot be drawn as a map")
        if network.node_count > MAX_NODES:
            raise NetworkError(f"{network.name} has {network.node_count:,} nodes; a map can show {MAX_NODES:,}")
        course = _course(network)
        x, y, a, b, line_class = course.x, course.y, course.line_a, course.line_b, course.line_class
        bounds = (
            Extent(*(float(v) for v in (x.min(), y.min(), x.max(), y.max()))) if len(x) else Extent(0.0, 0.0, 0.0, 0.0)
        )
        columns, rows, size = _grid_shape(bounds, len(a))
        order, offsets, boxes = _sort_into_cells(x, y, a, b, bounds.left, bounds.bottom, size, columns, rows)
        a, b = read_only(a[order]), read_only(b[order])
        straight = course.chains is None
        return cls(
            node_count=network.node_count,
            offsets=network.offsets,
            targets=network.targets,
            x=x,
            y=y,
            line_a=a,
            line_b=b,
            owner_a=a if straight else read_only(course.owner_a[order]),
            owner_b=b if straight else read_only(course.owner_b[order]),
            line_class=read_only(line_class[order]),
            has_classes=network.road_class is not None,
            cell_offsets=read_only(offsets),
            cell_boxes=read_only(boxes),
            bounds=bounds,
            home=first_view(network, bounds),
            regions=extents(network),
            typical_line=_typical(course.lengths),
            chains=course.chains and course.chains.sorted_by(order),
        )

    @property
    def lines(self) -> Lines:
        """The lines as kernels take them."""
        return Lines(self.x, self.y, self.line_a, self.line_b, self.owner_a, self.owner_b)

    @property
    def owned_lines(self) -> Lines:
        """The lines as kernels take them, each the owner of both of its halves."""
        itself = read_only(np.arange(self.line_count, dtype=np.int32))
        return Lines(self.x, self.y, self.line_a, self.line_b, itself, itself)

    @property
    def cells(self) -> Cells:
        """The cells as kernels take them."""
        return Cells(self.cell_offsets, self.cell_boxes)

    @property
    def line_count(self) -> int:
        """Number of drawing lines."""
        return len(self.line_a)

    def nearest_node(self, x: float, y: float, within: float = math.inf) -> int:
        """Return the node nearest to a point of the plane and at most ``within`` metres away, or -1."""
        return int(_nearest_node(self.node_count, self.lines, self.cells, x, y, within))

    def nodes_in(self, view: Extent) -> NDArray[np.bool_]:
        """Return which nodes are in a part of the plane, bool [n]."""
        x, y = self.x[: self.node_count], self.y[: self.node_count]
        return (x >= view.left) & (x <= view.right) & (y >= view.bottom) & (y <= view.top)

    def cells_in(self, view: Extent) -> NDArray[np.bool_]:
        """Return which cells of lines a view intersects, bool [cells]."""
        boxes = self.cell_boxes
        meets: NDArray[np.bool_] = (boxes[:, 0] <= view.right) & (boxes[:, 2] >= view.left)
        return meets & (boxes[:, 1] <= view.top) & (boxes[:, 3] >= view.bottom)

    def visible_lines(self, view: Extent) -> int:
        """Count the lines of the cells that a view intersects: the cost of rastering it."""
        return int(np.diff(self.cell_offsets)[self.cells_in(view)].sum())


def led_back(begins: NDArray[np.complexfloating], ends: NDArray[np.complexfloating]) -> NDArray[np.bool_]:
    """Return along which pieces, each from one place x + iy to another, some piece leads back, bool [k].

    By their places, since a road's two directions may have nodes or points of their own.
    """
    _, number = np.unique(np.concatenate([begins, ends]), return_inverse=True)
    one, other = number[: len(begins)], number[len(begins) :]
    return np.isin(one * len(number) + other, other * len(number) + one) & (one != other)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written.

    Arguments of kernels are always read-only: numba compiles a kernel again for arrays that differ only in that.
    """
    view = array.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, slots=True)
class Plane:
    """An equirectangular plane, true to scale along the middle latitude of the network's first region.

    Accurate enough for a city or a country. ``middle`` is in microdegrees of unbroken longitude; ``across`` and
    ``upward`` are metres in a microdegree.
    """

    middle: tuple[float, float]
    across: float
    upward: float

    @classmethod
    def of(cls, network: RoadNetwork) -> Plane:
        """Return the plane on which a network is drawn."""
        home = next(iter(regions(network)), Region(0, 0, 0, 0, 0))
        middle = ((home.west + home.east) / 2, (home.south + home.north) / 2)
        metres = METRES_PER_DEGREE / 1e6
        return cls(middle, metres * max(math.cos(math.radians(middle[1] / 1e6)), 0.05), metres)

    def project(self, coordinates: Int32Array) -> tuple[Float32Array, Float32Array]:
        """Project microdegrees [n, 2] onto metres east and north of the middle, float32 [n] each."""
        positions = unbroken(coordinates)
        x = (positions[:, 0] - self.middle[0]) * self.across
        y = (positions[:, 1] - self.middle[1]) * self.upward
        return x.astype(np.float32), y.astype(np.float32)

    def project_near(self, coordinates: Int32Array, x: Float32Array) -> tuple[Float32Array, Float32Array]:
        """Project microdegrees [k, 2] as ``project`` does, each on that side of the antimeridian where ``x`` [k] is."""
        across = (coordinates[:, 0] - self.middle[0]) * self.across
        around = 360_000_000 * self.across
        across -= around * np.round((across - x) / around)
        return across.astype(np.float32), ((coordinates[:, 1] - self.middle[1]) * self.upward).astype(np.float32)

    def extent(self, west: float, south: float, east: float, north: float) -> Extent:
        """Return a box of microdegrees as an extent of the plane."""
        left, right = ((x - self.middle[0]) * self.across for x in (west, east))
        bottom, top = ((y - self.middle[1]) * self.upward for y in (south, north))
        return Extent(left, bottom, right, top)

    def extent_of_degrees(self, bounds: tuple[float, float, float, float]) -> Extent:
        """Return a box of west, south, east and north in degrees as an extent of the plane."""
        west, south, east, north = (1e6 * degrees for degrees in bounds)
        return self.extent(west, south, east, north)

    def to_degrees(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the longitudes and latitudes of points of the plane [k, 2] in degrees."""
        return (np.array(self.middle) + points / np.array([self.across, self.upward])) / 1e6

    def from_degrees(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where points [k, 2] of longitude and latitude in degrees are on the plane: the other way."""
        away = 1e6 * points - np.array(self.middle)
        away[:, 0] -= 360e6 * np.round(away[:, 0] / 360e6)
        return away * np.array([self.across, self.upward])

    def degrees(self, extent: Extent) -> tuple[float, float, float, float] | None:
        """Return west, south, east and north in degrees of a part of the plane; None if it is not on the Earth."""
        corners = np.array([[extent.left, extent.bottom], [extent.right, extent.top]])
        (west, south), (east, north) = self.to_degrees(corners).tolist()
        west, south, east, north = max(west, -180.0), max(south, -90.0), min(east, 180.0), min(north, 90.0)
        return (west, south, east, north) if west < east and south < north else None


def extents(network: RoadNetwork) -> tuple[Extent, ...]:
    """Return the extents of a network's regions on its plane, that with the most nodes first."""
    plane = Plane.of(network)
    return tuple(plane.extent(each.west, each.south, each.east, each.north) for each in regions(network))


def around(part: CutOut) -> Extent:
    """Return where a neighbourhood is on the map that it was cut out of, with twice as much on every side."""
    geometry = MapGeometry.of(part.whole)
    x, y = geometry.x[part.nodes], geometry.y[part.nodes]
    left, right, bottom, top = (float(value) for value in (x.min(), x.max(), y.min(), y.max()))
    return Extent(left, bottom, right, top).grown(2 * max(right - left, top - bottom, geometry.typical_line))


def first_view(network: RoadNetwork, whole: Extent) -> Extent:
    """Return what to show of a network at first: all of it, unless its first region would be too small in that."""
    found = regions(network)
    if not found or found[0].node_count < LEAST_AT_HOME * network.node_count:
        return whole
    home = extents(network)[0]
    tiny = max(whole.width, whole.height) > MOST_ROUND_HOME * max(home.width, home.height)
    return home if tiny and home.width + home.height > 0 else whole


def _grid_shape(bounds: Extent, lines: int) -> tuple[int, int, float]:
    """Return columns, rows and cell size (metres) of a grid with some dozens of lines a cell."""
    wanted = max(lines / _LINES_PER_CELL, 1.0)
    size = max(math.sqrt(bounds.width * bounds.height / wanted), max(bounds.width, bounds.height) / _MAX_CELLS_PER_SIDE)
    size = size or 1.0
    return int(bounds.width / size) + 1, int(bounds.height / size) + 1, size


def _course(network: RoadNetwork) -> Course:
    """Return the points and the lines of a network; straight arcs, as most networks have, need no chains."""
    assert network.coordinates is not None
    plane, shapes = Plane.of(network), network.shapes
    x, y = (read_only(array) for array in plane.project(network.coordinates))
    if shapes is not None and len(shapes.points):
        of_arc = np.repeat(x, network.out_degrees())
        return follow(network, x, y, *plane.project_near(shapes.points, np.repeat(of_arc, np.diff(shapes.offsets))))
    arc_class = read_only(np.zeros(0, np.uint8)) if network.road_class is None else network.road_class
    a, b, line_class = _fold_arcs(network.offsets, network.targets, arc_class)
    some = slice(None, None, max(len(a) // 50_000, 1))
    lengths = np.hypot(x[a[some]] - x[b[some]], y[a[some]] - y[b[some]])
    return Course(None, x, y, a, b, a, b, line_class, lengths)


def _typical(lengths: Float32Array) -> float:
    lengths = lengths[lengths > 0]
    return float(np.median(lengths)) if len(lengths) else 1.0


@deputy("wayfront_gui.map.uncompiled")
@loop
def _fold_arcs(offsets, targets, arc_class):  # type: ignore[no-untyped-def]
    """Return (a, b, class) of the lines, sorted by their smaller node ``a``.

    Arcs are first grouped by their smaller end; ``last[v]`` then shows whether this group has a line to ``v``
    already, which merges parallel arcs in O(m) even at nodes of a huge degree.
    """
    n = len(offsets) - 1
    start = np.zeros(n + 1, np.int64)
    for u in range(n):
        for e in range(offsets[u], offsets[u + 1]):
            if targets[e] != u:
                start[min(u, targets[e]) + 1] += 1
    for u in range(n):
        start[u + 1] += start[u]
    total = start[n]
    end, kind = np.empty(total, np.int32), np.zeros(total, np.uint8)
    free = start.copy()
    for u in range(n):
        for e in range(offsets[u], offsets[u + 1]):
            v = targets[e]
            if v != u:
                low = min(u, v)
                end[free[low]] = max(u, v)
                if len(arc_class):
                    kind[free[low]] = arc_class[e]
                free[low] += 1
    return _fold_groups(start, end, kind)


@part
def _fold_groups(start, end, kind):  # type: ignore[no-untyped-def]
    n = len(start) - 1
    a = np.empty(len(end) + n, np.int32)
    b = np.empty(len(end) + n, np.int32)
    line_class = np.empty(len(end) + n, np.uint8)
    last = np.full(n, -1, np.int64)
    touched = np.zeros(n, np.bool_)
    count = 0
    for u in range(n):
        first = count
        for i in range(start[u], start[u + 1]):
            v = end[i]
            if last[v] >= first:
                line_class[last[v]] = max(line_class[last[v]], kind[i])
                continue
            last[v] = count
            touched[u] = touched[v] = True
            a[count], b[count], line_class[count] = u, v, kind[i]
            count += 1
        if not touched[u] and start[u] == start[u + 1]:
            # A smaller neighbour would have touched it already: this node has no line.
            a[count] = b[count] = u
            line_class[count] = 0
            count += 1
    return a[:count].copy(), b[:count].copy(), line_class[:count].copy()


@deputy("wayfront_gui.map.uncompiled")
@loop
def _sort_into_cells(x, y, a, b, left, bottom, size, columns, rows):  # type: ignore[no-untyped-def]
    """Return (order int32 [lines], cell_offsets, cell_boxes): a stable counting sort by the cell of the middle."""
    lines, cells = len(a), columns * rows
    cell = np.empty(lines, np.int32)
    offsets = np.zeros(cells + 1, np.int32)
    boxes = np.empty((cells, 4), np.float32)
    boxes[:, 0] = boxes[:, 1] = np.inf
    boxes[:, 2] = boxes[:, 3] = -np.inf
    for i in range(lines):
        xa, ya, xb, yb = x[a[i]], y[a[i]], x[b[i]], y[b[i]]
        column = min(int(((xa + xb) / 2 - left) / size), columns - 1)
        row = min(int(((ya + yb) / 2 - bottom) / size), rows - 1)
        c = max(row, 0) * columns + max(column, 0)
        cell[i] = c
        offsets[c + 1] += 1
        boxes[c, 0] = min(boxes[c, 0], xa, xb)
        boxes[c, 1] = min(boxes[c, 1], ya, yb)
        boxes[c, 2] = max(boxes[c, 2], xa, xb)
        boxes[c, 3] = max(boxes[c, 3], ya, yb)
    for c in range(cells):
        offsets[c + 1] += offsets[c]
    free = offsets.copy()
    order = np.empty(lines, np.int32)
    for i in range(lines):
        order[free[cell[i]]] = i
        free[cell[i]] += 1
    return order, offsets, boxes


@deputy("wayfront_gui.map.uncompiled")
@loop
def _nearest_node(nodes, lines, cells, px, py, within):  # type: ignore[no-untyped-def]
    best, node = within * within, -1
    for c in range(len(cells.offsets) - 1):
        dx = max(cells.boxes[c, 0] - px, 0.0, px - cells.boxes[c, 2])
        dy = max(cells.boxes[c, 1] - py, 0.0, py - cells.boxes[c, 3])
        if dx * dx + dy * dy > best:
            continue
        for i in range(cells.offsets[c], cells.offsets[c + 1]):
            for v in (lines.a[i], lines.b[i]):
                if v >= nodes:
                    continue
                distance = (lines.x[v] - px) ** 2 + (lines.y[v] - py) ** 2
                if distance < best or (distance == best and (node < 0 or v < node)):
                    best, node = distance, v
    return node
