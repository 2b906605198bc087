"""Paint a trace in columns: the plot of frontier and queue, the strips of buckets and kinds of steps, the legend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QLinearGradient, QPainter, QPen

from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.look.text_scale import scaled
from wayfront_gui.look.theme import Theme
from wayfront_gui.model.step_columns import StepColumns
from wayfront_gui.translation import translated, translated_message

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
