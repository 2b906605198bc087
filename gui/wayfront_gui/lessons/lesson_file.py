"""Read lessons: TOML files that are checked before they are believed; every error names the file and the line."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wayfront.errors import FormatError, OptionError
from wayfront.files import read_at_most
from wayfront.options import AUTO, resolve
from wayfront.search.registry import Algorithm, SearchKind, require_kind
from wayfront_gui.lessons.conditions import FIRST, When
from wayfront_gui.lessons.figures import unknown_field
from wayfront_gui.lessons.key_lines import KeyPath, key_lines, line_of
from wayfront_gui.lessons.lesson import PANELS, Lesson, Marks, Moment, Question, Search

SUFFIX = ".toml"
KIND, VERSION = "wayfront lesson", 1
_LONGEST_FILE = 1 << 20
_MOST_MOMENTS, _MOST_MARKS, _MOST_CHOICES = 500, 1_000, 9
_LONGEST_LINE, _LONGEST_TEXT = 400, 5_000
_KINDS = {str: "a text", int: "a whole number", list: "a list", dict: "a table", bool: "true or false"}
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def read_lesson(path: str | Path) -> Lesson:
    """Read a lesson. Raises ``FormatError`` with the file, the line and what is wrong there."""
    return parse_lesson(read_text(path), Path(path))


def read_text(path: str | Path) -> str:
    """Return the text of a lesson's file. Raises ``FormatError``."""
    written = read_at_most(path, _LONGEST_FILE, f"a lesson has at most {_LONGEST_FILE:,} bytes")
    try:
        return written.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        line = written[: problem.start].count(b"\n") + 1
        raise FormatError("this is not UTF-8; save the lesson as UTF-8", path, line) from None


