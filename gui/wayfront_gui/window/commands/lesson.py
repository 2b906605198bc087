"""The commands of the Lesson menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QMainWindow

from wayfront_gui.dialogs.export import with_suffix
from wayfront_gui.dialogs.moment import MomentDialog, Words
from wayfront_gui.engine_thread.export_jobs import CallJob
from wayfront_gui.engine_thread.jobs import Report
from wayfront_gui.export.film_file import require_film_support
from wayfront_gui.export.lesson_film import write_lesson_film
from wayfront_gui.export.lesson_handout import PRINTED, write_handout
from wayfront_gui.lessons.lesson import Lesson, Moment
from wayfront_gui.lessons.lesson_file import SUFFIX, read_lesson
from wayfront_gui.lessons.lesson_text import append_moment, new_lesson, replace_moment
from wayfront_gui.lessons.shelf import is_tour, tour_path
from wayfront_gui.model.network_title import title_of
from wayfront_gui.translation import translated
from wayfront_gui.window.appearance import Appearance
from wayfront_gui.window.file_dialogs import FileDialogs
from wayfront_gui.window.lesson_control import LessonControl

Write = Callable[[Lesson, str, Path, Report], object]
"""Writes a lesson in a theme to a file."""


class LessonCommands:
    """Opens, plays, makes and exports lessons."""

    def __init__(
        self,
        window: QMainWindow,
        control: LessonControl,
        dialogs: FileDialogs,
        appearance: Appearance,
    ) -> None:
        self._window, self._control, self._play = window, control, control.play
        self._dialogs, self._appearance = dialogs, appearance
        self._controller, self._reports = control.controller, control.reports

    # -------------------------------------------------------------------------------------------------- opening

    def open_lesson(self) -> None:
        """Ask for a lesson and play it."""
        path = self._dialogs.open(translated("Open lesson"), lesson_files())
        if path:
            self._control.open(path)

    def open_tour(self, name: str) -> None:
        """Play a tour that comes with the program."""
        self._control.open(tour_path(name))

    def reload(self) -> None:
        """Read the lesson again, which another program may have changed, and go on at the same moment."""
        lesson = self._play.lesson
        if lesson is not None:
            self._control.open(lesson.path, self._play.index)

    def close(self) -> None:
        """Play no lesson any more."""
        self._control.close()

    # -------------------------------------------------------------------------------------------------- playing

    def next(self) -> None:
        """Show the answer, or the next moment."""
        self._play.next()

    def back(self) -> None:
        """Show the moment before."""
        self._play.back()

    def answer(self) -> None:
        """Show the answer."""
        self._play.reveal()

    # --------------------------------------------------------------------------------------------------- making

    def add(self) -> None:
        """Ask for words, and add what is shown to the lesson that is open, or to a new one."""
        lesson = self._play.lesson
        own = lesson if lesson is not None and not is_tour(lesson.path) else None
        self._add_to(own)

    def new(self) -> None:
        """Begin a new lesson with what is shown."""
        self._add_to(None)

    def _add_to(self, lesson: Lesson | None) -> None:
        moment = self._control.moment_now(Path() if lesson is None else lesson.path.parent)
        if moment is None:
            self._reports.show_problem(translated("There is no recorded search to add yet: run one first."))
            return
        path = self._ask_where() if lesson is None else lesson.path
        if path is None:
            return
        what = translated("{name}: the search that is shown, {when}", name=path.name, when=moment.when.text)
        add = partial(self._write, lesson, path)
        called = title_of(path.stem) if lesson is None else ""
        MomentDialog(what, add, predicts=not moment.when.finished, parent=self._window, lesson=called).open()

    def edit(self) -> None:
        """Ask for other words of the moment that is shown, and write them to its lesson."""
        lesson, moment = self._play.lesson, self._play.moment
        if lesson is None or moment is None or is_tour(lesson.path):
            self._reports.show_problem(translated("Open a lesson of your own first: tours are not changed."))
            return
        what = translated(
            "{name}: moment {at:,}, {when}", name=lesson.path.name, at=self._play.index + 1, when=moment.when.text
        )
        change = partial(self._change, lesson, self._play.index)
        predicts = not moment.when.finished
        MomentDialog(what, change, predicts=predicts, parent=self._window, changed=moment).open()

    def _change(self, lesson: Lesson, index: int, words: Words) -> None:
        """Write a moment anew. Raises ``WayfrontError`` where it cannot be."""
        before = lesson.moments[index]
        shown = self._control.moment_now(lesson.path.parent) if words.as_shown else None
        moment = before if shown is None else _as_shown(before, shown)
        changed = replace_moment(lesson, index, _with(moment, words))
        self._control.take(changed, index)
        self._reports.show(translated("Moment {at:,} of {name} is written", at=index + 1, name=lesson.path.name))

    def _ask_where(self) -> Path | None:
        path, _ = self._dialogs.save(translated("New lesson"), f"lesson{SUFFIX}", lesson_files())
        return with_suffix(path, SUFFIX) if path else None

    def _write(self, lesson: Lesson | None, path: Path, words: Words) -> None:
        """Write a moment to a lesson. Raises ``WayfrontError`` where it cannot be."""
        shown = self._control.moment_now(path.parent)
        assert shown is not None
        moment = _with(shown, words)
        changed = (
            new_lesson(words.lesson or path.stem, moment, path)
            if lesson is None
            else append_moment(read_lesson(path), moment)
        )
        self._control.take(changed, len(changed.moments) - 1)
        self._reports.show(translated("Moment {at:,} of {name} is written", at=len(changed.moments), name=path.name))

    # ------------------------------------------------------------------------------------------------ exporting

    def save_handout(self) -> None:
        """Ask where, and save picture and text of each moment."""
        self._export(translated("Save handout"), ".pdf", {translated("PDF document"): ".pdf"}, write_handout)

    def save_film(self) -> None:
        """Ask where, and save the lesson as a film."""
        kinds = {translated("MP4 film"): ".mp4", translated("WebM film"): ".webm", translated("Animated GIF"): ".gif"}
        self._export(translated("Save film of the lesson"), ".mp4", kinds, write_lesson_film)

    def _export(self, title: str, suffix: str, kinds: dict[str, str], write: Write) -> None:
        lesson = self._play.lesson
        if lesson is None:
            self._reports.show_problem(translated("There is no lesson to save yet: open one first."))
            return
        filters = ";;".join(f"{name} (*{ending})" for name, ending in kinds.items())
        chosen, _ = self._dialogs.save(title, f"{lesson.path.stem}{suffix}", filters)
        if not chosen:
            return
        path = with_suffix(chosen, suffix)
        theme = PRINTED if write is write_handout else self._appearance.theme.name
        if suffix != ".pdf":
            require_film_support(path)
        # On the engine's thread, which owns the card: moments are searched anew.
        job = CallJob(lambda report: write(lesson, theme, path, report), "lesson export")
        self._controller.worker.submit(job, lambda _: self._reports.show(translated("Saved {name}", name=path.name)))


def _as_shown(before: Moment, shown: Moment) -> Moment:
    """Return a moment with another search, step and view; what is pointed out stays where it is still there."""
    same = before.search.network == shown.search.network
    marks = replace(before.marks if same else shown.marks, route=shown.marks.route)
    return replace(before, search=shown.search, when=shown.when, view=shown.view, marks=marks)


def _with(moment: Moment, words: Words) -> Moment:
    return replace(moment, title=words.title, text=words.text, question=words.question, predict=words.predict)


def lesson_files() -> str:
    """Return the filter of a dialog for lessons."""
    return f"{translated('Lessons')} (*{SUFFIX})"
