"""What the program logged last, for the Log panel and for reports of faults. No Qt."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from time import localtime, strftime

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
