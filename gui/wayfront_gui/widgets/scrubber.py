"""The replay's slider: a plot of the frontier's size over the walk, with strips that tell how the steps were taken.

A person can take any place on it, and a box tells all about the step under the pointer. What is drawn is kept as two
pictures, one of what lies ahead and one of what was played; a frame shows a part of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QHideEvent, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractSlider, QWidget

from wayfront.trace.recorder import Trace
from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.look.theme import DARK, Theme
from wayfront_gui.map.style import Style
from wayfront_gui.model.step_columns import Strips, step_at
from wayfront_gui.widgets import strips as drawing
from wayfront_gui.widgets.step_box import StepBox
from wayfront_gui.widgets.strips import EDGE, Look, Rooms

POSITIONS = 100_000
"""The slider's own whole numbers, finer than any screen."""
HEIGHT = 90


class Scrubber(QAbstractSlider):
    """A slider over the plot; value 0 … ``POSITIONS`` is the place along the walk.

    ``describe`` returns what the box tells of a step, as captions with words.
    """

    scrubbed = Signal(float)
    """A person took this place along the walk, 0 … 1."""

    def __init__(self, describe: Callable[[int], Sequence[tuple[str, str]]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._describe = describe
        self._box = StepBox(self)
        self._look = Look(DARK, Style().gradient)
        self._trace: Trace | None = None
        self._marks = np.zeros(0)
        self._farthest: float | None = None
        self._strips: Strips | None = None
        self._pictures: tuple[QImage, QImage] | None = None
        self._pointer: float | None = None
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setRange(0, POSITIONS)
        self.setSingleStep(POSITIONS // 100)
        self.setPageStep(POSITIONS // 10)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(160, HEIGHT - 10)
        self.setAccessibleName("Replay position")
        self.actionTriggered.connect(self._on_action)

    def set_look(self, theme: Theme, colour_map: str) -> None:
        """Draw in these colours; ``colour_map`` is the map's, for the buckets."""
        self._look = Look(theme, Style(theme.name, colour_map).gradient)
        self._pictures = None
        self.update()

    def show_trace(self, trace: Trace, marks: NDArray[np.float64], farthest: float | None) -> None:
        """Plot a trace whose steps stand at these places along the walk [steps].

        ``farthest`` is the distance from which on the map has only its last colour; None where it has no distances.
        """
        if trace is not self._trace or marks is not self._marks or farthest != self._farthest:
            self._trace, self._marks, self._farthest = trace, marks, farthest
            self._strips = self._pictures = None
        self.setEnabled(True)
        self._show_box()
        self.update()

    def show_nothing(self) -> None:
        """Plot nothing: there is no replay."""
        self._trace, self._marks = None, np.zeros(0)
        self._strips = self._pictures = None
        self.setEnabled(False)
        self._show_box()
        self.update()

    def show_fraction(self, fraction: float) -> None:
        """Put the handle at this place along the walk without telling anyone."""
        self.setValue(round(fraction * POSITIONS))

    @property
    def strips(self) -> Strips | None:
        """What is drawn, in columns of the screen; None while there is no replay."""
        columns = max(round((self.width() - 2 * EDGE) * self.devicePixelRatioF()), 2)
        if self._trace is not None and (self._strips is None or len(self._strips.frontier) != columns):
            self._strips = Strips.of(self._trace, self._marks, columns, self._farthest)
        return self._strips

    @property
    def told(self) -> str:
        """What the box tells now, empty while it is hidden."""
        return self._box.words if self._box.isVisible() else ""

    def sizeHint(self) -> QSize:
        """Be low and wide."""
        return QSize(480, HEIGHT)

    def _on_action(self, _action: int) -> None:
        self.scrubbed.emit(self.sliderPosition() / POSITIONS)

    # -------------------------------------------------------------------------------------------------- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the place under the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._take(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell of the step under the pointer; follow a drag."""
        self._point(event.position().x())
        if self.isSliderDown():
            self._take(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self.setSliderDown(False)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Tell of the step under the pointer."""
        self._point(event.position().x())

    def leaveEvent(self, event: QEvent) -> None:
        """Tell nothing."""
        self._point(None)

    def hideEvent(self, event: QHideEvent) -> None:
        """Take the box along."""
        self._point(None)

    def _take(self, x: float) -> None:
        fraction = self._fraction_at(x)
        self.show_fraction(fraction)
        self.scrubbed.emit(fraction)

    def _fraction_at(self, x: float) -> float:
        return min(max((x - EDGE) / max(self.width() - 2 * EDGE, 1.0), 0.0), 1.0)

    def _point(self, x: float | None) -> None:
        self._pointer = x
        self._show_box()
        self.update()

    def _show_box(self) -> None:
        if self._pointer is None or self._trace is None:
            self._box.hide()
        else:
            step = step_at(self._marks, self._fraction_at(self._pointer))
            self._box.tell(self._describe(step), round(self._pointer))

    # ------------------------------------------------------------------------------------------------ drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what lies ahead, what was played in the accent, and the handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, strips = self._look.theme.interface, self.strips
        rooms = Rooms.of(self.width(), self.height(), strips)
        painter.setPen(QPen(qt_colour(colours.line), 1))
        painter.drawLine(rooms.plot.bottomLeft(), rooms.plot.bottomRight())
        if strips is None:
            return
        ahead, played = self._draw(strips)
        x = rooms.plot.left() + rooms.plot.width() * self.value() / POSITIONS
        for picture, left, right in ((played, 0.0, x), (ahead, x, float(self.width()))):
            painter.setClipRect(QRectF(left, 0, right - left, self.height()))
            painter.drawImage(QPointF(0, 0), picture)
        painter.setClipping(False)
        if self._pointer is not None:
            here = rooms.plot.left() + rooms.plot.width() * self._fraction_at(self._pointer)
            painter.setPen(QPen(qt_colour(colours.muted, 0.8), 1))
            painter.drawLine(QPointF(here, rooms.plot.top()), QPointF(here, rooms.bottom))
        self._paint_handle(painter, rooms, x)

    def _draw(self, strips: Strips) -> tuple[QImage, QImage]:
        ratio = self.devicePixelRatioF()
        if self._pictures is None or self._pictures[0].size() != self.size() * ratio:
            size = (self.width(), self.height(), ratio)
            ahead, played = (drawing.draw(strips, *size, self._look, played=part) for part in (False, True))
            self._pictures = ahead, played
        return self._pictures

    def _paint_handle(self, painter: QPainter, rooms: Rooms, x: float) -> None:
        colours, plot = self._look.theme.interface, rooms.plot
        painter.setPen(QPen(qt_colour(colours.text), 1.5))
        painter.drawLine(QPointF(x, plot.top() - 3), QPointF(x, plot.bottom()))
        if rooms.bottom > plot.bottom() + drawing.HANDLE:
            painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, rooms.bottom))
        painter.setPen(QPen(qt_colour(colours.panel), 2))
        painter.setBrush(qt_colour(colours.accent if self.hasFocus() or self.isSliderDown() else colours.text))
        painter.drawEllipse(QPointF(x, plot.bottom()), 5.5, 5.5)
