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
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from io import TextIOWrapper
from pathlib import Path

from wayfront.leftovers import lock
from wayfront.user_folders import cache_folder, make_private
from wayfront.version import __version__
from wayfront_gui.model.log_book import LOGGERS, line_of

FOLDER = "runs"
MOST_BYTES = 1 << 18
"""What is read of a file: a traceback of every thread has some kilobytes."""
MOST_REPORTS = 20


class _Lines(logging.Handler):
    """Writes what is logged as lines of a file."""

    def __init__(self, write: Callable[[str], object]) -> None:
        super().__init__(logging.INFO)
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        with suppress(OSError, ValueError):
            self._write(line_of(record) + "\n")


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
        handler = _Lines(file.write)
        for name in LOGGERS:
            logging.getLogger(name).addHandler(handler)
            undo.callback(logging.getLogger(name).removeHandler, handler)
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
