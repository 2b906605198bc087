"""The panel of the log: what the program did and what went wrong, to read and to copy."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from wayfront_gui.look.drawing import code_font
from wayfront_gui.look.plain import shown
from wayfront_gui.look.text_scale import keep_sized
from wayfront_gui.model.log_book import MOST_LINES, LogBook
from wayfront_gui.translation import translated
from wayfront_gui.widgets.controls import GAP, MARGIN, push_button


class LogPanel(QWidget):
    """Shows the lines of the log as they come."""

    _came = Signal(str)

    def __init__(self, book: LogBook) -> None:
        super().__init__()
        self._book = book
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName(translated("Log"))
        self.text.setToolTip(translated("What the program did, and what went wrong"))
        self.text.setMaximumBlockCount(MOST_LINES)
        keep_sized(self.text, lambda each: each.setFont(code_font()))
        self.text.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.copy = push_button(translated("Copy"), translated("Copy the log to the clipboard"))
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        self.clear = push_button(translated("Clear"), translated("Forget what was logged so far"))
        self.clear.clicked.connect(self._forget)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addWidget(self.copy)
        buttons.addWidget(self.clear)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        layout.setSpacing(GAP)
        layout.addWidget(self.text, 1)
        layout.addLayout(buttons)
        for line in book.lines:
            self._add(line)
        self._came.connect(self._add, Qt.ConnectionType.QueuedConnection)  # lines come from any thread
        book.listener = self._came.emit

    def _add(self, line: str) -> None:
        self.text.appendPlainText(shown(line))

    def _forget(self) -> None:
        self._book.lines.clear()
        self.text.clear()
