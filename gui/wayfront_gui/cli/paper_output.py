"""Print and write papers' tables that were run again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.files import write_text_whole
from wayfront_gui.cli.console import bold, make_table
from wayfront_gui.cli.offscreen_drawing import start_qt
from wayfront_gui.cli.paths import MARKDOWN

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.papers import Paper
    from wayfront.papers.comparison import Comparison


def heading_table(comparison: Comparison) -> Table:
    """Return a table's title and its source."""
    from rich.table import Table

    from wayfront_gui.model import paper_formatting

    title = f"\nPaper {comparison.paper.letter}: {comparison.table.title}"
    heading = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=None)
    heading.add_column(style="dim")
    heading.add_row(paper_formatting.source(comparison.paper))
    return heading


def notes_table(comparison: Comparison) -> Table:
    """Return what stands under a table: what is timed here and by the authors, and what else is to be known."""
    from rich.table import Table

    from wayfront_gui.model import paper_formatting

    notes = Table(show_header=False, box=None)
    notes.add_column(style="dim")
    for line in paper_formatting.about_times(comparison.table):
        notes.add_row(line)
    return notes


def comparison_tables(comparison: Comparison) -> Iterator[Table]:
    """Yield the times of a comparison as a table for the terminal, and its ratios."""
    from wayfront_gui.model import paper_formatting

    size = paper_formatting.size(comparison)
    title = "\n" + paper_formatting.graph(comparison) + (f" ({size})" if size else "")
    figures = ("median", "fastest", "slowest", "runs", "paper")
    times = make_table(title, ("search", "on", *figures), figures=figures)
    times.min_width = 90
    for cell in comparison.cells:
        spread = [paper_formatting.duration(ms) for ms in (cell.fastest_ms, cell.slowest_ms)]
        published = paper_formatting.duration(cell.paper_ms)
        name, median = bold(paper_formatting.search(cell)), paper_formatting.median(cell)
        times.add_row(name, cell.device_name, median, *spread, str(len(cell.runs_ms)), published)
    for contender, ms in comparison.only_published:
        on = paper_formatting.theirs_on(contender.on)
        times.add_row(contender.label, on, *[""] * 4, paper_formatting.duration(ms))
    for rival in comparison.rivals:
        times.add_row(rival.label, rival.measured, *[""] * 4, paper_formatting.duration(rival.ms))
    yield times
    if not comparison.ratios:
        return
    ratios = make_table(" ", ("times as fast", "on", "here", "paper"), figures=("here", "paper"))
    for row in comparison.ratios:
        quotients = [paper_formatting.ratio(row.ours, scaled=row.scaled), paper_formatting.published(row.paper)]
        ratios.add_row(bold(paper_formatting.versus(row)), paper_formatting.devices(row), *quotients)
    yield ratios


def write_comparisons(papers: Sequence[Paper], done: list[Comparison], path: str, theme: str, scale: float) -> None:
    """Write what was measured as a picture or drawing, CSV, JSON or Markdown, by the suffix of the path."""
    from wayfront.papers.records import record_of

    suffix = Path(path).suffix.lower()
    if suffix == ".csv":
        _write_csv(done, path)
    elif suffix == ".json":
        write_text_whole(path, json.dumps(record_of(papers, done), indent=2, ensure_ascii=False))
    elif suffix == MARKDOWN:
        from wayfront_gui.model.paper_markdown import markdown

        write_text_whole(path, markdown(done))
    else:
        _draw(done, path, theme, scale)


def _draw(done: list[Comparison], path: str, theme: str, scale: float) -> None:
    application = start_qt()
    from wayfront_gui.charts.paper_chart import paper_page

    paper_page(done).write(path, "wayfront: papers' tables", theme, scale)
    application.processEvents()


def _write_csv(done: Sequence[Comparison], path: str) -> None:
    from wayfront_gui.charts.export import write_rows
    from wayfront_gui.model.paper_formatting import CSV_COLUMNS, csv_rows

    write_rows(CSV_COLUMNS, csv_rows(done), path)
