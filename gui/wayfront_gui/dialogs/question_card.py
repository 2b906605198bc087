"""A card over the map that asks for one line, such as the id of a node."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from wayfront.errors import WayfrontError
from wayfront_gui.translation import translated_message
from wayfront_gui.widgets.controls import label
from wayfront_gui.widgets.line_card import LineCard


class QuestionCard(LineCard):
    """Asks for one line and shows the error of a refused answer under it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._problem = label(rank="second", wrap=True)
        self._layout.addWidget(self._problem)
        self._answer: Callable[[str], None] = lambda _: None
        self.line.returnPressed.connect(self._give_answer)

    @property
    def problem(self) -> str:
        """The error of the last answer, or an empty string."""
        return self._problem.text()

    def ask(self, hint: str, answer: Callable[[str], None]) -> None:
        """Ask; ``answer`` is called with the line and raises ``WayfrontError`` or ``ValueError`` to refuse it."""
        self._answer = answer
        self._show_problem("")
        self.open(hint)

    def _give_answer(self) -> None:
        try:
            self._answer(self.line.text().strip())
        except (WayfrontError, ValueError) as problem:
            self._show_problem(translated_message(str(problem)))
        else:
            self.close_card()

    def _show_problem(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self.adjustSize()
