"""Grow streets: evenly spaced lines along the land's direction field, each ending where it meets another.

A line is followed from a seed both ways until it meets a street and stops there by chance, comes too close to a
parallel one, or reaches ground without streets (B. Jobard and W. Lefer, "Creating evenly-spaced streamlines of
arbitrary density", Visualization in Scientific Computing 1997). Every line laid plants seeds for its neighbours and
for cross streets. How far apart lines are depends on how urban the area is, so the same rule makes the dense
centre, the suburbs and their dead ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, part
from wayfront.synthetic.land import CORRIDOR, FREE, PARK, WATER, Land, direction_at, ground_at, urban_at
from wayfront.synthetic.portable_random import hash_unit, noise
from wayfront.synthetic.streets import MINOR, NOWHERE, SECONDARY, Streets, first_crossing, is_full, is_near, lay_line

STEP = 22.0
_LONGEST = 600  # steps
_DRAWS, _SALT = 3, 4
_JOINED, _DEAD = 0, 1

Floats = NDArray[np.float64]


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
