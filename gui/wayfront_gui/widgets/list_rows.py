"""How the rows of lists with columns are drawn in dialogs."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from wayfront_gui.look.drawing import figures_font
from wayfront_gui.look.text_scale import scaled

ROW_HEIGHT = 28
MARGIN = 9


class ListRows(QStyledItemDelegate):
    """Draws one cell; the columns ``figures`` are aligned at the right, with digits of one width."""

    def __init__(self, parent: QObject, figures: Collection[int] = ()) -> None:
        super().__init__(parent)
        self._figures = figures

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the text's width with margins, and the height of a row."""
        return QSize(super().sizeHint(option, index).width() + 2 * MARGIN, scaled(ROW_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the cell."""
        painter.save()
        figures = index.column() in self._figures
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.midlight())
        if figures:
            painter.setFont(figures_font(option.font))
        first = index.column() == 0
        role = QPalette.ColorRole.Text if first else QPalette.ColorRole.PlaceholderText
        painter.setPen(option.palette.color(role))
        side = Qt.AlignmentFlag.AlignRight if figures else Qt.AlignmentFlag.AlignLeft
        room = option.rect.adjusted(MARGIN, 0, -MARGIN, 0)
        text = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()
