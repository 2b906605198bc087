"""Where the maps of a race are, in whole pixels. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

GAP = 2
"""Between two maps, in pixels."""


@dataclass(frozen=True, slots=True)
class Pane:
    """The rectangle of one map; it shows, of a view ``whole_width`` pixels wide, the part from ``offset`` on."""

    left: int
    top: int
    width: int
    height: int
    offset: int
    whole_width: int


def side_by_side(count: int, width: int, height: int, gap: int = GAP, *, shape: float = 1.0) -> list[Pane]:
    """Return ``count`` panes of exactly one size, so that all have the same view: a map of each search.

    Of all numbers of columns that is taken in which a map is largest whose width is ``shape`` times its height, then
    that of the largest panes.
    """

    def sides(columns: int) -> tuple[int, int]:
        return _side(width, columns, gap), _side(height, -(-count // columns), gap)

    def fits(columns: int) -> tuple[float, int]:
        across, down = sides(columns)
        return min(across / shape, float(down)), across * down

    columns = max(range(1, count + 1), key=fits)
    across, down = sides(columns)
    return [
        Pane(column * (across + gap), row * (down + gap), across, down, 0, across)
        for row, column in (divmod(index, columns) for index in range(count))
    ]


def split(count: int, width: int, height: int, gap: int = GAP) -> list[Pane]:
    """Return ``count`` strips of one map from left to right; the gaps between them hide parts of it."""
    edges = [round(index * (width + gap) / count) for index in range(count + 1)]
    return [Pane(left, 0, max(right - gap - left, 1), max(height, 1), left, width) for left, right in pairwise(edges)]


def _side(length: int, parts: int, gap: int) -> int:
    return max((length - (parts - 1) * gap) // parts, 1)
