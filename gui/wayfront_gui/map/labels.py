"""Where names stand on the map: chosen by rank and zoom, none over another. No Qt.

A layout belongs to a zoom (in steps, each of which has the places of its smallest scale, where names are nearest to
each other) and to a part of the plane that is larger than the view. Names are at places of the plane, so panning and
zooming within that moves them and changes nothing else; a layout that follows another one keeps its names first.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network.details import KINDS, PLACES
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.chains import Int32Array
from wayfront_gui.map.geometry import Extent, MapGeometry, Plane, read_only

if TYPE_CHECKING:
    from wayfront.network.details import Surroundings
    from wayfront.network.road_network import RoadNetwork


Float64Array = NDArray[np.float64]

STEPS_OF_ZOOM = 3
"""Layouts for each doubling of the scale."""
_REGION = 512.0
"""Layouts are for parts of the plane whose sides are multiples of so many pixels."""
_CELL = 4.0
"""Side of the squares, in pixels, of which each is taken by one name at most."""
_MOST = 260
"""Names that are tried in 1,600 × 1,000 pixels: more than one would read."""
_ROOM = 1600.0 * 1000.0
_CROWDED = 0.75
"""At a scale smaller by this factor the names of a layout would lie over each other."""
_APART = 300.0
"""Pixels from one name of a road to the next."""
_STRAIGHT = 0.995
"""A stretch this straight, as chord over length, has its name on a straight line …"""
_CURVED = 0.90
"""… and one that is more bent than this has none."""
_SHARPEST = 0.5
"""Radians by which a road may turn from one letter to the next."""


@dataclass(frozen=True, slots=True)
class LabelLook:
    """How a kind of names is set: pixels of the font, weight 400 … 700, and whether slanted, in capitals."""

    size: float
    weight: int = 400
    italic: bool = False
    capitals: bool = False


LOOKS = {
    "city": LabelLook(17, 600),
    "town": LabelLook(14, 600),
    "village": LabelLook(12, 500),
    "suburb": LabelLook(11, 600, capitals=True),
    "quarter": LabelLook(10.5, 500, capitals=True),
    "hamlet": LabelLook(11, 400),
    "island": LabelLook(12, 500, italic=True),
    "water": LabelLook(11, 500, italic=True),
    "park": LabelLook(10.5, 500, italic=True),
    "wood": LabelLook(10.5, 500, italic=True),
    "glacier": LabelLook(12, 500, italic=True),
    "road": LabelLook(10.5, 500),
    "main road": LabelLook(11, 500),
}
WIDEST_VIEW = {
    "city": 6000.0,
    "town": 800.0,
    "village": 150.0,
    "suburb": 45.0,
    "quarter": 16.0,
    "hamlet": 28.0,
    "island": 300.0,
}
"""Metres in a pixel up to which places of a kind have names."""
_WIDEST_ROADS = (3.2, 14.0, 36.0, 110.0)
"""The same for roads by class, minor roads first."""


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """One name: what it is, where on the plane, and for a road the places (x, y) of its letters and their angles.

    letters  float64 [k, 3] in pixels from the anchor and radians, empty for a name on a straight line
    angle    radians, clockwise, of a name on a straight line
    """

    key: tuple[str, int, int]
    text: str
    kind: str
    x: float
    y: float
    angle: float = 0.0
    letters: Float64Array = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def look(self) -> LabelLook:
        """How it is set."""
        return LOOKS[self.kind]


Measure = Callable[[str, LabelLook], Float64Array]
"""Returns where the letters of a text end, float64 [letters], in pixels from its start."""


@dataclass(slots=True, eq=False)
class _Layout:
    scale: float
    region: Extent
    labels: tuple[Label, ...]


class Names:
    """The names of one network's roads and surroundings, laid out for one camera after the other."""

    def __init__(self, network: RoadNetwork, geometry: MapGeometry) -> None:
        self._network, self._geometry = network, geometry
        self.surroundings: Surroundings | None = network.surroundings
        self._places: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
        self._layout: _Layout | None = None
        self._lock = threading.Lock()

    @property
    def roads(self) -> NamedRoads:
        """The roads that have names."""
        return NamedRoads.of(self._network, self._geometry)

    @property
    def count(self) -> int:
        """How many named roads, and places and areas, there are."""
        around = 0 if self.surroundings is None else len(self.surroundings)
        return around + (0 if self._network.road_names is None else len(self.roads))

    def fits(self, camera: Camera) -> bool:
        """Return whether the last layout is that of a camera in logical pixels."""
        last = self._layout
        return last is not None and last.scale == _step(camera) and last.region.contains(camera.extent)

    def at_hand(self, camera: Camera) -> tuple[Label, ...]:
        """Return the names of the last layout as far as a camera that it was not made for can show them."""
        last = self._layout
        if last is None:
            return ()
        crowded = camera.scale < _CROWDED * last.scale
        return tuple(label for label in last.labels if label.kind in PLACES) if crowded else last.labels

    def layout(self, camera: Camera, measure: Measure) -> tuple[Label, ...]:
        """Return the names for a camera in logical pixels, perhaps some beyond its edges. Any thread may call it."""
        with self._lock:
            before, scale = self._layout, _step(camera)
            if before is not None and self.fits(camera):
                return before.labels
            region = _region(camera.extent, _REGION / scale)
            same = before is not None and before.scale == scale
            kept = {label.key for label in before.labels} if before is not None and same else set()
            labels = tuple(self._placed(scale, region, measure, kept))
            self._layout = _Layout(scale, region, labels)
            return labels

    def _placed(
        self, scale: float, region: Extent, measure: Measure, kept: set[tuple[str, int, int]]
    ) -> Iterator[Label]:
        taken = _Taken(region, scale)
        most = round(_MOST * max(region.width * region.height * scale * scale / _ROOM, 0.5))
        found = [*self._of_places(scale, region), *self._of_roads(scale, region, measure)][: 3 * most]
        found.sort(key=lambda label: label.key not in kept)  # stable: else by rank
        for label in found:
            if taken.take(label, measure(label.text, label.look)):
                yield label
                most -= 1
                if not most:
                    return

    def _of_places(self, scale: float, region: Extent) -> Iterator[Label]:
        """Yield the names of places and areas that are large enough, places first and by rank."""
        around = self.surroundings
        if around is None or not len(around):
            return
        if self._places is None:
            self._places = Plane.of(self._network).project(around.position)
        x, y = self._places
        seen = (x >= region.left) & (x <= region.right) & (y >= region.bottom) & (y <= region.top)
        pixel = 1 / scale
        for index in np.flatnonzero(seen).tolist():
            kind, name = KINDS[around.kind[index]], around.names[index]
            if not name or kind not in LOOKS:
                continue
            if kind in PLACES:
                shown = pixel <= WIDEST_VIEW[kind]
            else:  # as wide as the name, about
                shown = math.sqrt(float(around.size[index])) * scale > 5.0 * len(name) + 10
            if shown:
                yield Label((kind, index, 0), name, kind, float(x[index]), float(y[index]))

    def _of_roads(self, scale: float, region: Extent, measure: Measure) -> Iterator[Label]:
        """Yield names along roads, those of large and long roads first."""
        names = self._network.road_names
        if names is None or self._network.road_class is None:
            return
        roads, pixel = self.roads, 1 / scale
        widest = np.array(_WIDEST_ROADS)[roads.rank]
        boxes = roads.boxes
        seen = (boxes[:, 0] <= region.right) & (boxes[:, 2] >= region.left)
        seen &= (boxes[:, 1] <= region.top) & (boxes[:, 3] >= region.bottom)
        seen &= (pixel <= widest) & (roads.lengths * scale > 50)
        chosen = np.flatnonzero(seen)
        chosen = chosen[np.lexsort((-roads.lengths[chosen], -roads.rank[chosen].astype(np.int64)))]
        for road in chosen[: 3 * _MOST].tolist():
            points = roads.points[roads.offsets[road] : roads.offsets[road + 1]]
            x, y = self._geometry.x[points].astype(np.float64), self._geometry.y[points].astype(np.float64)
            course = np.stack([x, -y], axis=1) * scale
            text, kind = names.names[roads.name[road]], "main road" if roads.rank[road] >= 2 else "road"
            ends = measure(text, LOOKS[kind])
            for turn, letters in _along(course, ends, region, scale):
                left, top, angle = letters[len(letters) // 2].tolist()
                bent = len(letters) > 1
                yield Label(
                    ("road", road, turn),
                    text,
                    kind,
                    left / scale,
                    -top / scale,
                    0.0 if bent else angle,
                    letters - (left, top, 0) if bent else letters[:0],
                )


def _step(camera: Camera) -> float:
    """Return the smallest scale of the cameras that share a layout."""
    return 2.0 ** (math.floor(math.log2(camera.scale) * STEPS_OF_ZOOM) / STEPS_OF_ZOOM)


def _region(seen: Extent, side: float) -> Extent:
    """Return what is seen and some more, in whole steps."""
    low = [math.floor(v / side - 0.5) * side for v in (seen.left, seen.bottom)]
    high = [math.ceil(v / side + 0.5) * side for v in (seen.right, seen.top)]
    return Extent(low[0], low[1], high[0], high[1])


def _along(
    course: Float64Array, ends: Float64Array, region: Extent, scale: float
) -> Iterator[tuple[int, Float64Array]]:
    """Yield (number, letters) for stretches of a line in pixels that can carry a name.

    ``letters`` float64 [k, 3] are the middle of each letter and its angle; a single one means a straight stretch.
    """
    stretches = np.hypot(*np.diff(course, axis=0).T)
    at = np.concatenate(([0.0], np.cumsum(stretches)))
    width, room = float(ends[-1]) if len(ends) else 0.0, float(at[-1])
    if not 0 < width <= room - 12:
        return
    turns = max(int((room - width) // _APART) + 1, 1)
    middles = (np.arange(turns) + 0.5) * room / turns
    x, y = (np.interp(middles, at, course[:, i]) for i in (0, 1))
    inside = (x >= region.left * scale) & (x <= region.right * scale)
    inside &= (-y >= region.bottom * scale) & (-y <= region.top * scale)
    for turn in np.flatnonzero(inside).tolist():
        for shift in (0.0, 0.2, -0.2):
            start = middles[turn] + shift * min(room / turns, room - width) - width / 2
            letters = _letters(course, at, ends, min(max(start, 4.0), room - width - 4.0))
            if letters is not None:
                yield turn, letters
                break


def _letters(course: Float64Array, at: Float64Array, ends: Float64Array, start: float) -> Float64Array | None:
    """Return the places of letters from ``start`` on, one for all on a straight stretch, None on one too bent."""
    width = float(ends[-1])
    from_x, to_x = (float(np.interp(v, at, course[:, 0])) for v in (start, start + width))
    from_y, to_y = (float(np.interp(v, at, course[:, 1])) for v in (start, start + width))
    chord = math.hypot(to_x - from_x, to_y - from_y)
    if chord < _CURVED * width:
        return None
    backward = to_x < from_x
    if chord >= _STRAIGHT * width:
        angle = math.atan2(to_y - from_y, to_x - from_x) + (math.pi if backward else 0.0)
        return np.array([[(from_x + to_x) / 2, (from_y + to_y) / 2, angle]])
    begins = np.concatenate(([0.0], ends[:-1]))
    near, far = start + (width - begins if backward else begins), start + (width - ends if backward else ends)
    x0, y0, x1, y1 = (np.interp(v, at, course[:, i]) for v in (near, far) for i in (0, 1))
    angles = np.arctan2(y1 - y0, x1 - x0)
    turned = np.abs((np.diff(angles) + np.pi) % (2 * np.pi) - np.pi)
    if len(turned) and turned.max() > _SHARPEST:
        return None
    return np.stack([(x0 + x1) / 2, (y0 + y1) / 2, angles], axis=1)


class _Taken:
    """Which squares of a region names have taken."""

    def __init__(self, region: Extent, scale: float) -> None:
        self._region, self._scale = region, scale
        rows, columns = (math.ceil(side * scale / _CELL) for side in (region.height, region.width))
        self._cells = np.zeros((rows + 1, columns + 1), bool)
        self._roads: dict[str, list[tuple[float, float]]] = {}

    def take(self, label: Label, ends: Float64Array) -> bool:
        """Take the squares of a name, unless one is taken, or the same road has its name near."""
        x, y = (label.x - self._region.left) * self._scale, (self._region.top - label.y) * self._scale
        near = self._roads.setdefault(label.text, [])
        if any(math.hypot(x - other[0], y - other[1]) < _APART for other in near):
            return False
        slices = [self._cells[rows, columns] for rows, columns in self._squares(label, ends, x, y)]
        if not slices or any(cells.any() for cells in slices):
            return False
        for cells in slices:
            cells[...] = True
        near.append((x, y))
        return True

    def _squares(self, label: Label, ends: Float64Array, x: float, y: float) -> Iterable[tuple[slice, slice]]:
        half, width = label.look.size * 0.5 + 3, float(ends[-1]) if len(ends) else 0.0
        if label.kind not in ("road", "main road"):
            yield from self._square(x, y, width / 2 + 5, half + 2)
            return
        if len(label.letters):
            centres = label.letters[:, :2]
        else:
            steps = np.linspace(-0.5, 0.5, max(int(width / half), 2)) * width
            centres = np.stack([np.cos(label.angle) * steps, np.sin(label.angle) * steps], axis=1)
        for dx, dy in centres.tolist():
            yield from self._square(x + dx, y + dy, half, half)

    def _square(self, x: float, y: float, across: float, upward: float) -> Iterator[tuple[slice, slice]]:
        rows, columns = self._cells.shape
        left, right = (min(max(int(v / _CELL), 0), columns - 1) for v in (x - across, x + across))
        top, bottom = (min(max(int(v / _CELL), 0), rows - 1) for v in (y - upward, y + upward))
        yield slice(top, bottom + 1), slice(left, right + 1)


@dataclass(frozen=True, slots=True, eq=False)
class NamedRoads:
    """Roads, each a line between two of its ends or junctions with itself.

    offsets  int32 [roads+1]: the points of a road are ``points[offsets[r]:offsets[r + 1]]``
    points   int32: points of the map's geometry
    name     int32 [roads], index into the network's names
    rank     uint8 [roads]: the road class of its first line
    boxes    float32 [roads, 4]: left, bottom, right, top
    lengths  float32 [roads] in metres
    """

    offsets: Int32Array
    points: Int32Array
    name: Int32Array
    rank: NDArray[np.uint8]
    boxes: NDArray[np.float32]
    lengths: NDArray[np.float32]

    @classmethod
    def of(cls, network: RoadNetwork, geometry: MapGeometry) -> NamedRoads:
        """Return the named roads of a network, made at the first call; none where no road has a name."""
        return network.derive("named roads", lambda: cls._build(network, geometry))

    @classmethod
    def _build(cls, network: RoadNetwork, geometry: MapGeometry) -> NamedRoads:
        name = _names_of_lines(network, geometry)
        named = np.flatnonzero((name >= 0) & (geometry.line_a != geometry.line_b))
        order = named[np.argsort(name[named], kind="stable")]
        if not len(order):
            nothing = np.zeros(0, np.int32)
            return cls(np.zeros(1, np.int32), nothing, nothing, nothing.astype(np.uint8), _BOXES, _LENGTHS)
        ends = (read_only(geometry.line_a[order]), read_only(geometry.line_b[order]))
        offsets, points, first = _join(*ends, read_only(name[order]), len(geometry.x))
        x, y = geometry.x[points], geometry.y[points]
        starts = offsets[:-1]
        stretches = np.hypot(np.diff(x, append=x[-1:]), np.diff(y, append=y[-1:]))
        stretches[offsets[1:] - 1] = 0  # from the end of a road to the start of the next
        boxes = [np.minimum.reduceat(x, starts), np.minimum.reduceat(y, starts)]
        boxes += [np.maximum.reduceat(x, starts), np.maximum.reduceat(y, starts)]
        lengths = np.add.reduceat(stretches, starts)
        rank = geometry.line_class[order[first]]
        return cls(offsets, points, name[order[first]], rank, np.stack(boxes, axis=1), lengths)

    def __len__(self) -> int:
        """Return the number of roads."""
        return len(self.name)


_BOXES, _LENGTHS = np.zeros((0, 4), np.float32), np.zeros(0, np.float32)


def _names_of_lines(network: RoadNetwork, geometry: MapGeometry) -> Int32Array:
    """Return the name of each drawing line, int32 [lines], -1 for none."""
    if network.road_names is None or network.road_class is None:
        return np.full(geometry.line_count, -1, np.int32)
    of_arc = network.road_names.of_arc
    arcs = np.flatnonzero(of_arc >= 0)
    chains = geometry.chains
    if chains is not None:
        of_chain = np.full(len(chains.a), -1, np.int32)
        arcs = arcs[chains.of_arc[arcs] >= 0]
        of_chain[chains.of_arc[arcs]] = of_arc[arcs]
        return of_chain[chains.of_line]
    n = geometry.node_count
    tails, heads = network.tails()[arcs].astype(np.int64), network.targets[arcs].astype(np.int64)
    keys = np.minimum(tails, heads) * n + np.maximum(tails, heads)
    order = np.argsort(keys)
    wanted = geometry.line_a.astype(np.int64) * n + geometry.line_b
    at = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1) if len(keys) else wanted
    names = np.full(geometry.line_count, -1, np.int32)
    if len(keys):
        found = keys[order[at]] == wanted
        names[found] = of_arc[arcs[order[at[found]]]]
    return names


@loop
def _join(a, b, name, point_count):  # type: ignore[no-untyped-def]
    """Return (offsets, points, first line) of the roads made of lines a–b, which are sorted by their names.

    ``newest[p]`` is the latest end of this name's lines at point p (2 × line, + 1 for its b), ``older`` leads to
    those before it. Roads begin where not just two lines meet; what is left are loops.
    """
    lines = len(a)
    newest, older = np.full(point_count, -1, np.int32), np.empty(2 * lines, np.int32)
    degree, used = np.zeros(point_count, np.int32), np.zeros(lines, np.bool_)
    offsets, points = np.zeros(lines + 1, np.int32), np.empty(2 * lines, np.int32)
    first = np.empty(lines, np.int32)
    roads, count, start = np.int64(0), np.int64(0), np.int64(0)
    while start < lines:
        end = start
        while end < lines and name[end] == name[start]:
            for side in range(2):
                p = a[end] if side == 0 else b[end]
                older[2 * end + side], newest[p] = newest[p], 2 * end + side
                degree[p] += 1
            end += 1
        for turn in range(3):  # from a's, from b's, then the loops
            for i in range(start, end):
                p = b[i] if turn == 1 else a[i]
                if used[i] or (turn < 2 and degree[p] == 2):
                    continue
                first[roads], line = i, i
                points[count] = p
                count += 1
                while line >= 0:
                    used[line] = True
                    p = b[line] if a[line] == p else a[line]
                    points[count] = p
                    count += 1
                    line = -1
                    if degree[p] == 2:
                        link = newest[p]
                        while link >= 0:
                            if not used[link // 2]:
                                line = link // 2
                            link = older[link]
                roads += 1
                offsets[roads] = count
        for i in range(start, end):
            newest[a[i]] = newest[b[i]] = -1
            degree[a[i]] = degree[b[i]] = 0
        start = end
    return offsets[: roads + 1].copy(), points[:count].copy(), first[:roads].copy()
