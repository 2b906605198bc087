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
from wayfront_gui.lessons.staging import device_of, source_of, staged
from wayfront_gui.map.view import MapView
from wayfront_gui.model.choice import Choice
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
        self._shown: tuple[Search, Result] | None = None
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
        return None if saved is None else moment_of(self._session.active, saved.opened_by, self._view, folder)

    # ------------------------------------------------------------------------------------------------- a moment

    def _stage(self) -> None:
        """Open the network of the moment, unless it is open, then search."""
        lesson, moment = self.play.lesson, self.play.moment
        self._marks, self._advanced = LessonMarks(), False
        if lesson is None or moment is None:
            self._shown = None
            return
        if self._session.race.on:
            self._session.race.leave()
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
        same = self._shown is not None and self._shown[0] == moment.search and self._shown[1] is slot.result
        if same and slot.result is not None and (slot.result.timing.runs_ms or not uses_time(moment.text)):
            self._show(moment, slot, slot.result)
            return True
        control.choose(choice)
        runs = None if uses_time(moment.text) else 0
        request = slot.request(runs=runs or 0, trace_budget=DEFAULT_BUDGET_BYTES)
        assert request is not None
        control.prepare_to_run()
        job = SearchJob(replace(request, runs=runs), slot.id)
        self.controller.worker.submit(job, partial(self._on_found, moment, slot), on_failed=self._on_failed)
        return True

    def _on_found(self, moment: Moment, slot: Slot, result: Result) -> None:
        self.controller.control_of(slot).show_from_the_start(result)
        if self.play.moment is moment:
            self._shown = moment.search, result
            self._show(moment, slot, result)

    def _on_failed(self, problem: BaseException) -> bool:
        """Say it in the lesson as well as over the map."""
        self._refuse(str(problem))
        return False

    def _show(self, moment: Moment, slot: Slot, result: Result) -> None:
        """Show the step, view and marks of a moment."""
        control = self.controller.control_of(slot)
        self._session.clock.pause()
        try:
            now = staged(moment, result)
            self._marks = LessonMarks.of(moment.marks, result.network)
            target = None if moment.marks.route is None else node_called(result.network, moment.marks.route)
        except (NeverError, WayfrontError) as problem:
            self._refuse(str(problem))
            return
        slot.choose_target(target)
        slot.player.seek(float(now.step))
        control.show_tree(moment.when.tree)
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
        closures=slot.closures.arcs[:0],
    )
