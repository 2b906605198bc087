"""How the arcs of a small graph run: straight where they can, bent round other nodes and apart from their twins. No Qt.

A course is a parabola between two nodes (a Bézier curve with one control point). Two arcs of one weight between the
same nodes, one each way, are one course with two heads. Other arcs between the same two nodes are bent apart.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork

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
