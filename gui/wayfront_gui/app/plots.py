"""Rows over the steps of a replay, with one axis: frontier, relaxations and time of each step; zoomed by the wheel.

They bring pyqtgraph with them, a third of a second: ``timeline`` makes them when they are first shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QFont,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsItem

from wayfront.trace.schema import Trace
from wayfront_gui.session import formatting
from wayfront_gui.ui.style import keep_sized, qt_colour, scaled
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import marked, translated

AXIS_WIDTH, LABELS_HEIGHT = 62, 20
NARROWEST = 6.0
"""Steps that are seen at least."""
WHEEL = 1.0012
"""Zoom factor of one unit of wheel rotation."""
_FONT_PIXELS = 11
USUAL, DWARFED = 0.95, 4.0
"""The scale of a row that may be disturbed ends at so many times what this share of its steps stays below: a step in
which something else kept the machine busy must not make all others vanish."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its name, what it has of each step [steps], how that is written, and whether it may be ``disturbed``."""

    name: str
    values: Callable[[Trace], NDArray[Any]]
    tick: Callable[[float], str]
    disturbed: bool = False


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else ""  # there is no half of a node


def _time(ms: float) -> str:
    return formatting.milliseconds(ms) if ms else "0"


ROWS = (
    Row(marked("Frontier"), lambda trace: trace.frontier_size, _count),
    Row(marked("Relaxations"), lambda trace: trace.relaxations, _count),
    Row(marked("Traced time"), lambda trace: trace.time_ns * 1e-6, _time, disturbed=True),
)


