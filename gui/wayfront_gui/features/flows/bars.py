"""Shares as bars beside each other's names: on which roads trips go, and which streets carry the most."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from wayfront_gui.features.flows.state import Share, percent
from wayfront_gui.ui.controls import GAP, NO_MARGINS, ElidedLabel, label

_THICK = 0.45
"""How thick a bar is, as a share of its row."""


class ShareBars(QWidget):
    """Rows of a name, a bar and a share; the longest bar is that of the largest share of its rows."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout()
        self._grid.setContentsMargins(*NO_MARGINS)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 5)
        self._grid.setColumnStretch(1, 4)
        self.setLayout(self._grid)
        self.rows: list[tuple[ElidedLabel, _Bar, QWidget]] = []

    def show_shares(self, shares: Sequence[Share]) -> None:
        """Show shares in place of those before."""
        for widget in (each for row in self.rows for each in row):
            self._grid.removeWidget(widget)
            widget.deleteLater()
        self.rows.clear()
        longest = max((each.share for each in shares), default=0.0)
        for row, each in enumerate(shares):
            name, bar, text = (
                ElidedLabel(each.name),
                _Bar(each.share / longest if longest else 0.0),
                percent(each.share),
            )
            value = label(text, rank="value")
            bar.setAccessibleName(f"{each.name}: {text}")
            for column, widget in enumerate((name, bar, value)):
                self._grid.addWidget(widget, row, column)
            self.rows.append((name, bar, value))
        self.setVisible(bool(shares))


class _Bar(QWidget):
    """A bar as long as a share 0 … 1 of its room."""

    def __init__(self, length: float) -> None:
        super().__init__()
        self._length = length
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        """Return the height of a line."""
        return QSize(60, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the bar in the colour of what is chosen."""
        painter = QPainter(self)
        thick = self.fontMetrics().height() * _THICK
        room = QRectF(0, (self.height() - thick) / 2, self.width(), thick)
        painter.fillRect(room, self.palette().alternateBase())
        painter.fillRect(
            QRectF(room.left(), room.top(), room.width() * self._length, thick), self.palette().highlight()
        )
        painter.end()
