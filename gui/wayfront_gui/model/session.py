"""What the program has open: one or more slots on one replay clock, which of them is active, and the timings.

Panels show the active slot. They connect to the session's notices, which repeat those of the active slot and are all
called when another slot becomes active. The session uses no Qt, so that it can be driven without a window.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.result import Result
from wayfront_gui.model.notice import Notice, SearchNotices
from wayfront_gui.model.pairs import Pairs
from wayfront_gui.model.race import Race
from wayfront_gui.model.replay_clock import ReplayClock
from wayfront_gui.model.slot import Slot


class Session(SearchNotices):
    """The slots, at least one of them, and the timings of all."""

    def __init__(self, clock: ReplayClock | None = None) -> None:
        super().__init__()
        self.clock = ReplayClock() if clock is None else clock
        self.timings: list[dict[str, Any]] = []
        self._ids = itertools.count(1)

        self.slots_changed = Notice()
        self.active_changed = Notice()
        self.timings_changed = Notice()
        self.replay_loaded = Notice()
        self.replay_moved = Notice()

        self.slots: list[Slot] = []
        self.active = self.add_slot()
        self.race = Race(self)

    # ------------------------------------------------------------------------------------------------- slots

    def add_slot(self) -> Slot:
        """Return a new slot with the active one's choice and no result; it is not active."""
        slot = Slot(next(self._ids), self.clock)
        if self.slots:
            slot.copy_choice(self.active)
        self.slots.append(slot)
        for notice, repeated in self._repeated(slot):
            notice.connect(partial(self._repeat, slot, repeated))
        self.slots_changed()
        return slot

    def remove_slot(self, slot: Slot) -> None:
        """Remove a slot; if it was active, the first one becomes active. Raises ``ValueError`` for the only slot."""
        if self.slots == [slot]:
            raise ValueError("a session has at least one slot")
        self.slots.remove(slot)
        self.clock.remove(slot.player)
        if slot is self.active:
            self.activate(self.slots[0])
        self.slots_changed()

    def activate(self, slot: Slot) -> None:
        """Make a slot of this session the one that panels show."""
        if slot is self.active:
            return
        self.active = slot
        self.active_changed()
        for _, repeated in self._repeated(slot):
            repeated()

    def _repeated(self, slot: Slot) -> list[tuple[Notice, Notice]]:
        """Return a slot's notices, each with the notice of the session that repeats it."""
        replay = [(slot.player.loaded, self.replay_loaded), (slot.player.moved, self.replay_moved)]
        return slot.pairs_with(self) + replay

    def _repeat(self, slot: Slot, repeated: Notice) -> None:
        if slot is self.active:
            repeated()

    # ----------------------------------------------------------------------------------------------- timings

    def add_timing(self, slot: Slot, result: Result) -> None:
        """Keep the figures of a timed search; ``result`` is the one that the slot shows, now with its times."""
        slot.result = result
        self.timings.append(result.summary())
        self.timings_changed()

    def add_pairs_timing(self, slot: Slot, result: PairsResult) -> None:
        """Keep the figures of a timed search for all pairs, the one that the slot shows."""
        slot.pairs = Pairs.of(result)
        self.timings.append(result.summary())
        self.timings_changed()

    def remove_timing(self, index: int) -> None:
        """Forget one timed search."""
        del self.timings[index]
        self.timings_changed()

    def clear_timings(self) -> None:
        """Forget all timed searches."""
        self.timings.clear()
        self.timings_changed()
