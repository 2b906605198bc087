"""Where the lines of a view fall on pixels, found once, so that they can be drawn again and again. No Qt.

``raster`` sets every line up, clips it and walks along it. While a source is dragged the same lines are drawn from the
same camera many times a second, each time with other levels. So it is noted once which pixels a line covers and how
much of them: its *pieces*. A frame then multiplies them by the line's strength. Lines of a level that is wider than
most (or narrower, close by) are drawn as ``raster`` draws them: they are few.

All this is done in loops without branches: how long a line is on the screen, and whether it is in the tree, no
processor can predict. A piece is 32 bits: the pixel, row · width + column (24), and the share of it that the line
covers, in 255ths (8).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wayfront_gui.scene.geometry import MapGeometry
from wayfront_gui.scene.raster import NODE_BITS, _draw_line
from wayfront_gui.scene.scene import Camera

MOST_PIXELS = 1 << 24
"""A piece has 24 bits for its pixel."""
MOST_PIECES = 1 << 25
"""More of them would take more memory (128 MB) and time than a drawing that follows the mouse may."""

SHARE_BITS = 8
_WHOLE = 255
_SMALL_SIZES = 4096
"""Sizes of subtrees whose level comes from a table: nearly all."""


@dataclass(frozen=True, slots=True, eq=False)
class LinePieces:
    """The pieces of all lines that a camera sees, each line ``width`` pixels wide.

    runs      int32 [k, 2]: first and last (excluded) line of each run of lines near the view
    owners    uint32 [2 · lines]: the nodes of the halves of these lines, that of ``line_a`` before the other
    pieces    uint32 [p]
    halves    int32 [p]: the half of a line that each piece belongs to
    """

    camera: Camera
    width: float
    runs: NDArray[np.int32]
    owners: NDArray[np.uint32]
    pieces: NDArray[np.uint32]
    halves: NDArray[np.int32]

    @classmethod
    def of(cls, geometry: MapGeometry, camera: Camera, width: float) -> LinePieces | None:
        """Return the pieces of the lines in a view; None where there would be too many."""
        if camera.width * camera.height > MOST_PIXELS:
            return None
        runs = _visible_runs(geometry, camera, width)
        lines = (geometry.x, geometry.y, geometry.line_a, geometry.line_b, runs)
        view = (camera.scale, camera.left, camera.top, camera.width, camera.height, width * 0.5)
        total = _lay_pieces(*lines, *view, np.zeros(0, np.uint32), np.zeros(0, np.int32), MOST_PIECES)
        if total > MOST_PIECES:
            return None
        pieces, halves = np.empty(total, np.uint32), np.empty(total, np.int32)
        _lay_pieces(*lines, *view, pieces, halves, MOST_PIECES)
        some = np.concatenate([np.arange(*run) for run in runs.tolist()]) if len(runs) else np.zeros(0, np.int64)
        owners = np.stack([geometry.owner_a[some], geometry.owner_b[some]], axis=1).ravel().astype(np.uint32)
        return cls(camera, width, runs, owners, pieces, halves)


def _visible_runs(geometry: MapGeometry, camera: Camera, width: float) -> NDArray[np.int32]:
    """Return the runs of lines in the cells that a view meets; cells that follow one another are one run."""
    reach, view, boxes = (width + 2.0) / camera.scale, camera.extent, geometry.cell_boxes
    meets = (boxes[:, 0] <= view.right + reach) & (boxes[:, 2] >= view.left - reach)
    meets &= (boxes[:, 1] <= view.top + reach) & (boxes[:, 3] >= view.bottom - reach)
    edges = np.flatnonzero(np.diff(meets, prepend=False, append=False))
    return np.ascontiguousarray(geometry.cell_offsets[edges].reshape(-1, 2), np.int32)


@njit(nogil=True, cache=True)
def _lay_pieces(x, y, line_a, line_b, runs, scale, left, top, width, height, half, pieces, halves, most):  # type: ignore[no-untyped-def]
    """Fill ``pieces`` and ``halves`` unless these are empty; return how many there are, or a number above ``most``."""
    count, k = 0, 0
    for r in range(len(runs)):
        for line in range(runs[r, 0], runs[r, 1]):
            a, b = line_a[line], line_b[line]
            xa, ya, xb, yb = (x[a] - left) * scale, (top - y[a]) * scale, (x[b] - left) * scale, (top - y[b]) * scale
            count = _lay_line(xa, ya, xb, yb, half, width, height, k, count, pieces, halves)
            k += 2
            if count > most:
                return count
    return count


@njit(nogil=True, cache=True)
def _lay_line(xa, ya, xb, yb, half, width, height, k, count, pieces, halves):  # type: ignore[no-untyped-def]
    """Lay the pieces of the line with the halves ``k`` and ``k + 1`` as ``raster`` draws it; return their end."""
    tall = abs(xb - xa) < abs(yb - ya)
    start, side, end, end_side = (ya, xa, yb, xb) if tall else (xa, ya, xb, yb)
    near, far = k, k + 1
    if start > end:
        start, side, end, end_side, near, far = end, end_side, start, side, far, near
    length, breadth = (height, width) if tall else (width, height)
    slope = (end_side - side) / (end - start) if end > start else 0.0
    low, high = min(side, end_side), max(side, end_side)
    middle = (start + end) * 0.5
    for i in range(max(math.floor(start), 0), min(math.floor(end), length - 1) + 1):
        centre = i + 0.5
        position = min(max(side + slope * (centre - start), low), high)
        upper, lower = position - half, position + half
        for j in range(max(math.floor(upper), 0), min(math.floor(lower), breadth - 1) + 1):
            share = np.uint32(min(min(lower, j + 1.0) - max(upper, j + 0.0), 1.0) * _WHOLE + 0.5)
            if share == 0:
                continue
            if len(pieces):
                at = i * width + j if tall else j * width + i
                pieces[count] = (np.uint32(at) << np.uint32(SHARE_BITS)) | share
                halves[count] = near if centre < middle else far
            count += 1
    return count


@njit(nogil=True, cache=True)
def find_strengths(runs, line_a, line_b, parents, size, coverage, width, strength, wide, levels):  # type: ignore[no-untyped-def]
    """Fill ``strength`` uint8 with the coverage of each line in ``runs`` by its level in a tree (see ``tree_levels``).

    Lines of a level that is not as wide as most have 0 there and are listed in ``wide`` with their ``levels``; return
    how many they are.
    """
    largest = 1
    for v in range(len(size)):
        largest = max(largest, size[v] if parents[v] >= 0 else 1)
    log_share = 254.0 / max(math.log(largest), 1e-9)
    level_of, whole = np.zeros(_SMALL_SIZES, np.uint8), np.zeros(256, np.uint8)
    for below in range(1, _SMALL_SIZES):
        level_of[below] = np.uint8(min(1.0 + math.log(below) * log_share, 255.0))
    for level in range(256):
        whole[level] = np.uint8(coverage[level] + 0.5) if width[level] == width[1] else np.uint8(0)
    count, k = 0, np.uint64(0)
    for r in range(len(runs)):
        for line in range(np.uint64(runs[r, 0]), np.uint64(runs[r, 1])):
            a, b = np.uint32(line_a[line]), np.uint32(line_b[line])
            at_a, at_b = size[a], size[b]
            down, up = np.uint32(parents[b]) == a, np.uint32(parents[a]) == b
            leaves = np.uint32(at_a if up else at_b if down else 0)
            reached = level_of[min(leaves, np.uint32(_SMALL_SIZES - 1))]
            if leaves >= _SMALL_SIZES:
                reached = np.uint8(1.0 + math.log(leaves) * log_share)
            strength[k] = whole[reached]
            k += np.uint64(1)
            if width[reached] != width[1]:
                wide[count], levels[count] = line, reached
                count += 1
    return count


@njit(nogil=True, cache=True)
def take_strengths(runs, level, coverage, width, strength, wide, levels):  # type: ignore[no-untyped-def]
    """Fill ``strength``, ``wide`` and ``levels`` as ``find_strengths`` does, of lines whose ``level`` is known."""
    count, k = 0, 0
    for r in range(len(runs)):
        for line in range(runs[r, 0], runs[r, 1]):
            usual = width[level[line]] == width[1]
            strength[k] = np.uint8(coverage[level[line]] + 0.5) if usual else np.uint8(0)
            k += 1
            if not usual:
                wide[count], levels[count] = line, level[line]
                count += 1
    return count


@njit(nogil=True, cache=True)
def draw_pieces(pixels, pieces, halves, owners, strength):  # type: ignore[no-untyped-def]
    """Let every piece cover its pixel where it is stronger than what is there; a coverage below a half is none."""
    for i in range(np.uint64(len(pieces))):
        piece, half = pieces[i], np.uint32(halves[i])
        covered = np.uint32(strength[half >> np.uint32(1)]) * (piece & np.uint32(_WHOLE)) + np.uint32(_WHOLE // 2)
        share = np.uint32((covered * np.uint32(257)) >> np.uint32(16))  # divided by 255
        value = np.uint32((share << np.uint32(NODE_BITS)) | owners[half]) if share else np.uint32(0)
        at = piece >> np.uint32(SHARE_BITS)
        pixels[at] = max(pixels[at], value)


@njit(nogil=True, cache=True)
def draw_wide(  # type: ignore[no-untyped-def]
    buffer, lines, levels, x, y, line_a, line_b, owner_a, owner_b, scale, left, top, coverage, width
):
    """Draw ``lines`` int32 [k] of ``levels`` uint8 [k] into a G-buffer; other arguments as in ``rasterize``."""
    for k in range(len(lines)):
        line, level = lines[k], levels[k]
        a, b = line_a[line], line_b[line]
        xa, ya, xb, yb = (x[a] - left) * scale, (top - y[a]) * scale, (x[b] - left) * scale, (top - y[b]) * scale
        ends = np.uint32(owner_a[line]), np.uint32(owner_b[line])
        _draw_line(buffer, xa, ya, xb, yb, ends[0], ends[1], coverage[level], width[level] * 0.5)