class Plots(pg.GraphicsLayoutWidget):
    """The plots of a trace, a step from ``i`` to ``i + 1``; pressing or dragging seeks, the wheel zooms at the pointer.

    Curves are kept as pixmaps, and a frame of the replay paints the few columns anew between which its line moves.
    """

    sought = Signal(float)
    """The step at the pointer, with its fraction."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0
        self._values = [np.zeros(0) for _ in ROWS]
        self._bars: list[pg.PlotDataItem] = []
        self._names: list[pg.LabelItem] = []
        self._step = 0.0
        self._head = QPen()
        self.ci.setContentsMargins(0, 4, 8, 0)
        self.ci.setSpacing(2)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plots: list[pg.PlotItem] = [self._add(index, row) for index, row in enumerate(ROWS)]
        for plot in self.plots[1:]:
            plot.setXLink(self.plots[0])
        self.plots[0].getViewBox().sigXRangeChanged.connect(self._draw)
        self.set_theme(DARK)
        keep_sized(self, Plots._fit_texts)

    def _add(self, index: int, row: Row) -> pg.PlotItem:
        self._names.append(self.addLabel(translated(row.name), row=index, col=0, justify="left"))
        plot = self.addPlot(row=index, col=1)
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.getViewBox().setMouseEnabled(x=False, y=False)
        left, bottom = plot.getAxis("left"), plot.getAxis("bottom")
        left.tickStrings = lambda values, scale, spacing: [row.tick(value) for value in values]
        left.setStyle(maxTickLevel=0, tickLength=3)
        bottom.setStyle(showValues=index == len(ROWS) - 1, tickLength=3)
        bars = pg.PlotDataItem(stepMode="center", fillLevel=0.0, pen=None, skipFiniteCheck=True)
        bars.curve.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        plot.addItem(bars)
        self._bars.append(bars)
        return plot

    def show_trace(self, trace: Trace | None) -> None:
        """Plot a trace whole; one that continues the trace before keeps the part that is seen."""
        count = 0 if trace is None else len(trace)
        whole = self.seen[1] - self.seen[0] >= self._count
        self._count = count
        self._values = [np.zeros(0) if trace is None else np.asarray(row.values(trace), np.float64) for row in ROWS]
        for row, values, plot in zip(ROWS, self._values, self.plots, strict=True):
            plot.setYRange(0.0, top(values, disturbed=row.disturbed), padding=0.06)
            plot.setLimits(xMin=0, xMax=max(count, 1), minXRange=min(NARROWEST, max(count, 1)))
        self._fill()
        if whole:
            self.show_all()
        self._draw()

    def show_step(self, position: float) -> None:
        """Move the line to a step; keep it in sight while a part is seen."""
        before, self._step = self._column(), position
        for column in (before, self._column()):
            self.viewport().update(round(column) - 3, 0, 6, self.height())
        low, high = self.seen
        if not low <= position <= high:
            self._see(position - (high - low) / 4, high - low)

    @property
    def seen(self) -> tuple[float, float]:
        """The first and the last step that are seen, with their fractions."""
        low, high = self.plots[0].getViewBox().viewRange()[0]
        return float(low), float(high)

    def show_all(self) -> None:
        """Show all steps."""
        self._see(0.0, float(self._count))

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Show fewer steps (``factor`` above 1) or more round the step ``at``, by default the one that is replayed."""
        low, high = self.seen
        here = min(max(self._step if at is None else at, low), high)
        across = min(max((high - low) / factor, NARROWEST), max(float(self._count), 1.0))
        self._see(here - (here - low) / (high - low) * across, across)

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self._theme, colours = theme, theme.interface
        self._fill()
        self.setBackground(qt_colour(colours.panel))
        self._head = QPen(qt_colour(colours.text), 1.5)
        for plot in self.plots:
            for side in ("left", "bottom"):
                axis = plot.getAxis(side)
                axis.setPen(pg.mkPen(qt_colour(colours.line)))
                axis.setTextPen(pg.mkPen(qt_colour(colours.muted)))
        self._fit_texts()

    def changeEvent(self, event: QEvent) -> None:
        """Write the names in another language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._fit_texts()

    def _fit_texts(self) -> None:
        """Write names and labels as large as texts are now, and give the axes the room for them."""
        small = QFont(self.font())
        small.setPixelSize(scaled(_FONT_PIXELS))
        for plot, name, row in zip(self.plots, self._names, ROWS, strict=True):
            name.setText(translated(row.name), color=self._theme.interface.muted, size=f"{scaled(_FONT_PIXELS)}px")
            for side in ("left", "bottom"):
                plot.getAxis(side).setTickFont(small)
            plot.getAxis("left").setWidth(scaled(AXIS_WIDTH))
            plot.getAxis("bottom").setHeight(scaled(LABELS_HEIGHT) if plot is self.plots[-1] else 3)

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:  # noqa: N802 - Qt's name
        """Draw the line at the step that is shown over all rows."""
        super().drawForeground(painter, rect)
        if self._count:
            painter.setPen(self._head)
            for plot in self.plots:
                room = plot.getViewBox().sceneBoundingRect()
                painter.drawLine(QPointF(self._column(), room.top()), QPointF(self._column(), room.bottom()))

    def _column(self) -> float:
        """Return where the step that is shown is, in the scene, whose points are the pixels of the widget."""
        return float(self.plots[0].getViewBox().mapViewToScene(QPointF(self._step, 0.0)).x())

    def _fill(self) -> None:
        """Fill the bars of each row in the theme's colour, lighter towards their feet."""
        for row, values, bars in zip(ROWS, self._values, self._bars, strict=True):
            fill = QLinearGradient(0.0, 0.0, 0.0, top(values, disturbed=row.disturbed))
            fill.setColorAt(0, qt_colour(self._theme.interface.accent, 0.35))
            fill.setColorAt(1, qt_colour(self._theme.interface.accent))
            bars.setFillBrush(QBrush(fill))

    def _see(self, low: float, across: float) -> None:
        low = min(max(low, 0.0), max(self._count - across, 0.0))
        self.plots[0].setXRange(low, low + max(across, 1.0), padding=0)

    def _draw(self) -> None:
        """Draw the part that is seen: a column for each step, or for several the largest of them."""
        low, high = self.seen
        for values, bars in zip(self._values, self._bars, strict=True):
            bars.setData(*columns(values, low, high, max(self.width() - scaled(AXIS_WIDTH), 2)))

    # -------------------------------------------------------------------------------------------------- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Seek to the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.sought.emit(self._step_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Seek to the pointer while it is pressed."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.sought.emit(self._step_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Do nothing: a press has sought already."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all steps."""
        self.show_all()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; with Shift, or by a wheel that turns sideways, move along the steps."""
        turned, low, high = event.angleDelta(), *self.seen
        along = turned.x() or (turned.y() if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 0)
        if along:
            self._see(low - along / 1200 * (high - low), high - low)
        else:
            self.zoom(WHEEL ** turned.y(), self._step_at(event.position()))
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have as many columns as there are pixels."""
        super().resizeEvent(event)
        if getattr(self, "plots", None):
            self._draw()

    def _step_at(self, pos: QPointF) -> float:
        point = self.plots[0].getViewBox().mapSceneToView(self.mapToScene(pos.toPoint()))
        return min(max(float(point.x()), 0.0), max(self._count - 1e-6, 0.0))


def top(values: NDArray[np.float64], *, disturbed: bool = False) -> float:
    """Return where the scale of a row with these values [steps] ends."""
    largest = float(values.max(initial=0.0))
    usual = float(np.quantile(values, USUAL)) if disturbed and len(values) else 0.0
    return (min(largest, DWARFED * usual) if usual > 0 else largest) or 1.0


def columns(values: NDArray[Any], low: float, high: float, count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the edges and the heights of at most ``count`` columns of the steps from ``low`` to ``high``.

    Where there are more steps than that, a column has the largest of its steps, so that no peak is lost.
    """
    first, last = max(int(low), 0), min(int(np.ceil(high)) + 1, len(values))
    if last <= first:
        return np.zeros(1, np.int64), np.zeros(0)
    edges = np.unique(np.linspace(first, last, min(count, last - first) + 1).astype(np.int64))
    return edges, np.maximum.reduceat(values[:last], edges[:-1])