def parse_lesson(text: str, path: Path) -> Lesson:
    """Read a lesson from the text of its file. Raises ``FormatError``."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", str(problem))
        said = str(problem) if found is None else str(problem)[: found.start()]
        line = text.count("\n") + 1 if found is None or found[1] is None else int(found[1])
        raise FormatError(f"this is no TOML: {said}", path, line) from None
    except RecursionError:
        raise FormatError("its values are nested too deeply", path) from None
    lines = key_lines(text)
    return _lesson(_Table(values, path, lines), path, lines)


def _lesson(table: _Table, path: Path, lines: Mapping[KeyPath, int]) -> Lesson:
    if table.line_text("kind") != KIND:
        raise table.error(f'a lesson begins with: kind = "{KIND}"', "kind")
    if table.number("version", default=VERSION) != VERSION:
        raise table.error(f"this program reads version {VERSION} of lessons", "version")
    title, about, by = table.line_text("title"), table.line_text("about", ""), table.line_text("by", "")
    tables = table.tables("moment")
    if not 1 <= len(tables) <= _MOST_MOMENTS:
        raise table.error(f"a lesson has 1 to {_MOST_MOMENTS} moments, not {len(tables)}", "moment")
    moments: list[Moment] = []
    for each in tables:
        moments.append(_moment(each, moments))
        each.close()
    table.close()
    return Lesson(path, title, about, by, tuple(moments), lines)


def _moment(table: _Table, earlier: list[Moment]) -> Moment:
    """Return a moment; its search, step and view are those of the one before unless it says otherwise."""
    before = earlier[-1] if earlier else None
    names = {moment.name: moment for moment in earlier if moment.name}
    name = table.line_text("name", "")
    if name and (name in names or not _NAME.fullmatch(name)):
        raise table.error("a moment's name is its own, of small letters, digits, - and _", "name")
    search = _search(table, Search() if before is None else before.search)
    same = before is not None and search == before.search
    when = before.when if same and before is not None else When(FIRST, FIRST)
    moment = Moment(
        line=table.line() or 1,
        title=table.line_text("title", ""),
        text=table.long_text("text"),
        search=search,
        when=_when(table, when),
        name=name,
        view=_view(table, before.view if before is not None and search.network == before.search.network else None),
        marks=Marks(
            table.nodes("nodes"),
            _arcs(table, "arcs"),
            table.node("route"),
        ),
        panels=_panels(table),
        question=_question(table),
        predict=table.flag("predict"),
    )
    question = moment.question
    for key, text in (
        *(("title", moment.title), ("text", moment.text)),
        *(() if question is None else (("question", question.text), ("answer", question.answer))),
    ):
        if (unknown := unknown_field(text, names)) is not None:
            raise table.error(f"there is no figure {{{unknown}}}", key)
    if moment.predict and moment.when.tree:
        raise table.error("nothing comes after a finished tree that could be predicted", "predict")
    return moment


def _search(table: _Table, before: Search) -> Search:
    """Return the search of a moment: another network keeps nothing of the one before, another algorithm no options."""
    if table.has("network"):
        before = replace(before, network=table.line_text("network"), source=None, metric=None, closed=(), beside="")
    if table.has("algorithm"):
        before = replace(before, algorithm=table.line_text("algorithm"), options=(), beside="")
    search = replace(
        before,
        device=table.line_text("device", before.device),
        metric=table.line_text("metric", before.metric or "") or None,
        source=table.node("source", before.source),
        closed=_arcs(table, "closed") if table.has("closed") else before.closed,
        beside=table.line_text("beside", before.beside),
    )
    if search.beside:
        _declared(table, "beside", search.beside)
    if search.algorithm != AUTO:
        declared = _declared(table, "algorithm", search.algorithm)
        if table.has("options"):
            given = table.values("options")
            try:
                resolve(declared.options, given)
            except OptionError as problem:
                raise table.error(str(problem), "options") from None
            search = replace(search, options=tuple(sorted(given.items())))
    elif table.has("options"):
        raise table.error("options belong to an algorithm: name it", "options")
    return search


def _declared(table: _Table, key: str, algorithm: str) -> Algorithm:
    try:
        return require_kind(algorithm, SearchKind.ONE_TREE)
    except OptionError as problem:
        raise table.error(str(problem), key) from None


def _when(table: _Table, before: When) -> When:
    try:
        return When.parse(table.line_text("when")) if table.has("when") else before
    except ValueError as problem:
        raise table.error(str(problem), "when") from None


def _view(table: _Table, before: tuple[float, float, float, float] | None) -> tuple[float, float, float, float] | None:
    if not table.has("view"):
        return before
    listed = table.take("view", list)
    if not listed:
        return None
    numbers = [float(value) for value in listed if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) != len(listed) or len(numbers) != 4 or not all(map(math.isfinite, numbers)):
        raise table.error("a view is west, south, east and north in degrees, or [] for all", "view")
    west, south, east, north = numbers
    if west >= east or south >= north or max(map(abs, numbers)) > 360:
        raise table.error("a view goes from west to east and from south to north, in degrees", "view")
    return west, south, east, north


def _arcs(table: _Table, key: str) -> tuple[tuple[str, str], ...]:
    pairs = table.take(key, list, [])
    if len(pairs) > _MOST_MARKS or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise table.error(f"{key} is a list of at most {_MOST_MARKS:,} pairs of nodes", key)
    return tuple((table.as_node(tail, key), table.as_node(head, key)) for tail, head in pairs)


def _panels(table: _Table) -> tuple[str, ...]:
    panels = table.take("panels", list, [])
    for panel in panels:
        if panel not in PANELS:
            raise table.error(f"there is no panel {panel!r}; there are: {', '.join(PANELS)}", "panels")
    return tuple(panels)


def _question(table: _Table) -> Question | None:
    if not table.has("question"):
        for key in ("answer", "choices", "right"):
            if table.has(key):
                raise table.error(f"{key} belongs to a question", key)
        return None
    question, answer = table.long_text("question"), table.long_text("answer")
    choices = table.take("choices", list, [])
    if len(choices) > _MOST_CHOICES or not all(isinstance(c, str) and c.strip() for c in choices):
        raise table.error(f"choices is a list of at most {_MOST_CHOICES} texts", "choices")
    right = table.number("right", default=0)
    if bool(choices) != bool(right) or right > len(choices):
        raise table.error("right is the number of the right one among the choices, from 1", "right")
    return Question(question, answer, tuple(" ".join(choice.split())[:_LONGEST_LINE] for choice in choices), right - 1)


class _Table:
    """A table of a lesson, read key by key: a missing, wrongly typed or unknown key is an error with its line."""

    def __init__(self, values: dict[str, Any], path: Path, lines: Mapping[KeyPath, int], at: KeyPath = ()) -> None:
        self._values, self._path, self._lines, self._at = dict(values), path, lines, at

    def line(self, key: str = "") -> int | None:
        """Return the line of the table, or of one of its keys."""
        return line_of(self._lines, (*self._at, key) if key else self._at)

    def error(self, problem: str, key: str = "") -> FormatError:
        """Return an error that names the file and the line."""
        return FormatError(problem, self._path, self.line(key) or 1)

    def has(self, key: str) -> bool:
        """Return whether a key is there that was not read yet."""
        return key in self._values

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        """Take a value of a type, or the default where it is missing; without one it has to be there."""
        value = self._values.pop(key, default)
        if value is None:
            raise self.error(f"{key} is missing")
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(f"{key} is {_KINDS[kind]}, not {str(value)[:80]!r}", key)
        return value

    def line_text(self, key: str, default: str | None = None) -> str:
        """Take a short text, as one line."""
        text = " ".join(self.take(key, str, default).split())
        if len(text) > _LONGEST_LINE or (not text and default is None):
            raise self.error(f"{key} has 1 to {_LONGEST_LINE} characters", key)
        return text

    def long_text(self, key: str) -> str:
        """Take a text of several paragraphs, empty where it is missing."""
        text = str(self.take(key, str, "")).replace("\r\n", "\n").strip()
        if len(text) > _LONGEST_TEXT:
            raise self.error(f"{key} has at most {_LONGEST_TEXT:,} characters", key)
        return text

    def number(self, key: str, *, default: int) -> int:
        """Take a whole number from 0 on."""
        value = int(self.take(key, int, default))
        if value < 0:
            raise self.error(f"{key} is a number from 0 on", key)
        return value

    def flag(self, key: str) -> bool:
        """Take true or false, false where it is missing."""
        return bool(self.take(key, bool, False))

    def as_node(self, value: Any, key: str) -> str:
        """Return the id of a node as text."""
        named = isinstance(value, str) and value.strip() and len(value) <= 60
        if not named and (not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 63):
            raise self.error(f"{key}: a node is its id, not {str(value)[:80]!r}", key)
        return str(value).strip()

    def node(self, key: str, default: str | None = None) -> str | None:
        """Take a node, or the default where it is missing."""
        return self.as_node(self._values.pop(key), key) if key in self._values else default

    def nodes(self, key: str) -> tuple[str, ...]:
        """Take a list of nodes, empty where it is missing."""
        listed = self.take(key, list, [])
        if len(listed) > _MOST_MARKS:
            raise self.error(f"{key} has at most {_MOST_MARKS:,} nodes", key)
        return tuple(self.as_node(value, key) for value in listed)

    def values(self, key: str) -> dict[str, Any]:
        """Take a table of plain values."""
        values: dict[str, Any] = self.take(key, dict)
        if not all(isinstance(value, str | int | float | bool) for value in values.values()):
            raise self.error(f"{key} is a table of numbers and texts", key)
        return values

    def tables(self, key: str) -> list[_Table]:
        """Take a list of tables."""
        tables = self.take(key, list, [])
        if not all(isinstance(table, dict) for table in tables):
            raise self.error(f"write each {key} as [[{key}]]", key)
        return [_Table(values, self._path, self._lines, (*self._at, key, i)) for i, values in enumerate(tables)]

    def close(self) -> None:
        """Refuse unknown keys: most are typing errors."""
        if self._values:
            key = next(iter(self._values))
            raise self.error(f"there is no key {key[:80]!r} here", key)
