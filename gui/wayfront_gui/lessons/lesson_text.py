"""Write lessons: a new file, and a moment at the end of one, so that comments and order of a person's own stay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wayfront.errors import FormatError
from wayfront.files import write_text_whole
from wayfront_gui.lessons.lesson import Lesson, Moment, OtherSearch
from wayfront_gui.lessons.lesson_file import KIND, VERSION, parse_lesson, read_text

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_CONTROL = re.compile(r'[\x00-\x1f\x7f"\\\ud800-\udfff]')


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
        "beside": [_other(other) for other in search.beside],
        "name": moment.name,
        "title": moment.title,
        "nodes": [_node(node) for node in marks.nodes],
        "arcs": _pairs(marks.arcs),
        "route": _node(marks.route),
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


def _other(other: OtherSearch) -> str | dict[str, Any]:
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
        return _multiline(value) if "\n" in value else f'"{_CONTROL.sub(_escape, value)}"'
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
    return repr(value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _multiline(text: str) -> str:
    lines = (_CONTROL.sub(_escape, line) for line in text.split("\n"))
    return '"""\n' + "\n".join(lines) + '"""'


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    code = ord(character)
    if 0xD800 <= code < 0xE000:
        return "?"
    return _ESCAPES.get(character, f"\\u{code:04x}")
