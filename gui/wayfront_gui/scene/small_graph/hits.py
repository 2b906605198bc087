"""What of a small graph is at a place of the screen: a disc, an arc, a weight. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.small_graph.courses import curve
from wayfront_gui.scene.small_graph.graph import SmallGraph
from wayfront_gui.scene.small_graph.placing import Placing
from wayfront_gui.scene.small_graph.sizes import disc_radius

NEAR = 6.0
"""Largest distance to a course that is hit, in the camera's pixels."""
_SAMPLES = np.linspace(0.0, 1.0, 33)


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
    px, py = _points(graph, camera, _SAMPLES)
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


def _points(graph: SmallGraph, camera: Camera, shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    courses = graph.courses
    x, y = camera.to_pixels(graph.x, graph.y)
    control = camera.to_pixels(courses.control_x, courses.control_y)
    return curve((x[courses.tail], y[courses.tail]), control, (x[courses.head], y[courses.head]), shares)
