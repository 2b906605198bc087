"""Draw the plan of a synthetic city: river, rings, radials, motorways, towns, parks and districts.

All lines are float64 [p, 2], in metres from the south-west corner, with points 20 to 30 m apart. ``size`` is 1 for
a city of 40,000 nodes on 34 × 21 km and grows with the square root of the nodes, so that blocks keep their size.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wayfront.synthetic.portable_random import Draws, cosine_sine

Floats = NDArray[np.float64]
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
