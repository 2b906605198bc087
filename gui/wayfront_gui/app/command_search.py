"""The command palette: a card over the map that finds and runs any command by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QListView,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from wayfront_gui.app.actions import keys_text
from wayfront_gui.app.commands import MENUS, PALETTE, Command, find_commands, without_key
from wayfront_gui.ui.cards import TOP, LineCard
from wayfront_gui.ui.controls import DETAIL_ROLE, GAP, SPRING, NamedRows, fit_screen, in_row
from wayfront_gui.ui.style import keep_rows_sized, scaled, text_scale
from wayfront_gui.ui.theme import Theme
from wayfront_gui.ui.translation import marked, translated

ROWS = 10
ROW_HEIGHT = 28


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
        self.list.setItemDelegate(NamedRows(self.list, ROW_HEIGHT, (GAP, 0, GAP, 0)))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        keep_rows_sized(self.list)
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
                item.setData(keys_text(command), DETAIL_ROLE)
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


MOUSE = (
    (marked("Click on the map"), marked("Search from the nearest node")),
    (marked("Drag the source"), marked("Move the source; the tree follows")),
    (marked("Right-click or Shift-click"), marked("Show the route to the nearest node")),
    (marked("Ctrl and right-click"), marked("Show the route to one more node, or no longer to that target")),
    (marked("Drag a target"), marked("Move it; the route follows. A click shows the directions to it")),
    (marked("Drag the map"), marked("Move the map")),
    (
        marked("Click or drag, closing roads"),
        marked("Close roads; with Shift one direction, with the right button reopen"),
    ),
    (marked("Ctrl or middle button, closing roads"), marked("As without the tool")),
    (marked("Click, choosing depots"), marked("Make a node a candidate for a depot, or no longer")),
    (marked("Wheel"), marked("Zoom")),
    (marked("Drop a file on the window"), marked("Open the file")),
)

MOVING = marked("Moving the map")


def keyboard_page(commands: Sequence[Command], theme: Theme) -> str:
    """Return all shortcuts and mouse actions as rich text."""
    sections = [(translated("Mouse"), [(translated(what), translated(does)) for what, does in MOUSE])]
    for menu, group in groupby(commands, lambda c: c.menu.partition("/")[0]):
        keyed = [(keys_text(c), c.about) for c in group if c.keys]
        title = translated(MOVING) if menu == PALETTE else without_key(translated(MENUS[menu].title))
        sections.append((title, keyed))
    rows = []
    for heading, entries in sections:
        rows.append(f'<tr><td colspan="2" style="padding:16px 0 4px 0"><b>{escape(heading)}</b></td></tr>')
        rows += [
            f'<tr><td style="padding:3px 28px 3px 0; color:{theme.interface.accent}">{escape(keys)}</td>'
            f'<td style="padding:3px 0">{escape(what)}</td></tr>'
            for keys, what in entries
        ]
    return f"<table>{''.join(rows)}</table>"


class KeyboardDialog(QDialog):
    """Lists shortcuts and mouse actions."""

    def __init__(self, commands: Sequence[Command], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(translated("Keyboard and mouse"))
        fit_screen(self, QSize(560, 620) * text_scale.factor)
        text = QTextBrowser()
        text.setAccessibleName(translated("Keyboard and mouse"))
        text.setFrameShape(QTextBrowser.Shape.NoFrame)
        text.setHtml(keyboard_page(commands, theme))
        close = QPushButton(translated("Close"))
        close.clicked.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(text)
        layout.addLayout(in_row(SPRING, close))
