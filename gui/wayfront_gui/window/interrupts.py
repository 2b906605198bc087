"""Ctrl-C and a request to end, at whatever moment of the window's life: it closes, and nothing is left half done.

Python runs a signal's handler only between two of its own instructions, and a compiler or Qt may be busy for seconds.
So the handlers do nothing; the signal's number is written to a socket at once, and a thread reads it there. It asks
the window to close, and ends the process if that takes too long: everything written is written whole, so nothing but
the wait is cut short.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, Qt, Signal

LEAVE_WITHIN_S = 2.0
"""How long the window may take to close; a second signal cuts that short."""
WATCHED = (signal.SIGINT, signal.SIGTERM)


class Interrupts(QObject):
    """Takes over the signals until ``end``; ``code`` is the exit code of the one that came, None without any."""

    _came = Signal()

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__()
        self.code: int | None = None
        self._leave = leave
        self._came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._wakeup_before = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        # A program that was started to ignore a signal, as by nohup, goes on ignoring it.
        heeded = [kind for kind in WATCHED if signal.getsignal(kind) is not signal.SIG_IGN]
        self._before = {kind: signal.signal(kind, _do_nothing) for kind in heeded}
        self._thread = threading.Thread(target=self._watch, name="interrupts", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Give the signals back and join the thread."""
        for kind, handler in self._before.items():
            signal.signal(kind, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        self._writer.close()
        self._thread.join()
        self._reader.close()

    def _on_came(self) -> None:
        self._leave()

    def _watch(self) -> None:
        numbers = {int(kind) for kind in WATCHED}
        while received := self._reader.recv(1):
            if received[0] in numbers:
                self.code = 128 + received[0]
                self._came.emit()
                self._reader.settimeout(LEAVE_WITHIN_S)
                with contextlib.suppress(TimeoutError):
                    if not self._reader.recv(1):
                        return  # the window has closed
                os._exit(self.code)


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Keep Python from raising ``KeyboardInterrupt`` in whatever runs."""
