"""The message bar over the map: a problem until it is over or dismissed, or a notice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QMessageBox, QWidget

from wayfront.safe.errors import WayfrontError
from wayfront_gui.ui.controls import GAP, MARGIN, in_column, in_row, label, push_button, tool_button
from wayfront_gui.ui.icons import icon
from wayfront_gui.ui.style import figures_font, hint, one_line, scaled, shown, window_title
from wayfront_gui.ui.theme import Theme
from wayfront_gui.ui.translation import translated, translated_message


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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = label(rank="value", wrap=True)
        self._text.setMinimumWidth(1)  # a long path makes no window wider
        self._dismiss = tool_button(20, translated("Dismiss the message"), translated("Dismiss"), self.hide)
        self._act: Callable[[], None] = _nothing
        self.button = push_button("", press=self._do)
        self.button.hide()
        self.setLayout(in_row((self._text, 1), self.button, self._dismiss, margins=(MARGIN, GAP, GAP, GAP)))
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
        self._show("problem", problem if is_name else problem[:1].upper() + problem[1:], action, act)

    def show_notice(self, notice: str, action: str = "", act: Callable[[], None] = _nothing) -> None:
        """Show a notice in place of the message before, with a button as a problem has one."""
        self._show("notice", notice, action, act)

    def hide_notice(self) -> None:
        """Hide a notice that no longer holds; a problem stays."""
        if self.property("message") == "notice":
            self.hide()

    def hide_problem(self) -> None:
        """Hide a problem that is over; a notice stays."""
        if self.property("message") == "problem":
            self.hide()

    def _show(self, kind: str, text: str, action: str, act: Callable[[], None]) -> None:
        self.setProperty("message", kind)
        self.style().unpolish(self)  # otherwise the style sheet does not see the new property
        self.style().polish(self)
        self._text.setText(text)
        self._act = act
        self.button.setText(action)
        self.button.setToolTip(hint(action.replace("&", "")))
        self.button.setVisible(bool(action))
        self.show()

    def _do(self) -> None:
        act = self._act
        self.hide()
        act()


LIFT = 6
"""Distance above the owner in pixels."""
BESIDE = 16
"""Distance from the pointer to a card beside it."""
COLUMN_GAP = 14
"""Distance between captions and values in pixels."""


class FactsCard(QFrame):
    """A small card in the window of ``owner``; the pointer passes through.

    It paints its two columns itself: laying out rich text at every move of the pointer took 6 ms.
    """

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._lines: Sequence[tuple[str, str]] = ()
        self._captions_width = 0
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFont(figures_font(self.font()))
        self.hide()

    @property
    def text(self) -> str:
        """The text, a line for each caption."""
        return "\n".join(f"{caption}: {value}" for caption, value in self._lines)

    def show_above(self, lines: Sequence[tuple[str, str]], x: int) -> None:
        """Show pairs of caption and value above the owner, at its pixel ``x``."""
        window = self._take(lines)
        anchor = self._owner.mapTo(window, QPoint(x, 0))
        left = min(max(anchor.x() - self.width() // 2, 0), max(window.width() - self.width(), 0))
        self._show_at(QPoint(left, max(anchor.y() - self.height() - LIFT, 0)))

    def show_beside(self, lines: Sequence[tuple[str, str]], at: QPoint) -> None:
        """Show pairs of caption and value beside a point of the owner: right of and below it where there is room."""
        window = self._take(lines)
        room = QRect(self._owner.mapTo(window, QPoint(0, 0)), self._owner.size())
        pointer = self._owner.mapTo(window, at)
        corner = pointer + QPoint(BESIDE, BESIDE)
        if corner.x() + self.width() > room.right():
            corner.setX(max(pointer.x() - BESIDE - self.width(), room.left()))
        if corner.y() + self.height() > room.bottom():
            corner.setY(max(pointer.y() - BESIDE - self.height(), room.top()))
        self._show_at(corner)

    def _take(self, lines: Sequence[tuple[str, str]]) -> QWidget:
        """Take the text and the size that it needs; return the window."""
        window = self._owner.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        self._lines = lines = [(caption, one_line(value)) for caption, value in lines]
        widths = [
            [self.fontMetrics().horizontalAdvance(text) for text in column] for column in zip(*lines, strict=True)
        ]
        self._captions_width, values_width = (max(column, default=0) for column in widths or ((), ()))
        width = min(self._captions_width + scaled(COLUMN_GAP) + values_width + 2 * GAP + 8, window.width())
        self.resize(width, len(lines) * self._line_height + 2 * GAP)
        return window

    def _show_at(self, corner: QPoint) -> None:
        self.move(corner)
        self.show()
        self.raise_()
        self.update()

    @property
    def _line_height(self) -> int:
        return self.fontMetrics().height() + 2

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw captions and values side by side."""
        super().paintEvent(event)
        painter = QPainter(self)
        line = self.contentsRect().adjusted(GAP + 2, GAP, -GAP, 0)
        line.setHeight(self._line_height)
        for caption, value in self._lines:
            painter.setPen(self.palette().color(self.palette().ColorRole.PlaceholderText))
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, caption)
            painter.setPen(self.palette().color(self.palette().ColorRole.WindowText))
            values = line.adjusted(self._captions_width + scaled(COLUMN_GAP), 0, 0, 0)
            painter.drawText(values, Qt.AlignmentFlag.AlignVCenter, value)
            line.translate(0, self._line_height)


