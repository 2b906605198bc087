"""The slider of the replay, over a plot of its steps: frontier and queue, strips of buckets and of kinds of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFont,
    QFontMetricsF,
    QHideEvent,
    QImage,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractSlider, QWidget

from wayfront.searching.registry import algorithms
from wayfront.trace.schema import NO_BUCKET, NO_QUEUE, Trace
from wayfront_gui.map.style import Style
from wayfront_gui.ui.cards import FactsCard
from wayfront_gui.ui.style import keep_sized, qt_colour, scaled, text_scale
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import translated, translated_message

POSITIONS = 100_000
"""Integer positions of the slider, finer than any screen."""
SCRUBBER_HEIGHT = 90
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
        self.setMinimumSize(80, scaled(LOW_HEIGHT if low else SCRUBBER_HEIGHT - 10))
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
        return QSize(480, scaled(SCRUBBER_HEIGHT))

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


EDGE = 7.0
"""Margin left and right of the plot, so that the handle is whole at both ends."""
TOP = 5.0
HANDLE = 7.0
"""Space for the handle between the plot and the strips."""
STRIP = 7.0
STRIP_GAP = 2.0
LEGEND = 17.0
LOW = 48.0
"""Below this height there is only the plot with its handle."""
LEGEND_FONT = 11
SWATCH = 8.0
_FOOT, _STILL_AHEAD = 0.35, 0.45
"""Opacity of the frontier's area at its foot where it is played, and of all of it where it is still ahead."""
AHEAD = 0.45
"""Opacity of the strips to the right of the replay's position."""


@dataclass(frozen=True, slots=True)
class PlotLayout:
    """Rectangles of plot, strips and legend, all as wide as the plot. A hidden strip leaves its height to the plot."""

    plot: QRectF
    bucket: QRectF
    kinds: QRectF
    legend: QRectF

    @classmethod
    def of(cls, width: float, height: float, columns: StepColumns | None) -> PlotLayout:
        """Divide a widget of this size."""
        edge, strip, handle, legend = scaled(EDGE), scaled(STRIP), scaled(HANDLE), scaled(LEGEND)
        left, across = float(edge), max(width - 2 * edge, 1.0)
        if height < scaled(LOW):
            plot = QRectF(left, 3, across, max(height - handle - 3, 1.0))
            nothing = QRectF(left, height, across, 0)
            return cls(plot, nothing, nothing, nothing.translated(0, 4))
        bottom = float(height - legend)
        rows = []
        for shown in (columns is not None and bool(columns.kinds), columns is not None and columns.bucket is not None):
            row = float(strip) if shown else 0.0
            rows.append(QRectF(left, bottom - row, across, row))
            bottom -= row + STRIP_GAP * shown
        plot = QRectF(left, TOP, across, max(bottom - handle - TOP, 1.0))
        return cls(plot, bucket=rows[1], kinds=rows[0], legend=QRectF(left, height - legend + 4, across, legend - 4))

    @property
    def bottom(self) -> float:
        """The lower edge of plot and strips."""
        return self.legend.top() - 4


@dataclass(frozen=True, slots=True)
class PlotColours:
    """Colours of the plot: the theme, and the map's colours of distance, float [256, 3]."""

    theme: Theme
    gradient: NDArray[np.float64]


def draw_step_plot(
    columns: StepColumns, width: int, height: int, ratio: float, colours: PlotColours, *, played: bool
) -> QImage:
    """Draw plot, strips and legend for a widget of this size in pixels: as played, or as still ahead."""
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    layout = PlotLayout.of(width, height, columns)
    painter = QPainter(image)
    try:
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        high = max(round(layout.plot.height() * ratio), 1)
        painter.drawImage(layout.plot, _frontier_image(columns.frontier, high, colours.theme, played))
        if columns.queue is not None:
            _draw_queue(painter, layout.plot, columns.queue, colours.theme, played)
        painter.setOpacity(1.0 if played else AHEAD)
        if columns.bucket is not None and layout.bucket.height():
            painter.drawImage(layout.bucket, _bucket_image(columns.bucket, columns.opens, colours.gradient))
        if columns.kinds and layout.kinds.height():
            rows = max(round(layout.kinds.height() * ratio), 1)
            of_kinds = [QColor(colours.theme.mode(kind.mode, kind.tone)) for kind in columns.kinds]
            painter.drawImage(layout.kinds, _kinds_image(columns.shares, of_kinds, rows))
        painter.setOpacity(1.0)
        if layout.legend.height():
            _draw_legend(painter, layout.legend, columns, colours)
    finally:
        painter.end()
    return image


