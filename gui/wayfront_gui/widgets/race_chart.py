"""The chart of a race: a bar for each search in the order in which they end, growing with the race's clock."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from wayfront_gui.look.drawing import figures_font, qt_colour
from wayfront_gui.look.text_scale import scaled
from wayfront_gui.look.theme import DARK, Theme
from wayfront_gui.model.race import Lane, ordinal
from wayfront_gui.translation import translated

ROW_HEIGHT = 34
BAR_HEIGHT = 9
_PIXELS = 12
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_LEFT, _RIGHT = int(_MIDDLE | Qt.AlignmentFlag.AlignLeft), int(_MIDDLE | Qt.AlignmentFlag.AlignRight)


class RaceChart(QWidget):
    """Shows how long each search takes on the race's clock, the shortest first; those not recorded yet come last.

    It only shows: the rows of the panel choose a search.
    """

    def __init__(self) -> None:
        super().__init__()
        self._theme = DARK
        self.lanes: tuple[Lane, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(translated("Finishing order"))

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self._theme = theme
        self.update()

    def show_lanes(self, lanes: Sequence[Lane]) -> None:
        """Show searches as they are at the clock's moment."""
        shown = tuple(sorted(lanes, key=lambda lane: (lane.share <= 0, lane.share)))
        if shown == self.lanes:
            return
        if len(shown) != len(self.lanes):
            self.updateGeometry()
        self.lanes = shown
        self.setAccessibleDescription("; ".join(lane.text for lane in shown))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of a row for each search."""
        return QSize(220, scaled(ROW_HEIGHT) * len(self.lanes))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        high = scaled(ROW_HEIGHT)
        for index, lane in enumerate(self.lanes):
            self._paint_row(painter, QRectF(0, index * high, self.width(), high), lane)

    def _paint_row(self, painter: QPainter, row: QRectF, lane: Lane) -> None:
        colours = self._theme.interface
        first = lane.place == 1
        text = row.adjusted(0, 2, 0, -scaled(BAR_HEIGHT) - 7)
        font = figures_font(self.font())
        font.setPixelSize(scaled(_PIXELS))
        figure = lane.figure if lane.place is None else f"{ordinal(lane.place)} · {lane.figure}"
        if first:
            font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        painter.setPen(qt_colour(colours.text if lane.ended else colours.muted))
        painter.drawText(text, _RIGHT, figure)
        room = text.width() - metrics.horizontalAdvance(figure) - 12
        name = " · ".join(filter(None, (lane.title, lane.detail)))
        painter.drawText(text, _LEFT, metrics.elidedText(name, Qt.TextElideMode.ElideRight, room))
        thick = scaled(BAR_HEIGHT)
        bar = QRectF(row.left(), row.bottom() - thick - 5, max(row.width() * lane.share, 3.0), thick)
        if lane.share <= 0:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qt_colour(colours.faint, 0.35))
        painter.drawRoundedRect(bar, 3, 3)
        done = QRectF(bar)
        done.setWidth(bar.width() * lane.progress)
        fill = QLinearGradient(bar.topLeft(), bar.topRight())
        fill.setColorAt(0, qt_colour(colours.accent, 0.45 if not first else 0.65))
        fill.setColorAt(1, qt_colour(colours.accent, 0.75 if not first else 1.0))
        painter.setBrush(fill)
        painter.setClipRect(done)
        painter.drawRoundedRect(bar, 3, 3)
        painter.setClipping(False)
