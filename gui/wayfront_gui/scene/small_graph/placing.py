"""Where the texts of a small graph stand at a zoom: labels beside their discs, weights on their arcs. No Qt.

No text covers a disc or another text. On a disc stands the node's name and beside it the label, or the other way round
where names are long; what is beside it stands where the fewest arcs leave the node. A weight stands on its own
arc, which it interrupts, near the middle and where no other arc passes, so that one sees whose it is; one that finds no
place is left out until there is more room. Places are those of a zoom, so they stay while one pans.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.model.graph_numbers import INFINITE
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.small_graph.courses import curve
from wayfront_gui.scene.small_graph.graph import SmallGraph
from wayfront_gui.scene.small_graph.sizes import Sizes, disc_radius, sizes_for

Float64Array = NDArray[np.float64]
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
_SAMPLES = np.linspace(0.0, 1.0, 121)


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
    control = camera.to_pixels(courses.control_x, courses.control_y)
    lines = curve((x[courses.tail], y[courses.tail]), control, (x[courses.head], y[courses.head]), _SAMPLES)
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
    last = len(_SAMPLES) - 1
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
