"""The panel of lessons: the moment that is shown, its question with the choices, and the way through the lesson."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from wayfront_gui.lessons.play import LessonPlay
from wayfront_gui.lessons.shelf import is_tour
from wayfront_gui.translation import translated
from wayfront_gui.widgets.controls import GAP, MARGIN, ElidedLabel, label, push_button
from wayfront_gui.widgets.lesson_text import LessonText

TEXT_HEIGHT = 120
"""Pixels that the text has at least where other panels are below it; larger texts have no more room."""


class LessonPanel(QWidget):
    """Shows the lesson that is played. Its buttons are the commands of the Lesson menu."""

    def __init__(self, play: LessonPlay, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._play = play
        self.title, self.place = ElidedLabel(rank="second"), label(rank="caption")
        self.none = label(wrap=True)
        self.none.setText(translated("No lesson is open. The Lesson menu has tours, and opens lessons of your own."))
        self.text = LessonText(play)
        self.choices = QVBoxLayout()
        self.choices.setSpacing(GAP // 2)
        self._buttons: list[QPushButton] = []
        self._asked: object = None
        self._answered = False
        self.answer = _button(actions["lesson.answer"], translated("Answer"))
        self.back = _button(actions["lesson.back"], translated("Back"))
        self.next = _button(actions["lesson.next"], translated("Next"), rank="main")
        self.add = _button(actions["lesson.add"], translated("Add this moment…"))
        self.edit = _button(actions["lesson.edit"], translated("Edit…"))
        self._content, self._way = QWidget(), _row(self.back, self.answer, self.next)
        self._fill()
        self._scroll = scroll = QScrollArea()  # a long text scrolls above the buttons, which stay
        scroll.setWidget(self._content)
        scroll.setWidgetResizable(True)
        scroll.setMinimumHeight(TEXT_HEIGHT)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        whole.setSpacing(GAP)
        whole.addWidget(scroll, 1)
        whole.addLayout(self._way)
        play.moment_changed.connect(lambda: scroll.verticalScrollBar().setValue(0))
        play.changed.connect(self._show)
        self._show()

    def _fill(self) -> None:
        """Put what scrolls below each other."""
        column = QVBoxLayout(self._content)
        column.setContentsMargins(0, 0, GAP // 2, 0)
        column.setSpacing(GAP)
        column.addLayout(_row(self.title, self.place))  # in one row, for beside other panels there is little height
        column.addWidget(self.none)
        column.addWidget(self.text)
        column.addLayout(self.choices)
        column.addLayout(_row(self.add, self.edit))
        column.addStretch(1)

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        """Return how high it has to be for its text not to scroll, even if there is a scroll bar now."""
        text = self._content.heightForWidth(width - 2 * MARGIN - self._scroll.verticalScrollBar().sizeHint().width())
        return GAP + text + GAP + self._way.sizeHint().height() + MARGIN

    def _show(self) -> None:
        play = self._play
        lesson, moment = play.lesson, play.moment
        self.none.setVisible(lesson is None)
        self.title.setVisible(lesson is not None)
        self.place.setVisible(lesson is not None)
        tour = lesson is not None and is_tour(lesson.path)
        self.add.setVisible(not tour)
        self.edit.setVisible(lesson is not None and not tour)
        if lesson is not None:
            self.title.show_text(translated(lesson.title))
            self.place.setText(translated("Moment {at:,} of {all:,}", at=play.index + 1, all=play.count))
        self.back.setEnabled(play.index > 0)
        self.next.setEnabled(moment is not None and (play.index + 1 < play.count or (play.asks and not play.revealed)))
        self.answer.setEnabled(play.asks and not play.revealed)
        self._show_choices()
        if (play.revealed or play.problem) and not self._answered:  # what comes last may lie below the others
            QTimer.singleShot(0, self, lambda: self._scroll.ensureWidgetVisible(self.text.answer))
        self._answered = bool(play.revealed or play.problem)

    def _show_choices(self) -> None:
        """Make a button for each choice of the question."""
        question = self._play.question
        choices = () if question is None else question.choices
        if (asked := (self._play.moment, choices)) != self._asked:
            self._asked = asked
            for button in self._buttons:
                self.choices.removeWidget(button)
                button.hide()
                button.deleteLater()
            self._buttons = []
            for index, choice in enumerate(choices):
                button = push_button(translated(choice).replace("&", "&&"), translated("Answer with this one"))
                button.clicked.connect(partial(self._play.choose, index))
                self.choices.addWidget(button)
                self._buttons.append(button)


def _row(first: QWidget, *others: QWidget) -> QHBoxLayout:
    """Return a row of widgets, of which the first takes at least as much width as any other."""
    row = QHBoxLayout()
    row.setSpacing(GAP)
    row.addWidget(first, 1)
    for other in others:
        row.addWidget(other, 1 if isinstance(other, QPushButton) else 0)
    return row


def _button(action: QAction, text: str, rank: str = "") -> QPushButton:
    """Return a button for a command, with a shorter text than its menu has."""
    button = push_button(text, action.toolTip(), rank)
    button.clicked.connect(action.trigger)
    return button
