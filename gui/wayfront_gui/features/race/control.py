"""Runs a race: records its searches one after another, then times them, so that none disturbs another."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from wayfront.network.conventions import SMALL
from wayfront.network.small_graphs import Near
from wayfront.results.result import Result, SearchKind
from wayfront.safe.errors import NetworkError
from wayfront.safe.options import AUTO
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.jobs import SearchJob
from wayfront_gui.features.race.state import USUAL_COUNT, Race, cut_again, cut_round
from wayfront_gui.features.timing.export import ask_where, write_timings
from wayfront_gui.map.geometry import around
from wayfront_gui.session import formatting
from wayfront_gui.session.choice import SearchRequest, Targets
from wayfront_gui.session.replay import SPEEDS
from wayfront_gui.session.slot import Slot, node_in
from wayfront_gui.session.state import MOST_LANES, Walk
from wayfront_gui.ui.translation import marked, translated

NEIGHBOURHOOD_S = 10.0
"""How long the search of a new neighbourhood is replayed, about."""
FORECAST_FROM_S = 1.0
"""A search that takes longer by its forecast is announced on its lane."""
FAILED, FOLLOWS = marked("failed"), marked("follows the source")


class RaceControl(QObject):
    """Runs the searches of all slots of a session."""

    searching_changed = Signal(bool)

    def __init__(self, host: Host) -> None:
        super().__init__(host.window)
        self._session, self._worker = host.session, host.controller.worker
        self._control_of = host.controller.control_of
        self._race = host.session.state(Race)
        self._to_record: list[Slot] = []
        self._to_time: list[tuple[Slot, SearchRequest, Result]] = []
        self._now: Slot | None = None
        self._worker.forecast.connect(self._on_forecast)
        self.is_new_neighbourhood = False
        """Whether the replay of the race that runs next is to be slow enough for a neighbourhood in it."""
        self._session.slots_changed.connect(self._on_slots_changed)
        self._session.network_closing.connect(self.stop)
        host.controller.together = self
        self.searching_changed.connect(host.controller.searching_changed)

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
            self._race.note(slot.id, marked("waiting"))
            self._control_of(slot).show_from_the_start(None)
        self._to_record, self._to_time = list(session.slots), []
        self.searching_changed.emit(True)
        self._next()

    def choose_source(self, node: int) -> None:
        """Search from a node of the active slot's network; neighbourhoods are cut out anew round it."""
        active = self._session.active
        active.choose_source(node)
        whole = active
        if active.part is not None:
            whole = next((slot for slot in self._session.slots if slot.part is None), active)
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
            if self._race.notes.get(slot.id) != FOLLOWS:
                slot.player.load(None, None)
                self._race.note(slot.id, FOLLOWS)
        self._control_of(session.active).choose_source(node, final=False)

    def stop(self) -> None:
        """Record and time no more."""
        if self._now is not None:
            self._worker.cancel("search", self._now.id)
            for slot in (self._now, *self._to_record):
                self._race.note(slot.id, marked("stopped"))
            self._end()

    def cancel(self) -> None:
        """Stop, because a person wants that, and show what was recorded so far: it can be played."""
        if self._now is not None:
            self.stop()
            self._session.clock.go_to(self._session.clock.length)

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
            self._race.note(slot.id, FAILED)
            self._next()
            return
        self._race.note(slot.id, marked("recording"))
        self._worker.submit(
            SearchJob(asked, slot.id), partial(self._on_recorded, slot, asked), on_failed=partial(self._on_failed, slot)
        )

    def _on_forecast(self, _forecast: str, seconds: float) -> None:
        """Say on its lane how long the search that is recorded now will take, where a person would wait for it."""
        if self._now is not None and seconds >= FORECAST_FROM_S:
            said = translated("recording, about {time}", time=formatting.about(seconds))
            self._race.note(self._now.id, said)

    def _on_recorded(self, slot: Slot, asked: SearchRequest, found: Result) -> None:
        if slot is self._now:
            self._control_of(slot).show_from_the_start(found)
            self._to_time.append((slot, asked, found))
            self._next()

    def _time(self, slot: Slot, asked: SearchRequest, traced: Result) -> None:
        """Time the search that was recorded, whatever was chosen since."""
        self._now = slot
        self._worker.submit(
            SearchJob(asked.clean(traced), slot.id),
            partial(self._on_timed, slot, traced),
            on_failed=partial(self._on_failed, slot),
        )

    def _on_timed(self, slot: Slot, traced: Result, clean: Result) -> None:
        if slot is self._now:
            timing = replace(clean.timing, traced_ms=traced.timing.traced_ms)
            self._session.add_timing(slot, replace(traced, timing=timing))
            slot.player.take_time(timing.median_ms)
            self._race.changed()
            self._next()

    def _on_failed(self, slot: Slot, _problem: BaseException) -> bool:
        """Go on with the others; the worker reports the problem."""
        if slot is self._now:
            self._race.note(slot.id, FAILED)
            self._next()
        return False

    def _on_slots_changed(self) -> None:
        """Forget a slot that was removed; its search was stopped and reports nothing."""
        slots = self._session.slots
        self._to_record = [slot for slot in self._to_record if slot in slots]
        self._to_time = [each for each in self._to_time if each[0] in slots]
        if self._now is not None and self._now not in slots:
            self._next()


