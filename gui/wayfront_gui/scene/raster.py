"""Kernels that draw lines into a G-buffer, and dots into a picture. No Qt.

A G-buffer is one uint32 per pixel: coverage (7 bits, 0 … 127) above the node that owns the pixel (25 bits).
Antialiasing is Wu's (Xiaolin Wu, "An efficient antialiasing technique", SIGGRAPH 1991), widened to a box of any
width: in each column (row) along a line's longer axis the box covers parts of a few pixels. Each half of a line
belongs to its nearer end. Of two lines on one pixel the larger value wins, so the order of drawing never matters.
"""

from __future__ import annotations

import math

import numpy as np

from wayfront.compiling import loop, loop_without_allocation, part_without_allocation

NODE_BITS = 25
NODE_MASK = (1 << NODE_BITS) - 1
MAX_COVERAGE = 127
UNREACHED = 256
"""The row of a shading table for nodes not reached yet."""
NEVER = (1 << 32) - 1
"""First step of a node that no step reaches, as uint32."""


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
def stamp_dots(  # type: ignore[no-untyped-def]
    pixels, nodes, first_step, colour, x, y, scale, left, top, table, step, radius
):
    """Draw a disc of ``radius`` pixels, with a dark (light) rim, for each node reached by ``step``.

    Its colour is ``table``'s for a wholly covered pixel, its rim the background's; other arguments as in ``shade``.
    """
    height, width = pixels.shape
    rim, edge = table[UNREACHED, 0], radius + 1.0
    reach = math.ceil(edge + 0.5)
    now = math.floor(step)
    for i in range(len(nodes)):
        node = nodes[i]
        px, py = (x[node] - left) * scale, (top - y[node]) * scale
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


@loop
def colour_by_value(values, first_step, last, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` uint8 [n] with 0 … 255 for ``values`` from 0 to ``last``; nodes never reached get 0."""
    per_value = 255.0 / max(last, 1e-9)
    for i in range(len(values)):
        if first_step[i] == np.uint32(NEVER):
            out[i] = 0
        else:
            out[i] = np.uint8(min(max(values[i] * per_value, 0.0), 255.0))