WIDTH, TOP = 460, 24
"""Width of a card, and its place below the upper edge of the map."""
PADDING = 20
"""Pixels of a line beside its text."""


class LineCard(QFrame):
    """A card with a line edit; it closes with Escape or when another part of the window takes the focus."""

    WIDE: ClassVar[int] = WIDTH
    """Its width in pixels, where the map is as wide."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._map = parent
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.line = QLineEdit()
        self.line.setAccessibleName(translated("What is typed over the map"))  # until it is opened with a question
        self.line.setToolTip(translated("Enter accepts, Esc closes"))
        self.line.installEventFilter(self)
        self.above = label()
        self.above.setWordWrap(True)
        self._layout = in_column(self.above, self.line, spacing=4, margins=(GAP, GAP, GAP, GAP))
        self.setLayout(self._layout)
        self.hide()

    def open(self, hint: str) -> None:
        """Open at the top of the map with an empty line; ``hint`` is its placeholder, or stands above it if long."""
        width = min(scaled(self.WIDE), max(self._map.width() - 2 * GAP, 1))
        fits = self.line.fontMetrics().horizontalAdvance(hint) < width - 2 * GAP - scaled(PADDING)
        self.line.clear()
        self.line.setPlaceholderText(hint if fits else "")
        self.line.setAccessibleName(hint)
        self.above.setText(hint)
        self.above.setVisible(not fits)
        self.above.setFixedHeight(self.above.heightForWidth(width - 2 * GAP))
        self.setFixedWidth(width)
        self.adjustSize()
        self.move(max((self._map.width() - self.width()) // 2, 0), TOP)
        self.show()
        self.raise_()
        self.line.setFocus()

    def close_card(self) -> None:
        """Close and return the focus to the map."""
        if self.isVisible():
            self.hide()
            self._map.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handle keys and the loss of focus."""
        if isinstance(event, QFocusEvent) and event.lostFocus():
            if event.reason() not in _ONLY_BRIEFLY:
                self.hide()
        elif event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.accept()  # no shortcut may take what is typed here
            return True
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self.take_key(event)
        return False

    def take_key(self, event: QKeyEvent) -> bool:
        """Handle a key; return whether it was used."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
            return True
        return False


_ONLY_BRIEFLY = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
"""Why the focus leaves a line that gets it back: text is fetched from another program, or pasted by the menu."""
_MOST_CHARACTERS = 64
_ROOM = 18
"""Pixels beside the text."""


class FieldOverMap(QLineEdit):
    """Takes over what was typed with Enter, with Tab, and when it loses the focus; Esc leaves all as it was."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMaxLength(_MOST_CHARACTERS)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAccessibleName(translated("What is typed over the map"))
        self.setToolTip(hint(self.accessibleName()))
        self._take: Callable[[str], bool] = lambda _text: True
        self.hide()

    def ask(self, area: QRectF, name: str, text: str, take: Callable[[str], bool]) -> None:
        """Show ``text`` over ``area`` of the parent; ``take`` gets what is typed and returns whether that will do."""
        self._take = take
        self.setAccessibleName(name)
        self.setToolTip(hint(name))
        self.setText(text)
        self.selectAll()
        asked = self.sizeHint()
        least = self.fontMetrics().horizontalAdvance("0" * 6)
        width = max(self.fontMetrics().horizontalAdvance(text), least) + 2 * _ROOM
        parent = self.parentWidget()
        assert parent is not None
        left = min(max(round(area.center().x() - width / 2), 0), max(parent.width() - width, 0))
        top = min(max(round(area.center().y() - asked.height() / 2), 0), max(parent.height() - asked.height(), 0))
        self.setGeometry(left, top, width, asked.height())
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Close the field and leave all as it was."""
        self._take = lambda _text: True
        if self.isVisible():
            self._close()

    def event(self, event: QEvent) -> bool:
        """Take Tab for Enter, and Esc for itself: elsewhere it stops what runs."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._finish()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.leave()
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take over what was typed; what will not do is left out."""
        super().focusOutEvent(event)
        if self.isVisible() and event.reason() != Qt.FocusReason.PopupFocusReason:
            take, self._take = self._take, lambda _text: True
            self.hide()
            take(self.text())

    def _finish(self) -> None:
        if self._take(self.text()):
            self.leave()
        else:
            self.selectAll()

    def _close(self) -> None:
        self.hide()
        parent = self.parentWidget()
        if parent is not None:
            parent.setFocus(Qt.FocusReason.OtherFocusReason)


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
