"""A small card of facts at the pointer: of the step under it on the timeline, of the node under it on the map."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from wayfront_gui.look.drawing import figures_font
from wayfront_gui.look.plain import one_line
from wayfront_gui.look.text_scale import scaled
from wayfront_gui.widgets.controls import GAP

LIFT = 6
"""Distance above the owner in pixels."""
BESIDE = 16
"""Distance from the pointer to a card beside it."""
COLUMN_GAP = 14
"""Distance between captions and values in pixels."""


class FactsCard(QFrame):
    """A small card in the window of ``owner``; the pointer passes through.

    It paints its two columns itself: laying out rich text at every move of the pointer took 6 ms.
    """

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._lines: Sequence[tuple[str, str]] = ()
        self._captions_width = 0
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFont(figures_font(self.font()))
        self.hide()

    @property
    def text(self) -> str:
        """The text, a line for each caption."""
        return "\n".join(f"{caption}: {value}" for caption, value in self._lines)

    def show_above(self, lines: Sequence[tuple[str, str]], x: int) -> None:
        """Show pairs of caption and value above the owner, at its pixel ``x``."""
        window = self._take(lines)
        anchor = self._owner.mapTo(window, QPoint(x, 0))
        left = min(max(anchor.x() - self.width() // 2, 0), max(window.width() - self.width(), 0))
        self._show_at(QPoint(left, max(anchor.y() - self.height() - LIFT, 0)))

    def show_beside(self, lines: Sequence[tuple[str, str]], at: QPoint) -> None:
        """Show pairs of caption and value beside a point of the owner: right of and below it where there is room."""
        window = self._take(lines)
        room = QRect(self._owner.mapTo(window, QPoint(0, 0)), self._owner.size())
        pointer = self._owner.mapTo(window, at)
        corner = pointer + QPoint(BESIDE, BESIDE)
        if corner.x() + self.width() > room.right():
            corner.setX(max(pointer.x() - BESIDE - self.width(), room.left()))
        if corner.y() + self.height() > room.bottom():
            corner.setY(max(pointer.y() - BESIDE - self.height(), room.top()))
        self._show_at(corner)

    def _take(self, lines: Sequence[tuple[str, str]]) -> QWidget:
        """Take the text and the size that it needs; return the window."""
        window = self._owner.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        self._lines = lines = [(caption, one_line(value)) for caption, value in lines]
        widths = [
            [self.fontMetrics().horizontalAdvance(text) for text in column] for column in zip(*lines, strict=True)
        ]
        self._captions_width, values_width = (max(column, default=0) for column in widths or ((), ()))
        width = min(self._captions_width + scaled(COLUMN_GAP) + values_width + 2 * GAP + 8, window.width())
        self.resize(width, len(lines) * self._line_height + 2 * GAP)
        return window

    def _show_at(self, corner: QPoint) -> None:
        self.move(corner)
        self.show()
        self.raise_()
        self.update()

    @property
    def _line_height(self) -> int:
        return self.fontMetrics().height() + 2

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw captions and values side by side."""
        super().paintEvent(event)
        painter = QPainter(self)
        line = self.contentsRect().adjusted(GAP + 2, GAP, -GAP, 0)
        line.setHeight(self._line_height)
        for caption, value in self._lines:
            painter.setPen(self.palette().color(self.palette().ColorRole.PlaceholderText))
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, caption)
            painter.setPen(self.palette().color(self.palette().ColorRole.WindowText))
            values = line.adjusted(self._captions_width + scaled(COLUMN_GAP), 0, 0, 0)
            painter.drawText(values, Qt.AlignmentFlag.AlignVCenter, value)
            line.translate(0, self._line_height)
