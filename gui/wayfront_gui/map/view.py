"""The map in the window: shows a scene, pans and zooms, and reports the node that is clicked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QContextMenuEvent, QHideEvent, QImage, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QGraphicsView, QWidget

from wayfront.network.road_network import RoadNetwork
from wayfront.search.result import Result
from wayfront.trace.schema import Trace
from wayfront_gui.map import offscreen
from wayfront_gui.map.map_item import MapItem
from wayfront_gui.map.road_tool import RoadTool
from wayfront_gui.model.pairs import Measure, Pairs
from wayfront_gui.model.race import Caption
from wayfront_gui.scene import picking
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.scene.geometry import Extent
from wayfront_gui.scene.isochrones import Isochrones
from wayfront_gui.scene.node_colours import NodeColours
from wayfront_gui.scene.scene import Camera, Drawn, Scene
from wayfront_gui.scene.style import Style

_WHEEL_BASE = 1.0015
"""Zoom factor of one unit of wheel rotation (a notch has 120)."""
_WIDEST = 0.25
"""Smallest zoom, as a share of the zoom that fits the network."""
_CLOSEST_LINE_PIXELS = 800.0
"""Largest zoom, as the length of a typical line."""


@dataclass(slots=True)
class _Press:
    """A pressed mouse button: where, which one, and the node to which it drags the source or a target it holds."""

    start: QPointF
    last: QPointF
    button: Qt.MouseButton
    source: int | None
    target: int | None = None
    dragged: bool = False


class MapView(pg.GraphicsView):
    """A road network, and on it a search at a step or a finished tree.

    Left click or dragging the source marker sets the source; right click or Shift-click chooses a target, with Ctrl one
    more, and targets are dragged too; dragging elsewhere pans; the wheel zooms at the cursor.
    """

    node_hovered = Signal(int)
    """The node under the cursor, -1 for none."""
    source_moved = Signal(int, bool)
    """(node, final): not final while the source marker is being dragged."""
    target_chosen = Signal(int)
    """A node that a route should lead to."""
    target_toggled = Signal(int)
    """A node that one more route should lead to, or a target to which none should any more."""
    target_moved = Signal(int, int)
    """(target, node): where a target was dragged; its own node where it was only clicked."""
    place_chosen = Signal(int)
    """A node that was clicked while places are chosen."""
    view_changed = Signal()
    """Panned, zoomed, or resized."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, useOpenGL=False, background=None)
        self.setAccessibleName("Map")
        self.map_scene = Scene()
        self._fits = True
        self._press: _Press | None = None
        self._hovered = -1
        self._picking = False
        self._part: tuple[int, int] | None = None
        self.pointer: QPointF | None = None
        """Where the pointer is, in widget coordinates; None where it is not over the map."""
        self.road_tool = RoadTool(self, self.camera, lambda: self.map_scene.geometry)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._box = pg.ViewBox(lockAspect=1.0, enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self._box.disableAutoRange()
        self.setCentralItem(self._box)
        self.map_item = MapItem(self.map_scene)
        self._box.addItem(self.map_item, ignoreBounds=True)

    # ------------------------------------------------------------------------------------------------ showing

    def set_network(self, network: RoadNetwork | None) -> None:
        """Show a network, whole and without a search; None shows an empty map.

        A network without coordinates also shows an empty map; ``set_message`` says why. Raises ``NetworkError``
        for one with more nodes than a pixel can name.
        """
        drawable = network if network is not None and network.coordinates is not None else None
        old = self.map_scene
        self.map_scene = Scene.of(drawable, old.style)
        self.map_scene.message, self.map_scene.scale_bar = old.message, old.scale_bar
        self.map_item.map_scene = self.map_scene
        self._hover(-1)
        if self._press is not None:
            self._press.source = None  # it holds a node of the network before
        self.road_tool.forget()
        self.map_item.forget_frame()
        self.fit()

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

    def set_dragged(self, drawn: Drawn | None, asked_at: float) -> None:
        """Show the picture of a tree that follows the mouse, asked for at a ``time.perf_counter()``; None ends that."""
        self.map_scene.dragged = drawn
        if drawn is None:
            self.map_scene.latency = ""
        self.map_item.asked_at = None if drawn is None else asked_at
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
        self.map_item.refresh()

    def show_tree(self) -> None:
        """Show the finished tree of the result."""
        self.map_scene.mode = "tree"
        self.map_item.refresh()

    def set_source(self, node: int | None) -> None:
        """Move the source marker, or take it away."""
        self.map_scene.source = node
        self.map_item.update()

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
        self.map_scene.target = node
        self.map_item.update()

    def set_detour(self, colours: NodeColours | None) -> None:
        """Show what closed roads cost wherever a finished tree is shown, or the tree itself."""
        self.map_scene.detour = colours
        self.map_item.refresh()

    def set_closed(self, roads: ClosedRoads | None) -> None:
        """Cross out the closed roads."""
        self.map_scene.closed = roads
        self.map_item.update()

    def set_pointed(self, roads: ClosedRoads | None) -> None:
        """Show which roads the tool would change now."""
        self.map_scene.pointed = roads
        self.map_item.update()

    def set_depots(self, candidates: tuple[int, ...], depots: tuple[int, ...], colours: NodeColours | None) -> None:
        """Show where depots could be and are to be; ``colours`` of how far the nearest is take a search's place."""
        self.map_scene.candidates, self.map_scene.depots, self.map_scene.served = candidates, depots, colours
        self.map_item.refresh()

    def set_picking(self, picking: bool) -> None:
        """Let clicks choose places, or sources again."""
        self._picking = picking

    def set_difference(self, colours: NodeColours | None) -> None:
        """Show where a search differs from another, or the search."""
        if colours is not self.map_scene.difference:
            self.map_scene.difference = colours
            self.map_item.refresh()

    def set_isochrones(self, isochrones: Isochrones | None) -> None:
        """Show bands of distance, or what is shown without them."""
        self.map_scene.isochrones = isochrones
        self.map_item.refresh()

    def set_critical(self, roads: ClosedRoads | None) -> None:
        """Show the most critical road, or none."""
        self.map_scene.critical = roads
        self.map_item.update()

    def set_theme(self, name: str) -> None:
        """Choose one of ``look.theme.THEMES``."""
        self._set_style(Style(name, self.map_scene.style.colour_map))

    def set_colour_map(self, name: str) -> None:
        """Choose one of ``style.COLOUR_MAPS``."""
        self._set_style(Style(self.map_scene.style.theme_name, name))

    def set_scale_bar(self, visible: bool) -> None:
        """Show a scale bar or not: it means nothing on a layout that is not a map."""
        self.map_scene.scale_bar = visible
        self.map_item.update()

    def _set_style(self, style: Style) -> None:
        self.map_scene.style = style
        self.map_item.refresh()

    # ------------------------------------------------------------------------------------------------ looking

    def camera(self) -> Camera:
        """Return from where the map is seen now, in physical pixels."""
        ratio = float(self.devicePixelRatioF())
        size = self.viewport().size()
        view = self._box.viewRect()
        width, height = round(size.width() * ratio), round(size.height() * ratio)
        # A ViewBox's rectangle has its origin at the bottom: y grows upward in it.
        return Camera(size.width() * ratio / (view.width() or 1.0), view.left(), view.bottom(), width, height, ratio)

    def fit(self) -> None:
        """Show the whole network, and keep doing so when the window is resized."""
        geometry = self.map_scene.geometry
        if geometry is not None:
            self._look_at(self._fitting().extent)
        self._fits = True

    def show_region(self, index: int) -> None:
        """Show one of the network's regions, counted from that with the most nodes; the first is where a map begins."""
        geometry = self.map_scene.geometry
        if index == 0 or geometry is None:
            self.fit()
        else:
            self._look_at(self._fitting(geometry.regions[index]).extent)

    def show_roads(self, roads: ClosedRoads | None) -> None:
        """Show where roads are, with what is round them."""
        if roads is not None:
            self._look_at(self._fitting(roads.extent).extent)

    def show_part(self, offset: int, whole_width: int) -> None:
        """Fit networks as if this were the part of a map ``whole_width`` logical pixels wide, from ``offset`` on."""
        self._part = (offset, whole_width)

    def look_at(self, extent: Extent) -> None:
        """Show this part of the plane."""
        self._look_at(extent)

    def point_at(self, node: int) -> None:
        """Mark a node that the pointer is over on another map, -1 for none."""
        self.map_scene.hovered = node if node >= 0 else None
        self.map_item.update()

    def set_caption(self, caption: Caption | None) -> None:
        """Say what races here, or nothing."""
        if caption != self.map_scene.caption:
            self.map_scene.caption = caption
            self.map_item.update()

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
        self._look_at(Camera(scale, x - column / scale, y + row / scale, camera.width, camera.height).extent)

    def pan(self, dx: float, dy: float) -> None:
        """Move the map by logical pixels, to the right and down."""
        if self.map_scene.geometry is None:
            return
        extent, camera = self.camera().extent, self.camera()
        right, up = -dx * camera.pixel_ratio / camera.scale, dy * camera.pixel_ratio / camera.scale
        self._look_at(Extent(extent.left + right, extent.bottom + up, extent.right + right, extent.top + up))

    def picture(self, width: int, height: int, scale: float = 1) -> Callable[[], QImage]:
        """Return what draws the view as it is now (see ``offscreen.render``), on whatever thread it is called."""
        extent = self.seen
        return partial(offscreen.render, replace(self.map_scene), width, height, scale, extent)

    def _fitting(self, extent: Extent | None = None) -> Camera:
        assert self.map_scene.geometry is not None
        ratio, size = float(self.devicePixelRatioF()), self.viewport().size()
        width, height = max(round(size.width() * ratio), 1), max(round(size.height() * ratio), 1)
        offset, whole_width = (0, size.width()) if self._part is None else self._part
        camera = Camera.fitting(
            extent or self.map_scene.geometry.home, max(round(whole_width * ratio), 1), height, ratio
        )
        return replace(camera, left=camera.left + offset * ratio / camera.scale, width=width)

    @property
    def seen(self) -> Extent | None:
        """What is seen of the map; None where that is the whole network, or nothing."""
        return None if self._fits or self.map_scene.geometry is None else self.camera().extent

    def _look_at(self, extent: Extent) -> None:
        self._fits = False
        self._box.setRange(QRectF(extent.left, extent.bottom, extent.width, extent.height), padding=0)
        self.view_changed.emit()

    # ------------------------------------------------------------------------------------------------ pointing

    def node_at(self, pos: QPointF) -> int:
        """Return the node at a position in widget coordinates, -1 for none near."""
        return self._node_at(pos, anywhere=False)

    def _pixel(self, pos: QPointF) -> tuple[float, float]:
        ratio = self.devicePixelRatioF()
        return pos.x() * ratio, pos.y() * ratio

    def _node_at(self, pos: QPointF, anywhere: bool) -> int:
        frame, camera = self.map_item.frame, self.camera()
        if frame is None:
            return -1
        # The frame may still be that of an earlier camera.
        column, row = frame.camera.to_pixels(*camera.to_plane(*self._pixel(pos)))
        radius = picking.PICK_RADIUS * camera.pixel_ratio * frame.camera.scale / camera.scale
        return picking.node_at(self.map_scene, frame, column, row, radius, anywhere)

    def _on_source(self, pos: QPointF) -> bool:
        return self._on_marker(self.map_scene.source, pos)

    def _on_marker(self, node: int | None, pos: QPointF) -> bool:
        camera = self.camera()
        radius = picking.GRAB_RADIUS * camera.pixel_ratio
        return picking.is_near(self.map_scene, camera, node, *self._pixel(pos), radius)

    def _target_at(self, pos: QPointF) -> int | None:
        """Return the target whose marker is at a position, that on top where several are."""
        return next((node for node in reversed(self.map_scene.targets) if self._on_marker(node, pos)), None)

    def _hover(self, node: int) -> None:
        if node != self._hovered:
            self._hovered = node
            self.map_scene.hovered = node if node >= 0 else None
            self.map_item.update()
            self.node_hovered.emit(node)

    @property
    def pressed(self) -> bool:
        """Whether a button is pressed on the map, for a drag or for a stroke of the tool."""
        return self._press is not None or self.road_tool.pressed

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag, or a stroke of the tool."""
        event.accept()
        if self._press is not None:
            return
        pos, button = event.position(), event.button()
        grabs = button == Qt.MouseButton.LeftButton and not _shifted(event)
        source = self.map_scene.source if grabs and self._on_source(pos) else None
        target = self._target_at(pos) if grabs and source is None else None
        if source is None and target is None and self.road_tool.press(event):
            self._hover(-1)
        elif not self.road_tool.pressed:
            self._press = _Press(pos, pos, button, source, target)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Hover, pan, drag the source marker, or use the tool."""
        event.accept()
        press, pos = self._press, event.position()
        self.pointer = pos
        if press is None:
            if self.road_tool.move(event, over_marker=self._on_source(pos)):
                self._hover(-1)
            else:
                self._hover(self.node_at(pos))
                self._show_cursor(pos)
            return
        press.dragged |= (pos - press.start).manhattanLength() >= picking.DRAG_DISTANCE
        if not press.dragged:
            return
        self._hover(-1)  # the node under the pointer moves away, or its distance changes
        if press.source is not None:
            self._drag_source(press, pos)
        elif press.target is not None:
            self._drag_target(press, pos)
        elif press.button != Qt.MouseButton.RightButton:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.pan(pos.x() - press.last.x(), pos.y() - press.last.y())
        press.last = pos

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a click or a drag."""
        event.accept()
        press, pos = self._press, event.position()
        self.road_tool.release(event)
        if press is None or event.button() != press.button:
            return
        self._press = None
        self._show_cursor(pos)
        if press.dragged and press.source is not None:
            node = self._node_at(pos, anywhere=True)
            self.source_moved.emit(node if node >= 0 else press.source, True)
        if press.target is not None:
            self.target_moved.emit(press.target, press.target)
        if press.dragged or press.target is not None:
            return
        node = self._node_at(pos, anywhere=True)
        if node < 0:
            return
        if press.button == Qt.MouseButton.RightButton or (
            press.button == Qt.MouseButton.LeftButton and _shifted(event)
        ):
            self._choose_target(node, pos, event)
        elif press.button == Qt.MouseButton.LeftButton and self._picking:
            self.place_chosen.emit(node)
        elif press.button == Qt.MouseButton.LeftButton:
            self.source_moved.emit(node, True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Do nothing more than the click before it did."""
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show no menu: the right button chooses a target."""
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the cursor."""
        self.zoom(_WHEEL_BASE ** event.angleDelta().y(), event.position())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Hover nothing."""
        self.pointer = None
        self.road_tool.leave()
        self._hover(-1)
        event.accept()

    def _drag_source(self, press: _Press, pos: QPointF) -> None:
        """Ask for the source to move; the marker follows when the model has moved it."""
        node = self._node_at(pos, anywhere=True)
        if node >= 0 and node != press.source:
            press.source = node
            self.source_moved.emit(node, False)

    def _drag_target(self, press: _Press, pos: QPointF) -> None:
        """Ask for a target to move, unless there is one already."""
        node = self._node_at(pos, anywhere=True)
        if press.target is not None and node >= 0 and node not in self.map_scene.targets:
            self.target_moved.emit(press.target, node)
            press.target = node

    def _choose_target(self, node: int, pos: QPointF, event: QMouseEvent) -> None:
        """Choose a target, or with Ctrl one more, or one no longer whose marker is clicked."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            marked = self._target_at(pos)
            self.target_toggled.emit(node if marked is None else marked)
        else:
            self.target_chosen.emit(node)

    def _show_cursor(self, pos: QPointF) -> None:
        usual = Qt.CursorShape.PointingHandCursor if self._picking else Qt.CursorShape.CrossCursor
        grabs = self._on_source(pos) or self._target_at(pos) is not None
        self.viewport().setCursor(Qt.CursorShape.OpenHandCursor if grabs else usual)

    # ------------------------------------------------------------------------------------------------ living

    def sizeHint(self) -> QSize:
        """Return a large size: the map is the main part of the window."""
        return QSize(1200, 800)

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


def _shifted(event: QMouseEvent) -> bool:
    return bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
