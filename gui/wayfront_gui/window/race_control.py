"""Runs a race: records its searches one after another, then times them, so that none disturbs another."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from wayfront.search.registry import SearchKind
from wayfront.search.result import Result
from wayfront.timing.runs import how_many_runs
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront_gui.engine_thread.jobs import SearchJob
from wayfront_gui.engine_thread.worker import Worker
from wayfront_gui.model.neighbourhood import cut_again, node_in
from wayfront_gui.model.replay_clock import SPEEDS
from wayfront_gui.model.session import Session
from wayfront_gui.model.slot import Slot
from wayfront_gui.model.targets import Targets
from wayfront_gui.translation import marked
from wayfront_gui.window.slot_control import SlotControl

NEIGHBOURHOOD_S = 10.0
"""How long the search of a new neighbourhood is replayed, about."""
FAILED, FOLLOWS = marked("failed"), marked("follows the source")


class RaceControl(QObject):
    """Runs the searches of all slots of a session; ``control_of`` returns the control of a slot."""

    searching_changed = Signal(bool)

    def __init__(
        self, session: Session, worker: Worker, control_of: Callable[[Slot], SlotControl], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._worker = worker
        self._control_of = control_of
        self._to_record: list[Slot] = []
        self._to_time: list[tuple[Slot, Result]] = []
        self._now: Slot | None = None
        self.is_new_neighbourhood = False
        """Whether the replay of the race that runs next is to be slow enough for a neighbourhood in it."""
        session.slots_changed.connect(self._on_slots_changed)

    def run(self) -> None:
        """Record every slot's search from the active one's source, time each, then play all of them."""
        session = self._session
        for slot in (session.active, *session.slots):
            if session.active.source is None or (slot.lacks_target and session.active.target is None):
                self._control_of(session.active).news.emit(slot.missing)
                return
        self.stop()
        for slot in session.slots:
            self._share_choice(slot)
            self._control_of(slot).prepare_to_run()
            session.race.note(slot.id, marked("waiting"))
            self._control_of(slot).show_from_the_start(None)
        self._to_record, self._to_time = list(session.slots), []
        self.searching_changed.emit(True)
        self._next()

    def choose_source(self, node: int) -> None:
        """Search from a node of the active slot's network; neighbourhoods are cut out anew round it."""
        active = self._session.active
        active.choose_source(node)
        whole = next((slot for slot in self._session.slots if slot.part is None), active)
        if active.part is not None:
            whole.choose_source(int(active.part.nodes[node]))
        for slot in self._session.slots:
            if slot.part is None:
                slot.choose_source(whole.source if whole.source is not None else node)
            elif slot is not active:
                cut_again(slot, whole)

    def follow(self, node: int) -> None:
        """Show the tree from a source that is dragged, once for all searches: each would find the same."""
        self.stop()
        session = self._session
        for slot in session.slots:
            its = node_in(slot, session.active, node)
            if its is not None:
                slot.choose_source(its)
            if session.race.notes.get(slot.id) != FOLLOWS:
                slot.player.load(None, None)
                session.race.note(slot.id, FOLLOWS)
        self._control_of(session.active).choose_source(node, final=False)

    def stop(self) -> None:
        """Record and time no more."""
        if self._now is not None:
            self._worker.cancel("search", self._now.id)
            self._session.race.note(self._now.id, marked("stopped"))
            self._end()

    def _share_choice(self, slot: Slot) -> None:
        """Give a slot what all of a race have in common: metric, source, target, closed roads."""
        active = self._session.active
        if slot.kind is SearchKind.ALL_PAIRS:
            slot.choose_kind(SearchKind.ONE_TREE)
        if slot is active or active.metric_name is None or active.source is None:
            return
        slot.choose_metric(active.metric_name)
        source = node_in(slot, active, active.source)
        if source is not None:
            slot.choose_source(source)
        if slot.kind is SearchKind.ROUTE:
            slot.take_targets(Targets.only(node_in(slot, active, active.target)))
        if slot.part is active.part:
            self._control_of(slot).take_closures(active.closures.arcs)

    def _next(self) -> None:
        """Go on with the next search to record; once all are recorded, with the next to time."""
        if self._to_record:
            self._record(self._to_record.pop(0))
        elif self._to_time:
            self._time(*self._to_time.pop(0))
        elif self._now is not None:
            self._end()
            self._show_neighbourhood_slowly()
            self._session.clock.go_to(0.0)
            self._session.clock.play()

    def _show_neighbourhood_slowly(self) -> None:
        """Choose a speed at which a new neighbourhood is replayed for some seconds: the whole may take much longer."""
        clock = self._session.clock
        spans = [slot.player.span for slot in self._session.slots if slot.part is not None]
        if self.is_new_neighbourhood and spans and max(spans) > 0:
            wanted = max(spans) / (clock.per_second / clock.speed) / NEIGHBOURHOOD_S
            clock.set_speed(min(SPEEDS, key=lambda speed: abs(math.log(speed / wanted))))
        self.is_new_neighbourhood = False

    def _end(self) -> None:
        self._to_record, self._to_time, self._now = [], [], None
        self.searching_changed.emit(False)

    def _record(self, slot: Slot) -> None:
        self._now = slot
        budget = DEFAULT_BUDGET_BYTES // max(len(self._session.slots), 1)
        asked = slot.request(runs=0, trace_budget=budget)
        if asked is None:  # the target lies outside the neighbourhood
            self._session.race.note(slot.id, FAILED)
            self._next()
            return
        self._session.race.note(slot.id, marked("recording"))
        self._worker.submit(
            SearchJob(asked, slot.id), partial(self._on_recorded, slot), on_failed=partial(self._on_failed, slot)
        )

    def _on_recorded(self, slot: Slot, found: Result) -> None:
        if slot is self._now:
            self._control_of(slot).show_from_the_start(found)
            self._to_time.append((slot, found))
            self._next()

    def _time(self, slot: Slot, traced: Result) -> None:
        self._now = slot
        traced_ms = traced.timing.traced_ms
        long = how_many_runs(None, None if traced_ms is None else traced_ms / 1e3) == 1
        asked = slot.request(runs=0, trace_budget=None)
        assert asked is not None
        clean = replace(
            asked,
            algorithm=traced.algorithm,
            device=traced.device,
            options=traced.options,
            runs=1 if long else None,
        )
        self._worker.submit(
            SearchJob(clean, slot.id),
            partial(self._on_timed, slot, traced),
            on_failed=partial(self._on_failed, slot),
        )

    def _on_timed(self, slot: Slot, traced: Result, clean: Result) -> None:
        if slot is self._now:
            timing = replace(clean.timing, traced_ms=traced.timing.traced_ms)
            self._session.add_timing(slot, replace(traced, timing=timing))
            slot.player.take_time(timing.median_ms)
            self._session.race.changed()
            self._next()

    def _on_failed(self, slot: Slot, _problem: BaseException) -> bool:
        """Go on with the others; the worker reports the problem."""
        if slot is self._now:
            self._session.race.note(slot.id, FAILED)
            self._next()
        return False

    def _on_slots_changed(self) -> None:
        """Forget a slot that was removed; its search was stopped and reports nothing."""
        slots = self._session.slots
        self._to_record = [slot for slot in self._to_record if slot in slots]
        self._to_time = [(slot, found) for slot, found in self._to_time if slot in slots]
        if self._now is not None and self._now not in slots:
            self._next()
