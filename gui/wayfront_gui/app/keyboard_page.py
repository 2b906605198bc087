"""The page of all shortcuts and mouse actions."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from wayfront_gui.app.actions import keys_text
from wayfront_gui.app.commands import MENUS, PALETTE, Command
from wayfront_gui.ui.controls import SPRING, fit_screen, in_row
from wayfront_gui.ui.style import text_scale
from wayfront_gui.ui.theme import Theme
from wayfront_gui.ui.translation import marked, translated, without_key

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
    (marked("Click, showing access"), marked("Add a point, or remove the one clicked; points can be dragged")),
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
