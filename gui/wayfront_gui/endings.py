"""The signals that end a program, and what ends at once on them; it imports next to nothing, since it comes first."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType

CANCELLED = b"wayfront: cancelled\n"
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_EXIT_CODE_BASE = 128


def endings() -> list[signal.Signals]:
    """Return the signals that end a program here, but for those that its parent has it ignore, as ``nohup`` does."""
    known = [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
    return [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]


def exit_code(number: int) -> int:
    """Return the exit code of a program that a signal ended, 130 for Ctrl-C."""
    return _EXIT_CODE_BASE + number


def leave(number: int, _frame: FrameType | None = None) -> None:
    """End the process now with one line on stderr; nothing is cleaned up."""
    with suppress(OSError):
        os.write(2, CANCELLED)
    os._exit(exit_code(number))


def leave_at_once() -> None:
    """Let these signals end the process at once."""
    for number in endings():
        signal.signal(number, leave)


def ignore() -> None:
    """Let these signals do nothing any more."""
    for number in endings():
        signal.signal(number, signal.SIG_IGN)
