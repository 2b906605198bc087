"""A field over the map in which one word or number is typed where it stands."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from wayfront_gui.look.plain import hint
from wayfront_gui.translation import translated

_MOST_CHARACTERS = 64
_ROOM = 18
"""Pixels beside the text."""


class FieldOverMap(QLineEdit):
    """Takes over what was typed with Enter, with Tab, and when it loses the focus; Esc leaves all as it was."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMaxLength(_MOST_CHARACTERS)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAccessibleName(translated("What is typed over the map"))
        self.setToolTip(hint(self.accessibleName()))
        self._take: Callable[[str], bool] = lambda _text: True
        self.hide()

    def ask(self, area: QRectF, name: str, text: str, take: Callable[[str], bool]) -> None:
        """Show ``text`` over ``area`` of the parent; ``take`` gets what is typed and returns whether that will do."""
        self._take = take
        self.setAccessibleName(name)
        self.setToolTip(hint(name))
        self.setText(text)
        self.selectAll()
        asked = self.sizeHint()
        least = self.fontMetrics().horizontalAdvance("0" * 6)
        width = max(self.fontMetrics().horizontalAdvance(text), least) + 2 * _ROOM
        parent = self.parentWidget()
        assert parent is not None
        left = min(max(round(area.center().x() - width / 2), 0), max(parent.width() - width, 0))
        top = min(max(round(area.center().y() - asked.height() / 2), 0), max(parent.height() - asked.height(), 0))
        self.setGeometry(left, top, width, asked.height())
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Close the field and leave all as it was."""
        self._take = lambda _text: True
        if self.isVisible():
            self._close()

    def event(self, event: QEvent) -> bool:
        """Take Tab for Enter, and Esc for itself: elsewhere it stops what runs."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._finish()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.leave()
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take over what was typed; what will not do is left out."""
        super().focusOutEvent(event)
        if self.isVisible() and event.reason() != Qt.FocusReason.PopupFocusReason:
            take, self._take = self._take, lambda _text: True
            self.hide()
            take(self.text())

    def _finish(self) -> None:
        if self._take(self.text()):
            self.leave()
        else:
            self.selectAll()

    def _close(self) -> None:
        self.hide()
        parent = self.parentWidget()
        if parent is not None:
            parent.setFocus(Qt.FocusReason.OtherFocusReason)
