"""Check the paths that a command is given before it opens or searches anything."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from wayfront.errors import OptionError, WriteError
from wayfront.files import check_writable, open_regular
from wayfront.network.naming import is_made
from wayfront_gui.cli.qt import require_qt

PICTURES = (".png", ".webp", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
"""Suffixes of pictures that Qt writes."""
DRAWING = ".svg"
DRAWINGS = (DRAWING, ".pdf")
"""Suffixes of drawings, which stay sharp at any size."""
FILMS = (".mp4", ".webm", ".gif")
"""Suffixes of films."""
TABLES = (".csv", ".json")
MARKDOWN = ".md"


def is_there(name: str) -> bool:
    """Return whether there is a file of that name; one that no system takes for a name is not there."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # longer than the system allows, or with a zero byte
        return False


def check_can_open(name: str) -> None:
    """Check that a name is a file that can be read, a downloaded network, a synthetic one or an example.

    Raises ``OSError`` (no such file, a folder, a pipe, not readable) or ``DownloadError`` (not downloaded yet).
    """
    from wayfront.sources.store import DIMACS, split_name

    path = Path(name)
    if not path.exists() and is_made(name):
        return
    scheme = None if path.exists() else split_name(name)
    if scheme is not None:
        if scheme[0] == DIMACS:
            from wayfront.sources.catalogue import locate
        else:
            from wayfront.sources.places import locate
        locate(name)
    elif path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    elif not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    elif not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    else:
        open_regular(path).close()


def check_outputs(paths: Sequence[str] | None, suffixes: Sequence[str]) -> list[str]:
    """Return the paths of files that a command can write, all checked.

    Raises ``OptionError`` for an unknown suffix or a path given twice, and ``WriteError``.
    """
    checked = [check_output(path, suffixes) for path in paths or []]
    for index, path in enumerate(checked):
        if Path(path).resolve() in [Path(other).resolve() for other in checked[:index]]:
            raise OptionError(f"{path} is given twice as a file to write")
    return checked


def check_output(path: str, suffixes: Sequence[str] = ()) -> str:
    """Return the path of a file that a command can write.

    ``suffixes`` are the legal ends of its name; without any, all are. Raises ``OptionError`` for no name or another
    suffix or a picture where Qt is not installed, and ``WriteError`` where the folder is missing, either may not be
    written to, or it is a folder itself.
    """
    _check_name(path)
    if suffixes and not path.lower().endswith(tuple(suffixes)):
        raise OptionError(f"{path}: unknown suffix; this can be written as {', '.join(suffixes)}")
    if path.lower().endswith((*PICTURES, *DRAWINGS, *FILMS)):
        require_qt()
    check_writable(path)
    return path


def _check_name(path: str) -> None:
    if not path or "\0" in path:
        raise OptionError(f"what is written needs a name, not {path!r}")


def check_output_folder(path: str) -> Path:
    """Return a folder to write files into, created where it is missing.

    Raises ``OptionError`` for no name, and ``WriteError``.
    """
    _check_name(path)
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise WriteError(path, "it is a file, not a folder") from None
    except OSError as problem:
        raise WriteError(path, problem.strerror or str(problem)) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise WriteError(path, "the folder is read-only")
    return folder
