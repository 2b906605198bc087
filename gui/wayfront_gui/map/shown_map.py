"""What a map in the window shows: a network, and on it a search, a tree, routes, closed roads and more."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent, QImage, QKeyEvent, QResizeEvent, QTransform, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QWidget

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.map import offscreen
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.map_item import MapItem
from wayfront_gui.map.offscreen import fitting_camera
from wayfront_gui.map.overlay import mark_area
from wayfront_gui.map.scene import Layer, Scene


class Placed(Protocol):
    """What lies somewhere on the plane."""

    @property
    def extent(self) -> Extent:
        """What to show so that it is seen with its surroundings."""


_WHEEL_BASE = 1.0015
"""Zoom factor of one unit of wheel rotation (a notch has 120)."""
_FRAME_MS = 16
_SHARE = 0.3
"""How much of what is left to zoom a frame takes."""
_LAST = 0.004
"""Less than this is left to no other frame, as a natural logarithm."""


class EasedZoom(QObject):
    """Zooms by ``zoom(factor, at)`` until all that the wheel was turned is done; the first part at once."""

    def __init__(self, zoom: Callable[[float, QPointF], None], parent: QObject) -> None:
        super().__init__(parent)
        self._zoom = zoom
        self._left = 0.0
        self._at = QPointF()
        self._frames = QTimer(self)
        self._frames.setInterval(_FRAME_MS)
        self._frames.timeout.connect(self._step)

    @staticmethod
    def factor(rotation: float) -> float:
        """Return by what factor a rotation of the wheel zooms in the end."""
        return float(_WHEEL_BASE**rotation)

    def turn(self, rotation: float, at: QPointF) -> None:
        """Zoom further, about a place in widget coordinates; turning back begins anew from what is seen."""
        further = math.log(self.factor(rotation))
        self._left = further if self._left * further < 0 else self._left + further
        self._at = at
        if not self._frames.isActive():
            self._frames.start()
            self._step()

    def stop(self) -> None:
        """Zoom no further."""
        self._left = 0.0
        self._frames.stop()

    def _step(self) -> None:
        part = self._left * _SHARE if abs(self._left) > _LAST else self._left
        self._left -= part
        self._zoom(math.exp(part), self._at)
        if not self._left:
            self._frames.stop()


_WIDEST = 0.25
"""Smallest zoom, as a share of the zoom that fits the network."""
_CLOSEST_LINE_PIXELS = 800.0
"""Largest zoom, as the length of a typical line."""
_REST_MS = 150
"""How long a view rests before colours are fitted to it: they would flicker while it moves."""


class ShownMap(QGraphicsView):
    """A scene that is seen with a camera; the wheel zooms at the cursor.

    It is changed in ``changing``, or by what takes less than that to be painted.
    """

    view_changed = Signal()
    """Panned, zoomed, or resized."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.map_scene = Scene()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        items = QGraphicsScene(self)
        items.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.setScene(items)
        self._wanted = self._seen = QRectF(0.0, 0.0, 1.0, 1.0)
        self.map_item = MapItem(self.map_scene, self)
        items.addItem(self.map_item)
        self._fits = True
        self._part: tuple[int, int] | None = None
        self._foot = 0
        self._eased = EasedZoom(self.zoom, self)
        self.colours_fitted = False
        """Whether the part of the map that is seen has all colours of distance."""
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._fit_colours)
        self.view_changed.connect(self._on_view_changed)

    def set_network(self, network: RoadNetwork | None) -> None:
        """Show a network, whole and without a search; None shows an empty map.

        A network without coordinates also shows an empty map; the scene's message says why. Raises ``NetworkError``
        for one with more nodes than a pixel can name.
        """
        drawable = network if network is not None and network.coordinates is not None else None
        old = self.map_scene
        self.map_scene = Scene.of(drawable, old.style)
        self.map_scene.message, self.map_scene.scale_bar = old.message, old.scale_bar
        self.map_scene.wanted, self.map_scene.legends_beside = old.wanted, old.legends_beside
        self.map_item.map_scene = self.map_scene
        self.map_item.forget_frame()
        self.fit()

    @contextmanager
    def changing(self) -> Iterator[Scene]:
        """Let the scene be changed, and paint it soon; the roads too if they are coloured in another way then."""
        scene, before = self.map_scene, self.map_scene.shading
        yield scene
        if scene.shading == before:
            self.map_item.update()
        else:
            self.map_item.refresh()

    def show_step(self, step: float, *, settled: bool = False) -> None:
        """Show the search at a step, which may be fractional; below 0 nothing is reached.

        ``settled`` shows all pairs found, without the glow of a step.
        """
        scene = self.map_scene
        scene.mode, scene.step, scene.settled = "search", float(step), settled
        self.map_item.show_step()

    def set_source(self, node: int | None) -> None:
        """Move the source marker, or take it away."""
        self.map_scene.mark(source=node)
        self.map_item.show_source()

    # ------------------------------------------------------------------------------------------------ layers

    def show_legend_beside(self, name: str, beside: bool) -> None:
        """Leave the legend of the layer of that name to a panel beside the map, or have it on the map."""
        with self.changing() as scene:
            scene.legends_beside = scene.legends_beside | {name} if beside else scene.legends_beside - {name}

    def put(self, layer: Layer) -> None:
        """Show a layer in place of another one with its key."""
        self.set_layer(layer.key, layer)

    def take_away(self, key: str) -> None:
        """Show no layer with a key any more."""
        self.set_layer(key, None)

    def set_layer(self, key: str, layer: Layer | None) -> None:
        """Show a layer in place of that with a key, or none; a diagram makes room for what is painted above it."""
        if layer == self.map_scene.layers.get(key):
            return
        with self.changing() as scene:
            head = scene.edges.head
            if layer is None:
                scene.take_away(key)
            else:
                scene.put(layer)
        if head != scene.edges.head and self._fits and scene.diagram is not None:
            self.fit()

    def set_dragged(self, drawn: Layer | None, asked_at: float) -> None:
        """Show the picture of a tree that follows the mouse, asked for at a ``time.perf_counter()``; None ends that."""
        if drawn is None:
            self.map_scene.mark(note="")
        self.map_item.asked_at = None if drawn is None else asked_at
        self.set_layer("dragged", drawn)
        self.map_item.refresh()

    def point_at(self, node: int) -> None:
        """Mark a node that the pointer is over on another map, or in a panel; -1 for none."""
        with self.changing() as scene:
            scene.mark(hovered=node if node >= 0 else None)

    # ------------------------------------------------------------------------------------------------ the camera

    def camera(self) -> Camera:
        """Return from where the map is seen now, in physical pixels."""
        ratio = float(self.devicePixelRatioF())
        size = self.viewport().size()
        view = self._view()
        width, height = round(size.width() * ratio), round(size.height() * ratio)
        scale, thickness = size.width() * ratio / (view.width() or 1.0), self.map_scene.style.colours.thickness
        return Camera(scale, view.left(), view.bottom(), width, height, ratio, thickness)

    def fit(self) -> None:
        """Show the whole network, and keep doing so when the window is resized."""
        geometry = self.map_scene.geometry
        if geometry is not None:
            self.look_at(self._fitting().extent)
        self._fits = True

    def show_region(self, index: int) -> None:
        """Show one of the network's regions, counted from that with the most nodes; the first is where a map begins."""
        geometry = self.map_scene.geometry
        if index == 0 or geometry is None:
            self.fit()
        else:
            self.look_at(self._fitting(geometry.regions[index]).extent)

    def show_roads(self, roads: Placed | None) -> None:
        """Show where roads are, with what is round them."""
        if roads is not None:
            self.look_at(self._fitting(roads.extent).extent)

    def show_part(self, offset: int, whole_width: int) -> None:
        """Fit networks as if this were the part of a map ``whole_width`` logical pixels wide, from ``offset`` on."""
        self._part = (offset, whole_width)

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom in (above 1) or out, keeping the point under ``at`` (widget coordinates; default the middle)."""
        geometry = self.map_scene.geometry
        if geometry is None:
            return
        camera = self.camera()
        least = self._fitting().scale * _WIDEST
        most = max(_CLOSEST_LINE_PIXELS * camera.pixel_ratio / geometry.typical_line, least)
        scale = min(max(camera.scale * factor, least), most)
        column, row = self._pixel(at) if at is not None else (camera.width / 2, camera.height / 2)
        x, y = camera.to_plane(column, row)
        self.look_at(Camera(scale, x - column / scale, y + row / scale, camera.width, camera.height).extent)

    def go_back(self, at: QPointF) -> bool:
        """Go to the nearest part of the map if ``at`` is on the mark that points to it; return whether it is."""
        way, room, unit = self.map_scene.way_back, self.viewport().size(), self.map_scene.style.text_scale
        if way is None or not mark_area(room.width() / unit, room.height() / unit).contains(at / unit):
            return False
        self.look_at(self.camera().extent.moved(way.east, way.north))
        return True

    def pan(self, dx: float, dy: float) -> None:
        """Move the map by logical pixels, to the right and down."""
        if self.map_scene.geometry is None:
            return
        camera = self.camera()
        metres = camera.pixel_ratio / camera.scale
        self.look_at(camera.extent.moved(-dx * metres, dy * metres))

    def picture(self, width: int, height: int, scale: float = 1) -> Callable[[], QImage]:
        """Return what draws the view as it is now (see ``offscreen.render``), on whatever thread it is called."""
        extent = self.seen
        return partial(offscreen.render, replace(self.map_scene), width, height, scale, extent)

    def _fitting(self, extent: Extent | None = None) -> Camera:
        assert self.map_scene.geometry is not None
        ratio, size = float(self.devicePixelRatioF()), self.viewport().size()
        width, height = max(round(size.width() * ratio), 1), max(round(size.height() * ratio), 1)
        offset, whole_width = (0, size.width()) if self._part is None else self._part
        camera = fitting_camera(self.map_scene, max(round(whole_width * ratio), 1), height, ratio, extent)
        return replace(camera, left=camera.left + offset * ratio / camera.scale, width=width)

    @property
    def seen(self) -> Extent | None:
        """What is seen of the map; None where that is the whole network, or nothing."""
        return None if self._fits or self.map_scene.geometry is None else self.camera().extent

    @property
    def size_seen(self) -> float:
        """How large the map is seen, as a share of the size with which it is fitted whole."""
        return self.camera().scale / self._fitting().scale

    def look_at(self, extent: Extent) -> None:
        """Show this part of the plane."""
        self._fits = False
        self._wanted = QRectF(extent.left, extent.bottom, extent.width, extent.height)
        self._place()
        self.view_changed.emit()

    def _pixel(self, pos: QPointF) -> tuple[float, float]:
        ratio = self.devicePixelRatioF()
        return pos.x() * ratio, pos.y() * ratio

    def _view(self) -> QRectF:
        """Return what is seen: all that is wanted, in its middle, in the shape of the widget; y grows upward in it."""
        size, wanted = self.viewport().size(), self._wanted
        if not (size.width() and size.height()):
            return wanted
        metres = max(wanted.width() / size.width(), wanted.height() / size.height()) or 1.0
        seen = QRectF(0.0, 0.0, size.width() * metres, size.height() * metres)
        seen.moveCenter(wanted.center())
        return seen

    def _place(self) -> None:
        """Have the plane where it is seen."""
        view, width = self._view(), self.viewport().width()
        self._seen = view
        scale = width / (view.width() or 1.0)
        self.map_item.setTransform(QTransform(scale, 0.0, 0.0, -scale, -view.left() * scale, view.bottom() * scale))

    # ------------------------------------------------------------------------------------------------ colours

    def set_colours_fitted(self, fitted: bool) -> None:
        """Give all colours of distance to what is seen of the map, or to the whole map."""
        self.colours_fitted = fitted
        self._fit_colours()

    def _on_view_changed(self) -> None:
        if self.colours_fitted:
            self._rest.start()

    def _fit_colours(self) -> None:
        self.map_scene.fit_colours(self.camera().extent if self.colours_fitted else None)
        self.map_item.refresh()

    # ------------------------------------------------------------------------------------------------ moving on

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the cursor: by notches of a wheel softly, with a touchpad as the fingers move."""
        if event.pixelDelta().isNull():
            self._eased.turn(event.angleDelta().y(), event.position())
        else:
            self.zoom(EasedZoom.factor(event.angleDelta().y()), event.position())
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep showing the whole network if that was shown; else what is seen stays where it is below a message."""
        # The base class resizes itself before the map is there.
        if getattr(self, "map_item", None) is None:
            super().resizeEvent(event)
            return
        seen, foot = self._seen, self.mapTo(self.window(), QPoint(0, self.height())).y()
        super().resizeEvent(event)
        self.setSceneRect(QRectF(self.viewport().rect()))
        if self._fits:
            self.fit()
        elif foot == self._foot and event.size().width() == event.oldSize().width():
            grown = (event.size().height() - event.oldSize().height()) * seen.width() / max(event.size().width(), 1)
            self.look_at(Extent(seen.left(), seen.top(), seen.right(), seen.bottom() + grown))
        else:
            self.view_changed.emit()
        self._place()
        self._foot = foot

    def sizeHint(self) -> QSize:
        """Return a large size: the map is the main part of the window."""
        return QSize(1200, 800)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop moving, and the raster thread, while the map is hidden."""
        self._stand_still()
        super().hideEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave keys to the window: a map has nothing to scroll."""
        event.ignore()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop moving for good, and the raster thread."""
        self._stand_still()
        super().closeEvent(event)

    def _stand_still(self) -> None:
        self._eased.stop()
        self._rest.stop()
        self.map_item.stop()