def _line(plot: QRectF, heights: NDArray[np.float64]) -> list[QPointF]:
    x = plot.left() + np.arange(len(heights)) * plot.width() / max(len(heights), 1)
    y = plot.bottom() - heights * plot.height()
    return [QPointF(*point) for point in zip(x.tolist(), y.tolist(), strict=True)]


def _frontier_image(heights: NDArray[np.float64], rows: int, theme: Theme, played: bool) -> QImage:
    """Return the area below ``heights``, a column of pixels each: Qt takes ten times as long to fill such a path."""
    row = np.arange(rows)[:, None]
    covered = np.clip(heights[None, :] * rows - (rows - 1 - row), 0.0, 1.0)
    colour = qt_colour(theme.interface.accent if played else theme.interface.faint)
    strength = np.linspace(1.0, _FOOT, rows)[:, None] if played else np.array([[_STILL_AHEAD]])
    pixels = np.empty((*covered.shape, 4), np.uint8)
    pixels[..., :3] = colour.blue(), colour.green(), colour.red()
    pixels[..., 3] = np.round(255 * covered * strength)
    return _image(pixels)


def _draw_queue(painter: QPainter, plot: QRectF, heights: NDArray[np.float64], theme: Theme, played: bool) -> None:
    line = _line(plot, heights)
    halo, inner = qt_colour(theme.interface.panel, 0.75), qt_colour(theme.interface.queue, 1.0 if played else 0.7)
    for pen_colour, width in ((halo, 3.5), (inner, 1.4)):
        painter.setPen(QPen(pen_colour, width, j=Qt.PenJoinStyle.RoundJoin))
        painter.drawPolyline(line)


def _bucket_image(positions: NDArray[np.float64], opens: NDArray[np.bool_], gradient: NDArray[np.float64]) -> QImage:
    """Return one row of pixels: each column's bucket in its colour on the map, with a notch where a bucket opens."""
    known = ~np.isnan(positions)
    index = np.round(np.where(known, positions, 0.0) * 255).astype(np.intp)
    pixels = np.zeros((1, len(positions), 4), np.uint8)
    pixels[0, :, :3] = np.round(gradient[index][:, ::-1])
    pixels[0, :, 3] = 255 * known
    pixels[0, opens, 3] = 70
    return _image(pixels)


def _kinds_image(shares: NDArray[np.float64], colours: list[QColor], rows: int) -> QImage:
    """Return an image with each column divided among its kinds of steps, each at least one pixel high.

    A pixel in which two kinds meet mixes their colours.
    """
    rare = (shares > 1e-9) & (shares * rows < 1.0)
    usual = np.where(rare, 0.0, shares)
    room = np.maximum(rows - rare.sum(axis=0), 0) / np.maximum(usual.sum(axis=0), 1e-9)
    ends = np.cumsum(np.where(rare, 1.0, usual * room), axis=0)
    begins = np.concatenate([np.zeros((1, shares.shape[1])), ends[:-1]])
    row = np.arange(rows)[None, :, None]
    covered = np.clip(np.minimum(ends[:, None], row + 1) - np.maximum(begins[:, None], row), 0.0, 1.0)
    table = np.array([(c.blue(), c.green(), c.red(), 255) for c in colours], np.float64)
    pixels = np.einsum("krc,kb->rcb", covered, table)
    return _image(np.round(pixels).astype(np.uint8))


