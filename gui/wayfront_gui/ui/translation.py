"""Every visible text in the language of the person who reads it.

Texts stand in the code in English, as whole sentences with named fields, and are looked up where they are shown::

    translated("Save picture…")
    translated("step {step:,} of {steps:,}", step=7, steps=20)
    plural("{count:,} node", "{count:,} nodes", len(nodes))

A table that is made when a module is imported, before the language is known, holds ``marked("Save picture…")``, and who
shows it calls ``translated`` on that. The engine writes English; ``translated_message`` finds the sentence that an
error or a step's note was made from, and puts its fields into the translation.

What a text was made from is remembered, so that ``made_again`` finds for any text that is seen what it is in another
language: a window changes its language without being made anew.

``assets/translations`` has a folder for each language, with gettext's ``.po`` files as translators know them.
``tools/catalogues.py`` gathers the texts of the program and brings these files up to date.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from wayfront.safe.errors import WayfrontError
from wayfront_gui.resources import asset

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "ja": "日本語"}
"""The languages that there are texts in, each as those who speak it call it."""
SYSTEM = "system"
"""Stands for the language that a person's system has."""
FOLDER = "translations"
FIELD = re.compile(r"\{(\w+)(?::[^{}]*)?\}")
"""A named field of a text, with its format."""
_KEY_BEHIND = re.compile(r"\(&\w\)")
"""The menu key of a language that is not written in letters stands behind the text."""
LEAST_WORDS = 2
"""A sentence is recognised by its words outside the fields; with fewer of them it could be any."""


class Catalogue:
    """The texts of one language: ``texts`` maps the English one to its forms, one for each number that differs."""

    def __init__(
        self,
        texts: Mapping[str, tuple[str, ...]],
        form_of: Callable[[int], int] = lambda count: 0,
        language: str = "",
    ) -> None:
        self._texts = texts
        self._form_of = form_of
        self._language = language
        self._sentences: list[tuple[str, str]] | None = None

    @property
    def language(self) -> str:
        """The code of the language, "" where it has none."""
        return self._language

    def text(self, english: str) -> str:
        """Return the translation of a text, or the text itself where there is none, nor one that was added."""
        forms = self._texts.get(english)
        return _added.get(self._language, {}).get(english, english) if forms is None else forms[0]

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
_added: Mapping[str, Mapping[str, str]] = {}


def use(catalogue: Catalogue | None) -> None:
    """Show texts from a catalogue from now on; ``None`` shows English."""
    global _current  # noqa: PLW0603 - a process has one language
    _current = catalogue
    _found.cache_clear()


def add_texts(texts: Mapping[str, Mapping[str, str]]) -> None:
    """Know texts that the program has not, by language and English text, in place of those that were added before."""
    global _added  # noqa: PLW0603 - a process has one language
    _added = texts
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
    return Catalogue({each.text: each.forms for each in entries if each.done}, plural_rule(rule), folder.name)


def marked(text: str) -> str:
    """Return the text as it is; it is to be translated where it is shown."""
    return text


def translated(text: str, /, **fields: Any) -> str:
    """Return a text in the language in use, with its fields filled in."""
    shown = text if _current is None else _current.text(text)
    return _remember(shown.format(**fields) if fields else shown, translated, (text,), fields)


def plural(one: str, many: str, count: int, /, **fields: Any) -> str:
    """Return the form of a text that goes with a number, with its fields filled in; ``{count}`` is the number."""
    shown = (one if count == 1 else many) if _current is None else _current.form(one, many, count)
    return _remember(shown.format(count=count, **fields), plural, (one, many, count), fields)


def translated_message(message: str) -> str:
    """Return a finished English message of the engine in the language in use, unchanged where it is not known."""
    return _remember(message if _current is None else _found(message), translated_message, (message,), {})


def without_key(text: str) -> str:
    """Return a menu's or a command's text without the mark of its menu key: ``&Open``, ``開く(&O)``."""
    return _KEY_BEHIND.sub("", text).replace("&", "")


def _with_capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class Made(NamedTuple):
    """What a text was made from: by which function of these, of what, and what was done to it then."""

    make: Callable[..., str]
    given: tuple[Any, ...]
    fields: Mapping[str, Any]
    then: Callable[[str], str] = str

    @property
    def stands_alone(self) -> bool:
        """Whether it is rather a label than a word of a sentence: it begins with a capital letter in English."""
        return self.then is _with_capital or str(self.given[0])[:1].isupper()

    def again(self) -> str:
        """Return the text in the language in use."""
        fields = {name: made_again(value) if isinstance(value, str) else value for name, value in self.fields.items()}
        return self.then(self.make(*self.given, **fields))


class _Memory:
    """Every text that was made: those without fields for good, the last thousands of those with fields."""

    def __init__(self) -> None:
        self.fixed: dict[str, Made] = {}
        self.recent: dict[str, Made] = {}
        self.older: dict[str, Made] = {}

    def add(self, text: str, made: Made) -> None:
        if not text:
            return
        if made.fields or made.make is not translated:
            if len(self.recent) >= REMEMBERED:
                self.recent, self.older = {}, self.recent
            kept = self.recent
        else:
            kept = self.fixed
        if text not in kept or made.stands_alone:
            kept[text] = made

    def find(self, text: str) -> Made | None:
        """Return what a text was made from; of several that are one text in a language, that which stands alone."""
        found = [kept[text] for kept in (self.fixed, self.recent, self.older) if text in kept]
        return max(found, key=lambda made: made.stands_alone, default=None)


