"""Open regular files alone, and write files whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from wayfront.safe.errors import FormatError, IrregularFileError, WayfrontError, WriteError
from wayfront.safe.folders import temporary_beside

_OPEN_FILES = "/proc/self/fd"

_READ_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC"))

_FULL = tuple(getattr(errno, name, errno.ENOSPC) for name in ("ENOSPC", "EDQUOT"))
NO_SUCH_FILE = "there is no such file"
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
        return NO_SUCH_FILE
    return f"the file cannot be read: {error.strerror or error}"


def why_unwritten(error: OSError) -> str:
    """Return in a sentence, without the path, why a file could not be written, and what to do about it."""
    why = error.strerror or str(error)
    if error.errno in _FULL:
        why = f"{why}; free some, or choose another disk"
    elif error.errno == errno.EROFS:
        why = f"{why}; choose another disk"
    return why


def read_at_most(path: str | Path, longest: int, too_large: str) -> bytes:
    """Return the whole of a file. Raises ``FormatError`` where it cannot be read, or is longer, with that sentence."""
    try:
        with open_regular(Path(path)) as file:
            content = file.read(longest + 1)
    except OSError as problem:
        raise FormatError(why_unread(problem), path) from None
    if len(content) > longest:
        raise FormatError(too_large, path)
    return content


def file_bytes(path: Path) -> int:
    """Return the size of a file, 0 where it is unknown."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _require_regular(mode: int, path: str | Path) -> None:
    if not stat.S_ISREG(mode):
        reason = next((text for is_kind, text in _NO_FILE if is_kind(mode)), "this is a device, not a file")
        raise IrregularFileError(path, reason)


@contextmanager
def write_whole(path: str | Path) -> Iterator[IO[bytes]]:
    """Yield a binary file that replaces the one at ``path`` when the block ends without an exception.

    The bytes go to a temporary file in the same folder, which is synced to disk and renamed. After any exception,
    Ctrl-C included, the temporary file is gone and an existing target is unchanged. A killed process leaves nothing
    on Linux, where the file has no name until it is complete; elsewhere ``sweep_leftovers`` deletes what is left.
    A link is followed; what is not a regular file (a pipe, ``/dev/stdout``) is written directly. Raises
    ``WriteError``, with the file's name and the reason, where the system refuses to write.
    """
    with _naming(path):
        target = _target(path)
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
            return
        with _replacement(target) as file:
            yield file


def write_text_whole(path: str | Path, text: str) -> None:
    r"""Write a text as UTF-8, whole or not at all; line ends are kept as they are. Raises ``WriteError``.

    Bytes of a file name that are no UTF-8 are written as ``\udc80`` to ``\udcff``, which JSON reads as the same text.
    """
    with write_whole(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def check_writable(path: str | Path) -> None:
    """Try, and leave no trace, whether ``write_whole`` could begin; to be asked before long work.

    Raises ``WriteError`` for a folder, a read-only file, a name too long, and a folder that is missing or read-only.
    """
    with _naming(path):
        target = _target(path)
        if target.is_file() or not target.exists():
            with temporary_beside(target) as temporary:
                _open_temporary(temporary)[0].close()
                with suppress(FileNotFoundError):
                    temporary.unlink()


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Turn the system's errors into ``WriteError``."""
    try:
        yield
    except OSError as error:
        if isinstance(error, WayfrontError):
            raise
        raise WriteError(path, why_unwritten(error)) from error


def _target(path: str | Path) -> Path:
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise WriteError(path, "it is a folder")
    if not target.parent.is_dir():
        raise WriteError(path, f"there is no folder {target.parent}")
    there = target.exists()
    if there and not os.access(target, os.W_OK):
        raise WriteError(path, "it is read-only")
    if (target.is_file() or not there) and not os.access(target.parent, os.W_OK | os.X_OK):
        raise WriteError(path, f"the folder {target.parent} is read-only")  # a new file takes the old one's place
    return target


@contextmanager
def _replacement(target: Path) -> Iterator[IO[bytes]]:
    with temporary_beside(target) as temporary:
        try:
            file, nameless = _open_temporary(temporary)
            with _closing(file):
                yield file
                file.flush()
                os.fsync(file.fileno())
                if nameless:
                    _give_name(file, temporary)
            with suppress(FileNotFoundError):
                temporary.chmod(target.stat().st_mode & 0o777)
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise


@contextmanager
def _closing(file: IO[bytes]) -> Iterator[None]:
    """Close a file, and after an exception let no second one, of the bytes that are still to be written, hide it."""
    try:
        yield
    except BaseException:
        with suppress(OSError):
            file.close()
        raise
    file.close()


def _open_temporary(temporary: Path) -> tuple[IO[bytes], bool]:
    """Return a new file to write into, and whether it has no name yet."""
    if sys.platform == "linux" and Path(_OPEN_FILES).is_dir():
        with suppress(OSError):  # this file system knows only files with names, or the next line says what is wrong
            return os.fdopen(os.open(temporary.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), "wb"), True
    return temporary.open("xb"), False


def _give_name(file: IO[bytes], path: Path) -> None:
    folder = os.open(_OPEN_FILES, os.O_RDONLY)
    try:
        # With a folder, even one that is not used, Python follows the link from /proc to the file itself.
        os.link(f"{_OPEN_FILES}/{file.fileno()}", path, src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)
