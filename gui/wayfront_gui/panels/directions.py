"""The directions of a route, road by road, on a card over the map."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from wayfront_gui.look.drawing import figures_font
from wayfront_gui.look.icons import icon
from wayfront_gui.look.plain import hint, one_line
from wayfront_gui.look.theme import Theme
from wayfront_gui.model.directions import Stretch
from wayfront_gui.widgets.controls import GAP, MARGIN, label, tool_button

WIDTH = 280
ROWS = 7
ROW_HEIGHT = 26
MOST_ROADS = 500
"""Roads of a route that are listed."""
NO_NAME = "unnamed road"
LENGTH_ROLE = Qt.ItemDataRole.UserRole + 1


class DirectionsCard(QFrame):
    """Lists names and lengths of a route's roads in the map's upper right corner until dismissed."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._map = parent
        self._target: int | None = None
        self._dismissed: int | None = None
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._title = label(rank="second", wrap=True)
        self._dismiss = tool_button(16)
        self._dismiss.setToolTip("Hide the directions; the route stays")
        self._dismiss.clicked.connect(self._on_dismissed)
        self._rows = QStandardItemModel(self)
        self.list = QListView()
        self.list.setModel(self._rows)
        self.list.setItemDelegate(_StretchRows(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(self._title, 1)
        head.addWidget(self._dismiss, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, GAP, GAP)
        layout.setSpacing(GAP)
        layout.addLayout(head)
        layout.addWidget(self.list)
        self.setFixedWidth(WIDTH)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._dismiss.setIcon(icon("cross", theme))

    def show_route(self, target: int | None, text: str, stretches: Sequence[Stretch]) -> None:
        """Show the directions to ``target`` under the title ``text``; hide without any, or if they were dismissed."""
        self._target = target
        if target != self._dismissed:
            self._dismissed = None
        self._rows.clear()
        for stretch in stretches[:MOST_ROADS]:
            item = QStandardItem(one_line(stretch.name or NO_NAME))
            item.setData(stretch.length, LENGTH_ROLE)
            item.setToolTip(hint(f"{stretch.name or NO_NAME}, {stretch.length}"))
            item.setEnabled(bool(stretch.name))
            self._rows.appendRow(item)
        if len(stretches) > MOST_ROADS:
            self._rows.appendRow(_more(len(stretches) - MOST_ROADS))
        self._title.setText(text)
        self.setVisible(bool(stretches) and self._dismissed is None)
        self.move_to_corner()

    def listed(self) -> list[tuple[str, str]]:
        """Return the listed names with their lengths."""
        items = [self._rows.item(row) for row in range(self._rows.rowCount())]
        return [(item.text(), item.data(LENGTH_ROLE)) for item in items]

    def move_to_corner(self) -> None:
        """Move to the map's corner, at most half as high as the map."""
        most_rows = max(self._map.height() // 2 // ROW_HEIGHT, 2)
        self.list.setFixedHeight(min(self._rows.rowCount(), ROWS, most_rows) * ROW_HEIGHT)
        self.adjustSize()
        self.move(self._map.width() - self.width() - 12, 12)

    def _on_dismissed(self) -> None:
        self._dismissed = self._target
        self.hide()


def _more(roads: int) -> QStandardItem:
    """Return the last row of a list that is too long to be read."""
    item = QStandardItem(f"and {roads:,} more roads")
    item.setData("", LENGTH_ROLE)
    item.setEnabled(False)
    return item


class _StretchRows(QStyledItemDelegate):
    """Draws a road's name with its length at the right; roads without a name in the secondary colour."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of a row."""
        return QSize(100, ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one row."""
        painter.save()
        painter.setFont(figures_font(option.font))
        metrics, row = painter.fontMetrics(), QRect(option.rect).adjusted(0, 0, -GAP, 0)
        length = str(index.data(LENGTH_ROLE))
        middle, right = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        named = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
        painter.setPen(option.palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.PlaceholderText))
        painter.drawText(row, right, length)
        if named:
            painter.setPen(option.palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Text))
        left = row.adjusted(0, 0, -metrics.horizontalAdvance(length) - 2 * GAP, 0)
        name = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, left.width())
        painter.drawText(left, middle, name)
        painter.restore()
