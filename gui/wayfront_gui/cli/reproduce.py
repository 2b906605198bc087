"""``wayfront reproduce``: the papers' tables for one source, run here and shown beside what the papers say."""

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
from wayfront_gui.cli.arguments import JsonOption, RunsOption, ScaleOption, Theme, ThemeOption
from wayfront_gui.cli.compare import choose_devices
from wayfront_gui.cli.console import print_json, print_tables, progress_bar, say, stoppable
from wayfront_gui.cli.offscreen_drawing import start_qt

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.papers import Paper
    from wayfront.papers.outcome import Comparison
    from wayfront.papers.reproducing import Request

WRITTEN = (".csv", ".json", ".png", ".webp", ".jpg", ".svg")


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="A letter from A to F, or all.")],
    device: Annotated[
        str, typer.Option("--device", "-d", metavar="A,B,…", help="Devices as in 'wayfront list'; else CPU and card.")
    ] = AUTO,
    runs: RunsOption = 5,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.001, help="What takes longer than this for one run is left out.")
    ] = 10.0,
    long: Annotated[bool, typer.Option("--long", help="Run what takes longer, too, however long it takes.")] = False,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="DIR", help="Where New York and the others lie; may be repeated."),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option("--output", "-o", metavar="FILE", help="Picture or table: .png, .svg, .csv, .json …."),
    ] = None,
    theme: ThemeOption = Theme.DARK,
    scale: ScaleOption = 2.0,
    json: JsonOption = False,
) -> None:
    """Run a paper's single-source tables on this machine, and show its times and ratios beside ours.

    Graphs that are not here and searches that cannot run here are named and left out. Ctrl-C keeps what was measured.
    """
    if runs < 1:
        raise OptionError("a table needs at least one clean run")
    files = [_checked(path) for path in output or []]
    kinds = tuple(choose_devices(device))

    from wayfront.papers import find_papers
    from wayfront.papers.reproducing import Request

    papers = find_papers(paper)
    request = Request(kinds, runs, seconds, long, tuple(data or ()))
    done: list[Comparison] = []
    try:
        for comparison in _run(papers, request):
            heading = not done or done[-1].table is not comparison.table
            done.append(comparison)
            _tell(comparison, tables=not json, heading=heading)
    except SearchCancelled:
        say("stopped; what was measured until then is kept")
        _finish(papers, done, files, theme.value, scale, json)
        raise
    _finish(papers, done, files, theme.value, scale, json)
    wrong = [comparison.disagreement for comparison in done if comparison.disagreement]
    if wrong:
        raise CertificateError("; ".join(wrong))


def _run(papers: Sequence[Paper], request: Request) -> Iterator[Comparison]:
    """Yield comparisons as they are done; the progress line stands only while one is on."""
    from dataclasses import replace

    from wayfront.papers import reproducing

    line: list[Callable[[str, float], None]] = []
    told = replace(request, progress=lambda words: line[-1](words, -1.0))
    with stoppable() as cancel:
        comparisons = reproducing.reproduce(papers, told, cancel)
        while True:
            with progress_bar() as show:
                line.append(show)
                comparison = next(comparisons, None)
            if comparison is None:
                return
            yield comparison


def _tell(comparison: Comparison, *, tables: bool, heading: bool) -> None:
    """Show one comparison, below its table's heading where it is the first, and say what it leaves out."""
    from wayfront_gui.model import paper_formatting as paper_words

    if tables and heading:
        print_tables(_heading(comparison))
    if tables and (comparison.cells or comparison.rivals):
        print_tables(*_tables(comparison))
    if comparison.disagreement:
        say(comparison.disagreement)
    for line in paper_words.left_out(comparison):
        say(line)


def _finish(
    papers: Sequence[Paper], done: list[Comparison], files: list[str], theme: str, scale: float, json: bool
) -> None:
    """Write and print what is told at the end."""
    from wayfront_gui.model import paper_formatting as paper_words

    for path in files:
        _write(papers, done, path, theme, scale)
    if json:
        print_json(_record(papers, done))
        return
    for paper in papers:
        if not paper.tables:
            typer.echo(paper_words.nothing_here(paper))
        elif paper.later:
            say(f"paper {paper.letter}: {paper.later}")


