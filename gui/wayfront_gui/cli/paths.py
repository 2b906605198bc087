"""Check the paths that a command is given before it opens or searches anything."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from wayfront.errors import FormatError, OptionError, WriteError
from wayfront.files import NO_SUCH_FILE, check_writable, open_regular
from wayfront.network.naming import is_made
from wayfront_gui.cli.qt import require_qt
from wayfront_gui.cli.stdout_output import STDOUT, check_stdout

PICTURES = (".png", ".webp", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
"""Suffixes of pictures that Qt writes."""
DRAWINGS = (".svg", ".pdf")
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

    Raises ``FormatError`` (no such file), ``OSError`` (a folder, a pipe, not readable) or ``DownloadError`` (not
    downloaded yet).
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
        raise FormatError(NO_SUCH_FILE, name)
    elif not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    else:
        open_regular(path).close()


def check_outputs(
    paths: Sequence[str] | None, suffixes: Sequence[str], form: str | None = None, usual: str = ""
) -> list[str]:
    """Return the paths of files that a command can write, all checked; ``-`` is standard output.

    ``form`` is what ``--format`` says of that, and ``usual`` its suffix without ``--format``. Raises ``OptionError``
    for an unknown suffix, a path given twice, or a format without ``-``, and ``WriteError``.
    """
    checked = [check_output(path, suffixes, form, usual) for path in paths or []]
    for index, path in enumerate(checked):
        if Path(path).resolve() in [Path(other).resolve() for other in checked[:index]]:
            raise OptionError(f"{path} is given twice as a file to write")
    if form is not None and STDOUT not in checked:
        raise OptionError("--format has no effect here: it says what -o - is, and a file's own name says it elsewhere")
    return checked


def check_output(path: str, suffixes: Sequence[str] = (), form: str | None = None, usual: str = "") -> str:
    """Return the path of a file that a command can write; ``-`` is standard output where ``usual`` is given.

    ``suffixes`` are the legal ends of its name; without any, all are. ``form`` and ``usual`` are as in
    ``check_outputs``. Raises ``OptionError`` for no name, another suffix or a picture where Qt is not installed,
    and ``WriteError`` where the folder is missing, either may not be written to, or it is a folder itself.
    """
    _check_name(path)
    suffix = suffix_of(path, form, usual)
    if suffixes and suffix not in suffixes:
        what = f"--format {form}" if path == STDOUT and usual else path
        raise OptionError(f"{what}: unknown suffix; this can be written as {', '.join(suffixes)}")
    if suffix in (*PICTURES, *DRAWINGS, *FILMS):
        require_qt()
    if path == STDOUT and usual:
        check_stdout(suffix)
    else:
        check_writable(path)
    return path


def suffix_of(path: str, form: str | None = None, usual: str = "") -> str:
    """Return the suffix of a file in small letters; that of ``-`` is the ``form`` asked for, or the ``usual`` one."""
    if path != STDOUT:
        return Path(path).suffix.lower()
    return usual if form is None else f".{form.lower().removeprefix('.')}"


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
