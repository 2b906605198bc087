"""The file that a run leaves behind which did not end as it should; the next start offers it.

While a window is open, what is logged goes to a file in a private folder, and so does what the interpreter can still
say of a fault in compiled code. The file is locked, and gone once the run has ended; one that nobody holds any more
belonged to a run that was killed, or that a fault ended.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import platform
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from wayfront.plugins.loading import blamed
from wayfront.safe.folders import cache_folder, lock, make_private
from wayfront.version import __version__
from wayfront_gui.app.log import LogBook
from wayfront_gui.ui.translation import translated

FOLDER = "runs"
MOST_BYTES = 1 << 18
"""What is read of a file: a traceback of every thread has some kilobytes."""
MOST_REPORTS = 20


@contextmanager
def noted_run() -> Iterator[Callable[[], None]]:
    """Keep a file of this run until the block has ended; yield what deletes it at once, for a run that is cut short.

    An exception that ends the block is written to the file, which then stays. Nothing is noted where there is no
    private folder.
    """
    with ExitStack() as undo:
        try:
            file = undo.enter_context(_new_file())
        except OSError:
            yield lambda: None
            return
        book = LogBook()
        book.listener = partial(_write_line, file)
        book.open()
        undo.callback(book.close)
        faulthandler.enable(file)
        undo.callback(faulthandler.disable)
        forget = partial(Path(file.name).unlink, missing_ok=True)
        try:
            yield forget
        except BaseException:
            with suppress(OSError):
                file.write(traceback.format_exc())
            raise
    with suppress(OSError):
        forget()  # once it is closed: Windows deletes no open file


def _new_file() -> TextIOWrapper:
    path = make_private(cache_folder() / FOLDER) / f"{os.getpid()}-{os.urandom(4).hex()}.txt"
    binary = path.open("xb")
    lock(binary, wait=True)
    file = TextIOWrapper(binary, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    file.write(f"wayfront {__version__}, Python {platform.python_version()}, {platform.platform()}\n")
    return file


def _write_line(file: TextIOWrapper, line: str) -> None:
    with suppress(OSError, ValueError):  # of a full disk, or of a file that is closed
        file.write(line + "\n")


def reports_left() -> list[str]:
    """Return what earlier runs left that did not end as they should, the newest first, and delete the files."""
    found: list[tuple[float, str]] = []
    with suppress(OSError):
        home = make_private(cache_folder() / FOLDER)
        for path in sorted(home.glob("*.txt"))[:MOST_REPORTS]:
            with suppress(OSError):
                with path.open("rb") as file:
                    lock(file, wait=False)
                    found.append((path.stat().st_mtime, file.read(MOST_BYTES).decode("utf-8", "replace")))
                path.unlink()
    return [text for _, text in sorted(found, reverse=True)]


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
        if of_plugin := blamed(problem):
            tell(translated("A plug-in failed: {problem}", problem=of_plugin))
            return
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
