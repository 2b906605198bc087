"""Hold a growing plane street map, whose pieces meet only in nodes, and lay new lines over it.

A new line is split where it crosses a street, and so is that street; points closer than
a few metres become one node. Pieces are about 25 m long and are indexed by the grid cell of their midpoint, so that
neighbours are found in a few cells. This is the local part of Y. Parish and P. Müller, "Procedural modeling of
cities", SIGGRAPH 2001.

Streets grow as evenly spaced lines along the land's direction field, each ending where it meets another. A line is
followed from a seed both ways until it meets a street and stops there by chance, comes too close to a parallel one, or
reaches ground without streets (B. Jobard and W. Lefer, "Creating evenly-spaced streamlines of arbitrary density",
Visualization in Scientific Computing 1997). Every line laid plants seeds for its neighbours and for cross streets. How
far apart lines are depends on how urban the area is, so the same rule makes the dense centre, the suburbs and their
dead ends.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.synthetic.land import (
    CORRIDOR,
    FREE,
    PARK,
    WATER,
    Land,
    direction_at,
    ground_at,
    hash_unit,
    noise,
    urban_at,
)

MINOR, SECONDARY, PRIMARY, MOTORWAY = 0, 1, 2, 3
CELL = 120.0
SNAP = 9.0
"""Nodes do not lie closer to each other than this, in metres."""

NOWHERE: Any = np.int64(-1)
"""No node or piece. What Numba sees to be a number of the text, it would compile a form of its own for."""
_GROUND: Any = np.int64(0)
_BRIDGE: Any = np.int64(1)
_HALF_PIECE = 32.0  # no piece reaches farther than this from its midpoint
_NODES, _PIECES, _LINES, _SALT = 0, 1, 2, 4

Floats = NDArray[np.float64]


class Streets(NamedTuple):
    """Arrays of the street map; the first ``counts[0]`` nodes and ``counts[1]`` pieces are in use.

    x, y       float64: nodes in metres
    tail, head int32: a piece's nodes, in the direction in which its street was laid
    kind       uint8: road class
    bridge     uint8: 1 over water
    line       int32: number of the street that the piece belongs to
    first      int32 [rows, columns]: a cell's first piece, −1 for none
    following  int32: the next piece of the same cell
    counts     int64 [5]: nodes, pieces, lines, random numbers drawn, and the seed of those
    """

    x: Floats
    y: Floats
    tail: NDArray[np.int32]
    head: NDArray[np.int32]
    kind: NDArray[np.uint8]
    bridge: NDArray[np.uint8]
    line: NDArray[np.int32]
    first: NDArray[np.int32]
    following: NDArray[np.int32]
    counts: NDArray[np.int64]


def empty_streets(land: Land, room: int, salt: int) -> Streets:
    """Return a map without streets with room for ``room`` pieces; ``salt`` seeds its growth."""
    counts = np.zeros(5, np.int64)
    counts[_SALT] = salt
    shape = int(land.height / CELL) + 1, int(land.width / CELL) + 1
    return Streets(
        x=np.empty(room),
        y=np.empty(room),
        tail=np.empty(room, np.int32),
        head=np.empty(room, np.int32),
        kind=np.empty(room, np.uint8),
        bridge=np.empty(room, np.uint8),
        line=np.empty(room, np.int32),
        first=np.full(shape, -1, np.int32),
        following=np.empty(room, np.int32),
        counts=counts,
    )


@part
def is_full(streets: Streets) -> bool:
    """Return whether another line might not fit."""
    return max(streets.counts[_NODES], streets.counts[_PIECES]) + 4000 > len(streets.x)


@loop
def lay_line(streets: Streets, land: Land, points: Floats, kind: int, longest_bridge: float) -> None:
    """Lay a line of points [p, 2] at most 50 m apart; it stops at the border and at water it cannot bridge."""
    line = streets.counts[_LINES]
    streets.counts[_LINES] += 1
    at, k = NOWHERE, types.int64(0)
    while k < len(points):
        x, y = points[k, 0], points[k, 1]
        if not (0.0 <= x < land.width and 0.0 <= y < land.height):
            at = NOWHERE
        elif ground_at(land, x, y) == WATER:
            shore = _far_shore(land, points, k, longest_bridge)
            if shore < 0 or at < 0:
                at = NOWHERE
            else:
                for j in range(k, shore):
                    at = _add_piece(streets, at, _add_node(streets, points[j, 0], points[j, 1]), kind, line, _BRIDGE)
                end = _node_at(streets, points[shore, 0], points[shore, 1])
                at = _add_piece(streets, at, end, kind, line, _BRIDGE)
                k = shore
        elif at < 0:
            at = _node_at(streets, x, y)
        else:
            at = _connect(streets, at, x, y, kind, line)
        k += 1


@part
def _far_shore(land: Land, points: Floats, k: int, longest: float) -> int:
    """Return the index of the first dry point after k within a bridge's length, or −1."""
    gone = 0.0
    for j in range(k + 1, len(points)):
        dx, dy = points[j, 0] - points[j - 1, 0], points[j, 1] - points[j - 1, 1]
        gone += np.sqrt(dx * dx + dy * dy)
        inside = 0.0 <= points[j, 0] < land.width and 0.0 <= points[j, 1] < land.height
        if gone > longest or not inside:
            return -1
        if ground_at(land, points[j, 0], points[j, 1]) != WATER:
            return j
    return -1


