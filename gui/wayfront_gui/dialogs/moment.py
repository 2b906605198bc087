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

from wayfront.errors import WayfrontError
from wayfront_gui.lessons.lesson import Moment, Question
from wayfront_gui.look.text_scale import keep_scaled
from wayfront_gui.translation import translated, translated_message
from wayfront_gui.widgets.controls import GAP, MARGIN, caption, check_box, label

WIDTH, TEXT_HEIGHT = 460, 150


@dataclass(frozen=True, slots=True)
class Words:
    """What was typed, and of a moment that is changed whether it is to show what the map shows now."""

    title: str
    text: str
    question: Question | None
    predict: bool
    as_shown: bool


class MomentDialog(QDialog):
    """Asks for the words of a moment, at first those of one that is changed; ``write`` takes them, and may refuse."""

    def __init__(
        self,
        what: str,
        write: Callable[[Words], None],
        *,
        predicts: bool,
        parent: QWidget,
        changed: Moment | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(translated("Add this moment") if changed is None else translated("Edit this moment"))
        self._write, self._changed = write, changed
        self.title = QLineEdit()
        self.title.setToolTip(translated("The moment's heading"))
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(translated("Text"))
        self.text.setToolTip(translated("What is said of it: **bold**, *italic*, - lists, $d_v ≤ d_u + w_{uv}$"))
        self.text.setProperty("framed", True)
        keep_scaled(self.text.setMinimumHeight, TEXT_HEIGHT)
        self.text.setTabChangesFocus(True)
        self.question, self.answer = QLineEdit(), QLineEdit()
        self.question.setToolTip(translated("Asked before the lesson goes on; may be empty"))
        self.answer.setToolTip(translated("Shown once it is asked for"))
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
            (translated("Title"), self.title),
            (translated("Text"), self.text),
            (translated("Question"), self.question),
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
        self.predict.setChecked(moment.predict)

    def accept(self) -> None:
        """Write the moment; stay open with the reason where that is refused."""
        asked, answer = self.question.text().strip(), self.answer.text().strip()
        before = None if self._changed is None else self._changed.question
        question = replace(before or Question(""), text=asked, answer=answer) if asked else None
        title, text = self.title.text().strip(), self.text.toPlainText()
        try:
            self._write(Words(title, text, question, self.predict.isChecked(), self.as_shown.isChecked()))
        except WayfrontError as problem:
            self.problem.setText(translated_message(str(problem)))
            self.problem.show()
            return
        super().accept()
