"""The rows of the search box: what was found by name and commands, in one ranking, in words. No Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wayfront.network.names import CROSSING, NODE, POSITION, ROAD, Fit, Named
from wayfront.network.positions import Position, distances_m
from wayfront_gui.app import commands
from wayfront_gui.app.commands import Command
from wayfront_gui.ui.translation import marked, plural, translated

KINDS = {
    NODE: marked("Node"),
    CROSSING: marked("Crossing"),
    POSITION: marked("Position"),
    ROAD: marked("Road"),
    "city": marked("City"),
    "town": marked("Town"),
    "village": marked("Village"),
    "suburb": marked("Suburb"),
    "quarter": marked("Quarter"),
    "hamlet": marked("Hamlet"),
    "island": marked("Island"),
    "water": marked("Water"),
    "park": marked("Park"),
    "wood": marked("Wood"),
    "glacier": marked("Glacier"),
    "river": marked("River"),
    "coast": marked("Coast"),
}
"""What each kind of thing is called."""
ONLY_COMMANDS = ">"
"""A text that begins so looks for commands alone."""
_AT_ONCE = 3
"""Commands of one fit that stand among names; more of them follow the names."""
_BEHIND = 10.0
_RANKS = {commands.Fit.BEGINNING: Fit.BEGINS - 0.5, commands.Fit.TEXT: Fit.WORDS_BEGIN - 0.5, commands.Fit.HINT: 6.0}
"""Where commands stand among names of each fit."""
_IN_PLACE_M = 2_000.0
"""So near to the middle of a place a road is in it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its text, in a few words what it is, and what it stands for."""

    text: str
    detail: str
    what: Named | Command

    @property
    def spoken(self) -> str:
        """What a screen reader says of it."""
        return f"{self.text}, {self.detail}" if self.detail else self.text


def rows_of(
    named: Sequence[Named],
    fitting: Iterable[tuple[commands.Fit, Command]],
    keys: Mapping[str, str],
    source: Position | None = None,
) -> list[Row]:
    """Return the rows of what was found by name, the best first, and of commands among them; ``keys`` by command.

    What is near no place is told by its distance from the source.
    """
    ranked = [(float(each.fit), row) for each, row in zip(named, _told_apart(named, source), strict=True)]
    met = dict.fromkeys(commands.Fit, 0)
    for fit, command in fitting:
        met[fit] += 1
        rank = _RANKS[fit] if met[fit] <= _AT_ONCE else _BEHIND + fit
        ranked.append((rank, row_of_command(command, keys)))
    return [row for _, row in sorted(ranked, key=lambda each: each[0])]


def row_of_command(command: Command, keys: Mapping[str, str]) -> Row:
    """Return the row of a command with its shortcuts."""
    return Row(command.plain_text, keys.get(command.name, ""), command)


def row_of_named(named: Named, source: Position | None = None) -> Row:
    """Return the row of something found by its name."""
    return Row(named.name, "  ·  ".join(filter(None, (_kind(named), _where(named, source)))), named)


def _told_apart(named: Sequence[Named], source: Position | None) -> Iterator[Row]:
    """Yield the rows of what was found; those that would read the same, with their coordinates."""
    rows = [row_of_named(each, source) for each in named]
    met = Counter((row.text, row.detail) for row in rows)
    for each, row in zip(named, rows, strict=True):
        alike = met[row.text, row.detail] > 1 and each.at is not None
        yield replace(row, detail=f"{row.detail}  ·  {each.at}") if alike else row


def _kind(named: Named) -> str:
    kind = translated(KINDS[named.kind])
    if named.kind == ROAD and named.length_m >= 1:
        return f"{kind}, {length(named.length_m)}"
    if named.kind in ("city", "town", "village") and named.size:
        return f"{kind}, {plural('{count:,} inhabitant', '{count:,} inhabitants', named.size)}"
    return kind


def _where(named: Named, source: Position | None) -> str:
    if named.kind == POSITION:
        return translated("{distance} from the nearest node", distance=length(named.length_m))
    if named.near and named.near_m <= _IN_PLACE_M:
        return named.near
    if named.near:
        return translated("{distance} from {place}", distance=length(named.near_m), place=named.near)
    if source is None or named.at is None:
        return ""
    metres = float(distances_m(np.rint(np.array([[named.at.east, named.at.north]]) * 1e6).astype(np.int64), source)[0])
    return translated("{distance} away from the source", distance=length(metres))


def length(metres: float) -> str:
    """Return a length in metres or kilometres."""
    if metres < 1_000:
        return f"{metres:.0f} m"
    return f"{metres / 1_000:,.{1 if metres < 10_000 else 0}f} km"