@loop
def _connect(streets: Streets, at: int, x: float, y: float, kind: int, line: int) -> int:
    """Lay pieces from a node to a point, with a node at every crossing; return the last node."""
    for _ in range(12):
        piece, share = first_crossing(streets, streets.x[at], streets.y[at], x, y, at)
        if piece < 0:
            break
        cx = streets.x[at] + share * (x - streets.x[at])
        cy = streets.y[at] + share * (y - streets.y[at])
        at = _add_piece(streets, at, _split(streets, piece, cx, cy), kind, line, _GROUND)
    return _add_piece(streets, at, _node_at(streets, x, y), kind, line, _GROUND)


@loop
def _add_node(streets: Streets, x: float, y: float) -> int:
    node = streets.counts[_NODES]
    streets.x[node], streets.y[node] = x, y
    streets.counts[_NODES] += 1
    return node


@part
def _add_piece(streets: Streets, tail: int, head: int, kind: int, line: int, bridge: int) -> int:
    """Add a piece between two nodes, unless they are one; return its head."""
    if tail == head:
        return head
    piece = streets.counts[_PIECES]
    streets.counts[_PIECES] += 1
    streets.tail[piece], streets.head[piece] = tail, head
    streets.kind[piece], streets.line[piece], streets.bridge[piece] = kind, line, bridge
    i = int(0.5 * (streets.y[tail] + streets.y[head]) / CELL)
    j = int(0.5 * (streets.x[tail] + streets.x[head]) / CELL)
    streets.following[piece] = streets.first[i, j]
    streets.first[i, j] = piece
    return head


@loop
def _split(streets: Streets, piece: int, x: float, y: float) -> int:
    """Return the node of a piece at a point on it: an end that is near, else a new one."""
    for node in (streets.tail[piece], streets.head[piece]):
        dx, dy = streets.x[node] - x, streets.y[node] - y
        if dx * dx + dy * dy < SNAP * SNAP:
            return node
    node = _add_node(streets, x, y)
    head = streets.head[piece]
    streets.head[piece] = node
    kind, line, bridge = streets.kind[piece], streets.line[piece], streets.bridge[piece]
    _add_piece(streets, node, types.int64(head), types.int64(kind), types.int64(line), types.int64(bridge))
    return node


@loop
def _cells(streets: Streets, low_x: float, low_y: float, high_x: float, high_y: float) -> tuple[int, int, int, int]:
    """Return the rows and columns of cells whose pieces may touch a rectangle: first row, past row, …"""
    rows, columns = streets.first.shape
    return (
        max(int((low_y - _HALF_PIECE) / CELL), 0),
        min(int((high_y + _HALF_PIECE) / CELL) + 1, rows),
        max(int((low_x - _HALF_PIECE) / CELL), 0),
        min(int((high_x + _HALF_PIECE) / CELL) + 1, columns),
    )


@loop
def _node_at(streets: Streets, x: float, y: float) -> int:
    """Return the node at a point: one that is near, or a new one, on the street there if there is one."""
    low_i, high_i, low_j, high_j = _cells(streets, x - SNAP, y - SNAP, x + SNAP, y + SNAP)
    best, on_piece = SNAP * SNAP, NOWHERE
    nearest = -1
    for i in range(low_i, high_i):
        for j in range(low_j, high_j):
            piece = streets.first[i, j]
            while piece >= 0:
                for node in (streets.tail[piece], streets.head[piece]):
                    dx, dy = streets.x[node] - x, streets.y[node] - y
                    if dx * dx + dy * dy < best:
                        best, nearest = dx * dx + dy * dy, node
                square, _ = _to_piece(streets, piece, x, y)
                if square < 16.0 and streets.bridge[piece] == 0:
                    on_piece = piece
                piece = streets.following[piece]
    if nearest >= 0:
        return nearest
    return _split(streets, on_piece, x, y) if on_piece >= 0 else _add_node(streets, x, y)


