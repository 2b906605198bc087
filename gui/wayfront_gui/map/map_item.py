"""The graphics item of the map: an image of a coloured G-buffer, and the overlay on top."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QRegion
from PySide6.QtWidgets import QGraphicsObject, QWidget

from wayfront_gui.map.camera import Camera, WayBack
from wayfront_gui.map.frame import Frame, FrameShare, Painter
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.ground import Ground
from wayfront_gui.map.offscreen import image_over, logical
from wayfront_gui.map.overlay import paint_overlay, paint_way_back
from wayfront_gui.map.painting import text_units
from wayfront_gui.map.raster import MOST_COLUMNS, Drawing
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.map.shading import TILE_HEIGHT, TILE_WIDTH
from wayfront_gui.map.tiles import BackgroundWork
from wayfront_gui.session.formatting import milliseconds
from wayfront_gui.ui.translation import translated

log = logging.getLogger(__name__)

SLOW_RASTER_MS = 10.0
"""Rasters expected to last longer run on another thread, while the old image is shown."""
_MEASURED_FROM = 10_000.0
_SLOWEST_MS = 3e-4
"""Largest time of a unit of work: a first call may have compiled the kernel."""
_WORK_PER_PIXEL = 0.5
"""Work of a pixel of a short line, as a share of that of a line."""
_WORK_PER_PIXEL_ALONE = 1.6
"""That of a pixel of a line which ``line_blocks`` does not draw together with others."""
_NO_LEVELS = np.zeros(0, np.uint8)
"""Of a frame that is not rastered here: no drawing has them, so the next frame is rastered."""
_MARKER_MS = 33
"""How long the marker of a source that is dragged waits for its tree, to be painted with it: one picture, not two."""
_NO_TILES = np.zeros((0, 0), np.bool_)
_EVERYWHERE = QRectF(-1e9, -1e9, 2e9, 2e9)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    geometry: MapGeometry
    drawing: Drawing
    camera: Camera

    def draws_as(self, other: _Job) -> bool:
        """Return whether both make the same frame."""
        return self.camera == other.camera and self.drawing.levels is other.drawing.levels


class BackgroundRaster(QObject):
    """Rasters one frame at a time in a thread, then the latest one that was asked for meanwhile.

    A running raster is not stopped by a newer request: while a huge map is panned, no raster would ever be finished.
    ``stop`` stops it.
    """

    finished = Signal(object)
    """A ``Frame``, on the thread of this object."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._work = BackgroundWork("map raster", self)
        self._work.finished.connect(self._on_drawn)
        self._stop = np.zeros(1, np.uint8)
        self._running: _Job | None = None
        self._waiting: _Job | None = None
        self._frame: Frame | None = None

    @property
    def busy(self) -> bool:
        """Whether a frame is being rastered."""
        return self._work.busy

    def request(self, geometry: MapGeometry, drawing: Drawing, camera: Camera) -> None:
        """Ask for a frame; it replaces one that waits."""
        job = _Job(geometry, drawing, camera)
        self._waiting = None if self._running is not None and job.draws_as(self._running) else job
        self._start_waiting()

    def stop(self) -> None:
        """Stop a running raster, drop a waiting one, and join the thread (microseconds)."""
        self._stop[0] = 1
        self._work.stop()
        self._running = self._waiting = None

    def _start_waiting(self) -> None:
        if self._waiting is None or self._work.busy:
            return
        job, stop = self._waiting, np.zeros(1, np.uint8)
        self._running, self._waiting, self._stop, self._frame = job, None, stop, None

        def draw() -> None:
            self._frame = Frame.draw(job.geometry, job.drawing, job.camera, stop)

        self._work.start(draw)

    def _on_drawn(self) -> None:
        self._running = None
        if self._frame is not None:
            self.finished.emit(self._frame)
        self._start_waiting()


class Viewer(Protocol):
    """The widget that a map is seen in."""

    def camera(self) -> Camera:
        """Return from where the map is seen now."""

    def viewport(self) -> QWidget:
        """Return what it is painted on."""


