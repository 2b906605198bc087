"""Generate a believable city from a seed.

It grows in the order of a real one: first the land (a river that ends in a bay, lakes, hills left green), then the
roads that planners drew (rings, radials, motorways, roads between towns), then main streets along the land's grain,
then the small streets of each quarter, then dead ends. What comes later ends at what came before. Last, motorways
are laid over it all with their ramps, the centre gets its one-way streets, and the drawing becomes a network.

Motorways are two one-way carriageways that cross the streets without meeting them. Where one crosses a main road,
ramps lead from each carriageway to the road and back (a diamond); where one begins at another, four curved ramps join
them (a trumpet without its loop).

Growth leaves pieces of 25 m. Runs of pieces between junctions become few arcs: of all points that only shape a
street the most significant ones are kept (D. Douglas and T. Peucker, "Algorithms for the reduction of the number of
points required to represent a digitized line", The Canadian Cartographer 10(2), 1973), as many as the wanted
number of nodes leaves room for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network.conventions import METRES_PER_DEGREE
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.structure import morton_order, strong_labels
from wayfront.safe.errors import OptionError
from wayfront.synthetic.land import WATER, Land, Plan, carve_corridor, ground_at, make_land, make_plan
from wayfront.synthetic.networks import FEWEST_NODES, MOST_NODES, origin_of
from wayfront.synthetic.portable_random import cosine_sine
from wayfront.synthetic.streets import (
    MINOR,
    MOTORWAY,
    PRIMARY,
    SECONDARY,
    Rule,
    Streets,
    empty_streets,
    grow,
    grow_dead_ends,
    lay_line,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TYPICAL_NODES = 40_000
_JUNCTION_SHARE = (0.62, 0.86)
"""Lowest and highest share of junctions among the nodes; the others give streets their shape."""


def make_city(nodes: int, seed: int) -> RoadNetwork:
    """Return the city that ``generators.city`` describes. Raises ``OptionError``."""
    if not FEWEST_NODES <= nodes <= MOST_NODES:
        raise OptionError(f"a city has between {FEWEST_NODES:,} and {MOST_NODES:,} nodes, not {nodes:,}")
    if seed < 0:
        raise OptionError(f"seed is at least 0, not {seed}")
    size = (nodes / _TYPICAL_NODES) ** 0.5
    scale, tries = 0.68, 8
    while True:
        plan = make_plan(size, seed)
        land, x, y, pieces = _build(plan, scale)
        share = junction_count(pieces, len(x)) / nodes
        tries -= 1
        if _JUNCTION_SHARE[0] <= share <= _JUNCTION_SHARE[1] or not tries:
            break
        # Junctions grow with the inverse square of the distance between streets; 0.74 is the middle of the aim.
        scale *= min(max((share / 0.74) ** 0.5, 0.7), 1.4)
    pieces = straighten(x, y, pieces, nodes)
    return to_network(x, y, pieces, land, "Wayfront City", origin_of("city", nodes=nodes, seed=seed))


def _build(plan: Plan, scale: float) -> tuple[Land, Floats, Floats, Pieces]:
    """Return the land, the nodes and the pieces of all roads, small streets ``scale`` times as far apart as usual."""
    land = make_land(plan)
    streets = empty_streets(land, int(400_000 * plan.size * plan.size) + 60_000, plan.salt)
    for line in (*plan.rings, plan.axis, *plan.radials):
        lay_line(streets, land, line, PRIMARY, 700.0)
    for line in (plan.orbital, *plan.motorways):
        carve_corridor(land, line)
    for line in plan.connectors:
        lay_line(streets, land, line, SECONDARY, 260.0)
    grow(streets, land, Rule(SECONDARY, 1.0, 600.0, 1500.0, 0.3, 1.0, plan.salt))
    grow(streets, land, Rule(MINOR, 1.0, 700.0, 900.0, 0.0, 0.24, plan.salt))
    grow(streets, land, Rule(MINOR, scale, 88.0, 235.0, 0.21, 1.0, plan.salt))
    grow_dead_ends(streets, land, 0.2, 0.66, 0.075)
    works = build_motorways(land, streets, plan.orbital, plan.motorways)
    return land, *join(streets, works, land, plan.salt)


# ------------------------------------------------------------------------------------------- motorways

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


# ------------------------------------------------------------------------------ from drawing to network

SPEEDS_KMH = np.array([30, 50, 70, 110])
"""Speed by road class."""

_COSINE_AT_CENTRE = 0.6427876096865394  # of 50° north
_CENTRE = (8_000_000, 50_000_000)
_ONE_WAY_FROM, _ONE_WAY_SHARE = 0.66, 0.5
_STUB = 30.0


@dataclass(slots=True)
class Pieces:
    """Straight pieces of road: end nodes, road class, and whether traffic runs only from tail to head."""

    tail: Ints
    head: Ints
    kind: NDArray[np.uint8]
    one_way: NDArray[np.bool_]

    def only(self, keep: NDArray[Any]) -> Pieces:
        """Return the pieces that a mask or a list of indices selects."""
        return Pieces(self.tail[keep], self.head[keep], self.kind[keep], self.one_way[keep])


def join(streets: Streets, works: Roadworks, land: Land, salt: int) -> tuple[Floats, Floats, Pieces]:
    """Return the nodes (x, y) and pieces of streets and motorways together, pruned, with one-way streets."""
    nodes, count = int(streets.counts[0]), int(streets.counts[1])
    positions = np.array(works.positions).reshape(-1, 2)
    x = np.concatenate((streets.x[:nodes], positions[:, 0]))
    y = np.concatenate((streets.y[:nodes], positions[:, 1]))
    one_way, turned = _one_way_lines(streets, land, salt)
    tail, head = streets.tail[:count].astype(np.int64), streets.head[:count].astype(np.int64)
    extra = np.array(works.pieces, np.int64).reshape(-1, 3)
    pieces = Pieces(
        np.concatenate((np.where(turned, head, tail), extra[:, 0])),
        np.concatenate((np.where(turned, tail, head), extra[:, 1])),
        np.concatenate((streets.kind[:count], extra[:, 2].astype(np.uint8))),
        np.concatenate((one_way, np.ones(len(extra), bool))),
    )
    return x, y, _prune(_without_twins(pieces), x, y, land)


def _one_way_lines(streets: Streets, land: Land, salt: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Choose which pieces are one-way, and which of these run against the direction in which they were laid.

    A street is one-way as a whole, by a draw; only small streets of the centre are.
    """
    count = int(streets.counts[1])
    tail, line = streets.tail[:count], streets.line[:count]
    rows = np.clip((streets.y[tail] / 100.0).astype(np.int64), 0, land.urban.shape[0] - 1)
    columns = np.clip((streets.x[tail] / 100.0).astype(np.int64), 0, land.urban.shape[1] - 1)
    central = land.urban[rows, columns] >= _ONE_WAY_FROM
    draws = np.random.PCG64(salt).random_raw(int(streets.counts[2]))
    chosen = (draws >> np.uint64(40)) < np.uint64(int(_ONE_WAY_SHARE * (1 << 24)))
    one_way = central & (streets.kind[:count] == MINOR) & chosen[line]
    return one_way, one_way & ((draws & np.uint64(1)) == 1)[line]


