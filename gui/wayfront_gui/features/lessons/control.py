"""Plays a lesson in the window: opens and searches what a moment shows, and passes on what is answered on the map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QObject

from wayfront.network.road_network import RoadNetwork
from wayfront.results.pairs import PairsResult
from wayfront.results.result import Result, RouteResult, SearchKind
from wayfront.safe.errors import FormatError, WayfrontError
from wayfront.safe.options import AUTO, resolve
from wayfront.searching.registry import find_algorithm
from wayfront.timing.harness import RUNS
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront_gui.app.feature import Host
from wayfront_gui.app.jobs import SearchJob
from wayfront_gui.features.all_pairs.control import PairsFound, PairsJob
from wayfront_gui.features.flows.state import FlowChoice
from wayfront_gui.features.lessons.conditions import BEFORE, FINISHED, TREE, NeverError, Results, When, uses_time
from wayfront_gui.features.lessons.file import (
    BESIDE,
    BUNDLED_NETWORK,
    PANELS,
    SUFFIX,
    Lesson,
    Marks,
    Moment,
    OtherSearch,
    Search,
    is_tour,
    read_lesson,
)
from wayfront_gui.features.lessons.layer import LessonMarks
from wayfront_gui.features.lessons.play import LessonPlay, closed_by, device_of, ends_of, staged, target_of
from wayfront_gui.features.race.state import Race
from wayfront_gui.map.geometry import Plane
from wayfront_gui.map.view import MapView
from wayfront_gui.resources import BUNDLED, asset
from wayfront_gui.session.choice import Choice, Targets
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.session.slot import Slot
from wayfront_gui.session.state import MOST_LANES, Walk
from wayfront_gui.ui.translation import translated, translated_message

LESSON = "lesson"
"""The panel of lessons, and the clicks on the map that answer."""


class LessonControl(QObject):
    """Joins a lesson with the active slot and the map."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self.play = play = host.session.state(LessonPlay)
        self.controller, self._session, self.reports = host.controller, host.session, host.reports
        self._host, self._view, self._settings = host, host.view, host.settings
        self._shown: tuple[Search, Results] | None = None
        self._marks = LessonMarks()
        self._step = 0
        self._advanced = False
        play.moment_changed.connect(self._stage)
        play.changed.connect(self._show_marks)
        host.panels.keep_first(lambda: play.lesson is not None)
        host.tools.add(LESSON, lambda: False, play.pick, beside=True)
        self.controller.files.openers[SUFFIX] = self.open
        self._session.network_closing.connect(self._let_go)

    # ------------------------------------------------------------------------------------------------- opening

    def open(self, path: str | Path, index: int = 0) -> None:
        """Play a lesson, by default from its first moment on; what is played stays where it cannot be read."""
        try:
            lesson = read_lesson(path)
        except FormatError as problem:
            self.reports.show_problem(str(problem))
            return
        self.take(lesson, index)

    def take(self, lesson: Lesson, index: int = 0) -> None:
        """Play a lesson that was read, and list those beside it in the menu."""
        if not is_tour(lesson.path):
            self._settings.lessons = str(lesson.path.resolve().parent)
        self.play.open(lesson, index)
        self._host.panels.show(LESSON, True)

    def close(self) -> None:
        """Play no lesson any more; what is shown stays."""
        self.play.open(None)

    def moment_now(self, folder: Path) -> Moment | None:
        """Return what is shown as a moment of a lesson in ``folder``, None where no recorded search is shown."""
        saved, slot = self.controller.files.saved(), self._whole()
        others = [each for each in self._session.slots if each is not slot and each.part is None]
        return None if saved is None else moment_of(slot, others, saved.opened_by, self._view, folder)

    def _whole(self) -> Slot:
        """Return the active slot, or the first where that is a neighbourhood, which no lesson could open."""
        active, slots = self._session.active, self._session.slots
        return active if active.part is None else next((slot for slot in slots if slot.part is None), active)

    # ------------------------------------------------------------------------------------------------- a moment

    def _stage(self) -> None:
        """Open the network of the moment, unless it is open, then search."""
        lesson, moment = self.play.lesson, self.play.moment
        self._marks, self._advanced = LessonMarks(), False
        if lesson is None or moment is None:
            self._shown = None
            return
        slot, name = self._whole(), lesson.network_of(moment)
        slot.take_turns(())  # those that a person closed are not the lesson's
        self._session.activate(slot)
        saved = self.controller.files.saved()
        if slot.network is not None and saved is not None and saved.opened_by == name:
            self._begin(moment, slot, slot.network)
        else:
            self._shown = None
            self.controller.files.open(name, begin=partial(self._begin, moment))

    def _begin(self, moment: Moment, slot: Slot, network: RoadNetwork) -> bool:
        """Search on the network that is open now; one that another moment no longer waits for is left alone."""
        if self.play.moment is not moment:
            return True
        try:
            choices = [_choice(each, moment, network, slot) for each in moment.search.each]
        except WayfrontError as problem:
            self._refuse(str(problem))
            return True
        if self._is_shown(moment):
            self._show(moment)
            return True
        self._shown = None
        self._session.keep_active()
        self._search(moment, choices)
        return True

    def _is_shown(self, moment: Moment) -> bool:
        """Return whether the searches of a moment are there already, timed if it says their time."""
        found = tuple(map(found_in, self._session.slots))
        if self._shown is None or self._shown[0] != moment.search or self._shown[1] != found:
            return False
        return bool(self._shown[1][0].timing.runs_ms) or not uses_time(moment.text)

    def _search(self, moment: Moment, choices: Sequence[Choice], found: Results = ()) -> None:
        """Search as chosen, in one slot after the other; ``found`` is what those before have found."""
        slot = self._session.state(Race).add() if found else self._session.active
        if slot is None:  # a person has added others meanwhile
            self._refuse(translated("No more than {most_lanes} searches can race.", most_lanes=MOST_LANES))
            return
        control = self.controller.control_of(slot)
        control.choose(choices[0])
        control.prepare_to_run()
        runs = None if uses_time(moment.text) else 0
        self.controller.worker.submit(
            _job(slot, runs), partial(self._on_found, moment, slot, choices[1:], found), on_failed=self._on_failed
        )

    def _on_found(
        self, moment: Moment, slot: Slot, left: Sequence[Choice], before: Results, found: Result | PairsFound
    ) -> None:
        control = self.controller.control_of(slot)
        if isinstance(found, PairsFound):
            control.of_kind[SearchKind.ALL_PAIRS].show(found.pairs, found.matrix)
        else:
            control.show_from_the_start(found)
        if self.play.moment is not moment:
            return
        result = found_in(slot)
        assert result is not None
        results = (*before, result)
        if left:
            self._search(moment, left, results)
            return
        self._shown = moment.search, results
        if len(results) > 1:
            self._session.state(Race).choose_walk(Walk.STEP)
        self._show(moment)

    def _on_failed(self, problem: BaseException) -> bool:
        """Say it in the lesson as well as over the map."""
        self._refuse(str(problem))
        return False

    def _show(self, moment: Moment) -> None:
        """Show the step, view and marks of a moment, whose searches are there."""
        assert self._shown is not None
        slot, results = self._session.slots[0], self._shown[1]
        network = results[0].network
        self._session.activate(slot)
        self._session.clock.pause()
        try:
            now = staged(moment, results)
            self._marks = LessonMarks.of(moment.marks, network, now.step)
            ends = now.ends
        except (NeverError, WayfrontError) as problem:
            self._refuse(str(problem))
            return
        for each in self._session.slots:
            if each.pairs is not None:
                each.choose_pair(ends)
            else:
                each.take_targets(Targets.only(ends.target))
        self._seek(now.step)
        self.controller.show_tree(moment.when.finished)
        self._step = now.step
        if moment.view is None or network.coordinates is None:
            self._view.fit()
        else:
            self._view.look_at(Plane.of(network).extent_of_degrees(moment.view))
        slot.state(FlowChoice).show(moment.marks.flows)
        self.play.take_figures(now.figures, now.expected, now.names)
        for panel in PANELS:  # which share the height with a text that is whole now
            if panel in moment.panels or (panel in BESIDE and moment.panels):
                self._host.panels.offer(panel, panel in moment.panels)

    def _seek(self, step: int) -> None:
        """Show a step (index); of searches in step it may be one of the longest alone."""
        if self._session.several:
            self._session.clock.go_to(float(step))
        else:
            self._session.active.player.seek(float(step))

    def _let_go(self) -> None:
        """Point out, and ask for, nothing of a network that is closed."""
        self._marks, self._shown = LessonMarks(), None
        self.play.let_go()

    def _refuse(self, problem: str) -> None:
        """Say why a moment cannot be shown, and where it stands in its file."""
        lesson, moment = self.play.lesson, self.play.moment
        if lesson is not None and moment is not None:
            self.play.take_problem(f"{lesson.path.name}:{moment.line}: {translated_message(problem)}")

    # ------------------------------------------------------------------------------------------------ on the map

    def _show_marks(self) -> None:
        """Show what is pointed out and what was answered; after a prediction, the step that was asked for."""
        play, verdict = self.play, self.play.verdict
        self._host.tools.pick(LESSON, play.predicts and not play.revealed)
        if verdict is None:
            self._view.put(replace(self._marks, picked=tuple(sorted(play.picked))))
            return
        marks = replace(self._marks, right=verdict.right, wrong=verdict.wrong, missed=verdict.missed)
        self._view.put(marks)
        if not self._advanced:
            self._advanced = True
            self._seek(self._step + 1)


