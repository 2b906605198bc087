"""``wayfront growth``: steps, relaxations and times over growing networks of a kind, with the laws that fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from wayfront.network.conventions import SYNTHETIC
from wayfront_gui.cli import arguments, searching
from wayfront_gui.cli.arguments import argument, option
from wayfront_gui.cli.console import cancel_on_interrupt, make_table, print_message, progress_bar
from wayfront_gui.cli.outputs import OutputArguments, Outputs, qt_for, refuse_looks
from wayfront_gui.cli.variants import one_choice, parse_asked

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.benchmarks.growth_record import Growth, GrowthRequest

ALGORITHMS = "dijkstra-heap,bellman-ford-queue,delta-stepping,near-far"
KIND = "city, grid, ring, complete, random, rmat, regular or sprand, with parameters too: 'rmat?degree=16'."


def growth(
    context: typer.Context,
    kind: str = argument(..., KIND, "KIND"),
    *,
    algorithms: str = arguments.algorithms_option(ALGORITHMS, "Names as in 'wayfront list'."),
    option: list[str] | None = arguments.OPTIONS_OF_SEVERAL,
    device: str = arguments.DEVICE,
    threads: int = arguments.THREADS,
    smallest: int = option(1_024, "Nodes of the smallest networks.", "--from", metavar="N"),
    largest: int = option(65_536, "Nodes of the largest; sizes double.", "--to", metavar="N"),
    networks: int = option(3, "Networks of each size; their seeds differ.", min=1, max=99, metavar="N"),
    runs: int = option(3, "Clean runs on each network; medians count.", min=1, max=99, metavar="N"),
    seconds: float = option(60.0, "What all may take; slower searches are left out.", min=0.001, metavar="S"),
    output: OutputArguments,
    theme: str = arguments.THEME,
    scale: float = arguments.SCALE,
    json: bool = arguments.JSON,
) -> None:
    """Measure how searches grow with the network.

    Every algorithm searches the same made networks, each size twice the one before. A law such as n log n is named
    where the figures cannot be told from it.
    """
    from wayfront.benchmarks.growth import check_kind
    from wayfront.benchmarks.growth_record import GrowthRequest, doubling

    files, chosen_options = output.checked(json=json), parse_asked(option)
    refuse_looks(context, files)
    kind = kind.removeprefix(SYNTHETIC)  # by which 'wayfront list' names them
    check_kind(kind)
    sizes, names = doubling(smallest, largest), arguments.parse_algorithms(algorithms)
    chosen = searching.choose_device(device)
    searching.check_threads(threads, [chosen])
    searching.check_algorithms(names, [chosen])
    options = one_choice(chosen_options, names)
    request = GrowthRequest(kind, tuple(names), sizes, chosen, threads, networks, runs, seconds, options)
    found = _measure(request)
    from wayfront_gui.features.growth.words import left_out

    tell_growth(found, files, theme, scale, json=json)
    for line in [] if json or files.on_stdout else left_out(found):
        print_message(line)


def tell_growth(found: Growth, files: Outputs, theme: str, scale: float, *, json: bool) -> None:
    """Print how something grows, and write it where that is asked for."""
    from wayfront_gui.features.growth.files import write_growth

    files.print(json, found.record, lambda: _tables(found))

    def write(path: str) -> None:
        with qt_for(path):
            write_growth(found, path, theme, scale)

    files.write(write)


def _measure(request: GrowthRequest) -> Growth:
    from wayfront.benchmarks.growth import measure_growth
    from wayfront.benchmarks.growth_record import Growth

    found = Growth(request)
    with cancel_on_interrupt() as cancel, progress_bar() as show:
        for so_far in measure_growth(request, show, cancel):
            found = so_far
    return found


def _tables(found: Growth) -> Iterator[Table]:
    """Yield the laws, and the figures that they are of."""
    from wayfront_gui.features.growth import words

    asked = found.request
    fits = {name: [found.fit(name, measure) for measure in asked.measures] for name in asked.algorithms}
    rows = ((name, *(f"{words.law(fit)}; {words.exponent(fit)}" for fit in its)) for name, its in fits.items())
    title, caption = words.title(found), words.subtitle(found)
    yield make_table(
        *(title, ("algorithm", *asked.measures), rows), folded=asked.measures, emphasised="algorithm", caption=caption
    )
    counted, caption = words.counted(found), "\n".join(filter(None, words.caption(found)))
    columns = ("algorithm", *counted)
    yield make_table("", columns, words.rows(found), figures=counted, emphasised="algorithm", caption=caption)
