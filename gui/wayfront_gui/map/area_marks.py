"""Painting water, parks and woods thinly over the map, so that roads and searches stay what one sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen

from wayfront_gui.look.theme import MapColours
from wayfront_gui.map.text_units import has_pixels, pixels_in_unit
from wayfront_gui.scene.areas import Areas, Shape
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.scene import Scene

_GREEN = ("park", "wood")
RIVER, COAST = 1.6, 2.2
"""Width of a river without a bed and of a coast, in pixels."""
_AT_ONCE = 250
"""Sides of a line that are stroked in one call, which takes some milliseconds."""


def paint_areas(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint what a camera in logical pixels sees."""
    if scene.areas is None or not scene.layers.areas:
        return
    colours = scene.style.colours
    if has_pixels(painter, scene.style):
        painter.drawImage(QPointF(0, 0), picture(scene.areas, camera, pixels_in_unit(painter, scene.style), colours))
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(colours.land_strength)
    shapes = list(scene.areas.seen(camera))
    waters = [_path(shape) for shape in shapes if shape.kind == "water"]
    _paint(painter, (shape if shape.filled else _outside(shape, waters) for shape in shapes), colours)
    painter.restore()


@lru_cache(maxsize=6)
def picture(areas: Areas, camera: Camera, ratio: float, colours: MapColours) -> QImage:
    """Return water and green as a translucent picture, which frames of one camera share."""
    image = QImage(round(camera.width * ratio), round(camera.height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(ratio, ratio)
        _paint(painter, _in_pieces(areas.seen(camera)), colours)
        # Areas that overlap are no stronger where they do.
        painter.resetTransform()
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
        painter.fillRect(image.rect(), QColor.fromRgbF(0, 0, 0, colours.land_strength))
    finally:
        painter.end()
    image.setDevicePixelRatio(ratio)  # not before: a painter counts in its units even where transforms are reset
    return image


def _paint(painter: QPainter, shapes: Iterable[Shape], colours: MapColours) -> None:
    for shape in shapes:
        colour = QColor(_colour(shape.kind, colours))
        path = _path(shape)
        if shape.filled:
            painter.fillPath(path, colour)
        else:
            pen = QPen(colour, COAST if shape.kind == "coast" else RIVER)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.strokePath(path, pen)


def _in_pieces(shapes: Iterable[Shape]) -> Iterator[Shape]:
    """Yield the shapes, lines piece by piece: Qt keeps Python's lock while it strokes one, and the window waits."""
    for shape in shapes:
        if shape.filled:
            yield shape
            continue
        for outline in shape.outlines:
            for first in range(0, len(outline) - 1, _AT_ONCE):
                yield Shape(shape.kind, (outline[first : first + _AT_ONCE + 1],))


def _outside(line: Shape, waters: list[QPainterPath]) -> Shape:
    """Return a line without what is within waters: where both are translucent, it would be stronger than they."""
    box = _path(line).boundingRect().adjusted(-1, -1, 1, 1)  # a straight line has none of its own
    near = [water for water in waters if water.boundingRect().intersects(box)]
    pieces: list[NDArray[np.float64]] = []
    for outline in line.outlines:
        dry = np.array([not any(water.contains(QPointF(x, y)) for water in near) for x, y in outline.tolist()])
        changes = np.flatnonzero(dry[1:] != dry[:-1]) + 1
        runs = zip(np.split(outline, changes), np.split(dry, changes), strict=True)
        pieces += [run for run, kept in runs if kept[0] and len(run) > 1]
    return Shape(line.kind, tuple(pieces))


def _colour(kind: str, colours: MapColours) -> str:
    if kind == "glacier":
        return colours.unreached
    return colours.green if kind in _GREEN else colours.water


def _path(shape: Shape) -> QPainterPath:
    points = np.concatenate(shape.outlines) if shape.outlines else np.zeros((0, 2))
    connect = np.ones(len(points), np.int32)
    ends = np.cumsum([len(outline) for outline in shape.outlines], dtype=np.int64)
    connect[ends - 1] = 0
    path = pg.arrayToQPath(points[:, 0], points[:, 1], connect=connect, finiteCheck=False)
    path.setFillRule(Qt.FillRule.OddEvenFill)
    return path
