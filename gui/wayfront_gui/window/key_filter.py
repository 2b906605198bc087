"""Which keys stay with a focused field instead of being taken for shortcuts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QWidget


class FieldsKeepTheirKeys(QObject):
    """An event filter: keys that a focused field or button understands are not taken for shortcuts.

    Space presses a button that has the focus, arrows change a spin box; everywhere else they play and step.
    """

    _KEPT: tuple[tuple[type[QWidget], frozenset[Qt.Key]], ...] = (
        (QAbstractButton, frozenset({Qt.Key.Key_Space})),
        (QComboBox, frozenset({Qt.Key.Key_Space, Qt.Key.Key_Home, Qt.Key.Key_End})),
        (QAbstractSpinBox, frozenset({Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End})),
        (QAbstractItemView, frozenset({Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})),
    )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Accept the question whether a key is to stay with the field."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            for kind, keys in self._KEPT:
                if isinstance(watched, kind) and event.key() in keys and not event.modifiers():
                    event.accept()
                    return True
        return False
