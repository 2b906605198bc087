"""A small graph as it is drawn, whatever is searched on it: where its nodes are and how its arcs run. No Qt."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import joining_arcs
from wayfront.network.conventions import is_drawing
from wayfront.network.layout import pushed_apart, room_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront_gui.features.small_graphs.words import INFINITE, Numbers
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Extent, MapGeometry
from wayfront_gui.session.slot import is_small

DISC_SHARE = 0.24
"""Radius of a disc, as a share of how far nodes are from their nearest neighbours."""
_CROWDED_SHARE = 0.15
"""Of so many nodes the nearest neighbours may be nearer than what counts as usual."""
_SHORT_NAME = 3
"""Letters that are read on a disc."""


@dataclass(frozen=True, slots=True, eq=False)
class SmallGraph:
    """The drawing of a network of few nodes.

    x, y     float64 [n]: the nodes' places on the map's plane; nodes that lie on one another are moved apart
    radius   of a disc on the plane, in a picture that has room for it
    courses  how the arcs run
    names    what stands on the discs
    weights  what stands at each arc
    numbers  how labels are written, as the weights are
    home     the box round the nodes' places and the arcs between them
    long_names  whether names are too long to stand on discs
    """

    network: RoadNetwork
    metric: Metric
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    radius: float
    courses: Courses
    names: tuple[str, ...]
    weights: tuple[str, ...]
    numbers: Numbers
    home: Extent
    long_names: bool

    @classmethod
    def of(cls, network: RoadNetwork, metric: Metric | None = None) -> SmallGraph | None:
        """Return the drawing of a network, made at the first call; None for one with more nodes, or with none."""
        if not is_small(network) or network.coordinates is None:
            return None
        shown = metric or network.metrics[0]
        return network.derive(f"small graph {shown.name}", lambda: cls._make(network, shown))

    def course_between(self, tail: int, head: int) -> int:
        """Return the course of the lightest arc from one node to another, -1 where there is none."""
        arcs, _ = joining_arcs(self.network, np.array([tail]), np.array([head]))
        if not len(arcs):
            return -1
        return int(self.courses.of_arc[arcs[self.metric.weights[arcs].argmin()]])

    @classmethod
    def _make(cls, network: RoadNetwork, metric: Metric) -> SmallGraph:
        geometry, n = MapGeometry.of(network), network.node_count
        places = np.stack([geometry.x[:n], geometry.y[:n]], axis=1).astype(np.float64)
        if not is_drawing(network):  # what was drawn stays where it was drawn
            places = pushed_apart(places, room_of(places))
        x, y = (np.ascontiguousarray(column) for column in places.T)
        radius = DISC_SHARE * _usual_gap(x, y)
        numbers = Numbers.of(metric, network.distance_bound(metric))
        courses = courses_of(network, metric, x, y, radius)
        return cls(
            network=network,
            metric=metric,
            x=x,
            y=y,
            radius=radius,
            courses=courses,
            names=tuple(network.node_name(node) for node in range(n)),
            weights=tuple(numbers.text(weight) for weight in metric.weights.tolist()),
            numbers=numbers,
            home=_home(x, y, courses),
            long_names=max(len(network.node_name(node)) for node in range(n)) > _SHORT_NAME,
        )


def _home(x: Float64Array, y: Float64Array, courses: Courses) -> Extent:
    """Return the box round nodes and arcs: those bent outward would else leave a narrow map."""
    middles = [
        (at[courses.tail] + 2 * control + at[courses.head]) / 4
        for at, control in ((x, courses.control_x), (y, courses.control_y))
    ]
    left, right = (np.append(x, middles[0]).min(), np.append(x, middles[0]).max())
    low, high = (np.append(y, middles[1]).min(), np.append(y, middles[1]).max())
    return Extent(float(left), float(low), float(right), float(high))


def _usual_gap(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return how far nodes are from their nearest neighbours, all but the most crowded ones."""
    if len(x) < 2:
        return 1.0
    away = np.hypot(x[:, None] - x, y[:, None] - y)
    np.fill_diagonal(away, np.inf)
    return float(np.quantile(away.min(axis=1), _CROWDED_SHARE)) or 1.0