@part
def _to_piece(streets: Streets, piece: int, x: float, y: float) -> tuple[float, float]:
    """Return the squared distance from a point to a piece, and the piece's squared length."""
    ax, ay = streets.x[streets.tail[piece]], streets.y[streets.tail[piece]]
    ux, uy = streets.x[streets.head[piece]] - ax, streets.y[streets.head[piece]] - ay
    square = ux * ux + uy * uy
    share = min(max(((x - ax) * ux + (y - ay) * uy) / (square + 1e-9), 0.0), 1.0)
    dx, dy = ax + share * ux - x, ay + share * uy - y
    return dx * dx + dy * dy, square


@part
def first_crossing(streets: Streets, px: float, py: float, qx: float, qy: float, skip: int) -> tuple[int, float]:
    """Return the first piece that p → q crosses and at which share of the way, or (−1, 1).

    Pieces at the node ``skip`` do not count, nor do crossings in the first metre.
    """
    low_i, high_i, low_j, high_j = _cells(streets, min(px, qx), min(py, qy), max(px, qx), max(py, qy))
    dx, dy = qx - px, qy - py
    least = 1.0 / (np.sqrt(dx * dx + dy * dy) + 1e-9)
    found, best = -1, 1.0
    for i in range(low_i, high_i):
        for j in range(low_j, high_j):
            piece = streets.first[i, j]
            while piece >= 0:
                tail, head = streets.tail[piece], streets.head[piece]
                if skip not in (tail, head) and streets.bridge[piece] == 0:
                    ux, uy = streets.x[head] - streets.x[tail], streets.y[head] - streets.y[tail]
                    across = dx * uy - dy * ux
                    if across != 0.0:
                        wx, wy = streets.x[tail] - px, streets.y[tail] - py
                        share = (wx * uy - wy * ux) / across
                        along = (wx * dy - wy * dx) / across
                        if least < share <= best and 0.0 <= along <= 1.0:
                            found, best = piece, share
                piece = streets.following[piece]
    return found, best


@loop
def is_near(streets: Streets, x: float, y: float, dx: float, dy: float, radius: float) -> bool:
    """Return whether a street runs within the radius and, unless (dx, dy) is (0, 0), within 40° of that direction."""
    low_i, high_i, low_j, high_j = _cells(streets, x - radius, y - radius, x + radius, y + radius)
    any_way = dx == 0.0 and dy == 0.0
    for i in range(low_i, high_i):
        for j in range(low_j, high_j):
            piece = streets.first[i, j]
            while piece >= 0:
                square, length = _to_piece(streets, piece, x, y)
                if square < radius * radius:
                    tail, head = streets.tail[piece], streets.head[piece]
                    along = dx * (streets.x[head] - streets.x[tail]) + dy * (streets.y[head] - streets.y[tail])
                    if any_way or along * along > 0.587 * length:
                        return True
                piece = streets.following[piece]
    return False


# ------------------------------------------------------------------------------------------------ growth

STEP = 22.0
_LONGEST = 600  # steps
_DRAWS = 3


class Rule(NamedTuple):
    """How one kind of street grows.

    ``scale`` stretches all distances between streets; streets grow where urbanity lies in ``least`` … ``most``.
    ``wide`` is the distance in open country and ``narrow`` the one in the old town, in metres.
    """

    kind: int
    scale: float
    narrow: float
    wide: float
    least: float
    most: float
    salt: int


@loop
def grow(streets: Streets, land: Land, rule: Rule) -> None:
    """Lay streets by a rule until no seed is left, starting beside the existing streets."""
    seeds = np.empty((400_000 + 2 * len(streets.x), 3))
    waiting = 0
    for node in range(0, streets.counts[0], 3):
        for across in range(2):
            waiting = _put(seeds, waiting, streets.x[node], streets.y[node], across == 1)
    line = np.empty((2 * _LONGEST + 8, 2))
    taken = 0
    while taken < waiting and not is_full(streets):
        x, y, across = seeds[taken, 0], seeds[taken, 1], seeds[taken, 2] > 0.5
        taken += 1
        if not _may_grow(land, rule, x, y):
            continue
        dx, dy = direction_at(land, x, y, across)
        gap = _gap(land, rule, x, y, across)
        if is_near(streets, x, y, dx, dy, 0.86 * gap):
            continue
        begin, end = _follow_both_ways(streets, land, rule, x, y, across, line)
        if (end - begin) * STEP < 0.9 * gap or end - begin < 3:
            continue
        lay_line(streets, land, line[begin:end], rule.kind, 0.0)
        waiting = _plant(streets, land, rule, line[begin:end], across, seeds, waiting)


