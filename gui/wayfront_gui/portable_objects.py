"""Reads gettext's ``.po`` files, the form in which translators work: the English text, and below it the translation.

They are read as they are. A compiled ``.mo`` beside each would be one more file that could be out of date, for a few
milliseconds at the start of a program that speaks another language than English.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from wayfront.errors import WayfrontError

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
