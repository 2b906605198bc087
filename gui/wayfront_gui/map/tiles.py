"""Painting background tiles: mixed into the map so that the roads stay what one sees."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator

import numpy as np
from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QImage, QPainter

from wayfront.safe.errors import OpenCancelled
from wayfront.sources.tiles import Tile, TileStore, tiles_in
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.painting import has_pixels
from wayfront_gui.map.scene import Scene

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
    bounds = None if scene.around.plane is None else scene.around.plane.degrees(camera.extent)
    return iter(()) if bounds is None else tiles_in(*bounds, 1 / camera.scale)


def _paint(painter: QPainter, scene: Scene, camera: Camera, tiles: list[tuple[Tile, QImage | None]]) -> None:
    assert scene.around.plane is not None
    modes = QPainter.CompositionMode
    dark = scene.style.colours.glow_adds
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setCompositionMode(modes.CompositionMode_Lighten if dark else modes.CompositionMode_Multiply)
    for tile, image in tiles:
        if image is not None:
            west, south, east, north = (round(1e6 * degrees) for degrees in tile.bounds)
            place = scene.around.plane.extent(west, south, east, north)
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


log = logging.getLogger(__name__)


class BackgroundWork(QObject):
    """Runs one piece of work after the other; who asks while one runs asks again when it has finished.

    It belongs to ``parent`` and ends with it. Without one, Python's collector of garbage might delete it, in whatever
    thread that runs, while the window's thread hands it a signal.
    """

    finished = Signal()
    """A piece of work is done, on the thread of this object."""
    _done = Signal(int)

    def __init__(self, name: str, parent: QObject) -> None:
        super().__init__(parent)
        self._name, self._generation = name, 0
        self._thread: threading.Thread | None = None
        self._done.connect(self._on_done)

    @property
    def busy(self) -> bool:
        """Whether a piece of work runs."""
        return self._thread is not None

    def start(self, work: Callable[[], object]) -> None:
        """Do a piece of work unless another one runs."""
        if self._thread is None:
            arguments = (work, self._generation)
            self._thread = threading.Thread(target=self._run, args=arguments, name=self._name, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Join the thread (a fraction of a second at most); that it has finished is not told."""
        self._generation += 1
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, work: Callable[[], object], generation: int) -> None:
        try:
            work()
        except Exception:
            log.exception("%s could not be made", self._name)  # the next piece may be
        self._done.emit(generation)

    def _on_done(self, generation: int) -> None:
        if generation == self._generation:
            self.stop()
            self.finished.emit()
