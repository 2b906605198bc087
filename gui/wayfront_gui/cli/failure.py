"""What nobody foresaw: a sentence for the person, and the whole of it in a file that can be sent.

With ``WAYFRONT_DEBUG=1`` in the environment the error is raised instead, with its traceback.
"""

from __future__ import annotations

import os
import platform
import sys
import traceback
from pathlib import Path

from wayfront.errors import WriteError
from wayfront.files import write_text_whole
from wayfront.version import __version__

DEBUG = "WAYFRONT_DEBUG"
REPORT = "last-error.txt"
_OWNER_ONLY = 0o700


def wants_traceback() -> bool:
    """Return whether errors that nobody foresaw are to be raised."""
    return os.environ.get(DEBUG, "0") not in ("", "0")


def report(problem: Exception) -> str:
    """Write the error with its traceback to a file, in place of the last one, and return a sentence that names both."""
    what = f"unexpected error, {type(problem).__name__}: {problem}"
    try:
        path = _folder() / REPORT
        write_text_whole(path, _text(problem))
    except (WriteError, OSError) as refused:
        return f"{what}; {DEBUG}=1 shows where (no report: {refused})"
    return f"{what}; please report it with {path}"


def _folder() -> Path:
    """Return the folder for reports, created for its owner alone."""
    from platformdirs import user_state_path

    folder = user_state_path("wayfront", appauthor=False)
    folder.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    return folder


def _text(problem: Exception) -> str:
    lines = [
        f"wayfront {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"arguments: {sys.argv[1:]!r}",
        "",
        *traceback.format_exception(problem),
    ]
    return "\n".join(line.rstrip("\n") for line in lines).encode("utf-8", "backslashreplace").decode("utf-8") + "\n"
