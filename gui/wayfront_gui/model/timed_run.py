"""The searches that were timed: their figures, and what brings each of them back. No Qt."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any

from wayfront.search.result import BaseResult, Result, Timing
from wayfront_gui.model.choice import Choice

KEPT_BYTES = 512 << 20
"""How much of what earlier searches found is kept, so that it is shown again at once; others are run again."""


@dataclass(slots=True, eq=False)
class TimedRun:
    """One timed search.

    row          its figures, as ``summary`` of a result returns them
    choice       what was chosen for it
    content_key  of its network, and ``opened_by``: the file or the name that opens it
    timing       its times, which a run that brings it back does not take again
    found        the tree and the trace, None of all pairs, and once they were let go
    """

    row: dict[str, Any]
    choice: Choice
    content_key: str
    opened_by: str
    timing: Timing
    found: Result | None = None

    @classmethod
    def of(cls, timed: BaseResult, choice: Choice, found: Result | None) -> TimedRun:
        """Return a search that was timed just now."""
        network = timed.network
        return cls(timed.summary(), choice, network.content_key, network.origin, timed.timing, found)

    @property
    def kept_bytes(self) -> int:
        """How much memory its trace and tree take."""
        found = self.found
        if found is None:
            return 0
        trace = 0 if found.trace is None else found.trace.nbytes
        return int(found.distances.nbytes + found.parents.nbytes + trace)


def let_go(runs: Iterable[TimedRun], open_networks: Container[int]) -> None:
    """Let go what was found on networks that are closed, and what is oldest beyond ``KEPT_BYTES``.

    ``runs`` are oldest first, ``open_networks`` the identities of those that are open.
    """
    room = KEPT_BYTES
    for run in reversed(list(runs)):
        room -= run.kept_bytes
        if room < 0 or (run.found is not None and id(run.found.network) not in open_networks):
            run.found = None
