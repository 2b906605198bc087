"""``wayfront reproduce``: run the papers' single-source tables and print them beside the published figures."""

from __future__ import annotations

import csv
import io
import json as json_format
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.errors import CertificateError, OptionError, SearchCancelled
from wayfront.files import write_text_whole
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.arguments import (
    DEFAULT_THEME,
    DevicesOption,
    JsonOption,
    RunsOption,
    ScaleOption,
    ThemeOption,
    refuse_given,
)
from wayfront_gui.cli.completion import complete_paper
from wayfront_gui.cli.console import (
    bold,
    cancel_on_interrupt,
    make_table,
    print_json,
    print_line,
    print_message,
    print_tables,
    progress_bar,
    reader_gone,
    write_each,
)
from wayfront_gui.cli.offscreen_drawing import start_qt
from wayfront_gui.cli.paths import PICTURES, TABLES, check_outputs

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.papers import Paper
    from wayfront.papers.comparison import Comparison
    from wayfront.papers.reproduction import Request

DRAWING = ".svg"
WRITTEN = (*PICTURES, DRAWING, *TABLES)
PATIENCE_S = 30.0
"""After Ctrl-C what was measured is still to be written, so a search that is being compiled is waited for."""


def reproduce(
    context: typer.Context,
    paper: Annotated[
        str,
        typer.Argument(metavar="PAPER", help="A letter from A to F, or all.", autocompletion=complete_paper),
    ],
    devices: DevicesOption = AUTO,
    runs: RunsOption = None,
    seconds: Annotated[
        float,
        typer.Option("--seconds", min=0.001, metavar="S", help="Leave out a search if one run of it takes longer."),
    ] = 10.0,
    long: Annotated[bool, typer.Option("--long", help="Leave nothing out, however long it takes.")] = False,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="FOLDER", help="Where the papers' network files are; may be repeated."),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write a chart (.png, .svg, …) or a table (.csv, .json); may be repeated.",
        ),
    ] = None,
    theme: ThemeOption = DEFAULT_THEME,
    scale: ScaleOption = 2.0,
    json: JsonOption = False,
) -> None:
    """Run a paper's single-source tables on this machine.

    Prints times and ratios beside the paper's. Graphs that are missing and searches that cannot run are named and
    left out. Ctrl-C keeps what was measured.
    """
    from wayfront.papers import find_papers

    files = check_outputs(output, WRITTEN)
    _check_options(context, files, long, data)
    how_many = engine_calls.clean_runs(runs)
    papers = find_papers(paper)
    chosen = tuple(engine_calls.choose_devices(devices))
    from wayfront.papers.reproduction import Request

    request = Request(chosen, how_many, seconds, long, tuple(data or ()))
    done: list[Comparison] = []
    try:
        for comparison in _run(papers, request):
            heading = not done or done[-1].table is not comparison.table
            done.append(comparison)
            _show(comparison, tables=not json, heading=heading)
            if reader_gone() and not files:
                break
    except SearchCancelled:
        print_message("stopped; what was measured until then is kept")
        _finish(papers, done, files, theme, scale, json)
        raise
    _finish(papers, done, files, theme, scale, json)
    wrong = [comparison.disagreement for comparison in done if comparison.disagreement]
    if wrong:
        raise CertificateError("; ".join(wrong))


def _check_options(context: typer.Context, files: list[str], long: bool, data: list[str] | None) -> None:
    """Refuse options that would have no effect, and folders that do not exist. Raises ``OptionError``."""
    if not any(path.lower().endswith((*PICTURES, DRAWING)) for path in files):
        refuse_given(context, ("theme",), "it is for pictures, and no --output is one")
    if not any(path.lower().endswith(PICTURES) for path in files):
        refuse_given(context, ("scale",), "it is for pictures made of pixels, and no --output is one")
    if long:
        refuse_given(context, ("seconds",), "with --long nothing is left out")
    for folder in data or []:
        if not Path(folder).is_dir():
            raise OptionError(f"--data {folder}: there is no such folder")


def _run(papers: Sequence[Paper], request: Request) -> Iterator[Comparison]:
    """Yield comparisons as they are done; the progress line is shown only while one runs."""
    from dataclasses import replace

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


