"""``wayfront growth``: steps, relaxations and times over growing networks of a kind, with the laws that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.network.naming import SYNTHETIC
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    DEFAULT_THEME,
    AskedOptions,
    DeviceOption,
    JsonOption,
    ScaleOption,
    ThemeOption,
    ThreadsOption,
    a_number,
    algorithms_option,
    parse_algorithms,
)
from wayfront_gui.cli.console import (
    bold,
    cancel_on_interrupt,
    make_table,
    print_json,
    print_message,
    print_tables,
    progress_bar,
)
from wayfront_gui.cli.offscreen_drawing import start_qt
from wayfront_gui.cli.outputs import TEXTS, OutputArguments, refuse_looks
from wayfront_gui.cli.variants import one_choice, parse_asked

if TYPE_CHECKING:
    from wayfront.benchmarks.growth_record import Growth, GrowthRequest

ALGORITHMS = "dijkstra-heap,bellman-ford-queue,delta-stepping,near-far"


@expand_groups
def growth(
    context: typer.Context,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="city, grid, ring, complete, random, rmat, regular or sprand, with parameters too: 'rmat?degree=16'.",
        ),
    ],
    *,
    algorithms: Annotated[str, algorithms_option("Names as in 'wayfront list'.")] = ALGORITHMS,
    option: AskedOptions = None,
    device: DeviceOption = AUTO,
    threads: ThreadsOption = 1,
    smallest: Annotated[int, typer.Option("--from", metavar="N", help="Nodes of the smallest networks.")] = 1_024,
    largest: Annotated[int, typer.Option("--to", metavar="N", help="Nodes of the largest; sizes double.")] = 65_536,
    networks: Annotated[
        int, typer.Option("--networks", min=1, max=99, metavar="N", help="Networks of each size; their seeds differ.")
    ] = 3,
    runs: Annotated[
        int, typer.Option("--runs", min=1, max=99, metavar="N", help="Clean runs on each network; medians count.")
    ] = 3,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            callback=a_number,
            min=0.001,
            metavar="S",
            help="What all may take; slower searches are left out.",
        ),
    ] = 60.0,
    output: OutputArguments,
    theme: ThemeOption = DEFAULT_THEME,
    scale: ScaleOption = 2.0,
    json: JsonOption = False,
) -> None:
    """Measure how searches grow with the network.

    Every algorithm searches the same made networks, each size twice the one before. A law such as n log n is named
    where the figures cannot be told from it.
    """
    from wayfront.benchmarks.growth import check_kind
    from wayfront.benchmarks.growth_record import GrowthRequest, doubling

    files, asked = output.checked(json=json), parse_asked(option)
    refuse_looks(context, files)
    kind = kind.removeprefix(SYNTHETIC)  # by which 'wayfront list' names them
    check_kind(kind)
    sizes, names = doubling(smallest, largest), parse_algorithms(algorithms)
    chosen = engine_calls.choose_device(device)
    engine_calls.check_threads(threads, [chosen])
    engine_calls.check_algorithms(names, [chosen])
    options = one_choice(asked, names)
    request = GrowthRequest(kind, tuple(names), sizes, chosen, threads, networks, runs, seconds, options)
    found = _measure(request)
    if json:
        print_json(found.record())
    elif not files.on_stdout:
        _print(found)
    files.write(lambda path: _write(found, path, theme, scale))


def _measure(request: GrowthRequest) -> Growth:
    from wayfront.benchmarks.growth import measure_growth
    from wayfront.benchmarks.growth_record import Growth

    found = Growth(request)
    with cancel_on_interrupt() as cancel, progress_bar() as show:
        for so_far in measure_growth(request, show, cancel):
            found = so_far
    return found


def _print(found: Growth) -> None:
    from wayfront.benchmarks.growth_record import Measure
    from wayfront_gui.model import growth_words as words

    laws = make_table(words.title(found), ("algorithm", *Measure), folded=tuple(Measure), caption=words.subtitle(found))
    for name in found.request.algorithms:
        fits = (found.fit(name, measure) for measure in Measure)
        laws.add_row(bold(name), *(f"{words.law(fit)}; {words.exponent(fit)}" for fit in fits))
    counted = ("nodes", "arcs", "steps", "relaxations", "ms")
    figures = make_table(
        "", ("algorithm", *counted), figures=counted, caption="\n".join(filter(None, words.caption(found)))
    )
    for name, *row in words.rows(found):
        figures.add_row(bold(name), *row)
    print_tables(laws, figures)
    for line in words.left_out(found):
        print_message(line)


def _write(found: Growth, path: str, theme: str, scale: float) -> None:
    from wayfront_gui.charts.growth_files import write_growth

    application = None if path.lower().endswith(TEXTS) else start_qt()
    write_growth(found, path, theme, scale)
    if application is not None:
        application.processEvents()