class MapItem(QGraphicsObject):
    """Paints a scene in a view.

    Call ``refresh`` after a change of the scene; the G-buffer follows by itself when the camera or the lines'
    levels changed.
    """

    tree_painted = Signal(float)
    """A tree whose source is dragged was painted, so many milliseconds after the mouse moved there."""
    shown = Signal()
    """A network is painted for the first time."""
    _step_changed = Signal()

    def __init__(self, scene: Scene, view: Viewer) -> None:
        super().__init__()
        self.map_scene, self._view = scene, view
        self._step_changed.connect(self._on_step, Qt.ConnectionType.QueuedConnection)
        self._step_asked = False
        self._seen_whole: Camera | None = None
        self._unshown: NDArray[np.bool_] | None = None
        """The tiles coloured since a part of the map was last asked to be painted; None for all."""
        self.paintings = 0
        """How often it was painted."""
        self.frame: Frame | None = None
        self.asked_at: float | None = None
        """When a person moved the mouse to where the tree that is drawn next starts."""
        self.share: FrameShare | None = None
        """Where frames of other maps with this map's camera are found, in a race."""
        self._ms_per_work = 2e-5
        self._pixels = np.zeros((0, 0), np.uint32)
        self._image = QImage()
        self._stale = True
        self._failed = self._was_shown = False
        self._followed: Layer | None = None
        self._painter = Painter()
        self._background = BackgroundRaster(self)
        self._background.finished.connect(self._take_frame)
        self._ground = Ground(self.update, self)
        self._marker_due = QTimer(self)
        self._marker_due.setSingleShot(True)
        self._marker_due.setInterval(_MARKER_MS)
        self._marker_due.timeout.connect(self.update)

    def boundingRect(self) -> QRectF:
        """Return the whole plane: the item also paints the background."""
        return _EVERYWHERE

    @property
    def settled(self) -> bool:
        """Whether no raster is running."""
        return not self._background.busy

    def refresh(self) -> None:
        """Colour the frame again at the next paint."""
        self._stale = True
        self.update()

    def show_source(self) -> None:
        """Paint the source where it is now; while it is dragged, with its tree or a moment later."""
        if self.map_scene.moving is None:
            self.update()
        elif not self._marker_due.isActive():
            self._marker_due.start()

    def show_step(self) -> None:
        """Colour what another step changes, and paint that alone, unless more than the step is another by then."""
        self._stale = True
        if not self._step_asked:
            self._step_asked = True
            self._step_changed.emit()

    def _on_step(self) -> None:
        self._step_asked = False
        if self._stale and self.frame is not None and self._shows_whole(self.frame):
            self._shade(self.frame)
        changed, self._unshown = self._unshown, _NO_TILES
        if self._stale or changed is None or self.frame is None or not changed.any():
            self.update()
        else:
            self._view.viewport().update(tiles_region(changed, self.frame.camera.pixel_ratio))

    def _shows_whole(self, frame: Frame) -> bool:
        """Return whether the view is as it was painted last, so that nothing but a step can differ in it."""
        scene, view = self.map_scene, self._view
        if view is None or scene.moving is not None or scene.diagram is not None or self._background.busy:
            return False
        same = self._seen_whole is not None and view.camera() == self._seen_whole
        return same and scene.drawing(frame.camera).levels is frame.levels

    def forget_frame(self) -> None:
        """Drop the G-buffer, since it belongs to another network."""
        self._background.stop()
        self.frame = None
        self.refresh()

    def stop(self) -> None:
        """Stop the threads; the item starts others when it needs them."""
        self._marker_due.stop()
        self._background.stop()
        self._ground.stop()

    def paint(self, painter: QPainter, _option: Any, _widget: Any = None) -> None:
        """Paint the map over the whole viewport; an exception that reached Qt would end the program."""
        try:
            self._paint(painter)
        except Exception:
            if not self._failed:
                log.exception("the map could not be painted")
            self._failed = True

    def _paint(self, painter: QPainter) -> None:
        camera = self._camera_of(painter)
        scene = self.map_scene
        self.paintings += 1
        self._marker_due.stop()
        painter.resetTransform()
        if scene.geometry is not None and camera.width > 0 and camera.height > 0:
            self._update_frame(camera)
        area = QRectF(0, 0, camera.width / camera.pixel_ratio, camera.height / camera.pixel_ratio)
        if self.frame is None or self.frame.camera != camera:
            painter.fillRect(area, QColor(scene.style.colours.background))
        if self.frame is not None:
            self._shade(self.frame)
            if self.frame.camera == camera:
                painter.drawImage(QPointF(0, 0), self._image)
            else:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                painter.drawImage(_rectangle_under(self.frame.camera, camera), self._image)
        sharp = self.frame is not None and self.frame.camera == camera
        if sharp and not self._was_shown:
            self._was_shown = True
            self.shown.emit()
        self._seen_whole = self._view.camera() if sharp else None
        seen = logical(camera)
        paint_overlay(painter, scene, seen, self._ground)
        if scene.way_back is not None and sharp:
            with text_units(painter, scene.style, seen) as view:
                paint_way_back(painter, scene.style.colours, scene.way_back, view)
        if self.asked_at is not None:
            elapsed_ms = (time.perf_counter() - self.asked_at) * 1e3
            scene.mark(note=translated("{time} from mouse to map", time=milliseconds(elapsed_ms)))
            self.asked_at = None
            self.tree_painted.emit(elapsed_ms)

    def _camera_of(self, painter: QPainter) -> Camera:
        """Return the painter's camera; ``self.deviceTransform()`` without an argument would crash.

        The painter's world transform, not its device transform: a window paints all its widgets on one
        backing store, and the device transform also has the map's position in it.
        """
        view = self._view
        transform = painter.worldTransform()
        ratio = float(painter.device().devicePixelRatio())
        scale = transform.m11() * ratio
        width, height = round(view.viewport().width() * ratio), round(view.viewport().height() * ratio)
        left, top = -transform.dx() / transform.m11(), transform.dy() / transform.m11()
        return Camera(scale, left, top, width, height, ratio, self.map_scene.style.colours.thickness)

    def _update_frame(self, camera: Camera) -> None:
        geometry = self.map_scene.geometry
        assert geometry is not None
        moving = self.map_scene.moving
        if moving is not None and moving.picture is not None and self.map_scene.diagram is None:
            if moving is not self._followed:
                its_camera, gbuffer = moving.picture
                self.frame, self._stale = Frame(its_camera, _NO_LEVELS, gbuffer, 0.0), True
                self._followed = moving
            return
        self._followed = None
        drawing = self.map_scene.drawing(camera)
        if self.frame is not None and self.frame.camera == camera and self.frame.levels is drawing.levels:
            return
        if self.share is not None and (frame := self.share.find(geometry, camera, drawing.levels)) is not None:
            self.frame, self._stale = frame, True
            return
        moved = None if self.frame is None else self.frame.moved(geometry, drawing, camera)
        if moved is None and _work(geometry, drawing, camera) * self._ms_per_work > SLOW_RASTER_MS:
            if self.share is None or self.share.may_ask(self, camera, drawing.levels):
                self._background.request(geometry, drawing, camera)
            return
        self._background.stop()
        if moved is not None:
            self._keep(moved)
            return
        frame = Frame.draw(geometry, drawing, camera)
        self._keep(frame)
        self._learn(frame)

    def _take_frame(self, frame: Frame) -> None:
        self._keep(frame)
        self._learn(frame)
        self.update()

    def _keep(self, frame: Frame) -> None:
        assert self.map_scene.geometry is not None
        self.frame = frame
        self._stale = True
        extent = frame.camera.extent
        # A diagram is painted over the lines, of which the frame has none then.
        seen = self.map_scene.diagram is not None and bool(self.map_scene.geometry.nodes_in(extent).any())
        self.map_scene.way_back = None if seen else WayBack.of(self.map_scene.geometry, frame.gbuffer, extent.middle)
        if self.share is not None:
            self.share.keep(self, self.map_scene.geometry, frame)

    def _learn(self, frame: Frame) -> None:
        """Learn from a frame how fast this machine rasters."""
        geometry = self.map_scene.geometry
        assert geometry is not None
        work = _work(geometry, self.map_scene.drawing(frame.camera), frame.camera)
        if work > _MEASURED_FROM:
            self._ms_per_work = min(0.7 * self._ms_per_work + 0.3 * frame.raster_ms / work, _SLOWEST_MS)

    def _shade(self, frame: Frame) -> None:
        if self._pixels.shape != frame.gbuffer.shape:
            self._pixels = np.zeros(frame.gbuffer.shape, np.uint32)
            self._image = image_over(self._pixels)
            self._stale = True
        if self._stale and frame.by_line != (self.map_scene.node_colours.flow is not None):
            return  # its pixels hold other things than what has colours now: the next frame is being drawn
        if self._stale:
            self._painter.paint(frame, self.map_scene, self._pixels)
            self._unshown = _both(self._unshown, self._painter.changed)
            self._image.setDevicePixelRatio(frame.camera.pixel_ratio)
            self._stale = False


