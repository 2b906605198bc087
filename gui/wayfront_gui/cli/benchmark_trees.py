"""``wayfront benchmark trees``: nested dissection beside other searches, from the same sources in turns."""

from __future__ import annotations

import json as json_text
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.errors import OptionError
from wayfront.files import write_text_whole
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    DEFAULT_THEME,
    DevicesOption,
    JsonOption,
    MetricOption,
    ScaleOption,
    ThemeOption,
    ThreadsOption,
    a_number,
    refuse_given,
)
from wayfront_gui.cli.completion import complete_network
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
from wayfront_gui.cli.outputs import OutputArguments, refuse_looks
from wayfront_gui.cli.paths import MARKDOWN

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.benchmarks.tree_times import TreeBenchmark

MEASURING = ("networks", "devices", "threads", "metric", "sources", "batch", "seconds", "alone", "cut")
"""What has no effect where nothing is measured."""


@expand_groups
def benchmark_trees(
    context: typer.Context,
    networks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NETWORK…",
            help="Network files; dimacs:NAME or place:NAME, once downloaded; or synthetic:KIND.",
            autocompletion=complete_network,
        ),
    ] = None,
    *,
    devices: DevicesOption = AUTO,
    threads: ThreadsOption = 1,
    metric: MetricOption = None,
    sources: Annotated[int, typer.Option("--sources", min=1, metavar="N", help="Random sources.")] = 32,
    batch: Annotated[int, typer.Option("--batch", min=1, metavar="N", help="Trees of a batch.")] = 1024,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds", callback=a_number, min=0.001, metavar="S", help="What one program or stage may take."
        ),
    ] = 60.0,
    alone: Annotated[bool, typer.Option("--alone", help="Time dissection without other searches.")] = False,
    cut: Annotated[
        list[str] | None,
        typer.Option("--cut", metavar="FILE", help="The first network's cut, made before; then the second's."),
    ] = None,
    measured: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="FILE.json", help="Measure nothing: show what was written before."),
    ] = None,
    output: OutputArguments,
    theme: ThemeOption = DEFAULT_THEME,
    scale: ScaleOption = 2.0,
    json: JsonOption = False,
) -> None:
    """Time trees by nested dissection beside other searches.

    Cut, customise, one tree, many, all pairs, on each device; beside Dijkstra, near-far, SciPy, networkx, igraph and
    NetworKit where they are installed. All take turns from the same random sources, and every distance is checked.
    """
    files = output.checked(json=json)
    refuse_looks(context, files)
    if measured:
        refuse_given(context, MEASURING, "with --from nothing is measured")
        from wayfront.benchmarks.tree_times import read_benchmarks

        done = [one for path in measured for one in read_benchmarks(path)]
        for benchmark in () if json or files.on_stdout else done:
            _show(benchmark)
    else:
        done = []
        quiet = json or files.on_stdout
        _measure(done, networks or [], devices, threads, metric, sources, batch, seconds, alone, cut or [], quiet)
    if json:
        print_json(_record(done))
    files.write(lambda path: _write(done, path, theme, scale))


def _measure(
    done: list[TreeBenchmark],
    networks: Sequence[str],
    devices: str,
    threads: int,
    metric: str | None,
    sources: int,
    batch: int,
    seconds: float,
    alone: bool,
    cuts: Sequence[str],
    quiet: bool,
) -> None:
    """Measure every network and show it when it is done. Raises ``OptionError`` without one."""
    if not networks:
        raise OptionError("name a network, or several, or results with --from FILE.json")
    if len(cuts) > len(networks):
        raise OptionError(f"there are {len(cuts)} cuts for {len(networks)} networks; give each network's in its place")
    chosen = engine_calls.choose_devices(devices)
    engine_calls.check_threads(threads, chosen)
    from wayfront.benchmarks.trees import Request, benchmark_trees, take_cut
    from wayfront.formats.options import OpeningOptions

    with cancel_on_interrupt() as cancel:
        for name, cut in zip_longest(networks, cuts):
            opened = engine_calls.open_network(name, cancel, OpeningOptions())
            if cut is not None:
                take_cut(opened, cut)
            with progress_bar() as show:
                request = Request(
                    tuple(chosen), threads, sources, batch, seconds, not alone, metric, lambda text: show(text, -1.0)
                )
                done.append(benchmark_trees(opened, request, cancel))
            if not quiet:
                _show(done[-1])


def _show(benchmark: TreeBenchmark) -> None:
    print_tables(_table(benchmark))
    from wayfront_gui.model import tree_formatting

    for line in tree_formatting.left_out(benchmark):
        print_message(line)


def _table(benchmark: TreeBenchmark) -> Table:
    from wayfront_gui.model import tree_formatting as words
    from wayfront_gui.model.timings import machine_lines

    caption = " · ".join(filter(None, machine_lines([benchmark.machine])))
    table = make_table(words.title(benchmark), words.COLUMNS, figures=words.FIGURES, caption=caption)
    for stage, program, *rest in words.rows(benchmark):
        table.add_row(stage, bold(program), *rest)
    return table


def _record(done: Sequence[TreeBenchmark]) -> dict[str, object]:
    return {"benchmarks": [one.record() for one in done]}


def _write(done: Sequence[TreeBenchmark], path: str, theme: str, scale: float) -> None:
    """Write what was measured as a chart, CSV, JSON or Markdown, by the suffix of the path."""
    from wayfront_gui.model import tree_formatting

    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        write_text_whole(path, json_text.dumps(_record(done), indent=2, ensure_ascii=False))
    elif suffix == MARKDOWN:
        write_text_whole(path, tree_formatting.markdown(done))
    elif suffix == ".csv":
        _write_csv(done, path)
    else:
        application = start_qt()
        from wayfront_gui.charts.export import write_timings

        write_timings(tree_formatting.chart_rows(done), path, theme, scale)
        application.processEvents()


def _write_csv(done: Sequence[TreeBenchmark], path: str) -> None:
    from wayfront_gui.charts.export import write_rows
    from wayfront_gui.model.tree_formatting import CSV_COLUMNS, csv_rows

    write_rows(CSV_COLUMNS, csv_rows(done), path)
