"""Cards that open over the map: a line to type in, alone or with a list of every command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from wayfront.errors import WayfrontError
from wayfront_gui.model.commands import Command, find_commands
from wayfront_gui.widgets.controls import GAP, label
from wayfront_gui.widgets.shortcuts import keys_text

WIDTH = 460
ROWS = 10
ROW_HEIGHT = 28
KEYS_ROLE = Qt.ItemDataRole.UserRole + 2


class Card(QFrame):
    """A line over the map that closes with Escape or when it loses the focus."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._map = parent
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.line = QLineEdit()
        self.line.installEventFilter(self)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(GAP, GAP, GAP, GAP)
        self._layout.setSpacing(4)
        self._layout.addWidget(self.line)
        self.setFixedWidth(WIDTH)
        self.hide()

    def open(self, hint: str) -> None:
        """Open at the top of the map with an empty line."""
        self.line.clear()
        self.line.setPlaceholderText(hint)
        self.adjustSize()
        self.move(max((self._map.width() - WIDTH) // 2, 0), 24)
        self.show()
        self.raise_()
        self.line.setFocus()

    def close_card(self) -> None:
        """Close and give the keyboard back to the map."""
        if self.isVisible():
            self.hide()
            self._map.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Take Escape, the keys of the list, and the loss of focus."""
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        elif event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.accept()  # whatever is typed here is meant for the line
            return True
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self.take_key(event)
        return False

    def take_key(self, event: QKeyEvent) -> bool:
        """Act on a key; return whether that used it up."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
            return True
        return False


class Question(Card):
    """Asks for one line; what is wrong with an answer stands under it until it is right."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._problem = label(rank="second", wrap=True)
        self._layout.addWidget(self._problem)
        self._answer: Callable[[str], None] = lambda _: None
        self.line.returnPressed.connect(self._give_answer)

    @property
    def problem(self) -> str:
        """What is wrong with the last answer."""
        return self._problem.text()

    def ask(self, hint: str, answer: Callable[[str], None]) -> None:
        """Ask; ``answer`` is called with the line and raises ``WayfrontError`` or ``ValueError`` to refuse it."""
        self._answer = answer
        self._say("")
        self.open(hint)

    def _give_answer(self) -> None:
        try:
            self._answer(self.line.text().strip())
        except (WayfrontError, ValueError) as problem:
            self._say(str(problem))
        else:
            self.close_card()

    def _say(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self.adjustSize()


class Palette(Card):
    """Finds any command by the beginnings of its words."""

    def __init__(self, commands: Sequence[Command], actions: Mapping[str, QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self._commands = commands
        self._actions = actions
        self._rows = QStandardItemModel(self)
        self.list = QListView()
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
        """Open with every command."""
        self.open("What would you like to do?")
        self._fill("")

    def shown(self) -> list[str]:
        """Return the names of the commands that match what was typed."""
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
        self.list.setFixedHeight(min(self._rows.rowCount(), ROWS) * ROW_HEIGHT)
        self.adjustSize()

    def _run(self) -> None:
        item = self._rows.itemFromIndex(self.list.currentIndex())
        self.close_card()
        if item is not None:
            self._actions[item.data()].trigger()

    def take_key(self, event: QKeyEvent) -> bool:
        """Move in the list with the arrows."""
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is None:
            return super().take_key(event)
        row = min(max(self.list.currentIndex().row() + step, 0), self._rows.rowCount() - 1)
        self.list.setCurrentIndex(self._rows.index(row, 0))
        return True


class _CommandRows(QStyledItemDelegate):
    """Draws a command with its keys at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Give rows room."""
        return QSize(100, ROW_HEIGHT)

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
        words = row.adjusted(GAP, 0, -GAP, 0)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, index.data())
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, index.data(KEYS_ROLE))
        painter.restore()
