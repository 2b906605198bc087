"""What a street map shows besides lines: dots on junctions and dead ends, and arrows along one-way streets. No Qt.

They are drawn into the G-buffer and belong to nodes, as lines do, so a search colours them too.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, part
from wayfront_gui.scene.geometry import MapGeometry
from wayfront_gui.scene.raster import cover, draw_line
from wayfront_gui.scene.scene import Camera

DOT_COVERAGE, ARROW_COVERAGE = 112.0, 127.0
SHORTEST = 28.0
"""Logical pixels of a line that has an arrow."""
APART = 140.0
"""About how many logical pixels are between two arrows of one line."""
_WIDE = 0.6
"""Half of an arrow's breadth, as a share of its length …"""
_LONG = 2.8
"""… which is so many widths of a minor road."""


def draw_street_details(gbuffer: NDArray[np.uint32], geometry: MapGeometry, camera: Camera, width: float) -> None:
    """Draw dots and arrows into a G-buffer that has the lines; minor roads are ``width`` pixels wide."""
    lines = visible_lines(geometry, camera)
    view = (camera.scale, camera.left, camera.top)
    ends = np.concatenate([geometry.line_a[lines], geometry.line_b[lines]])
    nodes, streets = np.unique(ends[ends < geometry.node_count], return_counts=True)
    junctions = nodes[streets != 2].astype(np.int32)  # elsewhere a street only bends
    draw_dots(gbuffer, junctions, geometry.x, geometry.y, *view, width * 0.5 + camera.pixel_ratio, DOT_COVERAGE)
    chains = geometry.chains
    none = np.zeros(0, np.int32)
    roads = (geometry.line_a, geometry.line_b, none, none) if chains is None else chains_of(geometry)
    reach = width * _LONG
    sizes = (SHORTEST * camera.pixel_ratio, APART * camera.pixel_ratio, reach, reach * _WIDE, width * 0.35)
    draw_arrows(
        gbuffer,
        lines,
        geometry.x,
        geometry.y,
        geometry.line_a,
        geometry.line_b,
        geometry.owner_a,
        geometry.owner_b,
        roads,
        geometry.offsets,
        geometry.targets,
        *view,
        sizes,
        ARROW_COVERAGE,
    )


def chains_of(geometry: MapGeometry) -> tuple[NDArray[np.int32], ...]:
    """Return the ends of the chains of a map, the chain of each line, and of each arc."""
    chains = geometry.chains
    assert chains is not None
    return chains.a, chains.b, chains.of_line, chains.of_arc


def visible_lines(geometry: MapGeometry, camera: Camera) -> NDArray[np.int32]:
    """Return the lines in the cells of the grid that a view meets, int32."""
    view, boxes, offsets = camera.extent, geometry.cell_boxes, geometry.cell_offsets
    meets = (boxes[:, 0] <= view.right) & (boxes[:, 2] >= view.left)
    meets &= (boxes[:, 1] <= view.top) & (boxes[:, 3] >= view.bottom)
    first, last = offsets[:-1][meets], offsets[1:][meets]
    counts = last - first
    return (np.repeat(first - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())).astype(np.int32)


@loop
def draw_dots(buffer, nodes, x, y, scale, left, top, radius, coverage):  # type: ignore[no-untyped-def]
    """Draw a disc of ``radius`` pixels on each of ``nodes`` int32 [k]; other arguments as in ``raster.rasterize``."""
    height, width = buffer.shape
    pixels = buffer.reshape(-1)
    for node in nodes:
        px, py = (x[node] - left) * scale, (top - y[node]) * scale
        rows = range(max(math.floor(py - radius), 0), min(math.floor(py + radius), height - 1) + 1)
        columns = range(max(math.floor(px - radius), 0), min(math.floor(px + radius), width - 1) + 1)
        for row in rows:
            for column in columns:
                share = min(max(radius + 0.5 - math.hypot(column + 0.5 - px, row + 0.5 - py), 0.0), 1.0)
                cover(pixels, np.uint64(row * width + column), coverage * share, np.uint32(node))


@loop
def draw_arrows(  # type: ignore[no-untyped-def]
    buffer,
    lines,
    x,
    y,
    line_a,
    line_b,
    owner_a,
    owner_b,
    roads,
    offsets,
    targets,
    scale,
    left,
    top,
    sizes,
    coverage,
):
    """Draw arrows on those of ``lines`` int32 [k] that have arcs in one direction only.

    ``roads`` are the nodes at the ends of the roads, the road of each line, and of each arc, the latter two empty where
    lines are roads. ``sizes`` are the shortest line that has an arrow, the distance of two, an arrow's length and half
    breadth, and half the width of its strokes, in pixels.
    """
    road_a, road_b, of_line, of_arc = roads
    shortest, apart, reach, wide, half = sizes
    for line in lines:
        a, b = line_a[line], line_b[line]
        xa, ya, xb, yb = (x[a] - left) * scale, (top - y[a]) * scale, (x[b] - left) * scale, (top - y[b]) * scale
        length = math.hypot(xb - xa, yb - ya)
        if length < shortest:
            continue
        road = of_line[line] if len(of_line) else line
        onward = _has_arc(offsets, targets, of_arc, road, road_a[road], road_b[road])
        if onward == _has_arc(offsets, targets, of_arc, road, road_b[road], road_a[road]):
            continue
        dx, dy = (xb - xa) / length, (yb - ya) / length
        dx, dy = (dx, dy) if onward else (-dx, -dy)
        count = max(math.floor(length / apart), 1)
        for k in range(count):
            share = (k + 0.5) / count
            px, py = xa + share * (xb - xa) + dx * reach * 0.5, ya + share * (yb - ya) + dy * reach * 0.5
            owner = np.uint32(owner_a[line] if share < 0.5 else owner_b[line])
            tail_x, tail_y = px - dx * reach, py - dy * reach
            draw_line(buffer, px, py, tail_x - dy * wide, tail_y + dx * wide, owner, owner, coverage, half)
            draw_line(buffer, px, py, tail_x + dy * wide, tail_y - dx * wide, owner, owner, coverage, half)


@part
def _has_arc(offsets, targets, of_arc, road, tail, head):  # type: ignore[no-untyped-def]
    """Whether an arc of a road leads from its end ``tail`` to ``head``."""
    for arc in range(offsets[tail], offsets[tail + 1]):
        if targets[arc] == head and (len(of_arc) == 0 or of_arc[arc] == road):
            return True
    return False
