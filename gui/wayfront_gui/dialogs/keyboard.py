"""The dialog that lists keyboard shortcuts and mouse actions, made from the table of commands."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from wayfront_gui.look.theme import Theme
from wayfront_gui.model.command import Command
from wayfront_gui.model.commands import MENUS
from wayfront_gui.widgets.shortcuts import keys_text

MOUSE = (
    ("Click on the map", "Search from the nearest node"),
    ("Drag the source", "Move the source; the tree follows"),
    ("Right-click or Shift-click", "Show the route to the nearest node"),
    ("Ctrl and right-click", "Show the route to one more node, or no longer to that target"),
    ("Drag a target", "Move it; the route follows. A click shows the directions to it"),
    ("Drag the map", "Move the map"),
    ("Click or drag, closing roads", "Close roads; with Shift one direction, with the right button reopen"),
    ("Ctrl or middle button, closing roads", "As without the tool"),
    ("Click, choosing depots", "Make a node a candidate for a depot, or no longer"),
    ("Wheel", "Zoom"),
    ("Drop a file on the window", "Open the file"),
)


def keyboard_page(commands: Sequence[Command], theme: Theme) -> str:
    """Return all shortcuts and mouse actions as rich text."""
    sections = [("Mouse", list(MOUSE))]
    for menu, group in groupby(commands, lambda c: c.menu):
        keyed = [(keys_text(c), c.hint or c.plain_text) for c in group if c.keys]
        sections.append((MENUS[menu].replace("&", ""), keyed))
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
        self.setWindowTitle("Keyboard and mouse")
        self.resize(560, 620)
        text = QTextBrowser()
        text.setAccessibleName("Keyboard and mouse")
        text.setFrameShape(QTextBrowser.Shape.NoFrame)
        text.setHtml(keyboard_page(commands, theme))
        close = QPushButton("Close")
        close.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = QVBoxLayout(self)
        layout.addWidget(text)
        layout.addLayout(buttons)
