"""Find the drawing lines near a point or a stroke, exactly, and the arcs that they draw. No Qt.

The G-buffer knows which node owns a pixel, but not which of the node's roads is there; the distances of the lines to
the pointer tell. Only cells of the geometry's grid that are near enough are searched.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.network.arcs import joining_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.map.geometry import MapGeometry


class Stroke(NamedTuple):
    """A straight piece of the pointer's way over the map, in metres of its plane; that of a click has no length."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def is_point(self) -> bool:
        """Whether it has no length."""
        return self[:2] == self[2:]


def lines_near(geometry: MapGeometry, stroke: Stroke, within: float) -> NDArray[np.int32]:
    """Return all lines at most ``within`` metres away from a stroke, int32, the nearest first.

    Equally near lines are in the order of their indices. A node without roads has a line of no length, which does not
    count.
    """
    lines, squares = _lines_near(geometry.lines, geometry.cells, stroke, within)
    return lines[np.lexsort((lines, squares))]


def directions_of_lines(geometry: MapGeometry, lines: NDArray[np.int32], stroke: Stroke) -> NDArray[np.bool_]:
    """Return for each line whether a stroke means the direction from its ``line_a`` to its ``line_b``, bool [k].

    A stroke means the direction in which it was drawn, a click the direction towards the end that is nearer along the
    road.
    """
    a, b = geometry.line_a[lines], geometry.line_b[lines]
    ax, ay = geometry.x[a].astype(np.float64), geometry.y[a].astype(np.float64)
    dx, dy = geometry.x[b] - ax, geometry.y[b] - ay
    if not stroke.is_point:
        return dx * (stroke.x1 - stroke.x0) + dy * (stroke.y1 - stroke.y0) >= 0
    near_b = (stroke.x0 - ax) * dx + (stroke.y0 - ay) * dy >= (dx * dx + dy * dy) / 2
    if geometry.chains is None:
        return near_b
    owner = np.where(near_b, geometry.owner_b[lines], geometry.owner_a[lines])
    ends = geometry.chains.b[geometry.chains.of_line[lines]]
    return owner == ends


def arcs_of_lines(
    network: RoadNetwork, lines: NDArray[np.int32], towards_b: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """Return the arcs of the roads that lines draw, sorted and distinct, int64.

    Both directions, or with ``towards_b`` bool [k] only that from ``line_a`` to ``line_b``, or back. Parallel arcs that
    take the same course are one road.
    """
    geometry = MapGeometry.of(network)
    chains = geometry.chains
    of_line = lines if chains is None else chains.of_line[lines]
    a, b = (
        (geometry.line_a[lines], geometry.line_b[lines]) if chains is None else (chains.a[of_line], chains.b[of_line])
    )
    if towards_b is None:
        tails, heads = np.concatenate([a, b]), np.concatenate([b, a])
    else:
        tails, heads = np.where(towards_b, a, b), np.where(towards_b, b, a)
    arcs, _ = joining_arcs(network, tails, heads)
    return arcs if chains is None else arcs[np.isin(chains.of_arc[arcs], of_line)]


def road_of_arc(network: RoadNetwork, arc: int) -> NDArray[np.int64]:
    """Return the arcs of the road of one arc, in both directions, sorted: those on its course between its ends."""
    tail, head = network.tails()[arc : arc + 1], network.targets[arc : arc + 1]
    arcs, _ = joining_arcs(network, np.concatenate([tail, head]), np.concatenate([head, tail]))
    chains = None if network.coordinates is None else MapGeometry.of(network).chains
    return arcs if chains is None else arcs[chains.of_arc[arcs] == chains.of_arc[arc]]


@loop
def _lines_near(lines, cells, stroke, within):  # type: ignore[no-untyped-def]
    x, y, a, b, _, _ = lines
    cell_offsets, cell_boxes = cells
    x0, y0, x1, y1 = stroke
    found, squares = np.empty(64, np.int32), np.empty(64, np.float64)
    count = 0
    left, right = min(x0, x1) - within, max(x0, x1) + within
    bottom, top = min(y0, y1) - within, max(y0, y1) + within
    for c in range(len(cell_offsets) - 1):
        if cell_boxes[c, 0] > right or cell_boxes[c, 2] < left:
            continue
        if cell_boxes[c, 1] > top or cell_boxes[c, 3] < bottom:
            continue
        for i in range(cell_offsets[c], cell_offsets[c + 1]):
            if a[i] == b[i]:
                continue
            apart = _between_lines(x0, y0, x1, y1, x[a[i]], y[a[i]], x[b[i]], y[b[i]])
            if apart <= within * within:
                if count == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                    squares = np.concatenate((squares, np.empty_like(squares)))
                found[count], squares[count] = i, apart
                count += 1
    return found[:count].copy(), squares[:count].copy()


@part
def _point_to_line(px, py, ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """Return the squared distance of a point to the straight line between two others."""
    px, py, dx, dy = px - np.float64(ax), py - np.float64(ay), np.float64(bx) - ax, np.float64(by) - ay
    length = dx * dx + dy * dy
    share = min(max((px * dx + py * dy) / length, 0.0), 1.0) if length > 0.0 else 0.0
    return (px - share * dx) ** 2 + (py - share * dy) ** 2


@part
def _between_lines(x0, y0, x1, y1, ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """Return the squared distance between two straight lines: 0 where they cross, else that of an end of either."""
    to_a, to_b = _side(x0, y0, x1, y1, ax, ay), _side(x0, y0, x1, y1, bx, by)
    to_start, to_end = _side(ax, ay, bx, by, x0, y0), _side(ax, ay, bx, by, x1, y1)
    if to_a * to_b < 0.0 and to_start * to_end < 0.0:
        return 0.0
    of_stroke = min(_point_to_line(x0, y0, ax, ay, bx, by), _point_to_line(x1, y1, ax, ay, bx, by))
    return min(of_stroke, _point_to_line(ax, ay, x0, y0, x1, y1), _point_to_line(bx, by, x0, y0, x1, y1))


@part
def _side(ax, ay, bx, by, px, py):  # type: ignore[no-untyped-def]
    """Return on which side of a line a point is, by the sign."""
    return (np.float64(bx) - ax) * (np.float64(py) - ay) - (np.float64(by) - ay) * (np.float64(px) - ax)
