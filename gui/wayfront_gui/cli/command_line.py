"""The ``wayfront`` command: with nothing or a file it opens the window, with a sub-command it does that.

Starting is quick because this file imports neither numba nor Qt; sub-commands do, when they need them. Exit
codes: 0 done, 1 refused (one plain line on stderr), 2 wrong usage, 130 stopped with Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from wayfront.errors import OpenCancelled, SearchCancelled, WayfrontError
from wayfront.version import __version__
from wayfront_gui.cli.benchmark import benchmark
from wayfront_gui.cli.compare import compare
from wayfront_gui.cli.console import say
from wayfront_gui.cli.data import data
from wayfront_gui.cli.explain import explain
from wayfront_gui.cli.fetch import fetch
from wayfront_gui.cli.first_light import first_light
from wayfront_gui.cli.info import info
from wayfront_gui.cli.list import list_all
from wayfront_gui.cli.render import render
from wayfront_gui.cli.reproduce import reproduce
from wayfront_gui.cli.save import save
from wayfront_gui.cli.solve import solve

REFUSED = 1
STOPPED = 130

app = typer.Typer(
    name="wayfront",
    help="Watch shortest-path searches run on real road networks, on the GPU and the CPU.",
    epilog="Without a command, a window opens: wayfront [FILE]",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"wayfront {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _wayfront(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        window(None)


def window(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A network or a recorded trace.")] = None,
) -> None:
    """Open the window, with a network or a trace; 'wayfront FILE' does the same."""
    from wayfront_gui.window.app import run

    raise typer.Exit(run(file))


app.command("window")(window)
app.command("solve")(solve)
app.command("list")(list_all)
app.command("explain")(explain)
app.command("info")(info)
app.command("fetch")(fetch)
app.add_typer(data, name="data")
app.command("render")(render)
app.command("save")(save)
app.command("compare")(compare)
app.command("reproduce")(reproduce)
app.add_typer(benchmark, name="benchmark")
app.command("first-light")(first_light)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and _is_file(words[0]):
        words.insert(0, "window")
    try:
        app(words, prog_name="wayfront")
    except (SearchCancelled, OpenCancelled, KeyboardInterrupt):
        say("cancelled")
        sys.exit(STOPPED)
    except WayfrontError as problem:
        say(str(problem))
        sys.exit(REFUSED)
    except OSError as problem:
        say(f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem))
        sys.exit(REFUSED)
    except MemoryError:
        say("this machine has not enough memory for that")
        sys.exit(REFUSED)


def _is_file(word: str) -> bool:
    """Return whether the first word names something to open; a mistyped command is left to the usage error."""
    commands = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    if word.startswith("-") or word in commands:
        return False
    return Path(word).exists() or any(mark in word for mark in "./\\:")
