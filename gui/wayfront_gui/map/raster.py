"""Kernels that draw lines into a G-buffer, and dots into a picture. No Qt.

A G-buffer is one uint32 per pixel: coverage (7 bits, 0 … 127) above the node that owns the pixel (25 bits).
Antialiasing is Wu's (Xiaolin Wu, "An efficient antialiasing technique", SIGGRAPH 1991), widened to a box of any
width: in each column (row) along a line's longer axis the box covers parts of a few pixels. Each half of a line
belongs to its nearer end. Of two lines on one pixel the larger value wins, so the order of drawing never matters.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import (
    deputy,
    loop,
    loop_without_allocation,
    part_without_allocation,
    part_without_checks,
)
from wayfront.timing.harness import usable_cores
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.chains import Float32Array
from wayfront_gui.map.geometry import Cells, MapGeometry

NODE_BITS = 25
NODE_MASK = (1 << NODE_BITS) - 1
MAX_COVERAGE = 127
UNREACHED = 256
"""The row of a shading table for nodes not reached yet."""
NEVER = (1 << 32) - 1
"""First step of a node that no step reaches, as uint32."""


@dataclass(frozen=True, slots=True, eq=False)
class LineWeights:
    """Coverage and width in pixels of a line of each level, float32 [256] each, as ``rasterize`` takes them.

    ``details`` says whether junctions and one-way streets are marked. ``casing`` float32 [256] is the breadth of the
    ground to either side that keeps a line apart from those below; None where no line has any.
    """

    coverage: Float32Array
    width: Float32Array
    details: bool = False
    casing: Float32Array | None = None

    @property
    def passes(self) -> tuple[tuple[Float32Array, Float32Array], ...]:
        """Coverages and widths of what is drawn on one another: lines, and on them those with a casing."""
        if self.casing is None:
            return ((self.coverage, self.width),)
        none, above = np.float32(0), self.casing > 0
        cleared = np.where(above, np.float32(-1), none), self.width + 2 * self.casing
        below, on_top = np.where(above, none, self.coverage), np.where(above, self.coverage, none)
        return (below, self.width), cleared, (on_top, self.width)


NO_LINES = LineWeights(np.zeros(256, np.float32), np.ones(256, np.float32))
"""No line is drawn at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """How each line is drawn: ``levels`` uint8 [lines] index ``weights``.

    Pixels belong to nodes, or ``by_line`` to the lines themselves, whose indices they hold then.
    """

    levels: NDArray[np.uint8]
    weights: LineWeights
    by_line: bool = False


@loop_without_allocation
def draw_line(buffer, xa, ya, xb, yb, a, b, strength, half):  # type: ignore[no-untyped-def]
    """Draw a line, ``half`` pixels to either side, whose halves belong to the nodes ``a`` and ``b``."""
    height, width = buffer.shape
    margin = 1.5 * half + 1.0
    left, right, upper, lower = min(xa, xb), max(xa, xb), min(ya, yb), max(ya, yb)
    if left > width + margin or right < -margin or upper > height + margin or lower < -margin:
        return
    # From here on a line runs along its longer axis, where pixels are ``along`` apart in memory.
    tall = right - left < lower - upper
    start, side, end, end_side = (ya, xa, yb, xb) if tall else (xa, ya, xb, yb)
    start, side, end, end_side, a, b = (
        (end, end_side, start, side, b, a) if start > end else (start, side, end, end_side, a, b)
    )
    along, across = (width, 1) if tall else (1, width)
    inside = left >= margin and right <= width - margin and upper >= margin and lower <= height - margin
    pixels = buffer.reshape(-1)
    if inside and half == 0.5:
        _draw_thin(pixels, start, side, end, end_side, a, b, strength, along, across)
    elif tall:
        _draw_wide(pixels, start, side, end, end_side, a, b, strength, half, along, across, height, width)
    else:
        _draw_wide(pixels, start, side, end, end_side, a, b, strength, half, along, across, width, height)


@part_without_allocation
def _draw_thin(pixels, start, side, end, end_side, a, b, strength, along, across):  # type: ignore[no-untyped-def]
    """Draw a line one pixel wide that is inside the buffer: most are, so the loop has no branches."""
    slope = (end_side - side) / (end - start) if end > start else 0.0
    low, high = min(side, end_side), max(side, end_side)
    middle = (start + end) * 0.5
    for i in range(np.int64(start), np.int64(end) + 1):
        centre = i + 0.5
        # At the ends the pixel's centre may be beyond the line.
        position = min(max(side + slope * (centre - start), low), high) - 0.5
        first = np.int64(position)
        share = position - first
        owner = a if centre < middle else b
        at = np.uint64(i * along + first * across)
        cover(pixels, at, strength * (1.0 - share), owner)
        cover(pixels, at + np.uint64(across), strength * share, owner)


