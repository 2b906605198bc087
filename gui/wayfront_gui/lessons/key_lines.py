"""Find the line of every key of a TOML text, which ``tomllib`` does not tell: an error in a lesson names its line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping

KeyPath = tuple[str | int, ...]
"""The keys that lead to a value; a table of an array counts from 0, as in ``("moment", 2, "title")``."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*""")
_STRING = re.compile(r'''"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*\'''', re.DOTALL)
_OPEN, _CLOSE = "[{", "]}"


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of each table and key of a text that ``tomllib`` has read; not those inside a value."""
    ends = [found.start() for found in re.finditer("\n", text)]
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    at = _after(_BLANK, text, 0)
    while at < len(text):
        line = bisect_right(ends, at) + 1
        if text[at] == "[":
            many = text.startswith("[[", at)
            keys, at = _keys(text, at + 1 + many)
            table = _place(keys, counts, another=many)
            lines[table] = line
            at += 1 + many
        else:
            keys, at = _keys(text, at)
            lines[table + keys] = line
            at = _value_end(text, at + 1)
        at = _after(_BLANK, text, at)
    return lines


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """Return the line of a key, or that of the innermost table around it which has one."""
    return next((lines[path[:depth]] for depth in range(len(path), 0, -1) if path[:depth] in lines), None)


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _keys(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """Return the parts of a dotted key, and where it ends."""
    keys: list[str] = []
    while (found := _KEY.match(text, at)) is not None:
        keys.append(found[1].strip("\"'"))
        at = found.end()
        if not text.startswith(".", at):
            break
        at += 1
    return tuple(keys), at


def _place(keys: tuple[str, ...], counts: dict[KeyPath, int], *, another: bool) -> KeyPath:
    """Return the path of a table; ``another`` begins the next one of an array."""
    path: KeyPath = ()
    for depth, key in enumerate(keys):
        path = (*path, key)
        if another and depth == len(keys) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _value_end(text: str, at: int) -> int:
    """Return where a value ends: at the end of its line, outside brackets and strings."""
    depth = 0
    while at < len(text):
        letter = text[at]
        if letter in "\"'":
            at = max(_after(_STRING, text, at), at + 1)
            continue
        if letter == "#":
            at = text.find("\n", at)
            at = len(text) if at < 0 else at
            continue
        if letter == "\n" and depth == 0:
            return at
        depth += (letter in _OPEN) - (letter in _CLOSE)
        at += 1
    return at
