"""The tool that closes and reopens roads on the map: what the pointer means while it is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, Qt, Signal, SignalInstance
from PySide6.QtGui import QColor, QCursor, QMouseEvent, QPainter, QPen, QPixmap

from wayfront_gui.features.closures.roads import Stroke, directions_of_lines, lines_near
from wayfront_gui.map import picking
from wayfront_gui.map.view import MapView, Tool
from wayfront_gui.session.closures import RoadAction

BRUSH_RADIUS = 4.0
"""Largest distance from the way of a pressed pointer to a line that it changes, in logical pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class RoadStroke:
    """A piece of a stroke over the map, or what one here would mean.

    lines      int32: drawing lines that it touches, the nearest first
    towards_b  bool, as ``arcs_of_lines`` takes it: the direction that is meant; None for both
    is_click   whether only the nearest road is meant
    """

    action: RoadAction
    lines: NDArray[np.int32]
    towards_b: NDArray[np.bool_] | None
    is_click: bool


@dataclass(slots=True)
class _Press:
    """A pressed button, and where the pointer was last."""

    button: Qt.MouseButton
    last: QPointF


class RoadTool(Tool):
    """Closes or reopens the road under the pointer, and all that it is dragged over.

    The right button always reopens. With Shift only one direction is closed: towards the end nearer to a click, or that
    in which the pointer is dragged. With Ctrl, and with the middle button, the map answers as without the tool.
    """

    drawn = Signal(object)
    """A ``RoadStroke`` that is to be carried out."""
    ended = Signal()
    """A stroke is complete."""
    pointed = Signal(object)
    """What a click would mean now, a ``RoadStroke``; None where the pointer is not over the map."""

    def __init__(self, view: MapView) -> None:
        super().__init__(view)
        self._action: RoadAction | None = None
        self._pressed: _Press | None = None

    @property
    def action(self) -> RoadAction | None:
        """What the tool does, None while it is put away."""
        return self._action

    @property
    def taken(self) -> bool:
        """Whether roads are closed or reopened."""
        return self._action is not None

    @property
    def pressed(self) -> bool:
        """Whether a stroke is being drawn."""
        return self._pressed is not None

    def choose(self, action: RoadAction | None) -> None:
        """Take the tool, or put it away."""
        self._action, self._pressed = action, None
        self.pointed.emit(None)
        self._show_cursor()

    def press(self, event: QMouseEvent) -> bool:
        """Begin a stroke; return whether the tool used the event."""
        if not self._takes(event) or event.button() == Qt.MouseButton.MiddleButton:
            return False
        if self._pressed is None:
            self._pressed = _Press(event.button(), event.position())
            self.pointed.emit(None)
            self._emit(self.drawn, event, self._pressed, picking.PICK_RADIUS)
        return True

    def move(self, event: QMouseEvent, *, over_marker: bool = False) -> bool:
        """Go on with a stroke, or point; return whether the tool used the event."""
        press = self._pressed
        if press is None:
            if over_marker or not self._takes(event) or event.buttons():
                self.leave()
                return False
            self._show_cursor()
            self._emit(self.pointed, event, _Press(Qt.MouseButton.NoButton, event.position()), picking.PICK_RADIUS)
        elif (event.position() - press.last).manhattanLength() >= picking.DRAG_DISTANCE:
            self._emit(self.drawn, event, press, BRUSH_RADIUS)
            press.last = event.position()
        return True

    def release(self, event: QMouseEvent) -> bool:
        """End a stroke."""
        if self._pressed is None or event.button() != self._pressed.button:
            return False
        self._pressed = None
        self.ended.emit()
        return True

    def leave(self) -> None:
        """Point at nothing."""
        if self._action is not None:
            self.pointed.emit(None)

    def forget(self) -> None:
        """End a stroke, since its network is closed."""
        self._pressed = None

    def _takes(self, event: QMouseEvent) -> bool:
        return self._action is not None and not event.modifiers() & Qt.KeyboardModifier.ControlModifier

    def _show_cursor(self) -> None:
        ratio, viewport = self.view.devicePixelRatioF(), self.view.viewport()
        cross = Qt.CursorShape.CrossCursor
        viewport.setCursor(cross if self._action is None else road_cursor(self._action, ratio))

    def _emit(self, signal: SignalInstance, event: QMouseEvent, press: _Press, radius: float) -> None:
        """Emit the stroke from where the pointer was last to where it is."""
        geometry, camera = self.view.map_scene.geometry, self.view.camera()
        if geometry is None or self._action is None:
            return
        ratio = camera.pixel_ratio
        start, end = (camera.to_plane(pos.x() * ratio, pos.y() * ratio) for pos in (press.last, event.position()))
        stroke = Stroke(*start, *end)
        lines = lines_near(geometry, stroke, radius * ratio / camera.scale)
        one_way = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        action = RoadAction.REOPEN if press.button == Qt.MouseButton.RightButton else self._action
        towards = directions_of_lines(geometry, lines, stroke) if one_way and action is RoadAction.CLOSE else None
        signal.emit(RoadStroke(action, lines, towards, stroke.is_point))


_CURSOR = 32
"""Side of the pointer in pixels, drawn as paths with a rim that shows on dark and on light maps."""
_MIDDLE, _HAIR = 11, 9
"""Where its hot spot is, from left and top, and the length of its cross hairs from there."""
_BADGE, _BADGE_RADIUS = QPointF(23.0, 23.0), 7.0
_COLOURS = {RoadAction.CLOSE: "#d4100b", RoadAction.REOPEN: "#1c7d3f"}


@lru_cache(maxsize=8)
def road_cursor(action: RoadAction, pixel_ratio: float) -> QCursor:
    """Return cross hairs with a badge: a cross for closing roads, a plus for reopening them."""
    pixmap = QPixmap(round(_CURSOR * pixel_ratio), round(_CURSOR * pixel_ratio))
    pixmap.setDevicePixelRatio(pixel_ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    hairs = [
        QLineF(_MIDDLE - _HAIR, _MIDDLE, _MIDDLE + _HAIR, _MIDDLE),
        QLineF(_MIDDLE, _MIDDLE - _HAIR, _MIDDLE, _MIDDLE + _HAIR),
    ]
    for colour, width in (("#ffffff", 3.0), ("#000000", 1.0)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawLines(hairs)
    painter.setPen(QPen(QColor("#ffffff"), 1.5))
    painter.setBrush(QColor(_COLOURS[action]))
    painter.drawEllipse(_BADGE, _BADGE_RADIUS, _BADGE_RADIUS)
    arms = {
        RoadAction.CLOSE: [QLineF(-2.6, -2.6, 2.6, 2.6), QLineF(-2.6, 2.6, 2.6, -2.6)],
        RoadAction.REOPEN: [QLineF(-3.4, 0, 3.4, 0), QLineF(0, -3.4, 0, 3.4)],
    }[action]
    painter.setPen(QPen(QColor("#ffffff"), 2.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLines([arm.translated(_BADGE) for arm in arms])
    painter.end()
    return QCursor(pixmap, _MIDDLE, _MIDDLE)
