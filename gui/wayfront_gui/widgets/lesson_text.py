"""The text of a lesson's moment with its question and answer: in the panel, and as a caption over the map."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from wayfront_gui.lessons.markup import to_html, to_line
from wayfront_gui.lessons.play import LessonPlay
from wayfront_gui.lessons.prediction import Verdict
from wayfront_gui.look.drawing import figures_font
from wayfront_gui.look.plain import shown
from wayfront_gui.translation import plural, translated
from wayfront_gui.widgets.controls import GAP


class LessonText(QWidget):
    """Shows the moment of a lesson: heading, text, question, and once it is revealed the answer."""

    def __init__(self, play: LessonPlay) -> None:
        super().__init__()
        self._play = play
        self.heading = _prose("name")
        self.text, self.question, self.answer = _prose(), _prose(), _prose()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        for part in (self.heading, self.text, self.question, self.answer):
            column.addWidget(part)
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
        for part in (self.heading, self.text, self.question, self.answer):
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