@part
def _plant(streets: Streets, land: Land, rule: Rule, line: Floats, across: bool, seeds: Floats, waiting: int) -> int:
    """Put seeds beside a line and on it; return the number of seeds."""
    next_beside, next_cross = 0.0, 0.5 * _draw(streets)
    for k in range(len(line)):
        x, y = line[k, 0], line[k, 1]
        if k >= next_beside:
            dx, dy = direction_at(land, x, y, across)
            gap = _gap(land, rule, x, y, across) * (0.92 + 0.3 * _draw(streets))
            waiting = _put(seeds, waiting, x - dy * gap, y + dx * gap, across)
            waiting = _put(seeds, waiting, x + dy * gap, y - dx * gap, across)
            next_beside = k + gap / STEP
        if k >= next_cross:
            waiting = _put(seeds, waiting, x, y, not across)
            next_cross = k + _gap(land, rule, x, y, not across) * (0.8 + 0.6 * _draw(streets)) / STEP
    return waiting


@part
def _put(seeds: Floats, waiting: int, x: float, y: float, across: bool) -> int:
    """Add a seed if there is room; return the number of seeds."""
    if waiting == len(seeds):
        return waiting
    seeds[waiting, 0], seeds[waiting, 1], seeds[waiting, 2] = x, y, 1.0 if across else 0.0
    return waiting + 1


@loop
def _draw(streets: Streets) -> float:
    streets.counts[_DRAWS] += 1
    return hash_unit(streets.counts[_DRAWS], streets.counts[_SALT], 0)


@part
def _gap(land: Land, rule: Rule, x: float, y: float, across: bool) -> float:
    """Return the distance between streets at a point; blocks are longer in one direction, by a factor that varies."""
    rural = 1.0 - urban_at(land, x, y)
    gap = rule.narrow + (rule.wide - rule.narrow) * rural * (0.35 + 0.65 * rural)
    longish = 1.0 + 0.8 * max(0.0, noise(x / 1700.0, y / 1700.0, rule.salt) + 0.25)
    return rule.scale * gap * (longish if across else 1.0)


@part
def _may_grow(land: Land, rule: Rule, x: float, y: float) -> bool:
    if not (0.0 <= x < land.width and 0.0 <= y < land.height):
        return False
    ground = ground_at(land, x, y)
    if ground in (WATER, PARK) or (ground == CORRIDOR and rule.kind == MINOR and rule.least > 0.0):
        return False
    return rule.least <= urban_at(land, x, y) <= rule.most


@part
def _follow_both_ways(
    streets: Streets, land: Land, rule: Rule, x: float, y: float, across: bool, line: Floats
) -> tuple[int, int]:
    """Fill ``line`` with a street through (x, y); return the bounds of the street in it."""
    middle = _LONGEST + 4
    line[middle, 0], line[middle, 1] = x, y
    dx, dy = direction_at(land, x, y, across)
    ahead = _follow(streets, land, rule, x, y, dx, dy, across, line, middle, 1)
    back = _follow(streets, land, rule, x, y, -dx, -dy, across, line, middle, -1)
    return back, ahead + 1


@loop
def _follow(
    streets: Streets,
    land: Land,
    rule: Rule,
    x: float,
    y: float,
    dx: float,
    dy: float,
    across: bool,
    line: Floats,
    index: int,
    turn: int,
) -> int:
    """Follow the field one way, writing points from ``index`` on in steps of ``turn``; return the last index."""
    last_crossing = index
    for _ in range(_LONGEST - 60):
        nx, ny = direction_at(land, x, y, across)
        along = nx * dx + ny * dy
        if along < 0.0:
            nx, ny, along = -nx, -ny, -along
        if along < 0.80:
            # Where districts meet a street keeps its way for a while rather than turning a sharp corner.
            nx, ny = dx, dy
        qx, qy = x + STEP * nx, y + STEP * ny
        gap = _gap(land, rule, x, y, across)
        piece, share = first_crossing(streets, x, y, qx, qy, NOWHERE)
        if piece < 0 and (not _may_grow(land, rule, qx, qy) or is_near(streets, qx, qy, nx, ny, 0.5 * gap)):
            return _end(streets, land, rule, x, y, dx, dy, gap, line, index, last_crossing, turn)
        if piece >= 0 and _stops_at(streets, land, piece, nx, ny, x, y):
            index += turn
            # One metre too far: the crossing then lies inside the last piece rather than on its end.
            share += 1.0 / STEP
            line[index, 0], line[index, 1] = x + share * (qx - x), y + share * (qy - y)
            return index
        index += turn
        line[index, 0], line[index, 1] = qx, qy
        if piece >= 0:
            last_crossing = index
            if not _may_grow(land, rule, qx, qy):
                return index
        if _meets_itself(line, index, turn, 0.5 * gap):
            return last_crossing
        x, y, dx, dy = qx, qy, nx, ny
    return index


