"""Text from files and servers, made safe to show.

A road, a network or a file may be named by a stranger. ``printable`` is for everything such a name is shown on: a
terminal, a log line, a label. ``shortened`` is for a value that an error message quotes. ``spreadsheet_cell`` and
``csv_text`` are for what a spreadsheet will open. None of them is for text that a program reads back.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_NOT_SHOWN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL and C1: a terminal obeys them
    "\u2028\u2029"  # separators of lines and paragraphs: a label breaks at them
    "\u202a-\u202e\u2066-\u2069"  # embeddings, overrides and isolates: they turn round the text that follows
    "\ud800-\udfff]"  # halves of characters: no encoding can write them
)
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNDECODED = range(0xDC80, 0xDD00)
"""How Python keeps the bytes 0x80 to 0xff of a file name that is not UTF-8."""

_BITS_OF_A_DIGIT = 3.3219281
"""The binary logarithm of 10."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings that spreadsheets take for a formula, full-width forms included."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def printable(text: str) -> str:
    """Return a text of one line in which nothing can be obeyed by a terminal or a label.

    Control characters, line breaks, overrides of the writing direction and undecoded bytes become the escapes that
    Python writes, such as ``\\x1b``; all else is kept. Markup is not touched: escape that for the widget at hand.
    """
    return _NOT_SHOWN.sub(_escape, text)


def shortened(value: object, longest: int = 40) -> str:
    """Return a value as an error message quotes it: at most some ``longest`` characters, and nothing to be obeyed.

    Lists and tables are named by their kind alone, and whole numbers beyond ``longest`` digits, which Python may refuse
    to write at all, by their length.
    """
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, int) and value.bit_length() > longest * _BITS_OF_A_DIGIT:
        return f"a number of about {round(value.bit_length() / _BITS_OF_A_DIGIT):,} digits"
    if isinstance(value, str) and len(value) > longest:
        return f"{value[:longest]!r}…"
    text = repr(value)
    return text if len(text) <= 2 * longest else f"{text[:longest]}…"


def size_text(count: int) -> str:
    """Return a number of bytes with few digits and never rounded to nothing: ``70 kB``, ``850 MB``, ``2.9 GB``."""
    if count >= 10**9:
        return f"{count / 1e9:,.1f} GB"
    return f"{count / 1e6:,.1f} MB" if count >= 10**6 else f"{math.ceil(count / 1e3):,} kB"


def format_bytes(count: int, total: int | None = None) -> str:
    """Return a number of bytes as text, ``1.2 MB``, or with a total, ``0.4 of 1.2 MB``."""
    largest = count if total is None else max(total, count)
    unit, name = next(((u, n) for u, n in ((10**9, "GB"), (10**6, "MB")) if largest >= u), (1000, "kB"))
    if total is None:
        return f"{count / unit:,.{int(unit > 1000 and count < 10 * unit)}f} {name}"
    text = f"{count / unit:,.1f}" if unit > 1000 else f"{count / unit:,.0f}"
    return f"{text} of {total / unit:,.1f} {name}" if unit > 1000 else f"{text} of {total / unit:,.0f} {name}"


def spreadsheet_cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula: one that begins like a formula gets a leading ``'``.

    Numbers with a sign stay numbers.
    """
    if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as a CSV table with the columns of all of them, in which no text is a formula."""
    written = [
        {name: spreadsheet_cell(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    ]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in written for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(written)
    return out.getvalue()


def csv_columns(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns, all of one length, as a CSV table in which no text is a formula; without rows, its first line."""
    cells = (
        [spreadsheet_cell(value) if isinstance(value, str) else value for value in column]
        for column in columns.values()
    )
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*cells, strict=True))
    return out.getvalue()


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    code = ord(character)
    if character in _NAMED:
        return _NAMED[character]
    if code in _UNDECODED:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