def _without_twins(pieces: Pieces) -> Pieces:
    """Return pieces with at most one between two nodes, but for one-way pairs in opposite directions."""
    forth = pieces.one_way
    low = np.where(forth, pieces.tail, np.minimum(pieces.tail, pieces.head))
    high = np.where(forth, pieces.head, np.maximum(pieces.tail, pieces.head))
    _, first = np.unique((low << 32) | high, return_index=True)
    return pieces.only(np.sort(first))


def _prune(pieces: Pieces, x: Floats, y: Floats, land: Land) -> Pieces:
    """Remove main roads that end without a junction, except those that leave the map, and tiny stubs of others."""
    inside = (np.minimum(x, land.width - x) > 60.0) & (np.minimum(y, land.height - y) > 60.0)
    length = _lengths(x, y, pieces.tail, pieces.head)
    alive = np.ones(len(length), bool)
    for _ in range(1000):
        live = np.flatnonzero(alive)
        degree = np.bincount(np.concatenate((pieces.tail[live], pieces.head[live])), minlength=len(x))
        loose = (degree == 1) & inside
        ends = loose[pieces.tail[live]] | loose[pieces.head[live]]
        gone = live[ends & ((pieces.kind[live] >= SECONDARY) | (length[live] < 0.5 * _STUB))]
        if not len(gone):
            break
        alive[gone] = False
    return pieces.only(alive)


def _lengths(x: Floats, y: Floats, a: Ints, b: Ints) -> Floats:
    dx, dy = x[a] - x[b], y[a] - y[b]
    return np.sqrt(dx * dx + dy * dy)


def junction_count(pieces: Pieces, nodes: int) -> int:
    """Return the number of nodes that must stay: junctions, ends, and nodes where a road changes its kind."""
    return int(_junctions(pieces, nodes).sum())


