"""A row of buttons for commands, with shorter texts than their menus have."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton

from wayfront_gui.translation import translated
from wayfront_gui.widgets.controls import GAP


def action_row(actions: Mapping[str, QAction], texts: Mapping[str, str]) -> QHBoxLayout:
    """Return a button for each command that ``texts`` names, in its order."""
    row = QHBoxLayout()
    row.setSpacing(GAP // 2)
    for name, text in texts.items():
        action, button = actions[name], QToolButton()
        action.setIconText(translated(text))
        button.setDefaultAction(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setProperty("rank", "toggle")
        button.setProperty("row", "true")  # several share the width of a panel
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row.addWidget(button, 1)
    return row
