"""Kernels that colour a G-buffer as a search is at a step. No Qt.

A pixel's colour depends on its node and its coverage alone, so another step of the search needs no other raster. Where
the colours of each node begin in a table is found first, node by node; the pixels then look up theirs without a branch:
whether a pixel has a line, and whether its node is reached, a processor guesses wrong too often. A picture is coloured
in tiles, each of which knows the first and the last step that change it: from one step to the next, few do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import deputy, inlined, loop, loop_without_allocation, part
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.raster import NEVER, NODE_BITS, NODE_MASK, UNREACHED, mix

COVERAGE_BITS = 7
"""A table has this many colours in a row, as a power of two: one for each coverage."""
TILE_HEIGHT, TILE_WIDTH = 16, 64
"""Size of a tile in pixels."""


class Tiles(NamedTuple):
    """What is known of the tiles of a picture, each [rows, columns] of them.

    first, last  int64: the first and the last step that reach a node in a tile, ``NEVER`` and -1 if none does
    stale        uint8: whether a tile does not show what was coloured last
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    stale: NDArray[np.uint8]

    @classmethod
    def of(cls, height: int, width: int) -> Tiles:
        """Return the tiles of a picture of which nothing is coloured: until ``find_steps``, any step may change any."""
        shape = -(-height // TILE_HEIGHT), -(-width // TILE_WIDTH)
        return cls(np.zeros(shape, np.int64), np.full(shape, NEVER, np.int64), np.ones(shape, np.uint8))


def changing(tiles: Tiles, step: float, before: float, trail: float) -> NDArray[np.bool_]:
    """Return which tiles ``shade`` colours: those that look different at two steps, and those that are stale."""
    later, earlier = max(math.floor(step), math.floor(before)), math.floor(min(step, before) - trail)
    return (tiles.stale != 0) | ((tiles.first <= later) & (tiles.last > earlier))


@deputy("wayfront_gui.map.uncompiled")
@loop_without_allocation
def find_rows(first_step, colour, done, rows):  # type: ignore[no-untyped-def]
    """Fill ``rows`` uint16 [n] with where each node's colours begin in a table, once ``done`` steps are done.

    first_step  uint32 [n]: step that first reached each node, ``NEVER`` if none
    colour      uint8 [n]: row of the table for a reached node; others have the row ``UNREACHED``
    """
    for v in range(len(first_step)):
        row = np.uint16(colour[v]) if first_step[v] < done else np.uint16(UNREACHED)
        rows[v] = row << np.uint16(COVERAGE_BITS)


@deputy("wayfront_gui.map.uncompiled")
@loop_without_allocation
def find_steps(gbuffer, first_step, tiles):  # type: ignore[no-untyped-def]
    """Fill ``tiles.first`` and ``tiles.last`` for a G-buffer uint32 [height, width]."""
    height, width = gbuffer.shape
    firsts, lasts, _ = tiles
    for row in range(firsts.shape[0]):
        for column in range(firsts.shape[1]):
            top, left = row * TILE_HEIGHT, column * TILE_WIDTH
            first, last = np.uint32(NEVER), np.uint32(0)
            for y in range(np.uint64(top), np.uint64(min(top + TILE_HEIGHT, height))):
                for x in range(np.uint64(left), np.uint64(min(left + TILE_WIDTH, width))):
                    value = gbuffer[y, x]
                    step = first_step[np.uint64(value & np.uint32(NODE_MASK))]
                    step = step if value else np.uint32(NEVER)
                    first = min(first, step)
                    last = max(last, np.uint32(step + np.uint32(1)))  # of ``NEVER`` it is 0
            firsts[row, column], lasts[row, column] = first, np.int64(last) - 1


@deputy("wayfront_gui.map.uncompiled")
@loop_without_allocation
def shade(gbuffer, pixels, rows, first_step, table, hot, fade, step, trail, before, tiles):  # type: ignore[no-untyped-def]
    """Colour the pixels of ``gbuffer`` into ``pixels``, both uint32 [height, width]; ``pixels`` are 0xFFRRGGBB.

    rows        uint16 [n], as ``find_rows`` fills it for the step; there is one node at least
    first_step  uint32 [n], as there; read where there is a trail
    table       uint32 [257 · 128]: colour by row and coverage; without coverage every row has the background
    hot         uint32 [128]: colour by coverage of a node that was reached just now
    fade        uint16 [256]: share of ``hot`` (of 256) by age, from now to the end of the trail
    step        the step shown, may be fractional; negative shows nothing reached
    trail       how many steps the heat lasts, 0 for none
    before      the step that ``pixels`` show; tiles that look the same at both are left out, unless they are stale
    tiles       ``Tiles``, none of which is stale afterwards
    """
    height, width = gbuffer.shape
    firsts, lasts, stale = tiles
    now, earlier, later = math.floor(step), min(step, before), max(math.floor(step), math.floor(before))
    for row in range(stale.shape[0]):
        for column in range(stale.shape[1]):
            changes = firsts[row, column] <= later and lasts[row, column] > math.floor(earlier - trail)
            stale[row, column] |= np.uint8(changes)
        top, bottom = row * TILE_HEIGHT, min((row + 1) * TILE_HEIGHT, height)
        for y in range(np.uint64(top), np.uint64(bottom)):  # not tile by tile: memory is read in long runs
            column = 0
            while column < stale.shape[1]:
                begin = column
                while column < stale.shape[1] and stale[row, column]:
                    column += 1
                for x in range(np.uint64(begin * TILE_WIDTH), np.uint64(min(column * TILE_WIDTH, width))):
                    value = gbuffer[y, x]
                    place = rows[np.uint64(value & np.uint32(NODE_MASK))] + (value >> np.uint32(NODE_BITS))
                    pixels[y, x] = table[np.uint64(place)]
                column += 1
        for column in range(stale.shape[1]):
            hot_now = firsts[row, column] <= now and lasts[row, column] > step - trail
            if trail > 0 and stale[row, column] and hot_now:
                left, right = column * TILE_WIDTH, min((column + 1) * TILE_WIDTH, width)
                _heat(gbuffer, pixels, first_step, hot, fade, step, trail, top, bottom, left, right)
            stale[row, column] = 0


@inlined
def _heat(gbuffer, pixels, first_step, hot, fade, step, trail, top, bottom, left, right):  # type: ignore[no-untyped-def]
    """Mix the heat of nodes that were reached a short while ago into the pixels of a tile."""
    ageing = 256.0 / trail
    for y in range(np.uint64(top), np.uint64(bottom)):
        for x in range(np.uint64(left), np.uint64(right)):
            value = gbuffer[y, x]
            age = (step - np.int64(first_step[np.uint64(value & np.uint32(NODE_MASK))])) * ageing
            if value and 0.0 <= age < 255.0:
                share = np.uint32(fade[np.int64(age)])
                pixels[y, x] = mix(pixels[y, x], hot[np.uint64(value >> np.uint32(NODE_BITS))], share)


class Lamp(NamedTuple):
    """How a theme's light looks.

    core      0xFFRRGGBB of the bright points; ``sprite`` uint8 [2r+1, 2r+1]: its share of a pixel's colour, in 255ths
    bloom     float32 [3]: how far red, green and blue go towards ``limit`` (0 or 255) at full strength, 0 … 1
    radius    of the bloom, in physical pixels
    """

    core: int
    sprite: NDArray[np.uint8]
    bloom: NDArray[np.float32]
    limit: float
    radius: float


CELL = 4
"""Side of a cell in logical pixels."""
_FAINTEST = 6
"""Weight below which a node has no light, in 256ths."""
_SPREAD = 0.32
"""Standard deviation of the blur, as a share of the bloom's radius."""
_EXPOSURE = 2.7
"""How soon light saturates; that of a straight front then has a little more than half of the largest strength."""
_DARKEST = np.float32(0.75)
"""Bloom below this, in 256ths, changes no pixel."""


class Room(NamedTuple):
    """Arrays for the points of one size of picture and what is round it; all zero between two calls.

    ``margin`` is how far a point reaches; twice as many rows and columns are round the picture.
    """

    weights: NDArray[np.uint8]
    cover: NDArray[np.uint8]
    margin: int


class Grid(NamedTuple):
    """Where the cells of a bloom are: ``scale``, ``left`` and ``top`` of the view, and the side of a cell in pixels.

    Cell (0, 0) begins ``before`` and ``above`` pixels before the picture's corner.
    """

    scale: float
    left: float
    top: float
    cell: int
    before: float
    above: float


@dataclass(frozen=True, slots=True, eq=False)
class Bloom:
    """The strength of the bloom at the middles of the cells of a grid, float32 [rows, columns] in 256ths."""

    strength: NDArray[np.float32]
    grid: Grid

    @classmethod
    def of(cls, camera: Camera, radius: float, shine: Callable[[NDArray[np.float32], Grid], None]) -> Bloom:
        """Return the bloom of light of a radius in pixels; ``shine`` lights cells, as ``light_cells`` does."""
        cell = max(round(CELL * camera.pixel_ratio), 1)
        margin = math.ceil(radius / cell) + 1
        before, above = (v * camera.scale % cell + margin * cell for v in (camera.left, -camera.top))
        sides = (camera.height, above), (camera.width, before)
        rows, columns = (math.ceil((side + more) / cell) + margin + 1 for side, more in sides)
        light, grid = np.zeros((rows, columns), np.float32), Grid(*camera.view, cell, before, above)
        shine(light, grid)
        offsets = np.arange(-margin, margin + 1)
        taps = np.exp(-0.5 * (offsets * cell / (_SPREAD * radius)) ** 2)
        blur(light, (taps / taps.sum()).astype(np.float32), np.float32(_EXPOSURE))
        return cls(light, grid)

    def middle_row(self, height: int) -> int:
        """Return the row of pixels, 0 … ``height``, in the middle of what shines; ``height`` where nothing does."""
        lit = np.flatnonzero(self.strength.max(axis=1, initial=0.0))
        if not len(lit):
            return height
        return min(max(round((lit[0] + lit[-1] + 1) / 2 * self.grid.cell - self.grid.above), 0), height)


def room_for(size: tuple[int, ...], lamp: Lamp, room: Room | None) -> Room:
    """Return room for the points of pictures of a size [height, width]: that which is there, if it is of this size."""
    margin = lamp.sprite.shape[0] // 2
    shape = size[0] + 4 * margin, size[1] + 4 * margin
    if room is not None and room.margin == margin and room.cover.shape == shape:
        return room
    return Room(np.zeros(shape, np.uint8), np.zeros(shape, np.uint8), margin)


@deputy("wayfront_gui.map.uncompiled")
@loop
def light_cells(light, nodes, weights, lines, grid):  # type: ignore[no-untyped-def]
    """Let the brightest node in each cell of a grid light it, 0 … 1; ``lines`` are those of a ``MapGeometry``."""
    rows, columns = light.shape
    scale, left, top, cell, before, above = grid
    per_cell = 1.0 / cell
    for i in range(len(nodes)):
        column = math.floor(((lines.x[nodes[i]] - left) * scale + before) * per_cell)
        row = math.floor(((top - lines.y[nodes[i]]) * scale + above) * per_cell)
        if weights[i] >= _FAINTEST and 0 <= row < rows and 0 <= column < columns:
            light[row, column] = max(light[row, column], np.float32(weights[i] / 256.0))


@deputy("wayfront_gui.map.uncompiled")
@loop
def light_lines(light, chosen, lines, grid, first_step, step, trail, fade):  # type: ignore[no-untyped-def]
    """Light the cells along the halves of ``chosen`` int32 [k] lines whose nodes were reached a short while ago.

    ``first_step``, ``step``, ``trail`` and ``fade`` are as in ``shade``.
    """
    x, y, line_a, line_b, owner_a, owner_b = lines
    scale, left, top, cell, before, above = grid
    ageing = 255.0 / max(trail, 1e-9)
    for line in chosen:
        a, b = line_a[line], line_b[line]
        xa, ya, xb, yb = (x[a] - left) * scale, (top - y[a]) * scale, (x[b] - left) * scale, (top - y[b]) * scale
        for side in range(2):
            age = (step - np.int64(first_step[owner_a[line] if side == 0 else owner_b[line]])) * ageing
            if not 0.0 <= age < 255.0:
                continue
            px, py, dx, dy = (xa, ya, xb - xa, yb - ya) if side == 0 else (xb, yb, xa - xb, ya - yb)
            count = min(math.ceil(0.5 * max(abs(dx), abs(dy)) / cell), light.size) + 1
            strength = np.float32(fade[int(age)] / 256.0)
            for k in range(count):
                share = 0.5 * k / count
                column = math.floor((px + share * dx + before) / cell)
                row = math.floor((py + share * dy + above) / cell)
                if 0 <= row < light.shape[0] and 0 <= column < light.shape[1]:
                    light[row, column] = max(light[row, column], strength)


@deputy("wayfront_gui.map.uncompiled")
@loop
def blur(light, taps, exposure):  # type: ignore[no-untyped-def]
    """Blur by ``taps`` float32 [2r+1] in both directions, and map to tones of 0 … 256."""
    rows, columns = light.shape
    reach = len(taps) // 2
    top, bottom, left, right = _lit_part(light)
    across = np.zeros((rows, columns), np.float32)
    first, last = max(left - reach, 0), min(right + reach, columns)
    for row in range(top, bottom):
        for k in range(-reach, reach + 1):
            begin, end = max(first, -k), min(last, columns - k)
            _add(across[row, begin:end], light[row, begin + k : end + k], taps[k + reach])
    light[top:bottom, left:right] = 0
    for row in range(max(top - reach, 0), min(bottom + reach, rows)):
        out = light[row, first:last]
        for k in range(max(-reach, top - row), min(reach, bottom - 1 - row) + 1):
            _add(out, across[row + k, first:last], taps[k + reach])
        for i in range(len(out)):
            if out[i] > 0:
                out[i] = np.float32(256.0) * (1 - math.exp(-exposure * out[i]))


@part
def _lit_part(light):  # type: ignore[no-untyped-def]
    """Return the first and the last (excluded) row and column with light; nothing where all is dark."""
    top, bottom, left, right = light.shape[0], 0, light.shape[1], 0
    for row in range(light.shape[0]):
        for column in range(light.shape[1]):
            if light[row, column] > 0:
                top, bottom = min(top, row), row + 1
                left, right = min(left, column), max(right, column + 1)
    return top, max(bottom, top), left, max(right, left)


@part
def _add(out, values, factor):  # type: ignore[no-untyped-def]
    for i in range(len(out)):
        out[i] += factor * values[i]


@deputy("wayfront_gui.map.uncompiled")
@loop
def lay_bloom(pixels, strength, grid, first_row_of_view, bloom, limit, touched):  # type: ignore[no-untyped-def]
    """Lay a bloom (see ``Bloom`` and ``Lamp``) over ``pixels``; set ``touched`` uint8 for tiles that it changes.

    ``pixels`` begin with a row of the view. They are done in runs, so that the compiler makes vectors of them.
    """
    cell, left, top = grid.cell, grid.before, grid.above + first_row_of_view
    height, width = pixels.shape
    first_row, last_row, first_column, last_column = _lit_part(strength)
    begin, end = max(first_column - 1, 0), min(last_column, strength.shape[1] - 1)
    line = np.zeros(max(end - begin, 0) + 1, np.float32)
    light = np.zeros((len(line), cell), np.float32)
    # The first pixel beyond the middle of the first cell, and how far beyond, in cells.
    corner = math.ceil((begin + 0.5) * cell - left - 0.5)
    beyond = np.float32((corner + 0.5 + left) / cell - 0.5 - begin)
    every = light.reshape(-1)
    for row in range(height):
        v = (row + 0.5 + top) / cell - 0.5
        upper = int(v)
        if upper + 1 < first_row or upper >= last_row:
            continue
        _between(line, strength[upper, begin : end + 1], strength[upper + 1, begin : end + 1], np.float32(v - upper))
        k = 0
        while k < end - begin:
            start = k
            while k < end - begin and line[k] + line[k + 1] >= _DARKEST:
                _rise(light[k], line[k], line[k + 1], beyond)
                k += 1
            first, last = max(corner + start * cell, 0), min(corner + k * cell, width)
            if first < last:
                _lay(
                    pixels[row, first:last], every[first - corner : last - corner], limit, bloom[0], bloom[1], bloom[2]
                )
                for t in range(first // TILE_WIDTH, (last - 1) // TILE_WIDTH + 1):
                    touched[row // TILE_HEIGHT, t] = 1
            k += 1


@part
def _between(out, first, second, share):  # type: ignore[no-untyped-def]
    for i in range(len(out)):
        out[i] = first[i] + (second[i] - first[i]) * share


@part
def _rise(out, first, second, beyond):  # type: ignore[no-untyped-def]
    """Fill the pixels between the middles of two cells with the light between theirs."""
    step = (second - first) / np.float32(len(out))
    value = first + beyond * (second - first)
    for i in range(len(out)):
        out[i] = value
        value += step


@part
def _lay(pixels, light, limit, red, green, blue):  # type: ignore[no-untyped-def]
    """Let the channels of pixels go towards ``limit`` by their shares of ``light`` [k], which is in 256ths."""
    byte, half, scale = np.uint32(255), np.float32(0.5), np.float32(1 / 256.0)
    red, green, blue = red * scale, green * scale, blue * scale
    for i in range(len(pixels)):
        pixel, strength = pixels[i], light[i]
        r = np.float32(np.int32((pixel >> np.uint32(16)) & byte))
        g = np.float32(np.int32((pixel >> np.uint32(8)) & byte))
        b = np.float32(np.int32(pixel & byte))
        r += (limit - r) * (strength * red) + half
        g += (limit - g) * (strength * green) + half
        b += (limit - b) * (strength * blue) + half
        colour = (np.uint32(np.int32(r)) << np.uint32(16)) | (np.uint32(np.int32(g)) << np.uint32(8))
        pixels[i] = np.uint32(0xFF000000) | colour | np.uint32(np.int32(b))


@deputy("wayfront_gui.map.uncompiled")
@loop
def lay_points(pixels, nodes, weights, lines, view, first, core, sprite, room, touched):  # type: ignore[no-untyped-def]
    """Lay the bright points of ``nodes`` int32 [k] with ``weights`` in 256ths over ``pixels``; see ``Lamp``, ``Room``.

    ``pixels`` begin with row ``first`` of the view. ``touched`` is as in ``lay_bloom``.
    """
    height, width = pixels.shape
    margin, across = room.margin, room.cover.shape[1]
    of_sites, cover = room.weights.reshape(-1), room.cover.reshape(-1)
    sites, lit = np.empty((len(nodes), 2), np.int64), np.zeros(touched.shape, np.uint8)
    count = 0
    scale, left, top = view
    for i in range(len(nodes)):
        column = math.floor((lines.x[nodes[i]] - left) * scale) + 2 * margin
        row = math.floor((top - lines.y[nodes[i]]) * scale) - first + 2 * margin
        # A point whose node is outside may reach into the picture.
        near = margin <= row < height + 3 * margin and margin <= column < width + 3 * margin
        if near and weights[i] >= _FAINTEST:
            at = np.uint64(row * across + column)
            if of_sites[at] == 0:
                sites[count, 0], sites[count, 1] = row, column
                count += 1
            of_sites[at] = max(of_sites[at], np.uint8(min(weights[i], 255)))
    for i in range(count):
        row, column = sites[i, 0], sites[i, 1]
        at = np.uint64(row * across + column)
        weight, of_sites[at] = np.uint32(of_sites[at]), 0
        _cover_point(cover, at - np.uint64(margin * across + margin), np.uint64(across), sprite, weight)
        _light_tiles(lit, row - 2 * margin, column - 2 * margin, margin, height, width)
    # Point by point, pixels would be done over and over where points lie close together.
    for r in range(lit.shape[0]):
        for c in range(lit.shape[1]):
            if lit[r, c]:
                touched[r, c] = 1
                _lighten_tile(pixels, room.cover[2 * margin :, 2 * margin :], r, c, np.uint32(core))
    _clear_border(room.cover, 2 * margin)


@part
def _cover_point(cover, at, across, sprite, weight):  # type: ignore[no-untyped-def]
    """Let a point whose upper left corner is ``at`` cover pixels; where several do, the most counts."""
    for r in range(np.uint64(sprite.shape[0])):
        for c in range(np.uint64(sprite.shape[1])):
            share = (np.uint32(sprite[r, c]) * weight + np.uint32(127)) // np.uint32(255)
            cover[at + c] = max(cover[at + c], np.uint8(share))
        at += across


@part
def _light_tiles(lit, row, column, margin, height, width):  # type: ignore[no-untyped-def]
    """Set the tiles into which a point reaches."""
    for r in range(max(row - margin, 0) // TILE_HEIGHT, min(row + margin, height - 1) // TILE_HEIGHT + 1):
        for c in range(max(column - margin, 0) // TILE_WIDTH, min(column + margin, width - 1) // TILE_WIDTH + 1):
            lit[r, c] = 1


@part
def _lighten_tile(pixels, cover, r, c, core):  # type: ignore[no-untyped-def]
    """Mix the core's colour into the pixels of a tile by what points cover of them, and clear that."""
    left, right = c * TILE_WIDTH, min((c + 1) * TILE_WIDTH, pixels.shape[1])
    for row in range(r * TILE_HEIGHT, min((r + 1) * TILE_HEIGHT, pixels.shape[0])):
        _lighten(pixels[row, left:right], cover[row, left:right], core)


@part
def _lighten(pixels, cover, core):  # type: ignore[no-untyped-def]
    for i in range(len(pixels)):
        share = np.uint32(cover[i]) + (np.uint32(cover[i]) >> np.uint32(7))
        pixels[i] = mix(pixels[i], core, share)
        cover[i] = 0


@part
def _clear_border(cover, breadth):  # type: ignore[no-untyped-def]
    cover[:breadth] = 0
    cover[-breadth:] = 0
    cover[:, :breadth] = 0
    cover[:, -breadth:] = 0