def _junctions(pieces: Pieces, nodes: int) -> NDArray[np.bool_]:
    both = np.concatenate((pieces.tail, pieces.head))
    degree = np.bincount(both, minlength=nodes)
    change = np.zeros(nodes, bool)
    for values in (pieces.kind.astype(np.int64), pieces.one_way.astype(np.int64)):
        total = np.zeros(nodes, np.int64)
        np.add.at(total, both, np.concatenate((values, values)))
        high = np.zeros(nodes, np.int64)
        np.maximum.at(high, both, np.concatenate((values, values)))
        change |= 2 * high != total
    ways = np.where(pieces.one_way, 1, 0)
    flow = np.zeros(nodes, np.int64)
    np.add.at(flow, both, np.concatenate((ways, -ways)))
    return (degree > 0) & ((degree != 2) | change | (flow != 0))


def straighten(x: Floats, y: Floats, pieces: Pieces, wanted: int) -> Pieces:
    """Return longer pieces over ``wanted`` nodes: all junctions and the points that shape streets most."""
    key = _junctions(pieces, len(x))
    order = np.argsort(np.concatenate((pieces.tail, pieces.head)), kind="stable")
    ends = np.concatenate((pieces.tail, pieces.head))
    starts = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=len(x)))))
    chain, bounds, first, along = _chains(pieces.tail, pieces.head, key, order % len(pieces.tail), starts)
    significance = _significance(x, y, chain, bounds)
    inner = np.flatnonzero((significance > 0) & ~key)
    ranked = inner[np.lexsort((inner, -significance[inner]))]
    keep = key.copy()
    keep[ranked[: max(0, wanted - int(key.sum()))]] = True
    kept = keep[chain]
    number = np.repeat(np.arange(len(first)), np.diff(bounds))[kept]
    nodes = chain[kept]
    same = number[1:] == number[:-1]
    a, b, number = nodes[:-1][same], nodes[1:][same], number[1:][same]
    forth = along[number]
    result = Pieces(
        np.where(forth, a, b), np.where(forth, b, a), pieces.kind[first[number]], pieces.one_way[first[number]]
    )
    return _without_twins(result.only(result.tail != result.head))


@loop
def _chains(
    tail: Ints, head: Ints, key: NDArray[np.bool_], incident: Ints, starts: Ints
) -> tuple[Ints, Ints, Ints, NDArray[np.bool_]]:
    """Walk from every key node along each piece to the next key node.

    Returns the nodes of all chains one after the other, the chains' bounds in them, each chain's first piece,
    and whether that piece was walked from tail to head.
    """
    count = len(tail)
    chain, bounds = np.empty(2 * count + 2, np.int64), np.zeros(count + 1, np.int64)
    first, along = np.empty(count, np.int64), np.empty(count, np.bool_)
    used = np.zeros(count, np.bool_)
    filled, chains = 0, 0
    for root in range(len(key)):
        if not key[root]:
            continue
        for index in range(starts[root], starts[root + 1]):
            piece = incident[index]
            if used[piece]:
                continue
            first[chains], along[chains] = piece, tail[piece] == root
            at = root
            chain[filled] = at
            filled += 1
            while True:
                used[piece] = True
                at = head[piece] if tail[piece] == at else tail[piece]
                chain[filled] = at
                filled += 1
                if key[at]:
                    break
                onward = incident[starts[at]]
                piece = incident[starts[at] + 1] if onward == piece else onward
            chains += 1
            bounds[chains] = filled
    return chain[:filled].copy(), bounds[: chains + 1].copy(), first[:chains].copy(), along[:chains].copy()


@loop
def _significance(x: Floats, y: Floats, chain: Ints, bounds: Ints) -> Floats:
    """Return for each inner node how far a street moves without it, in metres; a loop keeps points in its middle."""
    significance = np.zeros(len(x))
    stack = np.empty((len(chain) + 2, 2), np.int64)
    limit = np.empty(len(chain) + 2)
    for c in range(len(bounds) - 1):
        stack[0, 0], stack[0, 1], limit[0] = bounds[c], bounds[c + 1] - 1, 1e9
        is_loop = chain[bounds[c]] == chain[bounds[c + 1] - 1]
        depth = 1
        while depth:
            depth -= 1
            a, b, most = stack[depth, 0], stack[depth, 1], limit[depth]
            if b - a < 2:
                continue
            ax, ay = x[chain[a]], y[chain[a]]
            ux, uy = x[chain[b]] - ax, y[chain[b]] - ay
            square = ux * ux + uy * uy
            best, at = -1.0, a + 1
            for k in range(a + 1, b):
                wx, wy = x[chain[k]] - ax, y[chain[k]] - ay
                share = min(max((wx * ux + wy * uy) / (square + 1e-9), 0.0), 1.0)
                dx, dy = wx - share * ux, wy - share * uy
                if dx * dx + dy * dy > best:
                    best, at = dx * dx + dy * dy, k
            # A point is never more significant than the one whose removal comes first.
            most = min(most, np.sqrt(best) + 1e-6)
            if is_loop and (a == bounds[c] or b == bounds[c + 1] - 1) and most < 1e6:
                most = 1e6 if b - a > (bounds[c + 1] - bounds[c]) // 3 else most
            significance[chain[at]] = most
            stack[depth, 0], stack[depth, 1], limit[depth] = a, at, most
            stack[depth + 1, 0], stack[depth + 1, 1], limit[depth + 1] = at, b, most
            depth += 2
    return significance