@part_without_allocation
def _draw_wide(  # type: ignore[no-untyped-def]
    pixels, start, side, end, end_side, a, b, strength, half, along, across, length, breadth
):
    """Draw a line of any width, ``half`` to either side, clipped to ``length`` and ``breadth``."""
    slope = (end_side - side) / (end - start) if end > start else 0.0
    half = aslant(half, slope)
    low, high = min(side, end_side), max(side, end_side)
    middle = (start + end) * 0.5
    for i in range(max(math.floor(start), 0), min(math.floor(end), length - 1) + 1):
        centre = i + 0.5
        position = min(max(side + slope * (centre - start), low), high)
        owner = a if centre < middle else b
        upper, lower = position - half, position + half
        for j in range(max(math.floor(upper), 0), min(math.floor(lower), breadth - 1) + 1):
            share = min(min(lower, j + 1.0) - max(upper, j + 0.0), 1.0)
            at = np.uint64(i * along + j * across)
            if strength < 0.0:
                _clear(pixels, at, share)
            else:
                cover(pixels, at, strength * share, owner)


@part_without_allocation
def _clear(pixels, at, share):  # type: ignore[no-untyped-def]
    """Take a share of its coverage from a pixel."""
    left = np.uint32((pixels[at] >> np.uint32(NODE_BITS)) * (1.0 - share) + 0.5)
    pixels[at] = (left << np.uint32(NODE_BITS)) | (pixels[at] & np.uint32(NODE_MASK)) if left else np.uint32(0)


@part_without_allocation
def aslant(half, slope):  # type: ignore[no-untyped-def]
    """Return how far a line that is ``half`` wide to either side reaches across its longer axis.

    At 45° that is 1.4 times as far. A line one pixel wide is drawn as if it ran straight: a row of pixels, no more.
    """
    return half * (1.0 + (math.sqrt(1.0 + slope * slope) - 1.0) * min(max(2.0 * half - 1.0, 0.0), 1.0))


@loop_without_allocation
def cover(pixels, at, coverage, owner):  # type: ignore[no-untyped-def]
    """Let the larger of a pixel's value and a new one win; a coverage below a half is none."""
    whole = np.uint32(coverage + 0.5)
    value = (whole << np.uint32(NODE_BITS)) | owner
    value = value if whole else np.uint64(0)
    pixels[at] = max(np.uint64(pixels[at]), value)


@loop
def mix(under, over, share):  # type: ignore[no-untyped-def]
    """Blend two 0xFFRRGGBB pixels; ``share`` of ``over`` is in 256ths. Two channels at a time."""
    odd, even = np.uint32(0x00FF00FF), np.uint32(0x0000FF00)
    rest = np.uint32(256) - share
    red_blue = (((under & odd) * rest + (over & odd) * share) >> np.uint32(8)) & odd
    green = (((under & even) >> np.uint32(8)) * rest + ((over & even) >> np.uint32(8)) * share) & even
    return np.uint32(0xFF000000) | red_blue | green


@loop
def stamp_dots(pixels, nodes, first_step, colour, lines, view, table, step, radius):  # type: ignore[no-untyped-def]
    """Draw a disc of ``radius`` pixels, with a dark (light) rim, for each node reached by ``step``.

    Its colour is ``table``'s for a wholly covered pixel, its rim the background's; other arguments as in ``shade`` and
    ``rasterize``.
    """
    height, width = pixels.shape
    scale, left, top = view
    rim, edge = table[UNREACHED, 0], radius + 1.0
    reach = math.ceil(edge + 0.5)
    now = math.floor(step)
    for i in range(len(nodes)):
        node = nodes[i]
        px, py = (lines.x[node] - left) * scale, (top - lines.y[node]) * scale
        if first_step[node] > now or not (-reach <= px < width + reach and -reach <= py < height + reach):
            continue
        column, row, body = math.floor(px), math.floor(py), table[colour[node], MAX_COVERAGE]
        for r in range(max(row - reach, 0), min(row + reach, height - 1) + 1):
            for c in range(max(column - reach, 0), min(column + reach, width - 1) + 1):
                distance = math.hypot(c + 0.5 - px, r + 0.5 - py)
                outer, inner = min(max(edge + 0.5 - distance, 0.0), 1.0), min(max(radius + 0.5 - distance, 0.0), 1.0)
                if outer > 0:
                    under = mix(pixels[r, c], rim, np.uint32(200.0 * outer))
                    pixels[r, c] = mix(under, body, np.uint32(256.0 * inner))


