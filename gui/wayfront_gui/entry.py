"""Where the program starts: from here on Ctrl-C ends it quietly, before anything else is imported.

``KeyboardInterrupt`` is never raised in the program. Compiled packages that are being imported abort on it, and what
runs inside a callback cannot pass it on. Until ``interrupts`` takes over, a signal therefore ends the process at once.
"""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

from wayfront_gui import interrupts

interrupts.leave_at_once()
gc.set_threshold(50_000, 20, 20)
"""Python's collector passes over what was imported again and again, a sixth of a start, and finds nothing."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    if sys.argv[1:] == ["--version"]:  # asked for by scripts and by people who report faults: a tenth of a start
        from wayfront.version import __version__

        with suppress(OSError):
            sys.stdout.write(f"wayfront {__version__}\n")
            sys.stdout.flush()
        return
    try:
        if sys.argv[1:]:
            from wayfront_gui.cli.command_line import main as run_command

            run_command()
        else:
            from wayfront_gui.cli.running import open_window

            open_window()
    finally:
        interrupts.ignore()  # the work is done: a signal while the interpreter ends would only spoil its exit code
