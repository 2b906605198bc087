"""How a command ends: its exit code, and one line for what went wrong. The window begins here without a command line.

Exit codes: 0 done, 1 refused (files, networks, devices, memory: one plain line on stderr), 2 wrong usage (a command,
option, name or value that does not exist or does not fit: likewise), 130 stopped with Ctrl-C, 128 and its number for
another signal.

What nobody foresaw is a sentence for the person, and the whole of it in a file that can be sent. With
``WAYFRONT_DEBUG=1`` in the environment the error is raised instead, with its traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from wayfront.plugins.loading import listen
from wayfront.safe.errors import (
    MissingPackageError,
    NotInNetworkError,
    OpenCancelled,
    OptionError,
    SearchCancelled,
    UnknownDeviceError,
    UnusedOptionError,
    WayfrontError,
    WriteError,
)
from wayfront.safe.files import why_unwritten, write_text_whole
from wayfront.safe.folders import remove_unfinished
from wayfront.version import __version__
from wayfront_gui import interrupts
from wayfront_gui.cli import console
from wayfront_gui.cli.console import print_error, print_message, reader_gone
from wayfront_gui.cli.drawing import missing_qt, require_qt

DONE = 0
REFUSED = 1
MISUSED = 2
STOPPED = 130
DEBUG = "WAYFRONT_DEBUG"
REPORT = "last-error.txt"
_OWNER_ONLY = 0o700


def open_window() -> None:
    """Open the window as the bare command does, and leave with its exit code.

    A command line takes a tenth of a start to declare, and there is nothing to read.
    """
    leave_after(_window)


def _window() -> None:
    require_qt()
    from wayfront_gui.app.start import run

    sys.exit(run())


def leave_after(command: Callable[[], object]) -> None:
    """Run a command and leave the program with its exit code."""
    listen(print_message)
    with console.plain_streams() as (out, _), interrupts.watched(), interrupts.cleaned_up_by(remove_unfinished):
        try:
            code = _code_of(command)
        finally:
            console.stop_watching()
        out.flush()
        if out.failure is not None and not out.reader_gone:
            print_error(f"the output cannot be written: {why_unwritten(out.failure)}")
            code = code or REFUSED
    sys.exit(code)


def _code_of(command: Callable[[], object]) -> int:
    """Run a command and return its exit code, with one line on stderr for what went wrong."""
    try:
        command()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else DONE
    except (SearchCancelled, OpenCancelled):
        if not reader_gone():
            print_error("cancelled")
        return interrupts.exit_code() or STOPPED
    except Exception as problem:
        stopped = interrupts.exit_code()
        print_error(_in_a_sentence(problem) if stopped is None else "cancelled")
        return _exit_code(problem) if stopped is None else stopped
    return DONE


def _exit_code(problem: Exception) -> int:
    """Return the exit code of an error: a name, option or value that does not exist or fit is wrong usage."""
    wrong = isinstance(problem, OptionError | UnknownDeviceError | NotInNetworkError) and not isinstance(
        problem, MissingPackageError
    )
    return MISUSED if wrong else REFUSED


def _in_a_sentence(problem: Exception) -> str:
    """Return what went wrong; what no one foresaw is written down whole, or raised again if that is asked for."""
    if isinstance(problem, UnusedOptionError):
        options = " and ".join(f"--{name.replace('_', '-')}" for name in problem.names)
        verb = "have" if len(problem.names) > 1 else "has"
        return f"{problem.path}: {options} {verb} no effect on this kind of network ({problem.label})"
    if isinstance(problem, WayfrontError):
        return str(problem)
    if (missing := missing_qt(problem)) is not None:
        return missing
    if isinstance(problem, OSError):
        return f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem)
    if isinstance(problem, MemoryError):
        return "this machine has not enough memory for that"
    if os.environ.get(DEBUG, "0") not in ("", "0"):
        raise problem
    return _report(problem)


def _report(problem: Exception) -> str:
    """Write the error with its traceback to a file, in place of the last one, and return a sentence that names both."""
    what = f"unexpected error, {type(problem).__name__}: {problem}"
    try:
        path = _reports() / REPORT
        write_text_whole(path, _whole(problem))
    except (WriteError, OSError) as refused:
        return f"{what}; {DEBUG}=1 shows where (no report: {refused})"
    return f"{what}; please report it with {path}"


def _reports() -> Path:
    """Return the folder for reports, created for its owner alone."""
    from platformdirs import user_state_path

    folder = user_state_path("wayfront", appauthor=False)
    folder.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    return folder


def _whole(problem: Exception) -> str:
    import platform
    import traceback

    lines = [
        f"wayfront {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"arguments: {sys.argv[1:]!r}",
        "",
        *traceback.format_exception(problem),
    ]
    return "\n".join(line.rstrip("\n") for line in lines).encode("utf-8", "backslashreplace").decode("utf-8") + "\n"
