"""The ``wayfront`` command: with nothing or a file it opens the window, otherwise it runs a command.

Starting is quick because this file imports neither numba nor Qt; commands do, when they need them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import typer

from wayfront.version import __version__
from wayfront_gui.cli.access import access
from wayfront_gui.cli.all_pairs import all_pairs
from wayfront_gui.cli.arguments import PLUGINS, expand_groups, name_plugins, option
from wayfront_gui.cli.assign import assign
from wayfront_gui.cli.benchmark import benchmark_flows, benchmark_matrix, benchmark_search, benchmark_trees
from wayfront_gui.cli.compare import compare
from wayfront_gui.cli.completion import whole_words
from wayfront_gui.cli.console import be_quiet, print_line
from wayfront_gui.cli.declared import declared
from wayfront_gui.cli.explain import explain
from wayfront_gui.cli.first_light import first_light
from wayfront_gui.cli.flows import flows
from wayfront_gui.cli.growth import growth
from wayfront_gui.cli.isochrones import isochrones
from wayfront_gui.cli.lesson import lesson
from wayfront_gui.cli.list import list_all
from wayfront_gui.cli.machine import install_desktop, new_algorithm, warm_up
from wayfront_gui.cli.matrix import matrix
from wayfront_gui.cli.nearest import nearest
from wayfront_gui.cli.networks import data, fetch, info, remove_data, save
from wayfront_gui.cli.outputs import is_there
from wayfront_gui.cli.race import race
from wayfront_gui.cli.render import render
from wayfront_gui.cli.reproduce import reproduce
from wayfront_gui.cli.running import leave_after
from wayfront_gui.cli.solve import solve
from wayfront_gui.cli.vulnerability import vulnerability
from wayfront_gui.cli.window import LANGUAGE, window
from wayfront_gui.ui.translation import use_language

QUIET = "--quiet"
OF_PROGRAM = ("--version", "--help", "-h", "--install-completion", "--show-completion")
"""Options of the program itself, which are no window's."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "window": ("city.gr --source 7 -a near-far --theme light --full-screen", "ny.wftrace"),
    "solve": (
        "NY.gr.gz --source 1 -a near-far --option delta=5000 --verify",
        'porto.osm.pbf --source "Rua Formosa" --target 41.14,-8.61',
        "porto.osm.pbf --source Foz --target Bonfim -o way.gpx",
        "NY.gr.gz --source 1 -o - | head",
    ),
    "all-pairs": ("city.wayfront --sources 1000 --verify -o sources.csv", "town.gr --matrix town.npy"),
    "isochrones": (
        "porto.osm.pbf --from Bonfim --cuts 5min -o near.gpkg",
        "NY.gr.gz --places shops.csv --cuts 2km -o near.geojson",
    ),
    "matrix": (
        "porto.osm.pbf --from homes.csv --to shops.gpkg -o m.parquet",
        "NY.gr.gz --from 1,2,3 --to nodes.txt",
    ),
    "nearest": (
        "porto.osm.pbf --places shops.csv -o catchments.gpkg",
        "NY.gr.gz --places stops.csv --reverse -k 3 -o nearest.csv",
    ),
    "access": (
        "porto.osm.pbf --places shops.csv --within 5min -o a.gpkg",
        "NY.gr.gz --places jobs.csv --decay exponential:2km",
    ),
    "flows": (
        "porto.osm.pbf --demand trips.csv --places stops.csv -o f.gpkg",
        "NY.gr.gz --radius 2km --ties all -o local.parquet",
    ),
    "assign": (
        "Anaheim_net.tntp --trips Anaheim_trips.tntp -o flows.csv",
        "town.csv --trips trips.csv --capacity capacity --gap 1e-5",
    ),
    "vulnerability": ("NY.gr.gz -k 100 --sources 500 -o roads.gpkg", "city.wayfront -m travel-time --json"),
    "list": ("--json",),
    "explain": ("delta-stepping",),
    "info": ("porto.osm.pbf --simplify", "'synthetic:grid?columns=40&rows=30' --json"),
    "fetch": ("dimacs:NY", "'place:Porto, Portugal' --network-type walk", "place:41.15,-8.61 --radius 2000"),
    "data": ("remove dimacs:NY",),
    "render": (
        "NY.gr.gz --source 1 --at 0.5 --theme light -o half-way.png",
        "NY.gr.gz --source 1 --seconds 12 --loop -o film.mp4",
        "ny.wftrace --poster gallery --colours dusk -o poster.pdf",
    ),
    "race": (
        "NY.gr.gz -a dijkstra,near-far -o race.mp4 -o times.csv",
        "city.wayfront --target 30000 --split --at 0.5 -o race.png",
    ),
    "lesson": ("dijkstras-ball", "mine.toml -o handout.pdf"),
    "save": ("porto.osm.pbf porto.wayfront --simplify",),
    "compare": (
        "NY.gr.gz -a dijkstra,near-far -o times.png -o times.csv",
        "NY.gr.gz -a near-far --option delta=1000..9000/5 -o a.svg",
        "NY.gr.gz --save before.json",
        "NY.gr.gz --against before.json",
    ),
    "growth": (
        "grid -a dijkstra-heap,near-far --to 262144 -o growth.svg",
        "'rmat?degree=16' --option near-far:delta=5000",
    ),
    "reproduce": ("E --data papers -o e.md", "D --table figure --from measured.json -o figures.svg"),
    "benchmark": ("search NY.gr.gz --source 1",),
    "benchmark trees": ("NY.gr.gz -o trees.md -o trees.svg",),
    "benchmark flows": (
        "NY.gr.gz --ties all --seconds 60 -o flows.md",
        "synthetic:city --growth 10000-640000 -o growth.svg",
    ),
    "benchmark matrix": ("NY.gr.gz --sizes 100,1000 -o matrices.md",),
    "benchmark search": ("NY.gr.gz -a near-far --option delta=1000..100000/8",),
    "new": ("algorithm far-sight",),
    "new algorithm": ("far-sight",),
    "warm-up": ("-d cpu",),
    "first-light": ("-o out --theme light",),
    "install-desktop": ("--remove",),
}
"""What stands below the help of each command: arguments that can be typed as they are, with files of one's own."""


