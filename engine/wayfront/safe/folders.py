"""The user's own folders, and how temporary files that killed programs left are found again and deleted.

Whoever writes a file notes its temporary name in a private folder of the user, and holds the note locked for as long
as the temporary file may be there. The system drops the lock when a process ends, however it ends: a note that can
be locked belongs to nobody any more. So programs that run at the same time leave each other's files alone, and a
process number that is used again does no harm.

    unfinished/0123456789abcdef     holds the path /home/…/.map.png.0123456789abcdef.partial
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO


def cache_folder() -> Path:
    """Return the cache folder: ``WAYFRONT_CACHE`` where that is set, else the system's folder for caches."""
    chosen = os.environ.get("WAYFRONT_CACHE")
    if chosen:
        return Path(chosen)
    import platformdirs

    return platformdirs.user_cache_path("wayfront", appauthor=False)


def make_private(folder: Path) -> Path:
    """Return a folder that is this user's own and closed to others (mode 0700), created where it is missing.

    Raises ``OSError`` where that cannot be had: the folder is a link, a file, or belongs to someone else.
    """
    for missing in (folder.parent, folder):  # the folder around it, too, whatever this user's files are open to
        missing.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform == "win32":
        return folder  # a user's folders are closed to others there
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} is not a folder of this user's own")
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)
    return folder


# ----------------------------------------------------------------------------------------------- unfinished files

PARTIAL = ".partial"
"""Suffix of a file that is being written."""

_FOLDER = "unfinished"
_TOKEN_BYTES = 8
_NAME = re.compile(rf"\..+\.([0-9a-f]{{{2 * _TOKEN_BYTES}}}){re.escape(PARTIAL)}", re.DOTALL)
_NAME_CHARACTERS = 40
"""How much of the target's name the temporary name repeats: file systems limit names to 255 bytes."""
_LONGEST_PATH = 1 << 16
_MOST_NOTES = 1000
"""How many notes one sweep looks at, so that no folder can hold up a start."""

_unfinished: set[Path] = set()

if sys.platform == "win32":
    import msvcrt

    def lock(file: IO[bytes], *, wait: bool) -> None:
        """Lock an open file until it is closed. Raises ``OSError`` where it is locked and this is not to ``wait``."""
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def lock(file: IO[bytes], *, wait: bool) -> None:
        """Lock an open file until it is closed. Raises ``OSError`` where it is locked and this is not to ``wait``."""
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


@contextmanager
def alone(note: Path) -> Iterator[None]:
    """Wait until no other process is in a block of this note, where there is a private folder for it."""
    with ExitStack() as stack:
        with suppress(OSError):
            make_private(note.parent)
            file = stack.enter_context(note.open("ab"))
            lock(file, wait=True)
        yield


@contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """Yield an unused name in the target's folder, noted until the block ends.

    The block has to rename or delete what it makes there. The note stays behind where a file does, and nothing is
    noted where the user has no private folder.
    """
    token = os.urandom(_TOKEN_BYTES).hex()
    temporary = target.with_name(f".{target.name[:_NAME_CHARACTERS]}.{token}{PARTIAL}")
    note = _take_note(token, temporary)
    _unfinished.add(temporary)
    try:
        yield temporary
    finally:
        _unfinished.discard(temporary)
        if note is not None:
            note.close()
            if not os.path.lexists(temporary):
                _drop(Path(note.name))


def remove_unfinished() -> None:
    """Delete what this process is writing at this moment, because it is about to end without unwinding."""
    for temporary in tuple(_unfinished):
        _drop(temporary)


def sweep_leftovers() -> None:
    """Delete the temporary files that killed programs of this user left; nothing is raised for one that stays."""
    with suppress(OSError):
        home = cache_folder() / _FOLDER
        if not home.is_dir():
            return
        make_private(home)
        with os.scandir(home) as entries:
            notes = [Path(entry.path) for entry, _ in zip(entries, range(_MOST_NOTES), strict=False)]
        for note in notes:
            if _is_done(note):
                _drop(note)


def _take_note(token: str, temporary: Path) -> IO[bytes] | None:
    with suppress(OSError):
        path = make_private(cache_folder() / _FOLDER) / token
        note = path.open("xb")
        try:
            lock(note, wait=True)
            note.write(os.fsencode(temporary.absolute()))
            note.flush()
        except BaseException as problem:
            with suppress(OSError):
                note.close()
            _drop(path)
            if not isinstance(problem, OSError):
                raise
        else:
            return note
    return None


def _is_done(note: Path) -> bool:
    """Delete the file of a note that nobody holds; return whether the note is of no more use."""
    try:
        if not stat.S_ISREG(note.lstat().st_mode):
            return False
        with note.open("rb") as file:
            lock(file, wait=False)
            path = Path(os.fsdecode(file.read(_LONGEST_PATH)))
        match = _NAME.fullmatch(path.name)
        if match is not None and match[1] == note.name and _is_own_file(path):
            path.unlink()
    except (FileNotFoundError, ValueError):
        return True
    except OSError:
        return False
    return True


def _is_own_file(path: Path) -> bool:
    """Return whether this is a regular file, no link, of this user. Raises ``OSError``."""
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and (sys.platform == "win32" or found.st_uid == os.geteuid())


def _drop(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
