"""A lesson: moments, each a search at a step with text, highlights and perhaps a question. Plain data, no Qt."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wayfront.results.result import SearchKind
from wayfront.safe.errors import FormatError, OptionError
from wayfront.safe.files import read_at_most, write_text_whole
from wayfront.safe.options import AUTO, resolve
from wayfront.safe.tables import Table, decoded, read_table
from wayfront.safe.text import shortened
from wayfront.searching.registry import Algorithm, find_algorithm
from wayfront_gui.features.lessons.conditions import FIRST, When, unknown_field
from wayfront_gui.features.lessons.tours import TOURS
from wayfront_gui.resources import asset
from wayfront_gui.session.state import MOST_LANES

BUNDLED_NETWORK = "bundled"
"""What a lesson calls the city that comes with the program."""
BESIDE = ("explanation", "held", "threads")
"""Panels of which a moment that names any opens these alone: there is room for few beside its text."""
PANELS = ("search", "time", "race", *BESIDE)
"""Panels that a moment may open."""


@dataclass(frozen=True, slots=True)
class OtherSearch:
    """What a search that is shown beside a moment's own does in another way; ``device`` "" is that of the moment."""

    algorithm: str
    options: tuple[tuple[str, Any], ...] = ()
    device: str = ""


@dataclass(frozen=True, slots=True)
class Search:
    """The search of a moment; ``network`` opens it, ``source`` is a node's id, None for one in the middle.

    ``metric`` None is the network's first. ``target`` is where searches to a target end; others leave it alone.
    ``sample`` is the number of sources of a search for all pairs, None for all nodes. ``closed`` arcs, by the ids of
    their ends, are not taken. The searches ``beside`` it are shown in step with it. Moments with equal searches show
    the same one.
    """

    network: str = BUNDLED_NETWORK
    algorithm: str = AUTO
    options: tuple[tuple[str, Any], ...] = ()
    device: str = AUTO
    metric: str | None = None
    source: str | None = None
    target: str | None = None
    sample: int | None = None
    closed: tuple[tuple[str, str], ...] = ()
    beside: tuple[OtherSearch, ...] = ()

    @property
    def kind(self) -> SearchKind:
        """What it finds: with a target the automatic choice finds a route. Raises ``OptionError``."""
        if self.algorithm == AUTO:
            return SearchKind.ONE_TREE if self.target is None else SearchKind.ROUTE
        return find_algorithm(self.algorithm).kind

    @property
    def each(self) -> tuple[Search, ...]:
        """The moment's own search and those beside it, each by itself."""
        alone = replace(self, beside=())
        others = (
            replace(alone, algorithm=other.algorithm, options=other.options, device=other.device or self.device)
            for other in self.beside
        )
        return alone, *others


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its answer; with ``choices`` one of these is the ``right`` one, by index."""

    text: str
    answer: str = ""
    choices: tuple[str, ...] = ()
    right: int = -1


@dataclass(frozen=True, slots=True)
class Marks:
    """What a moment points out: nodes and arcs by ids, and a ``route`` to a node.

    ``cells`` colours the cells of the network's dissection after so many cuts, 0 none. ``flows`` shows what streets
    carry in place of a search.
    """

    nodes: tuple[str, ...] = ()
    arcs: tuple[tuple[str, str], ...] = ()
    route: str | None = None
    cells: int = 0
    flows: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment of a lesson.

    line     where it begins in the file
    name     by which texts of later moments name its figures; may be empty
    when     the step that is shown
    view     west, south, east and north in degrees, None for all of the network
    panels   panels that are opened
    predict  whether the nodes that come next are to be guessed
    """

    line: int
    title: str
    text: str
    search: Search
    when: When = field(default_factory=lambda: When(FIRST, FIRST))
    name: str = ""
    view: tuple[float, float, float, float] | None = None
    marks: Marks = field(default_factory=Marks)
    panels: tuple[str, ...] = ()
    question: Question | None = None
    predict: bool = False


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as read from its file; ``lines`` are those of its keys."""

    path: Path
    title: str
    about: str
    by: str
    moments: tuple[Moment, ...]
    lines: Mapping[tuple[str | int, ...], int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def names(self) -> dict[str, int]:
        """The index of each moment that has a name."""
        return {moment.name: index for index, moment in enumerate(self.moments) if moment.name}

    def network_of(self, moment: Moment) -> str:
        """Return what opens the network of a moment: a path is one beside the lesson, if there is such a file."""
        from wayfront_gui.resources import BUNDLED, asset

        name = moment.search.network
        if name == BUNDLED_NETWORK:
            return str(asset(BUNDLED))
        try:
            beside = self.path.parent / name
            return str(beside) if beside.is_file() else name
        except (OSError, ValueError):  # longer than the system allows, or with a zero byte
            return name


SUFFIX = ".toml"
KIND, VERSION = "wayfront lesson", 1
_LONGEST_FILE = 1 << 20
KINDS = (SearchKind.ONE_TREE, SearchKind.ROUTE, SearchKind.ALL_PAIRS)
"""What the searches of a lesson may find."""
_MOST_MOMENTS, _MOST_MARKS, _MOST_CHOICES = 500, 1_000, 9
_LONGEST_LINE, _LONGEST_TEXT = 400, 5_000
_OTHER = 'the name of an algorithm, or a table such as { algorithm = "near-far", options = { delta = 20 } }'
_MOST_CUTS = 30
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def read_lesson(path: str | Path) -> Lesson:
    """Read a lesson. Raises ``FormatError`` with the file, the line and what is wrong there."""
    return parse_lesson(read_text(path), Path(path))


def read_text(path: str | Path) -> str:
    """Return the text of a lesson's file. Raises ``FormatError``."""
    written = read_at_most(path, _LONGEST_FILE, f"a lesson has at most {_LONGEST_FILE:,} bytes")
    return decoded(written, path)


