"""What a map in the window shows beside roads and searches, made in threads: names, and water and parks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QImage, QPainter

from wayfront_gui.look.theme import MapColours
from wayfront_gui.map.area_marks import picture
from wayfront_gui.map.background_work import BackgroundWork
from wayfront_gui.map.kept_facts import KeptFacts, edge_facts, legend_facts
from wayfront_gui.map.label_marks import letter_ends, set_ahead
from wayfront_gui.map.tile_marks import Tiles
from wayfront_gui.scene.areas import Areas
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.labels import Label
from wayfront_gui.scene.scene import Scene

FEW_NAMES = 400
"""Named roads and features of a network whose names need no thread."""
MARGIN = 128
"""Logical pixels round the view in which water and parks are drawn too, so that they are there when one pans."""


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    areas: Areas
    camera: Camera
    colours: MapColours
    image: QImage

    def covers(self, camera: Camera) -> bool:
        """Return whether it shows all that a camera sees, as large as that does."""
        return self.camera.scale == camera.scale and self.camera.extent.contains(camera.extent)


class Ground:
    """Keeps the last names and areas of one map, its ``owner``; ``update`` asks to paint it when there are others."""

    def __init__(self, update: Callable[[], object], owner: QObject) -> None:
        self._names, self._areas = (BackgroundWork(f"map {what}", owner) for what in ("names", "areas"))
        self._drawn: _Drawn | None = None
        self._tiles = Tiles(update, owner)
        self.facts, self.legend = KeptFacts(edge_facts), KeptFacts(legend_facts)
        for work in (self._names, self._areas):
            work.finished.connect(update)

    def labels(self, scene: Scene, camera: Camera, ratio: float) -> tuple[Label, ...]:
        """Return the names to paint now for a camera in logical pixels, until those of that camera are there."""
        names = scene.names
        if names is None or not scene.layers.names or not names.count:
            return ()
        if names.count <= FEW_NAMES:
            return names.layout(camera, letter_ends)
        if not names.fits(camera):
            colours = scene.style.colours
            self._names.start(lambda: set_ahead(names.layout(camera, letter_ends), colours, ratio))
        return names.at_hand(camera)

    def paint_tiles(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint background tiles for a camera in logical pixels as far as they are there."""
        if scene.shows_tiles:
            self._tiles.paint(painter, scene, camera)
        else:
            self._tiles.forget_missing()

    def paint_areas(self, painter: QPainter, scene: Scene, camera: Camera, ratio: float) -> None:
        """Paint water and parks for a camera in logical pixels as they were drawn last, and draw them anew."""
        areas, colours, drawn = scene.areas, scene.style.colours, self._drawn
        if areas is None or not scene.layers.areas:
            return
        wide = replace(
            camera,
            left=camera.left - MARGIN / camera.scale,
            top=camera.top + MARGIN / camera.scale,
            width=camera.width + 2 * MARGIN,
            height=camera.height + 2 * MARGIN,
        )
        same = drawn is not None and drawn.areas is areas and drawn.colours is colours
        if drawn is None or not same or not drawn.covers(camera):

            def draw() -> None:
                self._drawn = _Drawn(areas, wide, colours, picture(areas, wide, ratio, colours))

            self._areas.start(draw)
        if drawn is not None and same:
            left, top = camera.to_pixels(drawn.camera.left, drawn.camera.top)
            grown = camera.scale / drawn.camera.scale
            painter.drawImage(QRectF(left, top, drawn.camera.width * grown, drawn.camera.height * grown), drawn.image)

    def stop(self) -> None:
        """End the threads."""
        self._names.stop()
        self._areas.stop()
        self._tiles.stop()
