"""Read TOML that people write, key by key: a missing, wrongly typed or unknown key is an error with its line.

Explanations and lessons are such files. Whoever reads one takes each key that it knows from a ``Table`` and then closes
that, so that a key with a typing error is refused instead of ignored.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wayfront.safe.errors import FormatError, SchemaError
from wayfront.safe.schema import parse_toml
from wayfront.safe.text import shortened

_KINDS = {str: "a text", int: "a whole number", list: "a list", dict: "a table", bool: "true or false"}
_LONGEST_LINE = 400
_QUOTED = 80
"""Characters of what somebody wrote that a message quotes."""


def decoded(written: bytes, path: str | Path) -> str:
    """Return the text of a file. Raises ``FormatError`` with the line where it is not UTF-8."""
    try:
        return written.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        line = written[: problem.start].count(b"\n") + 1
        raise FormatError("the text is not UTF-8: save it as UTF-8", path, line) from None


def read_table(text: str, path: Path) -> Table:
    """Return the table that a text of TOML is. Raises ``FormatError``."""
    try:
        values = parse_toml(text, "the file")
    except SchemaError as problem:
        line = problem.line or (line_of(key_lines(text), problem.keys) if problem.keys else None)
        raise FormatError(str(problem), path, line) from None
    return Table(values, path, key_lines(text))


class Table:
    """A table of a file, of which one key after the other is taken; ``at`` are the keys that lead to it."""

    def __init__(self, values: dict[str, Any], path: Path, lines: Mapping[KeyPath, int], at: KeyPath = ()) -> None:
        self.lines = lines
        self._values, self._path, self._at = dict(values), path, at

    def line(self, key: str = "") -> int:
        """Return the line of the table, or of one of its keys."""
        return line_of(self.lines, (*self._at, key) if key else self._at) or 1

    def error(self, problem: str, key: str = "") -> FormatError:
        """Return an error that names the file and the line."""
        return FormatError(problem, self._path, self.line(key))

    def has(self, key: str) -> bool:
        """Return whether a key is there that was not read yet."""
        return key in self._values

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """Take a value of a type, or the default where it is missing; without one it has to be there."""
        value = self._values.pop(key, default)
        if value is None:
            raise self.error(f"{key} is missing")
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if type(value) not in kinds:  # exactly: true is no whole number
            expected = " or ".join(_KINDS[each] for each in kinds)
            raise self.error(f"{key} is {expected}, not {shortened(value, _QUOTED)}", key)
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Take a short text, as one line."""
        text = " ".join(self.take(key, str, default).split())
        if len(text) > _LONGEST_LINE or (not text and default is None):
            raise self.error(f"{key} has 1 to {_LONGEST_LINE} characters", key)
        return text

    def texts(self, key: str, default: list[str] | None = None) -> tuple[str, ...]:
        """Take a list of short texts, each as one line."""
        texts = self.take(key, list, default)
        if not all(isinstance(text, str) for text in texts):
            raise self.error(f"{key} is a list of texts", key)
        return tuple(" ".join(text.split()) for text in texts)

    def number(self, key: str, default: int = 0) -> int:
        """Take a whole number from 0 on."""
        value = int(self.take(key, int, default))
        if value < 0:
            raise self.error(f"{key} is a number from 0 on, not {value}", key)
        return value

    def flag(self, key: str) -> bool:
        """Take true or false, false where it is missing."""
        return bool(self.take(key, bool, False))

    def table(self, key: str) -> Table:
        """Take a table."""
        return Table(self.take(key, dict), self._path, self.lines, (*self._at, key))

    def tables(self, key: str, default: list[Any] | None = None) -> list[Table]:
        """Take a list of tables."""
        tables = self.take(key, list, default)
        if not all(isinstance(table, dict) for table in tables):
            raise self.error(f"write each {key} as [[{key}]]", key)
        return [Table(values, self._path, self.lines, (*self._at, key, i)) for i, values in enumerate(tables)]

    def close(self) -> None:
        """Refuse unknown keys: most are typing errors."""
        if self._values:
            key = next(iter(self._values))
            raise self.error(f"there is no key {shortened(key, _QUOTED)} here", key)


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