def _both(some: NDArray[np.bool_] | None, others: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """Return which tiles are among some or others; None stands for all."""
    if some is None or others is None:
        return None
    if some is _NO_TILES:
        return others
    return some | others if some.shape == others.shape else None


def _work(geometry: MapGeometry, drawing: Drawing, camera: Camera) -> float:
    """Return about how much work rastering a view is, in lines of no length."""
    length = min(geometry.typical_line * camera.scale, float(max(camera.width, camera.height)))
    pixels = length * float(drawing.weights.width[0])
    short = pixels + 1 <= MOST_COLUMNS
    per_line = 1 + _WORK_PER_PIXEL * pixels if short else _WORK_PER_PIXEL_ALONE * pixels
    return geometry.visible_lines(camera.extent) * per_line


def _rectangle_under(old: Camera, new: Camera) -> QRectF:
    """Return the rectangle of an image made for one camera in the view of another, in logical pixels."""
    ratio = new.pixel_ratio
    left, top = new.to_pixels(old.left, old.top)
    grow = new.scale / old.scale / ratio
    return QRectF(left / ratio, top / ratio, old.width * grow, old.height * grow)


def tiles_region(changed: NDArray[np.bool_], ratio: float) -> QRegion:
    """Return the region, in logical pixels, of the tiles that changed, bool [rows, columns].

    Of each row from the first to the last: a region of many pieces costs more than it saves.
    """
    region = QRegion()
    for row in np.flatnonzero(changed.any(axis=1)).tolist():
        columns = np.flatnonzero(changed[row])
        left, right = int(columns[0]) * TILE_WIDTH, (int(columns[-1]) + 1) * TILE_WIDTH
        top, bottom = row * TILE_HEIGHT, (row + 1) * TILE_HEIGHT
        corner = math.floor(left / ratio), math.floor(top / ratio)
        region += QRect(*corner, math.ceil(right / ratio) - corner[0], math.ceil(bottom / ratio) - corner[1])
    return region
