"""Plan a synthetic city, and make its land: water, parks, urbanity, and the direction of its streets.

Everything is a raster over a rectangle of ``width`` × ``height`` metres with its origin in the south-west: what
the ground is in cells of 25 m, the slow fields (urbanity, street direction) in cells of 100 m. Street direction is
a tensor field (G. Chen et al., "Interactive procedural street modeling", SIGGRAPH 2008): a direction of angle θ,
which is the same as θ + 180°, is kept as a vector of angle 2θ, so that fields of several districts, of the shore
and of the old centre can be added up and fade into each other.

A plan comes first: river, rings, radials, motorways, towns, parks and districts. All its lines are float64 [p, 2], in
metres from the south-west corner, with points 20 to 30 m apart. ``size`` is 1 for a city of 40,000 nodes on 34 × 21 km
and grows with the square root of the nodes, so that blocks keep their size.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.synthetic.portable_random import UNIT, Draws, cosine_sine

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


# ------------------------------------------------------------------------------------------------- plan

Point = tuple[float, float]

WIDTH, HEIGHT = 34_000.0, 21_200.0
LINE_STEP = 25.0


@dataclass(frozen=True, slots=True)
class Plan:
    """All lines and areas of a plan; see the module for units."""

    size: float
    width: float
    height: float
    salt: int
    centre: Floats
    sea: Floats  # where the coast meets the southern and the western border
    rivers: list[tuple[Floats, Floats]]  # points and widths
    parks: Floats  # [p, 3]: x, y, width
    towns: Floats  # [t, 4]: x, y, radius, how urban
    districts: Floats  # [d, 4]: x, y and the doubled direction of the grid
    rings: list[Floats]
    axis: Floats  # through the old town and over its bridge
    radials: list[Floats]
    orbital: Floats  # the motorway ring
    motorways: list[Floats]
    connectors: list[Floats]


def make_plan(size: float, seed: int) -> Plan:
    """Return the plan of a city of that size."""
    draws = Draws(seed)
    width, height = WIDTH * size, HEIGHT * size
    cx, cy = width * draws.uniform(0.49, 0.53), height * draws.uniform(0.52, 0.56)
    km = 1000.0 * size
    sea = np.array([width * draws.uniform(0.44, 0.50), height * draws.uniform(0.64, 0.72)])
    towns = _towns(draws, width, height, (cx, cy), km)
    inner = _ring(draws, (cx, cy - 0.35 * km), 1.25 * km, 0.06)
    middle = _ring(draws, (cx, cy), 3.6 * km, 0.08)
    outer = _ring(draws, (cx - 0.2 * km, cy - 0.1 * km), 6.9 * km, 0.13)
    radials = _radials(draws, (cx, cy), inner, km)
    return Plan(
        size=size,
        width=width,
        height=height,
        salt=draws.salt(),
        centre=np.array([cx, cy]),
        sea=sea,
        rivers=_rivers(draws, width, height, (cx, cy), km),
        parks=_parks(draws, (cx, cy), km),
        towns=towns,
        districts=_districts(draws, width, height, (cx, cy), size),
        rings=[inner, middle],
        axis=wander(draws, _on(inner, 0.27), _on(inner, 0.73), 0.06),
        radials=radials,
        orbital=outer,
        motorways=_motorways(draws, (cx, cy), km),
        connectors=_connectors(draws, towns, (cx, cy), km),
    )


def smooth(points: list[Point], closed: bool = False) -> Floats:
    """Return a Catmull-Rom curve through the points, resampled about every 25 m."""
    p = np.array(points)
    p = np.concatenate((p[-1:], p, p[:2])) if closed else np.concatenate((p[:1], p, p[-1:]))
    pieces = []
    for k in range(1, len(p) - 2):
        gap = p[k + 1] - p[k]
        count = max(1, int(np.sqrt(gap[0] * gap[0] + gap[1] * gap[1]) / LINE_STEP))
        t = (np.arange(count) / count)[:, None]
        tangent, curve = 0.5 * (p[k + 1] - p[k - 1]), 2.0 * p[k - 1] - 5.0 * p[k] + 4.0 * p[k + 1] - p[k + 2]
        cubic = 3.0 * p[k] - p[k - 1] - 3.0 * p[k + 1] + p[k + 2]
        pieces.append(p[k] + tangent * t + 0.5 * curve * t * t + 0.5 * cubic * t * t * t)
    pieces.append(p[-2:-1])
    return np.concatenate(pieces)


def wander(draws: Draws, start: Point, end: Point, amount: float, detail: float = 700.0) -> Floats:
    """Return a line that strays by about ``amount`` of its length, by midpoint displacement down to ``detail``."""
    points = [start, end]
    while True:
        gaps = [_distance(a, b) for a, b in pairwise(points)]
        if max(gaps) < 2 * detail or len(points) > 4000:
            return smooth(points)
        refined = [points[0]]
        for a, b in pairwise(points):
            aside = draws.uniform(-amount, amount)
            along = draws.uniform(0.42, 0.58)
            dx, dy = b[0] - a[0], b[1] - a[1]
            refined += [(a[0] + along * dx - aside * dy, a[1] + along * dy + aside * dx), b]
        points = refined


def _distance(a: Point, b: Point) -> float:
    return float(np.sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])))


def _polar(centre: Point, turns: float, radius: float) -> Point:
    cosine, sine = cosine_sine(turns)
    return centre[0] + radius * float(cosine), centre[1] + radius * float(sine)


def _rivers(draws: Draws, width: float, height: float, centre: Point, km: float) -> list[tuple[Floats, Floats]]:
    """Return the river, from the eastern border past the centre into the bay, a brook, and lakes."""
    cx, cy = centre
    through: list[Point] = [
        (1.02 * width, height * draws.uniform(0.62, 0.78)),
        (0.86 * width, height * draws.uniform(0.60, 0.68)),
        (0.74 * width, height * draws.uniform(0.38, 0.46)),
        (cx + 3.1 * km, cy + draws.uniform(-0.6, 0.2) * km),
        (cx + 0.6 * km, cy - draws.uniform(0.8, 1.0) * km),
        (cx - 2.6 * km, cy - draws.uniform(0.1, 0.7) * km),
        (cx - 5.2 * km, cy - draws.uniform(2.9, 3.6) * km),
        (0.20 * width, 0.26 * height),
        (0.10 * width, 0.14 * height),
    ]
    points = [through[0]]
    for a, b in pairwise(through):
        sway = draws.uniform(-0.13, 0.13)
        points += [(0.5 * (a[0] + b[0]) - sway * (b[1] - a[1]), 0.5 * (a[1] + b[1]) + sway * (b[0] - a[0])), b]
    river = smooth(points)
    share = np.arange(len(river)) / len(river)
    widths = 170.0 + 150.0 * share + 1500.0 * np.maximum(share - 0.66, 0.0)
    lakes = []
    for middle, length in (((0.70, 0.17), 2.1), ((0.60, 0.92), 1.2), ((0.90, 0.88), 1.5)):
        x, y = width * (middle[0] + draws.uniform(-0.04, 0.04)), height * (middle[1] + draws.uniform(-0.04, 0.04))
        end = _polar((x, y), draws.uniform(0.0, 1.0), length * km)
        lake = wander(draws, (x, y), end, 0.25)
        t = np.arange(len(lake)) / len(lake)
        lakes.append((lake, 220.0 + length * 1300.0 * np.sqrt(km / 1000.0) * t * (1.0 - t)))
    return [(river, widths), *lakes]


def _ring(draws: Draws, centre: Point, radius: float, uneven: float) -> Floats:
    """Return a closed road that begins in the north, where there is no river."""
    count = 14
    points = []
    for k in range(count):
        x, y = _polar((0.0, 0.0), 0.25 + k / count, radius * (1.0 + draws.uniform(-uneven, uneven)))
        points.append((centre[0] + 1.16 * x, centre[1] + 0.94 * y))
    return smooth(points, closed=True)


def _on(ring: Floats, turns: float) -> Point:
    """Return the point of a ring in a direction; a ring's points begin in the north."""
    x, y = ring[int(((turns - 0.25) % 1.0) * (len(ring) - 1))]
    return float(x), float(y)


