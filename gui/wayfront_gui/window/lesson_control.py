"""Plays a lesson in the window: opens and searches what a moment shows, and passes on what is answered on the map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from wayfront.errors import FormatError, WayfrontError
from wayfront.network.finding import node_called
from wayfront.network.road_network import RoadNetwork
from wayfront.options import resolve
from wayfront.search.registry import SearchKind, find_algorithm
from wayfront.search.result import Result
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront_gui.engine_thread.jobs import SearchJob
from wayfront_gui.lessons.conditions import NeverError
from wayfront_gui.lessons.figures import uses_time
from wayfront_gui.lessons.lesson import BESIDE, PANELS, Lesson, Moment, Search
from wayfront_gui.lessons.lesson_file import read_lesson
from wayfront_gui.lessons.play import LessonPlay
from wayfront_gui.lessons.shelf import is_tour
from wayfront_gui.lessons.staging import closed_by, device_of, source_of, staged
from wayfront_gui.map.view import MapView
from wayfront_gui.model.choice import Choice
from wayfront_gui.model.closures import as_arcs
from wayfront_gui.model.replay_clock import Walk
from wayfront_gui.model.slot import Slot
from wayfront_gui.model.targets import Targets
from wayfront_gui.scene.geometry import Plane
from wayfront_gui.scene.lesson_marks import LessonMarks
from wayfront_gui.translation import translated_message
from wayfront_gui.window.added_moment import moment_of
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
        self._shown: tuple[Search, tuple[Result, ...]] | None = None
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
        self._show_dock("lesson", True)
        self.play.open(lesson, index)

    def close(self) -> None:
        """Play no lesson any more; what is shown stays."""
        self.play.open(None)

    def moment_now(self, folder: Path) -> Moment | None:
        """Return what is shown as a moment of a lesson in ``folder``, None where no recorded search is shown."""
        saved = self.controller.files.saved()
        slot, clock = self._session.active, self._session.clock
        others = [other for other in self._session.slots if other is not slot and other.part is slot.part]
        beside = others[0] if len(others) == 1 and clock.walk is Walk.STEP else None
        return None if saved is None else moment_of(slot, beside, saved.opened_by, self._view, folder)

    # ------------------------------------------------------------------------------------------------- a moment

    def _stage(self) -> None:
        """Open the network of the moment, unless it is open, then search."""
        lesson, moment = self.play.lesson, self.play.moment
        self._marks, self._advanced = LessonMarks(), False
        if lesson is None or moment is None:
            self._shown = None
            return
        slot, name = self._session.active, lesson.network_of(moment)
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
            choice = _choice(moment.search, network, slot)
        except WayfrontError as problem:
            self._refuse(str(problem))
            return True
        control = self.controller.control_of(slot)
        if self._is_shown(moment):
            self._show(moment)
            return True
        self._session.race.leave()
        control.choose(choice)
        self._search(moment, slot)
        return True

    def _is_shown(self, moment: Moment) -> bool:
        """Return whether the searches of a moment are there already, timed if it says their time."""
        found = tuple(slot.result for slot in self._session.slots)
        if self._shown is None or self._shown[0] != moment.search or self._shown[1] != found:
            return False
        return bool(self._shown[1][0].timing.runs_ms) or not uses_time(moment.text)

    def _search(self, moment: Moment, slot: Slot) -> None:
        """Search for a slot of a moment."""
        runs = None if uses_time(moment.text) else 0
        request = slot.request(runs=runs or 0, trace_budget=DEFAULT_BUDGET_BYTES)
        assert request is not None
        self.controller.control_of(slot).prepare_to_run()
        job = SearchJob(replace(request, runs=runs), slot.id)
        self.controller.worker.submit(job, partial(self._on_found, moment, slot), on_failed=self._on_failed)

    def _on_found(self, moment: Moment, slot: Slot, result: Result) -> None:
        self.controller.control_of(slot).show_from_the_start(result)
        if self.play.moment is not moment:
            return
        before = self._shown[1] if self._shown is not None and self._session.race.on else ()
        self._shown = moment.search, (*before, result)
        other = self._session.race.add(moment.search.beside) if moment.search.beside and not before else None
        if other is None:
            self._show(moment)
        else:
            self._session.clock.set_walk(Walk.STEP)
            self._search(moment, other)

    def _on_failed(self, problem: BaseException) -> bool:
        """Say it in the lesson as well as over the map."""
        self._refuse(str(problem))
        return False

    def _show(self, moment: Moment) -> None:
        """Show the step, view and marks of a moment, whose searches are there."""
        assert self._shown is not None
        slot, result = self._session.slots[0], self._shown[1][0]
        self._session.activate(slot)
        self._session.clock.pause()
        try:
            now = staged(moment, *self._shown[1])
            self._marks = LessonMarks.of(moment.marks, result.network)
            target = None if moment.marks.route is None else node_called(result.network, moment.marks.route)
        except (NeverError, WayfrontError) as problem:
            self._refuse(str(problem))
            return
        self.controller.choose_target(target)
        slot.player.seek(float(now.step))
        self.controller.show_tree(moment.when.tree)
        self._step = now.step
        if moment.view is None or result.network.coordinates is None:
            self._view.fit()
        else:
            self._view.look_at(Plane.of(result.network).extent_of_degrees(moment.view))
        for panel in PANELS:
            if panel in moment.panels or (panel in BESIDE and moment.panels):
                self._show_dock(panel, panel in moment.panels)
        self.play.take_figures(now.figures, now.expected, now.names)

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
            self._session.active.player.seek(float(self._step + 1))


def _choice(search: Search, network: RoadNetwork, slot: Slot) -> Choice:
    """Return the search of a moment as a choice on its network. Raises ``WayfrontError``."""
    options = slot.choice.options
    if search.options or search.algorithm in options:
        declared = find_algorithm(search.algorithm).options
        options = {**options, search.algorithm: resolve(declared, dict(search.options))}
    return replace(
        slot.choice,
        metric=network.metric(search.metric).name,
        kind=SearchKind.ONE_TREE,
        algorithm=search.algorithm,
        options=options,
        device=device_of(search),
        source=source_of(search, network),
        targets=Targets(),
        closures=as_arcs(closed_by(search, network)),
    )
