"""The map's tool for what streets carry: it points at roads, and as a brush it holds one whose trips are shown."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent

from wayfront_gui.features.closures.roads import Stroke, lines_near
from wayfront_gui.map import picking
from wayfront_gui.map.view import MapView, Tool


class FlowTool(Tool):
    """Reports the line under the pointer while streets show what they carry.

    As a brush it takes clicks and drags of the left button too; with Ctrl the map answers as without it.
    """

    pointed = Signal(int)
    """The drawing line under the pointer, -1 for none."""
    held = Signal(int)
    """The drawing line that was clicked or is dragged over; -1 for a click beside all."""

    def __init__(self, view: MapView) -> None:
        super().__init__(view)
        self._points = self._brushes = self._pressed = False
        self._line = -1

    @property
    def taken(self) -> bool:
        """Whether clicks hold roads."""
        return self._brushes

    @property
    def line(self) -> int:
        """The drawing line under the pointer, -1 for none."""
        return self._line

    @property
    def pressed(self) -> bool:
        """Whether the brush is dragged."""
        return self._pressed

    def use(self, *, points: bool, brushes: bool) -> None:
        """Point at roads or not, and take clicks or not."""
        self._points, self._brushes = points, brushes
        self._pressed &= brushes
        if not points:
            self.leave()

    def press(self, event: QMouseEvent) -> bool:
        """Hold the road under the pointer."""
        left = event.button() == Qt.MouseButton.LeftButton
        if not (self._brushes and left) or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return self._pressed
        self._pressed = True
        self.held.emit(self._line_at(event.position()))
        return True

    def move(self, event: QMouseEvent, *, over_marker: bool = False) -> bool:
        """Point at a road, or hold the one dragged over."""
        if self._pressed:
            if (line := self._line_at(event.position())) >= 0:
                self.held.emit(line)
            return True
        if not self._points or over_marker or event.buttons() or self.view.takes_other_tool(self):
            self.leave()
            return False
        self._point(self._line_at(event.position()))
        if self._line >= 0:
            shape = Qt.CursorShape.PointingHandCursor if self._brushes else Qt.CursorShape.CrossCursor
            self.view.viewport().setCursor(shape)
        return self._line >= 0

    def release(self, event: QMouseEvent) -> bool:
        """End a drag."""
        ended = self._pressed and event.button() == Qt.MouseButton.LeftButton
        self._pressed &= not ended
        return ended

    def leave(self) -> None:
        """Point at nothing."""
        self._point(-1)

    def forget(self) -> None:
        """End a drag, since its network is closed."""
        self._pressed = False
        self._point(-1)

    def _point(self, line: int) -> None:
        if line != self._line:
            self._line = line
            self.pointed.emit(line)

    def _line_at(self, pos: QPointF) -> int:
        """Return the drawing line nearest to a position in widget coordinates, -1 for none near."""
        geometry, camera = self.view.map_scene.geometry, self.view.camera()
        if geometry is None or self.view.map_scene.diagram is not None:
            return -1
        ratio = camera.pixel_ratio
        x, y = camera.to_plane(pos.x() * ratio, pos.y() * ratio)
        lines = lines_near(geometry, Stroke(x, y, x, y), picking.PICK_RADIUS * ratio / camera.scale)
        return int(lines[0]) if len(lines) else -1
