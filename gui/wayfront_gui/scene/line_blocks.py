"""Draws the lines of a view into a G-buffer (see ``raster``), many at a time. No Qt.

Most lines of a network that is seen whole are one pixel wide and a few pixels long. One by one, they cost what a
processor guesses wrong: which way a line runs, along which axis, over how many pixels. So lines are taken in blocks,
and every stage is a loop without branches, which the compiler makes vectors of. The pixels are those of
``raster.draw_line``, bit for bit; it draws the lines that are left: wider ones, longer ones, and those at the border.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop_without_allocation, part_without_allocation, part_without_checks
from wayfront_gui.scene.raster import NODE_BITS, draw_line

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


@loop_without_allocation
def rasterize(  # type: ignore[no-untyped-def]
    buffer,
    x,
    y,
    line_a,
    line_b,
    owner_a,
    owner_b,
    level,
    cell_offsets,
    cell_boxes,
    scale,
    left,
    top,
    coverage,
    line_width,
    stop,
    block,
):
    """Draw every line that the view intersects into ``buffer`` uint32 [height, width], which must be zeroed.

    ``scale`` is pixels per metre; ``left`` and ``top`` are the plane's coordinates at the outer corner of the
    first pixel. A line's halves belong to the nodes ``owner_a`` and ``owner_b``. Its ``level`` uint8 chooses its
    ``coverage`` (0 … 127, float32 [256]; 0 leaves it out, −1 clears what is below) and ``line_width`` (pixels, float32
    [256]). ``block`` is room, a ``Block``. Once ``stop[0]`` is set from another thread, it returns early with False;
    else True.
    """
    height, width = buffer.shape
    widest = line_width[0]
    for each in line_width:  # Numba's ``max`` of an array would load half of Numba at every start
        widest = max(widest, each)
    reach = (widest + 2.0) / scale
    right, bottom = left + width / scale, top - height / scale
    lines = (x, y, line_a, line_b, owner_a, owner_b, level)
    begin = end = 0  # lines of cells in view that follow one another are drawn together
    for c in range(len(cell_offsets) - 1):
        if cell_boxes[c, 0] > right + reach or cell_boxes[c, 2] < left - reach:
            continue
        if cell_boxes[c, 1] > top + reach or cell_boxes[c, 3] < bottom - reach:
            continue
        if stop[0]:
            return False
        if cell_offsets[c] != end:
            _draw_block(buffer, lines, begin, end, scale, left, top, coverage, line_width, block)
            begin = cell_offsets[c]
        end = cell_offsets[c + 1]
        while end - begin >= LINES:
            _draw_block(buffer, lines, begin, begin + LINES, scale, left, top, coverage, line_width, block)
            begin += LINES
    _draw_block(buffer, lines, begin, end, scale, left, top, coverage, line_width, block)
    return True


@part_without_allocation
def _draw_block(buffer, lines, begin, end, scale, left, top, coverage, line_width, block):  # type: ignore[no-untyped-def]
    """Draw the lines ``begin`` … ``end`` − 1: at most as many as a block holds."""
    x, y, line_a, line_b, owner_a, owner_b, level = lines
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
                draw_line(
                    buffer,
                    reals[_X + k],
                    reals[_Y + k],
                    reals[_END_X + k],
                    reals[_END_Y + k],
                    np.uint32(owner_a[i]),
                    np.uint32(owner_b[i]),
                    reals[_COVERAGE + k],
                    reals[_WIDTH + k] * 0.5,
                )


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
