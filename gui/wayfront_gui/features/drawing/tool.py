"""What the pointer means on the map while a graph is drawn: makes nodes and arcs, picks and moves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent

from wayfront_gui.features.small_graphs.graph import arc_at, disc_at, disc_radius, weight_at, weight_box
from wayfront_gui.features.small_graphs.layer import shown_graph
from wayfront_gui.map import picking
from wayfront_gui.map.view import MapView, Tool

_NEAR_DISC = 4.0
"""How far from a disc it is still meant, in pixels."""


@dataclass(frozen=True, slots=True)
class GraphPlace:
    """A place of the map, in metres of its plane, and what of the graph is there; −1 for no node or arc.

    ``on_weight`` says that it is the arc's weight.
    """

    x: float
    y: float
    node: int = -1
    arc: int = -1
    on_weight: bool = False


@dataclass(slots=True)
class _Press:
    """A press of the left button: where, on what, where the pointer was last, and what a drag of it does."""

    start: QPointF
    last: QPointF
    place: GraphPlace
    moves: bool
    dragged: bool = False


class GraphTool(Tool):
    """Draws a graph with the left button.

    A click on free ground makes a node, one on a node, an arc or a weight picks it. A drag from a node draws an arc to
    another node, or to a new one; with Shift it moves the node. A drag of the ground pans. With Ctrl, and with other
    buttons, the map answers as without the tool.
    """

    clicked = Signal(object, bool)
    """A ``GraphPlace`` that was clicked, and whether for the second time in a row."""
    joined = Signal(int, object)
    """The node from which an arc was drawn, and the ``GraphPlace`` to which."""
    moved = Signal(int, object)
    """A node, and the ``GraphPlace`` where it was left."""
    dragged = Signal(int, object, bool)
    """A node, the ``GraphPlace`` to which the pointer drags from it, and whether that moves it; −1 at the end."""

    OVER_MARKERS: ClassVar[bool] = True

    def __init__(self, view: MapView) -> None:
        super().__init__(view)
        self._press: _Press | None = None
        self._twice = False
        self.on = False

    def take(self, on: bool) -> None:
        """Take the tool, or put it away."""
        if not on and not self.on:
            return  # another tool's pointer stays
        self.on, self._press = on, None
        self.dragged.emit(-1, None, False)
        self.view.viewport().setCursor(Qt.CursorShape.CrossCursor)

    def at(self, pos: QPointF) -> GraphPlace:
        """Return what of the graph is at a position in widget coordinates."""
        scene, camera = self.view.map_scene, self.view.camera()
        x, y = camera.to_plane(pos.x() * camera.pixel_ratio, pos.y() * camera.pixel_ratio)
        shown = shown_graph(scene)
        if shown is None:
            return GraphPlace(x, y)
        graph = shown.graph
        seen, at = self.view.in_text_units(pos)  # in which graphs are painted
        column, row = at.x(), at.y()
        if (node := disc_at(graph, seen, column, row, _NEAR_DISC)) >= 0:
            return GraphPlace(x, y, node)
        if (arc := weight_at(graph, shown.placing(seen), seen, column, row)) >= 0:
            return GraphPlace(x, y, arc=arc, on_weight=True)
        return GraphPlace(x, y, arc=arc_at(graph, seen, column, row))

    def weight_area(self, arc: int) -> QRectF:
        """Return where an arc's weight stands, in widget coordinates; where its node does, for a loop."""
        scene, camera = self.view.map_scene, self.view.camera()
        shown, scale = shown_graph(scene), scene.style.text_scale
        assert shown is not None
        graph = shown.graph
        course = int(graph.courses.of_arc[arc])
        if course < 0:
            return self.disc_area(int(graph.network.targets[arc]))
        seen = camera.in_units(camera.pixel_ratio * scale)
        left, top, width, height = weight_box(graph, shown.placing(seen), seen, course)
        return QRectF(left * scale, top * scale, width * scale, height * scale)

    def disc_area(self, node: int) -> QRectF:
        """Return the square round a node's disc, in widget coordinates."""
        scene, camera = self.view.map_scene, self.view.camera()
        shown = shown_graph(scene)
        assert shown is not None
        column, row = camera.to_pixels(*scene.place(node))
        scale = scene.style.text_scale
        radius = disc_radius(shown.graph, camera.in_units(camera.pixel_ratio * scale)) * scale
        middle = QPointF(column / camera.pixel_ratio, row / camera.pixel_ratio)
        return QRectF(middle - QPointF(radius, radius), middle + QPointF(radius, radius))

    @property
    def taken(self) -> bool:
        """Whether the graph is drawn on."""
        return self.on

    @property
    def pressed(self) -> bool:
        """Whether the button is down."""
        return self._press is not None

    def press(self, event: QMouseEvent) -> bool:
        """Begin a click or a drag; return whether the tool uses the event."""
        ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if not self.on or ctrl or event.button() != Qt.MouseButton.LeftButton:
            return False
        pos = event.position()
        moves = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._press = _Press(pos, pos, self.at(pos), moves)
        return True

    def move(self, event: QMouseEvent, *, over_marker: bool = False) -> bool:
        """Go on with a drag; return whether the tool uses the event."""
        press, pos = self._press, event.position()
        if press is None:
            return False
        press.dragged |= (pos - press.start).manhattanLength() >= picking.DRAG_DISTANCE
        if press.dragged and press.place.node >= 0:
            self.dragged.emit(press.place.node, self.at(pos), press.moves)
        elif press.dragged:
            self.view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.view.pan(pos.x() - press.last.x(), pos.y() - press.last.y())
        press.last = pos
        return True

    def release(self, event: QMouseEvent) -> bool:
        """End a click or a drag; return whether the tool used the event."""
        press = self._press
        if press is None or event.button() != Qt.MouseButton.LeftButton:
            return False
        self._press = None
        self.view.viewport().setCursor(Qt.CursorShape.CrossCursor)
        self.dragged.emit(-1, None, False)
        twice, self._twice = self._twice, False
        end = self.at(event.position())
        if not press.dragged:
            self.clicked.emit(press.place, twice)
        elif press.place.node >= 0 and press.moves:
            self.moved.emit(press.place.node, end)
        elif press.place.node >= 0 and end.node != press.place.node:
            self.joined.emit(press.place.node, end)
        return True

    def double_click(self, event: QMouseEvent) -> bool:
        """Begin the second click in a row; return whether the tool uses the event."""
        self._twice = self.press(event)
        return self._twice
