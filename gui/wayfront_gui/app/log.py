"""The panel of the log: what the program did and what went wrong, to read and to copy."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from time import localtime, strftime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from wayfront_gui.ui.controls import GAP, MARGIN, SPRING, in_column, in_row, push_button
from wayfront_gui.ui.style import code_font, keep_sized, shown
from wayfront_gui.ui.translation import translated


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
        self.copy = push_button(
            translated("Copy"),
            translated("Copy the log to the clipboard"),
            press=lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()),
        )
        self.clear = push_button(translated("Clear"), translated("Clear the log"), press=self._forget)
        buttons = in_row(self.copy, self.clear, SPRING)
        self.setLayout(in_column((self.text, 1), buttons, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        for line in book.lines:
            self._add(line)
        self._came.connect(self._add, Qt.ConnectionType.QueuedConnection)  # lines come from any thread
        book.listener = self._came.emit

    def _add(self, line: str) -> None:
        self.text.appendPlainText(shown(line))

    def _forget(self) -> None:
        self._book.lines.clear()
        self.text.clear()


LOGGERS = ("wayfront", "wayfront_gui", "py.warnings", "Qt")
"""Whose records are kept: those of the program's own packages, of Python's warnings and of Qt."""
MOST_LINES = 1000


def line_of(record: logging.LogRecord) -> str:
    """Return a record as text: time, level where it is more than news, message, and the traceback of an exception."""
    level = "" if record.levelno < logging.WARNING else f"{record.levelname.lower()}: "
    line = f"{strftime('%H:%M:%S', localtime(record.created))}  {level}{record.getMessage()}"
    if record.exc_info:
        line += "\n" + logging.Formatter().formatException(record.exc_info)
    return line


class LogBook(logging.Handler):
    """Keeps the last lines, and tells ``listener`` of each as it comes, on whichever thread that is."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: deque[str] = deque(maxlen=MOST_LINES)
        self.listener: Callable[[str], None] | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        line = line_of(record)
        self.lines.append(line)
        if self.listener is not None:
            self.listener(line)

    def open(self) -> None:
        """Keep what is logged from now on."""
        for name in LOGGERS:
            logger = logging.getLogger(name)
            logger.addHandler(self)
            logger.setLevel(logging.INFO)

    def close(self) -> None:
        """Keep no more."""
        for name in LOGGERS:
            logging.getLogger(name).removeHandler(self)
        self.listener = None
        super().close()