@deputy("wayfront_gui.map.uncompiled")
@loop
def colour_by_value(values, first_step, last, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` uint8 [n] with 0 … 255 for ``values`` from 0 to ``last``; nodes never reached get 0."""
    per_value = 255.0 / max(last, 1e-9)
    for i in range(len(values)):
        if first_step[i] == np.uint32(NEVER):
            out[i] = 0
        else:
            out[i] = np.uint8(min(max(values[i] * per_value, 0.0), 255.0))


@loop
def colour_reached(distances, last, first_step, colour):  # type: ignore[no-untyped-def]
    """Fill ``first_step`` and ``colour`` [n]: 0 … 255 for distances from 0 to ``last``, ``NEVER`` where they are −1."""
    per_value = np.float32(255.0 / max(last, 1e-9))
    for v in range(len(distances)):
        distance = distances[v]
        first_step[v] = np.uint32(0) if distance >= 0 else np.uint32(NEVER)
        colour[v] = np.uint8(min(np.float32(max(distance, 0)) * per_value, np.float32(255.0)))


LINES = 256
"""Lines in a block: all that is known of them stays in the processor's nearest cache."""
MOST_COLUMNS = 8
"""Columns (of a tall line rows) of pixels that a short line has at most."""
_MARGIN = 1.75
"""A line that is this near to the border is left: a pixel beside it may be outside."""
_OWNER_BITS = np.uint32(NODE_BITS)

# Where rows of a block begin in its two arrays. If each row were an array of its own, the compiler would have to check
# for each pair of them that they do not overlap; of so many checks it makes no vectors.
_AT = np.arange(12, dtype=np.uint64) * LINES
_X, _Y, _END_X, _END_Y, _COVERAGE, _WIDTH, _START, _SIDE, _SLOPE, _LOW, _HIGH, _MIDDLE = _AT
_OWNER, _END_OWNER, _FIRST, _COLUMNS, _ALONG, _ACROSS, _PLACE, _NEAR, _FAR, _LEFT = _AT[:10]


class Block(NamedTuple):
    """What is known of the lines of a block.

    reals   float64 [12 · ``LINES``]: x and y of one end and of the other in pixels, coverage, width; then start and
            side of the end that comes first along the longer axis, slope, least and largest side, and the middle
    wholes  uint32 [10 · ``LINES``]: the owners of the halves, the first column and how many follow, how far pixels
            along and across the line are apart in memory; then the pixel of a column, what it and the one beside it
            are to hold at least, and whether the line is left
    """

    reals: NDArray[np.float64]
    wholes: NDArray[np.uint32]

    @classmethod
    def empty(cls) -> Block:
        """Return room for a block."""
        return cls(np.empty(12 * LINES), np.empty(10 * LINES, np.uint32))


@deputy("wayfront_gui.map.uncompiled")
@loop_without_allocation
def rasterize(buffer, lines, level, cells, view, coverage, line_width, stop, block):  # type: ignore[no-untyped-def]
    """Draw every line that the view intersects into ``buffer`` uint32 [height, width], which must be zeroed.

    ``lines`` and ``cells`` are those of a ``MapGeometry``, ``view`` that of a camera. A line's ``level`` uint8 chooses
    its ``coverage`` (0 … 127, float32 [256]; 0 leaves it out, −1 clears what is below) and ``line_width`` (pixels,
    float32 [256]). ``block`` is room, a ``Block``. Once ``stop[0]`` is set from another thread, it returns early with
    False; else True.
    """
    scale, left, top = view
    height, width = buffer.shape
    widest = line_width[0]
    for each in line_width:  # Numba's ``max`` of an array would load half of Numba at every start
        widest = max(widest, each)
    reach = (widest + 2.0) / scale
    right, bottom = left + width / scale, top - height / scale
    begin = end = 0  # lines of cells in view that follow one another are drawn together
    for c in range(len(cells.offsets) - 1):
        if cells.boxes[c, 0] > right + reach or cells.boxes[c, 2] < left - reach:
            continue
        if cells.boxes[c, 1] > top + reach or cells.boxes[c, 3] < bottom - reach:
            continue
        if stop[0]:
            return False
        if cells.offsets[c] != end:
            _draw_block(buffer, lines, level, begin, end, view, coverage, line_width, block)
            begin = cells.offsets[c]
        end = cells.offsets[c + 1]
        while end - begin >= LINES:
            _draw_block(buffer, lines, level, begin, begin + LINES, view, coverage, line_width, block)
            begin += LINES
    _draw_block(buffer, lines, level, begin, end, view, coverage, line_width, block)
    return True


@part_without_allocation
def _draw_block(buffer, lines, level, begin, end, view, coverage, line_width, block):  # type: ignore[no-untyped-def]
    """Draw the lines ``begin`` … ``end`` − 1: at most as many as a block holds."""
    x, y, line_a, line_b, owner_a, owner_b = lines
    scale, left, top = view
    reals, wholes = block
    count = np.uint64(end - begin)
    for k in range(count):
        i = np.uint64(begin) + k
        a, b, of_line = np.uint64(np.uint32(line_a[i])), np.uint64(np.uint32(line_b[i])), np.uint64(level[i])
        reals[_X + k], reals[_Y + k] = (x[a] - left) * scale, (top - y[a]) * scale
        reals[_END_X + k], reals[_END_Y + k] = (x[b] - left) * scale, (top - y[b]) * scale
        reals[_COVERAGE + k], reals[_WIDTH + k] = coverage[of_line], line_width[of_line]
        wholes[_OWNER + k], wholes[_END_OWNER + k] = owner_a[i], owner_b[i]
    if _draw_short(buffer, reals, wholes, count):
        for k in range(count):
            if wholes[_LEFT + k]:
                i = np.uint64(begin) + k
                xa, ya, xb, yb = reals[_X + k], reals[_Y + k], reals[_END_X + k], reals[_END_Y + k]
                owners, half = (np.uint32(owner_a[i]), np.uint32(owner_b[i])), reals[_WIDTH + k] * 0.5
                draw_line(buffer, xa, ya, xb, yb, owners[0], owners[1], reals[_COVERAGE + k], half)


@part_without_checks
def _draw_short(buffer, reals, wholes, count):  # type: ignore[no-untyped-def]
    """Draw the short ones of the first ``count`` lines of a block, and note which are left; return whether any is.

    Ends, coverages, widths and owners are given. A line without coverage is not drawn, and not left either.
    """
    height, width = buffer.shape
    pixels = buffer.reshape(-1)
    _set_up(reals, wholes, count, width, height)
    longest = left = np.uint32(0)
    for k in range(count):
        longest = max(longest, wholes[_COLUMNS + k])
        left |= wholes[_LEFT + k]
    for column in range(longest):
        _find_pixels(reals, wholes, count, np.int32(column))
        for k in range(count):
            at, across = np.uint64(wholes[_PLACE + k]), np.uint64(wholes[_ACROSS + k])
            pixels[at] = max(pixels[at], wholes[_NEAR + k])
            pixels[at + across] = max(pixels[at + across], wholes[_FAR + k])
    return left != 0


@part_without_checks
def _set_up(reals, wholes, count, width, height):  # type: ignore[no-untyped-def]
    """Find how each line runs along its longer axis, and whether it is left."""
    right, lower = width - _MARGIN, height - _MARGIN
    row, one = np.uint32(width), np.uint32(1)
    for k in range(count):
        xa, ya, xb, yb = reals[_X + k], reals[_Y + k], reals[_END_X + k], reals[_END_Y + k]
        coverage = reals[_COVERAGE + k]
        tall = abs(xb - xa) < abs(yb - ya)
        start, side = (ya if tall else xa), (xa if tall else ya)
        end, end_side = (yb if tall else xb), (xb if tall else yb)
        low, high, first, last = min(side, end_side), max(side, end_side), min(start, end), max(start, end)
        inside = (low >= _MARGIN) & (first >= _MARGIN)
        inside &= (high <= (right if tall else lower)) & (last <= (lower if tall else right))
        thin = inside & (reals[_WIDTH + k] == 1.0) & (coverage > 0.0)
        first, last = (first if thin else 1.0), (last if thin else 1.0)
        column = np.int32(first)
        more = np.int32(last) - column
        short = thin & (more < MOST_COLUMNS)
        back = start > end
        side, end_side = (end_side if back else side), (side if back else end_side)
        slope = (end_side - side) / (last - first)
        a, b = wholes[_OWNER + k], wholes[_END_OWNER + k]
        wholes[_OWNER + k], wholes[_END_OWNER + k] = (b if back else a), (a if back else b)
        reals[_START + k], reals[_SIDE + k] = first, side
        reals[_SLOPE + k] = slope if last > first else 0.0
        reals[_LOW + k], reals[_HIGH + k] = (low if short else 1.0), (high if short else 1.0)
        reals[_MIDDLE + k] = (first + last) * 0.5
        wholes[_FIRST + k], wholes[_COLUMNS + k] = np.uint32(column), np.uint32(more + 1 if short else 0)
        wholes[_ALONG + k], wholes[_ACROSS + k] = (row if tall else one), (one if tall else row)
        wholes[_LEFT + k] = np.uint32((not short) & (coverage != 0.0))


@part_without_checks
def _find_pixels(reals, wholes, count, column):  # type: ignore[no-untyped-def]
    """Find the pixels of a column of each line, and what they are to hold; nothing, where a line has no such column."""
    for k in range(count):
        there = column < np.int32(wholes[_COLUMNS + k])
        coverage = reals[_COVERAGE + k] if there else 0.0
        i = np.int32(wholes[_FIRST + k]) + (column if there else np.int32(0))
        centre = i + 0.5
        position = reals[_SIDE + k] + reals[_SLOPE + k] * (centre - reals[_START + k])
        position = min(max(position, reals[_LOW + k]), reals[_HIGH + k]) - 0.5
        first = np.int32(position)
        share = position - first
        a, b = wholes[_OWNER + k], wholes[_END_OWNER + k]
        owner = a if centre < reals[_MIDDLE + k] else b
        near, far = np.uint32(np.int32(coverage * (1.0 - share) + 0.5)), np.uint32(np.int32(coverage * share + 0.5))
        wholes[_PLACE + k] = np.uint32(i) * wholes[_ALONG + k] + np.uint32(first) * wholes[_ACROSS + k]
        wholes[_NEAR + k] = (near << _OWNER_BITS) | owner if near > 0 else np.uint32(0)
        wholes[_FAR + k] = (far << _OWNER_BITS) | owner if far > 0 else np.uint32(0)


_T = TypeVar("_T")


@cache
def _pool() -> ThreadPoolExecutor | None:
    return ThreadPoolExecutor(1, "wayfront-cpu map") if usable_cores() > 1 else None


def aside(work: Callable[[], _T]) -> Callable[[], _T]:
    """Let another core do some work that does not hold the interpreter's lock; return what returns its result.

    If that core has not begun when the result is asked for, since another program holds it, the work is done there:
    nobody waits for a core that is busy.
    """
    pool = _pool()
    if pool is None:
        return work
    future = pool.submit(work)
    return lambda: work() if future.cancel() else future.result()


SHARED_FROM = 1 << 19
"""Lines in view from which on two cores draw them: some hundredths of a second for one."""


def draw_lines(
    gbuffer: NDArray[np.uint32], geometry: MapGeometry, drawing: Drawing, camera: Camera, stop: NDArray[np.uint8]
) -> float:
    """Draw the lines of a view into a G-buffer that is zero; return the processor time of all threads in milliseconds.

    ``stop[0]``, set from another thread, ends it early and incomplete.
    """
    every, lines = geometry.cells, geometry.owned_lines if drawing.by_line else geometry.lines

    def draw(buffer: NDArray[np.uint32], first: int, end: int) -> float:
        """Draw the lines of some cells."""
        start, block = time.thread_time(), Block.empty()
        cells = Cells(every.offsets[first : end + 1], every.boxes[first:end])
        for coverage, width in drawing.weights.passes:
            rasterize(buffer, lines, drawing.levels, cells, camera.view, coverage, width, stop, block)
        return (time.thread_time() - start) * 1e3

    count, alone = len(every.boxes), drawing.weights.casing is not None
    if alone or usable_cores() < 2 or geometry.visible_lines(camera.extent) < SHARED_FROM:
        return draw(gbuffer, 0, count)
    seen = np.where(geometry.cells_in(camera.extent), np.diff(every.offsets), 0).cumsum()
    middle = int(np.searchsorted(seen, seen[-1] / 2))  # half of the lines in view are before this cell
    other = np.zeros_like(gbuffer)
    rest = aside(lambda: draw(other, middle, count))
    spent = draw(gbuffer, 0, middle) + rest()
    np.maximum(gbuffer, other, out=gbuffer)
    return spent
