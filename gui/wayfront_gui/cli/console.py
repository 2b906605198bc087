"""What the program prints and where: results on stdout, everything else on stderr, progress only on a terminal.

Names of networks, roads and files come from strangers: whatever is printed is shown as it is written, and neither a
terminal nor rich obeys anything in it. A character that the stream's encoding lacks is written in plainer ones, ``<=``
for ``≤``, or as the escape that Python writes. To a reader that has gone, as in ``wayfront list | head -1``, nothing
more is written. What else cannot be written, on a full disk say, is reported once at the end: the work that was printed
is not lost for it.
"""

from __future__ import annotations

import errno
import io
import json as json_text
import math
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Literal, TextIO, cast

from wayfront.safe.errors import SearchCancelled, WayfrontError
from wayfront.safe.files import read_at_most, write_text_whole
from wayfront.safe.folders import cache_folder, make_private
from wayfront.safe.text import printable
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui import interrupts

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
_LONGEST_NOTE = 1 << 12


# -------------------------------------------------------------------------------------------------------------- streams

_PLAINER = str.maketrans(
    {
        "…": "...", "–": "-", "—": "-", "−": "-", "×": "x", "·": "*", "•": "*", "’": "'", "“": '"', "”": '"', "′": "'",
        "≤": "<=", "≥": ">=", "→": "->", "÷": "/", "°": " degrees", "∞": "infinity", "√": "sqrt", "∅": "{}", "∪": "+",
        "Δ": "Delta", "θ": "theta", "µ": "u", "²": "^2", "³": "^3", "⁰": "^0", "¹": "^1", "⁷": "^7", "⌊": "floor(",
        "⌋": ")", "©": "(c)", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "━": "-", "╸": "-", "╺": "-",
    }
)  # fmt: skip