REMEMBERED = 20_000
_memory = _Memory()
_JOINTS = [re.compile(f"({joint})") for joint in (r"\n+", "; ", "(?<! ) +· +", " {2,}", " — ", r" \(|\)", ": ", ", ")]
"""What texts are joined by, the loosest first."""


def _remember(text: str, make: Callable[..., str], given: tuple[Any, ...], fields: Mapping[str, Any]) -> str:
    _memory.add(text, Made(make, given, fields))
    if "&" in text:
        _memory.add(without_key(text), Made(make, given, fields, without_key))
    return text


def made_from(text: str) -> Made | None:
    """Return what a text that is seen was made from, None where that is not known."""
    return _memory.find(text)


def made_again(text: str) -> str:
    """Return a text that is seen, or each part of it that was made by itself, in the language in use."""
    made = _memory.find(text)
    if made is not None:
        return made.again()
    small = text[:1].lower() + text[1:]
    if small != text and text[1:] and (made := _memory.find(small)) is not None:  # one letter is a key, not a word
        made = made._replace(then=_with_capital)
        again = made.again()
        _memory.add(again, made)
        return again
    best, most = text, 0
    for joint in _JOINTS:
        parts = joint.split(text)
        renewed = [part if index % 2 else made_again(part) for index, part in enumerate(parts)] if parts[1:] else parts
        made_anew = sum(len(part) for part, new in zip(parts, renewed, strict=True) if part != new)
        if made_anew > most:  # a sentence may have this sign within it, and a word or key of another text behind that
            best, most = "".join(renewed), made_anew
    return best


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
    """Return what matches every message made from a text; a field that occurs twice is the same twice.

    A field ends where the words behind it first occur, and no other end is tried: with a choice for each of several
    fields, a long message would take for ever.
    """
    fields = list(FIELD.finditer(text))
    pattern, seen = re.escape(text[: fields[0].start()]) if fields else re.escape(text), set[str]()
    for index, hole in enumerate(fields):
        last = index + 1 == len(fields)
        behind = re.escape(text[hole.end() : None if last else fields[index + 1].start()])
        if hole[1] in seen:
            pattern += f"(?P={hole[1]}){behind}"
        else:
            pattern += f"(?P<{hole[1]}>.*?){behind}" if last else f"(?>(?P<{hole[1]}>.*?){behind})"
        seen.add(hole[1])
    return re.compile(pattern, re.DOTALL)


_LINE = re.compile(r'(?:(msgid|msgid_plural|msgstr)(?:\[(\d)\])?\s+)?"((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")
_CHARACTERS = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


class CatalogueError(WayfrontError, ValueError):
    """A catalogue of translations is malformed; the message names file and line."""


@dataclass(slots=True)
class Entry:
    """One text: in English, its plural where it has one, its translations by number, where it is used, its flags."""

    text: str = ""
    plural: str = ""
    forms: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    flags: frozenset[str] = field(default_factory=frozenset)

    @property
    def done(self) -> bool:
        """Whether it is translated, and nobody asked to look at it again."""
        return all(self.forms) and bool(self.forms) and "fuzzy" not in self.flags


def read_entries(path: Path) -> tuple[dict[str, str], list[Entry]]:
    """Return the header and the entries of a file. Raises ``CatalogueError`` with file and line."""
    header: dict[str, str] = {}
    entries: list[Entry] = []
    for number, lines in _paragraphs(path):
        entry = _entry(path, number, lines)
        if entry is None:
            continue
        if entry.text:
            entries.append(entry)
        else:
            header = dict(line.split(": ", 1) for line in "".join(entry.forms).splitlines() if ": " in line)
    return header, entries


def plural_rule(rule: str) -> Callable[[int], int]:
    """Return which form a number takes, by a header's ``Plural-Forms``; without one all numbers take the first."""
    expression = rule.partition("plural=")[2].rstrip("; \n")
    return gettext.c2py(expression) if expression else lambda count: 0


def _paragraphs(path: Path) -> list[tuple[int, list[str]]]:
    """Return what stands between empty lines, each with the number of its first line."""
    paragraphs: list[tuple[int, list[str]]] = [(1, [])]
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if line.strip():
            paragraphs[-1][1].append(line)
        else:
            paragraphs.append((number + 1, []))
    return [(number, lines) for number, lines in paragraphs if lines]


def _entry(path: Path, first: int, lines: list[str]) -> Entry | None:
    """Return the entry of a paragraph, ``None`` for remarks and for texts that the program no longer has."""
    entry, parts, key = Entry(), dict[tuple[str, int], str](), ("", 0)
    for number, line in enumerate(lines, first):
        if line.startswith("#,"):
            entry.flags |= {flag.strip() for flag in line[2:].split(",")}
        elif line.startswith("#:"):
            entry.notes += (line[2:].strip(),)
        elif not line.startswith("#"):
            found = _LINE.fullmatch(line.strip())
            if found is None or (found[1] is None and not key[0]):
                raise CatalogueError(f'{path.name}, line {number}: expected msgid, msgstr or a text in "quotes"')
            if found[1] is not None:
                key = (found[1], int(found[2] or 0))
                parts[key] = ""
            parts[key] += _ESCAPED.sub(lambda mark: _CHARACTERS.get(mark[1], mark[1]), found[3])
    if not parts:
        return None
    if ("msgid", 0) not in parts or ("msgstr", 0) not in parts:
        raise CatalogueError(f"{path.name}, line {first}: an entry has a msgid and a msgstr")
    entry.text, entry.plural = parts["msgid", 0], parts.get(("msgid_plural", 0), "")
    entry.forms = tuple(parts[each] for each in sorted(parts) if each[0] == "msgstr")
    return entry
