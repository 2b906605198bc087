"""Says on standard error that kernels are being compiled: a first start on a machine takes many seconds for it."""

from __future__ import annotations

from contextlib import ExitStack

from wayfront_gui.cli.console import print_message

NOTICE = "compiling kernels, which this machine does once; 'wayfront warm-up' does all of it beforehand"

_watching = ExitStack()
_on = False


def watch() -> None:
    """Say it, once, if kernels are compiled for more than a moment from now on.

    This imports Numba, so a process that shall simulate CUDA has to be prepared for that before.
    """
    global _on  # noqa: PLW0603 - a process has one command line
    if _on:
        return
    from wayfront.timing.compile_watch import told_of_compiling

    _on = True
    _watching.enter_context(told_of_compiling(lambda: print_message(NOTICE)))


def stop() -> None:
    """Watch no longer: the command is done."""
    global _on  # noqa: PLW0603 - as above
    _on = False
    _watching.close()
