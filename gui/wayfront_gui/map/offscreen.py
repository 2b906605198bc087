"""Draw a scene into an image without a window: for ``wayfront render``, export and the README."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage, QPainter

from wayfront_gui.map.camera import Camera
from wayfront_gui.map.frame import Frame
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.overlay import paint_overlay
from wayfront_gui.map.scene import Scene


def render(scene: Scene, width: int, height: int, scale: float = 1, extent: Extent | None = None) -> QImage:
    """Return a picture of ``width`` × ``height`` logical pixels, each ``scale`` × ``scale`` physical ones.

    Shows ``extent`` (metres, as in ``MapGeometry.bounds``), or the network as the window shows it at first. Needs a
    QGuiApplication, for its fonts. Raises ``ValueError`` for a picture without pixels.
    """
    camera = camera_for(scene, width, height, scale, extent)
    image = roads(scene, camera, draw_frame(scene, camera))
    image.setDevicePixelRatio(scale)
    painter = QPainter(image)
    try:
        paint_overlay(painter, scene, logical(camera))
    finally:
        painter.end()
    return image


def camera_for(
    scene: Scene, width: int, height: int, scale: float = 1, extent: Extent | None = None, *, titled: bool = False
) -> Camera:
    """Return the camera of such a picture as ``render`` makes, with room for titles on a small graph if ``titled``.

    Raises ``ValueError`` for one without pixels.
    """
    columns, rows = round(width * scale), round(height * scale)
    if columns < 1 or rows < 1:
        raise ValueError(f"a picture of {width}×{height} at scale {scale:g} has no pixels")
    if scene.geometry is None:
        return Camera(1.0, 0.0, 0.0, columns, rows, float(scale))
    camera = fitting_camera(scene, columns, rows, float(scale), extent, margin=0.0 if extent else MARGIN, titled=titled)
    return replace(camera, thickness=scene.style.colours.thickness)


def draw_frame(scene: Scene, camera: Camera) -> Frame | None:
    """Return the scene's lines as a camera sees them, None where the scene has no map."""
    return None if scene.geometry is None else Frame.draw(scene.geometry, scene.drawing(camera), camera)


def roads(scene: Scene, camera: Camera, frame: Frame | None) -> QImage:
    """Return a picture of the frame as the scene is now, without anything over the roads, in physical pixels."""
    if frame is None:
        image = QImage(camera.width, camera.height, QImage.Format.Format_RGB32)
        image.fill(QColor(scene.style.colours.background))
        return image
    pixels = np.empty((camera.height, camera.width), np.uint32)
    frame.paint(scene, pixels)
    return image_over(pixels).copy()


def image_over(pixels: NDArray[np.uint32]) -> QImage:
    """Return an image that shares the memory of ``pixels`` uint32 [height, width], which must outlive it."""
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)


def logical(camera: Camera) -> Camera:
    """Return the same view counted in logical pixels, as painters count."""
    return camera.in_units(camera.pixel_ratio)


MARGIN = 0.02
"""Room round a road map, as a share of each side."""
_TITLE = 150.0
"""Room above a diagram under a film's titles."""


def fitting_camera(
    scene: Scene,
    width: int,
    height: int,
    ratio: float,
    extent: Extent | None = None,
    *,
    margin: float = MARGIN,
    titled: bool = False,
) -> Camera:
    """Return the camera that shows an extent, or else all of a scene with a network, in so many physical pixels.

    ``margin`` is that of all but diagrams, which leave room for titles if there are any.
    """
    diagram, edges = scene.diagram, scene.edges
    unit = ratio * scene.style.text_scale
    if extent is not None or diagram is None:
        camera = Camera.fitting(extent or scene.home, width, height, ratio, margin)
        return _lowered(camera, scene.home, edges.head * unit) if extent is None and edges.head else camera
    return diagram.fitting(width, height, ratio, unit, _TITLE if titled else None, edges)


def _lowered(camera: Camera, home: Extent, head: float) -> Camera:
    """Return a camera that sees all as large, but below ``head`` pixels as far as there is room at the lower edge."""
    free = (camera.height - home.height * camera.scale) / 2
    down = max(min(head - free, free - MARGIN * camera.height), 0.0)
    return replace(camera, top=camera.top + down / camera.scale)
