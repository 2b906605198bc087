"""Where the lines of a view fall on pixels, found once, so that they can be drawn again and again. No Qt.

``raster`` sets every line up, clips it and walks along it. While a source is dragged the same lines are drawn from the
same camera many times a second, and few of them with another strength than before. So it is noted once which pixels a
line covers and how much of them, its *pieces*, in two orders: line by line, and pixel by pixel. A line that becomes
stronger is drawn over what is there. One that becomes weaker leaves pixels that it owned, and of these alone the
owner is looked for anew among the pieces there. Lines of a level that is wider than most are drawn on a copy, as
``raster`` draws them: they are few.

A piece is 32 bits: the pixel, row · width + column (24), which half of the line it belongs to (1), and the share of the
pixel that the line covers, in 127ths (7). In the order of pixels the line takes the pixel's place.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop, part, part_without_allocation
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.raster import NODE_BITS, aslant

MOST_PIXELS = 1 << 24
"""A piece has 24 bits for its pixel …"""
MOST_LINES = 1 << 24
"""… or for its line."""
MOST_PIECES = 1 << 24
"""More of them would take more memory (200 MB) and time than a drawing that follows the mouse may."""

_AT = 8
"""Bits below the pixel or the line."""
_FAR = 128
"""The bit of the half at ``line_b``."""
_SHARE = 127
_DRAWN_ANEW = 4
"""If more than one in so many pieces belongs to a line whose strength changed, all pixels are drawn anew."""


class Pieces(NamedTuple):
    """The pieces of all lines that a camera sees.

    first        int32 [lines + 1]: the first piece of each line
    of_lines     uint32 [p]: in the order of lines
    pixel_first  int32 [pixels + 1]: the first piece of each pixel
    of_pixels    uint64 [p]: in the order of pixels; above 32 bits of which the pixel is replaced by the line is the
                 node that owns the half
    owners       uint32 [2 · lines]: the nodes of the halves of each line
    """

    first: NDArray[np.int32]
    of_lines: NDArray[np.uint32]
    pixel_first: NDArray[np.int32]
    of_pixels: NDArray[np.uint64]
    owners: NDArray[np.uint32]

    @classmethod
    def of(cls, geometry: MapGeometry, camera: Camera, width: float, owners: NDArray[np.uint32]) -> Pieces | None:
        """Return those of lines of a width in pixels, whose halves belong to ``owners``; None if there are too many."""
        pixels = camera.width * camera.height
        if pixels > MOST_PIXELS or geometry.line_count > MOST_LINES:
            return None
        meets = geometry.cells_in(camera.extent.grown((width + 2.0) / camera.scale))
        edges = np.flatnonzero(np.diff(meets, prepend=False, append=False))  # cells that follow one another are one run
        runs = np.ascontiguousarray(geometry.cell_offsets[edges].reshape(-1, 2), np.int32)
        view = (*camera.view, camera.width, camera.height)
        first = np.empty(geometry.line_count + 1, np.int32)
        total = _lay_pieces(geometry.lines, runs, view, width * 0.5, first, np.zeros(0, np.uint32), MOST_PIECES)
        if total > MOST_PIECES:
            return None
        of_lines, of_pixels = np.empty(total, np.uint32), np.empty(total, np.uint64)
        _lay_pieces(geometry.lines, runs, view, width * 0.5, first, of_lines, MOST_PIECES)
        pixel_first = np.zeros(pixels + 1, np.int32)
        _sort_by_pixel(first, of_lines, owners, pixel_first, of_pixels)
        return cls(first, of_lines, pixel_first, of_pixels, owners)


@loop
def _lay_pieces(lines, runs, view, half, first, pieces, most):  # type: ignore[no-untyped-def]
    """Fill ``first``, and ``pieces`` unless it is empty; return how many there are, or a number above ``most``.

    ``runs`` [k, 2] are those of lines in view; ``view`` is (scale, left, top, width, height).
    """
    x, y, line_a, line_b, _, _ = lines
    scale, left, top, width, height = view
    count, before = 0, 0
    for r in range(len(runs)):
        first[before : runs[r, 0]] = count
        before = runs[r, 1]
        for line in range(runs[r, 0], runs[r, 1]):
            a, b = line_a[line], line_b[line]
            xa, ya, xb, yb = (x[a] - left) * scale, (top - y[a]) * scale, (x[b] - left) * scale, (top - y[b]) * scale
            first[line] = count
            count = _lay_line(xa, ya, xb, yb, half, width, height, count, pieces)
            if count > most:
                return count
    first[before:] = count
    return count


@part
def _lay_line(xa, ya, xb, yb, half, width, height, count, pieces):  # type: ignore[no-untyped-def]
    """Lay the pieces of a line as ``raster`` draws it, from ``count`` on; return their end."""
    tall = abs(xb - xa) < abs(yb - ya)
    start, side, end, end_side = (ya, xa, yb, xb) if tall else (xa, ya, xb, yb)
    near, far = np.uint32(0), np.uint32(_FAR)
    if start > end:
        start, side, end, end_side, near, far = end, end_side, start, side, far, near
    length, breadth = (height, width) if tall else (width, height)
    slope = (end_side - side) / (end - start) if end > start else 0.0
    half = aslant(half, slope)
    low, high = min(side, end_side), max(side, end_side)
    middle = (start + end) * 0.5
    for i in range(max(math.floor(start), 0), min(math.floor(end), length - 1) + 1):
        centre = i + 0.5
        position = min(max(side + slope * (centre - start), low), high)
        upper, lower = position - half, position + half
        for j in range(max(math.floor(upper), 0), min(math.floor(lower), breadth - 1) + 1):
            share = np.uint32(min(min(lower, j + 1.0) - max(upper, j + 0.0), 1.0) * _SHARE + 0.5)
            if share == 0:
                continue
            if len(pieces):
                at = np.uint32(i * width + j if tall else j * width + i)
                pieces[count] = (at << np.uint32(_AT)) | (near if centre < middle else far) | share
            count += 1
    return count


@loop
def _sort_by_pixel(first, of_lines, owners, pixel_first, of_pixels):  # type: ignore[no-untyped-def]
    """Fill ``pixel_first``, which is zero, and ``of_pixels``."""
    for piece in of_lines:
        pixel_first[(piece >> np.uint32(_AT)) + np.uint64(1)] += 1
    for at in range(1, len(pixel_first)):
        pixel_first[at] += pixel_first[at - 1]
    for line in range(len(first) - 2, -1, -1):  # from the last, so that each pixel's end becomes its beginning
        for i in range(first[line + 1] - 1, first[line] - 1, -1):
            place = np.uint64(of_lines[i] >> np.uint32(_AT)) + np.uint64(1)
            pixel_first[place] -= 1
            piece = (np.uint32(line) << np.uint32(_AT)) | (of_lines[i] & np.uint32(255))
            of_pixels[pixel_first[place]] = (np.uint64(owners[_half(line, piece)]) << np.uint64(32)) | piece
    pixel_first[: len(pixel_first) - 1] = pixel_first[1:]
    pixel_first[len(pixel_first) - 1] = len(of_pixels)


@inlined
def _cover(strength, piece):  # type: ignore[no-untyped-def]
    """Return the coverage that a piece of a line of some strength has, in the bits of a G-buffer."""
    covered = np.uint32(strength) * (piece & np.uint32(_SHARE)) + np.uint32(_SHARE // 2)
    return np.uint32((covered * np.uint32(33027)) >> np.uint32(22)) << np.uint32(NODE_BITS)  # divided by 127


@inlined
def _half(line, piece):  # type: ignore[no-untyped-def]
    """Return the half of a line that a piece belongs to."""
    return (np.uint32(line) << np.uint32(1)) | ((piece >> np.uint32(7)) & np.uint32(1))


@inlined
def _strongest(begin, end, of_pixels, strength):  # type: ignore[no-untyped-def]
    """Return the largest value that the pieces ``begin`` … ``end`` - 1 of a pixel give it; no coverage is 0."""
    best = np.uint32(0)
    for i in range(begin, end):
        piece, owner = np.uint32(of_pixels[i]), np.uint32(of_pixels[i] >> np.uint64(32))
        cover = _cover(strength[piece >> np.uint32(_AT)], piece)
        best = max(best, np.uint32(cover | owner) if cover else np.uint32(0))
    return best


class Changes(NamedTuple):
    """Which pixels changed beneath the pictures of all sides, for each to follow.

    pixels   uint32 [2 · pixels]: those of all drawings since the list was begun anew, each once in a drawing
    bounds   int64 [2]: begin and end of those of the last drawing; begin -1 if it was of all pixels, end -1 before any
    listed   uint8 [pixels]: which pixels are among those of the drawing at work
    settled  int64 [sides]: how many pixels each side has followed, -1 where it is to take all
    """

    pixels: NDArray[np.uint32]
    bounds: NDArray[np.int64]
    listed: NDArray[np.uint8]
    settled: NDArray[np.int64]

    @classmethod
    def of(cls, pixels: int, sides: int) -> Changes:
        """Return an empty list; room for two drawings of any size is room for very many."""
        room, listed = np.empty(2 * pixels, np.uint32), np.zeros(pixels, np.uint8)
        return cls(room, np.full(2, -1, np.int64), listed, np.full(sides, -1, np.int64))


@inlined
def _list(at, changed, changes, end):  # type: ignore[no-untyped-def]
    """List a pixel if ``changed`` is 1 and it is not listed; return the new end. No processor foresees which are.

    Others are written in vain behind the end.
    """
    changes.pixels[end] = at
    end += np.int64(changed & (changes.listed[at] ^ np.uint8(1)))
    changes.listed[at] |= changed
    return end


@part_without_allocation
def draw_changes(pixels, pieces, touched, count, strength, drawn, changes):  # type: ignore[no-untyped-def]
    """Bring ``pixels`` from the strengths ``drawn`` uint8 [lines] to ``strength``, which ``drawn`` then equals.

    Only lines among the first ``count`` of ``touched`` differ. All pixels are drawn if too much has changed, and at
    first: roads outside of any tree may be seen too. Begins a drawing's list of changes.
    """
    first, of_lines, pixel_first, of_pixels, owners = pieces
    bounds, settled = changes.bounds, changes.settled
    total = np.int64(0)
    for k in range(count):
        line = touched[k]
        total += first[line + 1] - first[line] if strength[line] != drawn[line] else 0
    whole = bounds[1] < 0 or total > len(of_lines) // _DRAWN_ANEW
    if whole or bounds[1] >= len(pixels):  # as many may be listed once more, and one is written in vain
        bounds[1] = 0
        settled[:] = -1
    bounds[0] = bounds[1]
    if whole:
        bounds[0] = -1
        for line in range(len(strength)):
            drawn[line] = strength[line]
        for pixel in range(np.uint64(len(pixels))):
            begin, end = np.uint64(pixel_first[pixel]), np.uint64(pixel_first[pixel + np.uint64(1)])
            pixels[pixel] = _strongest(begin, end, of_pixels, strength)
        return
    place = bounds[1]
    for k in range(count):
        if strength[touched[k]] < drawn[touched[k]]:
            place = _list_owned(touched[k], pixels, pieces, drawn, changes, place)
            drawn[touched[k]] = strength[touched[k]]
    for i in range(np.uint64(bounds[0]), np.uint64(place)):
        at = np.uint64(changes.pixels[i])
        begin, end = np.uint64(pixel_first[at]), np.uint64(pixel_first[at + np.uint64(1)])
        pixels[at] = _strongest(begin, end, of_pixels, strength)
    for k in range(count):
        line = touched[k]
        if strength[line] > drawn[line]:
            drawn[line] = strength[line]
            for i in range(np.uint64(first[line]), np.uint64(first[line + 1])):
                piece = of_lines[i]
                at, cover = np.uint64(piece >> np.uint32(_AT)), _cover(strength[line], piece)
                value = np.uint32(cover | owners[_half(line, piece)]) if cover else np.uint32(0)
                place = _list(at, np.uint8(value > pixels[at]), changes, place)
                pixels[at] = max(pixels[at], value)
    bounds[1] = place


@inlined
def _list_owned(line, pixels, pieces, drawn, changes, end):  # type: ignore[no-untyped-def]
    """List the pixels in which a line is seen as it is drawn; return the new end."""
    for i in range(np.uint64(pieces.first[line]), np.uint64(pieces.first[line + 1])):
        piece = pieces.of_lines[i]
        at, cover = np.uint64(piece >> np.uint32(_AT)), _cover(drawn[line], piece)
        seen = np.uint8((cover != 0) & (pixels[at] == np.uint32(cover | pieces.owners[_half(line, piece)])))
        end = _list(at, seen, changes, end)
    return end


@part_without_allocation
def settle(target, pixels, changes, side):  # type: ignore[no-untyped-def]
    """Make the pixels of a side equal to those beneath all sides."""
    settled, listed = changes.settled, changes.pixels
    if settled[side] < 0:
        for pixel in range(np.uint64(len(pixels))):
            target[pixel] = pixels[pixel]
    else:
        for i in range(np.uint64(settled[side]), np.uint64(changes.bounds[1])):
            at = np.uint64(listed[i])
            target[at] = pixels[at]
    settled[side] = changes.bounds[1]


class WideLines(NamedTuple):
    """The lines that are wider than most, and their pieces, kept from one tree to the next.

    level          uint8 [lines]: the level of each wide line, 0 for others
    drawn          uint8 [lines]: the same in the picture drawn last
    laid           uint8 [lines]: the level for whose width the pieces of a line were laid, 0 if there are none
    begin, length  int32 [lines]: where the pieces of a line are, and how many
    pieces, lines  uint32, int32 [room]: the pieces, and of which line each is; some are those of an earlier width
    used           int64 [1]: how many of them there are
    """

    level: NDArray[np.uint8]
    drawn: NDArray[np.uint8]
    laid: NDArray[np.uint8]
    begin: NDArray[np.int32]
    length: NDArray[np.int32]
    pieces: NDArray[np.uint32]
    lines: NDArray[np.int32]
    used: NDArray[np.int64]

    @classmethod
    def of(cls, lines: int, room: int) -> WideLines:
        """Return none of a map's lines, with room for so many pieces."""
        levels, places = np.zeros((3, lines), np.uint8), np.zeros((2, lines), np.int32)
        pieces = np.empty(room, np.uint32), np.empty(room, np.int32)
        return cls(levels[0], levels[1], levels[2], places[0], places[1], *pieces, np.zeros(1, np.int64))

    @property
    def half_full(self) -> bool:
        """Whether the pieces of lines as they are drawn take half of the room."""
        return 2 * int(self.length[self.drawn > 0].sum()) > len(self.pieces)

    def larger(self) -> WideLines:
        """Return the same lines with more room, in which none of them is laid."""
        room = 2 * len(self.pieces)
        return self._replace(pieces=np.empty(room, np.uint32), lines=np.empty(room, np.int32))