def _record(papers: Sequence[Paper], done: Sequence[Comparison]) -> dict[str, object]:
    from wayfront.papers.outcome import paper_records

    machine: dict[str, str] = {}
    for comparison in done:
        machine |= comparison.machine
    return {"papers": paper_records(papers, done), "machine": machine}


def _heading(comparison: Comparison) -> Table:
    """Return a table's title, whose it is, and what has to be known to read it."""
    from rich.markup import escape
    from rich.table import Table

    from wayfront_gui.model import paper_formatting as paper_words

    title = f"\nPaper {comparison.paper.letter}: {comparison.table.title}"
    heading = Table(title=escape(title), title_justify="left", title_style="bold", show_header=False, box=None)
    heading.add_column(style="dim")
    heading.add_row(escape(paper_words.source(comparison.paper)))
    if comparison.table.note:
        heading.add_row(escape(comparison.table.note))
    return heading


def _tables(comparison: Comparison) -> Iterator[Table]:
    """Yield the times of a comparison as a table for the terminal, and its ratios."""
    from rich.markup import escape
    from rich.table import Table

    from wayfront_gui.model import paper_formatting as paper_words

    size = paper_words.size(comparison)
    title = "\n" + paper_words.graph(comparison) + (f" ({size})" if size else "")
    times = Table(title=escape(title), title_justify="left", title_style="bold", box=None, pad_edge=False, min_width=90)
    _add_columns(times, ("search", "on"), ("median", "fastest", "slowest", "runs", "paper"))
    for cell in comparison.cells:
        figures = [paper_words.duration(ms) for ms in (cell.median_ms, min(cell.runs_ms), max(cell.runs_ms))]
        told = paper_words.duration(cell.paper_ms)
        name = escape(paper_words.search(cell))
        times.add_row(f"[bold]{name}[/]", escape(cell.device_name), *figures, str(len(cell.runs_ms)), told)
    for rival in comparison.rivals:
        times.add_row(escape(rival.label), escape(rival.measured), *[""] * 4, paper_words.duration(rival.ms))
    yield times
    if not comparison.ratios:
        return
    ratios = Table(title=" ", box=None, pad_edge=False)
    _add_columns(ratios, ("times as fast", "on"), ("here", "paper"))
    for row in comparison.ratios:
        figures = [paper_words.ratio(row.ours), paper_words.published(row.paper)]
        ratios.add_row(f"[bold]{escape(paper_words.versus(row))}[/]", paper_words.place(row), *figures)
    yield ratios


def _add_columns(table: Table, words: Sequence[str], figures: Sequence[str]) -> None:
    for column in words:
        table.add_column(column, header_style="dim", no_wrap=True)
    for column in figures:
        table.add_column(column, header_style="dim", justify="right", no_wrap=True)


def _write(papers: Sequence[Paper], done: list[Comparison], path: str, theme: str, scale: float) -> None:
    """Write what was measured as a picture, CSV or JSON, by the suffix of the path, and say so."""
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
    say(f"written to {path}")


def _write_csv(done: Sequence[Comparison], path: str) -> None:
    from wayfront_gui.model.paper_formatting import CSV_COLUMNS, csv_rows

    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, CSV_COLUMNS)
    writer.writeheader()
    writer.writerows(csv_rows(done))
    write_text_whole(path, table.getvalue())


def _checked(path: str) -> str:
    """Refuse a file that could not be written before minutes go into timing."""
    if Path(path).suffix.lower() not in WRITTEN:
        raise OptionError(f"{path}: tables are written as {', '.join(WRITTEN)}")
    if not Path(path).resolve().parent.is_dir():
        raise OptionError(f"{path}: there is no folder {Path(path).resolve().parent}")
    return path
