"""Draw a race into one picture without a window: for ``wayfront race``, export and films."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from wayfront_gui.look.theme import THEMES
from wayfront_gui.map.offscreen import image_over, logical
from wayfront_gui.map.overlay import paint_overlay
from wayfront_gui.model.race_layout import GAP, GRAPH_TEXTS, Pane, side_by_side, split
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.fitting import MARGIN, fitting_camera
from wayfront_gui.scene.frame import Frame, Painter
from wayfront_gui.scene.geometry import Extent
from wayfront_gui.scene.scene import Scene


@dataclass(slots=True, eq=False)
class _Map:
    """One map of the picture: its camera, the frame drawn last, and the pixels that it is coloured into."""

    scene: Scene
    pane: Pane
    camera: Camera
    pixels: NDArray[np.uint32]
    frame: Frame | None = None
    painter: Painter = field(default_factory=Painter)


class RacePicture:
    """Draws the maps of a race, as their scenes are at the moment, into pictures of one size.

    ``width`` and ``height`` count logical pixels, each ``scale`` × ``scale`` physical ones. Shows ``extent`` (metres,
    as in ``MapGeometry.bounds``), or the network as the window shows it at first; all scenes are of one network with a
    map. Needs a QGuiApplication, for its fonts.
    """

    def __init__(
        self,
        scenes: Sequence[Scene],
        width: int,
        height: int,
        scale: float = 1.0,
        *,
        split_map: bool = False,
        extent: Extent | None = None,
    ) -> None:
        self.size = round(width * scale), round(height * scale)
        self._scale = scale
        if split_map:
            panes = split(len(scenes), width, height)
        else:
            geometry = scenes[0].geometry
            shape = 1.0 if geometry is None else (extent or scenes[0].home).shape
            texts = GRAPH_TEXTS if scenes[0].graph is not None else 0
            panes = side_by_side(len(scenes), width, height, shape=shape, texts=texts)
        # A neighbourhood that was cut out of the network is on a plane of its own, and is shown whole.
        seen = [extent if scene.geometry is scenes[0].geometry else None for scene in scenes]
        self._maps = [self._map(*drawn) for drawn in zip(scenes, panes, seen, strict=True)]

    def _map(self, scene: Scene, pane: Pane, extent: Extent | None) -> _Map:
        assert scene.geometry is not None
        scale = self._scale
        width, height = round(pane.width * scale), round(pane.height * scale)
        margin = 0.0 if extent else MARGIN
        whole = fitting_camera(scene, round(pane.whole_width * scale), height, scale, extent, margin=margin)
        left = whole.left + pane.offset * scale / whole.scale
        camera = replace(whole, left=left, width=width, thickness=scene.style.colours.thickness)
        return _Map(scene, pane, camera, np.empty((height, width), np.uint32))

    @property
    def maps(self) -> list[tuple[Scene, Pane, Camera]]:
        """The maps: what each shows, where it is, and its camera."""
        return [(shown.scene, shown.pane, shown.camera) for shown in self._maps]

    def draw(self) -> QImage:
        """Return a picture of the scenes as they are now."""
        image = QImage(*self.size, QImage.Format.Format_RGB32)
        image.fill(QColor(THEMES[self._maps[0].scene.style.theme_name].interface.line))
        image.setDevicePixelRatio(self._scale)
        painter = QPainter(image)
        try:
            end = self._maps[-1].pane  # right of it may be room for more
            room = QRectF(end.left + end.width + GAP, end.top, self.size[0], self.size[1])
            painter.fillRect(room, QColor(self._maps[0].scene.style.colours.background))
            for shown in self._maps:
                self._paint(painter, shown)
        finally:
            painter.end()
        return image

    def _paint(self, painter: QPainter, shown: _Map) -> None:
        scene, pane, camera = shown.scene, shown.pane, shown.camera
        assert scene.geometry is not None
        drawing = scene.drawing(camera)
        if shown.frame is None or shown.frame.levels is not drawing.levels:
            same = (m.frame for m in self._maps if m.frame is not None and m.camera == camera)
            found = next((frame for frame in same if frame.levels is drawing.levels), None)
            shown.frame = found or Frame.draw(scene.geometry, drawing, camera)
        shown.painter.paint(shown.frame, scene, shown.pixels)
        image = image_over(shown.pixels)
        image.setDevicePixelRatio(self._scale)
        painter.save()
        painter.translate(pane.left, pane.top)
        painter.setClipRect(QRectF(0, 0, pane.width, pane.height))
        painter.drawImage(QPointF(0, 0), image)
        paint_overlay(painter, scene, logical(camera))
        painter.restore()
