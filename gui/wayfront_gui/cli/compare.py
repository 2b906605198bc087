"""``wayfront compare``: algorithms and devices timed in one sitting, as a table, a chart or a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from wayfront.formats.options import OpeningOptions
from wayfront_gui.cli import searching
from wayfront_gui.cli.arguments import JSON, NETWORK, NVTX, SCALE, THEME, option
from wayfront_gui.cli.console import cancel_on_interrupt, make_table, print_message
from wayfront_gui.cli.outputs import OutputArguments, check_output, qt_for, refuse_looks, write_each
from wayfront_gui.cli.searching import ClosingArguments
from wayfront_gui.cli.variants import Row, TimedArguments, fastest_first, swept_option

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront_gui.features.timing.baseline import Baseline

_VERDICTS = {"faster": "faster", "slower": "slower", "same": "within the spread of the runs"}


def compare(
    context: typer.Context,
    network: str = NETWORK,
    *,
    timed: TimedArguments,
    closing: ClosingArguments,
    save: str | None = option(None, "Keep these times for a later --against.", metavar="FILE.json"),
    against: str | None = option(None, "Print what has changed since times that were kept.", metavar="FILE.json"),
    nvtx: bool = NVTX,
    opening: OpeningOptions,
    output: OutputArguments,
    as_table: bool = option(False, "Draw the table into pictures, not the chart."),
    theme: str = THEME,
    scale: float = SCALE,
    json: bool = JSON,
) -> None:
    """Time algorithms in turns and list the fastest first.

    All run in one sitting and take turns (A B A B), on every device that is asked for. An option given as
    LOW..HIGH/COUNT is tried with so many values, and the chart shows the times over them. With --target searches to
    that node are compared, and the table says how many nodes each settled.
    """
    files = output.checked(json=json)
    refuse_looks(context, files, "as_table")
    if save is not None:
        check_output(save, (".json",))
    before = _baseline(against)
    closing.roads()
    turns = timed.checked()
    swept = swept_option(turns.asked)
    with cancel_on_interrupt() as cancel:
        opened = searching.open_network(network, cancel, opening)
        first = None if before is None else before.require
        results = turns.time(opened, cancel, closures=closing.arcs(opened), reverse=closing.reverse, first=first)
    rows = _beside([result.summary() for result in results] if swept else fastest_first(results), before)
    from wayfront_gui.features.timing.baseline import timings_record

    files.print(json, lambda: timings_record(rows), lambda: [rows_table(rows)])
    write = lambda path: write_rows(rows, path, theme, scale, swept, as_table=as_table)  # noqa: E731 - for all files
    files.write(write)
    write_each([] if save is None else [save], write)


def _baseline(path: str | None) -> Baseline | None:
    if path is None:
        return None
    from wayfront_gui.features.timing.baseline import read_baseline

    return read_baseline(path)


def _beside(rows: list[Row], before: Baseline | None) -> list[Row]:
    """Return rows with a baseline's figures, saying what is different and how many are faster and slower."""
    if before is None:
        return rows
    from wayfront_gui.features.timing.baseline import compared, verdict

    rows, remarks = compared(rows, before)
    for line in remarks:
        print_message(line)
    verdicts = [verdict(row) for row in rows if "before" in row]
    counts = ", ".join(f"{verdicts.count(word)} {said}" for word, said in _VERDICTS.items() if word in verdicts)
    print_message(f"against {before.path}: {counts or 'nothing to compare'}")
    return rows


def rows_table(rows: Sequence[Row]) -> Table:
    """Return timed rows as a table for the terminal."""
    from wayfront_gui.features.timing.tables import chart_texts, timing_table

    texts, shown = chart_texts(rows, whiskers=False), timing_table(rows)
    caption = "\n".join(line for line in (texts.subtitle, *texts.caption) if line)
    columns = shown.columns
    return make_table(texts.title, columns, shown.rows, figures=shown.figures, emphasised=columns[0], caption=caption)


def write_rows(
    rows: Sequence[Row], path: str, theme: str, scale: float, swept: str = "", *, as_table: bool = False
) -> None:
    """Write rows as a chart or a table, by the suffix of the path."""
    from wayfront_gui.features.timing.export import write_timings

    with qt_for(path):
        write_timings(rows, path, theme, scale, swept, as_table=as_table)