def _image(pixels: NDArray[np.uint8]) -> QImage:
    """Return a copy of blue, green, red, alpha, uint8 [rows, columns, 4], as an image."""
    rows, columns, _ = pixels.shape
    data = np.ascontiguousarray(pixels)
    return QImage(data.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32).copy()


# ---------------------------------------------------------------------------------------------------- the legend


def _draw_legend(painter: QPainter, area: QRectF, columns: StepColumns, colours: PlotColours) -> None:
    """Draw the legend in one line; entries that do not fit are left out (the tooltip describes each step)."""
    font = QFont(painter.font())
    font.setPixelSize(scaled(LEGEND_FONT))
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    x, middle = area.left(), area.center().y()
    for swatch, text in _legend(columns, colours):
        wide = metrics.horizontalAdvance(text)
        if x + 2 * scaled(SWATCH) + scaled(4) + wide > area.right():
            return
        x += _draw_swatch(painter, QPointF(x, middle), swatch) + scaled(5)
        painter.setPen(qt_colour(colours.theme.interface.muted))
        painter.drawText(QPointF(x, middle + metrics.ascent() / 2 - 1), text)
        x += wide + scaled(14)


def _legend(columns: StepColumns, colours: PlotColours) -> list[tuple[QColor | QPen | QLinearGradient, str]]:
    theme = colours.theme
    entries: list[tuple[QColor | QPen | QLinearGradient, str]] = [
        (
            qt_colour(theme.interface.accent),
            translated("frontier ≤ {longest_frontier:,}", longest_frontier=columns.longest_frontier),
        )
    ]
    if columns.queue is not None:
        entries.append(
            (
                QPen(qt_colour(theme.interface.queue), 2),
                translated("queue ≤ {longest_queue:,}", longest_queue=columns.longest_queue),
            )
        )
    if columns.bucket is not None:
        gradient = QLinearGradient(0, 0, 1, 0)
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            gradient.setColorAt(share, QColor(*np.round(colours.gradient[round(255 * share)]).astype(int).tolist()))
        first, last = columns.buckets
        entries.append(
            (
                gradient,
                translated("bucket {first:,} – {last:,}", first=first, last=last)
                if last > first
                else translated("bucket {first:,}", first=first),
            )
        )
    entries += [(QColor(theme.mode(kind.mode, kind.tone)), translated_message(kind.name)) for kind in columns.kinds]
    return entries


def _draw_swatch(painter: QPainter, at: QPointF, swatch: QColor | QPen | QLinearGradient) -> float:
    """Draw a swatch from ``at`` to the right; return its width."""
    side = float(scaled(SWATCH))
    if isinstance(swatch, QPen):
        painter.setPen(swatch)
        painter.drawLine(at, at + QPointF(1.5 * side, 0))
        return 1.5 * side
    wide = 2.5 * side if isinstance(swatch, QLinearGradient) else side
    box = QRectF(at.x(), at.y() - side / 2, wide, side)
    if isinstance(swatch, QLinearGradient):
        swatch.setStart(box.topLeft())
        swatch.setFinalStop(box.topRight())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(swatch)
    painter.drawRoundedRect(box, 2, 2)
    return wide


FEWEST_COLUMNS_A_BUCKET = 4
"""Buckets that are narrower on average are not separated: the notches would hide their colours."""
LEAST_FULL = 16
"""A plot reaches its full height at its largest value, but at no smaller value than this: otherwise a search that
settles node by node would fill the whole plot."""


