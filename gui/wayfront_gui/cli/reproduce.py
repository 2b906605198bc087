"""``wayfront reproduce``: run the papers' tables and print them beside the published figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.errors import CertificateError, OptionError, SearchCancelled
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    DEFAULT_THEME,
    DevicesOption,
    JsonOption,
    RunsOption,
    ScaleOption,
    ThemeOption,
    a_number,
    format_option,
    refuse_given,
)
from wayfront_gui.cli.completion import complete_paper
from wayfront_gui.cli.console import (
    cancel_on_interrupt,
    print_json,
    print_message,
    print_tables,
    progress_bar,
    reader_gone,
)
from wayfront_gui.cli.outputs import CHARTS, TEXTS, USUAL_SUFFIX, Outputs, output_option, refuse_looks
from wayfront_gui.cli.paper_output import (
    comparison_tables,
    heading_table,
    notes_table,
    write_comparisons,
)

if TYPE_CHECKING:
    from wayfront.papers import Paper
    from wayfront.papers.comparison import Comparison
    from wayfront.papers.reproduction import Request

WRITTEN = (*CHARTS, *TEXTS)
MEASURING = ("devices", "runs", "seconds", "long", "data")
"""Options that have no effect where nothing is measured."""

PATIENCE_S = 30.0
"""After Ctrl-C what was measured is still to be written, so a search that is being compiled is waited for."""


@expand_groups
def reproduce(
    context: typer.Context,
    paper: Annotated[
        str,
        typer.Argument(metavar="PAPER", help="A letter from A to F, or all.", autocompletion=complete_paper),
    ],
    *,
    table: Annotated[str, typer.Option("--table", metavar="TEXT", help="Only tables whose title contains this.")] = "",
    devices: DevicesOption = AUTO,
    runs: RunsOption = None,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            callback=a_number,
            min=0.001,
            metavar="S",
            help="Make a longer run in part, or leave it out where that cannot be.",
        ),
    ] = 10.0,
    long: Annotated[bool, typer.Option("--long", help="Make every run whole, however long it takes.")] = False,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="FOLDER", help="Where the papers' network files are; may be repeated."),
    ] = None,
    measured: Annotated[
        list[str] | None,
        typer.Option(
            "--from", metavar="FILE.json", help="Measure nothing: show what was written before; may be repeated."
        ),
    ] = None,
    output: Annotated[list[str] | None, output_option("A chart (.png, .svg, …) or a table (.csv, .json, .md)")] = None,
    form: Annotated[str | None, format_option(WRITTEN, USUAL_SUFFIX)] = None,
    theme: ThemeOption = DEFAULT_THEME,
    scale: ScaleOption = 2.0,
    json: JsonOption = False,
) -> None:
    """Run a paper's tables on this machine.

    Prints times and ratios beside the paper's, each beside ours of the same kind of device. Graphs that are missing and
    searches that cannot run are named and left out. Ctrl-C keeps what was measured.
    """
    from wayfront.papers import find_papers

    files = Outputs.checked(output, WRITTEN, form, json=json)
    _check_options(context, files, long, data)
    papers = find_papers(paper, table)
    if measured:
        refuse_given(context, MEASURING, "with --from nothing is measured")
        _show_measured(papers, measured, files, theme, scale, json)
        return
    how_many = engine_calls.clean_runs(runs)
    chosen = tuple(engine_calls.choose_devices(devices))
    from wayfront.papers.reproduction import Request

    request = Request(chosen, how_many, seconds, long, tuple(data or ()))
    done: list[Comparison] = []
    finish = partial(_finish, papers, done, files, theme, scale, json)
    try:
        for comparison in _run(papers, request):
            _show(comparison, done, tables=not (json or files.on_stdout))
            done.append(comparison)
            if reader_gone() and not files.files:
                break
    except SearchCancelled:
        print_message("stopped; what was measured until then is kept")
        finish()
        raise
    finish()
    wrong = [comparison.disagreement for comparison in done if comparison.disagreement]
    if wrong:
        raise CertificateError("; ".join(wrong))


def _show_measured(
    papers: Sequence[Paper], paths: Sequence[str], files: Outputs, theme: str, scale: float, json: bool
) -> None:
    """Show and write what earlier runs wrote as JSON, on this machine or another. Raises ``FormatError``."""
    from wayfront.papers.records import merge, read_comparisons

    found = merge(one for path in paths for one in read_comparisons(path, papers))
    for index, comparison in enumerate(found):
        _show(comparison, found[:index], tables=not (json or files.on_stdout))
    _finish(papers, found, files, theme, scale, json)


def _check_options(context: typer.Context, files: Outputs, long: bool, data: list[str] | None) -> None:
    """Refuse options that would have no effect, and folders that do not exist. Raises ``OptionError``."""
    refuse_looks(context, files)
    if long:
        refuse_given(context, ("seconds",), "with --long nothing is left out")
    for folder in data or []:
        if not Path(folder).is_dir():
            raise OptionError(f"--data {folder}: there is no such folder")


def _run(papers: Sequence[Paper], request: Request) -> Iterator[Comparison]:
    """Yield comparisons as they are done; the progress line is shown only while one runs."""
    from wayfront.papers import reproduction

    line: list[Callable[[str, float], None]] = []
    reporting = replace(request, progress=lambda text: line[-1](text, -1.0))
    with cancel_on_interrupt(PATIENCE_S) as cancel:
        comparisons = reproduction.reproduce(papers, reporting, cancel)
        while True:
            with progress_bar() as show:
                line.append(show)
                comparison = next(comparisons, None)
            if comparison is None:
                return
            yield comparison


def _show(comparison: Comparison, before: Sequence[Comparison], *, tables: bool) -> None:
    """Print one comparison and what it leaves out.

    The first of a table has its heading, before which the last table's notes are printed.
    """
    from wayfront_gui.model import paper_formatting

    if tables and (not before or before[-1].table is not comparison.table):
        if before:
            print_tables(notes_table(before[-1]))
        print_tables(heading_table(comparison))
    if tables and (comparison.cells or comparison.rivals or comparison.only_published):
        print_tables(*comparison_tables(comparison))
    if comparison.disagreement:
        print_message(comparison.disagreement)
    for line in paper_formatting.left_out(comparison):
        print_message(line)


def _finish(
    papers: Sequence[Paper], done: list[Comparison], files: Outputs, theme: str, scale: float, json: bool
) -> None:
    """Print what belongs at the end, then write the files."""
    from wayfront.papers.records import record_of

    if json:
        print_json(record_of(papers, done))
    elif done and not files.on_stdout:
        print_tables(notes_table(done[-1]))
    files.write(lambda path: write_comparisons(papers, done, path, theme, scale))
