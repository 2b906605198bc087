"""Paints a trace in columns: the frontier's plot with the queue's line, the strips under it, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QLinearGradient, QPainter, QPainterPath, QPen

from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.look.theme import Theme
from wayfront_gui.model.step_columns import Strips

EDGE = 7.0
"""Room left and right of the plot, so that the handle is whole at both ends."""
TOP = 5.0
HANDLE = 7.0
"""Room for the handle between the plot and what lies under it."""
STRIP = 7.0
STRIP_GAP = 2.0
LEGEND = 17.0
LEGEND_FONT = 11
SWATCH = 8.0
AHEAD = 0.45
"""How strongly strips are drawn that the replay has not come to."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """Where the parts stand: all are as wide as the plot. A strip that is not shown leaves its height to the plot."""

    plot: QRectF
    bucket: QRectF
    kinds: QRectF
    legend: QRectF

    @classmethod
    def of(cls, width: float, height: float, strips: Strips | None) -> Rooms:
        """Divide a widget of this size."""
        left, across = EDGE, max(width - 2 * EDGE, 1.0)
        bottom = height - LEGEND
        rows = []
        for shown in (strips is not None and bool(strips.kinds), strips is not None and strips.bucket is not None):
            row = STRIP if shown else 0.0
            rows.append(QRectF(left, bottom - row, across, row))
            bottom -= row + STRIP_GAP * shown
        plot = QRectF(left, TOP, across, max(bottom - HANDLE - TOP, 1.0))
        return cls(plot, bucket=rows[1], kinds=rows[0], legend=QRectF(left, height - LEGEND + 4, across, LEGEND - 4))

    @property
    def bottom(self) -> float:
        """Where plot and strips end."""
        return self.legend.top() - 4


@dataclass(frozen=True, slots=True)
class Look:
    """What the picture's colours are: the theme, and the map's colours of distance, float [256, 3]."""

    theme: Theme
    gradient: NDArray[np.float64]


def draw(strips: Strips, width: int, height: int, ratio: float, look: Look, *, played: bool) -> QImage:
    """Draw plot, strips and legend for a widget of this size, as what was ``played`` or what lies ahead."""
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    rooms = Rooms.of(width, height, strips)
    painter = QPainter(image)
    try:
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        _draw_frontier(painter, rooms.plot, strips.frontier, look.theme, played)
        if strips.queue is not None:
            _draw_queue(painter, rooms.plot, strips.queue, look.theme, played)
        painter.setOpacity(1.0 if played else AHEAD)
        if strips.bucket is not None:
            painter.drawImage(rooms.bucket, _bucket_image(strips.bucket, strips.opens, look.gradient))
        if strips.kinds:
            rows = max(round(rooms.kinds.height() * ratio), 1)
            colors = [QColor(look.theme.mode(kind.mode, kind.tone)) for kind in strips.kinds]
            painter.drawImage(rooms.kinds, _kinds_image(strips.shares, colors, rows))
        painter.setOpacity(1.0)
        _draw_legend(painter, rooms.legend, strips, look)
    finally:
        painter.end()
    return image


def _line(plot: QRectF, heights: NDArray[np.float64]) -> list[QPointF]:
    x = plot.left() + np.arange(len(heights)) * plot.width() / max(len(heights), 1)
    y = plot.bottom() - heights * plot.height()
    return [QPointF(*point) for point in zip(x.tolist(), y.tolist(), strict=True)]


def _draw_frontier(painter: QPainter, plot: QRectF, heights: NDArray[np.float64], theme: Theme, played: bool) -> None:
    area = QPainterPath(plot.bottomLeft())
    for point in _line(plot, heights):
        area.lineTo(point)
    area.lineTo(QPointF(plot.right(), plot.bottom() - heights[-1] * plot.height()))
    area.lineTo(plot.bottomRight())
    area.closeSubpath()
    glow = QLinearGradient(plot.topLeft(), plot.bottomLeft())
    glow.setColorAt(0, qt_colour(theme.interface.accent))
    glow.setColorAt(1, qt_colour(theme.interface.accent, 0.35))
    painter.fillPath(area, glow if played else qt_colour(theme.interface.faint, 0.45))


def _draw_queue(painter: QPainter, plot: QRectF, heights: NDArray[np.float64], theme: Theme, played: bool) -> None:
    line = _line(plot, heights)
    halo, inner = qt_colour(theme.interface.panel, 0.75), qt_colour(theme.interface.queue, 1.0 if played else 0.7)
    for pen_colour, width in ((halo, 3.5), (inner, 1.4)):
        painter.setPen(QPen(pen_colour, width, j=Qt.PenJoinStyle.RoundJoin))
        painter.drawPolyline(line)


def _bucket_image(places: NDArray[np.float64], opens: NDArray[np.bool_], gradient: NDArray[np.float64]) -> QImage:
    """Return one row of pixels: the map's colour of each column's bucket, darker to the left of where one opens."""
    known = ~np.isnan(places)
    index = np.round(np.where(known, places, 0.0) * 255).astype(np.intp)
    pixels = np.zeros((1, len(places), 4), np.uint8)
    pixels[0, :, :3] = np.round(gradient[index][:, ::-1])
    pixels[0, :, 3] = 255 * known
    pixels[0, opens, 3] = 70
    return _image(pixels)


def _kinds_image(shares: NDArray[np.float64], colors: list[QColor], rows: int) -> QImage:
    """Return a picture in which every column is divided among its kinds; none that occurs there is lost."""
    height = np.where(shares > 1e-9, np.maximum(shares, 1.0 / rows), 0.0)
    ends = np.cumsum(height / height.sum(axis=0), axis=0)
    middles = (np.arange(rows) + 0.5) / rows
    kind = (ends[:-1, None, :] <= middles[None, :, None]).sum(axis=0)
    table = np.array([(c.blue(), c.green(), c.red(), 255) for c in colors], np.uint8)
    return _image(table[kind])


def _image(pixels: NDArray[np.uint8]) -> QImage:
    """Return a picture of blue, green, red, alpha [rows, columns, 4] that owns its pixels."""
    rows, columns, _ = pixels.shape
    data = np.ascontiguousarray(pixels)
    return QImage(data.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32).copy()


# ---------------------------------------------------------------------------------------------------- the legend


def _draw_legend(painter: QPainter, room: QRectF, strips: Strips, look: Look) -> None:
    """Tell in one line what is drawn; what finds no room is told where the pointer rests."""
    font = QFont(painter.font())
    font.setPixelSize(LEGEND_FONT)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    x, middle = room.left(), room.center().y()
    for swatch, text in _legend(strips, look):
        wide = metrics.horizontalAdvance(text)
        if x + 2 * SWATCH + 4 + wide > room.right():
            return
        x += _draw_swatch(painter, QPointF(x, middle), swatch) + 5
        painter.setPen(qt_colour(look.theme.interface.muted))
        painter.drawText(QPointF(x, middle + metrics.ascent() / 2 - 1), text)
        x += wide + 14


def _legend(strips: Strips, look: Look) -> list[tuple[QColor | QPen | QLinearGradient, str]]:
    theme = look.theme
    entries: list[tuple[QColor | QPen | QLinearGradient, str]] = [
        (qt_colour(theme.interface.accent), f"frontier ≤ {strips.longest_frontier:,}")
    ]
    if strips.queue is not None:
        entries.append((QPen(qt_colour(theme.interface.queue), 2), f"queue ≤ {strips.longest_queue:,}"))
    if strips.bucket is not None:
        colors = QLinearGradient(0, 0, 1, 0)
        for place in (0.0, 0.25, 0.5, 0.75, 1.0):
            colors.setColorAt(place, QColor(*np.round(look.gradient[round(255 * place)]).astype(int).tolist()))
        first, last = strips.buckets
        entries.append((colors, f"bucket {first:,} – {last:,}" if last > first else f"bucket {first:,}"))
    entries += [(QColor(theme.mode(kind.mode, kind.tone)), kind.name) for kind in strips.kinds]
    return entries


def _draw_swatch(painter: QPainter, at: QPointF, swatch: QColor | QPen | QLinearGradient) -> float:
    """Draw a sample from ``at`` to the right; return its width."""
    if isinstance(swatch, QPen):
        painter.setPen(swatch)
        painter.drawLine(at, at + QPointF(1.5 * SWATCH, 0))
        return 1.5 * SWATCH
    wide = 2.5 * SWATCH if isinstance(swatch, QLinearGradient) else SWATCH
    box = QRectF(at.x(), at.y() - SWATCH / 2, wide, SWATCH)
    if isinstance(swatch, QLinearGradient):
        swatch.setStart(box.topLeft())
        swatch.setFinalStop(box.topRight())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(swatch)
    painter.drawRoundedRect(box, 2, 2)
    return wide
