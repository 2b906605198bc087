"""What a slot shows of a search, so that it can be shown again: what was found, and at which step or as tree. No Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from wayfront.network.copies import begin_of
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, RouteResult
from wayfront_gui.session.choice import Choice
from wayfront_gui.session.pairs import MatrixReplay, Pairs
from wayfront_gui.session.slot import Live, Slot

Found = Result | Pairs | Live
"""What a slot may show: a tree or route, all pairs, or what a search recorded that was stopped."""


@dataclass(slots=True, eq=False)
class Shown:
    """What a slot showed while ``choice`` was chosen.

    found     what was found; None where the search for it still ran, and once it was let go
    matrix    of all pairs on a small network
    position  the step of the replay
    tree      whether the finished tree was shown instead of a step
    recorded  whether there was a replay, so that a search without one does not bring it back
    """

    choice: Choice
    found: Found | None
    matrix: MatrixReplay | None
    position: float
    tree: bool
    recorded: bool

    @classmethod
    def of(cls, slot: Slot, choice: Choice, *, searching: bool) -> Shown | None:
        """Return what a slot shows for ``choice``, None for nothing; ``searching`` says that a search still runs."""
        found = _found(slot)
        if isinstance(found, Live) and not found.stopped:
            return cls(choice, None, None, 0.0, False, recorded=True)
        if isinstance(found, Result) and not _is_of(found, choice):  # one from before, while its own is on its way
            found = None
        if found is None:
            return cls(choice, None, None, 0.0, False, recorded=True) if searching else None
        player = slot.player
        return cls(choice, found, slot.matrix, player.position, slot.tree_shown, player.trace is not None)

    def is_on(self, slot: Slot) -> bool:
        """Return whether the slot shows the same now."""
        return self.found is not None and _found(slot) is self.found

    def found_on(self, network: RoadNetwork | None) -> Found | None:
        """Return what was found if that is still kept and of this network."""
        if isinstance(self.found, Live):
            return self.found
        return self.found if self.found is not None and self.found.network is network else None


def _found(slot: Slot) -> Found | None:
    return None if slot.dragged is not None else slot.live or slot.pairs or slot.result


def _is_of(result: Result, choice: Choice) -> bool:
    """Return whether a result is of a choice; algorithm and metric may have been chosen since, for the next search."""
    same = (begin_of(result.network, result.source), result.reverse) == (choice.source, choice.reverse)
    same = same and np.array_equal(result.closures, choice.closures)
    if not same or not isinstance(result, RouteResult):
        return same
    return begin_of(result.network, result.target) == choice.targets.shown


def bytes_of(found: Found | None) -> int:
    """Return how much memory something found takes."""
    if found is None:
        return 0
    trace = 0 if found.trace is None else found.trace.nbytes
    if isinstance(found, Result):
        return int(found.distances.nbytes + found.parents.nbytes + trace)
    pairs = found if isinstance(found, Pairs) else found.pairs
    return trace if pairs is None else trace + pairs.sources.nbytes + _bytes(pairs.figures)


def _bytes(figures: Any) -> int:
    return sum(getattr(figures, field.name).nbytes for field in fields(figures))


def let_go(kept: Iterable[Shown], most_bytes: int) -> None:
    """Let go what was found beyond ``most_bytes``, of ``kept`` the last first; the same found twice counts once."""
    room, counted = most_bytes, set[int]()
    for each in kept:
        if each.found is not None and id(each.found) not in counted:
            counted.add(id(each.found))
            room -= bytes_of(each.found)
        if room < 0:
            each.found = each.matrix = None
