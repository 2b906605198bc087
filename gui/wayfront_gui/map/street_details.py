"""What a street map shows besides lines: dots on junctions and dead ends, and arrows along one-way streets. No Qt.

They are drawn into the G-buffer and belong to nodes, as lines do, so a search colours them too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import deputy, loop, part
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import MapGeometry, led_back
from wayfront_gui.map.raster import cover, draw_line

DOT_COVERAGE, ARROW_COVERAGE = 112.0, 127.0
SHORTEST = 28.0
"""Logical pixels of a line that has an arrow."""
APART = 140.0
"""About how many logical pixels are between two arrows of one line."""
_WIDE = 0.6
"""Half of an arrow's breadth, as a share of its length …"""
_LONG = 2.8
"""… which is so many widths of a minor road."""


_ARROW_STROKE = 0.7
"""The width of an arrow's strokes, as a share of that of a minor road."""


@dataclass(frozen=True, slots=True, eq=False)
class StreetDetails:
    """What a camera sees besides lines, in its pixels.

    dots     int32 [k]: nodes with a disc of ``radius``
    strokes  float64 [m, 4]: x, y, x, y of the strokes of arrows, ``width`` wide; ``owners`` int32 [m] are their nodes
    """

    dots: NDArray[np.int32]
    radius: float
    strokes: NDArray[np.float64]
    owners: NDArray[np.int32]
    width: float

    @classmethod
    def of(cls, geometry: MapGeometry, camera: Camera, width: float) -> StreetDetails:
        """Return the details of a map on which minor roads are ``width`` pixels wide."""
        radius = width * 0.5 + camera.pixel_ratio
        lines = visible_lines(geometry, camera, max(radius + 1.0, width * _LONG))
        ends = np.concatenate([geometry.line_a[lines], geometry.line_b[lines]])
        nodes, streets = np.unique(ends[ends < geometry.node_count], return_counts=True)
        junctions = nodes[streets != 2].astype(np.int32)  # elsewhere a street only bends
        strokes, owners = _arrows(geometry, camera, lines, width * _LONG)
        return cls(junctions, radius, strokes, owners, width * _ARROW_STROKE)


def draw_street_details(gbuffer: NDArray[np.uint32], geometry: MapGeometry, camera: Camera, width: float) -> None:
    """Draw dots and arrows into a G-buffer that has the lines; minor roads are ``width`` pixels wide."""
    details = StreetDetails.of(geometry, camera, width)
    draw_dots(gbuffer, details.dots, geometry.lines, camera.view, details.radius, DOT_COVERAGE)
    draw_strokes(gbuffer, details.strokes, details.owners, ARROW_COVERAGE, details.width * 0.5)


