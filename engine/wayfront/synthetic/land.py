"""Make the land of a synthetic city: water, parks, urbanity, and the direction of its streets.

Everything is a raster over a rectangle of ``width`` × ``height`` metres with its origin in the south-west: what
the ground is in cells of 25 m, the slow fields (urbanity, street direction) in cells of 100 m. Street direction is
a tensor field (G. Chen et al., "Interactive procedural street modeling", SIGGRAPH 2008): a direction of angle θ,
which is the same as θ + 180°, is kept as a vector of angle 2θ, so that fields of several districts, of the shore
and of the old centre can be added up and fade into each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, part
from wayfront.synthetic.plan import Plan
from wayfront.synthetic.portable_random import fractal, noise

GROUND_CELL = 25.0
FIELD_CELL = 100.0
FREE, WATER, PARK, CORRIDOR = 0, 1, 2, 3
"""Kinds of ground; CORRIDOR is the strip along a motorway, which no small street crosses."""

_FAR = 1 << 20

Floats = NDArray[np.float64]
Cells = NDArray[np.uint8]


class Land(NamedTuple):
    """The rasters of a landscape; a named tuple since the street kernels take it as one argument.

    ground  uint8 [height / 25 m, width / 25 m]: FREE, WATER, PARK or CORRIDOR
    urban   float64 [height / 100 m, width / 100 m]: 0 open country … 1 old town
    double  float64 [height / 100 m, width / 100 m, 2]: unit vectors of twice the angle of the streets
    """

    width: float
    height: float
    ground: Cells
    urban: Floats
    double: Floats


def make_land(plan: Plan) -> Land:
    """Return the landscape of a plan."""
    rows, columns = int(plan.height / GROUND_CELL), int(plan.width / GROUND_CELL)
    ground = np.zeros((rows, columns), np.uint8)
    _flood(ground, plan.sea, plan.size, plan.salt)
    for points, widths in plan.rivers:
        _stamp(ground, points, widths, WATER, 0.25, plan.salt + 50)
    shore = _distance_to_water(ground)
    _stamp(ground, plan.parks[:, :2], plan.parks[:, 2], PARK, 0.75, plan.salt + 60)
    shape = (int(plan.height / FIELD_CELL), int(plan.width / FIELD_CELL))
    urban, double = np.zeros(shape), np.zeros((*shape, 2))
    _settle(urban, plan.centre, plan.size, plan.towns, plan.salt)
    for road in plan.radials:
        _urbanise_along(urban, road)
    _direct(double, urban, shore, plan.centre, plan.size, plan.districts, plan.salt)
    return Land(plan.width, plan.height, ground, urban, double)


def carve_corridor(land: Land, line: Floats) -> None:
    """Mark the ground within 50 m of a motorway (float64 [p, 2], dense points), where it is dry."""
    _stamp(land.ground, line, np.full(len(line), 100.0), CORRIDOR, 0.0, 0)


@loop
def _flood(ground: Cells, sea: Floats, size: float, salt: int) -> None:
    """Fill the south-west corner with sea: below a line through (sea[0], 0) and (0, sea[1]), frayed by noise."""
    for i in range(ground.shape[0]):
        for j in range(ground.shape[1]):
            x, y = (j + 0.5) * GROUND_CELL, (i + 0.5) * GROUND_CELL
            coarse = fractal(x / (5200.0 * size), y / (5200.0 * size), 5, salt)
            if x / sea[0] + y / sea[1] + 0.42 * coarse < 1.0:
                ground[i, j] = WATER


@loop
def _stamp(ground: Cells, points: Floats, widths: Floats, kind: int, frayed: float, salt: int) -> None:
    """Fill discs of these widths in metres round points [p, 2]; only water may replace water."""
    rows, columns = ground.shape
    for k in range(len(points)):
        x, y, radius = points[k, 0], points[k, 1], 0.5 * widths[k]
        reach = radius * (1.0 + frayed) + GROUND_CELL
        low_i, high_i = int((y - reach) / GROUND_CELL), int((y + reach) / GROUND_CELL) + 1
        low_j, high_j = int((x - reach) / GROUND_CELL), int((x + reach) / GROUND_CELL) + 1
        for i in range(max(low_i, 0), min(high_i, rows)):
            for j in range(max(low_j, 0), min(high_j, columns)):
                dx, dy = (j + 0.5) * GROUND_CELL - x, (i + 0.5) * GROUND_CELL - y
                limit = radius
                if frayed > 0.0:
                    limit *= 1.0 + frayed * fractal((x + dx) / (radius + 200.0), (y + dy) / (radius + 200.0), 3, salt)
                if dx * dx + dy * dy < limit * limit and (kind == WATER or ground[i, j] == FREE):
                    ground[i, j] = kind


@loop
def _distance_to_water(ground: Cells) -> NDArray[np.int32]:
    """Return metres to the nearest water per ground cell, int32, by two chamfer passes (steps of 25 and 35 m)."""
    rows, columns = ground.shape
    away = np.full((rows + 2, columns + 2), np.int32(_FAR))
    for i in range(rows):
        for j in range(columns):
            if ground[i, j] == WATER:
                away[i + 1, j + 1] = 0
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            before = min(away[i, j - 1] + 25, away[i - 1, j] + 25)
            before = min(before, min(away[i - 1, j - 1], away[i - 1, j + 1]) + 35)
            away[i, j] = min(away[i, j], before)
    for i in range(rows, 0, -1):
        for j in range(columns, 0, -1):
            after = min(away[i, j + 1] + 25, away[i + 1, j] + 25)
            after = min(after, min(away[i + 1, j + 1], away[i + 1, j - 1]) + 35)
            away[i, j] = min(away[i, j], after)
    return away[1:-1, 1:-1].copy()


@loop
def _settle(urban: Floats, centre: Floats, size: float, towns: Floats, salt: int) -> None:
    """Set urbanity: it falls from the centre at different pace in each direction, and rises again in towns."""
    for i in range(urban.shape[0]):
        for j in range(urban.shape[1]):
            x, y = (j + 0.5) * FIELD_CELL, (i + 0.5) * FIELD_CELL
            dx, dy = x - centre[0], 1.12 * (y - centre[1])
            stretch = 1.0 - 0.42 * fractal(x / (7000.0 * size), y / (7000.0 * size), 3, salt + 10)
            away = np.sqrt(dx * dx + dy * dy) * stretch / (1000.0 * size)
            value = 1.08 - 0.098 * away
            if away < 3.0:
                value += 0.10 * (3.0 - away)
            for k in range(len(towns)):
                tx, ty, radius = x - towns[k, 0], y - towns[k, 1], towns[k, 2]
                square = (tx * tx + ty * ty) / (radius * radius)
                if square < 1.0:
                    frayed = 0.6 * fractal(x / 800.0, y / 800.0, 2, salt + 70)
                    value = max(value, 0.03) + towns[k, 3] * (1.0 - square) * (1.0 + frayed)
            ragged = fractal(x / 2300.0, y / 2300.0, 4, salt + 20)
            urban[i, j] = min(max(value + (0.10 + 0.34 * (1.0 - min(max(value, 0.0), 1.0))) * ragged - 0.02, 0.0), 1.0)


@loop
def _urbanise_along(urban: Floats, road: Floats) -> None:
    """Let suburbs grow along an arterial, less the farther out; float64 [p, 2]."""
    for k in range(0, len(road), 12):
        x, y = road[k, 0], road[k, 1]
        gain = 0.20 * (1.0 - k / len(road))
        for i in range(max(int((y - 700.0) / FIELD_CELL), 0), min(int((y + 700.0) / FIELD_CELL), urban.shape[0])):
            for j in range(max(int((x - 700.0) / FIELD_CELL), 0), min(int((x + 700.0) / FIELD_CELL), urban.shape[1])):
                dx, dy = (j + 0.5) * FIELD_CELL - x, (i + 0.5) * FIELD_CELL - y
                near = 1.0 - (dx * dx + dy * dy) / 490_000.0
                if near > 0.0:
                    # A share of what is missing, so that points close together do not add up beyond it.
                    urban[i, j] += max(0.0, 0.62 * gain * near * (0.8 - urban[i, j]))


@loop
def _direct(
    double: Floats,
    urban: Floats,
    shore: NDArray[np.int32],
    centre: Floats,
    size: float,
    districts: Floats,
    salt: int,
) -> None:
    """Set the direction of streets: the district's grid, bent by the shore, the old centre and suburban whim."""
    ratio = int(FIELD_CELL / GROUND_CELL)
    rows, columns = shore.shape
    for i in range(double.shape[0]):
        for j in range(double.shape[1]):
            x, y = (j + 0.5) * FIELD_CELL, (i + 0.5) * FIELD_CELL
            # District borders wander, since straight seams between grids look drawn with a ruler.
            wx = x + 350.0 * noise(x / 900.0, y / 900.0, salt + 30)
            wy = y + 350.0 * noise(x / 900.0, y / 900.0, salt + 31)
            a, b = 0.0, 0.0
            for k in range(len(districts)):
                dx, dy = wx - districts[k, 0], wy - districts[k, 1]
                closeness = 1.0 / (dx * dx + dy * dy + 250_000.0)
                closeness *= closeness * closeness * 1e18
                a += closeness * closeness * districts[k, 2]
                b += closeness * closeness * districts[k, 3]
            a, b = _unit(a, b)
            dx, dy = x - centre[0], y - centre[1]
            square = dx * dx + dy * dy
            pull = 1.0 / (1.0 + square / (1.4e6 * size))
            pull = 0.9 * pull * pull
            a += pull * (dx * dx - dy * dy) / (square + 1.0)
            b += pull * 2.0 * dx * dy / (square + 1.0)
            gi, gj = min(ratio * i + ratio // 2, rows - 9), min(ratio * j + ratio // 2, columns - 9)
            gi, gj = max(gi, 8), max(gj, 8)
            if shore[gi, gj] < 1200:
                gx = float(shore[gi, gj + 8] - shore[gi, gj - 8])
                gy = float(shore[gi + 8, gj] - shore[gi - 8, gj])
                strength = 3.0 / (1.0 + (shore[gi, gj] / 300.0) * (shore[gi, gj] / 300.0)) / (gx * gx + gy * gy + 1.0)
                a += strength * (gx * gx - gy * gy)
                b += strength * 2.0 * gx * gy
            a, b = _unit(a, b)
            # A turn by an angle whose half has tangent t: rational, so no machine rounds it another way.
            whim = 0.08 + 1.5 * max(0.0, 0.68 - urban[i, j])
            if square < 1.3e6 * size:
                whim += 0.55
            t = whim * (fractal(x / 700.0, y / 700.0, 2, salt + 40) + 0.6 * noise(x / 2500.0, y / 2500.0, salt + 43))
            cosine, sine = (1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t)
            double[i, j, 0], double[i, j, 1] = a * cosine - b * sine, a * sine + b * cosine


@part
def _unit(a: float, b: float) -> tuple[float, float]:
    length = np.sqrt(a * a + b * b)
    if length < 1e-12:
        return 1.0, 0.0
    return a / length, b / length


@loop
def ground_at(land: Land, x: float, y: float) -> int:
    """Return the kind of ground at a point; the outside of the map counts as park."""
    if x < 0.0 or y < 0.0:
        return PARK
    i, j = int(y / GROUND_CELL), int(x / GROUND_CELL)
    if i >= land.ground.shape[0] or j >= land.ground.shape[1]:
        return PARK
    return int(land.ground[i, j])


@part
def urban_at(land: Land, x: float, y: float) -> float:
    """Return the urbanity at a point inside the map, 0 … 1."""
    i = min(max(int(y / FIELD_CELL), 0), land.urban.shape[0] - 1)
    j = min(max(int(x / FIELD_CELL), 0), land.urban.shape[1] - 1)
    return land.urban[i, j]


@part
def direction_at(land: Land, x: float, y: float, across: bool) -> tuple[float, float]:
    """Return the unit vector along which streets run here, or the one across it; its sign means nothing."""
    v = min(max(y / FIELD_CELL - 0.5, 0.0), land.double.shape[0] - 1.001)
    u = min(max(x / FIELD_CELL - 0.5, 0.0), land.double.shape[1] - 1.001)
    i, j = int(v), int(u)
    s, t = u - j, v - i
    a = (land.double[i, j, 0] * (1 - s) + land.double[i, j + 1, 0] * s) * (1 - t)
    a += (land.double[i + 1, j, 0] * (1 - s) + land.double[i + 1, j + 1, 0] * s) * t
    b = (land.double[i, j, 1] * (1 - s) + land.double[i, j + 1, 1] * s) * (1 - t)
    b += (land.double[i + 1, j, 1] * (1 - s) + land.double[i + 1, j + 1, 1] * s) * t
    a, b = _unit(a, b)
    # Halve the angle: cos θ = √((1 + cos 2θ) / 2), sin θ = sin 2θ / (2 cos θ).
    cosine = np.sqrt(max(0.0, 0.5 * (1.0 + a)))
    dx, dy = (cosine, 0.5 * b / cosine) if cosine > 1e-6 else (0.0, 1.0)
    return (-dy, dx) if across else (dx, dy)
