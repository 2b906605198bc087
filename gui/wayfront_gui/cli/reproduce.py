"""``wayfront reproduce``: run the papers' tables and print them beside the published figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from wayfront.safe.errors import CertificateError, FormatError, SearchCancelled
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.cli import console, searching
from wayfront_gui.cli.arguments import DEVICES, JSON, RUNS, SCALE, THEME, argument, option, refuse_given
from wayfront_gui.cli.completion import PAPERS, among
from wayfront_gui.cli.outputs import OutputArguments, Outputs, qt_for, refuse_looks

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.papers import Paper
    from wayfront.papers.comparison import Comparison
    from wayfront.papers.reproduction import Request

MEASURING = ("devices", "runs", "seconds", "long", "data")
"""Options that have no effect where nothing is measured."""

PATIENCE_S = 30.0
"""After Ctrl-C what was measured is still to be written, so a search that is being compiled is waited for."""


def reproduce(
    context: typer.Context,
    paper: str = argument(..., "A letter from A to F, or all.", "PAPER", among(PAPERS)),
    *,
    table: str = option("", "Only tables whose title contains this.", metavar="TEXT"),
    devices: str = DEVICES,
    runs: int | None = RUNS,
    seconds: float = option(
        10.0, "Make a longer run in part, or leave it out where that cannot be.", min=0.001, metavar="S"
    ),
    long: bool = option(False, "Make every run whole, however long it takes."),
    data: list[str] | None = option(None, "Where the papers' network files are; may be repeated.", metavar="FOLDER"),
    measured: list[str] | None = option(
        None, "Measure nothing: show what was written before; may be repeated.", "--from", metavar="FILE.json"
    ),
    output: OutputArguments,
    theme: str = THEME,
    scale: float = SCALE,
    json: bool = JSON,
) -> None:
    """Run a paper's tables on this machine.

    Prints times and ratios beside the paper's, each beside ours of the same kind of device. Graphs that are missing and
    searches that cannot run are named and left out. Ctrl-C keeps what was measured.
    """
    from wayfront.papers import find_papers

    files = output.checked(json=json)
    refuse_looks(context, files)
    if long:
        refuse_given(context, ("seconds",), "with --long nothing is left out")
    for folder in data or []:
        if not Path(folder).is_dir():
            raise FormatError(f"--data {folder}: there is no such folder")
    report = _Report(find_papers(paper, table), files, theme, scale, json)
    if measured:
        refuse_given(context, MEASURING, "with --from nothing is measured")
        from wayfront.papers.comparison import merge, read_comparisons

        for comparison in merge(one for path in measured for one in read_comparisons(path, report.papers)):
            report.show(comparison)
        report.finish()
        return
    how_many = searching.clean_runs(runs)
    chosen = tuple(searching.choose_devices(devices))
    from wayfront.papers.reproduction import Request

    try:
        for comparison in _run(report.papers, Request(chosen, how_many, seconds, long, tuple(data or ()))):
            report.show(comparison)
            if console.reader_gone() and not files.files:
                break
    except SearchCancelled:
        console.print_message("stopped; what was measured until then is kept")
        report.finish()
        raise
    report.finish()
    wrong = [comparison.disagreement for comparison in report.done if comparison.disagreement]
    if wrong:
        raise CertificateError("; ".join(wrong))


def _run(papers: Sequence[Paper], request: Request) -> Iterator[Comparison]:
    """Yield comparisons as they are done; the progress line is shown only while one runs."""
    from wayfront.papers import reproduction

    line: list[Callable[[str, float], None]] = []
    reporting = replace(request, progress=lambda text: line[-1](text, -1.0))
    with console.cancel_on_interrupt(PATIENCE_S) as cancel:
        comparisons = reproduction.reproduce(papers, reporting, cancel)
        while True:
            with console.progress_bar() as show:
                line.append(show)
                comparison = next(comparisons, None)
            if comparison is None:
                return
            yield comparison


# --------------------------------------------------------------------------------------------- printed and written


@dataclass(frozen=True, slots=True)
class _Report:
    """The comparisons that are done, printed one by one, and written when all are."""

    papers: Sequence[Paper]
    files: Outputs
    theme: str
    scale: float
    json: bool
    done: list[Comparison] = field(default_factory=list)

    def show(self, comparison: Comparison) -> None:
        """Print one comparison and what it leaves out.

        The first of a table has its heading, before which the last table's notes are printed.
        """
        from wayfront_gui.features.papers import tables as paper_formatting

        tables = not (self.json or self.files.on_stdout)
        if tables and (not self.done or self.done[-1].table is not comparison.table):
            if self.done:
                console.print_tables(_notes_table(self.done[-1]))
            console.print_tables(_heading_table(comparison))
        if tables and (comparison.cells or comparison.rivals or comparison.only_published):
            console.print_tables(*_comparison_tables(comparison))
        if comparison.disagreement:
            console.print_message(comparison.disagreement)
        for line in paper_formatting.left_out(comparison):
            console.print_message(line)
        self.done.append(comparison)

    def finish(self) -> None:
        """Print what belongs at the end, then write the files."""
        from wayfront.papers.comparison import record_of

        if self.json:
            console.print_json(record_of(self.papers, self.done))
        elif self.done and not self.files.on_stdout:
            console.print_tables(_notes_table(self.done[-1]))
        self.files.write(lambda path: write_comparisons(self.papers, self.done, path, self.theme, self.scale))


def _dim_lines(lines: Iterable[str], title: str | None = None) -> Table:
    """Return lines that stand above or under a table."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=None)
    table.add_column(style="dim")
    for line in lines:
        table.add_row(line)
    return table


