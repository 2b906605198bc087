"""Ways as lines: joined where they end at one node, and without points that nobody could tell apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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


def known_parts(ids: NDArray[np.int64], points: NDArray[np.int32], known: NDArray[np.bool_]) -> list[Line]:
    """Return the parts of a way [k], of two nodes at least, whose ``points`` in microdegrees are known."""
    runs = np.split(np.arange(len(ids)), np.flatnonzero(np.diff(known)) + 1)
    return [Line(int(ids[run[0]]), int(ids[run[-1]]), points[run]) for run in runs if len(run) > 1 and known[run[0]]]
