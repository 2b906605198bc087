"""Times that were saved before, to be compared with those of now.

A baseline is the JSON file that ``compare`` writes. It may come from anywhere: it is read whole or refused, and nothing
is taken from it but the figures that are compared and the texts that are shown. No Qt.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wayfront.safe.errors import FormatError, OptionError, SchemaError
from wayfront.safe.files import read_at_most
from wayfront.safe.schema import parse_json
from wayfront.safe.text import printable, shortened
from wayfront.version import JSON_SCHEMA_VERSION

LONGEST_FILE = 16 << 20
"""Bytes: a row takes about one thousand."""
MOST_ROWS = 10_000
_WRITTEN_BY = "'wayfront compare --save FILE.json' writes such a file"
_LONGEST_TEXT = 200
_LONGEST_MS = 1e12
_HARDWARE = ("processor", "card")

Row = dict[str, Any]
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Before:
    """One row of a baseline: what it found, its times in milliseconds, and on what and when they were measured."""

    found: tuple[int | None, ...]
    median: float
    low: float
    high: float
    runs: int
    hardware: str
    date: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The rows of a file by what they timed; ``place`` is the network, metric, ends and closed roads of each."""

    path: str
    rows: Mapping[Key, Before]

    def require(self, row: Row) -> None:
        """Raise ``OptionError`` unless some search of the baseline was on this network, by this metric, from there."""
        if not any(key[0] == _place(row) for key in self.rows):
            network = row["network"]
            asked = f"{network['nodes']:,} nodes by {network['metric']} {_ends(row)}"
            raise OptionError(
                f"{self.path} has no times of {asked}, with these roads closed: leave --against out or name other times"
            )

    def beside(self, row: Row) -> tuple[Row, str]:
        """Return a row with the baseline's figures, and what is to be said of that, if anything.

        ``before`` has the baseline's times, ``ratio`` is the median of now over that of before, and ``ratio_between``
        the least and the most that the runs of both make of it.
        """
        before = self.rows.get(_key(row))
        name = f"{row['algorithm']} on {row['device_name']}"
        if before is None:
            return row, f"{name} is not in {self.path}"
        if before.found != _found(row):
            return row, f"{name} found other distances in {self.path}: that was another network"
        time = row["time_ms"]
        figures = {"median": before.median, "min": before.low, "max": before.high, "runs": before.runs}
        between = [time["min"] / before.high, time["max"] / before.low]
        compared = {"before": figures, "ratio": time["median"] / before.median, "ratio_between": between}
        hardware = _hardware(row["machine"])
        said = f"{self.path} was measured on {before.hardware}, not on {hardware}"
        return row | compared, said if before.hardware != hardware else ""


def verdict(row: Row) -> str:
    """Return whether a row with a baseline is faster, slower, or neither: its runs and the baseline's overlap."""
    low, high = row["ratio_between"]
    return "slower" if low > 1 else "faster" if high < 1 else "same"


def read_baseline(path: str | Path) -> Baseline:
    """Return the rows of a file of times. Raises ``FormatError`` for a file that is none of ours, or not whole."""
    content = read_at_most(path, LONGEST_FILE, "it is too large to be times of wayfront compare")
    try:
        plain = parse_json(content, LONGEST_FILE, "the file")
    except SchemaError as problem:
        raise FormatError(f"it holds no times, {problem}: {_WRITTEN_BY}", path, problem.line) from None
    try:
        rows = _rows(plain)
    except (KeyError, TypeError, IndexError):
        rows = None
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST_ROWS:
        raise FormatError(f"it holds no times; {_WRITTEN_BY}", path)
    read: dict[Key, Before] = {}
    for number, row in enumerate(rows, 1):
        try:
            _require_table(row)
            key, before = _key(row), _before(row)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as problem:
            what = f"it lacks {problem}" if isinstance(problem, KeyError) else printable(str(problem)[:_LONGEST_TEXT])
            raise FormatError(f"row {number} is no time of a search ({what})", path) from None
        read[key] = before
    return Baseline(printable(str(path)), read)


def timings_record(rows: Sequence[Mapping[str, Any]]) -> Row:
    """Return timed rows as one JSON object, in which each network and each machine stands once.

    A row names both by their index in ``networks`` and ``machines``.
    """
    networks, machines = (_each_once([row[name] for row in rows]) for name in ("network", "machine"))
    numbered = [
        {**row, "network": networks.index(row["network"]), "machine": machines.index(row["machine"])} for row in rows
    ]
    return {"schema_version": JSON_SCHEMA_VERSION, "networks": networks, "machines": machines, "rows": numbered}


def _each_once(values: Sequence[Any]) -> list[Any]:
    return [value for index, value in enumerate(values) if value not in values[:index]]


def _rows(record: Any) -> Any:
    """Return the rows of a record with network and machine; files of before it had numbered ones have both there."""
    rows = record["rows"]
    if "networks" not in record or not isinstance(rows, list) or len(rows) > MOST_ROWS:
        return rows
    networks, machines = record["networks"], record["machines"]
    return [row | {"network": networks[row["network"]], "machine": machines[row["machine"]]} for row in rows]


def compared(rows: Sequence[Row], baseline: Baseline) -> tuple[list[Row], list[str]]:
    """Return rows with the baseline's figures, and what is to be said, each sentence once."""
    both = [baseline.beside(row) for row in rows]
    return [row for row, _ in both], list(dict.fromkeys(said for _, said in both if said))


def _require_table(row: object) -> None:
    if not isinstance(row, dict):
        raise TypeError(f"it is {shortened(row)}, not a table")


def _place(row: Row) -> Key:
    network = row["network"]
    sizes = _whole(network["nodes"]), _whole(network["arcs"]), _whole(row["closed_arcs"])
    ends = json.dumps(row["source"]), json.dumps(row.get("target")), bool(row.get("reverse", False))
    return *sizes, _text(network["metric"]), *ends


def _ends(row: Row) -> str:
    ends = [f"node {row[name]}" for name in ("source", "target") if name in row]
    if row.get("reverse", False):
        return f"to {ends[0]}{f' from {ends[1]}' if len(ends) > 1 else ''}"
    return f"from {' to '.join(ends)}"


def _key(row: Row) -> Key:
    options = sorted((_text(name), str(value)) for name, value in row["options"].items())
    return _place(row), _text(row["algorithm"]), _text(row["device"]), tuple(options)


def _found(row: Row) -> tuple[int | None, ...]:
    """Return what any search from there finds: sums over its tree, or the distance of a target, None without a path."""
    if "target" in row:
        return (None if row["distance"] is None else _whole(row["distance"]),)
    return tuple(_whole(row[name]) for name in ("reached", "sum_distance", "max_distance"))


def _before(row: Row) -> Before:
    time, machine = row["time_ms"], row["machine"]
    median, low, high = (_milliseconds(time[name]) for name in ("median", "min", "max"))
    if not low <= median <= high:
        raise ValueError("its median is not between its least and its most")
    date = _text(machine.get("date", ""))
    return Before(_found(row), median, low, high, _whole(time["runs"]), _hardware(machine), date)


def _hardware(machine: Mapping[str, Any]) -> str:
    return " with ".join(_text(machine[name]) for name in _HARDWARE if machine.get(name))


def _milliseconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("a time is a number")
    if not (math.isfinite(value) and 0 < value < _LONGEST_MS):
        raise ValueError("a time is more than 0 ms")
    return float(value)


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("a count is a whole number")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT:
        raise TypeError("a name is a text")
    return printable(value)