def _radials(draws: Draws, centre: Point, inner: Floats, km: float) -> list[Floats]:
    """Return primary roads from the inner ring outwards; none along the river, which runs east and west."""
    lines = []
    for turns in (0.085, 0.165, 0.245, 0.325, 0.405, 0.615, 0.695, 0.775, 0.855):
        turned = turns + draws.uniform(-0.018, 0.018)
        end = _polar(centre, turned + draws.uniform(-0.03, 0.03), 21.0 * km)
        lines.append(wander(draws, _on(inner, turned), end, 0.10))
    return lines


def _motorways(draws: Draws, centre: Point, km: float) -> list[Floats]:
    """Return motorways from the motorway ring to the borders, each between two radials."""
    lines = []
    for turns in (0.125, 0.205, 0.365, 0.815, 0.93):
        turned = turns + draws.uniform(-0.012, 0.012)
        a = _polar(centre, turned, 5.6 * km)
        b = _polar(centre, turned + draws.uniform(-0.03, 0.03), 24.0 * km)
        lines.append(wander(draws, a, b, 0.09, 1500.0))
    return lines


def _towns(draws: Draws, width: float, height: float, centre: Point, km: float) -> Floats:
    """Return towns and villages away from the city and from each other."""
    towns: list[tuple[float, float, float, float]] = []
    for _ in range(4000):
        x, y = width * draws.uniform(0.02, 0.98), height * draws.uniform(0.03, 0.97)
        radius = draws.uniform(420.0, 900.0) + (900.0 if draws.uniform(0.0, 1.0) < 0.28 else 0.0)
        clear = _distance((x, y), centre) > 9.0 * km
        if clear and all(_distance((x, y), (t[0], t[1])) > 900.0 + radius + t[2] for t in towns):
            towns.append((x, y, radius, draws.uniform(0.45, 0.62)))
        if len(towns) >= 34 * (km / 1000.0) ** 2 + 2:
            break
    return np.array(towns)