def encodable(text: str, encoding: str) -> str:
    """Return a text with every character that ``encoding`` lacks written in plainer ones."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_plainer(character, encoding) for character in text)
    return text


def _plainer(character: str, encoding: str) -> str:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return character.translate(_PLAINER).encode(encoding, "backslashreplace").decode(encoding)
    return character


class PlainStream(io.TextIOBase):
    """A text stream over another one; ``failure`` is why that takes no more, or None."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream below."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        """Write a text, or drop it where nothing can be written any more."""
        self._try(lambda stream: stream.write(encodable(text, self.encoding)))
        return len(text)

    def write_bytes(self, content: bytes) -> None:
        """Write bytes as they are, behind the texts so far, or drop them where nothing can be written any more."""
        self.flush()
        self._try(lambda stream: stream.buffer.write(content))

    def flush(self) -> None:
        """Write what is held back."""
        self._try(lambda stream: stream.flush())

    def _try(self, write: Callable[[TextIO], object]) -> None:
        if self._stream is not None and self.failure is None:
            try:
                write(self._stream)
            except OSError as problem:
                self.failure = problem

    def detach_quietly(self) -> None:
        """Drop whatever is written from now on: a library may keep this stream for longer than it lasts."""
        self._stream = None

    def isatty(self) -> bool:
        """Return whether a person reads along."""
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the stream below. Raises ``OSError`` where there is none."""
        if self._stream is None:
            raise io.UnsupportedOperation("fileno")
        return self._stream.fileno()

    def writable(self) -> bool:
        """Return True."""
        return True

    @property
    def reader_gone(self) -> bool:
        """Whether what read this output has ended."""
        return self.failure is not None and self.failure.errno in (errno.EPIPE, errno.EINVAL)


@contextmanager
def plain_streams() -> Iterator[tuple[PlainStream, PlainStream]]:
    """Let standard output and error be plain streams while the block lasts."""
    before = sys.stdout, sys.stderr
    out, err = PlainStream(before[0]), PlainStream(before[1])
    sys.stdout, sys.stderr = cast("Any", out), cast("Any", err)
    try:
        yield out, err
    finally:
        for stream, original in zip((out, err), before, strict=True):
            stream.flush()
            if stream.failure is not None and original is not None:
                _silence(original)
            stream.detach_quietly()
        sys.stdout, sys.stderr = before


def _silence(stream: TextIO) -> None:
    """Let a stream that cannot be written drop what it holds back, which the interpreter would complain about."""
    with suppress(OSError), Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), stream.fileno())
        stream.flush()


def reader_gone() -> bool:
    """Return whether nobody reads stdout any more."""
    return isinstance(sys.stdout, PlainStream) and sys.stdout.reader_gone


# ------------------------------------------------------------------------------------------------------- lines and JSON

_quiet = False


def be_quiet() -> None:
    """Print no more remarks: results and errors alone."""
    global _quiet  # noqa: PLW0603 - one process runs one command
    _quiet = True


def print_message(line: str) -> None:
    """Print a remark on stderr, so that stdout holds nothing but results; nothing where that is to be quiet."""
    if not _quiet:
        print_error(line)


def print_error(line: str) -> None:
    """Print a line on stderr that says why a command failed."""
    sys.stderr.write(f"wayfront: {printable(line)}\n")
    sys.stderr.flush()


def print_line(line: str) -> None:
    """Print a line on stdout."""
    sys.stdout.write(f"{printable(line)}\n")
    sys.stdout.flush()


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on stdout: figures that are no numbers as null, and in ASCII where the encoding is poor.

    It begins with the version of its schema.
    """
    value = {"schema_version": JSON_SCHEMA_VERSION, **value}
    text = json_text.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False)
    text = _NOT_FOR_TERMINALS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json_text.dumps(_finite(value), indent=2, allow_nan=False)
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _finite(value: Any) -> Any:
    """Return a record with None for infinities and NaN, which JSON lacks."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def is_new(name: str, remark: str) -> bool:
    """Return whether a remark was not made before in this session, and note that it is made now.

    ``name`` is that of the note. A session is that of the terminal, or the parent process where there are none; where
    nothing can be noted every remark is new.
    """
    session = os.getsid(0) if hasattr(os, "getsid") else os.getppid()
    noted = f"{session} {remark}"
    try:
        path = make_private(cache_folder() / "remarks") / f"{name}.txt"
        if path.exists() and read_at_most(path, _LONGEST_NOTE, "it is no note of a remark") == noted.encode():
            return False
        write_text_whole(path, noted)
    except (WayfrontError, OSError):
        return True
    return True


# --------------------------------------------------------------------------------------------------------------- tables


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
    rows: Iterable[Sequence[str | Text]] = (),
    *,
    figures: Collection[str] = (),
    folded: Collection[str] = (),
    emphasised: str = "",
    caption: str = "",
) -> Table:
    """Return a table of rows for the terminal.

    ``figures`` are the columns aligned to the right, ``folded`` those whose texts may take several lines, and the one
    that is ``emphasised`` is bold.
    """
    from rich.table import Table

    table = Table(
        title=title or None, title_justify="left", title_style="bold", box=None, pad_edge=False,
        caption=caption or None, caption_justify="left",
    )  # fmt: skip
    for column in columns:
        justify: Literal["left", "right"] = "right" if column in figures else "left"
        style = "bold" if column == emphasised else ""
        table.add_column(column, header_style="dim", style=style, justify=justify, no_wrap=column not in folded)
    for row in rows:
        table.add_row(*row)
    return table


def print_found(json: bool, record: Mapping[str, Any], table: Callable[[Any], Table]) -> None:
    """Print a record as JSON where that is asked for, else the table that is made of it."""
    if json:
        print_json(record)
    else:
        print_tables(table(record))


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


# ---------------------------------------------------------------------------------------------- work that takes a while


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


_watching = ExitStack()
_is_watching = False


def watch_compiling() -> None:
    """Say it, once, if kernels are compiled for more than a moment from now on.

    This imports Numba, so a process that shall simulate CUDA has to be prepared for that before.
    """
    global _is_watching  # noqa: PLW0603 - a process has one command line
    if _is_watching:
        return
    from wayfront.devices.compiling import NOTICE, told_of_compiling

    _is_watching = True
    _watching.enter_context(told_of_compiling(lambda: print_message(NOTICE)))


def stop_watching() -> None:
    """Watch no longer: the command is done."""
    global _is_watching  # noqa: PLW0603 - as above
    _is_watching = False
    _watching.close()