def _choice(search: Search, moment: Moment, network: RoadNetwork, slot: Slot) -> Choice:
    """Return one of the searches of a moment as a choice on its network. Raises ``WayfrontError``."""
    options = slot.choice.options
    if search.algorithm != AUTO:
        declared = find_algorithm(search.algorithm).options
        options = {**options, search.algorithm: resolve(declared, dict(search.options))}
    ends = ends_of(moment, network)
    return replace(
        slot.choice,
        metric=network.metric(search.metric).name,
        kind=search.kind,
        algorithm=search.algorithm,
        options=options,
        sample=search.sample,
        device=device_of(search),
        source=ends.source,
        targets=Targets.only(target_of(search, network)),
        closures=as_arcs(closed_by(search, network)),
    )


def _job(slot: Slot, runs: int | None) -> SearchJob | PairsJob:
    """Return the search that a slot has chosen, recorded; ``runs`` are its clean runs, None as many as are usual."""
    if slot.kind is SearchKind.ALL_PAIRS:
        asked = slot.pairs_request(runs=RUNS if runs is None else runs, trace_budget=DEFAULT_BUDGET_BYTES)
        assert asked is not None
        return PairsJob(asked, slot.id)
    request = slot.request(runs=0, trace_budget=DEFAULT_BUDGET_BYTES)
    assert request is not None
    return SearchJob(replace(request, runs=runs), slot.id)


