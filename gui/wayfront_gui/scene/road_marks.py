"""Where closed roads are crossed out in a view, at any zoom. No Qt.

A closed road is drawn as a line with crosses along it: at least one, and one more for every ``APART`` pixels. Where
many are close together, one cross stands for all in its cell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.closed_roads import ClosedRoads, Float64Array

APART = 72.0
"""Logical pixels between two crosses of one road, about."""
CELL = 13.0
"""Side of the square of logical pixels in which there is one cross at most."""
MARGIN = 12.0
"""How far beyond the view marks are still drawn, in logical pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What is drawn of closed roads, in the camera's pixels.

    lines    float64 [k, 4]: pieces of roads inside the view
    crosses  float64 [c, 2]: middles of crosses
    arrows   float64 [a, 4]: middles and directions (of length 1) of the crosses of one closed direction
    """

    lines: Float64Array
    crosses: Float64Array
    arrows: Float64Array


def marks(roads: ClosedRoads, camera: Camera) -> Marks:
    """Return what to draw of closed roads in a camera's view; ``camera`` is in logical pixels."""
    x0, y0 = camera.to_pixels(roads.ends[:, 0], roads.ends[:, 1])
    x1, y1 = camera.to_pixels(roads.ends[:, 2], roads.ends[:, 3])
    first, last = _clipped(x0, y0, x1, y1, camera.width, camera.height)
    seen = np.flatnonzero(first <= last)
    x0, y0, dx, dy, first, last = x0[seen], y0[seen], (x1 - x0)[seen], (y1 - y0)[seen], first[seen], last[seen]
    lines = np.stack([x0 + first * dx, y0 + first * dy, x0 + last * dx, y0 + last * dy], axis=1)
    piece, share = _crosses(roads, seen, first, last, camera.scale)
    at = np.stack([x0[piece] + share * dx[piece], y0[piece] + share * dy[piece]], axis=1)
    cells = np.floor(at / CELL).astype(np.int64)
    _, kept = np.unique(cells[:, 0] << 32 | (cells[:, 1] & 0xFFFFFFFF), return_index=True)
    at, piece = at[kept], piece[kept]
    length = np.maximum(np.hypot(dx, dy), 1e-9)[piece]
    along = np.stack([dx[piece] / length, dy[piece] / length], axis=1)
    directed = roads.one_way[seen][piece] & (length > 1e-6)
    return Marks(lines, at, np.concatenate([at, along], axis=1)[directed])


def _crosses(
    roads: ClosedRoads, seen: NDArray[np.intp], first: Float64Array, last: Float64Array, scale: float
) -> tuple[NDArray[np.intp], Float64Array]:
    """Return on which of the seen pieces each cross is, and at what share of its length."""
    ends = roads.ends[seen]
    length = np.maximum(np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1]), 1e-9)
    number = np.maximum(np.round(roads.whole[seen] * scale / APART), 1.0)
    apart = np.maximum(roads.whole[seen] / number, 1e-9)
    # Crosses are half a distance from the road's ends; those of a piece lie between where it is clipped.
    low = np.ceil((roads.begin[seen] + first * length) / apart - 0.5)
    high = np.minimum(np.ceil((roads.begin[seen] + last * length) / apart - 0.5), number)
    none = roads.whole[seen] <= 1e-9  # a road between two nodes on one spot
    low, high = np.where(none, 0.0, low), np.where(none, 1.0, high)
    counts = np.maximum(high - low, 0.0).astype(np.int64)
    piece = np.repeat(np.arange(len(seen)), counts)
    within = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts)
    place = (low[piece] + within + 0.5) * apart[piece] - roads.begin[seen][piece]
    return piece, np.clip(place / length[piece], 0.0, 1.0)


def _clipped(x0: Any, y0: Any, x1: Any, y1: Any, width: float, height: float) -> tuple[Float64Array, Float64Array]:
    """Return between which shares of its length each piece is in the view; first above last where it is not.

    Liang and Barsky, "A new concept and method for line clipping", ACM Transactions on Graphics 3(1), 1984.
    """
    first, last = np.zeros(len(x0)), np.ones(len(x0))
    for start, end, room in ((x0, x1, width), (y0, y1, height)):
        way = end - start
        for low, high in ((-MARGIN - start, way), (start - room - MARGIN, -way)):  # share * high >= low
            with np.errstate(divide="ignore", invalid="ignore"):
                share = low / high
            first = np.where(high > 0, np.maximum(first, share), first)
            last = np.where(high < 0, np.minimum(last, share), last)
            first = np.where((high == 0) & (low > 0), math.inf, first)
    return first, last