SMOOTHING = np.array([1.0, 2.0, 3.0, 2.0, 1.0]) / 9
"""How neighbouring columns are mixed where a column has several steps."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which steps were taken.

    ``tone`` is the phase's place among those that its search declares, so that phases of one mode can share its colour
    and have the same tones in every run. ``name`` is as short as it can be and still be different from the others.
    """

    mode: str
    phase: str
    tone: int
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class StepColumns:
    """A trace in columns. Arrays that it lacks are None.

    frontier  float64 [columns]: largest frontier of the column's steps, 0 … 1 by square root
    queue     float64 [columns]: longest queue, likewise; it has a scale of its own
    bucket    float64 [columns]: position of the bucket on the colour map, 0 … 1; NaN where a step has none
    opens     bool [columns]: a bucket opens here, and the buckets are wide enough to be separated
    kinds     the kinds of steps, where there is more than one
    shares    float64 [kinds, columns]: how much of the column each kind takes
    """

    frontier: NDArray[np.float64]
    queue: NDArray[np.float64] | None
    bucket: NDArray[np.float64] | None
    opens: NDArray[np.bool_]
    kinds: tuple[Kind, ...]
    shares: NDArray[np.float64]
    longest_frontier: int
    longest_queue: int
    buckets: tuple[int, int]

    @classmethod
    def of(cls, trace: Trace, marks: NDArray[np.float64], columns: int, farthest: float | None) -> StepColumns:
        """Gather a trace with at least one step; ``farthest`` is the distance of the map's last colour, if known."""
        seen = _column_steps(marks, columns)
        bucket, opens = _buckets(trace, marks, seen, farthest)
        kinds, of_step = kinds_of(trace)
        with_bucket = trace.bucket[trace.bucket != NO_BUCKET]
        longest_queue = int(trace.queue.max())
        return cls(
            frontier=outline(marks, trace.frontier_size, columns),
            queue=None if longest_queue == NO_QUEUE else outline(marks, np.maximum(trace.queue, 0), columns),
            bucket=bucket,
            opens=opens,
            kinds=kinds,
            shares=shares(marks, of_step, len(kinds), columns),
            longest_frontier=int(trace.frontier_size.max()),
            longest_queue=longest_queue,
            buckets=(int(with_bucket.min()), int(with_bucket.max())) if len(with_bucket) else (NO_BUCKET, NO_BUCKET),
        )


def step_at(marks: NDArray[np.float64], fraction: float) -> int:
    """Return the step that is shown at a fraction of the walk."""
    return int(np.clip(np.searchsorted(marks, fraction + 1e-12, "right") - 1, 0, len(marks) - 1))


def outline(marks: NDArray[np.float64], values: NDArray[Any], columns: int) -> NDArray[np.float64]:
    """Return the height of a plot of ``values`` >= 0 [steps] in each column, float64 0 … 1.

    A column shows the largest of its steps, so that no peak is lost; one without a step of its own has the height of
    the step before. Heights grow with the square root: a frontier is the edge of an area, and small ones stay
    visible. Values that never exceed a few nodes do not fill the plot.
    """
    heights = np.zeros(columns)
    if len(values) == 0 or columns == 0:
        return heights
    column_of = np.minimum((marks * columns).astype(np.int64), columns - 1)
    begins = np.flatnonzero(np.diff(column_of, prepend=-1))
    filled = column_of[begins]
    heights[filled] = np.sqrt(np.maximum.reduceat(values, begins).astype(np.float64))
    heights = heights[filled[np.searchsorted(filled, np.arange(columns), "right") - 1]]
    return heights / max(heights.max(), LEAST_FULL**0.5)


