"""Say in one sentence, with file and line, what went wrong in a plug-in's own code."""

from __future__ import annotations

import importlib
import traceback
from pathlib import Path

from wayfront.errors import WayfrontError
from wayfront.plain_text import printable

_PROGRAM = Path(__file__).resolve().parents[1]
_IMPORTING = Path(importlib.__file__).resolve().parent
_LONGEST = 300


def describe_fault(problem: BaseException, home: Path | None = None) -> str:
    """Return ``FILE:LINE: what it is``, with the line of a plug-in's own code by which it came up.

    ``home`` is the plug-in's file; without it, the folder counts of the first file that is neither this program's nor
    Python's for importing. Where no such line is to be found, only the file, if it is known.
    """
    what = " ".join(str(problem).split())
    if isinstance(problem, SyntaxError) and problem.filename:
        return printable(f"{problem.filename}:{problem.lineno}: {type(problem).__name__}: {problem.msg}")
    if not isinstance(problem, WayfrontError):
        what = f"{type(problem).__name__}: {what}" if what else type(problem).__name__
    where = own_line(problem, home)
    what = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}…"
    if where is None:
        return printable(f"{home}: {what}" if home is not None and str(home) not in what else what)
    return printable(f"{where[0]}:{where[1]}: {what}")


def own_line(problem: BaseException, home: Path | None) -> tuple[str, int] | None:
    """Return file and number of the last line of a plug-in's own code in a traceback, None where there is none."""
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.lineno is not None]
    in_file = [frame for frame in frames if home is not None and Path(frame.filename) == home]
    if not in_file:
        folder = home.parent if home is not None else _first_folder(frames)
        in_file = [frame for frame in frames if folder is not None and Path(frame.filename).parent == folder]
    return (in_file[-1].filename, in_file[-1].lineno or 0) if in_file else None


def _first_folder(frames: list[traceback.FrameSummary]) -> Path | None:
    """Return the folder of the first file that is neither of this program nor of Python's imports."""
    for frame in frames:
        path = Path(frame.filename)
        # Where importlib_metadata is installed, its entry points take the place of Python's.
        importing = path.is_relative_to(_IMPORTING) or path.parent.name == "importlib_metadata"
        if path.is_absolute() and not path.is_relative_to(_PROGRAM) and not importing:
            return path.parent
    return None
