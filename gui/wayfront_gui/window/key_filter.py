"""Which keys stay with a focused field instead of being taken for shortcuts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QWidget,
)

_CHOSEN = (QAbstractButton, QComboBox)


class FieldsKeepTheirKeys(QObject):
    """An event filter: keys that a focused field or button understands are not taken for shortcuts.

    Space presses a button that has the focus, arrows change a spin box; everywhere else they play and step. A list that
    has the focus by a click keeps none of them: its row was chosen, and End is to show the end of the replay. Whoever
    came to a button or a choice by Tab and then clicks another one has left the first: its keys are the window's again.
    """

    _KEPT: tuple[tuple[type[QWidget], frozenset[Qt.Key]], ...] = (
        (QAbstractButton, frozenset({Qt.Key.Key_Space})),
        (QComboBox, frozenset({Qt.Key.Key_Space, Qt.Key.Key_Home, Qt.Key.Key_End})),
        (QAbstractSpinBox, frozenset({Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End})),
        (QAbstractItemView, frozenset({Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clicked: QObject | None = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Accept the question whether a key is to stay with the field."""
        if isinstance(event, QFocusEvent) and event.gotFocus() and isinstance(watched, QWidget):
            self._clicked = watched if event.reason() == Qt.FocusReason.MouseFocusReason else None
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, _CHOSEN):
            focused = QApplication.focusWidget()
            if isinstance(focused, _CHOSEN) and focused is not watched and focused.window().focusProxy() is not None:
                focused.window().setFocus()
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            for kind, keys in self._KEPT:
                kept = isinstance(watched, kind) and event.key() in keys and not event.modifiers()
                if kept and not (kind is QAbstractItemView and watched is self._clicked):
                    event.accept()
                    return True
        return False
