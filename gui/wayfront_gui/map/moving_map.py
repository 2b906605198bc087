"""From where a map in the window is seen: fitted, panned, zoomed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent, QImage, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.map import offscreen
from wayfront_gui.map.eased_zoom import EasedZoom
from wayfront_gui.map.shown_map import ShownMap
from wayfront_gui.map.way_back_mark import mark_area
from wayfront_gui.model.race import Caption
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.scene.fitting import fitting_camera
from wayfront_gui.scene.geometry import Extent

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

    def set_caption(self, caption: Caption | None) -> None:
        """Say what races here, as ``ShownMap`` does; a small graph makes room for that."""
        begun = (caption is None) != (self.map_scene.caption is None)
        super().set_caption(caption)
        if begun and self._fits and self.map_scene.graph is not None:
            self.fit()

    def show_region(self, index: int) -> None:
        """Show one of the network's regions, counted from that with the most nodes; the first is where a map begins."""
        geometry = self.map_scene.geometry
        if index == 0 or geometry is None:
            self.fit()
        else:
            self.look_at(self._fitting(geometry.regions[index]).extent)

    def show_roads(self, roads: ClosedRoads | None) -> None:
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
        camera = fitting_camera(self.map_scene, max(round(whole_width * ratio), 1), height, ratio, extent)
        return replace(camera, left=camera.left + offset * ratio / camera.scale, width=width)

    @property
    def seen(self) -> Extent | None:
        """What is seen of the map; None where that is the whole network, or nothing."""
        return None if self._fits or self.map_scene.geometry is None else self.camera().extent

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
