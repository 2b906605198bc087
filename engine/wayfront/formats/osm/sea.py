"""Make areas of the sea from the coastlines of an OpenStreetMap file, which have the water on their right.

Coastlines are joined end to end, and those that leave the box round the network are cut there. From where one leaves
it, the sea's outline goes on along the box, clockwise as all of it, to where the next one enters. Rings within the box
are islands where they run counterclockwise, else water.

A file ends somewhere, and its coastlines end there: each is continued in its direction to the box, where nobody knows
more. Coastlines that cannot be right give no sea, and remain lines: where two ends follow each other along the box, one
would be continued through another, or roads would lie in the water.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.osm.lines import Line

_MARGIN = 1.0
"""How far beyond the network there is sea, in its longer side: as far as one looks when its roads fill a third."""
_HEADING = 0.05
"""The share of that side over which the direction of a coastline's end is taken."""
_MOST_ROADS = 0.05
"""The share of nodes that may lie in the sea: those of bridges, tunnels and piers."""
_MOST_ENDS = 100
"""Ends of coastlines within the box: a file that ends anywhere has some, one with more is damaged."""
_NODES_TRIED = 1000
_EARTH = np.array([180e6, 85e6])
"""Microdegrees beyond which there is no map."""
_STRIPS = 64
_AT_ONCE = 1 << 22
"""Points compared with sides at once."""

Points = NDArray[np.float64]
_Box = tuple[float, float, float, float]
"""The lowest and the highest longitude and latitude: left, bottom, right, top."""


