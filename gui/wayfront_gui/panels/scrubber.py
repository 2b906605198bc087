"""The replay's slider: a plot of the frontier's size over the walk, on which a person can take any place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QLinearGradient, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractSlider, QWidget

from wayfront_gui.theme import DARK, Theme

POSITIONS = 100_000
"""The slider's own whole numbers, finer than any screen."""
EDGE = 7.0
"""Room left and right of the plot, so that the handle is whole at both ends."""


def frontier_outline(marks: NDArray[np.float64], sizes: NDArray[np.int32], columns: int) -> NDArray[np.float64]:
    """Return the height of the plot at each of ``columns`` places, float64 in 0 … 1.

    A column shows the largest frontier among its steps, so that no peak is lost; one without a step of its own
    goes on at the height of the step before. Heights grow with the square root: a frontier is a line round an
    area, and small ones stay visible.
    """
    heights = np.zeros(columns)
    if len(sizes) == 0 or columns == 0:
        return heights
    places = np.minimum((marks * columns).astype(np.int64), columns - 1)
    np.maximum.at(heights, places, np.sqrt(sizes.astype(np.float64)))
    filled = np.zeros(columns, bool)
    filled[places] = True
    last_filled = np.maximum.accumulate(np.where(filled, np.arange(columns), 0))
    heights = heights[last_filled]
    largest = heights.max()
    return heights / largest if largest > 0 else heights


class FrontierScrubber(QAbstractSlider):
    """A slider over the plot; value 0 … ``POSITIONS`` is the place along the walk."""

    scrubbed = Signal(float)
    """A person took this place along the walk, 0 … 1."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = DARK
        self._marks = np.zeros(0)
        self._sizes = np.zeros(0, np.int32)
        self._outline: NDArray[np.float64] = np.zeros(0)
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setRange(0, POSITIONS)
        self.setSingleStep(POSITIONS // 100)
        self.setPageStep(POSITIONS // 10)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(160, 44)
        self.setAccessibleName("Replay position")
        self.setToolTip("Frontier size over the search; click or drag to go anywhere")
        self.actionTriggered.connect(self._on_action)

    def set_theme(self, theme: Theme) -> None:
        """Draw in these colours."""
        self._theme = theme
        self.update()

    def show_steps(self, marks: NDArray[np.float64], sizes: NDArray[np.int32]) -> None:
        """Plot frontiers of these sizes [steps] at these places along the walk [steps]."""
        self._marks, self._sizes = marks, sizes
        self._outline = np.zeros(0)
        self.setEnabled(len(sizes) > 0)
        self.update()

    def show_nothing(self) -> None:
        """Plot nothing: there is no replay."""
        self.show_steps(np.zeros(0), np.zeros(0, np.int32))

    def show_fraction(self, fraction: float) -> None:
        """Put the handle at this place along the walk without telling anyone."""
        self.setValue(round(fraction * POSITIONS))

    def sizeHint(self) -> QSize:
        """Be low and wide."""
        return QSize(480, 52)

    def _on_action(self, _action: int) -> None:
        self.scrubbed.emit(self.sliderPosition() / POSITIONS)

    # -------------------------------------------------------------------------------------------------- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the place under the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._take(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if self.isSliderDown():
            self._take(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self.setSliderDown(False)

    def _take(self, x: float) -> None:
        fraction = min(max((x - EDGE) / max(self.width() - 2 * EDGE, 1.0), 0.0), 1.0)
        self.show_fraction(fraction)
        self.scrubbed.emit(fraction)

    # ------------------------------------------------------------------------------------------------ drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the plot, its played part in the accent, and the handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        plot = QRectF(EDGE, 5, self.width() - 2 * EDGE, self.height() - 10)
        theme = self._theme
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        if len(self._sizes) == 0:
            return
        x = plot.left() + plot.width() * self.value() / POSITIONS
        area = self._area(plot)
        painter.fillPath(area, theme.color("faint", 0.45))
        painter.save()
        painter.setClipRect(QRectF(plot.left(), 0, x - plot.left(), self.height()))
        glow = QLinearGradient(plot.topLeft(), plot.bottomLeft())
        glow.setColorAt(0, theme.color("accent"))
        glow.setColorAt(1, theme.color("accent", 0.35))
        painter.fillPath(area, glow)
        painter.restore()
        self._paint_handle(painter, plot, x)

    def _paint_handle(self, painter: QPainter, plot: QRectF, x: float) -> None:
        theme = self._theme
        painter.setPen(QPen(theme.color("text"), 1.5))
        painter.drawLine(QPointF(x, plot.top() - 3), QPointF(x, plot.bottom()))
        painter.setPen(QPen(theme.color("panel"), 2))
        painter.setBrush(theme.color("accent" if self.hasFocus() or self.isSliderDown() else "text"))
        painter.drawEllipse(QPointF(x, plot.bottom()), 5.5, 5.5)

    def _area(self, plot: QRectF) -> QPainterPath:
        columns = max(int(plot.width()), 1)
        if len(self._outline) != columns:
            self._outline = frontier_outline(self._marks, self._sizes, columns)
        path = QPainterPath(plot.bottomLeft())
        for column, height in enumerate(self._outline.tolist()):
            path.lineTo(plot.left() + column, plot.bottom() - height * plot.height())
        path.lineTo(plot.bottomRight())
        path.closeSubpath()
        return path
