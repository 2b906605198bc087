"""Draw a scene as SVG or PDF: roads as lines, texts as texts, light as a translucent picture over the roads."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath

from wayfront_gui.features.timing.plots import write_drawing as write_file
from wayfront_gui.map.camera import Camera, shares_in_view
from wayfront_gui.map.frame import Frame
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.offscreen import camera_for
from wayfront_gui.map.overlay import paint_overlay
from wayfront_gui.map.painting import round_pen
from wayfront_gui.map.panes import RacePicture
from wayfront_gui.map.raster import NODE_BITS, UNREACHED, Drawing
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.street_details import ARROW_COVERAGE, DOT_COVERAGE, StreetDetails

LIGHT_SCALE = 2.0
"""Pixels of the light in a unit of the drawing, …"""
MOST_LIGHT_PIXELS = 16e6
"""… fewer where it would have more than these in all."""
MOST_ELEMENTS = 16_384
"""Points of a path: of a longer one, viewers made with Qt show the first 32,767 and leave out the rest."""


def write_drawing(scene: Scene, path: str | Path, width: int, height: int, extent: Extent | None = None) -> None:
    """Write what ``offscreen.render`` shows as ``.svg`` or ``.pdf``, by the path's suffix. Raises ``WriteError``.

    A unit is a pixel of an SVG, and three quarters of a point of a PDF, as is usual between the two.
    """
    camera = camera_for(scene, width, height, 1.0, extent)

    def paint(painter: QPainter) -> None:
        paint_roads(painter, scene, camera)
        paint_overlay(painter, scene, camera)

    write_file(path, width, height, _title(scene), paint)


def write_race_drawing(picture: RacePicture, path: str | Path) -> None:
    """Write the maps of a race as ``.svg`` or ``.pdf``. Raises ``WriteError``."""

    def paint(painter: QPainter) -> None:
        for scene, pane, camera in picture.maps:
            painter.save()
            painter.translate(pane.left, pane.top)
            painter.setClipRect(QRectF(0, 0, pane.width, pane.height))
            paint_roads(painter, scene, camera)
            paint_overlay(painter, scene, camera)
            painter.restore()

    write_file(path, *picture.size, _title(picture.maps[0][0]), paint)


def _title(scene: Scene) -> str:
    return scene.around.attribution or "wayfront"


def paint_roads(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint the background and the roads as a camera sees them, in its pixels, with the light over them."""
    painter.fillRect(QRectF(0, 0, camera.width, camera.height), QColor(scene.style.colours.background))
    if scene.geometry is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for stroke in strokes(scene, camera):
        painter.setPen(round_pen(QColor.fromRgb(stroke.colour), stroke.width))
        for path in _paths(stroke):
            painter.drawPath(path)
    if scene.trail or len(scene.node_colours.dots):
        _paint_light(painter, scene, camera)


def _paths(stroke: Strokes) -> Iterator[QPainterPath]:
    """Yield paths of all lines of a stroke; one that begins where the one before ends goes on with it."""
    path, at = QPainterPath(), (math.nan, math.nan)
    for x, y, to_x, to_y in np.round(stroke.lines, 2).tolist():
        if path.elementCount() >= MOST_ELEMENTS:
            yield path
            path, at = QPainterPath(), (math.nan, math.nan)
        if (x, y) != at:
            path.moveTo(x, y)
        path.lineTo(to_x, to_y)
        at = (to_x, to_y)
    yield path


def _paint_light(painter: QPainter, scene: Scene, camera: Camera) -> None:
    fine = min(LIGHT_SCALE, math.sqrt(MOST_LIGHT_PIXELS / (camera.width * camera.height)))
    columns, rows = round(camera.width * fine), round(camera.height * fine)
    pixels = light(
        scene,
        replace(camera, scale=camera.scale * fine, width=columns, height=rows, pixel_ratio=camera.pixel_ratio * fine),
    )
    lit = pixels[..., 3] > 0
    if not lit.any():
        return
    top, bottom = (int(row) for row in np.flatnonzero(lit.any(axis=1))[[0, -1]])
    left, right = (int(column) for column in np.flatnonzero(lit.any(axis=0))[[0, -1]])
    box = QRect(left, top, right - left + 1, bottom - top + 1)
    image = QImage(np.ascontiguousarray(pixels).data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
    area = QRectF(left / fine, top / fine, box.width() / fine, box.height() / fine)
    painter.drawImage(area, image.copy(box))


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


class _Lines(NamedTuple):
    """Lines as they are painted: ``at`` float64 [k, 4], and of each coverage, width in pixels and colour."""

    at: Float64Array
    coverage: NDArray[np.uint32]
    width: NDArray[np.float32]
    colour: NDArray[np.uint32]

    def of(self, which: NDArray[Any]) -> _Lines:
        """Return those of a mask or of indices."""
        return _Lines(*(part[which] for part in self))

    def with_others(self, others: _Lines) -> _Lines:
        """Return these lines and then others."""
        pairs: list[tuple[NDArray[Any], NDArray[Any]]] = list(zip(self, others, strict=True))
        return _Lines(*map(np.concatenate, pairs))


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
    if drawing.by_line:
        owner_a = owner_b = seen.astype(np.int32)
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
    roads = _Lines(lines, coverage[whose], width[whose], colour)
    return _grouped(_clipped(casings.with_others(roads), camera))


def _casings(scene: Scene, drawing: Drawing, seen: NDArray[np.intp], lines: Float64Array) -> _Lines:
    """Return the casings of the roads ``seen``, which are painted below all roads that have one."""
    weights, levels = drawing.weights, drawing.levels[seen]
    casing = np.zeros(256, np.float32) if weights.casing is None else weights.casing
    cased = casing[levels] > 0
    below = weights.coverage[casing > 0].min(initial=127.0) - 1
    k = int(np.count_nonzero(cased))
    width = (weights.width + 2 * casing)[levels[cased]]
    return _Lines(lines[cased], np.full(k, below, np.uint32), width, np.full(k, scene.table[UNREACHED, 0], np.uint32))


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


def _clipped(lines: _Lines, camera: Camera) -> _Lines:
    """Cut lines off where the picture ends: not every program clips a drawing."""
    x0, y0, x1, y1 = lines.at.T
    enter, leave = shares_in_view(x0, y0, x1, y1, camera)
    kept = lines.of(enter <= leave)
    enter, leave = (share[enter <= leave, None] for share in (enter, leave))
    start, way = kept.at[:, :2], kept.at[:, 2:] - kept.at[:, :2]
    return kept._replace(at=np.concatenate([start + enter * way, start + leave * way], axis=1))


def _grouped(lines: _Lines) -> list[Strokes]:
    """Return lines that look alike together."""
    if not len(lines.at):
        return []
    lines = lines.of(np.lexsort((lines.colour, lines.width, lines.coverage)))
    lines.at[(lines.at[:, :2] == lines.at[:, 2:]).all(axis=1), 2] += SHORTEST
    differs = (np.diff(lines.coverage) != 0) | (np.diff(lines.width) != 0) | (np.diff(lines.colour) != 0)
    edges = [0, *(np.flatnonzero(differs) + 1).tolist(), len(lines.at)]
    return [
        Strokes(int(lines.colour[begin]), float(lines.width[begin]), lines.at[begin:end])
        for begin, end in itertools.pairwise(edges)
    ]


def _channels(pixels: NDArray[np.uint32]) -> NDArray[np.float32]:
    return np.stack([(pixels >> np.uint32(shift)) & np.uint32(255) for shift in (16, 8, 0)], axis=2).astype(np.float32)
