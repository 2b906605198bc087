"""Cards that open over the map: a line to type in, alone or with a list of every command."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QSortFilterProxyModel, QStringListModel, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListView, QVBoxLayout, QWidget

from wayfront.errors import WayfrontError
from wayfront_gui.actions import COMMANDS, keys_text, plain_text
from wayfront_gui.panels.parts import GAP, label

WIDTH = 460
ROWS = 9


class Card(QFrame):
    """A line over the map that closes with Escape or when it loses the focus."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._map = parent
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.line = QLineEdit()
        self.line.installEventFilter(self)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(GAP, GAP, GAP, GAP)
        self._layout.setSpacing(4)
        self._layout.addWidget(self.line)
        self.setFixedWidth(WIDTH)
        self.hide()

    def open(self, hint: str) -> None:
        """Open at the top of the map with an empty line."""
        self.line.clear()
        self.line.setPlaceholderText(hint)
        self.adjustSize()
        self.move(max((self._map.width() - WIDTH) // 2, 0), 24)
        self.show()
        self.raise_()
        self.line.setFocus()

    def close_card(self) -> None:
        """Close and give the keyboard back to the map."""
        if self.isVisible():
            self.hide()
            self._map.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Take Escape, the keys of the list, and the loss of focus."""
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        elif event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.accept()  # whatever is typed here is meant for the line
            return True
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self.take_key(event)
        return False

    def take_key(self, event: QKeyEvent) -> bool:
        """Act on a key; return whether that used it up."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
            return True
        return False


class Question(Card):
    """Asks for one line; what is wrong with an answer stands under it until it is right."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._problem = label(rank="second", wrap=True)
        self._layout.addWidget(self._problem)
        self._answer: Callable[[str], None] = lambda _: None
        self.line.returnPressed.connect(self._give_answer)

    @property
    def problem(self) -> str:
        """What is wrong with the last answer."""
        return self._problem.text()

    def ask(self, hint: str, answer: Callable[[str], None]) -> None:
        """Ask; ``answer`` is called with the line and raises ``WayfrontError`` or ``ValueError`` to refuse it."""
        self._answer = answer
        self._say("")
        self.open(hint)

    def _give_answer(self) -> None:
        try:
            self._answer(self.line.text().strip())
        except (WayfrontError, ValueError) as problem:
            self._say(str(problem))
        else:
            self.close_card()

    def _say(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self.adjustSize()


class Palette(Card):
    """Finds any command by a few letters of each of its words."""

    def __init__(self, actions: dict[str, QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self._actions = [actions[c.name] for c in COMMANDS]
        self._model = _CommandFilter(self)
        self._model.setSourceModel(QStringListModel([_line(c.name) for c in COMMANDS], self))
        self.list = QListView()
        self.list.setModel(self._model)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setFixedHeight(ROWS * 26)
        self.list.clicked.connect(lambda _: self._run())
        self._layout.addWidget(self.list)
        self.line.textChanged.connect(self._filter)
        self.line.returnPressed.connect(self._run)

    def show_all(self) -> None:
        """Open with every command."""
        self.open("What would you like to do?")
        self._filter("")

    def shown(self) -> Sequence[str]:
        """Return the lines that match what was typed."""
        return [self._model.index(row, 0).data() for row in range(self._model.rowCount())]

    def _filter(self, text: str) -> None:
        self._model.set_words(text.lower().split())
        self.list.setCurrentIndex(self._model.index(0, 0))

    def _run(self) -> None:
        index = self._model.mapToSource(self.list.currentIndex())
        self.close_card()
        if index.isValid():
            self._actions[index.row()].trigger()

    def take_key(self, event: QKeyEvent) -> bool:
        """Move in the list with the arrows."""
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is None:
            return super().take_key(event)
        row = min(max(self.list.currentIndex().row() + step, 0), self._model.rowCount() - 1)
        self.list.setCurrentIndex(self._model.index(row, 0))
        return True


class _CommandFilter(QSortFilterProxyModel):
    """Keeps the lines in which every typed word begins some word."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._words: list[str] = []

    def set_words(self, words: list[str]) -> None:
        self._words = words
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: object) -> bool:  # noqa: N802 - Qt's name
        line = self.sourceModel().index(row, 0).data().lower()
        return all(any(w.startswith(typed) for w in line.split()) for typed in self._words)


def _line(name: str) -> str:
    command = next(c for c in COMMANDS if c.name == name)
    keys = keys_text(command)
    return f"{plain_text(command)}   {keys}" if keys else plain_text(command)
