"""Write files whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from wayfront.errors import WayfrontError, WriteError

PARTIAL = ".partial"
"""Suffix of a file that is being written; a killed program may leave one behind."""

_NAME_CHARACTERS = 40
"""How much of the target's name the temporary name repeats: file systems limit names to 255 bytes."""


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


@contextmanager
def _replacement(target: Path) -> Iterator[IO[bytes]]:
    temporary = target.with_name(f".{target.name[:_NAME_CHARACTERS]}.{secrets.token_hex(4)}{PARTIAL}")
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
