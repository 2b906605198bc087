"""Put lines together to outlines, thin them out, measure them, and find a place within."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.earth import METRES_PER_DEGREE

_THINNED_TO = 40
"""Microdegrees, some four metres: of points in one such square only the first is kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A way: the ids of the nodes at its ends, and its points int32 [k, 2] in microdegrees."""

    first: int
    last: int
    points: NDArray[np.int32]

    @property
    def closed(self) -> bool:
        """Whether it ends where it begins."""
        return self.first == self.last and len(self.points) > 3

    def reversed(self) -> Line:
        """Return the same line from its end."""
        return Line(self.last, self.first, self.points[::-1])


def joined(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield lines as long as they become by joining those that end at one node; each is used once."""
    at: dict[int, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        at[line.first].append(index)
        at[line.last].append(index)
    free = [True] * len(lines)
    for index, line in enumerate(lines):
        if not free[index]:
            continue
        free[index] = False
        before = [] if line.closed else _walk(lines, at, free, line.first)
        onward = [] if line.closed else _walk(lines, at, free, line.last)
        chain = [*(each.reversed() for each in reversed(before)), line, *onward]
        points = [chain[0].points, *(each.points[1:] for each in chain[1:])]
        yield Line(chain[0].first, chain[-1].last, np.concatenate(points) if len(points) > 1 else points[0])


def _walk(lines: Sequence[Line], at: dict[int, list[int]], free: list[bool], end: int) -> list[Line]:
    """Return the free lines that lead on from a node, one after the other, each in that direction."""
    found = []
    while (following := next((index for index in at[end] if free[index]), None)) is not None:
        free[following] = False
        line = lines[following]
        found.append(line if line.first == end else line.reversed())
        end = found[-1].last
    return found


def thinned(points: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return points [k, 2] in microdegrees without those that are next to the one before; both ends stay."""
    if len(points) < 3:
        return points
    square = points // _THINNED_TO
    kept = np.ones(len(points), bool)
    kept[1:-1] = (square[1:-1] != square[:-2]).any(axis=1)
    return points[kept]


def metres(points: NDArray[np.int32]) -> tuple[float, float]:
    """Return the length in metres of a line [k, 2] in microdegrees, and the square metres that it encloses."""
    x, y = ((points - points[0]) * (METRES_PER_DEGREE / 1e6)).T
    x = x * math.cos(math.radians(int(points[0, 1]) / 1e6))
    length = float(np.hypot(x[1:] - x[:-1], y[1:] - y[:-1]).sum())
    return length, abs(float(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1]))) / 2


def inside(outline: NDArray[np.int32]) -> tuple[int, int]:
    """Return a point in the widest part of an area along one of three parallels."""
    x, y = outline[:, 0].astype(np.float64), outline[:, 1].astype(np.float64)
    widest = (-1.0, float(x[0]), float(y[0]))
    for share in (0.5, 0.35, 0.65):
        level = round(y.min() + share * (y.max() - y.min())) + 0.25  # between two microdegrees, so through no point
        crossed = np.flatnonzero((y[:-1] < level) != (y[1:] < level))
        part = (level - y[crossed]) / (y[crossed + 1] - y[crossed])
        across = np.sort(x[crossed] + part * (x[crossed + 1] - x[crossed]))
        widths = across[1::2] - across[: len(across) // 2 * 2 : 2]
        if len(widths) and widths.max() > widest[0]:
            best = int(np.argmax(widths))
            widest = (float(widths[best]), float(across[2 * best : 2 * best + 2].mean()), level)
    return round(widest[1]), round(widest[2])
