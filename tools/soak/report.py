"""The table of a soak: what was tried, how often, and every fault by its kind."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

FAULTS = {
    "tracebacks": "an exception that is not one of the program's own errors",
    "hangs": "no end within the limit",
    "crashes": "ended by a signal, or aborted",
    "bombs": "a file below 1 MB that takes more than 1 GB of memory, or memory that grows",
    "half-written": "a file that is neither the old one nor the new one, or a temporary file that stays",
    "wrong": "a distance or a tree that is not right",
    "blocked": "the event loop stood still for more than 100 ms",
}
"""The kinds of fault, in the order of the columns, and what counts as one."""

_MOST_EXAMPLES = 12


@dataclass(slots=True)
class Row:
    """One line of the table: ``tried`` attempts at ``what``, with the number of faults of each kind.

    ``taken`` of the attempts did what they would have done without an attack: a mutated file was still a network.
    """

    what: str
    tried: int = 0
    taken: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    remarks: str = ""

    def add_fault(self, kind: str, example: str) -> None:
        """Count a fault, and keep its example while there are few."""
        if kind not in FAULTS:
            raise KeyError(kind)
        self.faults[kind] += 1
        if len(self.examples) < _MOST_EXAMPLES:
            self.examples.append(f"{kind}: {example}")

    def merge(self, other: Row) -> None:
        """Add what another run of the same attempts found."""
        self.tried += other.tried
        self.taken += other.taken
        self.faults.update(other.faults)
        self.examples = (self.examples + other.examples)[:_MOST_EXAMPLES]


def table(rows: Iterable[Row]) -> str:
    """Return the rows as a Markdown table, with examples of the faults below it."""
    rows = list(rows)
    columns = ["what", "tried", *FAULTS, "remarks"]
    lines = [[row.what, f"{row.tried:,}", *(f"{row.faults[kind]:,}" for kind in FAULTS), row.remarks] for row in rows]
    widths = [max(len(line[i]) for line in [columns, *lines]) for i in range(len(columns))]
    numbers = range(1, len(FAULTS) + 2)

    def drawn(line: list[str]) -> str:
        cells = [t.rjust(w) if i in numbers else t.ljust(w) for i, (t, w) in enumerate(zip(line, widths, strict=True))]
        return f"| {' | '.join(cells)} |"

    ruler = "|".join("-" * (w + 1) + ":" if i in numbers else "-" * (w + 2) for i, w in enumerate(widths))
    text = [drawn(columns), f"|{ruler}|", *map(drawn, lines)]
    examples = [f"{row.what}: {example}" for row in rows for example in row.examples]
    return "\n".join(text + (["", "Examples:", *examples] if examples else []))


def as_json(rows: Iterable[Row], **facts: object) -> str:
    """Return the rows with every figure, and ``facts`` on the run, as a JSON text."""
    listed = [
        {"what": row.what, "tried": row.tried, **{kind: row.faults[kind] for kind in FAULTS}, "examples": row.examples}
        for row in rows
    ]
    return json.dumps({**facts, "rows": listed}, indent=2)