def kinds_of(trace: Trace) -> tuple[tuple[Kind, ...], NDArray[np.intp]]:
    """Return the kinds of a trace's steps, and each step's kind [steps]; none at all where all are of one kind."""
    (modes_of, mode), (phases_of, phase) = (_renumber(trace.labels[:, column]) for column in (0, 2))
    present = np.bincount(mode * len(phases_of) + phase, minlength=len(modes_of) * len(phases_of)) > 0
    if present.sum() < 2:
        return (), np.zeros(len(trace), np.intp)
    pairs = [
        (trace.label_names[modes_of[pair // len(phases_of)]], trace.label_names[phases_of[pair % len(phases_of)]])
        for pair in np.flatnonzero(present).tolist()
    ]
    kinds = tuple(Kind(mode, phase, _tone(pairs, mode, phase), _name(pairs, mode, phase)) for mode, phase in pairs)
    return kinds, (np.cumsum(present) - 1)[mode * len(phases_of) + phase]


def _tone(pairs: list[tuple[str, str]], mode: str, phase: str) -> int:
    """Return the phase's place among those of a search that declares all of these, or all of the mode's."""
    of_mode = {p for m, p in pairs if m == mode}
    for phases in ({p for _, p in pairs}, of_mode):
        for declared in algorithms():
            if phases <= set(declared.phases):
                return declared.phases.index(phase)
    return sorted(of_mode).index(phase)


def _renumber(labels: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the labels that occur, ascending, and each step's index among them, without sorting 300,000 of them."""
    occurs = np.bincount(labels) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[labels]


def _name(pairs: list[tuple[str, str]], mode: str, phase: str) -> str:
    """Name a kind by what distinguishes it: its mode, its phase, or both."""
    of_mode = [p for m, p in pairs if m == mode]
    if len(of_mode) == 1:
        return mode
    return phase if len(of_mode) == len(pairs) else f"{mode}: {phase}"


def shares(marks: NDArray[np.float64], of_step: NDArray[np.intp], kinds: int, columns: int) -> NDArray[np.float64]:
    """Return how much of each column every kind takes, float64 [kinds, columns]: however many steps it holds."""
    if not kinds:
        return np.zeros((0, columns))
    result = np.stack([_means(marks, of_step == kind, columns) for kind in range(kinds)])
    if columns > len(SMOOTHING) and np.count_nonzero(np.diff(of_step)) > columns:
        # Steps that alternate beat with the columns: shares that differ by a step or two become stripes of their own.
        within = np.pad(result[:, :-1], ((0, 0), (len(SMOOTHING) // 2,) * 2), mode="edge")
        result[:, :-1] = np.stack([np.convolve(row, SMOOTHING, mode="valid") for row in within])
    return result


def _knots(marks: NDArray[np.float64], columns: int) -> NDArray[np.float64]:
    """Return where steps begin, and where the last one ends."""
    return np.append(np.minimum(marks, 1.0 - 1.0 / columns), 1.0)


def _column_steps(marks: NDArray[np.float64], columns: int) -> NDArray[np.intp]:
    """Return the step in the middle of each column."""
    middles = (np.arange(columns) + 0.5) / columns
    return np.minimum(np.searchsorted(_knots(marks, columns), middles, "right") - 1, len(marks) - 1)


def _buckets(
    trace: Trace, marks: NDArray[np.float64], seen: NDArray[np.intp], farthest: float | None
) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_]]:
    """Return each column's position on the colour map, and where buckets open.

    A bucket has the colour that the map gives its nodes. While the map is coloured by steps, since the distances are
    not known yet, its position is that among the buckets so far.
    """
    opens = np.zeros(len(seen), bool)
    if trace.bucket.max() == NO_BUCKET:
        return None, opens
    index = trace.bucket[seen]
    if farthest is not None and trace.bucket_high.max() > 0:
        of_step = (trace.bucket_low / 2 + trace.bucket_high / 2) / max(farthest, 1.0)
    else:
        of_step = trace.bucket / max(int(trace.bucket.max()), 1)
    known = trace.bucket != NO_BUCKET
    position, covered = (_means(marks, values, len(seen)) for values in (np.where(known, of_step, 0.0), known))
    position = np.divide(position, covered, out=np.zeros(len(seen)), where=covered > 0)
    opens[1:] = index[1:] != index[:-1]
    if opens.sum() * FEWEST_COLUMNS_A_BUCKET > len(seen):
        opens[:] = False
    return np.where(index == NO_BUCKET, np.nan, np.clip(position, 0.0, 1.0)), opens


def _means(marks: NDArray[np.float64], values: NDArray[Any], columns: int) -> NDArray[np.float64]:
    """Return the mean of ``values`` [steps] in each column, every step counted as long as it lasts there."""
    knots = _knots(marks, columns)
    covered = np.concatenate(([0.0], np.cumsum(np.diff(knots) * values)))
    return np.asarray(np.diff(np.interp(np.linspace(0.0, 1.0, columns + 1), knots, covered)) * columns)