def _arrows(
    geometry: MapGeometry, camera: Camera, lines: NDArray[np.int32], reach: float
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the strokes of arrows ``reach`` pixels long on one-way streets among ``lines``, and their nodes."""
    a, b = geometry.line_a[lines], geometry.line_b[lines]
    start = np.stack(camera.to_pixels(geometry.x[a].astype(np.float64), geometry.y[a].astype(np.float64)), axis=1)
    end = np.stack(camera.to_pixels(geometry.x[b].astype(np.float64), geometry.y[b].astype(np.float64)), axis=1)
    length = np.hypot(*(end - start).T)
    none = np.zeros(0, np.int32)
    roads = (geometry.line_a, geometry.line_b, none, none) if geometry.chains is None else chains_of(geometry)
    way = one_way(lines, *roads, geometry.offsets, geometry.targets)
    marked = np.flatnonzero((way != 0) & (length >= SHORTEST * camera.pixel_ratio))
    begins, ends = (places[marked, 0] + 1j * places[marked, 1] for places in (start, end))
    forward = way[marked] > 0
    marked = marked[~led_back(np.where(forward, begins, ends), np.where(forward, ends, begins))]
    counts = np.maximum(length[marked] // (APART * camera.pixel_ratio), 1).astype(np.int64)
    each = np.repeat(marked, counts)
    number = np.arange(len(each)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = ((number + 0.5) / np.repeat(counts, counts))[:, None]
    along = (end[each] - start[each]) * (way[each] / length[each])[:, None]
    tip = start[each] + share * (end[each] - start[each]) + along * reach * 0.5
    tail, aside = tip - along * reach, along[:, ::-1] * [-_WIDE * reach, _WIDE * reach]
    strokes = np.concatenate([np.hstack([tip, tail + aside]), np.hstack([tip, tail - aside])])
    owners = np.where(share[:, 0] < 0.5, geometry.owner_a[lines[each]], geometry.owner_b[lines[each]])
    return strokes, np.concatenate([owners, owners])


def chains_of(geometry: MapGeometry) -> tuple[NDArray[np.int32], ...]:
    """Return the ends of the chains of a map, the chain of each line, and of each arc."""
    chains = geometry.chains
    assert chains is not None
    return chains.a, chains.b, chains.of_line, chains.of_arc


def visible_lines(geometry: MapGeometry, camera: Camera, margin: float) -> NDArray[np.int32]:
    """Return the lines in the cells of the grid that a view meets with ``margin`` pixels round it, int32."""
    meets, offsets = geometry.cells_in(camera.extent.grown(margin / camera.scale)), geometry.cell_offsets
    first, last = offsets[:-1][meets], offsets[1:][meets]
    counts = last - first
    return (np.repeat(first - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())).astype(np.int32)


@deputy("wayfront_gui.map.uncompiled")
@loop
def draw_dots(buffer, nodes, lines, view, radius, coverage):  # type: ignore[no-untyped-def]
    """Draw a disc of ``radius`` pixels on each of ``nodes`` int32 [k]; other arguments as in ``rasterize``."""
    height, width = buffer.shape
    pixels = buffer.reshape(-1)
    scale, left, top = view
    for node in nodes:
        px, py = (lines.x[node] - left) * scale, (top - lines.y[node]) * scale
        rows = range(max(math.floor(py - radius), 0), min(math.floor(py + radius), height - 1) + 1)
        columns = range(max(math.floor(px - radius), 0), min(math.floor(px + radius), width - 1) + 1)
        for row in rows:
            for column in columns:
                share = min(max(radius + 0.5 - math.hypot(column + 0.5 - px, row + 0.5 - py), 0.0), 1.0)
                cover(pixels, np.uint64(row * width + column), coverage * share, np.uint32(node))


@deputy("wayfront_gui.map.uncompiled")
@loop
def draw_strokes(buffer, strokes, owners, coverage, half):  # type: ignore[no-untyped-def]
    """Draw ``strokes`` float64 [m, 4], ``half`` pixels to either side, that belong to the nodes ``owners``."""
    for i in range(len(strokes)):
        owner = np.uint32(owners[i])
        draw_line(buffer, strokes[i, 0], strokes[i, 1], strokes[i, 2], strokes[i, 3], owner, owner, coverage, half)


@deputy("wayfront_gui.map.uncompiled")
@loop
def one_way(lines, road_a, road_b, of_line, of_arc, offsets, targets):  # type: ignore[no-untyped-def]
    """Return 1 for each of ``lines`` int32 [k] with arcs from its first end only, -1 for its second, else 0, int8 [k].

    ``road_a`` and ``road_b`` are the nodes at the ends of the roads, ``of_line`` the road of each line, ``of_arc`` that
    of each arc; the latter two are empty where lines are roads.
    """
    way = np.zeros(len(lines), np.int8)
    for i in range(len(lines)):
        road = of_line[lines[i]] if len(of_line) else lines[i]
        onward = _has_arc(offsets, targets, of_arc, road, road_a[road], road_b[road])
        if onward != _has_arc(offsets, targets, of_arc, road, road_b[road], road_a[road]):
            way[i] = 1 if onward else -1
    return way


@part
def _has_arc(offsets, targets, of_arc, road, tail, head):  # type: ignore[no-untyped-def]
    """Whether an arc of a road leads from its end ``tail`` to ``head``."""
    for arc in range(offsets[tail], offsets[tail + 1]):
        if targets[arc] == head and (len(of_arc) == 0 or of_arc[arc] == road):
            return True
    return False
