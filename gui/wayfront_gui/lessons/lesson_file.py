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
from wayfront.search.registry import Algorithm, SearchKind, find_algorithm
from wayfront_gui.lessons.conditions import FIRST, When
from wayfront_gui.lessons.figures import unknown_field
from wayfront_gui.lessons.key_lines import KeyPath, key_lines, line_of
from wayfront_gui.lessons.lesson import PANELS, Lesson, Marks, Moment, OtherSearch, Question, Search
from wayfront_gui.model.race_field import MOST_LANES

SUFFIX = ".toml"
KIND, VERSION = "wayfront lesson", 1
_LONGEST_FILE = 1 << 20
KINDS = (SearchKind.ONE_TREE, SearchKind.ROUTE, SearchKind.ALL_PAIRS)
"""What the searches of a lesson may find."""
_MOST_MOMENTS, _MOST_MARKS, _MOST_CHOICES = 500, 1_000, 9
_LONGEST_LINE, _LONGEST_TEXT = 400, 5_000
_KINDS = {str: "a text", int: "a whole number", list: "a list", dict: "a table", bool: "true or false"}
_OTHER = 'the name of an algorithm, or a table such as { algorithm = "near-far", options = { delta = 20 } }'
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
        if (unknown := unknown_field(text, names, len(search.beside) + 1)) is not None:
            raise table.error(f"there is no figure {{{unknown}}}", key)
    if moment.predict and moment.when.finished:
        raise table.error("nothing comes after a finished search that could be predicted", "predict")
    return moment


def _search(table: _Table, before: Search) -> Search:
    """Return the search of a moment: another network keeps nothing of the one before, another algorithm no options."""
    if table.has("network"):
        before = Search(table.line_text("network"), before.algorithm, before.options, before.device)
    if table.has("algorithm"):
        before = replace(before, algorithm=table.line_text("algorithm"), options=(), sample=None, beside=())
    given = {key for key in ("target", "sample", "beside") if table.has(key)}
    search = replace(
        before,
        device=table.line_text("device", before.device),
        metric=table.line_text("metric", before.metric or "") or None,
        source=table.node("source", before.source),
        target=table.node_or_none("target", before.target),
        sample=table.number("sample", default=before.sample or 0) or None,
        closed=_arcs(table, "closed") if table.has("closed") else before.closed,
        beside=_beside(table) if table.has("beside") else before.beside,
    )
    if search.algorithm != AUTO:
        declared = _declared(table, "algorithm", search.algorithm)
        if table.has("options"):
            search = replace(search, options=_options(table, "options", declared, table.values("options")))
    elif table.has("options"):
        raise table.error("options belong to an algorithm: name it", "options")
    _require_fitting(table, search, given)
    return search


def _require_fitting(table: _Table, search: Search, given: set[str]) -> None:
    """Refuse a search whose keys do not belong to what it finds; ``given`` are those that this moment says."""
    kinds = [each.kind for each in search.each]
    if SearchKind.ALL_PAIRS in kinds and search.beside:
        raise table.error("a search for all pairs is shown alone, with its matrix: nothing goes beside it", "beside")
    if SearchKind.ROUTE in kinds and search.target is None:
        raise table.error(
            "this search goes from the source to a target: name its target",
            "beside" if kinds[0] is not SearchKind.ROUTE else "algorithm",
        )
    if "target" in given and search.target is not None and SearchKind.ROUTE not in kinds:
        raise table.error(
            f"target belongs to searches to a target, and {search.algorithm} finds {kinds[0]}: route points at a path",
            "target",
        )
    if "sample" in given and search.sample is not None and kinds[0] is not SearchKind.ALL_PAIRS:
        raise table.error(
            f"sample belongs to searches for all pairs, and {search.algorithm} finds {kinds[0]}", "sample"
        )


def _beside(table: _Table) -> tuple[OtherSearch, ...]:
    """Return the searches beside a moment's own: a name, or a list of names and of tables."""
    listed = table.one_or_more("beside")
    if len(listed) >= MOST_LANES:
        raise table.error(
            f"{MOST_LANES} searches can be shown beside each other, the moment's own among them", "beside"
        )
    return tuple(_other(table, value) for value in listed)


def _other(table: _Table, value: Any) -> OtherSearch:
    plain = {"algorithm": value} if isinstance(value, str) else value
    if not isinstance(plain, dict) or not set(plain) <= {"algorithm", "options", "device"}:
        raise table.error(f"beside: {_OTHER}, not {str(value)[:80]!r}", "beside")
    name, options, device = plain.get("algorithm"), plain.get("options", {}), plain.get("device", "")
    if not (isinstance(name, str) and isinstance(options, dict) and isinstance(device, str)):
        raise table.error(f"beside: {_OTHER}, not {str(value)[:80]!r}", "beside")
    declared = _declared(table, "beside", name)
    return OtherSearch(name, _options(table, "beside", declared, options), device)


def _declared(table: _Table, key: str, algorithm: str) -> Algorithm:
    try:
        declared = find_algorithm(algorithm)
    except OptionError as problem:
        raise table.error(str(problem), key) from None
    if declared.kind not in KINDS:
        raise table.error(f"{algorithm} finds {declared.kind}, which lessons do not show", key)
    return declared


def _options(table: _Table, key: str, declared: Algorithm, given: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return the options of an algorithm as they are given, once they are checked."""
    try:
        resolve(declared.options, given)
    except OptionError as problem:
        raise table.error(str(problem), key) from None
    return tuple(sorted(given.items()))


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

    def node_or_none(self, key: str, default: str | None) -> str | None:
        """Take a node, "" for none, or the default where it is missing."""
        if self._values.get(key) == "":
            del self._values[key]
            return None
        return self.node(key, default)

    def one_or_more(self, key: str) -> list[Any]:
        """Take a list, or the one value in place of a list; "" is an empty list."""
        value = self._values.pop(key)
        return value if isinstance(value, list) else [value] if value != "" else []

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
