"""What commands share that measure for minutes where only the engine is installed."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from threading import Event


def begin_measuring() -> tuple[Callable[[str], None], Event]:
    """Return what reports a line with the seconds passed, and an event that Ctrl-C and SIGTERM set from now on."""
    begin, cancel = time.monotonic(), Event()
    signal.signal(signal.SIGINT, lambda *_: cancel.set())
    signal.signal(signal.SIGTERM, lambda *_: cancel.set())

    def say(text: str) -> None:
        sys.stderr.write(f"{time.monotonic() - begin:7.1f} s  {text}\n")
        sys.stderr.flush()

    return say, cancel