@part
def _stops_at(streets: Streets, land: Land, piece: int, dx: float, dy: float, x: float, y: float) -> bool:
    """Decide whether a street ends at the street it has met; in suburbs most do, at main roads many."""
    tail, head = streets.tail[piece], streets.head[piece]
    ux, uy = streets.x[head] - streets.x[tail], streets.y[head] - streets.y[tail]
    along = dx * ux + dy * uy
    if along * along > 0.6 * (ux * ux + uy * uy):
        return True
    chance = 0.08 + 0.5 * max(0.0, 0.8 - urban_at(land, x, y))
    if streets.kind[piece] >= SECONDARY:
        chance = max(chance, 0.45)
    return _draw(streets) < chance


@part
def _meets_itself(line: Floats, index: int, turn: int, radius: float) -> bool:
    """Return whether the last point is close to an earlier one that the street has moved away from."""
    k = _LONGEST + 4
    away = 16 + int(4.0 * radius / STEP)
    while (index - turn * away - k) * turn > 0:
        dx, dy = line[k, 0] - line[index, 0], line[k, 1] - line[index, 1]
        if dx * dx + dy * dy < radius * radius:
            return True
        k += 2 * turn
    return False


@loop
def _end(
    streets: Streets,
    land: Land,
    rule: Rule,
    x: float,
    y: float,
    dx: float,
    dy: float,
    gap: float,
    line: Floats,
    index: int,
    last_crossing: int,
    turn: int,
) -> int:
    """End a street that cannot go on: at the next street ahead, as a dead end, or back at its last crossing."""
    reach = 0.95 * gap
    piece, share = first_crossing(streets, x, y, x + reach * dx, y + reach * dy, NOWHERE)
    if piece >= 0:
        length = share * reach + 1.0
        steps = int(length / STEP) + 1
        for k in range(1, steps + 1):
            px, py = x + dx * length * k / steps, y + dy * length * k / steps
            if ground_at(land, px, py) == WATER:
                return last_crossing
            line[index + turn * k, 0], line[index + turn * k, 1] = px, py
        return index + turn * steps
    stub = abs(index - last_crossing) * STEP
    keep = 0.9 - 1.1 * urban_at(land, x, y)
    return index if 45.0 < stub < 2.5 * gap and _draw(streets) < keep else last_crossing


@loop
def grow_dead_ends(streets: Streets, land: Land, least: float, most: float, share: float) -> None:
    """Put short dead ends into the blocks of suburbs, from a share of the small streets' pieces."""
    line = np.empty((16, 2))
    for piece in range(streets.counts[1]):
        if is_full(streets) or streets.kind[piece] != MINOR or _draw(streets) > share:
            continue
        tail, head = streets.tail[piece], streets.head[piece]
        x, y = streets.x[tail], streets.y[tail]
        if not (least < urban_at(land, x, y) < most):
            continue
        ux, uy = streets.x[head] - x, streets.y[head] - y
        length = np.sqrt(ux * ux + uy * uy)
        side = 1.0 if _draw(streets) < 0.5 else -1.0
        dx, dy = -side * uy / length, side * ux / length
        bend = 0.5 * (_draw(streets) - 0.5)
        wanted = 3 + int(6.0 * _draw(streets))
        line[0, 0], line[0, 1] = x, y
        points = 1
        for k in range(1, wanted):
            qx, qy = line[k - 1, 0] + STEP * dx, line[k - 1, 1] + STEP * dy
            if ground_at(land, qx, qy) != FREE or first_crossing(streets, x, y, qx, qy, tail)[0] >= 0:
                break
            if k >= 2 and is_near(streets, qx, qy, 0.0, 0.0, 34.0):
                break
            line[k, 0], line[k, 1] = qx, qy
            points += 1
            turned = dx - bend * dy, dy + bend * dx
            size = np.sqrt(turned[0] * turned[0] + turned[1] * turned[1])
            dx, dy = turned[0] / size, turned[1] / size
        if points >= 3:
            lay_line(streets, land, line[:points], MINOR, 0.0)