@part_without_allocation
def clear_wide(touched, count, wide, changes):  # type: ignore[no-untyped-def]
    """List the pixels of wide lines among the first ``count`` of ``touched`` that are drawn in another way now."""
    level, drawn, _, begins, counts, pieces, _, _ = wide
    end = changes.bounds[1]
    for k in range(count):
        line = touched[k]
        if drawn[line] and level[line] != drawn[line]:
            for i in range(begins[line], begins[line] + counts[line]):
                end = _list(np.uint64(pieces[i] >> np.uint32(_AT)), np.uint8(1), changes, end)
    changes.bounds[1] = end


@part_without_allocation
def lay_wide(touched, count, anew, wide, drawn, view, widths):  # type: ignore[no-untyped-def]
    """Lay the pieces of lines that have another width now, or of all ``anew``; return False if there is no room.

    ``drawn`` are the map's lines, ``view`` is as in ``_lay_pieces``, ``widths`` are as in ``rasterize``.
    """
    x, y, line_a, line_b, _, _ = drawn
    scale, left, top, width, height = view
    level, _, laid, begins, counts, pieces, lines, used = wide
    if anew:
        used[0] = laid[:] = 0
    for k in range(len(level) if anew else np.int64(count)):
        line = np.int64(k if anew else touched[k])
        if level[line] and (laid[line] == 0 or widths[level[line]] != widths[laid[line]]):
            a, b, half = line_a[line], line_b[line], widths[level[line]] * 0.5
            xa, ya, xb, yb = (x[a] - left) * scale, (top - y[a]) * scale, (x[b] - left) * scale, (top - y[b]) * scale
            length = min(max(abs(xb - xa), abs(yb - ya)), np.float64(max(width, height)))
            if used[0] + np.int64((length + 2.0) * (3.0 * half + 2.0)) > len(pieces):
                return False
            end = _lay_line(xa, ya, xb, yb, half, width, height, used[0], pieces)
            begins[line], counts[line], laid[line] = used[0], end - used[0], level[line]
            for i in range(used[0], end):
                lines[i] = line
            used[0] = end
    return True


