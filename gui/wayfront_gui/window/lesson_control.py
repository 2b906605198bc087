"""Plays a lesson in the window: opens and searches what a moment shows, and passes on what is answered on the map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from wayfront.errors import FormatError, WayfrontError
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO, resolve
from wayfront.search.registry import SearchKind, find_algorithm
from wayfront.search.result import Result
from wayfront.timing.runs import RUNS
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront_gui.engine_thread.jobs import SearchJob
from wayfront_gui.engine_thread.pairs_jobs import PairsFound, PairsJob
from wayfront_gui.lessons.conditions import NeverError, Results
from wayfront_gui.lessons.figures import uses_time
from wayfront_gui.lessons.lesson import BESIDE, PANELS, Lesson, Moment, Search
from wayfront_gui.lessons.lesson_file import read_lesson
from wayfront_gui.lessons.play import LessonPlay
from wayfront_gui.lessons.shelf import is_tour
from wayfront_gui.lessons.staging import closed_by, device_of, ends_of, staged, target_of
from wayfront_gui.map.view import MapView
from wayfront_gui.model.choice import Choice
from wayfront_gui.model.closures import as_arcs
from wayfront_gui.model.replay_clock import Walk
from wayfront_gui.model.slot import Slot
from wayfront_gui.model.targets import Targets
from wayfront_gui.scene.geometry import Plane
from wayfront_gui.scene.lesson_marks import LessonMarks
from wayfront_gui.translation import translated_message
from wayfront_gui.window.added_moment import found_in, moment_of
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.reports import Reports
from wayfront_gui.window.settings import Settings


class LessonControl(QObject):
    """Joins a lesson with the active slot and the map. ``show_dock`` shows a dock by its name."""

    def __init__(
        self,
        play: LessonPlay,
        controller: Controller,
        view: MapView,
        reports: Reports,
        show_dock: Callable[[str, bool], None],
        settings: Settings,
    ) -> None:
        super().__init__(view)
        self.play = play
        self.controller, self._session = controller, controller.session
        self.reports = reports
        self._view, self._show_dock, self._settings = view, show_dock, settings
        self._shown: tuple[Search, Results] | None = None
        self._marks = LessonMarks()
        self._step = 0
        self._advanced = False
        play.moment_changed.connect(self._stage)
        play.changed.connect(self._show_marks)
        view.place_chosen.connect(play.pick)
        controller.files.lesson_chosen.connect(self.open)

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
        self._show_dock("lesson", True)  # once it is played, so that other docks yield to it

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
        self._session.race.leave()
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
        slot = self._session.race.add() if found else self._session.active
        assert slot is not None, "a lesson's file has no more searches than can race"
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
            control.pairs.show(found.pairs, found.matrix)
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
            self._session.clock.set_walk(Walk.STEP)
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
            self._marks = LessonMarks.of(moment.marks, network)
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
        self.play.take_figures(now.figures, now.expected, now.names)
        for panel in PANELS:  # which share the height with a text that is whole now
            if panel in moment.panels or (panel in BESIDE and moment.panels):
                self._show_dock(panel, panel in moment.panels)

    def _seek(self, step: int) -> None:
        """Show a step (index); of searches in step it may be one of the longest alone."""
        if self._session.race.on:
            self._session.clock.go_to(float(step))
        else:
            self._session.active.player.seek(float(step))

    def _refuse(self, problem: str) -> None:
        """Say why a moment cannot be shown, and where it stands in its file."""
        lesson, moment = self.play.lesson, self.play.moment
        if lesson is not None and moment is not None:
            self.play.take_problem(f"{lesson.path.name}:{moment.line}: {translated_message(problem)}")

    # ------------------------------------------------------------------------------------------------ on the map

    def _show_marks(self) -> None:
        """Show what is pointed out and what was answered; after a prediction, the step that was asked for."""
        play, verdict = self.play, self.play.verdict
        self._view.set_picking(play.predicts and not play.revealed)
        if verdict is None:
            self._view.set_marks(replace(self._marks, picked=tuple(sorted(play.picked))))
            return
        marks = replace(self._marks, right=verdict.right, wrong=verdict.wrong, missed=verdict.missed)
        self._view.set_marks(marks)
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
