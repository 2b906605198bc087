"""The map's tool for points of access: a press on a point holds it, and it follows the pointer."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent

from wayfront_gui.map import picking
from wayfront_gui.map.view import MapView, Tool

GRAB = 9.0
"""How far from a point a press still holds it, in units of the map's texts."""


class PointTool(Tool):
    """Moves points while they are shown; a click on one that is not moved takes it away."""

    OVER_MARKERS: ClassVar[bool] = True

    moved = Signal(int, int, bool)
    """(index of the point, node, whether that is final)."""
    clicked = Signal(int)
    """The node of a point that was clicked."""

    def __init__(self, view: MapView) -> None:
        super().__init__(view)
        self._nodes: tuple[int, ...] = ()
        self._held: int | None = None
        self._start = QPointF()
        self._node = -1

    @property
    def pressed(self) -> bool:
        """Whether a point is held."""
        return self._held is not None

    def hold_points(self, nodes: tuple[int, ...]) -> None:
        """Let these points be held; while one is, it goes on."""
        self._nodes = nodes
        if self._held is not None and self._held >= len(nodes):
            self._held = None

    def press(self, event: QMouseEvent) -> bool:
        """Hold the point under the pointer."""
        if self._held is not None:
            return True
        plain = event.button() == Qt.MouseButton.LeftButton and not event.modifiers()
        index = self._point_at(event.position()) if plain else None
        if index is None:
            return False
        self._held, self._start, self._node = index, event.position(), -1
        return True

    def move(self, event: QMouseEvent, *, over_marker: bool = False) -> bool:
        """Move the point that is held to the nearest node."""
        pos = event.position()
        if self._held is None:
            if event.buttons() or self._point_at(pos) is None:
                return False
            self.view.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
            return True
        if self._node < 0 and (pos - self._start).manhattanLength() < picking.DRAG_DISTANCE:
            return True
        self.view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        node = self.view.nearest_node(pos)
        if node >= 0 and node != self._node:
            self._node = node
            self.moved.emit(self._held, node, False)
        return True

    def release(self, event: QMouseEvent) -> bool:
        """Leave the point where it is, or report that it was clicked."""
        if self._held is None or event.button() != Qt.MouseButton.LeftButton:
            return False
        held, self._held = self._held, None
        if self._node >= 0:
            self.moved.emit(held, self._node, True)
        else:
            self.clicked.emit(self._nodes[held])
        return True

    def forget(self) -> None:
        """Hold nothing, since its network is closed."""
        self._nodes, self._held = (), None

    def _point_at(self, pos: QPointF) -> int | None:
        """Return the index of the point at a position in widget coordinates, the nearest one."""
        scene, camera = self.view.map_scene, self.view.camera()
        if not self._nodes or scene.geometry is None or max(self._nodes) >= scene.geometry.node_count:
            return None
        chosen = list(self._nodes)
        x, y = camera.to_pixels(scene.geometry.x[chosen], scene.geometry.y[chosen])
        ratio = camera.pixel_ratio
        far = np.hypot(np.asarray(x) - pos.x() * ratio, np.asarray(y) - pos.y() * ratio)
        nearest = int(far.argmin())
        return nearest if far[nearest] <= GRAB * ratio * scene.style.text_scale else None
