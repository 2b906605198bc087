"""What a map in the window shows: a network, and on it a search, a tree, routes, closed roads and more."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent, QImage, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QGraphicsView, QWidget

from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.trace.schema import Trace
from wayfront_gui.map import offscreen
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.map_item import MapItem
from wayfront_gui.map.offscreen import fitting_camera
from wayfront_gui.map.overlay import mark_area
from wayfront_gui.map.scene import Layer, Layers, Scene
from wayfront_gui.map.style import Style
from wayfront_gui.session.pairs import Measure, Pairs


class Placed(Protocol):
    """What lies somewhere on the plane."""

    @property
    def extent(self) -> Extent:
        """What to show so that it is seen with its surroundings."""


class ShownMap(pg.GraphicsView):
    """A scene in a view: each ``set_…`` and ``show_…`` changes the scene and paints it soon."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, useOpenGL=False, background=None)
        self.map_scene = Scene()
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._box = pg.ViewBox(lockAspect=1.0, enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self._box.disableAutoRange()
        self.setCentralItem(self._box)
        self.map_item = MapItem(self.map_scene)
        self._box.addItem(self.map_item, ignoreBounds=True)

    def set_network(self, network: RoadNetwork | None) -> None:
        """Show a network, whole and without a search; None shows an empty map.

        A network without coordinates also shows an empty map; ``set_message`` says why. Raises ``NetworkError``
        for one with more nodes than a pixel can name.
        """
        drawable = network if network is not None and network.coordinates is not None else None
        old = self.map_scene
        self.map_scene = Scene.of(drawable, old.style)
        self.map_scene.message, self.map_scene.scale_bar = old.message, old.scale_bar
        self.map_scene.wanted = old.wanted
        self.map_item.map_scene = self.map_scene
        self.map_item.forget_frame()

    def set_message(self, text: str) -> None:
        """Set the sentence that is shown in the middle while there is no map."""
        self.map_scene.message = text
        self.map_item.refresh()

    def set_result(self, result: Result | None) -> None:
        """Show a finished search (mode and step stay), or none. Raises ``NetworkError`` if of another network."""
        if result is None:
            self.map_scene.forget_search()
        else:
            self.map_scene.show_result(result)
        self.map_item.refresh()

    def set_live(self, trace: Trace, distances: NDArray[Any] | None) -> None:
        """Show a search that still runs, at its latest step. Raises ``NetworkError`` if of another network."""
        self.map_scene.show_live(trace, distances)
        self.map_item.refresh()

    def set_pairs(self, pairs: Pairs, measure: Measure) -> None:
        """Show what a search for all pairs found so far (step and route stay). Raises ``NetworkError`` as above."""
        self.map_scene.show_pairs(pairs, measure)
        self.map_item.refresh()

    def show_step(self, step: float, *, settled: bool = False) -> None:
        """Show the search at a step, which may be fractional; below 0 nothing is reached.

        ``settled`` shows all pairs found, without the glow of a step.
        """
        scene = self.map_scene
        scene.mode, scene.step, scene.settled = "search", float(step), settled
        self.map_item.show_step()

    def show_tree(self) -> None:
        """Show the finished tree of the result."""
        self.map_scene.mode = "tree"
        self.map_item.refresh()

    def set_source(self, node: int | None) -> None:
        """Move the source marker, or take it away."""
        self.map_scene.mark(source=node)
        self.map_item.show_source()

    def set_route(
        self, nodes: NDArray[np.int32] | None, further: Sequence[NDArray[np.int32]] = (), targets: tuple[int, ...] = ()
    ) -> None:
        """Show a route, the nodes from the source to the target, and further ones to others of the ``targets``.

        None or empty shows none.
        """
        self.map_scene.set_route(nodes, further, targets)
        self.map_item.update()

    def set_target(self, node: int | None) -> None:
        """Move the target marker, or take it away, while the route to it is not known."""
        self.map_scene.mark(target=node)
        self.map_item.update()

    # ------------------------------------------------------------------------------------------------ layers

    def put(self, layer: Layer) -> None:
        """Show a layer in place of another one with its key."""
        self.set_layer(layer.key, layer)

    def take_away(self, key: str) -> None:
        """Show no layer with a key any more."""
        self.set_layer(key, None)

    def set_layer(self, key: str, layer: Layer | None) -> None:
        """Show a layer in place of that with a key, or none, and paint what that changes.

        Roads are painted too if they are or were coloured by it.
        """
        scene, before = self.map_scene, self.map_scene.layers.get(key)
        if layer == before:
            return
        recoloured = scene.node_colours
        if layer is None:
            scene.take_away(key)
        else:
            scene.put(layer)
        if scene.node_colours is recoloured:
            self.map_item.update()
        else:
            self.map_item.refresh()

    def set_dragged(self, drawn: Layer | None, asked_at: float) -> None:
        """Show the picture of a tree that follows the mouse, asked for at a ``time.perf_counter()``; None ends that."""
        if drawn is None:
            self.map_scene.mark(note="")
        self.map_item.asked_at = None if drawn is None else asked_at
        self.set_layer("dragged", drawn)
        self.map_item.refresh()

    def set_theme(self, name: str) -> None:
        """Choose one of ``ui.theme.THEMES``."""
        self._set_style(replace(self.map_scene.style, theme_name=name))

    def set_colour_map(self, name: str) -> None:
        """Choose one of ``ui.colour_maps.COLOUR_MAPS``."""
        self._set_style(replace(self.map_scene.style, colour_map=name))

    def set_text_scale(self, scale: float) -> None:
        """Have texts and marks ``scale`` times their usual size."""
        self._set_style(replace(self.map_scene.style, text_scale=scale))

    def set_layers(self, layers: Layers) -> None:
        """Show names, water and parks, or not."""
        self.map_scene.wanted = layers
        self.map_item.refresh()

    def set_scale_bar(self, visible: bool) -> None:
        """Show a scale bar or not: it means nothing on a layout that is not a map."""
        self.map_scene.scale_bar = visible
        self.map_item.update()

    def _set_style(self, style: Style) -> None:
        self.map_scene.style = style
        self.map_item.refresh()

    def point_at(self, node: int) -> None:
        """Mark a node that the pointer is over on another map, -1 for none."""
        self.map_scene.mark(hovered=node if node >= 0 else None)
        self.map_item.update()

    def sizeHint(self) -> QSize:
        """Return a large size: the map is the main part of the window."""
        return QSize(1200, 800)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the raster thread while the map is hidden."""
        self.map_item.stop()
        super().hideEvent(event)

    def close(self) -> bool:
        """Close the widget. What pyqtgraph does here instead, taking the viewport away, crashes Qt 6.11."""
        return QWidget.close(self)

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the raster thread."""
        self.map_item.stop()
        super().closeEvent(event)


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


class MovingMap(ShownMap):
    """A map that is seen with a camera; the wheel zooms at the cursor."""

    view_changed = Signal()
    """Panned, zoomed, or resized."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fits = True
        self._part: tuple[int, int] | None = None
        self._covered = 0
        self._eased = EasedZoom(self.zoom, self)
        self.colours_fitted = False
        """Whether the part of the map that is seen has all colours of distance."""
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._fit_colours)
        self.view_changed.connect(self._on_view_changed)

    def camera(self) -> Camera:
        """Return from where the map is seen now, in physical pixels."""
        ratio = float(self.devicePixelRatioF())
        size = self.viewport().size()
        view = self._box.viewRect()
        width, height = round(size.width() * ratio), round(size.height() * ratio)
        # A ViewBox's rectangle has its origin at the bottom: y grows upward in it.
        scale, thickness = size.width() * ratio / (view.width() or 1.0), self.map_scene.style.colours.thickness
        return Camera(scale, view.left(), view.bottom(), width, height, ratio, thickness)

    def fit(self) -> None:
        """Show the whole network, and keep doing so when the window is resized."""
        geometry = self.map_scene.geometry
        if geometry is not None:
            self.look_at(self._fitting().extent)
        self._fits = True

    def set_network(self, network: RoadNetwork | None) -> None:
        """Show a network whole, as ``ShownMap`` does."""
        super().set_network(network)
        self.fit()

    def set_layer(self, key: str, layer: Layer | None) -> None:
        """Show a layer or none, as ``ShownMap`` does; a diagram makes room for what is painted above it."""
        head = self.map_scene.edges.head
        super().set_layer(key, layer)
        if head != self.map_scene.edges.head and self._fits and self.map_scene.diagram is not None:
            self.fit()

    def leave_room(self, height: int) -> None:
        """Show a diagram that is seen whole below what covers so many pixels of the upper edge, such as a message.

        A road map stays where it is: it has its margins, and to draw it anew takes longer than most messages.
        """
        if height != self._covered:
            self._covered = height
            if self._fits and self.map_scene.diagram is not None:
                self.fit()

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
        extent = self.camera().extent
        east, north = way.east, way.north
        self.look_at(Extent(extent.left + east, extent.bottom + north, extent.right + east, extent.top + north))
        return True

    def pan(self, dx: float, dy: float) -> None:
        """Move the map by logical pixels, to the right and down."""
        if self.map_scene.geometry is None:
            return
        extent, camera = self.camera().extent, self.camera()
        right, up = -dx * camera.pixel_ratio / camera.scale, dy * camera.pixel_ratio / camera.scale
        self.look_at(Extent(extent.left + right, extent.bottom + up, extent.right + right, extent.top + up))

    def picture(self, width: int, height: int, scale: float = 1) -> Callable[[], QImage]:
        """Return what draws the view as it is now (see ``offscreen.render``), on whatever thread it is called."""
        extent = self.seen
        return partial(offscreen.render, replace(self.map_scene), width, height, scale, extent)

    def _fitting(self, extent: Extent | None = None) -> Camera:
        assert self.map_scene.geometry is not None
        ratio, size = float(self.devicePixelRatioF()), self.viewport().size()
        width, height = max(round(size.width() * ratio), 1), max(round(size.height() * ratio), 1)
        offset, whole_width = (0, size.width()) if self._part is None else self._part
        camera = fitting_camera(
            self.map_scene, max(round(whole_width * ratio), 1), height, ratio, extent, covered=self._covered * ratio
        )
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
        self._box.setRange(QRectF(extent.left, extent.bottom, extent.width, extent.height), padding=0)
        self.view_changed.emit()

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

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keep showing the whole network if that was shown."""
        super().resizeEvent(event)
        # The base class resizes itself before the map is there.
        if getattr(self, "map_item", None) is None:
            return
        if self._fits:
            self.fit()
        else:
            self.view_changed.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop moving while the map is hidden."""
        self._stand_still()
        super().hideEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop moving for good."""
        self._stand_still()
        super().closeEvent(event)

    def _stand_still(self) -> None:
        self._eased.stop()
        self._rest.stop()