# -------------------------------------------------------------------------------------------------------- commands


def _below_help(command: str) -> str:
    """Return the examples of a command as the end of its help; ``\\b`` keeps their lines apart."""
    lines = "\n".join(f"  wayfront {command} {arguments}" for arguments in EXAMPLES[command])
    return f"\b\nExamples:\n{lines}"


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
@expand_groups
def _wayfront(
    version: bool = option(False, "Print the version and exit.", callback=_print_version, is_eager=True),
    quiet: bool = option(False, "Print results and errors alone, no remarks; behind a command it is the same."),
    language: str = LANGUAGE,
    plugin: list[str] | None = PLUGINS,
) -> None:
    if quiet:
        be_quiet()
    name_plugins(plugin)
    if language:
        use_language(language)


def _group(name: str, meaning: str, **how: Any) -> typer.Typer:
    """Return a command of commands, as part of the program."""
    group = typer.Typer(name=name, help=meaning, **how)
    app.add_typer(group, name=name, epilog=_below_help(name))
    return group


def _add(
    name: str, command: Callable[..., None], group: typer.Typer | None = None, *, plugins: bool = True, **how: Any
) -> None:
    """Add a command, which takes ``--plugin`` unless it neither searches, opens nor lists."""
    shown = (group or app).command(name.rpartition(" ")[2], epilog=_below_help(name), **how)
    shown(expand_groups(command, plugins=plugins))


_add("window", window)
_add("solve", solve)
_add("all-pairs", all_pairs)
_add("isochrones", isochrones)
_add("nearest", nearest)
_add("matrix", matrix)
_add("access", access)
_add("flows", flows)
_add("assign", assign)
_add("vulnerability", vulnerability)
_add("list", list_all)
_add("explain", explain)
_add("info", info)
_add("fetch", fetch, plugins=False)
_data = _group("data", "List downloaded networks, or remove them.", add_completion=False)
_data.callback(invoke_without_command=True)(expand_groups(data))
_data.command("remove")(expand_groups(remove_data))
_add("render", render)
_add("race", race)
_add("lesson", lesson)
_add("save", save)
_add("compare", compare)
_add("growth", growth)
_add("reproduce", reproduce, plugins=False)
_benchmark = _group("benchmark", "Measure searches, trees, matrices and flows.", no_args_is_help=True)
_add("benchmark trees", benchmark_trees, _benchmark)
_add("benchmark search", benchmark_search, _benchmark)
_add("benchmark matrix", benchmark_matrix, _benchmark)
_add("benchmark flows", benchmark_flows, _benchmark)
_new = _group("new", "Make a package of your own: an algorithm.", no_args_is_help=True)
_add("new algorithm", new_algorithm, _new, plugins=False)
_add("warm-up", warm_up, plugins=False)
_add("first-light", first_light, hidden=True)
_add("install-desktop", install_desktop, plugins=False)


def one_command(command: Callable[..., None]) -> typer.Typer:
    """Return a program of one command, such as those in ``tools/``, for ``main``."""
    program = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False)
    program.command()(expand_groups(command, plugins=True))
    return program


# --------------------------------------------------------------------------------------------------------- running them


def main(arguments: Sequence[str] | None = None, program: typer.Typer = app) -> None:
    """Run the command line, or a ``program`` with commands of its own, and leave with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if QUIET in given:  # it belongs to the program, and people write it behind the command
        be_quiet()
        given = [word for word in given if word != QUIET]
    leave_after(partial(_run, given, program))


def _run(given: list[str], program: typer.Typer) -> None:
    if "--install-completion" in given:
        declared()  # which is kept, so that completion knows the values of options
    if program is app and (not given or _is_file(given[0]) or _is_of_window(given)):
        given.insert(0, "window")
    with whole_words():
        program(given, prog_name="wayfront" if program is app else None)


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
