"""The ``wayfront`` command: with nothing or a file it opens the window, otherwise it runs a sub-command.

Every sub-command has a module of its name. Starting is quick because this file imports neither numba nor Qt;
sub-commands do, when they need them. Exit codes: 0 done, 1 refused (one plain line on stderr), 2 wrong usage, 130
stopped with Ctrl-C, 128 and its number for another signal.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from wayfront.errors import OpenCancelled, SearchCancelled, UnusedOptionError, WayfrontError
from wayfront.leftovers import remove_unfinished
from wayfront.plugins.loading import listen
from wayfront.version import __version__
from wayfront_gui import interrupts
from wayfront_gui.cli import compiling_notice
from wayfront_gui.cli.all_pairs import all_pairs
from wayfront_gui.cli.bash_words import whole_words
from wayfront_gui.cli.benchmark import benchmark
from wayfront_gui.cli.compare import compare
from wayfront_gui.cli.console import print_line, print_message, reader_gone
from wayfront_gui.cli.data import data
from wayfront_gui.cli.declared import declared
from wayfront_gui.cli.examples import below_help
from wayfront_gui.cli.explain import explain
from wayfront_gui.cli.failure import report, wants_traceback
from wayfront_gui.cli.fetch import fetch
from wayfront_gui.cli.first_light import first_light
from wayfront_gui.cli.growth import growth
from wayfront_gui.cli.info import info
from wayfront_gui.cli.install_desktop import install_desktop
from wayfront_gui.cli.lesson import lesson
from wayfront_gui.cli.list import list_all
from wayfront_gui.cli.new import new
from wayfront_gui.cli.paths import is_there
from wayfront_gui.cli.plugins import PluginOption, name_plugins, with_plugins
from wayfront_gui.cli.qt import missing_qt
from wayfront_gui.cli.race import race
from wayfront_gui.cli.render import render
from wayfront_gui.cli.reproduce import reproduce
from wayfront_gui.cli.save import save
from wayfront_gui.cli.solve import solve
from wayfront_gui.cli.streams import plain_streams
from wayfront_gui.cli.warm_up import warm_up
from wayfront_gui.cli.window import LanguageOption, window
from wayfront_gui.translation import use_language

DONE = 0
REFUSED = 1
STOPPED = 130
OF_PROGRAM = ("--version", "--help", "-h", "--install-completion", "--show-completion")
"""Options of the program itself, which are no window's."""

app = typer.Typer(
    name="wayfront",
    help="Watch shortest-path searches run on real road networks, on the GPU and the CPU.",
    epilog="Without a command, a window opens: wayfront [FILE], with the options of 'wayfront window'",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its boxes leave too few of 80 columns to the texts
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        print_line(f"wayfront {__version__}")
        raise typer.Exit


@app.callback()
def _wayfront(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    language: LanguageOption = "",
    plugin: PluginOption = None,
) -> None:
    name_plugins(plugin)
    if language:
        use_language(language)


app.command("window", epilog=below_help("window"))(with_plugins(window))
app.command("solve", epilog=below_help("solve"))(with_plugins(solve))
app.command("all-pairs", epilog=below_help("all-pairs"))(with_plugins(all_pairs))
app.command("list", epilog=below_help("list"))(with_plugins(list_all))
app.command("explain", epilog=below_help("explain"))(with_plugins(explain))
app.command("info", epilog=below_help("info"))(with_plugins(info))
app.command("fetch", epilog=below_help("fetch"))(fetch)
app.add_typer(data, name="data", epilog=below_help("data"))
app.command("render", epilog=below_help("render"))(with_plugins(render))
app.command("race", epilog=below_help("race"))(with_plugins(race))
app.command("lesson", epilog=below_help("lesson"))(with_plugins(lesson))
app.command("save", epilog=below_help("save"))(with_plugins(save))
app.command("compare", epilog=below_help("compare"))(with_plugins(compare))
app.command("growth", epilog=below_help("growth"))(with_plugins(growth))
app.command("reproduce", epilog=below_help("reproduce"))(reproduce)
app.add_typer(benchmark, name="benchmark", epilog=below_help("benchmark"))
app.add_typer(new, name="new", epilog=below_help("new"))
app.command("warm-up", epilog=below_help("warm-up"))(warm_up)
app.command("first-light", epilog=below_help("first-light"))(with_plugins(first_light))
app.command("install-desktop", epilog=below_help("install-desktop"))(install_desktop)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    listen(print_message)
    with plain_streams() as (out, _), interrupts.watched(), interrupts.cleaned_up_by(remove_unfinished):
        try:
            with whole_words():
                code = _run(given)
        finally:
            compiling_notice.stop()
        out.flush()
        if out.failure is not None and not out.reader_gone:
            print_message(f"the output cannot be written: {out.failure.strerror}")
            code = code or REFUSED
    sys.exit(code)


def _run(given: list[str]) -> int:
    """Run a command and return its exit code, with one line on stderr for what went wrong."""
    try:
        if "--install-completion" in given:
            declared()  # which is kept, so that completion knows the values of options
        if not given or _is_file(given[0]) or _is_of_window(given):
            given.insert(0, "window")
        app(given, prog_name="wayfront")
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else DONE
    except (SearchCancelled, OpenCancelled):
        if not reader_gone():
            print_message("cancelled")
        return interrupts.exit_code() or STOPPED
    except Exception as problem:
        stopped = interrupts.exit_code()
        print_message(_in_a_sentence(problem) if stopped is None else "cancelled")
        return REFUSED if stopped is None else stopped
    return DONE


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
    if wants_traceback():
        raise problem
    return report(problem)


def _is_file(argument: str) -> bool:
    """Return whether the first argument names something to open; a mistyped command is left to the usage error."""
    if argument.startswith("-") or argument in _command_names():
        return False
    return is_there(argument) or any(mark in argument for mark in "./\\:")


def _is_of_window(given: Sequence[str]) -> bool:
    """Return whether options come first and no command after them: then they are the window's."""
    return given[0].startswith("-") and not any(word in OF_PROGRAM or word in _command_names() for word in given)


def _command_names() -> set[str | None]:
    return {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