def sea_round(coasts: Sequence[Line], nodes: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Return the outlines of the sea round nodes [n, 2], all in microdegrees; islands are outlines within others.

    There are none where the coastlines are broken, or where all is land.
    """
    if not coasts or not len(nodes):
        return []
    low, high = nodes.min(axis=0).astype(np.float64), nodes.max(axis=0).astype(np.float64)
    side = max(float((high - low).max()), 1000.0)
    low, high = np.maximum(low - _MARGIN * side, -_EARTH), np.minimum(high + _MARGIN * side, _EARTH)
    if not (low < high).all():
        return []
    box: _Box = (*low.tolist(), *high.tolist())
    outer: list[Points] = []
    islands: list[Points] = []
    water: list[Points] = []
    for chain in _continued(_directed(coasts), box, _HEADING * side) or []:
        for piece in clipped(chain, box):
            kind = outer if not _closed(piece) else islands if _turn(piece) > 0 else water
            kind.append(piece)
    outlines = closed_along(outer, box)
    if outlines is None:
        return []
    if islands and not outlines:
        outlines = [_corners(box)]
    elif islands:
        wet = within(np.array([ring[0] for ring in islands]), outlines)
        islands = [ring for ring, at_sea in zip(islands, wet.tolist(), strict=True) if at_sea]
    dry = ~within(np.array([ring[0] for ring in water]).reshape(-1, 2), [*outlines, *islands])
    outlines += [*islands, *(ring for ring, on_land in zip(water, dry.tolist(), strict=True) if on_land)]
    tried = nodes[:: max(len(nodes) // _NODES_TRIED, 1)].astype(np.float64)
    if not outlines or within(tried, outlines).mean() > _MOST_ROADS:
        return []
    return [np.rint(outline).astype(np.int32) for outline in outlines]


def _directed(lines: Sequence[Line]) -> list[Points]:
    """Return coastlines as long as they become by joining each to one that begins where it ends."""
    begins: dict[int, list[int]] = defaultdict(list)
    for index in reversed(range(len(lines))):
        begins[lines[index].first].append(index)
    ends = {line.last for line in lines}
    free = [True] * len(lines)
    starts = sorted(range(len(lines)), key=lambda index: lines[index].first in ends)  # first those that none leads to
    found = []
    for start in starts:
        chain: list[NDArray[np.int32]] = []
        index = start
        while free[index]:
            free[index] = False
            chain.append(lines[index].points[1 if chain else 0 :])
            onward = begins[lines[index].last]
            while onward and not free[index]:
                index = onward.pop()
        if chain:
            found.append(np.concatenate(chain).astype(np.float64))
    return found


def _continued(chains: Sequence[Points], box: _Box, reach: float) -> list[Points] | None:
    """Return coastlines, those that end within a box continued to beyond it; None where that would cross another."""
    segments = np.concatenate([np.zeros((0, 4)), *(np.hstack([chain[:-1], chain[1:]]) for chain in chains)])
    found, added = [], []
    for chain in chains:
        grown = chain
        if not _closed(chain):
            for end in (0, -1):
                if _is_inside(chain[end], box):
                    beyond = _beyond(chain if end else chain[::-1], box, reach)
                    added.append(np.concatenate([chain[end], beyond]))
                    grown = np.concatenate([grown, [beyond]] if end else [[beyond], grown])
        found.append(grown)
    others = np.concatenate([segments, *(line[None] for line in added)])
    return None if len(added) > _MOST_ENDS or any(_crosses(line, others) for line in added) else found


def _beyond(chain: Points, box: _Box, reach: float) -> Points:
    """Return where a line that goes on straight from its last point is beyond a box."""
    away = np.hypot(*(chain - chain[-1]).T) >= reach
    back = chain[int(np.flatnonzero(away)[-1])] if away.any() else chain[0]
    heading = chain[-1] - back
    heading = heading / max(float(np.hypot(*heading)), 1e-9)
    across = math.hypot(box[2] - box[0], box[3] - box[1])
    return np.asarray(chain[-1] + heading * 1.01 * across)


def _crosses(line: Points, segments: Points) -> bool:
    """Return whether a segment [4] crosses one of [k, 4]; one that shares an end with it does not."""
    a, b, c, d = line[:2], line[2:], segments[:, :2], segments[:, 2:]

    def side(p: Points, q: Points, r: Points) -> Points:
        return np.asarray(
            (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])
        )

    return bool(((side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)).any())


def clipped(line: Points, box: _Box) -> list[Points]:
    """Return the parts of a line within a box: a ring that lies in it wholly as it is, others begin and end on it."""
    if (line >= box[:2]).all() and (line <= box[2:]).all():
        return [line]
    enter, leave = _parts_within(line, box)
    kept = enter < leave
    if not kept.any():
        return []
    if _closed(line):  # to begin where it enters
        start = int(np.flatnonzero(~kept | (enter > 0))[0])
        line = np.concatenate([line[start:-1], line[: start + 1]])
        enter, leave, kept = np.roll(enter, -start), np.roll(leave, -start), np.roll(kept, -start)
    fresh = kept & np.concatenate([[True], (enter[1:] > 0) | ~kept[:-1]])
    first = np.flatnonzero(fresh)
    last = np.flatnonzero(kept & np.concatenate([fresh[1:] | ~kept[1:], [True]]))
    step = np.diff(line, axis=0)
    return [
        np.concatenate([[line[i] + enter[i] * step[i]], line[i + 1 : j + 1], [line[j] + leave[j] * step[j]]])
        for i, j in zip(first.tolist(), last.tolist(), strict=True)
    ]


def _parts_within(line: Points, box: _Box) -> tuple[Points, Points]:
    """Return where each segment enters a box and where it leaves it, 0 … 1 (Liang and Barsky 1984)."""
    step = np.diff(line, axis=0)
    enter, leave = np.zeros(len(step)), np.ones(len(step))
    for axis, (low, high) in enumerate(((box[0], box[2]), (box[1], box[3]))):
        along, at = step[:, axis], line[:-1, axis]
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (low - at) / along, (high - at) / along
        still = along == 0
        outside = still & ((at < low) | (at > high))
        enter = np.maximum(enter, np.where(still, np.where(outside, 2.0, 0.0), np.minimum(one, other)))
        leave = np.minimum(leave, np.where(still, 1.0, np.maximum(one, other)))
    return enter, leave


def closed_along(pieces: Sequence[Points], box: _Box) -> list[Points] | None:
    """Return the rings of water that lines from side to side of a box have on their right; None if there are none such.

    That is where they do not enter and leave in turn, as seen along the box.
    """
    starts = [_along_box(piece[0], box) for piece in pieces]
    stops = [_along_box(piece[-1], box) for piece in pieces]
    events = sorted(
        [(at, True, index) for index, at in enumerate(starts)] + [(at, False, index) for index, at in enumerate(stops)]
    )
    if any(one[1] == other[1] for one, other in pairwise([*events, *events[:1]])):
        return None
    following = {
        one[2]: other[2] for one, other in pairwise([*events, *events[:1]]) if not one[1]
    }  # which piece enters next behind where one leaves
    corners = _corners(box)[:4]
    free, rings = set(range(len(pieces))), []
    while free:
        index, ring = min(free), []
        while index in free:
            free.discard(index)
            after = following[index]
            at, to = stops[index], starts[after]
            to += 0 if to > at else 4
            ring += [pieces[index], *(corners[[corner % 4]] for corner in range(math.floor(at) + 1, math.ceil(to)))]
            index = after
        rings.append(np.concatenate([*ring, ring[0][:1]]))
    return rings


def _along_box(point: Points, box: _Box) -> float:
    """Return how far clockwise along a box a point on it is, 0 … 4: a side each, from the upper left corner."""
    left, bottom, right, top = box
    x, y = (float(point[0]) - left) / (right - left), (float(point[1]) - bottom) / (top - bottom)
    off = (abs(1 - y), abs(1 - x), abs(y), abs(x))
    side = off.index(min(off))
    return side + min(max((x, 1 - y, 1 - x, y)[side], 0.0), 1 - 1e-12)


def _corners(box: _Box) -> Points:
    """Return the ring of a box, clockwise from its upper left corner."""
    left, bottom, right, top = box
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])


def within(points: Points, outlines: Sequence[Points]) -> NDArray[np.bool_]:
    """Return which points [k, 2] lie within an odd number of outlines.

    Points and the sides of outlines are sorted into strips, so that none is compared with all.
    """
    found = np.zeros(len(points), bool)
    if not len(points) or not outlines:
        return found
    sides = np.concatenate([np.hstack([outline[:-1], outline[1:]]) for outline in outlines])
    low, high = np.minimum(sides[:, 1], sides[:, 3]), np.maximum(sides[:, 1], sides[:, 3])
    bottom = float(points[:, 1].min())
    height = max(float(points[:, 1].max()) - bottom, 1e-9) / _STRIPS
    strip = np.minimum(((points[:, 1] - bottom) / height).astype(np.int64), _STRIPS - 1)
    order = np.argsort(strip, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(strip[order])) + 1):
        near = sides[(low <= points[group, 1].max()) & (high >= points[group, 1].min())]
        for part in np.array_split(group, len(group) * len(near) // _AT_ONCE + 1):
            x, y = points[part].T[..., None]
            x0, y0, x1, y1 = near.T
            over = (y0 <= y) != (y1 <= y)
            with np.errstate(divide="ignore", invalid="ignore"):
                at = x0 + (y - y0) * (x1 - x0) / (y1 - y0)
            found[part] = (over & (at > x)).sum(axis=1) % 2 == 1
    return found


def _closed(line: Points) -> bool:
    return len(line) > 3 and bool((line[0] == line[-1]).all())


def _turn(ring: Points) -> float:
    """Return twice the area of a ring, above 0 where it runs counterclockwise."""
    x, y = (ring - ring[0]).T
    return float(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1]))


def _is_inside(point: Points, box: _Box) -> bool:
    return bool(box[0] < point[0] < box[2] and box[1] < point[1] < box[3])
