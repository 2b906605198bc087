"""Text from files and servers, made safe to show.

A road, a network or a file may be named by a stranger. ``printable`` is for everything such a name is shown on: a
terminal, a log line, a label. ``spreadsheet_cell`` is for what a spreadsheet will open. Neither is for text that a
program reads back.
"""

from __future__ import annotations

import re

_NOT_SHOWN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL and C1: a terminal obeys them
    "\u2028\u2029"  # separators of lines and paragraphs: a label breaks at them
    "\u202a-\u202e\u2066-\u2069"  # embeddings, overrides and isolates: they turn round the text that follows
    "\ud800-\udfff]"  # halves of characters: no encoding can write them
)
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNDECODED = range(0xDC80, 0xDD00)
"""How Python keeps the bytes 0x80 to 0xff of a file name that is not UTF-8."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings that spreadsheets take for a formula, full-width forms included."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def printable(text: str) -> str:
    """Return a text of one line in which nothing can be obeyed by a terminal or a label.

    Control characters, line breaks, overrides of the writing direction and undecoded bytes become the escapes that
    Python writes, such as ``\\x1b``; all else is kept. Markup is not touched: escape that for the widget at hand.
    """
    return _NOT_SHOWN.sub(_escape, text)


def spreadsheet_cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula: one that begins like a formula gets a leading ``'``.

    Numbers with a sign stay numbers.
    """
    if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    code = ord(character)
    if character in _NAMED:
        return _NAMED[character]
    if code in _UNDECODED:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
