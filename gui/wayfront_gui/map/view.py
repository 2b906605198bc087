"""The map in the window, as people use it: it reports what is clicked, dragged and pointed at."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.map.graph_editing import GraphTool
from wayfront_gui.map.moving_map import MovingMap
from wayfront_gui.map.road_tool import RoadTool
from wayfront_gui.scene import picking
from wayfront_gui.translation import translated


@dataclass(slots=True)
class _Press:
    """A pressed mouse button: where, which one, and the node to which it drags the source or a target it holds."""

    start: QPointF
    last: QPointF
    button: Qt.MouseButton
    source: int | None
    target: int | None = None
    dragged: bool = False


class MapView(MovingMap):
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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(translated("Map"))
        self._press: _Press | None = None
        self._hovered = -1
        self._picking = False
        self.pointer: QPointF | None = None
        """Where the pointer is, in widget coordinates; None where it is not over the map."""
        self.road_tool = RoadTool(self, self.camera, lambda: self.map_scene.geometry)
        self.graph_tool = GraphTool(self, self.camera, lambda: self.map_scene, self.pan)

    def set_network(self, network: RoadNetwork | None) -> None:
        """Show a network whole, as ``ShownMap`` does, and hold none of the nodes of the one before."""
        self._hover(-1)
        if self._press is not None:
            self._press.source = None
        self.road_tool.forget()
        super().set_network(network)

    def set_picking(self, picking: bool) -> None:
        """Let clicks choose places, or sources again."""
        self._picking = picking

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
        return self._press is not None or self.road_tool.pressed or self.graph_tool.pressed

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag, or a stroke of the tool."""
        event.accept()
        if self._press is not None or self.graph_tool.press(event):
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
        if self.graph_tool.move(event):
            self._hover(-1)
            return
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
        if self.graph_tool.release(event):
            return
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
        if press.button == Qt.MouseButton.LeftButton and self.go_back(pos):
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
        """Do nothing more than the click before it did, unless a graph is drawn."""
        event.accept()
        self.graph_tool.double_click(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show no menu: the right button chooses a target."""
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


def _shifted(event: QMouseEvent) -> bool:
    return bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