def _show(comparison: Comparison, *, tables: bool, heading: bool) -> None:
    """Print one comparison and what it leaves out, below its table's heading if it is the first of that table."""
    from wayfront_gui.model import paper_formatting

    if tables and heading:
        print_tables(_heading(comparison))
    if tables and (comparison.cells or comparison.rivals):
        print_tables(*_tables(comparison))
    if comparison.disagreement:
        print_message(comparison.disagreement)
    for line in paper_formatting.left_out(comparison):
        print_message(line)


def _finish(
    papers: Sequence[Paper], done: list[Comparison], files: list[str], theme: str, scale: float, json: bool
) -> None:
    """Print what belongs at the end, then write the files."""
    from wayfront_gui.model import paper_formatting

    if json:
        print_json(_record(papers, done))
    for paper in () if json else papers:
        if not paper.tables:
            print_line(paper_formatting.nothing_here(paper))
        elif paper.later:
            print_message(f"paper {paper.letter}: {paper.later}")
    write_each(files, lambda path: _write(papers, done, path, theme, scale))


def _record(papers: Sequence[Paper], done: Sequence[Comparison]) -> dict[str, object]:
    from wayfront.papers.comparison import paper_records

    machine: dict[str, str] = {}
    for comparison in done:
        machine |= comparison.machine
    return {"papers": paper_records(papers, done), "machine": machine}


def _heading(comparison: Comparison) -> Table:
    """Return a table's title, its source and its note."""
    from rich.table import Table

    from wayfront_gui.model import paper_formatting

    title = f"\nPaper {comparison.paper.letter}: {comparison.table.title}"
    heading = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=None)
    heading.add_column(style="dim")
    heading.add_row(paper_formatting.source(comparison.paper))
    if comparison.table.note:
        heading.add_row(comparison.table.note)
    return heading


def _tables(comparison: Comparison) -> Iterator[Table]:
    """Yield the times of a comparison as a table for the terminal, and its ratios."""
    from wayfront_gui.model import paper_formatting

    size = paper_formatting.size(comparison)
    title = "\n" + paper_formatting.graph(comparison) + (f" ({size})" if size else "")
    figures = ("median", "fastest", "slowest", "runs", "paper")
    times = make_table(title, ("search", "on", *figures), figures=figures)
    times.min_width = 90
    for cell in comparison.cells:
        spread = [paper_formatting.duration(ms) for ms in (cell.median_ms, min(cell.runs_ms), max(cell.runs_ms))]
        published = paper_formatting.duration(cell.paper_ms)
        name = bold(paper_formatting.search(cell))
        times.add_row(name, cell.device_name, *spread, str(len(cell.runs_ms)), published)
    for rival in comparison.rivals:
        times.add_row(rival.label, rival.measured, *[""] * 4, paper_formatting.duration(rival.ms))
    yield times
    if not comparison.ratios:
        return
    ratios = make_table(" ", ("times as fast", "on", "here", "paper"), figures=("here", "paper"))
    for row in comparison.ratios:
        quotients = [paper_formatting.ratio(row.ours), paper_formatting.published(row.paper)]
        ratios.add_row(bold(paper_formatting.versus(row)), paper_formatting.devices(row), *quotients)
    yield ratios


def _write(papers: Sequence[Paper], done: list[Comparison], path: str, theme: str, scale: float) -> None:
    """Write what was measured as a picture, CSV or JSON, by the suffix of the path."""
    from wayfront_gui.charts.export import save_picture

    suffix = Path(path).suffix.lower()
    if suffix == ".csv":
        _write_csv(done, path)
    elif suffix == ".json":
        write_text_whole(path, json_format.dumps(_record(papers, done), indent=2, ensure_ascii=False))
    else:
        application = start_qt()
        from wayfront_gui.charts.paper_chart import draw_paper_chart, write_paper_svg

        if suffix == ".svg":
            write_paper_svg(done, theme, path)
        else:
            save_picture(draw_paper_chart(done, theme, scale), path)
        application.processEvents()


def _write_csv(done: Sequence[Comparison], path: str) -> None:
    from wayfront_gui.charts.export import cell
    from wayfront_gui.model.paper_formatting import CSV_COLUMNS, csv_rows

    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, CSV_COLUMNS)
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in csv_rows(done))
    write_text_whole(path, table.getvalue())
