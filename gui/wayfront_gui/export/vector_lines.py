"""The roads of a scene as lines of a colour and a width each, for drawings that stay sharp at any size. No Qt.

Colours come from the very kernels that colour the screen: each half of a line is shaded as if it were a pixel. What
has no lines, the glow and the dots of an all-pairs search, becomes a translucent picture that lies over them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.frame import Frame
from wayfront_gui.scene.raster import NODE_BITS, UNREACHED
from wayfront_gui.scene.scene import Drawing, Scene
from wayfront_gui.scene.street_details import ARROW_COVERAGE, DOT_COVERAGE, StreetDetails

SHORTEST = 0.02
"""A line without length is drawn as a dot: it is given so many pixels."""
_ROW = 4096
"""Halves of lines in a row of the picture that is shaded."""
_ELSEWHERE = 1e12
"""Where no node is, so that nothing glows there."""

Float64Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Strokes:
    """Lines of one look: ``lines`` float64 [k, 4] as x, y, x, y in pixels; ``colour`` is 0xFFRRGGBB."""

    colour: int
    width: float
    lines: Float64Array


def strokes(scene: Scene, camera: Camera) -> list[Strokes]:
    """Return what a camera sees of the roads, in the order in which it is painted: strong lines over weak ones."""
    assert scene.geometry is not None
    geometry, drawing = scene.geometry, scene.drawing(camera)
    coverage = np.floor(drawing.weights.coverage[drawing.levels] + 0.5).astype(np.uint32)
    width = drawing.weights.width[drawing.levels]
    x, y = camera.to_pixels(geometry.x.astype(np.float64), geometry.y.astype(np.float64))
    lines = np.stack([x[geometry.line_a], y[geometry.line_a], x[geometry.line_b], y[geometry.line_b]], axis=1)
    seen = np.flatnonzero((coverage > 0) & _meets(lines, width, camera))
    lines, coverage, width = lines[seen], coverage[seen], width[seen]
    owner_a, owner_b = geometry.owner_a[seen], geometry.owner_b[seen]
    casings = _casings(scene, drawing, seen, lines)
    if drawing.weights.details:
        more = StreetDetails.of(geometry, camera, float(drawing.weights.width[0]))
        dots = np.stack([x[more.dots], y[more.dots]] * 2, axis=1)
        counts = (len(dots), len(more.strokes))
        lines = np.concatenate([lines, dots, more.strokes])
        coverage = np.append(coverage, np.repeat((DOT_COVERAGE, ARROW_COVERAGE), counts).astype(np.uint32))
        width = np.append(width, np.repeat((2 * more.radius, more.width), counts).astype(np.float32))
        owner_a, owner_b = (np.concatenate([owner, more.dots, more.owners]) for owner in (owner_a, owner_b))
    first, second = _shaded(scene, coverage, owner_a), _shaded(scene, coverage, owner_b)
    lines, whose = _halved(lines, first != second)
    colour = np.concatenate([first, second[first != second]])
    lines, colour = np.concatenate([casings[0], lines]), np.concatenate([casings[3], colour])
    coverage, width = np.append(casings[1], coverage[whose]), np.append(casings[2], width[whose])
    return _grouped(*_clipped(lines, coverage, width, colour, camera))


def _casings(
    scene: Scene, drawing: Drawing, seen: NDArray[np.intp], lines: Float64Array
) -> tuple[Float64Array, NDArray[np.uint32], NDArray[np.float32], NDArray[np.uint32]]:
    """Return the casings of the roads ``seen``: lines, coverage, width and colour; they are painted below them all."""
    weights, levels = drawing.weights, drawing.levels[seen]
    casing = np.zeros(256, np.float32) if weights.casing is None else weights.casing
    cased = casing[levels] > 0
    below = weights.coverage[casing > 0].min(initial=127.0) - 1
    k = int(np.count_nonzero(cased))
    width = (weights.width + 2 * casing)[levels[cased]]
    return lines[cased], np.full(k, below, np.uint32), width, np.full(k, scene.table[UNREACHED, 0], np.uint32)


def light(scene: Scene, camera: Camera) -> NDArray[np.uint8]:
    """Return what is painted over the lines as red, green, blue and opacity, uint8 [height, width, 4].

    It turns the picture without it into the one that ``Frame.paint`` makes.
    """
    assert scene.geometry is not None
    frame = Frame.draw(scene.geometry, scene.drawing(camera), camera)
    plain, whole = np.empty_like(frame.gbuffer), np.empty_like(frame.gbuffer)
    replace(frame, camera=_away(camera)).paint(scene, plain)
    frame.paint(scene, whole)
    below, above = _channels(plain), _channels(whole)
    change = above - below
    room = np.where(change > 0, 255 - below, below)
    opacity = (np.abs(change) / np.maximum(room, 1)).max(axis=2)
    colour = below + change / np.maximum(opacity, 1 / 255)[..., None]
    return np.round(np.dstack([np.clip(colour, 0, 255), 255 * opacity])).astype(np.uint8)


def _meets(lines: Float64Array, width: NDArray[np.float32], camera: Camera) -> NDArray[np.bool_]:
    """Return which lines have a box that meets the picture."""
    reach = width / 2 + 1
    right, left = np.maximum(lines[:, 0], lines[:, 2]) + reach, np.minimum(lines[:, 0], lines[:, 2]) - reach
    lower, upper = np.maximum(lines[:, 1], lines[:, 3]) + reach, np.minimum(lines[:, 1], lines[:, 3]) - reach
    return (right >= 0) & (left <= camera.width) & (lower >= 0) & (upper <= camera.height)


def _shaded(scene: Scene, coverage: NDArray[np.uint32], nodes: NDArray[np.int32]) -> NDArray[np.uint32]:
    """Return the colours of pixels with these coverages and nodes, uint32 [k], without any glow."""
    rows = max(-(-len(nodes) // _ROW), 1)
    gbuffer = np.zeros((rows, _ROW), np.uint32)
    gbuffer.reshape(-1)[: len(nodes)] = coverage << np.uint32(NODE_BITS) | nodes.astype(np.uint32)
    pixels = np.empty_like(gbuffer)
    camera = Camera(1.0, _ELSEWHERE, _ELSEWHERE, _ROW, rows)
    Frame(camera, np.zeros(0, np.uint8), gbuffer, 0.0).paint(scene, pixels)
    return pixels.reshape(-1)[: len(nodes)]


def _away(camera: Camera) -> Camera:
    return replace(camera, left=_ELSEWHERE, top=_ELSEWHERE)


def _halved(lines: Float64Array, apart: NDArray[np.bool_]) -> tuple[Float64Array, NDArray[np.int64]]:
    """Return all lines, those that are ``apart`` as two halves, the second ones at the end; and which each was."""
    middle = (lines[apart, :2] + lines[apart, 2:]) / 2
    first = lines.copy()
    first[apart, 2:] = middle
    second = np.concatenate([middle, lines[apart, 2:]], axis=1)
    return np.concatenate([first, second]), np.concatenate([np.arange(len(lines)), np.flatnonzero(apart)])


def _clipped(
    lines: Float64Array,
    coverage: NDArray[np.uint32],
    width: NDArray[np.float32],
    colour: NDArray[np.uint32],
    camera: Camera,
) -> tuple[Float64Array, NDArray[np.uint32], NDArray[np.float32], NDArray[np.uint32]]:
    """Cut lines off where the picture ends (Liang and Barsky, 1984): not every program clips a drawing."""
    start, way = lines[:, :2], lines[:, 2:] - lines[:, :2]
    enter, leave = np.zeros(len(lines)), np.ones(len(lines))
    for axis, far in enumerate((camera.width, camera.height)):
        with np.errstate(divide="ignore", invalid="ignore"):
            bounds = np.stack([-start[:, axis], far - start[:, axis]]) / way[:, axis]
        still = way[:, axis] == 0
        inside = (start[:, axis] >= 0) & (start[:, axis] <= far)
        bounds = np.where(still, np.where(inside, [[-np.inf], [np.inf]], np.nan), bounds)
        enter, leave = np.maximum(enter, bounds.min(axis=0)), np.minimum(leave, bounds.max(axis=0))
    kept = enter <= leave  # never so where one is NaN
    start, way, enter, leave = start[kept], way[kept], enter[kept, None], leave[kept, None]
    return np.concatenate([start + enter * way, start + leave * way], axis=1), coverage[kept], width[kept], colour[kept]


def _grouped(
    lines: Float64Array, coverage: NDArray[np.uint32], width: NDArray[np.float32], colour: NDArray[np.uint32]
) -> list[Strokes]:
    """Return lines that look alike together."""
    if not len(lines):
        return []
    dots = (lines[:, :2] == lines[:, 2:]).all(axis=1)
    lines[dots, 2] += SHORTEST
    order = np.lexsort((colour, width, coverage))
    lines, coverage, width, colour = lines[order], coverage[order], width[order], colour[order]
    differs = (np.diff(coverage) != 0) | (np.diff(width) != 0) | (np.diff(colour) != 0)
    edges = [0, *(np.flatnonzero(differs) + 1).tolist(), len(lines)]
    return [
        Strokes(int(colour[begin]), float(width[begin]), lines[begin:end]) for begin, end in itertools.pairwise(edges)
    ]


def _channels(pixels: NDArray[np.uint32]) -> NDArray[np.float32]:
    return np.stack([(pixels >> np.uint32(shift)) & np.uint32(255) for shift in (16, 8, 0)], axis=2).astype(np.float32)
