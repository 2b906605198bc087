"""A card over the map with a line to type in."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from wayfront_gui.look.text_scale import scaled
from wayfront_gui.translation import translated
from wayfront_gui.widgets.controls import GAP, label

WIDTH, TOP = 460, 24
"""Width of a card, and its place below the upper edge of the map."""
PADDING = 20
"""Pixels of a line beside its text."""


class LineCard(QFrame):
    """A card with a line edit; it closes with Escape or when it loses the focus."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._map = parent
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.line = QLineEdit()
        self.line.setToolTip(translated("Enter accepts, Esc closes"))
        self.line.installEventFilter(self)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(GAP, GAP, GAP, GAP)
        self._layout.setSpacing(4)
        self.above = label()
        self.above.setWordWrap(True)
        self._layout.addWidget(self.above)
        self._layout.addWidget(self.line)
        self.hide()

    def open(self, hint: str) -> None:
        """Open at the top of the map with an empty line; ``hint`` is its placeholder, or stands above it if long."""
        width = min(scaled(WIDTH), max(self._map.width() - 2 * GAP, 1))
        fits = self.line.fontMetrics().horizontalAdvance(hint) < width - 2 * GAP - scaled(PADDING)
        self.line.clear()
        self.line.setPlaceholderText(hint if fits else "")
        self.line.setAccessibleName(hint)
        self.above.setText(hint)
        self.above.setVisible(not fits)
        self.above.setFixedHeight(self.above.heightForWidth(width - 2 * GAP))
        self.setFixedWidth(width)
        self.adjustSize()
        self.move(max((self._map.width() - self.width()) // 2, 0), TOP)
        self.show()
        self.raise_()
        self.line.setFocus()

    def close_card(self) -> None:
        """Close and return the focus to the map."""
        if self.isVisible():
            self.hide()
            self._map.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handle keys and the loss of focus."""
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        elif event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.accept()  # no shortcut may take what is typed here
            return True
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self.take_key(event)
        return False

    def take_key(self, event: QKeyEvent) -> bool:
        """Handle a key; return whether it was used."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
            return True
        return False
