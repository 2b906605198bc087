"""The commands of lessons, in the Teach menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QPlainTextEdit, QWidget

from wayfront.safe.errors import OptionError, WayfrontError
from wayfront_gui.app.commands import Command, command, offered
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import with_suffix
from wayfront_gui.app.job_dialog import problem_label
from wayfront_gui.app.jobs import CallJob, Report
from wayfront_gui.features.lessons.control import LessonControl
from wayfront_gui.features.lessons.file import (
    SUFFIX,
    Lesson,
    Moment,
    Question,
    append_moment,
    is_tour,
    new_lesson,
    read_lesson,
    replace_moment,
    tour_path,
)
from wayfront_gui.features.lessons.tours import TOURS
from wayfront_gui.session.formatting import title_of
from wayfront_gui.ui.controls import MARGIN, Form, in_column, label
from wayfront_gui.ui.style import keep_scaled
from wayfront_gui.ui.translation import translated, translated_message

FILMS = (".mp4", ".webm", ".gif")
Write = Callable[[Lesson, str, Path, Report], object]
"""Writes a lesson in a theme to a file."""


class LessonCommands:
    """Opens, plays, makes and exports lessons."""

    def __init__(self, host: Host) -> None:
        self._host, self._window, self._control = host, host.window, host.control(LessonControl)
        self._play = self._control.play
        self._dialogs, self._appearance = host.dialogs, host.appearance
        self._controller, self._reports = host.controller, host.reports

    # -------------------------------------------------------------------------------------------------- opening

    @command("lesson.open", "&Open lesson…", hint="Play a lesson file", at=(1, 1))
    def open_lesson(self) -> None:
        """Ask for a lesson and play it."""
        path = self._dialogs.open(translated("Open lesson"), lesson_files())
        if path:
            self._control.open(path)

    @offered(
        *(
            Command(f"lesson.{name}", title, hint="Play this tour", at=(1, index), under="teach/tours", argument=name)
            for index, (name, title) in enumerate(TOURS.items())
        )
    )
    def open_tour(self, name: str) -> None:
        """Play a tour that comes with the program."""
        self._control.open(tour_path(name))

    @command(
        "lesson.reload",
        "&Read the lesson again",
        keys=("Ctrl+F5",),
        hint="After its file was changed",
        at=(1, 4),
        under="teach/make",
    )
    def reload(self) -> None:
        """Read the lesson again, which another program may have changed, and go on at the same moment."""
        lesson = self._play.lesson
        if lesson is not None:
            self._control.open(lesson.path, self._play.index)

    @command("lesson.close", "&Close the lesson", hint="What is shown stays", at=(3, 2))
    def close(self) -> None:
        """Play no lesson any more."""
        self._control.close()

    # -------------------------------------------------------------------------------------------------- playing

    @command("lesson.next", "&Next", keys=("PgDown",), hint="The answer, or the next moment of the lesson", at=(2, 1))
    def next(self) -> None:
        """Show the answer, or the next moment."""
        self._play.next()

    @command("lesson.back", "&Back", keys=("PgUp",), hint="The moment before", at=(2, 2))
    def back(self) -> None:
        """Show the moment before."""
        self._play.back()

    @command("lesson.answer", "&Answer", keys=("Q",), hint="Show the answer, or the nodes that come next", at=(2, 3))
    def answer(self) -> None:
        """Show the answer."""
        self._play.reveal()

    # --------------------------------------------------------------------------------------------------- making

    @command(
        "lesson.add",
        "Add &this moment…",
        keys=("Ctrl+Shift+M",),
        hint="Add the search that is shown, at its step, to the lesson",
        at=(1, 1),
        under="teach/make",
    )
    def add(self) -> None:
        """Ask for words, and add what is shown to the lesson that is open, or to a new one."""
        lesson = self._play.lesson
        own = lesson if lesson is not None and not is_tour(lesson.path) else None
        self._add_to(own)

    @command(
        "lesson.new", "Ne&w lesson…", hint="Begin a lesson with the search that is shown", at=(1, 3), under="teach/make"
    )
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

    @command(
        "lesson.edit",
        "&Edit this moment…",
        hint="Other words, or another step, for this moment",
        at=(1, 2),
        under="teach/make",
    )
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
        if shown is None:  # another network was opened behind the dialog
            raise OptionError(translated("There is no recorded search to add yet: run one first."))
        moment = _with(shown, words)
        changed = (
            new_lesson(words.lesson or path.stem, moment, path)
            if lesson is None
            else append_moment(read_lesson(path), moment)
        )
        self._control.take(changed, len(changed.moments) - 1)
        self._reports.show(translated("Moment {at:,} of {name} is written", at=len(changed.moments), name=path.name))

    # ------------------------------------------------------------------------------------------------ exporting

    @command(
        "lesson.handout",
        "Save &handout…",
        hint="Picture and text of each moment, as PDF",
        at=(1, 5),
        under="teach/make",
    )
    def save_handout(self) -> None:
        """Ask where, and save picture and text of each moment."""
        from wayfront_gui.features.lessons.export import write_handout  # with what draws and films

        self._export(translated("Save handout"), ".pdf", {translated("PDF document"): ".pdf"}, write_handout)

    @command(
        "lesson.film",
        "Save &film of the lesson…",
        hint="All moments, as MP4, WebM or GIF",
        at=(1, 6),
        under="teach/make",
    )
    def save_film(self) -> None:
        """Ask where, and save the lesson as a film."""
        from wayfront_gui.features.lessons.export import write_lesson_film

        kinds = {translated("MP4 film"): ".mp4", translated("WebM film"): ".webm", translated("Animated GIF"): ".gif"}
        self._export(translated("Save film of the lesson"), ".mp4", kinds, write_lesson_film)

    @command(
        "lesson.page",
        "Save &page of the lesson…",
        hint="All moments with their questions, as one file that any browser plays",
        at=(1, 7),
        under="teach/make",
    )
    def save_page(self) -> None:
        """Ask where, and save the lesson as a page."""
        from wayfront_gui.features.lessons.page import write_lesson_page
        from wayfront_gui.features.page.document import SUFFIX as PAGE
        from wayfront_gui.features.page.document import bundle

        if self._play.lesson is not None:
            bundle()  # what no page can be written without is said at once
        title = translated("Save page of the lesson")
        self._export(title, PAGE, {translated("Page for browsers"): PAGE}, write_lesson_page)

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
        from wayfront_gui.features.export.film_file import require_film_support
        from wayfront_gui.features.lessons.export import PRINTED

        if suffix in FILMS:
            require_film_support(path)
        theme = PRINTED if suffix == ".pdf" else self._appearance.theme.name
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


WIDTH, TEXT_HEIGHT = 460, 80
_PARTED, _RIGHT = ";", "*"
"""What parts choices, and what stands before the right one."""


@dataclass(frozen=True, slots=True)
class Words:
    """What was typed, and of a moment that is changed whether it is to show what the map shows now.

    ``lesson`` is the title of a new lesson, "" where there is one already.
    """

    lesson: str
    title: str
    text: str
    question: Question | None
    predict: bool
    as_shown: bool


class MomentDialog(QDialog):
    """Asks for the words of a moment, at first those of one that is changed; ``write`` takes them, and may refuse.

    ``lesson`` is what a new lesson could be called, "" where there is one already.
    """

    def __init__(
        self,
        what: str,
        write: Callable[[Words], None],
        *,
        predicts: bool,
        parent: QWidget,
        changed: Moment | None = None,
        lesson: str = "",
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(translated("Add this moment") if changed is None else translated("Edit this moment"))
        self._write, self._changed = write, changed
        self.problem = problem_label()
        form = Form()
        self.lesson = QLineEdit(lesson)
        if lesson:
            form.field(translated("Lesson"), self.lesson, translated("What the lesson is called"))
        self.title = form.line(translated("Title"), hint=translated("The moment's heading"))
        about = translated("What is said of it: **bold**, *italic*, - lists, $d_v ≤ d_u + w_{uv}$")
        self.text = form.field(translated("Text"), QPlainTextEdit(), about)
        self.text.setPlaceholderText(translated("**bold**, *italic*, $d_v ≤ d_u + w_{uv}$, {step} of {steps}"))
        self.text.setProperty("framed", True)
        keep_scaled(self.text.setMinimumHeight, TEXT_HEIGHT)
        self.text.setTabChangesFocus(True)
        self.question = form.line(
            translated("Question"), hint=translated("Asked before the lesson goes on; may be empty")
        )
        self.choices = form.line(translated("Choices"), hint=translated("Answers to choose from; may be empty"))
        self.choices.setPlaceholderText(translated("8; *9; 18, with a star at the right one"))
        self.answer = form.line(translated("Answer"), hint=translated("Shown once it is asked for"))
        self.predict = form.switch(
            translated("Predict the next step"),
            hint=translated("Asks which nodes come next, to be clicked on the map"),
        )
        self.predict.setEnabled(predicts)
        self.as_shown = form.switch(
            translated("Show what the map shows now"),
            hint=translated("Takes network, search, step and view from the window"),
        )
        self.as_shown.setHidden(changed is None)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText(
            translated("Add") if changed is None else translated("Save")
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        margins = (MARGIN, MARGIN, MARGIN, MARGIN)
        self.setLayout(in_column(label(what, wrap=True), form, self.problem, self.buttons, margins=margins))
        keep_scaled(self.setMinimumWidth, WIDTH)
        if changed is not None:
            self._show_words(changed)

    def _show_words(self, moment: Moment) -> None:
        self.title.setText(moment.title)
        self.text.setPlainText(moment.text)
        if moment.question is not None:
            self.question.setText(moment.question.text)
            self.answer.setText(moment.question.answer)
            self.choices.setText(choices_text(moment.question))
            self.choices.setEnabled(moment.question.choices == () or bool(self.choices.text()))
        self.predict.setChecked(moment.predict)

    def accept(self) -> None:
        """Write the moment; stay open with the reason where that is refused."""
        title, text = self.title.text().strip(), self.text.toPlainText()
        lesson = " ".join(self.lesson.text().split())
        try:
            question = self._question()
            self._write(Words(lesson, title, text, question, self.predict.isChecked(), self.as_shown.isChecked()))
        except WayfrontError as problem:
            self.problem.setText(translated_message(str(problem)))
            self.problem.show()
            return
        super().accept()

    def _question(self) -> Question | None:
        """Return the question as it was typed, None for none. Raises ``OptionError`` as ``parse_choices`` does."""
        asked, answer = self.question.text().strip(), self.answer.text().strip()
        if not asked:
            return None
        before = None if self._changed is None else self._changed.question
        if before is not None and not self.choices.isEnabled():
            return replace(before, text=asked, answer=answer)
        return Question(asked, answer, *parse_choices(self.choices.text()))


def choices_text(question: Question) -> str:
    """Return the choices of a question as one line, "" where one of them has a sign of its own that parts them."""
    if any(_PARTED in choice or choice.startswith(_RIGHT) for choice in question.choices):
        return ""
    marked_right = (_RIGHT * (index == question.right) + choice for index, choice in enumerate(question.choices))
    return f"{_PARTED} ".join(marked_right)


def parse_choices(line: str) -> tuple[tuple[str, ...], int]:
    """Return the choices that a line lists, and the index of the right one, −1 where there are none.

    Raises ``OptionError`` unless exactly one of them is marked as right.
    """
    listed = [choice.strip() for choice in line.split(_PARTED) if choice.strip(_RIGHT + " ")]
    right = [index for index, choice in enumerate(listed) if choice.startswith(_RIGHT)]
    if listed and len(right) != 1:
        raise OptionError(translated("Put a star before the right one of the choices, and before no other: 8; *9; 18"))
    return tuple(choice.removeprefix(_RIGHT).strip() for choice in listed), right[0] if right else -1