def parse_lesson(text: str, path: Path) -> Lesson:
    """Read a lesson from the text of its file. Raises ``FormatError``."""
    return _lesson(read_table(text, path), path)


def _lesson(table: Table, path: Path) -> Lesson:
    if table.text("kind") != KIND:
        raise table.error(f'a lesson begins with: kind = "{KIND}"', "kind")
    if table.number("version", VERSION) != VERSION:
        raise table.error(f"this program reads version {VERSION} of lessons", "version")
    title, about, by = table.text("title"), table.text("about", ""), table.text("by", "")
    tables = table.tables("moment", [])
    if not 1 <= len(tables) <= _MOST_MOMENTS:
        raise table.error(f"a lesson has 1 to {_MOST_MOMENTS} moments, not {len(tables)}", "moment")
    moments: list[Moment] = []
    for each in tables:
        moments.append(_moment(each, moments))
        each.close()
    table.close()
    return Lesson(path, title, about, by, tuple(moments), table.lines)


def _moment(table: Table, earlier: list[Moment]) -> Moment:
    """Return a moment; its search, step and view are those of the one before unless it says otherwise."""
    before = earlier[-1] if earlier else None
    names = {moment.name: moment for moment in earlier if moment.name}
    name = table.text("name", "")
    if name and (name in names or not _NAME.fullmatch(name)):
        raise table.error("a moment's name is its own, of small letters, digits, - and _", "name")
    search = _search(table, Search() if before is None else before.search)
    same = before is not None and search == before.search
    when = before.when if same and before is not None else When(FIRST, FIRST)
    moment = Moment(
        line=table.line(),
        title=table.text("title", ""),
        text=_long_text(table, "text"),
        search=search,
        when=_when(table, when),
        name=name,
        view=_view(table, before.view if before is not None and search.network == before.search.network else None),
        marks=Marks(
            _nodes(table, "nodes"),
            _arcs(table, "arcs"),
            _node_of(table, "route"),
            _cells(table),
            table.flag("flows"),
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
            raise table.error(f"there is no figure {{{shortened(unknown).replace(chr(39), '')}}}", key)
    if moment.predict and moment.when.finished:
        raise table.error("nothing comes after a finished search that could be predicted", "predict")
    return moment


def _cells(table: Table) -> int:
    """Return after how many cuts the cells of the network's dissection are shown."""
    cuts = table.number("cells")
    if cuts > _MOST_CUTS:
        raise table.error(f"cells is a number of cuts from 0 to {_MOST_CUTS}", "cells")
    return cuts


def _search(table: Table, before: Search) -> Search:
    """Return the search of a moment: another network keeps nothing of the one before, another algorithm no options."""
    if table.has("network"):
        before = Search(table.text("network"), before.algorithm, before.options, before.device)
    if table.has("algorithm"):
        before = replace(before, algorithm=table.text("algorithm"), options=(), sample=None, beside=())
    given = {key for key in ("target", "sample", "beside") if table.has(key)}
    search = replace(
        before,
        device=table.text("device", before.device),
        metric=table.text("metric", before.metric or "") or None,
        source=_node_of(table, "source", before.source),
        target=_node_of(table, "target", before.target, none=True),
        sample=table.number("sample", before.sample or 0) or None,
        closed=_arcs(table, "closed") if table.has("closed") else before.closed,
        beside=_beside(table) if table.has("beside") else before.beside,
    )
    if search.algorithm != AUTO:
        declared = _declared(table, "algorithm", search.algorithm)
        if table.has("options"):
            given_options = table.take("options", dict)
            if not all(isinstance(value, str | int | float | bool) for value in given_options.values()):
                raise table.error("options is a table of numbers and texts", "options")
            search = replace(search, options=_options(table, "options", declared, given_options))
    elif table.has("options"):
        raise table.error("options belong to an algorithm: name it", "options")
    _require_fitting(table, search, given)
    return search


def _require_fitting(table: Table, search: Search, given: set[str]) -> None:
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


def _beside(table: Table) -> tuple[OtherSearch, ...]:
    """Return the searches beside a moment's own: a name, or a list of names and of tables."""
    given = table.take("beside", (list, str, dict))
    listed = given if isinstance(given, list) else [given] if given != "" else []
    if len(listed) >= MOST_LANES:
        raise table.error(
            f"{MOST_LANES} searches can be shown beside each other, the moment's own among them", "beside"
        )
    return tuple(_other(table, value) for value in listed)


def _other(table: Table, value: Any) -> OtherSearch:
    plain = {"algorithm": value} if isinstance(value, str) else value
    if not isinstance(plain, dict) or not set(plain) <= {"algorithm", "options", "device"}:
        raise table.error(f"beside: {_OTHER}, not {shortened(value, 80)}", "beside")
    name, options, device = plain.get("algorithm"), plain.get("options", {}), plain.get("device", "")
    if not (isinstance(name, str) and isinstance(options, dict) and isinstance(device, str)):
        raise table.error(f"beside: {_OTHER}, not {shortened(value, 80)}", "beside")
    declared = _declared(table, "beside", name)
    return OtherSearch(name, _options(table, "beside", declared, options), device)


def _declared(table: Table, key: str, algorithm: str) -> Algorithm:
    try:
        declared = find_algorithm(algorithm)
    except OptionError as problem:
        raise table.error(str(problem), key) from None
    if declared.kind not in KINDS:
        raise table.error(f"{algorithm} finds {declared.kind}, which lessons do not show", key)
    return declared


def _options(table: Table, key: str, declared: Algorithm, given: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return the options of an algorithm as they are given, once they are checked."""
    try:
        resolve(declared.options, given)
    except OptionError as problem:
        raise table.error(str(problem), key) from None
    return tuple(sorted(given.items()))


def _when(table: Table, before: When) -> When:
    try:
        return When.parse(table.text("when")) if table.has("when") else before
    except ValueError as problem:
        raise table.error(str(problem), "when") from None


def _view(table: Table, before: tuple[float, float, float, float] | None) -> tuple[float, float, float, float] | None:
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


def _arcs(table: Table, key: str) -> tuple[tuple[str, str], ...]:
    pairs = table.take(key, list, [])
    if len(pairs) > _MOST_MARKS or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise table.error(f"{key} is a list of at most {_MOST_MARKS:,} pairs of nodes", key)
    return tuple((_node_named(table, tail, key), _node_named(table, head, key)) for tail, head in pairs)


def _panels(table: Table) -> tuple[str, ...]:
    panels = table.take("panels", list, [])
    for panel in panels:
        if panel not in PANELS:
            raise table.error(f"there is no panel {shortened(panel)}; there are: {', '.join(PANELS)}", "panels")
    return tuple(panels)


def _question(table: Table) -> Question | None:
    if not table.has("question"):
        for key in ("answer", "choices", "right"):
            if table.has(key):
                raise table.error(f"{key} belongs to a question", key)
        return None
    question, answer = _long_text(table, "question"), _long_text(table, "answer")
    choices = table.take("choices", list, [])
    if len(choices) > _MOST_CHOICES or not all(isinstance(c, str) and c.strip() for c in choices):
        raise table.error(f"choices is a list of at most {_MOST_CHOICES} texts", "choices")
    right = table.number("right")
    if bool(choices) != bool(right) or right > len(choices):
        raise table.error("right is the number of the right one among the choices, from 1", "right")
    return Question(question, answer, tuple(" ".join(choice.split())[:_LONGEST_LINE] for choice in choices), right - 1)


def _node_named(table: Table, value: Any, key: str) -> str:
    """Return the id of a node as text."""
    named = isinstance(value, str) and value.strip() and len(value) <= 60
    if not named and (not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 63):
        raise table.error(f"{key}: a node is its id, not {shortened(value, 80)}", key)
    return str(value).strip()


def _node_of(table: Table, key: str, default: str | None = None, *, none: bool = False) -> str | None:
    """Take a node, or the default where it is missing; "" where there may be ``none``."""
    if not table.has(key):
        return default
    value = table.take(key, (str, int))
    return None if none and value == "" else _node_named(table, value, key)


def _nodes(table: Table, key: str) -> tuple[str, ...]:
    """Take a list of nodes, empty where it is missing."""
    listed = table.take(key, list, [])
    if len(listed) > _MOST_MARKS:
        raise table.error(f"{key} has at most {_MOST_MARKS:,} nodes", key)
    return tuple(_node_named(table, value, key) for value in listed)


def _long_text(table: Table, key: str) -> str:
    """Take a text of several paragraphs, empty where it is missing."""
    text = str(table.take(key, str, "")).strip()
    if len(text) > _LONGEST_TEXT:
        raise table.error(f"{key} has at most {_LONGEST_TEXT:,} characters", key)
    return text


def new_lesson(title: str, first: Moment, path: str | Path) -> Lesson:
    """Write a lesson of one moment. Raises ``WriteError``."""
    head = f"kind = {_value(KIND)}\nversion = {VERSION}\ntitle = {_value(title)}\n"
    return _write(head + "\n" + moment_text(first), Path(path))


def append_moment(lesson: Lesson, moment: Moment) -> Lesson:
    """Write a moment at the end of a lesson's file; return the lesson as it is then.

    Raises ``FormatError`` where the file is no longer a lesson, and ``WriteError``.
    """
    text = read_text(lesson.path)
    return _write(f"{text.rstrip()}\n\n{moment_text(moment)}", lesson.path)


def replace_moment(lesson: Lesson, index: int, moment: Moment) -> Lesson:
    """Write a moment of a lesson anew, without the comments in it; return the lesson as it is then.

    Raises ``FormatError`` where the file is not that lesson any more, and ``WriteError``.
    """
    text = read_text(lesson.path)
    if parse_lesson(text, lesson.path) != lesson:
        raise FormatError("the file was changed meanwhile: read the lesson again (Ctrl+F5)", lesson.path)
    lines = text.split("\n")
    begin = lesson.moments[index].line - 1
    end = lesson.moments[index + 1].line - 1 if index + 1 < len(lesson.moments) else len(lines)
    while end > begin and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1  # what stands above the next moment belongs to that
    return _write("\n".join([*lines[:begin], moment_text(moment).rstrip("\n"), *lines[end:]]), lesson.path)


def moment_text(moment: Moment) -> str:
    """Return a moment as TOML: search, step and view, which else would be those of the moment before, and words."""
    search, marks, question = moment.search, moment.marks, moment.question
    values: dict[str, Any] = {
        "network": search.network,
        "algorithm": search.algorithm,
        "device": search.device,
        "when": moment.when.text,
        "view": [] if moment.view is None else [round(degrees, 6) for degrees in moment.view],
    }
    further = {
        "metric": search.metric,
        "options": dict(search.options),
        "source": _node(search.source),
        "target": _node(search.target),
        "sample": search.sample,
        "closed": _pairs(search.closed),
        "beside": [_plain_other(other) for other in search.beside],
        "name": moment.name,
        "title": moment.title,
        "nodes": [_node(node) for node in marks.nodes],
        "arcs": _pairs(marks.arcs),
        "route": _node(marks.route),
        "cells": marks.cells or None,
        "flows": True if marks.flows else None,
        "panels": list(moment.panels),
        "predict": True if moment.predict else None,
        "text": moment.text,
    }
    if question is not None:
        further |= {"question": question.text, "answer": question.answer}
        further |= {"choices": list(question.choices), "right": question.right + 1} if question.choices else {}
    values |= {key: value for key, value in further.items() if value not in (None, "", [], {})}
    return "[[moment]]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in values.items())


def _write(text: str, path: Path) -> Lesson:
    lesson = parse_lesson(text, path)  # what is written can be read
    write_text_whole(path, text)
    return lesson


def _plain_other(other: OtherSearch) -> str | dict[str, Any]:
    """Return a search beside a moment's own: its name alone, unless more is said of it."""
    further = {"options": dict(other.options), "device": other.device}
    said = {key: value for key, value in further.items() if value}
    return {"algorithm": other.algorithm, **said} if said else other.algorithm


def _node(name: str | None) -> int | str | None:
    """Return a node as it is written: an id as a number."""
    return None if name is None else int(name) if re.fullmatch(r"-?\d{1,18}", name) else name


def _pairs(arcs: tuple[tuple[str, str], ...]) -> list[list[int | str | None]]:
    return [[_node(tail), _node(head)] for tail, head in arcs]


def _value(value: Any) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        lines = [_line(line) for line in value.split("\n")]
        return f'"{lines[0]}"' if len(lines) == 1 else '"""\n' + "\n".join(lines) + '"""'
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
    return repr(value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _line(text: str) -> str:
    """Return a line as it stands in a TOML text: escaped as in JSON, with what stands for no character replaced."""
    known = text.encode("utf-8", "replace").decode()
    return json.dumps(known, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")


FOLDER = "tours"
MOST_LISTED = 200
"""Lessons of a folder that are listed."""


def tour_path(name: str) -> Path:
    """Return the file of a tour. Raises ``KeyError`` for a name that is none: a name may be a stranger's."""
    return asset(f"{FOLDER}/{name}{SUFFIX}") if name in TOURS else _no_tour(name)


def is_tour(path: Path) -> bool:
    """Return whether a file is one of the tours, which are not to be changed."""
    return path.stem in TOURS and path == tour_path(path.stem)


def lessons_in(folder: str | Path) -> list[Path]:
    """Return the files in a folder that are lessons by their names, in order; none where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.name.lower().endswith(SUFFIX))
    except (OSError, ValueError):
        return []
    return [Path(folder) / name for name in names[:MOST_LISTED]]


def _no_tour(name: str) -> Path:
    raise KeyError(name)
