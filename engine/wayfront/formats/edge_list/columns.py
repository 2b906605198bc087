"""What stands where in a line of a table: separators, titles, and whether a text is a table of arcs at all."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

SEPARATORS = (",", ";", "\t")
COMMENT = "#"
FEWEST = 3
"""Fields of a line: tail, head and weight at least."""

TAILS = ("tail", "source", "from", "u", "start")
HEADS = ("head", "target", "to", "v", "end")
NODES = ("node", "id")
IGNORED = ("id", "type", "label", "kind")
"""Columns that other programs write beside arcs and that say nothing of their weights."""

_NUMBER = re.compile(r"\s*[-+]?[.,]?\d")
_METRIC = re.compile(r"(?P<name>[^\[\]]+?)\s*(?:\[\s*(?:(?P<scale>[0-9.eE+-]+)\s+)?(?P<unit>[^\[\]\s]+)\s*\])?\s*")
_OTHER_TEXT = re.compile(rb"\A\s*[\[{<%]|^[ \t]*p[ \t]+(sp|aux)[ \t]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Table:
    """How a table is laid out, as its first line says: its separator, and the titles, none where it has none."""

    separator: str
    titles: tuple[str, ...]

    @classmethod
    def of(cls, first: str, numeric: int) -> Table:
        """Return the layout; the first line has titles unless a number stands in field ``numeric``."""
        separator = max(SEPARATORS, key=first.count)
        fields = split(first, separator)
        has_titles = len(fields) <= numeric or _NUMBER.match(fields[numeric]) is None
        return cls(separator, tuple(field.strip() for field in fields) if has_titles else ())

    def column(self, names: Sequence[str]) -> int:
        """Return the index of the first column with one of these titles, -1 for none."""
        titles = [title.lower() for title in self.titles]
        return next((titles.index(name) for name in names if name in titles), -1)


def split(line: str, separator: str) -> list[str]:
    """Return the fields of a line. Raises ``csv.Error`` for quotes that do not close."""
    return next(csv.reader([line], delimiter=separator, strict=True)) if '"' in line else line.split(separator)


def is_skipped(line: str) -> bool:
    """Return whether a line is blank or a comment."""
    return not line.strip() or line.lstrip().startswith(COMMENT)


def metric_title(title: str) -> tuple[str, str, float] | None:
    """Return name, unit and scale that the title of a column such as ``length [0.1 m]`` says, None for no title."""
    found = _METRIC.fullmatch(title)
    if found is None:
        return None
    try:
        scale = float(found["scale"] or 1.0)
    except ValueError:
        return None
    return (found["name"], found["unit"] or "", scale) if 0 < scale < float("inf") else None


def title_of_metric(name: str, unit: str, scale: float) -> str:
    """Return the title of a column of weights, which ``metric_title`` reads."""
    if not unit:
        return name
    return f"{name} [{unit}]" if scale == 1 else f"{name} [{scale!r} {unit}]"


def looks_like_arcs(head: bytes) -> bool:
    """Return whether a text begins like a table of arcs: titles of three columns or more, or an arc."""
    if b"\0" in head or _OTHER_TEXT.search(head):
        return False
    lines = [line for line in head.decode("utf-8-sig", "replace").splitlines() if not is_skipped(line)]
    first, second = (_fields(line) for line in (*lines, "", "")[:2])
    if len(first) < FEWEST:
        return False
    titles = [title.strip().lower() for title in first]
    titled = bool({*TAILS} & {*titles} and {*HEADS} & {*titles}) or titles[0] in NODES
    return titled or any(len(row) >= FEWEST and _NUMBER.match(row[2]) is not None for row in (first, second))


def _fields(line: str) -> list[str]:
    try:
        return split(line, Table.of(line, FEWEST - 1).separator)
    except csv.Error:
        return []
