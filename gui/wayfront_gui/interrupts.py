"""Ctrl-C, and the signals by which a system ends a program.

A thread of its own learns of signals from the interpreter, so that they are noticed while the main thread is deep in
compiled code. The first signal cancels the work at hand; the second, or the first where nothing can be cancelled, or
work that does not end in time, ends the process at once: files that are half-written are deleted, the terminal is put
right, and the exit code is 128 and the signal's number, 130 for Ctrl-C. ``KeyboardInterrupt`` is never raised.

Whoever installs a handler with ``signal.signal`` takes a signal over, as the window does. The program starts with
``leave_at_once``, so this module imports next to nothing.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

PATIENCE_S = 2.0
"""Work that goes on for so long after it was cancelled is ended where it is."""
_CATCH_UP_S = 1.0
_DONE = b"\0"
CANCELLED = b"wayfront: cancelled\n"
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_EXIT_CODE_BASE = 128


def endings() -> list[signal.Signals]:
    """Return the signals that end a program here, but for those that its parent has it ignore, as ``nohup`` does."""
    known = [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
    return [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]


def exit_code_of(number: int) -> int:
    """Return the exit code of a program that a signal ended, 130 for Ctrl-C."""
    return _EXIT_CODE_BASE + number


def leave(number: int, _frame: FrameType | None = None) -> None:
    """End the process now with one line on stderr; nothing is cleaned up."""
    with suppress(OSError):
        os.write(2, CANCELLED)
    os._exit(exit_code_of(number))


def leave_at_once() -> None:
    """Let these signals end the process at once."""
    for number in endings():
        signal.signal(number, leave)


def ignore() -> None:
    """Let these signals do nothing any more."""
    for number in endings():
        signal.signal(number, signal.SIG_IGN)


class _Watch:
    """What the main thread and the thread that learns of signals share."""

    def __init__(self) -> None:
        self.cancel: threading.Event | None = None
        """Set by the first signal; None where nothing can be cancelled."""
        self.patience_s = PATIENCE_S
        self.stopped_by: int | None = None
        self.clean_up: list[Callable[[], None]] = []
        self._noticed = 0
        self._seen = 0
        self._thread = threading.Thread(target=self._watch, name="wayfront-signals", daemon=True)

    def start(self) -> Callable[[], None]:
        """Take over the signals; the function that is returned gives them back."""
        import socket

        self._heard, self._speaker = socket.socketpair()
        self._heard.setblocking(False)
        self._speaker.setblocking(False)
        self._thread.start()
        descriptor = signal.set_wakeup_fd(self._speaker.fileno(), warn_on_full_buffer=False)
        handlers = {number: signal.signal(number, self._notice) for number in endings()}

        def stop() -> None:
            for number, handler in handlers.items():
                if signal.getsignal(number) == self._notice:
                    signal.signal(number, handler)
            signal.set_wakeup_fd(descriptor)
            self._speaker.send(_DONE)
            self._thread.join()
            self._heard.close()
            self._speaker.close()

        return stop

    def catch_up(self) -> None:
        """Wait until the thread has dealt with every signal that the main thread knows of."""
        longest = time.monotonic() + _CATCH_UP_S
        while self._seen < self._noticed and time.monotonic() < longest:
            time.sleep(0.001)

    def leave(self, number: int) -> None:
        """End the process now."""
        for action in reversed(self.clean_up):
            with suppress(OSError):
                action()
        leave(number)

    def _notice(self, _number: int, _frame: FrameType | None) -> None:
        # The interpreter wakes the thread by itself; this only keeps it from doing what it usually does.
        self._noticed += 1

    def _watch(self) -> None:
        import select

        deadline: float | None = None
        while True:
            wait_s = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._heard], [], [], wait_s)[0]:
                self.leave(self.stopped_by or signal.SIGINT)
            for number in self._heard.recv(64):
                if number == _DONE[0]:
                    return
                if signal.getsignal(number) == self._notice:
                    deadline = self._react(number)
                self._seen += 1

    def _react(self, number: int) -> float:
        """Cancel the work at hand, or leave; return when patience ends."""
        cancel = self.cancel
        if cancel is None or cancel.is_set():
            self.leave(number)
            raise AssertionError("the process has ended")
        self.stopped_by = number
        cancel.set()
        return time.monotonic() + self.patience_s


_current: _Watch | None = None


@contextmanager
def watched() -> Iterator[_Watch]:
    """Deal with signals as this module says while the block lasts; one block may lie in another.

    In other threads than the main one nothing is dealt with: what is yielded there is not watching.
    """
    global _current  # noqa: PLW0603 - a process has one set of signals
    if _current is not None or threading.current_thread() is not threading.main_thread():
        yield _current or _Watch()
        return
    _current = _Watch()
    stop = _current.start()
    try:
        yield _current
    finally:
        stop()
        _current = None


@contextmanager
def cancelling(cancel: threading.Event, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Let the first signal set ``cancel`` while the block lasts, which then has ``patience_s`` seconds to end."""
    with watched() as watch:
        outer = watch.cancel, watch.patience_s
        watch.cancel, watch.patience_s = cancel, patience_s
        try:
            yield
        finally:
            watch.catch_up()
            watch.cancel, watch.patience_s = outer


@contextmanager
def cleaned_up_by(action: Callable[[], None]) -> Iterator[None]:
    """Call ``action`` in another thread should a signal end the process at once while the block lasts."""
    with watched() as watch:
        watch.clean_up.append(action)
        try:
            yield
        finally:
            watch.clean_up.remove(action)


def exit_code() -> int | None:
    """Return the exit code that a signal asks for, or None if there was none."""
    return None if _current is None or _current.stopped_by is None else exit_code_of(_current.stopped_by)