Float64Array = NDArray[np.float64]
Int32Array = NDArray[np.int32]

TWIN_BEND = 0.13
"""How far arcs between the same nodes are bent, as a share of their length …"""
LEAST_TWIN = 0.55
"""… but at least so many radii of a disc."""
_BENDS = (0.0, 0.13, -0.13, 0.24, -0.24, 0.38, -0.38)
"""Bends that are tried where a course would run through the disc of another node."""
_CLEAR, _CLEAR_OF_MANY = 1.5, 1.05
"""Radii that a course keeps from the middle of other nodes, if it can: among many it would wind too much."""
_MANY = 60
_SAMPLES = np.linspace(0.06, 0.94, 15)


@dataclass(frozen=True, slots=True, eq=False)
class Courses:
    """The lines that are drawn for arcs between different nodes.

    arc, back        int32 [k]: the arc that a course shows, and the one it shows backwards, -1 for none
    tail, head       int32 [k]: the nodes at its ends
    control_x, control_y  float64 [k]: the control point, on the plane
    of_arc           int32 [m]: the course that shows each arc, -1 for loops
    loops            int32: arcs that lead from a node to itself
    """

    arc: Int32Array
    back: Int32Array
    tail: Int32Array
    head: Int32Array
    control_x: Float64Array
    control_y: Float64Array
    of_arc: Int32Array
    loops: Int32Array


