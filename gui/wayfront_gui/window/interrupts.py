"""Ctrl-C and a request to end, at whatever moment of the window's life: it closes, and nothing is left half done."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal


class Leaving(QObject):
    """Calls ``leave`` in the window's thread once ``asked`` is set, from whichever thread, also before events run."""

    _came = Signal()

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__()
        self._leave = leave
        self._came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)
        self.asked: threading.Event = _Asked(self._came.emit)

    def _on_came(self) -> None:
        self._leave()


class _Asked(threading.Event):
    """An event that tells when it is set."""

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__()
        self._tell = tell

    def set(self) -> None:
        super().set()
        self._tell()
