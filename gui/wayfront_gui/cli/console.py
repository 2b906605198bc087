"""Output and Ctrl-C: results on stdout, everything else on stderr, progress only where stderr is a terminal."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

import typer

from wayfront.errors import SearchCancelled

if TYPE_CHECKING:
    from rich.table import Table

ProgressCallback = Callable[[str, float], None]
"""Called with the stage as text and the fraction done, -1 where it is unknown."""

PLAIN_WIDTH = 140
"""Columns of a table that goes into a file or a pipe."""


def print_message(line: str) -> None:
    """Print a line on stderr, so that stdout holds nothing but results."""
    typer.echo(f"wayfront: {line}", err=True)


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_tables(*tables: Table) -> None:
    """Print tables on stdout, as wide as the terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PLAIN_WIDTH)
    for table in tables:
        console.print(table)


def make_table(
    title: str,
    columns: Sequence[str],
    *,
    figures: Collection[str] = (),
    folded: Collection[str] = (),
    caption: str = "",
) -> Table:
    """Return an empty table for the terminal.

    ``figures`` are the columns aligned to the right, ``folded`` those whose texts may take several lines.
    """
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=escape(title) or None, title_justify="left", title_style="bold", box=None, pad_edge=False,
        caption=escape(caption) or None, caption_justify="left",
    )  # fmt: skip
    for column in columns:
        justify: Literal["left", "right"] = "right" if column in figures else "left"
        table.add_column(column, header_style="dim", justify=justify, no_wrap=column not in folded)
    return table


def facts_table(title: str, facts: Mapping[str, str]) -> Table:
    """Return a table of two columns, name and value."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title), title_justify="left", title_style="bold", show_header=False, box=None)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts.items():
        table.add_row(name, escape(value))
    return table


@contextmanager
def cancel_on_interrupt() -> Iterator[Event]:
    """Yield an ``Event`` that Ctrl-C sets; a second Ctrl-C stops at once.

    Raises ``SearchCancelled`` on the second Ctrl-C, or at the end if the work did not check the event.
    """
    cancel = Event()

    def on_interrupt(_signal: int, _frame: FrameType | None) -> None:
        if cancel.is_set():
            raise SearchCancelled("stopped")
        cancel.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield cancel
        if cancel.is_set():
            raise SearchCancelled("stopped")
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def progress_bar() -> Iterator[ProgressCallback]:
    """Show one line of progress on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _stage, _fraction: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=30), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(stage: str, fraction: float) -> None:
            known = fraction >= 0
            bar.update(task, description=stage, total=1.0 if known else None, completed=max(fraction, 0.0))

        yield show
