"""Every visible text in the language of the person who reads it.

Texts stand in the code in English, as whole sentences with named fields, and are looked up where they are shown::

    translated("Save picture…")
    translated("step {step:,} of {steps:,}", step=7, steps=20)
    plural("{count:,} node", "{count:,} nodes", len(nodes))

A table that is made when a module is imported, before the language is known, holds ``marked("Save picture…")``, and who
shows it calls ``translated`` on that. The engine writes English; ``translated_message`` finds the sentence that an
error or a step's note was made from, and puts its fields into the translation.

``assets/translations`` has a folder for each language, with gettext's ``.po`` files as translators know them.
``tools/catalogues.py`` gathers the texts of the program and brings these files up to date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from wayfront_gui.portable_objects import Entry, plural_rule, read_entries
from wayfront_gui.resources import asset

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "ja": "日本語"}
"""The languages that there are texts in, each as those who speak it call it."""
SYSTEM = "system"
"""Stands for the language that a person's system has."""
FOLDER = "translations"
FIELD = re.compile(r"\{(\w+)(?::[^{}]*)?\}")
"""A named field of a text, with its format."""
LEAST_WORDS = 2
"""A sentence is recognised by its words outside the fields; with fewer of them it could be any."""


class Catalogue:
    """The texts of one language: ``texts`` maps the English one to its forms, one for each number that differs."""

    def __init__(self, texts: Mapping[str, tuple[str, ...]], form_of: Callable[[int], int] = lambda count: 0) -> None:
        self._texts = texts
        self._form_of = form_of
        self._sentences: list[tuple[str, str]] | None = None

    def text(self, english: str) -> str:
        """Return the translation of a text, or the text itself where there is none."""
        return self._texts.get(english, (english,))[0]

    def form(self, one: str, many: str, count: int) -> str:
        """Return the form of a text that goes with ``count`` things."""
        forms = self._texts.get(one)
        if forms is None:
            return one if count == 1 else many
        return forms[min(self._form_of(count), len(forms) - 1)]

    def sentence(self, message: str) -> tuple[str, dict[str, str]] | None:
        """Return the English sentence that a message was made from and its fields, ``None`` where it is not known."""
        if self._sentences is None:
            with_fields = (text for text in self._texts if FIELD.search(text))
            known = [text for text in with_fields if len(FIELD.sub(" ", text).split()) >= LEAST_WORDS]
            known.sort(key=lambda text: -len(FIELD.sub("", text)))  # the most telling one first
            self._sentences = [(max(FIELD.sub("\0", text).split("\0"), key=len), text) for text in known]
        for words, text in self._sentences:
            if words in message and (found := _pattern(text).fullmatch(message)):
                return text, found.groupdict()
        return None


_current: Catalogue | None = None  # English needs none


def use(catalogue: Catalogue | None) -> None:
    """Show texts from a catalogue from now on; ``None`` shows English."""
    global _current  # noqa: PLW0603 - a process has one language
    _current = catalogue
    _found.cache_clear()


def current() -> Catalogue | None:
    """Return the catalogue in use, ``None`` for English: what is kept of texts is kept for each."""
    return _current


def use_language(code: str) -> None:
    """Show texts in a language of ``LANGUAGES``. Raises ``FileNotFoundError`` for any other."""
    use(None if code == ENGLISH else read_catalogue(asset(f"{FOLDER}/{code}")))


def spoken(wanted: Iterable[str]) -> str:
    """Return the first of some wanted languages (``ja-JP``) that there are texts in; English if there is none."""
    codes = (name.replace("_", "-").partition("-")[0].lower() for name in wanted)
    return next((code for code in codes if code in LANGUAGES), ENGLISH)


def read_catalogue(folder: Path) -> Catalogue:
    """Read all files of a language. Raises ``CatalogueError`` with file and line for one that is malformed."""
    entries: list[Entry] = []
    rule = ""
    for path in sorted(folder.glob("*.po")):
        header, found = read_entries(path)
        rule = header.get("Plural-Forms", rule)
        entries += found
    return Catalogue({each.text: each.forms for each in entries if each.done}, plural_rule(rule))


def marked(text: str) -> str:
    """Return the text as it is; it is to be translated where it is shown."""
    return text


def translated(text: str, /, **fields: Any) -> str:
    """Return a text in the language in use, with its fields filled in."""
    shown = text if _current is None else _current.text(text)
    return shown.format(**fields) if fields else shown


def plural(one: str, many: str, count: int, /, **fields: Any) -> str:
    """Return the form of a text that goes with a number, with its fields filled in; ``{count}`` is the number."""
    shown = (one if count == 1 else many) if _current is None else _current.form(one, many, count)
    return shown.format(count=count, **fields)


def translated_message(message: str) -> str:
    """Return a finished English message of the engine in the language in use, unchanged where it is not known."""
    return message if _current is None else _found(message)


@lru_cache(maxsize=1024)
def _found(message: str) -> str:
    assert _current is not None
    text = _current.text(message)
    if text != message:
        return text
    sentence = _current.sentence(message)
    if sentence is not None:
        english, fields = sentence
        # A field may be a sentence of its own; a word is rather the name of something.
        fields = {name: _found(value) if " " in value else value for name, value in fields.items()}
        return FIELD.sub(lambda field: fields[field[1]], _current.text(english))
    place, colon, rest = message.partition(": ")
    return f"{place}{colon}{_found(rest)}" if rest else message


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Return what matches every message made from a text; a field that occurs twice is the same twice."""
    pattern, end, seen = "", 0, set[str]()
    for field in FIELD.finditer(text):
        pattern += re.escape(text[end : field.start()])
        pattern += f"(?P={field[1]})" if field[1] in seen else f"(?P<{field[1]}>.*?)"
        seen.add(field[1])
        end = field.end()
    return re.compile(pattern + re.escape(text[end:]), re.DOTALL)