@part_without_allocation
def draw_wide(pixels, beneath, touched, count, wide, owners, coverage, changes):  # type: ignore[no-untyped-def]
    """Draw the wide lines over ``beneath`` wherever pixels changed, as ``raster`` does, and those drawn in another way.

    Ends a drawing's list of changes.
    """
    level, drawn, _, begins, counts, pieces, lines, used = wide
    listed, begin, end = changes.listed, changes.bounds[0], changes.bounds[1]
    if begin < 0:
        for pixel in range(np.uint64(len(pixels))):
            pixels[pixel] = beneath[pixel]
    for i in range(max(begin, 0), end):
        pixels[changes.pixels[i]] = beneath[changes.pixels[i]]
    for i in range(used[0]):
        piece = pieces[i]
        if begin < 0 or listed[np.uint64(piece >> np.uint32(_AT))]:
            line = lines[i]
            if level[line] and begins[line] <= i < begins[line] + counts[line]:
                at, value = np.uint64(piece >> np.uint32(_AT)), _value(line, piece, coverage[level[line]], owners)
                pixels[at] = max(pixels[at], value)
    for k in range(count):
        line = touched[k]
        if level[line] and level[line] != drawn[line]:
            for i in range(begins[line], begins[line] + counts[line]):
                piece = pieces[i]
                at, value = np.uint64(piece >> np.uint32(_AT)), _value(line, piece, coverage[level[line]], owners)
                if value > pixels[at]:
                    pixels[at] = value
                    if begin >= 0:
                        end = _list(at, np.uint8(1), changes, end)
        drawn[line] = level[line]
    for i in range(max(begin, 0), end):
        listed[changes.pixels[i]] = 0
    changes.bounds[1] = end


@inlined
def _value(line, piece, coverage, owners):  # type: ignore[no-untyped-def]
    """Return what a piece of a wide line gives its pixel; no coverage is 0."""
    cover = _cover(np.uint8(coverage + 0.5), piece)
    return np.uint32(cover | owners[_half(line, piece)]) if cover else np.uint32(0)