def to_network(x: Floats, y: Floats, pieces: Pieces, land: Land, name: str, origin: str) -> RoadNetwork:
    """Return the largest strongly connected component as a network, its nodes in Morton order, with ids from 1."""
    pieces = _open_traps(pieces, len(x))
    tails, heads, kind = _arcs(pieces)
    kept = _labels(tails, heads, len(x)) == 0
    lon = _CENTRE[0] + np.rint((x - land.width / 2) * (1e6 / (METRES_PER_DEGREE * _COSINE_AT_CENTRE)))
    lat = _CENTRE[1] + np.rint((y - land.height / 2) * (1e6 / METRES_PER_DEGREE))
    coordinates = np.stack((lon, lat), axis=1).astype(np.int64)
    nodes = np.flatnonzero(kept)
    nodes = nodes[morton_order(coordinates[nodes].astype(np.int32))]
    number = np.full(len(x), -1, np.int64)
    number[nodes] = np.arange(len(nodes))
    inside = kept[tails] & kept[heads]
    tails, heads, kind = number[tails[inside]], number[heads[inside]], kind[inside]
    order = np.lexsort((heads, tails))
    tails, heads, kind = tails[order], heads[order], kind[order]
    decimetres = _decimetres(coordinates[nodes], tails, heads)
    speeds = SPEEDS_KMH[kind]
    milliseconds = np.maximum((decimetres * 360 + speeds // 2) // speeds, 1)
    return RoadNetwork.from_arcs(
        name=name,
        node_count=len(nodes),
        tails=tails,
        heads=heads,
        metrics=[
            Metric("length", "m", 0.1, decimetres.astype(np.int32)),
            Metric("travel time", "s", 0.001, milliseconds.astype(np.int32)),
        ],
        coordinates=coordinates[nodes],
        road_class=kind,
        attribution="Synthetic city, made by wayfront.synthetic",
        origin=origin,
    )


def _open_traps(pieces: Pieces, nodes: int) -> Pieces:
    """Make one-way streets two-way if they lead into or out of a component without a way back."""
    tails, heads, _ = _arcs(pieces)
    labels = _labels(tails, heads, nodes)
    trap = pieces.one_way & (pieces.kind == MINOR) & (labels[pieces.tail] != labels[pieces.head])
    return Pieces(pieces.tail, pieces.head, pieces.kind, pieces.one_way & ~trap)


def _arcs(pieces: Pieces) -> tuple[Ints, Ints, NDArray[np.uint8]]:
    back = ~pieces.one_way
    return (
        np.concatenate((pieces.tail, pieces.head[back])),
        np.concatenate((pieces.head, pieces.tail[back])),
        np.concatenate((pieces.kind, pieces.kind[back])),
    )


def _labels(tails: Ints, heads: Ints, nodes: int) -> NDArray[np.int32]:
    offsets = np.concatenate(([0], np.cumsum(np.bincount(tails, minlength=nodes))))
    return strong_labels(offsets, heads[np.argsort(tails, kind="stable")])


def _decimetres(coordinates: Ints, tails: Ints, heads: Ints) -> Ints:
    """Return arc lengths on the sphere, flat between the two ends, in 0.1 m and at least 1."""
    gap = (coordinates[heads] - coordinates[tails]).astype(np.float64)
    middle = (coordinates[heads, 1] + coordinates[tails, 1]).astype(np.float64) / 2e6
    cosine, _ = cosine_sine(middle / 360.0)
    east, north = gap[:, 0] * cosine, gap[:, 1]
    metres = np.sqrt(east * east + north * north) * (METRES_PER_DEGREE / 1e6)
    return np.maximum(np.rint(metres * 10.0).astype(np.int64), 1)