def moment_of(slot: Slot, others: Sequence[Slot], opened_by: str, view: MapView, folder: Path) -> Moment | None:
    """Return the shown search at its step without any words; None where none is shown.

    ``others`` are the slots that race with it: what they found is shown beside it. ``folder`` is the lesson's.
    """
    network, result = slot.network, found_in(slot)
    if network is None or result is None or result.trace is None or slot.live is not None:
        return None
    beside = [(other, found) for other in others if isinstance(found := found_in(other), Result)]
    source, target = _ends_of(slot, result)
    goals = {found.target for found in (result, *(found for _, found in beside)) if isinstance(found, RouteResult)}
    search = Search(
        _named(opened_by, folder),
        result.algorithm,
        _options_of(slot, result),
        slot.device,
        result.metric.name,
        None if source is None else network.node_name(source),
        network.node_name(goals.pop()) if goals else None,
        slot.sample if isinstance(result, PairsResult) else None,
        tuple(
            (network.node_name(int(tail)), network.node_name(int(head)))
            for tail, head in zip(network.tails()[result.closures], network.targets[result.closures], strict=True)
        ),
        tuple(
            OtherSearch(found.algorithm, _options_of(other, found), "" if other.device == slot.device else other.device)
            for other, found in beside
        ),
    )
    route = None if target is None or search.target is not None else network.node_name(target)
    return Moment(0, "", "", search, _when(slot, others, result), view=_view(view, network), marks=Marks(route=route))


def found_in(slot: Slot) -> Result | PairsResult | None:
    """Return the finished search that a slot shows, None where there is none."""
    return slot.result if slot.pairs is None else slot.pairs.result


def _ends_of(slot: Slot, result: Result | PairsResult) -> tuple[int | None, int | None]:
    """Return the nodes between which a path is shown; of all pairs None for both where no pair is chosen."""
    if isinstance(result, PairsResult):
        chosen = slot.pair.chosen
        return (None, None) if chosen is None else (chosen.source, chosen.target)
    return result.source, slot.target


def _when(slot: Slot, others: Sequence[Slot], result: Result | PairsResult) -> When:
    """Return the step that is shown; of searches in step that of the longest, since the others have ended before."""
    if slot.tree_shown:
        return When.parse(FINISHED if isinstance(result, RouteResult) else TREE)
    if isinstance(result, PairsResult) and slot.player.position >= slot.player.last:
        return When.parse(FINISHED)
    in_step = (slot, *others) if slot.player.clock.walk is Walk.STEP else (slot,)
    done = max(each.player.steps_done for each in in_step)
    return When.parse(f"step {done}" if done else BEFORE)


def _view(view: MapView, network: RoadNetwork) -> tuple[float, float, float, float] | None:
    """Return what a map shows in degrees; None for all, which then fits windows of other sizes, too."""
    degrees = None if view.seen is None else Plane.of(network).degrees(view.seen)
    if degrees is None or network.coordinates is None:
        return None
    west, south, east, north = degrees
    (left, low), (right, high) = (ends(network.coordinates, axis=0) / 1e6 for ends in (np.min, np.max))
    return None if west <= left and south <= low and right <= east and high <= north else degrees


def _options_of(slot: Slot, result: Result | PairsResult) -> tuple[tuple[str, Any], ...]:
    """Return the options of a shown search that are not the usual ones."""
    if slot.declared is None or result.algorithm != slot.algorithm:
        return ()
    usual = {option.name: option.default for option in slot.declared.options}
    return tuple(sorted((name, value) for name, value in slot.options().items() if value != usual[name]))


def _named(opened_by: str, folder: Path) -> str:
    """Return what opens a network from a lesson: a file beside it by its name alone, so that both can travel."""
    path = Path(opened_by)
    if not path.is_file():
        return opened_by
    if path.resolve() == asset(BUNDLED).resolve():
        return BUNDLED_NETWORK
    return path.name if path.resolve().parent == folder.resolve() else str(path.resolve())
