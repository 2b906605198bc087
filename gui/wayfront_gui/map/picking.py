"""Find the node at a screen position: pure functions of the G-buffer and the geometry. No Qt."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.map.camera import Camera
from wayfront_gui.map.frame import Frame
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.raster import NODE_MASK
from wayfront_gui.map.scene import Scene

PICK_RADIUS = 9.0
"""Largest distance from the pointer to a line that is picked, in logical pixels."""
GRAB_RADIUS = 16.0
"""Largest distance from a press to a marker that is grabbed, in units of the map's texts: twice as large as one …"""
GRAB_RIM = 8.0
"""… and in a diagram from the rim of a disc, with the rings of source and targets."""
DRAG_DISTANCE = 4.0
"""Distance that a pressed pointer moves before a click becomes a drag, in logical pixels."""


def node_in_buffer(gbuffer: NDArray[np.uint32], column: float, row: float, radius: float) -> int:
    """Return the node that owns the drawn pixel nearest to a position, within ``radius`` physical pixels, or -1.

    In the buffer of a frame ``by_line`` it is the line.
    """
    height, width = gbuffer.shape
    left, right = max(math.floor(column - radius), 0), min(math.floor(column + radius) + 1, width)
    top, bottom = max(math.floor(row - radius), 0), min(math.floor(row + radius) + 1, height)
    if left >= right or top >= bottom:
        return -1
    window = gbuffer[top:bottom, left:right]
    rows, columns = np.nonzero(window)
    distance = np.hypot(columns + (left + 0.5 - column), rows + (top + 0.5 - row))
    inside = distance <= radius
    if not inside.any():
        return -1
    # Of pixels equally near, the one that is covered best.
    values = window[rows, columns][inside]
    best = np.lexsort((-values.astype(np.int64), distance[inside]))[0]
    return int(values[best]) & NODE_MASK


def node_at(scene: Scene, frame: Frame, column: float, row: float, radius: float, anywhere: bool = False) -> int:
    """Return the node at a position in physical pixels of the frame, or -1.

    It is the owner of the pixels drawn there; if there are none, with ``anywhere``, the nearest node of the map. In a
    diagram it is the node whose disc is there, or else the nearest one. Of a split node it is the first copy.
    """
    node = _owner_at(scene, frame, column, row, radius, anywhere)
    return int(scene.first_copies[node]) if node >= 0 and len(scene.first_copies) else node


def _owner_at(scene: Scene, frame: Frame, column: float, row: float, radius: float, anywhere: bool) -> int:
    if (diagram := scene.diagram) is not None:
        unit = frame.camera.pixel_ratio * scene.style.text_scale  # in which diagrams are painted
        return diagram.node_at(frame.camera.in_units(unit), column / unit, row / unit, radius / unit, anywhere)
    node = node_in_buffer(frame.gbuffer, column, row, radius)
    if frame.by_line and node >= 0 and scene.geometry is not None:
        return _nearer_end(scene.geometry, node, *frame.camera.to_plane(column, row))
    if node >= 0 or scene.geometry is None or not anywhere:
        return node
    return scene.geometry.nearest_node(*frame.camera.to_plane(column, row))


def _nearer_end(geometry: MapGeometry, line: int, x: float, y: float) -> int:
    """Return the owner of that half of a line which is nearer to a point of the plane."""
    a, b = int(geometry.line_a[line]), int(geometry.line_b[line])
    far_a, far_b = (math.hypot(geometry.x[end] - x, geometry.y[end] - y) for end in (a, b))
    return int(geometry.owner_a[line] if far_a <= far_b else geometry.owner_b[line])


def grab_radius(scene: Scene, camera: Camera) -> float:
    """Return how far from the middle of a marker a press still grabs it, in physical pixels: just off it, too.

    A click that misses a target is one for another source, which takes all that is shown.
    """
    unit = camera.pixel_ratio * scene.style.text_scale
    if (diagram := scene.diagram) is None:
        return GRAB_RADIUS * unit
    return (diagram.radius(camera.in_units(unit)) + GRAB_RIM) * unit


def is_near(scene: Scene, camera: Camera, node: int | None, column: float, row: float, radius: float) -> bool:
    """Return whether a position is within ``radius`` physical pixels of a node's marker."""
    if node is None or scene.geometry is None:
        return False
    x, y = camera.to_pixels(*scene.place(node))
    return math.hypot(x - column, y - row) <= radius
