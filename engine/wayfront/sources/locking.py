"""Let two programs that download the same file take turns.

The lock is the operating system's own on a small file beside the download, so that it ends with the program that holds
it, however that ends. The file is deleted while it is locked; whoever waited for a deleted one makes a new one.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wayfront.errors import OpenCancelled

_LOCK = ".lock"
_POLL_S = 0.1


@contextmanager
def locked(path: Path, cancel: threading.Event, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of a file to be written; ``waiting`` is called now and then while another program holds it.

    Raises ``OpenCancelled`` while waiting, and ``OSError`` where the folder cannot be written.
    """
    lock = path.with_name(f".{path.name}{_LOCK}")
    while (descriptor := _try(lock)) is None:
        waiting()
        if cancel.wait(_POLL_S):
            raise OpenCancelled("the download was cancelled")
    try:
        yield
    finally:
        with suppress(OSError):  # Windows deletes no open file; it stays, and locks nothing
            lock.unlink()
        os.close(descriptor)


def _try(lock: Path) -> int | None:
    """Return the descriptor of the locked file, None where another program holds it."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        if _acquire(descriptor) and os.path.samestat(os.fstat(descriptor), lock.stat()):
            return descriptor
    except FileNotFoundError:
        pass  # deleted between opening and locking, by a program that has ended its download
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _acquire(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
