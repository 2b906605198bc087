"""The light of a frontier: a bright point on each of its nodes, and a bloom round all of them. No Qt.

Light depends on where there are nodes on the screen, not on how many: nodes of one pixel make one point, as bright as
the brightest, and nodes of one cell (some pixels) shine into the bloom as one. So the shape nodes of a curved road
make a bright line, no row of suns; in a street map the roads just reached shine along all their length. The bloom is
the cells' light, blurred and mapped to tones that never burn out, then laid over the picture: on a dark map it
brightens what is below, on a light one it multiplies.

Cells are aligned to the plane, not to the picture: a picture that is drawn in bands is the same, and light stands
still while the map moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, part
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.lamp import Lamp
from wayfront_gui.scene.raster import mix
from wayfront_gui.scene.shading import TILE_HEIGHT, TILE_WIDTH

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


@dataclass(frozen=True, slots=True, eq=False)
class Bloom:
    """The strength of the bloom at the middles of cells, float32 [rows, columns] in 256ths.

    Cell (0, 0) begins ``left`` and ``top`` pixels before the picture's corner.
    """

    strength: NDArray[np.float32]
    cell: int
    left: float
    top: float

    @classmethod
    def of(cls, camera: Camera, radius: float, shine: Callable[..., None]) -> Bloom:
        """Return the bloom of light of a radius in pixels.

        ``shine(light, scale, left, top, cell, before, above)`` lights cells, as ``light_cells`` and ``light_lines`` do.
        """
        cell = max(round(CELL * camera.pixel_ratio), 1)
        margin = math.ceil(radius / cell) + 1
        left, top = (camera.left * camera.scale) % cell, (-camera.top * camera.scale) % cell
        left, top = left + margin * cell, top + margin * cell
        rows, columns = (math.ceil((side + before) / cell) + margin + 1 for side, before in _sides(camera, left, top))
        light = np.zeros((rows, columns), np.float32)
        shine(light, camera.scale, camera.left, camera.top, cell, left, top)
        offsets = np.arange(-margin, margin + 1)
        taps = np.exp(-0.5 * (offsets * cell / (_SPREAD * radius)) ** 2)
        blur(light, (taps / taps.sum()).astype(np.float32), np.float32(_EXPOSURE))
        return cls(light, cell, left, top)

    def middle_row(self, height: int) -> int:
        """Return the row of pixels, 0 … ``height``, in the middle of what shines; ``height`` where nothing does."""
        lit = np.flatnonzero(self.strength.max(axis=1, initial=0.0))
        if not len(lit):
            return height
        return min(max(round((lit[0] + lit[-1] + 1) / 2 * self.cell - self.top), 0), height)


def _sides(camera: Camera, left: float, top: float) -> tuple[tuple[int, float], tuple[int, float]]:
    return (camera.height, top), (camera.width, left)


def room_for(size: tuple[int, ...], lamp: Lamp, room: Room | None) -> Room:
    """Return room for the points of pictures of a size [height, width]: that which is there, if it is of this size."""
    margin = lamp.sprite.shape[0] // 2
    shape = size[0] + 4 * margin, size[1] + 4 * margin
    if room is not None and room.margin == margin and room.cover.shape == shape:
        return room
    return Room(np.zeros(shape, np.uint8), np.zeros(shape, np.uint8), margin)


@loop
def light_cells(light, nodes, weights, x, y, scale, left, top, cell, before, above):  # type: ignore[no-untyped-def]
    """Let the brightest node in each cell light it, 0 … 1; ``before`` and ``above`` are as in ``Bloom``."""
    rows, columns = light.shape
    per_cell = 1.0 / cell
    for i in range(len(nodes)):
        column = math.floor(((x[nodes[i]] - left) * scale + before) * per_cell)
        row = math.floor(((top - y[nodes[i]]) * scale + above) * per_cell)
        if weights[i] >= _FAINTEST and 0 <= row < rows and 0 <= column < columns:
            light[row, column] = max(light[row, column], np.float32(weights[i] / 256.0))


@loop
def light_lines(  # type: ignore[no-untyped-def]
    light, lines, x, y, ends, owners, first_step, step, trail, fade, scale, left, top, cell, before, above
):
    """Light the cells along the halves of ``lines`` int32 [k] whose nodes were reached a short while ago.

    ``ends`` and ``owners`` are two int32 arrays each, as in ``MapGeometry``; ``first_step``, ``step``, ``trail`` and
    ``fade`` are as in ``raster.shade``.
    """
    ageing = 255.0 / max(trail, 1e-9)
    for line in lines:
        a, b = ends[0][line], ends[1][line]
        xa, ya, xb, yb = (x[a] - left) * scale, (top - y[a]) * scale, (x[b] - left) * scale, (top - y[b]) * scale
        for side in range(2):
            age = (step - np.int64(first_step[owners[side][line]])) * ageing
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


@loop
def lay_bloom(pixels, strength, cell, left, top, bloom, limit, touched):  # type: ignore[no-untyped-def]
    """Lay a bloom (see ``Bloom`` and ``Lamp``) over ``pixels``; set ``touched`` uint8 for tiles that it changes.

    Pixels are done in runs, so that the compiler makes vectors of them.
    """
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


@loop
def lay_points(  # type: ignore[no-untyped-def]
    pixels, nodes, weights, x, y, scale, left, top, first, core, sprite, room, touched
):
    """Lay the bright points of ``nodes`` int32 [k] with ``weights`` in 256ths over ``pixels``; see ``Lamp``, ``Room``.

    ``pixels`` begin with row ``first`` of the view. ``touched`` is as in ``lay_bloom``.
    """
    height, width = pixels.shape
    margin, across = room.margin, room.cover.shape[1]
    of_sites, cover = room.weights.reshape(-1), room.cover.reshape(-1)
    sites, lit = np.empty((len(nodes), 2), np.int64), np.zeros(touched.shape, np.uint8)
    count = 0
    for i in range(len(nodes)):
        column = math.floor((x[nodes[i]] - left) * scale) + 2 * margin
        row = math.floor((top - y[nodes[i]]) * scale) - first + 2 * margin
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
