"""Runs a race: records its searches one after another, then times them, so that none disturbs another."""

from __future__ import annotations

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
from wayfront_gui.model.session import Session
from wayfront_gui.model.slot import Slot
from wayfront_gui.translation import marked, translated
from wayfront_gui.window.slot_control import SlotControl

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
        session.slots_changed.connect(self._on_slots_changed)

    def run(self) -> None:
        """Record every slot's search from the active one's source, time each, then play all of them."""
        session = self._session
        if session.active.request(runs=0, trace_budget=None) is None:
            self._control_of(session.active).news.emit(
                translated("Open a network and click a source on the map first.")
            )
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

    def follow(self, node: int) -> None:
        """Show the tree from a source that is dragged, once for all searches: each would find the same."""
        self.stop()
        session = self._session
        for slot in session.slots:
            slot.choose_source(node)
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
        """Give a slot what all of a race have in common: metric, source, closed roads."""
        active = self._session.active
        slot.choose_kind(SearchKind.ONE_TREE)
        if slot is active or active.metric_name is None or active.source is None:
            return
        slot.choose_metric(active.metric_name)
        slot.choose_source(active.source)
        self._control_of(slot).take_closures(active.closures.arcs)

    def _next(self) -> None:
        """Go on with the next search to record; once all are recorded, with the next to time."""
        if self._to_record:
            self._record(self._to_record.pop(0))
        elif self._to_time:
            self._time(*self._to_time.pop(0))
        elif self._now is not None:
            self._end()
            self._session.clock.go_to(0.0)
            self._session.clock.play()

    def _end(self) -> None:
        self._to_record, self._to_time, self._now = [], [], None
        self.searching_changed.emit(False)

    def _record(self, slot: Slot) -> None:
        self._now = slot
        budget = DEFAULT_BUDGET_BYTES // max(len(self._session.slots), 1)
        asked = slot.request(runs=0, trace_budget=budget)
        assert asked is not None
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
