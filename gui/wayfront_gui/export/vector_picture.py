"""Draw a scene as SVG or PDF: roads as lines, texts as texts, light as a translucent picture over the roads."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen

from wayfront_gui.charts.pages import Paint, write_pdf, write_svg
from wayfront_gui.export.vector_lines import Strokes, light, strokes
from wayfront_gui.map.offscreen import camera_for
from wayfront_gui.map.overlay import paint_overlay
from wayfront_gui.map.race_picture import RacePicture
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.geometry import Extent
from wayfront_gui.scene.scene import Scene

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

    _write(path, width, height, scene, paint)


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

    _write(path, *picture.size, picture.maps[0][0], paint)


def _write(path: str | Path, width: int, height: int, scene: Scene, paint: Paint) -> None:
    title = scene.attribution or "wayfront"
    if Path(path).suffix.lower() == ".svg":
        write_svg(path, width, height, title, paint)
    else:
        write_pdf(path, width, height, title, paint, points=0.75)


def paint_roads(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint the background and the roads as a camera sees them, in its pixels, with the light over them."""
    painter.fillRect(QRectF(0, 0, camera.width, camera.height), QColor(scene.style.colours.background))
    if scene.geometry is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for stroke in strokes(scene, camera):
        pen = QPen(QColor.fromRgb(stroke.colour), stroke.width)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
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
