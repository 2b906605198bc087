"""The strip of one search in a race: its frontier along the race's clock, as long as the search lasts on it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.look.text_scale import scaled
from wayfront_gui.look.theme import DARK, Theme
from wayfront_gui.model.player import Player
from wayfront_gui.model.step_columns import outline

HEIGHT = 30


class RaceStrip(QWidget):
    """Shows one player's trace; all strips of a race have the same scale. Pressing or dragging seeks the clock."""

    sought = Signal(float)
    """A moment of the clock, as a share of its length, 0 … 1."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        self._player = player
        self._theme = DARK
        self._images: tuple[QImage, QImage] | None = None
        self._shown: tuple[Any, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Return a low and wide size."""
        return QSize(240, scaled(HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frontier, played up to the clock's moment, and where the search ends."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, clock, player = self._theme.interface, self._player.clock, self._player
        area = QRectF(0, 1, self.width(), self.height() - 2)
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), qt_colour(colours.line))
        if player.trace is None:
            return
        now = area.width() * clock.fraction
        wide = area.width() * min(player.span / clock.length, 1.0)
        played, ahead = self._draw(wide, area)
        for left, right, image in ((0.0, now, played), (now, area.width(), ahead)):
            painter.setClipRect(QRectF(left, 0, right - left, self.height()))
            painter.drawImage(QPointF(0, 0), image)
        painter.setClipping(False)
        painter.setPen(QPen(qt_colour(colours.text, 0.9 if clock.now >= player.span else 0.45), 1.5))
        end = min(max(wide, 1.0), area.width() - 1)
        painter.drawLine(QPointF(end, area.top()), QPointF(end, area.bottom()))
        painter.setPen(QPen(qt_colour(colours.text, 0.8), 1))
        here = min(now, area.width() - 0.5)
        painter.drawLine(QPointF(here, 0), QPointF(here, self.height()))

    def _draw(self, wide: float, area: QRectF) -> tuple[QImage, QImage]:
        """Return the frontier as played and as still ahead, drawn once for a trace and a size."""
        ratio = self.devicePixelRatioF()
        shown = (id(self._player.trace), id(self._player.marks), wide, area.width(), ratio, self._theme.name)
        if self._images is None or shown != self._shown:
            colours, path = self._theme.interface, self._frontier(wide, area)
            fills = qt_colour(colours.accent, 0.9), qt_colour(colours.faint, 0.5)
            self._images, self._shown = (self._fill(path, fills[0]), self._fill(path, fills[1])), shown
        return self._images

    def _fill(self, path: QPainterPath, colour: QColor) -> QImage:
        image = QImage(self.size() * self.devicePixelRatioF(), QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self.devicePixelRatioF())
        image.fill(0)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(path, colour)
        painter.end()
        return image

    def _frontier(self, wide: float, area: QRectF) -> QPainterPath:
        trace = self._player.trace
        assert trace is not None
        heights = outline(self._player.marks, trace.frontier_size, max(round(wide), 1))
        path = QPainterPath(area.bottomLeft())
        for x, height in enumerate(heights.tolist()):
            path.lineTo(area.left() + x, area.bottom() - 2 - height * (area.height() - 3))
        path.lineTo(area.left() + wide, area.bottom() - 2 - float(heights[-1]) * (area.height() - 3))
        path.lineTo(area.left() + wide, area.bottom())
        path.closeSubpath()
        return path

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Seek to the pointer."""
        self._seek(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Seek to the pointer while it is pressed."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._seek(event)

    def _seek(self, event: QMouseEvent) -> None:
        self.sought.emit(min(max(event.position().x() / max(self.width(), 1), 0.0), 1.0))
