"""``wayfront compare``: algorithms and devices timed in one sitting, as a table, a chart or a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.formats.options import OpeningOptions
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    DEFAULT_THEME,
    DevicesOption,
    JsonOption,
    MetricOption,
    NetworkArgument,
    NvtxOption,
    RunsOption,
    ScaleOption,
    SourceOption,
    SweptOptions,
    TargetOption,
    ThemeOption,
    ThreadsOption,
    algorithms_option,
    parse_algorithms,
)
from wayfront_gui.cli.closing import ClosingArguments
from wayfront_gui.cli.console import (
    bold,
    cancel_on_interrupt,
    make_table,
    print_json,
    print_message,
    print_tables,
    write_each,
)
from wayfront_gui.cli.offscreen_drawing import start_qt
from wayfront_gui.cli.outputs import TEXTS, OutputArguments, refuse_looks
from wayfront_gui.cli.paths import check_output
from wayfront_gui.cli.timed_in_turns import Row, fastest_first, time_results
from wayfront_gui.cli.variants import check_asked, parse_asked, swept_option

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.search.registry import SearchKind
    from wayfront_gui.model.baseline import Baseline

BASELINE = ".json"


@dataclass(frozen=True, slots=True)
class BaselineArguments:
    """Times that are kept for another day, or that were, and a profiler's marks."""

    save: Annotated[
        str | None, typer.Option("--save", metavar="FILE.json", help="Keep these times for a later --against.")
    ] = None
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="FILE.json", help="Print what has changed since times that were kept."),
    ] = None
    nvtx: NvtxOption = False


@expand_groups
def compare(
    context: typer.Context,
    network: NetworkArgument,
    *,
    algorithms: Annotated[
        str, algorithms_option("Names as in 'wayfront list'; default: all but very slow ones.")
    ] = "all",
    option: SweptOptions = None,
    devices: DevicesOption = AUTO,
    threads: ThreadsOption = 1,
    source: SourceOption = None,
    target: TargetOption = None,
    metric: MetricOption = None,
    runs: RunsOption = None,
    closing: ClosingArguments,
    baseline: BaselineArguments,
    opening: OpeningOptions,
    output: OutputArguments,
    as_table: Annotated[bool, typer.Option("--as-table", help="Draw the table into pictures, not the chart.")] = False,
    theme: ThemeOption = DEFAULT_THEME,
    scale: ScaleOption = 2.0,
    json: JsonOption = False,
) -> None:
    """Time algorithms in turns and list the fastest first.

    All run in one sitting and take turns (A B A B), on every device that is asked for. An option given as
    LOW..HIGH/COUNT is tried with so many values, and the chart shows the times over them. With --target searches to
    that node are compared, and the table says how many nodes each settled.
    """
    files = output.checked(json=json)
    refuse_looks(context, files, "as_table")
    if baseline.save is not None:
        check_output(baseline.save, (BASELINE,))
    before, asked = _baseline(baseline.against), parse_asked(option)
    swept = swept_option(asked)
    clean_runs = engine_calls.clean_runs(runs)
    closing.roads()
    names, kind = None if algorithms == "all" else parse_algorithms(algorithms), engine_calls.kind_to(target)
    chosen = engine_calls.choose_devices(devices)
    engine_calls.check_threads(threads, chosen)
    if names is not None:
        engine_calls.check_algorithms(names, chosen, kind=kind)
    check_asked(asked, _all_names(kind) if names is None else names)
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        node = engine_calls.choose_source(opened, source)
        closures = closing.arcs(opened)
        results = time_results(
            *(opened, node, names, chosen, metric, clean_runs, cancel),
            threads=threads,
            closures=closures,
            asked=asked,
            target=None if target is None else engine_calls.find_node(opened, target),
            first=None if before is None else before.require,
        )
    rows = [result.summary() for result in results] if swept else fastest_first(results)
    rows = _beside(rows, before)
    if json:
        print_json({"rows": rows})
    elif not files.on_stdout:
        print_tables(rows_table(rows))
    write = lambda path: write_rows(rows, path, theme, scale, swept, as_table=as_table)  # noqa: E731 - for all files
    files.write(write)
    write_each([] if baseline.save is None else [baseline.save], write)


def _baseline(path: str | None) -> Baseline | None:
    if path is None:
        return None
    from wayfront_gui.model.baseline import read_baseline

    return read_baseline(path)


def _all_names(kind: SearchKind) -> list[str]:
    from wayfront.search.registry import algorithms

    return [algorithm.name for algorithm in algorithms(kind)]


def _beside(rows: list[Row], before: Baseline | None) -> list[Row]:
    """Return rows with a baseline's figures, saying what is different and how many are faster and slower."""
    if before is None:
        return rows
    from wayfront_gui.model.baseline import compared, verdict

    rows, remarks = compared(rows, before)
    for line in remarks:
        print_message(line)
    verdicts = [verdict(row) for row in rows if "before" in row]
    counts = ", ".join(f"{verdicts.count(word)} {said}" for word, said in _VERDICTS.items() if word in verdicts)
    print_message(f"against {before.path}: {counts or 'nothing to compare'}")
    return rows


_VERDICTS = {"faster": "faster", "slower": "slower", "same": "within the spread of the runs"}


def rows_table(rows: Sequence[Row]) -> Table:
    """Return timed rows as a table for the terminal."""
    from wayfront_gui.model.timing_table import timing_table
    from wayfront_gui.model.timings import chart_texts

    texts, shown = chart_texts(rows, whiskers=False), timing_table(rows)
    table = make_table(
        texts.title,
        shown.columns,
        figures=shown.figures,
        caption="\n".join(line for line in (texts.subtitle, *texts.caption) if line),
    )
    for label, *cells in shown.rows:
        table.add_row(bold(label), *cells)
    return table


def write_rows(
    rows: Sequence[Row], path: str, theme: str, scale: float, swept: str = "", *, as_table: bool = False
) -> None:
    """Write rows as a chart or a table, by the suffix of the path."""
    from wayfront_gui.charts.export import write_timings

    application = None if path.lower().endswith(TEXTS) else start_qt()
    write_timings(rows, path, theme, scale, swept, as_table=as_table)
    if application is not None:
        application.processEvents()