def _heading_table(comparison: Comparison) -> Table:
    """Return a table's title and its source."""
    from wayfront_gui.features.papers import tables as paper_formatting

    title = f"\nPaper {comparison.paper.letter}: {comparison.table.title}"
    return _dim_lines([paper_formatting.source(comparison.paper)], title)


def _notes_table(comparison: Comparison) -> Table:
    """Return what stands under a table: what is timed here and by the authors, and what else is to be known."""
    from wayfront_gui.features.papers import tables as paper_formatting

    return _dim_lines(paper_formatting.about_times(comparison.table))


def _comparison_tables(comparison: Comparison) -> Iterator[Table]:
    """Yield the times of a comparison as a table for the terminal, and its ratios."""
    from wayfront_gui.features.papers import tables as paper_formatting

    size = paper_formatting.size(comparison)
    title = "\n" + paper_formatting.graph(comparison) + (f" ({size})" if size else "")
    figures = ("median", "fastest", "slowest", "runs", "paper")
    times = console.make_table(title, ("search", "on", *figures), figures=figures)
    times.min_width = 90
    for cell in comparison.cells:
        spread = [paper_formatting.duration(ms) for ms in (cell.time_ms["min"], cell.time_ms["max"])]
        published = paper_formatting.duration(cell.paper_ms)
        name, median = console.bold(paper_formatting.search(cell)), paper_formatting.median(cell)
        times.add_row(name, cell.device_name, median, *spread, str(len(cell.runs_ms)), published)
    for contender, ms in comparison.only_published:
        on = paper_formatting.theirs_on(contender.on)
        times.add_row(contender.label, on, *[""] * 4, paper_formatting.duration(ms))
    for rival in comparison.rivals:
        times.add_row(rival.label, rival.measured, *[""] * 4, paper_formatting.duration(rival.ms))
    yield times
    if not comparison.ratios:
        return
    ratios = console.make_table(" ", ("times as fast", "on", "here", "paper"), figures=("here", "paper"))
    for row in comparison.ratios:
        quotients = [paper_formatting.ratio(row.ours, scaled=row.scaled), paper_formatting.published(row.paper)]
        ratios.add_row(console.bold(paper_formatting.versus(row)), paper_formatting.devices(row), *quotients)
    yield ratios


def write_comparisons(papers: Sequence[Paper], done: list[Comparison], path: str, theme: str, scale: float) -> None:
    """Write what was measured as a picture or drawing, CSV, JSON or Markdown, by the suffix of the path."""
    from wayfront.papers.comparison import record_of
    from wayfront_gui.features.papers.tables import CSV_COLUMNS, csv_rows, markdown
    from wayfront_gui.features.timing.export import Figures, Page

    def page() -> Page:
        from wayfront_gui.features.papers.chart import paper_page

        return paper_page(done)

    figures = Figures(
        "wayfront: papers' tables",
        CSV_COLUMNS,
        lambda: csv_rows(done),
        lambda: {"schema_version": JSON_SCHEMA_VERSION, **record_of(papers, done)},
        lambda: markdown(done),
        page,
    )
    with qt_for(path):
        figures.write(path, theme, scale)
