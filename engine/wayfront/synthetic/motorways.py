"""Motorways: two one-way carriageways that cross the streets without meeting them, joined by ramps.

Where a motorway crosses a main road, ramps lead from each carriageway to the road and back (a diamond); where one
motorway begins at another, four curved ramps join them (a trumpet without its loop). Everything is returned as
pieces with a direction, for ``assembly.py`` to join with the streets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wayfront.synthetic.land import WATER, Land, ground_at
from wayfront.synthetic.streets import MOTORWAY, PRIMARY, SECONDARY, Streets

Floats = NDArray[np.float64]

RAMP_POINTS = 14
"""Ramps leave a motorway this many points (of about 25 m) before what they lead to."""
_BETWEEN_EXITS = 52
_HALF_MEDIAN = 12.0
_LONGEST_BRIDGE = 900.0
_TO_STREET = 1_500.0
_NEAR_RING = 400.0
_SEARCHED = 300  # points of a line among which its crossing with the ring lies


@dataclass(slots=True)
class Roadworks:
    """Nodes and one-way pieces beyond the streets; node numbers continue those of the streets."""

    streets: Streets
    first_node: int
    positions: list[tuple[float, float]] = field(default_factory=list)
    pieces: list[tuple[int, int, int]] = field(default_factory=list)  # tail, head, road class

    def add_node(self, x: float, y: float) -> int:
        """Add a node and return its number."""
        self.positions.append((x, y))
        return self.first_node + len(self.positions) - 1

    def add_path(self, nodes: list[int], kind: int) -> None:
        """Join nodes one after the other."""
        self.pieces += [(a, b, kind) for a, b in pairwise(nodes)]

    def add_ramp(self, tail: int, head: int, via: Floats) -> None:
        """Join two nodes with a curve (a parabola) that is drawn towards ``via``."""
        a, b = self.position(tail), self.position(head)
        inner = []
        for k in range(1, 8):
            t = k / 8
            x, y = (1 - t) * (1 - t) * a + 2 * t * (1 - t) * via + t * t * b
            inner.append(self.add_node(float(x), float(y)))
        self.add_path([tail, *inner, head], PRIMARY)

    def position(self, node: int) -> Floats:
        """Return the position of a node in metres, float64 [2]."""
        if node < self.first_node:
            return np.array([self.streets.x[node], self.streets.y[node]])
        return np.array(self.positions[node - self.first_node])


@dataclass(slots=True)
class Carriageways:
    """A motorway: its centre line and the nodes right (driven forth) and left (driven back) of each point."""

    line: Floats
    forth: list[int]
    back: list[int]
    closed: bool
    begins_at_motorway: bool

    def at(self, nodes: list[int], k: int) -> int:
        """Return the node at point ``k``, which wraps round a ring and is clipped to the ends of a line."""
        return nodes[k % len(nodes)] if self.closed else nodes[min(max(k, 0), len(nodes) - 1)]


def build_motorways(land: Land, streets: Streets, ring: Floats, others: list[Floats]) -> Roadworks:
    """Return all motorways and ramps of the ring (closed) and of the lines that lead outwards from it."""
    works = Roadworks(streets, int(streets.counts[0]))
    main = _main_nodes(streets)
    around, closed = _passable(land, ring, True)
    orbital = _lay(works, around, closed, False)
    junctions = []
    for line in others:
        outward, _ = _passable(land, line, False)
        gaps = np.array([((around - point) ** 2).sum(axis=1).min() for point in outward[:_SEARCHED]])
        begin = int(gaps.argmin())
        k = int(((around - outward[begin]) ** 2).sum(axis=1).argmin())
        outward = outward[begin:]
        if len(outward) < 4 * RAMP_POINTS or gaps[begin] > _NEAR_RING * _NEAR_RING:
            continue
        radial = _lay(works, outward[RAMP_POINTS:], False, True)
        junctions.append(k)
        _join_motorways(works, orbital, k, radial)
        _make_exits(works, radial, main, [0])
        _finish(works, land, radial, main)
    ends = [] if closed else [0, len(around) - 1]
    _make_exits(works, orbital, main, junctions + ends)
    if not closed:
        _finish(works, land, orbital, main)
    return works


def _passable(land: Land, line: Floats, closed: bool) -> tuple[Floats, bool]:
    """Return the longest stretch inside the map and without water too wide to bridge, and whether it is closed."""
    free = np.array([0 <= x < land.width and 0 <= y < land.height for x, y in line])
    dry = np.array([f and ground_at(land, x, y) != WATER for f, (x, y) in zip(free, line, strict=True)])
    if closed and not dry.all():
        turn = int(dry.argmin())
        line, free, dry = (np.roll(a, -turn, axis=0) for a in (line, free, dry))
    best, begin, wet = (0, 0), 0, 0
    for k in range(len(line)):
        wet = 0 if dry[k] else wet + 1
        if not free[k] or wet * 25.0 > _LONGEST_BRIDGE:
            begin = k + 1
        elif dry[k] and k + 1 - begin > best[1] - best[0] and dry[begin]:
            best = (begin, k + 1)
        elif not dry[begin]:
            begin = k + 1
    whole = closed and best[1] - best[0] > 0.98 * len(line)
    return line[best[0] : best[1]], whole


def _lay(works: Roadworks, line: Floats, closed: bool, begins_at_motorway: bool) -> Carriageways:
    ahead = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0)
    if not closed:
        ahead[0], ahead[-1] = line[1] - line[0], line[-1] - line[-2]
    size = np.sqrt(ahead[:, 0] * ahead[:, 0] + ahead[:, 1] * ahead[:, 1]) + 1e-9
    aside = np.stack((ahead[:, 1], -ahead[:, 0]), axis=1) / size[:, None] * _HALF_MEDIAN
    forth = [works.add_node(float(x), float(y)) for x, y in line + aside]
    back = [works.add_node(float(x), float(y)) for x, y in line - aside]
    works.add_path(forth + forth[:1] * closed, MOTORWAY)
    works.add_path((back + back[:1] * closed)[::-1], MOTORWAY)
    return Carriageways(line, forth, back, closed, begins_at_motorway)


def _join_motorways(works: Roadworks, ring: Carriageways, k: int, radial: Carriageways) -> None:
    """Join the beginning of a motorway to both carriageways of the ring at its point k."""
    via = ring.line[k]
    before, after = k - RAMP_POINTS, k + RAMP_POINTS
    out, home = radial.forth[0], radial.back[0]
    works.add_ramp(ring.at(ring.forth, before), out, via)
    works.add_ramp(ring.at(ring.back, after), out, via)
    works.add_ramp(home, ring.at(ring.forth, after), via)
    works.add_ramp(home, ring.at(ring.back, before), via)


def _make_exits(works: Roadworks, road: Carriageways, main: NDArray[np.int64], taken: list[int]) -> None:
    """Join a motorway to the main roads that it crosses, wherever no other exit or junction is close."""
    busy = list(taken)
    length = len(road.line)
    mx, my = works.streets.x[main], works.streets.y[main]
    for k in range(0, length, 2):
        apart = [min(abs(k - b), length - abs(k - b)) if road.closed else abs(k - b) for b in busy]
        if apart and min(apart) < _BETWEEN_EXITS:
            continue
        x, y = road.line[k]
        ahead = road.line[min(k + 1, length - 1)] - road.line[max(k - 1, 0)]
        ahead = ahead / np.sqrt(ahead[0] * ahead[0] + ahead[1] * ahead[1])
        dx, dy = mx - x, my - y
        near = np.flatnonzero(dx * dx + dy * dy < 90.0 * 90.0)
        if not len(near):
            continue
        aside = dx[near] * ahead[1] - dy[near] * ahead[0]
        right, left = near[aside.argmax()], near[aside.argmin()]
        if aside.max() < 30.0 or aside.min() > -30.0:
            continue  # the road ends here or runs beside the motorway
        busy.append(k)
        for nodes, node, leave, join in (
            (road.forth, int(main[right]), k - RAMP_POINTS, k + RAMP_POINTS),
            (road.back, int(main[left]), k + RAMP_POINTS, k - RAMP_POINTS),
        ):
            off, on = road.at(nodes, leave), road.at(nodes, join)
            works.add_ramp(off, node, 0.45 * works.position(off) + 0.55 * works.position(node))
            works.add_ramp(node, on, 0.45 * works.position(on) + 0.55 * works.position(node))


def _finish(works: Roadworks, land: Land, road: Carriageways, main: NDArray[np.int64]) -> None:
    """End a motorway: at the border of the map by turning round, inside it at the nearest main road."""
    ends = [(road.forth[-1], road.back[-1], road.line[-1])]
    if not road.begins_at_motorway:
        ends.append((road.back[0], road.forth[0], road.line[0]))
    for last, first, (x, y) in ends:
        at_border = min(x, y, land.width - x, land.height - y) < 100.0
        dx, dy = works.streets.x[main] - x, works.streets.y[main] - y
        squares = dx * dx + dy * dy
        nearest = int(squares.argmin()) if len(main) else -1
        if at_border or nearest < 0 or squares[nearest] > _TO_STREET * _TO_STREET:
            works.add_path([last, first], MOTORWAY)
        else:
            works.add_path([last, int(main[nearest]), first], PRIMARY)


def _main_nodes(streets: Streets) -> NDArray[np.int64]:
    """Return the nodes of main roads on land, int64, rising."""
    pieces = int(streets.counts[1])
    main = (streets.kind[:pieces] >= SECONDARY) & (streets.bridge[:pieces] == 0)
    return np.unique(np.concatenate((streets.tail[:pieces][main], streets.head[:pieces][main]))).astype(np.int64)