def courses_of(network: RoadNetwork, metric: Metric, x: Float64Array, y: Float64Array, radius: float) -> Courses:
    """Return the courses between nodes at ``x`` and ``y``, whose discs have a radius on the plane."""
    tails, heads, weights = network.tails(), network.targets, metric.weights
    pairs: dict[tuple[int, int], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    loops = []
    for each, (u, v) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        if u == v:
            loops.append(each)
        else:
            pairs[min(u, v), max(u, v)][u > v].append(each)
    drawn: list[tuple[int, int, int]] = []
    for there, back in pairs.values():
        if len(there) == len(back) == 1 and weights[there[0]] == weights[back[0]]:
            drawn.append((there[0], back[0], 0))
        else:
            twins = bool(there and back)
            for way in (there, back):
                drawn += [(a, -1, rank + twins) for rank, a in enumerate(sorted(way, key=lambda a: weights[a]))]
    table = np.array(drawn, np.int32).reshape(-1, 3)
    arc, back_arc, apart = (np.ascontiguousarray(column) for column in table.T)
    tail, head = tails[arc], heads[arc]
    control = _controls(x, y, tail, head, apart, radius)
    of_arc = np.full(network.arc_count, -1, np.int32)
    of_arc[arc] = np.arange(len(arc))
    of_arc[back_arc[back_arc >= 0]] = np.flatnonzero(back_arc >= 0)
    return Courses(arc, back_arc, tail, head, control[0], control[1], of_arc, np.array(loops, np.int32))


def _controls(
    x: Float64Array, y: Float64Array, tail: Int32Array, head: Int32Array, apart: Int32Array, radius: float
) -> tuple[Float64Array, Float64Array]:
    """Return the control points of courses; those that are ``apart`` [k] > 0 are bent at least so much."""
    dx, dy = x[head] - x[tail], y[head] - y[tail]
    length = np.maximum(np.hypot(dx, dy), 1e-12)
    least = np.maximum(TWIN_BEND, LEAST_TWIN * radius / length) * apart
    best, bend = np.full(len(tail), np.inf), np.zeros(len(tail))
    for tried in _BENDS:
        # A twin is bent to its own left, more if it has to be: to the right it would meet the other one.
        this = np.where(apart > 0, least + max(tried, 0.0), tried)
        cost = 3 * _crowding(x, y, tail, head, this, radius) + np.abs(this)
        better = cost < best - 1e-9
        best, bend = np.where(better, cost, best), np.where(better, this, bend)
    return _control(x, y, tail, head, bend)


def _control(
    x: Float64Array, y: Float64Array, tail: Int32Array, head: Int32Array, bend: Float64Array
) -> tuple[Float64Array, Float64Array]:
    """Return the control points of parabolas whose middles are ``bend`` of their length left of the straight line."""
    dx, dy = x[head] - x[tail], y[head] - y[tail]
    return (x[tail] + x[head]) / 2 - 2 * bend * dy, (y[tail] + y[head]) / 2 + 2 * bend * dx


def _crowding(
    x: Float64Array, y: Float64Array, tail: Int32Array, head: Int32Array, bend: Float64Array, radius: float
) -> Float64Array:
    """Return how far courses run into the discs of other nodes, in radii, summed over these nodes [k]."""
    cx, cy = _control(x, y, tail, head, bend)
    px, py = curve((x[tail], y[tail]), (cx, cy), (x[head], y[head]), _SAMPLES)
    nearest = np.full((len(tail), len(x)), np.inf)
    for each in range(len(_SAMPLES)):
        away = np.hypot(px[:, each, None] - x, py[:, each, None] - y)
        np.minimum(nearest, away, out=nearest)
    rows = np.arange(len(tail))
    nearest[rows, tail] = nearest[rows, head] = np.inf
    clear = _CLEAR if len(x) <= _MANY else _CLEAR_OF_MANY
    return np.maximum(clear - nearest / max(radius, 1e-12), 0.0).sum(axis=1)


Points = tuple[Float64Array, Float64Array]


def curve(begin: Points, control: Points, end: Points, shares: Float64Array) -> Points:
    """Return points of parabolas [k] at shares [s] of their way, x and y float64 [k, s]."""
    t = np.asarray(shares, np.float64)
    first, middle, last = (1 - t) ** 2, 2 * t * (1 - t), t**2
    x, y = (
        np.multiply.outer(begin[axis], first)
        + np.multiply.outer(control[axis], middle)
        + np.multiply.outer(end[axis], last)
        for axis in (0, 1)
    )
    return x, y


LARGEST_DISC, SMALLEST_DISC = 24.0, 3.5
LARGEST_SHARE = 0.06
"""Radius of the largest disc as a share of the picture's smaller side: on a small one discs would reach its edges."""
_NAMED, _LABELLED, _WEIGHED = 8.5, 7.5, 6.5
"""Radii from which on discs have names and labels, and arcs have weights: below they could not be read."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Pixels of the radius of a disc, and of the fonts of names, labels and weights, 0 where these are left out."""

    radius: float
    name: int
    label: int
    weight: int


def sizes_for(radius: float) -> Sizes:
    """Return the sizes that go with discs of a radius."""
    return Sizes(
        radius=radius,
        name=round(min(max(0.80 * radius, 8.0), 18.0)) if radius >= _NAMED else 0,
        label=round(min(max(0.70 * radius, 9.0), 15.0)) if radius >= _LABELLED else 0,
        weight=round(min(max(0.62 * radius, 9.0), 14.0)) if radius >= _WEIGHED else 0,
    )


def disc_radius(graph: SmallGraph, camera: Camera) -> float:
    """Return the radius of a disc in a camera's pixels."""
    ratio = camera.pixel_ratio
    largest = min(LARGEST_DISC, LARGEST_SHARE * min(camera.width, camera.height) / ratio)
    return max(min(graph.radius * camera.scale / ratio, largest), SMALLEST_DISC) * ratio


Measure = Callable[[str, int], tuple[float, float]]
"""Returns width and height of a text whose font has so many pixels."""

PAD_X, PAD_Y = 4.0, 1.0
"""Room round the text of a label and of a weight."""
ROOM_INSIDE, _LEAST_INSIDE = 1.62, 7
"""Width of a text on a disc, in radii, and its smallest font."""
NOWHERE = -1.0
"""The share of its way at which a course has its weight where it has none."""
_SHARES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
_DIRECTIONS = np.arange(16) * (2 * math.pi / 16)
_CELL = 4.0
_MOST_CELLS = 1200
"""Side of the squares that texts take, in pixels, unless the graph is more than so many of them wide."""
_ALONG = np.linspace(0.0, 1.0, 121)


@dataclass(frozen=True, slots=True, eq=False)
class Placing:
    """Where texts stand, in a camera's pixels.

    sizes    of discs and texts
    inside   pixels of the font on discs, 0 for none
    beside   float64 [n, 2]: from the middle of a disc to that of the text beside it
    rooms    float64 [n, 2]: width and height of the room of that text
    weights  float64 [courses]: the share of its way at which a course has its weight, ``NOWHERE`` for none
    boxes    float64 [courses, 2]: width and height of each weight
    """

    sizes: Sizes
    inside: int
    beside: Float64Array
    rooms: Float64Array
    weights: Float64Array
    boxes: Float64Array


def placing_of(graph: SmallGraph, camera: Camera, widest: str, measure: Measure) -> Placing:
    """Return where texts stand; ``widest`` is the longest label that any node has."""
    return _placing(graph, round(camera.scale, 9), disc_radius(graph, camera), widest, measure)


@lru_cache(maxsize=24)
def _placing(graph: SmallGraph, scale: float, radius: float, widest: str, measure: Measure) -> Placing:
    camera = Camera(scale, 0.0, 0.0, 1, 1)
    sizes, courses = sizes_for(radius), graph.courses
    n, k = len(graph.x), len(courses.arc)
    beside, rooms, boxes = np.zeros((n, 2)), np.zeros((n, 2)), np.zeros((k, 2))
    weights = np.full(k, NOWHERE)
    on_disc = widest if graph.long_names else max(graph.names, key=len)
    inside = _inside(on_disc, sizes, measure)
    if not sizes.label and not sizes.weight:
        return Placing(sizes, inside, beside, rooms, weights, boxes)
    x, y = camera.to_pixels(graph.x, graph.y)
    lines = _points(graph, camera, _ALONG)
    page = _Page(x, y, lines, sizes.radius)
    if sizes.label:
        texts = graph.names if graph.long_names else (max(widest, INFINITE, key=len),) * n
        rooms = _boxes(texts, sizes.label, measure)
        beside = _place_beside(page, x, y, sizes.radius, rooms)
    if sizes.weight:
        boxes = _boxes([graph.weights[arc] for arc in courses.arc.tolist()], sizes.weight, measure)
        weights = _place_weights(page, lines, boxes, sizes.radius)
    return Placing(sizes, inside, beside, rooms, weights, boxes)


def _inside(widest: str, sizes: Sizes, measure: Measure) -> int:
    """Return in how many pixels all texts fit on their discs."""
    pixels = sizes.name
    while pixels > _LEAST_INSIDE and measure(widest, pixels)[0] > ROOM_INSIDE * sizes.radius:
        pixels -= 1
    return pixels


def _boxes(texts: Sequence[str], pixels: int, measure: Measure) -> Float64Array:
    """Return widths and heights of texts with some room round them, float64 [texts, 2]."""
    sizes = np.array([measure(text, pixels) for text in texts], np.float64).reshape(-1, 2)
    return sizes + np.array([2 * PAD_X, 2 * PAD_Y])


class _Page:
    """Squares of the page: which are taken by a disc or a text, and how many lines run through each."""

    def __init__(self, x: Float64Array, y: Float64Array, lines: tuple[Float64Array, Float64Array], radius: float):
        room = 6 * radius + 40
        left, top = float(x.min()) - room, float(y.min()) - room
        width, height = float(np.ptp(x)) + 2 * room, float(np.ptp(y)) + 2 * room
        self._cell = max(_CELL, max(width, height) / _MOST_CELLS)
        self._left, self._top = left, top
        shape = int(height / self._cell) + 2, int(width / self._cell) + 2
        self._taken = np.zeros(shape, bool)
        self._lines = np.zeros(shape, np.int32)
        self._squares: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        for px, py in zip(*lines, strict=True):
            rows, columns = ((py - top) / self._cell).astype(int), ((px - left) / self._cell).astype(int)
            inside = (rows >= 0) & (rows < shape[0]) & (columns >= 0) & (columns < shape[1])
            row, column = np.unique(np.stack([rows[inside], columns[inside]]), axis=1)
            self._squares.append((row, column))
            self._lines[row, column] += 1
        for cx, cy in zip(x.tolist(), y.tolist(), strict=True):
            self.take(cx, cy, 1.8 * radius, 1.8 * radius)

    def _box(self, x: float, y: float, width: float, height: float) -> tuple[slice, slice]:
        row, column = (y - height / 2 - self._top) / self._cell, (x - width / 2 - self._left) / self._cell
        rows = slice(max(int(row), 0), max(int(row + height / self._cell) + 1, 0))
        return rows, slice(max(int(column), 0), max(int(column + width / self._cell) + 1, 0))

    def take(self, x: float, y: float, width: float, height: float) -> None:
        """Take the squares of a box round a place."""
        self._taken[self._box(x, y, width, height)] = True

    def crossings(self, x: float, y: float, width: float, height: float, own: int | None = None) -> int | None:
        """Return how many squares of lines but its ``own`` a box would cover, None where something is there already."""
        rows, columns = self._box(x, y, width, height)
        if self._taken[rows, columns].any():
            return None
        covered = int(self._lines[rows, columns].sum())
        if own is None:
            return covered
        row, column = self._squares[own]
        inside = (row >= rows.start) & (row < rows.stop) & (column >= columns.start) & (column < columns.stop)
        return covered - int(np.count_nonzero(inside))


def _place_beside(page: _Page, x: Float64Array, y: Float64Array, radius: float, rooms: Float64Array) -> Float64Array:
    """Return where texts stand beside their discs: below or above where lines leave room, else where there is most."""
    offsets = np.zeros((len(x), 2))
    across, down = np.cos(_DIRECTIONS), np.sin(_DIRECTIONS)
    preference = 3.0 * np.abs(across) - 0.3 * down
    for node in np.argsort(y, kind="stable").tolist():
        width, height = rooms[node].tolist()
        reach = _reach(np.abs(across), np.abs(down), width / 2, height / 2, radius + 1)
        candidates = np.stack([across * reach, down * reach], axis=1)
        best, chosen = math.inf, 0
        for each, (dx, dy) in enumerate(candidates.tolist()):
            # Only the part beyond the disc: its own disc has taken the rest.
            covered = page.crossings(x[node] + 1.25 * dx, y[node] + 1.25 * dy, 0.9 * width, 0.8 * height)
            cost = preference[each] + (50.0 if covered is None else 1.3 * covered)
            if cost < best:
                best, chosen = cost, each
        offsets[node] = candidates[chosen]
        page.take(x[node] + offsets[node, 0], y[node] + offsets[node, 1], width, height)
    return offsets


def _reach(across: Float64Array, down: Float64Array, half_width: float, half_height: float, gap: float) -> Float64Array:
    """Return how far from a place the middle of a box is whose edges, or else nearest corner, keep a gap to it.

    ``across`` and ``down``, at least 0, are the parts of the unit vectors to it.
    """
    edge_below = (half_height + gap) / np.maximum(down, 1e-9)
    edge_beside = (half_width + gap) / np.maximum(across, 1e-9)
    along = across * half_width + down * half_height
    corner = along + np.sqrt(np.maximum(along**2 - half_width**2 - half_height**2 + gap**2, 0.0))
    above = across * edge_below <= half_width
    return np.where(above, edge_below, np.where(down * edge_beside <= half_height, edge_beside, corner))


def _place_weights(
    page: _Page, lines: tuple[Float64Array, Float64Array], boxes: Float64Array, radius: float
) -> Float64Array:
    """Return at which shares of their ways courses have their weights."""
    shares = np.full(len(boxes), NOWHERE)
    px, py = lines
    length = np.hypot(np.diff(px, axis=1), np.diff(py, axis=1)).sum(axis=1)
    last = len(_ALONG) - 1
    for course in np.argsort(length, kind="stable").tolist():  # the short ones have the least choice
        width, height = boxes[course]
        best = math.inf
        for rank, share in enumerate(_SHARES):
            at = round(share * last)
            if min(share, 1 - share) * length[course] < radius + 0.4 * width:
                continue
            covered = page.crossings(px[course, at], py[course, at], width, height, course)
            if covered is not None and covered + rank < best:
                best, shares[course] = covered + rank, at / last
        if best < math.inf:
            at = round(shares[course] * last)
            page.take(px[course, at], py[course, at], width, height)
    return shares


NEAR = 6.0
"""Largest distance to a course that is hit, in the camera's pixels."""
_TOUCHED = np.linspace(0.0, 1.0, 33)


def disc_at(graph: SmallGraph, camera: Camera, x: float, y: float, more: float = 0.0, anywhere: bool = False) -> int:
    """Return the node whose disc is at a place in the camera's pixels or at most ``more`` from it, else -1.

    With ``anywhere`` it is the nearest node, however far.
    """
    px, py = camera.to_pixels(graph.x, graph.y)
    away = np.hypot(px - x, py - y)
    nearest = int(away.argmin())
    return nearest if anywhere or away[nearest] <= disc_radius(graph, camera) + more else -1


def arc_at(graph: SmallGraph, camera: Camera, x: float, y: float) -> int:
    """Return the arc whose course is nearest to a place in the camera's pixels, -1 where none is near.

    Of the two arcs of one course it is the one whose head is nearer.
    """
    if not len(graph.courses.arc):
        return -1
    px, py = _points(graph, camera, _TOUCHED)
    way_x, way_y = np.diff(px, axis=1), np.diff(py, axis=1)
    along = ((x - px[:, :-1]) * way_x + (y - py[:, :-1]) * way_y) / np.maximum(way_x**2 + way_y**2, 1e-12)
    share = np.clip(along, 0.0, 1.0)
    away = np.hypot(px[:, :-1] + share * way_x - x, py[:, :-1] + share * way_y - y)
    course, piece = divmod(int(away.argmin()), away.shape[1])
    if away[course, piece] > NEAR * camera.pixel_ratio:
        return -1
    back = int(graph.courses.back[course])
    return back if back >= 0 and piece < away.shape[1] // 2 else int(graph.courses.arc[course])


def weight_at(graph: SmallGraph, placing: Placing, camera: Camera, x: float, y: float) -> int:
    """Return the arc whose weight stands at a place in the camera's pixels, -1 for none."""
    for course in np.flatnonzero(placing.weights >= 0).tolist():
        left, top, width, height = weight_box(graph, placing, camera, course)
        if left <= x <= left + width and top <= y <= top + height:
            return int(graph.courses.arc[course])
    return -1


def weight_box(graph: SmallGraph, placing: Placing, camera: Camera, course: int) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the box round a course's weight, that of its middle where it has none."""
    share = float(placing.weights[course])
    px, py = _points(graph, camera, np.array([share if share >= 0 else 0.5]))
    width, height = placing.boxes[course].tolist()
    return float(px[course, 0]) - width / 2, float(py[course, 0]) - height / 2, width, height


def _points(graph: SmallGraph, camera: Camera, shares: Float64Array) -> Points:
    """Return points of the courses in the camera's pixels."""
    courses = graph.courses
    x, y = camera.to_pixels(graph.x, graph.y)
    control = camera.to_pixels(courses.control_x, courses.control_y)
    return curve((x[courses.tail], y[courses.tail]), control, (x[courses.head], y[courses.head]), shares)
