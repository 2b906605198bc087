"""Where the maps of a race are, in whole pixels. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

GAP = 2
"""Between two maps, in pixels."""
GRAPH_TEXTS = 110
"""Pixels over and under a small graph that its caption and its key take; streets may lie under theirs."""
WIDEST = 5.0
"""Width over height of a picture, or height over width, beyond which maps leave room beside them after all."""


@dataclass(frozen=True, slots=True)
class Pane:
    """The rectangle of one map; it shows, of a view ``whole_width`` pixels wide, the part from ``offset`` on."""

    left: int
    top: int
    width: int
    height: int
    offset: int
    whole_width: int


def side_by_side(
    count: int, width: int, height: int, gap: int = GAP, *, shape: float = 1.0, texts: int = 0
) -> list[Pane]:
    """Return ``count`` panes of exactly one size, so that all have the same view: a map of each search.

    Of all numbers of columns that is taken in which a map is largest whose width is ``shape`` times its height, then
    that of the largest panes; ``texts`` are pixels of a pane's height that a map leaves to what is written there.
    """

    def sides(columns: int) -> tuple[int, int]:
        return _side(width, columns, gap), _side(height, -(-count // columns), gap)

    def fits(columns: int) -> tuple[float, int]:
        across, down = sides(columns)
        return min(across / shape, max(float(down - texts), 1.0)), across * down

    columns = max(range(1, count + 1), key=fits)
    across, down = sides(columns)
    return [
        Pane(column * (across + gap), row * (down + gap), across, down, 0, across)
        for row, column in (divmod(index, columns) for index in range(count))
    ]


def full_size(count: int, width: int, height: int, *, shape: float, split_map: bool = False) -> tuple[int, int]:
    """Return a size of about as many pixels as ``width`` × ``height``, which maps of that shape fill to its edges.

    ``shape`` is a map's width over its height. The maps stand in complete rows, of all ways to do so that which comes
    nearest to the form asked for; ``WIDEST`` limits how long and narrow it becomes.
    """
    columns = [1] if split_map else [columns for columns in range(1, count + 1) if count % columns == 0]
    forms = (shape if split_map else shape * number * number / count for number in columns)
    form = min(forms, key=lambda form: abs(math.log(form * height / width)))
    across = math.sqrt(width * height * min(max(form, 1 / WIDEST), WIDEST))
    return round(across), round(width * height / across)


def split(count: int, width: int, height: int, gap: int = GAP) -> list[Pane]:
    """Return ``count`` strips of one map from left to right; the gaps between them hide parts of it."""
    edges = [round(index * (width + gap) / count) for index in range(count + 1)]
    return [Pane(left, 0, max(right - gap - left, 1), max(height, 1), left, width) for left, right in pairwise(edges)]


def _side(length: int, parts: int, gap: int) -> int:
    return max((length - (parts - 1) * gap) // parts, 1)
