"""The panel of lessons: the moment that is shown, its question with the choices, and the way through the lesson."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QMenu, QPushButton, QScrollArea, QSizePolicy, QWidget

from wayfront_gui.features.lessons.file import is_tour
from wayfront_gui.features.lessons.markup import to_html, to_line
from wayfront_gui.features.lessons.play import LessonPlay, Verdict
from wayfront_gui.ui.controls import GAP, MARGIN, SPRING, ElidedLabel, holding, in_column, in_row, label, push_button
from wayfront_gui.ui.style import figures_font, shown
from wayfront_gui.ui.translation import plural, translated

TEXT_HEIGHT = 120
"""Pixels that the text has at least where other panels are below it; larger texts have no more room."""


class LessonPanel(QWidget):
    """Shows the lesson that is played. Its buttons are the commands of the Teach menu.

    Where none is played, there is a button for each menu of ``begin_with``, by its text.
    """

    def __init__(
        self, play: LessonPlay, actions: Mapping[str, QAction], begin_with: Mapping[str, QMenu] | None = None
    ) -> None:
        super().__init__()
        self._play = play
        self.title, self.place = ElidedLabel(rank="second"), label(rank="caption")
        self.none = label(wrap=True)
        self.none.setText(
            translated(
                "Play a tour, or step through a graph from a textbook. The Teach menu opens lessons of your own."
            )
        )
        self._menus = [_menu_button(text, menu) for text, menu in (begin_with or {}).items()]
        self.text = LessonText(play)
        self.choices = LessonChoices(play)
        self._answered = False
        self.answer = _button(actions["lesson.answer"], translated("Answer"))
        self.back = _button(actions["lesson.back"], translated("Back"))
        self.next = _button(actions["lesson.next"], translated("Next"), rank="main")
        self.add = _button(actions["lesson.add"], translated("Add this moment…"))
        self.edit = _button(actions["lesson.edit"], translated("Edit…"))
        self._way = in_row((self.back, 1), (self.answer, 1), (self.next, 1))
        head = in_row((self.title, 1), self.place)  # in one row, for beside other panels there is little height
        making = in_row((self.add, 1), (self.edit, 1))
        parts = (
            head,
            self.none,
            in_row(*((button, 1) for button in self._menus)),
            self.text,
            self.choices,
            making,
            SPRING,
        )
        self._parts = in_column(*parts)
        self._content = holding(self._parts)
        self._scroll = scroll = QScrollArea()  # a long text scrolls above the buttons, which stay
        scroll.setWidget(self._content)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setLayout(in_column((scroll, 1), self._way, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        play.moment_changed.connect(lambda: scroll.verticalScrollBar().setValue(0))
        play.changed.connect(self._show)
        self._show()

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        """Return how high it has to be for its text not to scroll, even if there is a scroll bar now."""
        text = self._content.heightForWidth(width - 2 * MARGIN - self._scroll.verticalScrollBar().sizeHint().width())
        return GAP + text + GAP + self._way.sizeHint().height() + MARGIN

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap what is shown where no lesson is played in the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show all of it where no lesson is played: there is no text that scrolls, but a few buttons."""
        whole = self._content.heightForWidth(self.width() - 2 * MARGIN)
        self._scroll.setMinimumHeight(TEXT_HEIGHT if self._play.lesson is not None else whole)

    def _show(self) -> None:
        play = self._play
        lesson, moment = play.lesson, play.moment
        for part in (self.none, *self._menus):
            part.setVisible(lesson is None)
        self.title.setVisible(lesson is not None)
        self.place.setVisible(lesson is not None)
        tour = lesson is not None and is_tour(lesson.path)
        self.text.setVisible(lesson is not None)
        self._parts.setContentsMargins(0, 0, 0 if lesson is None else GAP // 2, 0)  # a scroll bar is near the text
        for button in (self.back, self.answer, self.next):
            button.setVisible(lesson is not None)
        self.add.setVisible(not tour)
        self.edit.setVisible(lesson is not None and not tour)
        self._fit()
        if lesson is not None:
            self.title.show_text(translated(lesson.title))
            self.place.setText(translated("Moment {at:,} of {all:,}", at=play.index + 1, all=play.count))
        self.back.setEnabled(play.index > 0)
        self.next.setEnabled(moment is not None and (play.index + 1 < play.count or (play.asks and not play.revealed)))
        self.answer.setEnabled(play.asks and not play.revealed)
        if (play.revealed or play.problem) and not self._answered:  # what comes last may lie below the others
            QTimer.singleShot(0, self, lambda: self._scroll.ensureWidgetVisible(self.text.answer))
        self._answered = bool(play.revealed or play.problem)


def _menu_button(text: str, menu: QMenu) -> QPushButton:
    """Return a button that opens a menu."""
    button = push_button(text, text)
    button.setMenu(menu)
    return button


def _button(action: QAction, text: str, rank: str = "") -> QPushButton:
    """Return a button for a command, with a shorter text than its menu has."""
    return push_button(text, action.toolTip(), rank, action.trigger)


class LessonText(QWidget):
    """Shows the moment of a lesson: heading, text, question, and once it is revealed the answer."""

    def __init__(self, play: LessonPlay) -> None:
        super().__init__()
        self._play = play
        self.heading = _prose("name")
        self.text, self.question, self.answer = _prose(), _prose(), _prose()
        self._parts = self.heading, self.text, self.question, self.answer
        self.setLayout(in_column(*self._parts))
        play.changed.connect(self.show_moment)
        self.show_moment()

    def show_moment(self) -> None:
        """Show the moment as it is now."""
        play = self._play
        moment = play.moment
        self.heading.setText("" if moment is None else to_line(play.filled(translated(moment.title))))
        self.text.setText("" if moment is None else to_html(play.filled(translated(moment.text))))
        self.question.setText(f'<div style="font-weight:600">{asked}</div>' if (asked := self._asked()) else "")
        self.answer.setText(self._answered())
        for part in self._parts:
            part.setVisible(bool(part.text()))

    def _asked(self) -> str:
        play = self._play
        asked = "" if play.question is None else to_html(play.filled(translated(play.question.text)))
        if play.predicts:
            how = translated("Click them on the map, then show the answer (Q).")
            picked = plural("{count} node chosen", "{count} nodes chosen", len(play.picked))
            asked += f"<p>{escape(play.prediction)} {escape(how)}</p>" + (
                f"<p>{escape(picked)}</p>" if play.picked else ""
            )
        return asked

    def _answered(self) -> str:
        play = self._play
        if play.problem:
            return f"<p>{escape(shown(play.problem))}</p>"
        if not play.revealed:
            return ""
        said = []
        question = play.question
        if question is not None and question.choices:
            right = translated(question.choices[question.right])
            if play.chosen is None:
                said.append(translated("The answer: {right}", right=right))
            elif play.chosen == question.right:
                said.append(translated("Right: {right}", right=right))
            else:
                said.append(translated("Not quite. The answer: {right}", right=right))
        if play.verdict is not None:
            said.append(verdict_text(play.verdict))
        answer = "" if question is None else to_html(play.filled(translated(question.answer)))
        return "".join(f"<p><b>{escape(shown(line))}</b></p>" for line in said) + answer


def verdict_text(verdict: Verdict) -> str:
    """Return how well the next nodes were predicted, in a sentence."""
    count = len(verdict.right) + len(verdict.missed)
    if verdict.perfect:
        return plural("Right: exactly this node.", "Right: exactly these {count} nodes.", count)
    return translated(
        "{right:,} right, {wrong:,} wrong, {missed:,} missed",
        right=len(verdict.right),
        wrong=len(verdict.wrong),
        missed=len(verdict.missed),
    )


def _prose(rank: str = "") -> QLabel:
    """Return a label for rich text, in which nothing can be followed or fetched."""
    result = QLabel()
    result.setWordWrap(True)
    result.setTextFormat(Qt.TextFormat.RichText)
    result.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
    result.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
    result.setFont(figures_font(result.font()))
    if rank:
        result.setProperty("rank", rank)
    return result


class LessonChoices(QWidget):
    """A button for each choice, below each other; ``across`` beside each other where they fit. Hidden without any."""

    def __init__(self, play: LessonPlay, *, across: bool = False) -> None:
        super().__init__()
        self._play, self._across = play, across
        self.buttons: list[QPushButton] = []
        self._asked: object = None
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(GAP // 2)
        play.changed.connect(self.show_choices)
        self.show_choices()

    def show_choices(self) -> None:
        """Show the choices of the question that is asked now."""
        question = self._play.question
        choices = () if question is None else question.choices
        self.setVisible(bool(choices))
        if (asked := (self._play.moment, choices)) == self._asked:
            return
        self._asked = asked
        for button in self.buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = []
        for index, choice in enumerate(choices):
            text, about = translated(choice).replace("&", "&&"), translated("Answer with this one")
            button = push_button(text, about, press=partial(self._play.choose, index))
            self._row.addWidget(button)
            self.buttons.append(button)
        self._turn()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the buttons out in the new width."""
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        asked = sum(button.sizeHint().width() + GAP for button in self.buttons)
        fits = self._across and 0 < asked <= self.width()
        self._row.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)
