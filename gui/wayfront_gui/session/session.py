"""What the program has open: one or more slots on one replay clock, which of them is active, and the timings.

Panels show the active slot. They connect to the session's notices, which repeat those of the active slot and are all
called when another slot becomes active. The session uses no Qt, so that it can be driven without a window.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from wayfront.results.pairs import PairsResult
from wayfront.results.result import BaseResult, Result, Timing
from wayfront_gui.session.choice import Choice
from wayfront_gui.session.pairs import Pairs
from wayfront_gui.session.replay import ReplayClock
from wayfront_gui.session.shown import bytes_of
from wayfront_gui.session.slot import Slot
from wayfront_gui.session.state import Notice, SearchNotices, SlotState

Kept = TypeVar("Kept")


class Session(SearchNotices):
    """The slots, at least one of them, and the timings of all."""

    def __init__(self, clock: ReplayClock | None = None) -> None:
        super().__init__()
        self.clock = ReplayClock() if clock is None else clock
        self.runs: list[TimedRun] = []
        """The timed searches, the newest last."""
        self._chosen: list[TimedRun] = []
        self._ids = itertools.count(1)

        self.split = False
        """Whether several slots are shown on one map, each in a strip, and not on a map for each."""
        self.slots_changed = Notice()
        self.active_changed = Notice()
        self.timings_changed = Notice()
        self.replay_loaded = Notice()
        self.replay_moved = Notice()

        self._states: dict[Callable[..., Any], Any] = {}
        self._state_changed: dict[type[SlotState], Notice] = {}

        self.slots: list[Slot] = []
        self.active = self.add_slot()

    # ------------------------------------------------------------------------------------------------- slots

    @property
    def several(self) -> bool:
        """Whether there are several slots: they race."""
        return len(self.slots) > 1

    def state(self, kind: Callable[[Session], Kept]) -> Kept:
        """Return what a subject beside the searches keeps for the whole session, made when it is first asked for."""
        if kind not in self._states:
            self._states[kind] = kind(self)
        kept: Kept = self._states[kind]
        return kept

    def add_slot(self) -> Slot:
        """Return a new slot with the active one's choice and no result; it is not active."""
        slot = Slot(next(self._ids), self.clock)
        if self.slots:
            slot.copy_choice(self.active)
            slot.part = self.active.part
        self.slots.append(slot)
        for notice, repeated in self._repeated(slot):
            notice.connect(partial(self._repeat, slot, repeated))
        slot.network_changed.connect(self._let_go)
        slot.state_made = partial(self._join, slot)
        self.slots_changed()
        return slot

    def _join(self, slot: Slot, state: SlotState) -> None:
        state.changed.connect(partial(self._repeat, slot, self.changed(type(state))))

    def changed(self, kind: type[SlotState]) -> Notice:
        """Return the notice that repeats the active slot's ``changed`` of one kind of state."""
        return self._state_changed.setdefault(kind, Notice())

    def remove_slot(self, slot: Slot) -> None:
        """Remove a slot; if it was active, the first one becomes active. Raises ``ValueError`` for the only slot."""
        if self.slots == [slot]:
            raise ValueError("a session has at least one slot")
        self.slots.remove(slot)
        self.clock.remove(slot.player)
        if slot is self.active:
            self.activate(self.slots[0])
        self.slots_changed()

    def keep_active(self) -> None:
        """Remove every slot but the active one."""
        for slot in [slot for slot in self.slots if slot is not self.active]:
            self.remove_slot(slot)

    def share_map(self, split: bool) -> None:
        """Show several slots on one map, each in a strip of its own, or on a map for each."""
        if split != self.split:
            self.split = split
            self.slots_changed()

    def activate(self, slot: Slot) -> None:
        """Make a slot of this session the one that panels show."""
        if slot is self.active:
            return
        self.active = slot
        self.active_changed()
        for _, repeated in self._repeated(slot):
            repeated()
        for repeated in self._state_changed.values():
            repeated()

    def show_again(self) -> None:
        """Let panels write anew what they say of the active slot, of which nothing has changed: in another language.

        Nothing is found or opened again: that would show what was put away.
        """
        for repeated in (self.choice_changed, self.view_changed, self.replay_moved, *self._state_changed.values()):
            repeated()

    def _repeated(self, slot: Slot) -> list[tuple[Notice, Notice]]:
        """Return a slot's notices, each with the notice of the session that repeats it."""
        replay = [(slot.player.loaded, self.replay_loaded), (slot.player.moved, self.replay_moved)]
        return slot.pairs_with(self) + replay

    def _repeat(self, slot: Slot, repeated: Notice) -> None:
        if slot is self.active:
            repeated()

    # ----------------------------------------------------------------------------------------------- timings

    @property
    def timings(self) -> list[dict[str, Any]]:
        """The figures of every timed search."""
        return [run.row for run in self.runs]

    @property
    def chosen_timings(self) -> list[dict[str, Any]]:
        """The figures of the searches that were chosen among the timed ones, of all where none is."""
        return [run.row for run in self.runs if run in self._chosen] or self.timings

    def choose_timings(self, indices: Iterable[int]) -> None:
        """Choose some of the timed searches, for instance to export them."""
        self._chosen = [self.runs[index] for index in indices]

    def add_timing(self, slot: Slot, result: Result, choice: Choice | None = None) -> None:
        """Keep a timed search; ``result`` is the one that the slot shows, now with its times.

        ``choice`` is what was chosen for it, by default what the slot has chosen now.
        """
        slot.result = result
        self._keep(TimedRun.of(result, choice or slot.choice, result))

    def add_pairs_timing(self, slot: Slot, result: PairsResult, choice: Choice | None = None) -> None:
        """Keep the figures of a timed search for all pairs, the one that the slot shows."""
        slot.pairs = Pairs.of(result)
        self._keep(TimedRun.of(result, choice or slot.choice, None))

    def _keep(self, run: TimedRun) -> None:
        self.runs.append(run)
        self._let_go()
        self.timings_changed()

    def _let_go(self) -> None:
        let_go(self.runs, {id(slot.network) for slot in self.slots})

    def remove_timing(self, index: int) -> None:
        """Forget one timed search."""
        del self.runs[index]
        self.timings_changed()


KEPT_BYTES = 512 << 20
"""How much of what earlier searches found is kept, so that it is shown again at once; others are run again."""


@dataclass(slots=True, eq=False)
class TimedRun:
    """One timed search.

    row          its figures, as ``summary`` of a result returns them
    choice       what was chosen for it
    content_key  of its network, and ``opened_by``: the file or the name that opens it
    reading      how that was read from OpenStreetMap data, "" for other networks
    timing       its times, which a run that brings it back does not take again
    found        the tree and the trace, None of all pairs, and once they were let go
    """

    row: dict[str, Any]
    choice: Choice
    content_key: str
    opened_by: str
    reading: str
    timing: Timing
    found: Result | None = None

    @classmethod
    def of(cls, timed: BaseResult, choice: Choice, found: Result | None) -> TimedRun:
        """Return a search that was timed just now."""
        network = timed.network
        return cls(timed.summary(), choice, network.content_key, network.origin, network.reading, timed.timing, found)


def let_go(runs: Iterable[TimedRun], open_networks: Container[int]) -> None:
    """Let go what was found on networks that are closed, and what is oldest beyond ``KEPT_BYTES``.

    ``runs`` are oldest first, ``open_networks`` the identities of those that are open.
    """
    room = KEPT_BYTES
    for run in reversed(list(runs)):
        room -= bytes_of(run.found)
        if room < 0 or (run.found is not None and id(run.found.network) not in open_networks):
            run.found = None
