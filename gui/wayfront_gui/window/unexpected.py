"""What nobody foresaw in the window's own code, and what Qt complains about: logged, and said where it matters."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from wayfront_gui.translation import translated

log = logging.getLogger("wayfront_gui")
_qt = logging.getLogger("Qt")
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


@contextmanager
def logged(tell: Callable[[str], None]) -> Iterator[None]:
    """Log exceptions that nothing handles, warnings and Qt's messages while the block lasts.

    ``tell`` is called with a sentence for each exception in the window's thread; the program goes on.
    """

    def unexpected(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
        log.error("unexpected problem in the window", exc_info=(kind, problem, trace))
        tell(
            translated(
                "An unexpected problem occurred ({kind}: {problem}). The Log panel has all of it.",
                kind=kind.__name__,
                problem=problem,
            )
        )

    def in_thread(arguments: threading.ExceptHookArgs) -> None:
        found = arguments.exc_value or arguments.exc_type()
        log.error("unexpected problem in a thread", exc_info=(arguments.exc_type, found, arguments.exc_traceback))

    before = sys.excepthook, threading.excepthook
    to_stderr = logging.StreamHandler()
    to_stderr.setLevel(logging.WARNING)
    logging.getLogger().addHandler(to_stderr)
    sys.excepthook, threading.excepthook = unexpected, in_thread
    logging.captureWarnings(True)
    qInstallMessageHandler(_from_qt)
    try:
        yield
    finally:
        qInstallMessageHandler(None)
        logging.captureWarnings(False)
        sys.excepthook, threading.excepthook = before
        logging.getLogger().removeHandler(to_stderr)


def _from_qt(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    _qt.log(_LEVELS.get(kind, logging.WARNING), "%s", message)
