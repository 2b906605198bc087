"""Asks for the words of a moment that is added to a lesson: heading, text, question, answer."""

from __future__ import annotations

from collections.abc import Callable

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
from wayfront_gui.lessons.lesson import Question
from wayfront_gui.look.text_scale import keep_scaled
from wayfront_gui.translation import translated, translated_message
from wayfront_gui.widgets.controls import GAP, MARGIN, caption, check_box, label

WIDTH, TEXT_HEIGHT = 460, 150


class MomentDialog(QDialog):
    """Asks for the words of a moment; ``add`` takes title, text, question and prediction, and may refuse them."""

    def __init__(
        self, what: str, add: Callable[[str, str, Question | None, bool], None], *, predicts: bool, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(translated("Add this moment"))
        self._add = add
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
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText(translated("Add"))
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

    def accept(self) -> None:
        """Add the moment; stay open with the reason where that is refused."""
        asked, answer = self.question.text().strip(), self.answer.text().strip()
        question = Question(asked, answer) if asked else None
        try:
            self._add(self.title.text().strip(), self.text.toPlainText(), question, self.predict.isChecked())
        except WayfrontError as problem:
            self.problem.setText(translated_message(str(problem)))
            self.problem.show()
            return
        super().accept()