def _parks(draws: Draws, centre: Point, km: float) -> Floats:
    """Return parks, cemeteries and works that streets go round: many small ones and a few large."""
    parks = []
    for k in range(int(46 * (km / 1000.0) ** 2) + 3):
        width = draws.uniform(160.0, 520.0) if k % 8 else draws.uniform(800.0, 1500.0)
        nearest = 1.0 if k % 8 else 3.5
        x, y = _polar(centre, draws.uniform(0.0, 1.0), draws.uniform(nearest, 9.5) * km)
        parks.append((x, y, width))
        # A second disc beside the first makes the outline longish.
        parks.append((*_polar((x, y), draws.uniform(0.0, 1.0), 0.5 * width), 0.8 * width))
    return np.array(parks)


def _districts(draws: Draws, width: float, height: float, centre: Point, size: float) -> Floats:
    """Return seeds of districts with the doubled direction of their grid, a third of them facing the centre."""
    districts = []
    for _ in range(int(260 * size * size) + 6):
        x, y = width * draws.uniform(0.0, 1.0), height * draws.uniform(0.0, 1.0)
        dx, dy = x - centre[0], y - centre[1]
        square = dx * dx + dy * dy + 1.0
        a, b = (float(value) for value in cosine_sine(draws.uniform(0.0, 1.0)))
        if draws.uniform(0.0, 1.0) < 0.35:
            cosine, sine = (float(value) for value in cosine_sine(draws.uniform(-0.12, 0.12)))
            facing = (dx * dx - dy * dy) / square, 2.0 * dx * dy / square
            a, b = facing[0] * cosine - facing[1] * sine, facing[0] * sine + facing[1] * cosine
        districts.append((x, y, a, b))
    return np.array(districts)


def _connectors(draws: Draws, towns: Floats, centre: Point, km: float) -> list[Floats]:
    """Return roads from each town to its two nearest neighbours and towards the city."""
    lines = []
    middles = [(float(t[0]), float(t[1])) for t in towns]
    for k, middle in enumerate(middles):
        near = sorted((_distance(middle, other), j) for j, other in enumerate(middles) if j != k)[:2]
        lines += [wander(draws, middle, middles[j], 0.13, 400.0) for _, j in near if k < j or len(middles) == 2]
        away = _distance(middle, centre)
        share = min(1.0, 6.5 * km / away)
        towards = (centre[0] + (middle[0] - centre[0]) * share, centre[1] + (middle[1] - centre[1]) * share)
        if k % 2 == 0:
            lines.append(wander(draws, middle, towards, 0.10, 500.0))
    return lines


# ----------------------------------------------------------------------------------------------- noise


@part
def hash_unit(i: int, j: int, salt: int) -> float:
    """Return a number in [0, 1) that depends on the bits of three integers (the finaliser of SplitMix64)."""
    h = np.uint64(i) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(j) * np.uint64(0xC2B2AE3D27D4EB4F) + np.uint64(salt)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    h = h ^ (h >> np.uint64(31))
    return np.float64(np.int64(h >> np.uint64(11))) * UNIT


@part
def noise(x: float, y: float, salt: int) -> float:
    """Return smooth noise in −1 … 1 with features of about one unit (value noise on the integer lattice)."""
    i, j = np.int64(np.floor(x)), np.int64(np.floor(y))
    s, t = x - i, y - j
    s, t = s * s * (3.0 - 2.0 * s), t * t * (3.0 - 2.0 * t)
    low = hash_unit(i, j, salt) * (1.0 - s) + hash_unit(i + 1, j, salt) * s
    high = hash_unit(i, j + 1, salt) * (1.0 - s) + hash_unit(i + 1, j + 1, salt) * s
    return 2.0 * (low * (1.0 - t) + high * t) - 1.0


@part
def fractal(x: float, y: float, octaves: int, salt: int) -> float:
    """Return noise in about −1 … 1 with detail down to 2**-octaves units."""
    total, amplitude, scale = 0.0, 0.55, 1.0
    for k in range(octaves):
        # Shifted, since lattice points of all octaves would otherwise meet at the origin.
        total += amplitude * noise(x * scale + 17.3 * k, y * scale - 9.1 * k, salt + k)
        amplitude *= 0.5
        scale *= 2.0
    return total
