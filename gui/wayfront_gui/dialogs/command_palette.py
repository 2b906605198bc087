"""The command palette: a card over the map that finds and runs any command by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from wayfront_gui.look.text_scale import scaled
from wayfront_gui.model.command import Command
from wayfront_gui.model.commands import find_commands
from wayfront_gui.translation import translated
from wayfront_gui.widgets.controls import GAP
from wayfront_gui.widgets.line_card import TOP, LineCard
from wayfront_gui.widgets.shortcuts import keys_text

ROWS = 10
ROW_HEIGHT = 28
KEYS_ROLE = Qt.ItemDataRole.UserRole + 2


class CommandPalette(LineCard):
    """Lists the commands whose words begin as typed, and runs the selected one."""

    def __init__(self, commands: Sequence[Command], actions: Mapping[str, QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self._commands = commands
        self._actions = actions
        self._rows = QStandardItemModel(self)
        self.list = QListView()
        self.list.setAccessibleName(translated("Commands"))
        self.list.setModel(self._rows)
        self.list.setItemDelegate(_CommandRows(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.clicked.connect(self._run)
        self._layout.addWidget(self.list)
        self.line.textChanged.connect(self._fill)
        self.line.returnPressed.connect(self._run)

    def show_all(self) -> None:
        """Open with all commands."""
        self.open(translated("What would you like to do?"))
        self._fill("")

    def shown(self) -> list[str]:
        """Return the names of the listed commands."""
        return [self._rows.item(row).data() for row in range(self._rows.rowCount())]

    def _fill(self, typed: str) -> None:
        self._rows.clear()
        for command in find_commands(self._commands, typed):
            if self._actions[command.name].isEnabled():
                item = QStandardItem(command.plain_text)
                item.setData(command.name)
                item.setData(keys_text(command), KEYS_ROLE)
                self._rows.appendRow(item)
        self.list.setCurrentIndex(self._rows.index(0, 0))
        room = self._map.height() - TOP - self.line.sizeHint().height() - 4 * GAP
        most = max(min(room // scaled(ROW_HEIGHT), ROWS), 1)
        self.list.setFixedHeight(min(self._rows.rowCount(), most) * scaled(ROW_HEIGHT))
        self.adjustSize()

    def _run(self) -> None:
        item = self._rows.itemFromIndex(self.list.currentIndex())
        self.close_card()
        if item is not None:
            self._actions[item.data()].trigger()

    def take_key(self, event: QKeyEvent) -> bool:
        """Move through the list with the arrow keys."""
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is None:
            return super().take_key(event)
        row = min(max(self.list.currentIndex().row() + step, 0), self._rows.rowCount() - 1)
        self.list.setCurrentIndex(self._rows.index(row, 0))
        return True


class _CommandRows(QStyledItemDelegate):
    """Draws a command with its shortcuts at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of a row."""
        return QSize(100, scaled(ROW_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = QRectF(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(option.palette.midlight())
            painter.drawRoundedRect(row, 5, 5)
        text = row.adjusted(GAP, 0, -GAP, 0)
        metrics, keys = painter.fontMetrics(), index.data(KEYS_ROLE)
        room = int(text.width()) - metrics.horizontalAdvance(keys) - GAP
        name = metrics.elidedText(index.data(), Qt.TextElideMode.ElideRight, room)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, name)
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, keys)
        painter.restore()
