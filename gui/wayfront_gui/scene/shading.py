"""Kernels that colour a G-buffer as a search is at a step. No Qt.

A pixel's colour depends on its node and its coverage alone, so another step of the search needs no other raster. Where
the colours of each node begin in a table is found first, node by node; the pixels then look up theirs without a branch:
whether a pixel has a line, and whether its node is reached, a processor guesses wrong too often. A picture is coloured
in tiles, each of which knows the first and the last step that change it: from one step to the next, few do.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import inlined, loop_without_allocation
from wayfront_gui.scene.raster import NEVER, NODE_BITS, NODE_MASK, UNREACHED, mix

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


@loop_without_allocation
def find_rows(first_step, colour, done, rows):  # type: ignore[no-untyped-def]
    """Fill ``rows`` uint16 [n] with where each node's colours begin in a table, once ``done`` steps are done.

    first_step  uint32 [n]: step that first reached each node, ``NEVER`` if none
    colour      uint8 [n]: row of the table for a reached node; others have the row ``UNREACHED``
    """
    for v in range(len(first_step)):
        row = np.uint16(colour[v]) if first_step[v] < done else np.uint16(UNREACHED)
        rows[v] = row << np.uint16(COVERAGE_BITS)


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
