"""The message bar over the map: a problem until it is over or dismissed, or a notice."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMessageBox, QWidget

from wayfront_gui.look.icons import icon
from wayfront_gui.look.plain import hint, shown, window_title
from wayfront_gui.look.theme import Theme
from wayfront_gui.translation import translated
from wayfront_gui.widgets.controls import GAP, MARGIN, label, push_button, tool_button


def _nothing() -> None:
    pass


def message_box(parent: QWidget, title: str, text: str) -> QMessageBox:
    """Return a box over the window that shows a text as it is, and that is gone once closed."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(window_title(title))
    box.setText(shown(text))
    return box


class MessageBar(QFrame):
    """Shows one problem or one notice, with a button to dismiss it."""

    covers = Signal(int)
    """How many pixels it covers of its parent's upper edge now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = label(rank="value", wrap=True)
        self._dismiss = tool_button(name=translated("Dismiss the message"))
        self._dismiss.setToolTip(translated("Dismiss"))
        self._dismiss.clicked.connect(self.hide)
        self._act: Callable[[], None] = _nothing
        self.button = push_button("")
        self.button.clicked.connect(self._do)
        self.button.hide()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, GAP, GAP)
        layout.addWidget(self._text, 1)
        layout.addWidget(self.button)
        layout.addWidget(self._dismiss)
        self.hide()

    @property
    def text(self) -> str:
        """The text of the problem or notice."""
        return self._text.text()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._dismiss.setIcon(icon("cross", theme))

    def show_problem(self, problem: str, action: str = "", act: Callable[[], None] = _nothing) -> None:
        """Show a problem in place of the message before; a button called ``action`` hides it and calls ``act``."""
        first_word = problem.partition(" ")[0]
        is_name = any(mark in first_word for mark in ".:/\\")  # a file name is not capitalised
        self._show("problem", problem if is_name else problem[:1].upper() + problem[1:])
        self._act = act
        self.button.setText(action)
        self.button.setToolTip(hint(action.replace("&", "")))
        self.button.setVisible(bool(action))
        self.place()

    def show_notice(self, notice: str) -> None:
        """Show a notice in place of the message before."""
        self._show("notice", notice)

    def hide_notice(self) -> None:
        """Hide a notice that no longer holds; a problem stays."""
        if self.property("message") == "notice":
            self.hide()

    def hide_problem(self) -> None:
        """Hide a problem that is over; a notice stays."""
        if self.property("message") == "problem":
            self.hide()

    def place(self) -> None:
        """Lie over the upper edge of the parent, as high as the text needs: what is below keeps its size."""
        parent, layout = self.parentWidget(), self.layout()
        if parent is None or layout is None:
            return
        self.setGeometry(0, 0, parent.width(), self.height())
        layout.activate()  # the text wraps, and with it changes the height that it asks for
        self.resize(parent.width(), layout.totalMinimumSize().height())
        self.raise_()

    def event(self, event: QEvent) -> bool:
        """Tell how much is covered when that changes."""
        handled = super().event(event)
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Resize):
            self.covers.emit(0 if self.isHidden() else self.height())
        return handled

    def _show(self, kind: str, text: str) -> None:
        self.setProperty("message", kind)
        self.style().unpolish(self)  # otherwise the style sheet does not see the new property
        self.style().polish(self)
        self._text.setText(text)
        self._act = _nothing
        self.button.hide()
        self.show()
        self.place()

    def _do(self) -> None:
        act = self._act
        self.hide()
        act()
