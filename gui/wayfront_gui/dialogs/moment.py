"""Asks for the words of a moment of a lesson, a new one or one that is changed: heading, text, question, answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from wayfront.errors import OptionError, WayfrontError
from wayfront_gui.lessons.lesson import Moment, Question
from wayfront_gui.look.text_scale import keep_scaled
from wayfront_gui.translation import translated, translated_message
from wayfront_gui.widgets.controls import GAP, MARGIN, caption, check_box, label

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
        self.lesson = QLineEdit(lesson)
        self.lesson.setToolTip(translated("What the lesson is called"))
        self.title = QLineEdit()
        self.title.setToolTip(translated("The moment's heading"))
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(translated("Text"))
        self.text.setToolTip(translated("What is said of it: **bold**, *italic*, - lists, $d_v ≤ d_u + w_{uv}$"))
        self.text.setPlaceholderText(translated("**bold**, *italic*, $d_v ≤ d_u + w_{uv}$, {step} of {steps}"))
        self.text.setProperty("framed", True)
        keep_scaled(self.text.setMinimumHeight, TEXT_HEIGHT)
        self.text.setTabChangesFocus(True)
        self.question, self.answer = QLineEdit(), QLineEdit()
        self.question.setToolTip(translated("Asked before the lesson goes on; may be empty"))
        self.answer.setToolTip(translated("Shown once it is asked for"))
        self.choices = QLineEdit()
        self.choices.setToolTip(translated("Answers to choose from; may be empty"))
        self.choices.setPlaceholderText(translated("8; *9; 18, with a star at the right one"))
        self.predict = check_box(
            translated("Predict the next step"), translated("Asks which nodes come next, to be clicked on the map")
        )
        self.predict.setEnabled(predicts)
        self.as_shown = check_box(
            translated("Show what the map shows now"),
            translated("Takes network, search, step and view from the window"),
        )
        self.as_shown.setHidden(changed is None)
        self.problem = label(wrap=True)
        self.problem.setProperty("tone", "bad")
        self.problem.hide()
        rows = QFormLayout()
        rows.setSpacing(GAP)
        for name, field in (
            *([(translated("Lesson"), self.lesson)] if lesson else []),
            (translated("Title"), self.title),
            (translated("Text"), self.text),
            (translated("Question"), self.question),
            (translated("Choices"), self.choices),
            (translated("Answer"), self.answer),
        ):
            rows.addRow(caption(name, field), field)
        rows.addRow("", self.predict)
        rows.addRow("", self.as_shown)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText(
            translated("Add") if changed is None else translated("Save")
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(GAP)
        column.addWidget(label(what, wrap=True))
        column.addLayout(rows)
        column.addWidget(self.problem)
        column.addWidget(self.buttons)
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
