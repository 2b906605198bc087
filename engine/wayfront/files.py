"""Open regular files alone, and write files whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from wayfront.errors import IrregularFileError, WayfrontError, WriteError

PARTIAL = ".partial"
"""Suffix of a file that is being written; a killed program may leave one behind."""

_unfinished: set[Path] = set()

_NAME_CHARACTERS = 40
"""How much of the target's name the temporary name repeats: file systems limit names to 255 bytes."""


_READ_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC"))

_NO_FILE = (
    (stat.S_ISDIR, "this is a folder; choose a file in it"),
    (stat.S_ISFIFO, "this is a pipe, not a file: save what comes through it to a file, and open that"),
    (stat.S_ISSOCK, "this is a socket, not a file"),
)


def open_regular(path: str | Path) -> IO[bytes]:
    """Open a regular file, or a link to one, for reading bytes, without ever waiting.

    Raises ``IrregularFileError`` for a folder, pipe, socket or device, which may block or never end, and the
    ``OSError`` of the system, also for a name that no file can have; ``why_unread`` turns both into a sentence.
    """
    path = Path(path)
    try:
        # Before opening: merely to open a device may act on it, and the writer of a pipe would take us for its reader.
        _require_regular(path.stat().st_mode, path)
        descriptor = os.open(path, _READ_FLAGS)
    except ValueError:  # a zero byte, or characters that this system's names cannot hold
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from None
    try:
        _require_regular(os.fstat(descriptor).st_mode, path)  # it may have been exchanged in between
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def why_unread(error: OSError) -> str:
    """Return in a sentence, without the path, why a file could not be opened or read."""
    if isinstance(error, IrregularFileError):
        return error.reason
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return f"the file cannot be read: {error.strerror or error}"


def _require_regular(mode: int, path: str | Path) -> None:
    if not stat.S_ISREG(mode):
        reason = next((text for is_kind, text in _NO_FILE if is_kind(mode)), "this is a device, not a file")
        raise IrregularFileError(path, reason)


@contextmanager
def write_whole(path: str | Path) -> Iterator[IO[bytes]]:
    """Yield a binary file that replaces the one at ``path`` when the block ends without an exception.

    The bytes go to a temporary file in the same folder, which is synced to disk and renamed. After any exception,
    Ctrl-C included, the temporary file is deleted and an existing target is unchanged. A link is followed; what is
    not a regular file (a pipe, ``/dev/stdout``) is written directly. Raises ``WriteError``, with the file's name and
    the reason, where the system refuses to write.
    """
    path = Path(path)
    try:
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise WriteError(path, "it is a folder")
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
            return
        with _replacement(target) as file:
            yield file
    except OSError as error:
        if isinstance(error, WayfrontError):
            raise
        raise WriteError(path, error.strerror or str(error)) from error


def write_text_whole(path: str | Path, text: str) -> None:
    """Write a text as UTF-8, whole or not at all; line ends are kept as they are. Raises ``WriteError``."""
    with write_whole(path) as file:
        file.write(text.encode("utf-8"))


def remove_unfinished() -> None:
    """Delete what is being written at this moment, in a process that is about to end."""
    for temporary in tuple(_unfinished):
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def _replacement(target: Path) -> Iterator[IO[bytes]]:
    temporary = target.with_name(f".{target.name[:_NAME_CHARACTERS]}.{secrets.token_hex(4)}{PARTIAL}")
    _unfinished.add(temporary)
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    finally:
        _unfinished.discard(temporary)
