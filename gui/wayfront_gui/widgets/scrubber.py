"""The replay's slider: a plot of the frontier's size along the replay, over strips of buckets and kinds of steps.

Pressing or dragging seeks, and a tooltip describes the step under the pointer. The plot is kept as two images, one as
played and one as still ahead; a frame shows a part of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QHideEvent, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractSlider, QWidget

from wayfront.trace.schema import Trace
from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.look.text_scale import keep_sized, scaled, text_scale
from wayfront_gui.look.theme import DARK, Theme
from wayfront_gui.model.step_columns import StepColumns, step_at
from wayfront_gui.scene.style import Style
from wayfront_gui.translation import translated
from wayfront_gui.widgets.facts_card import FactsCard
from wayfront_gui.widgets.step_plot import EDGE, HANDLE, PlotColours, PlotLayout, draw_step_plot

POSITIONS = 100_000
"""Integer positions of the slider, finer than any screen."""
HEIGHT = 90
LOW_HEIGHT = 26
"""Height of a low slider, which shows the plot alone."""
HANDLE_RADIUS = 5.5
MOST_HEIGHT = (1 << 24) - 1
"""Qt's own limit."""


class Scrubber(QAbstractSlider):
    """A slider over the plot; value 0 … ``POSITIONS`` is the position in the replay.

    ``describe`` returns the tooltip of a step as pairs of caption and value.
    """

    scrubbed = Signal(float)
    """The user sought this position in the replay, 0 … 1."""

    def __init__(self, describe: Callable[[int], Sequence[tuple[str, str]]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._describe = describe
        self._tooltip = FactsCard(self)
        self._colours = PlotColours(DARK, Style().gradient)
        self._trace: Trace | None = None
        self._marks = np.zeros(0)
        self._farthest: float | None = None
        self._columns: StepColumns | None = None
        self._images: tuple[QImage, QImage] | None = None
        self._pointer: float | None = None
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setRange(0, POSITIONS)
        self.setSingleStep(POSITIONS // 100)
        self.setPageStep(POSITIONS // 10)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self._low = False
        keep_sized(self, Scrubber._fit)
        self.setAccessibleName(translated("Replay position"))
        self.actionTriggered.connect(self._on_action)

    def set_colours(self, theme: Theme, colour_map: str) -> None:
        """Draw in the theme's colours, and buckets in those of the map's colour map."""
        self._colours = PlotColours(theme, Style(theme.name, colour_map).gradient)
        self._images = None
        self.update()

    def set_low(self, low: bool) -> None:
        """Show the plot alone, in one row of buttons, or with its strips and legend."""
        self._low = low
        self._fit()

    def _fit(self) -> None:
        """Be as high as texts of now need it."""
        low = self._low
        self.setMinimumSize(80 if low else 160, scaled(LOW_HEIGHT if low else HEIGHT - 10))
        self.setMaximumHeight(scaled(LOW_HEIGHT) if low else MOST_HEIGHT)
        self._images = None

    def show_trace(self, trace: Trace, marks: NDArray[np.float64], farthest: float | None) -> None:
        """Plot a trace whose steps begin at ``marks`` [steps], 0 … 1.

        ``farthest`` is the distance from which on the map has only its last colour; None without distances.
        """
        if trace is not self._trace or marks is not self._marks or farthest != self._farthest:
            self._trace, self._marks, self._farthest = trace, marks, farthest
            self._columns = self._images = None
        self.setEnabled(True)
        self._show_tooltip()
        self.update()

    def show_nothing(self) -> None:
        """Clear the plot: there is no replay."""
        self._trace, self._marks = None, np.zeros(0)
        self._columns = self._images = None
        self.setEnabled(False)
        self._show_tooltip()
        self.update()

    def show_fraction(self, fraction: float) -> None:
        """Move the handle to a position 0 … 1 without emitting ``scrubbed``."""
        self.setValue(round(fraction * POSITIONS))

    @property
    def columns(self) -> StepColumns | None:
        """The trace in columns of pixels; None while there is no replay."""
        count = max(round((self.width() - 2 * scaled(EDGE)) * self.devicePixelRatioF()), 2)
        if self._trace is not None and (self._columns is None or len(self._columns.frontier) != count):
            self._columns = StepColumns.of(self._trace, self._marks, count, self._farthest)
        return self._columns

    @property
    def tooltip_text(self) -> str:
        """The text of the step's tooltip, empty while it is hidden."""
        return self._tooltip.text if self._tooltip.isVisible() else ""

    def sizeHint(self) -> QSize:
        """Return a low and wide size."""
        return QSize(480, scaled(HEIGHT))

    def _on_action(self, _action: int) -> None:
        self.scrubbed.emit(self.sliderPosition() / POSITIONS)

    # -------------------------------------------------------------------------------------------------- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Seek to the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._seek(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Describe the step under the pointer; while dragging, seek to it."""
        self._point(event.position().x())
        if self.isSliderDown():
            self._seek(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag."""
        self.setSliderDown(False)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Describe the step under the pointer."""
        self._point(event.position().x())

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the tooltip."""
        self._point(None)

    def hideEvent(self, event: QHideEvent) -> None:
        """Hide the tooltip with the slider."""
        self._point(None)

    def _seek(self, x: float) -> None:
        fraction = self._fraction_at(x)
        self.show_fraction(fraction)
        self.scrubbed.emit(fraction)

    def _fraction_at(self, x: float) -> float:
        edge = scaled(EDGE)
        return min(max((x - edge) / max(self.width() - 2 * edge, 1.0), 0.0), 1.0)

    def _point(self, x: float | None) -> None:
        self._pointer = x
        self._show_tooltip()
        self.update()

    def _show_tooltip(self) -> None:
        if self._pointer is None or self._trace is None:
            self._tooltip.hide()
        else:
            step = step_at(self._marks, self._fraction_at(self._pointer))
            self._tooltip.show_above(self._describe(step), round(self._pointer))

    # ------------------------------------------------------------------------------------------------ drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the plot, played up to the handle, and the handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, columns = self._colours.theme.interface, self.columns
        layout = PlotLayout.of(self.width(), self.height(), columns)
        painter.setPen(QPen(qt_colour(colours.line), 1))
        painter.drawLine(layout.plot.bottomLeft(), layout.plot.bottomRight())
        if columns is None:
            return
        ahead, played = self._draw(columns)
        x = layout.plot.left() + layout.plot.width() * self.value() / POSITIONS
        for image, left, right in ((played, 0.0, x), (ahead, x, float(self.width()))):
            painter.setClipRect(QRectF(left, 0, right - left, self.height()))
            painter.drawImage(QPointF(0, 0), image)
        painter.setClipping(False)
        if self._pointer is not None:
            here = layout.plot.left() + layout.plot.width() * self._fraction_at(self._pointer)
            painter.setPen(QPen(qt_colour(colours.muted, 0.8), 1))
            painter.drawLine(QPointF(here, layout.plot.top()), QPointF(here, layout.bottom))
        self._paint_handle(painter, layout, x)

    def _draw(self, columns: StepColumns) -> tuple[QImage, QImage]:
        ratio = self.devicePixelRatioF()
        if self._images is None or self._images[0].size() != self.size() * ratio:
            size = (self.width(), self.height(), ratio)
            ahead, played = (draw_step_plot(columns, *size, self._colours, played=played) for played in (False, True))
            self._images = ahead, played
        return self._images

    def _paint_handle(self, painter: QPainter, layout: PlotLayout, x: float) -> None:
        colours, plot = self._colours.theme.interface, layout.plot
        painter.setPen(QPen(qt_colour(colours.text), 1.5))
        painter.drawLine(QPointF(x, plot.top() - 3), QPointF(x, plot.bottom()))
        if layout.bottom > plot.bottom() + scaled(HANDLE):
            painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, layout.bottom))
        painter.setPen(QPen(qt_colour(colours.panel), 2))
        painter.setBrush(qt_colour(colours.accent if self.hasFocus() or self.isSliderDown() else colours.text))
        radius = HANDLE_RADIUS * text_scale.factor
        painter.drawEllipse(QPointF(x, plot.bottom()), radius, radius)
