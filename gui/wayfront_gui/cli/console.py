"""Output and Ctrl-C: results on stdout, everything else on stderr, progress only where stderr is a terminal.

Names of networks, roads and files come from strangers: whatever is printed is shown as it is written, and neither a
terminal nor rich obeys anything in it.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

from wayfront.errors import SearchCancelled, WriteError
from wayfront.plain_text import printable
from wayfront_gui import interrupts
from wayfront_gui.cli.stdout_output import STDOUT, file_for
from wayfront_gui.cli.streams import PlainStream, encodable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

ProgressCallback = Callable[[str, float], None]
"""Called with the stage as text and the fraction done, -1 where it is unknown."""

PLAIN_WIDTH = 140
"""Columns of a table that goes into a file or a pipe."""

_NOT_FOR_TERMINALS = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SHOW_CURSOR = b"\r\x1b[2K\x1b[?25h"


def print_message(line: str) -> None:
    """Print a line on stderr, so that stdout holds nothing but results."""
    sys.stderr.write(f"wayfront: {printable(line)}\n")
    sys.stderr.flush()


def print_line(line: str) -> None:
    """Print a line on stdout."""
    sys.stdout.write(f"{printable(line)}\n")
    sys.stdout.flush()


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on stdout: figures that are no numbers as null, and in ASCII where the encoding is poor."""
    text = json.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False)
    text = _NOT_FOR_TERMINALS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(_finite(value), indent=2, allow_nan=False)
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _finite(value: Any) -> Any:
    """Return a record with None for infinities and NaN, which JSON lacks."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def reader_gone() -> bool:
    """Return whether nobody reads stdout any more."""
    return isinstance(sys.stdout, PlainStream) and sys.stdout.reader_gone


def make_console(*, stderr: bool = False, width: int | None = None) -> Console:
    """Return a console that takes every text literally: no markup, no emoji, no control characters."""
    from rich.console import Console

    class LiteralConsole(Console):
        """Rich's console; texts are made printable before they are measured."""

        def render_str(self, text: str, **options: Any) -> Text:
            lines = (encodable(printable(line), self.encoding) for line in text.split("\n"))
            return super().render_str("\n".join(lines), **options)

    return LiteralConsole(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def print_tables(*tables: Table) -> None:
    """Print tables on stdout, as wide as the terminal."""
    console = make_console()
    if not console.is_terminal:
        console = make_console(width=PLAIN_WIDTH)
    for table in tables:
        console.print(table)


def bold(text: str) -> Text:
    """Return a text for a cell of a table, in bold."""
    from rich.text import Text

    return Text(encodable(printable(text), sys.stdout.encoding or "utf-8"), "bold")


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
    from rich.table import Table

    table = Table(
        title=title or None, title_justify="left", title_style="bold", box=None, pad_edge=False,
        caption=caption or None, caption_justify="left",
    )  # fmt: skip
    for column in columns:
        justify: Literal["left", "right"] = "right" if column in figures else "left"
        table.add_column(column, header_style="dim", justify=justify, no_wrap=column not in folded)
    return table


def facts_table(title: str, facts: Mapping[str, str]) -> Table:
    """Return a table of two columns, name and value."""
    from rich.table import Table

    heading = bold(title)
    heading.no_wrap, heading.overflow = True, "ignore"  # else it is wrapped to the width of the facts
    table = Table(title=heading, title_justify="left", show_header=False, box=None)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts.items():
        table.add_row(name, value)
    return table


def print_written(what: str, path: str) -> None:
    """Print where a file is, and what it is; nothing of what went to standard output."""
    if path != STDOUT:
        print_message(f"{what} written to {path}".strip())


def write_each(paths: Sequence[str], write: Callable[[str], None], stdout_suffix: str = "") -> None:
    """Write files, each whatever became of the others. Raises the last ``WriteError``; those before it are printed.

    ``-`` is written to standard output as a file of that suffix. Results are printed before this is called, so that a
    full disk does not lose them.
    """
    problems: list[WriteError] = []
    for path in paths:
        try:
            with file_for(path, stdout_suffix) as file:
                write(file)
        except WriteError as problem:
            problems.append(problem)
        else:
            print_written("", path)
    for earlier in problems[:-1]:
        print_message(str(earlier))
    if problems:
        raise problems[-1]


@contextmanager
def cancel_on_interrupt(patience_s: float = interrupts.PATIENCE_S) -> Iterator[Event]:
    """Yield an ``Event`` that Ctrl-C sets; the second Ctrl-C ends the program at once.

    So does the first if the work goes on for ``patience_s`` seconds. Raises ``SearchCancelled`` at the end if the work
    did not check the event.
    """
    cancel = Event()
    with interrupts.cancelling(cancel, patience_s):
        yield cancel
    if cancel.is_set():
        raise SearchCancelled("stopped")


@contextmanager
def progress_bar() -> Iterator[ProgressCallback]:
    """Show one line of progress on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _stage, _fraction: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = make_console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=30), TimeElapsedColumn())
    with interrupts.cleaned_up_by(_put_terminal_right), Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(stage: str, fraction: float) -> None:
            known = fraction >= 0
            described = encodable(printable(stage), console.encoding)
            bar.update(task, description=described, total=1.0 if known else None, completed=max(fraction, 0.0))

        yield show


def _put_terminal_right() -> None:
    """Clear the line of progress and show the cursor again, which rich hides."""
    if os.environ.get("TERM") != "dumb":
        os.write(2, _SHOW_CURSOR)
