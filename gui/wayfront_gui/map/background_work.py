"""One thread at a time that prepares what a map shows, while what it showed before is still there."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

log = logging.getLogger(__name__)


class BackgroundWork(QObject):
    """Runs one piece of work after the other; who asks while one runs asks again when it has finished.

    It belongs to ``parent`` and ends with it. Without one, Python's collector of garbage might delete it, in whatever
    thread that runs, while the window's thread hands it a signal.
    """

    finished = Signal()
    """A piece of work is done, on the thread of this object."""
    _done = Signal()

    def __init__(self, name: str, parent: QObject) -> None:
        super().__init__(parent)
        self._name = name
        self._thread: threading.Thread | None = None
        self._done.connect(self._on_done)

    def start(self, work: Callable[[], object]) -> None:
        """Do a piece of work unless another one runs."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, args=(work,), name=self._name, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Join the thread (a fraction of a second at most)."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception:
            log.exception("%s could not be made", self._name)  # the next piece may be
        self._done.emit()

    def _on_done(self) -> None:
        self.stop()
        self.finished.emit()
