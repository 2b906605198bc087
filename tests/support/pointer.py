"""The pointer moves over a widget of a test, whatever other windows there are."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget


def move_pointer(widget: QWidget, at: QPoint) -> None:
    """Tell a widget that the pointer, without a button pressed, is at a place in it.

    ``QTest.mouseMove`` moves the screen's pointer: where that has been there since an earlier test, nobody is told.
    """
    no_button, no_key = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    places = QPointF(at), QPointF(widget.mapToGlobal(at))
    QApplication.sendEvent(widget, QMouseEvent(QEvent.Type.MouseMove, *places, no_button, no_button, no_key))
    QApplication.processEvents()