PAIR, ROUTE_PAIR = ("dijkstra", "bellman-ford-v3"), ("dijkstra-to-target", "a-star")
"""What is shown in step: the chosen search and the first of these that is another one."""
BESIDE = ("view.explanation", "view.isochrones", "view.depots", "view.closures")
"""The panels that give the race's panel their room."""


class RaceCommands:
    """Begins and ends races, and chooses how they are shown."""

    def __init__(self, host: Host) -> None:
        self._host, self._controller, self._session = host, host.controller, host.session
        self._say, self._actions, self._panes = host.reports.show, host.actions, host.central.panes
        self._race, self._control = host.session.state(Race), host.control(RaceControl)
        self._put_away: list[str] = []
        self._speed = 0.0
        self._race.changed.connect(self._show_choices)
        self._session.slots_changed.connect(self._show_choices)

    def _show_choices(self) -> None:
        self._actions["race.split"].setChecked(self._session.split)
        self._actions["race.difference"].setChecked(self._race.difference)

    @command(
        "race.fill",
        "Race &four searches",
        keys=("Shift+R",),
        hint="Four searches that differ, from the source",
        at=(1, 1),
    )
    def fill(self) -> None:
        """Let four searches race from the source."""
        self._race.fill()
        self._show_panel()
        self._controller.run()

    @command(
        "race.add",
        "&Add a search",
        keys=("A",),
        hint="Let one more search race; choose it in the Search panel",
        at=(1, 2),
    )
    def add(self) -> None:
        """Add a search, which the panels then show."""
        added = self._race.add()
        self._show_panel()
        if added is None:
            self._say(translated("No more than {most_lanes} searches can race.", most_lanes=MOST_LANES))
        else:
            self._session.activate(added)
            self._say(translated("Choose the new search in the Search panel, then Run (R)."))

    @command(
        "race.two",
        "&Two in step",
        keys=("Shift+S",),
        hint="The chosen search and another one side by side, step by step",
        at=(3, 1),
    )
    def show_two(self) -> None:
        """Show the chosen search and another one side by side, in step."""
        slot = self._session.active
        pair = ROUTE_PAIR if slot.kind is SearchKind.ROUTE else PAIR
        first = slot.algorithm if slot.algorithm != AUTO and slot.kind is not SearchKind.ALL_PAIRS else pair[0]
        self.leave()
        slot.choose_algorithm(first)
        self._race.add(next(other for other in pair if other != first))
        self._race.choose_walk(Walk.STEP)
        self._show_panel()
        self._controller.run()

    @command(
        "race.cut_out",
        "&Cut out a neighbourhood…",
        keys=("Shift+X",),
        hint="The nodes nearest to the source as a small graph beside the map, searched in step with it",
        at=(3, 2),
    )
    def ask_neighbourhood(self) -> None:
        """Ask how many nodes to cut out round the source, and show them beside the map."""
        slot = self._session.active
        if slot.network is None or slot.source is None:
            self._say(slot.missing)
        else:
            self._host.question.ask(translated("How many nodes round the source? (40, or 40 hops)"), self._cut_out)

    def _cut_out(self, answer: str) -> None:
        words = answer.split() or [str(USUAL_COUNT)]
        near = Near.HOPS if words[1:] == ["hops"] else Near.DISTANCE
        if not words[0].isdecimal() or words[1:] not in ([], [Near.HOPS], [Near.DISTANCE]):
            raise NetworkError("Type a number of nodes, as 40, or 40 hops for those that few arcs lead to.")
        count = int(words[0][:9])
        if not 1 <= count <= SMALL:
            raise NetworkError(f"A neighbourhood has 1 to {SMALL} nodes.")
        slot = self._session.active
        if slot.part is not None:
            slot = next(other for other in self._session.slots if other.part is None)
            self._session.activate(slot)
        self.leave()
        found = cut_round(slot, count, near)
        assert found is not None
        added = self._race.add()
        assert added is not None
        added.open(found.network, laid_out=slot.laid_out, part=found)
        assert slot.source is not None
        added.choose_source(found.inside(slot.source) or 0)
        self._race.choose_walk(Walk.DISTANCE)
        self._speed = self._session.clock.speed
        self._control.is_new_neighbourhood = True
        self._show_panel()
        self._panes.main.look_at(around(found))
        self._controller.run()

    @command("race.remove", "&Remove this search", keys=("Shift+A",), hint="The one that the panels show", at=(1, 3))
    def remove(self) -> None:
        """Take the search that the panels show out of the race."""
        if self._session.several:
            self._session.remove_slot(self._session.active)

    @command(
        "race.next",
        "&Next search",
        keys=("Ctrl+Tab",),
        hint="Show the next search of the race in the panels",
        at=(1, 4),
    )
    def next(self) -> None:
        """Show the next search of the race in the panels."""
        slots = self._session.slots
        self._session.activate(slots[(slots.index(self._session.active) + 1) % len(slots)])

    @command(
        "race.split",
        "&Split one map",
        keys=("S",),
        hint="A strip of one map for each search, instead of a map for each",
        at=(2, 1),
        checkable=True,
    )
    def split(self, split: bool) -> None:
        """Show one map in strips, or a map for each search."""
        self._session.share_map(split)

    @command(
        "race.difference",
        "&Difference",
        keys=("Shift+D",),
        hint="Colour where distances differ from those of the first search",
        at=(2, 2),
        checkable=True,
    )
    def show_difference(self, shown: bool) -> None:
        """Show where distances differ from those of the first search."""
        self._race.set_difference(shown)

    @command(
        "race.save",
        "Save the ran&king…",
        hint="Save the times of the race as a chart or a table, the shortest first",
        at=(4, 2),
    )
    def save_ranking(self) -> None:
        """Ask where and save the times of all searches of the race."""
        results = [slot.result for slot in self._session.slots]
        rows = [each.summary() for each in results if each is not None and each.timing.median_ms is not None]
        if not self._session.several or len(rows) < len(results):
            self._say(translated("There is no ranking to save yet: run a race first (Shift+R)."))
            return
        rows.sort(key=lambda row: row["time_ms"]["median"])
        theme, ask = self._host.appearance.theme.name, self._host.dialogs.save
        target = ask_where(ask, translated("Save the ranking"), "race.png")
        if target is not None:
            self._controller.files.save(target, lambda path: write_timings(rows, path, theme))

    @command("race.leave", "&End the race", hint="Keep the search that the panels show", at=(5, 1))
    def leave(self) -> None:
        """Keep only the search that the panels show."""
        self._control.stop()
        self._race.leave()
        if self._speed:  # that before a neighbourhood was shown
            self._session.clock.set_speed(self._speed)
            self._speed = 0.0
        shown = ["view.race"] if self._actions["view.race"].isChecked() else []
        for name in (*shown, *(name for name in self._put_away if not self._actions[name].isChecked())):
            self._actions[name].trigger()
        self._put_away = []

    def _show_panel(self) -> None:
        """Show the panel of races in place of those beside it, until the race is ended."""
        if not self._actions["view.race"].isChecked():
            self._put_away = [name for name in BESIDE if self._actions[name].isChecked()]
            for name in (*self._put_away, "view.race"):
                self._actions[name].trigger()
