"""News that needs no answer: a strip over the map that says what went wrong, or will take long, until dismissed."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from wayfront_gui.look.icons import icon
from wayfront_gui.look.theme import Theme
from wayfront_gui.widgets.controls import GAP, MARGIN, label, tool_button


class MessageStrip(QFrame):
    """One problem, or one notice that nothing is wrong with, in plain words, with a button to put it away."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = label(rank="value", wrap=True)
        self._dismiss = tool_button()
        self._dismiss.setToolTip("Dismiss")
        self._dismiss.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, GAP, GAP)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._dismiss)
        self.hide()

    @property
    def text(self) -> str:
        """The problem or the notice that is shown."""
        return self._text.text()

    def set_theme(self, theme: Theme) -> None:
        """Draw in these colours."""
        self._dismiss.setIcon(icon("cross", theme))

    def say(self, problem: str) -> None:
        """Show a problem in place of the one before."""
        first_word = problem.partition(" ")[0]
        is_name = any(mark in first_word for mark in ".:/\\")  # a file keeps its own spelling
        self._show("problem", problem if is_name else problem[:1].upper() + problem[1:])

    def notice(self, news: str) -> None:
        """Show news that a person should see, in place of what was shown."""
        self._show("notice", news)

    def end_notice(self) -> None:
        """Put a notice away that no longer holds; a problem stays."""
        if self.property("strip") == "notice":
            self.hide()

    def _show(self, kind: str, text: str) -> None:
        self.setProperty("strip", kind)
        self.style().unpolish(self)  # the style sheet asks for the property only then
        self.style().polish(self)
        self._text.setText(text)
        self.show()
