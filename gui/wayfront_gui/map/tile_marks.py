"""Painting background tiles: mixed into the map so that the roads stay what one sees."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator

import numpy as np
from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QImage, QPainter

from wayfront.errors import OpenCancelled
from wayfront.sources.tiles import Tile, TileStore, tiles_in
from wayfront_gui.map.background_work import BackgroundWork
from wayfront_gui.map.text_units import has_pixels
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.scene import Scene

MOST_PICTURES = 400
"""Tiles that are kept as pictures, a quarter of a megabyte each."""
_DARK, _LIGHT = 0.30, 0.55
"""How strong tiles are on a dark map, where they are inverted, and on a light one."""
_SIDE = 256
_AT_ONCE = 4
"""Tiles after which those that came are shown."""


class Tiles:
    """The tiles of one map, its ``owner``, fetched by a thread as they are looked at."""

    def __init__(self, update: Callable[[], object], owner: QObject) -> None:
        self._store = TileStore()
        self._pictures: OrderedDict[tuple[Tile, bool], QImage | None] = OrderedDict()
        self._work = BackgroundWork("map tiles", owner)
        self._work.finished.connect(update)
        self._cancel = threading.Event()

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the tiles that are there for a camera in logical pixels, and fetch the others."""
        dark = scene.style.colours.glow_adds
        wanted = list(_seen(scene, camera))
        missing = [tile for tile in wanted if (tile, dark) not in self._pictures]
        if missing:
            self._work.start(lambda: self._fetch(missing[:_AT_ONCE], dark))
        _paint(painter, scene, camera, [(tile, self._pictures.get((tile, dark))) for tile in wanted])

    def stop(self) -> None:
        """End the thread, whatever it waits for."""
        self._cancel.set()
        self._work.stop()
        self._cancel.clear()

    def forget_missing(self) -> None:
        """Ask again for tiles that could not be had, when tiles are wanted the next time."""
        for key in [key for key, image in self._pictures.items() if image is None]:
            del self._pictures[key]

    def _fetch(self, tiles: list[Tile], dark: bool) -> None:
        for tile in tiles:
            try:
                self._pictures[tile, dark] = _toned(self._store.fetch(tile, self._cancel), dark)
            except OpenCancelled:
                return
        while len(self._pictures) > MOST_PICTURES:
            self._pictures.popitem(last=False)


def paint_kept_tiles(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint the tiles that are in the cache: exports ask no server."""
    if scene.shows_tiles and has_pixels(painter, scene.style):
        store, dark = TileStore(), scene.style.colours.glow_adds
        _paint(painter, scene, camera, [(tile, _toned(store.kept(tile), dark)) for tile in _seen(scene, camera)])


def _seen(scene: Scene, camera: Camera) -> Iterator[Tile]:
    bounds = None if scene.plane is None else scene.plane.degrees(camera.extent)
    return iter(()) if bounds is None else tiles_in(*bounds, 1 / camera.scale)


def _paint(painter: QPainter, scene: Scene, camera: Camera, tiles: list[tuple[Tile, QImage | None]]) -> None:
    assert scene.plane is not None
    modes = QPainter.CompositionMode
    dark = scene.style.colours.glow_adds
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setCompositionMode(modes.CompositionMode_Lighten if dark else modes.CompositionMode_Multiply)
    for tile, image in tiles:
        if image is not None:
            west, south, east, north = (round(1e6 * degrees) for degrees in tile.bounds)
            place = scene.plane.extent(west, south, east, north)
            left, top = camera.to_pixels(place.left, place.top)
            painter.drawImage(QRectF(left, top, place.width * camera.scale, place.height * camera.scale), image)
    painter.restore()


def _toned(content: bytes | None, dark: bool) -> QImage | None:
    """Return a tile as a picture that lets roads be seen, None for no tile and for one that is no picture."""
    image = QImage.fromData(content) if content is not None else QImage()
    if image.isNull() or not 0 < image.width() <= 4 * _SIDE or not 0 < image.height() <= 4 * _SIDE:
        return None
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.bits(), np.uint8)
    pixels[:] = (255 - pixels) * _DARK if dark else 255 - (255 - pixels) * _LIGHT
    pixels[3::4] = 255
    return image
