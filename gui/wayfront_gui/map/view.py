"""The map in the window, as people use it: it reports what is clicked, dragged and pointed at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.map import picking
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.shown_map import ShownMap
from wayfront_gui.ui.translation import translated


class Tool(QObject):
    """What the pointer means on a map while a person has chosen it; methods return whether it used an event."""

    OVER_MARKERS: ClassVar[bool] = False
    """Whether it is asked before the markers of source and targets are."""

    def __init__(self, view: MapView) -> None:
        super().__init__(view)
        self.view = view

    @property
    def taken(self) -> bool:
        """Whether a person has chosen it: a click with Ctrl is then one without the tool."""
        return False

    @property
    def pressed(self) -> bool:
        """Whether a button is down for it."""
        return False

    def press(self, event: QMouseEvent) -> bool:
        """Begin a click or a drag."""
        return False

    def move(self, event: QMouseEvent, *, over_marker: bool = False) -> bool:
        """Go on with a drag, or point."""
        return False

    def release(self, event: QMouseEvent) -> bool:
        """End a click or a drag."""
        return False

    def double_click(self, event: QMouseEvent) -> bool:
        """Begin the second click in a row."""
        return False

    def leave(self) -> None:
        """Point at nothing."""

    def forget(self) -> None:
        """End what was begun, since its network is closed."""


AnyTool = TypeVar("AnyTool", bound=Tool)


@dataclass(slots=True)
class _Press:
    """A pressed mouse button: where, which one, and the node to which it drags the source or a target it holds."""

    start: QPointF
    last: QPointF
    button: Qt.MouseButton
    source: int | None
    target: int | None = None
    dragged: bool = False


class MapView(ShownMap):
    """A road network, and on it a search at a step or a finished tree.

    Left click or dragging the source marker sets the source; right click or Shift-click chooses a target, Ctrl-click
    one more, and targets are dragged too; dragging elsewhere pans; the wheel zooms at the cursor.
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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(translated("Map"))
        self._press: _Press | None = None
        self._hovered = -1
        self._picking = False
        self.pointer: QPointF | None = None
        """Where the pointer is, in widget coordinates; None where it is not over the map."""
        self._tools: list[Tool] = []

    def set_network(self, network: RoadNetwork | None) -> None:
        """Show a network whole, as ``ShownMap`` does, and hold none of the nodes of the one before."""
        self._hover(-1)
        if self._press is not None:
            self._press.source = None
        for tool in self._tools:
            tool.forget()
        super().set_network(network)

    def tool(self, kind: type[AnyTool]) -> AnyTool:
        """Return the map's tool of a kind, which is made at the first call."""
        for tool in self._tools:
            if isinstance(tool, kind):
                return tool
        made = kind(self)
        self._tools = sorted([*self._tools, made], key=lambda tool: not tool.OVER_MARKERS)
        return made

    def takes_other_tool(self, tool: Tool) -> bool:
        """Return whether a person has chosen another tool than this one."""
        return any(other.taken for other in self._tools if other is not tool)

    def set_picking(self, picking: bool) -> None:
        """Let clicks choose places, or sources again."""
        self._picking = picking

    # ------------------------------------------------------------------------------------------------ pointing

    def in_text_units(self, pos: QPointF) -> tuple[Camera, QPointF]:
        """Return the camera, and a place of the viewport, in the units in which ``text_units`` paints."""
        camera, unit = self.camera(), self.map_scene.style.text_scale
        return camera.in_units(camera.pixel_ratio * unit), pos / unit

    def node_at(self, pos: QPointF) -> int:
        """Return the node at a position in widget coordinates, -1 for none near."""
        return self._node_at(pos, anywhere=False)

    def nearest_node(self, pos: QPointF) -> int:
        """Return the node at a position in widget coordinates, or else the nearest one, -1 for none."""
        return self._node_at(pos, anywhere=True)

    def _node_at(self, pos: QPointF, anywhere: bool) -> int:
        frame, camera = self.map_item.frame, self.camera()
        if frame is None:
            return -1
        # The frame may still be that of an earlier camera.
        column, row = frame.camera.to_pixels(*camera.to_plane(*self._pixel(pos)))
        radius = picking.PICK_RADIUS * camera.pixel_ratio * frame.camera.scale / camera.scale
        return picking.node_at(self.map_scene, frame, column, row, radius, anywhere)

    def _on_source(self, pos: QPointF) -> bool:
        return self._on_marker(self.map_scene.markers.source, pos)

    def _on_marker(self, node: int | None, pos: QPointF) -> bool:
        camera = self.camera()
        radius = picking.grab_radius(self.map_scene, camera)
        return picking.is_near(self.map_scene, camera, node, *self._pixel(pos), radius)

    def _target_at(self, pos: QPointF) -> int | None:
        """Return the target whose marker is at a position, that on top where several are."""
        scene = self.map_scene
        return next((node for node in reversed(scene.markers.ends) if self._on_marker(node, pos)), None)

    def _hover(self, node: int) -> None:
        if node != self._hovered:
            self._hovered = node
            self.map_scene.mark(hovered=node if node >= 0 else None)
            self.map_item.update()
            self.node_hovered.emit(node)

    @property
    def pressed(self) -> bool:
        """Whether a button is pressed on the map, for a drag or for a stroke of the tool."""
        return self._press is not None or any(tool.pressed for tool in self._tools)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag, or a stroke of the tool."""
        event.accept()
        if self._press is not None or any(tool.press(event) for tool in self._tools if tool.OVER_MARKERS):
            return
        pos, button = event.position(), event.button()
        grabs = button == Qt.MouseButton.LeftButton and not self._for_target(event) and not self._picking
        source = self.map_scene.markers.source if grabs and self._on_source(pos) else None
        target = self._target_at(pos) if grabs and source is None else None
        free = source is None and target is None
        if free and any(tool.press(event) for tool in self._tools if not tool.OVER_MARKERS):
            self._hover(-1)
        elif not any(tool.pressed for tool in self._tools):
            self._press = _Press(pos, pos, button, source, target)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Hover, pan, drag the source marker, or use the tool."""
        event.accept()
        press, pos = self._press, event.position()
        self.pointer = pos
        if any(tool.move(event) for tool in self._tools if tool.OVER_MARKERS):
            self._hover(-1)
            return
        if press is None:
            over = self._on_source(pos)
            if any(tool.move(event, over_marker=over) for tool in self._tools if not tool.OVER_MARKERS):
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
        if any(tool.release(event) for tool in self._tools):
            return
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
        if press.button == Qt.MouseButton.LeftButton and self.go_back(pos):
            return
        node = self._node_at(pos, anywhere=True)
        if node < 0:
            return
        if press.button == Qt.MouseButton.RightButton or (
            press.button == Qt.MouseButton.LeftButton and self._for_target(event) and not self._picking
        ):
            self._choose_target(node, pos, event)
        elif press.button == Qt.MouseButton.LeftButton and self._picking:
            self.place_chosen.emit(node)
        elif press.button == Qt.MouseButton.LeftButton:
            self.source_moved.emit(node, True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Do nothing more than the click before it did, unless a graph is drawn."""
        event.accept()
        any(tool.double_click(event) for tool in self._tools)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show no menu: the right button chooses a target."""
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Hover nothing."""
        self.pointer = None
        for tool in self._tools:
            tool.leave()
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
        if press.target is not None and node >= 0 and node not in self.map_scene.markers.targets:
            self.target_moved.emit(press.target, node)
            press.target = node

    def _choose_target(self, node: int, pos: QPointF, event: QMouseEvent) -> None:
        """Choose a target, or with Ctrl one more, or one no longer whose marker is clicked."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            marked = self._target_at(pos)
            self.target_toggled.emit(node if marked is None else marked)
        else:
            self.target_chosen.emit(node)

    def _for_target(self, event: QMouseEvent) -> bool:
        """Return whether a click of the left button means a target, and not the source."""
        keys = event.modifiers()
        ctrl = keys & Qt.KeyboardModifier.ControlModifier and not any(tool.taken for tool in self._tools)
        return bool(keys & Qt.KeyboardModifier.ShiftModifier or ctrl)

    def _show_cursor(self, pos: QPointF) -> None:
        usual = Qt.CursorShape.PointingHandCursor if self._picking else Qt.CursorShape.CrossCursor
        grabs = self._on_source(pos) or self._target_at(pos) is not None
        self.viewport().setCursor(Qt.CursorShape.OpenHandCursor if grabs else usual)
